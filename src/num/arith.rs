//! Correctly rounded arithmetic on float bits.
//!
//! Every operation takes apart its operands, forms the exact result in 128 bits (with a sticky bit
//! where it does not fit) and rounds once: the functions named `…_exact`. For `f32` and `f64` rounded
//! to nearest, the host's instruction does the same: IEEE 754 defines it completely but for NaN, and
//! a NaN result always goes the exact way. Flushing is done around it, on the bits.
//!
//! NaN rule: the result is the first NaN operand, made quiet, sign and payload kept; an operation
//! that makes a NaN of numbers gives [`Format::nan`].

use super::format::{Finite, Format, Parts, unpack};
use super::round::{FpEnv, Rounding, pack};

/// The first NaN of the operands, quiet.
pub(super) fn first_nan(format: Format, operands: &[u64]) -> Option<u64> {
    operands
        .iter()
        .find(|b| format.is_nan(**b))
        .map(|b| format.quiet(*b & format.mask()))
}

fn signed_zero(format: Format, neg: bool) -> u64 {
    if neg { format.sign_bit() } else { 0 }
}

fn signed_inf(format: Format, neg: bool) -> u64 {
    signed_zero(format, neg) | format.inf()
}

/// Returns the host's result where it is defined and is not NaN.
macro_rules! host {
    ($format:expr, $env:expr, |$($x:ident),*| $e:expr) => {
        if $env.round == Rounding::NearestEven {
            match $format {
                Format::F32 => {
                    $(let $x = f32::from_bits($env.input(Format::F32, $x) as u32);)*
                    let r: f32 = $e;
                    if !r.is_nan() {
                        return $env.output(Format::F32, u64::from(r.to_bits()));
                    }
                }
                Format::F64 => {
                    $(let $x = f64::from_bits($env.input(Format::F64, $x));)*
                    let r: f64 = $e;
                    if !r.is_nan() {
                        return $env.output(Format::F64, r.to_bits());
                    }
                }
                Format::F16 | Format::Bf16 => {}
            }
        }
    };
}

/// `a + b`.
#[inline]
pub fn add(format: Format, a: u64, b: u64, env: FpEnv) -> u64 {
    host!(format, env, |a, b| a + b);
    add_exact(format, a, b, env)
}

pub(super) fn add_exact(format: Format, a: u64, b: u64, env: FpEnv) -> u64 {
    let (a, b) = (env.input(format, a), env.input(format, b));
    if let Some(nan) = first_nan(format, &[a, b]) {
        return nan;
    }
    sum(format, unpack(format, a), wide(unpack(format, b)), env)
}

/// `a - b`.
#[inline]
pub fn sub(format: Format, a: u64, b: u64, env: FpEnv) -> u64 {
    if format.is_nan(b) {
        return add(format, a, b, env);
    }
    add(format, a, b ^ format.sign_bit(), env)
}

/// A term with a 128-bit significand.
#[derive(Clone, Copy, Debug)]
enum Wide {
    Inf { neg: bool },
    Zero { neg: bool },
    Finite { neg: bool, exp: i32, sig: u128 },
}

fn wide(parts: Parts) -> Wide {
    match parts {
        Parts::Nan | Parts::Inf { neg: false } => Wide::Inf { neg: false },
        Parts::Inf { neg } => Wide::Inf { neg },
        Parts::Zero { neg } => Wide::Zero { neg },
        Parts::Finite(f) => Wide::Finite {
            neg: f.neg,
            exp: f.exp,
            sig: u128::from(f.sig),
        },
    }
}

