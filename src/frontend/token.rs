//! Tokens of the kernel language.

use logos::{Lexer, Logos};

use super::ast::BinOp;

/// An integer literal: value and suffix (`u32`), if any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntLit {
    /// The value; `None` when it does not fit 64 bits.
    pub value: Option<u64>,
    /// Type suffix, float types included (`1f32`).
    pub suffix: Option<String>,
}

/// A float literal: its text without underscores and suffix, and the suffix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FloatLit {
    /// Decimal or hexadecimal text.
    pub text: String,
    /// Type suffix.
    pub suffix: Option<String>,
}

fn split_suffix(text: &str, digits: impl Fn(char) -> bool) -> (String, Option<String>) {
    let end = text
        .find(|c: char| !digits(c) && c != '_')
        .unwrap_or(text.len());
    let suffix = text[end..].trim_start_matches('_');
    let number = text[..end].replace('_', "");
    (number, (!suffix.is_empty()).then(|| suffix.to_string()))
}

fn integer(lexer: &mut Lexer<Token>) -> IntLit {
    let text = lexer.slice();
    let (radix, body) = match text.get(..2) {
        Some("0x" | "0X") => (16, &text[2..]),
        Some("0b" | "0B") => (2, &text[2..]),
        Some("0o" | "0O") => (8, &text[2..]),
        _ => (10, text),
    };
    // A hexadecimal number swallows letters that are digits; suffixes begin with u or i.
    let (number, suffix) = split_suffix(body, |c| {
        if radix == 16 {
            c.is_ascii_hexdigit()
        } else {
            c.is_ascii_digit()
        }
    });
    IntLit {
        value: u64::from_str_radix(&number, radix).ok(),
        suffix,
    }
}

fn float(lexer: &mut Lexer<Token>) -> FloatLit {
    let text = lexer.slice();
    let hex = text.starts_with("0x") || text.starts_with("0X");
    let mut end = text.len();
    let exponent = if hex { ['p', 'P'] } else { ['e', 'E'] };
    let tail_from = text.find(exponent).map_or(0, |at| at + 1);
    let tail = &text[tail_from..];
    if let Some(at) = tail.find(|c: char| {
        !(c.is_ascii_digit()
            || "+-._".contains(c)
            || (tail_from == 0 && hex && c.is_ascii_hexdigit()))
    }) {
        end = tail_from + at;
    }
    let suffix = text[end..].trim_start_matches('_');
    FloatLit {
        text: text[..end].replace('_', ""),
        suffix: (!suffix.is_empty()).then(|| suffix.to_string()),
    }
}

fn block_comment(lexer: &mut Lexer<Token>) -> Result<logos::Skip, ()> {
    let mut depth = 1;
    let rest = lexer.remainder();
    let bytes = rest.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], bytes.get(at + 1)) {
            (b'/', Some(b'*')) => {
                depth += 1;
                at += 2;
            }
            (b'*', Some(b'/')) => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    lexer.bump(at);
                    return Ok(logos::Skip);
                }
            }
            _ => at += 1,
        }
    }
    lexer.bump(rest.len());
    Err(())
}

/// A token.
#[derive(Logos, Clone, Debug, PartialEq)]
#[logos(skip r"[ \t\r\n\f]+")]
#[logos(skip("//[^\n]*", allow_greedy = true))]
#[allow(missing_docs)]
pub enum Token {
    #[token("/*", block_comment)]
    Comment,
    #[token("!")]
    Not,
    #[token("%")]
    Percent,
    #[token("&")]
    Amp,
    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("*")]
    Star,
    #[token("+")]
    Plus,
    #[token(",")]
    Comma,
    #[token("-")]
    Minus,
    #[token(".")]
    Dot,
    #[token("/")]
    Slash,
    #[token(":")]
    Colon,
    #[token(";")]
    Semi,
    #[token("<")]
    Lt,
    #[token("=")]
    Eq,
    #[token(">")]
    Gt,
    #[token("?")]
    Question,
    #[token("@")]
    At,
    #[token("[")]
    LBracket,
    #[token("]")]
    RBracket,
    #[token("^")]
    Caret,
    #[token("{")]
    LBrace,
    #[token("|")]
    Pipe,
    #[token("}")]
    RBrace,
    #[token("~")]
    Tilde,
    #[token("&&")]
    AndAnd,
    #[token("||")]
    OrOr,
    #[token("->")]
    Arrow,
    #[token("=>")]
    FatArrow,
    #[token("::")]
    Colon2,
    #[token("::<")]
    Colon2Lt,
    #[token("..")]
    DotDot,
    #[token("..=")]
    DotDotEq,
    #[token("==")]
    EqEq,
    #[token("!=")]
    Ne,
    #[token("<=")]
    Le,
    #[token(">=")]
    Ge,
    #[token("<<")]
    Shl,
    /// `>` directly followed by `>`; made by the lexer.
    GtJoined,
    #[token("+=", |_| BinOp::Add)]
    #[token("-=", |_| BinOp::Sub)]
    #[token("*=", |_| BinOp::Mul)]
    #[token("/=", |_| BinOp::Div)]
    #[token("%=", |_| BinOp::Rem)]
    #[token("&=", |_| BinOp::And)]
    #[token("|=", |_| BinOp::Or)]
    #[token("^=", |_| BinOp::Xor)]
    #[token("<<=", |_| BinOp::Shl)]
    #[token(">>=", |_| BinOp::Shr)]
    OpEq(BinOp),
    #[token("as")]
    As,
    #[token("asm")]
    Asm,
    #[token("break")]
    Break,
    #[token("comptime")]
    Comptime,
    #[token("const")]
    Const,
    #[token("continue")]
    Continue,
    #[token("dyn")]
    Dyn,
    #[token("else")]
    Else,
    #[token("extern")]
    Extern,
    #[token("false")]
    False,
    #[token("fn")]
    Fn,
    #[token("for")]
    For,
    #[token("if")]
    If,
    #[token("import")]
    Import,
    #[token("in")]
    In,
    #[token("instantiate")]
    Instantiate,
    #[token("kernel")]
    Kernel,
    #[token("let")]
    Let,
    #[token("loop")]
    Loop,
    #[token("match")]
    Match,
    #[token("mut")]
    Mut,
    #[token("return")]
    Return,
    #[token("shared")]
    Shared,
    #[token("static_assert")]
    StaticAssert,
    #[token("step")]
    Step,
    #[token("struct")]
    Struct,
    #[token("true")]
    True,
    #[token("type")]
    Type,
    #[token("uniform")]
    Uniform,
    #[token("var")]
    Var,
    #[token("while")]
    While,
    #[regex("global|constant|private|generic", |l| l.slice().to_string())]
    Space(String),
    #[regex("[A-Za-z_][A-Za-z0-9_]*", |l| l.slice().to_string(), priority = 1)]
    Ident(String),
    #[regex("'[A-Za-z_][A-Za-z0-9_]*", |l| l.slice()[1..].to_string())]
    Label(String),
    #[regex("[0-9][0-9_]*([iuf][0-9]+)?", integer)]
    #[regex("0[xX][0-9a-fA-F_]+([iu][0-9]+)?", integer)]
    #[regex("0[bB][01_]+([iu][0-9]+)?", integer)]
    #[regex("0[oO][0-7_]+([iu][0-9]+)?", integer)]
    Int(IntLit),
    #[regex(r"[0-9][0-9_]*\.[0-9][0-9_]*([eE][+-]?[0-9]+)?(b?f[0-9]+)?", float)]
    #[regex(r"[0-9][0-9_]*[eE][+-]?[0-9]+(b?f[0-9]+)?", float)]
    #[regex(
        r"0[xX][0-9a-fA-F]+(\.[0-9a-fA-F]+)?[pP][+-]?[0-9]+(b?f[0-9]+)?",
        float
    )]
    Float(FloatLit),
    /// The two numbers of `t.0.1`; made by the lexer.
    FloatIndex(String),
    #[regex(r#""([^"\\\n]|\\.)*""#, |l| l.slice()[1..l.slice().len() - 1].to_string())]
    Str(String),
}

