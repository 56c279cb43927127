//! The pure micro-operations on the raw bits of one lane, shared by scalar and vector instructions.
//!
//! The result is the value and a flag: the carry, borrow, comparison or scale flag where the operation
//! has one. All arithmetic is `num`'s.

use crate::isa::uop::{F, Int, Rel, Uop, W};
use crate::num::{Format, FpEnv, Rounding, approx, arith, compare, convert, divide, int};

/// Modes that arithmetic depends on.
#[derive(Clone, Copy, Debug)]
pub struct AluEnv {
    /// Single precision.
    pub single: FpEnv,
    /// Half and double precision.
    pub double: FpEnv,
    /// Signalling NaN operands of minimum and maximum count.
    pub ieee: bool,
}

impl AluEnv {
    fn of(&self, f: F) -> FpEnv {
        match f {
            F::F32 => self.single,
            F::F16 | F::Bf16 | F::F64 => self.double,
        }
    }
}

/// The number format of a float operation.
pub fn format(f: F) -> Format {
    match f {
        F::F16 => Format::F16,
        F::Bf16 => Format::Bf16,
        F::F32 => Format::F32,
        F::F64 => Format::F64,
    }
}

type Out = Option<(u64, bool)>;

fn value(v: u64) -> Out {
    Some((v, false))
}

/// Evaluates a pure micro-operation; `None` where it is none, or is not executed yet.
pub fn eval(uop: Uop, a: [u64; 4], flag: bool, env: &AluEnv) -> Out {
    let [x, y, z, _] = a;
    match uop {
        Uop::Mov(w) | Uop::CMov(w) => value(x & mask(w)),
        Uop::Not(w) => value(!x & mask(w)),
        Uop::And(w) => value(x & y & mask(w)),
        Uop::Or(w) => value((x | y) & mask(w)),
        Uop::Xor(w) => value((x ^ y) & mask(w)),
        Uop::Nand(w) => value(!(x & y) & mask(w)),
        Uop::Nor(w) => value(!(x | y) & mask(w)),
        Uop::Xnor(w) => value(!(x ^ y) & mask(w)),
        Uop::AndNot(w) => value(x & !y & mask(w)),
        Uop::OrNot(w) => value((x | !y) & mask(w)),
        Uop::Shl(w) => value(x << (y & u64::from(w.bits() - 1)) & mask(w)),
        Uop::Shr(w) => value((x & mask(w)) >> (y & u64::from(w.bits() - 1))),
        Uop::Ashr(w) => value(int::shr(x, y as u32 & (w.bits() - 1), w.bits(), true)),
        Uop::Add(w) => Some(int::add_carry(x, y, false, w.bits())),
        Uop::Sub(w) => Some(int::sub_borrow(x, y, false, w.bits())),
        Uop::AddC(w) => Some(int::add_carry(x, y, flag, w.bits())),
        Uop::SubB(w) => Some(int::sub_borrow(x, y, flag, w.bits())),
        Uop::FAdd(f) => value(arith::add(format(f), x, y, env.of(f))),
        Uop::FSub(f) => value(arith::sub(format(f), x, y, env.of(f))),
        Uop::FMul(f) => value(arith::mul(format(f), x, y, env.of(f))),
        Uop::Fma(f) => value(arith::fma(format(f), x, y, z, env.of(f))),
        Uop::Cmp(rel, of) => Some((0, relation(rel, Some(order(x, y, of))))),
        Uop::FCmp(rel, f) => Some((
            0,
            relation(rel, compare::compare(format(f), x, y, env.of(f))),
        )),
        _ => integer(uop, a)
            .or_else(|| float(uop, a, flag, env))
            .or_else(|| packed(uop, a, env)),
    }
}

fn mask(w: W) -> u64 {
    int::mask(w.bits())
}

fn order(x: u64, y: u64, of: Int) -> std::cmp::Ordering {
    int::extend(x, of.w.bits(), of.signed).cmp(&int::extend(y, of.w.bits(), of.signed))
}

