//! The machine: single instructions, hazards, faults, and arbitrary bytes.

#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "vm/faults.rs"]
mod faults;
#[path = "vm/hazard.rs"]
mod hazard;
#[path = "vm/machine.rs"]
mod machine;
#[path = "vm/semantics.rs"]
mod semantics;
