//! Turns diagnostics into text for people (ariadne's layout) or JSON lines for tools.
//!
//! Output depends on the input alone: no width of a terminal, no time. Lines of more than
//! [`LONG_LINE`] columns are cut to a window around the first label before rendering.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ariadne::{Color, Config, IndexType, Label as AriadneLabel, Report, ReportKind};
use serde_json::{Value, json};

use super::diagnostic::{Diagnostic, Severity};
use super::span::{FileId, SourceFile, SourceMap, Span};

/// Columns from which a source line is shown in part.
pub const LONG_LINE: usize = 200;
/// Columns shown on each side of a label in a long line.
const WINDOW: usize = 60;

/// How diagnostics are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Format {
    /// Text with source excerpts.
    #[default]
    Human,
    /// `file:line:col: severity[code]: message`, a line each.
    Short,
    /// One JSON object a line, schema `kcc.diagnostic/1`.
    Json,
}

/// The severity as it is printed.
pub fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// Renders diagnostics in the given order.
pub fn render(
    diagnostics: &[Diagnostic],
    sources: &SourceMap,
    format: Format,
    color: bool,
) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        match format {
            Format::Human => out.push_str(&render_human(diagnostic, sources, color)),
            Format::Short => out.push_str(&render_short(diagnostic, sources)),
            Format::Json => {
                out.push_str(&to_json(diagnostic, sources).to_string());
                out.push('\n');
            }
        }
    }
    out
}

fn render_short(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let head = format!(
        "{}[{}]: {}\n",
        severity_name(diagnostic.severity),
        diagnostic.code,
        diagnostic.message
    );
    match sources.locate(diagnostic.span()) {
        Some((name, at)) => format!("{name}:{}:{}: {head}", at.line, at.col),
        None => head,
    }
}

fn render_human(diagnostic: &Diagnostic, sources: &SourceMap, color: bool) -> String {
    let primary = diagnostic.span();
    if sources.get(primary.file).is_none() {
        return render_without_source(diagnostic);
    }
    let views = Views::new(diagnostic, sources);
    let hue = match diagnostic.severity {
        Severity::Error => Color::Red,
        Severity::Warning => Color::Yellow,
        Severity::Note => Color::Cyan,
    };
    let head = format!(
        "{}[{}]",
        severity_name(diagnostic.severity),
        diagnostic.code
    );
    let kind = ReportKind::Custom(&head, hue);
    let config = Config::default()
        .with_color(color)
        .with_index_type(IndexType::Byte)
        .with_tab_width(4);
    let mut report = Report::build(kind, views.span(primary))
        .with_config(config)
        .with_message(&diagnostic.message);
    for (order, label) in diagnostic.labels.iter().enumerate() {
        if sources.get(label.span.file).is_none() {
            continue;
        }
        let mut shown = AriadneLabel::new(views.span(label.span)).with_order(order as i32);
        if !label.text.is_empty() {
            shown = shown.with_message(&label.text);
        }
        report = report.with_label(shown.with_color(if label.primary { hue } else { Color::Blue }));
    }
    for note in views.notes.iter().chain(&diagnostic.notes) {
        report = report.with_note(note);
    }
    for help in &diagnostic.help {
        report = report.with_help(help_text(help));
    }
    let mut bytes = Vec::new();
    let cache = ariadne::sources(views.texts);
    match report.finish().write(cache, &mut bytes) {
        Ok(()) if color => String::from_utf8_lossy(&bytes).into_owned(),
        Ok(()) => strip_color(&String::from_utf8_lossy(&bytes)),
        Err(_) => render_without_source(diagnostic),
    }
}

/// Removes SGR escapes: ariadne colours a custom report kind whatever the configuration says.
fn strip_color(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        rest = tail.find('m').map_or("", |end| &tail[end + 1..]);
    }
    out.push_str(rest);
    out
}

fn help_text(help: &super::diagnostic::Help) -> String {
    match &help.edit {
        Some((_, new)) if !new.is_empty() && !new.contains('\n') => {
            format!("{}: `{new}`", help.text)
        }
        _ => help.text.clone(),
    }
}

