//! Drives the generated parser: error recovery, messages, and the limit on nesting.

use lalrpop_util::{ErrorRecovery, ParseError, lalrpop_mod};

use super::ast::*;
use super::lexer::Tokens;
use super::token::Token;
use crate::diag::{Code, Diagnostic, FileId, Sink, Span};

lalrpop_mod!(
    #[allow(
        clippy::all,
        missing_docs,
        unused,
        unused_qualifications,
        clippy::panic,
        clippy::unwrap_used
    )]
    grammar,
    "/kernel.rs"
);

/// Where the parser recovers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// At a `;`.
    Statement,
    /// At the next item.
    Item,
}

/// State of the grammar's actions.
pub struct Ctx<'c> {
    file: FileId,
    text: &'c str,
    errors: Vec<Diagnostic>,
    too_deep: bool,
}

impl<'c> Ctx<'c> {
    fn new(text: &'c str, file: FileId) -> Ctx<'c> {
        Ctx {
            file,
            text,
            errors: Vec::new(),
            too_deep: false,
        }
    }

    /// A span of the file.
    pub fn span(&self, l: usize, r: usize) -> Span {
        Span::new(self.file, l, r.max(l))
    }

    /// Notes an error that the parser recovers from.
    pub fn recover(&mut self, recovery: ErrorRecovery<usize, Token, ()>, _at: Recovery) {
        let diagnostic = self.explain(recovery.error);
        self.errors.push(diagnostic);
    }

    /// One more than the deepest child; reports the limit once.
    fn deeper(&mut self, span: Span, depths: &[u16]) -> Option<u16> {
        let depth = depths.iter().copied().max().unwrap_or(0) + 1;
        if depth <= MAX_DEPTH {
            return Some(depth);
        }
        if !self.too_deep {
            self.too_deep = true;
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            self.errors.push(
                Diagnostic::new(Code::K0004, message)
                    .at(
                        Span {
                            end: span.end.min(span.start + 40),
                            ..span
                        },
                        "",
                    )
                    .help("split it with `let`, or into several statements"),
            );
        }
        None
    }

    /// An expression node.
    pub fn expr(&mut self, l: usize, r: usize, kind: ExprKind) -> Expr {
        let span = self.span(l, r);
        let depth = match &kind {
            ExprKind::Unary(_, a) | ExprKind::Field(a, _) => vec![a.depth],
            ExprKind::Cast(a, ty) => vec![a.depth, ty.depth],
            ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => vec![a.depth, b.depth],
            ExprKind::Cond(a, b, c) => vec![a.depth, b.depth, c.depth],
            ExprKind::Call(f, args) => args
                .iter()
                .map(|a| a.value.depth)
                .chain([f.depth])
                .collect(),
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Path(_)
            | ExprKind::Later(_)
            | ExprKind::Error => vec![],
        };
        match self.deeper(span, &depth) {
            Some(depth) => Expr { kind, span, depth },
            None => Expr {
                kind: ExprKind::Error,
                span,
                depth: 1,
            },
        }
    }

    /// A binary expression.
    pub fn binary(&mut self, l: usize, r: usize, op: BinOp, a: Expr, b: Expr) -> Expr {
        self.expr(l, r, ExprKind::Binary(op, Box::new(a), Box::new(b)))
    }

    /// A type node.
    pub fn ty(&mut self, l: usize, r: usize, kind: TypeKind) -> Type {
        let span = self.span(l, r);
        let depth = match &kind {
            TypeKind::Slice(t) | TypeKind::Uniform(t) => vec![t.depth],
            TypeKind::Ref(_, _, t) | TypeKind::Ptr(_, _, t) => vec![t.depth],
            TypeKind::Path(_) | TypeKind::Later(_) | TypeKind::Error => vec![],
        };
        match self.deeper(span, &depth) {
            Some(depth) => Type { kind, span, depth },
            None => Type {
                kind: TypeKind::Error,
                span,
                depth: 1,
            },
        }
    }

    /// A block node.
    pub fn block(&mut self, l: usize, r: usize, stmts: Vec<Stmt>) -> Block {
        let span = self.span(l, r);
        let depths: Vec<u16> = stmts.iter().map(|s| s.depth).collect();
        match self.deeper(span, &depths) {
            Some(depth) => Block { stmts, span, depth },
            None => Block {
                stmts: vec![],
                span,
                depth: 1,
            },
        }
    }

    /// A statement node. Only blocks nest statements.
    pub fn stmt(&mut self, l: usize, r: usize, attrs: Vec<Attr>, kind: StmtKind) -> Stmt {
        let span = self.span(l, r);
        let depth = match &kind {
            StmtKind::If(node) => node
                .then
                .depth
                .max(node.otherwise.as_ref().map_or(0, |b| b.depth)),
            StmtKind::For(node) => node.body.depth,
            StmtKind::While(_, _, body) | StmtKind::Loop(_, body) | StmtKind::Block(body) => {
                body.depth
            }
            StmtKind::Let(..)
            | StmtKind::Var(..)
            | StmtKind::Const(_)
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Return(_)
            | StmtKind::Expr(_)
            | StmtKind::Assign(..)
            | StmtKind::OpAssign(..)
            | StmtKind::Empty
            | StmtKind::Later(_)
            | StmtKind::Error => 0,
        };
        Stmt {
            attrs,
            kind,
            span,
            depth,
        }
    }

    fn explain(&self, error: ParseError<usize, Token, ()>) -> Diagnostic {
        match error {
            ParseError::UnrecognizedToken {
                token: (l, token, r),
                expected,
            } => self.unexpected(l, r, Some(token), &expected),
            ParseError::UnrecognizedEof { expected, .. } => {
                // Point behind the last thing written, not behind trailing blank lines.
                let end = self.text.trim_end().len();
                self.unexpected(end.saturating_sub(1), end, None, &expected)
            }
            ParseError::ExtraToken {
                token: (l, token, r),
            } => self.unexpected(l, r, Some(token), &[]),
            ParseError::InvalidToken { location } => self.unexpected(location, location, None, &[]),
            ParseError::User { error: () } => {
                Diagnostic::new(Code::K0003, "syntax error").at(self.span(0, 0), "")
            }
        }
    }

    fn unexpected(
        &self,
        l: usize,
        r: usize,
        token: Option<Token>,
        expected: &[String],
    ) -> Diagnostic {
        let found = token
            .as_ref()
            .map_or("the end of the file".to_string(), Token::describe);
        let has = |t: &str| expected.iter().any(|e| e.trim_matches('"') == t);
        let wanted = wanted(expected);
        // A missing `;` is best shown behind the line it belongs to.
        let before = self.text.get(..l).unwrap_or("").trim_end();
        let new_line = self
            .text
            .get(before.len()..l)
            .is_some_and(|gap| gap.contains('\n'));
        let message = match &wanted {
            Some(wanted) => format!("expected {wanted}, found {found}"),
            None => format!("unexpected {found}"),
        };
        if has(";") && (new_line || token.is_none() || token == Some(Token::RBrace)) {
            let at = self.span(before.len().saturating_sub(1), before.len());
            let behind = self.span(before.len(), before.len());
            return Diagnostic::new(Code::K0003, format!("expected `;`, found {found}"))
                .at(at, "behind this")
                .help_edit("end the statement", behind, ";");
        }
        let diagnostic = Diagnostic::new(Code::K0003, message).at(self.span(l, r), "");
        match habit(token.as_ref(), before, self.text.get(r..).unwrap_or("")) {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}

/// The expected tokens in words; nothing where they are too many to help.
fn wanted(expected: &[String]) -> Option<String> {
    let names: Vec<String> = expected
        .iter()
        .map(|e| e.trim_matches('"').to_string())
        .map(|e| {
            if e.contains(' ') && e != "> >" {
                e
            } else {
                format!("`{e}`")
            }
        })
        .collect();
    let starts_expression =
        names.iter().any(|n| n == "an integer") && names.iter().any(|n| n == "a name");
    let starts_statement = names.iter().any(|n| n == "`let`");
    let is_item = names.iter().any(|n| n == "`kernel`");
    if is_item {
        return Some("an item such as `kernel`, `fn` or `const`".to_string());
    }
    if starts_statement {
        return Some("a statement or `}`".to_string());
    }
    if starts_expression {
        return Some("an expression".to_string());
    }
    let has = |n: &str| names.iter().any(|x| x == n);
    if has("`*`") && has("`+`") {
        // Behind a whole expression: operators are always possible, closing tokens are the news.
        let closers: Vec<&str> = [";", ")", "]", "{", ",", ":", ".."]
            .into_iter()
            .filter(|c| has(&format!("`{c}`")) && (*c != ":" || !has("`;`")))
            .collect();
        let list: Vec<String> = closers.iter().map(|c| format!("`{c}`")).collect();
        return Some(match list.as_slice() {
            [] => "an operator".to_string(),
            list => format!("{} or an operator", list.join(", ")),
        });
    }
    match names.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        [init @ .., last] if names.len() <= 6 => Some(format!("{} or {last}", init.join(", "))),
        _ => None,
    }
}

/// Advice for habits of other languages.
fn habit(token: Option<&Token>, before: &str, after: &str) -> Option<&'static str> {
    let last_word = before
        .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
        .next()
        .unwrap_or("");
    let c_types = [
        "int", "float", "double", "unsigned", "char", "long", "short", "void", "auto", "size_t",
    ];
    match token? {
        Token::Ident(_) if c_types.contains(&last_word) => {
            Some("names come before types: `let i: i32 = 0;` or `var i: i32 = 0;`")
        }
        Token::Plus if before.ends_with('+') => Some("there is no `++`; write `i += 1;`"),
        Token::Minus if before.ends_with('-') => Some("there is no `--`; write `i -= 1;`"),
        Token::Semi if before.ends_with("++") => Some("there is no `++`; write `i += 1;`"),
        Token::LParen if last_word == "for" => {
            Some("write `for i in 0 .. n { }`, with `step` for another step")
        }
        Token::Lt | Token::Gt | Token::Le | Token::Ge | Token::EqEq | Token::Ne => {
            Some("comparisons do not chain; join two with `&&`")
        }
        Token::Eq if !after.starts_with('=') => Some("`=` assigns; compare with `==`"),
        _ => None,
    }
}

/// Parses a file. The tree holds what could be understood; errors go to the sink.
pub fn parse(text: &str, file: FileId, sink: &mut Sink) -> Unit {
    if text.len() > u32::MAX as usize / 2 {
        sink.push(Diagnostic::new(
            Code::K0003,
            "the file is larger than 2 GiB",
        ));
        return Unit::default();
    }
    let mut tokens = Tokens::new(text, file);
    let mut ctx = Ctx::new(text, file);
    let result = grammar::UnitParser::new().parse(&mut ctx, tokens.by_ref());
    let unit = match result {
        Ok(unit) => unit,
        Err(error) => {
            let diagnostic = ctx.explain(error);
            ctx.errors.push(diagnostic);
            Unit::default()
        }
    };
    // A bad character explains the syntax error behind it: report the first of them only.
    let lexical = tokens.sink.take();
    let first_bad = lexical.first().map(|d| d.span().start);
    for diagnostic in lexical {
        sink.push(diagnostic);
    }
    for diagnostic in ctx.errors {
        let hidden = first_bad
            .is_some_and(|at| diagnostic.code == Code::K0003 && diagnostic.span().start >= at);
        if !hidden {
            sink.push(diagnostic);
        }
    }
    unit
}
