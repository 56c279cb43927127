//! Puts registers into slots: a load before each use, a store after each write, through registers of
//! the shortest possible life.
//!
//! Copies between registers of which some are spilled become direct loads and stores, so that a long
//! parallel copy never needs more than one register at a time:
//!
//! 1. for every spilled destination: its source goes to the slot (to a slot of its own where the old
//!    value is still a source of the same copy);
//! 2. the copy of what stays in registers;
//! 3. for every spilled source of a register destination: a load;
//! 4. slots of their own are moved to where they belong.

use std::collections::{HashMap, HashSet};

use smallvec::SmallVec;

use crate::backend::mir::access::role;
use crate::backend::mir::{
    MFunction, MInst, MOp, MOperand, Pseudo, Slot, SlotData, VReg, VRegData,
};
use crate::diag::Span;
use crate::isa::amdgpu::Isa;
use crate::isa::{Mods, RegFile, Role};

/// For each block the place in the unspilled block that each instruction comes from.
pub type Origins = Vec<Vec<usize>>;

struct Spiller<'f> {
    mf: &'f mut MFunction,
    isa: &'f Isa,
    slots: HashMap<VReg, Slot>,
    out: Vec<MInst>,
}

/// Spills registers; `origins` is kept up to date.
pub fn spill(mf: &mut MFunction, isa: &Isa, regs: &[VReg], origins: &mut Origins) {
    let mut slots = HashMap::new();
    for &reg in regs {
        let dwords = mf.vreg(reg).dwords;
        mf.slots.push(SlotData { dwords, reg });
        slots.insert(reg, Slot(mf.slots.len() as u32 - 1));
    }
    let mut spiller = Spiller {
        mf,
        isa,
        slots,
        out: Vec::new(),
    };
    for (n, origins) in origins.iter_mut().enumerate() {
        let insts = std::mem::take(&mut spiller.mf.blocks[n].insts);
        let old = std::mem::take(origins);
        let mut new = Vec::new();
        for (inst, origin) in insts.into_iter().zip(old) {
            spiller.rewrite(inst);
            new.resize(spiller.out.len(), origin);
        }
        spiller.mf.blocks[n].insts = std::mem::take(&mut spiller.out);
        *origins = new;
    }
}

fn pseudo(pseudo: Pseudo, operands: &[MOperand], span: Span) -> MInst {
    MInst {
        op: MOp::Pseudo(pseudo),
        operands: SmallVec::from_slice(operands),
        mods: Mods::default(),
        span,
    }
}

