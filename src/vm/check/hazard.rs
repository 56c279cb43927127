//! `--check hazard`: finds code that relies on results before the hardware guarantees them.
//!
//! The functional machine executes in order and would hide a missing `s_waitcnt` or `s_nop`. This check
//! plays the counters: queues of outstanding memory instructions by counter, in order where the
//! hardware keeps it, and the time (in wait states) of each event that a later instruction must keep a
//! distance from. An instruction that touches a register too early faults.
//!
//! The rows of wait states are facts of [`crate::isa::amdgpu::hazards`]; how they are matched here is
//! written independently of the compiler, which inserts the waits.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::isa::amdgpu::hazards::{Consumer, Hazard, Producer, hazards};
use crate::isa::amdgpu::{Chip, regs};
use crate::isa::uop::Uop;
use crate::isa::{Accepts, Class, Ext, Implicit, Operand, Reg, RegFile, Role};
use crate::vm::program::Step;

type Key = (RegFile, u16);

/// An outstanding memory instruction and the registers that it will write.
#[derive(Clone, Debug)]
struct Outstanding {
    regs: Vec<Key>,
    ordered: bool,
}

/// The state of the check for one wave.
#[derive(Clone, Debug)]
pub struct HazardCheck {
    rows: Vec<&'static Hazard>,
    vm: VecDeque<Outstanding>,
    lgkm: VecDeque<Outstanding>,
    now: u64,
    events: HashMap<(Producer, Key), u64>,
}

/// Stands for "whatever the register" in rows about an instruction kind.
const ANY: Key = (RegFile::Scc, 0);

impl HazardCheck {
    /// A wave at its start: nothing is outstanding.
    pub fn new(chip: Chip) -> HazardCheck {
        HazardCheck {
            rows: hazards(chip).collect(),
            vm: VecDeque::new(),
            lgkm: VecDeque::new(),
            now: 0,
            events: HashMap::new(),
        }
    }

    /// Called before an instruction executes; the error says what it touches too early.
    pub fn before(&mut self, step: &Step) -> Result<(), String> {
        if let Uop::Wait = step.sem.uop {
            let value = immediate(step);
            self.wait(value);
            self.now += 1;
            return Ok(());
        }
        if let Uop::Nop = step.sem.uop
            && step.sem.class == Class::Control
        {
            self.now += (immediate(step) & 15) as u64 + 1;
            return Ok(());
        }
        let touched = Touched::of(step);
        self.check_outstanding(&touched)?;
        self.check_distance(step, &touched)?;
        self.note(step, &touched);
        self.now += 1;
        Ok(())
    }

    /// GFX9's `s_waitcnt`: vmcnt in bits 3:0 and 15:14, lgkmcnt in 11:8.
    fn wait(&mut self, value: i64) {
        let vm = (value & 15 | (value >> 14 & 3) << 4) as usize;
        let lgkm = (value >> 8 & 15) as usize;
        drain(&mut self.vm, vm);
        drain(&mut self.lgkm, lgkm);
    }

    fn check_outstanding(&self, touched: &Touched) -> Result<(), String> {
        for (queue, counter) in [(&self.vm, "vmcnt"), (&self.lgkm, "lgkmcnt")] {
            let pending: HashSet<&Key> = queue.iter().flat_map(|o| &o.regs).collect();
            for (key, how) in touched
                .reads
                .iter()
                .map(|k| (k, "reads"))
                .chain(touched.writes.iter().map(|k| (k, "writes")))
            {
                if pending.contains(key) {
                    return Err(format!(
                        "it {how} {} before an s_waitcnt {counter} covers the load into it",
                        name(*key)
                    ));
                }
            }
        }
        Ok(())
    }

    fn check_distance(&self, step: &Step, touched: &Touched) -> Result<(), String> {
        for row in &self.rows {
            for key in touched.consumed(step, row.consumer) {
                let Some(at) = self.events.get(&(row.producer, key)) else {
                    continue;
                };
                // The producer itself ended at its time + 1.
                let between = self.now - at - 1;
                if between < u64::from(row.states) {
                    let what = if key == ANY {
                        String::new()
                    } else {
                        format!(" on {}", name(key))
                    };
                    return Err(format!(
                        "{:?} after {:?}{what} needs {} wait states, there are {between}",
                        row.consumer, row.producer, row.states
                    ));
                }
            }
        }
        Ok(())
    }

