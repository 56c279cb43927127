//! `f32` and `f64` operations with the types of one lane's registers, in [`FpEnv::IEEE`].
//!
//! The same functions as in [`arith`] and [`compare`] with the format fixed, for inner loops: once
//! inlined, each is the host's instruction and a test for NaN.

use super::{Format, FpEnv, arith, compare};

macro_rules! lane {
    ($($name:ident($($x:ident),+): $bits:ty = $module:ident::$op:ident, $format:ident, $doc:literal;)*) => {
        $(
            #[doc = $doc]
            #[inline]
            pub fn $name($($x: $bits),+) -> $bits {
                $module::$op(Format::$format, $(u64::from($x)),+, FpEnv::IEEE) as $bits
            }
        )*
    };
}

#[rustfmt::skip]
lane! {
    f32_add(a, b):    u32 = arith::add,   F32, "`a + b`.";
    f32_sub(a, b):    u32 = arith::sub,   F32, "`a - b`.";
    f32_mul(a, b):    u32 = arith::mul,   F32, "`a * b`.";
    f32_div(a, b):    u32 = arith::div,   F32, "`a / b`.";
    f32_fma(a, b, c): u32 = arith::fma,   F32, "`a * b + c`, rounded once.";
    f32_sqrt(a):      u32 = arith::sqrt,  F32, "Square root.";
    f32_min(a, b):    u32 = compare::min, F32, "Smaller operand; a number beats NaN.";
    f32_max(a, b):    u32 = compare::max, F32, "Larger operand; a number beats NaN.";
    f64_add(a, b):    u64 = arith::add,   F64, "`a + b`.";
    f64_sub(a, b):    u64 = arith::sub,   F64, "`a - b`.";
    f64_mul(a, b):    u64 = arith::mul,   F64, "`a * b`.";
    f64_div(a, b):    u64 = arith::div,   F64, "`a / b`.";
    f64_fma(a, b, c): u64 = arith::fma,   F64, "`a * b + c`, rounded once.";
    f64_sqrt(a):      u64 = arith::sqrt,  F64, "Square root.";
    f64_min(a, b):    u64 = compare::min, F64, "Smaller operand; a number beats NaN.";
    f64_max(a, b):    u64 = compare::max, F64, "Larger operand; a number beats NaN.";
}
