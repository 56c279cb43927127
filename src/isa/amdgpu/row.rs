//! What a table row says, and the macro that turns a line into a row and a constant.

use crate::isa::desc::{OperandSpec, Semantics};

/// A chip whose machine code the table can describe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Chip {
    Gfx900,
    Gfx90a,
    Gfx942,
    Gfx1030,
    Gfx1100,
}

impl Chip {
    /// All chips, in column order.
    pub const ALL: [Chip; 5] = [
        Chip::Gfx900,
        Chip::Gfx90a,
        Chip::Gfx942,
        Chip::Gfx1030,
        Chip::Gfx1100,
    ];

    /// The target name, `gfx942`.
    pub fn name(self) -> &'static str {
        match self {
            Chip::Gfx900 => "gfx900",
            Chip::Gfx90a => "gfx90a",
            Chip::Gfx942 => "gfx942",
            Chip::Gfx1030 => "gfx1030",
            Chip::Gfx1100 => "gfx1100",
        }
    }

    /// Whether it is of the GFX9 generation.
    pub fn is_gfx9(self) -> bool {
        match self {
            Chip::Gfx900 | Chip::Gfx90a | Chip::Gfx942 => true,
            Chip::Gfx1030 | Chip::Gfx1100 => false,
        }
    }

    /// Whether vector register tuples must start at an even number.
    pub fn aligns_vgprs(self) -> bool {
        match self {
            Chip::Gfx90a | Chip::Gfx942 => true,
            Chip::Gfx900 | Chip::Gfx1030 | Chip::Gfx1100 => false,
        }
    }
}

/// The opcode columns: one a chip; an absent one means that the chip lacks the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opcodes([Option<u16>; 5]);

impl Opcodes {
    /// On no chip.
    pub const NONE: Opcodes = Opcodes([None; 5]);

    const fn with(self, chip: Chip, op: u16) -> Opcodes {
        let mut columns = self.0;
        columns[chip as usize] = Some(op);
        Opcodes(columns)
    }

    /// The opcode on GFX9 chips.
    pub const fn gfx9(self, op: u16) -> Opcodes {
        self.gfx900(op).gfx90a(op).gfx942(op)
    }

    /// The opcode on gfx900.
    pub const fn gfx900(self, op: u16) -> Opcodes {
        self.with(Chip::Gfx900, op)
    }

    /// The opcode on gfx90a.
    pub const fn gfx90a(self, op: u16) -> Opcodes {
        self.with(Chip::Gfx90a, op)
    }

    /// The opcode on gfx942.
    pub const fn gfx942(self, op: u16) -> Opcodes {
        self.with(Chip::Gfx942, op)
    }

    /// The opcode on gfx1030.
    pub const fn gfx1030(self, op: u16) -> Opcodes {
        self.with(Chip::Gfx1030, op)
    }

    /// The opcode on gfx1100.
    pub const fn gfx1100(self, op: u16) -> Opcodes {
        self.with(Chip::Gfx1100, op)
    }

    /// The column of `chip`.
    pub fn get(self, chip: Chip) -> Option<u16> {
        self.0[chip as usize]
    }
}

/// The row's own encoding. The bit layouts are in `format.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, clippy::upper_case_acronyms)]
pub enum Encoding {
    SOP1,
    SOP2,
    SOPK,
    /// SOPK with a literal behind it (`s_setreg_imm32_b32`).
    SOPKL,
    SOPC,
    SOPP,
    SMEM,
    VOP1,
    VOP2,
    /// VOP2 with a literal that is always there (`v_fmamk_f32`).
    VOP2K,
    VOPC,
    VOP3,
    VOP3B,
    VOP3P,
    DS,
    FLAT,
    GLOBAL,
    SCRATCH,
    MUBUF,
}

/// Which modifiers a row takes and which further encodings it has. A set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Attrs(pub u32);

