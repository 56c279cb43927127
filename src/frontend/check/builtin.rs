//! Builtin values and functions: their names and types.

use super::Checker;
use crate::diag::{Code, Diagnostic, Span};
use crate::frontend::ast::{self, Arg};
use crate::frontend::hir::{Builtin, Expr, ExprKind};
use crate::frontend::types::{Scalar, Ty};
use crate::ir::SReg;

/// Names of builtins, for suggestions.
pub const NAMES: &[&str] = &[
    "thread_id",
    "block_id",
    "block_dim",
    "grid_dim",
    "global_id",
    "global_id64",
    "min",
    "max",
    "abs",
    "sqrt",
    "fma",
    "select",
];

/// Builtins of later parts of the language: named so that the message can say so.
pub const LATER: &[&str] = &[
    "lane",
    "wave_id",
    "WAVE",
    "TARGET",
    "barrier",
    "ballot",
    "shfl_xor",
    "shfl_up",
    "shfl_down",
    "shfl",
    "atomic_add",
    "printf",
    "assert",
    "exp",
    "exp2",
    "log",
    "log2",
    "sin",
    "cos",
    "tan",
    "pow",
    "floor",
    "ceil",
    "trunc",
    "round",
    "popcount",
    "clz",
    "ctz",
    "rsqrt",
];

/// The special register of `thread_id.x` and the like.
fn sreg(name: &str, axis: usize) -> Option<SReg> {
    let row = match name {
        "thread_id" => [SReg::TidX, SReg::TidY, SReg::TidZ],
        "block_id" => [SReg::CtaidX, SReg::CtaidY, SReg::CtaidZ],
        "block_dim" => [SReg::NtidX, SReg::NtidY, SReg::NtidZ],
        "grid_dim" => [SReg::NctaidX, SReg::NctaidY, SReg::NctaidZ],
        _ => return None,
    };
    Some(row[axis])
}

/// Whether a name is an id with `.x .y .z`.
pub fn is_id(name: &str) -> bool {
    sreg(name, 0).is_some() || name == "global_id" || name == "global_id64"
}

impl Checker<'_> {
    /// `thread_id.x` and the like.
    pub fn id_field(&mut self, base: &ast::Ident, field: &ast::Ident, span: Span) -> Expr {
        let axis = ["x", "y", "z"].iter().position(|a| *a == field.name);
        let Some(axis) = axis else {
            self.error(
                Diagnostic::new(
                    Code::K0111,
                    format!("`{}` has no field `{}`", base.name, field.name),
                )
                .at(field.span, "")
                .help("it has `.x`, `.y` and `.z`"),
            );
            return Expr {
                kind: ExprKind::Error,
                ty: Ty::Error,
                span,
            };
        };
        let (kind, ty) = match (base.name.as_str(), sreg(&base.name, axis)) {
            (_, Some(register)) => (ExprKind::SReg(register), Ty::U32),
            ("global_id64", None) => (ExprKind::GlobalId64(axis), Ty::Scalar(Scalar::U64)),
            (_, None) => (ExprKind::GlobalId(axis), Ty::U32),
        };
        Expr { kind, ty, span }
    }

    /// A call of a builtin function.
    pub fn call(&mut self, name: &ast::Ident, args: &[Arg], want: Option<Ty>, span: Span) -> Expr {
        let error = Expr {
            kind: ExprKind::Error,
            ty: Ty::Error,
            span,
        };
        let (builtin, count) = match name.name.as_str() {
            "min" => (Builtin::Min, 2),
            "max" => (Builtin::Max, 2),
            "abs" => (Builtin::Abs, 1),
            "sqrt" => (Builtin::Sqrt, 1),
            "fma" => (Builtin::Fma, 3),
            "select" => (Builtin::Select, 3),
            _ => {
                self.unknown_function(name);
                return error;
            }
        };
        if let Some(label) = args.iter().find_map(|a| a.name.as_ref()) {
            let message = format!("`{}` takes no named arguments", name.name);
            self.error(Diagnostic::new(Code::K0103, message).at(label.span, ""));
            return error;
        }
        if args.len() != count {
            let message = format!(
                "`{}` takes {count} argument{}, not {}",
                name.name,
                if count == 1 { "" } else { "s" },
                args.len()
            );
            self.error(Diagnostic::new(Code::K0103, message).at(span, ""));
            return error;
        }
        let mut out = Vec::new();
        let mut rest: Vec<&ast::Expr> = args.iter().map(|a| &a.value).collect();
        if builtin == Builtin::Select {
            out.push(self.expr_as(rest.remove(0), Ty::BOOL, None));
        }
        let (values, ty) = self.unify(&rest, want);
        out.extend(values);
        let fits = match (builtin, ty) {
            (_, Ty::Error) => true,
            (Builtin::Min | Builtin::Max, Ty::Scalar(s)) => s != Scalar::Bool,
            (Builtin::Abs, Ty::Scalar(s)) => s.is_float() || s.is_signed(),
            (Builtin::Sqrt | Builtin::Fma, Ty::Scalar(s)) => s.is_float(),
            (Builtin::Select, Ty::Scalar(_) | Ty::Ptr(..)) => true,
            _ => false,
        };
        if !fits {
            let message = format!("`{}` is not defined for `{ty}`", name.name);
            self.error(Diagnostic::new(Code::K0106, message).at(span, ""));
            return error;
        }
        Expr {
            kind: ExprKind::Builtin(builtin, out),
            ty,
            span,
        }
    }

    fn unknown_function(&mut self, name: &ast::Ident) {
        if LATER.contains(&name.name.as_str()) {
            self.later(&format!("`{}`", name.name), name.span);
            return;
        }
        if name.name == "__syncthreads" {
            self.error(
                Diagnostic::new(Code::K0101, "there is no function `__syncthreads`")
                    .at(name.span, "")
                    .help("the barrier of a workgroup is `barrier()`"),
            );
            return;
        }
        let functions = ["min", "max", "abs", "sqrt", "fma", "select"];
        let mut diagnostic =
            Diagnostic::new(Code::K0101, format!("there is no function `{}`", name.name))
                .at(name.span, "");
        if let Some(near) = super::nearest(&name.name, functions.into_iter()) {
            diagnostic = diagnostic.help_edit("did you mean this", name.span, near);
        }
        self.error(diagnostic);
    }
}
