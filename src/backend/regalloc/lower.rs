//! Copies, spills and reloads become instructions; slots get their homes.

use smallvec::SmallVec;

use super::color::Budget;
use super::live::is_lanewise;
use super::parallel_copy::{Source, Step, order};
use crate::backend::mir::{MFunction, MInst, MOp, MOperand, Pseudo, Slot};
use crate::diag::Span;
use crate::isa::amdgpu::op;
use crate::isa::{Form, Mods, Reg, RegFile, RowId};

/// Homes of the slots.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// By slot: byte offset in scratch, or number of the first lane.
    homes: Vec<u32>,
    /// Bytes of scratch.
    pub bytes: u32,
    /// Vector registers set aside for scalar slots.
    lane_regs: u16,
    /// Whether a scalar register is set aside for large offsets.
    far: bool,
    whole: (u16, u16),
}

const LANES: u32 = 64;

impl Frame {
    /// Lays out the slots of a function.
    pub fn compute(mf: &MFunction, budget: Budget) -> Frame {
        let mut frame = Frame {
            whole: (budget.vgprs, budget.sgprs),
            ..Frame::default()
        };
        let mut lanes = 0;
        for slot in &mf.slots {
            let dwords = u32::from(slot.dwords);
            let next = if is_lanewise(mf.vreg(slot.reg).file) {
                let at = frame.bytes;
                frame.bytes += dwords * 4;
                at
            } else {
                let at = lanes;
                lanes += dwords;
                at
            };
            frame.homes.push(next);
        }
        frame.lane_regs = lanes.div_ceil(LANES) as u16;
        frame.far = frame.bytes > super::MAX_OFFSET;
        frame
    }

    /// What is left of the budget for colouring.
    pub fn budget(&self) -> Budget {
        let (vgprs, sgprs) = self.whole;
        Budget {
            vgprs: vgprs.saturating_sub(self.lane_regs),
            sgprs: sgprs.saturating_sub(u16::from(self.far)),
        }
    }

    /// The register and lane of a dword of a scalar slot.
    fn lane(&self, slot: Slot, dword: u32) -> (Reg, u8) {
        let number = self.homes[slot.0 as usize] + dword;
        let reg = self.whole.0 - 1 - (number / LANES) as u16;
        (Reg::v(reg, 1), (number % LANES) as u8)
    }

    fn far_reg(&self) -> Reg {
        Reg::s(self.whole.1 - 1, 1)
    }
}

/// Lowers all pseudos of an allocated function and sets its frame size.
pub fn lower(mf: &mut MFunction, frame: &Frame) {
    mf.frame_bytes = frame.bytes;
    for n in 0..mf.blocks.len() {
        let insts = std::mem::take(&mut mf.blocks[n].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            lower_inst(mf, frame, inst, &mut out);
        }
        mf.blocks[n].insts = out;
    }
}

fn row(id: RowId, operands: &[MOperand], span: Span) -> MInst {
    MInst {
        op: MOp::Row(id, Form::Base),
        operands: SmallVec::from_slice(operands),
        mods: Mods::default(),
        span,
    }
}

fn lower_inst(mf: &MFunction, frame: &Frame, inst: MInst, out: &mut Vec<MInst>) {
    let MOp::Pseudo(pseudo) = inst.op else {
        out.push(inst);
        return;
    };
    match pseudo {
        Pseudo::Copy | Pseudo::ParallelCopy => lower_copies(&inst, out),
        Pseudo::ImplicitDef => {}
        Pseudo::Spill => {
            if let [
                MOperand::SlotOffset(slot),
                MOperand::Phys(reg),
                MOperand::Imm(first),
            ] = inst.operands[..]
            {
                access(mf, frame, slot, first as u32, reg, true, inst.span, out);
            }
        }
        Pseudo::Reload => {
            if let [
                MOperand::Phys(reg),
                MOperand::SlotOffset(slot),
                MOperand::Imm(first),
            ] = inst.operands[..]
            {
                access(mf, frame, slot, first as u32, reg, false, inst.span, out);
            }
        }
        // Divergence lowering replaced these.
        Pseudo::Br | Pseudo::BrScc | Pseudo::BrDivergent | Pseudo::End => {}
    }
}

const STORES: [RowId; 4] = [
    op::SCRATCH_STORE_DWORD,
    op::SCRATCH_STORE_DWORDX2,
    op::SCRATCH_STORE_DWORDX3,
    op::SCRATCH_STORE_DWORDX4,
];
const LOADS: [RowId; 4] = [
    op::SCRATCH_LOAD_DWORD,
    op::SCRATCH_LOAD_DWORDX2,
    op::SCRATCH_LOAD_DWORDX3,
    op::SCRATCH_LOAD_DWORDX4,
];

