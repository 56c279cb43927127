//! Buffer specifications: `[type] [dims] [: INIT] [, FLAG]*`.
//!
//! ```text
//! [n]:random(seed=7)      f32[16, n]:iota      @points.npy      [4]:[1, 2, 3, 4],ro
//! ```

use std::path::PathBuf;

use super::array::Elem;
use super::env::nearest;
use super::expr::{self, Expr};
use crate::diag::{Code, Diagnostic, FileId, Span};

/// Initial contents.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// All zero bits.
    Zeros,
    /// The number one.
    Ones,
    /// One value.
    Const(Expr),
    /// start, start + step, …
    Iota(Option<Expr>, Option<Expr>),
    /// Uniform in lo..hi; integers without bounds take random bits.
    Random(Generator),
    /// Bell-shaped: mean and standard deviation in `lo` and `hi`.
    Normal(Generator),
    /// Uniform integers in lo..=hi.
    RandInt(Generator),
    /// A permutation of 0..n.
    Perm(Generator),
    /// The identity matrix.
    Eye,
    /// Given values.
    List(Vec<Expr>),
    /// A file: `.npy`, or raw bytes from an offset.
    File(PathBuf, u64),
    /// A null pointer.
    Null,
    /// The same memory as another buffer.
    Alias(String),
}

/// Arguments of a random generator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Generator {
    /// Seed.
    pub seed: Option<Expr>,
    /// Lower bound, or mean.
    pub lo: Option<Expr>,
    /// Upper bound, or standard deviation.
    pub hi: Option<Expr>,
}

/// How a kernel may use a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Access {
    /// Follows from the kernel's parameter.
    #[default]
    Default,
    /// Writing is a fault.
    ReadOnly,
    /// Not printed as input; may be written.
    Writable,
}

/// A parsed specification.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferSpec {
    /// Element type, where given.
    pub elem: Option<Elem>,
    /// Dimensions, where given.
    pub dims: Option<Vec<Expr>>,
    /// Initial contents.
    pub init: Init,
    /// Access.
    pub access: Access,
    /// The whole text.
    pub span: Span,
}

const INITS: [&str; 12] = [
    "zeros", "ones", "const", "iota", "random", "normal", "randint", "perm", "eye", "null",
    "alias", "@FILE",
];

/// Parses `text`, which starts at byte `base` of `file`.
pub fn parse_buffer(text: &str, file: FileId, base: usize) -> Result<BufferSpec, Diagnostic> {
    Scanner {
        text,
        file,
        base,
        at: 0,
    }
    .buffer()
}

