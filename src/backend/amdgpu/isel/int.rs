//! Integer operations. Widths below 32 bits live in 32-bit registers whose high bits are anything;
//! operations that look at them extend first. 64-bit operations work on pairs.

use super::Isel;
use super::operand::{Bank, Opd};
use crate::backend::target::Features;
use crate::ir::Kind;
use crate::isa::amdgpu::op;
use crate::isa::{Mods, RowId};

/// A two-operand operation of 32 bits in both banks: scalar row, vector row.
pub(super) type Rows = (RowId, RowId);

pub(super) const ADD: Rows = (op::S_ADD_U32, op::V_ADD_U32);
pub(super) const SUB: Rows = (op::S_SUB_U32, op::V_SUB_U32);
pub(super) const MUL: Rows = (op::S_MUL_I32, op::V_MUL_LO_U32);
const MUL_HI_U: Rows = (op::S_MUL_HI_U32, op::V_MUL_HI_U32);
const MUL_HI_I: Rows = (op::S_MUL_HI_I32, op::V_MUL_HI_I32);
pub(super) const AND: Rows = (op::S_AND_B32, op::V_AND_B32);
pub(super) const OR: Rows = (op::S_OR_B32, op::V_OR_B32);
pub(super) const XOR: Rows = (op::S_XOR_B32, op::V_XOR_B32);
const SHL: Rows = (op::S_LSHL_B32, op::V_LSHLREV_B32);
const SHR: Rows = (op::S_LSHR_B32, op::V_LSHRREV_B32);
pub(super) const ASHR: Rows = (op::S_ASHR_I32, op::V_ASHRREV_I32);
const SHL64: Rows = (op::S_LSHL_B64, op::V_LSHLREV_B64);
const SHR64: Rows = (op::S_LSHR_B64, op::V_LSHRREV_B64);
const ASHR64: Rows = (op::S_ASHR_I64, op::V_ASHRREV_I64);
pub(super) const MIN_U: Rows = (op::S_MIN_U32, op::V_MIN_U32);
const MIN_I: Rows = (op::S_MIN_I32, op::V_MIN_I32);
const MAX_U: Rows = (op::S_MAX_U32, op::V_MAX_U32);
const MAX_I: Rows = (op::S_MAX_I32, op::V_MAX_I32);

/// A bitwise operation: its 32-bit rows, and the scalar unit's of 64 bits.
#[derive(Clone, Copy)]
pub(super) struct Bitwise {
    word: Rows,
    scalar_64: RowId,
}

pub(super) const AND_BITS: Bitwise = Bitwise {
    word: AND,
    scalar_64: op::S_AND_B64,
};
pub(super) const OR_BITS: Bitwise = Bitwise {
    word: OR,
    scalar_64: op::S_OR_B64,
};
pub(super) const XOR_BITS: Bitwise = Bitwise {
    word: XOR,
    scalar_64: op::S_XOR_B64,
};

/// Shift directions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shift {
    Left,
    Logical,
    Arithmetic,
}

