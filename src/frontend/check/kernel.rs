//! Kernels: parameters, attributes; and module-level constants.

use std::collections::HashMap;

use super::{Checker, ConstValue, nearest};
use crate::diag::{Code, Diagnostic, Sink, Span};
use crate::frontend::ast::{self, ItemKind, TypeKind};
use crate::frontend::consts;
use crate::frontend::hir;
use crate::frontend::types::{Scalar, Ty};
use crate::ir::KernelAttrs;

/// Evaluates the constants of a file, in order. A constant may use those above it.
pub fn global_consts(unit: &ast::Unit, sink: &mut Sink) -> HashMap<String, ConstValue> {
    let mut globals: HashMap<String, ConstValue> = HashMap::new();
    for item in &unit.items {
        let ItemKind::Const(decl) = &item.kind else {
            continue;
        };
        reject_attrs(&item.attrs, "a constant", sink);
        if let Some(first) = globals.get(&decl.name.name) {
            let again = Diagnostic::new(
                Code::K0107,
                format!("`{}` is defined twice", decl.name.name),
            )
            .at(decl.name.span, "again here")
            .also(first.span, "first here");
            sink.push(again);
            continue;
        }
        let known = globals.clone();
        let value = Checker::new(sink, &known).constant(decl);
        globals.insert(decl.name.name.clone(), value);
    }
    globals
}

fn reject_attrs(attrs: &[ast::Attr], what: &str, sink: &mut Sink) {
    for attr in attrs {
        sink.push(
            Diagnostic::new(
                Code::K0301,
                format!("`@{}` does not apply to {what}", attr.name.name),
            )
            .at(attr.span, ""),
        );
    }
}

