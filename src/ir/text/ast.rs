//! What the grammar of VISA text gives: lines in order, names not yet resolved.
//!
//! Nothing here knows an opcode. An instruction is its mnemonic with results and operands; `build`
//! asks the opcode table what they mean.

use std::borrow::Cow;

use crate::diag::Span;

/// A name without its sign (`%`, `$`, `@`, `.`), a word, or the digits of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name<'t> {
    /// The text.
    pub text: &'t str,
    /// Its place, the sign included.
    pub span: Span,
}

/// A number literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number<'t> {
    /// Whether a minus sign stands before it.
    pub negative: bool,
    /// Digits as written, without the sign.
    pub digits: &'t str,
    /// Place of sign and digits.
    pub span: Span,
}

impl<'t> Number<'t> {
    /// The literal as `parse_literal` takes it.
    pub fn text(self) -> Cow<'t, str> {
        if self.negative {
            Cow::Owned(format!("-{}", self.digits))
        } else {
            Cow::Borrowed(self.digits)
        }
    }
}

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModuleText<'t> {
    /// Directives and kernels in order.
    pub items: Vec<Item<'t>>,
}

/// A line or a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item<'t> {
    /// `.wave any`.
    Directive(Directive<'t>),
    /// `.kernel @name(…) … { … }`.
    Kernel(Kernel<'t>),
    /// A line that is neither; it was reported.
    Error,
}

/// A directive outside of kernels, or an attribute of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive<'t> {
    /// Name without the dot.
    pub name: Name<'t>,
    /// Arguments.
    pub args: Vec<DirectiveArg<'t>>,
    /// The whole line.
    pub span: Span,
}

/// An argument of a directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DirectiveArg<'t> {
    /// `any`.
    Word(Name<'t>),
    /// `32`, `1.0`.
    Number(Number<'t>),
    /// `"saxpy.k"`: the text between the quotes, escapes as written.
    Str(Name<'t>),
}

/// A kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel<'t> {
    /// Name without `@`.
    pub name: Name<'t>,
    /// Parameters.
    pub params: Vec<Param<'t>>,
    /// `.launch_bounds(256, 1)` and others.
    pub attrs: Vec<Directive<'t>>,
    /// Lines of the body.
    pub body: Vec<Line<'t>>,
    /// From `.kernel` to the end of the parameters.
    pub span: Span,
}

/// A parameter of a kernel or of a block: `%x: ptr.global readonly elem(f32)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param<'t> {
    /// Name.
    pub name: Name<'t>,
    /// Type as written.
    pub ty: Name<'t>,
    /// Words behind the type, each with a word in parentheses where there is one.
    pub attrs: Vec<(Name<'t>, Option<Name<'t>>)>,
}

/// A line of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line<'t> {
    /// `.var $x: i32`.
    Var(Name<'t>, Name<'t>),
    /// `.loc 1 10 5`.
    Loc([Number<'t>; 3], Span),
    /// `loop(%i: i32):`.
    Label(Name<'t>, Vec<Param<'t>>),
    /// An instruction.
    Inst(InstText<'t>),
    /// A line that could not be read; it was reported.
    Error,
}

/// An instruction: results, mnemonic with suffixes, operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstText<'t> {
    /// Results.
    pub results: Vec<Name<'t>>,
    /// `setp.lt.u32`.
    pub mnemonic: Name<'t>,
    /// Operands in order: special registers, variables, values, successors.
    pub operands: Vec<Operand<'t>>,
    /// The whole line.
    pub span: Span,
}

/// An operand; its position decides what it must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand<'t> {
    /// `%x`: a value or a special register.
    Value(Name<'t>),
    /// `$x`.
    Var(Name<'t>),
    /// `-5`, `0x1F`, `1.5`.
    Number(Number<'t>),
    /// `true`, or a label.
    Word(Name<'t>),
    /// `i32(5)`, or a label with arguments. Arguments are never calls of calls.
    Call(Name<'t>, Vec<Operand<'t>>, Span),
    /// `[%p+8]`.
    Addr(Box<Operand<'t>>, Option<Number<'t>>, Span),
}

impl Operand<'_> {
    /// The place.
    pub fn span(&self) -> Span {
        match self {
            Operand::Value(name) | Operand::Var(name) | Operand::Word(name) => name.span,
            Operand::Number(number) => number.span,
            Operand::Call(_, _, span) | Operand::Addr(_, _, span) => *span,
        }
    }
}