fn render_without_source(diagnostic: &Diagnostic) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{}[{}]: {}",
        severity_name(diagnostic.severity),
        diagnostic.code,
        diagnostic.message
    );
    for label in diagnostic.labels.iter().filter(|l| !l.text.is_empty()) {
        let _ = writeln!(out, "  = {}", label.text);
    }
    for note in &diagnostic.notes {
        let _ = writeln!(out, "  = note: {}", note.replace('\n', "\n    "));
    }
    for help in &diagnostic.help {
        let _ = writeln!(out, "  = help: {}", help_text(help).replace('\n', "\n    "));
    }
    out
}

/// The text of the files of one diagnostic, long lines cut, with the mapping of offsets.
struct Views {
    texts: Vec<(String, String)>,
    names: BTreeMap<FileId, (String, Vec<Cut>)>,
    notes: Vec<String>,
}

/// Bytes `start..end` of the original were replaced by `len` bytes of the view.
struct Cut {
    start: usize,
    end: usize,
    len: usize,
}

impl Views {
    fn new(diagnostic: &Diagnostic, sources: &SourceMap) -> Views {
        let mut by_file: BTreeMap<FileId, Vec<Span>> = BTreeMap::new();
        for label in &diagnostic.labels {
            by_file.entry(label.span.file).or_default().push(label.span);
        }
        let mut views = Views {
            texts: Vec::new(),
            names: BTreeMap::new(),
            notes: Vec::new(),
        };
        for (id, spans) in by_file {
            let Some(file) = sources.get(id) else {
                continue;
            };
            let cuts = long_line_cuts(file, &spans, &mut views.notes);
            views
                .texts
                .push((file.name.clone(), apply_cuts(&file.text, &cuts)));
            views.names.insert(id, (file.name.clone(), cuts));
        }
        views
    }

