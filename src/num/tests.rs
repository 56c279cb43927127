//! Against `rustc_apfloat`, a port of LLVM's APFloat, in every format and rounding mode.

use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, Round};

use super::round::{FpEnv, Rounding};
use super::{Format, arith, compare, convert, int};

mod division;
mod edges;
mod integers;
mod rules;

fn mode(r: Rounding) -> Round {
    match r {
        Rounding::NearestEven => Round::NearestTiesToEven,
        Rounding::TowardZero => Round::TowardZero,
        Rounding::Down => Round::TowardNegative,
        Rounding::Up => Round::TowardPositive,
    }
}

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Random bits, biased to special exponents and to operands near each other.
    fn float(&mut self, format: Format, near: u64) -> u64 {
        let r = self.next();
        let bits = self.next() & format.mask();
        match r % 8 {
            0 => bits & (format.sign_bit() | format.man_mask()),
            1 => bits & format.sign_bit() | (format.inf() - (bits & 3)),
            2 => near ^ bits & 7,
            3 => (near ^ format.sign_bit()) ^ (bits & 3),
            4 => bits & (format.sign_bit() | format.inf()) | bits & 1,
            _ => bits,
        }
    }
}

fn same(format: Format, got: u64, want: u64, what: &str) {
    let both_nan = format.is_nan(got) && format.is_nan(want);
    assert!(
        got == want || both_nan,
        "{what}: got {got:#x}, want {want:#x}"
    );
}

fn check_arith<T: Float>(format: Format) {
    let mut rng = Rng(format.bits() as u64);
    let b = |x: T| x.to_bits() as u64;
    for n in 0..25_000 {
        let x = rng.float(format, 0);
        let y = rng.float(format, x);
        let z = rng.float(format, y);
        let (fx, fy, fz) = (
            T::from_bits(x.into()),
            T::from_bits(y.into()),
            T::from_bits(z.into()),
        );
        let round = Rounding::ALL[n % 4];
        let (env, r) = (FpEnv::IEEE.with_round(round), mode(round));
        let at = format!("{format:?} {round:?} {x:#x} {y:#x} {z:#x}");
        same(
            format,
            arith::add(format, x, y, env),
            b(fx.add_r(fy, r).value),
            &format!("add {at}"),
        );
        same(
            format,
            arith::sub(format, x, y, env),
            b(fx.sub_r(fy, r).value),
            &format!("sub {at}"),
        );
        same(
            format,
            arith::mul(format, x, y, env),
            b(fx.mul_r(fy, r).value),
            &format!("mul {at}"),
        );
        same(
            format,
            arith::div(format, x, y, env),
            b(fx.div_r(fy, r).value),
            &format!("div {at}"),
        );
        let want = b(fx.mul_add_r(fy, fz, r).value);
        same(
            format,
            arith::fma(format, x, y, z, env),
            want,
            &format!("fma {at}"),
        );
        let want = b(fx.round_to_integral(r).value);
        same(
            format,
            compare::round_to_integral(format, x, round, FpEnv::IEEE),
            want,
            &at,
        );
        assert_eq!(
            compare::compare(format, x, y, FpEnv::IEEE),
            fx.partial_cmp(&fy),
            "{at}"
        );
        for (width, signed) in [
            (8, true),
            (16, false),
            (32, true),
            (32, false),
            (64, true),
            (64, false),
        ] {
            let got = convert::float_to_int(format, x, width, signed, round);
            let mut exact = true;
            let want = if fx.is_nan() {
                0
            } else if signed {
                fx.to_i128_r(width as usize, r, &mut exact).value as u64 & int::mask(width)
            } else {
                fx.to_u128_r(width as usize, r, &mut exact).value as u64 & int::mask(width)
            };
            assert_eq!(got, want, "to int {width} {signed} {at}");
        }
        let whole = rng.next() >> (rng.next() % 64);
        let want = b(T::from_i128_r(i128::from(whole as i64), r).value);
        same(
            format,
            convert::int_to_float(format, whole, 64, true, env),
            want,
            &at,
        );
        let want = b(T::from_u128_r(u128::from(whole), r).value);
        same(
            format,
            convert::int_to_float(format, whole, 64, false, env),
            want,
            &at,
        );
    }
}

#[test]
fn arithmetic_equals_apfloat() {
    check_arith::<Half>(Format::F16);
    check_arith::<BFloat>(Format::Bf16);
    check_arith::<Single>(Format::F32);
    check_arith::<Double>(Format::F64);
}

#[test]
fn the_exact_way_equals_the_host() {
    let mut rng = Rng(5);
    for n in 0..60_000u64 {
        let env = FpEnv {
            flush_in: n & 1 != 0,
            flush_out: n & 2 != 0,
            ..FpEnv::IEEE
        };
        let a = rng.float(Format::F64, 0);
        let b = rng.float(Format::F64, a);
        let c = rng.float(Format::F64, b);
        for f in [Format::F32, Format::F64] {
            let (x, y, z) = (a & f.mask(), b & f.mask(), c & f.mask());
            let at = format!("{f:?} {env:?} {x:#x} {y:#x} {z:#x}");
            assert_eq!(
                arith::add(f, x, y, env),
                arith::add_exact(f, x, y, env),
                "add {at}"
            );
            assert_eq!(
                arith::mul(f, x, y, env),
                arith::mul_exact(f, x, y, env),
                "mul {at}"
            );
            assert_eq!(
                arith::div(f, x, y, env),
                arith::div_exact(f, x, y, env),
                "div {at}"
            );
            assert_eq!(
                arith::sqrt(f, x, env),
                arith::sqrt_exact(f, x, env),
                "sqrt {at}"
            );
            assert_eq!(
                arith::fma(f, x, y, z, env),
                arith::fma_exact(f, x, y, z, env),
                "fma {at}"
            );
        }
    }
}

