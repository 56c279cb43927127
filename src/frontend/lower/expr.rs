//! Expressions.

use super::{Home, Lowering};
use crate::diag::Span;
use crate::frontend::ast::BinOp;
use crate::frontend::hir::{Builtin, Expr, ExprKind};
use crate::frontend::types::{Scalar, Ty};
use crate::ir::{Cmp, Kind, Opcode, SReg, Space, Type, Value};

/// A lowered operand with its source type.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub value: Value,
    pub ty: Ty,
}

/// Whether evaluating costs little, cannot fault and has no effect: then both sides of a choice may
/// be evaluated.
fn is_cheap(expr: &Expr, budget: &mut u32) -> bool {
    if *budget == 0 {
        return false;
    }
    *budget -= 1;
    match &expr.kind {
        ExprKind::Const(_)
        | ExprKind::Local(_)
        | ExprKind::SReg(_)
        | ExprKind::Len(_)
        | ExprKind::Error => true,
        ExprKind::GlobalId(_) | ExprKind::GlobalId64(_) => true,
        ExprKind::Neg(a) | ExprKind::Not(a) | ExprKind::Cast(a) => is_cheap(a, budget),
        ExprKind::Binary(op, a, b) => {
            !matches!(op, BinOp::Div | BinOp::Rem) && is_cheap(a, budget) && is_cheap(b, budget)
        }
        ExprKind::Compare(_, a, b) | ExprKind::Logic(_, a, b) | ExprKind::PtrOffset(a, b, _) => {
            is_cheap(a, budget) && is_cheap(b, budget)
        }
        ExprKind::Cond(a, b, c) => {
            is_cheap(a, budget) && is_cheap(b, budget) && is_cheap(c, budget)
        }
        ExprKind::Builtin(Builtin::Sqrt, _) => false,
        ExprKind::Builtin(_, args) => args.iter().all(|a| is_cheap(a, budget)),
        ExprKind::Load(_) | ExprKind::AddrOf(_) => false,
    }
}

/// Nodes up to which both sides of a choice are evaluated.
const CHEAP: u32 = 12;

