//! Text of machine functions, for `--print-after`, errors and snapshots.

use std::fmt::Write as _;

use super::func::MFunction;
use super::inst::{MInst, MOp, MOperand, Pseudo};
use crate::isa::amdgpu::Isa;
use crate::isa::{Reg, RegFile};

/// A machine register as the assembler spells it.
pub fn print_reg(reg: Reg) -> String {
    let letter = match reg.file {
        RegFile::Sgpr => match (reg.index, reg.count) {
            (106, 2) => return "vcc".to_string(),
            (126, 2) => return "exec".to_string(),
            (124, 1) => return "m0".to_string(),
            _ => "s",
        },
        RegFile::Vgpr => "v",
        RegFile::Agpr => "a",
        RegFile::Scc => return "scc".to_string(),
    };
    if reg.count == 1 {
        format!("{letter}{}", reg.index)
    } else {
        format!(
            "{letter}[{}:{}]",
            reg.index,
            reg.index + u16::from(reg.count) - 1
        )
    }
}

fn print_operand(mf: &MFunction, operand: &MOperand) -> String {
    match *operand {
        MOperand::VReg { reg, first, count } => {
            let data = mf.vregs.get(reg.0 as usize);
            let letter = match data.map(|d| d.file) {
                Some(RegFile::Sgpr) => "s",
                Some(RegFile::Agpr) => "a",
                _ => "v",
            };
            let whole = data.is_some_and(|d| first == 0 && count == d.dwords);
            let part = if whole {
                String::new()
            } else {
                format!(".{first}+{count}")
            };
            format!("{reg}:{letter}{part}")
        }
        MOperand::Phys(reg) => print_reg(reg),
        MOperand::Inline(code) => format!("#{code}"),
        MOperand::Literal(bits) => format!("{bits:#x}"),
        MOperand::Imm(value) => value.to_string(),
        MOperand::Off => "off".to_string(),
        MOperand::Block(block) => block.to_string(),
        MOperand::SlotOffset(slot) => slot.to_string(),
    }
}

/// An instruction.
pub fn print_inst(mf: &MFunction, isa: &Isa, inst: &MInst) -> String {
    let name = match inst.op {
        MOp::Row(row, _) => isa.row(row).name(),
        MOp::Pseudo(pseudo) => match pseudo {
            Pseudo::Copy => "COPY",
            Pseudo::ParallelCopy => "PARALLEL_COPY",
            Pseudo::ImplicitDef => "IMPLICIT_DEF",
            Pseudo::Br => "BR",
            Pseudo::BrScc => "BR_SCC",
            Pseudo::BrDivergent => "BR_DIVERGENT",
            Pseudo::End => "END",
            Pseudo::Spill => "SPILL",
            Pseudo::Reload => "RELOAD",
        },
    };
    let operands: Vec<String> = inst.operands.iter().map(|o| print_operand(mf, o)).collect();
    let mut text = format!("{name} {}", operands.join(", "));
    if inst.mods.offset != 0 {
        let _ = write!(text, " offset:{}", inst.mods.offset);
    }
    text.trim_end().to_string()
}

/// A whole function.
pub fn print(mf: &MFunction, isa: &Isa) -> String {
    let mut out = format!("function {} ({:?})\n", mf.name, mf.stage);
    for &block in &mf.layout {
        let data = mf.block(block);
        let list = |blocks: &[super::inst::MBlock]| {
            blocks
                .iter()
                .map(|b| b.to_string())
                .collect::<Vec<_>>()
                .join(" ")
        };
        // Writing to a string cannot fail.
        let _ = write!(out, "{block}:");
        if let Some(name) = &data.name {
            let _ = write!(out, " ; {name}");
        }
        let _ = writeln!(
            out,
            "  lanes -> [{}]  wave -> [{}]",
            list(&data.logical_succs),
            list(&data.linear_succs)
        );
        for inst in &data.insts {
            let _ = writeln!(out, "    {}", print_inst(mf, isa, inst));
        }
    }
    out
}
