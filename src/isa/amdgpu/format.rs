//! The bit layouts: fixed bits and named fields of every encoding.

use crate::isa::bits::Bits;
use crate::isa::desc::Accepts;
use crate::isa::inst::Form;

use super::row::{Encoding, RowDesc};

/// A bit layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Format {
    Sop1,
    Sop2,
    Sopk,
    SopkLiteral,
    Sopc,
    Sopp,
    Smem,
    Vop1,
    Vop2,
    Vop2Literal,
    Vopc,
    Vop3,
    Vop3b,
    Vop3p,
    Vop1Sdwa,
    Vop2Sdwa,
    VopcSdwa,
    Vop1Dpp,
    Vop2Dpp,
    Ds,
    Flat,
    Global,
    Scratch,
    Mubuf,
}

impl Format {
    /// The layout of `desc` in encoding `form`, if there is such an encoding.
    pub(super) fn of(desc: &RowDesc, form: Form) -> Option<Format> {
        let vop3b = desc
            .operands
            .iter()
            .any(|s| s.accepts == Accepts::Vcc && s.arg == 1);
        Some(match (desc.encoding, form) {
            (Encoding::SOP1, Form::Base) => Format::Sop1,
            (Encoding::SOP2, Form::Base) => Format::Sop2,
            (Encoding::SOPK, Form::Base) => Format::Sopk,
            (Encoding::SOPKL, Form::Base) => Format::SopkLiteral,
            (Encoding::SOPC, Form::Base) => Format::Sopc,
            (Encoding::SOPP, Form::Base) => Format::Sopp,
            (Encoding::SMEM, Form::Base) => Format::Smem,
            (Encoding::VOP1, Form::Base) => Format::Vop1,
            (Encoding::VOP2, Form::Base) => Format::Vop2,
            (Encoding::VOP2K, Form::Base) => Format::Vop2Literal,
            (Encoding::VOPC, Form::Base) => Format::Vopc,
            (Encoding::VOP1 | Encoding::VOP2 | Encoding::VOPC, Form::E64) if vop3b => Format::Vop3b,
            (Encoding::VOP1 | Encoding::VOP2 | Encoding::VOPC, Form::E64) => Format::Vop3,
            (Encoding::VOP1, Form::Sdwa) => Format::Vop1Sdwa,
            (Encoding::VOP2, Form::Sdwa) => Format::Vop2Sdwa,
            (Encoding::VOPC, Form::Sdwa) => Format::VopcSdwa,
            (Encoding::VOP1, Form::Dpp) => Format::Vop1Dpp,
            (Encoding::VOP2, Form::Dpp) => Format::Vop2Dpp,
            (Encoding::VOP3, Form::Base) => Format::Vop3,
            (Encoding::VOP3B, Form::Base) => Format::Vop3b,
            (Encoding::VOP3P, Form::Base) => Format::Vop3p,
            (Encoding::DS, Form::Base) => Format::Ds,
            (Encoding::FLAT, Form::Base | Form::Rtn) => Format::Flat,
            (Encoding::GLOBAL, Form::Base | Form::Rtn | Form::Saddr | Form::RtnSaddr) => {
                Format::Global
            }
            (Encoding::SCRATCH, Form::Base) => Format::Scratch,
            (Encoding::MUBUF, Form::Base) => Format::Mubuf,
            _ => return None,
        })
    }
}

/// What a field holds and how a value is stored in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An 8-bit register number; the operand says which file.
    Reg8,
    /// An 8-bit vector register number; the bit says accumulation register.
    Reg8Acc(Bits),
    /// A 9-bit source: scalar codes, constants, vector registers from 256.
    Src9,
    /// The vector register or, with the bit set, the scalar code of an SDWA source.
    SdwaSrc(Bits),
    /// The scalar destination of an SDWA comparison; VCC while the bit is clear.
    SdwaDst(Bits),
    /// A scalar code, 7 or 8 bits.
    Scalar,
    /// A scalar base register in units of two dwords.
    ScalarPair,
    /// A scalar base register, or 0x7f for `off`.
    ScalarOrOff,
    /// A vector address; the bit says that there is one.
    VaddrOrOff(Bits),
    /// Immediate of 16 bits.
    Simm16,
    /// The offset group of a scalar memory instruction on GFX9.
    SmemOffset,
    /// Bits of a modifier, from bit `1` of it up.
    Mod(Part, u8),
}

