//! Expressions: types flow up; what the surroundings want flows down to literals.

use super::{Binding, Checker, builtin, nearest};
use crate::diag::{Code, Diagnostic, Span};
use crate::frontend::ast::{self, BinOp, ExprKind as Ast, UnOp};
use crate::frontend::consts;
use crate::frontend::hir::{Base, Expr, ExprKind, LocalId, Place};
use crate::frontend::token::{FloatLit, IntLit};
use crate::frontend::types::{Scalar, Ty};
use crate::num::{Format, FpEnv, convert};

fn error(span: Span) -> Expr {
    Expr {
        kind: ExprKind::Error,
        ty: Ty::Error,
        span,
    }
}

/// Whether an expression is written as memory: an element, or behind a pointer.
pub fn is_memory(expr: &ast::Expr) -> bool {
    matches!(
        expr.kind,
        Ast::Index(..) | Ast::Unary(UnOp::Deref, _) | Ast::Error
    )
}

/// Whether a type is open: made of literals without a suffix alone.
fn is_open(expr: &ast::Expr) -> bool {
    match &expr.kind {
        Ast::Int(lit) => lit.suffix.is_none(),
        Ast::Float(lit) => lit.suffix.is_none(),
        Ast::Unary(UnOp::Neg | UnOp::BitNot, a) => is_open(a),
        Ast::Binary(op, a, b) => {
            !op.is_comparison()
                && !matches!(op, BinOp::AndAnd | BinOp::OrOr)
                && is_open(a)
                && is_open(b)
        }
        Ast::Cond(_, a, b) => is_open(a) && is_open(b),
        _ => false,
    }
}

/// The type that open literals take without a wish: `f32` if one has a fraction, else `i32`.
fn default_of(expr: &ast::Expr) -> Ty {
    match &expr.kind {
        Ast::Float(_) => Ty::Scalar(Scalar::F32),
        Ast::Unary(_, a) => default_of(a),
        Ast::Binary(_, a, b) | Ast::Cond(_, a, b) => match default_of(a) {
            Ty::Scalar(Scalar::F32) => Ty::Scalar(Scalar::F32),
            _ => default_of(b),
        },
        _ => Ty::Scalar(Scalar::I32),
    }
}

