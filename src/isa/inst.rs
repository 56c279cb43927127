//! A decoded machine instruction: row, encoding and operand values. The encoder takes it, the
//! decoder gives it, the assembler parses text into it, the printer prints it, the machine runs it.

use smallvec::SmallVec;

use super::desc::Reg;

/// An operand value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A register.
    Reg(Reg),
    /// An inline constant by its source code (AMD 128..=208, 235..=239, 240..=248, 251..=253).
    Inline(u8),
    /// A 32-bit literal behind the instruction.
    Literal(u32),
    /// An immediate field: offset, count, counters, branch distance in bytes from the next
    /// instruction.
    Imm(i64),
    /// `off`: the address operand is not used.
    Off,
}

/// Source modifiers and output modifiers of one instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mods {
    /// Negate source n (bit n), `-v1`; VOP3P: neg_lo.
    pub neg: u8,
    /// Absolute value of source n (bit n), `|v1|`; VOP3P: neg_hi.
    pub abs: u8,
    /// op_sel bits (source 0, 1, 2, destination).
    pub op_sel: u8,
    /// op_sel_hi bits.
    pub op_sel_hi: u8,
    /// Output modifier: 0 none, 1 *2, 2 *4, 3 /2.
    pub omod: u8,
    /// Clamp (floats) or saturate (integers).
    pub clamp: bool,
    /// Memory: first cache bit (glc, sc0).
    pub sc0: bool,
    /// Memory: second (slc, nt).
    pub nt: bool,
    /// Memory: third (dlc, sc1).
    pub sc1: bool,
    /// Memory: byte offset (`offset:16`), or offset0 | offset1 << 8 of two-address LDS operations.
    pub offset: i32,
    /// Buffer: offen, idxen, lds.
    pub buf: u8,
    /// Global data share.
    pub gds: bool,
    /// The SDWA or DPP extension.
    pub ext: Ext,
}

/// Extension word of a vector instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ext {
    /// None.
    #[default]
    None,
    /// Sub-dword addressing (GFX9, GFX10). Selectors: 0..=3 byte, 4, 5 word, 6 dword.
    Sdwa {
        /// Destination selector.
        dst_sel: u8,
        /// 0 pad with zeros, 1 sign-extend, 2 preserve.
        dst_unused: u8,
        /// Source selectors.
        src_sel: [u8; 2],
        /// Sign extension of source n.
        sext: u8,
    },
    /// Data-parallel primitive: lane permutation of source 0.
    Dpp {
        /// The 9-bit control.
        ctrl: u16,
        /// Row mask.
        row_mask: u8,
        /// Bank mask.
        bank_mask: u8,
        /// Invalid lanes read 0.
        bound_ctrl: bool,
        /// Fetch inactive lanes.
        fi: bool,
    },
    /// Eight-lane selector (GFX10+).
    Dpp8 {
        /// Eight 3-bit selectors, lane 0 lowest.
        sel: u32,
        /// Fetch inactive lanes.
        fi: bool,
    },
}

/// Index of a row in its ISA's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowId(pub u16);

/// Which of a row's encodings is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Form {
    /// The row's own format (VOP2 `_e32`, SOP2, …).
    #[default]
    Base,
    /// The 64-bit VOP3 form (`_e64`) of a row whose own format is VOP1, VOP2 or VOPC.
    E64,
    /// With an SDWA word.
    Sdwa,
    /// With a DPP word.
    Dpp,
    /// Global memory with a scalar base and a 32-bit vector offset.
    Saddr,
    /// An atomic that returns the old value.
    Rtn,
    /// Both.
    RtnSaddr,
}

/// A machine instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MachineInst {
    /// Row.
    pub row: RowId,
    /// Encoding.
    pub form: Form,
    /// One value for each operand of the row in the form used, in text order.
    pub operands: SmallVec<[Operand; 5]>,
    /// Modifiers.
    pub mods: Mods,
}
