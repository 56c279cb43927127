//! Cross products of edge values in every format and rounding, and many pairs of all `f16`.

use rustc_apfloat::Float;
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};

use super::super::round::{FpEnv, Rounding};
use super::super::{Format, arith, lane};
use super::{exact, mode};

/// Both signs of zeros, subnormals, normals at both ends, ones, infinity and NaNs.
pub(super) fn edge_values(f: Format) -> Vec<u64> {
    let min_normal = f.man_mask() + 1;
    let half_way = f.one() - (u64::from(f.man_bits()) << f.man_bits());
    let positive = [
        0,
        1,
        2,
        f.man_mask(),
        min_normal,
        min_normal + 1,
        half_way,
        half_way + 1,
        f.one() - 1,
        f.one(),
        f.one() + 1,
        f.one() | f.quiet_bit(),
        f.max_finite() - 1,
        f.max_finite(),
        f.inf(),
        f.inf() + 1,
        f.nan() + 3,
    ];
    let both = |x: u64| [x, x | f.sign_bit()];
    positive.into_iter().flat_map(both).collect()
}

/// What an operation must give: the first NaN made quiet, the one NaN, or the referee's number.
fn check(f: Format, got: u64, operands: &[u64], referee: u64, what: impl Fn() -> String) {
    let want = match operands.iter().find(|x| f.is_nan(**x)) {
        Some(nan) => nan | f.quiet_bit(),
        None if f.is_nan(referee) => f.nan(),
        None => referee,
    };
    assert_eq!(got, want, "{}: got {got:#x}, want {want:#x}", what());
}

fn check_pair<T: Float>(f: Format, x: u64, y: u64, round: Rounding) {
    let (env, r) = (FpEnv::IEEE.with_round(round), mode(round));
    let (fx, fy) = (T::from_bits(x.into()), T::from_bits(y.into()));
    for (name, got, want) in [
        ("add", arith::add(f, x, y, env), fx.add_r(fy, r)),
        ("sub", arith::sub(f, x, y, env), fx.sub_r(fy, r)),
        ("mul", arith::mul(f, x, y, env), fx.mul_r(fy, r)),
        ("div", arith::div(f, x, y, env), fx.div_r(fy, r)),
    ] {
        let want = want.value.to_bits() as u64;
        check(f, got, &[x, y], want, || {
            format!("{name} {f:?} {round:?} {x:#x} {y:#x}")
        });
    }
}

fn check_format<T: Float>(f: Format) {
    let values = edge_values(f);
    for round in Rounding::ALL {
        let (env, r) = (FpEnv::IEEE.with_round(round), mode(round));
        for &x in &values {
            for &y in &values {
                check_pair::<T>(f, x, y, round);
                for &z in &values {
                    let got = arith::fma(f, x, y, z, env);
                    let (fx, fy) = (T::from_bits(x.into()), T::from_bits(y.into()));
                    let want = fx.mul_add_r(fy, T::from_bits(z.into()), r).value;
                    check(f, got, &[x, y, z], want.to_bits() as u64, || {
                        format!("fma {f:?} {round:?} {x:#x} {y:#x} {z:#x}")
                    });
                }
            }
        }
    }
}

#[test]
fn edge_values_equal_apfloat() {
    check_format::<Half>(Format::F16);
    check_format::<BFloat>(Format::Bf16);
    check_format::<Single>(Format::F32);
    check_format::<Double>(Format::F64);
}

#[test]
fn edge_values_with_every_half() {
    for (n, x) in edge_values(Format::F16).into_iter().step_by(3).enumerate() {
        for y in 0..=0xffffu64 {
            check_pair::<Half>(Format::F16, x, y, Rounding::ALL[(n + y as usize) % 4]);
        }
    }
}

/// `root` is the square root of `x` in `round`, decided by squaring in integers.
fn check_root(f: Format, x: u64, root: u64, round: Rounding) {
    let ((xs, xe), (rs, re)) = (exact(f, x), exact(f, root));
    // 4x in units of the square of half the root's last place: at most 2 * 54 bits.
    let shift = xe - 2 * re + 2;
    assert!(
        shift >= 0 && shift < xs.leading_zeros() as i32,
        "sqrt {f:?} {x:#x} {root:#x}: not near"
    );
    let target = xs << shift;
    let square = |half_units: u128| half_units * half_units;
    let ok = match round {
        Rounding::NearestEven => square(2 * rs - 1) <= target && target <= square(2 * rs + 1),
        Rounding::TowardZero | Rounding::Down => {
            square(2 * rs) <= target && target < square(2 * rs + 2)
        }
        Rounding::Up => square(2 * rs - 2) < target && target <= square(2 * rs),
    };
    assert!(ok, "sqrt {f:?} {round:?} {x:#x} {root:#x}");
}

#[test]
fn roots_are_correctly_rounded() {
    let mut rng = super::Rng(31);
    for f in Format::ALL {
        for n in 0..20_000 {
            let x = f.abs(rng.float(f, f.one()));
            if f.is_nan(x) || f.is_inf(x) || f.is_zero(x) {
                continue;
            }
            let round = Rounding::ALL[n % 4];
            let env = FpEnv::IEEE.with_round(round);
            check_root(f, x, arith::sqrt(f, x, env), round);
            check_root(f, x, arith::sqrt_exact(f, x, env), round);
        }
    }
}

#[test]
fn lanes_are_the_generic_operations() {
    let env = FpEnv::IEEE;
    for &a in &edge_values(Format::F32) {
        for &b in &edge_values(Format::F32) {
            let (x, y) = (a as u32, b as u32);
            let f = Format::F32;
            assert_eq!(u64::from(lane::f32_sub(x, y)), arith::sub(f, a, b, env));
            assert_eq!(
                u64::from(lane::f32_div(x, y)),
                arith::div_exact(f, a, b, env)
            );
            let fused = arith::fma_exact(f, a, b, f.one(), env);
            assert_eq!(u64::from(lane::f32_fma(x, y, 0x3f80_0000)), fused);
        }
    }
    for &a in &edge_values(Format::F64) {
        for &b in &edge_values(Format::F64) {
            assert_eq!(
                lane::f64_add(a, b),
                arith::add_exact(Format::F64, a, b, env)
            );
            assert_eq!(
                lane::f64_mul(a, b),
                arith::mul_exact(Format::F64, a, b, env)
            );
        }
        assert_eq!(lane::f64_sqrt(a), arith::sqrt_exact(Format::F64, a, env));
    }
}
