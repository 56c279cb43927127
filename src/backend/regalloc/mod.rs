//! Register allocation: virtual registers become machine registers and slots.
//!
//! [`color`] tries to give every register a place within the budget; [`spill`] puts those that found
//! none into slots; both repeat until all fit. Then [`check`] proves the result against the function as
//! it was, and [`lower`] turns copies, spills and reloads into instructions.
//!
//! Vector registers are spilled to scratch, scalar ones to the lanes of vector registers set aside at
//! the top of the budget (a scalar value is one per wave, so a lane holds one dword of it, and
//! `v_writelane`/`v_readlane` ignore EXEC).

pub mod bitset;
pub mod check;
pub mod color;
pub mod live;
pub mod lower;
pub mod parallel_copy;
pub mod spill;

#[cfg(test)]
mod tests;

use crate::backend::mir::{MFunction, MOperand, Stage};
use crate::diag::Span;
use crate::isa::amdgpu::Isa;
use crate::isa::{Reg, RegFile};

pub use color::Budget;

/// Why allocation failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllocError {
    /// The budget cannot hold what one instruction needs at once: name and place of a value that
    /// found no register, and its file.
    TooFew(Option<String>, Span, RegFile),
    /// The checker found a wrong register: a bug of the allocator.
    Wrong(Vec<String>),
}

/// Largest scratch offset that fits an instruction (13 bits, signed), less the largest access.
const MAX_OFFSET: u32 = 4095 - 16;
/// Rounds of spilling before the allocator gives up.
const MAX_ROUNDS: usize = 64;

/// Allocates the registers of a function of stage `Linear`; leaves stage `Allocated`.
pub fn allocate(
    mf: &mut MFunction,
    isa: &Isa,
    budget: Budget,
    verify: bool,
) -> Result<(), AllocError> {
    let before = mf.clone();
    let mut origins: spill::Origins = mf
        .blocks
        .iter()
        .map(|b| (0..b.insts.len()).collect())
        .collect();
    let mut frame = lower::Frame::compute(mf, budget);
    let mut coloring = color::color(mf, isa, frame.budget());
    let mut rounds = 0;
    while !coloring.failed.is_empty() {
        rounds += 1;
        let stuck = coloring
            .failed
            .iter()
            .find(|r| mf.vreg(**r).no_spill || rounds > MAX_ROUNDS);
        if let Some(reg) = stuck {
            let data = mf.vreg(*reg);
            return Err(AllocError::TooFew(data.name.clone(), data.span, data.file));
        }
        spill::spill(mf, isa, &coloring.failed, &mut origins);
        frame = lower::Frame::compute(mf, budget);
        coloring = color::color(mf, isa, frame.budget());
    }
    apply(mf, &coloring);
    mf.stage = Stage::Allocated;
    if verify || cfg!(debug_assertions) {
        let wrong = check::check(&before, mf, &origins, isa);
        if !wrong.is_empty() {
            return Err(AllocError::Wrong(wrong));
        }
    }
    lower::lower(mf, &frame);
    Ok(())
}

/// Replaces virtual registers by their places.
fn apply(mf: &mut MFunction, coloring: &color::Coloring) {
    for block in &mut mf.blocks {
        for inst in &mut block.insts {
            for operand in &mut inst.operands {
                let MOperand::VReg { reg, first, count } = *operand else {
                    continue;
                };
                // Registers in blocks that nothing reaches have no place; their code is not emitted.
                let Some(place) = coloring.places.get(&reg) else {
                    continue;
                };
                *operand = MOperand::Phys(Reg {
                    file: place.file,
                    index: place.index + u16::from(first),
                    count,
                });
            }
        }
    }
}
