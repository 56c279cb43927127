//! Fixed-point numbers in `u128` and real numbers with a 128-bit significand.
//!
//! `Q` stands for 124 bits below the point, so a number is below 16 and its unit is 2^-124.
//! Products are cut, never rounded: each loses less than a unit.

use super::super::format::Format;
use super::super::round::{FpEnv, pack};

/// Bits below the point.
pub(super) const Q: u32 = 124;

/// The number one.
pub(super) const ONE: u128 = 1 << Q;

/// High 128 bits of the 256-bit product.
pub(super) fn mul_high(a: u128, b: u128) -> u128 {
    product(a, b).0
}

/// Product of two fixed-point numbers that is below 16.
pub(super) fn mul(a: u128, b: u128) -> u128 {
    let (high, low) = product(a, b);
    high << (128 - Q) | low >> Q
}

fn product(a: u128, b: u128) -> (u128, u128) {
    let low_half = |x: u128| x & u128::from(u64::MAX);
    let (a1, a0, b1, b0) = (a >> 64, low_half(a), b >> 64, low_half(b));
    let low = a0 * b0;
    // At most (2^64-1)^2 + 2*(2^64-1), which still fits.
    let middle = a1 * b0 + (low >> 64);
    let cross = a0 * b1 + low_half(middle);
    let high = a1 * b1 + (middle >> 64) + (cross >> 64);
    (high, cross << 64 | low_half(low))
}

/// `2^124 / d` of a fixed-point number in 1..8, in fixed point.
pub(super) fn reciprocal(d: u128) -> u128 {
    // Long division of 2^248 by d, a bit a step; the remainder stays below d < 2^127.
    let (mut rest, mut quotient) = (ONE, 0u128);
    for _ in 0..=Q {
        quotient <<= 1;
        if rest >= d {
            rest -= d;
            quotient |= 1;
        }
        rest <<= 1;
    }
    quotient
}

/// `1 + t/a(1) * (1 + t/a(2) * (…))` with `a` falling from `terms` to 1: the exponential series for
/// `a(k) = k`.
pub(super) fn nested_sum(t: u128, terms: u32, a: impl Fn(u128) -> u128) -> u128 {
    (1..=u128::from(terms))
        .rev()
        .fold(ONE, |s, k| ONE + mul(t, s) / a(k))
}

/// The same with minus signs: the series of sine and cosine.
pub(super) fn nested_difference(u: u128, terms: u32, a: impl Fn(u128) -> u128) -> u128 {
    (1..=u128::from(terms))
        .rev()
        .fold(ONE, |s, k| ONE - mul(u, s) / a(k))
}

/// A real number `±(sig + part) * 2^exp`; `part` is 0 where `sticky` is unset, else between 0 and 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Real {
    pub neg: bool,
    pub exp: i32,
    pub sig: u128,
    pub sticky: bool,
}

impl Real {
    /// A whole number.
    pub(super) fn whole(value: i32) -> Real {
        Real {
            neg: value < 0,
            exp: 0,
            sig: u128::from(value.unsigned_abs()),
            sticky: false,
        }
    }

    /// A number that is not representable, known to more than 100 bits.
    pub(super) fn inexact(neg: bool, exp: i32, sig: u128) -> Real {
        Real {
            neg,
            exp,
            sig,
            sticky: true,
        }
    }

    /// The number, or its opposite.
    pub(super) fn negated_if(self, negate: bool) -> Real {
        Real {
            neg: self.neg != negate,
            ..self
        }
    }

    /// Rounds into a format.
    pub(super) fn pack(self, format: Format, env: FpEnv) -> u64 {
        if self.sig == 0 {
            return if self.neg { format.sign_bit() } else { 0 };
        }
        pack(format, self.neg, self.exp, self.sig, self.sticky, env)
    }
}
