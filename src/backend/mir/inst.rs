//! Machine instructions over virtual registers.
//!
//! An instruction is a row of the ISA table with operands in the row's text order, or a pseudo that
//! a later step replaces. Which operands are written and read is never said here: it is the row's
//! (`OperandSpec::role`), or [`Pseudo::roles`].

use smallvec::SmallVec;

use crate::diag::Span;
use crate::isa::{Form, Mods, Reg, RegFile, Role, RowId};

/// A virtual register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VReg(pub u32);

/// A machine block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MBlock(pub u32);

/// A spill slot of a lane (scratch), or of the wave for scalar values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u32);

macro_rules! display {
    ($($name:ident $prefix:literal)*) => {$(
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )*};
}

display! { VReg "%" MBlock "mb" Slot "slot" }

/// What is known of a virtual register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VRegData {
    /// Register file.
    pub file: RegFile,
    /// Dwords of the tuple.
    pub dwords: u8,
    /// The first register's number is a multiple of this.
    pub align: u8,
    /// Name of the source value, for spill reports.
    pub name: Option<String>,
    /// Where the source value was made.
    pub span: Span,
    /// Must stay in a register (reload temporaries, masks that spilling code needs).
    pub no_spill: bool,
}

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MOperand {
    /// `count` dwords of a virtual register from dword `first`.
    VReg {
        /// The register.
        reg: VReg,
        /// First dword used.
        first: u8,
        /// Dwords used.
        count: u8,
    },
    /// A machine register.
    Phys(Reg),
    /// An inline constant by source code.
    Inline(u8),
    /// A literal.
    Literal(u32),
    /// An immediate field.
    Imm(i64),
    /// Unused address.
    Off,
    /// A branch target.
    Block(MBlock),
    /// The byte offset of a spill slot, an immediate once slots are laid out.
    SlotOffset(Slot),
}

/// Instructions that do not exist in the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pseudo {
    /// Operands: dst, src. A copy of a whole tuple or a part of one, between files too (a scalar
    /// source to a vector destination broadcasts).
    Copy,
    /// Operands: d0, s0, d1, s1 …: all sources are read before any destination is written.
    ParallelCopy,
    /// Operand: dst. The register holds anything from here on; starts the live range of a tuple
    /// that is written in parts.
    ImplicitDef,
    /// Operand: target. Logical terminator: every lane goes there.
    Br,
    /// Operands: target if true, target if false. Logical terminator on SCC = 1, uniform.
    BrScc,
    /// Operands: mask (use), target where the lane's bit is 1, target where it is 0. Logical
    /// terminator, divergent.
    BrDivergent,
    /// Logical terminator: the lanes end.
    End,
    /// Operands: slot offset, value. Stores a register to its spill slot.
    Spill,
    /// Operands: value, slot offset. Loads it back.
    Reload,
}

impl Pseudo {
    /// The role of operand `n`.
    pub fn role(self, n: usize) -> Role {
        match self {
            Pseudo::Copy => [Role::Def, Role::Use][n.min(1)],
            Pseudo::ParallelCopy => [Role::Def, Role::Use][n % 2],
            Pseudo::ImplicitDef => Role::Def,
            Pseudo::Reload => [Role::Def, Role::Use][n.min(1)],
            Pseudo::Br | Pseudo::BrScc | Pseudo::BrDivergent | Pseudo::End | Pseudo::Spill => {
                Role::Use
            }
        }
    }
}

/// A machine operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MOp {
    /// A row of the ISA table in one of its encodings.
    Row(RowId, Form),
    /// A pseudo.
    Pseudo(Pseudo),
}

/// A machine instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MInst {
    /// Operation.
    pub op: MOp,
    /// Operands in the row's text order. Literal and label operands included.
    pub operands: SmallVec<[MOperand; 5]>,
    /// Modifiers.
    pub mods: Mods,
    /// Source place.
    pub span: Span,
}