    fn note(&mut self, step: &Step, touched: &Touched) {
        for producer in [
            Producer::ValuWritesSgpr,
            Producer::ValuWritesVcc,
            Producer::ValuWritesExec,
            Producer::ValuWritesVgpr,
            Producer::TransWritesVgpr,
            Producer::ValuWritesPart,
            Producer::WideStoreData,
            Producer::SetReg,
            Producer::SaluWritesM0,
        ] {
            for key in touched.produced(step, producer) {
                self.events.insert((producer, key), self.now);
            }
        }
        let loaded: Vec<Key> = touched
            .writes
            .iter()
            .copied()
            .filter(|k| k.0 != RegFile::Scc)
            .collect();
        let entry = |regs: Vec<Key>, ordered: bool| Outstanding { regs, ordered };
        match step.sem.class {
            Class::VmemLoad | Class::VmemStore | Class::VmemAtomic => {
                self.vm.push_back(entry(loaded, true))
            }
            Class::FlatLoad | Class::FlatStore | Class::FlatAtomic => {
                self.vm.push_back(entry(loaded.clone(), false));
                self.lgkm.push_back(entry(loaded, false));
            }
            Class::Smem | Class::Message => self.lgkm.push_back(entry(loaded, false)),
            Class::Lds => self.lgkm.push_back(entry(loaded, true)),
            Class::Salu
            | Class::Valu
            | Class::ValuSlow
            | Class::Trans
            | Class::Matrix
            | Class::Branch
            | Class::Control => {}
        }
    }
}

/// Completes what a wait for `left` outstanding events guarantees: the oldest ones where the queue is
/// in order, nothing but all of them where it is not.
fn drain(queue: &mut VecDeque<Outstanding>, left: usize) {
    if left == 0 {
        queue.clear();
        return;
    }
    while queue.len() > left && queue.iter().all(|o| o.ordered) {
        queue.pop_front();
    }
}

fn immediate(step: &Step) -> i64 {
    match step.inst.operands.first() {
        Some(Operand::Imm(value)) => *value,
        _ => 0,
    }
}

fn name(key: Key) -> String {
    match key {
        (RegFile::Sgpr, 106) => "vcc_lo".to_string(),
        (RegFile::Sgpr, 107) => "vcc_hi".to_string(),
        (RegFile::Sgpr, n) => format!("s{n}"),
        (RegFile::Vgpr, n) => format!("v{n}"),
        (RegFile::Agpr, n) => format!("a{n}"),
        (RegFile::Scc, _) => "scc".to_string(),
    }
}

/// Registers that an instruction touches.
struct Touched {
    reads: Vec<Key>,
    writes: Vec<Key>,
    lane_select: Vec<Key>,
    store_data: Vec<Key>,
}

fn dwords(reg: Reg) -> impl Iterator<Item = Key> {
    (reg.index..reg.index + u16::from(reg.count)).map(move |n| (reg.file, n))
}

impl Touched {
    fn of(step: &Step) -> Touched {
        let mut touched = Touched {
            reads: Vec::new(),
            writes: Vec::new(),
            lane_select: Vec::new(),
            store_data: Vec::new(),
        };
        let is_store = matches!(step.sem.class, Class::VmemStore | Class::FlatStore);
        for (spec, operand) in step.specs.iter().zip(&step.inst.operands) {
            let Operand::Reg(reg) = *operand else {
                continue;
            };
            if spec.role != Role::Def {
                touched.reads.extend(dwords(reg));
            }
            if spec.role != Role::Use {
                touched.writes.extend(dwords(reg));
            }
            if spec.accepts == Accepts::LaneSel {
                touched.lane_select.extend(dwords(reg));
            }
            if is_store && spec.arg == 1 && reg.count > 2 {
                touched.store_data.extend(dwords(reg));
            }
        }
        let implicit = step.sem.implicit;
        if implicit.has(Implicit::READ_VCC) {
            touched.reads.extend(dwords(regs::VCC_PAIR));
        }
        if implicit.has(Implicit::WRITE_VCC) {
            touched.writes.extend(dwords(regs::VCC_PAIR));
        }
        if implicit.has(Implicit::WRITE_EXEC) {
            touched.writes.extend(dwords(regs::EXEC_PAIR));
        }
        touched
    }

