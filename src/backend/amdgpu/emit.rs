//! From final machine IR to bytes, listing and line table.
//!
//! Branches have one size, so one pass over the blocks gives all addresses, and a second one fills
//! in the distances.

use std::collections::{HashMap, HashSet};

use crate::backend::codegen::{AsmLine, LineRow};
use crate::backend::mir::{MBlock, MFunction, MInst, MOp, MOperand};
use crate::backend::pipeline::{Bug, CompileError};
use crate::diag::{Code, Diagnostic, Sink, Span};
use crate::isa::amdgpu::{Isa, op};
use crate::isa::{Accepts, Form, MachineInst, Mods, Operand};

/// A kernel's code.
#[derive(Debug, Default)]
pub(super) struct Emitted {
    pub code: Vec<u8>,
    pub asm: Vec<AsmLine>,
    pub lines: Vec<LineRow>,
}

/// The word of `s_nop 0`, which fills what no wave reaches.
pub(super) fn filler(isa: &Isa) -> u32 {
    let nop = MachineInst {
        row: op::S_NOP,
        form: Form::Base,
        operands: [Operand::Imm(0)].into_iter().collect(),
        mods: Mods::default(),
    };
    let words = isa.encode(&nop);
    words.ok().and_then(|w| w.first().copied()).unwrap_or(0)
}

/// A branch reaches this many dwords in either direction.
const BRANCH_REACH: i64 = 1 << 15;

/// Encodes a function of stage `Final`. A kernel so large that a branch cannot reach its target is
/// reported to `sink`.
pub(super) fn emit(mf: &MFunction, isa: &Isa, sink: &mut Sink) -> Result<Emitted, CompileError> {
    let mut emitter = Emitter {
        mf,
        isa,
        starts: HashMap::new(),
        targets: HashSet::new(),
        out: Emitted::default(),
    };
    emitter.targets = emitter.branch_targets();
    emitter.place_blocks()?;
    if let Some(span) = emitter.too_far()? {
        let message = format!(
            "kernel {} is too large: a branch cannot reach its target",
            mf.name
        );
        sink.push(Diagnostic::new(Code::K0403, message).at(span, "this branch"));
        return Err(CompileError::Rejected);
    }
    for block in &mf.layout {
        emitter.emit_block(*block)?;
    }
    Ok(emitter.out)
}

struct Emitter<'a> {
    mf: &'a MFunction,
    isa: &'a Isa,
    /// Address of each block.
    starts: HashMap<MBlock, i64>,
    /// Blocks that need a label.
    targets: HashSet<MBlock>,
    out: Emitted,
}