/// A modifier as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Part {
    Neg,
    Abs,
    OpSel,
    OpSelHi,
    Omod,
    Clamp,
    Sc0,
    Nt,
    Sc1,
    Offset,
    OffsetSigned,
    Gds,
    DstSel,
    DstUnused,
    SrcSel0,
    SrcSel1,
    Sext,
    DppCtrl,
    RowMask,
    BankMask,
    BoundCtrl,
}

/// A named bit field.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Name; operands refer to it.
    pub name: &'static str,
    /// Place.
    pub bits: Bits,
    /// Content.
    pub kind: Kind,
}

/// A layout on GFX9.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Which.
    pub format: Format,
    /// Dwords without literal: 1 or 2.
    pub dwords: u8,
    /// Bits that are always the same.
    pub fixed: &'static [(Bits, u64)],
    /// Place of the opcode.
    pub opcode: Bits,
    /// Whether a source may be a literal.
    pub literal: bool,
    /// Named fields.
    pub fields: &'static [Field],
}

const fn b(hi: u8, lo: u8) -> Bits {
    Bits::range(hi, lo)
}

const fn f(name: &'static str, hi: u8, lo: u8, kind: Kind) -> Field {
    Field {
        name,
        bits: b(hi, lo),
        kind,
    }
}

const fn m(part: Part, shift: u8, hi: u8, lo: u8) -> Field {
    f("", hi, lo, Kind::Mod(part, shift))
}

const fn layout(
    format: Format,
    dwords: u8,
    literal: bool,
    fixed: &'static [(Bits, u64)],
    opcode: Bits,
    fields: &'static [Field],
) -> Layout {
    Layout {
        format,
        dwords,
        fixed,
        opcode,
        literal,
        fields,
    }
}

