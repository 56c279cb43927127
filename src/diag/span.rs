//! Source files and places in them.
//!
//! A [`Span`] is a `Copy` triple of file, start and end byte offset. It travels unchanged from token
//! to machine instruction, and from there through the line table into faults and profiles.

use std::sync::Arc;

/// Identifies one file of a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A half-open byte range `start..end` of one source file.
///
/// [`Span::NONE`] stands for code that no source line asked for (compiler-made code).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Byte offset of the first byte.
    pub start: u32,
    /// Byte offset behind the last byte.
    pub end: u32,
}

impl Span {
    /// The span of code without a source place.
    pub const NONE: Span = Span {
        file: FileId(u32::MAX),
        start: 0,
        end: 0,
    };

    /// Builds a span from byte offsets.
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        Span {
            file,
            start: start as u32,
            end: end as u32,
        }
    }

    /// Whether this is [`Span::NONE`].
    pub fn is_none(self) -> bool {
        self.file.0 == u32::MAX
    }

    /// The smallest span that covers both; the first one where they are of different files.
    pub fn to(self, other: Span) -> Span {
        if self.is_none() {
            return other;
        }
        if other.is_none() || other.file != self.file {
            return self;
        }
        Span {
            file: self.file,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

/// One source file: its name as the user wrote it, and its text.
#[derive(Debug)]
pub struct SourceFile {
    /// Path as given on the command line (`<stdin>` for standard input).
    pub name: String,
    /// The text.
    pub text: String,
    line_starts: Vec<u32>,
}

/// One-based line and column (in characters) of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineCol {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub col: u32,
}

impl SourceFile {
    /// Position of a byte offset; offsets past the end give the last position.
    pub fn line_col(&self, offset: u32) -> LineCol {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_starts.partition_point(|&s| s as usize <= offset);
        let start = self.line_starts[line - 1] as usize;
        let col = self.text[start..offset].chars().count() as u32 + 1;
        LineCol {
            line: line as u32,
            col,
        }
    }

    /// Text of a one-based line without its line end; empty past the end.
    pub fn line_text(&self, line: u32) -> &str {
        let Some(&start) = self.line_starts.get((line as usize).wrapping_sub(1)) else {
            return "";
        };
        let rest = &self.text[start as usize..];
        rest.split(['\n', '\r']).next().unwrap_or("")
    }
}

/// All source files of one run. Cheap to clone: files are shared.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<Arc<SourceFile>>,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a file and returns its id.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = text.into();
        let mut line_starts = vec![0];
        line_starts.extend(
            text.bytes()
                .enumerate()
                .filter(|(_, b)| *b == b'\n')
                .map(|(i, _)| i as u32 + 1),
        );
        self.files.push(Arc::new(SourceFile {
            name: name.into(),
            text,
            line_starts,
        }));
        FileId(self.files.len() as u32 - 1)
    }

    /// The file of an id; `None` for [`Span::NONE`]'s file.
    pub fn get(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize).map(|f| &**f)
    }

    /// File name and one-based position of a span's start; `None` for [`Span::NONE`].
    pub fn locate(&self, span: Span) -> Option<(&str, LineCol)> {
        let file = self.get(span.file)?;
        Some((&file.name, file.line_col(span.start)))
    }

    /// Number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is no file.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let mut map = SourceMap::new();
        let id = map.add("a.k", "ab\nä c\r\n");
        let file = map.get(id).unwrap();
        assert_eq!(file.line_col(0), LineCol { line: 1, col: 1 });
        assert_eq!(file.line_col(3), LineCol { line: 2, col: 1 });
        assert_eq!(file.line_col(6), LineCol { line: 2, col: 3 });
        assert_eq!(file.line_text(2), "ä c");
        assert_eq!(file.line_col(999).line, 3);
    }
}