impl Spiller<'_> {
    fn slot_of(&self, operand: &MOperand) -> Option<(Slot, u8, u8)> {
        match *operand {
            MOperand::VReg { reg, first, count } => Some((*self.slots.get(&reg)?, first, count)),
            _ => None,
        }
    }

    /// A register for one access of a spilled one.
    fn temp(&mut self, reg: VReg, count: u8) -> MOperand {
        let data = self.mf.vreg(reg);
        let align = if count == 1 { 1 } else { data.align };
        let (file, name, span) = (data.file, data.name.clone(), data.span);
        let temp = self.mf.add_vreg(VRegData {
            file,
            dwords: count,
            align,
            name,
            span,
            no_spill: true,
        });
        MOperand::VReg {
            reg: temp,
            first: 0,
            count,
        }
    }

    fn reload(&mut self, to: MOperand, slot: Slot, first: u8, span: Span) {
        let operands = [
            to,
            MOperand::SlotOffset(slot),
            MOperand::Imm(i64::from(first)),
        ];
        self.out.push(pseudo(Pseudo::Reload, &operands, span));
    }

    fn store(&mut self, slot: Slot, first: u8, from: MOperand, span: Span) {
        let operands = [
            MOperand::SlotOffset(slot),
            from,
            MOperand::Imm(i64::from(first)),
        ];
        self.out.push(pseudo(Pseudo::Spill, &operands, span));
    }

    fn rewrite(&mut self, mut inst: MInst) {
        if !inst.operands.iter().any(|o| self.slot_of(o).is_some()) {
            self.out.push(inst);
            return;
        }
        match inst.op {
            MOp::Pseudo(Pseudo::Copy | Pseudo::ParallelCopy) => return self.rewrite_copies(&inst),
            // The slot holds anything, as the register did.
            MOp::Pseudo(Pseudo::ImplicitDef) => return,
            MOp::Pseudo(_) | MOp::Row(..) => {}
        }
        let mut temps: Vec<((VReg, u8, u8), MOperand)> = Vec::new();
        let mut stores = Vec::new();
        let mut loaded: HashSet<(VReg, u8, u8)> = HashSet::new();
        for n in 0..inst.operands.len() {
            let (Some((slot, first, count)), MOperand::VReg { reg, .. }) =
                (self.slot_of(&inst.operands[n]), inst.operands[n])
            else {
                continue;
            };
            let key = (reg, first, count);
            let how = role(self.isa, &inst, n);
            let known = temps.iter().find(|(k, _)| *k == key).map(|(_, t)| *t);
            let temp = known.unwrap_or_else(|| self.temp(reg, count));
            if known.is_none() {
                temps.push((key, temp));
            }
            if how != Role::Def && loaded.insert(key) {
                self.reload(temp, slot, first, inst.span);
            }
            if how != Role::Use {
                stores.push((slot, first, temp));
            }
            inst.operands[n] = temp;
        }
        let span = inst.span;
        self.out.push(inst);
        for (slot, first, temp) in stores {
            self.store(slot, first, temp, span);
        }
    }

    fn file_of(&self, operand: &MOperand) -> Option<RegFile> {
        match operand {
            MOperand::VReg { reg, .. } => Some(self.mf.vreg(*reg).file),
            MOperand::Phys(reg) => Some(reg.file),
            _ => None,
        }
    }

    fn rewrite_copies(&mut self, inst: &MInst) {
        let span = inst.span;
        let pairs: Vec<(MOperand, MOperand)> = inst
            .operands
            .chunks_exact(2)
            .map(|p| (p[0], p[1]))
            .collect();
        let sources: HashSet<Slot> = pairs
            .iter()
            .filter_map(|(_, s)| self.slot_of(s))
            .map(|s| s.0)
            .collect();
        let mut kept: SmallVec<[MOperand; 5]> = SmallVec::new();
        let mut loads = Vec::new();
        let mut moves = Vec::new();
        for (dst, src) in pairs {
            match (self.slot_of(&dst), self.slot_of(&src)) {
                (None, None) => kept.extend([dst, src]),
                (None, Some((slot, first, count))) => {
                    if self.file_of(&dst) == self.file_of(&src) {
                        loads.push((dst, slot, first));
                    } else if let MOperand::VReg { reg, .. } = src {
                        let temp = self.temp(reg, count);
                        self.reload(temp, slot, first, span);
                        kept.extend([dst, temp]);
                    }
                }
                (Some((slot, first, count)), _) => {
                    let target = if sources.contains(&slot) {
                        self.own_slot(slot)
                    } else {
                        slot
                    };
                    let value = self.value_for_store(&dst, &src, count, span);
                    self.store(target, first, value, span);
                    if target != slot {
                        moves.push((target, slot, first, count, dst));
                    }
                }
            }
        }
        if !kept.is_empty() {
            self.out.push(MInst {
                operands: kept,
                ..inst.clone()
            });
        }
        for (dst, slot, first) in loads {
            self.reload(dst, slot, first, span);
        }
        for (from, to, first, count, dst) in moves {
            if let MOperand::VReg { reg, .. } = dst {
                let temp = self.temp(reg, count);
                self.reload(temp, from, first, span);
                self.store(to, first, temp, span);
            }
        }
    }

    /// A slot beside `slot`, for a new value while the old one is still needed.
    fn own_slot(&mut self, slot: Slot) -> Slot {
        let data = self.mf.slot(slot).clone();
        self.mf.slots.push(data);
        Slot(self.mf.slots.len() as u32 - 1)
    }

    /// The source of a copy in a register of the destination's file.
    fn value_for_store(
        &mut self,
        dst: &MOperand,
        src: &MOperand,
        count: u8,
        span: Span,
    ) -> MOperand {
        let MOperand::VReg { reg, .. } = *dst else {
            return *src;
        };
        let same = self.file_of(dst) == self.file_of(src);
        if let (Some((slot, first, n)), MOperand::VReg { reg: from, .. }) =
            (self.slot_of(src), *src)
        {
            let temp = self.temp(from, n);
            self.reload(temp, slot, first, span);
            if same {
                return temp;
            }
            let own = self.temp(reg, count);
            self.out.push(pseudo(Pseudo::Copy, &[own, temp], span));
            return own;
        }
        if same {
            return *src;
        }
        let temp = self.temp(reg, count);
        self.out.push(pseudo(Pseudo::Copy, &[temp, *src], span));
        temp
    }
}
