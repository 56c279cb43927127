//! Instructions that reach across lanes, and those that move whole registers.

use super::operand::scalar;
use super::scalar::write_reg;
use crate::isa::uop::Uop;
use crate::isa::{OpType, Operand, Reg, RegFile};
use crate::vm::fault::FaultKind;
use crate::vm::program::Step;
use crate::vm::wave::{LANES, VGPRS, Wave, lanes_of};

fn reg(step: &Step, operand: Option<u8>) -> Option<Reg> {
    match step.inst.operands.get(usize::from(operand?))? {
        Operand::Reg(reg) => Some(*reg),
        _ => None,
    }
}

/// Executes the instruction if it is one of these.
pub fn execute(step: &Step, wave: &mut Wave) -> Result<bool, FaultKind> {
    let dst = reg(step, step.dsts.first().copied());
    match step.sem.uop {
        Uop::Nop | Uop::Hint => {}
        Uop::ReadFirstLane => {
            let exec = wave.exec();
            let lane = if exec == 0 {
                0
            } else {
                exec.trailing_zeros() as usize
            };
            let value = value_of(step, wave, step.args[0], lane);
            if let Some(dst) = dst {
                write_reg(wave, dst, u64::from(value));
            }
        }
        Uop::ReadLane => {
            let lane = lane_select(step, wave);
            let value = value_of(step, wave, step.args[0], lane);
            if let Some(dst) = dst {
                write_reg(wave, dst, u64::from(value));
            }
        }
        Uop::WriteLane => {
            let lane = lane_select(step, wave);
            let value = value_of(step, wave, step.args[0], lane);
            if let Some(dst) = dst {
                wave.vgpr[usize::from(dst.index) % VGPRS][lane] = value;
            }
        }
        Uop::Swap => {
            let other = step.dsts.get(1).copied();
            if let (Some(a), Some(b)) = (dst, reg(step, other)) {
                let (a, b) = (usize::from(a.index) % VGPRS, usize::from(b.index) % VGPRS);
                for lane in lanes_of(wave.exec()) {
                    let value = wave.vgpr[a][lane];
                    wave.vgpr[a][lane] = wave.vgpr[b][lane];
                    wave.vgpr[b][lane] = value;
                }
            }
        }
        Uop::AccMov => {
            let exec = wave.exec();
            if let Some(dst) = dst {
                let index = usize::from(dst.index) % VGPRS;
                for lane in lanes_of(exec) {
                    let value = value_of(step, wave, step.args[0], lane);
                    let file = if dst.file == RegFile::Agpr {
                        &mut wave.agpr
                    } else {
                        &mut wave.vgpr
                    };
                    file[index][lane] = value;
                }
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// The lane that an operand selects, modulo the wave.
fn lane_select(step: &Step, wave: &Wave) -> usize {
    let value = step.args[1].map_or(0, |n| {
        scalar(wave, &step.inst.operands[usize::from(n)], OpType::U32)
    });
    value as usize % (wave.size as usize).min(LANES)
}

/// One lane of an operand.
fn value_of(step: &Step, wave: &Wave, operand: Option<u8>, lane: usize) -> u32 {
    let Some(n) = operand else { return 0 };
    match step.inst.operands[usize::from(n)] {
        Operand::Reg(Reg {
            file: RegFile::Vgpr,
            index,
            ..
        }) => wave.vgpr[usize::from(index) % VGPRS][lane],
        Operand::Reg(Reg {
            file: RegFile::Agpr,
            index,
            ..
        }) => wave.agpr[usize::from(index) % VGPRS][lane],
        ref other => scalar(wave, other, OpType::B32) as u32,
    }
}
