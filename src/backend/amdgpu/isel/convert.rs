//! Conversions. Floats to integers saturate and turn NaN into 0, as the machine's 32-bit
//! conversions do; the 64-bit ones are made of two of them.

use super::Isel;
use super::build::neg;
use super::compare::Truth;
use super::float::CLASS_NAN;
use super::int::{ASHR, OR, SUB, Shift, XOR};
use super::operand::{Bank, Opd};
use crate::ir::{Cmp, Kind, Round};
use crate::isa::RowId;
use crate::isa::amdgpu::op;

const TWO_POW_32: Opd = Opd::Const(0x41f0_0000_0000_0000);
const TWO_POW_M32: Opd = Opd::Const(0x3df0_0000_0000_0000);
const MINUS_TWO_POW_32: Opd = Opd::Const(0xc1f0_0000_0000_0000);
const TWO_POW_63: Opd = Opd::Const(0x43e0_0000_0000_0000);
const MINUS_TWO_POW_63: Opd = Opd::Const(0xc3e0_0000_0000_0000);
const TWO_POW_64: Opd = Opd::Const(0x43f0_0000_0000_0000);

/// Rows that round a float to an integral value: f32, f64.
fn integral_rows(round: Round) -> Option<[RowId; 2]> {
    match round {
        Round::Rni => Some([op::V_RNDNE_F32, op::V_RNDNE_F64]),
        Round::Rzi => Some([op::V_TRUNC_F32, op::V_TRUNC_F64]),
        Round::Rmi => Some([op::V_FLOOR_F32, op::V_FLOOR_F64]),
        Round::Rpi => Some([op::V_CEIL_F32, op::V_CEIL_F64]),
        Round::Rn | Round::Rz | Round::Rm | Round::Rp => None,
    }
}