fn relation(rel: Rel, order: Option<std::cmp::Ordering>) -> bool {
    let has = |f: fn(std::cmp::Ordering) -> bool| order.is_some_and(f);
    match rel {
        Rel::False => false,
        Rel::True => true,
        Rel::Lt => has(|o| o.is_lt()),
        Rel::Eq => has(|o| o.is_eq()),
        Rel::Le => has(|o| o.is_le()),
        Rel::Gt => has(|o| o.is_gt()),
        Rel::Lg => has(|o| o.is_ne()),
        Rel::Ge => has(|o| o.is_ge()),
        Rel::O => order.is_some(),
        Rel::U => order.is_none(),
        Rel::Nge => !has(|o| o.is_ge()),
        Rel::Nlg => !has(|o| o.is_ne()),
        Rel::Ngt => !has(|o| o.is_gt()),
        Rel::Nle => !has(|o| o.is_le()),
        Rel::Neq => !has(|o| o.is_eq()),
        Rel::Nlt => !has(|o| o.is_lt()),
    }
}

fn sext24(v: u64) -> i64 {
    int::sext(v & 0xff_ffff, 24)
}

fn product24(signed: bool, x: u64, y: u64) -> i64 {
    if signed {
        sext24(x) * sext24(y)
    } else {
        ((x & 0xff_ffff) * (y & 0xff_ffff)) as i64
    }
}

