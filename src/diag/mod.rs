//! Spans, diagnostics, error codes with their explain pages, and rendering.
//!
//! Every stage pushes [`Diagnostic`]s into a [`Sink`]; only [`render`] turns them into text.

pub mod code;
pub mod diagnostic;
pub mod render;
pub mod sink;
pub mod span;

pub use code::Code;
pub use diagnostic::{Diagnostic, Help, Label, Severity};
pub use sink::Sink;
pub use span::{FileId, LineCol, SourceFile, SourceMap, Span};
