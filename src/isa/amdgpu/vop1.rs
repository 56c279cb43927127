//! Vector instructions with one source.
//!
//! Source: AMD Instinct MI300 ISA guide, sections 6 and 13.3.2.

use super::operands::*;
use super::row::rows;
use crate::isa::desc::Implicit;
use crate::isa::uop::*;

#[rustfmt::skip]
rows! {
    from super::smem::END;
    // VOP1: section 13.3.2.
    V_NOP               VOP1 [gfx942 0x00] ()                                      NO,     valu(Uop::Nop);
    V_MOV_B32           VOP1 [gfx942 0x01] (vdst(B32), src0(B32))                  INT,    valu(Uop::Mov(W::W32));
    V_READFIRSTLANE_B32 VOP1 [gfx942 0x02] (svdst(B32), vsrc0(B32))                NO,     valu(Uop::ReadFirstLane).and(Implicit::READ_EXEC);
    V_CVT_I32_F64       VOP1 [gfx942 0x03] (vdst(I32), src0(F64))                  F64I,   slow(Uop::CvtIF(SI32, F::F64));
    V_CVT_F64_I32       VOP1 [gfx942 0x04] (vdst(F64), src0(I32))                  I32F,   slow(Uop::CvtFI(F::F64, SI32));
    V_CVT_F32_I32       VOP1 [gfx942 0x05] (vdst(F32), src0(I32))                  IALLF,  valu(Uop::CvtFI(F::F32, SI32));
    V_CVT_F32_U32       VOP1 [gfx942 0x06] (vdst(F32), src0(U32))                  IALLF,  valu(Uop::CvtFI(F::F32, UI32));
    V_CVT_U32_F32       VOP1 [gfx942 0x07] (vdst(U32), src0(F32))                  FALLI,  valu(Uop::CvtIF(UI32, F::F32));
    V_CVT_I32_F32       VOP1 [gfx942 0x08] (vdst(I32), src0(F32))                  FALLI,  valu(Uop::CvtIF(SI32, F::F32));
    V_CVT_F16_F32       VOP1 [gfx942 0x0a] (vdst(F16), src0(F32))                  FALL,   valu(Uop::CvtFF(F::F16, F::F32));
    V_CVT_F32_F16       VOP1 [gfx942 0x0b] (vdst(F32), src0(F16))                  FALL,   valu(Uop::CvtFF(F::F32, F::F16));
    V_CVT_RPI_I32_F32   VOP1 [gfx942 0x0c] (vdst(I32), src0(F32))                  FALLI,  valu(Uop::CvtNearest);
    V_CVT_FLR_I32_F32   VOP1 [gfx942 0x0d] (vdst(I32), src0(F32))                  FALLI,  valu(Uop::CvtFloor);
    V_CVT_F32_F64       VOP1 [gfx942 0x0f] (vdst(F32), src0(F64))                  F64ALL, slow(Uop::CvtFF(F::F32, F::F64));
    V_CVT_F64_F32       VOP1 [gfx942 0x10] (vdst(F64), src0(F32))                  F64ALL, slow(Uop::CvtFF(F::F64, F::F32));
    V_CVT_F32_UBYTE0    VOP1 [gfx942 0x11] (vdst(F32), src0(U32))                  IALLF,  valu(Uop::CvtUbyte(0));
    V_CVT_F32_UBYTE1    VOP1 [gfx942 0x12] (vdst(F32), src0(U32))                  IALLF,  valu(Uop::CvtUbyte(1));
    V_CVT_F32_UBYTE2    VOP1 [gfx942 0x13] (vdst(F32), src0(U32))                  IALLF,  valu(Uop::CvtUbyte(2));
    V_CVT_F32_UBYTE3    VOP1 [gfx942 0x14] (vdst(F32), src0(U32))                  IALLF,  valu(Uop::CvtUbyte(3));
    V_CVT_U32_F64       VOP1 [gfx942 0x15] (vdst(U32), src0(F64))                  F64I,   slow(Uop::CvtIF(UI32, F::F64));
    V_CVT_F64_U32       VOP1 [gfx942 0x16] (vdst(F64), src0(U32))                  I32F,   slow(Uop::CvtFI(F::F64, UI32));
    V_TRUNC_F64         VOP1 [gfx942 0x17] (vdst(F64), src0(F64))                  F64ALL, slow(Uop::FTrunc(F::F64));
    V_CEIL_F64          VOP1 [gfx942 0x18] (vdst(F64), src0(F64))                  F64ALL, slow(Uop::FCeil(F::F64));
    V_RNDNE_F64         VOP1 [gfx942 0x19] (vdst(F64), src0(F64))                  F64ALL, slow(Uop::FRndne(F::F64));
    V_FLOOR_F64         VOP1 [gfx942 0x1a] (vdst(F64), src0(F64))                  F64ALL, slow(Uop::FFloor(F::F64));
    V_FRACT_F32         VOP1 [gfx942 0x1b] (vdst(F32), src0(F32))                  FALL,   valu(Uop::FFract(F::F32));
    V_TRUNC_F32         VOP1 [gfx942 0x1c] (vdst(F32), src0(F32))                  FALL,   valu(Uop::FTrunc(F::F32));
    V_CEIL_F32          VOP1 [gfx942 0x1d] (vdst(F32), src0(F32))                  FALL,   valu(Uop::FCeil(F::F32));
    V_RNDNE_F32         VOP1 [gfx942 0x1e] (vdst(F32), src0(F32))                  FALL,   valu(Uop::FRndne(F::F32));
    V_FLOOR_F32         VOP1 [gfx942 0x1f] (vdst(F32), src0(F32))                  FALL,   valu(Uop::FFloor(F::F32));
    V_EXP_F32           VOP1 [gfx942 0x20] (vdst(F32), src0(F32))                  FALL,   trans(Uop::FExp2(F::F32));
    V_LOG_F32           VOP1 [gfx942 0x21] (vdst(F32), src0(F32))                  FALL,   trans(Uop::FLog2(F::F32));
    V_RCP_F32           VOP1 [gfx942 0x22] (vdst(F32), src0(F32))                  FALL,   trans(Uop::FRcp(F::F32));
    V_RCP_IFLAG_F32     VOP1 [gfx942 0x23] (vdst(F32), src0(F32))                  FALL,   trans(Uop::FRcp(F::F32));
    V_RSQ_F32           VOP1 [gfx942 0x24] (vdst(F32), src0(F32))                  FALL,   trans(Uop::FRsq(F::F32));
    V_RCP_F64           VOP1 [gfx942 0x25] (vdst(F64), src0(F64))                  F64ALL, trans(Uop::FRcp(F::F64));
    V_RSQ_F64           VOP1 [gfx942 0x26] (vdst(F64), src0(F64))                  F64ALL, trans(Uop::FRsq(F::F64));
    V_SQRT_F32          VOP1 [gfx942 0x27] (vdst(F32), src0(F32))                  FALL,   trans(Uop::FSqrt(F::F32));
    V_SQRT_F64          VOP1 [gfx942 0x28] (vdst(F64), src0(F64))                  F64ALL, trans(Uop::FSqrt(F::F64));
    V_SIN_F32           VOP1 [gfx942 0x29] (vdst(F32), src0(F32))                  FALL,   trans(Uop::FSinRev(F::F32));
    V_COS_F32           VOP1 [gfx942 0x2a] (vdst(F32), src0(F32))                  FALL,   trans(Uop::FCosRev(F::F32));
    V_NOT_B32           VOP1 [gfx942 0x2b] (vdst(B32), src0(B32))                  INT,    valu(Uop::Not(W::W32));
    V_BFREV_B32         VOP1 [gfx942 0x2c] (vdst(B32), src0(B32))                  INT,    valu(Uop::Brev(W::W32));
    V_FFBH_U32          VOP1 [gfx942 0x2d] (vdst(U32), src0(U32))                  INT,    valu(Uop::FfbhU(W::W32));
    V_FFBL_B32          VOP1 [gfx942 0x2e] (vdst(B32), src0(B32))                  INT,    valu(Uop::Ffbl(W::W32));
    V_FFBH_I32          VOP1 [gfx942 0x2f] (vdst(I32), src0(I32))                  INT,    valu(Uop::FfbhI(W::W32));
    V_FREXP_EXP_I32_F64 VOP1 [gfx942 0x30] (vdst(I32), src0(F64))                  F64I,   slow(Uop::FrexpExp(F::F64));
    V_FREXP_MANT_F64    VOP1 [gfx942 0x31] (vdst(F64), src0(F64))                  F64ALL, slow(Uop::FrexpMant(F::F64));
    V_FRACT_F64         VOP1 [gfx942 0x32] (vdst(F64), src0(F64))                  F64ALL, slow(Uop::FFract(F::F64));
    V_FREXP_EXP_I32_F32 VOP1 [gfx942 0x33] (vdst(I32), src0(F32))                  FALLI,  valu(Uop::FrexpExp(F::F32));
    V_FREXP_MANT_F32    VOP1 [gfx942 0x34] (vdst(F32), src0(F32))                  FALL,   valu(Uop::FrexpMant(F::F32));
    V_CLREXCP           VOP1 [gfx942 0x35] ()                                      NO,     valu(Uop::Hint);
    V_MOV_B64           VOP1 [gfx942 0x38] (vdst(B64), src0(B64))                  DP64,   valu(Uop::Mov(W::W64));
    V_CVT_F16_U16       VOP1 [gfx942 0x39] (vdst(F16), src0(U16))                  IALLF,  valu(Uop::CvtFI(F::F16, UI16));
    V_CVT_F16_I16       VOP1 [gfx942 0x3a] (vdst(F16), src0(I16))                  IALLF,  valu(Uop::CvtFI(F::F16, SI16));
    V_CVT_U16_F16       VOP1 [gfx942 0x3b] (vdst(U16), src0(F16))                  FALLI,  valu(Uop::CvtIF(UI16, F::F16));
    V_CVT_I16_F16       VOP1 [gfx942 0x3c] (vdst(I16), src0(F16))                  FALLI,  valu(Uop::CvtIF(SI16, F::F16));
    V_RCP_F16           VOP1 [gfx942 0x3d] (vdst(F16), src0(F16))                  FALL,   trans(Uop::FRcp(F::F16));
    V_SQRT_F16          VOP1 [gfx942 0x3e] (vdst(F16), src0(F16))                  FALL,   trans(Uop::FSqrt(F::F16));
    V_RSQ_F16           VOP1 [gfx942 0x3f] (vdst(F16), src0(F16))                  FALL,   trans(Uop::FRsq(F::F16));
    V_LOG_F16           VOP1 [gfx942 0x40] (vdst(F16), src0(F16))                  FALL,   trans(Uop::FLog2(F::F16));
    V_EXP_F16           VOP1 [gfx942 0x41] (vdst(F16), src0(F16))                  FALL,   trans(Uop::FExp2(F::F16));
    V_FREXP_MANT_F16    VOP1 [gfx942 0x42] (vdst(F16), src0(F16))                  FALL,   valu(Uop::FrexpMant(F::F16));
    V_FREXP_EXP_I16_F16 VOP1 [gfx942 0x43] (vdst(I16), src0(F16))                  FALLI,  valu(Uop::FrexpExp(F::F16));
    V_FLOOR_F16         VOP1 [gfx942 0x44] (vdst(F16), src0(F16))                  FALL,   valu(Uop::FFloor(F::F16));
    V_CEIL_F16          VOP1 [gfx942 0x45] (vdst(F16), src0(F16))                  FALL,   valu(Uop::FCeil(F::F16));
    V_TRUNC_F16         VOP1 [gfx942 0x46] (vdst(F16), src0(F16))                  FALL,   valu(Uop::FTrunc(F::F16));
    V_RNDNE_F16         VOP1 [gfx942 0x47] (vdst(F16), src0(F16))                  FALL,   valu(Uop::FRndne(F::F16));
    V_FRACT_F16         VOP1 [gfx942 0x48] (vdst(F16), src0(F16))                  FALL,   valu(Uop::FFract(F::F16));
    V_SIN_F16           VOP1 [gfx942 0x49] (vdst(F16), src0(F16))                  FALL,   trans(Uop::FSinRev(F::F16));
    V_COS_F16           VOP1 [gfx942 0x4a] (vdst(F16), src0(F16))                  FALL,   trans(Uop::FCosRev(F::F16));
    V_EXP_LEGACY_F32    VOP1 [gfx942 0x4b] (vdst(F32), src0(F32))                  FALL,   trans(Uop::FExp2(F::F32));
    V_LOG_LEGACY_F32    VOP1 [gfx942 0x4c] (vdst(F32), src0(F32))                  FALL,   trans(Uop::FLog2(F::F32));
    V_CVT_NORM_I16_F16  VOP1 [gfx942 0x4d] (vdst(I16), src0(F16))                  FALLI,  valu(Uop::CvtNorm16(true));
    V_CVT_NORM_U16_F16  VOP1 [gfx942 0x4e] (vdst(U16), src0(F16))                  FALLI,  valu(Uop::CvtNorm16(false));
    V_SWAP_B32          VOP1 [gfx942 0x51] (vdst(B32).tied(0), vsrc0(B32).tied(1)) NO,     valu(Uop::Swap);
    V_ACCVGPR_MOV_B32   VOP1 [gfx942 0x52] (adst(B32), asrc0(B32))                 NO,     valu(Uop::AccMov);
}
