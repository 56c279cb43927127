//! Reading and writing operands: registers, constants, modifiers, sub-dword selection, lane
//! permutation.

use crate::isa::amdgpu::regs;
use crate::isa::{Ext, MachineInst, OpType, Operand, OperandSpec, Reg, RegFile};
use crate::vm::wave::{LANES, Lanes, PRIVATE_APERTURE, SGPRS, SHARED_APERTURE, VGPRS, Wave};

/// A value for each lane.
pub type Values = [u64; LANES];

/// Width in bits of a type as an operand of arithmetic.
fn bits(ty: OpType) -> u32 {
    match ty {
        OpType::B16 | OpType::I16 | OpType::U16 | OpType::F16 => 16,
        OpType::B64 | OpType::I64 | OpType::U64 | OpType::F64 | OpType::V2F32 | OpType::Mask => 64,
        _ => 32,
    }
}

/// The sign bit of a float type.
fn sign_bit(ty: OpType) -> Option<u64> {
    match ty {
        OpType::F16 => Some(1 << 15),
        OpType::F32 => Some(1 << 31),
        OpType::F64 => Some(1 << 63),
        _ => None,
    }
}

/// The number of a source by its field: modifiers count sources by place, not by meaning.
pub fn source_number(spec: &OperandSpec) -> Option<u8> {
    match spec.field {
        "src0" => Some(0),
        "src1" | "vsrc1" => Some(1),
        "src2" => Some(2),
        _ => None,
    }
}

/// A scalar operand: constants, and up to two dwords of scalar registers.
pub fn scalar(wave: &Wave, operand: &Operand, ty: OpType) -> u64 {
    match *operand {
        Operand::Reg(reg) => match reg.file {
            RegFile::Sgpr if reg.count >= 2 => wave.pair(reg.index),
            RegFile::Sgpr => u64::from(wave.sgpr[usize::from(reg.index) % SGPRS]),
            RegFile::Scc => u64::from(wave.scc),
            // A vector register where a scalar is wanted: its first lane.
            RegFile::Vgpr => u64::from(wave.vgpr[usize::from(reg.index) % VGPRS][0]),
            RegFile::Agpr => u64::from(wave.agpr[usize::from(reg.index) % VGPRS][0]),
        },
        Operand::Inline(code) => inline(wave, code, ty),
        Operand::Literal(literal) => literal_bits(literal, ty),
        Operand::Imm(value) => value as u64 & crate::num::int::mask(bits(ty)),
        Operand::Off => 0,
    }
}

fn inline(wave: &Wave, code: u8, ty: OpType) -> u64 {
    match code {
        regs::SRC_SHARED_BASE => u64::from(SHARED_APERTURE) << 32,
        regs::SRC_SHARED_LIMIT => u64::from(SHARED_APERTURE) << 32 | 0xffff_ffff,
        regs::SRC_PRIVATE_BASE => u64::from(PRIVATE_APERTURE) << 32,
        regs::SRC_PRIVATE_LIMIT => u64::from(PRIVATE_APERTURE) << 32 | 0xffff_ffff,
        regs::SRC_VCCZ => u64::from(wave.vcc() & wave.lane_mask() == 0),
        regs::SRC_EXECZ => u64::from(wave.exec() == 0),
        regs::SRC_SCC => u64::from(wave.scc),
        _ => regs::inline_bits(code, ty).unwrap_or(0),
    }
}

/// A literal in an operand: high half of a double, sign-extended for signed 64-bit integers.
fn literal_bits(literal: u32, ty: OpType) -> u64 {
    match ty {
        OpType::F64 => u64::from(literal) << 32,
        OpType::I64 => i64::from(literal as i32) as u64,
        _ => u64::from(literal) & crate::num::int::mask(bits(ty)),
    }
}

/// A register of a vector file.
pub fn vector_file(wave: &Wave, file: RegFile) -> &Vec<Lanes> {
    if file == RegFile::Agpr {
        &wave.agpr
    } else {
        &wave.vgpr
    }
}

/// The raw lanes of an operand without modifiers.
fn raw(wave: &Wave, operand: &Operand, ty: OpType) -> Values {
    let Operand::Reg(reg) = *operand else {
        return [scalar(wave, operand, ty); LANES];
    };
    if matches!(reg.file, RegFile::Sgpr | RegFile::Scc) {
        return [scalar(wave, operand, ty); LANES];
    }
    let file = vector_file(wave, reg.file);
    let low = &file[usize::from(reg.index) % VGPRS];
    let mut out = [0; LANES];
    if bits(ty) == 64 {
        let high = &file[(usize::from(reg.index) + 1) % VGPRS];
        for lane in 0..LANES {
            out[lane] = u64::from(low[lane]) | u64::from(high[lane]) << 32;
        }
    } else {
        for lane in 0..LANES {
            out[lane] = u64::from(low[lane]);
        }
    }
    out
}

/// The source lane of each lane under a DPP control; `None` where it does not exist.
fn dpp_source(ctrl: u16, lane: usize) -> Option<usize> {
    let (row, at) = (lane & !15, lane & 15);
    let n = usize::from(ctrl & 15);
    match ctrl {
        0x000..=0x0ff => Some((lane & !3) + usize::from(ctrl >> (2 * (lane & 3)) & 3)),
        0x101..=0x10f => (at + n < 16).then_some(lane + n),
        0x111..=0x11f => at.checked_sub(n).map(|a| row + a),
        0x121..=0x12f => Some(row + (at + 16 - n) % 16),
        0x130 => (lane < 63).then_some(lane + 1),
        0x134 => Some((lane + 1) % 64),
        0x138 => lane.checked_sub(1),
        0x13c => Some((lane + 63) % 64),
        0x140 => Some(row + 15 - at),
        0x141 => Some((lane & !7) + 7 - (lane & 7)),
        0x142 => (lane >= 16).then(|| row - 1),
        0x143 => (lane >= 32).then_some(31),
        0x150..=0x15f => Some(row + n),
        _ => None,
    }
}

