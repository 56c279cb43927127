//! AMD's division sequence is exact: easy, random and hard operands.

use super::super::round::FpEnv;
use super::super::{Format, approx, arith, divide};
use super::edges::edge_values;
use super::{Rng, same};

/// The sequence that LLVM emits for a correctly rounded division, with the helpers and a correctly
/// rounded reciprocal. (With one that is off by an ulp the sequence is not exact in every case:
/// 0xf4000000 / 0xff7fffff.)
fn compiled_division(format: Format, num: u64, den: u64) -> u64 {
    let env = FpEnv::IEEE;
    let neg = |x: u64| format.neg(x);
    let fma = |a, b, c| arith::fma(format, a, b, c, env);
    let (d, _) = divide::div_scale(format, den, den, num);
    let (n, vcc) = divide::div_scale(format, num, den, num);
    let mut r = approx::rcp(format, d, env);
    for _ in 0..if format == Format::F64 { 2 } else { 1 } {
        let e = fma(neg(d), r, format.one());
        r = fma(e, r, r);
    }
    let q = arith::mul(format, n, r, env);
    let mut e = fma(neg(d), q, n);
    let mut q = q;
    if format == Format::F32 {
        q = fma(e, r, q);
        e = fma(neg(d), q, n);
    }
    let q = divide::div_fmas(format, e, r, q, vcc, env);
    divide::div_fixup(format, q, den, num)
}

fn check(format: Format, x: u64, y: u64) {
    let want = arith::div_exact(format, x, y, FpEnv::IEEE);
    let got = compiled_division(format, x, y);
    same(format, got, want, &format!("{format:?} {x:#x} / {y:#x}"));
}

#[test]
fn random_operands_and_edges() {
    for format in [Format::F32, Format::F64] {
        let mut rng = Rng(1234 + u64::from(format.bits()));
        for _ in 0..60_000u64 {
            let x = rng.float(format, 0);
            check(format, x, rng.float(format, x));
        }
        for &x in &edge_values(format) {
            for &y in &edge_values(format) {
                check(format, x, y);
            }
        }
    }
}

/// Every pair of exponents, with fractions at both ends: all thresholds of the scaling are crossed.
#[test]
fn all_pairs_of_exponents() {
    let f = Format::F32;
    let fractions = [0, 1, 0x2a_aaab, f.man_mask()];
    for x in 0..255u64 {
        for y in 0..255u64 {
            let n = (x * 7 + y) as usize;
            check(
                f,
                x << 23 | fractions[n % 4],
                y << 23 | fractions[n / 4 % 4],
            );
            check(
                f,
                x << 23 | fractions[n / 4 % 4],
                f.sign_bit() | y << 23 | fractions[n % 4],
            );
        }
    }
}

/// Quotients within about an ulp of a product's last place of the middle between two numbers, the
/// hardest to round, in the normal range, at both ends of it and among the subnormals.
#[test]
fn quotients_near_midpoints() {
    for f in [Format::F32, Format::F64] {
        let mut rng = Rng(99);
        let man = f.man_bits();
        let top = 2 * f.bias() as u64;
        for n in 0..40_000u64 {
            let den = rng.next() & f.man_mask() | (1 + rng.next() % top) << man;
            // A quotient whose exponent is spread, or in the subnormal or overflow range.
            let exp = match n % 4 {
                0 => 1 + rng.next() % top,
                1 => rng.next() % u64::from(man + 2),
                2 => top - rng.next() % 3,
                _ => f.bias() as u64,
            };
            let q = rng.next() & f.man_mask() | exp << man;
            // Middle between q and its successor, times the denominator, rounded: a numerator.
            let half_ulp = arith::ldexp(f, arith::sub(f, q + 1, q, FpEnv::IEEE), -1, FpEnv::IEEE);
            let product = arith::mul(f, q, den, FpEnv::IEEE);
            let num = arith::fma(f, half_ulp, den, product, FpEnv::IEEE);
            for near in [num.wrapping_sub(1), num, num + 1] {
                check(f, near & f.mask(), den);
            }
        }
    }
}

#[test]
fn special_quotients() {
    let f = Format::F32;
    let (inf, one, nan) = (f.inf(), f.one(), 0xffc0_0000);
    for (num, den, want) in [
        (0, 0, nan),
        (inf, inf, nan),
        (one, f.sign_bit(), f.sign_bit() | inf),
        (f.sign_bit() | inf, one, f.sign_bit() | inf),
        (one, f.sign_bit() | inf, f.sign_bit()),
        (f.max_finite(), 1, inf),
        (1, f.max_finite(), 0),
        (0x7f80_0001, 0xffc0_0002, 0x7fc0_0001),
        (one, 0xff80_0002, 0xffc0_0002),
    ] {
        let got = divide::div_fixup(f, compiled_division(f, num, den), den, num);
        assert_eq!(got, want, "{num:#x} / {den:#x}: {got:#x}");
    }
}