impl Checker<'_> {
    /// Checks and evaluates a constant's declaration.
    pub fn constant(&mut self, decl: &ast::Const) -> ConstValue {
        let ty = self.ty(&decl.ty);
        let value = self.expr_as(
            &decl.value,
            ty,
            Some((decl.ty.span, format!("declared as `{ty}`"))),
        );
        let bits = if matches!(ty, Ty::Scalar(_)) {
            self.evaluate(&value)
        } else {
            if ty != Ty::Error {
                self.later("a constant that is not a number", decl.ty.span);
            }
            None
        };
        ConstValue {
            ty,
            bits,
            span: decl.name.span,
        }
    }

    /// The bits of a constant expression; reports why it is none.
    pub fn evaluate(&mut self, value: &hir::Expr) -> Option<u64> {
        match consts::evaluate(value) {
            Ok(bits) => bits,
            Err(diagnostic) => {
                self.error(diagnostic);
                None
            }
        }
    }

    /// Resolves a type.
    pub fn ty(&mut self, ty: &ast::Type) -> Ty {
        match &ty.kind {
            TypeKind::Path(path) => match path.as_slice() {
                [name] => self.named_type(name),
                _ => {
                    self.later("a path in a type", ty.span);
                    Ty::Error
                }
            },
            TypeKind::Ptr(space, mutable, elem) => {
                self.space(space.as_ref(), ty.span);
                self.element(elem)
                    .map_or(Ty::Error, |e| Ty::Ptr(e, *mutable))
            }
            TypeKind::Ref(space, mutable, inner) => {
                self.space(space.as_ref(), ty.span);
                match &inner.kind {
                    TypeKind::Slice(elem) => self
                        .element(elem)
                        .map_or(Ty::Error, |e| Ty::Slice(e, *mutable)),
                    _ => {
                        let help = "a slice is `&global [f32]`, a pointer is `*global f32`";
                        self.error(
                            Diagnostic::new(
                                Code::K0109,
                                "a reference to something else than a slice",
                            )
                            .at(ty.span, "")
                            .help(help),
                        );
                        Ty::Error
                    }
                }
            }
            TypeKind::Slice(_) => {
                self.error(
                    Diagnostic::new(Code::K0109, "a slice needs a reference around it")
                        .at(ty.span, "")
                        .help("write `&global [T]`, or `&global mut [T]` to write to it"),
                );
                Ty::Error
            }
            TypeKind::Uniform(_) => {
                self.later("`uniform`", ty.span);
                Ty::Error
            }
            TypeKind::Later(what) => {
                self.later(what, ty.span);
                Ty::Error
            }
            TypeKind::Error => Ty::Error,
        }
    }

    fn named_type(&mut self, name: &ast::Ident) -> Ty {
        if let Some(scalar) = Scalar::find(&name.name) {
            return Ty::Scalar(scalar);
        }
        const LATER: [&str; 9] = [
            "i8", "u8", "i16", "u16", "f16", "bf16", "lanemask", "f8e4m3", "f8e5m2",
        ];
        if LATER.contains(&name.name.as_str()) {
            self.later(&format!("`{}`", name.name), name.span);
            return Ty::Error;
        }
        let mut diagnostic =
            Diagnostic::new(Code::K0109, format!("there is no type `{}`", name.name))
                .at(name.span, "");
        let foreign = match name.name.as_str() {
            "int" | "int32_t" => Some("i32"),
            "unsigned" | "uint" | "uint32_t" | "usize" => Some("u32"),
            "float" => Some("f32"),
            "double" => Some("f64"),
            "long" | "int64_t" | "isize" => Some("i64"),
            "uint64_t" | "size_t" => Some("u64"),
            _ => nearest(&name.name, Scalar::ALL.iter().map(|s| s.name())),
        };
        if let Some(meant) = foreign {
            diagnostic = diagnostic.help_edit("did you mean this", name.span, meant);
        }
        self.error(diagnostic);
        Ty::Error
    }

    fn space(&mut self, space: Option<&ast::Ident>, span: Span) {
        match space.map(|s| (s.name.as_str(), s.span)) {
            Some(("global", _)) => {}
            Some((other, at)) => self.later(&format!("the address space `{other}`"), at),
            None => self.error(
                Diagnostic::new(Code::K0109, "this needs an address space")
                    .at(span, "")
                    .help("memory of the device is `global`: `&global [f32]`, `*global mut u32`"),
            ),
        }
    }

    fn element(&mut self, ty: &ast::Type) -> Option<Scalar> {
        match self.ty(ty) {
            Ty::Scalar(scalar) => Some(scalar),
            Ty::Error => None,
            _ => {
                self.later("a pointer to something else than a number", ty.span);
                None
            }
        }
    }
}

const ATTRS: [&str; 3] = ["launch_bounds", "waves_per_eu", "max_regs"];
const LATER_ATTRS: [&str; 11] = [
    "wave",
    "cluster_dim",
    "cooperative",
    "align",
    "bank_pad",
    "unroll",
    "vectorize",
    "likely",
    "fast_math",
    "target",
    "test",
];

/// Checks one kernel.
pub fn check_kernel(
    item: &ast::Item,
    func: &ast::Func,
    globals: &HashMap<String, ConstValue>,
    sink: &mut Sink,
) -> hir::Kernel {
    let mut checker = Checker::new(sink, globals);
    let attrs = checker.kernel_attrs(&item.attrs);
    if let Some(span) = func.generics {
        checker.later("a generic parameter", span);
    }
    let mut params = Vec::new();
    for param in &func.params {
        let repeated = checker.scopes[0].get(&param.name.name).cloned();
        if let Some(super::Binding::Local(first)) = repeated {
            let span = checker.locals[first.0].span;
            checker.error(
                Diagnostic::new(
                    Code::K0107,
                    format!("`{}` is defined twice", param.name.name),
                )
                .at(param.name.span, "again here")
                .also(span, "first here"),
            );
        }
        let ty = checker.ty(&param.ty);
        let noalias = checker.param_attrs(&param.attrs, ty);
        params.push((checker.declare(&param.name, ty, false), noalias));
    }
    checker.scopes.push(HashMap::new());
    let body = checker.stmts(&func.body.stmts);
    checker.warn_unused(0);
    let locals = std::mem::take(&mut checker.locals);
    hir::Kernel {
        name: func.name.name.clone(),
        span: func.name.span,
        attrs,
        locals,
        params,
        body,
    }
}

