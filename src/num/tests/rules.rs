//! Minimum and maximum, classes, scaling, fractions, and flushing.

use std::num::FpCategory;

use rustc_apfloat::ieee::{Double, Half, Single};
use rustc_apfloat::{ExpInt, Float};

use super::super::round::{FpEnv, Rounding};
use super::super::{Format, arith, compare, convert};
use super::edges::edge_values;
use super::{Rng, mode, same};

const F: Format = Format::F32;
const ENV: FpEnv = FpEnv::IEEE;

/// Minimum of numbers with -0 below +0, by the host's comparison.
fn smaller(a: u64, b: u64) -> u64 {
    let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
    if x < y || x == y && x.is_sign_negative() {
        a
    } else {
        b
    }
}

#[test]
fn minimum_and_maximum_follow_their_rules() {
    let values = edge_values(F);
    for &a in &values {
        for &b in &values {
            let (min, max) = (smaller(a, b), F.neg(smaller(F.neg(a), F.neg(b))));
            let at = format!("{a:#x} {b:#x}");
            let quiet = |x: u64| x | F.quiet_bit();
            let (number, propagated) = match (F.is_nan(a), F.is_nan(b)) {
                (false, false) => ((min, max), (min, max)),
                (false, true) => ((a, a), (quiet(b), quiet(b))),
                (true, false) => ((b, b), (quiet(a), quiet(a))),
                (true, true) => ((quiet(a), quiet(a)), (quiet(a), quiet(a))),
            };
            let signaling = match (F.is_snan(a), F.is_snan(b)) {
                (true, _) => (quiet(a), quiet(a)),
                (false, true) => (quiet(b), quiet(b)),
                (false, false) => number,
            };
            let pair = |f: fn(Format, u64, u64, FpEnv) -> u64| f(F, a, b, ENV);
            assert_eq!((pair(compare::min), pair(compare::max)), number, "{at}");
            assert_eq!(
                (pair(compare::minimum), pair(compare::maximum)),
                propagated,
                "{at}"
            );
            let got = (pair(compare::min_signaling), pair(compare::max_signaling));
            assert_eq!(got, signaling, "{at}");
        }
    }
}

#[test]
fn medians_are_the_middle() {
    let values = edge_values(F);
    for &a in &values {
        for &b in &values {
            for &c in &values {
                let got = compare::med3(F, a, b, c, ENV);
                if [a, b, c].iter().any(|x| F.is_nan(*x)) {
                    let min3 = compare::min(F, compare::min(F, a, b, ENV), c, ENV);
                    assert_eq!(got, min3, "{a:#x} {b:#x} {c:#x}");
                    continue;
                }
                let mut sorted = [a, b, c].map(|x| f32::from_bits(x as u32));
                sorted.sort_by(f32::total_cmp);
                let want = u64::from(sorted[1].to_bits());
                assert_eq!(got, want, "{a:#x} {b:#x} {c:#x}");
            }
        }
    }
}

#[test]
fn every_half_has_its_class() {
    for bits in 0..=0xffffu64 {
        let h = half::f16::from_bits(bits as u16);
        let class = match (h.classify(), h.is_sign_negative()) {
            (FpCategory::Nan, _) => u32::from(bits & 0x200 != 0),
            (FpCategory::Infinite, true) => 2,
            (FpCategory::Normal, true) => 3,
            (FpCategory::Subnormal, true) => 4,
            (FpCategory::Zero, true) => 5,
            (FpCategory::Zero, false) => 6,
            (FpCategory::Subnormal, false) => 7,
            (FpCategory::Normal, false) => 8,
            (FpCategory::Infinite, false) => 9,
        };
        for bit in 0..10 {
            assert_eq!(
                compare::is_class(Format::F16, bits, 1 << bit),
                bit == class,
                "{bits:#x}"
            );
        }
    }
}

