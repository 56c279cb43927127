//! Reads VISA text: drives the generated parser, builds the module, verifies it.
//!
//! ```text
//! text --lexer--> tokens --grammar--> lines (ast) --build--> Module --verify--> Module
//! ```
//!
//! Each step reports all errors it finds; the next step runs only after a step without errors, so
//! that one mistake is not reported twice. The grammar has no recursion: text cannot nest deeply.

use lalrpop_util::{ErrorRecovery, ParseError, lalrpop_mod};

use super::ast::{ModuleText, Name, Number};
use super::build;
use super::lexer::{Token, Tokens};
use crate::diag::{Code, Diagnostic, FileId, Sink, SourceMap, Span};
use crate::ir::func::Module;

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
    "/visa.rs"
);

/// The largest text. Offsets and entity numbers are 32 bits wide.
const MAX_BYTES: usize = 256 << 20;
/// Syntax errors reported at most.
const MAX_ERRORS: usize = 50;

/// Where the parser recovers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At the next directive or kernel.
    Item,
    /// At the next line of a body.
    Line,
}

/// State of the grammar's actions.
pub struct Ctx<'t> {
    file: FileId,
    text: &'t str,
    errors: Vec<Diagnostic>,
    /// Lines outside of kernels that follow a bad one say nothing new.
    lost: bool,
}

impl<'t> Ctx<'t> {
    /// A span of the file.
    pub fn span(&self, l: usize, r: usize) -> Span {
        Span::new(self.file, l, r.max(l))
    }

    /// A name at its place.
    pub fn name(&self, l: usize, text: &'t str, r: usize) -> Name<'t> {
        let span = self.span(l, r);
        Name { text, span }
    }

    /// A number at its place.
    pub fn number(&self, l: usize, negative: bool, digits: &'t str, r: usize) -> Number<'t> {
        Number {
            negative,
            digits,
            span: self.span(l, r),
        }
    }

    /// Notes an error that the parser recovers from.
    pub fn recover(&mut self, recovery: ErrorRecovery<usize, Token<'t>, ()>, place: Place) {
        self.report(recovery.error);
        self.lost |= place == Place::Item;
    }

    fn report(&mut self, error: ParseError<usize, Token<'t>, ()>) {
        if self.errors.len() < MAX_ERRORS && !self.lost {
            let diagnostic = self.explain(error);
            self.errors.push(diagnostic);
        }
    }

    fn explain(&self, error: ParseError<usize, Token<'t>, ()>) -> Diagnostic {
        let (l, r, token, expected) = match error {
            ParseError::UnrecognizedToken {
                token: (l, token, r),
                expected,
            } => (l, r, Some(token), expected),
            ParseError::ExtraToken {
                token: (l, token, r),
            } => (l, r, Some(token), Vec::new()),
            ParseError::UnrecognizedEof { location, expected } => {
                (location, location, None, expected)
            }
            ParseError::InvalidToken { location } => (location, location, None, Vec::new()),
            ParseError::User { error: () } => (0, 0, None, Vec::new()),
        };
        let found = token.map_or("the end of the file".to_string(), |t| t.describe());
        let message = match wanted(&expected) {
            Some(wanted) => format!("expected {wanted}, found {found}"),
            None => format!("unexpected {found}"),
        };
        // Point at something visible: behind the last thing written, not at a line end.
        let (l, r) = match token {
            None | Some(Token::Newline) => {
                let end = self.text.get(..l).unwrap_or("").trim_end().len();
                let start = self
                    .text
                    .get(..end)
                    .unwrap_or("")
                    .char_indices()
                    .next_back();
                (start.map_or(0, |(at, _)| at), end)
            }
            Some(_) => (l, r),
        };
        let diagnostic = Diagnostic::new(Code::K0501, message).at(self.span(l, r), "");
        match habit(token, expected.iter().any(|e| e.contains("\"}\""))) {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}

/// The expected tokens in words; nothing where they are too many to help.
fn wanted(expected: &[String]) -> Option<String> {
    let has = |name: &str| expected.iter().any(|e| e.trim_matches('"') == name);
    if has(".kernel") {
        return Some("a directive or a kernel".to_string());
    }
    if has(".var") {
        return Some("an instruction, a label or `}`".to_string());
    }
    let name = |e: &String| match e.trim_matches('"') {
        "end of line" => "the end of the line".to_string(),
        "a kernel name" => "a kernel name such as `@k`".to_string(),
        plain if plain.starts_with("a ") => plain.to_string(),
        sign => format!("`{sign}`"),
    };
    let names: Vec<String> = expected.iter().map(name).collect();
    match names.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        [init @ .., last] if names.len() <= 7 => Some(format!("{} or {last}", init.join(", "))),
        _ => None,
    }
}

/// Advice for common slips.
fn habit(token: Option<Token<'_>>, in_body: bool) -> Option<&'static str> {
    match token? {
        Token::Kernel if in_body => Some("the kernel before it is not closed: end it with `}`"),
        Token::Directive("entry" | "visible" | "func") => {
            Some("a kernel is `.kernel @name(%x: ptr.global, %n: i32)`")
        }
        Token::Directive("reg") => Some("values need no declaration; `.var $x: i32` is a variable"),
        _ => None,
    }
}

/// Reads a module from VISA text and verifies it. `None` after errors, which are in the sink.
///
/// Places of instructions are those of the VISA text, or, where `.loc` lines name a file of
/// `sources`, those of that file.
pub fn parse(file: FileId, sources: &SourceMap, sink: &mut Sink) -> Option<Module> {
    let source = sources.get(file)?;
    if source.text.len() > MAX_BYTES {
        let message = format!("the file is larger than {} MiB", MAX_BYTES >> 20);
        sink.push(Diagnostic::new(Code::K0509, message).at(Span::new(file, 0, 0), ""));
        return None;
    }
    let tree = parse_lines(&source.text, file, sink)?;
    build::build(&tree, file, sources, sink)
}

/// The lines of a text; `None` after errors.
fn parse_lines<'t>(text: &'t str, file: FileId, sink: &mut Sink) -> Option<ModuleText<'t>> {
    let mut tokens = Tokens::new(text, file);
    let mut ctx = Ctx {
        file,
        text,
        errors: Vec::new(),
        lost: false,
    };
    let tree = match grammar::ModuleParser::new().parse(&mut ctx, tokens.by_ref()) {
        Ok(tree) => Some(tree),
        Err(error) => {
            ctx.report(error);
            None
        }
    };
    // A bad character explains the syntax errors behind it.
    let lexical = tokens.sink.take();
    let first_bad = lexical.first().map(|d| d.span().start);
    let hidden = |d: &Diagnostic| first_bad.is_some_and(|at| d.span().start >= at);
    let syntax = ctx.errors.into_iter().filter(|d| !hidden(d));
    let found: Vec<Diagnostic> = syntax.chain(lexical).collect();
    let clean = found.is_empty();
    found.into_iter().for_each(|d| sink.push(d));
    tree.filter(|_| clean)
}
