//! The functions in `f64`, with an error bound that decides whether the answer is certain.
//!
//! Only `+ - * /`, square root and rounding to integers of the host are used, which IEEE 754
//! defines completely. `None` means "ask [`exact`](super::exact)": the error interval crosses a
//! rounding boundary, the argument is out of the easy range, or the format is `f64` itself.
//!
//! Error: the series are cut below 2^-55 of the result, arguments after reduction are off by at
//! most 2^-51, and each Horner step adds 2^-53 of a sum that its successors shrink; together less
//! than 2^-48. [`EPSILON`] leaves a factor of four.

use super::super::convert::float_to_float;
use super::super::format::Format;
use super::super::round::{FpEnv, Rounding};

/// Relative bound of the error of every function here.
const EPSILON: f64 = 1.0 / (1u64 << 46) as f64;

/// `1 / k!`.
const FACTORIAL: [f64; 22] = {
    let mut table = [1.0; 22];
    let mut k = 1;
    while k < 22 {
        table[k] = table[k - 1] / k as f64;
        k += 1;
    }
    table
};

/// The argument as `f64`, exact; `None` for `f64` itself, whose results need more bits.
fn widen(format: Format, a: u64) -> Option<f64> {
    match format {
        Format::F32 => Some(f64::from(f32::from_bits(a as u32))),
        Format::F16 | Format::Bf16 => {
            let bits = float_to_float(Format::F64, format, a, FpEnv::IEEE);
            Some(f64::from_bits(bits))
        }
        Format::F64 => None,
    }
}

/// Rounds `value` if everything within its error rounds to the same.
fn settle(format: Format, value: f64, env: FpEnv) -> Option<u64> {
    let error = value * EPSILON;
    let kept = FpEnv::IEEE.with_round(env.round);
    let round = |v: f64| match (format, env.round) {
        (Format::F32, Rounding::NearestEven) => u64::from((v as f32).to_bits()),
        _ => float_to_float(format, Format::F64, v.to_bits(), kept),
    };
    let (low, high) = (round(value - error), round(value + error));
    (low == high && value != 0.0).then(|| env.output(format, low))
}

/// `1/first! + x/(first+step)! + x^2/(first+2*step)! + …`, the last term being `1/last!`'s.
fn factorial_series(x: f64, first: usize, step: usize, last: usize) -> f64 {
    let mut sum = 0.0;
    let mut k = last;
    loop {
        sum = sum * x + FACTORIAL[k];
        if k == first {
            return sum;
        }
        k -= step;
    }
}

/// 2^n for a normal result.
fn power(n: i32) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// `1 / sqrt(a)` for a positive number.
pub(super) fn rsq(format: Format, a: u64, env: FpEnv) -> Option<u64> {
    settle(format, 1.0 / widen(format, a)?.sqrt(), env)
}

/// 2^a = 2^n * e^(f ln 2) with |f| <= 1/2.
pub(super) fn exp2(format: Format, a: u64, env: FpEnv) -> Option<u64> {
    let x = widen(format, a)?;
    if x.abs() > 1000.0 {
        return None;
    }
    let n = x.round();
    let t = (x - n) * std::f64::consts::LN_2;
    settle(format, factorial_series(t, 0, 1, 14) * power(n as i32), env)
}

/// log2(2^e * m) = e + 2/ln 2 * atanh((m - 1) / (m + 1)) with m in 0.75..1.5.
pub(super) fn log2(format: Format, a: u64, env: FpEnv) -> Option<u64> {
    let x = widen(format, a)?;
    // Every number of the smaller formats is a normal f64.
    let mut e = (x.to_bits() >> 52) as i32 - 1023;
    let mut m = x * power(-e);
    if m >= 1.5 {
        m *= 0.5;
        e += 1;
    }
    let z = (m - 1.0) / (m + 1.0);
    let z2 = z * z;
    let series = (0..13)
        .rev()
        .fold(0.0, |s, k| s * z2 + 1.0 / f64::from(2 * k + 1));
    settle(
        format,
        f64::from(e) + 2.0 * std::f64::consts::LOG2_E * z * series,
        env,
    )
}

/// Sine of `a` plus `turn` quarter revolutions.
fn turned(format: Format, a: u64, turn: i64, env: FpEnv) -> Option<u64> {
    let x = widen(format, a)?;
    if x.abs() > f64::from(1 << 30) {
        return None;
    }
    let quarters = (4.0 * x).round();
    let t = (x - quarters / 4.0) * (2.0 * std::f64::consts::PI);
    let quarters = (quarters as i64 + turn) & 3;
    let alternating = -(t * t);
    let value = if quarters & 1 == 0 {
        t * signed_series(alternating, 1)
    } else {
        signed_series(alternating, 0)
    };
    settle(format, if quarters & 2 == 0 { value } else { -value }, env)
}

/// `1/first! + u/(first+2)! + u^2/(first+4)! + …`
fn signed_series(u: f64, first: usize) -> f64 {
    factorial_series(u, first, 2, first + 20)
}

/// sin(2 pi a).
pub(super) fn sin_rev(format: Format, a: u64, env: FpEnv) -> Option<u64> {
    turned(format, a, 0, env)
}

/// cos(2 pi a).
pub(super) fn cos_rev(format: Format, a: u64, env: FpEnv) -> Option<u64> {
    turned(format, a, 1, env)
}

/// tanh(a) by e^2a - 1 for small arguments and by 1 - 2 / (e^2a + 1) else.
pub(super) fn tanh(format: Format, a: u64, env: FpEnv) -> Option<u64> {
    let x = widen(format, a)?;
    let twice = 2.0 * x.abs();
    if twice > 64.0 {
        return None;
    }
    let value = if twice < 0.5 {
        let less = twice * factorial_series(twice, 1, 1, 16);
        less / (less + 2.0)
    } else {
        let n = (twice * std::f64::consts::LOG2_E).round();
        let t = twice - n * std::f64::consts::LN_2;
        1.0 - 2.0 / (factorial_series(t, 0, 1, 14) * power(n as i32) + 1.0)
    };
    settle(format, if x < 0.0 { -value } else { value }, env)
}