/// Sum of two terms that are not NaN.
fn sum(format: Format, a: Parts, b: Wide, env: FpEnv) -> u64 {
    match (wide(a), b) {
        (Wide::Inf { neg: x }, Wide::Inf { neg: y }) if x != y => format.nan(),
        (Wide::Inf { neg }, _) | (_, Wide::Inf { neg }) => signed_inf(format, neg),
        (Wide::Zero { neg: x }, Wide::Zero { neg: y }) => signed_zero(
            format,
            if x == y {
                x
            } else {
                env.round == Rounding::Down
            },
        ),
        (Wide::Zero { .. }, Wide::Finite { neg, exp, sig })
        | (Wide::Finite { neg, exp, sig }, Wide::Zero { .. }) => {
            pack(format, neg, exp, sig, false, env)
        }
        (
            Wide::Finite {
                neg: na,
                exp: ea,
                sig: sa,
            },
            Wide::Finite {
                neg: nb,
                exp: eb,
                sig: sb,
            },
        ) => {
            // Both with the leading bit at 125: products have at most 106 bits, so nothing is lost.
            let (ea, sa) = lead_at_125(ea, sa);
            let (eb, sb) = lead_at_125(eb, sb);
            let a_first = (ea, sa) >= (eb, sb);
            let (neg, exp, big, other_neg, other_exp, small) = if a_first {
                (na, ea, sa, nb, eb, sb)
            } else {
                (nb, eb, sb, na, ea, sa)
            };
            let distance = (exp - other_exp) as u32;
            let (small, sticky) = if distance > 126 {
                (0, true)
            } else {
                (small >> distance, small & ((1 << distance) - 1) != 0)
            };
            if neg == other_neg {
                return pack(format, neg, exp, big + small, sticky, env);
            }
            // With a lost part below, the difference is one less and the part is its complement.
            let difference = big - small - u128::from(sticky);
            if difference == 0 && !sticky {
                return signed_zero(format, env.round == Rounding::Down);
            }
            pack(format, neg, exp, difference, sticky, env)
        }
    }
}

fn lead_at_125(exp: i32, sig: u128) -> (i32, u128) {
    let up = sig.leading_zeros() as i32 - 2;
    if up >= 0 {
        (exp - up, sig << up)
    } else {
        (exp + 2, sig >> 2)
    }
}

/// `a * b`.
#[inline]
pub fn mul(format: Format, a: u64, b: u64, env: FpEnv) -> u64 {
    host!(format, env, |a, b| a * b);
    mul_exact(format, a, b, env)
}

pub(super) fn mul_exact(format: Format, a: u64, b: u64, env: FpEnv) -> u64 {
    let (a, b) = (env.input(format, a), env.input(format, b));
    if let Some(nan) = first_nan(format, &[a, b]) {
        return nan;
    }
    match product(unpack(format, a), unpack(format, b)) {
        None => format.nan(),
        Some(Wide::Inf { neg }) => signed_inf(format, neg),
        Some(Wide::Zero { neg }) => signed_zero(format, neg),
        Some(Wide::Finite { neg, exp, sig }) => pack(format, neg, exp, sig, false, env),
    }
}

/// The exact product of numbers; `None` for infinity times zero.
fn product(a: Parts, b: Parts) -> Option<Wide> {
    let neg = is_neg(a) != is_neg(b);
    match (a, b) {
        (Parts::Inf { .. }, Parts::Zero { .. }) | (Parts::Zero { .. }, Parts::Inf { .. }) => None,
        (Parts::Nan, _) | (_, Parts::Nan) => None,
        (Parts::Inf { .. }, _) | (_, Parts::Inf { .. }) => Some(Wide::Inf { neg }),
        (Parts::Zero { .. }, _) | (_, Parts::Zero { .. }) => Some(Wide::Zero { neg }),
        (Parts::Finite(x), Parts::Finite(y)) => {
            let sig = u128::from(x.sig) * u128::from(y.sig);
            Some(Wide::Finite {
                neg,
                exp: x.exp + y.exp,
                sig,
            })
        }
    }
}

fn is_neg(parts: Parts) -> bool {
    match parts {
        Parts::Nan => false,
        Parts::Inf { neg } | Parts::Zero { neg } => neg,
        Parts::Finite(f) => f.neg,
    }
}

