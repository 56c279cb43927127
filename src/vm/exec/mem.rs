//! Memory instructions: addresses, sub-dword data, read-modify-write, LDS lane permutation.

use super::operand::scalar;
use super::{Group, unsupported};
use crate::isa::uop::{AtomicOp, MemShape, MemSpace, Uop, W};
use crate::isa::{OpType, Operand, Reg, RegFile};
use crate::num::{Format, FpEnv, arith, compare, int};
use crate::vm::fault::FaultKind;
use crate::vm::program::Step;
use crate::vm::wave::{LANES, PRIVATE_APERTURE, SGPRS, SHARED_APERTURE, VGPRS, Wave, lanes_of};

/// Where one lane's access goes.
#[derive(Clone, Copy, Debug)]
enum Place {
    Global(u64),
    Scratch(u64),
    Lds(u64),
}

fn operand(step: &Step, arg: usize) -> Option<&Operand> {
    step.args[arg].map(|n| &step.inst.operands[usize::from(n)])
}

/// Executes a memory instruction.
pub fn execute(step: &Step, wave: &mut Wave, group: &mut Group<'_>) -> Result<(), FaultKind> {
    match step.sem.uop {
        Uop::CacheOp => Ok(()),
        Uop::Clock => {
            let now = wave.executed;
            if let Some(reg) = dst(step) {
                super::scalar::write_reg(wave, reg, now);
            }
            Ok(())
        }
        Uop::Load(MemSpace::Scalar, shape) => scalar_load(step, wave, group, shape),
        Uop::Load(space, shape) => vector_load(step, wave, group, space, shape),
        Uop::Store(space, shape) if space != MemSpace::Scalar && space != MemSpace::Buffer => {
            vector_store(step, wave, group, space, shape)
        }
        Uop::Atomic(space, op, w) => atomic(step, wave, group, space, op, w),
        Uop::Load2(shape, stride) => load2(step, wave, group, shape, stride),
        Uop::Store2(shape, stride) => store2(step, wave, group, shape, stride),
        Uop::Bpermute | Uop::Permute => permute(step, wave),
        Uop::Swizzle => swizzle(step, wave),
        _ => Err(unsupported(step)),
    }
}

fn dst(step: &Step) -> Option<Reg> {
    match step.inst.operands.get(usize::from(*step.dsts.first()?))? {
        Operand::Reg(reg) => Some(*reg),
        _ => None,
    }
}

fn scalar_load(
    step: &Step,
    wave: &mut Wave,
    group: &Group<'_>,
    shape: MemShape,
) -> Result<(), FaultKind> {
    let base = operand(step, 3).map_or(0, |o| scalar(wave, o, OpType::B64));
    let offset = match operand(step, 0) {
        Some(Operand::Imm(value)) => *value,
        Some(other) => scalar(wave, other, OpType::U32) as i64 + i64::from(step.inst.mods.offset),
        None => i64::from(step.inst.mods.offset),
    };
    let address = base.wrapping_add_signed(offset) & !3;
    let Some(reg) = dst(step) else { return Ok(()) };
    for n in 0..u64::from(shape.count) {
        let value = group.memory.load(address.wrapping_add(4 * n), 4)?;
        let index = usize::from(reg.index) + n as usize;
        wave.sgpr[index % SGPRS] = value as u32;
    }
    Ok(())
}

