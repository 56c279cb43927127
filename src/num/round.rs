//! Rounding modes, flushing of subnormals, and packing of exact results.

use super::format::Format;

/// Direction of rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Rounding {
    /// To nearest, ties to even.
    #[default]
    NearestEven,
    /// Toward zero.
    TowardZero,
    /// Toward minus infinity.
    Down,
    /// Toward plus infinity.
    Up,
}

impl Rounding {
    /// All modes.
    pub const ALL: [Rounding; 4] = [
        Rounding::NearestEven,
        Rounding::TowardZero,
        Rounding::Down,
        Rounding::Up,
    ];

    /// Whether to add one to the kept magnitude. `half` compares the lost part with half a unit.
    pub(super) fn increments(self, neg: bool, odd: bool, lost: Lost) -> bool {
        match self {
            Rounding::NearestEven => lost == Lost::MoreThanHalf || lost == Lost::Half && odd,
            Rounding::TowardZero => false,
            Rounding::Down => neg && lost != Lost::Nothing,
            Rounding::Up => !neg && lost != Lost::Nothing,
        }
    }
}

/// The part of a result that does not fit, compared with half a unit of the last place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lost {
    Nothing,
    LessThanHalf,
    Half,
    MoreThanHalf,
}

/// How float operations treat rounding and subnormal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FpEnv {
    /// Rounding of results.
    pub round: Rounding,
    /// Subnormal operands count as zeros of their sign.
    pub flush_in: bool,
    /// Subnormal results become zeros of their sign.
    pub flush_out: bool,
}

impl FpEnv {
    /// Round to nearest even, subnormal numbers kept.
    pub const IEEE: FpEnv = FpEnv {
        round: Rounding::NearestEven,
        flush_in: false,
        flush_out: false,
    };

    /// The same with another rounding.
    pub const fn with_round(self, round: Rounding) -> FpEnv {
        FpEnv { round, ..self }
    }

    /// An operand after flushing.
    pub(super) fn input(self, format: Format, bits: u64) -> u64 {
        if self.flush_in && format.is_subnormal(bits) {
            bits & format.sign_bit()
        } else {
            bits
        }
    }

    /// A result after flushing.
    pub(super) fn output(self, format: Format, bits: u64) -> u64 {
        if self.flush_out && format.is_subnormal(bits) {
            bits & format.sign_bit()
        } else {
            bits
        }
    }
}

impl Default for FpEnv {
    fn default() -> FpEnv {
        FpEnv::IEEE
    }
}

/// Cuts `sig` by `shift` bits on the right and says what was lost. `sticky` is a non-zero part
/// below `sig`'s last bit.
pub(super) fn shift_right(sig: u128, shift: u32, sticky: bool) -> (u128, Lost) {
    if shift == 0 {
        let lost = if sticky {
            Lost::LessThanHalf
        } else {
            Lost::Nothing
        };
        return (sig, lost);
    }
    if shift > 128 {
        let lost = if sig != 0 || sticky {
            Lost::LessThanHalf
        } else {
            Lost::Nothing
        };
        return (0, lost);
    }
    let half = 1u128 << (shift - 1);
    let rest = if shift == 128 {
        sig
    } else {
        sig & ((1 << shift) - 1)
    };
    let kept = if shift == 128 { 0 } else { sig >> shift };
    let lost = match rest.cmp(&half) {
        std::cmp::Ordering::Greater => Lost::MoreThanHalf,
        std::cmp::Ordering::Equal if sticky => Lost::MoreThanHalf,
        std::cmp::Ordering::Equal => Lost::Half,
        std::cmp::Ordering::Less if rest != 0 || sticky => Lost::LessThanHalf,
        std::cmp::Ordering::Less => Lost::Nothing,
    };
    (kept, lost)
}

/// Rounds the exact value `±(sig + sticky) * 2^exp` into a format. `sig` is not zero.
pub(super) fn pack(
    format: Format,
    neg: bool,
    exp: i32,
    sig: u128,
    sticky: bool,
    env: FpEnv,
) -> u64 {
    let man = format.man_bits() as i32;
    let lead = exp + 127 - sig.leading_zeros() as i32;
    let low = lead.max(format.emin()) - man;
    let shift = low - exp;
    let (mut kept, lost) = if shift <= 0 {
        (
            sig << (-shift) as u32,
            if sticky {
                Lost::LessThanHalf
            } else {
                Lost::Nothing
            },
        )
    } else {
        shift_right(sig, shift as u32, sticky)
    };
    if env.round.increments(neg, kept & 1 != 0, lost) {
        kept += 1;
    }
    let sign = if neg { format.sign_bit() } else { 0 };
    // The hidden bit of a normal number adds one to the field; a carry out of the fraction does too.
    let field = (low + man - format.emin()) as u128;
    let bits = (field << man) + kept;
    if bits >= u128::from(format.inf()) {
        return sign | overflow(format, neg, env.round);
    }
    env.output(format, sign | bits as u64)
}

fn overflow(format: Format, neg: bool, round: Rounding) -> u64 {
    let to_inf = match round {
        Rounding::NearestEven => true,
        Rounding::TowardZero => false,
        Rounding::Down => neg,
        Rounding::Up => !neg,
    };
    if to_inf {
        format.inf()
    } else {
        format.max_finite()
    }
}
