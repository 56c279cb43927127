//! The functions to more than 100 bits, in fixed point.
//!
//! Each takes a finite number that is not zero and returns a [`Real`] whose significand is off by
//! less than 2^-100 of itself; arguments with a representable result give that result. Results that
//! differ from a representable number by less than any fixed point resolves (`exp2` of a tiny
//! number, `cos` near 1, `tanh` at both ends) come back just above or just below it, so that
//! directed rounding is right as well.

use super::super::format::Finite;
use super::fixed::{ONE, Q, Real, mul, mul_high, nested_difference, nested_sum, reciprocal};

/// ln 2, 128 bits below the point.
const LN_2: u128 = 0xb172_17f7_d1cf_79ab_c9e3_b398_03f2_f6af;
/// 2 / ln 2, 126 bits below the point; also 1 / ln 2 with 127.
const TWO_LOG2_E: u128 = 0xb8aa_3b29_5c17_f0bb_be87_fed0_691d_3e88;
/// 2 pi, 125 bits below the point.
const TWO_PI: u128 = 0xc90f_daa2_2168_c234_c4c6_628b_80dc_1cd1;

/// Terms of the exponential series for 0..ln 2: ln(2)^32 / 32! is below 2^-134.
const EXP_TERMS: u32 = 31;
/// Terms of sine and cosine up to an eighth turn: (pi/4)^36 / 36! is below 2^-150.
const TURN_TERMS: u32 = 17;
/// Terms of the logarithm's series in z^2 <= 1/25.
const LOG_TERMS: u32 = 27;

/// A number just above (`up`) or just below `2^exp`.
fn next_to_power(exp: i32, up: bool) -> Real {
    let sig = if up { ONE } else { ONE - 1 };
    Real::inexact(false, exp - Q as i32, sig)
}

/// Position of the leading bit: `2^lead <= |x| < 2^(lead + 1)`.
fn lead(x: Finite) -> i32 {
    x.exp + 63 - x.sig.leading_zeros() as i32
}

/// `sig * 2^shift` in a wide integer; the caller knows that it fits. Bits below the unit are cut.
fn shifted(sig: u128, shift: i32) -> u128 {
    if shift >= 0 {
        sig << shift
    } else if shift > -128 {
        sig >> -shift
    } else {
        0
    }
}

/// 2^x = 2^n * e^(f ln 2) with n = floor(x).
pub(super) fn exp2(x: Finite) -> Real {
    // Far beyond the range of every format; pack over- or underflows by itself.
    if lead(x) >= 13 {
        return next_to_power(if x.neg { -16_000 } else { 16_000 }, true);
    }
    if lead(x) < -60 {
        return next_to_power(0, !x.neg);
    }
    // |x| < 2^13 and its last bit is at 2^-113 or above.
    let value = shifted(x.sig.into(), x.exp + 113) as i128;
    let value = if x.neg { -value } else { value };
    let n = (value >> 113) as i32;
    let fraction = (value & ((1 << 113) - 1)) as u128;
    if fraction == 0 {
        return Real {
            neg: false,
            exp: n,
            sig: 1,
            sticky: false,
        };
    }
    let t = mul_high(fraction << (Q - 113), LN_2);
    Real::inexact(false, n - Q as i32, nested_sum(t, EXP_TERMS, |k| k))
}

/// log2(2^e * m) = e + 2/ln 2 * atanh(z) with z = (m - 1) / (m + 1) and m in 0.75..1.5.
pub(super) fn log2(x: Finite) -> Real {
    let sig = u128::from(x.sig);
    let mut e = lead(x);
    let mut one = 1u128 << (e - x.exp);
    if 2 * sig >= 3 * one {
        one *= 2;
        e += 1;
    }
    if sig == one {
        return Real::whole(e);
    }
    let (difference, total, below) = (sig.abs_diff(one), sig + one, sig < one);
    // A quotient of 126 or 127 bits in two steps: z = quotient * 2^-(shift + 64).
    let shift = 62 + difference.leading_zeros() - total.leading_zeros();
    let scaled = difference << shift;
    let quotient = ((scaled / total) << 64) | (((scaled % total) << 64) / total);
    let z_exp = -(shift as i32) - 64;
    let z = shifted(quotient, z_exp + Q as i32);
    let z2 = mul(z, z);
    // 1 + z^2/3 + z^4/5 + …
    let series = (0..=u128::from(LOG_TERMS))
        .rev()
        .fold(0, |s, k| mul(z2, s) + ONE / (2 * k + 1));
    let magnitude = mul_high(mul_high(quotient, series), TWO_LOG2_E);
    let exp = z_exp + (128 - Q as i32) + (128 - 126);
    if e == 0 {
        return Real::inexact(below, exp, magnitude);
    }
    // |e| < 2^11 and the rest is below 0.6 in size.
    const POINT: i32 = 112;
    let whole = i128::from(e) << POINT;
    let rest = shifted(magnitude, exp + POINT) as i128;
    let value = if below { whole - rest } else { whole + rest };
    Real::inexact(value < 0, -POINT, value.unsigned_abs())
}