/// `a * b + c` with one rounding.
#[inline]
pub fn fma(format: Format, a: u64, b: u64, c: u64, env: FpEnv) -> u64 {
    host!(format, env, |a, b, c| a.mul_add(b, c));
    fma_exact(format, a, b, c, env)
}

pub(super) fn fma_exact(format: Format, a: u64, b: u64, c: u64, env: FpEnv) -> u64 {
    let (a, b, c) = (
        env.input(format, a),
        env.input(format, b),
        env.input(format, c),
    );
    if let Some(nan) = first_nan(format, &[a, b, c]) {
        return nan;
    }
    match product(unpack(format, a), unpack(format, b)) {
        None => format.nan(),
        Some(p) => sum(format, unpack(format, c), p, env),
    }
}

/// `fma(a, b, c) * 2^scale` with one rounding (`v_div_fmas`).
pub fn fma_scaled(format: Format, a: u64, b: u64, c: u64, scale: i32, env: FpEnv) -> u64 {
    let (a, b, c) = (
        env.input(format, a),
        env.input(format, b),
        env.input(format, c),
    );
    if let Some(nan) = first_nan(format, &[a, b, c]) {
        return nan;
    }
    let scaled = |parts: Parts| match parts {
        Parts::Finite(f) => Parts::Finite(Finite {
            exp: f.exp + scale,
            ..f
        }),
        other => other,
    };
    match product(scaled(unpack(format, a)), unpack(format, b)) {
        None => format.nan(),
        Some(p) => sum(format, scaled(unpack(format, c)), p, env),
    }
}

/// `a / b`.
#[inline]
pub fn div(format: Format, a: u64, b: u64, env: FpEnv) -> u64 {
    host!(format, env, |a, b| a / b);
    div_exact(format, a, b, env)
}

pub(super) fn div_exact(format: Format, a: u64, b: u64, env: FpEnv) -> u64 {
    let (a, b) = (env.input(format, a), env.input(format, b));
    if let Some(nan) = first_nan(format, &[a, b]) {
        return nan;
    }
    let (x, y) = (unpack(format, a), unpack(format, b));
    let neg = is_neg(x) != is_neg(y);
    match (x, y) {
        (Parts::Nan, _) | (_, Parts::Nan) => format.nan(),
        (Parts::Inf { .. }, Parts::Inf { .. }) | (Parts::Zero { .. }, Parts::Zero { .. }) => {
            format.nan()
        }
        (Parts::Inf { .. }, _) | (_, Parts::Zero { .. }) => signed_inf(format, neg),
        (Parts::Zero { .. }, _) | (_, Parts::Inf { .. }) => signed_zero(format, neg),
        (Parts::Finite(x), Parts::Finite(y)) => {
            let (up_x, up_y) = (x.sig.leading_zeros(), y.sig.leading_zeros());
            let numerator = u128::from(x.sig << up_x) << 63;
            let denominator = u128::from(y.sig << up_y);
            let exp = (x.exp - up_x as i32) - (y.exp - up_y as i32) - 63;
            let sticky = numerator % denominator != 0;
            pack(format, neg, exp, numerator / denominator, sticky, env)
        }
    }
}

/// Square root.
#[inline]
pub fn sqrt(format: Format, a: u64, env: FpEnv) -> u64 {
    host!(format, env, |a| a.sqrt());
    sqrt_exact(format, a, env)
}

pub(super) fn sqrt_exact(format: Format, a: u64, env: FpEnv) -> u64 {
    let a = env.input(format, a);
    if let Some(nan) = first_nan(format, &[a]) {
        return nan;
    }
    match unpack(format, a) {
        Parts::Nan => format.nan(),
        Parts::Zero { neg } => signed_zero(format, neg),
        Parts::Inf { neg: false } => format.inf(),
        Parts::Inf { neg: true } | Parts::Finite(Finite { neg: true, .. }) => format.nan(),
        Parts::Finite(x) => {
            // An even exponent and 125 or 126 bits: the root has 63.
            let up = u128::from(x.sig).leading_zeros() as i32 - 2;
            let up = up - ((x.exp - up) & 1);
            let sig = u128::from(x.sig) << up;
            let root = sig.isqrt();
            pack(
                format,
                false,
                (x.exp - up) / 2,
                root,
                root * root != sig,
                env,
            )
        }
    }
}