impl Attrs {
    /// Nothing.
    pub const NONE: Attrs = Attrs(0);
    /// `-v1`: sources can be negated (VOP3, SDWA, DPP).
    pub const NEG: Attrs = Attrs(1);
    /// `|v1|`.
    pub const ABS: Attrs = Attrs(1 << 1);
    /// `clamp`.
    pub const CLAMP: Attrs = Attrs(1 << 2);
    /// `mul:2`, `mul:4`, `div:2`.
    pub const OMOD: Attrs = Attrs(1 << 3);
    /// `op_sel:[…]`.
    pub const OP_SEL: Attrs = Attrs(1 << 4);
    /// `op_sel_hi:[…]`, all ones unless written.
    pub const OP_SEL_HI: Attrs = Attrs(1 << 5);
    /// `neg_lo:[…]` and `neg_hi:[…]` of packed instructions.
    pub const NEG_LO_HI: Attrs = Attrs(1 << 6);
    /// Cache bits: `sc0 nt sc1`.
    pub const CACHE: Attrs = Attrs(1 << 7);
    /// `offset:N`.
    pub const OFFSET: Attrs = Attrs(1 << 8);
    /// `offset0:N offset1:N`.
    pub const OFFSETS: Attrs = Attrs(1 << 9);
    /// `gds`.
    pub const GDS: Attrs = Attrs(1 << 10);
    /// Has a VOP3 form.
    pub const E64: Attrs = Attrs(1 << 11);
    /// Has an SDWA form.
    pub const SDWA: Attrs = Attrs(1 << 12);
    /// Has a DPP form.
    pub const DPP: Attrs = Attrs(1 << 13);
    /// Has a form with a scalar base.
    pub const SADDR: Attrs = Attrs(1 << 14);
    /// An atomic: has forms that return the old value.
    pub const RTN: Attrs = Attrs(1 << 15);
    /// SDWA takes `sext(v1)`.
    pub const SEXT: Attrs = Attrs(1 << 16);
    /// 64-bit data: DPP has only `row_newbcast`.
    pub const DPP64: Attrs = Attrs(1 << 17);
    /// op_sel_hi selects between f32 (0, the default) and f16 (`v_fma_mix`).
    pub const MIX: Attrs = Attrs(1 << 18);

    /// Prints `_e32` although there is no other form.
    pub const E32_SUFFIX: Attrs = Attrs(1 << 20);
    /// The offset is a lane pattern (`ds_swizzle_b32`).
    pub const SWIZZLE: Attrs = Attrs(1 << 19);

    /// Both sets.
    pub const fn or(self, other: Attrs) -> Attrs {
        Attrs(self.0 | other.0)
    }

    /// Whether all of `other` is in the set.
    pub const fn has(self, other: Attrs) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct RowDesc {
    /// Mnemonic without encoding suffix.
    pub name: &'static str,
    /// Own encoding.
    pub encoding: Encoding,
    /// Opcode columns.
    pub opcodes: Opcodes,
    /// Operands of the own encoding in text order.
    pub operands: &'static [OperandSpec],
    /// Modifiers and further encodings.
    pub attrs: Attrs,
    /// Meaning.
    pub semantics: Semantics,
}

/// The ASCII lower case of `text`.
pub(super) const fn lower<const N: usize>(text: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    let mut i = 0;
    while i < N {
        out[i] = text[i].to_ascii_lowercase();
        i += 1;
    }
    out
}

/// A group of rows. A line reads
/// `V_ADD_F32 VOP2 [gfx9 0x01] (vdst(F32), src0(F32), vsrc1(F32)) FLOAT, valu(FAdd(F32));`
/// name, encoding, opcode columns, operands, modifiers and forms, class and meaning. The group's row
/// numbers begin at `from`.
macro_rules! rows {
    (from $base:expr; $($id:ident $enc:ident [$($col:ident $op:literal)+] ($($operand:expr),*) $attrs:expr, $sem:expr;)*) => {
        /// Row constants of the group.
        pub mod ids {
            use crate::isa::inst::RowId;
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            enum Index { $($id),* }
            $(#[doc = concat!("`", stringify!($id), "`")]
            pub const $id: RowId = RowId(super::BASE + Index::$id as u16);)*
        }

        /// Number of the first row.
        const BASE: u16 = $base;
        /// Number behind the last row.
        pub(super) const END: u16 = BASE + ROWS.len() as u16;

        /// The rows.
        pub(super) const ROWS: &[$crate::isa::amdgpu::row::RowDesc] = &[$($crate::isa::amdgpu::row::RowDesc {
            name: {
                const UPPER: &str = stringify!($id);
                const LOWER: [u8; UPPER.len()] = $crate::isa::amdgpu::row::lower(UPPER.as_bytes());
                match std::str::from_utf8(&LOWER) {
                    Ok(name) => name,
                    Err(_) => UPPER,
                }
            },
            encoding: $crate::isa::amdgpu::row::Encoding::$enc,
            opcodes: $crate::isa::amdgpu::row::Opcodes::NONE$(.$col($op))+,
            operands: &[$($operand),*],
            attrs: $attrs,
            semantics: $sem,
        }),*];
    };
}
pub(super) use rows;
