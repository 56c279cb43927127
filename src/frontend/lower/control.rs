//! Statements and control flow.

use super::{Home, LoopBlocks, Lowering};
use crate::frontend::ast::BinOp;
use crate::frontend::hir::{Expr, For, LoopId, Stmt, StmtKind};
use crate::frontend::types::{Scalar, Ty};
use crate::ir::{Block, Cmp, Opcode, ValueDef};

impl Lowering<'_> {
    /// Lowers statements in order. Code behind a terminator goes to a block that nothing reaches.
    pub(super) fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            if self.b.is_terminated() {
                self.b.block = self.new_block("dead");
            }
            self.b.span = stmt.span;
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Let(id, init) => {
                let value = self.expr(init);
                let name = self.local(*id).name.clone();
                let data = &self.b.func.values[value];
                if data.name.is_none() && !matches!(data.def, ValueDef::Const(_)) {
                    let unique = self.unique(&name);
                    self.b.func.values[value].name = Some(unique);
                }
                self.homes.insert(*id, Home::Value(value));
            }
            StmtKind::Var(id, init) => {
                let local = self.local(*id).clone();
                let name = self.unique(&local.name);
                let ty = self.ir_type(local.ty);
                let var = self.b.func.add_var(name, ty, local.span);
                self.homes.insert(*id, Home::Var(var));
                let value = match init {
                    Some(init) => self.expr(init),
                    None => self.b.func.constant(ty, 0),
                };
                self.b.span = stmt.span;
                self.b.var_set(var, value);
            }
            StmtKind::Assign(id, value) => {
                let value = self.expr(value);
                self.b.span = stmt.span;
                if let Some(Home::Var(var)) = self.homes.get(id).copied() {
                    self.b.var_set(var, value);
                }
            }
            StmtKind::Store(place, value) => {
                // The value first: its loads come before the store, whatever the address.
                let value = self.expr(value);
                let address = self.address(place);
                self.b.span = stmt.span;
                self.store(place, address, value);
            }
            StmtKind::Update(place, op, value) => self.update(place, *op, value, stmt),
            StmtKind::If(cond, then, otherwise) => self.if_stmt(cond, then, otherwise),
            StmtKind::While(id, cond, body) => {
                let (head, inside, exit) = (
                    self.new_block("while"),
                    self.new_block("body"),
                    self.new_block("done"),
                );
                self.b.br(head, &[]);
                self.b.block = head;
                self.branch(cond, inside, exit);
                self.loop_body(*id, inside, LoopBlocks { next: head, exit }, body);
            }
            StmtKind::Loop(id, body) => {
                let (head, exit) = (self.new_block("loop"), self.new_block("done"));
                self.b.br(head, &[]);
                self.loop_body(*id, head, LoopBlocks { next: head, exit }, body);
            }
            StmtKind::For(node) => self.for_stmt(node),
            StmtKind::Break(id) => {
                if let Some(blocks) = self.loops.get(id).copied() {
                    self.b.br(blocks.exit, &[]);
                }
            }
            StmtKind::Continue(id) => {
                if let Some(blocks) = self.loops.get(id).copied() {
                    self.b.br(blocks.next, &[]);
                }
            }
            StmtKind::Return => self.b.ret(),
            StmtKind::Block(stmts) => self.stmts(stmts),
            StmtKind::Expr(value) => {
                self.expr(value);
            }
        }
    }

    fn update(
        &mut self,
        place: &crate::frontend::hir::Place,
        op: BinOp,
        value: &Expr,
        stmt: &Stmt,
    ) {
        let address = self.address(place);
        self.b.span = place.span;
        let old = self.load(place, address);
        let old = super::expr::Operand {
            value: old,
            ty: Ty::Scalar(place.elem),
        };
        self.b.span = stmt.span;
        let new = self.binary_with(op, old, value, stmt.span);
        self.b.span = stmt.span;
        self.store(place, address, new);
    }

    fn if_stmt(&mut self, cond: &Expr, then: &[Stmt], otherwise: &[Stmt]) {
        let yes = self.new_block("then");
        let no = if otherwise.is_empty() {
            None
        } else {
            Some(self.new_block("else"))
        };
        let join = self.new_block("endif");
        self.branch(cond, yes, no.unwrap_or(join));
        for (block, stmts) in [(Some(yes), then), (no, otherwise)] {
            let Some(block) = block else { continue };
            self.b.block = block;
            self.stmts(stmts);
            if !self.b.is_terminated() {
                self.b.br(join, &[]);
            }
        }
        self.b.block = join;
    }

    /// Branches on a condition; `&&`, `||` and `!` become control flow where the right side could
    /// fault or costs memory.
    fn branch(&mut self, cond: &Expr, yes: Block, no: Block) {
        let value = self.expr(cond);
        self.b.span = cond.span;
        self.b.brc(value, yes, no);
    }

    fn loop_body(&mut self, id: LoopId, start: Block, blocks: LoopBlocks, body: &[Stmt]) {
        self.loops.insert(id, blocks);
        self.b.block = start;
        self.stmts(body);
        if !self.b.is_terminated() {
            self.b.br(blocks.next, &[]);
        }
        self.b.block = blocks.exit;
    }

    /// ```text
    ///   if from < to { i = from; loop { body; next: if to - i <= step { break }; i += step } }
    /// ```
    /// The distance is taken as an unsigned number, so that no count runs past the end of its type.
    fn for_stmt(&mut self, node: &For) {
        let scalar = node.from.ty.scalar().unwrap_or(Scalar::I32);
        let (kind, unsigned) = (scalar.kind(), scalar.kind().unsigned());
        let from = self.expr(&node.from);
        let to = self.expr(&node.to);
        let step = match &node.step {
            Some(step) => self.expr(step),
            None => self.b.func.constant(scalar.ir(), 1),
        };
        let span = self.local(node.var).span;
        let name = self.local(node.var).name.clone();
        let name = self.unique(&name);
        let var = self.b.func.add_var(name, scalar.ir(), span);
        let (body, next, again, exit) = (
            self.new_block("for"),
            self.new_block("next"),
            self.new_block("again"),
            self.new_block("done"),
        );
        self.b.span = span;
        let cmp = if node.inclusive { Cmp::Le } else { Cmp::Lt };
        let enters = self.b.setp(cmp, kind, from, to);
        self.b.var_set(var, from);
        self.b.brc(enters, body, exit);
        self.homes.insert(node.var, Home::Var(var));
        self.loop_body(node.id, body, LoopBlocks { next, exit }, &node.body);
        self.b.block = next;
        self.b.span = span;
        let i = self.b.var_get(var);
        let distance = self.b.op(Opcode::Sub, unsigned, &[to, i]);
        let cmp = if node.inclusive { Cmp::Lt } else { Cmp::Le };
        let ends = self.b.setp(cmp, unsigned, distance, step);
        self.b.brc(ends, exit, again);
        self.b.block = again;
        let i = self.b.op(Opcode::Add, unsigned, &[i, step]);
        self.b.var_set(var, i);
        self.b.br(body, &[]);
        self.b.block = exit;
    }
}