/// Reciprocal square root, correctly rounded.
pub fn rsqrt(format: Format, a: u64, env: FpEnv) -> u64 {
    let a = env.input(format, a);
    if let Some(nan) = first_nan(format, &[a]) {
        return nan;
    }
    match unpack(format, a) {
        Parts::Nan => format.nan(),
        Parts::Zero { neg } => signed_inf(format, neg),
        Parts::Inf { neg: false } => 0,
        Parts::Inf { neg: true } | Parts::Finite(Finite { neg: true, .. }) => format.nan(),
        Parts::Finite(x) => {
            // x = sig * 2^exp with exp even and sig in 2^52..2^54, so the root r of 2^166 / sig has
            // 56 or 57 bits: the largest r with r*r*sig <= 2^166.
            let mut up = x.sig.leading_zeros() as i32 - 11;
            up += (x.exp - up) & 1;
            let (sig, exp) = (x.sig << up, x.exp - up);
            let fits = |r: u64| square_times(r, sig) <= (1 << (166 - 128), 0);
            let mut root = 0u64;
            for bit in (0..58).rev() {
                let trial = root | 1 << bit;
                if fits(trial) {
                    root = trial;
                }
            }
            let exact = square_times(root, sig) == (1 << (166 - 128), 0);
            pack(format, false, -exp / 2 - 83, u128::from(root), !exact, env)
        }
    }
}

/// `r * r * m` as high and low 128 bits; `r < 2^58`, `m < 2^55`.
fn square_times(r: u64, m: u64) -> (u128, u128) {
    let square = u128::from(r) * u128::from(r);
    let (high, low) = (square >> 64, square & u128::from(u64::MAX));
    let low = low * u128::from(m);
    let high = high * u128::from(m) + (low >> 64);
    (high >> 64, high << 64 | low & u128::from(u64::MAX))
}

/// `a * 2^n`, rounded once.
pub fn ldexp(format: Format, a: u64, n: i32, env: FpEnv) -> u64 {
    let a = env.input(format, a);
    if let Some(nan) = first_nan(format, &[a]) {
        return nan;
    }
    match unpack(format, a) {
        Parts::Finite(x) => {
            let n = n.clamp(-5000, 5000);
            pack(format, x.neg, x.exp + n, u128::from(x.sig), false, env)
        }
        Parts::Nan | Parts::Inf { .. } | Parts::Zero { .. } => a,
    }
}

/// The mantissa in 0.5..1 of `a = m * 2^e` (`v_frexp_mant`); infinities, zeros and NaN are kept.
pub fn frexp_mant(format: Format, a: u64) -> u64 {
    match unpack(format, a) {
        Parts::Finite(x) => {
            let lead = 63 - x.sig.leading_zeros() as i32;
            pack(
                format,
                x.neg,
                -lead - 1,
                u128::from(x.sig),
                false,
                FpEnv::IEEE,
            )
        }
        Parts::Nan => format.quiet(a),
        Parts::Inf { .. } | Parts::Zero { .. } => a,
    }
}

/// The exponent of `a = m * 2^e` with `m` in 0.5..1; 0 for zeros, infinities and NaN.
pub fn frexp_exp(format: Format, a: u64) -> i32 {
    match unpack(format, a) {
        Parts::Finite(x) => x.exp + 64 - x.sig.leading_zeros() as i32,
        Parts::Nan | Parts::Inf { .. } | Parts::Zero { .. } => 0,
    }
}
