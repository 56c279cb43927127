//! Statements.

use std::collections::HashMap;

use super::{Binding, Checker};
use crate::diag::{Code, Diagnostic, Span};
use crate::frontend::ast::{self, BinOp, ExprKind as Ast, StmtKind as AstStmt};
use crate::frontend::hir::{Expr, ExprKind, For, LoopId, Stmt, StmtKind};
use crate::frontend::types::{Scalar, Ty};

impl Checker<'_> {
    /// Checks the statements of a block in the current scope.
    pub fn stmts(&mut self, stmts: &[ast::Stmt]) -> Vec<Stmt> {
        let mut out = Vec::new();
        let mut ended: Option<Span> = None;
        for stmt in stmts {
            let is_code = !matches!(
                stmt.kind,
                AstStmt::Empty | AstStmt::Error | AstStmt::Const(_)
            );
            if let (Some(end), true) = (ended, is_code) {
                self.sink.push(
                    Diagnostic::new(Code::W0102, "this is never reached")
                        .at(stmt.span, "")
                        .also(end, "nothing runs behind this"),
                );
                ended = None;
            }
            for attr in &stmt.attrs {
                self.later(&format!("`@{}` on a statement", attr.name.name), attr.span);
            }
            if let Some(kind) = self.stmt(stmt) {
                if matches!(
                    kind,
                    StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Return
                ) {
                    ended = Some(stmt.span);
                }
                out.push(Stmt {
                    kind,
                    span: stmt.span,
                });
            }
        }
        out
    }

    /// A block with a scope of its own.
    pub fn block(&mut self, block: &ast::Block) -> Vec<Stmt> {
        self.scopes.push(HashMap::new());
        let out = self.stmts(&block.stmts);
        self.scopes.pop();
        out
    }

    fn stmt(&mut self, stmt: &ast::Stmt) -> Option<StmtKind> {
        match &stmt.kind {
            AstStmt::Let(name, ty, init) => {
                let init = self.initializer(ty.as_ref(), init);
                let id = self.declare(name, init.ty, false);
                Some(StmtKind::Let(id, init))
            }
            AstStmt::Var(name, ty, init) => self.var(name, ty.as_ref(), init.as_ref()),
            AstStmt::Const(decl) => {
                let value = self.constant(decl);
                self.bind(&decl.name, Binding::Const(value));
                None
            }
            AstStmt::If(node) => {
                let cond = self.condition(&node.cond);
                let then = self.block(&node.then);
                let otherwise = node
                    .otherwise
                    .as_ref()
                    .map_or(Vec::new(), |b| self.block(b));
                Some(StmtKind::If(cond, then, otherwise))
            }
            AstStmt::While(label, cond, body) => {
                let cond = self.condition(cond);
                let (id, body) = self.loop_body(label.as_ref(), |c| c.block(body));
                Some(StmtKind::While(id, cond, body))
            }
            AstStmt::Loop(label, body) => {
                let (id, body) = self.loop_body(label.as_ref(), |c| c.block(body));
                Some(StmtKind::Loop(id, body))
            }
            AstStmt::For(node) => Some(self.for_loop(node)),
            AstStmt::Break(label) => self
                .find_loop(label.as_ref(), "break", stmt.span)
                .map(StmtKind::Break),
            AstStmt::Continue(label) => self
                .find_loop(label.as_ref(), "continue", stmt.span)
                .map(StmtKind::Continue),
            AstStmt::Return(None) => Some(StmtKind::Return),
            AstStmt::Return(Some(value)) => {
                self.error(
                    Diagnostic::new(Code::K0206, "a kernel returns no value")
                        .at(value.span, "")
                        .help("store the result to a slice"),
                );
                Some(StmtKind::Return)
            }
            AstStmt::Block(block) => Some(StmtKind::Block(self.block(block))),
            AstStmt::Expr(value) => {
                let checked = self.expr(value, None);
                if checked.ty != Ty::Error {
                    self.sink.push(
                        Diagnostic::new(Code::W0103, "this value is not used").at(value.span, ""),
                    );
                }
                Some(StmtKind::Expr(checked))
            }
            AstStmt::Assign(target, value) => self.assign(target, value, stmt.span),
            AstStmt::OpAssign(target, op, value) => self.update(target, *op, value, stmt.span),
            AstStmt::Later(what) => {
                self.later(what, stmt.span);
                None
            }
            AstStmt::Empty | AstStmt::Error => None,
        }
    }

    fn condition(&mut self, cond: &ast::Expr) -> Expr {
        self.expr_as(cond, Ty::BOOL, None)
    }

    fn initializer(&mut self, ty: Option<&ast::Type>, init: &ast::Expr) -> Expr {
        let mut value = match ty {
            Some(ty) => {
                let want = self.ty(ty);
                let mut value =
                    self.expr_as(init, want, Some((ty.span, format!("declared as `{want}`"))));
                value.ty = want;
                value
            }
            None => self.expr(init, None),
        };
        if value.ty == Ty::Unit {
            value.ty = Ty::Error;
        }
        value
    }

    fn var(
        &mut self,
        name: &ast::Ident,
        ty: Option<&ast::Type>,
        init: Option<&ast::Expr>,
    ) -> Option<StmtKind> {
        let (ty, init) = match (ty, init) {
            (ty, Some(init)) => {
                let value = self.initializer(ty, init);
                (value.ty, Some(value))
            }
            (Some(ty), None) => (self.ty(ty), None),
            (None, None) => {
                self.error(
                    Diagnostic::new(
                        Code::K0110,
                        format!("the type of `{}` is not known", name.name),
                    )
                    .at(name.span, "")
                    .help(format!(
                        "write `var {}: f32;` or give it a first value",
                        name.name
                    )),
                );
                (Ty::Error, None)
            }
        };
        let id = self.declare(name, ty, true);
        Some(StmtKind::Var(id, init))
    }

    fn loop_body<T>(
        &mut self,
        label: Option<&ast::Ident>,
        body: impl FnOnce(&mut Self) -> T,
    ) -> (LoopId, T) {
        let id = LoopId(self.loop_count);
        self.loop_count += 1;
        self.loops.push((id, label.map(|l| l.name.clone())));
        let out = body(self);
        self.loops.pop();
        (id, out)
    }

    fn for_loop(&mut self, node: &ast::For) -> StmtKind {
        let mut bounds = vec![&node.from, &node.to];
        bounds.extend(node.step.as_ref());
        let (mut values, ty) = self.unify(&bounds, None);
        if !matches!(ty, Ty::Error) && !ty.scalar().is_some_and(Scalar::is_int) {
            let message = format!("a loop counts in integers, not in `{ty}`");
            self.error(
                Diagnostic::new(Code::K0106, message).at(node.from.span.to(node.to.span), ""),
            );
        }
        let step = if node.step.is_some() {
            values.pop()
        } else {
            None
        };
        if let Some(step) = &step
            && let ExprKind::Const(bits) = step.kind
            && let Some(scalar) = ty.scalar()
            && crate::num::int::extend(bits, scalar.bits().max(8), scalar.is_signed()) <= 0
        {
            self.error(
                Diagnostic::new(Code::K0207, "the step of a loop must be positive")
                    .at(step.span, "")
                    .help("count up, and compute the falling value: `let j = n - 1 - i;`"),
            );
        }
        let to = values.pop();
        let from = values.pop();
        let (id, (var, body)) = self.loop_body(node.label.as_ref(), |c| {
            c.scopes.push(HashMap::new());
            let var = c.declare(&node.var, ty, false);
            // A loop that only repeats needs no use of its variable.
            c.used[var.0] = true;
            let body = c.block(&node.body);
            c.scopes.pop();
            (var, body)
        });
        let missing = |span| Expr {
            kind: ExprKind::Error,
            ty: Ty::Error,
            span,
        };
        StmtKind::For(Box::new(For {
            id,
            var,
            from: from.unwrap_or(missing(node.from.span)),
            to: to.unwrap_or(missing(node.to.span)),
            inclusive: node.inclusive,
            step,
            body,
        }))
    }

    fn find_loop(&mut self, label: Option<&ast::Ident>, what: &str, span: Span) -> Option<LoopId> {
        let found = match label {
            Some(label) => self
                .loops
                .iter()
                .rev()
                .find(|(_, l)| l.as_deref() == Some(label.name.as_str())),
            None => self.loops.last(),
        };
        let found = found.map(|(id, _)| *id);
        if found.is_none() {
            let diagnostic = match label {
                Some(label) => Diagnostic::new(
                    Code::K0204,
                    format!("no loop around this is labelled `'{}`", label.name),
                )
                .at(label.span, ""),
                None => {
                    Diagnostic::new(Code::K0204, format!("`{what}` outside of a loop")).at(span, "")
                }
            };
            self.error(diagnostic);
        }
        found
    }

    /// A variable as the target of an assignment; `None` if it is memory or an error was reported.
    fn target(&mut self, target: &ast::Expr) -> Option<Result<crate::frontend::hir::LocalId, ()>> {
        let Ast::Path(path) = &target.kind else {
            return None;
        };
        let [name] = path.as_slice() else { return None };
        match self.lookup(&name.name) {
            Some(Binding::Local(id)) if self.locals[id.0].mutable => Some(Ok(id)),
            Some(binding) => {
                let declared = match &binding {
                    Binding::Local(id) => self.locals[id.0].span,
                    Binding::Const(value) => value.span,
                };
                self.error(
                    Diagnostic::new(Code::K0201, format!("`{}` cannot be assigned", name.name))
                        .at(target.span, "")
                        .also(declared, "declared here")
                        .help("a name that changes is declared with `var`"),
                );
                Some(Err(()))
            }
            None => {
                self.expr(target, None);
                Some(Err(()))
            }
        }
    }

    fn memory(&mut self, target: &ast::Expr) -> Option<crate::frontend::hir::Place> {
        let place = self.place(target);
        if !crate::frontend::check::expr::is_memory(target) {
            self.error(
                Diagnostic::new(Code::K0203, "this cannot be assigned")
                    .at(target.span, "")
                    .help("assign to a `var`, to an element `x[i]`, or through a pointer `*p`"),
            );
        }
        place.filter(|p| self.writable(p))
    }

    fn assign(&mut self, target: &ast::Expr, value: &ast::Expr, _span: Span) -> Option<StmtKind> {
        match self.target(target) {
            Some(Ok(id)) => {
                let ty = self.locals[id.0].ty;
                let why = Some((self.locals[id.0].span, format!("declared as `{ty}`")));
                let value = self.expr_as(value, ty, why);
                Some(StmtKind::Assign(id, value))
            }
            Some(Err(())) => {
                self.expr(value, None);
                None
            }
            None => {
                let place = self.memory(target);
                let want = place.as_ref().map_or(Ty::Error, |p| Ty::Scalar(p.elem));
                let value = self.expr_as(
                    value,
                    want,
                    Some((target.span, format!("this holds `{want}`"))),
                );
                place.map(|p| StmtKind::Store(p, value))
            }
        }
    }

    fn update(
        &mut self,
        target: &ast::Expr,
        op: BinOp,
        value: &ast::Expr,
        span: Span,
    ) -> Option<StmtKind> {
        match self.target(target) {
            Some(Ok(id)) => {
                let path = ast::Expr {
                    kind: target.kind.clone(),
                    span: target.span,
                    depth: 1,
                };
                let whole = ast::Expr {
                    kind: Ast::Binary(op, Box::new(path), Box::new(value.clone())),
                    span,
                    depth: value.depth,
                };
                let ty = self.locals[id.0].ty;
                let was_used = self.used[id.0];
                let result = self.expr_as(&whole, ty, None);
                // `x += 1` alone is no use of `x`.
                self.used[id.0] = was_used;
                Some(StmtKind::Assign(id, result))
            }
            Some(Err(())) => {
                self.expr(value, None);
                None
            }
            None => {
                let place = self.memory(target)?;
                let ty = Ty::Scalar(place.elem);
                let is_shift = matches!(op, BinOp::Shl | BinOp::Shr);
                let right = if is_shift {
                    self.index(value)
                } else {
                    self.expr_as(value, ty, Some((target.span, format!("this holds `{ty}`"))))
                };
                let bitwise = is_shift || matches!(op, BinOp::And | BinOp::Or | BinOp::Xor);
                let fits = match place.elem {
                    Scalar::Bool => bitwise && !is_shift,
                    s if s.is_float() => !bitwise && op != BinOp::Rem,
                    _ => true,
                };
                if !fits {
                    let message = format!("`{}=` is not defined for `{ty}`", op.text());
                    self.error(Diagnostic::new(Code::K0106, message).at(span, ""));
                    return None;
                }
                Some(StmtKind::Update(place, op, right))
            }
        }
    }
}