fn integer(uop: Uop, [x, y, z, _]: [u64; 4]) -> Out {
    let ones = u64::from(u32::MAX);
    let low = |v: u64| value(v & ones);
    match uop {
        Uop::Bfe(i) => value(int::bfe(
            x,
            y as u32 & (i.w.bits() - 1),
            z as u32 & 31,
            i.w.bits(),
            i.signed,
        )),
        Uop::SBfe(i) => {
            let (offset, count) = (y as u32 & (i.w.bits() - 1), y as u32 >> 16 & 0x7f);
            let count = count.min(i.w.bits());
            value(int::bfe(x, offset, count, i.w.bits(), i.signed))
        }
        Uop::Bfm(w) => {
            let bits = (w.bits() - 1) as u64;
            value((int::mask((x & bits) as u32) << (y & bits)) & mask(w))
        }
        Uop::Bfi(w) => value(((x & y) | (!x & z)) & mask(w)),
        Uop::Brev(w) => value(int::brev(x, w.bits())),
        Uop::Bcnt1(w) => low(u64::from(int::popcount(x, w.bits())) + y),
        Uop::Bcnt0(w) => value(u64::from(w.bits() - int::popcount(x, w.bits()))),
        Uop::Ffbl(w) => value(if x & mask(w) == 0 {
            ones
        } else {
            u64::from(int::ctz(x, w.bits()))
        }),
        Uop::Ff0(w) => value(if !x & mask(w) == 0 {
            ones
        } else {
            u64::from(int::ctz(!x, w.bits()))
        }),
        Uop::FfbhU(w) => value(if x & mask(w) == 0 {
            ones
        } else {
            u64::from(int::clz(x, w.bits()))
        }),
        Uop::FfbhI(w) => {
            let flipped = if int::sext(x, w.bits()) < 0 {
                !x & mask(w)
            } else {
                x & mask(w)
            };
            value(if flipped == 0 {
                ones
            } else {
                u64::from(int::clz(flipped, w.bits()))
            })
        }
        Uop::Sext(w) => value(int::sext(x, w.bits()) as u64 & ones),
        Uop::BitSet0(w) => value(y & !(1 << (x & u64::from(w.bits() - 1))) & mask(w)),
        Uop::BitSet1(w) => value((y | 1 << (x & u64::from(w.bits() - 1))) & mask(w)),
        Uop::BitCmp0(w) => Some((0, x >> (y & u64::from(w.bits() - 1)) & 1 == 0)),
        Uop::BitCmp1(w) => Some((0, x >> (y & u64::from(w.bits() - 1)) & 1 != 0)),
        Uop::BitReplicate => value((0..32).fold(0, |v, n| v | ((x >> n & 1) * 3) << (2 * n))),
        Uop::AlignBit => low((x << 32 | y & ones) >> (z & 31)),
        Uop::AlignByte => low((x << 32 | y & ones) >> (8 * (z & 3))),
        Uop::Perm => value(permute_bytes(x << 32 | y & ones, z)),
        Uop::Pack16(hx, hy) => {
            let half = |v: u64, high: bool| if high { v >> 16 & 0xffff } else { v & 0xffff };
            value(half(x, hx) | half(y, hy) << 16)
        }
        Uop::MulLo(w) => value(x.wrapping_mul(y) & mask(w)),
        Uop::MulHi(i) => value(int::mul_hi(x, y, i.w.bits(), i.signed)),
        Uop::Mul24(signed) => low(product24(signed, x, y) as u64),
        Uop::MulHi24(signed) => low((product24(signed, x, y) >> 32) as u64),
        Uop::Mad24(signed) => low((product24(signed, x, y) as u64).wrapping_add(z)),
        Uop::Mad16To32(signed) => {
            let product = int::extend(x, 16, signed) * int::extend(y, 16, signed);
            low((product as u64).wrapping_add(z))
        }
        Uop::MadWide(signed) => {
            let product = int::extend(x, 32, signed) * int::extend(y, 32, signed);
            let sum = product + int::extend(z, 64, signed);
            Some((sum as u64, sum >> 64 != 0))
        }
        Uop::MadLo(i) => value(x.wrapping_mul(y).wrapping_add(z) & mask(i.w)),
        Uop::ShlAdd(w) => {
            // v_lshl_add_u64 shifts by at most 4 (its guide); LLVM relies on no more.
            let count = if w == W::W64 && y & 7 > 4 {
                0
            } else {
                y & if w == W::W64 { 7 } else { 31 }
            };
            value((x << count).wrapping_add(z) & mask(w))
        }
        Uop::ShlAddK(n) => {
            let shifted = (x & ones) << n;
            let sum = shifted + (y & ones);
            Some((sum & ones, sum > ones))
        }
        Uop::AddShl(w) => value(x.wrapping_add(y) << (z & 31) & mask(w)),
        Uop::ShlOr(w) => value((x << (y & 31) | z) & mask(w)),
        Uop::AndOr(w) => value((x & y | z) & mask(w)),
        Uop::Or3(w) => value((x | y | z) & mask(w)),
        Uop::Add3(w) => value(x.wrapping_add(y).wrapping_add(z) & mask(w)),
        Uop::XorAdd(w) => value((x ^ y).wrapping_add(z) & mask(w)),
        Uop::Min(i) => Some((int::min(x, y, i.w.bits(), i.signed), order(x, y, i).is_le())),
        Uop::Max(i) => Some((int::max(x, y, i.w.bits(), i.signed), order(x, y, i).is_ge())),
        Uop::Min3(i) => {
            let m = int::min(x, y, i.w.bits(), i.signed);
            value(int::min(m, z, i.w.bits(), i.signed))
        }
        Uop::Max3(i) => {
            let m = int::max(x, y, i.w.bits(), i.signed);
            value(int::max(m, z, i.w.bits(), i.signed))
        }
        Uop::Med3(i) => {
            let (bits, signed) = (i.w.bits(), i.signed);
            let (lo, hi) = (int::min(x, y, bits, signed), int::max(x, y, bits, signed));
            value(int::max(lo, int::min(hi, z, bits, signed), bits, signed))
        }
        Uop::Abs(w) => value(int::sext(x, w.bits()).unsigned_abs() & mask(w)),
        Uop::AbsDiff(w) => {
            let d = x.wrapping_sub(y) & mask(w);
            value(if int::sext(d, w.bits()) < 0 {
                d.wrapping_neg() & mask(w)
            } else {
                d
            })
        }
        Uop::Sad(w) => {
            let (x, y) = (x & mask(w), y & mask(w));
            low(x.abs_diff(y).wrapping_add(z))
        }
        Uop::SadU8 => {
            let byte = |v: u64, n: u32| v >> (8 * n) & 0xff;
            low((0..4).map(|n| byte(x, n).abs_diff(byte(y, n))).sum::<u64>() + z)
        }
        Uop::Dot4(signed) => low(dot(x, y, 8, signed).wrapping_add(z)),
        Uop::Dot8(signed) => low(dot(x, y, 4, signed).wrapping_add(z)),
        Uop::Dot2(signed) => low(dot(x, y, 16, signed).wrapping_add(z)),
        _ => None,
    }
}

fn dot(x: u64, y: u64, width: u32, signed: bool) -> u64 {
    let element = |v: u64, n: u32| int::extend(v >> (n * width), width, signed) as i64;
    (0..32 / width)
        .map(|n| element(x, n) * element(y, n))
        .sum::<i64>() as u64
}

