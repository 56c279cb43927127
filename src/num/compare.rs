//! Comparison, minimum, maximum, classes, and rounding to integral values.

use std::cmp::Ordering;

use super::arith::{add, first_nan};
use super::format::{Format, Parts, unpack};
use super::round::{FpEnv, Rounding, pack, shift_right};

/// Order of two numbers; `None` where one is NaN. Zeros of both signs are equal.
#[inline]
pub fn compare(format: Format, a: u64, b: u64, env: FpEnv) -> Option<Ordering> {
    if format.is_nan(a) || format.is_nan(b) {
        return None;
    }
    Some(order(format, env.input(format, a)).cmp(&order(format, env.input(format, b))))
}

/// A number that orders as the float does; both zeros give 0.
fn order(format: Format, bits: u64) -> i64 {
    let magnitude = format.abs(bits) as i64;
    if format.is_neg(bits) {
        -magnitude
    } else {
        magnitude
    }
}

/// Smaller operand: a number beats NaN, -0 is below +0; the first NaN of two.
#[inline]
pub fn min(format: Format, a: u64, b: u64, env: FpEnv) -> u64 {
    pick(format, a, b, env, Ordering::Less)
}

/// Larger operand: a number beats NaN, +0 is above -0; the first NaN of two.
#[inline]
pub fn max(format: Format, a: u64, b: u64, env: FpEnv) -> u64 {
    pick(format, a, b, env, Ordering::Greater)
}

/// [`min`], but a signalling NaN operand comes back, made quiet (IEEE 754-2008 minNum; AMD's
/// `v_min` with `MODE.IEEE` set).
pub fn min_signaling(format: Format, a: u64, b: u64, env: FpEnv) -> u64 {
    signaling(format, a, b).unwrap_or_else(|| min(format, a, b, env))
}

/// [`max`], but a signalling NaN operand comes back, made quiet.
pub fn max_signaling(format: Format, a: u64, b: u64, env: FpEnv) -> u64 {
    signaling(format, a, b).unwrap_or_else(|| max(format, a, b, env))
}

fn signaling(format: Format, a: u64, b: u64) -> Option<u64> {
    let nan = [a, b].into_iter().find(|x| format.is_snan(*x))?;
    Some(format.quiet(nan))
}

/// Smaller operand, or the first NaN made quiet (IEEE 754-2019 minimum, PTX `min.NaN`).
pub fn minimum(format: Format, a: u64, b: u64, env: FpEnv) -> u64 {
    first_nan(format, &[a, b]).unwrap_or_else(|| min(format, a, b, env))
}

/// Larger operand, or the first NaN made quiet (IEEE 754-2019 maximum, PTX `max.NaN`).
pub fn maximum(format: Format, a: u64, b: u64, env: FpEnv) -> u64 {
    first_nan(format, &[a, b]).unwrap_or_else(|| max(format, a, b, env))
}

fn pick(format: Format, a: u64, b: u64, env: FpEnv, wanted: Ordering) -> u64 {
    let (a, b) = (env.input(format, a), env.input(format, b));
    match (format.is_nan(a), format.is_nan(b)) {
        (true, true) => return format.quiet(a),
        (true, false) => return env.output(format, b),
        (false, true) => return env.output(format, a),
        (false, false) => {}
    }
    let by_value = order(format, a).cmp(&order(format, b));
    // Equal values differ at most in the sign of zero: the negative one is smaller.
    let by_sign = format.is_neg(b).cmp(&format.is_neg(a));
    let chosen = if by_value.then(by_sign) == wanted {
        a
    } else {
        b
    };
    env.output(format, chosen)
}

/// Median of three: with a NaN, the minimum of the others (AMD `v_med3`).
pub fn med3(format: Format, a: u64, b: u64, c: u64, env: FpEnv) -> u64 {
    if first_nan(format, &[a, b, c]).is_some() {
        return min(format, min(format, a, b, env), c, env);
    }
    let low = min(format, a, b, env);
    let high = max(format, a, b, env);
    max(format, low, min(format, high, c, env), env)
}

/// Whether the class of a number is in a mask. Bits: 0 signalling NaN, 1 quiet NaN, 2 -infinity,
/// 3 -normal, 4 -subnormal, 5 -0, 6 +0, 7 +subnormal, 8 +normal, 9 +infinity (AMD `v_cmp_class`).
pub fn is_class(format: Format, a: u64, mask: u32) -> bool {
    let neg = format.is_neg(a);
    let class = if format.is_snan(a) {
        0
    } else if format.is_nan(a) {
        1
    } else {
        let up = if format.is_inf(a) {
            3
        } else if format.is_zero(a) {
            0
        } else if format.is_subnormal(a) {
            1
        } else {
            2
        };
        if neg { 5 - up } else { 6 + up }
    };
    mask >> class & 1 != 0
}

/// Rounds to an integral value in the given direction: `Down` is floor, `Up` is ceil, `TowardZero`
/// is trunc, `NearestEven` is rint. Zeros keep their sign, and a number rounded to zero its own.
pub fn round_to_integral(format: Format, a: u64, round: Rounding, env: FpEnv) -> u64 {
    let a = env.input(format, a);
    match unpack(format, a) {
        Parts::Nan => format.quiet(a),
        Parts::Inf { .. } | Parts::Zero { .. } => a,
        Parts::Finite(x) if x.exp >= 0 => a,
        Parts::Finite(x) => {
            let (mut whole, lost) = shift_right(u128::from(x.sig), (-x.exp) as u32, false);
            if round.increments(x.neg, whole & 1 != 0, lost) {
                whole += 1;
            }
            if whole == 0 {
                return a & format.sign_bit();
            }
            pack(format, x.neg, 0, whole, false, FpEnv::IEEE)
        }
    }
}

/// `a - floor(a)`, at most the largest number below one (AMD `v_fract`).
pub fn fract(format: Format, a: u64, env: FpEnv) -> u64 {
    if format.is_nan(a) {
        return format.quiet(a);
    }
    if format.is_inf(a) {
        return format.nan();
    }
    let floor = round_to_integral(format, a, Rounding::Down, env);
    let rest = add(format, a, floor ^ format.sign_bit(), env);
    let limit = format.one() - 1;
    if rest >= format.one() && !format.is_neg(rest) {
        limit
    } else {
        rest
    }
}
