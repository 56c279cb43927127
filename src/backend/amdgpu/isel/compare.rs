//! Comparisons, truth values and selection.
//!
//! A uniform truth value is a 0 or 1 in a scalar register (or SCC, right after the comparison). A
//! divergent one is a lane mask whose bits of inactive lanes are 0: comparisons give that, and the
//! logic here keeps it. Truth values do not leave their block (see `legalize`), so EXEC does not
//! change under a mask.

use super::Isel;
use super::int::XOR;
use super::operand::{Bank, Opd};
use crate::backend::mir::Pseudo;
use crate::ir::{Cmp, Kind, Opcode};
use crate::isa::RowId;
use crate::isa::amdgpu::{op, regs};

/// A truth value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    /// Known.
    Const(bool),
    /// SCC; only until the next instruction that writes it.
    Scc,
    /// 0 or 1 in a scalar register.
    Scalar(Opd),
    /// A lane mask.
    Mask(Opd),
}

const EXEC: Opd = Opd::Phys(regs::EXEC_PAIR);
const SIGN: Opd = Opd::Const(0x8000_0000);

/// Rows of the six integer comparisons: scalar u32, i32; vector u32, i32, u64, i64.
fn int_rows(cmp: Cmp) -> Option<[RowId; 6]> {
    Some(match cmp {
        Cmp::Eq => [
            op::S_CMP_EQ_U32,
            op::S_CMP_EQ_I32,
            op::V_CMP_EQ_U32,
            op::V_CMP_EQ_I32,
            op::V_CMP_EQ_U64,
            op::V_CMP_EQ_I64,
        ],
        Cmp::Ne => [
            op::S_CMP_LG_U32,
            op::S_CMP_LG_I32,
            op::V_CMP_NE_U32,
            op::V_CMP_NE_I32,
            op::V_CMP_NE_U64,
            op::V_CMP_NE_I64,
        ],
        Cmp::Lt => [
            op::S_CMP_LT_U32,
            op::S_CMP_LT_I32,
            op::V_CMP_LT_U32,
            op::V_CMP_LT_I32,
            op::V_CMP_LT_U64,
            op::V_CMP_LT_I64,
        ],
        Cmp::Le => [
            op::S_CMP_LE_U32,
            op::S_CMP_LE_I32,
            op::V_CMP_LE_U32,
            op::V_CMP_LE_I32,
            op::V_CMP_LE_U64,
            op::V_CMP_LE_I64,
        ],
        Cmp::Gt => [
            op::S_CMP_GT_U32,
            op::S_CMP_GT_I32,
            op::V_CMP_GT_U32,
            op::V_CMP_GT_I32,
            op::V_CMP_GT_U64,
            op::V_CMP_GT_I64,
        ],
        Cmp::Ge => [
            op::S_CMP_GE_U32,
            op::S_CMP_GE_I32,
            op::V_CMP_GE_U32,
            op::V_CMP_GE_I32,
            op::V_CMP_GE_U64,
            op::V_CMP_GE_I64,
        ],
        Cmp::Equ | Cmp::Neu | Cmp::Ltu | Cmp::Leu | Cmp::Gtu | Cmp::Geu | Cmp::Num | Cmp::Nan => {
            return None;
        }
    })
}

/// Rows of a float comparison: f32, f64. `ne` is ordered in VISA: the machine's "less or greater".
fn float_rows(cmp: Cmp) -> [RowId; 2] {
    match cmp {
        Cmp::Eq => [op::V_CMP_EQ_F32, op::V_CMP_EQ_F64],
        Cmp::Ne => [op::V_CMP_LG_F32, op::V_CMP_LG_F64],
        Cmp::Lt => [op::V_CMP_LT_F32, op::V_CMP_LT_F64],
        Cmp::Le => [op::V_CMP_LE_F32, op::V_CMP_LE_F64],
        Cmp::Gt => [op::V_CMP_GT_F32, op::V_CMP_GT_F64],
        Cmp::Ge => [op::V_CMP_GE_F32, op::V_CMP_GE_F64],
        Cmp::Equ => [op::V_CMP_NLG_F32, op::V_CMP_NLG_F64],
        Cmp::Neu => [op::V_CMP_NEQ_F32, op::V_CMP_NEQ_F64],
        Cmp::Ltu => [op::V_CMP_NGE_F32, op::V_CMP_NGE_F64],
        Cmp::Leu => [op::V_CMP_NGT_F32, op::V_CMP_NGT_F64],
        Cmp::Gtu => [op::V_CMP_NLE_F32, op::V_CMP_NLE_F64],
        Cmp::Geu => [op::V_CMP_NLT_F32, op::V_CMP_NLT_F64],
        Cmp::Num => [op::V_CMP_O_F32, op::V_CMP_O_F64],
        Cmp::Nan => [op::V_CMP_U_F32, op::V_CMP_U_F64],
    }
}

