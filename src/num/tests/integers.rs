//! Integer operations against those of Rust's integer types, for all pairs of bytes, and against
//! edge and random operands of the wider types.

use super::super::int;
use super::Rng;

/// Everything that a native type can check, for one pair.
macro_rules! check_width {
    ($name:ident, $u:ty, $i:ty) => {
        fn $name(a: u64, b: u64) {
            let width = <$u>::BITS;
            let (ua, ub, ia, ib) = (a as $u, b as $u, a as $i, b as $i);
            let bits = |x: $i| u64::from(x as $u);
            let at = format!("{width}: {a:#x} {b:#x}");
            let (sum, carry) = ua.overflowing_add(ub);
            assert_eq!(
                int::add_carry(a, b, false, width),
                (u64::from(sum), carry),
                "{at}"
            );
            let (sum, more) = sum.overflowing_add(1);
            assert_eq!(
                int::add_carry(a, b, true, width),
                (u64::from(sum), carry | more),
                "{at}"
            );
            let (rest, borrow) = ua.overflowing_sub(ub);
            assert_eq!(
                int::sub_borrow(a, b, false, width),
                (u64::from(rest), borrow),
                "{at}"
            );
            let (rest, more) = rest.overflowing_sub(1);
            assert_eq!(
                int::sub_borrow(a, b, true, width),
                (u64::from(rest), borrow | more),
                "{at}"
            );
            let wide = (u128::from(ua) * u128::from(ub)) >> width;
            assert_eq!(int::mul_hi(a, b, width, false), wide as u64, "{at}");
            let wide = (i128::from(ia) * i128::from(ib)) >> width;
            assert_eq!(int::mul_hi(a, b, width, true), bits(wide as $i), "{at}");
            let ones = u64::from(<$u>::MAX);
            let div = ua.checked_div(ub).map_or(ones, u64::from);
            assert_eq!(int::div(a, b, width, false), div, "{at}");
            let rem = ua.checked_rem(ub).map_or(u64::from(ua), u64::from);
            assert_eq!(int::rem(a, b, width, false), rem, "{at}");
            let (div, rem) = match ib {
                0 => (ones, u64::from(ua)),
                _ => (bits(ia.wrapping_div(ib)), bits(ia.wrapping_rem(ib))),
            };
            assert_eq!(int::div(a, b, width, true), div, "{at}");
            assert_eq!(int::rem(a, b, width, true), rem, "{at}");
            assert_eq!(
                int::add_sat(a, b, width, false),
                u64::from(ua.saturating_add(ub)),
                "{at}"
            );
            assert_eq!(
                int::add_sat(a, b, width, true),
                bits(ia.saturating_add(ib)),
                "{at}"
            );
            assert_eq!(
                int::sub_sat(a, b, width, false),
                u64::from(ua.saturating_sub(ub)),
                "{at}"
            );
            assert_eq!(
                int::sub_sat(a, b, width, true),
                bits(ia.saturating_sub(ib)),
                "{at}"
            );
            assert_eq!(int::min(a, b, width, false), u64::from(ua.min(ub)), "{at}");
            assert_eq!(int::min(a, b, width, true), bits(ia.min(ib)), "{at}");
            assert_eq!(int::max(a, b, width, false), u64::from(ua.max(ub)), "{at}");
            assert_eq!(int::max(a, b, width, true), bits(ia.max(ib)), "{at}");
            assert_eq!(int::sext(a, width), i64::from(ia), "{at}");
            assert_eq!(int::popcount(a, width), ua.count_ones(), "{at}");
            assert_eq!(int::clz(a, width), ua.leading_zeros(), "{at}");
            assert_eq!(int::ctz(a, width), ua.trailing_zeros(), "{at}");
            assert_eq!(int::brev(a, width), u64::from(ua.reverse_bits()), "{at}");
            let copies = if ia < 0 {
                ua.leading_ones()
            } else {
                ua.leading_zeros()
            };
            assert_eq!(int::cls(a, width), copies - 1, "{at}");
            let n = b as u32;
            assert_eq!(
                int::shl_wrap(a, n, width),
                u64::from(ua.wrapping_shl(n)),
                "{at}"
            );
            assert_eq!(
                int::shr_wrap(a, n, width, false),
                u64::from(ua.wrapping_shr(n)),
                "{at}"
            );
            assert_eq!(
                int::shr_wrap(a, n, width, true),
                bits(ia.wrapping_shr(n)),
                "{at}"
            );
            assert_eq!(
                int::shl(a, n, width),
                u64::from(ua.checked_shl(n).unwrap_or(0)),
                "{at}"
            );
            let shifted = u64::from(ua.checked_shr(n).unwrap_or(0));
            assert_eq!(int::shr(a, n, width, false), shifted, "{at}");
            assert_eq!(
                int::shr(a, n, width, true),
                bits(ia >> n.min(width - 1)),
                "{at}"
            );
        }
    };
}

