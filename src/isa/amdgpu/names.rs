//! Names in assembly text: registers, special values, hardware registers, messages, selectors. The
//! printer reads the tables forwards, the assembler backwards.

use std::fmt::{self, Write};

use crate::isa::desc::{OpType, Reg, RegFile};

use super::regs::{
    EXEC, FLAT_SCRATCH, M0, SRC_EXECZ, SRC_POPS_EXITING_WAVE_ID, SRC_PRIVATE_BASE,
    SRC_PRIVATE_LIMIT, SRC_SCC, SRC_SHARED_BASE, SRC_SHARED_LIMIT, SRC_VCCZ, TTMP0, VCC,
    XNACK_MASK,
};

/// Scalar registers with names of their own: first dword, dwords, name.
pub(super) const SPECIAL_REGS: &[(u16, u8, &str)] = &[
    (FLAT_SCRATCH, 2, "flat_scratch"),
    (FLAT_SCRATCH, 1, "flat_scratch_lo"),
    (FLAT_SCRATCH + 1, 1, "flat_scratch_hi"),
    (XNACK_MASK, 2, "xnack_mask"),
    (XNACK_MASK, 1, "xnack_mask_lo"),
    (XNACK_MASK + 1, 1, "xnack_mask_hi"),
    (VCC, 2, "vcc"),
    (VCC, 1, "vcc_lo"),
    (VCC + 1, 1, "vcc_hi"),
    (M0, 1, "m0"),
    (EXEC, 2, "exec"),
    (EXEC, 1, "exec_lo"),
    (EXEC + 1, 1, "exec_hi"),
];

/// Values read through source codes.
pub(super) const SPECIAL_VALUES: &[(u8, &str)] = &[
    (SRC_SHARED_BASE, "src_shared_base"),
    (SRC_SHARED_LIMIT, "src_shared_limit"),
    (SRC_PRIVATE_BASE, "src_private_base"),
    (SRC_PRIVATE_LIMIT, "src_private_limit"),
    (SRC_POPS_EXITING_WAVE_ID, "src_pops_exiting_wave_id"),
    (SRC_VCCZ, "src_vccz"),
    (SRC_EXECZ, "src_execz"),
    (SRC_SCC, "src_scc"),
];

/// Inline float constants.
pub(super) const FLOATS: &[(u8, &str)] = &[
    (240, "0.5"),
    (241, "-0.5"),
    (242, "1.0"),
    (243, "-1.0"),
    (244, "2.0"),
    (245, "-2.0"),
    (246, "4.0"),
    (247, "-4.0"),
    (248, "0.15915494"),
];

/// 1/(2π) in a 64-bit operand.
pub(super) const INV_2PI_F64: &str = "0.15915494309189532";

/// Hardware registers of GFX9 (gfx942).
pub(super) const HW_REGS: &[(u16, &str)] = &[
    (1, "HW_REG_MODE"),
    (2, "HW_REG_STATUS"),
    (3, "HW_REG_TRAPSTS"),
    (4, "HW_REG_HW_ID"),
    (5, "HW_REG_GPR_ALLOC"),
    (6, "HW_REG_LDS_ALLOC"),
    (7, "HW_REG_IB_STS"),
    (15, "HW_REG_SH_MEM_BASES"),
    (16, "HW_REG_TBA_LO"),
    (17, "HW_REG_TBA_HI"),
    (18, "HW_REG_TMA_LO"),
    (19, "HW_REG_TMA_HI"),
    (20, "HW_REG_XCC_ID"),
    (21, "HW_REG_SQ_PERF_SNAPSHOT_DATA"),
    (22, "HW_REG_SQ_PERF_SNAPSHOT_DATA1"),
    (23, "HW_REG_SQ_PERF_SNAPSHOT_PC_LO"),
    (24, "HW_REG_SQ_PERF_SNAPSHOT_PC_HI"),
];

