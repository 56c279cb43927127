//! From VISA to machine code: machine IR, selection, divergence lowering, register allocation.

pub mod amdgpu;
pub mod linear;
pub mod mir;
pub mod regalloc;
