//! Integer division. The machine has none; a float reciprocal gives an estimate that exact integer
//! arithmetic corrects. `docs/targets.md` has the error bounds. Both sequences allow the reciprocal
//! to be off by more than the vendor's bound of one unit in the last place.
//!
//! x / 0 is all ones and x % 0 is x; the most negative number divided by -1 wraps.

use super::Isel;
use super::build::neg;
use super::compare::Truth;
use super::int::{ADD, MIN_U, MUL, SUB, XOR};
use super::operand::{Bank, Opd};
use crate::ir::{Cmp, Kind};
use crate::isa::amdgpu::op;

/// 2^32 (1 - 2^-21) as f32: the margin that keeps the scaled reciprocal below 2^32 / b.
const SCALE_32: Opd = Opd::Const(0x4f7f_fff8);
/// 1 - 2^-48 as f64, the margin of the 64-bit division.
const MARGIN_64: Opd = Opd::Const(0x3fef_ffff_ffff_ffe0);
const ONE_F64: Opd = Opd::Const(0x3ff0_0000_0000_0000);

impl Isel<'_> {
    /// Quotient or remainder of any width and signedness, in vector registers.
    pub(super) fn div_rem(&mut self, kind: Kind, rem: bool, a: Opd, b: Opd) -> Opd {
        let bank = Bank::V;
        let dwords = if kind.bits() == 64 { 2 } else { 1 };
        let (a, b) = (self.extended(bank, kind, a), self.extended(bank, kind, b));
        let a = self.vector_of(a, dwords);
        let b = self.vector_of(b, dwords);
        let unsigned = |this: &mut Self, a, b| match dwords {
            2 => this.div_rem_u64(a, b),
            _ => this.div_rem_u32(a, b),
        };
        let result = if kind.is_signed() {
            let sign_a = self.sign_of(bank, a, dwords);
            let sign_b = self.sign_of(bank, b, dwords);
            let abs_a = self.negate_if(bank, dwords, a, sign_a);
            let abs_b = self.negate_if(bank, dwords, b, sign_b);
            let (quotient, remainder) = unsigned(self, abs_a, abs_b);
            if rem {
                self.negate_if(bank, dwords, remainder, sign_a)
            } else {
                let sign = self.bin(bank, XOR, sign_a, sign_b);
                self.negate_if(bank, dwords, quotient, sign)
            }
        } else {
            let (quotient, remainder) = unsigned(self, a, b);
            if rem { remainder } else { quotient }
        };
        if rem {
            return result;
        }
        let width = if dwords == 2 { Kind::U64 } else { Kind::U32 };
        let by_zero = self.compare(bank, Cmp::Eq, width, b, Opd::Const(0));
        self.select(bank, dwords, Opd::Const(u64::MAX), result, by_zero)
    }

    /// 32 bits: `z` is at most 2^32/b and, after one Newton step in integers, at most 2 too small;
    /// so is the quotient. For b = 0 the remainder comes out as a.
    fn div_rem_u32(&mut self, a: Opd, b: Opd) -> (Opd, Opd) {
        let bank = Bank::V;
        let float = self.valu(op::V_CVT_F32_U32, &[b]);
        let reciprocal = self.valu(op::V_RCP_IFLAG_F32, &[float]);
        let scaled = self.valu(op::V_MUL_F32, &[SCALE_32, reciprocal]);
        let z = self.valu(op::V_CVT_U32_F32, &[scaled]);
        let negative = self.bin(bank, SUB, Opd::Const(0), b);
        let error = self.bin(bank, MUL, negative, z);
        let step = self.mul_hi(bank, Kind::U32, z, error);
        let z = self.bin(bank, ADD, z, step);
        let mut quotient = self.mul_hi(bank, Kind::U32, a, z);
        let product = self.bin(bank, MUL, quotient, b);
        let mut remainder = self.bin(bank, SUB, a, product);
        for _ in 0..2 {
            let more = self.vcmp(op::V_CMP_GE_U32, remainder, b);
            quotient = self.add_if(quotient, 1, more);
            let less = self.bin(bank, SUB, remainder, b);
            remainder = self.select(bank, 1, less, remainder, Truth::Mask(more));
        }
        (quotient, remainder)
    }

    /// 64 bits over f64: `r` is at most 1/b and at least (1 - 2^-47)/b. The first quotient takes
    /// off all but about 17 bits, the second all but one subtraction.
    fn div_rem_u64(&mut self, a: Opd, b: Opd) -> (Opd, Opd) {
        let bank = Bank::V;
        let divisor = self.u64_to_f64(b);
        let reciprocal = self.reciprocal_below(divisor);
        let dividend = self.u64_to_f64(a);
        let estimate = self.valu(op::V_MUL_F64, &[dividend, reciprocal]);
        let estimate = self.valu(op::V_TRUNC_F64, &[estimate]);
        let first = self.f64_to_u64_digits(estimate);
        let product = self.mul_lo(bank, Kind::U64, first, b);
        let rest = self.sub(bank, Kind::U64, a, product);
        let dividend = self.u64_to_f64(rest);
        let estimate = self.valu(op::V_MUL_F64, &[dividend, reciprocal]);
        let second = self.valu(op::V_CVT_U32_F64, &[estimate]);
        let second = self.pair(bank, second, Opd::Const(0));
        let product = self.mul_lo(bank, Kind::U64, second, b);
        let rest = self.sub(bank, Kind::U64, rest, product);
        let quotient = self.add(bank, Kind::U64, first, second);
        let more = Truth::Mask(self.vcmp(op::V_CMP_GE_U64, rest, b));
        let next = self.add(bank, Kind::U64, quotient, Opd::Const(1));
        let less = self.sub(bank, Kind::U64, rest, b);
        let quotient = self.select(bank, 2, next, quotient, more);
        let remainder = self.select(bank, 2, less, rest, more);
        (quotient, remainder)
    }

    /// A reciprocal that is never too large: two Newton steps from the machine's estimate, then the
    /// margin.
    fn reciprocal_below(&mut self, divisor: Opd) -> Opd {
        let mut r = self.valu(op::V_RCP_F64, &[divisor]);
        for _ in 0..2 {
            let error = self.valu_mods(op::V_FMA_F64, &[divisor, r, ONE_F64], neg(1));
            r = self.valu(op::V_FMA_F64, &[r, error, r]);
        }
        self.valu(op::V_MUL_F64, &[r, MARGIN_64])
    }

    /// Unsigned minimum with a constant.
    pub(super) fn min_u32(&mut self, bank: Bank, a: Opd, b: u64) -> Opd {
        self.bin(bank, MIN_U, a, Opd::Const(b))
    }
}
