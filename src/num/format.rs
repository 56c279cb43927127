//! Float formats, and numbers taken apart.

/// An IEEE 754 binary interchange format, or bfloat16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Format {
    F16,
    Bf16,
    F32,
    F64,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 4] = [Format::F16, Format::Bf16, Format::F32, Format::F64];

    /// Bits of the stored exponent.
    pub const fn exp_bits(self) -> u32 {
        match self {
            Format::F16 => 5,
            Format::Bf16 | Format::F32 => 8,
            Format::F64 => 11,
        }
    }

    /// Bits of the stored fraction.
    pub const fn man_bits(self) -> u32 {
        match self {
            Format::F16 => 10,
            Format::Bf16 => 7,
            Format::F32 => 23,
            Format::F64 => 52,
        }
    }

    /// Width in bits.
    pub const fn bits(self) -> u32 {
        1 + self.exp_bits() + self.man_bits()
    }

    /// The exponent's bias.
    pub const fn bias(self) -> i32 {
        (1 << (self.exp_bits() - 1)) - 1
    }

    /// Exponent of the smallest normal number.
    pub const fn emin(self) -> i32 {
        1 - self.bias()
    }

    /// The sign bit.
    pub const fn sign_bit(self) -> u64 {
        1 << (self.bits() - 1)
    }

    /// Mask of the fraction.
    pub const fn man_mask(self) -> u64 {
        (1 << self.man_bits()) - 1
    }

    /// Positive infinity.
    pub const fn inf(self) -> u64 {
        ((1 << self.exp_bits()) - 1) << self.man_bits()
    }

    /// The NaN that operations generate: positive, quiet, no payload.
    pub const fn nan(self) -> u64 {
        self.inf() | self.quiet_bit()
    }

    /// The fraction bit that makes a NaN quiet.
    pub const fn quiet_bit(self) -> u64 {
        1 << (self.man_bits() - 1)
    }

    /// The largest finite number.
    pub const fn max_finite(self) -> u64 {
        self.inf() - 1
    }

    /// The number one.
    pub const fn one(self) -> u64 {
        (self.bias() as u64) << self.man_bits()
    }

    /// The stored exponent.
    pub const fn exp_field(self, bits: u64) -> i32 {
        (bits >> self.man_bits() & ((1 << self.exp_bits()) - 1)) as i32
    }

    /// Whether the sign bit is set.
    pub const fn is_neg(self, bits: u64) -> bool {
        bits & self.sign_bit() != 0
    }

    /// Whether it is a NaN.
    pub const fn is_nan(self, bits: u64) -> bool {
        bits & !self.sign_bit() & self.mask() > self.inf()
    }

    /// Whether it is a signalling NaN.
    pub const fn is_snan(self, bits: u64) -> bool {
        self.is_nan(bits) && bits & self.quiet_bit() == 0
    }

    /// Whether it is an infinity.
    pub const fn is_inf(self, bits: u64) -> bool {
        bits & !self.sign_bit() & self.mask() == self.inf()
    }

    /// Whether it is a zero.
    pub const fn is_zero(self, bits: u64) -> bool {
        bits & !self.sign_bit() & self.mask() == 0
    }

    /// Whether it is a subnormal number.
    pub const fn is_subnormal(self, bits: u64) -> bool {
        self.exp_field(bits) == 0 && bits & self.man_mask() != 0
    }

    /// Mask of all bits of the format.
    pub const fn mask(self) -> u64 {
        if self.bits() == 64 {
            u64::MAX
        } else {
            (1 << self.bits()) - 1
        }
    }

    /// The magnitude; a NaN only loses its sign.
    pub const fn abs(self, bits: u64) -> u64 {
        bits & self.mask() & !self.sign_bit()
    }

    /// The opposite; a NaN only changes its sign.
    pub const fn neg(self, bits: u64) -> u64 {
        (bits ^ self.sign_bit()) & self.mask()
    }

    /// Makes a NaN quiet, keeping sign and payload.
    pub const fn quiet(self, bits: u64) -> u64 {
        bits | self.quiet_bit()
    }
}

/// A finite non-zero number: `sig * 2^exp`, `sig` an integer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finite {
    pub neg: bool,
    pub exp: i32,
    pub sig: u64,
}

/// A number taken apart.
#[derive(Clone, Copy, Debug)]
pub(super) enum Parts {
    Nan,
    Inf { neg: bool },
    Zero { neg: bool },
    Finite(Finite),
}

pub(super) fn unpack(format: Format, bits: u64) -> Parts {
    let neg = format.is_neg(bits);
    if format.is_nan(bits) {
        return Parts::Nan;
    }
    if format.is_inf(bits) {
        return Parts::Inf { neg };
    }
    if format.is_zero(bits) {
        return Parts::Zero { neg };
    }
    let field = format.exp_field(bits);
    let fraction = bits & format.man_mask();
    let low = format.emin() - format.man_bits() as i32;
    if field == 0 {
        return Parts::Finite(Finite {
            neg,
            exp: low,
            sig: fraction,
        });
    }
    Parts::Finite(Finite {
        neg,
        exp: low + field - 1,
        sig: fraction | 1 << format.man_bits(),
    })
}