/// The address of a lane.
fn place(step: &Step, wave: &Wave, space: MemSpace, lane: usize) -> Result<Place, FaultKind> {
    let offset = i64::from(step.inst.mods.offset);
    let lane_value = |n: usize, wide: bool| -> u64 {
        match operand(step, n) {
            Some(Operand::Reg(reg)) if reg.file == RegFile::Vgpr => {
                let low = wave.vgpr[usize::from(reg.index) % VGPRS][lane];
                let high = wave.vgpr[(usize::from(reg.index) + 1) % VGPRS][lane];
                u64::from(low) | if wide { u64::from(high) << 32 } else { 0 }
            }
            _ => 0,
        }
    };
    let base = match operand(step, 3) {
        Some(operand @ Operand::Reg(reg)) => Some(scalar(
            wave,
            operand,
            if reg.count >= 2 {
                OpType::B64
            } else {
                OpType::B32
            },
        )),
        _ => None,
    };
    Ok(match space {
        MemSpace::Global => match base {
            Some(base) => Place::Global(
                base.wrapping_add(lane_value(0, false))
                    .wrapping_add_signed(offset),
            ),
            None => Place::Global(lane_value(0, true).wrapping_add_signed(offset)),
        },
        MemSpace::Flat => {
            let address = lane_value(0, true).wrapping_add_signed(offset);
            match (address >> 32) as u32 {
                SHARED_APERTURE => Place::Lds(address & 0xffff_ffff),
                PRIVATE_APERTURE => Place::Scratch(address & 0xffff_ffff),
                _ => Place::Global(address),
            }
        }
        MemSpace::Scratch => {
            let sum = lane_value(0, false)
                .wrapping_add(base.unwrap_or(0))
                .wrapping_add_signed(offset);
            Place::Scratch(sum & 0xffff_ffff)
        }
        MemSpace::Lds => {
            Place::Lds((lane_value(0, false).wrapping_add_signed(offset)) & 0xffff_ffff)
        }
        MemSpace::Scalar | MemSpace::Buffer => return Err(unsupported(step)),
    })
}

impl Place {
    fn plus(self, n: u64) -> Place {
        match self {
            Place::Global(a) => Place::Global(a.wrapping_add(n)),
            Place::Scratch(a) => Place::Scratch(a.wrapping_add(n)),
            Place::Lds(a) => Place::Lds(a.wrapping_add(n)),
        }
    }
}

fn bytes_of<'b>(
    data: &'b mut [u8],
    at: u64,
    bytes: u32,
    what: &str,
) -> Result<&'b mut [u8], FaultKind> {
    let len = data.len();
    let range = usize::try_from(at)
        .ok()
        .and_then(|s| Some(s..s.checked_add(bytes as usize)?));
    range.and_then(|r| data.get_mut(r)).ok_or_else(|| {
        FaultKind::OutOfRange(format!(
            "{bytes} bytes at {what} offset {at:#x}, which has {len} bytes"
        ))
    })
}

fn lane_scratch(wave: &mut Wave, lane: usize) -> &mut [u8] {
    let size = wave.scratch_bytes as usize;
    wave.scratch
        .get_mut(lane * size..(lane + 1) * size)
        .unwrap_or(&mut [])
}

fn load(
    wave: &mut Wave,
    group: &mut Group<'_>,
    place: Place,
    lane: usize,
    bytes: u32,
) -> Result<u64, FaultKind> {
    let data = match place {
        Place::Global(address) => return group.memory.load(address, bytes),
        Place::Scratch(at) => bytes_of(lane_scratch(wave, lane), at, bytes, "scratch")?,
        Place::Lds(at) => bytes_of(&mut group.lds, at, bytes, "LDS")?,
    };
    let mut raw = [0; 8];
    raw[..data.len()].copy_from_slice(data);
    Ok(u64::from_le_bytes(raw))
}

fn store(
    wave: &mut Wave,
    group: &mut Group<'_>,
    place: Place,
    lane: usize,
    bytes: u32,
    value: u64,
) -> Result<(), FaultKind> {
    let data = match place {
        Place::Global(address) => return group.memory.store(address, bytes, value),
        Place::Scratch(at) => bytes_of(lane_scratch(wave, lane), at, bytes, "scratch")?,
        Place::Lds(at) => bytes_of(&mut group.lds, at, bytes, "LDS")?,
    };
    let len = data.len();
    data.copy_from_slice(&value.to_le_bytes()[..len]);
    Ok(())
}