fn check_scaling<T: Float>(f: Format) {
    let mut rng = Rng(3);
    let mut cases = edge_values(f);
    cases.extend((0..5_000).map(|_| rng.float(f, 0)));
    for (n, x) in cases.into_iter().enumerate() {
        let fx = T::from_bits(x.into());
        for by in [
            0,
            1,
            -1,
            24,
            -24,
            200,
            -200,
            -1100,
            2200,
            i32::MAX,
            i32::MIN,
        ] {
            let round = Rounding::ALL[n % 4];
            let got = arith::ldexp(f, x, by, ENV.with_round(round));
            let by_referee = by.clamp(-6000, 6000) as ExpInt;
            let want = fx.scalbn_r(by_referee, mode(round)).to_bits() as u64;
            same(f, got, want, &format!("ldexp {f:?} {round:?} {x:#x} {by}"));
        }
        if !fx.is_finite() || fx.is_zero() {
            assert_eq!(arith::frexp_exp(f, x), 0, "{x:#x}");
            assert_eq!(
                arith::frexp_mant(f, x),
                if fx.is_nan() { f.quiet(x) } else { x }
            );
            continue;
        }
        let mut exp: ExpInt = 0;
        let mantissa = fx.frexp(&mut exp).to_bits() as u64;
        assert_eq!(arith::frexp_mant(f, x), mantissa, "{f:?} {x:#x}");
        assert_eq!(arith::frexp_exp(f, x), exp as i32, "{f:?} {x:#x}");
    }
}

#[test]
fn scaling_equals_apfloat() {
    check_scaling::<Half>(Format::F16);
    check_scaling::<Single>(Format::F32);
    check_scaling::<Double>(Format::F64);
}

#[test]
fn fractions_stay_below_one() {
    assert_eq!(compare::fract(F, 0xb080_0000, ENV), 0x3f7f_ffff);
    assert_eq!(
        compare::fract(Format::F64, 0xbe10_0000_0000_0000, ENV),
        0x3fef_ffff_ff80_0000
    );
    assert_eq!(
        compare::fract(Format::F64, 0xbc10_0000_0000_0000, ENV),
        0x3fef_ffff_ffff_ffff
    );
    assert_eq!(compare::fract(F, 0xff80_0000, ENV), F.nan());
    assert_eq!(compare::fract(F, 0x7f80_0001, ENV), 0x7fc0_0001);
    for bits in 0..=0xffffu64 {
        let h = half::f16::from_bits(bits as u16);
        if !h.is_finite() {
            continue;
        }
        // Exact in f64, then rounded once by the referee.
        let x = h.to_f64();
        let want = half::f16::from_f64(x - x.floor()).to_bits().min(0x3bff);
        assert_eq!(
            compare::fract(Format::F16, bits, ENV),
            u64::from(want),
            "{bits:#x}"
        );
    }
}

#[test]
fn subnormals_are_flushed_with_their_sign() {
    let flush = |flush_in, flush_out| FpEnv {
        flush_in,
        flush_out,
        ..ENV
    };
    for f in Format::ALL {
        let (tiny, min_normal) = (f.man_mask() | f.sign_bit(), f.man_mask() + 1);
        let zero = f.sign_bit();
        let half = f.one() - min_normal;
        assert_eq!(arith::add(f, tiny, zero, flush(true, false)), zero);
        assert_eq!(arith::mul(f, tiny, f.one(), flush(false, true)), zero);
        assert_eq!(arith::mul(f, tiny, f.one(), ENV), tiny);
        assert_eq!(arith::mul(f, min_normal, half, flush(false, true)), 0);
        assert_eq!(
            arith::div(f, f.one(), tiny, flush(true, false)),
            f.sign_bit() | f.inf()
        );
        assert_eq!(arith::fma(f, tiny, f.one(), zero, flush(true, true)), zero);
        assert_eq!(
            arith::fma_scaled(f, tiny, f.one(), zero, 64, flush(true, false)),
            zero
        );
        // Each operand of the scaled sum by itself; the scale would make any of them normal.
        for (a, b, c) in [(tiny, f.one(), 0), (f.one(), tiny, 0), (0, f.one(), tiny)] {
            let got = arith::fma_scaled(f, a, b, c, 64, flush(true, false));
            assert!(f.is_zero(got), "{f:?} {a:#x} {b:#x} {c:#x}: {got:#x}");
            assert!(!f.is_zero(arith::fma_scaled(f, a, b, c, 64, ENV)));
        }
        assert_eq!(compare::min(f, tiny, 0, flush(false, true)), zero);
        // Both zeros are equal once flushed.
        let order = compare::compare(f, tiny, 0, flush(true, false));
        assert_eq!(order, Some(std::cmp::Ordering::Equal));
    }
    // Rounded up to the smallest normal number: not subnormal any more.
    let just_below = 0x380f_ffff_ffff_ffff;
    let got = convert::float_to_float(F, Format::F64, just_below, flush(false, true));
    assert_eq!(got, 0x0080_0000);
}
