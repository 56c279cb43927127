//! Scalar memory instructions.
//!
//! Source: AMD Instinct MI300 ISA guide, sections 8 and 13.2.

use super::operands::*;
use super::row::rows;
use crate::isa::uop::*;

#[rustfmt::skip]
rows! {
    from super::sop::END;
    // SMEM: section 13.2.1.
    S_LOAD_DWORD           SMEM [gfx942 0x00] (sdata(B32), sbase(B64), SOFFSET)           SM, smem(Uop::Load(MemSpace::Scalar, dwords(1)));
    S_LOAD_DWORDX2         SMEM [gfx942 0x01] (sdata(B64), sbase(B64), SOFFSET)           SM, smem(Uop::Load(MemSpace::Scalar, dwords(2)));
    S_LOAD_DWORDX4         SMEM [gfx942 0x02] (sdata(B128), sbase(B64), SOFFSET)          SM, smem(Uop::Load(MemSpace::Scalar, dwords(4)));
    S_LOAD_DWORDX8         SMEM [gfx942 0x03] (sdata(B256), sbase(B64), SOFFSET)          SM, smem(Uop::Load(MemSpace::Scalar, dwords(8)));
    S_LOAD_DWORDX16        SMEM [gfx942 0x04] (sdata(B512), sbase(B64), SOFFSET)          SM, smem(Uop::Load(MemSpace::Scalar, dwords(16)));
    S_BUFFER_LOAD_DWORD    SMEM [gfx942 0x08] (sdata(B32), sbase(B128), SOFFSET)          SM, smem(Uop::Load(MemSpace::Buffer, dwords(1)));
    S_BUFFER_LOAD_DWORDX2  SMEM [gfx942 0x09] (sdata(B64), sbase(B128), SOFFSET)          SM, smem(Uop::Load(MemSpace::Buffer, dwords(2)));
    S_BUFFER_LOAD_DWORDX4  SMEM [gfx942 0x0a] (sdata(B128), sbase(B128), SOFFSET)         SM, smem(Uop::Load(MemSpace::Buffer, dwords(4)));
    S_BUFFER_LOAD_DWORDX8  SMEM [gfx942 0x0b] (sdata(B256), sbase(B128), SOFFSET)         SM, smem(Uop::Load(MemSpace::Buffer, dwords(8)));
    S_BUFFER_LOAD_DWORDX16 SMEM [gfx942 0x0c] (sdata(B512), sbase(B128), SOFFSET)         SM, smem(Uop::Load(MemSpace::Buffer, dwords(16)));
    S_STORE_DWORD          SMEM [gfx942 0x10] (sdata(B32).read(1), sbase(B64), SOFFSET)   SM, smem(Uop::Store(MemSpace::Scalar, dwords(1)));
    S_STORE_DWORDX2        SMEM [gfx942 0x11] (sdata(B64).read(1), sbase(B64), SOFFSET)   SM, smem(Uop::Store(MemSpace::Scalar, dwords(2)));
    S_STORE_DWORDX4        SMEM [gfx942 0x12] (sdata(B128).read(1), sbase(B64), SOFFSET)  SM, smem(Uop::Store(MemSpace::Scalar, dwords(4)));
    S_BUFFER_STORE_DWORD   SMEM [gfx942 0x18] (sdata(B32).read(1), sbase(B128), SOFFSET)  SM, smem(Uop::Store(MemSpace::Buffer, dwords(1)));
    S_BUFFER_STORE_DWORDX2 SMEM [gfx942 0x19] (sdata(B64).read(1), sbase(B128), SOFFSET)  SM, smem(Uop::Store(MemSpace::Buffer, dwords(2)));
    S_BUFFER_STORE_DWORDX4 SMEM [gfx942 0x1a] (sdata(B128).read(1), sbase(B128), SOFFSET) SM, smem(Uop::Store(MemSpace::Buffer, dwords(4)));
    S_DCACHE_INV           SMEM [gfx942 0x20] ()                                          NO, smem(Uop::CacheOp);
    S_DCACHE_WB            SMEM [gfx942 0x21] ()                                          NO, smem(Uop::CacheOp);
    S_DCACHE_INV_VOL       SMEM [gfx942 0x22] ()                                          NO, smem(Uop::CacheOp);
    S_DCACHE_WB_VOL        SMEM [gfx942 0x23] ()                                          NO, smem(Uop::CacheOp);
    S_MEMTIME              SMEM [gfx942 0x24] (sdata(B64))                                NO, smem(Uop::Clock);
    S_MEMREALTIME          SMEM [gfx942 0x25] (sdata(B64))                                NO, smem(Uop::Clock);
}
