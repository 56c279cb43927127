//! The helpers of AMD's division sequence: `v_div_scale`, `v_div_fmas`, `v_div_fixup`.
//!
//! Source: AMD Instinct MI300 ISA guide, chapter 12, the three instructions' pseudo-code. Exponents
//! are the stored fields.

use super::arith::{fma, fma_scaled, ldexp};
use super::format::{Finite, Format, Parts, unpack};
use super::round::FpEnv;

/// Thresholds of a format: exponent distance that nears overflow, scale, smallest safe numerator
/// exponent, and exponent distance that underflows.
fn limits(format: Format) -> (i32, i32, i32, i32) {
    match format {
        Format::F64 => (768, 128, 53, -1075),
        Format::F16 | Format::Bf16 | Format::F32 => (96, 64, 23, -150),
    }
}

/// Whether `|a / b|` is below the smallest normal number; both finite.
fn quotient_is_subnormal(format: Format, a: Finite, b: Finite) -> bool {
    // a < b * 2^emin, with both significands' leading bits at 63.
    let (up_a, up_b) = (a.sig.leading_zeros(), b.sig.leading_zeros());
    let key_a = (a.exp - up_a as i32, a.sig << up_a);
    let key_b = (b.exp - up_b as i32 + format.emin(), b.sig << up_b);
    key_a < key_b
}

/// `v_div_scale`: the scaled `value` (equal to the numerator or the denominator) and the VCC bit.
pub fn div_scale(format: Format, value: u64, denominator: u64, numerator: u64) -> (u64, bool) {
    let (near_overflow, scale, tiny, _) = limits(format);
    let (den, num) = (unpack(format, denominator), unpack(format, numerator));
    if matches!(den, Parts::Zero { .. }) || matches!(num, Parts::Zero { .. }) {
        return (format.nan(), false);
    }
    let scaled = |n: i32| ldexp(format, value, n, FpEnv::IEEE);
    let (e_num, e_den) = (format.exp_field(numerator), format.exp_field(denominator));
    let is_den = value == denominator;
    if e_num - e_den >= near_overflow {
        return (if is_den { scaled(scale) } else { value }, true);
    }
    if format.is_subnormal(denominator) {
        return (scaled(scale), false);
    }
    let one = Finite {
        neg: false,
        exp: 0,
        sig: 1,
    };
    let (reciprocal_small, quotient_small) = match (num, den) {
        (Parts::Finite(n), Parts::Finite(d)) => (
            quotient_is_subnormal(format, one, d),
            quotient_is_subnormal(format, n, d),
        ),
        _ => (false, false),
    };
    match (reciprocal_small, quotient_small) {
        // The quotient grows by the scale, which `v_div_fmas` takes back: a large denominator must
        // shrink.
        (true, true) => (if is_den { scaled(-scale) } else { value }, true),
        (true, false) => (scaled(-scale), false),
        (false, true) => (
            if value == numerator {
                scaled(scale)
            } else {
                value
            },
            true,
        ),
        (false, false) if e_num <= tiny => (scaled(scale), false),
        (false, false) => (value, false),
    }
}

/// `v_div_fmas`: a fused multiply-add, scaled back where VCC says so; rounded once.
pub fn div_fmas(format: Format, a: u64, b: u64, c: u64, vcc: bool, env: FpEnv) -> u64 {
    let (_, scale, _, _) = limits(format);
    if !vcc {
        return fma(format, a, b, c, env);
    }
    let up = format.exp_field(c) > format.bias();
    fma_scaled(format, a, b, c, if up { scale } else { -scale }, env)
}

/// `v_div_fixup`: the quotient with special operands put right.
pub fn div_fixup(format: Format, quotient: u64, denominator: u64, numerator: u64) -> u64 {
    let (_, _, _, underflow) = limits(format);
    let neg = format.is_neg(denominator) != format.is_neg(numerator);
    let sign = if neg { format.sign_bit() } else { 0 };
    if format.is_nan(numerator) {
        return format.quiet(numerator);
    }
    if format.is_nan(denominator) {
        return format.quiet(denominator);
    }
    let (den_zero, num_zero) = (format.is_zero(denominator), format.is_zero(numerator));
    let (den_inf, num_inf) = (format.is_inf(denominator), format.is_inf(numerator));
    if den_zero && num_zero || den_inf && num_inf {
        return format.sign_bit() | format.nan();
    }
    if den_zero || num_inf {
        return sign | format.inf();
    }
    if den_inf || num_zero {
        return sign;
    }
    if format.exp_field(numerator) - format.exp_field(denominator) < underflow {
        return sign;
    }
    // Newton's steps turn an overflowing quotient into inf - inf.
    if format.is_nan(quotient) {
        return sign | format.inf();
    }
    sign | quotient & format.mask() & !format.sign_bit()
}
