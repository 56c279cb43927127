//! Collects diagnostics; a stage reports all it can, not the first.

use super::diagnostic::{Diagnostic, Severity};

/// Diagnostics of one run, in the order they were found until [`Sink::take`] sorts them by place.
#[derive(Debug, Default)]
pub struct Sink {
    found: Vec<Diagnostic>,
    errors: usize,
}

impl Sink {
    /// An empty sink.
    pub fn new() -> Sink {
        Sink::default()
    }

    /// Adds one; an exact repetition is dropped.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.found.contains(&diagnostic) {
            return;
        }
        self.errors += usize::from(diagnostic.severity == Severity::Error);
        self.found.push(diagnostic);
    }

    /// Whether an error was reported.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Number of errors reported.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// Number of diagnostics of any severity.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether nothing was reported.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// All diagnostics, sorted by place (stable, so equal places keep the order of discovery).
    pub fn take(&mut self) -> Vec<Diagnostic> {
        self.errors = 0;
        let mut all = std::mem::take(&mut self.found);
        all.sort_by_key(|d| d.span());
        all
    }
}