/// Messages of GFX9 that have no operation.
pub(super) const MESSAGES: &[(u16, &str)] = &[
    (1, "MSG_INTERRUPT"),
    (4, "MSG_SAVEWAVE"),
    (5, "MSG_STALL_WAVE_GEN"),
    (6, "MSG_HALT_WAVES"),
    (7, "MSG_ORDERED_PS_DONE"),
    (8, "MSG_EARLY_PRIM_DEALLOC"),
    (9, "MSG_GS_ALLOC_REQ"),
    (10, "MSG_GET_DOORBELL"),
];

/// SDWA selectors.
pub(super) const SELECTORS: &[(u8, &str)] = &[
    (0, "BYTE_0"),
    (1, "BYTE_1"),
    (2, "BYTE_2"),
    (3, "BYTE_3"),
    (4, "WORD_0"),
    (5, "WORD_1"),
    (6, "DWORD"),
];

/// What SDWA does with the rest of the destination.
pub(super) const UNUSED: &[(u8, &str)] = &[
    (0, "UNUSED_PAD"),
    (1, "UNUSED_SEXT"),
    (2, "UNUSED_PRESERVE"),
];

/// DPP controls with a number: first code, first number, last number, name.
pub(super) const DPP_COUNTED: &[(u16, u16, u16, &str)] = &[
    (0x101, 1, 15, "row_shl"),
    (0x111, 1, 15, "row_shr"),
    (0x121, 1, 15, "row_ror"),
    (0x130, 1, 1, "wave_shl"),
    (0x134, 1, 1, "wave_rol"),
    (0x138, 1, 1, "wave_shr"),
    (0x13c, 1, 1, "wave_ror"),
    (0x142, 15, 15, "row_bcast"),
    (0x143, 31, 31, "row_bcast"),
    (0x150, 0, 15, "row_newbcast"),
];

/// DPP controls without.
pub(super) const DPP_PLAIN: &[(u16, &str)] = &[(0x140, "row_mirror"), (0x141, "row_half_mirror")];

/// The name that stands at `key` in a table.
pub(super) fn name_of<K: PartialEq + Copy>(
    table: &[(K, &'static str)],
    key: K,
) -> Option<&'static str> {
    table.iter().find(|row| row.0 == key).map(|row| row.1)
}

impl fmt::Display for Reg {
    /// `s5`, `s[4:5]`, `v[0:3]`, `a7`, `vcc`, `m0`, `ttmp[2:3]`, `scc`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (prefix, first) = match self.file {
            RegFile::Vgpr => ("v", self.index),
            RegFile::Agpr => ("a", self.index),
            RegFile::Scc => return f.write_str("scc"),
            RegFile::Sgpr => {
                let named = SPECIAL_REGS
                    .iter()
                    .find(|row| row.0 == self.index && row.1 == self.count);
                match (named, self.index) {
                    (Some(row), _) => return f.write_str(row.2),
                    (None, TTMP0..M0) => ("ttmp", self.index - TTMP0),
                    (None, _) => ("s", self.index),
                }
            }
        };
        match self.count {
            0 | 1 => write!(f, "{prefix}{first}"),
            n => write!(f, "{prefix}[{first}:{}]", first + u16::from(n) - 1),
        }
    }
}

/// Text of an inline constant in an operand of type `ty`.
pub(super) fn inline_text(code: u8, ty: OpType) -> String {
    if let Some(value) = super::regs::inline_int(code) {
        return value.to_string();
    }
    if code == 248 && matches!(ty, OpType::B64 | OpType::I64 | OpType::U64 | OpType::F64) {
        return INV_2PI_F64.to_owned();
    }
    let name = name_of(FLOATS, code).or_else(|| name_of(SPECIAL_VALUES, code));
    name.map_or_else(|| format!("<code {code}>"), str::to_owned)
}

/// `name:[a,b,c]` of the low `count` bits.
pub(super) fn bit_list(out: &mut String, name: &str, bits: u8, count: usize) {
    let list: Vec<&str> = (0..count)
        .map(|n| if bits >> n & 1 == 1 { "1" } else { "0" })
        .collect();
    let _ = write!(out, " {name}:[{}]", list.join(","));
}
