//! Conversions between float formats and integers.

use super::format::{Format, Parts, unpack};
use super::round::{FpEnv, Rounding, pack, shift_right};

/// Float to float, rounded once. A NaN keeps its sign and the high bits of its payload and becomes
/// quiet.
pub fn float_to_float(to: Format, from: Format, a: u64, env: FpEnv) -> u64 {
    let a = env.input(from, a);
    match unpack(from, a) {
        Parts::Nan => {
            let fraction = from.quiet(a) & from.man_mask();
            let (f, t) = (from.man_bits(), to.man_bits());
            let moved = if t >= f {
                fraction << (t - f)
            } else {
                fraction >> (f - t)
            };
            sign(to, from.is_neg(a)) | to.inf() | moved
        }
        Parts::Inf { neg } => sign(to, neg) | to.inf(),
        Parts::Zero { neg } => sign(to, neg),
        Parts::Finite(x) => pack(to, x.neg, x.exp, u128::from(x.sig), false, env),
    }
}

fn sign(format: Format, neg: bool) -> u64 {
    if neg { format.sign_bit() } else { 0 }
}

/// Integer of `width` bits to float.
pub fn int_to_float(to: Format, a: u64, width: u32, signed: bool, env: FpEnv) -> u64 {
    let value = super::int::extend(a, width, signed);
    if value == 0 {
        return 0;
    }
    pack(to, value < 0, 0, value.unsigned_abs(), false, env)
}

/// Float to integer of `width` bits: rounded in the given direction, saturated to the range, NaN
/// gives 0. The result is zero-extended.
pub fn float_to_int(from: Format, a: u64, width: u32, signed: bool, round: Rounding) -> u64 {
    let mask = super::int::mask(width);
    let (low, high) = if signed {
        (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1)
    } else {
        (0, i128::from(mask))
    };
    let value = match unpack(from, a) {
        Parts::Nan | Parts::Zero { .. } => 0,
        Parts::Inf { neg: true } => low,
        Parts::Inf { neg: false } => high,
        Parts::Finite(x) if x.exp > 64 => {
            if x.neg {
                low
            } else {
                high
            }
        }
        Parts::Finite(x) => {
            let magnitude = if x.exp >= 0 {
                // At most 53 bits shifted by 64.
                u128::from(x.sig) << x.exp
            } else {
                let (whole, lost) = shift_right(u128::from(x.sig), (-x.exp) as u32, false);
                whole + u128::from(round.increments(x.neg, whole & 1 != 0, lost))
            };
            let value = magnitude as i128;
            (if x.neg { -value } else { value }).clamp(low, high)
        }
    };
    value as u64 & mask
}

/// `a * 2^exp`, rounded once.
pub fn scaled_int_to_float(to: Format, a: u64, exp: i32, env: FpEnv) -> u64 {
    if a == 0 {
        0
    } else {
        pack(to, false, exp, u128::from(a), false, env)
    }
}
