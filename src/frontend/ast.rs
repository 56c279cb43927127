//! The syntax tree of the kernel language, as written. It covers the whole grammar; what a later
//! stage cannot lower yet is refused there with a diagnostic.

use crate::diag::Span;

use super::token::{FloatLit, IntLit};

/// Deepest nesting of expressions, statements and types. Deeper trees are refused while parsing, so
/// that recursion over the tree is safe.
pub const MAX_DEPTH: u16 = 256;

/// A name with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// Its place.
    pub span: Span,
}

/// A source file.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// Items in order.
    pub items: Vec<Item>,
}

/// `@name(args)`.
#[derive(Clone, Debug)]
pub struct Attr {
    /// Name.
    pub name: Ident,
    /// Arguments.
    pub args: Vec<Arg>,
    /// Whole.
    pub span: Span,
}

/// An item.
#[derive(Clone, Debug)]
pub struct Item {
    /// Attributes.
    pub attrs: Vec<Attr>,
    /// What it is.
    pub kind: ItemKind,
    /// Whole.
    pub span: Span,
}

/// Kinds of items.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// A kernel.
    Kernel(Func),
    /// A device function.
    Fn(Func),
    /// `const NAME: T = e;`
    Const(Const),
    /// Anything of the grammar that is not supported yet: what it is, in words.
    Later(&'static str),
    /// Did not parse; already reported.
    Error,
}

/// A kernel or function.
#[derive(Clone, Debug)]
pub struct Func {
    /// Name.
    pub name: Ident,
    /// Whether it has generic parameters, and where.
    pub generics: Option<Span>,
    /// Parameters.
    pub params: Vec<Param>,
    /// Return type.
    pub ret: Option<Type>,
    /// Body.
    pub body: Block,
}

/// A named constant.
#[derive(Clone, Debug)]
pub struct Const {
    /// Name.
    pub name: Ident,
    /// Type.
    pub ty: Type,
    /// Value.
    pub value: Expr,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Attributes.
    pub attrs: Vec<Attr>,
    /// Name.
    pub name: Ident,
    /// Type.
    pub ty: Type,
}

/// A type.
#[derive(Clone, Debug)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// Whole.
    pub span: Span,
    /// Nesting depth.
    pub depth: u16,
}

/// Kinds of types.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// A name.
    Path(Vec<Ident>),
    /// `[T]`, behind a reference only.
    Slice(Box<Type>),
    /// `&space mut T`.
    Ref(Space, bool, Box<Type>),
    /// `*space mut T`.
    Ptr(Space, bool, Box<Type>),
    /// `uniform T`.
    Uniform(Box<Type>),
    /// In the grammar, not supported yet.
    Later(&'static str),
    /// Did not parse; already reported.
    Error,
}

/// An address space in a type, `None` where not written.
pub type Space = Option<Ident>;

/// A block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Statements.
    pub stmts: Vec<Stmt>,
    /// Whole, braces included.
    pub span: Span,
    /// Nesting depth.
    pub depth: u16,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Attributes.
    pub attrs: Vec<Attr>,
    /// What it is.
    pub kind: StmtKind,
    /// Whole.
    pub span: Span,
    /// Nesting depth.
    pub depth: u16,
}

/// Kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `let NAME: T = e;`
    Let(Ident, Option<Type>, Expr),
    /// `var NAME: T = e;`
    Var(Ident, Option<Type>, Option<Expr>),
    /// `const NAME: T = e;`
    Const(Const),
    /// `if c { } else { }`
    If(Box<If>),
    /// `for i in a .. b step s { }`
    For(Box<For>),
    /// `while c { }`
    While(Option<Ident>, Expr, Block),
    /// `loop { }`
    Loop(Option<Ident>, Block),
    /// `break 'label;`
    Break(Option<Ident>),
    /// `continue 'label;`
    Continue(Option<Ident>),
    /// `return e;`
    Return(Option<Expr>),
    /// `{ }`
    Block(Block),
    /// An expression for its effect.
    Expr(Expr),
    /// `place = e;`
    Assign(Expr, Expr),
    /// `place op= e;`
    OpAssign(Expr, BinOp, Expr),
    /// `;`
    Empty,
    /// In the grammar, not supported yet.
    Later(&'static str),
    /// Did not parse; already reported.
    Error,
}

/// An `if` with its else branch.
#[derive(Clone, Debug)]
pub struct If {
    /// Condition.
    pub cond: Expr,
    /// Taken where it holds.
    pub then: Block,
    /// `else { }`, or an `else if` as a block of one statement.
    pub otherwise: Option<Block>,
}

/// A counting loop.
#[derive(Clone, Debug)]
pub struct For {
    /// Label.
    pub label: Option<Ident>,
    /// Induction variable.
    pub var: Ident,
    /// First value.
    pub from: Expr,
    /// Whether the end is included (`..=`).
    pub inclusive: bool,
    /// End.
    pub to: Expr,
    /// Step.
    pub step: Option<Expr>,
    /// Body.
    pub body: Block,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    AndAnd,
    OrOr,
}

impl BinOp {
    /// As written.
    pub fn text(self) -> &'static str {
        match self {
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Rem => "%",
            BinOp::And => "&",
            BinOp::Or => "|",
            BinOp::Xor => "^",
            BinOp::Shl => "<<",
            BinOp::Shr => ">>",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
            BinOp::AndAnd => "&&",
            BinOp::OrOr => "||",
        }
    }

    /// Whether it gives `bool` from two numbers.
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge
        )
    }
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum UnOp {
    Neg,
    Not,
    BitNot,
    Deref,
    /// `&place`, `&mut place`
    AddrOf(bool),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Whole.
    pub span: Span,
    /// Nesting depth.
    pub depth: u16,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Integer literal.
    Int(IntLit),
    /// Float literal.
    Float(FloatLit),
    /// `true`, `false`.
    Bool(bool),
    /// A string; only builtins that format take one.
    Str(String),
    /// A name.
    Path(Vec<Ident>),
    /// `op e`
    Unary(UnOp, Box<Expr>),
    /// `a op b`
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `e as T`
    Cast(Box<Expr>, Type),
    /// `e[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `e.name`
    Field(Box<Expr>, Ident),
    /// `f(args)`
    Call(Box<Expr>, Vec<Arg>),
    /// In the grammar, not supported yet.
    Later(&'static str),
    /// Did not parse; already reported.
    Error,
}

/// An argument of a call or attribute.
#[derive(Clone, Debug)]
pub struct Arg {
    /// `name =`, where written.
    pub name: Option<Ident>,
    /// Value.
    pub value: Expr,
}
