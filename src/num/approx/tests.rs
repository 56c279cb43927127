//! Against vectors worked out with mpmath, and the quick way against the exact one.

use super::super::Rounding;
use super::super::convert::float_to_float;
use super::fixed::Real;
use super::*;

type Operation = fn(Format, u64, FpEnv) -> u64;
type Quick = fn(Format, u64, FpEnv) -> Option<u64>;
type Exact = fn(Finite) -> Real;

const OPERATIONS: [(&str, Operation, Quick, Exact); 5] = [
    ("exp2", exp2, quick::exp2, exact::exp2),
    ("log2", log2, quick::log2, exact::log2),
    ("sin", sin_rev, quick::sin_rev, exact::sin_rev),
    ("cos", cos_rev, quick::cos_rev, exact::cos_rev),
    ("tanh", tanh, quick::tanh, exact::tanh),
];

#[test]
fn results_are_those_of_mpmath() {
    let text = include_str!("../../../tests/vectors/num/approx.txt");
    let mut checks = 0;
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let hex = |n: usize| u64::from_str_radix(words[n], 16).unwrap();
        let (a, nearest, down, up) = (hex(1), hex(2), hex(3), hex(4));
        let f: Operation = match words[0] {
            "rsq" => rsq,
            name => OPERATIONS.iter().find(|o| o.0 == name).unwrap().1,
        };
        for round in Rounding::ALL {
            let want = match round {
                Rounding::NearestEven => nearest,
                Rounding::Down => down,
                Rounding::Up => up,
                Rounding::TowardZero if up & 0x8000_0000 != 0 => up,
                Rounding::TowardZero => down,
            };
            let got = f(Format::F32, a, FpEnv::IEEE.with_round(round));
            assert_eq!(got, want, "{line} {round:?}: {got:#x}, not {want:#x}");
            checks += 1;
        }
    }
    assert!(checks > 10_000, "only {checks} checks: the vectors are cut");
}

/// Bits spread over all of `f32`.
fn spread() -> impl Iterator<Item = u64> {
    (0..40_000u64).map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32)
}

fn both_ways_agree(format: Format, a: u64, round: Rounding) -> u32 {
    let Parts::Finite(x) = unpack(format, a) else {
        return 0;
    };
    let env = FpEnv::IEEE.with_round(round);
    let mut answered = 0;
    for (name, _, quick, exact) in OPERATIONS {
        if name == "log2" && x.neg {
            continue;
        }
        if let Some(got) = quick(format, a, env) {
            let want = exact(x).pack(format, env);
            assert_eq!(got, want, "{name} {format:?} {round:?} {a:#x}");
            answered += 1;
        }
    }
    if !x.neg
        && let Some(got) = quick::rsq(format, a, env)
    {
        assert_eq!(got, arith::rsqrt(format, a, env), "rsq {format:?} {a:#x}");
    }
    answered
}

#[test]
fn the_quick_way_equals_the_exact_way() {
    let (mut answered, mut count) = (0, 0);
    for (n, wild) in spread().enumerate() {
        let round = Rounding::ALL[n % 4];
        both_ways_agree(Format::F32, wild, round);
        // An exponent of -14..2, where the quick way should nearly always know.
        let tame = wild & 0x807f_ffff | (113 + (wild >> 23 & 15)) << 23;
        answered += both_ways_agree(Format::F32, tame, round);
        count += if tame & 0x8000_0000 == 0 { 5 } else { 4 };
    }
    assert!(
        answered * 100 > count * 99,
        "{answered} quick answers of {count}"
    );
}

#[test]
fn small_formats_agree_for_all_arguments() {
    for a in 0..=0xffff {
        both_ways_agree(Format::F16, a, Rounding::NearestEven);
        both_ways_agree(Format::Bf16, a, Rounding::ALL[a as usize % 4]);
    }
}