impl Lowering<'_> {
    /// Lowers an expression.
    pub(super) fn expr(&mut self, expr: &Expr) -> Value {
        let scalar = expr.ty.scalar().unwrap_or(Scalar::I32);
        let ty = self.ir_type(expr.ty);
        match &expr.kind {
            ExprKind::Const(bits) => self.b.func.constant(ty, *bits),
            ExprKind::Error => self.b.func.constant(ty, 0),
            ExprKind::Local(id) => match self.homes.get(id).copied() {
                Some(Home::Value(value) | Home::Slice(value, _)) => value,
                Some(Home::Var(var)) => {
                    self.b.span = expr.span;
                    self.b.var_get(var)
                }
                None => self.b.func.constant(ty, 0),
            },
            ExprKind::SReg(register) => {
                self.b.span = expr.span;
                self.b.sreg(*register)
            }
            ExprKind::GlobalId(axis) => self.global_id(*axis, expr.span),
            ExprKind::GlobalId64(axis) => self.global_id64(*axis, expr.span),
            ExprKind::Len(id) => match self.homes.get(id).copied() {
                Some(Home::Slice(_, len)) => len,
                _ => self.b.func.constant(Type::I32, 0),
            },
            ExprKind::Neg(a) => {
                let value = self.expr(a);
                self.b.span = expr.span;
                let op = if scalar.is_float() {
                    Opcode::FNeg
                } else {
                    Opcode::Neg
                };
                self.b.op(op, scalar.kind(), &[value])
            }
            ExprKind::Not(a) => {
                let value = self.expr(a);
                self.b.span = expr.span;
                let kind = if scalar == Scalar::Bool {
                    Kind::Pred
                } else {
                    scalar.bits_kind()
                };
                self.b.op(Opcode::Not, kind, &[value])
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, expr.span),
            ExprKind::Compare(op, a, b) => self.compare(*op, a, b, expr.span),
            ExprKind::Logic(op, a, b) => self.logic(*op, a, b, expr.span),
            ExprKind::Cond(c, a, b) => self.cond(c, a, b, expr),
            ExprKind::Cast(a) => {
                let value = self.expr(a);
                self.b.span = expr.span;
                self.cast(expr.ty, Operand { value, ty: a.ty })
            }
            ExprKind::Load(place) => {
                let address = self.address(place);
                self.b.span = expr.span;
                self.load(place, address)
            }
            ExprKind::AddrOf(place) => self.address(place),
            ExprKind::PtrOffset(pointer, offset, minus) => {
                let elem = match pointer.ty {
                    Ty::Ptr(elem, _) => elem,
                    _ => Scalar::I32,
                };
                let base = self.expr(pointer);
                let mut bytes = self.byte_offset(offset, elem);
                self.b.span = expr.span;
                if *minus {
                    bytes = self.b.op(Opcode::Neg, Kind::U64, &[bytes]);
                }
                self.b.ptradd(base, bytes)
            }
            ExprKind::Builtin(builtin, args) => self.builtin(*builtin, args, expr),
        }
    }

    fn global_id(&mut self, axis: usize, span: Span) -> Value {
        self.b.span = span;
        let [block, dim, thread] = ids(axis).map(|r| self.b.sreg(r));
        self.b.op(Opcode::MadLo, Kind::U32, &[block, dim, thread])
    }

    fn global_id64(&mut self, axis: usize, span: Span) -> Value {
        self.b.span = span;
        let [block, dim, thread] = ids(axis).map(|r| self.b.sreg(r));
        let thread = self.b.cvt(Kind::U64, Kind::U32, thread);
        self.b.op(Opcode::MadWide, Kind::U32, &[block, dim, thread])
    }

    /// A product that may be fused into the sum around it.
    fn product<'e>(&self, expr: &'e Expr) -> Option<(&'e Expr, &'e Expr)> {
        let float = expr.ty.scalar().is_some_and(Scalar::is_float);
        match &expr.kind {
            ExprKind::Binary(BinOp::Mul, a, b) if float && self.options.fp_contract => Some((a, b)),
            _ => None,
        }
    }

    fn binary(&mut self, op: BinOp, a: &Expr, b: &Expr, span: Span) -> Value {
        let kind = a.ty.scalar().unwrap_or(Scalar::I32).kind();
        if matches!(op, BinOp::Add | BinOp::Sub) {
            // a*b + c and a*b - c
            if let Some((x, y)) = self.product(a) {
                let (x, y) = (self.expr(x), self.expr(y));
                let mut c = self.expr(b);
                self.b.span = span;
                if op == BinOp::Sub {
                    c = self.b.op(Opcode::FNeg, kind, &[c]);
                }
                return self.b.op(Opcode::Fma, kind, &[x, y, c]);
            }
        }
        let left = Operand {
            value: self.expr(a),
            ty: a.ty,
        };
        self.binary_with(op, left, b, span)
    }

    /// `left op b` with the left side already there.
    pub(super) fn binary_with(&mut self, op: BinOp, left: Operand, b: &Expr, span: Span) -> Value {
        let scalar = left.ty.scalar().unwrap_or(Scalar::I32);
        let kind = scalar.kind();
        if matches!(op, BinOp::Add | BinOp::Sub)
            && let Some((x, y)) = self.product(b)
        {
            // c + a*b and c - a*b
            let (mut x, y) = (self.expr(x), self.expr(y));
            self.b.span = span;
            if op == BinOp::Sub {
                x = self.b.op(Opcode::FNeg, kind, &[x]);
            }
            return self.b.op(Opcode::Fma, kind, &[x, y, left.value]);
        }
        let right = self.expr(b);
        self.b.span = span;
        if matches!(op, BinOp::Shl | BinOp::Shr) {
            return self.shift(
                op,
                scalar,
                left.value,
                Operand {
                    value: right,
                    ty: b.ty,
                },
            );
        }
        let float = scalar.is_float();
        let bits = if scalar == Scalar::Bool {
            Kind::Pred
        } else {
            scalar.bits_kind()
        };
        let (opcode, kind) = match op {
            BinOp::Add if float => (Opcode::FAdd, kind),
            BinOp::Sub if float => (Opcode::FSub, kind),
            BinOp::Mul if float => (Opcode::FMul, kind),
            BinOp::Div if float => (Opcode::FDiv, kind),
            BinOp::Add => (Opcode::Add, kind),
            BinOp::Sub => (Opcode::Sub, kind),
            BinOp::Mul => (Opcode::MulLo, kind),
            BinOp::Div => (Opcode::Div, kind),
            BinOp::Rem => (Opcode::Rem, kind),
            BinOp::And => (Opcode::And, bits),
            BinOp::Or => (Opcode::Or, bits),
            _ => (Opcode::Xor, bits),
        };
        self.b.op(opcode, kind, &[left.value, right])
    }

    /// Shift counts are taken modulo the width of the left side.
    fn shift(&mut self, op: BinOp, scalar: Scalar, value: Value, count: Operand) -> Value {
        let count = match count.ty.scalar() {
            Some(s) if s.size() == 8 => self.b.cvt(Kind::U32, Kind::U64, count.value),
            _ => count.value,
        };
        if op == BinOp::Shl {
            self.b
                .shift_wrap(Opcode::Shl, scalar.bits_kind(), value, count)
        } else {
            self.b.shift_wrap(Opcode::Shr, scalar.kind(), value, count)
        }
    }

    fn compare(&mut self, op: BinOp, a: &Expr, b: &Expr, span: Span) -> Value {
        let (left, right) = (self.expr(a), self.expr(b));
        self.b.span = span;
        if a.ty == Ty::BOOL {
            let differ = self.b.op(Opcode::Xor, Kind::Pred, &[left, right]);
            return if op == BinOp::Ne {
                differ
            } else {
                self.b.op(Opcode::Not, Kind::Pred, &[differ])
            };
        }
        let kind = match a.ty {
            Ty::Ptr(..) => Kind::Ptr,
            other => other.scalar().unwrap_or(Scalar::I32).kind(),
        };
        let cmp = match op {
            BinOp::Eq => Cmp::Eq,
            // Two floats differ where one is NaN.
            BinOp::Ne if kind.is_float() => Cmp::Neu,
            BinOp::Ne => Cmp::Ne,
            BinOp::Lt => Cmp::Lt,
            BinOp::Le => Cmp::Le,
            BinOp::Gt => Cmp::Gt,
            _ => Cmp::Ge,
        };
        self.b.setp(cmp, kind, left, right)
    }

    fn logic(&mut self, op: BinOp, a: &Expr, b: &Expr, span: Span) -> Value {
        let left = self.expr(a);
        let mut budget = CHEAP;
        if is_cheap(b, &mut budget) {
            let right = self.expr(b);
            self.b.span = span;
            let opcode = if op == BinOp::AndAnd {
                Opcode::And
            } else {
                Opcode::Or
            };
            return self.b.op(opcode, Kind::Pred, &[left, right]);
        }
        let name = self.unique("logic");
        let var = self.b.func.add_var(name, Type::Pred, span);
        let (more, join) = (self.new_block("rhs"), self.new_block("join"));
        self.b.span = span;
        self.b.var_set(var, left);
        if op == BinOp::AndAnd {
            self.b.brc(left, more, join);
        } else {
            self.b.brc(left, join, more);
        }
        self.b.block = more;
        let right = self.expr(b);
        self.b.var_set(var, right);
        self.b.br(join, &[]);
        self.b.block = join;
        self.b.span = span;
        self.b.var_get(var)
    }

    fn kind_of(&self, ty: Ty) -> Kind {
        match ty {
            Ty::Scalar(scalar) => scalar.kind().unsigned(),
            Ty::Ptr(..) | Ty::Slice(..) => Kind::Ptr,
            Ty::Unit | Ty::Error => Kind::U32,
        }
    }

    fn cond(&mut self, c: &Expr, a: &Expr, b: &Expr, whole: &Expr) -> Value {
        let test = self.expr(c);
        let mut budget = CHEAP;
        if is_cheap(a, &mut budget) && is_cheap(b, &mut budget) {
            let (yes, no) = (self.expr(a), self.expr(b));
            self.b.span = whole.span;
            return self.b.selp(self.kind_of(whole.ty), yes, no, test);
        }
        let name = self.unique("cond");
        let ty = self.ir_type(whole.ty);
        let var = self.b.func.add_var(name, ty, whole.span);
        let (yes, no, join) = (
            self.new_block("then"),
            self.new_block("else"),
            self.new_block("join"),
        );
        self.b.span = c.span;
        self.b.brc(test, yes, no);
        for (block, side) in [(yes, a), (no, b)] {
            self.b.block = block;
            let value = self.expr(side);
            self.b.var_set(var, value);
            self.b.br(join, &[]);
        }
        self.b.block = join;
        self.b.span = whole.span;
        self.b.var_get(var)
    }

    fn cast(&mut self, to: Ty, from: Operand) -> Value {
        match (to, from.ty) {
            (Ty::Scalar(t), Ty::Scalar(f)) => self.cast_scalar(t, f, from.value),
            (Ty::Scalar(_), Ty::Ptr(..)) => {
                let inst = self
                    .b
                    .emit(Opcode::PtrToInt, Default::default(), &[from.value]);
                self.b.func.insts[inst].results[0]
            }
            (Ty::Ptr(..), Ty::Scalar(_)) => {
                let attrs = crate::ir::Attrs {
                    space: Some(Space::Global),
                    ..Default::default()
                };
                let inst = self.b.emit(Opcode::IntToPtr, attrs, &[from.value]);
                self.b.func.insts[inst].results[0]
            }
            _ => from.value,
        }
    }

    fn cast_scalar(&mut self, to: Scalar, from: Scalar, value: Value) -> Value {
        if to == from || (to.is_int() && from.is_int() && to.size() == from.size()) {
            return value;
        }
        if from == Scalar::Bool {
            let (one, zero) = (
                self.b.func.constant(to.ir(), 1),
                self.b.func.constant(to.ir(), 0),
            );
            return self.b.selp(to.kind().unsigned(), one, zero, value);
        }
        // Between integers the source's sign decides how it widens.
        let target = match (to.is_int() && from.is_int(), from.is_signed(), to.size()) {
            (true, true, 8) => Kind::S64,
            (true, false, 8) => Kind::U64,
            (true, true, _) => Kind::S32,
            (true, false, _) => Kind::U32,
            (false, _, _) => to.kind(),
        };
        self.b.cvt(target, from.kind(), value)
    }

    fn builtin(&mut self, builtin: Builtin, args: &[Expr], whole: &Expr) -> Value {
        let values: Vec<Value> = args.iter().map(|a| self.expr(a)).collect();
        self.b.span = whole.span;
        let scalar = whole.ty.scalar().unwrap_or(Scalar::I32);
        let float = scalar.is_float();
        let opcode = match builtin {
            Builtin::Select => {
                let kind = self.kind_of(whole.ty);
                return self.b.selp(kind, values[1], values[2], values[0]);
            }
            Builtin::Min if float => Opcode::FMin,
            Builtin::Max if float => Opcode::FMax,
            Builtin::Abs if float => Opcode::FAbs,
            Builtin::Min => Opcode::Min,
            Builtin::Max => Opcode::Max,
            Builtin::Abs => Opcode::Abs,
            Builtin::Sqrt => Opcode::FSqrt,
            Builtin::Fma => Opcode::Fma,
        };
        self.b.op(opcode, scalar.kind(), &values)
    }
}

fn ids(axis: usize) -> [SReg; 3] {
    match axis {
        0 => [SReg::CtaidX, SReg::NtidX, SReg::TidX],
        1 => [SReg::CtaidY, SReg::NtidY, SReg::TidY],
        _ => [SReg::CtaidZ, SReg::NtidZ, SReg::TidZ],
    }
}
