//! From final machine IR to bytes, listing and line table.
//!
//! Branches have one size, so one pass over the blocks gives all addresses, and a second one fills
//! in the distances.

use std::collections::HashMap;

use crate::backend::codegen::{AsmLine, LineRow};
use crate::backend::mir::{MBlock, MFunction, MInst, MOp, MOperand};
use crate::backend::pipeline::{Bug, CompileError};
use crate::diag::{Code, Diagnostic, Sink, Span};
use crate::isa::amdgpu::Isa;
use crate::isa::{Accepts, MachineInst, Operand};

/// A kernel's code.
#[derive(Debug, Default)]
pub(super) struct Emitted {
    pub code: Vec<u8>,
    pub asm: Vec<AsmLine>,
    pub lines: Vec<LineRow>,
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
        targets: branch_targets(mf),
        out: Emitted::default(),
    };
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
    targets: Vec<MBlock>,
    out: Emitted,
}

fn branch_targets(mf: &MFunction) -> Vec<MBlock> {
    let insts = mf.layout.iter().flat_map(|b| &mf.block(*b).insts);
    insts
        .flat_map(|i| &i.operands)
        .filter_map(|o| match o {
            MOperand::Block(block) => Some(*block),
            _ => None,
        })
        .collect()
}

impl Emitter<'_> {
    fn bug(&self, inst: &MInst, message: &str) -> Bug {
        Bug {
            step: "emit",
            kernel: self.mf.name.clone(),
            message: format!("{message}: {inst:?}"),
        }
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