fn set(wave: &mut Wave, reg: Reg, n: u16, lane: usize, value: u32) {
    let index = usize::from(reg.index + n) % VGPRS;
    let file = if reg.file == RegFile::Agpr {
        &mut wave.agpr
    } else {
        &mut wave.vgpr
    };
    file[index][lane] = value;
}

fn get(wave: &Wave, reg: Reg, n: u16, lane: usize) -> u32 {
    super::operand::vector_file(wave, reg.file)[usize::from(reg.index + n) % VGPRS][lane]
}

fn data(step: &Step, arg: usize) -> Option<Reg> {
    match operand(step, arg)? {
        Operand::Reg(reg) => Some(*reg),
        _ => None,
    }
}

/// A loaded element as a register's contents.
fn widen(shape: MemShape, old: u32, value: u64) -> u32 {
    let width = u32::from(shape.elem) * 8;
    let extended = if shape.sext {
        int::sext(value, width) as u32
    } else {
        value as u32
    };
    match (shape.d16, shape.hi) {
        (true, true) => old & 0xffff | extended << 16,
        (true, false) => old & 0xffff_0000 | extended & 0xffff,
        (false, _) => extended,
    }
}

fn vector_load(
    step: &Step,
    wave: &mut Wave,
    group: &mut Group<'_>,
    space: MemSpace,
    shape: MemShape,
) -> Result<(), FaultKind> {
    let Some(reg) = dst(step) else { return Ok(()) };
    // All lanes read before any register changes: the result may overwrite the addresses.
    let mut loaded = [[0u32; 4]; LANES];
    let exec = wave.exec();
    for lane in lanes_of(exec) {
        let place = place(step, wave, space, lane)?;
        let bytes = u32::from(shape.elem);
        let elements = loaded[lane].iter_mut().take(usize::from(shape.count));
        for (n, slot) in elements.enumerate() {
            let at = place.plus(u64::from(bytes) * n as u64);
            let value = load(wave, group, at, lane, bytes)?;
            *slot = widen(shape, get(wave, reg, n as u16, lane), value);
        }
    }
    for lane in lanes_of(exec) {
        for n in 0..u16::from(shape.count.min(4)) {
            set(wave, reg, n, lane, loaded[lane][usize::from(n)]);
        }
    }
    Ok(())
}

fn vector_store(
    step: &Step,
    wave: &mut Wave,
    group: &mut Group<'_>,
    space: MemSpace,
    shape: MemShape,
) -> Result<(), FaultKind> {
    let Some(reg) = data(step, 1) else {
        return Ok(());
    };
    for lane in lanes_of(wave.exec()) {
        let place = place(step, wave, space, lane)?;
        for n in 0..u16::from(shape.count) {
            let mut value = get(wave, reg, n, lane);
            if shape.hi {
                value >>= 16;
            }
            let bytes = u32::from(shape.elem);
            store(
                wave,
                group,
                place.plus(u64::from(bytes) * u64::from(n)),
                lane,
                bytes,
                u64::from(value),
            )?;
        }
    }
    Ok(())
}

/// Offsets of a two-address LDS instruction in bytes.
fn two_offsets(step: &Step, shape: MemShape, stride: u8) -> [u64; 2] {
    let scale = u64::from(shape.elem) * u64::from(shape.count) * u64::from(stride);
    let raw = step.inst.mods.offset as u64;
    [(raw & 0xff) * scale, (raw >> 8 & 0xff) * scale]
}

fn lds_base(step: &Step, wave: &Wave, lane: usize) -> u64 {
    data(step, 0).map_or(0, |reg| u64::from(get(wave, reg, 0, lane)))
}