#[test]
fn special_arguments() {
    let f = Format::F32;
    let env = FpEnv::IEEE;
    let (one, minus_one, inf, minus_inf) = (0x3f80_0000, 0xbf80_0000, 0x7f80_0000, 0xff80_0000);
    let (minus_zero, nan) = (0x8000_0000, 0x7fc0_0000);
    for (operation, cases) in [
        (
            exp2 as Operation,
            [(0, one), (minus_zero, one), (inf, inf), (minus_inf, 0)],
        ),
        (
            log2,
            [
                (0, minus_inf),
                (minus_zero, minus_inf),
                (inf, inf),
                (minus_one, nan),
            ],
        ),
        (
            sin_rev,
            [
                (minus_zero, minus_zero),
                (0xbf00_0000, minus_zero),
                (one, 0),
                (inf, nan),
            ],
        ),
        (
            cos_rev,
            [
                (0, one),
                (0x3e80_0000, 0),
                (0x3f00_0000, minus_one),
                (minus_inf, nan),
            ],
        ),
        (
            tanh,
            [
                (minus_zero, minus_zero),
                (inf, one),
                (minus_inf, minus_one),
                (0x4180_0000, one),
            ],
        ),
        (
            rcp,
            [
                (minus_zero, minus_inf),
                (0, inf),
                (minus_inf, minus_zero),
                (one, one),
            ],
        ),
        (
            rsq,
            [
                (minus_zero, minus_inf),
                (inf, 0),
                (minus_one, nan),
                (0x4080_0000, 0x3f00_0000),
            ],
        ),
        (
            sqrt,
            [
                (minus_zero, minus_zero),
                (inf, inf),
                (minus_one, nan),
                (0x4080_0000, 0x4000_0000),
            ],
        ),
    ] {
        for (a, want) in cases {
            let got = operation(f, a, env);
            assert_eq!(got, want, "{a:#x}: {got:#x}, not {want:#x}");
        }
        // A NaN comes back quiet, with sign and payload.
        assert_eq!(operation(f, 0xff80_0005, env), 0xffc0_0005);
    }
    assert_eq!(log2(f, one, env.with_round(Rounding::Down)), 0);
}

#[test]
fn subnormals_are_flushed_when_asked() {
    let f = Format::F32;
    let flush_in = FpEnv {
        flush_in: true,
        ..FpEnv::IEEE
    };
    let flush_out = FpEnv {
        flush_out: true,
        ..FpEnv::IEEE
    };
    let tiny = 0x0040_0000;
    assert_eq!(log2(f, tiny, FpEnv::IEEE), 0xc2fe_0000);
    assert_eq!(log2(f, tiny, flush_in), 0xff80_0000);
    assert_eq!(rcp(f, tiny, flush_in), 0x7f80_0000);
    assert_eq!(rsq(f, tiny | f.sign_bit(), flush_in), 0xff80_0000);
    assert_eq!(sin_rev(f, tiny | f.sign_bit(), flush_in), f.sign_bit());
    assert_eq!(exp2(f, 0xc2fe_0000, FpEnv::IEEE), tiny);
    assert_eq!(exp2(f, 0xc2fe_0000, flush_out), 0);
    assert_eq!(
        sin_rev(f, f.sign_bit() | 0x1, FpEnv::IEEE),
        f.sign_bit() | 6
    );
    assert_eq!(sin_rev(f, f.sign_bit() | 0x1, flush_out), f.sign_bit());
}

#[test]
fn doubles_round_to_the_same_singles() {
    // The f64 result, rounded on, is the f32 result but for double rounding, which these avoid.
    for a in spread().step_by(41) {
        if !matches!(unpack(Format::F32, a), Parts::Finite(_)) {
            continue;
        }
        let wide = float_to_float(Format::F64, Format::F32, a, FpEnv::IEEE);
        for (name, operation, _, _) in OPERATIONS {
            let narrow = operation(Format::F64, wide, FpEnv::IEEE);
            if narrow & 0x1fff_ffff == 0x1000_0000 {
                continue;
            }
            let narrow = float_to_float(Format::F32, Format::F64, narrow, FpEnv::IEEE);
            assert_eq!(
                operation(Format::F32, a, FpEnv::IEEE),
                narrow,
                "{name} {a:#x}"
            );
        }
    }
}

#[test]
fn the_exact_way_has_a_hundred_bits() {
    let text = include_str!("../../../tests/vectors/num/approx_wide.txt");
    let mut checks = 0;
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let exact = OPERATIONS.iter().find(|o| o.0 == words[0]).unwrap().3;
        let a = u64::from_str_radix(words[1], 16).unwrap();
        let Parts::Finite(x) = unpack(Format::F64, a) else {
            panic!("{line}: not a finite number");
        };
        let got = exact(x);
        assert_eq!(got.neg, words[2] == "-", "{line}");
        let exp: i32 = words[3].parse().unwrap();
        let want = u128::from_str_radix(words[4], 16).unwrap();
        // Both in units of the vector's last place, 2^-112 of the value or a little more.
        let shift = got.exp - exp;
        let sig = if shift >= 0 {
            got.sig << shift
        } else {
            got.sig >> -shift
        };
        let difference = sig.abs_diff(want);
        assert!(
            difference < 1 << 4,
            "{line}: off by {difference:#x} of 2^112"
        );
        checks += 1;
    }
    assert!(checks > 500, "only {checks} checks: the vectors are cut");
}
