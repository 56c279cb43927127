//! Words of the table language: operands, classes and modifier sets as short names, so that a row
//! fits on a line.

use crate::isa::desc::{Accepts, Class, Implicit, OpType, OperandSpec, Role, Semantics};
use crate::isa::uop::{Int, MemShape, Uop, W};

pub(super) use super::row::Attrs;
pub(super) use crate::isa::desc::OpType::*;
pub(super) use crate::isa::desc::SccRule::{Carry, NonZero, Overflow, Result as SccResult};

const fn spec(
    field: &'static str,
    role: Role,
    accepts: Accepts,
    ty: OpType,
    arg: u8,
) -> OperandSpec {
    OperandSpec {
        field,
        role,
        accepts,
        ty,
        arg,
    }
}

impl OperandSpec {
    /// The same operand feeding argument `arg`.
    pub const fn to(self, arg: u8) -> OperandSpec {
        OperandSpec { arg, ..self }
    }

    /// The same operand, read and written, feeding argument `arg`.
    pub const fn tied(self, arg: u8) -> OperandSpec {
        OperandSpec {
            role: Role::UseDef,
            arg,
            ..self
        }
    }

    /// The same operand, read only, feeding argument `arg`.
    pub const fn read(self, arg: u8) -> OperandSpec {
        OperandSpec {
            role: Role::Use,
            arg,
            ..self
        }
    }
}