fn load2(
    step: &Step,
    wave: &mut Wave,
    group: &mut Group<'_>,
    shape: MemShape,
    stride: u8,
) -> Result<(), FaultKind> {
    let Some(reg) = dst(step) else { return Ok(()) };
    let words = u64::from(shape.elem) * u64::from(shape.count) / 4;
    let mut loaded = [[0u32; 4]; LANES];
    for lane in lanes_of(wave.exec()) {
        for (half, offset) in two_offsets(step, shape, stride).into_iter().enumerate() {
            for n in 0..words {
                let place = Place::Lds(lds_base(step, wave, lane) + offset + 4 * n);
                let at = half * words as usize + n as usize;
                loaded[lane][at] = load(wave, group, place, lane, 4)? as u32;
            }
        }
    }
    for lane in lanes_of(wave.exec()) {
        for n in 0..2 * words as u16 {
            set(wave, reg, n, lane, loaded[lane][usize::from(n)]);
        }
    }
    Ok(())
}

fn store2(
    step: &Step,
    wave: &mut Wave,
    group: &mut Group<'_>,
    shape: MemShape,
    stride: u8,
) -> Result<(), FaultKind> {
    let words = u64::from(shape.elem) * u64::from(shape.count) / 4;
    for lane in lanes_of(wave.exec()) {
        for (half, offset) in two_offsets(step, shape, stride).into_iter().enumerate() {
            let Some(reg) = data(step, 1 + half) else {
                continue;
            };
            for n in 0..words {
                let place = Place::Lds(lds_base(step, wave, lane) + offset + 4 * n);
                let value = get(wave, reg, n as u16, lane);
                store(wave, group, place, lane, 4, u64::from(value))?;
            }
        }
    }
    Ok(())
}

fn atomic(
    step: &Step,
    wave: &mut Wave,
    group: &mut Group<'_>,
    space: MemSpace,
    op: AtomicOp,
    w: W,
) -> Result<(), FaultKind> {
    let Some(reg) = data(step, 1) else {
        return Err(unsupported(step));
    };
    let bytes = w.bits() / 8;
    let words = (bytes / 4) as u16;
    let result = dst(step);
    let single = wave.fp_env(true);
    let value_at = |wave: &Wave, reg: Reg, first: u16, lane: usize| {
        let low = u64::from(get(wave, reg, first, lane));
        if words == 2 {
            low | u64::from(get(wave, reg, first + 1, lane)) << 32
        } else {
            low
        }
    };
    // Lanes ascending: the order that results of this machine are defined by.
    for lane in lanes_of(wave.exec()) {
        let place = place(step, wave, space, lane)?;
        let new = value_at(wave, reg, 0, lane);
        // LDS compares with its first data register, memory with its second dword or pair.
        let (new, compare) = match (op, data(step, 2)) {
            (AtomicOp::CmpSwap, Some(second)) => (value_at(wave, second, 0, lane), new),
            (AtomicOp::CmpSwap, None) => (new, value_at(wave, reg, words, lane)),
            (_, _) => (new, 0),
        };
        let combine = |old: u64| combine(op, old, new, compare, w, single);
        if combine(0).is_none() {
            return Err(unsupported(step));
        }
        let apply = |old: u64| combine(old).unwrap_or(old);
        let old = match place {
            Place::Global(address) => group.memory.update(address, bytes, apply)?,
            other => {
                let old = load(wave, group, other, lane, bytes)?;
                store(wave, group, other, lane, bytes, apply(old))?;
                old
            }
        };
        if let Some(result) = result {
            set(wave, result, 0, lane, old as u32);
            if words == 2 {
                set(wave, result, 1, lane, (old >> 32) as u32);
            }
        }
    }
    Ok(())
}