impl Emitter<'_> {
    fn bug(&self, inst: &MInst, message: &str) -> Bug {
        Bug {
            step: "emit",
            kernel: self.mf.name.clone(),
            message: format!("{message}: {inst:?}"),
        }
    }

    /// The blocks that need a label.
    fn branch_targets(&self) -> HashSet<MBlock> {
        let insts = self.mf.layout.iter().flat_map(|b| &self.mf.block(*b).insts);
        insts.filter_map(|i| self.label_operand(i)).collect()
    }

    fn place_blocks(&mut self) -> Result<(), Bug> {
        let mut address = 0;
        for block in &self.mf.layout {
            self.starts.insert(*block, address);
            for inst in &self.mf.block(*block).insts {
                address += self.encode(inst, None)?.1.len() as i64;
            }
        }
        Ok(())
    }

    /// The place of the first branch whose target is out of reach.
    fn too_far(&self) -> Result<Option<Span>, Bug> {
        for block in &self.mf.layout {
            let mut address = self.starts[block];
            for inst in &self.mf.block(*block).insts {
                if let Some(target) = self.label_operand(inst) {
                    let distance = self.distance(inst, Some(address), target)?;
                    if !(-BRANCH_REACH..BRANCH_REACH).contains(&(distance / 4)) {
                        return Ok(Some(inst.span));
                    }
                }
                address += self.encode(inst, None)?.1.len() as i64;
            }
        }
        Ok(None)
    }

    fn emit_block(&mut self, block: MBlock) -> Result<(), Bug> {
        if self.targets.contains(&block) {
            self.out.asm.push(AsmLine::Label(self.label(block)));
        }
        for inst in &self.mf.block(block).insts {
            let offset = self.out.code.len() as u32;
            let (machine, bytes) = self.encode(inst, Some(i64::from(offset)))?;
            let text = match self.label_operand(inst) {
                Some(target) => {
                    let name = self.isa.row(machine.row).name();
                    format!("{name} {}", self.label(target))
                }
                None => self.isa.print(&machine, None),
            };
            self.add_line(offset, inst.span);
            self.out.asm.push(AsmLine::Inst {
                text,
                offset,
                span: inst.span,
            });
            self.out.code.extend(bytes);
        }
        Ok(())
    }

    fn add_line(&mut self, offset: u32, span: Span) {
        if self.out.lines.last().is_none_or(|row| row.span != span) {
            self.out.lines.push(LineRow { offset, span });
        }
    }

    fn label(&self, block: MBlock) -> String {
        format!(".L{}_{}", self.mf.name, block.0)
    }

    fn label_operand(&self, inst: &MInst) -> Option<MBlock> {
        inst.operands.iter().find_map(|o| match o {
            MOperand::Block(block) => Some(*block),
            _ => None,
        })
    }

    /// The machine instruction and its bytes. Without an address, branches get distance 0.
    fn encode(&self, inst: &MInst, address: Option<i64>) -> Result<(MachineInst, Vec<u8>), Bug> {
        let MOp::Row(row, form) = inst.op else {
            return Err(self.bug(inst, "a pseudo is left"));
        };
        let specs = self.isa.row(row).operands(form);
        if specs.len() != inst.operands.len() {
            return Err(self.bug(inst, "wrong number of operands"));
        }
        let mut machine = MachineInst {
            row,
            form,
            operands: Default::default(),
            mods: inst.mods,
        };
        for (operand, spec) in inst.operands.iter().zip(specs) {
            machine.operands.push(match *operand {
                MOperand::Phys(reg) => Operand::Reg(reg),
                MOperand::Inline(code) => Operand::Inline(code),
                MOperand::Literal(bits) => Operand::Literal(bits),
                MOperand::Imm(value) => Operand::Imm(value),
                MOperand::Off => Operand::Off,
                MOperand::Block(target) if spec.accepts == Accepts::Label => {
                    Operand::Imm(self.distance(inst, address, target)?)
                }
                MOperand::Block(_) => return Err(self.bug(inst, "a block is no operand here")),
                MOperand::VReg { .. } | MOperand::SlotOffset(_) => {
                    return Err(self.bug(inst, "an operand is not allocated"));
                }
            });
        }
        match self.isa.encode(&machine) {
            Ok(words) => Ok((
                machine,
                words.iter().flat_map(|w| w.to_le_bytes()).collect(),
            )),
            Err(error) => Err(self.bug(inst, &error.to_string())),
        }
    }

    fn distance(&self, inst: &MInst, from: Option<i64>, target: MBlock) -> Result<i64, Bug> {
        let Some(from) = from else { return Ok(0) };
        let Some(to) = self.starts.get(&target) else {
            return Err(self.bug(inst, "the target is not in the layout"));
        };
        Ok(to - (from + 4))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::amdgpu::desc::GFX942;
    use crate::backend::mir::Stage;
    use crate::isa::amdgpu::isa;
    use crate::isa::{Reg, RowId};

    fn inst(row: RowId, operands: &[MOperand]) -> MInst {
        MInst {
            op: MOp::Row(row, Form::Base),
            operands: operands.into(),
            mods: Mods::default(),
            span: Span::NONE,
        }
    }

    /// `count` moves between a branch forward and a branch back.
    fn loop_of(count: usize) -> MFunction {
        let mut mf = MFunction {
            name: "k".into(),
            stage: Stage::Final,
            ..MFunction::default()
        };
        let (top, end) = (mf.add_block(None), mf.add_block(None));
        let s0 = MOperand::Phys(Reg::s(0, 1));
        let body = &mut mf.block_mut(top).insts;
        body.push(inst(op::S_CBRANCH_SCC0, &[MOperand::Block(end)]));
        for _ in 0..count {
            body.push(inst(op::S_MOV_B32, &[s0, MOperand::Literal(0x1234_5678)]));
        }
        body.push(inst(op::S_BRANCH, &[MOperand::Block(top)]));
        mf.block_mut(end)
            .insts
            .push(inst(op::S_ENDPGM, &[MOperand::Imm(0)]));
        mf
    }

    #[test]
    fn branches_get_labels_and_distances() {
        let isa = isa(GFX942.chip).unwrap();
        let out = emit(&loop_of(1), isa, &mut Sink::new()).unwrap();
        let words: Vec<_> = out.code.chunks(4).map(|w| w.to_vec()).collect();
        // Forward over two words of the move and the branch; back over all four.
        assert_eq!(words[0][..2], [3, 0]);
        assert_eq!(words[3][..2], (-4i16).to_le_bytes());
        let texts: Vec<_> = out
            .asm
            .iter()
            .map(|l| match l {
                AsmLine::Label(label) => format!("{label}:"),
                AsmLine::Inst { text, .. } => text.clone(),
            })
            .collect();
        assert_eq!(
            texts,
            [
                ".Lk_0:",
                "s_cbranch_scc0 .Lk_1",
                "s_mov_b32 s0, 0x12345678",
                "s_branch .Lk_0",
                ".Lk_1:",
                "s_endpgm"
            ]
        );
    }

    #[test]
    fn branches_out_of_reach_are_reported() {
        let isa = isa(GFX942.chip).unwrap();
        let mut sink = Sink::new();
        let far = emit(&loop_of(1 << 14), isa, &mut sink);
        assert_eq!(far.err(), Some(CompileError::Rejected));
        assert_eq!(sink.take()[0].code, Code::K0403);
        assert!(emit(&loop_of((1 << 14) - 2), isa, &mut sink).is_ok());
    }

    #[test]
    fn what_earlier_steps_left_is_a_bug() {
        let isa = isa(GFX942.chip).unwrap();
        let mut mf = loop_of(1);
        let top = mf.layout[0];
        mf.block_mut(top).insts[1].operands[0] = MOperand::Imm(0);
        assert!(matches!(
            emit(&mf, isa, &mut Sink::new()),
            Err(CompileError::Bug(_))
        ));
    }
}
