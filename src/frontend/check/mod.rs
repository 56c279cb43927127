//! Names, types and constants: from the syntax tree to the checked form.
//!
//! Literals take the type that their surroundings want; nothing else converts by itself. After an
//! error the type is [`Ty::Error`], which fits everything, so that one mistake gives one message.

pub mod builtin;
pub mod expr;
pub mod kernel;
pub mod stmt;

use std::collections::HashMap;

use super::ast::{self, ItemKind};
use super::hir::{self, Local, LocalId, LoopId};
use super::types::{Scalar, Ty};
use crate::diag::{Code, Diagnostic, Sink, Span};

/// A module-level or local constant.
#[derive(Clone, Debug)]
pub struct ConstValue {
    /// Type.
    pub ty: Ty,
    /// Bits; `None` after an error.
    pub bits: Option<u64>,
    /// Place of the name.
    pub span: Span,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A local.
    Local(LocalId),
    /// A constant.
    Const(ConstValue),
}

/// The state of checking one kernel.
pub struct Checker<'a> {
    /// Where errors go.
    pub sink: &'a mut Sink,
    /// Module-level constants.
    pub globals: &'a HashMap<String, ConstValue>,
    /// Scopes of the kernel, innermost last.
    pub scopes: Vec<HashMap<String, Binding>>,
    /// Locals so far.
    pub locals: Vec<Local>,
    /// Locals that were read.
    pub used: Vec<bool>,
    /// Enclosing loops with their labels.
    pub loops: Vec<(LoopId, Option<String>)>,
    /// Loops so far.
    pub loop_count: usize,
}

impl<'a> Checker<'a> {
    /// A checker outside of any kernel.
    pub fn new(sink: &'a mut Sink, globals: &'a HashMap<String, ConstValue>) -> Checker<'a> {
        Checker {
            sink,
            globals,
            scopes: vec![HashMap::new()],
            locals: Vec::new(),
            used: Vec::new(),
            loops: Vec::new(),
            loop_count: 0,
        }
    }

    /// Reports an error.
    pub fn error(&mut self, diagnostic: Diagnostic) {
        self.sink.push(diagnostic);
    }

    /// Reports what the grammar has and the checker does not yet.
    pub fn later(&mut self, what: &str, span: Span) {
        self.error(
            Diagnostic::new(Code::K0399, format!("{what} is not supported yet")).at(span, ""),
        );
    }

    /// Adds a local to the innermost scope.
    pub fn declare(&mut self, name: &ast::Ident, ty: Ty, mutable: bool) -> LocalId {
        let id = LocalId(self.locals.len());
        self.locals.push(Local {
            name: name.name.clone(),
            ty,
            mutable,
            span: name.span,
        });
        self.used.push(false);
        self.bind(name, Binding::Local(id));
        id
    }

    /// Adds a binding to the innermost scope. A `let` may hide an earlier name of an outer scope or
    /// of the same one, as in Rust; parameters may not repeat.
    pub fn bind(&mut self, name: &ast::Ident, binding: Binding) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.name.clone(), binding);
        }
    }

    /// What a name stands for.
    pub fn lookup(&self, name: &str) -> Option<Binding> {
        let local = self.scopes.iter().rev().find_map(|s| s.get(name).cloned());
        local.or_else(|| self.globals.get(name).cloned().map(Binding::Const))
    }

    /// All names in reach, for suggestions.
    pub fn visible_names(&self) -> Vec<String> {
        let locals = self.scopes.iter().flat_map(|s| s.keys().cloned());
        let builtins = builtin::NAMES.iter().map(|n| n.to_string());
        locals
            .chain(self.globals.keys().cloned())
            .chain(builtins)
            .collect()
    }

    /// Warns of locals that were never read.
    pub fn warn_unused(&mut self, first: usize) {
        for (local, used) in self.locals.iter().zip(&self.used).skip(first) {
            if !used && !local.name.starts_with('_') {
                self.sink.push(
                    Diagnostic::new(Code::W0101, format!("`{}` is never used", local.name))
                        .at(local.span, "")
                        .help_edit(
                            "if that is meant, begin its name with `_`",
                            local.span,
                            format!("_{}", local.name),
                        ),
                );
            }
        }
    }

    /// Reports a type that does not fit. `why` points at what asked for it.
    pub fn mismatch(&mut self, want: Ty, got: &hir::Expr, why: Option<(Span, String)>) {
        let message = format!("expected `{want}`, found `{}`", got.ty);
        let mut diagnostic =
            Diagnostic::new(Code::K0102, message).at(got.span, format!("this is `{}`", got.ty));
        if let Some((span, text)) = why {
            diagnostic = diagnostic.also(span, text);
        }
        let castable = matches!((want.scalar(), got.ty.scalar()), (Some(w), Some(g)) if w != Scalar::Bool && g != Scalar::Bool);
        if castable {
            diagnostic = diagnostic.help(format!("convert it: `… as {want}`"));
        } else if want == Ty::BOOL && got.ty.scalar().is_some_and(Scalar::is_int) {
            diagnostic = diagnostic.help("compare it: `… != 0`");
        }
        self.error(diagnostic);
    }
}

/// The candidate most like `name`, if one is near enough to be meant.
pub fn nearest<'n>(name: &str, candidates: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    candidates
        .map(|c| {
            (
                strsim::damerau_levenshtein(&name.to_lowercase(), &c.to_lowercase()),
                c,
            )
        })
        .filter(|(distance, c)| *distance <= 1 + name.len().max(c.len()) / 4 && *c != name)
        .min()
        .map(|(_, c)| c)
}

/// Checks a file. Kernels that hold errors are left out; the errors are in the sink.
pub fn check(unit: &ast::Unit, sink: &mut Sink) -> Vec<hir::Kernel> {
    let globals = kernel::global_consts(unit, sink);
    let mut kernels: Vec<hir::Kernel> = Vec::new();
    for item in &unit.items {
        match &item.kind {
            ItemKind::Kernel(func) => {
                if let Some(first) = kernels.iter().find(|k| k.name == func.name.name) {
                    sink.push(
                        Diagnostic::new(
                            Code::K0107,
                            format!("`{}` is defined twice", func.name.name),
                        )
                        .at(func.name.span, "again here")
                        .also(first.span, "first here"),
                    );
                }
                kernels.push(kernel::check_kernel(item, func, &globals, sink));
            }
            ItemKind::Fn(func) => {
                let what = "a device function";
                sink.push(
                    Diagnostic::new(Code::K0399, format!("{what} is not supported yet"))
                        .at(func.name.span, ""),
                );
            }
            ItemKind::Later(what) => sink.push(
                Diagnostic::new(Code::K0399, format!("{what} is not supported yet"))
                    .at(item.span, ""),
            ),
            ItemKind::Const(_) | ItemKind::Error => {}
        }
    }
    kernels
}