    fn span(&self, span: Span) -> (String, std::ops::Range<usize>) {
        let Some((name, cuts)) = self.names.get(&span.file) else {
            return (String::new(), 0..0);
        };
        let text = self
            .texts
            .iter()
            .find(|(n, _)| n == name)
            .map_or("", |(_, t)| t);
        let inside = |offset: usize| {
            let mut at = map_offset(cuts, offset).min(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let start = inside(span.start as usize);
        (name.clone(), start..inside(span.end as usize).max(start))
    }
}

fn map_offset(cuts: &[Cut], offset: usize) -> usize {
    let mut shift = 0isize;
    for cut in cuts {
        if offset < cut.start {
            break;
        }
        if offset < cut.end {
            return (cut.start as isize + shift) as usize;
        }
        shift += cut.len as isize - (cut.end - cut.start) as isize;
    }
    (offset as isize + shift) as usize
}

fn apply_cuts(text: &str, cuts: &[Cut]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for cut in cuts {
        out.push_str(&text[at..cut.start]);
        out.push_str(&"…"[..cut.len]);
        at = cut.end;
    }
    out.push_str(&text[at..]);
    out
}

/// Cuts for every labelled line that is too long; the window lies around its first label.
fn long_line_cuts(file: &SourceFile, spans: &[Span], notes: &mut Vec<String>) -> Vec<Cut> {
    let mut cuts: Vec<Cut> = Vec::new();
    let mut sorted: Vec<Span> = spans.to_vec();
    sorted.sort();
    let mut last_line = 0;
    for span in sorted {
        let at = file.line_col(span.start);
        let line = file.line_text(at.line);
        let columns = line.chars().count();
        if columns <= LONG_LINE || at.line == last_line {
            continue;
        }
        last_line = at.line;
        let line_start = span.start as usize
            - line
                .char_indices()
                .nth(at.col as usize - 1)
                .map_or(line.len(), |(i, _)| i);
        let column = at.col as usize - 1;
        let byte_of = |col: usize| line.char_indices().nth(col).map_or(line.len(), |(i, _)| i);
        let from = byte_of(column.saturating_sub(WINDOW));
        let to = byte_of((column + 2 * WINDOW).min(columns));
        if from > 0 {
            cuts.push(Cut {
                start: line_start,
                end: line_start + from,
                len: "…".len(),
            });
        }
        if to < line.len() {
            cuts.push(Cut {
                start: line_start + to,
                end: line_start + line.len(),
                len: "…".len(),
            });
        }
        notes.push(format!(
            "line {} has {columns} columns; this is column {}",
            at.line, at.col
        ));
    }
    cuts
}

/// A diagnostic as JSON, schema `kcc.diagnostic/1`.
pub fn to_json(diagnostic: &Diagnostic, sources: &SourceMap) -> Value {
    let place = |span: Span| -> Value {
        let Some(file) = sources.get(span.file) else {
            return Value::Null;
        };
        let (from, to) = (file.line_col(span.start), file.line_col(span.end));
        json!({
            "file": file.name, "start": span.start, "end": span.end,
            "line": from.line, "col": from.col, "end_line": to.line, "end_col": to.col,
        })
    };
    let labels: Vec<Value> = diagnostic
        .labels
        .iter()
        .map(|l| json!({ "place": place(l.span), "text": l.text, "primary": l.primary }))
        .collect();
    let help: Vec<Value> = diagnostic
        .help
        .iter()
        .map(|h| {
            let edit = h
                .edit
                .as_ref()
                .map(|(span, new)| json!({ "place": place(*span), "new": new }));
            json!({ "text": h.text, "edit": edit })
        })
        .collect();
    json!({
        "schema": "kcc.diagnostic/1",
        "severity": severity_name(diagnostic.severity),
        "code": diagnostic.code.name(),
        "message": diagnostic.message,
        "labels": labels,
        "notes": diagnostic.notes,
        "help": help,
    })
}

/// Checks that ariadne can index a text (used by tests of odd input).
#[cfg(test)]
fn lines_of(text: &str) -> usize {
    ariadne::Source::from(text.to_string()).lines().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Code;

    fn one(text: &str, start: usize, end: usize) -> (SourceMap, Diagnostic) {
        let mut map = SourceMap::new();
        let id = map.add("a.k", text);
        let d = Diagnostic::new(Code::K0001, "unexpected character `$`")
            .at(Span::new(id, start, end), "here")
            .note("a fact")
            .help_edit("remove it", Span::new(id, start, end), "+");
        (map, d)
    }

    #[test]
    fn human_text_names_code_place_and_help() {
        let (map, d) = one("let a = 1 $ 2;\n", 10, 11);
        let text = render(&[d], &map, Format::Human, false);
        assert!(
            text.starts_with("error[K0001]: unexpected character `$`"),
            "{text}"
        );
        assert!(text.contains("a.k:1:11") && text.contains("here"), "{text}");
        assert!(
            text.contains("a fact") && text.contains("remove it: `+`"),
            "{text}"
        );
        assert!(!text.contains('\u{1b}'), "no colour");
    }

    #[test]
    fn long_lines_are_windowed() {
        let text = format!("{}$ {}\n", "a ".repeat(3000), "b ".repeat(3000));
        let (map, d) = one(&text, 6000, 6001);
        let shown = render(&[d], &map, Format::Human, false);
        assert!(shown.lines().all(|l| l.chars().count() < 300), "{shown}");
        assert!(
            shown.contains("line 1 has 12002 columns; this is column 6001"),
            "{shown}"
        );
    }

    #[test]
    fn odd_sources_never_panic() {
        for text in ["", "\n", "ä", "\u{1F600}\t\r\n$", "\u{0}\u{b}$"] {
            assert!(lines_of(text) < 10);
            for start in 0..=text.len() + 2 {
                let (map, d) = one(text, start, start + 1);
                for format in [Format::Human, Format::Short, Format::Json] {
                    assert!(!render(std::slice::from_ref(&d), &map, format, false).is_empty());
                }
            }
        }
    }

    #[test]
    fn json_has_the_schema_and_places() {
        let (map, d) = one("let a = 1 $ 2;\n", 10, 11);
        let value = to_json(&d, &map);
        assert_eq!(value["schema"], "kcc.diagnostic/1");
        assert_eq!(value["labels"][0]["place"]["col"], 11);
        assert_eq!(value["help"][0]["edit"]["new"], "+");
    }

    #[test]
    fn every_code_has_a_page_with_its_name_and_title() {
        for code in Code::all() {
            let head = code.page().lines().next().unwrap_or("");
            assert_eq!(head, format!("# {}: {}", code.name(), code.title()));
            assert_eq!(Code::find(&code.name().to_lowercase()), Some(code));
        }
    }
}