/// An angle of at most an eighth turn: `±sig * 2^exp` revolutions, and the quarter turns before it.
struct Turn {
    quarter: u32,
    neg: bool,
    exp: i32,
    sig: u128,
}

/// |x| = quarter/4 + rest, modulo whole turns; exact.
fn reduce(x: Finite) -> Turn {
    const POINT: i32 = 126;
    if x.exp < -POINT {
        // Less than 2^-73: nothing to take away.
        return Turn {
            quarter: 0,
            neg: false,
            exp: x.exp,
            sig: x.sig.into(),
        };
    }
    let fraction = if x.exp >= 0 {
        0
    } else {
        let below = (-x.exp) as u32;
        let sig = u128::from(x.sig) & ((1 << below) - 1);
        sig << (POINT as u32 - below)
    };
    let quarter = (fraction + (1 << (POINT - 3))) >> (POINT - 2);
    let rest = fraction as i128 - (quarter << (POINT - 2)) as i128;
    Turn {
        quarter: quarter as u32 % 4,
        neg: rest < 0,
        exp: -POINT,
        sig: rest.unsigned_abs(),
    }
}

/// Sine and cosine of a rest that is not zero.
fn sine(turn: &Turn) -> Real {
    let (t, exp, u) = radians(turn);
    let series = nested_difference(u, TURN_TERMS, |k| 2 * k * (2 * k + 1));
    Real::inexact(turn.neg, exp + 128 - Q as i32, mul_high(t, series))
}

fn cosine(turn: &Turn) -> Real {
    if turn.sig == 0 {
        return Real::whole(1);
    }
    let (_, _, u) = radians(turn);
    let series = nested_difference(u, TURN_TERMS, |k| 2 * k * (2 * k - 1));
    Real::inexact(false, -(Q as i32), series.min(ONE - 1))
}

/// The rest in radians as significand and exponent, and its square in fixed point.
fn radians(turn: &Turn) -> (u128, i32, u128) {
    let up = turn.sig.leading_zeros() as i32;
    let t = mul_high(turn.sig << up, TWO_PI);
    let exp = turn.exp - up + 128 - 125;
    let fixed = shifted(t, exp + Q as i32);
    (t, exp, mul(fixed, fixed))
}

/// sin(2 pi x).
pub(super) fn sin_rev(x: Finite) -> Real {
    let turn = reduce(x);
    let negate = x.neg;
    match turn.quarter {
        0 | 2 if turn.sig == 0 => Real::whole(0).negated_if(negate),
        0 => sine(&turn).negated_if(negate),
        1 => cosine(&turn).negated_if(negate),
        2 => sine(&turn).negated_if(!negate),
        _ => cosine(&turn).negated_if(!negate),
    }
}

/// cos(2 pi x).
pub(super) fn cos_rev(x: Finite) -> Real {
    let turn = reduce(x);
    match turn.quarter {
        1 | 3 if turn.sig == 0 => Real::whole(0),
        0 => cosine(&turn),
        1 => sine(&turn).negated_if(true),
        2 => cosine(&turn).negated_if(true),
        _ => sine(&turn),
    }
}

/// tanh(x) = (e^2x - 1) / (e^2x + 1), with 2|x| = n ln 2 + t.
pub(super) fn tanh(x: Finite) -> Real {
    if lead(x) >= 6 {
        // 1 - 2^-184 or nearer.
        return next_to_power(0, false).negated_if(x.neg);
    }
    if lead(x) < -45 {
        // x - x^3/3: less than 2^-90 below x.
        return Real::inexact(x.neg, x.exp - 64, (u128::from(x.sig) << 64) - 1);
    }
    // 2|x| below 128 with 120 bits below the point; its last bit is at 2^-97 or above.
    const POINT: u32 = 120;
    let twice = shifted(x.sig.into(), x.exp + 1 + POINT as i32);
    // 1 / ln 2 has 127 bits below the point, so the product has 119 in its high half.
    let n = (mul_high(twice, TWO_LOG2_E) >> (POINT - 1)) as u32;
    let whole = mul_high(u128::from(n) << POINT, LN_2);
    let t = twice.saturating_sub(whole) << (Q - POINT);
    if n > 0 {
        // 1 - 2 / (e^2x + 1) = 1 - 2 * 2^-n / (e^t + 2^-n)
        let power = nested_sum(t, EXP_TERMS, |k| k);
        let part = reciprocal(power + (ONE >> n.min(127)));
        let lost = shifted(part, 1 - n as i32);
        return Real::inexact(x.neg, -(Q as i32), ONE - lost.max(1));
    }
    // e^t - 1 = t * (1 + t/2 + t^2/6 + …), divided by itself plus 2.
    let series = nested_sum(t, EXP_TERMS, |k| k + 1);
    let share = reciprocal(2 * ONE + mul(t, series));
    let (up, sig) = (t.leading_zeros() as i32, t << t.leading_zeros());
    let sig = mul_high(mul_high(sig, series), share);
    Real::inexact(x.neg, -(Q as i32) - up + 2 * (128 - Q as i32), sig)
}
