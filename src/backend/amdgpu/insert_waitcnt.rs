//! `s_waitcnt`: waits for the results of memory instructions before their registers are touched.
//!
//! Loads and stores of vector memory return in order and count on vmcnt (GFX9 counts stores there,
//! too), so a wait for one of them allows the younger ones to be outstanding. Scalar loads return in
//! any order on lgkmcnt: only zero covers them. LDS counts on lgkmcnt in order; flat on both, in no
//! order. (AMD Instinct MI300 ISA guide, section 4.4.)
//!
//! A forward dataflow over linear edges. For each register with an outstanding result the state says
//! how many events of its counter are younger; where paths meet, the smaller number is safe. Reading
//! or writing such a register inserts the wait.

use std::collections::{BTreeMap, HashMap};

use smallvec::SmallVec;

use crate::backend::mir::access::{Part, accesses};
use crate::backend::mir::{MFunction, MInst, MOp, MOperand};
use crate::isa::amdgpu::{Isa, op};
use crate::isa::{Class, Form, Mods, Reg, RegFile, Role};

const VM_MAX: u8 = 63;
const LGKM_MAX: u8 = 15;

/// What must happen before a register may be touched: the largest counter values allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pending {
    /// Younger events on vmcnt.
    vm: Option<u8>,
    /// Younger events on lgkmcnt; 0 where the order is not known.
    lgkm: Option<u8>,
    /// Its lgkm event returns in any order.
    unordered: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct State {
    regs: BTreeMap<(RegFile, u16), Pending>,
}

/// A wait: the counters' largest allowed values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wait {
    vm: u8,
    lgkm: u8,
}

impl Wait {
    const NONE: Wait = Wait {
        vm: VM_MAX,
        lgkm: LGKM_MAX,
    };

    /// The immediate of GFX9's `s_waitcnt`; expcnt is not waited for.
    fn encode(self) -> i64 {
        let (vm, lgkm) = (i64::from(self.vm), i64::from(self.lgkm));
        vm & 0xf | (vm >> 4) << 14 | 0x70 | lgkm << 8
    }
}

fn smaller(a: Option<u8>, b: Option<u8>) -> Option<u8> {
    match (a, b) {
        (Some(x), Some(y)) => Some(x.min(y)),
        (x, y) => x.or(y),
    }
}

impl State {
    fn merge(&mut self, other: &State) -> bool {
        let mut changed = false;
        for (reg, theirs) in &other.regs {
            match self.regs.get_mut(reg) {
                None => {
                    self.regs.insert(*reg, *theirs);
                    changed = true;
                }
                Some(ours) => {
                    let joined = Pending {
                        vm: smaller(ours.vm, theirs.vm),
                        lgkm: smaller(ours.lgkm, theirs.lgkm),
                        unordered: ours.unordered || theirs.unordered,
                    };
                    changed |= joined != *ours;
                    *ours = joined;
                }
            }
        }
        changed
    }

    /// What touching a register needs.
    fn need(&self, reg: Reg) -> Wait {
        let mut wait = Wait::NONE;
        for n in 0..reg.count {
            let Some(pending) = self.regs.get(&(reg.file, reg.index + u16::from(n))) else {
                continue;
            };
            wait.vm = wait.vm.min(pending.vm.unwrap_or(VM_MAX));
            if let Some(lgkm) = pending.lgkm {
                // With a scalar load outstanding nothing on the counter is in order.
                let mixed = pending.unordered || self.regs.values().any(|p| p.unordered);
                wait.lgkm = wait.lgkm.min(if mixed { 0 } else { lgkm });
            }
        }
        wait
    }

    fn apply(&mut self, wait: Wait) {
        self.regs.retain(|_, p| {
            if p.vm.is_some_and(|age| age >= wait.vm) {
                p.vm = None;
            }
            let done = if p.unordered {
                wait.lgkm == 0
            } else {
                p.lgkm.is_some_and(|age| age >= wait.lgkm)
            };
            if done {
                p.lgkm = None;
                p.unordered = false;
            }
            p.vm.is_some() || p.lgkm.is_some()
        });
    }

