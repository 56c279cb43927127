//! Scalar instructions: scalar ALU, branches, control.

use super::alu::{AluEnv, eval};
use super::operand::scalar;
use super::{Next, unsupported};
use crate::isa::uop::{BranchCond, MaskOp, Uop};
use crate::isa::{Operand, Reg, RegFile, SccRule};
use crate::num::int;
use crate::vm::fault::FaultKind;
use crate::vm::program::{ARGS, Step};
use crate::vm::wave::{SGPRS, Wave};

/// The value of argument `n`.
fn arg(step: &Step, wave: &Wave, n: usize) -> u64 {
    let Some(index) = step.args.get(n).copied().flatten() else {
        return 0;
    };
    let (spec, operand) = (
        &step.specs[usize::from(index)],
        &step.inst.operands[usize::from(index)],
    );
    // A 16-bit immediate of a scalar instruction is extended to its operation.
    match operand {
        Operand::Imm(value) => *value as u64 & int::mask(32),
        other => scalar(wave, other, spec.ty),
    }
}

/// Writes the scalar destination.
fn write(step: &Step, wave: &mut Wave, value: u64) {
    let Some(&index) = step.dsts.first() else {
        return;
    };
    if let Operand::Reg(reg) = step.inst.operands[usize::from(index)] {
        write_reg(wave, reg, value);
    }
}

/// Writes one or two dwords of a scalar register.
pub fn write_reg(wave: &mut Wave, reg: Reg, value: u64) {
    if reg.file != RegFile::Sgpr {
        return;
    }
    if reg.count >= 2 {
        wave.set_pair(reg.index, value);
    } else {
        wave.sgpr[usize::from(reg.index) % SGPRS] = value as u32;
    }
}

/// Executes a scalar instruction.
pub fn execute(step: &Step, wave: &mut Wave) -> Result<Next, FaultKind> {
    let next_pc = wave.pc.wrapping_add(step.size);
    match step.sem.uop {
        Uop::Branch(cond) => {
            let target = next_pc.wrapping_add(branch_distance(step));
            return Ok(if holds(wave, cond) {
                Next::Jump(target)
            } else {
                Next::Follow
            });
        }
        Uop::EndPgm => return Ok(Next::End),
        Uop::Barrier => return Ok(Next::Barrier),
        Uop::Trap => return Err(FaultKind::Trap(imm(step) as u16)),
        Uop::Wait | Uop::Nop | Uop::Hint | Uop::SendMsg => return Ok(Next::Follow),
        Uop::GetPc => write(step, wave, next_pc),
        Uop::SetPc => return Ok(Next::Jump(arg(step, wave, 0) & !3)),
        Uop::SwapPc => {
            let target = arg(step, wave, 0) & !3;
            write(step, wave, next_pc);
            return Ok(Next::Jump(target));
        }
        Uop::Call => {
            let target = next_pc.wrapping_add(branch_distance(step));
            write(step, wave, next_pc);
            return Ok(Next::Jump(target));
        }
        Uop::SaveExec(op) | Uop::WrExec(op) => save_exec(step, wave, op),
        Uop::Select(_) => {
            let value = arg(step, wave, usize::from(!wave.scc));
            write(step, wave, value);
        }
        Uop::CMov(_) => {
            if wave.scc {
                let value = arg(step, wave, 0);
                write(step, wave, value);
            }
        }
        Uop::Wqm(_) | Uop::QuadMask(_) | Uop::GetReg | Uop::SetReg => return special(step, wave),
        _ => alu(step, wave)?,
    }
    Ok(Next::Follow)
}