impl Isel<'_> {
    /// Compares two values of a kind.
    pub(super) fn compare(&mut self, bank: Bank, cmp: Cmp, kind: Kind, a: Opd, b: Opd) -> Truth {
        if kind.is_float() {
            let row = float_rows(cmp)[usize::from(kind == Kind::F64)];
            return Truth::Mask(self.vcmp(row, a, b));
        }
        let bits = if kind == Kind::Ptr { 64 } else { kind.bits() };
        // The verifier gives integers the six ordered comparisons only.
        let Some(rows) = int_rows(cmp) else {
            return Truth::Const(false);
        };
        let signed = usize::from(kind.is_signed());
        match (bank, bits == 64) {
            (Bank::S, true) => self.scalar_compare_64(cmp, kind, a, b),
            (Bank::S, false) => {
                let (a, b) = (self.extended(bank, kind, a), self.extended(bank, kind, b));
                self.salu_into(rows[signed], &[], &[a, b]);
                Truth::Scc
            }
            (Bank::V, true) => Truth::Mask(self.vcmp(rows[4 + signed], a, b)),
            (Bank::V, false) => {
                let (a, b) = (self.extended(bank, kind, a), self.extended(bank, kind, b));
                Truth::Mask(self.vcmp(rows[2 + signed], a, b))
            }
        }
    }

    /// The scalar unit compares 64 bits for equality only; order is the borrow of a subtraction.
    fn scalar_compare_64(&mut self, cmp: Cmp, kind: Kind, a: Opd, b: Opd) -> Truth {
        match cmp {
            Cmp::Eq => self.salu_into(op::S_CMP_EQ_U64, &[], &[a, b]),
            Cmp::Ne => self.salu_into(op::S_CMP_LG_U64, &[], &[a, b]),
            Cmp::Lt => return self.less_64(Bank::S, kind, a, b),
            Cmp::Gt => return self.less_64(Bank::S, kind, b, a),
            // a <= b is not (b < a).
            Cmp::Le | Cmp::Ge => {
                let (a, b) = if cmp == Cmp::Le { (b, a) } else { (a, b) };
                let less = self.less_64(Bank::S, kind, a, b);
                let bit = self.scalar_truth(less);
                let zero = Opd::Const(0);
                self.salu_into(op::S_CMP_EQ_U32, &[], &[bit, zero]);
            }
            _ => return Truth::Const(false),
        }
        Truth::Scc
    }

    /// `a < b` of 64-bit integers.
    pub(super) fn less_64(&mut self, bank: Bank, kind: Kind, a: Opd, b: Opd) -> Truth {
        if bank == Bank::V {
            let row = if kind.is_signed() {
                op::V_CMP_LT_I64
            } else {
                op::V_CMP_LT_U64
            };
            return Truth::Mask(self.vcmp(row, a, b));
        }
        let (mut high_a, mut high_b) = (a.hi(), b.hi());
        if kind.is_signed() {
            // Flipping the sign bits turns the signed order into the unsigned one.
            high_a = self.bin(Bank::S, XOR, high_a, SIGN);
            high_b = self.bin(Bank::S, XOR, high_b, SIGN);
        }
        self.salu(op::S_SUB_U32, &[a.lo(), b.lo()]);
        self.salu(op::S_SUBB_U32, &[high_a, high_b]);
        Truth::Scc
    }

    /// `a <= b` of unsigned 32-bit numbers.
    pub(super) fn compare_u32_le(&mut self, bank: Bank, a: Opd, b: Opd) -> Truth {
        self.compare(bank, Cmp::Le, Kind::U32, a, b)
    }

    /// `yes` where the truth value holds, else `no`.
    pub(super) fn select(
        &mut self,
        bank: Bank,
        dwords: u8,
        yes: Opd,
        no: Opd,
        truth: Truth,
    ) -> Opd {
        if let Truth::Const(value) = truth {
            return if value { yes } else { no };
        }
        if bank == Bank::S {
            self.set_scc(truth);
            let row = if dwords == 2 {
                op::S_CSELECT_B64
            } else {
                op::S_CSELECT_B32
            };
            return self.salu(row, &[yes, no]);
        }
        let mask = self.mask_of(truth);
        if dwords == 1 {
            return self.cndmask(None, yes, no, mask);
        }
        let dst = self.new_reg(Bank::V, dwords);
        self.start_parts(dst);
        for n in 0..dwords {
            self.cndmask(Some(dst.dword(n)), yes.dword(n), no.dword(n), mask);
        }
        dst
    }

    fn cndmask(&mut self, dst: Option<Opd>, yes: Opd, no: Opd, mask: Opd) -> Opd {
        let dst = match dst {
            Some(dst) => dst,
            None => self.new_reg(Bank::V, 1),
        };
        self.valu_masked(op::V_CNDMASK_B32, &[dst], &[yes, no, mask]);
        dst
    }

    /// Brings a truth value into SCC.
    pub(super) fn set_scc(&mut self, truth: Truth) {
        let zero = Opd::Const(0);
        match truth {
            Truth::Scc => {}
            Truth::Scalar(bit) => self.salu_into(op::S_CMP_LG_U32, &[], &[bit, zero]),
            Truth::Mask(mask) => self.salu_into(op::S_CMP_LG_U64, &[], &[mask, zero]),
            Truth::Const(value) => {
                self.salu_into(op::S_CMP_LG_U32, &[], &[Opd::Const(u64::from(value)), zero]);
            }
        }
    }

    /// A truth value as 0 or 1.
    pub(super) fn scalar_truth(&mut self, truth: Truth) -> Opd {
        match truth {
            Truth::Const(value) => Opd::Const(u64::from(value)),
            Truth::Scalar(bit) => bit,
            Truth::Scc | Truth::Mask(_) => {
                self.set_scc(truth);
                self.salu(op::S_CSELECT_B32, &[Opd::Const(1), Opd::Const(0)])
            }
        }
    }

    /// A truth value as a lane mask.
    pub(super) fn mask_of(&mut self, truth: Truth) -> Opd {
        match truth {
            Truth::Mask(mask) => mask,
            Truth::Const(value) => {
                let source = if value { EXEC } else { Opd::Const(0) };
                self.salu(op::S_MOV_B64, &[source])
            }
            Truth::Scc | Truth::Scalar(_) => {
                self.set_scc(truth);
                self.salu(op::S_CSELECT_B64, &[EXEC, Opd::Const(0)])
            }
        }
    }

    /// `and`, `or`, `xor` of truth values.
    pub(super) fn truth_logic(&mut self, bank: Bank, opcode: Opcode, a: Truth, b: Truth) -> Truth {
        let (word, mask) = match opcode {
            Opcode::And => (op::S_AND_B32, op::S_AND_B64),
            Opcode::Or => (op::S_OR_B32, op::S_OR_B64),
            _ => (op::S_XOR_B32, op::S_XOR_B64),
        };
        if bank == Bank::S {
            let (a, b) = (self.scalar_truth(a), self.scalar_truth(b));
            return Truth::Scalar(self.salu(word, &[a, b]));
        }
        let (a, b) = (self.mask_of(a), self.mask_of(b));
        Truth::Mask(self.salu(mask, &[a, b]))
    }

    /// The opposite, again without bits of inactive lanes.
    pub(super) fn truth_not(&mut self, bank: Bank, a: Truth) -> Truth {
        if bank == Bank::S {
            let bit = self.scalar_truth(a);
            return Truth::Scalar(self.salu(op::S_XOR_B32, &[bit, Opd::Const(1)]));
        }
        let mask = self.mask_of(a);
        Truth::Mask(self.salu(op::S_ANDN2_B64, &[EXEC, mask]))
    }

    /// Selection between truth values.
    pub(super) fn truth_select(&mut self, bank: Bank, yes: Truth, no: Truth, by: Truth) -> Truth {
        if bank == Bank::S {
            let (yes, no) = (self.scalar_truth(yes), self.scalar_truth(no));
            return Truth::Scalar(self.select(bank, 1, yes, no, by));
        }
        let (yes, no, by) = (self.mask_of(yes), self.mask_of(no), self.mask_of(by));
        let yes = self.salu(op::S_AND_B64, &[yes, by]);
        let no = self.salu(op::S_ANDN2_B64, &[no, by]);
        Truth::Mask(self.salu(op::S_OR_B64, &[yes, no]))
    }

    /// A branch on a truth value: on SCC where it is uniform, on the mask otherwise.
    pub(super) fn branch_on(&mut self, uniform: bool, truth: Truth) -> (Pseudo, Option<Opd>) {
        match truth {
            Truth::Mask(mask) if !uniform => (Pseudo::BrDivergent, Some(mask)),
            Truth::Const(_) | Truth::Scc | Truth::Scalar(_) | Truth::Mask(_) => {
                self.set_scc(truth);
                (Pseudo::BrScc, None)
            }
        }
    }
}
