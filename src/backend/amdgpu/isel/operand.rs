//! Operands of selection: a constant, a virtual register or a part of one, or a machine register.

use crate::backend::mir::{MOperand, VReg};
use crate::isa::{Reg, RegFile};

/// Where a value lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Bank {
    /// One value for the wave, in scalar registers.
    S,
    /// One value for each lane, in vector registers.
    V,
}

/// An operand. A constant has no width of its own: the instruction's operand gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Opd {
    /// Bits, zero-extended.
    Const(u64),
    /// `count` dwords of a virtual register.
    Reg {
        reg: VReg,
        first: u8,
        count: u8,
        bank: Bank,
    },
    /// A machine register.
    Phys(Reg),
}

impl Opd {
    /// Dword `n` of it.
    pub fn dword(self, n: u8) -> Opd {
        match self {
            Opd::Const(bits) => Opd::Const(bits.unbounded_shr(32 * u32::from(n)) & 0xffff_ffff),
            Opd::Reg {
                reg, first, bank, ..
            } => Opd::Reg {
                reg,
                first: first + n,
                count: 1,
                bank,
            },
            Opd::Phys(reg) => Opd::Phys(reg.dword(n)),
        }
    }

    /// The low dword.
    pub fn lo(self) -> Opd {
        self.dword(0)
    }

    /// The high dword of a pair.
    pub fn hi(self) -> Opd {
        self.dword(1)
    }

    /// Whether it is in vector registers.
    pub fn is_vector(self) -> bool {
        match self {
            Opd::Const(_) => false,
            Opd::Reg { bank, .. } => bank == Bank::V,
            Opd::Phys(reg) => matches!(reg.file, RegFile::Vgpr | RegFile::Agpr),
        }
    }

    /// Whether it is in scalar registers.
    pub fn is_scalar(self) -> bool {
        !self.is_const() && !self.is_vector()
    }

    /// Whether it is a constant.
    pub fn is_const(self) -> bool {
        matches!(self, Opd::Const(_))
    }

    /// The register operand; `None` for constants, which depend on the instruction.
    pub fn register(self) -> Option<MOperand> {
        match self {
            Opd::Const(_) => None,
            Opd::Reg {
                reg, first, count, ..
            } => Some(MOperand::VReg { reg, first, count }),
            Opd::Phys(reg) => Some(MOperand::Phys(reg)),
        }
    }
}
