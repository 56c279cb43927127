//! What names mean while an expression of the command line is evaluated.

use std::collections::BTreeMap;

use super::expr::Num;
use crate::diag::{Code, Diagnostic, Span};

/// Names of numbers and buffers.
pub trait Env {
    /// A number by name (`n`, `y.len`, the loop variable of a fold).
    fn scalar(&self, name: &str) -> Option<Num>;
    /// Element of a buffer.
    fn element(&mut self, name: &str, index: i128, span: Span) -> Result<Num, Diagnostic>;
    /// Element of a buffer's sorted copy.
    fn sorted_element(&mut self, name: &str, index: i128, span: Span) -> Result<Num, Diagnostic>;
    /// Gives a name a value and returns the one it had.
    fn bind(&mut self, name: &str, value: Num) -> Option<Num>;
    /// Takes a binding back.
    fn restore(&mut self, name: &str, saved: Option<Num>);
    /// All names, for suggestions.
    fn names(&self) -> Vec<String>;

    /// The error for an unknown name, with the nearest known one.
    fn unknown(&self, name: &str, span: Span) -> Diagnostic {
        let error =
            Diagnostic::new(Code::K0802, format!("nothing is called `{name}` here")).at(span, "");
        match nearest(name, self.names().iter().map(String::as_str)) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help("give it a value with `--let NAME=EXPR`"),
        }
    }
}

/// The candidate most like `name`, if one is near enough to be meant.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .map(|c| {
            (
                strsim::damerau_levenshtein(&name.to_lowercase(), &c.to_lowercase()),
                c,
            )
        })
        .filter(|(distance, c)| *distance <= 1 + name.len().max(c.len()) / 3)
        .min()
        .map(|(_, c)| c)
}

/// An environment of numbers only.
#[derive(Clone, Debug, Default)]
pub struct Names {
    values: BTreeMap<String, Num>,
}

impl Names {
    /// Gives a name a value.
    pub fn set(&mut self, name: &str, value: Num) {
        self.values.insert(name.to_string(), value);
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<Num> {
        self.values.get(name).copied()
    }

    /// All names.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }
}

impl Env for Names {
    fn scalar(&self, name: &str) -> Option<Num> {
        self.get(name)
    }

    fn element(&mut self, name: &str, _index: i128, span: Span) -> Result<Num, Diagnostic> {
        Err(Diagnostic::new(Code::K0802, format!("`{name}` has no elements here")).at(span, ""))
    }

    fn sorted_element(&mut self, name: &str, index: i128, span: Span) -> Result<Num, Diagnostic> {
        self.element(name, index, span)
    }

    fn bind(&mut self, name: &str, value: Num) -> Option<Num> {
        self.values.insert(name.to_string(), value)
    }

    fn restore(&mut self, name: &str, saved: Option<Num>) {
        match saved {
            Some(value) => self.set(name, value),
            None => drop(self.values.remove(name)),
        }
    }

    fn names(&self) -> Vec<String> {
        self.keys().map(str::to_string).collect()
    }
}
