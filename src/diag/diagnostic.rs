//! What a user is told: a code, a sentence, labelled places, notes and help.

use super::code::Code;
use super::span::Span;

/// How bad it is. `Error` makes the run fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The input is wrong; no output is produced.
    Error,
    /// Legal but probably not meant.
    Warning,
    /// Information.
    Note,
}

/// A place with a sentence about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is said about it; may be empty for a primary label.
    pub text: String,
    /// Whether this is the place the diagnostic is about.
    pub primary: bool,
}

/// Advice, with an edit that a tool may apply where that is safe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Help {
    /// The advice.
    pub text: String,
    /// Replace `span` by the text.
    pub edit: Option<(Span, String)>,
}

/// One finding about the user's input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Diagnostic {
    /// Severity.
    pub severity: Severity,
    /// Stable code, explained by `kcc explain`.
    pub code: Code,
    /// One sentence, no capital, no full stop.
    pub message: String,
    /// Places; the first primary one gives the position of the whole.
    pub labels: Vec<Label>,
    /// Further facts.
    pub notes: Vec<String>,
    /// Advice.
    pub help: Vec<Help>,
}

impl Diagnostic {
    /// A diagnostic with the severity of its code.
    pub fn new(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: code.severity(),
            code,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
        }
    }

    /// Adds the place it is about.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label {
            span,
            text: text.into(),
            primary: true,
        });
        self
    }

    /// Adds a second place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label {
            span,
            text: text.into(),
            primary: false,
        });
        self
    }

    /// Adds a fact.
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// Adds advice.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help.push(Help {
            text: text.into(),
            edit: None,
        });
        self
    }

    /// Adds advice with an edit that is safe to apply.
    pub fn help_edit(
        mut self,
        text: impl Into<String>,
        span: Span,
        new: impl Into<String>,
    ) -> Diagnostic {
        self.help.push(Help {
            text: text.into(),
            edit: Some((span, new.into())),
        });
        self
    }

    /// The place that the whole is about: the first primary label, else the first label.
    pub fn span(&self) -> Span {
        let primary = self
            .labels
            .iter()
            .find(|l| l.primary)
            .or(self.labels.first());
        primary.map_or(Span::NONE, |l| l.span)
    }
}