impl Checker<'_> {
    /// Checks an expression and reports if it is not of type `want`.
    pub fn expr_as(&mut self, expr: &ast::Expr, want: Ty, why: Option<(Span, String)>) -> Expr {
        let got = self.expr(expr, Some(want));
        if !want.accepts(got.ty) {
            self.mismatch(want, &got, why);
            return error(expr.span);
        }
        got
    }

    /// Checks an expression; `want` is a wish for open literals.
    pub fn expr(&mut self, expr: &ast::Expr, want: Option<Ty>) -> Expr {
        let span = expr.span;
        match &expr.kind {
            Ast::Int(lit) => self.int(lit, false, want, span),
            Ast::Float(lit) => self.float(lit, want, span),
            Ast::Bool(value) => Expr {
                kind: ExprKind::Const(u64::from(*value)),
                ty: Ty::BOOL,
                span,
            },
            Ast::Str(_) => {
                self.later("a string", span);
                error(span)
            }
            Ast::Path(path) => match path.as_slice() {
                [name] => self.name(name),
                _ => {
                    self.later("a path", span);
                    error(span)
                }
            },
            Ast::Unary(op, a) => self.unary(*op, a, want, span),
            Ast::Binary(op, a, b) => self.binary(*op, a, b, want, span),
            Ast::Cond(c, a, b) => {
                let cond = self.expr_as(c, Ty::BOOL, None);
                let (mut values, ty) = self.unify(&[a, b], want);
                let no = values.pop().unwrap_or(error(span));
                let yes = values.pop().unwrap_or(error(span));
                let kind = ExprKind::Cond(Box::new(cond), Box::new(yes), Box::new(no));
                Expr { kind, ty, span }
            }
            Ast::Cast(a, ty) => self.cast(a, ty, span),
            Ast::Index(..) => match self.place(expr) {
                Some(place) => load(place),
                None => error(span),
            },
            Ast::Field(base, field) => self.field(base, field, span),
            Ast::Call(callee, args) => match &callee.kind {
                Ast::Path(path) if path.len() == 1 => self.call(&path[0], args, want, span),
                _ => {
                    self.later("calling this", callee.span);
                    error(span)
                }
            },
            Ast::Later(what) => {
                self.later(what, span);
                error(span)
            }
            Ast::Error => error(span),
        }
    }

    /// Checks expressions that must be of one type: the first that is not open decides.
    pub fn unify(&mut self, exprs: &[&ast::Expr], want: Option<Ty>) -> (Vec<Expr>, Ty) {
        let closed = exprs.iter().position(|e| !is_open(e));
        let mut out: Vec<Option<Expr>> = exprs.iter().map(|_| None).collect();
        let wish = want.filter(|w| matches!(w, Ty::Scalar(_)));
        let (ty, why) = match closed {
            Some(first) => {
                let checked = self.expr(exprs[first], want);
                let ty = checked.ty;
                let why = Some((exprs[first].span, format!("this is `{ty}`")));
                out[first] = Some(checked);
                (ty, why)
            }
            None => {
                let ty = wish.or_else(|| {
                    exprs
                        .iter()
                        .map(|e| default_of(e))
                        .max_by_key(|t| *t == Ty::Scalar(Scalar::F32))
                });
                (ty.unwrap_or(Ty::Error), None)
            }
        };
        let values = exprs
            .iter()
            .zip(out)
            .map(|(e, done)| done.unwrap_or_else(|| self.expr_as(e, ty, why.clone())))
            .collect::<Vec<_>>();
        let ty = if values.iter().any(|v| v.ty == Ty::Error) {
            Ty::Error
        } else {
            ty
        };
        (values, ty)
    }

    fn int(&mut self, lit: &IntLit, negative: bool, want: Option<Ty>, span: Span) -> Expr {
        let ty = match &lit.suffix {
            Some(suffix) => match Scalar::find(suffix) {
                Some(scalar) if scalar != Scalar::Bool => scalar,
                _ => {
                    let message = format!("`{suffix}` is no type of numbers");
                    self.error(Diagnostic::new(Code::K0109, message).at(span, ""));
                    return error(span);
                }
            },
            None => match want.and_then(Ty::scalar) {
                Some(scalar) if scalar != Scalar::Bool => scalar,
                _ => Scalar::I32,
            },
        };
        let magnitude = lit.value.map(i128::from);
        let value = magnitude.map(|m| if negative { -m } else { m });
        let bits = match (ty.range(), value, consts::format(ty)) {
            (Some((low, high)), Some(v), _) if (low..=high).contains(&v) => {
                Some(v as u64 & crate::num::int::mask(ty.bits()))
            }
            (None, Some(v), Some(format)) => Some(convert::int_to_float(
                format,
                v as u64,
                64,
                negative,
                FpEnv::IEEE,
            )),
            _ => None,
        };
        let Some(bits) = bits else {
            let range = ty
                .range()
                .map_or(String::new(), |(l, h)| format!(" holds {l} to {h}"));
            self.error(
                Diagnostic::new(
                    Code::K0104,
                    format!("this number does not fit `{}`", ty.name()),
                )
                .at(span, format!("`{}`{range}", ty.name()))
                .help("give it a type with a suffix, for example `u32` or `i64`"),
            );
            return error(span);
        };
        Expr {
            kind: ExprKind::Const(bits),
            ty: Ty::Scalar(ty),
            span,
        }
    }

    fn float(&mut self, lit: &FloatLit, want: Option<Ty>, span: Span) -> Expr {
        let ty = match (&lit.suffix, want.and_then(Ty::scalar)) {
            (Some(suffix), _) => match Scalar::find(suffix).filter(|s| s.is_float()) {
                Some(scalar) => scalar,
                None => {
                    self.later(&format!("a literal of type `{suffix}`"), span);
                    return error(span);
                }
            },
            (None, Some(scalar)) if scalar.is_float() => scalar,
            (None, _) => Scalar::F32,
        };
        let bits = match parse_float(&lit.text, ty) {
            Some(bits) => bits,
            None => {
                self.error(
                    Diagnostic::new(
                        Code::K0104,
                        format!("this number does not fit `{}`", ty.name()),
                    )
                    .at(span, ""),
                );
                return error(span);
            }
        };
        Expr {
            kind: ExprKind::Const(bits),
            ty: Ty::Scalar(ty),
            span,
        }
    }

    fn name(&mut self, name: &ast::Ident) -> Expr {
        let span = name.span;
        match self.lookup(&name.name) {
            Some(Binding::Local(id)) => {
                self.used[id.0] = true;
                let ty = self.locals[id.0].ty;
                if let Ty::Slice(..) = ty {
                    self.error(
                        Diagnostic::new(
                            Code::K0102,
                            format!("the slice `{}` is no value by itself", name.name),
                        )
                        .at(span, "")
                        .help("index it, take its `.len`, or take a pointer: `&x[0]`"),
                    );
                    return error(span);
                }
                Expr {
                    kind: ExprKind::Local(id),
                    ty,
                    span,
                }
            }
            Some(Binding::Const(value)) => match value.bits {
                Some(bits) => Expr {
                    kind: ExprKind::Const(bits),
                    ty: value.ty,
                    span,
                },
                None => error(span),
            },
            None => {
                self.unknown_name(name);
                error(span)
            }
        }
    }

    fn unknown_name(&mut self, name: &ast::Ident) {
        if builtin::LATER.contains(&name.name.as_str()) {
            self.later(&format!("`{}`", name.name), name.span);
            return;
        }
        let mut diagnostic = Diagnostic::new(
            Code::K0101,
            format!("nothing is called `{}` here", name.name),
        )
        .at(name.span, "");
        let cuda = match name.name.as_str() {
            "threadIdx" => Some("thread_id"),
            "blockIdx" => Some("block_id"),
            "blockDim" => Some("block_dim"),
            "gridDim" => Some("grid_dim"),
            _ => None,
        };
        if let Some(ours) = cuda {
            diagnostic = diagnostic.help_edit("it is called this here", name.span, ours);
        } else if builtin::is_id(&name.name) {
            diagnostic = Diagnostic::new(Code::K0111, format!("`{}` needs an axis", name.name))
                .at(name.span, "")
                .help(format!("write `{}.x`", name.name));
        } else {
            let names = self.visible_names();
            if let Some(near) = nearest(&name.name, names.iter().map(String::as_str)) {
                diagnostic = diagnostic.help_edit("did you mean this", name.span, near);
            }
        }
        self.error(diagnostic);
    }

    fn field(&mut self, base: &ast::Expr, field: &ast::Ident, span: Span) -> Expr {
        if let Ast::Path(path) = &base.kind
            && let [name] = path.as_slice()
        {
            match self.lookup(&name.name) {
                None if builtin::is_id(&name.name) => return self.id_field(name, field, span),
                Some(Binding::Local(id)) if matches!(self.locals[id.0].ty, Ty::Slice(..)) => {
                    self.used[id.0] = true;
                    if field.name == "len" {
                        return Expr {
                            kind: ExprKind::Len(id),
                            ty: Ty::U32,
                            span,
                        };
                    }
                    self.error(
                        Diagnostic::new(
                            Code::K0111,
                            format!("a slice has no field `{}`", field.name),
                        )
                        .at(field.span, "")
                        .help("it has `.len`"),
                    );
                    return error(span);
                }
                _ => {}
            }
        }
        let value = self.expr(base, None);
        if value.ty != Ty::Error {
            let message = format!("`{}` has no field `{}`", value.ty, field.name);
            self.error(Diagnostic::new(Code::K0111, message).at(field.span, ""));
        }
        error(span)
    }

    fn unary(&mut self, op: UnOp, a: &ast::Expr, want: Option<Ty>, span: Span) -> Expr {
        if let (UnOp::Neg, Ast::Int(lit)) = (op, &a.kind) {
            return self.int(lit, true, want, span);
        }
        if let UnOp::Deref = op {
            return match self.deref(a, span) {
                Some(place) => load(place),
                None => error(span),
            };
        }
        if let UnOp::AddrOf(mutable) = op {
            return self.address_of(a, mutable, span);
        }
        let value = self.expr(a, want);
        let fits = match (op, value.ty) {
            (_, Ty::Error) => return error(span),
            (UnOp::Neg, Ty::Scalar(s)) => s.is_float() || s.is_signed(),
            (UnOp::Not, Ty::Scalar(s)) => s == Scalar::Bool,
            (UnOp::BitNot, Ty::Scalar(s)) => s.is_int(),
            _ => false,
        };
        if !fits {
            let (text, help) = match op {
                UnOp::Neg => (
                    "-",
                    "unsigned numbers have no negative; use `0 - x` if it shall wrap",
                ),
                UnOp::Not => ("!", "`!` is for `bool`; the complement of bits is `~`"),
                _ => ("~", "`~` is for integers; the opposite of a `bool` is `!`"),
            };
            self.error(
                Diagnostic::new(
                    Code::K0106,
                    format!("`{text}` is not defined for `{}`", value.ty),
                )
                .at(span, "")
                .help(help),
            );
            return error(span);
        }
        let ty = value.ty;
        let kind = if op == UnOp::Neg {
            ExprKind::Neg(Box::new(value))
        } else {
            ExprKind::Not(Box::new(value))
        };
        Expr { kind, ty, span }
    }

    fn binary(
        &mut self,
        op: BinOp,
        a: &ast::Expr,
        b: &ast::Expr,
        want: Option<Ty>,
        span: Span,
    ) -> Expr {
        match op {
            BinOp::AndAnd | BinOp::OrOr => {
                let left = self.expr_as(a, Ty::BOOL, None);
                let right = self.expr_as(b, Ty::BOOL, None);
                Expr {
                    kind: ExprKind::Logic(op, Box::new(left), Box::new(right)),
                    ty: Ty::BOOL,
                    span,
                }
            }
            BinOp::Shl | BinOp::Shr => self.shift(op, a, b, want, span),
            _ if op.is_comparison() => {
                let (values, ty) = self.unify(&[a, b], None);
                let ordered = !matches!(op, BinOp::Eq | BinOp::Ne);
                let fits = match ty {
                    Ty::Error => {
                        return Expr {
                            kind: ExprKind::Error,
                            ty: Ty::BOOL,
                            span,
                        };
                    }
                    Ty::Scalar(s) => s != Scalar::Bool || !ordered,
                    Ty::Ptr(..) => true,
                    Ty::Slice(..) | Ty::Unit => false,
                };
                if !fits {
                    return self.no_operator(op, ty, span);
                }
                self.pair(values, span, |l, r| ExprKind::Compare(op, l, r), Ty::BOOL)
            }
            _ => self.arithmetic(op, a, b, want, span),
        }
    }

    fn pair(
        &mut self,
        values: Vec<Expr>,
        span: Span,
        make: impl Fn(Box<Expr>, Box<Expr>) -> ExprKind,
        ty: Ty,
    ) -> Expr {
        let mut values = values.into_iter();
        match (values.next(), values.next()) {
            (Some(l), Some(r)) => Expr {
                kind: make(Box::new(l), Box::new(r)),
                ty,
                span,
            },
            _ => error(span),
        }
    }

    fn no_operator(&mut self, op: BinOp, ty: Ty, span: Span) -> Expr {
        let message = format!("`{}` is not defined for `{ty}`", op.text());
        self.error(Diagnostic::new(Code::K0106, message).at(span, ""));
        error(span)
    }

    fn arithmetic(
        &mut self,
        op: BinOp,
        a: &ast::Expr,
        b: &ast::Expr,
        want: Option<Ty>,
        span: Span,
    ) -> Expr {
        if matches!(op, BinOp::Add | BinOp::Sub) && !is_open(a) {
            let left = self.expr(a, want);
            if let Ty::Ptr(..) = left.ty {
                let offset = self.index(b);
                let ty = left.ty;
                let kind = ExprKind::PtrOffset(Box::new(left), Box::new(offset), op == BinOp::Sub);
                return Expr { kind, ty, span };
            }
            let why = Some((a.span, format!("this is `{}`", left.ty)));
            let right = self.expr_as(b, left.ty, why);
            return self.checked_arithmetic(op, vec![left, right], span);
        }
        let (values, _) = self.unify(&[a, b], want);
        self.checked_arithmetic(op, values, span)
    }

    fn checked_arithmetic(&mut self, op: BinOp, values: Vec<Expr>, span: Span) -> Expr {
        if values.iter().any(|v| v.ty == Ty::Error) {
            return error(span);
        }
        let ty = values.first().map_or(Ty::Error, |v| v.ty);
        let bitwise = matches!(op, BinOp::And | BinOp::Or | BinOp::Xor);
        let fits = match ty.scalar() {
            Some(Scalar::Bool) => bitwise,
            Some(s) if s.is_float() => !bitwise && op != BinOp::Rem,
            Some(_) => true,
            None => false,
        };
        if !fits {
            return self.no_operator(op, ty, span);
        }
        self.pair(values, span, |l, r| ExprKind::Binary(op, l, r), ty)
    }

    /// The count of a shift is of any integer type; the result has the left side's type.
    fn shift(
        &mut self,
        op: BinOp,
        a: &ast::Expr,
        b: &ast::Expr,
        want: Option<Ty>,
        span: Span,
    ) -> Expr {
        let left = self.expr(a, want);
        let right = self.index(b);
        match left.ty {
            Ty::Error => error(span),
            Ty::Scalar(s) if s.is_int() => {
                let ty = left.ty;
                self.pair(
                    vec![left, right],
                    span,
                    |l, r| ExprKind::Binary(op, l, r),
                    ty,
                )
            }
            other => self.no_operator(op, other, span),
        }
    }

    /// An integer of any type; open literals are `u32` (`i32` where negative).
    pub fn index(&mut self, expr: &ast::Expr) -> Expr {
        let negative = matches!(&expr.kind, Ast::Unary(UnOp::Neg, _));
        let wish = if negative {
            Ty::Scalar(Scalar::I32)
        } else {
            Ty::U32
        };
        let value = self.expr(expr, Some(wish));
        match value.ty {
            Ty::Error => error(expr.span),
            Ty::Scalar(s) if s.is_int() => value,
            other => {
                let message = format!("expected an integer, found `{other}`");
                self.error(
                    Diagnostic::new(Code::K0102, message)
                        .at(expr.span, format!("this is `{other}`")),
                );
                error(expr.span)
            }
        }
    }

    fn cast(&mut self, a: &ast::Expr, ty: &ast::Type, span: Span) -> Expr {
        let to = self.ty(ty);
        let wish = if is_open(a)
            && to
                .scalar()
                .is_some_and(|s| s.is_float() || default_of(a) != Ty::Scalar(Scalar::F32))
        {
            Some(to)
        } else {
            None
        };
        let value = self.expr(a, wish);
        let fits = match (value.ty, to) {
            (Ty::Error, _) | (_, Ty::Error) => return error(span),
            (Ty::Scalar(Scalar::Bool), Ty::Scalar(t)) => t.is_int() || t == Scalar::Bool,
            (Ty::Scalar(_), Ty::Scalar(t)) => t != Scalar::Bool,
            (Ty::Ptr(..), Ty::Scalar(t)) => t == Scalar::U64 || t == Scalar::I64,
            (Ty::Scalar(s), Ty::Ptr(..)) => s == Scalar::U64 || s == Scalar::I64,
            (Ty::Ptr(_, from), Ty::Ptr(_, to)) => from || !to,
            _ => false,
        };
        if !fits {
            let mut diagnostic = Diagnostic::new(
                Code::K0105,
                format!("`{}` cannot be cast to `{to}`", value.ty),
            )
            .at(span, "");
            if to == Ty::BOOL {
                diagnostic = diagnostic.help("compare it: `… != 0`");
            } else if let (Ty::Ptr(_, false), Ty::Ptr(_, true)) = (value.ty, to) {
                diagnostic = diagnostic.help("a read-only pointer stays read-only");
            }
            self.error(diagnostic);
            return error(span);
        }
        Expr {
            kind: ExprKind::Cast(Box::new(value)),
            ty: to,
            span,
        }
    }

    /// An expression as memory; reports what is none.
    pub fn place(&mut self, expr: &ast::Expr) -> Option<Place> {
        match &expr.kind {
            Ast::Index(base, index) => {
                let slice = self.slice_of(base);
                if let Some((id, elem)) = slice {
                    let index = self.index(index);
                    return Some(Place {
                        base: Base::Slice(id),
                        index: Some(Box::new(index)),
                        elem,
                        span: expr.span,
                    });
                }
                let base = self.expr(base, None);
                let index = self.index(index);
                match base.ty {
                    Ty::Ptr(elem, _) => {
                        let index = Some(Box::new(index));
                        Some(Place {
                            base: Base::Ptr(Box::new(base)),
                            index,
                            elem,
                            span: expr.span,
                        })
                    }
                    Ty::Error => None,
                    other => {
                        let message = format!("`{other}` cannot be indexed");
                        self.error(Diagnostic::new(Code::K0106, message).at(base.span, ""));
                        None
                    }
                }
            }
            Ast::Unary(UnOp::Deref, inner) => self.deref(inner, expr.span),
            _ => None,
        }
    }

    fn slice_of(&mut self, expr: &ast::Expr) -> Option<(LocalId, Scalar)> {
        let Ast::Path(path) = &expr.kind else {
            return None;
        };
        let [name] = path.as_slice() else { return None };
        let Some(Binding::Local(id)) = self.lookup(&name.name) else {
            return None;
        };
        let Ty::Slice(elem, _) = self.locals[id.0].ty else {
            return None;
        };
        self.used[id.0] = true;
        Some((id, elem))
    }

    fn deref(&mut self, inner: &ast::Expr, span: Span) -> Option<Place> {
        let pointer = self.expr(inner, None);
        match pointer.ty {
            Ty::Ptr(elem, _) => Some(Place {
                base: Base::Ptr(Box::new(pointer)),
                index: None,
                elem,
                span,
            }),
            Ty::Error => None,
            other => {
                let message = format!("`{other}` is no pointer");
                self.error(Diagnostic::new(Code::K0106, message).at(span, ""));
                None
            }
        }
    }

    fn address_of(&mut self, inner: &ast::Expr, mutable: bool, span: Span) -> Expr {
        if !is_memory(inner) {
            self.error(
                Diagnostic::new(Code::K0203, "only memory has an address")
                    .at(inner.span, "")
                    .help("`&x[i]` points to an element"),
            );
        }
        let Some(place) = self.place(inner) else {
            return error(span);
        };
        if mutable && !self.writable(&place) {
            return error(span);
        }
        let ty = Ty::Ptr(place.elem, mutable);
        Expr {
            kind: ExprKind::AddrOf(place),
            ty,
            span,
        }
    }

    /// Whether memory may be written; reports if not.
    pub fn writable(&mut self, place: &Place) -> bool {
        let (mutable, name, declared) = match &place.base {
            Base::Slice(id) => {
                let local = &self.locals[id.0];
                (
                    matches!(local.ty, Ty::Slice(_, true)),
                    format!("`{}`", local.name),
                    Some(local.span),
                )
            }
            Base::Ptr(pointer) => (
                matches!(pointer.ty, Ty::Ptr(_, true)),
                "this pointer".to_string(),
                None,
            ),
        };
        if !mutable {
            let mut diagnostic = Diagnostic::new(Code::K0202, format!("{name} is read-only"))
                .at(place.span, "written here");
            if let Some(span) = declared {
                diagnostic = diagnostic.also(span, "declared without `mut`");
            }
            self.error(
                diagnostic.help("declare it with `mut`: `&global mut [T]` or `*global mut T`"),
            );
        }
        mutable
    }
}