struct Scanner<'a> {
    text: &'a str,
    file: FileId,
    base: usize,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn span(&self, from: usize, to: usize) -> Span {
        Span::new(self.file, self.base + from, self.base + to)
    }

    fn error(&self, message: impl Into<String>, from: usize) -> Diagnostic {
        let to = self.text.len().max(from);
        Diagnostic::new(Code::K0801, message).at(self.span(from, to), "").help(
            "a buffer is written `[dims]:INIT`, for example `[n]:random(seed=7)`, `[4]:[1,2,3,4]` or `@file.npy`",
        )
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, c: char) -> bool {
        self.skip_blanks();
        let hit = self.rest().starts_with(c);
        self.at += if hit { c.len_utf8() } else { 0 };
        hit
    }

    fn word(&mut self) -> &'a str {
        self.skip_blanks();
        let rest = self.rest();
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// The pieces of a bracketed list, separated by top-level commas; `open` is already eaten.
    fn list(&mut self, close: char) -> Result<Vec<(usize, &'a str)>, Diagnostic> {
        let start = self.at;
        let mut depth = 0usize;
        let mut pieces = Vec::new();
        let mut from = start;
        for (i, c) in self.rest().char_indices() {
            match c {
                '(' | '[' => depth += 1,
                _ if depth == 0 && c == close => {
                    let piece = &self.text[from..start + i];
                    if !piece.trim().is_empty() || !pieces.is_empty() {
                        pieces.push((from, piece));
                    }
                    self.at = start + i + c.len_utf8();
                    return Ok(pieces);
                }
                ')' | ']' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    pieces.push((from, &self.text[from..start + i]));
                    from = start + i + 1;
                }
                _ => {}
            }
        }
        Err(self.error(format!("`{close}` is missing"), start))
    }

    fn expr(&self, piece: (usize, &str)) -> Result<Expr, Diagnostic> {
        expr::parse(piece.1, self.file, self.base + piece.0)
    }

    fn exprs(&mut self, close: char) -> Result<Vec<Expr>, Diagnostic> {
        let pieces = self.list(close)?;
        pieces.into_iter().map(|p| self.expr(p)).collect()
    }

    fn buffer(mut self) -> Result<BufferSpec, Diagnostic> {
        self.skip_blanks();
        let from = self.at;
        let mut elem = None;
        let mut dims = None;
        let mut init = Init::Zeros;
        let mut given = false;
        if self.rest().starts_with('@') {
            init = self.init()?;
            given = true;
        } else {
            let word = self.word();
            match Elem::find(word) {
                Some(found) => elem = Some(found),
                None if word.is_empty() => {}
                None if INITS.contains(&word) => {
                    self.at = from;
                    init = self.init()?;
                    given = true;
                }
                None => {
                    return Err(self.unknown(
                        word,
                        from,
                        "element type",
                        Elem::ALL.map(Elem::name).into_iter(),
                    ));
                }
            }
            if !given && self.eat('[') {
                dims = Some(self.exprs(']')?);
            }
            if !given && self.eat(':') {
                init = self.init()?;
                given = true;
            }
        }
        if !given && dims.is_none() {
            return Err(self.error("this buffer has neither dimensions nor contents", from));
        }
        let access = self.flags()?;
        Ok(BufferSpec {
            elem,
            dims,
            init,
            access,
            span: self.span(from, self.text.len()),
        })
    }

    fn unknown<'b>(
        &self,
        word: &str,
        from: usize,
        what: &str,
        known: impl Iterator<Item = &'b str> + Clone,
    ) -> Diagnostic {
        let all: Vec<&str> = known.clone().collect();
        let error = Diagnostic::new(Code::K0801, format!("`{word}` is no {what}"))
            .at(self.span(from, from + word.len().max(1)), "");
        match nearest(word, known) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help(format!("there are: {}", all.join(" "))),
        }
    }

    fn flags(&mut self) -> Result<Access, Diagnostic> {
        let mut access = Access::Default;
        while self.eat(',') {
            self.skip_blanks();
            let from = self.at;
            access = match self.word() {
                "ro" => Access::ReadOnly,
                "wo" | "inout" => Access::Writable,
                other => {
                    return Err(self.unknown(
                        other,
                        from,
                        "buffer flag",
                        ["ro", "wo", "inout"].into_iter(),
                    ));
                }
            };
        }
        self.skip_blanks();
        if self.at < self.text.len() {
            return Err(self.error("unexpected text behind the buffer", self.at));
        }
        Ok(access)
    }

    fn init(&mut self) -> Result<Init, Diagnostic> {
        self.skip_blanks();
        let from = self.at;
        if self.eat('@') {
            return self.file();
        }
        if self.eat('[') {
            return Ok(Init::List(self.exprs(']')?));
        }
        let word = self.word();
        Ok(match word {
            "zeros" => Init::Zeros,
            "ones" => Init::Ones,
            "eye" => Init::Eye,
            "null" => Init::Null,
            "const" => match self.args(&["value"])?.remove(0) {
                Some(value) => Init::Const(value),
                None => return Err(self.error("`const` needs its value: `const(1.5)`", from)),
            },
            "iota" => {
                let mut args = self.args(&["start", "step"])?;
                let step = args.remove(1);
                Init::Iota(args.remove(0), step)
            }
            "random" => Init::Random(self.generator(&["seed", "lo", "hi"])?),
            "normal" => Init::Normal(self.generator(&["seed", "mean", "std"])?),
            "randint" => Init::RandInt(self.generator(&["seed", "lo", "hi"])?),
            "perm" => Init::Perm(self.generator(&["seed", "", ""])?),
            "alias" => {
                let name = if self.eat('(') { self.word() } else { "" };
                if name.is_empty() || !self.eat(')') {
                    return Err(self.error("`alias` needs the name of a buffer: `alias(x)`", from));
                }
                Init::Alias(name.to_string())
            }
            other => {
                return Err(self.unknown(other, from, "way to fill a buffer", INITS.into_iter()));
            }
        })
    }

    fn file(&mut self) -> Result<Init, Diagnostic> {
        let rest = self.rest();
        let end = rest.find(',').unwrap_or(rest.len());
        let name = rest[..end].trim_end();
        if name.is_empty() {
            return Err(self.error("`@` needs a file name", self.at));
        }
        self.at += end;
        if let Some((path, offset)) = name.rsplit_once('+')
            && let Ok(offset) = offset.parse()
        {
            return Ok(Init::File(PathBuf::from(path), offset));
        }
        Ok(Init::File(PathBuf::from(name), 0))
    }

    fn generator(&mut self, names: &[&str]) -> Result<Generator, Diagnostic> {
        let mut args = self.args(names)?;
        let hi = args.remove(2);
        let lo = args.remove(1);
        Ok(Generator {
            seed: args.remove(0),
            lo,
            hi,
        })
    }

    /// Arguments by position or `name=value`; none at all without brackets.
    fn args(&mut self, names: &[&str]) -> Result<Vec<Option<Expr>>, Diagnostic> {
        let mut out = vec![None; names.len()];
        if !self.eat('(') {
            return Ok(out);
        }
        for (position, (at, piece)) in self.list(')')?.into_iter().enumerate() {
            let (slot, value) = match piece.split_once('=') {
                Some((name, _)) if !piece.contains("==") => {
                    let trimmed = name.trim();
                    let Some(slot) = names.iter().position(|n| !n.is_empty() && *n == trimmed)
                    else {
                        let known = names.iter().copied().filter(|n| !n.is_empty());
                        return Err(self.unknown(trimmed, at, "argument here", known));
                    };
                    (slot, (at + name.len() + 1, &piece[name.len() + 1..]))
                }
                _ => (position, (at, piece)),
            };
            if names.get(slot).is_none_or(|n| n.is_empty()) || out[slot].is_some() {
                return Err(self.error("too many arguments", at));
            }
            out[slot] = Some(self.expr(value)?);
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<BufferSpec, Diagnostic> {
        parse_buffer(text, FileId(0), 0)
    }

    #[test]
    fn all_forms_parse() {
        let spec = parse("f32[n, 2*m]:random(seed=7, hi=2),ro").unwrap();
        assert_eq!(spec.elem, Some(Elem::F32));
        assert_eq!(spec.dims.unwrap().len(), 2);
        assert_eq!(spec.access, Access::ReadOnly);
        let Init::Random(generator) = spec.init else {
            panic!()
        };
        assert!(generator.seed.is_some() && generator.lo.is_none() && generator.hi.is_some());
        assert_eq!(
            parse("@a b.npy,ro").unwrap().init,
            Init::File(PathBuf::from("a b.npy"), 0)
        );
        assert_eq!(
            parse("u8[4]:@a.bin+16").unwrap().init,
            Init::File(PathBuf::from("a.bin"), 16)
        );
        assert!(matches!(parse("[3]:[1, 2, 3]").unwrap().init, Init::List(v) if v.len() == 3));
        assert_eq!(
            parse("alias(x)").unwrap().init,
            Init::Alias("x".to_string())
        );
        assert_eq!(parse("[4]").unwrap().init, Init::Zeros);
        assert!(matches!(
            parse("[4]:iota(5)").unwrap().init,
            Init::Iota(Some(_), None)
        ));
    }

    #[test]
    fn mistakes_are_errors() {
        for text in [
            "",
            "[",
            "[n",
            "f31[4]",
            "[4]:zeroes",
            "[4]:const",
            "[4]:iota(1,2,3)",
            "[4] junk",
            "[4],rw",
            "@",
            "[4]:random(sed=1)",
            "alias(",
            "[1,2]:[1",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        let help = &parse("[4]:zeroes").unwrap_err().help[0].text;
        assert!(help.contains("`zeros`"), "{help}");
    }

    #[test]
    fn mutations_never_panic() {
        let base = "f32[n,2]:random(seed=7,lo=-1,hi=[1]),ro";
        for i in 0..base.len() {
            for c in ["", "(", ")", "[", "]", ",", ":", "@", "ä", "="] {
                let text = format!("{}{c}{}", &base[..i], &base[i + 1..]);
                let _ = parse(&text);
            }
        }
    }
}
