//! Executes one step on a wave.

pub mod alu;
pub mod lane;
pub mod mem;
pub mod operand;
pub mod scalar;
pub mod vector;

use super::fault::FaultKind;
use super::memory::Memory;
use super::program::Step;
use super::wave::Wave;
use crate::isa::Class;

/// What the workgroup shares.
#[derive(Debug)]
pub struct Group<'m> {
    /// Device memory.
    pub memory: &'m Memory,
    /// LDS of the workgroup.
    pub lds: Vec<u8>,
}

/// What happens after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The next instruction in order.
    Follow,
    /// Continue at an address.
    Jump(u64),
    /// The wave ends.
    End,
    /// The wave waits for the others of its workgroup.
    Barrier,
}

/// Executes a step. `wave.pc` is the address of the instruction; the caller moves it.
pub fn execute(step: &Step, wave: &mut Wave, group: &mut Group<'_>) -> Result<Next, FaultKind> {
    match step.sem.class {
        Class::Salu | Class::Branch | Class::Control | Class::Message => {
            scalar::execute(step, wave)
        }
        Class::Valu | Class::ValuSlow | Class::Trans => {
            vector::execute(step, wave)?;
            Ok(Next::Follow)
        }
        Class::Smem
        | Class::VmemLoad
        | Class::VmemStore
        | Class::VmemAtomic
        | Class::FlatLoad
        | Class::FlatStore
        | Class::FlatAtomic
        | Class::Lds => {
            mem::execute(step, wave, group)?;
            Ok(Next::Follow)
        }
        Class::Matrix => Err(unsupported(step)),
    }
}

/// The fault of an instruction that is not executed yet.
pub fn unsupported(step: &Step) -> FaultKind {
    FaultKind::Unsupported(step.row.name().to_string())
}