/// The new value of a memory word; `None` for operations that are not executed yet.
fn combine(op: AtomicOp, old: u64, new: u64, compare_with: u64, w: W, env: FpEnv) -> Option<u64> {
    let bits = w.bits();
    let float = if bits == 64 { Format::F64 } else { Format::F32 };
    let env = env.with_round(crate::num::Rounding::NearestEven);
    Some(match op {
        AtomicOp::Swap => new,
        AtomicOp::CmpSwap => {
            if old == compare_with {
                new
            } else {
                old
            }
        }
        AtomicOp::Add => int::add_carry(old, new, false, bits).0,
        AtomicOp::Sub => int::sub_borrow(old, new, false, bits).0,
        AtomicOp::RSub => int::sub_borrow(new, old, false, bits).0,
        AtomicOp::SMin => int::min(old, new, bits, true),
        AtomicOp::UMin => int::min(old, new, bits, false),
        AtomicOp::SMax => int::max(old, new, bits, true),
        AtomicOp::UMax => int::max(old, new, bits, false),
        AtomicOp::And => old & new,
        AtomicOp::Or => old | new,
        AtomicOp::Xor => old ^ new,
        AtomicOp::Inc => {
            if old >= new {
                0
            } else {
                old + 1
            }
        }
        AtomicOp::Dec => {
            if old == 0 || old > new {
                new
            } else {
                old - 1
            }
        }
        AtomicOp::FAdd => arith::add(float, old, new, env),
        AtomicOp::FMin => compare::min(float, old, new, env),
        AtomicOp::FMax => compare::max(float, old, new, env),
        AtomicOp::MskOr | AtomicOp::FCmpSwap | AtomicOp::PkAddF16 | AtomicOp::PkAddBf16 => {
            return None;
        }
    })
}

/// The lane that `ds_swizzle_b32` reads for a lane (MI300 ISA guide, section 12.12): within four
/// lanes by a table, or within 32 lanes by masks, or rotated; `None` for the other modes.
fn swizzle_source(offset: u32, lane: u32) -> Option<u32> {
    let (group, at) = (lane & !31, lane & 31);
    match offset {
        0x0000..0x8000 => {
            let (and, or, xor) = (offset & 31, offset >> 5 & 31, offset >> 10 & 31);
            Some(group | ((at & and | or) ^ xor))
        }
        0x8000..0xc000 => Some(lane & !3 | offset >> (2 * (lane & 3)) & 3),
        0xc000..0xe000 => {
            let (mask, count) = (offset & 31, offset >> 5 & 31);
            let turned = if offset >> 10 & 1 == 0 {
                at + count
            } else {
                at + 32 - count
            };
            Some(group | at & mask | turned & 31 & !mask)
        }
        _ => None,
    }
}

/// `ds_swizzle_b32`; a lane that reads an inactive one gets 0.
fn swizzle(step: &Step, wave: &mut Wave) -> Result<(), FaultKind> {
    let (Some(reg), Some(source)) = (dst(step), data(step, 0)) else {
        return Ok(());
    };
    let offset = step.inst.mods.offset as u32 & 0xffff;
    let exec = wave.exec();
    let mut out = [0u32; LANES];
    for lane in lanes_of(exec) {
        let other = swizzle_source(offset, lane as u32).ok_or_else(|| unsupported(step))? as usize;
        if exec >> other & 1 != 0 {
            out[lane] = get(wave, source, 0, other);
        }
    }
    for lane in lanes_of(exec) {
        set(wave, reg, 0, lane, out[lane]);
    }
    Ok(())
}

/// `ds_bpermute` pulls from the lane that the address names, `ds_permute` pushes to it.
fn permute(step: &Step, wave: &mut Wave) -> Result<(), FaultKind> {
    let (Some(reg), Some(source)) = (dst(step), data(step, 1)) else {
        return Ok(());
    };
    let exec = wave.exec();
    let size = wave.size as u64;
    let mut out = [0u32; LANES];
    for lane in lanes_of(exec) {
        let address = lds_base(step, wave, lane).wrapping_add(step.inst.mods.offset as u64);
        let other = (address / 4 % size) as usize;
        if step.sem.uop == Uop::Bpermute {
            if exec >> other & 1 != 0 {
                out[lane] = get(wave, source, 0, other);
            }
        } else {
            out[other] = get(wave, source, 0, lane);
        }
    }
    for lane in lanes_of(exec) {
        set(wave, reg, 0, lane, out[lane]);
    }
    Ok(())
}