impl Checker<'_> {
    fn param_attrs(&mut self, attrs: &[ast::Attr], ty: Ty) -> bool {
        let mut noalias = false;
        for attr in attrs {
            let is_memory = matches!(ty, Ty::Slice(..) | Ty::Ptr(..) | Ty::Error);
            if attr.name.name != "noalias" || !is_memory {
                let what = if attr.name.name == "noalias" {
                    "a number"
                } else {
                    "a parameter"
                };
                reject_attrs(std::slice::from_ref(attr), what, self.sink);
            } else if let Some(arg) = attr.args.first() {
                self.bad_attr(attr, "takes no arguments", arg.value.span);
            } else {
                noalias = true;
            }
        }
        noalias
    }

    fn bad_attr(&mut self, attr: &ast::Attr, what: &str, span: Span) {
        self.error(
            Diagnostic::new(Code::K0302, format!("`@{}` {what}", attr.name.name)).at(span, ""),
        );
    }

    fn kernel_attrs(&mut self, attrs: &[ast::Attr]) -> KernelAttrs {
        let mut out = KernelAttrs::default();
        let mut seen: Vec<&str> = Vec::new();
        for attr in attrs {
            let name = attr.name.name.as_str();
            if seen.contains(&name) {
                self.bad_attr(attr, "is given twice", attr.span);
            }
            seen.push(name);
            match name {
                "launch_bounds" => out.launch_bounds = self.two(attr, 1, 1024, 1),
                "waves_per_eu" => out.waves_per_eu = self.two(attr, 1, 16, 16),
                "max_regs" => out.max_regs = self.numbers(attr, 1, 1, 512).map(|n| n[0]),
                _ if LATER_ATTRS.contains(&name) => self.later(&format!("`@{name}`"), attr.span),
                _ => self.unknown_attr(attr),
            }
        }
        out
    }

    fn unknown_attr(&mut self, attr: &ast::Attr) {
        let name = &attr.name.name;
        let mut diagnostic =
            Diagnostic::new(Code::K0301, format!("there is no attribute `@{name}`"))
                .at(attr.name.span, "");
        diagnostic = match nearest(name, ATTRS.into_iter()) {
            Some(near) => diagnostic.help_edit("did you mean this", attr.name.span, near),
            None => diagnostic.help(format!("a kernel has: @{}", ATTRS.join(" @"))),
        };
        self.error(diagnostic);
    }

    /// One or two numbers; the second has a default.
    fn two(&mut self, attr: &ast::Attr, low: u32, high: u32, default: u32) -> Option<(u32, u32)> {
        let numbers = self.numbers(attr, 2, low, high)?;
        let second = numbers.get(1).copied().unwrap_or(default);
        if attr.name.name == "waves_per_eu" && second < numbers[0] {
            self.bad_attr(attr, "has a maximum below its minimum", attr.span);
            return None;
        }
        Some((numbers[0], second))
    }

    /// One to `most` constant numbers between `low` and `high`.
    fn numbers(&mut self, attr: &ast::Attr, most: usize, low: u32, high: u32) -> Option<Vec<u32>> {
        if attr.args.is_empty() || attr.args.len() > most {
            let counts = if most == 1 {
                "one number"
            } else {
                "one or two numbers"
            };
            self.bad_attr(attr, &format!("takes {counts}"), attr.span);
            return None;
        }
        let mut out = Vec::new();
        for arg in &attr.args {
            if let Some(name) = &arg.name {
                self.bad_attr(attr, "takes no named arguments", name.span);
                return None;
            }
            let value = self.expr_as(&arg.value, Ty::U32, None);
            let number = self.evaluate(&value)? as u32;
            if !(low..=high).contains(&number) {
                self.bad_attr(
                    attr,
                    &format!("takes numbers from {low} to {high}, not {number}"),
                    arg.value.span,
                );
                return None;
            }
            out.push(number);
        }
        Some(out)
    }
}