/// `v_perm_b32`: selectors 0 to 7 take a byte, 8 to 11 the sign of a half, 12 zeros, others ones.
fn permute_bytes(data: u64, selectors: u64) -> u64 {
    let byte = |sel: u64| match sel {
        0..=7 => data >> (8 * sel) & 0xff,
        8..=11 => (data >> (16 * (sel - 8) + 15) & 1) * 0xff,
        12 => 0,
        _ => 0xff,
    };
    (0..4).fold(0, |out, n| {
        out | byte(selectors >> (8 * n) & 0xff) << (8 * n)
    })
}

fn min_max(f: F, x: u64, y: u64, env: &AluEnv, smaller: bool) -> u64 {
    let format = format(f);
    if env.ieee {
        // A signalling operand is made quiet and returned.
        for v in [x, y] {
            if format.is_snan(v) {
                return format.quiet(v);
            }
        }
    }
    let pick = if smaller { compare::min } else { compare::max };
    pick(format, x, y, env.of(f))
}

fn float(uop: Uop, [x, y, z, _]: [u64; 4], flag: bool, env: &AluEnv) -> Out {
    let integral = |f: F, round| value(compare::round_to_integral(format(f), x, round, env.of(f)));
    match uop {
        Uop::FMulLegacy => {
            let zero = Format::F32.is_zero(x) || Format::F32.is_zero(y);
            value(if zero {
                0
            } else {
                arith::mul(Format::F32, x, y, env.single)
            })
        }
        Uop::FMad(f) => {
            let flush = FpEnv {
                flush_in: true,
                flush_out: true,
                ..env.of(f)
            };
            let product = arith::mul(format(f), x, y, flush);
            value(arith::add(format(f), product, z, flush))
        }
        Uop::FMin(f) => value(min_max(f, x, y, env, true)),
        Uop::FMax(f) => value(min_max(f, x, y, env, false)),
        Uop::FMin3(f) => value(min_max(f, min_max(f, x, y, env, true), z, env, true)),
        Uop::FMax3(f) => value(min_max(f, min_max(f, x, y, env, false), z, env, false)),
        Uop::FMed3(f) => value(compare::med3(format(f), x, y, z, env.of(f))),
        Uop::FTrunc(f) => integral(f, Rounding::TowardZero),
        Uop::FCeil(f) => integral(f, Rounding::Up),
        Uop::FFloor(f) => integral(f, Rounding::Down),
        Uop::FRndne(f) => integral(f, Rounding::NearestEven),
        Uop::FFract(f) => value(compare::fract(format(f), x, env.of(f))),
        Uop::FLdexp(f) => {
            let bits = if f == F::F16 { 16 } else { 32 };
            value(arith::ldexp(
                format(f),
                x,
                int::sext(y, bits) as i32,
                env.of(f),
            ))
        }
        Uop::FrexpMant(f) => value(arith::frexp_mant(format(f), x)),
        Uop::FrexpExp(f) => {
            let width = if f == F::F16 { 16 } else { 32 };
            value(arith::frexp_exp(format(f), x) as u64 & int::mask(width))
        }
        Uop::FRcp(f) => value(approx::rcp(format(f), x, env.of(f))),
        Uop::FRsq(f) => value(approx::rsq(format(f), x, env.of(f))),
        Uop::FExp2(f) => value(approx::exp2(format(f), x, env.of(f))),
        Uop::FLog2(f) => value(approx::log2(format(f), x, env.of(f))),
        Uop::FSinRev(f) => value(approx::sin_rev(format(f), x, env.of(f))),
        Uop::FCosRev(f) => value(approx::cos_rev(format(f), x, env.of(f))),
        Uop::FSqrt(f) => value(arith::sqrt(format(f), x, env.of(f))),
        Uop::DivScale(f) => Some(divide::div_scale(format(f), x, y, z)),
        Uop::DivFmas(f) => value(divide::div_fmas(format(f), x, y, z, flag, env.of(f))),
        Uop::DivFixup(f) => value(divide::div_fixup(format(f), x, y, z)),
        Uop::FClass(f) => Some((0, compare::is_class(format(f), x, y as u32))),
        Uop::CvtFF(to, from) => {
            // Subnormals of the narrower format are governed by its own mode bits.
            let (outer, inner) = (env.of(to), env.of(from));
            let env = FpEnv {
                round: outer.round,
                flush_in: inner.flush_in,
                flush_out: outer.flush_out,
            };
            value(convert::float_to_float(format(to), format(from), x, env))
        }
        Uop::CvtFI(to, from) => value(convert::int_to_float(
            format(to),
            x,
            from.w.bits(),
            from.signed,
            env.of(to),
        )),
        Uop::CvtIF(to, from) => value(convert::float_to_int(
            format(from),
            x,
            to.w.bits(),
            to.signed,
            Rounding::TowardZero,
        )),
        Uop::CvtNearest => {
            // floor(a + 0.5)
            let half = 0x3f00_0000;
            let sum = arith::add(Format::F32, x, half, env.single);
            value(convert::float_to_int(
                Format::F32,
                sum,
                32,
                true,
                Rounding::Down,
            ))
        }
        Uop::CvtFloor => value(convert::float_to_int(
            Format::F32,
            x,
            32,
            true,
            Rounding::Down,
        )),
        Uop::CvtUbyte(n) => value(convert::int_to_float(
            Format::F32,
            x >> (8 * n),
            8,
            false,
            env.single,
        )),
        Uop::CvtPkRtz => {
            let half = |v| {
                convert::float_to_float(
                    Format::F16,
                    Format::F32,
                    v,
                    env.double.with_round(Rounding::TowardZero),
                )
            };
            value(half(x) | half(y) << 16)
        }
        Uop::CvtPk16(signed) => {
            let cut = |v| int::saturate(int::extend(v, 32, signed), 16, signed);
            value(cut(x) | cut(y) << 16)
        }
        _ => None,
    }
}

