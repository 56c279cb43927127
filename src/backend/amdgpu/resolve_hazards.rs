//! `s_nop`: wait states between instructions that the hardware does not interlock.
//!
//! The rows are [`crate::isa::amdgpu::hazards`]. A forward dataflow over linear edges keeps, for each
//! producer kind and register, how many wait states ago it last happened (the fewest over all paths);
//! before a consumer that comes too early the missing states are inserted.

use std::collections::{BTreeMap, HashMap};

use smallvec::SmallVec;

use crate::backend::mir::access::{Part, accesses};
use crate::backend::mir::{MFunction, MInst, MOp, MOperand, Stage};
use crate::isa::amdgpu::hazards::{Consumer, Hazard, Producer, hazards};
use crate::isa::amdgpu::{Isa, op, regs};
use crate::isa::{Accepts, Class, Ext, Form, Implicit, Mods, Reg, RegFile, Role, Uop};

/// More states than any row asks for.
const LONG_AGO: u8 = 16;

/// Producers by the register they touched; register 0 of the file `Scc` stands for none.
type Events = BTreeMap<(u8, RegFile, u16), u8>;

const PRODUCERS: [Producer; 9] = [
    Producer::ValuWritesSgpr,
    Producer::ValuWritesVcc,
    Producer::ValuWritesExec,
    Producer::ValuWritesVgpr,
    Producer::TransWritesVgpr,
    Producer::ValuWritesPart,
    Producer::WideStoreData,
    Producer::SetReg,
    Producer::SaluWritesM0,
];

fn number(producer: Producer) -> u8 {
    PRODUCERS
        .iter()
        .position(|p| *p == producer)
        .map_or(u8::MAX, |n| n as u8)
}

/// What hazards ask of an instruction.
struct Facts {
    class: Class,
    uop: Uop,
    reads: SmallVec<[Reg; 6]>,
    writes: SmallVec<[Reg; 3]>,
    lane_select: Option<Reg>,
    dpp: bool,
    partial: bool,
    reads_m0: bool,
    store_data: Option<Reg>,
}

fn is_valu(class: Class) -> bool {
    matches!(
        class,
        Class::Valu | Class::ValuSlow | Class::Trans | Class::Matrix
    )
}

fn is_vmem(class: Class) -> bool {
    matches!(
        class,
        Class::VmemLoad
            | Class::VmemStore
            | Class::VmemAtomic
            | Class::FlatLoad
            | Class::FlatStore
            | Class::FlatAtomic
    )
}

impl Facts {
    fn of(isa: &Isa, inst: &MInst) -> Option<Facts> {
        let MOp::Row(id, form) = inst.op else {
            return None;
        };
        let row = isa.row(id);
        let semantics = row.semantics();
        let mut facts = Facts {
            class: semantics.class,
            uop: semantics.uop,
            reads: SmallVec::new(),
            writes: SmallVec::new(),
            lane_select: None,
            dpp: matches!(inst.mods.ext, Ext::Dpp { .. } | Ext::Dpp8 { .. }),
            partial: matches!(inst.mods.ext, Ext::Sdwa { dst_sel, .. } if dst_sel != 6)
                || inst.mods.op_sel & 8 != 0,
            reads_m0: semantics.implicit.has(Implicit::READ_M0),
            store_data: None,
        };
        for (part, role) in accesses(isa, inst) {
            let Part::Phys(reg) = part else { continue };
            if role != Role::Def {
                facts.reads.push(reg);
            }
            if role != Role::Use {
                facts.writes.push(reg);
            }
        }
        for (flag, reg, written) in [
            (Implicit::READ_VCC, regs::VCC_PAIR, false),
            (Implicit::WRITE_VCC, regs::VCC_PAIR, true),
            (Implicit::WRITE_EXEC, regs::EXEC_PAIR, true),
        ] {
            if semantics.implicit.has(flag) {
                if written {
                    facts.writes.push(reg)
                } else {
                    facts.reads.push(reg)
                }
            }
        }
        for (spec, operand) in row.operands(form).iter().zip(&inst.operands) {
            let MOperand::Phys(reg) = *operand else {
                continue;
            };
            if spec.accepts == Accepts::LaneSel {
                facts.lane_select = Some(reg);
            }
            let is_store = matches!(facts.class, Class::VmemStore | Class::FlatStore);
            if is_store && spec.arg == 1 && reg.file == RegFile::Vgpr && reg.count > 2 {
                facts.store_data = Some(reg);
            }
        }
        Some(facts)
    }

