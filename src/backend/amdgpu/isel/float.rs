//! Float arithmetic. Division and square root are correctly rounded; `docs/targets.md` shows why.

use super::Isel;
use super::build::neg;
use super::compare::Truth;
use super::int::{ADD, AND};
use super::operand::{Bank, Opd};
use crate::backend::mir::Pseudo;
use crate::ir::{Cmp, Kind, Opcode};
use crate::isa::amdgpu::{op, regs};

/// `v_cmp_class` mask of both NaNs.
pub(super) const CLASS_NAN: u64 = 3;
/// `v_cmp_class` mask of both zeros and plus infinity.
const CLASS_ZERO_OR_INF: u64 = 1 << 5 | 1 << 6 | 1 << 9;
const ONE_F32: Opd = Opd::Const(0x3f80_0000);
const ONE_F64: Opd = Opd::Const(0x3ff0_0000_0000_0000);
const HALF_F64: Opd = Opd::Const(0x3fe0_0000_0000_0000);
const VCC: Opd = Opd::Phys(regs::VCC_PAIR);

impl Isel<'_> {
    /// An arithmetic operation on f32 or f64.
    pub(super) fn float_op(&mut self, opcode: Opcode, kind: Kind, args: &[Opd]) -> Opd {
        let double = kind == Kind::F64;
        let pick = |single, wide| if double { wide } else { single };
        match (opcode, args) {
            (Opcode::FSub, &[a, b]) if double => self.sub_f64(a, b),
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

    /// `d * scale` for numerator or denominator; gives the scaled value and the mask for `div_fmas`.
    fn div_scale(&mut self, double: bool, value: Opd, den: Opd, num: Opd) -> (Opd, Opd) {
        let row = if double {
            op::V_DIV_SCALE_F64
        } else {
            op::V_DIV_SCALE_F32
        };
        let dst = self.new_reg(Bank::V, if double { 2 } else { 1 });
        let mask = self.new_reg(Bank::S, 2);
        self.valu_masked(row, &[dst, mask], &[value, den, num]);
        (dst, mask)
    }

    /// The last fused step, whose scaling is chosen by VCC.
    fn div_fmas(&mut self, double: bool, mask: Opd, args: &[Opd]) -> Opd {
        self.pseudo(Pseudo::Copy, &[VCC, mask]);
        let row = if double {
            op::V_DIV_FMAS_F64
        } else {
            op::V_DIV_FMAS_F32
        };
        self.valu(row, args)
    }

    fn div_f32(&mut self, a: Opd, b: Opd) -> Opd {
        let (a, b) = (self.to_vector(a, 1), self.to_vector(b, 1));
        let (d, _) = self.div_scale(false, b, b, a);
        let (n, mask) = self.div_scale(false, a, b, a);
        let r = self.valu(op::V_RCP_F32, &[d]);
        let fma = op::V_FMA_F32;
        let e = self.valu_mods(fma, &[d, r, ONE_F32], neg(1));
        let r = self.valu(fma, &[e, r, r]);
        let q = self.valu(op::V_MUL_F32, &[n, r]);
        let e = self.valu_mods(fma, &[d, q, n], neg(1));
        let q = self.valu(fma, &[e, r, q]);
        let e = self.valu_mods(fma, &[d, q, n], neg(1));
        let q = self.div_fmas(false, mask, &[e, r, q]);
        self.valu(op::V_DIV_FIXUP_F32, &[q, b, a])
    }

    fn div_f64(&mut self, a: Opd, b: Opd) -> Opd {
        let (a, b) = (self.to_vector(a, 2), self.to_vector(b, 2));
        let (d, _) = self.div_scale(true, b, b, a);
        let (n, mask) = self.div_scale(true, a, b, a);
        let fma = op::V_FMA_F64;
        let mut r = self.valu(op::V_RCP_F64, &[d]);
        for _ in 0..2 {
            let e = self.valu_mods(fma, &[d, r, ONE_F64], neg(1));
            r = self.valu(fma, &[r, e, r]);
        }
        let q = self.valu(op::V_MUL_F64, &[n, r]);
        let e = self.valu_mods(fma, &[d, q, n], neg(1));
        let q = self.valu(fma, &[e, r, q]);
        let e = self.valu_mods(fma, &[d, q, n], neg(1));
        let q = self.div_fmas(true, mask, &[e, r, q]);
        self.valu(op::V_DIV_FIXUP_F64, &[q, b, a])
    }

    /// The machine's root is within one unit in the last place: the neighbours are tested with an
    /// exact residual, `s-` being right where `x <= s- * s`, `s+` where `x > s+ * s`.
    fn sqrt_f32(&mut self, x: Opd) -> Opd {
        let bank = Bank::V;
        let x = self.to_vector(x, 1);
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
        let x = self.to_vector(x, 2);
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
