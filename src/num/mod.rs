//! Bit-exact scalar arithmetic shared by the evaluator, the constant folder and the machine.
//!
//! **Values** are raw bits, zero-extended to `u64`, so that callers are generic over formats. Float
//! functions take a [`Format`], integer functions a width in bits (8, 16, 32 or 64).
//!
//! **Environment.** An [`FpEnv`] says how to round and whether subnormal operands or results become
//! zeros; results are tested for being subnormal after rounding. [`FpEnv::IEEE`] is the default.
//!
//! **NaN.** Arithmetic that meets a NaN returns the first NaN operand, made quiet, sign and payload
//! kept, as AMD's vector instructions do. Arithmetic that makes a NaN of numbers returns the positive
//! quiet NaN without payload (`0x7fc00000`, `0x7ff8000000000000`, …). Conversions keep the sign and
//! the high bits of the payload. [`compare::min`] and its like state their own rule.
//!
//! **Host.** Nothing here depends on it: of its float instructions only those are used that IEEE 754
//! defines to the last bit, and a NaN is never taken from it.
//!
//! Parts: [`arith`] (sum, product, quotient, root, scaling), [`compare`] (order, minimum, class,
//! rounding to integral values), [`convert`], [`int`], [`approx`] (what hardware approximates, here
//! correctly rounded), [`divide`] (steps of AMD's division sequence), [`lane`] (fixed formats for
//! inner loops).
//!
//! Evaluator, folder and machine share these functions, so that a fault here would be invisible
//! between them. The tests therefore compare with strangers: `rustc_apfloat`, `half`, mpmath.

pub mod approx;
pub mod arith;
pub mod compare;
pub mod convert;
pub mod divide;
pub mod format;
pub mod int;
pub mod lane;
pub mod round;

#[cfg(test)]
mod tests;

pub use format::Format;
pub use round::{FpEnv, Rounding};
