//! Vector ALU instructions: each active lane by itself, masks as results.

use super::alu::{AluEnv, eval};
use super::operand::{Narrow, Values, source, write_vector};
use super::scalar::write_reg;
use super::{lane, unsupported};
use crate::isa::amdgpu::regs;
use crate::isa::uop::{F, Uop};
use crate::isa::{Class, Implicit, OpType, Operand};
use crate::num::Format;
use crate::vm::fault::FaultKind;
use crate::vm::program::{ARGS, Step};
use crate::vm::wave::{LANES, Wave, lanes_of};

/// Executes a vector instruction.
pub fn execute(step: &Step, wave: &mut Wave) -> Result<(), FaultKind> {
    if lane::execute(step, wave)? {
        return Ok(());
    }
    let exec = wave.exec();
    let mut valid = u64::MAX;
    // Mixed-precision sources get their signs after widening.
    let mut plain = None;
    if matches!(step.sem.uop, Uop::FmaMix(..)) {
        let mut inst = step.inst.clone();
        (inst.mods.neg, inst.mods.abs) = (0, 0);
        plain = Some(inst);
    }
    let inst = plain.as_ref().unwrap_or(&step.inst);
    let mut args: [Values; ARGS] = [[0; LANES]; ARGS];
    let mut flags = 0u64;
    for (n, slot) in step.args.iter().enumerate() {
        let Some(index) = slot.map(usize::from) else {
            continue;
        };
        let (spec, operand) = (&step.specs[index], &step.inst.operands[index]);
        if spec.ty == OpType::Mask {
            // Carry in, or the condition of a selection.
            flags = super::operand::scalar(wave, operand, OpType::Mask);
        } else {
            args[n] = source(wave, inst, spec, operand, &mut valid);
        }
    }
    if step.sem.implicit.has(Implicit::READ_VCC) {
        flags = wave.vcc();
    }
    let active = exec & valid;
    let (values, out) = compute(step, wave, &args, flags, active)?;
    write_results(step, wave, &values, out, active, exec);
    Ok(())
}

fn compute(
    step: &Step,
    wave: &Wave,
    args: &[Values; ARGS],
    flags: u64,
    active: u64,
) -> Result<(Values, u64), FaultKind> {
    let env = AluEnv {
        single: wave.fp_env(true),
        double: wave.fp_env(false),
        ieee: wave.ieee(),
    };
    let mut values = [0; LANES];
    let mut out = 0u64;
    let uop = step.sem.uop;
    for lane in lanes_of(active) {
        let flag = flags >> lane & 1 != 0;
        let a = [args[0][lane], args[1][lane], args[2][lane], args[3][lane]];
        let result = match uop {
            // The condition chooses the second source, as `v_cndmask` does: src0 where it is 0.
            Uop::Select(_) => Some((if flag { a[0] } else { a[1] }, false)),
            Uop::Mbcnt(high) => Some((mbcnt(a[0], a[1], lane as u32, high), false)),
            Uop::FmaMix(f, _) => Some((fma_mix(step, f, a, &env), false)),
            // The low result is a word of source 0, the high one of source 1.
            Uop::PkMov32 => {
                let word =
                    |v: u64, n: u8| v >> (32 * (step.inst.mods.op_sel >> n & 1)) & 0xffff_ffff;
                Some((word(a[0], 0) | word(a[1], 1) << 32, false))
            }
            _ if step.inst.mods.op_sel_hi != 0 || step.inst.mods.op_sel != 0 => {
                eval(uop, select_halves(step, a), flag, &env)
            }
            _ => eval(uop, a, flag, &env),
        };
        let (value, bit) = result.ok_or_else(|| unsupported(step))?;
        values[lane] = finish(step, wave, value, a);
        out |= u64::from(bit) << lane;
    }
    Ok((values, out))
}

/// Bits of the mask below the lane, plus the addend.
fn mbcnt(mask: u64, addend: u64, lane: u32, high: bool) -> u64 {
    let below = match (high, lane) {
        (false, 0..32) => (1u64 << lane) - 1,
        (false, _) => u64::from(u32::MAX),
        (true, 0..32) => 0,
        (true, _) => (1u64 << (lane - 32)) - 1,
    };
    (u64::from((mask & below).count_ones()) + addend) & 0xffff_ffff
}

/// Packed operands take their halves as op_sel says; `neg` and `abs` are the signs of the halves.
fn select_halves(step: &Step, mut a: [u64; 4]) -> [u64; 4] {
    let mods = &step.inst.mods;
    for (n, slot) in step.args.iter().enumerate().take(3) {
        let Some(index) = slot.map(usize::from) else {
            continue;
        };
        let spec = &step.specs[index];
        let width = match spec.ty {
            OpType::V2x16 | OpType::V2F16 => 16,
            OpType::V2F32 => 32,
            _ => continue,
        };
        let Some(number) = super::operand::source_number(spec) else {
            continue;
        };
        // A packed move takes its low result from source 0 and its high one from source 1.
        let half =
            |high: bool| a[n] >> (if high { width } else { 0 }) & crate::num::int::mask(width);
        let mut low = half(mods.op_sel >> number & 1 != 0);
        let mut high = half(mods.op_sel_hi >> number & 1 != 0);
        if matches!(spec.ty, OpType::V2F16 | OpType::V2F32) {
            low ^= u64::from(mods.neg >> number & 1) << (width - 1);
            high ^= u64::from(mods.abs >> number & 1) << (width - 1);
        }
        a[n] = low | high << width;
    }
    a
}