impl Isel<'_> {
    /// `cvt` between number kinds.
    pub(super) fn convert(
        &mut self,
        bank: Bank,
        to: Kind,
        from: Kind,
        round: Option<Round>,
        value: Opd,
    ) -> Opd {
        match (from.is_float(), to.is_float()) {
            (false, false) => self.resize(bank, to, from, value),
            (false, true) => self.int_to_float(to, from, value),
            (true, false) => self.float_to_int(to, from, round, value),
            (true, true) => self.float_to_float(to, from, round, value),
        }
    }

    /// Integer to integer: extension by the source's signedness, or truncation.
    fn resize(&mut self, bank: Bank, to: Kind, from: Kind, value: Opd) -> Opd {
        match (from.bits(), to.bits()) {
            (64, 64) => value,
            (64, _) => value.lo(),
            (narrow, wide) if wide > narrow => {
                let low = self.extended(bank, from, value);
                match (wide, from.is_signed()) {
                    (64, true) => {
                        let high = self.bin(bank, ASHR, low, Opd::Const(31));
                        self.pair(bank, low, high)
                    }
                    (64, false) => self.pair(bank, low, Opd::Const(0)),
                    _ => low,
                }
            }
            _ => value,
        }
    }

    fn float_to_float(&mut self, to: Kind, from: Kind, round: Option<Round>, value: Opd) -> Opd {
        let rounded = match round.and_then(integral_rows) {
            Some(rows) => self.valu(rows[usize::from(from == Kind::F64)], &[value]),
            None => value,
        };
        match (from, to) {
            (Kind::F32, Kind::F64) => self.valu(op::V_CVT_F64_F32, &[rounded]),
            (Kind::F64, Kind::F32) => self.valu(op::V_CVT_F32_F64, &[rounded]),
            _ => self.vector_of(rounded, if to == Kind::F64 { 2 } else { 1 }),
        }
    }

    fn int_to_float(&mut self, to: Kind, from: Kind, value: Opd) -> Opd {
        let bank = Bank::V;
        if from.bits() < 64 {
            let value = self.extended(bank, from, value);
            let row = match (to == Kind::F64, from.is_signed()) {
                (false, false) => op::V_CVT_F32_U32,
                (false, true) => op::V_CVT_F32_I32,
                (true, false) => op::V_CVT_F64_U32,
                (true, true) => op::V_CVT_F64_I32,
            };
            return self.valu(row, &[value]);
        }
        match (to == Kind::F64, from.is_signed()) {
            (true, false) => self.u64_to_f64(value),
            (true, true) => {
                let high = self.valu(op::V_CVT_F64_I32, &[value.hi()]);
                self.join_digits(high, value.lo())
            }
            (false, false) => self.u64_to_f32(value),
            (false, true) => {
                let sign = self.sign_of(bank, value, 2);
                let magnitude = self.negate_if(bank, 2, value, sign);
                let float = self.u64_to_f32(magnitude);
                let bit = self.shift_raw(bank, 32, Shift::Left, sign, Opd::Const(31));
                self.bin(bank, OR, float, bit)
            }
        }
    }

    /// Both digits are exact in f64, and so is the scaling: the sum rounds once.
    pub(super) fn u64_to_f64(&mut self, value: Opd) -> Opd {
        let high = self.valu(op::V_CVT_F64_U32, &[value.hi()]);
        self.join_digits(high, value.lo())
    }

    fn join_digits(&mut self, high: Opd, low: Opd) -> Opd {
        let low = self.valu(op::V_CVT_F64_U32, &[low]);
        self.valu(op::V_FMA_F64, &[high, TWO_POW_32, low])
    }

    /// Shifts the highest one to bit 63, keeps the upper half with everything below as one sticky
    /// bit (more than 24 bits remain, so the conversion rounds as the whole would), and scales back.
    fn u64_to_f32(&mut self, value: Opd) -> Opd {
        let bank = Bank::V;
        let zeros = self.clz(bank, Kind::U64, value);
        let zeros = self.min_u32(bank, zeros, 63);
        let shifted = self.shift_raw(bank, 64, Shift::Left, value, zeros);
        let sticky = self.min_u32(bank, shifted.lo(), 1);
        let digits = self.bin(bank, OR, shifted.hi(), sticky);
        let float = self.valu(op::V_CVT_F32_U32, &[digits]);
        let exponent = self.bin(bank, SUB, Opd::Const(32), zeros);
        self.valu(op::V_LDEXP_F32, &[float, exponent])
    }

    fn float_to_int(&mut self, to: Kind, from: Kind, round: Option<Round>, value: Opd) -> Opd {
        let double = from == Kind::F64;
        // The conversion itself rounds toward zero.
        let value = match round {
            Some(round @ (Round::Rni | Round::Rmi | Round::Rpi)) => match integral_rows(round) {
                Some(rows) => self.valu(rows[usize::from(double)], &[value]),
                None => value,
            },
            _ => value,
        };
        if to.bits() == 64 {
            let wide = match double {
                true => value,
                false => self.valu(op::V_CVT_F64_F32, &[value]),
            };
            return self.f64_to_64(to, wide);
        }
        let row = match (double, to.is_signed()) {
            (false, false) => op::V_CVT_U32_F32,
            (false, true) => op::V_CVT_I32_F32,
            (true, false) => op::V_CVT_U32_F64,
            (true, true) => op::V_CVT_I32_F64,
        };
        let word = self.valu(row, &[value]);
        self.clamp_word(to, word)
    }

    /// Saturates a 32-bit integer to a narrower kind.
    fn clamp_word(&mut self, to: Kind, word: Opd) -> Opd {
        let bits = to.bits();
        if bits == 32 {
            return word;
        }
        let max = (1u64 << (bits - u32::from(to.is_signed()))) - 1;
        if !to.is_signed() {
            return self.min_u32(Bank::V, word, max);
        }
        let low = Opd::Const(u64::from(!(max as u32)));
        let above = self.min_max(Bank::V, Kind::S32, true, word, low);
        self.min_max(Bank::V, Kind::S32, false, above, Opd::Const(max))
    }

    /// The two 32-bit digits of an integral f64 in 0 .. 2^64: `hi = floor(t / 2^32)` and the rest
    /// are exact.
    pub(super) fn f64_to_u64_digits(&mut self, value: Opd) -> Opd {
        let (high, low) = self.f64_digits(value);
        let high = self.valu(op::V_CVT_U32_F64, &[high]);
        self.pair(Bank::V, low, high)
    }

    fn f64_digits(&mut self, value: Opd) -> (Opd, Opd) {
        let scaled = self.valu(op::V_MUL_F64, &[value, TWO_POW_M32]);
        let high = self.valu(op::V_FLOOR_F64, &[scaled]);
        let low = self.valu(op::V_FMA_F64, &[high, MINUS_TWO_POW_32, value]);
        (high, self.valu(op::V_CVT_U32_F64, &[low]))
    }

    fn f64_to_64(&mut self, to: Kind, value: Opd) -> Opd {
        let bank = Bank::V;
        let whole = self.valu(op::V_TRUNC_F64, &[value]);
        let (high, low) = self.f64_digits(whole);
        let (row, limit, max) = match to.is_signed() {
            false => (op::V_CVT_U32_F64, TWO_POW_64, u64::MAX),
            true => (op::V_CVT_I32_F64, TWO_POW_63, i64::MAX as u64),
        };
        let high = self.valu(row, &[high]);
        let inside = self.pair(bank, low, high);
        let above = self.compare(bank, Cmp::Ge, Kind::F64, whole, limit);
        let result = self.select(bank, 2, Opd::Const(max), inside, above);
        let (floor, least) = match to.is_signed() {
            false => (Opd::Const(0), 0),
            true => (MINUS_TWO_POW_63, i64::MIN as u64),
        };
        let below = self.compare(bank, Cmp::Lt, Kind::F64, whole, floor);
        let result = self.select(bank, 2, Opd::Const(least), result, below);
        let nan = Truth::Mask(self.vcmp(op::V_CMP_CLASS_F64, whole, Opd::Const(CLASS_NAN)));
        self.select(bank, 2, Opd::Const(0), result, nan)
    }

    /// Flips the sign bit of a float.
    pub(super) fn float_neg(&mut self, double: bool, value: Opd) -> Opd {
        let sign = Opd::Const(0x8000_0000);
        if !double {
            return self.bin(Bank::V, XOR, value, sign);
        }
        let high = self.bin(Bank::V, XOR, value.hi(), sign);
        self.pair(Bank::V, value.lo(), high)
    }

    /// `a - b` of f64: the machine adds with a negated source.
    pub(super) fn sub_f64(&mut self, a: Opd, b: Opd) -> Opd {
        self.valu_mods(op::V_ADD_F64, &[a, b], neg(2))
    }
}