/// The layouts of GFX9 (AMD Instinct MI300 ISA guide, section 13; gfx942 cache bits). A layout with
/// more fixed bits stands before one with fewer that it would also match.
#[rustfmt::skip]
pub static GFX9: &[Layout] = &[
    layout(Format::Sop1, 1, true, &[(b(31, 23), 0x17d)], b(15, 8), &[
        f("ssrc0", 7, 0, Kind::Scalar), f("sdst", 22, 16, Kind::Scalar)]),
    layout(Format::Sopc, 1, true, &[(b(31, 23), 0x17e)], b(22, 16), &[
        f("ssrc0", 7, 0, Kind::Scalar), f("ssrc1", 15, 8, Kind::Scalar)]),
    layout(Format::Sopp, 1, false, &[(b(31, 23), 0x17f)], b(22, 16), &[
        f("simm16", 15, 0, Kind::Simm16)]),
    layout(Format::Sopk, 1, false, &[(b(31, 28), 0xb)], b(27, 23), &[
        f("simm16", 15, 0, Kind::Simm16), f("sdst", 22, 16, Kind::Scalar)]),
    layout(Format::SopkLiteral, 1, true, &[(b(31, 28), 0xb)], b(27, 23), &[
        f("simm16", 15, 0, Kind::Simm16)]),
    layout(Format::Sop2, 1, true, &[(b(31, 30), 2)], b(29, 23), &[
        f("ssrc0", 7, 0, Kind::Scalar), f("ssrc1", 15, 8, Kind::Scalar), f("sdst", 22, 16, Kind::Scalar)]),
    layout(Format::Vop1Sdwa, 2, false, &[(b(31, 25), 0x3f), (b(8, 0), 0xf9)], b(16, 9), &[
        f("vdst", 24, 17, Kind::Reg8), f("src0", 39, 32, Kind::SdwaSrc(Bits::bit(55))),
        m(Part::DstSel, 0, 42, 40), m(Part::DstUnused, 0, 44, 43), m(Part::Clamp, 0, 45, 45), m(Part::Omod, 0, 47, 46),
        m(Part::SrcSel0, 0, 50, 48), m(Part::Sext, 0, 51, 51), m(Part::Neg, 0, 52, 52), m(Part::Abs, 0, 53, 53)]),
    layout(Format::Vop1Dpp, 2, false, &[(b(31, 25), 0x3f), (b(8, 0), 0xfa)], b(16, 9), &[
        f("vdst", 24, 17, Kind::Reg8), f("src0", 39, 32, Kind::Reg8),
        m(Part::DppCtrl, 0, 48, 40), m(Part::BoundCtrl, 0, 51, 51), m(Part::Neg, 0, 52, 52), m(Part::Abs, 0, 53, 53),
        m(Part::BankMask, 0, 59, 56), m(Part::RowMask, 0, 63, 60)]),
    layout(Format::Vop1, 1, true, &[(b(31, 25), 0x3f)], b(16, 9), &[
        f("vdst", 24, 17, Kind::Reg8), f("src0", 8, 0, Kind::Src9)]),
    layout(Format::VopcSdwa, 2, false, &[(b(31, 25), 0x3e), (b(8, 0), 0xf9)], b(24, 17), &[
        f("src0", 39, 32, Kind::SdwaSrc(Bits::bit(55))), f("vsrc1", 16, 9, Kind::SdwaSrc(Bits::bit(63))),
        f("sdst", 46, 40, Kind::SdwaDst(Bits::bit(47))),
        m(Part::SrcSel0, 0, 50, 48), m(Part::Sext, 0, 51, 51), m(Part::Neg, 0, 52, 52), m(Part::Abs, 0, 53, 53),
        m(Part::SrcSel1, 0, 58, 56), m(Part::Sext, 1, 59, 59), m(Part::Neg, 1, 60, 60), m(Part::Abs, 1, 61, 61)]),
    layout(Format::Vopc, 1, true, &[(b(31, 25), 0x3e)], b(24, 17), &[
        f("src0", 8, 0, Kind::Src9), f("vsrc1", 16, 9, Kind::Reg8)]),
    layout(Format::Vop2Sdwa, 2, false, &[(b(31, 31), 0), (b(8, 0), 0xf9)], b(30, 25), &[
        f("vdst", 24, 17, Kind::Reg8), f("src0", 39, 32, Kind::SdwaSrc(Bits::bit(55))),
        f("vsrc1", 16, 9, Kind::SdwaSrc(Bits::bit(63))),
        m(Part::DstSel, 0, 42, 40), m(Part::DstUnused, 0, 44, 43), m(Part::Clamp, 0, 45, 45), m(Part::Omod, 0, 47, 46),
        m(Part::SrcSel0, 0, 50, 48), m(Part::Sext, 0, 51, 51), m(Part::Neg, 0, 52, 52), m(Part::Abs, 0, 53, 53),
        m(Part::SrcSel1, 0, 58, 56), m(Part::Sext, 1, 59, 59), m(Part::Neg, 1, 60, 60), m(Part::Abs, 1, 61, 61)]),
    layout(Format::Vop2Dpp, 2, false, &[(b(31, 31), 0), (b(8, 0), 0xfa)], b(30, 25), &[
        f("vdst", 24, 17, Kind::Reg8), f("src0", 39, 32, Kind::Reg8), f("vsrc1", 16, 9, Kind::Reg8),
        m(Part::DppCtrl, 0, 48, 40), m(Part::BoundCtrl, 0, 51, 51), m(Part::Neg, 0, 52, 52), m(Part::Abs, 0, 53, 53),
        m(Part::Neg, 1, 54, 54), m(Part::Abs, 1, 55, 55), m(Part::BankMask, 0, 59, 56), m(Part::RowMask, 0, 63, 60)]),
    layout(Format::Vop2, 1, true, &[(b(31, 31), 0)], b(30, 25), &[
        f("vdst", 24, 17, Kind::Reg8), f("src0", 8, 0, Kind::Src9), f("vsrc1", 16, 9, Kind::Reg8)]),
    layout(Format::Vop2Literal, 1, true, &[(b(31, 31), 0)], b(30, 25), &[
        f("vdst", 24, 17, Kind::Reg8), f("src0", 8, 0, Kind::Src9), f("vsrc1", 16, 9, Kind::Reg8)]),
    layout(Format::Vop3p, 2, false, &[(b(31, 23), 0x1a7)], b(22, 16), &[
        f("vdst", 7, 0, Kind::Reg8), f("src0", 40, 32, Kind::Src9), f("src1", 49, 41, Kind::Src9), f("src2", 58, 50, Kind::Src9),
        m(Part::Abs, 0, 10, 8), m(Part::OpSel, 0, 13, 11), m(Part::OpSelHi, 2, 14, 14), m(Part::Clamp, 0, 15, 15),
        m(Part::OpSelHi, 0, 60, 59), m(Part::Neg, 0, 63, 61)]),
    layout(Format::Vop3, 2, false, &[(b(31, 26), 0x34)], b(25, 16), &[
        f("vdst", 7, 0, Kind::Reg8), f("src0", 40, 32, Kind::Src9), f("src1", 49, 41, Kind::Src9), f("src2", 58, 50, Kind::Src9),
        m(Part::Abs, 0, 10, 8), m(Part::OpSel, 0, 14, 11), m(Part::Clamp, 0, 15, 15),
        m(Part::Omod, 0, 60, 59), m(Part::Neg, 0, 63, 61)]),
    layout(Format::Vop3b, 2, false, &[(b(31, 26), 0x34)], b(25, 16), &[
        f("vdst", 7, 0, Kind::Reg8), f("sdst", 14, 8, Kind::Scalar),
        f("src0", 40, 32, Kind::Src9), f("src1", 49, 41, Kind::Src9), f("src2", 58, 50, Kind::Src9),
        m(Part::Clamp, 0, 15, 15), m(Part::Omod, 0, 60, 59), m(Part::Neg, 0, 63, 61)]),
    layout(Format::Smem, 2, false, &[(b(31, 26), 0x30)], b(25, 18), &[
        f("sdata", 12, 6, Kind::Scalar), f("sbase", 5, 0, Kind::ScalarPair), f("soffset", 52, 32, Kind::SmemOffset),
        m(Part::Sc0, 0, 16, 16)]),
    layout(Format::Ds, 2, false, &[(b(31, 26), 0x36)], b(24, 17), &[
        f("addr", 39, 32, Kind::Reg8), f("data0", 47, 40, Kind::Reg8Acc(Bits::bit(25))),
        f("data1", 55, 48, Kind::Reg8Acc(Bits::bit(25))), f("vdst", 63, 56, Kind::Reg8Acc(Bits::bit(25))),
        m(Part::Offset, 0, 15, 0), m(Part::Gds, 0, 16, 16)]),
    layout(Format::Flat, 2, false, &[(b(31, 26), 0x37), (b(15, 14), 0)], b(24, 18), &[
        f("vaddr", 39, 32, Kind::Reg8), f("vdata", 47, 40, Kind::Reg8Acc(Bits::bit(55))), f("vdst", 63, 56, Kind::Reg8Acc(Bits::bit(55))),
        m(Part::Offset, 0, 11, 0), m(Part::Sc0, 0, 16, 16), m(Part::Nt, 0, 17, 17), m(Part::Sc1, 0, 25, 25)]),
    layout(Format::Global, 2, false, &[(b(31, 26), 0x37), (b(15, 14), 2)], b(24, 18), &[
        f("vaddr", 39, 32, Kind::Reg8), f("vdata", 47, 40, Kind::Reg8Acc(Bits::bit(55))), f("vdst", 63, 56, Kind::Reg8Acc(Bits::bit(55))),
        f("saddr", 54, 48, Kind::ScalarOrOff),
        m(Part::OffsetSigned, 0, 12, 0), m(Part::Sc0, 0, 16, 16), m(Part::Nt, 0, 17, 17), m(Part::Sc1, 0, 25, 25)]),
    layout(Format::Scratch, 2, false, &[(b(31, 26), 0x37), (b(15, 14), 1)], b(24, 18), &[
        f("vaddr", 39, 32, Kind::VaddrOrOff(Bits::bit(13))), f("vdata", 47, 40, Kind::Reg8Acc(Bits::bit(55))), f("vdst", 63, 56, Kind::Reg8Acc(Bits::bit(55))),
        f("saddr", 54, 48, Kind::ScalarOrOff),
        m(Part::OffsetSigned, 0, 12, 0), m(Part::Sc0, 0, 16, 16), m(Part::Nt, 0, 17, 17), m(Part::Sc1, 0, 25, 25)]),
    layout(Format::Mubuf, 2, false, &[(b(31, 26), 0x38)], b(24, 18), &[
        m(Part::Sc0, 0, 14, 14), m(Part::Sc1, 0, 15, 15), m(Part::Nt, 0, 17, 17)]),
];

impl Format {
    /// The layout on GFX9.
    pub fn layout(self) -> &'static Layout {
        GFX9.iter()
            .find(|layout| layout.format == self)
            .expect("every format has a layout")
    }
}

impl Layout {
    /// The field called `name`.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Whether the fixed bits of `word` are those of the layout.
    pub fn matches(&self, word: u64) -> bool {
        self.fixed
            .iter()
            .all(|(bits, value)| bits.get(word) == *value)
    }
}
