//! Register numbers and inline constants.

use crate::isa::desc::{OpType, Reg};

/// flat_scratch, low half.
pub const FLAT_SCRATCH: u16 = 102;
/// xnack_mask, low half.
pub const XNACK_MASK: u16 = 104;
/// VCC, low half.
pub const VCC: u16 = 106;
/// First trap temporary.
pub const TTMP0: u16 = 108;
/// M0 (GFX9, GFX10).
pub const M0: u16 = 124;
/// EXEC, low half.
pub const EXEC: u16 = 126;
/// Source code of src_shared_base.
pub const SRC_SHARED_BASE: u8 = 235;
/// Source code of src_shared_limit.
pub const SRC_SHARED_LIMIT: u8 = 236;
/// Source code of src_private_base.
pub const SRC_PRIVATE_BASE: u8 = 237;
/// Source code of src_private_limit.
pub const SRC_PRIVATE_LIMIT: u8 = 238;
/// Source code of src_pops_exiting_wave_id.
pub const SRC_POPS_EXITING_WAVE_ID: u8 = 239;
/// Source code of vccz as a value.
pub const SRC_VCCZ: u8 = 251;
/// Source code of execz as a value.
pub const SRC_EXECZ: u8 = 252;
/// Source code of SCC as a value.
pub const SRC_SCC: u8 = 253;

/// VCC as a pair.
pub const VCC_PAIR: Reg = Reg::s(VCC, 2);
/// EXEC as a pair.
pub const EXEC_PAIR: Reg = Reg::s(EXEC, 2);

/// Inline float constants: source code, f16, f32 and f64 bits.
const FLOATS: [(u8, u16, u32, u64); 9] = [
    (240, 0x3800, 0x3f00_0000, 0x3fe0_0000_0000_0000),
    (241, 0xb800, 0xbf00_0000, 0xbfe0_0000_0000_0000),
    (242, 0x3c00, 0x3f80_0000, 0x3ff0_0000_0000_0000),
    (243, 0xbc00, 0xbf80_0000, 0xbff0_0000_0000_0000),
    (244, 0x4000, 0x4000_0000, 0x4000_0000_0000_0000),
    (245, 0xc000, 0xc000_0000, 0xc000_0000_0000_0000),
    (246, 0x4400, 0x4080_0000, 0x4010_0000_0000_0000),
    (247, 0xc400, 0xc080_0000, 0xc010_0000_0000_0000),
    (248, 0x3118, 0x3e22_f983, 0x3fc4_5f30_6dc9_c882),
];

/// The integer that inline code `code` stands for, if it is one.
pub fn inline_int(code: u8) -> Option<i64> {
    match code {
        128..=192 => Some(i64::from(code) - 128),
        193..=208 => Some(192 - i64::from(code)),
        _ => None,
    }
}

/// The bits that inline constant `code` gives an operand of type `ty`, in the low bits of the
/// result; integers are extended by the sign to the operand's width. `None` for codes that are not
/// constants (the `src_*` values).
pub fn inline_bits(code: u8, ty: OpType) -> Option<u64> {
    let width = operand_bits(ty);
    if let Some(value) = inline_int(code) {
        return Some(value as u64 & mask(width));
    }
    let (_, half, single, double) = FLOATS.iter().find(|f| f.0 == code)?;
    Some(match ty {
        OpType::F16 | OpType::V2F16 => u64::from(*half),
        OpType::B16 | OpType::I16 | OpType::U16 => u64::from(*half),
        _ if width == 64 => *double,
        _ => u64::from(*single),
    })
}

/// The inline code for `bits` in an operand of type `ty`, if there is one.
pub fn inline_for(bits: u64, ty: OpType) -> Option<u8> {
    let bits = bits & mask(operand_bits(ty));
    (128..=248u8).find(|&code| inline_bits(code, ty) == Some(bits))
}

fn operand_bits(ty: OpType) -> u32 {
    match ty {
        OpType::B16 | OpType::I16 | OpType::U16 | OpType::F16 => 16,
        OpType::B64 | OpType::I64 | OpType::U64 | OpType::F64 | OpType::Mask => 64,
        // A packed pair takes the constant in both halves or in the low one; one dword either way.
        OpType::V2x16 | OpType::V2F16 | OpType::V2F32 => 32,
        OpType::B32 | OpType::I32 | OpType::U32 | OpType::F32 => 32,
        OpType::B96 | OpType::B128 | OpType::B256 | OpType::B512 | OpType::Imm => 32,
    }
}

fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_constants_go_both_ways() {
        for ty in [
            OpType::F16,
            OpType::F32,
            OpType::F64,
            OpType::I32,
            OpType::I64,
        ] {
            for code in (128..=208).chain(240..=248) {
                let bits = inline_bits(code, ty).expect("a constant");
                assert_eq!(inline_for(bits, ty), Some(code), "{ty:?} {code}");
            }
        }
        assert_eq!(inline_bits(193, OpType::U32), Some(0xffff_ffff));
        assert_eq!(inline_bits(242, OpType::F64), Some(0x3ff0_0000_0000_0000));
        assert_eq!(inline_bits(235, OpType::B64), None);
    }
}
