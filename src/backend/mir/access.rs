//! What an instruction reads and writes: the roles of its operands, from the table row or the pseudo.

use super::inst::{MInst, MOp, MOperand, VReg};
use crate::isa::amdgpu::Isa;
use crate::isa::{Reg, Role};

/// A read or written part of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Dwords of a virtual register.
    Virtual {
        /// Register.
        reg: VReg,
        /// First dword.
        first: u8,
        /// Dwords.
        count: u8,
    },
    /// A machine register.
    Phys(Reg),
}

/// The role of operand `n`; `Use` for operands that are no registers.
pub fn role(isa: &Isa, inst: &MInst, n: usize) -> Role {
    match inst.op {
        MOp::Pseudo(pseudo) => pseudo.role(n),
        MOp::Row(row, form) => isa
            .row(row)
            .operands(form)
            .get(n)
            .map_or(Role::Use, |s| s.role),
    }
}

/// The register part that an operand names.
pub fn part(operand: &MOperand) -> Option<Part> {
    match *operand {
        MOperand::VReg { reg, first, count } => Some(Part::Virtual { reg, first, count }),
        MOperand::Phys(reg) => Some(Part::Phys(reg)),
        MOperand::Inline(_)
        | MOperand::Literal(_)
        | MOperand::Imm(_)
        | MOperand::Off
        | MOperand::Block(_)
        | MOperand::SlotOffset(_) => None,
    }
}

/// All register parts of an instruction with their roles.
pub fn accesses<'i>(isa: &'i Isa, inst: &'i MInst) -> impl Iterator<Item = (Part, Role)> + 'i {
    let parts = inst.operands.iter().enumerate();
    parts.filter_map(move |(n, operand)| Some((part(operand)?, role(isa, inst, n))))
}

/// The parts read.
pub fn uses<'i>(isa: &'i Isa, inst: &'i MInst) -> impl Iterator<Item = Part> + 'i {
    accesses(isa, inst)
        .filter(|(_, r)| *r != Role::Def)
        .map(|(p, _)| p)
}

/// The parts written.
pub fn defs<'i>(isa: &'i Isa, inst: &'i MInst) -> impl Iterator<Item = Part> + 'i {
    accesses(isa, inst)
        .filter(|(_, r)| *r != Role::Use)
        .map(|(p, _)| p)
}
