//! Vector instructions with two sources.
//!
//! Source: AMD Instinct MI300 ISA guide, sections 6 and 13.3.1.

use super::operands::*;
use super::row::rows;
use crate::isa::uop::*;

#[rustfmt::skip]
rows! {
    from super::vop1::END;
    // VOP2: section 13.3.1.
    V_CNDMASK_B32    VOP2 [gfx942 0x00] (vdst(B32), src0(B32).to(1), vsrc1(B32).to(0), VCC_IN)          FSRC.or(INT),      valu(Uop::Select(W::W32));
    V_ADD_F32        VOP2 [gfx942 0x01] (vdst(F32), src0(F32), vsrc1(F32))                              FALL,              valu(Uop::FAdd(F::F32));
    V_SUB_F32        VOP2 [gfx942 0x02] (vdst(F32), src0(F32), vsrc1(F32))                              FALL,              valu(Uop::FSub(F::F32));
    V_SUBREV_F32     VOP2 [gfx942 0x03] (vdst(F32), src0(F32).to(1), vsrc1(F32).to(0))                  FALL,              valu(Uop::FSub(F::F32));
    V_FMAC_F64       VOP2 [gfx942 0x04] (vdst(F64).tied(2), src0(F64), vsrc1(F64))                      F64ALL,            slow(Uop::Fma(F::F64));
    V_MUL_F32        VOP2 [gfx942 0x05] (vdst(F32), src0(F32), vsrc1(F32))                              FALL,              valu(Uop::FMul(F::F32));
    V_MUL_I32_I24    VOP2 [gfx942 0x06] (vdst(I32), src0(I32), vsrc1(I32))                              INTC,              valu(Uop::Mul24(true));
    V_MUL_HI_I32_I24 VOP2 [gfx942 0x07] (vdst(I32), src0(I32), vsrc1(I32))                              INTC,              valu(Uop::MulHi24(true));
    V_MUL_U32_U24    VOP2 [gfx942 0x08] (vdst(U32), src0(U32), vsrc1(U32))                              INTC,              valu(Uop::Mul24(false));
    V_MUL_HI_U32_U24 VOP2 [gfx942 0x09] (vdst(U32), src0(U32), vsrc1(U32))                              INTC,              valu(Uop::MulHi24(false));
    V_MIN_F32        VOP2 [gfx942 0x0a] (vdst(F32), src0(F32), vsrc1(F32))                              FALL,              valu(Uop::FMin(F::F32));
    V_MAX_F32        VOP2 [gfx942 0x0b] (vdst(F32), src0(F32), vsrc1(F32))                              FALL,              valu(Uop::FMax(F::F32));
    V_MIN_I32        VOP2 [gfx942 0x0c] (vdst(I32), src0(I32), vsrc1(I32))                              INT,               valu(Uop::Min(SI32));
    V_MAX_I32        VOP2 [gfx942 0x0d] (vdst(I32), src0(I32), vsrc1(I32))                              INT,               valu(Uop::Max(SI32));
    V_MIN_U32        VOP2 [gfx942 0x0e] (vdst(U32), src0(U32), vsrc1(U32))                              INT,               valu(Uop::Min(UI32));
    V_MAX_U32        VOP2 [gfx942 0x0f] (vdst(U32), src0(U32), vsrc1(U32))                              INT,               valu(Uop::Max(UI32));
    V_LSHRREV_B32    VOP2 [gfx942 0x10] (vdst(B32), src0(U32).to(1), vsrc1(B32).to(0))                  INT,               valu(Uop::Shr(W::W32));
    V_ASHRREV_I32    VOP2 [gfx942 0x11] (vdst(I32), src0(U32).to(1), vsrc1(I32).to(0))                  INT,               valu(Uop::Ashr(W::W32));
    V_LSHLREV_B32    VOP2 [gfx942 0x12] (vdst(B32), src0(U32).to(1), vsrc1(B32).to(0))                  INT,               valu(Uop::Shl(W::W32));
    V_AND_B32        VOP2 [gfx942 0x13] (vdst(B32), src0(B32), vsrc1(B32))                              INT,               valu(Uop::And(W::W32));
    V_OR_B32         VOP2 [gfx942 0x14] (vdst(B32), src0(B32), vsrc1(B32))                              INT,               valu(Uop::Or(W::W32));
    V_XOR_B32        VOP2 [gfx942 0x15] (vdst(B32), src0(B32), vsrc1(B32))                              INT,               valu(Uop::Xor(W::W32));
    V_FMAMK_F32      VOP2K [gfx942 0x17] (vdst(F32), src0(F32), LITERAL, vsrc1(F32).to(2))               NO,                valu(Uop::Fma(F::F32));
    V_FMAAK_F32      VOP2K [gfx942 0x18] (vdst(F32), src0(F32), vsrc1(F32), LITERAL.to(2))               NO,                valu(Uop::Fma(F::F32));
    V_ADD_CO_U32     VOP2 [gfx942 0x19] (vdst(U32), VCC_OUT, src0(U32), vsrc1(U32))                     INTC,              valu(Uop::Add(W::W32));
    V_SUB_CO_U32     VOP2 [gfx942 0x1a] (vdst(U32), VCC_OUT, src0(U32), vsrc1(U32))                     INTC,              valu(Uop::Sub(W::W32));
    V_SUBREV_CO_U32  VOP2 [gfx942 0x1b] (vdst(U32), VCC_OUT, src0(U32).to(1), vsrc1(U32).to(0))         INTC,              valu(Uop::Sub(W::W32));
    V_ADDC_CO_U32    VOP2 [gfx942 0x1c] (vdst(U32), VCC_OUT, src0(U32), vsrc1(U32), VCC_IN)             INTC,              valu(Uop::AddC(W::W32));
    V_SUBB_CO_U32    VOP2 [gfx942 0x1d] (vdst(U32), VCC_OUT, src0(U32), vsrc1(U32), VCC_IN)             INTC,              valu(Uop::SubB(W::W32));
    V_SUBBREV_CO_U32 VOP2 [gfx942 0x1e] (vdst(U32), VCC_OUT, src0(U32).to(1), vsrc1(U32).to(0), VCC_IN) INTC,              valu(Uop::SubB(W::W32));
    V_ADD_F16        VOP2 [gfx942 0x1f] (vdst(F16), src0(F16), vsrc1(F16))                              FALL,              valu(Uop::FAdd(F::F16));
    V_SUB_F16        VOP2 [gfx942 0x20] (vdst(F16), src0(F16), vsrc1(F16))                              FALL,              valu(Uop::FSub(F::F16));
    V_SUBREV_F16     VOP2 [gfx942 0x21] (vdst(F16), src0(F16).to(1), vsrc1(F16).to(0))                  FALL,              valu(Uop::FSub(F::F16));
    V_MUL_F16        VOP2 [gfx942 0x22] (vdst(F16), src0(F16), vsrc1(F16))                              FALL,              valu(Uop::FMul(F::F16));
    V_MAC_F16        VOP2 [gfx942 0x23] (vdst(F16).tied(2), src0(F16), vsrc1(F16))                      FDPP,              valu(Uop::FMad(F::F16));
    V_MADMK_F16      VOP2K [gfx942 0x24] (vdst(F16), src0(F16), LITERAL16, vsrc1(F16).to(2))             NO,                valu(Uop::FMad(F::F16));
    V_MADAK_F16      VOP2K [gfx942 0x25] (vdst(F16), src0(F16), vsrc1(F16), LITERAL16.to(2))             NO,                valu(Uop::FMad(F::F16));
    V_ADD_U16        VOP2 [gfx942 0x26] (vdst(U16), src0(U16), vsrc1(U16))                              INTC,              valu(Uop::Add(W::W16));
    V_SUB_U16        VOP2 [gfx942 0x27] (vdst(U16), src0(U16), vsrc1(U16))                              INTC,              valu(Uop::Sub(W::W16));
    V_SUBREV_U16     VOP2 [gfx942 0x28] (vdst(U16), src0(U16).to(1), vsrc1(U16).to(0))                  INTC,              valu(Uop::Sub(W::W16));
    V_MUL_LO_U16     VOP2 [gfx942 0x29] (vdst(U16), src0(U16), vsrc1(U16))                              INT,               valu(Uop::MulLo(W::W16));
    V_LSHLREV_B16    VOP2 [gfx942 0x2a] (vdst(B16), src0(U16).to(1), vsrc1(B16).to(0))                  INT,               valu(Uop::Shl(W::W16));
    V_LSHRREV_B16    VOP2 [gfx942 0x2b] (vdst(B16), src0(U16).to(1), vsrc1(B16).to(0))                  INT,               valu(Uop::Shr(W::W16));
    V_ASHRREV_I16    VOP2 [gfx942 0x2c] (vdst(I16), src0(U16).to(1), vsrc1(I16).to(0))                  INT,               valu(Uop::Ashr(W::W16));
    V_MAX_F16        VOP2 [gfx942 0x2d] (vdst(F16), src0(F16), vsrc1(F16))                              FALL,              valu(Uop::FMax(F::F16));
    V_MIN_F16        VOP2 [gfx942 0x2e] (vdst(F16), src0(F16), vsrc1(F16))                              FALL,              valu(Uop::FMin(F::F16));
    V_MAX_U16        VOP2 [gfx942 0x2f] (vdst(U16), src0(U16), vsrc1(U16))                              INT,               valu(Uop::Max(UI16));
    V_MAX_I16        VOP2 [gfx942 0x30] (vdst(I16), src0(I16), vsrc1(I16))                              INT,               valu(Uop::Max(SI16));
    V_MIN_U16        VOP2 [gfx942 0x31] (vdst(U16), src0(U16), vsrc1(U16))                              INT,               valu(Uop::Min(UI16));
    V_MIN_I16        VOP2 [gfx942 0x32] (vdst(I16), src0(I16), vsrc1(I16))                              INT,               valu(Uop::Min(SI16));
    V_LDEXP_F16      VOP2 [gfx942 0x33] (vdst(F16), src0(F16), vsrc1(I16))                              FALL,              valu(Uop::FLdexp(F::F16));
    V_ADD_U32        VOP2 [gfx942 0x34] (vdst(U32), src0(U32), vsrc1(U32))                              INTC,              valu(Uop::Add(W::W32));
    V_SUB_U32        VOP2 [gfx942 0x35] (vdst(U32), src0(U32), vsrc1(U32))                              INTC,              valu(Uop::Sub(W::W32));
    V_SUBREV_U32     VOP2 [gfx942 0x36] (vdst(U32), src0(U32).to(1), vsrc1(U32).to(0))                  INTC,              valu(Uop::Sub(W::W32));
    V_DOT2C_F32_F16  VOP2 [gfx942 0x37] (vdst(F32).tied(2), src0(V2F16), vsrc1(V2F16))                  DOTC,              valu(Uop::Dot2F16);
    V_DOT2C_I32_I16  VOP2 [gfx942 0x38] (vdst(I32).tied(2), src0(V2x16), vsrc1(V2x16))                  DOTC,              valu(Uop::Dot2(true));
    V_DOT4C_I32_I8   VOP2 [gfx942 0x39] (vdst(I32).tied(2), src0(B32), vsrc1(B32))                      DOTC,              valu(Uop::Dot4(true));
    V_DOT8C_I32_I4   VOP2 [gfx942 0x3a] (vdst(I32).tied(2), src0(B32), vsrc1(B32))                      DOTC,              valu(Uop::Dot8(true));
    V_FMAC_F32       VOP2 [gfx942 0x3b] (vdst(F32).tied(2), src0(F32), vsrc1(F32))                      FDPP,              valu(Uop::Fma(F::F32));
    V_PK_FMAC_F16    VOP2 [gfx942 0x3c] (vdst(V2F16).tied(2), src0(V2F16), vsrc1(V2F16))                Attrs::E32_SUFFIX, valu(Uop::PkFma16);
    V_XNOR_B32       VOP2 [gfx942 0x3d] (vdst(B32), src0(B32), vsrc1(B32))                              INT,               valu(Uop::Xnor(W::W32));
}