impl Isel<'_> {
    /// A 32-bit (or, by the rows, 64-bit) operation of two operands.
    pub(super) fn bin(&mut self, bank: Bank, rows: Rows, a: Opd, b: Opd) -> Opd {
        match bank {
            Bank::S => self.salu(rows.0, &[a, b]),
            Bank::V => self.valu(rows.1, &[a, b]),
        }
    }

    /// The value extended to 32 bits where its kind is narrower.
    pub(super) fn extended(&mut self, bank: Bank, kind: Kind, value: Opd) -> Opd {
        let bits = kind.bits();
        if bits >= 32 {
            return value;
        }
        let shift = 32 - bits;
        match (value, kind.is_signed()) {
            (Opd::Const(c), true) => {
                Opd::Const(u64::from((((c as u32) << shift) as i32 >> shift) as u32))
            }
            (Opd::Const(c), false) => Opd::Const(c & ((1 << bits) - 1)),
            (_, false) => self.bin(bank, AND, value, Opd::Const((1 << bits) - 1)),
            (_, true) if bank == Bank::S => {
                let field = Opd::Const(u64::from(bits) << 16);
                self.salu(op::S_BFE_I32, &[value, field])
            }
            (_, true) => {
                let width = Opd::Const(u64::from(bits));
                self.valu(op::V_BFE_I32, &[value, Opd::Const(0), width])
            }
        }
    }

    /// Sum of any width.
    pub(super) fn add(&mut self, bank: Bank, kind: Kind, a: Opd, b: Opd) -> Opd {
        if kind.bits() < 64 {
            return self.bin(bank, ADD, a, b);
        }
        match bank {
            Bank::S => self.scalar_carry(op::S_ADD_U32, op::S_ADDC_U32, a, b),
            Bank::V if !self.desc.features.has(Features::LSHL_ADD_U64) => {
                self.vector_carry(op::V_ADD_CO_U32, op::V_ADDC_CO_U32, a, b)
            }
            // (a << 0) + b. A constant goes last: the first operand is the one that is often vector.
            Bank::V if a.is_const() => self.valu(op::V_LSHL_ADD_U64, &[b, Opd::Const(0), a]),
            Bank::V => self.valu(op::V_LSHL_ADD_U64, &[a, Opd::Const(0), b]),
        }
    }

    /// Difference of any width.
    pub(super) fn sub(&mut self, bank: Bank, kind: Kind, a: Opd, b: Opd) -> Opd {
        match (kind.bits() < 64, bank, b) {
            // A constant fits where the second operand does not.
            (true, Bank::V, Opd::Const(c)) => {
                let negative = u64::from((c as u32).wrapping_neg());
                return self.bin(bank, ADD, a, Opd::Const(negative));
            }
            (true, ..) => return self.bin(bank, SUB, a, b),
            (false, ..) => {}
        }
        match bank {
            Bank::S => self.scalar_carry(op::S_SUB_U32, op::S_SUBB_U32, a, b),
            Bank::V => self.vector_carry(op::V_SUB_CO_U32, op::V_SUBB_CO_U32, a, b),
        }
    }

    /// Two vector instructions that pass a carry in a mask.
    fn vector_carry(&mut self, low: RowId, high: RowId, a: Opd, b: Opd) -> Opd {
        let dst = self.new_reg(Bank::V, 2);
        let (carry, out) = (self.new_reg(Bank::S, 2), self.new_reg(Bank::S, 2));
        self.start_parts(dst);
        self.valu_masked(low, &[dst.lo(), carry], &[a.lo(), b.lo()]);
        self.valu_masked(high, &[dst.hi(), out], &[a.hi(), b.hi(), carry]);
        dst
    }

    /// Two scalar instructions that pass a carry in SCC.
    fn scalar_carry(&mut self, low: RowId, high: RowId, a: Opd, b: Opd) -> Opd {
        // Nothing may come between the two that writes SCC: moves do not.
        let dst = self.new_reg(Bank::S, 2);
        self.start_parts(dst);
        self.salu_into(low, &[dst.lo()], &[a.lo(), b.lo()]);
        self.salu_into(high, &[dst.hi()], &[a.hi(), b.hi()]);
        dst
    }

    /// Low half of the product.
    pub(super) fn mul_lo(&mut self, bank: Bank, kind: Kind, a: Opd, b: Opd) -> Opd {
        if kind.bits() < 64 {
            return self.bin(bank, MUL, a, b);
        }
        let low = self.mul_wide(bank, Kind::U32, a.lo(), b.lo());
        let mut high = low.hi();
        for (x, y) in [(a.lo(), b.hi()), (a.hi(), b.lo())] {
            if x != Opd::Const(0) && y != Opd::Const(0) {
                let cross = self.bin(bank, MUL, x, y);
                high = self.bin(bank, ADD, high, cross);
            }
        }
        self.pair(bank, low.lo(), high)
    }

    /// Double-width product of 32-bit (or narrower, then 32-bit) operands.
    pub(super) fn mul_wide(&mut self, bank: Bank, kind: Kind, a: Opd, b: Opd) -> Opd {
        if kind.bits() < 32 {
            let (a, b) = (self.extended(bank, kind, a), self.extended(bank, kind, b));
            return self.bin(bank, MUL, a, b);
        }
        if bank == Bank::V {
            return self.mad_wide(kind, a, b, Opd::Const(0));
        }
        let high = if kind.is_signed() { MUL_HI_I } else { MUL_HI_U };
        let lo = self.bin(bank, MUL, a, b);
        let hi = self.bin(bank, high, a, b);
        self.pair(bank, lo, hi)
    }

    /// `a * b + c` with 32-bit factors and a 64-bit sum, in vector registers.
    pub(super) fn mad_wide(&mut self, kind: Kind, a: Opd, b: Opd, c: Opd) -> Opd {
        let row = if kind.is_signed() {
            op::V_MAD_I64_I32
        } else {
            op::V_MAD_U64_U32
        };
        let dst = self.new_reg(Bank::V, 2);
        let carry = self.new_reg(Bank::S, 2);
        self.valu_masked(row, &[dst, carry], &[a, b, c]);
        dst
    }

    /// High half of the product.
    pub(super) fn mul_hi(&mut self, bank: Bank, kind: Kind, a: Opd, b: Opd) -> Opd {
        match kind.bits() {
            64 => self.mul_hi_64(kind, a, b),
            32 if kind.is_signed() => self.bin(bank, MUL_HI_I, a, b),
            32 => self.bin(bank, MUL_HI_U, a, b),
            bits => {
                let product = self.mul_wide(bank, kind, a, b);
                let rows = if kind.is_signed() { ASHR } else { SHR };
                self.bin(bank, rows, product, Opd::Const(u64::from(bits)))
            }
        }
    }

    /// Schoolbook product in 32-bit digits: no step overflows, since
    /// `(2^32-1)^2 + 2 (2^32-1) = 2^64-1`. A negative signed operand is read 2^64 too large, which
    /// adds the other operand to the high half.
    fn mul_hi_64(&mut self, kind: Kind, a: Opd, b: Opd) -> Opd {
        let bank = Bank::V;
        let zero = Opd::Const(0);
        let low = self.mad_wide(Kind::U32, a.lo(), b.lo(), zero);
        let carry = self.pair(bank, low.hi(), zero);
        let middle = self.mad_wide(Kind::U32, a.hi(), b.lo(), carry);
        let rest = self.pair(bank, middle.lo(), zero);
        let other = self.mad_wide(Kind::U32, a.lo(), b.hi(), rest);
        let carry = self.pair(bank, middle.hi(), zero);
        let high = self.mad_wide(Kind::U32, a.hi(), b.hi(), carry);
        let carry = self.pair(bank, other.hi(), zero);
        let mut high = self.add(bank, Kind::U64, high, carry);
        if kind.is_signed() {
            for (x, y) in [(a, b), (b, a)] {
                let sign = self.bin(bank, ASHR, x.hi(), Opd::Const(31));
                let lo = self.bin(bank, AND, sign, y.lo());
                let hi = self.bin(bank, AND, sign, y.hi());
                let excess = self.pair(bank, lo, hi);
                high = self.sub(bank, Kind::U64, high, excess);
            }
        }
        high
    }

    /// Minimum or maximum.
    pub(super) fn min_max(&mut self, bank: Bank, kind: Kind, max: bool, a: Opd, b: Opd) -> Opd {
        if kind.bits() == 64 {
            let less = self.less_64(bank, kind, a, b);
            return match max {
                true => self.select(bank, 2, b, a, less),
                false => self.select(bank, 2, a, b, less),
            };
        }
        let rows = match (max, kind.is_signed()) {
            (false, false) => MIN_U,
            (false, true) => MIN_I,
            (true, false) => MAX_U,
            (true, true) => MAX_I,
        };
        let (a, b) = (self.extended(bank, kind, a), self.extended(bank, kind, b));
        self.bin(bank, rows, a, b)
    }

    /// The sign bit everywhere: 0 or all ones, one dword.
    pub(super) fn sign_of(&mut self, bank: Bank, value: Opd, dwords: u8) -> Opd {
        self.bin(bank, ASHR, value.dword(dwords - 1), Opd::Const(31))
    }

    /// `(a ^ s) - s` with `s` 0 or all ones: `a`, or `-a`.
    pub(super) fn negate_if(&mut self, bank: Bank, dwords: u8, a: Opd, sign: Opd) -> Opd {
        let kind = if dwords == 2 { Kind::U64 } else { Kind::U32 };
        let wide = |o: Opd| if dwords == 2 { o.hi() } else { o };
        let lo = self.bin(bank, XOR, a.lo(), sign);
        if dwords == 1 {
            return self.sub(bank, kind, lo, sign);
        }
        let hi = self.bin(bank, XOR, wide(a), sign);
        let flipped = self.pair(bank, lo, hi);
        let subtrahend = self.pair(bank, sign, sign);
        self.sub(bank, kind, flipped, subtrahend)
    }

    /// Absolute value; the most negative number stays.
    pub(super) fn abs(&mut self, bank: Bank, kind: Kind, a: Opd) -> Opd {
        let dwords = if kind.bits() == 64 { 2 } else { 1 };
        let a = self.extended(bank, kind, a);
        let sign = self.sign_of(bank, a, dwords);
        self.negate_if(bank, dwords, a, sign)
    }

    /// A bitwise operation of any width.
    pub(super) fn bitwise(&mut self, bank: Bank, dwords: u8, op: Bitwise, a: Opd, b: Opd) -> Opd {
        match (dwords, bank) {
            (1, _) => self.bin(bank, op.word, a, b),
            (_, Bank::S) => self.salu(op.scalar_64, &[a, b]),
            (_, Bank::V) => {
                let dst = self.new_reg(Bank::V, 2);
                self.start_parts(dst);
                for n in 0..2 {
                    let args = [a.dword(n), b.dword(n)];
                    self.valu_into(op.word.1, &[dst.dword(n)], &args, Mods::default());
                }
                dst
            }
        }
    }

    /// A shift with VISA's rules for large counts.
    pub(super) fn shift(
        &mut self,
        bank: Bank,
        kind: Kind,
        shift: Shift,
        wrap: bool,
        value: Opd,
        count: Opd,
    ) -> Opd {
        let bits = kind.bits();
        let value = match shift {
            Shift::Left => value,
            Shift::Logical | Shift::Arithmetic => self.extended(bank, kind, value),
        };
        if let Opd::Const(count) = count {
            let count = if wrap { count % u64::from(bits) } else { count };
            return self.shift_const(bank, bits, shift, value, count);
        }
        // The machine masks counts by 31 or 63, which is .wrap for those widths.
        let masked = |this: &mut Self, count| match bits {
            32 | 64 => count,
            _ => this.bin(bank, AND, count, Opd::Const(u64::from(bits) - 1)),
        };
        if wrap {
            let count = masked(self, count);
            return self.shift_raw(bank, bits, shift, value, count);
        }
        let last = Opd::Const(u64::from(bits) - 1);
        if shift == Shift::Arithmetic {
            let count = self.bin(bank, MIN_U, count, last);
            return self.shift_raw(bank, bits, shift, value, count);
        }
        let shifted = self.shift_raw(bank, bits, shift, value, count);
        let dwords = if bits == 64 { 2 } else { 1 };
        let inside = self.compare_u32_le(bank, count, last);
        self.select(bank, dwords, shifted, Opd::Const(0), inside)
    }

    fn shift_const(&mut self, bank: Bank, bits: u32, shift: Shift, value: Opd, count: u64) -> Opd {
        let last = u64::from(bits) - 1;
        match (count > last, shift) {
            (false, _) => self.shift_raw(bank, bits, shift, value, Opd::Const(count)),
            (true, Shift::Arithmetic) => self.shift_raw(bank, bits, shift, value, Opd::Const(last)),
            (true, Shift::Left | Shift::Logical) => Opd::Const(0),
        }
    }

    /// A shift by less than the register's width.
    pub(super) fn shift_raw(
        &mut self,
        bank: Bank,
        bits: u32,
        shift: Shift,
        value: Opd,
        count: Opd,
    ) -> Opd {
        let rows = match (bits == 64, shift) {
            (false, Shift::Left) => SHL,
            (false, Shift::Logical) => SHR,
            (false, Shift::Arithmetic) => ASHR,
            (true, Shift::Left) => SHL64,
            (true, Shift::Logical) => SHR64,
            (true, Shift::Arithmetic) => ASHR64,
        };
        self.bin(bank, rows, value, count)
    }

    /// Number of one bits.
    pub(super) fn popc(&mut self, bank: Bank, kind: Kind, value: Opd) -> Opd {
        let value = self.extended(bank, kind, value);
        match (bank, kind.bits()) {
            (Bank::S, 64) => self.salu(op::S_BCNT1_I32_B64, &[value]),
            (Bank::S, _) => self.salu(op::S_BCNT1_I32_B32, &[value]),
            (Bank::V, bits) => {
                let low = self.valu(op::V_BCNT_U32_B32, &[value.lo(), Opd::Const(0)]);
                match bits {
                    64 => self.valu(op::V_BCNT_U32_B32, &[value.hi(), low]),
                    _ => low,
                }
            }
        }
    }

    /// Number of leading zeros; the width for 0. The machine gives all ones for 0, which the
    /// unsigned minimum with the width turns into the width.
    pub(super) fn clz(&mut self, bank: Bank, kind: Kind, value: Opd) -> Opd {
        let bits = kind.bits();
        let value = self.extended(bank, kind, value);
        let width = Opd::Const(u64::from(bits.max(32)));
        let found = match (bank, bits) {
            (Bank::S, 64) => self.salu(op::S_FLBIT_I32_B64, &[value]),
            (Bank::S, _) => self.salu(op::S_FLBIT_I32_B32, &[value]),
            (Bank::V, 64) => {
                let low = self.valu(op::V_FFBH_U32, &[value.lo()]);
                let low = self.bin(bank, MIN_U, low, Opd::Const(32));
                let low = self.bin(bank, ADD, low, Opd::Const(32));
                let high = self.valu(op::V_FFBH_U32, &[value.hi()]);
                self.bin(bank, MIN_U, high, low)
            }
            (Bank::V, _) => self.valu(op::V_FFBH_U32, &[value]),
        };
        let zeros = self.bin(bank, MIN_U, found, width);
        match bits {
            32 | 64 => zeros,
            _ => self.bin(bank, SUB, zeros, Opd::Const(u64::from(32 - bits))),
        }
    }

    /// Bits in reverse order.
    pub(super) fn brev(&mut self, bank: Bank, kind: Kind, value: Opd) -> Opd {
        match (bank, kind.bits()) {
            (Bank::S, 64) => self.salu(op::S_BREV_B64, &[value]),
            (Bank::V, 64) => {
                let lo = self.valu(op::V_BFREV_B32, &[value.hi()]);
                let hi = self.valu(op::V_BFREV_B32, &[value.lo()]);
                self.pair(bank, lo, hi)
            }
            (_, bits) => {
                let reversed = match bank {
                    Bank::S => self.salu(op::S_BREV_B32, &[value]),
                    Bank::V => self.valu(op::V_BFREV_B32, &[value]),
                };
                match bits {
                    32 => reversed,
                    _ => self.bin(bank, SHR, reversed, Opd::Const(u64::from(32 - bits))),
                }
            }
        }
    }

    /// A three-operand vector sum of a mask's choice, with saturation left off.
    pub(super) fn add_if(&mut self, value: Opd, addend: u64, mask: Opd) -> Opd {
        let sum = self.valu_mods(ADD.1, &[value, Opd::Const(addend)], Mods::default());
        self.select(Bank::V, 1, sum, value, super::compare::Truth::Mask(mask))
    }
}
