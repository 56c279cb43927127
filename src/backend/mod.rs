//! From VISA to machine code: machine IR, selection, divergence lowering, register allocation.

pub mod mir;