check_width!(check_8, u8, i8);
check_width!(check_16, u16, i16);
check_width!(check_32, u32, i32);
check_width!(check_64, u64, i64);

#[test]
fn all_pairs_of_bytes() {
    for a in 0..256 {
        for b in 0..256 {
            check_8(a, b);
        }
    }
}

#[test]
fn wider_operands() {
    let mut rng = Rng(21);
    let mut operand = || match rng.next() % 4 {
        0 => (rng.next() % 5).wrapping_sub(2),
        1 => (1u64 << (rng.next() % 64)) - rng.next() % 2,
        2 => !(u64::MAX >> (rng.next() % 64)),
        _ => rng.next() >> (rng.next() % 64),
    };
    for _ in 0..20_000 {
        let (a, b) = (operand(), operand());
        check_16(a, b);
        check_32(a, b);
        check_64(a, b);
    }
}

/// Bits above the width must not matter, nor come back.
#[test]
fn high_bits_are_ignored() {
    let high = 0xabcd_ef01_0000_0000;
    for (a, b) in [(5, 7), (0xffff_ffff, 2), (0x8000_0000, 0xffff_ffff)] {
        check_32(a | high, b | high);
        let field = int::bfi(a | high, b | high, 8, 8, 32);
        assert_eq!(field, int::bfi(a, b, 8, 8, 32));
    }
}

#[test]
fn fields_bit_by_bit() {
    let mut rng = Rng(8);
    for _ in 0..20_000 {
        let width = 8 << (rng.next() % 4);
        let (a, b) = (rng.next() & int::mask(width), rng.next());
        let (offset, count) = (rng.next() as u32 % 70, rng.next() as u32 % 70);
        let bit = |x: u64, n: u32| if n < width { x >> n & 1 } else { 0 };
        let mut inserted = 0;
        for n in 0..width {
            let inside = n >= offset && n < offset.saturating_add(count);
            inserted |= if inside {
                b >> (n - offset) & 1
            } else {
                bit(a, n)
            } << n;
        }
        let at = format!("{a:#x} {b:#x} {offset} {count} {width}");
        assert_eq!(int::bfi(a, b, offset, count, width), inserted, "{at}");
        // Beyond the field, and beyond the operand, the sign bit repeats: PTX's rule for bfe.s32.
        let top = (offset + count).min(width).wrapping_sub(1);
        let sign = if count == 0 {
            0
        } else {
            bit(a, top.min(width - 1))
        };
        let (mut plain, mut signed) = (0, 0);
        for n in 0..width {
            let inside = n < count && offset + n < width;
            let value = if inside { bit(a, offset + n) } else { 0 };
            plain |= value << n;
            signed |= if inside { value } else { sign } << n;
        }
        assert_eq!(int::bfe(a, offset, count, width, false), plain, "{at}");
        assert_eq!(int::bfe(a, offset, count, width, true), signed, "{at}");
    }
}
