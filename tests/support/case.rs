//! Reads the header of a case: how to run it and what to expect.
//!
//! Directives stand in comments of the file's own syntax. `RUN:` lines come first, in the leading
//! comment block; a `\` at the end continues on the next line. `check:`, `next:`, `not:`, `error:`,
//! `warning:` and `expect:` may stand anywhere.

use std::path::{Path, PathBuf};

/// What a directive wants of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// The text occurs in a line behind the last match.
    Check(String),
    /// The text occurs in the line right behind the last match.
    Next(String),
    /// The text does not occur between the matches around it.
    Not(String),
}

/// A diagnostic expected on a line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WantDiagnostic {
    /// One-based line.
    pub line: u32,
    /// Code.
    pub code: String,
    /// Part of the message.
    pub text: String,
}

/// One case file.
#[derive(Clone, Debug)]
pub struct Case {
    /// The file.
    pub path: PathBuf,
    /// Command lines in order.
    pub runs: Vec<String>,
    /// Wanted and unwanted output in order.
    pub wants: Vec<Want>,
    /// Diagnostics.
    pub diagnostics: Vec<WantDiagnostic>,
    /// Expectations that are handed to `kvm run --expect`.
    pub expects: Vec<String>,
}

fn comment_marks(path: &Path) -> &'static [&'static str] {
    match path.extension().and_then(|e| e.to_str()) {
        Some("s") => &[";", "//"],
        Some("toml") => &["#"],
        _ => &["//"],
    }
}

impl Case {
    /// Reads a case. Errors say what is wrong with the header.
    pub fn read(path: &Path) -> Result<Case, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let mut case = Case {
            path: path.to_path_buf(),
            runs: Vec::new(),
            wants: Vec::new(),
            diagnostics: Vec::new(),
            expects: Vec::new(),
        };
        let mut continued: Option<String> = None;
        for (number, line) in text.lines().enumerate() {
            let marks = comment_marks(path);
            let comment = marks
                .iter()
                .filter_map(|m| line.find(m).map(|at| &line[at + m.len()..]))
                .max_by_key(|c| c.len());
            let Some(comment) = comment.map(str::trim) else {
                continue;
            };
            if let Some(mut head) = continued.take() {
                head.push(' ');
                head.push_str(comment.trim_end_matches('\\').trim_end());
                if comment.ends_with('\\') {
                    continued = Some(head);
                } else {
                    case.runs.push(head);
                }
                continue;
            }
            case.directive(comment, number as u32 + 1, &mut continued);
        }
        if continued.is_some() {
            return Err(format!(
                "{}: the last RUN line ends with `\\`",
                path.display()
            ));
        }
        if case.runs.is_empty() {
            return Err(format!("{}: no RUN line", path.display()));
        }
        Ok(case)
    }

    fn directive(&mut self, comment: &str, line: u32, continued: &mut Option<String>) {
        let value = |name: &str| comment.strip_prefix(name).map(|v| v.trim().to_string());
        if let Some(run) = value("RUN:") {
            match run.strip_suffix('\\') {
                Some(head) => *continued = Some(head.trim_end().to_string()),
                None => self.runs.push(run),
            }
        } else if let Some(text) = value("check:") {
            self.wants.push(Want::Check(text));
        } else if let Some(text) = value("next:") {
            self.wants.push(Want::Next(text));
        } else if let Some(text) = value("not:") {
            self.wants.push(Want::Not(text));
        } else if let Some(text) = value("expect:") {
            self.expects.push(text);
        } else if let Some(text) = value("error:").or_else(|| value("warning:")) {
            let (code, text) = text.split_once(' ').unwrap_or((&text, ""));
            let (code, text) = (code.to_string(), text.trim().to_string());
            self.diagnostics.push(WantDiagnostic { line, code, text });
        }
    }
}

/// Splits a command line at blanks; single and double quotes group.
pub fn split_words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(format!("a quote is not closed in `{line}`"));
    }
    words.extend(word);
    Ok(words)
}