#[test]
fn conversions_between_formats_equal_apfloat() {
    use rustc_apfloat::FloatConvert;
    let mut rng = Rng(9);
    let mut loses = false;
    for n in 0..100_000 {
        let round = Rounding::ALL[n % 4];
        let (env, r) = (FpEnv::IEEE.with_round(round), mode(round));
        let x = rng.float(Format::F64, 0);
        let d = Double::from_bits(x.into());
        let single: Single = d.convert_r(r, &mut loses).value;
        let half: Half = d.convert_r(r, &mut loses).value;
        let brain: BFloat = d.convert_r(r, &mut loses).value;
        for (to, want) in [
            (Format::F32, single.to_bits()),
            (Format::F16, half.to_bits()),
            (Format::Bf16, brain.to_bits()),
        ] {
            let got = convert::float_to_float(to, Format::F64, x, env);
            same(to, got, want as u64, &format!("{to:?} {round:?} {x:#x}"));
        }
        let f = x & 0xffff_ffff;
        let back: Double = Single::from_bits(f.into()).convert_r(r, &mut loses).value;
        same(
            Format::F64,
            convert::float_to_float(Format::F64, Format::F32, f, env),
            back.to_bits() as u64,
            "up",
        );
    }
}

#[test]
fn all_halves_convert_and_round() {
    for h in 0..=0xffffu64 {
        let want = half::f16::from_bits(h as u16).to_f32();
        let got = convert::float_to_float(Format::F32, Format::F16, h, FpEnv::IEEE);
        same(Format::F32, got, u64::from(want.to_bits()), "f16 to f32");
        let back = convert::float_to_float(Format::F16, Format::F32, got, FpEnv::IEEE);
        same(Format::F16, back, h, "and back");
        let root = f64::from(want).sqrt();
        let want = half::f16::from_f64(root).to_bits();
        same(
            Format::F16,
            arith::sqrt(Format::F16, h, FpEnv::IEEE),
            u64::from(want),
            "sqrt f16",
        );
    }
}

#[test]
fn reciprocal_roots_are_correctly_rounded() {
    let mut rng = Rng(77);
    for format in [Format::F16, Format::F32, Format::F64] {
        for _ in 0..3_000 {
            let x = rng.float(format, format.one()) & !format.sign_bit();
            if format.is_nan(x) || format.is_inf(x) || format.is_zero(x) {
                continue;
            }
            let r = arith::rsqrt(format, x, FpEnv::IEEE);
            // r is right if (r - half)^2 * x <= 1 <= (r + half)^2 * x, half a unit of r.
            let (rs, re) = exact(format, r);
            let (xs, xe) = exact(format, x);
            for (twice, below) in [(2 * rs - 1, true), (2 * rs + 1, false)] {
                let order = power_order(twice, xs, 2 * (re - 1) + xe);
                assert_ne!(
                    order,
                    if below {
                        std::cmp::Ordering::Greater
                    } else {
                        std::cmp::Ordering::Less
                    },
                    "{format:?} {x:#x} {r:#x}"
                );
            }
        }
    }
}

fn exact(format: Format, bits: u64) -> (u128, i32) {
    let field = format.exp_field(bits);
    let fraction = u128::from(bits & format.man_mask());
    let hidden = if field == 0 {
        0
    } else {
        1u128 << format.man_bits()
    };
    (
        fraction | hidden,
        format.emin() - format.man_bits() as i32 + field.max(1) - 1,
    )
}

/// Order of `a*a*x * 2^exp` and 1, by 256-bit long multiplication.
fn power_order(a: u128, x: u128, exp: i32) -> std::cmp::Ordering {
    let digits = |mut v: u128| {
        let mut out = Vec::new();
        while v != 0 {
            out.push(v as u32);
            v >>= 32;
        }
        out
    };
    let mul = |a: &[u32], b: &[u32]| {
        let mut out = vec![0u32; a.len() + b.len()];
        for (i, &x) in a.iter().enumerate() {
            let mut carry = 0u64;
            for (j, &y) in b.iter().enumerate() {
                let t = u64::from(x) * u64::from(y) + u64::from(out[i + j]) + carry;
                out[i + j] = t as u32;
                carry = t >> 32;
            }
            out[i + b.len()] = carry as u32;
        }
        out
    };
    let product = mul(&mul(&digits(a), &digits(a)), &digits(x));
    let lead = product.iter().rposition(|d| *d != 0).unwrap();
    let bits = lead as i32 * 32 + 31 - product[lead].leading_zeros() as i32;
    let ones: u32 = product.iter().map(|d| d.count_ones()).sum();
    match (bits + exp).cmp(&0) {
        std::cmp::Ordering::Equal if ones > 1 => std::cmp::Ordering::Greater,
        other => other,
    }
}
