//! Source text to tokens with byte offsets, for the generated parser.
//!
//! Adjusts what a regular lexer cannot know: `>` directly before another `>` is its own token, so
//! that it can close nested generic arguments or be half of a shift; `0.1` behind a dot is two tuple
//! indices.

use logos::{Logos, SpannedIter};

use super::token::Token;
use crate::diag::{Code, Diagnostic, FileId, Sink, Span};

/// Iterator of `(start, token, end)`. Bad characters are reported and skipped.
pub struct Tokens<'a> {
    inner: SpannedIter<'a, Token>,
    text: &'a str,
    file: FileId,
    after_dot: bool,
    /// Diagnostics found so far.
    pub sink: Sink,
}

impl<'a> Tokens<'a> {
    /// Tokens of a text.
    pub fn new(text: &'a str, file: FileId) -> Tokens<'a> {
        Tokens {
            inner: Token::lexer(text).spanned(),
            text,
            file,
            after_dot: false,
            sink: Sink::new(),
        }
    }

    fn bad(&mut self, start: usize, end: usize) {
        let span = Span::new(self.file, start, end);
        let slice = self.text.get(start..end).unwrap_or("");
        let diagnostic = if slice.starts_with("/*") {
            Diagnostic::new(Code::K0002, "this comment is not closed")
                .at(span, "")
                .help("end it with `*/`")
        } else if slice.starts_with('"') {
            Diagnostic::new(Code::K0002, "this string is not closed on its line").at(span, "")
        } else {
            Diagnostic::new(
                Code::K0001,
                format!("unexpected character `{}`", slice.escape_debug()),
            )
            .at(span, "")
        };
        self.sink.push(diagnostic);
    }
}

impl Iterator for Tokens<'_> {
    type Item = (usize, Token, usize);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (token, range) = self.inner.next()?;
            let token = match token {
                Ok(Token::Comment) => continue,
                Ok(token) => token,
                Err(()) => {
                    self.bad(range.start, range.end);
                    continue;
                }
            };
            let token = match token {
                Token::Gt if self.text.as_bytes().get(range.end) == Some(&b'>') => Token::GtJoined,
                Token::Float(float) if self.after_dot && float.suffix.is_none() => {
                    Token::FloatIndex(float.text)
                }
                other => other,
            };
            self.after_dot = token == Token::Dot;
            return Some((range.start, token, range.end));
        }
    }
}
