//! Expressions of the command line: sizes, launch shapes, scalar values and expectations.
//!
//! Two kinds of numbers: integers (exact, 128 bits, wrapping) and f64. An operation on two integers
//! gives an integer, `/` always divides as f64 and `div(a, b)` is the integer quotient; anything
//! with an f64 gives f64. `u32(e) i32(e) u64(e) i64(e)` wrap to a width and `f32(e)` rounds to
//! single precision, so that kernels' arithmetic can be written down exactly.
//!
//! ```text
//! y[i] ~= a*x[i] + y0[i]          total[0] == sum(k in 0..n, x[k])
//! ```

use logos::Logos;

use super::env::Env;
use crate::diag::{Code, Diagnostic, FileId, Span};

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Num {
    /// An integer.
    Int(i128),
    /// A float.
    Float(f64),
}

impl Num {
    /// As a float; integers beyond 2^53 round.
    pub fn to_f64(self) -> f64 {
        match self {
            Num::Int(v) => v as f64,
            Num::Float(v) => v,
        }
    }

    /// Whether it counts as true: not zero.
    pub fn is_true(self) -> bool {
        match self {
            Num::Int(v) => v != 0,
            Num::Float(v) => v != 0.0,
        }
    }

    /// As an integer, where it is one (floats with an integral value too).
    pub fn to_int(self) -> Option<i128> {
        match self {
            Num::Int(v) => Some(v),
            Num::Float(v) if v == v.trunc() && v.abs() < 1e30 => Some(v as i128),
            Num::Float(_) => None,
        }
    }
}

/// Comparison at the top of an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Rel {
    Eq,
    /// Equal within the tolerance.
    Near,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    Rel(Rel),
    AndAnd,
    OrOr,
}

/// What a fold over a range computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// Sum of the body.
    Sum,
    /// Number of indices where the body holds.
    Count,
}

/// An expression with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// The node.
    pub node: Node,
    /// Its place in the argument's text.
    pub span: Span,
}

/// An expression node.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Node {
    Num(Num),
    /// A name, `n` or `y.len`.
    Name(String),
    /// `x[e]`
    Index(String, Box<Expr>),
    /// `sorted(x)[e]`
    Sorted(String, Box<Expr>),
    Neg(Box<Expr>),
    Not(Box<Expr>),
    Binary(BinOp, Box<Expr>, Box<Expr>),
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    Call(String, Vec<Expr>),
    Fold(Fold, String, Box<Expr>, Box<Expr>, Box<Expr>),
}

#[derive(Logos, Clone, Debug, PartialEq)]
#[logos(skip r"[ \t\r\n]+")]
enum Tok {
    #[regex(r"[0-9][0-9_]*", |l| l.slice().replace('_', "").parse().ok())]
    #[regex(r"0[xX][0-9a-fA-F_]+", |l| i128::from_str_radix(&l.slice()[2..].replace('_', ""), 16).ok())]
    Int(i128),
    #[regex(r"[0-9][0-9_]*\.[0-9]+([eE][+-]?[0-9]+)?", |l| l.slice().replace('_', "").parse().ok())]
    #[regex(r"[0-9]+[eE][+-]?[0-9]+", |l| l.slice().parse().ok())]
    Float(f64),
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*", |l| l.slice().to_string())]
    Name(String),
    #[token("..")]
    Dots,
    #[token("==")]
    EqEq,
    #[token("~=")]
    Near,
    #[token("!=")]
    Ne,
    #[token("<=")]
    Le,
    #[token(">=")]
    Ge,
    #[token("<<")]
    Shl,
    #[token(">>")]
    Shr,
    #[token("&&")]
    AndAnd,
    #[token("||")]
    OrOr,
    #[regex(r"[-+*/%&|^<>()\[\],?:!]", |l| l.slice().chars().next())]
    Sym(char),
}

const MAX_DEPTH: u32 = 200;

/// Parses a whole text as one expression. `base` is the offset of `text` in its source.
pub fn parse(text: &str, file: FileId, base: usize) -> Result<Expr, Diagnostic> {
    let mut toks = Vec::new();
    let mut lexer = Tok::lexer(text);
    while let Some(tok) = lexer.next() {
        let span = Span::new(file, base + lexer.span().start, base + lexer.span().end);
        match tok {
            Ok(tok) => toks.push((tok, span)),
            Err(()) => {
                return Err(
                    Diagnostic::new(Code::K0801, "this is not part of an expression").at(span, ""),
                );
            }
        }
    }
    let end = Span::new(file, base + text.len(), base + text.len());
    let mut parser = Parser {
        toks,
        at: 0,
        end,
        depth: 0,
    };
    let expr = parser.cond()?;
    match parser.peek() {
        None => Ok(expr),
        Some(_) => Err(parser.expected("the end of the expression")),
    }
}

