//! The checked form of a kernel: names resolved, every expression typed, literals with their bits.

use super::ast::BinOp;
use super::types::{Scalar, Ty};
use crate::diag::Span;
use crate::ir::{KernelAttrs, SReg};

/// A parameter, `let`, `var` or induction variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LocalId(pub usize);

/// What is known of a local.
#[derive(Clone, Debug)]
pub struct Local {
    /// Name.
    pub name: String,
    /// Type.
    pub ty: Ty,
    /// Declared with `var`.
    pub mutable: bool,
    /// Place of the declaration.
    pub span: Span,
}

/// A kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Name.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// Attributes.
    pub attrs: KernelAttrs,
    /// Locals; the first `params` of them are the parameters.
    pub locals: Vec<Local>,
    /// Parameters, with whether `@noalias` stands on them.
    pub params: Vec<(LocalId, bool)>,
    /// Body.
    pub body: Vec<Stmt>,
}

/// A loop that `break` and `continue` name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LoopId(pub usize);

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Kind.
    pub kind: StmtKind,
    /// Place.
    pub span: Span,
}

/// Kinds of statements.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum StmtKind {
    Let(LocalId, Expr),
    Var(LocalId, Option<Expr>),
    Assign(LocalId, Expr),
    Store(Place, Expr),
    /// `place op= e`: the address is computed once.
    Update(Place, BinOp, Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    While(LoopId, Expr, Vec<Stmt>),
    Loop(LoopId, Vec<Stmt>),
    For(Box<For>),
    Break(LoopId),
    Continue(LoopId),
    Return,
    Block(Vec<Stmt>),
    Expr(Expr),
}

/// A counting loop.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct For {
    pub id: LoopId,
    pub var: LocalId,
    pub from: Expr,
    pub to: Expr,
    pub inclusive: bool,
    pub step: Option<Expr>,
    pub body: Vec<Stmt>,
}

/// Memory of one element: a pointer, and an index in elements.
#[derive(Clone, Debug)]
pub struct Place {
    /// Base pointer.
    pub base: Base,
    /// Index.
    pub index: Option<Box<Expr>>,
    /// Element type.
    pub elem: Scalar,
    /// Whole.
    pub span: Span,
}

/// Base of a place.
#[derive(Clone, Debug)]
pub enum Base {
    /// A slice parameter.
    Slice(LocalId),
    /// A pointer value.
    Ptr(Box<Expr>),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Kind.
    pub kind: ExprKind,
    /// Type.
    pub ty: Ty,
    /// Place.
    pub span: Span,
}

/// Builtin functions of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Builtin {
    Min,
    Max,
    Abs,
    Sqrt,
    Fma,
    Select,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum ExprKind {
    /// Bits of a constant.
    Const(u64),
    Local(LocalId),
    SReg(SReg),
    /// `global_id.x` … by axis.
    GlobalId(usize),
    /// `global_id64.x` … by axis.
    GlobalId64(usize),
    /// Length of a slice parameter.
    Len(LocalId),
    Neg(Box<Expr>),
    /// `!` of a bool, `~` of an integer.
    Not(Box<Expr>),
    /// Arithmetic, bits, shifts; both of the same type but for shift counts.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    Compare(BinOp, Box<Expr>, Box<Expr>),
    /// `&&`, `||`: the right side is evaluated only where it decides.
    Logic(BinOp, Box<Expr>, Box<Expr>),
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    Cast(Box<Expr>),
    Load(Place),
    AddrOf(Place),
    /// Pointer plus (or minus) elements.
    PtrOffset(Box<Expr>, Box<Expr>, bool),
    Builtin(Builtin, Vec<Expr>),
    Error,
}
