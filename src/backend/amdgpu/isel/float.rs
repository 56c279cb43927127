//! Float arithmetic. Division and square root are correctly rounded; `docs/targets.md` shows why.

use super::Isel;
use super::build::neg;
use super::compare::Truth;
use super::int::{ADD, AND, ASHR, OR, XOR};
use super::operand::{Bank, Opd};
use crate::backend::mir::Pseudo;
use crate::ir::{Cmp, Kind, Opcode};
use crate::isa::Mods;
use crate::isa::amdgpu::{op, regs};

/// `v_cmp_class` mask of both NaNs.
pub(super) const CLASS_NAN: u64 = 3;
/// `v_cmp_class` mask of both zeros and plus infinity.
const CLASS_ZERO_OR_INF: u64 = 1 << 5 | 1 << 6 | 1 << 9;
const ONE_F64: Opd = Opd::Const(0x3ff0_0000_0000_0000);
/// 1 - 2^-52.
const BELOW_ONE_F64: Opd = Opd::Const(0x3fef_ffff_ffff_fffe);
const HALF_F64: Opd = Opd::Const(0x3fe0_0000_0000_0000);
const VCC: Opd = Opd::Phys(regs::VCC_PAIR);

impl Isel<'_> {
    /// An arithmetic operation on f32 or f64.
    pub(super) fn float_op(&mut self, opcode: Opcode, kind: Kind, args: &[Opd]) -> Opd {
        let double = kind == Kind::F64;
        let pick = |single, wide| if double { wide } else { single };
        match (opcode, args) {
            (Opcode::FSub, &[a, b]) if double => self.sub_f64(a, b),
            // A constant fits where the second operand does not.
            (Opcode::FSub, &[a, Opd::Const(c)]) => {
                let negative = Opd::Const(c ^ 0x8000_0000);
                self.valu(op::V_ADD_F32, &[a, negative])
            }
            (Opcode::FDiv, &[a, b]) if double => self.div_f64(a, b),
            (Opcode::FDiv, &[a, b]) => self.div_f32(a, b),
            (Opcode::FSqrt, &[a]) if double => self.sqrt_f64(a),
            (Opcode::FSqrt, &[a]) => self.sqrt_f32(a),
            (Opcode::FNeg, &[a]) => self.float_neg(double, a),
            (Opcode::FAbs, &[a]) => self.float_abs(double, a),
            (Opcode::FAdd, _) => self.valu(pick(op::V_ADD_F32, op::V_ADD_F64), args),
            (Opcode::FSub, _) => self.valu(op::V_SUB_F32, args),
            (Opcode::FMul, _) => self.valu(pick(op::V_MUL_F32, op::V_MUL_F64), args),
            (Opcode::FMin, _) => self.valu(pick(op::V_MIN_F32, op::V_MIN_F64), args),
            (Opcode::FMax, _) => self.valu(pick(op::V_MAX_F32, op::V_MAX_F64), args),
            _ => self.valu(pick(op::V_FMA_F32, op::V_FMA_F64), args),
        }
    }

    /// A signalling NaN made quiet, everything else unchanged. In IEEE mode the machine's minimum
    /// and maximum give a NaN for a signalling one, where VISA lets the number win.
    pub(super) fn quieted(&mut self, kind: Kind, value: Opd) -> Opd {
        let row = match kind {
            Kind::F64 => op::V_MAX_F64,
            _ => op::V_MAX_F32,
        };
        self.valu(row, &[value, value])
    }

    fn float_abs(&mut self, double: bool, value: Opd) -> Opd {
        let mask = Opd::Const(0x7fff_ffff);
        if !double {
            return self.bin(Bank::V, AND, value, mask);
        }
        let high = self.bin(Bank::V, AND, value.hi(), mask);
        self.pair(Bank::V, value.lo(), high)
    }

    /// Numerator or denominator, scaled; and the mask for `div_fmas`.
    fn div_scale(&mut self, value: Opd, den: Opd, num: Opd) -> (Opd, Opd) {
        let dst = self.new_reg(Bank::V, 2);
        let mask = self.new_reg(Bank::S, 2);
        self.valu_masked(op::V_DIV_SCALE_F64, &[dst, mask], &[value, den, num]);
        (dst, mask)
    }

    /// The last fused step, whose scaling is chosen by VCC.
    fn div_fmas(&mut self, mask: Opd, args: &[Opd]) -> Opd {
        self.pseudo(Pseudo::Copy, &[VCC, mask]);
        self.valu(op::V_DIV_FMAS_F64, args)
    }

    /// Over f64, where the quotient of two f32 is known well enough to round once more: it is never
    /// closer to the middle between two f32 than 2^-49 of its size, unless it is that middle, and
    /// then the f64 quotient is exact. `div_fixup` puts in infinities, zeros and NaN.
    fn div_f32(&mut self, a: Opd, b: Opd) -> Opd {
        let fma = op::V_FMA_F64;
        let n = self.valu(op::V_CVT_F64_F32, &[a]);
        let d = self.valu(op::V_CVT_F64_F32, &[b]);
        let r = self.valu(op::V_RCP_F64, &[d]);
        let e = self.valu_mods(fma, &[d, r, ONE_F64], neg(1));
        let r = self.valu(fma, &[r, e, r]);
        let q = self.valu(op::V_MUL_F64, &[n, r]);
        let e = self.valu_mods(fma, &[d, q, n], neg(1));
        let q = self.valu(fma, &[e, r, q]);
        let q = self.valu(op::V_CVT_F32_F64, &[q]);
        self.valu(op::V_DIV_FIXUP_F32, &[q, b, a])
    }

    /// Scaled, so that no step leaves the normal range. Two Newton steps refine the reciprocal, one
    /// the quotient, which then is the nearest number or its neighbour. The one with the smaller
    /// exact remainder is the nearest. Its remainder, made smaller by more than the reciprocal's
    /// error, cannot push it over the middle to a neighbour, but still tells `div_fmas` on which
    /// side the quotient lies when the result is subnormal and loses bits.
    fn div_f64(&mut self, a: Opd, b: Opd) -> Opd {
        let (a, b) = (self.vector_of(a, 2), self.vector_of(b, 2));
        let (d, _) = self.div_scale(b, b, a);
        let (n, mask) = self.div_scale(a, b, a);
        let fma = op::V_FMA_F64;
        let mut r = self.valu(op::V_RCP_F64, &[d]);
        for _ in 0..2 {
            let e = self.valu_mods(fma, &[d, r, ONE_F64], neg(1));
            r = self.valu(fma, &[r, e, r]);
        }
        let q = self.valu(op::V_MUL_F64, &[n, r]);
        let e = self.valu_mods(fma, &[d, q, n], neg(1));
        let q = self.valu(fma, &[e, r, q]);
        let (q, e) = self.nearest_quotient(n, d, q);
        let e = self.valu(op::V_MUL_F64, &[e, BELOW_ONE_F64]);
        let q = self.div_fmas(mask, &[e, r, q]);
        self.valu(op::V_DIV_FIXUP_F64, &[q, b, a])
    }

    /// Of `q` and its neighbour on the side of the exact quotient, the one with the smaller
    /// remainder; and that remainder.
    fn nearest_quotient(&mut self, n: Opd, d: Opd, q: Opd) -> (Opd, Opd) {
        let (bank, fma) = (Bank::V, op::V_FMA_F64);
        let e = self.valu_mods(fma, &[d, q, n], neg(1));
        // The quotient's magnitude is too small where the remainder has the numerator's sign.
        let signs = self.bin(bank, XOR, e.hi(), n.hi());
        let side = self.bin(bank, ASHR, signs, Opd::Const(31));
        let step = self.bin(bank, OR, side, Opd::Const(1));
        let step = self.pair(bank, step, side);
        let other = self.add(bank, Kind::U64, step, q);
        let rest = self.valu_mods(fma, &[d, other, n], neg(1));
        let better = self.new_reg(Bank::S, 2);
        let both = Mods {
            abs: 3,
            ..Mods::default()
        };
        self.valu_into(op::V_CMP_LT_F64, &[better], &[rest, e], both);
        let better = Truth::Mask(better);
        let nearest = self.select(bank, 2, other, q, better);
        (nearest, self.select(bank, 2, rest, e, better))
    }

    /// The machine's root is within one unit in the last place: the neighbours are tested with an
    /// exact residual, `s-` being right where `x <= s- * s`, `s+` where `x > s+ * s`.
    fn sqrt_f32(&mut self, x: Opd) -> Opd {
        let bank = Bank::V;
        let x = self.vector_of(x, 1);
        // Below 2^-96 the residual would lose bits: scale by 2^32.
        let small = self.compare(bank, Cmp::Lt, Kind::F32, x, Opd::Const(0x0f80_0000));
        let scaled = self.valu(op::V_MUL_F32, &[Opd::Const(0x4f80_0000), x]);
        let x = self.select(bank, 1, scaled, x, small);
        let s = self.valu(op::V_SQRT_F32, &[x]);
        let below = self.bin(bank, ADD, s, Opd::Const(0xffff_ffff));
        let above = self.bin(bank, ADD, s, Opd::Const(1));
        let residual_below = self.valu_mods(op::V_FMA_F32, &[below, s, x], neg(1));
        let residual_above = self.valu_mods(op::V_FMA_F32, &[above, s, x], neg(1));
        let zero = Opd::Const(0);
        let less = self.compare(bank, Cmp::Le, Kind::F32, residual_below, zero);
        let root = self.select(bank, 1, below, s, less);
        let more = self.compare(bank, Cmp::Gt, Kind::F32, residual_above, zero);
        let root = self.select(bank, 1, above, root, more);
        let unscaled = self.valu(op::V_MUL_F32, &[Opd::Const(0x3780_0000), root]);
        let root = self.select(bank, 1, unscaled, root, small);
        let class = Opd::Const(CLASS_ZERO_OR_INF);
        let same = Truth::Mask(self.vcmp(op::V_CMP_CLASS_F32, x, class));
        self.select(bank, 1, x, root, same)
    }

    /// Newton steps from the reciprocal root to within one unit in the last place, then the test of
    /// both neighbours as in f32.
    fn sqrt_f64(&mut self, x: Opd) -> Opd {
        let bank = Bank::V;
        let x = self.vector_of(x, 2);
        let limit = Opd::Const(0x1000_0000_0000_0000);
        let small = self.compare(bank, Cmp::Lt, Kind::F64, x, limit);
        let up = self.select(bank, 1, Opd::Const(256), Opd::Const(0), small);
        let x = self.valu(op::V_LDEXP_F64, &[x, up]);
        let fma = op::V_FMA_F64;
        let y = self.valu(op::V_RSQ_F64, &[x]);
        let mut s = self.valu(op::V_MUL_F64, &[x, y]);
        let mut h = self.valu(op::V_MUL_F64, &[y, HALF_F64]);
        for _ in 0..2 {
            let r = self.valu_mods(fma, &[h, s, HALF_F64], neg(1));
            s = self.valu(fma, &[s, r, s]);
            h = self.valu(fma, &[h, r, h]);
        }
        let d = self.valu_mods(fma, &[s, s, x], neg(1));
        let s = self.valu(fma, &[d, h, s]);
        let below = self.add(bank, Kind::U64, s, Opd::Const(u64::MAX));
        let above = self.add(bank, Kind::U64, s, Opd::Const(1));
        let residual_below = self.valu_mods(fma, &[below, s, x], neg(1));
        let residual_above = self.valu_mods(fma, &[above, s, x], neg(1));
        let zero = Opd::Const(0);
        let less = self.compare(bank, Cmp::Le, Kind::F64, residual_below, zero);
        let root = self.select(bank, 2, below, s, less);
        let more = self.compare(bank, Cmp::Gt, Kind::F64, residual_above, zero);
        let root = self.select(bank, 2, above, root, more);
        let down = self.select(bank, 1, Opd::Const(0xffff_ff80), Opd::Const(0), small);
        let root = self.valu(op::V_LDEXP_F64, &[root, down]);
        let class = Opd::Const(CLASS_ZERO_OR_INF);
        let same = Truth::Mask(self.vcmp(op::V_CMP_CLASS_F64, x, class));
        self.select(bank, 2, x, root, same)
    }
}