macro_rules! operand_words {
    ($($(#[$doc:meta])* $name:ident = $field:literal $role:ident $accepts:expr, $arg:literal;)*) => {
        $($(#[$doc])* pub(super) const fn $name(ty: OpType) -> OperandSpec {
            spec($field, Role::$role, $accepts, ty, $arg)
        })*
    };
}

operand_words! {
    /// Scalar destination.
    sdst = "sdst" Def Accepts::Sdst, 0;
    /// First scalar source.
    ssrc0 = "ssrc0" Use Accepts::Ssrc, 0;
    /// Second scalar source.
    ssrc1 = "ssrc1" Use Accepts::Ssrc, 1;
    /// First scalar source that must be a register.
    sreg0 = "ssrc0" Use Accepts::Sgpr, 0;
    /// Vector destination.
    vdst = "vdst" Def Accepts::Vgpr, 0;
    /// Scalar register in the vector destination field (`v_readlane_b32`, `v_cmp` as VOP3).
    svdst = "vdst" Def Accepts::Sdst, 0;
    /// First source.
    src0 = "src0" Use Accepts::Src, 0;
    /// Second source of VOP3.
    src1 = "src1" Use Accepts::Src, 1;
    /// Third source of VOP3.
    src2 = "src2" Use Accepts::Src, 2;
    /// Second source of VOP2 and VOPC.
    vsrc1 = "vsrc1" Use Accepts::Vgpr, 1;
    /// First source that must be a vector register.
    vsrc0 = "src0" Use Accepts::Vgpr, 0;
    /// Scalar first source (`v_writelane_b32`).
    scalar0 = "src0" Use Accepts::LaneSel, 0;
    /// Lane selector as second source.
    lane1 = "src1" Use Accepts::LaneSel, 1;
    /// Scalar pair as third source: a mask.
    mask2 = "src2" Use Accepts::Sgpr, 2;
    /// Scalar data of a scalar load.
    sdata = "sdata" Def Accepts::Sdst, 0;
    /// Base of a scalar memory operation.
    sbase = "sbase" Use Accepts::Sgpr, 3;
    /// LDS address.
    lds_addr = "addr" Use Accepts::Vgpr, 0;
    /// First LDS data.
    data0 = "data0" Use Accepts::VgprOrAgpr, 1;
    /// Second LDS data.
    data1 = "data1" Use Accepts::VgprOrAgpr, 2;
    /// Result of a memory operation.
    mdst = "vdst" Def Accepts::VgprOrAgpr, 0;
    /// Data of a store.
    vdata = "vdata" Use Accepts::VgprOrAgpr, 1;
    /// Vector address.
    vaddr = "vaddr" Use Accepts::Vgpr, 0;
    /// AGPR in the destination field.
    adst = "vdst" Def Accepts::Agpr, 0;
    /// AGPR in the first source field.
    asrc0 = "src0" Use Accepts::Agpr, 0;
}

/// VCC written, printed between destination and sources.
pub(super) const VCC_OUT: OperandSpec = spec("", Role::Def, Accepts::Vcc, Mask, 1);
/// VCC as the result of a comparison.
pub(super) const VCC_DST: OperandSpec = spec("", Role::Def, Accepts::Vcc, Mask, 0);
/// VCC read, printed last.
pub(super) const VCC_IN: OperandSpec = spec("", Role::Use, Accepts::Vcc, Mask, 2);
/// Scalar pair of VOP3B, the second result.
pub(super) const SDST_OUT: OperandSpec = spec("sdst", Role::Def, Accepts::Sdst, Mask, 1);
/// The literal of `v_fmamk` and `v_fmaak`.
pub(super) const LITERAL: OperandSpec = spec("literal", Role::Use, Accepts::Literal, F32, 1);
/// The literal of `v_madmk_f16` and `v_madak_f16`.
pub(super) const LITERAL16: OperandSpec = spec("literal", Role::Use, Accepts::Literal, F16, 1);
/// Offset of a scalar memory operation.
pub(super) const SOFFSET: OperandSpec = spec("soffset", Role::Use, Accepts::SmemOffset, I32, 0);
/// Address of a scratch operation.
pub(super) const SCRATCH_VADDR: OperandSpec = spec("vaddr", Role::Use, Accepts::VAddrOrOff, U32, 0);
/// Scalar base of a scratch operation.
pub(super) const SCRATCH_SADDR: OperandSpec = spec("saddr", Role::Use, Accepts::SBaseOrOff, U32, 3);
/// The word `off` in the place of the scalar base.
pub(super) const NO_SADDR: OperandSpec = spec("saddr", Role::Use, Accepts::Off, B64, 3);
/// Branch distance.
pub(super) const LABEL: OperandSpec = spec("simm16", Role::Use, Accepts::Label, Imm, 0);
/// Counters of `s_waitcnt`.
pub(super) const WAIT: OperandSpec = spec("simm16", Role::Use, Accepts::WaitCnt, Imm, 0);
/// Message of `s_sendmsg`.
pub(super) const MESSAGE: OperandSpec = spec("simm16", Role::Use, Accepts::Message, Imm, 0);
/// Hardware register.
pub(super) const HWREG: OperandSpec = spec("simm16", Role::Use, Accepts::HwReg, Imm, 1);
/// Literal of `s_setreg_imm32_b32`.
pub(super) const SETREG_LITERAL: OperandSpec = spec("literal", Role::Use, Accepts::Literal, B32, 0);
/// Sixteen-bit immediate.
pub(super) const UIMM16: OperandSpec = spec("simm16", Role::Use, Accepts::UImm(16), Imm, 0);
/// Sixteen-bit immediate, sign-extended when used.
pub(super) const SIMM16: OperandSpec = spec("simm16", Role::Use, Accepts::SImm(16), Imm, 0);

/// No modifier, no further encoding.
pub(super) const NO: Attrs = Attrs::NONE;
/// Vector instruction with VOP3 form, no modifier.
pub(super) const E64: Attrs = Attrs::E64;
/// Neg and abs of sources.
pub(super) const FSRC: Attrs = Attrs::NEG.or(Attrs::ABS);
/// All float modifiers.
pub(super) const FLOAT: Attrs = FSRC.or(Attrs::CLAMP).or(Attrs::OMOD);
/// SDWA and DPP forms.
pub(super) const SUB: Attrs = Attrs::E64.or(Attrs::SDWA).or(Attrs::DPP);
/// Vector integer instruction with all forms.
pub(super) const INT: Attrs = SUB.or(Attrs::SEXT);
/// The same with saturation.
pub(super) const INTC: Attrs = INT.or(Attrs::CLAMP);
/// Vector float instruction with all forms.
pub(super) const FALL: Attrs = FLOAT.or(SUB);
/// 64-bit float instruction: VOP3 and the broadcast DPP.
pub(super) const F64ALL: Attrs = FLOAT.or(Attrs::E64).or(Attrs::DPP).or(Attrs::DPP64);
/// Float source, integer result.
pub(super) const FALLI: Attrs = FSRC.or(Attrs::CLAMP).or(SUB);
/// Integer source, float result.
pub(super) const IALLF: Attrs = Attrs::CLAMP.or(Attrs::OMOD).or(INT);
/// 64-bit float source, integer result.
pub(super) const F64I: Attrs = FSRC.or(Attrs::CLAMP).or(DP64);
/// Integer source, 64-bit float result.
pub(super) const I32F: Attrs = Attrs::CLAMP.or(Attrs::OMOD).or(DP64);
/// VOP3 and the broadcast DPP.
pub(super) const DP64: Attrs = Attrs::E64.or(Attrs::DPP).or(Attrs::DPP64);
/// Float instruction without SDWA.
pub(super) const FDPP: Attrs = FLOAT.or(Attrs::E64).or(Attrs::DPP);
/// Accumulating dot product.
pub(super) const DOTC: Attrs = Attrs::CLAMP.or(Attrs::E64).or(Attrs::DPP);
/// Float comparison.
pub(super) const CMPF: Attrs = FSRC.or(Attrs::CLAMP).or(Attrs::E64).or(Attrs::SDWA);
/// Float comparison of 64-bit values.
pub(super) const CMPF64: Attrs = FSRC.or(Attrs::CLAMP).or(Attrs::E64);
/// Class test.
pub(super) const CLSF: Attrs = FSRC.or(Attrs::E64).or(Attrs::SDWA);
/// Class test of 64-bit values.
pub(super) const CLSF64: Attrs = FSRC.or(Attrs::E64);
/// Integer comparison.
pub(super) const CMPI: Attrs = Attrs::E64.or(Attrs::SDWA).or(Attrs::SEXT);
/// VOP3B float.
pub(super) const FLOATB: Attrs = Attrs::NEG.or(Attrs::CLAMP).or(Attrs::OMOD);
/// Saturation.
pub(super) const CLAMP: Attrs = Attrs::CLAMP;
/// VOP3 float of 16 bits.
pub(super) const F16OP: Attrs = FSRC.or(Attrs::CLAMP).or(Attrs::OP_SEL);
/// VOP3 integer of 16 bits.
pub(super) const I16OP: Attrs = Attrs::CLAMP.or(Attrs::OP_SEL);
/// `v_pack_b32_f16`.
pub(super) const PACKF16: Attrs = FSRC.or(Attrs::OP_SEL);
/// Packed integers.
pub(super) const PKI: Attrs = Attrs::CLAMP.or(Attrs::OP_SEL).or(Attrs::OP_SEL_HI);
/// Packed floats.
pub(super) const PKF: Attrs = PKI.or(Attrs::NEG_LO_HI);
/// Dot products of bytes.
pub(super) const PKD: Attrs = Attrs::CLAMP.or(Attrs::OP_SEL_HI);
/// `v_fma_mix`.
pub(super) const MIX: Attrs = FSRC.or(Attrs::CLAMP).or(Attrs::OP_SEL).or(Attrs::MIX);
/// Scalar memory.
pub(super) const SM: Attrs = Attrs::CACHE.or(Attrs::OFFSET);
/// Cache bits only.
pub(super) const CACHE: Attrs = Attrs::CACHE;
/// `ds_swizzle_b32`.
pub(super) const SWIZ: Attrs = Attrs::OFFSET.or(Attrs::GDS).or(Attrs::SWIZZLE);
/// Cache bits and offset.
pub(super) const MEM: Attrs = Attrs::CACHE.or(Attrs::OFFSET);
/// Global memory: also a scalar base.
pub(super) const GMEM: Attrs = MEM.or(Attrs::SADDR);
/// Atomics of flat memory.
pub(super) const ATOMIC: Attrs = MEM.or(Attrs::RTN);
/// Atomics of global memory.
pub(super) const GATOMIC: Attrs = GMEM.or(Attrs::RTN);
/// LDS with one offset.
pub(super) const LDS1: Attrs = Attrs::OFFSET.or(Attrs::GDS);
/// LDS with two offsets.
pub(super) const LDS2: Attrs = Attrs::OFFSETS.or(Attrs::GDS);

macro_rules! class_words {
    ($($(#[$doc:meta])* $name:ident = $class:ident, $implicit:expr;)*) => {
        $($(#[$doc])* pub(super) const fn $name(uop: Uop) -> Semantics {
            Semantics::new(Class::$class, uop).and($implicit)
        })*
    };
}

class_words! {
    /// Scalar arithmetic.
    salu = Salu, Implicit::NONE;
    /// Vector arithmetic at full rate.
    valu = Valu, Implicit::NONE;
    /// Vector arithmetic, 64-bit or quarter rate.
    slow = ValuSlow, Implicit::NONE;
    /// Transcendental.
    trans = Trans, Implicit::NONE;
    /// Branch.
    branch = Branch, Implicit::NONE;
    /// Control.
    control = Control, Implicit::NONE;
    /// Scalar memory.
    smem = Smem, Implicit::NONE;
    /// LDS.
    lds = Lds, Implicit::NONE;
    /// Message.
    message = Message, Implicit::NONE;
    /// Load.
    vload = VmemLoad, Implicit::NONE;
    /// Store.
    vstore = VmemStore, Implicit::NONE;
    /// Atomic.
    vatomic = VmemAtomic, Implicit::NONE;
    /// Flat load.
    fload = FlatLoad, Implicit::NONE;
    /// Flat store.
    fstore = FlatStore, Implicit::NONE;
    /// Flat atomic.
    fatomic = FlatAtomic, Implicit::NONE;
}

/// Unsigned integers of 16, 32 and 64 bits; signed ones.
pub(super) const UI16: Int = int(W::W16, false);
pub(super) const UI32: Int = int(W::W32, false);
pub(super) const UI64: Int = int(W::W64, false);
pub(super) const SI16: Int = int(W::W16, true);
pub(super) const SI32: Int = int(W::W32, true);
pub(super) const SI64: Int = int(W::W64, true);

const fn int(w: W, signed: bool) -> Int {
    Int { w, signed }
}

/// `count` dwords.
pub(super) const fn dwords(count: u8) -> MemShape {
    shape(4, count)
}

/// `count` elements of `elem` bytes.
pub(super) const fn shape(elem: u8, count: u8) -> MemShape {
    MemShape {
        elem,
        count,
        sext: false,
        hi: false,
        d16: false,
    }
}

/// One sub-dword element, extended by the sign.
pub(super) const fn signed(elem: u8) -> MemShape {
    MemShape {
        sext: true,
        ..shape(elem, 1)
    }
}

impl MemShape {
    /// In the low half; a load keeps the other half.
    pub(super) const fn d16(self) -> MemShape {
        MemShape { d16: true, ..self }
    }

    /// In the high half; a load keeps the other half.
    pub(super) const fn d16_hi(self) -> MemShape {
        MemShape {
            d16: true,
            hi: true,
            ..self
        }
    }
}
