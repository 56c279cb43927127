//! The evaluator: what VISA means, one lane at a time. It is the oracle of the tests.

pub mod kernel;
pub mod memory;
pub mod scalar;

pub use kernel::{EvalFault, FaultKind, Launch, Stats, run};
pub use memory::{Access, Allocations, Memory};
