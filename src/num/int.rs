//! Integer operations on zero-extended bits of a given width (8, 16, 32 or 64).
//!
//! Edge cases are VISA's: `x / 0` is all ones, `x % 0` is `x`, the most negative number divided by -1
//! is itself with remainder 0, shifts clamp (`…_wrap` takes the count modulo the width). Wrapping
//! sums, differences and low products need no function: compute in `u64` and apply [`mask`].

/// The bits of a width.
#[inline]
pub const fn mask(width: u32) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

/// The value of bits as a number.
#[inline]
pub const fn extend(a: u64, width: u32, signed: bool) -> i128 {
    if signed {
        sext(a, width) as i128
    } else {
        (a & mask(width)) as i128
    }
}

/// Sign extension to 64 bits.
#[inline]
pub const fn sext(a: u64, width: u32) -> i64 {
    let shift = 64 - width;
    ((a << shift) as i64) >> shift
}

/// Sum and carry out.
#[inline]
pub const fn add_carry(a: u64, b: u64, carry: bool, width: u32) -> (u64, bool) {
    let sum = (a & mask(width)) as u128 + (b & mask(width)) as u128 + carry as u128;
    (sum as u64 & mask(width), sum >> width != 0)
}

/// Difference and borrow out.
#[inline]
pub const fn sub_borrow(a: u64, b: u64, borrow: bool, width: u32) -> (u64, bool) {
    let (a, b) = (
        (a & mask(width)) as i128,
        (b & mask(width)) as i128 + borrow as i128,
    );
    ((a - b) as u64 & mask(width), a < b)
}

/// High half of the double-width product.
#[inline]
pub const fn mul_hi(a: u64, b: u64, width: u32, signed: bool) -> u64 {
    if signed {
        ((sext(a, width) as i128 * sext(b, width) as i128) >> width) as u64 & mask(width)
    } else {
        (((a & mask(width)) as u128 * (b & mask(width)) as u128) >> width) as u64 & mask(width)
    }
}

/// Quotient rounded toward zero.
#[inline]
pub const fn div(a: u64, b: u64, width: u32, signed: bool) -> u64 {
    let (x, y) = (extend(a, width, signed), extend(b, width, signed));
    if y == 0 {
        mask(width)
    } else {
        (x / y) as u64 & mask(width)
    }
}

/// Remainder with the dividend's sign.
#[inline]
pub const fn rem(a: u64, b: u64, width: u32, signed: bool) -> u64 {
    let (x, y) = (extend(a, width, signed), extend(b, width, signed));
    if y == 0 {
        a & mask(width)
    } else {
        (x % y) as u64 & mask(width)
    }
}

/// Shift left; a count of the width or more gives 0.
#[inline]
pub const fn shl(a: u64, count: u32, width: u32) -> u64 {
    if count >= width {
        0
    } else {
        a << count & mask(width)
    }
}

/// Shift right; a count of the width or more gives 0, or all sign bits.
#[inline]
pub const fn shr(a: u64, count: u32, width: u32, signed: bool) -> u64 {
    if signed {
        let count = if count >= width { width - 1 } else { count };
        (sext(a, width) >> count) as u64 & mask(width)
    } else if count >= width {
        0
    } else {
        (a & mask(width)) >> count
    }
}

/// Shift left by the count modulo the width.
#[inline]
pub const fn shl_wrap(a: u64, count: u32, width: u32) -> u64 {
    shl(a, count & (width - 1), width)
}

/// Shift right by the count modulo the width.
#[inline]
pub const fn shr_wrap(a: u64, count: u32, width: u32, signed: bool) -> u64 {
    shr(a, count & (width - 1), width, signed)
}

/// Number of ones.
#[inline]
pub const fn popcount(a: u64, width: u32) -> u32 {
    (a & mask(width)).count_ones()
}

/// Leading zeros; the width for 0.
#[inline]
pub const fn clz(a: u64, width: u32) -> u32 {
    (a & mask(width)).leading_zeros() - (64 - width)
}

/// Trailing zeros; the width for 0.
#[inline]
pub const fn ctz(a: u64, width: u32) -> u32 {
    let n = (a & mask(width)).trailing_zeros();
    if n > width { width } else { n }
}

/// Bits in reverse order.
#[inline]
pub const fn brev(a: u64, width: u32) -> u64 {
    (a & mask(width)).reverse_bits() >> (64 - width)
}

/// `count` bits of `a` from `offset`, extended; 0 for a count of 0.
#[inline]
pub const fn bfe(a: u64, offset: u32, count: u32, width: u32, signed: bool) -> u64 {
    if count == 0 || offset >= width {
        return if count != 0 && signed {
            shr(a, width, width, true)
        } else {
            0
        };
    }
    let have = if count > width - offset {
        width - offset
    } else {
        count
    };
    let field = (a & mask(width)) >> offset;
    if signed {
        sext(field, have) as u64 & mask(width)
    } else {
        field & mask(have)
    }
}

/// `base` with its `count` bits from `offset` replaced by the low bits of `insert`; what lies beyond
/// the width is dropped.
#[inline]
pub const fn bfi(base: u64, insert: u64, offset: u32, count: u32, width: u32) -> u64 {
    if offset >= width {
        return base & mask(width);
    }
    let field = mask(count) << offset & mask(width);
    base & mask(width) & !field | insert << offset & field
}

/// Sign bits that follow the topmost one: leading copies of it, less one.
#[inline]
pub const fn cls(a: u64, width: u32) -> u32 {
    let signed = sext(a, width);
    (signed ^ (signed >> 63)).leading_zeros() - (64 - width) - 1
}

/// Sum cut to the range of the width.
#[inline]
pub const fn add_sat(a: u64, b: u64, width: u32, signed: bool) -> u64 {
    saturate(
        extend(a, width, signed) + extend(b, width, signed),
        width,
        signed,
    )
}

/// Difference cut to the range of the width.
#[inline]
pub const fn sub_sat(a: u64, b: u64, width: u32, signed: bool) -> u64 {
    saturate(
        extend(a, width, signed) - extend(b, width, signed),
        width,
        signed,
    )
}

/// Smaller operand.
#[inline]
pub const fn min(a: u64, b: u64, width: u32, signed: bool) -> u64 {
    if extend(a, width, signed) <= extend(b, width, signed) {
        a & mask(width)
    } else {
        b & mask(width)
    }
}

/// Larger operand.
#[inline]
pub const fn max(a: u64, b: u64, width: u32, signed: bool) -> u64 {
    if extend(a, width, signed) >= extend(b, width, signed) {
        a & mask(width)
    } else {
        b & mask(width)
    }
}

/// A number cut to the range of a width.
#[inline]
pub const fn saturate(value: i128, width: u32, signed: bool) -> u64 {
    let (low, high) = if signed {
        (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1)
    } else {
        (0, mask(width) as i128)
    };
    let value = if value < low {
        low
    } else if value > high {
        high
    } else {
        value
    };
    value as u64 & mask(width)
}