fn packed(uop: Uop, [x, y, z, _]: [u64; 4], env: &AluEnv) -> Out {
    let halves = |f: &dyn Fn(u64, u64, u64) -> u64| {
        let part = |n: u32| f(x >> n & 0xffff, y >> n & 0xffff, z >> n & 0xffff) & 0xffff;
        value(part(0) | part(16) << 16)
    };
    let words = |f: &dyn Fn(u64, u64, u64) -> u64| {
        let low = u64::from(u32::MAX);
        let part = |n: u32| f(x >> n & low, y >> n & low, z >> n & low) & low;
        value(part(0) | part(32) << 32)
    };
    let f16 = |op: fn(Format, u64, u64, FpEnv) -> u64| {
        let e = env.double;
        halves(&move |a, b, _| op(Format::F16, a, b, e))
    };
    match uop {
        Uop::PkAdd16 => halves(&|a, b, _| a.wrapping_add(b)),
        Uop::PkSub16 => halves(&|a, b, _| a.wrapping_sub(b)),
        Uop::PkMul16 => halves(&|a, b, _| a.wrapping_mul(b)),
        Uop::PkMad16 => halves(&|a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        Uop::PkMin16(signed) => halves(&|a, b, _| int::min(a, b, 16, signed)),
        Uop::PkMax16(signed) => halves(&|a, b, _| int::max(a, b, 16, signed)),
        Uop::PkShl16 => halves(&|a, b, _| a << (b & 15)),
        Uop::PkShr16 => halves(&|a, b, _| a >> (b & 15)),
        Uop::PkAshr16 => halves(&|a, b, _| int::shr(a, b as u32 & 15, 16, true)),
        Uop::PkFAdd16 => f16(arith::add),
        Uop::PkFMul16 => f16(arith::mul),
        Uop::PkFMin16 => halves(&|a, b, _| min_max(F::F16, a, b, env, true)),
        Uop::PkFMax16 => halves(&|a, b, _| min_max(F::F16, a, b, env, false)),
        Uop::PkFma16 => halves(&|a, b, c| arith::fma(Format::F16, a, b, c, env.double)),
        Uop::PkFAdd32 => words(&|a, b, _| arith::add(Format::F32, a, b, env.single)),
        Uop::PkFMul32 => words(&|a, b, _| arith::mul(Format::F32, a, b, env.single)),
        // The low product is added first.
        Uop::Dot2F16 => {
            let wide =
                |v: u64| convert::float_to_float(Format::F32, Format::F16, v & 0xffff, env.double);
            let sum = arith::fma(Format::F32, wide(x), wide(y), z, env.single);
            value(arith::fma(
                Format::F32,
                wide(x >> 16),
                wide(y >> 16),
                sum,
                env.single,
            ))
        }
        Uop::PkFma32 => words(&|a, b, c| arith::fma(Format::F32, a, b, c, env.single)),
        _ => None,
    }
}