    /// Registers that the instruction is a producer for.
    fn produces(&self, producer: Producer) -> SmallVec<[Reg; 3]> {
        let written =
            |keep: &dyn Fn(&Reg) -> bool| self.writes.iter().copied().filter(|r| keep(r)).collect();
        let none = SmallVec::new();
        let any = SmallVec::from_slice(&[Reg {
            file: RegFile::Scc,
            index: 0,
            count: 1,
        }]);
        match producer {
            Producer::ValuWritesSgpr if is_valu(self.class) => {
                written(&|r| r.file == RegFile::Sgpr)
            }
            Producer::ValuWritesVcc if is_valu(self.class) => {
                written(&|r| r.overlaps(regs::VCC_PAIR))
            }
            Producer::ValuWritesExec if is_valu(self.class) => {
                if self.writes.iter().any(|r| r.overlaps(regs::EXEC_PAIR)) {
                    any
                } else {
                    none
                }
            }
            Producer::ValuWritesVgpr if is_valu(self.class) => {
                written(&|r| r.file == RegFile::Vgpr)
            }
            Producer::TransWritesVgpr if self.class == Class::Trans => {
                written(&|r| r.file == RegFile::Vgpr)
            }
            Producer::ValuWritesPart if is_valu(self.class) && self.partial => {
                written(&|r| r.file == RegFile::Vgpr)
            }
            Producer::WideStoreData => self.store_data.into_iter().collect(),
            Producer::SetReg if self.uop == Uop::SetReg => any,
            Producer::SaluWritesM0 if self.class == Class::Salu => {
                written(&|r| r.overlaps(Reg::s(regs::M0, 1)))
            }
            Producer::ValuWritesSgpr
            | Producer::ValuWritesVcc
            | Producer::ValuWritesExec
            | Producer::ValuWritesVgpr
            | Producer::TransWritesVgpr
            | Producer::ValuWritesPart
            | Producer::SetReg
            | Producer::SaluWritesM0 => none,
        }
    }

    /// Registers that the instruction is a consumer of.
    fn consumes(&self, consumer: Consumer) -> SmallVec<[Reg; 6]> {
        let read = |file: RegFile| {
            self.reads
                .iter()
                .copied()
                .filter(|r| r.file == file)
                .collect()
        };
        let none = SmallVec::new();
        let any = SmallVec::from_slice(&[Reg {
            file: RegFile::Scc,
            index: 0,
            count: 1,
        }]);
        let valu = is_valu(self.class);
        let lane_access = matches!(
            self.uop,
            Uop::ReadLane | Uop::ReadFirstLane | Uop::WriteLane
        );
        let fits = match consumer {
            Consumer::VmemReadsSgpr => is_vmem(self.class),
            Consumer::ValuReadsSgpr | Consumer::ValuReadsVgpr | Consumer::ValuWritesVgpr => valu,
            Consumer::LaneSelect => return self.lane_select.into_iter().collect(),
            Consumer::DivFmas => matches!(self.uop, Uop::DivFmas(_)),
            Consumer::DppReadsVgpr | Consumer::AnyDpp => self.dpp,
            Consumer::AnyLaneAccess | Consumer::LaneAccessReadsVgpr => lane_access,
            Consumer::NonTransReadsVgpr => valu && self.class != Class::Trans,
            Consumer::AnyHwReg => matches!(self.uop, Uop::GetReg | Uop::SetReg),
            Consumer::ReadsM0 => self.reads_m0,
        };
        if !fits {
            return none;
        }
        match consumer {
            Consumer::VmemReadsSgpr | Consumer::ValuReadsSgpr => read(RegFile::Sgpr),
            Consumer::DivFmas => SmallVec::from_slice(&[regs::VCC_PAIR]),
            Consumer::ReadsM0 => SmallVec::from_slice(&[Reg::s(regs::M0, 1)]),
            Consumer::DppReadsVgpr
            | Consumer::LaneAccessReadsVgpr
            | Consumer::NonTransReadsVgpr
            | Consumer::ValuReadsVgpr => read(RegFile::Vgpr),
            Consumer::ValuWritesVgpr => self
                .writes
                .iter()
                .copied()
                .filter(|r| r.file == RegFile::Vgpr)
                .collect(),
            Consumer::AnyDpp | Consumer::AnyLaneAccess | Consumer::AnyHwReg => any,
            Consumer::LaneSelect => none,
        }
    }
}