struct Parser {
    toks: Vec<(Tok, Span)>,
    at: usize,
    end: Span,
    depth: u32,
}

impl Parser {
    fn peek(&self) -> Option<&Tok> {
        self.toks.get(self.at).map(|(t, _)| t)
    }

    fn span(&self) -> Span {
        self.toks.get(self.at).map_or(self.end, |(_, s)| *s)
    }

    fn eat(&mut self, tok: &Tok) -> bool {
        let hit = self.peek() == Some(tok);
        self.at += usize::from(hit);
        hit
    }

    fn sym(&mut self, c: char) -> bool {
        self.eat(&Tok::Sym(c))
    }

    fn need(&mut self, c: char) -> Result<(), Diagnostic> {
        if self.sym(c) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{c}`")))
        }
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let message = match self.peek() {
            None => format!("expected {what}, but the text ends here"),
            Some(_) => format!("expected {what} here"),
        };
        Diagnostic::new(Code::K0801, message).at(self.span(), "")
    }

    fn node(&self, node: Node, from: Span) -> Expr {
        let last = self
            .toks
            .get(self.at.wrapping_sub(1))
            .map_or(from, |(_, s)| *s);
        Expr {
            node,
            span: from.to(last),
        }
    }

    fn cond(&mut self) -> Result<Expr, Diagnostic> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(
                Diagnostic::new(Code::K0801, "the expression is nested too deeply")
                    .at(self.span(), ""),
            );
        }
        let from = self.span();
        let test = self.binary(0)?;
        let out = if self.sym('?') {
            let yes = self.cond()?;
            self.need(':')?;
            let no = self.cond()?;
            self.node(
                Node::Cond(Box::new(test), Box::new(yes), Box::new(no)),
                from,
            )
        } else {
            test
        };
        self.depth -= 1;
        Ok(out)
    }

    /// Operators by binding strength; Rust's order, so that `a & b == c` compares last.
    fn operator(&self) -> Option<(BinOp, u8)> {
        Some(match self.peek()? {
            Tok::OrOr => (BinOp::OrOr, 1),
            Tok::AndAnd => (BinOp::AndAnd, 2),
            Tok::EqEq => (BinOp::Rel(Rel::Eq), 3),
            Tok::Near => (BinOp::Rel(Rel::Near), 3),
            Tok::Ne => (BinOp::Rel(Rel::Ne), 3),
            Tok::Le => (BinOp::Rel(Rel::Le), 3),
            Tok::Ge => (BinOp::Rel(Rel::Ge), 3),
            Tok::Sym('<') => (BinOp::Rel(Rel::Lt), 3),
            Tok::Sym('>') => (BinOp::Rel(Rel::Gt), 3),
            Tok::Sym('|') => (BinOp::Or, 4),
            Tok::Sym('^') => (BinOp::Xor, 5),
            Tok::Sym('&') => (BinOp::And, 6),
            Tok::Shl => (BinOp::Shl, 7),
            Tok::Shr => (BinOp::Shr, 7),
            Tok::Sym('+') => (BinOp::Add, 8),
            Tok::Sym('-') => (BinOp::Sub, 8),
            Tok::Sym('*') => (BinOp::Mul, 9),
            Tok::Sym('/') => (BinOp::Div, 9),
            Tok::Sym('%') => (BinOp::Rem, 9),
            _ => return None,
        })
    }

    fn binary(&mut self, min: u8) -> Result<Expr, Diagnostic> {
        let from = self.span();
        let mut left = self.unary()?;
        while let Some((op, strength)) = self.operator() {
            if strength < min.max(1) {
                break;
            }
            self.at += 1;
            let right = self.binary(strength + 1)?;
            left = self.node(Node::Binary(op, Box::new(left), Box::new(right)), from);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, Diagnostic> {
        let from = self.span();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(
                Diagnostic::new(Code::K0801, "the expression is nested too deeply").at(from, ""),
            );
        }
        let out = if self.sym('-') {
            let inner = self.unary()?;
            self.node(Node::Neg(Box::new(inner)), from)
        } else if self.sym('!') {
            let inner = self.unary()?;
            self.node(Node::Not(Box::new(inner)), from)
        } else {
            self.primary()?
        };
        self.depth -= 1;
        Ok(out)
    }

    fn primary(&mut self) -> Result<Expr, Diagnostic> {
        let from = self.span();
        let Some(tok) = self.peek().cloned() else {
            return Err(self.expected("a value"));
        };
        match tok {
            Tok::Int(v) => {
                self.at += 1;
                Ok(self.node(Node::Num(Num::Int(v)), from))
            }
            Tok::Float(v) => {
                self.at += 1;
                Ok(self.node(Node::Num(Num::Float(v)), from))
            }
            Tok::Sym('(') => {
                self.at += 1;
                let inner = self.cond()?;
                self.need(')')?;
                Ok(inner)
            }
            Tok::Name(name) => {
                self.at += 1;
                self.after_name(name, from)
            }
            _ => Err(self.expected("a value")),
        }
    }

    fn after_name(&mut self, name: String, from: Span) -> Result<Expr, Diagnostic> {
        if self.sym('[') {
            let index = self.cond()?;
            self.need(']')?;
            return Ok(self.node(Node::Index(name, Box::new(index)), from));
        }
        if !self.sym('(') {
            return Ok(self.node(Node::Name(name), from));
        }
        match name.as_str() {
            "sum" | "count" => self.fold(
                if name == "sum" {
                    Fold::Sum
                } else {
                    Fold::Count
                },
                from,
            ),
            "sorted" => self.sorted(from),
            _ => {
                let mut args = Vec::new();
                while !self.sym(')') {
                    args.push(self.cond()?);
                    if !self.sym(',') {
                        self.need(')')?;
                        break;
                    }
                }
                Ok(self.node(Node::Call(name, args), from))
            }
        }
    }

    fn name(&mut self) -> Result<String, Diagnostic> {
        match self.peek().cloned() {
            Some(Tok::Name(name)) => {
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.expected("a name")),
        }
    }

    fn fold(&mut self, fold: Fold, from: Span) -> Result<Expr, Diagnostic> {
        let var = self.name()?;
        if self.peek() != Some(&Tok::Name("in".to_string())) {
            return Err(self.expected("`in`, as in `sum(k in 0..n, x[k])`"));
        }
        self.at += 1;
        let low = self.binary(4)?;
        if !self.eat(&Tok::Dots) {
            return Err(self.expected("`..`"));
        }
        let high = self.binary(4)?;
        self.need(',')?;
        let body = self.cond()?;
        self.need(')')?;
        let node = Node::Fold(fold, var, Box::new(low), Box::new(high), Box::new(body));
        Ok(self.node(node, from))
    }

    fn sorted(&mut self, from: Span) -> Result<Expr, Diagnostic> {
        let name = self.name()?;
        self.need(')')?;
        self.need('[')?;
        let index = self.cond()?;
        self.need(']')?;
        Ok(self.node(Node::Sorted(name, Box::new(index)), from))
    }
}

/// Evaluates an expression.
pub fn eval(expr: &Expr, env: &mut dyn Env) -> Result<Num, Diagnostic> {
    let fail = |text: String| Diagnostic::new(Code::K0802, text).at(expr.span, "");
    Ok(match &expr.node {
        Node::Num(num) => *num,
        Node::Name(name) => env
            .scalar(name)
            .ok_or_else(|| env.unknown(name, expr.span))?,
        Node::Index(name, index) => {
            let at = index_value(index, env)?;
            env.element(name, at, expr.span)?
        }
        Node::Sorted(name, index) => {
            let at = index_value(index, env)?;
            env.sorted_element(name, at, expr.span)?
        }
        Node::Neg(inner) => match eval(inner, env)? {
            Num::Int(v) => Num::Int(v.wrapping_neg()),
            Num::Float(v) => Num::Float(-v),
        },
        Node::Not(inner) => Num::Int(i128::from(!eval(inner, env)?.is_true())),
        Node::Binary(op, a, b) => {
            return binary(*op, a, b, env).map_err(|e| {
                e.unwrap_or_else(|| fail(format!("`{}` needs integers", op_text(*op))))
            });
        }
        Node::Cond(test, yes, no) => {
            return if eval(test, env)?.is_true() {
                eval(yes, env)
            } else {
                eval(no, env)
            };
        }
        Node::Call(name, args) => {
            let values = args
                .iter()
                .map(|a| eval(a, env))
                .collect::<Result<Vec<_>, _>>()?;
            call(name, &values).ok_or_else(|| fail(call_error(name, values.len())))?
        }
        Node::Fold(fold, var, low, high, body) => {
            let (low, high) = (index_value(low, env)?, index_value(high, env)?);
            let mut total = Num::Int(0);
            let saved = env.bind(var, Num::Int(low));
            for k in low..high {
                env.bind(var, Num::Int(k));
                let value = eval(body, env)?;
                let step = match fold {
                    Fold::Sum => value,
                    Fold::Count => Num::Int(i128::from(value.is_true())),
                };
                total = arith(BinOp::Add, total, step).unwrap_or(total);
            }
            env.restore(var, saved);
            total
        }
    })
}

fn index_value(expr: &Expr, env: &mut dyn Env) -> Result<i128, Diagnostic> {
    let value = eval(expr, env)?;
    value.to_int().ok_or_else(|| {
        Diagnostic::new(
            Code::K0802,
            format!("this must be an integer, but is {}", value.to_f64()),
        )
        .at(expr.span, "")
    })
}

/// `Err(None)` means that the operands' kinds do not fit.
fn binary(op: BinOp, a: &Expr, b: &Expr, env: &mut dyn Env) -> Result<Num, Option<Diagnostic>> {
    let left = eval(a, env).map_err(Some)?;
    match op {
        BinOp::AndAnd if !left.is_true() => return Ok(Num::Int(0)),
        BinOp::OrOr if left.is_true() => return Ok(Num::Int(1)),
        _ => {}
    }
    let right = eval(b, env).map_err(Some)?;
    arith(op, left, right).ok_or(None)
}

/// Applies an operator; `None` where it needs integers and got a float.
pub fn arith(op: BinOp, a: Num, b: Num) -> Option<Num> {
    use BinOp::*;
    if let Rel(rel) = op {
        return Some(Num::Int(i128::from(compare(rel, a, b))));
    }
    if let (Num::Int(x), Num::Int(y)) = (a, b) {
        return Some(Num::Int(match op {
            Add => x.wrapping_add(y),
            Sub => x.wrapping_sub(y),
            Mul => x.wrapping_mul(y),
            Div => return Some(Num::Float(x as f64 / y as f64)),
            Rem if y == 0 => x,
            Rem => x.wrapping_rem(y),
            And => x & y,
            Or => x | y,
            Xor => x ^ y,
            Shl => {
                if (0..128).contains(&y) {
                    x << y
                } else {
                    0
                }
            }
            Shr => x >> y.clamp(0, 127),
            AndAnd => i128::from(x != 0 && y != 0),
            OrOr => i128::from(x != 0 || y != 0),
            Rel(_) => return None,
        }));
    }
    let (x, y) = (a.to_f64(), b.to_f64());
    Some(match op {
        Add => Num::Float(x + y),
        Sub => Num::Float(x - y),
        Mul => Num::Float(x * y),
        Div => Num::Float(x / y),
        Rem => Num::Float(x % y),
        AndAnd => Num::Int(i128::from(x != 0.0 && y != 0.0)),
        OrOr => Num::Int(i128::from(x != 0.0 || y != 0.0)),
        And | Or | Xor | Shl | Shr | Rel(_) => return None,
    })
}

/// Compares exactly; integers as integers. `Near` without a tolerance is equality.
pub fn compare(rel: Rel, a: Num, b: Num) -> bool {
    let order = match (a, b) {
        (Num::Int(x), Num::Int(y)) => Some(x.cmp(&y)),
        _ => a.to_f64().partial_cmp(&b.to_f64()),
    };
    match rel {
        Rel::Eq | Rel::Near => order.is_some_and(|o| o.is_eq()),
        Rel::Ne => order.is_none_or(|o| o.is_ne()),
        Rel::Lt => order.is_some_and(|o| o.is_lt()),
        Rel::Le => order.is_some_and(|o| o.is_le()),
        Rel::Gt => order.is_some_and(|o| o.is_gt()),
        Rel::Ge => order.is_some_and(|o| o.is_ge()),
    }
}

fn op_text(op: BinOp) -> &'static str {
    match op {
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
        BinOp::Rel(_) => "comparison",
        BinOp::AndAnd => "&&",
        BinOp::OrOr => "||",
    }
}

const FUNCTIONS: &str =
    "abs min max floor ceil sqrt exp log sin cos pow fma div u8 i8 u16 i16 u32 i32 u64 i64 f32";

fn call_error(name: &str, count: usize) -> String {
    if FUNCTIONS.split(' ').any(|f| f == name) {
        format!("`{name}` does not take {count} arguments of this kind")
    } else {
        format!("there is no function `{name}`; there are: {FUNCTIONS} sum count sorted")
    }
}

fn call(name: &str, args: &[Num]) -> Option<Num> {
    let float = |f: fn(f64) -> f64| match args {
        [a] => Some(Num::Float(f(a.to_f64()))),
        _ => None,
    };
    let wrap = |bits: u32, signed: bool| match args {
        [a] => {
            let whole = a.to_int().unwrap_or(a.to_f64() as i128);
            let low = whole & ((1i128 << bits) - 1);
            let negative = signed && low >> (bits - 1) & 1 != 0;
            Some(Num::Int(if negative { low - (1i128 << bits) } else { low }))
        }
        _ => None,
    };
    match (name, args) {
        ("abs", [Num::Int(v)]) => Some(Num::Int(v.wrapping_abs())),
        ("abs", _) => float(f64::abs),
        ("min", [a, b]) => Some(if compare(Rel::Le, *a, *b) { *a } else { *b }),
        ("max", [a, b]) => Some(if compare(Rel::Ge, *a, *b) { *a } else { *b }),
        ("floor", _) => float(f64::floor),
        ("ceil", _) => float(f64::ceil),
        ("sqrt", _) => float(f64::sqrt),
        ("exp", _) => float(f64::exp),
        ("log", _) => float(f64::ln),
        ("sin", _) => float(f64::sin),
        ("cos", _) => float(f64::cos),
        ("pow", [a, b]) => Some(Num::Float(a.to_f64().powf(b.to_f64()))),
        ("fma", [a, b, c]) => Some(Num::Float(a.to_f64().mul_add(b.to_f64(), c.to_f64()))),
        ("div", [Num::Int(a), Num::Int(b)]) => Some(Num::Int(a.checked_div(*b).unwrap_or(0))),
        ("u8", _) => wrap(8, false),
        ("i8", _) => wrap(8, true),
        ("u16", _) => wrap(16, false),
        ("i16", _) => wrap(16, true),
        ("u32", _) => wrap(32, false),
        ("i32", _) => wrap(32, true),
        ("u64", _) => wrap(64, false),
        ("i64", _) => wrap(64, true),
        ("f32", [a]) => Some(Num::Float(f64::from(a.to_f64() as f32))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::env::Names;
    use super::*;

    fn value(text: &str) -> Num {
        let mut env = Names::default();
        env.set("n", Num::Int(10));
        eval(&parse(text, FileId(0), 0).unwrap(), &mut env).unwrap()
    }

    #[test]
    fn operators_bind_in_rusts_order() {
        assert_eq!(value("1 + 2 * 3"), Num::Int(7));
        assert_eq!(value("6 & 3 == 2"), Num::Int(1));
        assert_eq!(value("1 << 2 + 1"), Num::Int(8));
        assert_eq!(value("10 - 3 - 2"), Num::Int(5));
        assert_eq!(value("n > 9 ? 1 : 2"), Num::Int(1));
        assert_eq!(value("7 / 2"), Num::Float(3.5));
        assert_eq!(value("div(7, 2)"), Num::Int(3));
        assert_eq!(value("-n + 0x10"), Num::Int(6));
    }

    #[test]
    fn widths_wrap_and_folds_run() {
        assert_eq!(
            value("u32(2654435761 * 3)"),
            Num::Int(2654435761 * 3 % (1 << 32))
        );
        assert_eq!(value("i8(200)"), Num::Int(-56));
        assert_eq!(value("sum(k in 0..n, k * k)"), Num::Int(285));
        assert_eq!(value("count(k in 0..n, k % 3 == 0)"), Num::Int(4));
        assert_eq!(value("f32(0.1)"), Num::Float(f64::from(0.1f32)));
    }

    #[test]
    fn mistakes_have_a_place() {
        for text in [
            "1 +",
            "(1",
            "x[",
            "1 2",
            "$",
            "sum(k 0..3, k)",
            "99999999999999999999999999999999999999999999",
        ] {
            assert!(parse(text, FileId(0), 0).is_err(), "{text}");
        }
        let deep = "(".repeat(5000);
        assert!(parse(&deep, FileId(0), 0).is_err());
        let minus = "-".repeat(5000);
        assert!(parse(&minus, FileId(0), 0).is_err());
        let mut env = Names::default();
        let expr = parse("1 + lenght", FileId(0), 0).unwrap();
        let error = eval(&expr, &mut env).unwrap_err();
        assert_eq!(error.span(), Span::new(FileId(0), 4, 10));
    }
}