/// A source of a vector instruction, with modifiers applied.
///
/// `valid` loses the lanes that must not be written because their DPP source does not exist.
pub fn source(
    wave: &Wave,
    inst: &MachineInst,
    spec: &OperandSpec,
    operand: &Operand,
    valid: &mut u64,
) -> Values {
    let mut values = raw(wave, operand, spec.ty);
    let Some(number) = source_number(spec) else {
        return values;
    };
    match inst.mods.ext {
        Ext::Sdwa { src_sel, sext, .. } if number < 2 => {
            let sel = src_sel[usize::from(number)];
            let signed = sext >> number & 1 != 0;
            values
                .iter_mut()
                .for_each(|v| *v = select_part(*v, sel, signed));
        }
        Ext::Dpp {
            ctrl,
            row_mask,
            bank_mask,
            bound_ctrl,
            ..
        } => {
            if number == 0 {
                permute(wave, ctrl, bound_ctrl, &mut values, valid);
            }
            for lane in 0..LANES {
                let (row, bank) = (lane / 16, lane / 4 % 4);
                if row_mask >> row & 1 == 0 || bank_mask >> bank & 1 == 0 {
                    *valid &= !(1 << lane);
                }
            }
        }
        Ext::None | Ext::Sdwa { .. } | Ext::Dpp8 { .. } => {}
    }
    let half = matches!(
        spec.ty,
        OpType::B16 | OpType::I16 | OpType::U16 | OpType::F16
    );
    if half && inst.mods.op_sel >> number & 1 != 0 {
        values.iter_mut().for_each(|v| *v >>= 16);
    }
    if half {
        values.iter_mut().for_each(|v| *v &= 0xffff);
    }
    if let Some(sign) = sign_bit(spec.ty) {
        if inst.mods.abs >> number & 1 != 0 {
            values.iter_mut().for_each(|v| *v &= !sign);
        }
        if inst.mods.neg >> number & 1 != 0 {
            values.iter_mut().for_each(|v| *v ^= sign);
        }
    }
    values
}

fn permute(wave: &Wave, ctrl: u16, bound_ctrl: bool, values: &mut Values, valid: &mut u64) {
    let old = *values;
    let exec = wave.exec();
    for (lane, slot) in values.iter_mut().enumerate() {
        match dpp_source(ctrl, lane).filter(|s| exec >> s & 1 != 0) {
            Some(source) => *slot = old[source],
            None if bound_ctrl => *slot = 0,
            None => *valid &= !(1 << lane),
        }
    }
}

/// A byte, word or dword of a source (SDWA selectors).
fn select_part(value: u64, sel: u8, signed: bool) -> u64 {
    let (shift, width) = match sel {
        0..=3 => (8 * u32::from(sel), 8),
        4 | 5 => (16 * u32::from(sel - 4), 16),
        _ => return value,
    };
    let part = value >> shift & crate::num::int::mask(width);
    if signed {
        crate::num::int::sext(part, width) as u64 & 0xffff_ffff
    } else {
        part
    }
}

/// How a result of less than 32 bits goes into its register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrow {
    /// It fills the register.
    Whole,
    /// The other half becomes zero.
    ZeroHigh,
    /// It goes to the low half, the other is kept.
    KeepHigh,
    /// It goes to the high half, the other is kept.
    High,
}

/// Writes a vector result to the lanes of `mask`.
pub fn write_vector(
    wave: &mut Wave,
    inst: &MachineInst,
    reg: Reg,
    values: &Values,
    mask: u64,
    narrow: Narrow,
) {
    let index = usize::from(reg.index) % VGPRS;
    let next = (index + 1) % VGPRS;
    let file = if reg.file == RegFile::Agpr {
        &mut wave.agpr
    } else {
        &mut wave.vgpr
    };
    for lane in crate::vm::wave::lanes_of(mask) {
        let old = file[index][lane];
        let value = values[lane];
        let low = value as u32;
        file[index][lane] = match (inst.mods.ext, narrow) {
            (
                Ext::Sdwa {
                    dst_sel,
                    dst_unused,
                    ..
                },
                _,
            ) if dst_sel != 6 => place_part(old, low, dst_sel, dst_unused),
            (_, Narrow::Whole) => low,
            (_, Narrow::ZeroHigh) => low & 0xffff,
            (_, Narrow::KeepHigh) => old & 0xffff_0000 | low & 0xffff,
            (_, Narrow::High) => old & 0xffff | low << 16,
        };
        if reg.count >= 2 {
            file[next][lane] = (value >> 32) as u32;
        }
    }
}

/// Puts a byte or word into its place: the rest becomes zero, copies of the sign, or stays.
fn place_part(old: u32, value: u32, sel: u8, unused: u8) -> u32 {
    let (shift, width) = match sel {
        0..=3 => (8 * u32::from(sel), 8),
        _ => (16 * u32::from(sel & 1), 16),
    };
    let mask = (crate::num::int::mask(width) as u32) << shift;
    let placed = value << shift & mask;
    match unused {
        0 => placed,
        1 => {
            let signed = crate::num::int::sext(u64::from(value), width) as u32;
            let below = (1u32 << shift) - 1;
            signed << shift & !below
        }
        _ => old & !mask | placed,
    }
}