    fn produced(&self, step: &Step, producer: Producer) -> Vec<Key> {
        let valu = matches!(
            step.sem.class,
            Class::Valu | Class::ValuSlow | Class::Trans | Class::Matrix
        );
        let written = |file: RegFile| {
            self.writes
                .iter()
                .copied()
                .filter(|k| k.0 == file)
                .collect::<Vec<_>>()
        };
        let exec = self
            .writes
            .iter()
            .any(|k| dwords(regs::EXEC_PAIR).any(|e| e == *k));
        match producer {
            Producer::ValuWritesSgpr if valu => written(RegFile::Sgpr),
            Producer::ValuWritesVcc if valu => self
                .writes
                .iter()
                .copied()
                .filter(|k| dwords(regs::VCC_PAIR).any(|v| v == *k))
                .collect(),
            Producer::ValuWritesExec if valu && exec => vec![ANY],
            Producer::ValuWritesVgpr if valu => written(RegFile::Vgpr),
            Producer::TransWritesVgpr if step.sem.class == Class::Trans => written(RegFile::Vgpr),
            Producer::ValuWritesPart if valu => {
                let part = match step.inst.mods.ext {
                    Ext::Sdwa { dst_sel, .. } => dst_sel != 6,
                    Ext::None | Ext::Dpp { .. } | Ext::Dpp8 { .. } => {
                        step.inst.mods.op_sel & 8 != 0
                    }
                };
                if part {
                    written(RegFile::Vgpr)
                } else {
                    Vec::new()
                }
            }
            Producer::WideStoreData => self.store_data.clone(),
            Producer::SetReg if step.sem.uop == Uop::SetReg => vec![ANY],
            Producer::SaluWritesM0 if step.sem.class == Class::Salu => self
                .writes
                .iter()
                .copied()
                .filter(|k| *k == (RegFile::Sgpr, regs::M0))
                .collect(),
            Producer::ValuWritesSgpr
            | Producer::ValuWritesVcc
            | Producer::ValuWritesExec
            | Producer::ValuWritesVgpr
            | Producer::TransWritesVgpr
            | Producer::ValuWritesPart
            | Producer::SetReg
            | Producer::SaluWritesM0 => Vec::new(),
        }
    }

    fn consumed(&self, step: &Step, consumer: Consumer) -> Vec<Key> {
        let class = step.sem.class;
        let valu = matches!(
            class,
            Class::Valu | Class::ValuSlow | Class::Trans | Class::Matrix
        );
        let vmem = matches!(
            class,
            Class::VmemLoad
                | Class::VmemStore
                | Class::VmemAtomic
                | Class::FlatLoad
                | Class::FlatStore
                | Class::FlatAtomic
        );
        let dpp = matches!(step.inst.mods.ext, Ext::Dpp { .. } | Ext::Dpp8 { .. });
        let lane = matches!(
            step.sem.uop,
            Uop::ReadLane | Uop::ReadFirstLane | Uop::WriteLane
        );
        let read = |file: RegFile| {
            self.reads
                .iter()
                .copied()
                .filter(|k| k.0 == file)
                .collect::<Vec<_>>()
        };
        let when = |holds: bool, keys: Vec<Key>| if holds { keys } else { Vec::new() };
        match consumer {
            Consumer::VmemReadsSgpr => when(vmem, read(RegFile::Sgpr)),
            Consumer::ValuReadsSgpr => when(valu, read(RegFile::Sgpr)),
            Consumer::LaneSelect => self.lane_select.clone(),
            Consumer::DivFmas => when(
                matches!(step.sem.uop, Uop::DivFmas(_)),
                dwords(regs::VCC_PAIR).collect(),
            ),
            Consumer::DppReadsVgpr => when(dpp, read(RegFile::Vgpr)),
            Consumer::AnyDpp => when(dpp, vec![ANY]),
            Consumer::AnyLaneAccess => when(lane, vec![ANY]),
            Consumer::LaneAccessReadsVgpr => when(
                matches!(step.sem.uop, Uop::ReadLane | Uop::ReadFirstLane),
                read(RegFile::Vgpr),
            ),
            Consumer::NonTransReadsVgpr => when(valu && class != Class::Trans, read(RegFile::Vgpr)),
            Consumer::ValuReadsVgpr => when(valu, read(RegFile::Vgpr)),
            Consumer::ValuWritesVgpr => when(
                valu,
                self.writes
                    .iter()
                    .copied()
                    .filter(|k| k.0 == RegFile::Vgpr)
                    .collect(),
            ),
            Consumer::AnyHwReg => {
                when(matches!(step.sem.uop, Uop::GetReg | Uop::SetReg), vec![ANY])
            }
            Consumer::ReadsM0 => when(
                step.sem.implicit.has(Implicit::READ_M0),
                vec![(RegFile::Sgpr, regs::M0)],
            ),
        }
    }
}
