//! Places of instructions: `.loc` lines where they name a file that is at hand, else the text itself.

use std::collections::HashMap;

use crate::diag::{FileId, SourceMap, Span};

/// A file of `.file`, as far as it is at hand.
struct LocFile {
    id: FileId,
    /// Offset of each line's start.
    lines: Vec<u32>,
}

/// The files of a module's `.file` lines.
pub(super) struct Locs<'a> {
    sources: &'a SourceMap,
    /// By number; `None` where the sources do not have the file.
    files: HashMap<u32, Option<LocFile>>,
}

impl<'a> Locs<'a> {
    /// No file yet.
    pub(super) fn new(sources: &'a SourceMap) -> Locs<'a> {
        Locs {
            sources,
            files: HashMap::new(),
        }
    }

    /// Gives a file its number; `false` where the number is taken.
    pub(super) fn add_file(&mut self, number: u32, name: &str) -> bool {
        let ids = (0..self.sources.len() as u32).map(FileId);
        let found = ids
            .filter_map(|id| self.sources.get(id).map(|file| (id, file)))
            .find(|(_, file)| file.name == name);
        let file = found.map(|(id, file)| {
            let ends = file.text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
            let starts = ends.map(|(at, _)| at as u32 + 1);
            let lines = std::iter::once(0).chain(starts).collect();
            LocFile { id, lines }
        });
        self.files.insert(number, file).is_none()
    }

    /// Whether a `.loc` may name the number; 0 stands for no place.
    pub(super) fn knows(&self, number: u32) -> bool {
        number == 0 || self.files.contains_key(&number)
    }

    /// The place of an instruction that stands at `own` in the text, under the last `.loc` of its
    /// block.
    pub(super) fn place(&self, loc: Option<(u32, u32, u32)>, own: Span) -> Span {
        match loc {
            None if self.files.values().any(Option::is_some) => Span::NONE,
            None => own,
            Some((0, _, _)) => Span::NONE,
            Some((file, line, col)) => match self.files.get(&file) {
                Some(Some(file)) => self.find(file, line, col),
                Some(None) | None => own,
            },
        }
    }

    fn find(&self, file: &LocFile, line: u32, col: u32) -> Span {
        let source = self.sources.get(file.id);
        let start = file.lines.get((line as usize).wrapping_sub(1));
        let (Some(source), Some(&start)) = (source, start) else {
            return Span::NONE;
        };
        let text = source.text.get(start as usize..).unwrap_or("");
        let text = text.split('\n').next().unwrap_or("");
        let chars = text.char_indices().map(|(at, _)| at);
        let at = chars
            .chain([text.len()])
            .nth((col as usize).wrapping_sub(1));
        let at = start as usize + at.unwrap_or(text.len());
        Span::new(file.id, at, at)
    }
}