/// A load or store of a slot, at most four dwords an instruction.
#[allow(clippy::too_many_arguments)]
fn access(
    mf: &MFunction,
    frame: &Frame,
    slot: Slot,
    first: u32,
    reg: Reg,
    store: bool,
    span: Span,
    out: &mut Vec<MInst>,
) {
    let file = mf.vreg(mf.slot(slot).reg).file;
    if !is_lanewise(file) {
        for n in 0..reg.count {
            let (home, lane) = frame.lane(slot, first + u32::from(n));
            let (home, lane) = (MOperand::Phys(home), MOperand::Inline(128 + lane));
            let part = MOperand::Phys(reg.dword(n));
            out.push(if store {
                row(op::V_WRITELANE_B32, &[home, part, lane], span)
            } else {
                row(op::V_READLANE_B32, &[part, home, lane], span)
            });
        }
        return;
    }
    let mut done = 0u8;
    while done < reg.count {
        let count = (reg.count - done).min(4);
        let part = MOperand::Phys(Reg {
            file,
            index: reg.index + u16::from(done),
            count,
        });
        let offset = frame.homes[slot.0 as usize] + (first + u32::from(done)) * 4;
        let (base, offset) = if offset > super::MAX_OFFSET {
            let base = MOperand::Phys(frame.far_reg());
            out.push(row(op::S_MOV_B32, &[base, MOperand::Literal(offset)], span));
            (base, 0)
        } else {
            (MOperand::Off, offset)
        };
        let index = usize::from(count - 1);
        let mut inst = if store {
            row(STORES[index], &[MOperand::Off, part, base], span)
        } else {
            row(LOADS[index], &[part, MOperand::Off, base], span)
        };
        inst.mods.offset = offset as i32;
        out.push(inst);
        done += count;
    }
}

fn lower_copies(inst: &MInst, out: &mut Vec<MInst>) {
    let mut moves: Vec<(Reg, Source<MOperand>)> = Vec::new();
    for pair in inst.operands.chunks_exact(2) {
        let MOperand::Phys(dst) = pair[0] else {
            continue;
        };
        match pair[1] {
            MOperand::Phys(src) => {
                for n in 0..dst.count {
                    moves.push((dst.dword(n), Source::Reg(src.dword(n))));
                }
            }
            constant => wide_constant(dst, constant, &mut moves),
        }
    }
    for step in order(moves) {
        match step {
            Step::Move(dst, source) => {
                let (from, file) = match source {
                    Source::Reg(src) => (MOperand::Phys(src), src.file),
                    Source::Const(value) => (value, dst.file),
                };
                let id = match (dst.file, file) {
                    (RegFile::Sgpr, RegFile::Vgpr) => op::V_READFIRSTLANE_B32,
                    (RegFile::Sgpr, _) => op::S_MOV_B32,
                    (_, _) => op::V_MOV_B32,
                };
                out.push(row(id, &[MOperand::Phys(dst), from], inst.span));
            }
            Step::Swap(a, b) => swap(a, b, inst.span, out),
        }
    }
}

/// A constant for several dwords: inline integers extend by their sign, literals by zeros.
fn wide_constant(dst: Reg, constant: MOperand, moves: &mut Vec<(Reg, Source<MOperand>)>) {
    moves.push((dst.dword(0), Source::Const(constant)));
    let negative = matches!(constant, MOperand::Inline(193..=208));
    let rest = MOperand::Inline(if negative { 193 } else { 128 });
    for n in 1..dst.count {
        moves.push((dst.dword(n), Source::Const(rest)));
    }
}

/// Exchanges two dwords. The scalar form clobbers SCC, which is dead wherever a parallel copy stands:
/// at the ends of a block without a condition, and at its start.
fn swap(a: Reg, b: Reg, span: Span, out: &mut Vec<MInst>) {
    let (a, b) = (MOperand::Phys(a), MOperand::Phys(b));
    if matches!(a, MOperand::Phys(r) if r.file == RegFile::Vgpr) {
        out.push(row(op::V_SWAP_B32, &[a, b], span));
        return;
    }
    for (x, y) in [(a, b), (b, a), (a, b)] {
        out.push(row(op::S_XOR_B32, &[x, x, y], span));
    }
}
