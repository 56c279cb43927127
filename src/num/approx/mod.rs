//! The operations that hardware approximates, here correctly rounded.
//!
//! `rcp rsq sqrt exp2 log2 sin_rev cos_rev tanh` give the result that the exact real value rounds
//! to, in the environment's rounding and with its flushing. Vendors promise an error bound for them
//! and no bits; the correctly rounded result lies inside every such bound and is the one definition
//! that everybody can compute.
//!
//! No function of the host's mathematics library is used, so results do not depend on the host.
//! The way is Ziv's: `quick` evaluates in `f64`, using only operations that IEEE 754 defines
//! completely, and answers where both ends of its error interval round alike. That fails about once
//! in a million times; then `exact` evaluates to more than 100 bits. A result of at most 24 bits
//! is never that near to a rounding boundary unless it lies on one (the value is transcendental, or
//! algebraic and irrational, else), and the arguments for which it does are taken out first:
//! whole numbers for `exp2`, powers of two for `log2`, quarter turns for `sin_rev` and `cos_rev`.
//!
//! For [`Format::F64`], `rcp`, `rsq` and `sqrt` are correctly rounded; the others are so wherever
//! the value is farther than 2^-100 from a boundary, which no proof excludes for all arguments.
//!
//! Source of the method: A. Ziv, "Fast evaluation of elementary mathematical functions with
//! correctly rounded last bit", ACM TOMS 17 (1991).

mod exact;
mod fixed;
mod quick;

#[cfg(test)]
mod tests;

use super::arith;
use super::format::{Finite, Format, Parts, unpack};
use super::round::FpEnv;

/// Reciprocal. `rcp(±0)` is an infinity of that sign.
#[inline]
pub fn rcp(format: Format, a: u64, env: FpEnv) -> u64 {
    arith::div(format, format.one(), a, env)
}

/// Reciprocal square root. `rsq(±0)` is an infinity of that sign; below zero the result is NaN.
pub fn rsq(format: Format, a: u64, env: FpEnv) -> u64 {
    match unpack(format, env.input(format, a)) {
        Parts::Finite(Finite { neg: false, .. }) => {
            quick::rsq(format, a, env).unwrap_or_else(|| arith::rsqrt(format, a, env))
        }
        Parts::Finite(_) | Parts::Nan | Parts::Inf { .. } | Parts::Zero { .. } => {
            arith::rsqrt(format, a, env)
        }
    }
}

/// Square root; `sqrt(-0)` is -0, below that the result is NaN.
#[inline]
pub fn sqrt(format: Format, a: u64, env: FpEnv) -> u64 {
    arith::sqrt(format, a, env)
}

/// 2 to the power of `a`.
pub fn exp2(format: Format, a: u64, env: FpEnv) -> u64 {
    let a = env.input(format, a);
    match unpack(format, a) {
        Parts::Nan => format.quiet(a),
        Parts::Inf { neg: true } => 0,
        Parts::Inf { neg: false } => format.inf(),
        Parts::Zero { .. } => format.one(),
        Parts::Finite(x) => {
            quick::exp2(format, a, env).unwrap_or_else(|| exact::exp2(x).pack(format, env))
        }
    }
}

/// Logarithm to base 2; minus infinity for zeros, NaN below zero, +0 for 1.
pub fn log2(format: Format, a: u64, env: FpEnv) -> u64 {
    let a = env.input(format, a);
    match unpack(format, a) {
        Parts::Nan => format.quiet(a),
        Parts::Zero { .. } => format.sign_bit() | format.inf(),
        Parts::Inf { neg: false } => format.inf(),
        Parts::Inf { neg: true } | Parts::Finite(Finite { neg: true, .. }) => format.nan(),
        Parts::Finite(x) => {
            quick::log2(format, a, env).unwrap_or_else(|| exact::log2(x).pack(format, env))
        }
    }
}

/// Sine of `a` revolutions: `sin(2 pi a)`. NaN for infinities; for half and whole turns a zero with
/// the sign of `a`. There is no limit on the argument: reduction is exact.
pub fn sin_rev(format: Format, a: u64, env: FpEnv) -> u64 {
    let a = env.input(format, a);
    match unpack(format, a) {
        Parts::Nan => format.quiet(a),
        Parts::Inf { .. } => format.nan(),
        Parts::Zero { .. } => a,
        Parts::Finite(x) => {
            quick::sin_rev(format, a, env).unwrap_or_else(|| exact::sin_rev(x).pack(format, env))
        }
    }
}

/// Cosine of `a` revolutions: `cos(2 pi a)`. NaN for infinities; +0 for odd quarter turns.
pub fn cos_rev(format: Format, a: u64, env: FpEnv) -> u64 {
    let a = env.input(format, a);
    match unpack(format, a) {
        Parts::Nan => format.quiet(a),
        Parts::Inf { .. } => format.nan(),
        Parts::Zero { .. } => format.one(),
        Parts::Finite(x) => {
            quick::cos_rev(format, a, env).unwrap_or_else(|| exact::cos_rev(x).pack(format, env))
        }
    }
}

/// Hyperbolic tangent; ±1 for infinities, zeros keep their sign.
pub fn tanh(format: Format, a: u64, env: FpEnv) -> u64 {
    let a = env.input(format, a);
    match unpack(format, a) {
        Parts::Nan => format.quiet(a),
        Parts::Inf { .. } => a & format.sign_bit() | format.one(),
        Parts::Zero { .. } => a,
        Parts::Finite(x) => {
            quick::tanh(format, a, env).unwrap_or_else(|| exact::tanh(x).pack(format, env))
        }
    }
}
