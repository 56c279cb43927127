//! VISA text to tokens with byte offsets, for the generated parser.
//!
//! Line ends are tokens, as they end instructions and labels; several in a row are one, and there is
//! one behind the last line. A line end behind `(` or `,` is no token, so that long parameter lists
//! can go on.

use logos::{Logos, SpannedIter};

use crate::diag::{Code, Diagnostic, FileId, Sink, Span};

/// A token. Names come without their sign.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\f]+")]
#[logos(skip("//[^\n]*", allow_greedy = true))]
#[allow(missing_docs)]
pub enum Token<'t> {
    #[token("/*", block_comment)]
    Comment,
    #[token("\n")]
    Newline,
    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("[")]
    LBracket,
    #[token("]")]
    RBracket,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token("=")]
    Eq,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token(".kernel")]
    Kernel,
    #[token(".var")]
    VarDirective,
    #[token(".loc")]
    Loc,
    /// `.wave`.
    #[regex(r"\.[A-Za-z_][A-Za-z0-9_]*", |lex| &lex.slice()[1..])]
    Directive(&'t str),
    /// `add.u32`, `entry`, `ptr.global`.
    #[regex(r"[A-Za-z_][A-Za-z0-9_.]*")]
    Word(&'t str),
    /// `%x`, `%17`, `%tid.x`.
    #[regex(r"%[A-Za-z0-9_][A-Za-z0-9_.]*", |lex| &lex.slice()[1..])]
    Value(&'t str),
    /// `$x`.
    #[regex(r"\$[A-Za-z0-9_][A-Za-z0-9_.]*", |lex| &lex.slice()[1..])]
    Var(&'t str),
    /// `@saxpy`.
    #[regex(r"@[A-Za-z0-9_][A-Za-z0-9_.]*", |lex| &lex.slice()[1..])]
    Global(&'t str),
    /// Digits with all that sticks to them; whether they are a number is seen where the type is known.
    #[regex(r"[0-9][0-9A-Za-z_.]*")]
    #[regex(r"[0-9]+(\.[0-9]+)?[eE][+-][0-9]+")]
    Number(&'t str),
    /// The text between quotes, escapes as written.
    #[regex(r#""([^"\\\n]|\\[^\n])*""#, |lex| &lex.slice()[1..lex.slice().len() - 1])]
    Str(&'t str),
}

fn block_comment<'t>(lexer: &mut logos::Lexer<'t, Token<'t>>) -> Result<logos::Skip, ()> {
    let rest = lexer.remainder();
    match rest.find("*/") {
        Some(at) => {
            lexer.bump(at + 2);
            Ok(logos::Skip)
        }
        None => {
            lexer.bump(rest.len());
            Err(())
        }
    }
}

impl Token<'_> {
    /// The token in a message.
    pub fn describe(&self) -> String {
        let sign = match self {
            Token::Comment => return "a comment".to_string(),
            Token::Newline => return "the end of the line".to_string(),
            Token::Directive(name) => return format!("`.{name}`"),
            Token::Word(name) => return format!("`{name}`"),
            Token::Value(name) => return format!("`%{name}`"),
            Token::Var(name) => return format!("`${name}`"),
            Token::Global(name) => return format!("`@{name}`"),
            Token::Number(digits) => return format!("`{digits}`"),
            Token::Str(text) => return format!("`\"{text}\"`"),
            Token::LParen => "(",
            Token::RParen => ")",
            Token::LBracket => "[",
            Token::RBracket => "]",
            Token::LBrace => "{",
            Token::RBrace => "}",
            Token::Comma => ",",
            Token::Colon => ":",
            Token::Eq => "=",
            Token::Plus => "+",
            Token::Minus => "-",
            Token::Kernel => ".kernel",
            Token::VarDirective => ".var",
            Token::Loc => ".loc",
        };
        format!("`{sign}`")
    }
}

/// Iterator of `(start, token, end)`. Bad characters are reported and skipped.
pub struct Tokens<'t> {
    inner: SpannedIter<'t, Token<'t>>,
    text: &'t str,
    file: FileId,
    /// The last token given out; a line end before the first.
    last: Token<'t>,
    /// Diagnostics found so far.
    pub sink: Sink,
}

/// Bad characters reported at most: a binary file is told in a few lines.
const MAX_BAD: usize = 20;

impl<'t> Tokens<'t> {
    /// Tokens of a text.
    pub fn new(text: &'t str, file: FileId) -> Tokens<'t> {
        Tokens {
            inner: Token::lexer(text).spanned(),
            text,
            file,
            last: Token::Newline,
            sink: Sink::new(),
        }
    }

    fn bad(&mut self, start: usize, end: usize) {
        if self.sink.len() >= MAX_BAD {
            return;
        }
        let slice = self.text.get(start..end).unwrap_or("");
        let (message, end, help) = if slice.starts_with("/*") {
            let message = "this comment is not closed".to_string();
            (message, start + 2, Some("end it with `*/`"))
        } else if slice.starts_with('"') {
            (
                "this string is not closed on its line".to_string(),
                end,
                None,
            )
        } else {
            let message = format!("unexpected character `{}`", slice.escape_debug());
            (message, end, None)
        };
        let span = Span::new(self.file, start, end);
        let diagnostic = Diagnostic::new(Code::K0501, message).at(span, "");
        self.sink.push(match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = (usize, Token<'t>, usize);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some((token, range)) = self.inner.next() else {
                if self.last == Token::Newline {
                    return None;
                }
                self.last = Token::Newline;
                return Some((self.text.len(), Token::Newline, self.text.len()));
            };
            let Ok(token) = token else {
                self.bad(range.start, range.end);
                continue;
            };
            let goes_on = matches!(self.last, Token::Newline | Token::LParen | Token::Comma);
            if token == Token::Newline && goes_on {
                continue;
            }
            self.last = token;
            return Some((range.start, token, range.end));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        let tokens = Tokens::new(text, FileId(0));
        tokens.map(|(_, token, _)| token.describe()).collect()
    }

    #[test]
    fn line_ends_end_lines_once() {
        let end = "the end of the line";
        assert_eq!(
            tokens("\n\n a // b\n\n/* c\n */ d"),
            ["`a`", end, "`d`", end]
        );
        assert_eq!(
            tokens("a(\n%b,\n c)"),
            ["`a`", "`(`", "`%b`", "`,`", "`c`", "`)`", end]
        );
        assert!(tokens(" // nothing\n").is_empty());
    }

    #[test]
    fn numbers_keep_what_sticks_to_them() {
        for text in ["0x1F", "1.5e-7", "2.0e20", "12ab", "0f7F800000"] {
            assert_eq!(tokens(text)[0], format!("`{text}`"));
        }
        assert_eq!(tokens("%p+4")[..3], ["`%p`", "`+`", "`4`"]);
        assert_eq!(tokens("0x1e-5")[..3], ["`0x1e`", "`-`", "`5`"]);
    }
}