fn pass_time(events: &mut Events, states: u8) {
    events.retain(|_, age| {
        *age = age.saturating_add(states);
        *age < LONG_AGO
    });
}

/// Executes an instruction: the states missing before it.
fn step(isa: &Isa, rows: &[&Hazard], inst: &MInst, events: &mut Events) -> u8 {
    let Some(facts) = Facts::of(isa, inst) else {
        return 0;
    };
    if facts.uop == Uop::Nop
        && let Some(MOperand::Imm(n)) = inst.operands.first()
    {
        pass_time(events, *n as u8 + 1);
        return 0;
    }
    let mut missing = 0;
    for row in rows {
        let producer = number(row.producer);
        for reg in facts.consumes(row.consumer) {
            for n in 0..reg.count {
                if let Some(age) = events.get(&(producer, reg.file, reg.index + u16::from(n))) {
                    missing = missing.max(row.states.saturating_sub(*age));
                }
            }
        }
    }
    pass_time(events, missing + 1);
    for producer in PRODUCERS {
        for reg in facts.produces(producer) {
            for n in 0..reg.count {
                events.insert((number(producer), reg.file, reg.index + u16::from(n)), 0);
            }
        }
    }
    missing
}

fn merge(into: &mut Events, from: &Events) -> bool {
    let mut changed = false;
    for (key, age) in from {
        let known = into.entry(*key).or_insert(LONG_AGO);
        if age < known {
            *known = *age;
            changed = true;
        }
    }
    changed
}

/// Runs the step; leaves stage `Final`.
pub fn run(mf: &mut MFunction, isa: &Isa) {
    let rows: Vec<&Hazard> = hazards(isa.chip()).collect();
    let mut starts: HashMap<usize, Events> = HashMap::new();
    if let Some(entry) = mf.layout.first() {
        starts.insert(entry.0 as usize, Events::new());
    }
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &mf.layout {
            let Some(mut events) = starts.get(&(block.0 as usize)).cloned() else {
                continue;
            };
            for inst in &mf.block(block).insts {
                step(isa, &rows, inst, &mut events);
            }
            for succ in &mf.block(block).linear_succs {
                let n = succ.0 as usize;
                changed |= match starts.get_mut(&n) {
                    Some(known) => merge(known, &events),
                    None => {
                        starts.insert(n, events.clone());
                        true
                    }
                };
            }
        }
    }
    for block in mf.layout.clone() {
        let mut events = starts.remove(&(block.0 as usize)).unwrap_or_default();
        let insts = std::mem::take(&mut mf.block_mut(block).insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            let missing = step(isa, &rows, &inst, &mut events);
            if missing > 0 {
                out.push(MInst {
                    op: MOp::Row(op::S_NOP, Form::Base),
                    operands: SmallVec::from_slice(&[MOperand::Imm(i64::from(missing) - 1)]),
                    mods: Mods::default(),
                    span: inst.span,
                });
            }
            out.push(inst);
        }
        mf.block_mut(block).insts = out;
    }
    mf.stage = Stage::Final;
}
