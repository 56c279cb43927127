//! Bit ranges of an instruction word, read and written only through checked accessors.

/// A range of bits of a 64-bit word: `width` bits from bit `lo` up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bits {
    /// Lowest bit.
    pub lo: u8,
    /// Number of bits, 1..=32.
    pub width: u8,
}

impl Bits {
    /// The range `hi..=lo`, written as the manuals write it.
    pub const fn range(hi: u8, lo: u8) -> Bits {
        Bits {
            lo,
            width: hi - lo + 1,
        }
    }

    /// One bit.
    pub const fn bit(lo: u8) -> Bits {
        Bits { lo, width: 1 }
    }

    /// Largest value the range holds.
    pub const fn max(self) -> u64 {
        (1u64 << self.width) - 1
    }

    /// Mask of the range inside the word.
    pub const fn mask(self) -> u64 {
        self.max() << self.lo
    }

    /// Value of the range in `word`.
    pub const fn get(self, word: u64) -> u64 {
        (word >> self.lo) & self.max()
    }

    /// Value of the range in `word`, sign-extended.
    pub const fn get_signed(self, word: u64) -> i64 {
        let shift = 64 - self.width as u32;
        ((self.get(word) << shift) as i64) >> shift
    }

    /// Stores `value`; `None` if it does not fit.
    #[must_use]
    pub fn put(self, word: u64, value: u64) -> Option<u64> {
        (value <= self.max()).then_some((word & !self.mask()) | (value << self.lo))
    }

    /// Stores a signed value; `None` if it does not fit.
    #[must_use]
    pub fn put_signed(self, word: u64, value: i64) -> Option<u64> {
        let half = 1i64 << (self.width - 1);
        let fits = -half <= value && value < half;
        fits.then(|| (word & !self.mask()) | (((value as u64) & self.max()) << self.lo))
    }

    /// Whether two ranges share a bit.
    pub const fn overlaps(self, other: Bits) -> bool {
        self.mask() & other.mask() != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_do_not_fit_are_refused() {
        let f = Bits::range(11, 8);
        assert_eq!(f.put(0xffff, 3), Some(0xf3ff));
        assert_eq!(f.put(0, 16), None);
        assert_eq!(f.put_signed(0, -8), Some(0x800));
        assert_eq!(f.put_signed(0, 8), None);
        assert_eq!(f.get_signed(0xf00), -1);
    }
}