/// Mixed precision: op_sel_hi says that a source is an f16, op_sel which half.
fn fma_mix(step: &Step, to: F, a: [u64; 4], env: &AluEnv) -> u64 {
    use crate::num::{arith, convert};
    let mods = &step.inst.mods;
    let widen = |n: usize| {
        let mut value = if mods.op_sel_hi >> n & 1 == 0 {
            a[n]
        } else {
            let half = a[n] >> (16 * (mods.op_sel >> n & 1)) & 0xffff;
            convert::float_to_float(Format::F32, Format::F16, half, env.double)
        };
        if mods.abs >> n & 1 != 0 {
            value &= !Format::F32.sign_bit();
        }
        value ^ u64::from(mods.neg >> n & 1) << 31
    };
    let result = arith::fma(Format::F32, widen(0), widen(1), widen(2), env.single);
    match to {
        F::F16 => convert::float_to_float(Format::F16, Format::F32, result, env.double),
        _ => result,
    }
}

/// Output modifiers: clamp, and omod where subnormals are flushed.
fn finish(step: &Step, wave: &Wave, value: u64, args: [u64; 4]) -> u64 {
    let mods = &step.inst.mods;
    if !mods.clamp && mods.omod == 0 {
        return value;
    }
    let ty = step.dsts.first().map(|n| step.specs[usize::from(*n)].ty);
    let format = match ty {
        Some(OpType::F16) => Format::F16,
        Some(OpType::F32) => Format::F32,
        Some(OpType::F64) => Format::F64,
        _ => {
            return if mods.clamp {
                saturate(step, ty, value, args)
            } else {
                value
            };
        }
    };
    let env = wave.fp_env(format == Format::F32);
    let mut value = value;
    if mods.omod != 0 && env.flush_out {
        let scale = [0, 1, 2, -1][usize::from(mods.omod & 3)];
        value = crate::num::arith::ldexp(format, value, scale, env);
    }
    if !mods.clamp {
        return value;
    }
    if format.is_nan(value) {
        return if wave.dx10_clamp() { 0 } else { value };
    }
    if format.is_neg(value) {
        0
    } else {
        value.min(format.one())
    }
}

/// Integer clamp: the exact sum or difference cut to the range.
fn saturate(step: &Step, ty: Option<OpType>, value: u64, args: [u64; 4]) -> u64 {
    use crate::num::int;
    let (width, signed) = match ty {
        Some(OpType::I16) => (16, true),
        Some(OpType::U16) => (16, false),
        Some(OpType::I32) => (32, true),
        Some(OpType::U32) => (32, false),
        _ => return value,
    };
    let (x, y) = (
        int::extend(args[0], width, signed),
        int::extend(args[1], width, signed),
    );
    let z = int::extend(args[2], width, signed);
    match step.sem.uop {
        Uop::Add(_) => int::saturate(x + y, width, signed),
        Uop::Sub(_) => int::saturate(x - y, width, signed),
        Uop::MadLo(_) => int::saturate(x * y + z, width, signed),
        _ => value,
    }
}

/// Where a 16-bit result goes: GFX9 zeroes the other half, but for fused operations and those that
/// say op_sel. (LLVM, `zeroesHigh16BitsOfDest`.)
fn narrow(step: &Step, ty: OpType) -> Narrow {
    let half = matches!(ty, OpType::B16 | OpType::I16 | OpType::U16 | OpType::F16);
    match step.sem.uop {
        Uop::FmaMix(F::F16, true) => Narrow::High,
        Uop::FmaMix(F::F16, false) => Narrow::KeepHigh,
        _ if !half => Narrow::Whole,
        _ if step.inst.mods.op_sel & 8 != 0 => Narrow::High,
        Uop::Fma(F::F16) | Uop::DivFixup(F::F16) | Uop::MadLo(_)
            if !step.row.name().contains("legacy") =>
        {
            Narrow::KeepHigh
        }
        _ => Narrow::ZeroHigh,
    }
}

fn write_results(step: &Step, wave: &mut Wave, values: &Values, out: u64, active: u64, exec: u64) {
    let is_compare = matches!(step.sem.uop, Uop::Cmp(..) | Uop::FCmp(..) | Uop::FClass(_));
    for &index in &step.dsts {
        let (spec, operand) = (
            &step.specs[usize::from(index)],
            step.inst.operands[usize::from(index)],
        );
        let Operand::Reg(reg) = operand else { continue };
        if spec.ty == OpType::Mask {
            // Inactive lanes give 0.
            write_reg(wave, reg, out & exec);
        } else {
            write_vector(wave, &step.inst, reg, values, active, narrow(step, spec.ty));
        }
    }
    if is_compare && step.sem.implicit.has(Implicit::WRITE_EXEC) {
        wave.set_exec(out & exec);
    }
    if step.sem.class == Class::Valu && step.sem.implicit.has(Implicit::WRITE_VCC) {
        wave.set_pair(regs::VCC, out & exec);
    }
}