fn alu(step: &Step, wave: &mut Wave) -> Result<(), FaultKind> {
    let mut args = [0; ARGS];
    for (n, slot) in args.iter_mut().enumerate() {
        *slot = arg(step, wave, n);
    }
    let env = AluEnv {
        single: wave.fp_env(true),
        double: wave.fp_env(false),
        ieee: wave.ieee(),
    };
    let (value, flag) =
        eval(step.sem.uop, args, wave.scc, &env).ok_or_else(|| unsupported(step))?;
    write(step, wave, value);
    match step.sem.scc {
        SccRule::Keep => {}
        SccRule::NonZero => wave.scc = value != 0,
        SccRule::Carry | SccRule::Result => wave.scc = flag,
        SccRule::Overflow => {
            let sign = |v: u64| v >> 31 & 1;
            let (a, b, r) = (sign(args[0]), sign(args[1]), sign(value));
            let adds = matches!(step.sem.uop, Uop::Add(_) | Uop::AddC(_));
            wave.scc = if adds {
                a == b && a != r
            } else {
                a != b && a != r
            };
        }
    }
    Ok(())
}

fn save_exec(step: &Step, wave: &mut Wave, op: MaskOp) {
    let source = arg(step, wave, 0);
    let old = wave.exec();
    let new = match op {
        MaskOp::And => source & old,
        MaskOp::Or => source | old,
        MaskOp::Xor => source ^ old,
        MaskOp::AndN2 => source & !old,
        MaskOp::AndN1 => !source & old,
        MaskOp::OrN2 => source | !old,
        MaskOp::OrN1 => !source | old,
        MaskOp::Nand => !(source & old),
        MaskOp::Nor => !(source | old),
        MaskOp::Xnor => !(source ^ old),
    };
    wave.set_exec(new);
    let new = wave.exec();
    let saved = if matches!(step.sem.uop, Uop::WrExec(_)) {
        new
    } else {
        old
    };
    write(step, wave, saved);
    wave.scc = new != 0;
}

fn special(step: &Step, wave: &mut Wave) -> Result<Next, FaultKind> {
    match step.sem.uop {
        Uop::Wqm(w) | Uop::QuadMask(w) => {
            let source = arg(step, wave, 0);
            let quads = w.bits() / 4;
            let is_set = |n: u32| source >> (4 * n) & 15 != 0;
            let value = if matches!(step.sem.uop, Uop::Wqm(_)) {
                (0..quads)
                    .filter(|n| is_set(*n))
                    .fold(0, |v, n| v | 15 << (4 * n))
            } else {
                (0..quads).filter(|n| is_set(*n)).fold(0, |v, n| v | 1 << n)
            };
            write(step, wave, value);
            wave.scc = value != 0;
            Ok(Next::Follow)
        }
        // Only MODE is kept: hardware register 1.
        Uop::GetReg | Uop::SetReg => {
            let field = step.args[1].map_or(0, |n| match step.inst.operands[usize::from(n)] {
                Operand::Imm(v) => v as u32,
                _ => 0,
            });
            let (id, offset, width) = (field & 0x3f, field >> 6 & 0x1f, (field >> 11 & 0x1f) + 1);
            if id != 1 {
                return Err(unsupported(step));
            }
            let mask = int::mask(width) as u32;
            if step.sem.uop == Uop::GetReg {
                let value = wave.mode >> offset & mask;
                write(step, wave, u64::from(value));
            } else {
                let value = arg(step, wave, 0) as u32;
                wave.mode = wave.mode & !(mask << offset) | (value & mask) << offset;
            }
            Ok(Next::Follow)
        }
        _ => Err(unsupported(step)),
    }
}

fn imm(step: &Step) -> i64 {
    step.inst
        .operands
        .iter()
        .find_map(|o| {
            if let Operand::Imm(v) = o {
                Some(*v)
            } else {
                None
            }
        })
        .unwrap_or(0)
}

/// The distance of a branch from the next instruction, in bytes.
fn branch_distance(step: &Step) -> u64 {
    imm(step) as u64
}

fn holds(wave: &Wave, cond: BranchCond) -> bool {
    match cond {
        BranchCond::Always => true,
        BranchCond::Scc0 => !wave.scc,
        BranchCond::Scc1 => wave.scc,
        BranchCond::VccZ => wave.vcc() & wave.lane_mask() == 0,
        BranchCond::VccNz => wave.vcc() & wave.lane_mask() != 0,
        BranchCond::ExecZ => wave.exec() == 0,
        BranchCond::ExecNz => wave.exec() != 0,
    }
}