impl Token {
    /// How messages name it.
    pub fn describe(&self) -> String {
        match self {
            Token::Ident(name) => format!("`{name}`"),
            Token::Space(name) => format!("`{name}`"),
            Token::Label(name) => format!("`'{name}`"),
            Token::Int(_) | Token::Float(_) | Token::FloatIndex(_) => "a number".to_string(),
            Token::Str(_) => "a string".to_string(),
            Token::OpEq(op) => format!("`{}=`", op.text()),
            Token::GtJoined => "`>`".to_string(),
            Token::Comment => "a comment".to_string(),
            other => format!("`{}`", other.spelling()),
        }
    }

    fn spelling(&self) -> &'static str {
        match self {
            Token::Not => "!",
            Token::Percent => "%",
            Token::Amp => "&",
            Token::LParen => "(",
            Token::RParen => ")",
            Token::Star => "*",
            Token::Plus => "+",
            Token::Comma => ",",
            Token::Minus => "-",
            Token::Dot => ".",
            Token::Slash => "/",
            Token::Colon => ":",
            Token::Semi => ";",
            Token::Lt => "<",
            Token::Eq => "=",
            Token::Gt | Token::GtJoined => ">",
            Token::Question => "?",
            Token::At => "@",
            Token::LBracket => "[",
            Token::RBracket => "]",
            Token::Caret => "^",
            Token::LBrace => "{",
            Token::Pipe => "|",
            Token::RBrace => "}",
            Token::Tilde => "~",
            Token::AndAnd => "&&",
            Token::OrOr => "||",
            Token::Arrow => "->",
            Token::FatArrow => "=>",
            Token::Colon2 => "::",
            Token::Colon2Lt => "::<",
            Token::DotDot => "..",
            Token::DotDotEq => "..=",
            Token::EqEq => "==",
            Token::Ne => "!=",
            Token::Le => "<=",
            Token::Ge => ">=",
            Token::Shl => "<<",
            Token::As => "as",
            Token::Asm => "asm",
            Token::Break => "break",
            Token::Comptime => "comptime",
            Token::Const => "const",
            Token::Continue => "continue",
            Token::Dyn => "dyn",
            Token::Else => "else",
            Token::Extern => "extern",
            Token::False => "false",
            Token::Fn => "fn",
            Token::For => "for",
            Token::If => "if",
            Token::Import => "import",
            Token::In => "in",
            Token::Instantiate => "instantiate",
            Token::Kernel => "kernel",
            Token::Let => "let",
            Token::Loop => "loop",
            Token::Match => "match",
            Token::Mut => "mut",
            Token::Return => "return",
            Token::Shared => "shared",
            Token::StaticAssert => "static_assert",
            Token::Step => "step",
            Token::Struct => "struct",
            Token::True => "true",
            Token::Type => "type",
            Token::Uniform => "uniform",
            Token::Var => "var",
            Token::While => "while",
            Token::Comment
            | Token::OpEq(_)
            | Token::Space(_)
            | Token::Ident(_)
            | Token::Label(_)
            | Token::Int(_)
            | Token::Float(_)
            | Token::FloatIndex(_)
            | Token::Str(_) => "",
        }
    }
}
