//! Evaluates constant expressions with the same arithmetic as the machine.

use super::ast::BinOp;
use super::hir::{Builtin, Expr, ExprKind};
use super::types::{Scalar, Ty};
use crate::diag::{Code, Diagnostic};
use crate::num::{Format, FpEnv, Rounding, arith, compare, convert, int};

const ENV: FpEnv = FpEnv::IEEE;

/// The float format of a scalar type.
pub fn format(scalar: Scalar) -> Option<Format> {
    match scalar {
        Scalar::F32 => Some(Format::F32),
        Scalar::F64 => Some(Format::F64),
        Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::I64 | Scalar::U64 => None,
    }
}

/// The bits of a constant expression; `Ok(None)` where an error inside was reported before.
pub fn evaluate(expr: &Expr) -> Result<Option<u64>, Diagnostic> {
    let not_constant = |what: &str| {
        Err(
            Diagnostic::new(Code::K0108, format!("{what} is not known while compiling"))
                .at(expr.span, ""),
        )
    };
    let Ty::Scalar(ty) = expr.ty else {
        return if expr.ty == Ty::Error {
            Ok(None)
        } else {
            not_constant("an address")
        };
    };
    Ok(match &expr.kind {
        ExprKind::Const(bits) => Some(*bits),
        ExprKind::Error => None,
        ExprKind::Neg(a) => evaluate(a)?.map(|x| match format(ty) {
            Some(f) => x ^ f.sign_bit(),
            None => x.wrapping_neg() & int::mask(ty.bits()),
        }),
        ExprKind::Not(a) => evaluate(a)?.map(|x| !x & int::mask(ty.bits())),
        ExprKind::Binary(op, a, b) => match (evaluate(a)?, evaluate(b)?) {
            (Some(x), Some(y)) => Some(binary(expr, *op, ty, x, y)?),
            _ => None,
        },
        ExprKind::Compare(op, a, b) => match (evaluate(a)?, evaluate(b)?, a.ty.scalar()) {
            (Some(x), Some(y), Some(of)) => Some(u64::from(compare_bits(*op, of, x, y))),
            _ => None,
        },
        ExprKind::Logic(op, a, b) => match (op, evaluate(a)?) {
            (BinOp::AndAnd, Some(0)) => Some(0),
            (BinOp::OrOr, Some(1)) => Some(1),
            (_, Some(_)) => evaluate(b)?,
            (_, None) => None,
        },
        ExprKind::Cond(c, a, b) => match evaluate(c)? {
            Some(0) => evaluate(b)?,
            Some(_) => evaluate(a)?,
            None => None,
        },
        ExprKind::Cast(a) => match (evaluate(a)?, a.ty.scalar()) {
            (Some(x), Some(from)) => Some(cast(ty, from, x)),
            _ => None,
        },
        ExprKind::Builtin(builtin, args) => {
            let mut values = Vec::new();
            for arg in args {
                match evaluate(arg)? {
                    Some(value) => values.push(value),
                    None => return Ok(None),
                }
            }
            apply(*builtin, ty, &values)
        }
        ExprKind::Local(_) => return not_constant("a variable"),
        ExprKind::SReg(_) | ExprKind::GlobalId(_) | ExprKind::GlobalId64(_) => {
            return not_constant("the place of a work-item");
        }
        ExprKind::Len(_) => return not_constant("the length of a slice"),
        ExprKind::Load(_) => return not_constant("memory"),
        ExprKind::AddrOf(_) | ExprKind::PtrOffset(..) => return not_constant("an address"),
    })
}

fn binary(expr: &Expr, op: BinOp, ty: Scalar, x: u64, y: u64) -> Result<u64, Diagnostic> {
    if let Some(f) = format(ty) {
        return Ok(match op {
            BinOp::Add => arith::add(f, x, y, ENV),
            BinOp::Sub => arith::sub(f, x, y, ENV),
            BinOp::Mul => arith::mul(f, x, y, ENV),
            _ => arith::div(f, x, y, ENV),
        });
    }
    let (width, signed) = (ty.bits(), ty.is_signed());
    if matches!(op, BinOp::Div | BinOp::Rem) && y == 0 {
        return Err(
            Diagnostic::new(Code::K0108, "a constant is divided by zero").at(expr.span, ""),
        );
    }
    let count = y as u32 & (width - 1);
    Ok(match op {
        BinOp::Add => int::add_carry(x, y, false, width).0,
        BinOp::Sub => int::sub_borrow(x, y, false, width).0,
        BinOp::Mul => x.wrapping_mul(y) & int::mask(width),
        BinOp::Div => int::div(x, y, width, signed),
        BinOp::Rem => int::rem(x, y, width, signed),
        BinOp::And => x & y,
        BinOp::Or => x | y,
        BinOp::Xor => x ^ y,
        BinOp::Shl => int::shl(x, count, width),
        _ => int::shr(x, count, width, signed),
    })
}

fn compare_bits(op: BinOp, of: Scalar, x: u64, y: u64) -> bool {
    let order = match format(of) {
        Some(f) => compare::compare(f, x, y, ENV),
        None => Some(int::extend(x, of.bits(), of.is_signed()).cmp(&int::extend(
            y,
            of.bits(),
            of.is_signed(),
        ))),
    };
    match op {
        BinOp::Eq => order.is_some_and(|o| o.is_eq()),
        BinOp::Ne => order.is_none_or(|o| o.is_ne()),
        BinOp::Lt => order.is_some_and(|o| o.is_lt()),
        BinOp::Le => order.is_some_and(|o| o.is_le()),
        BinOp::Gt => order.is_some_and(|o| o.is_gt()),
        _ => order.is_some_and(|o| o.is_ge()),
    }
}

fn cast(to: Scalar, from: Scalar, x: u64) -> u64 {
    match (format(to), format(from)) {
        (Some(t), Some(f)) => convert::float_to_float(t, f, x, ENV),
        (Some(t), None) => convert::int_to_float(t, x, from.bits(), from.is_signed(), ENV),
        (None, Some(f)) => {
            convert::float_to_int(f, x, to.bits(), to.is_signed(), Rounding::TowardZero)
        }
        (None, None) => {
            let value = int::extend(x, from.bits().max(8), from.is_signed());
            value as u64 & int::mask(to.bits())
        }
    }
}

fn apply(builtin: Builtin, ty: Scalar, args: &[u64]) -> Option<u64> {
    let (width, signed) = (ty.bits(), ty.is_signed());
    Some(match (builtin, format(ty), args) {
        (Builtin::Min, Some(f), [a, b]) => compare::min(f, *a, *b, ENV),
        (Builtin::Max, Some(f), [a, b]) => compare::max(f, *a, *b, ENV),
        (Builtin::Min, None, [a, b]) => int::min(*a, *b, width, signed),
        (Builtin::Max, None, [a, b]) => int::max(*a, *b, width, signed),
        (Builtin::Abs, Some(f), [a]) => a & !f.sign_bit(),
        (Builtin::Abs, None, [a]) => int::sext(*a, width).unsigned_abs() & int::mask(width),
        (Builtin::Sqrt, Some(f), [a]) => arith::sqrt(f, *a, ENV),
        (Builtin::Fma, Some(f), [a, b, c]) => arith::fma(f, *a, *b, *c, ENV),
        (Builtin::Select, _, [c, a, b]) => {
            if *c != 0 {
                *a
            } else {
                *b
            }
        }
        _ => return None,
    })
}
