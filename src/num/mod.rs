//! Bit-exact scalar arithmetic shared by the evaluator, the constant folder and the machine.
//!
//! Values are raw bits, zero-extended to `u64`. Nothing here depends on the host: where the host's
//! float instructions are used, IEEE 754 fixes their result.

pub mod approx;
pub mod arith;
pub mod compare;
pub mod convert;
pub mod divide;
pub mod format;
pub mod int;
pub mod round;

#[cfg(test)]
mod tests;

pub use format::Format;
pub use round::{FpEnv, Rounding};
