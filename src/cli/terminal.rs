//! Standard output and error, files written whole or not at all, and colour.

use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::exit::Exit;
use crate::diag::render::{Format, render};
use crate::diag::{Code, Diagnostic, Severity, SourceMap, Span};

/// When to colour diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` or `TERM=dumb` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Form of diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum MessageFormat {
    /// With source excerpts.
    #[default]
    Human,
    /// A line each.
    Short,
    /// A JSON object a line.
    Json,
}

/// Where a program writes to, and the sources it can point into.
#[derive(Debug, Default)]
pub struct Terminal {
    /// Sources of diagnostics.
    pub sources: SourceMap,
    /// Colour.
    pub color: ColorChoice,
    /// Form of diagnostics.
    pub format: MessageFormat,
    /// Most errors printed; 0 prints all.
    pub max_errors: usize,
    /// Print no warnings.
    pub quiet: bool,
}

impl Terminal {
    fn use_color(&self) -> bool {
        let set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty() && v != "0");
        match self.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto if set("NO_COLOR") => false,
            ColorChoice::Auto if set("CLICOLOR_FORCE") => true,
            ColorChoice::Auto => {
                std::io::stderr().is_terminal()
                    && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
            }
        }
    }

    /// Writes diagnostics to standard error. Returns [`Exit::Failure`] if one is an error.
    pub fn report(&self, diagnostics: &[Diagnostic]) -> Exit {
        let is_error = |d: &&Diagnostic| d.severity == Severity::Error;
        let errors = diagnostics.iter().filter(is_error).count();
        let limit = if self.max_errors == 0 {
            usize::MAX
        } else {
            self.max_errors
        };
        let mut left = limit;
        let mut shown = Vec::new();
        for diagnostic in diagnostics {
            if diagnostic.severity == Severity::Error {
                if left == 0 {
                    continue;
                }
                left -= 1;
            } else if self.quiet {
                continue;
            }
            shown.push(diagnostic.clone());
        }
        let format = match self.format {
            MessageFormat::Human => Format::Human,
            MessageFormat::Short => Format::Short,
            MessageFormat::Json => Format::Json,
        };
        self.err(&render(&shown, &self.sources, format, self.use_color()));
        if errors > limit && self.format != MessageFormat::Json {
            self.err(&format!(
                "{} more errors are not shown (--max-errors)\n",
                errors - limit
            ));
        }
        if errors > 0 {
            Exit::Failure
        } else {
            Exit::Success
        }
    }

    /// Reports one diagnostic and returns the given exit.
    pub fn fail(&self, diagnostic: Diagnostic, exit: Exit) -> Exit {
        self.report(&[diagnostic]);
        exit
    }

    /// Writes to standard output. A closed pipe is not an error.
    pub fn out(&self, text: &str) {
        // Nobody reads any more: there is nobody to tell.
        let _ = std::io::stdout().lock().write_all(text.as_bytes());
    }

    /// Writes to standard error.
    pub fn err(&self, text: &str) {
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }

    /// Reads a file, or standard input for `-`.
    pub fn read(&self, path: &Path) -> Result<Vec<u8>, Diagnostic> {
        let result = if path == Path::new("-") {
            let mut data = Vec::new();
            std::io::stdin().lock().read_to_end(&mut data).map(|_| data)
        } else {
            std::fs::read(path)
        };
        result.map_err(|e| {
            let error = Diagnostic::new(
                Code::K0803,
                format!("cannot read `{}`: {}", path.display(), reason(&e)),
            );
            match (e.kind(), similar_file(path)) {
                (std::io::ErrorKind::NotFound, Some(near)) => {
                    error.help(format!("did you mean `{}`?", near.display()))
                }
                _ => error,
            }
        })
    }

    /// Reads a text file and registers it as a source.
    pub fn read_source(
        &mut self,
        path: &Path,
    ) -> Result<(crate::diag::FileId, String), Diagnostic> {
        let data = self.read(path)?;
        let name = if path == Path::new("-") {
            "<stdin>".to_string()
        } else {
            path.display().to_string()
        };
        match String::from_utf8(data) {
            Ok(text) => Ok((self.sources.add(name, text.clone()), text)),
            Err(e) => {
                let at = e.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(e.as_bytes()).into_owned();
                let file = self.sources.add(name.clone(), text);
                Err(
                    Diagnostic::new(Code::K0803, format!("`{name}` is not UTF-8 text"))
                        .at(Span::new(file, at, at + 1), "the first byte that is not"),
                )
            }
        }
    }

    /// Writes a file whole or not at all: into a temporary file beside it, then renamed. `-` is
    /// standard output.
    pub fn write(&self, path: &Path, data: &[u8]) -> Result<(), Diagnostic> {
        if path == Path::new("-") {
            let _ = std::io::stdout().lock().write_all(data);
            return Ok(());
        }
        write_whole(path, data).map_err(|e| {
            Diagnostic::new(
                Code::K0804,
                format!("cannot write `{}`: {}", path.display(), reason(&e)),
            )
        })
    }
}

fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_string(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        std::io::ErrorKind::IsADirectory => "it is a folder".to_string(),
        _ => error.to_string(),
    }
}

fn similar_file(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let folder = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let names: Vec<String> = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter_map(|e| e.file_name().into_string().ok())
        .collect();
    let near = super::value::env::nearest(name, names.iter().map(String::as_str))?;
    Some(path.with_file_name(near))
}

fn write_whole(path: &Path, data: &[u8]) -> std::io::Result<()> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    if path.is_dir() {
        return Err(std::io::Error::from(std::io::ErrorKind::IsADirectory));
    }
    // Devices and pipes cannot be replaced by a rename.
    if path.exists() && !path.is_file() {
        return std::fs::write(path, data);
    }
    let name = path
        .file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default();
    let unique = COUNTER.fetch_add(1, Ordering::Relaxed);
    let temp = path.with_file_name(format!(".{name}.{}.{unique}.tmp", std::process::id()));
    let result = std::fs::write(&temp, data).and_then(|()| std::fs::rename(&temp, path));
    if result.is_err() {
        // The error of the write is the one that matters.
        let _ = std::fs::remove_file(&temp);
    }
    result
}