    /// A memory instruction is issued: what is outstanding gets older, its results join.
    fn issue(&mut self, class: Class, results: &[Reg]) {
        let (vm, lgkm, unordered) = match class {
            Class::VmemLoad | Class::VmemStore | Class::VmemAtomic => (true, false, false),
            Class::FlatLoad | Class::FlatStore | Class::FlatAtomic => (true, true, true),
            Class::Smem | Class::Message => (false, true, true),
            Class::Lds => (false, true, false),
            Class::Salu
            | Class::Valu
            | Class::ValuSlow
            | Class::Trans
            | Class::Matrix
            | Class::Branch
            | Class::Control => return,
        };
        for pending in self.regs.values_mut() {
            if vm {
                pending.vm = pending.vm.map(|age| (age + 1).min(VM_MAX - 1));
            }
            if lgkm {
                pending.lgkm = pending.lgkm.map(|age| (age + 1).min(LGKM_MAX - 1));
            }
        }
        for reg in results {
            for n in 0..reg.count {
                let key = (reg.file, reg.index + u16::from(n));
                let pending = Pending {
                    vm: vm.then_some(0),
                    lgkm: lgkm.then_some(0),
                    unordered,
                };
                self.regs.insert(key, pending);
            }
        }
    }

    /// Executes an instruction; the wait it needs first.
    fn step(&mut self, isa: &Isa, inst: &MInst) -> Wait {
        let MOp::Row(row, _) = inst.op else {
            return Wait::NONE;
        };
        if row == op::S_WAITCNT {
            if let Some(MOperand::Imm(value)) = inst.operands.first() {
                let vm = (value & 0xf | value >> 14 << 4) as u8;
                self.apply(Wait {
                    vm,
                    lgkm: (value >> 8 & 0xf) as u8,
                });
            }
            return Wait::NONE;
        }
        let mut wait = Wait::NONE;
        let mut results: SmallVec<[Reg; 2]> = SmallVec::new();
        for (part, role) in accesses(isa, inst) {
            let Part::Phys(reg) = part else { continue };
            let need = self.need(reg);
            wait = Wait {
                vm: wait.vm.min(need.vm),
                lgkm: wait.lgkm.min(need.lgkm),
            };
            if role != Role::Use {
                results.push(reg);
            }
        }
        self.apply(wait);
        self.issue(isa.row(row).semantics().class, &results);
        wait
    }
}

/// Runs the step.
pub fn run(mf: &mut MFunction, isa: &Isa) {
    let mut starts: HashMap<usize, State> = HashMap::new();
    if let Some(entry) = mf.layout.first() {
        starts.insert(entry.0 as usize, State::default());
    }
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &mf.layout {
            let Some(mut state) = starts.get(&(block.0 as usize)).cloned() else {
                continue;
            };
            for inst in &mf.block(block).insts {
                state.step(isa, inst);
            }
            for succ in &mf.block(block).linear_succs {
                let n = succ.0 as usize;
                changed |= match starts.get_mut(&n) {
                    Some(known) => known.merge(&state),
                    None => {
                        starts.insert(n, state.clone());
                        true
                    }
                };
            }
        }
    }
    for block in mf.layout.clone() {
        let mut state = starts.remove(&(block.0 as usize)).unwrap_or_default();
        let insts = std::mem::take(&mut mf.block_mut(block).insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            let wait = state.step(isa, &inst);
            if wait != Wait::NONE {
                out.push(MInst {
                    op: MOp::Row(op::S_WAITCNT, Form::Base),
                    operands: SmallVec::from_slice(&[MOperand::Imm(wait.encode())]),
                    mods: Mods::default(),
                    span: inst.span,
                });
            }
            out.push(inst);
        }
        mf.block_mut(block).insts = out;
    }
}