fn load(place: Place) -> Expr {
    let (ty, span) = (Ty::Scalar(place.elem), place.span);
    Expr {
        kind: ExprKind::Load(place),
        ty,
        span,
    }
}

/// The nearest number to a decimal or hexadecimal literal; `None` where it overflows.
pub fn parse_float(text: &str, ty: Scalar) -> Option<u64> {
    let bits = if text.starts_with("0x") || text.starts_with("0X") {
        parse_hex_float(&text[2..], consts::format(ty)?)?
    } else if ty == Scalar::F64 {
        text.parse::<f64>().ok()?.to_bits()
    } else {
        u64::from(text.parse::<f32>().ok()?.to_bits())
    };
    let format = consts::format(ty)?;
    (!format.is_inf(bits)).then_some(bits)
}

fn parse_hex_float(text: &str, format: Format) -> Option<u64> {
    let (number, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let exponent: i32 = exponent.parse().ok().filter(|e: &i32| e.abs() < 100_000)?;
    let mut sig = 0u64;
    let mut shift = 0i32;
    let mut dropped = false;
    for digit in whole.chars().chain(fraction.chars()) {
        let digit = u64::from(digit.to_digit(16)?);
        if sig >> 60 == 0 {
            sig = sig << 4 | digit;
        } else {
            dropped |= digit != 0;
            shift += 4;
        }
    }
    // 61 bits are more than any format keeps, so that the sticky bit rounds right.
    let sig = sig | u64::from(dropped);
    let shift = exponent + shift - 4 * fraction.len() as i32;
    Some(convert::scaled_int_to_float(
        format,
        sig,
        shift,
        FpEnv::IEEE,
    ))
}
