//! What to compile, for what, and how.

use crate::backend::codegen::CodegenOptions;
use crate::backend::target::Target;

/// A language that can be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// The kernel language, `.k`.
    Kernel,
    /// VISA text, `.visa`.
    Visa,
}

impl Language {
    /// The language of `-x NAME`, or of a file's extension.
    pub fn find(name: &str) -> Option<Language> {
        match name {
            "k" => Some(Language::Kernel),
            "visa" => Some(Language::Visa),
            _ => None,
        }
    }
}

/// One source text.
#[derive(Clone, Debug)]
pub struct Input {
    /// Name as the user gave it; diagnostics and line tables show it.
    pub name: String,
    /// The text.
    pub text: String,
    /// What it is written in.
    pub language: Language,
}

/// How to compile.
#[derive(Clone, Default)]
pub struct Options {
    /// The machine; `None` stops at VISA.
    pub target: Option<&'static dyn Target>,
    /// `-O`, 0 to 3.
    pub opt_level: u8,
    /// VISA passes to run instead of those of the level.
    pub passes: Option<Vec<String>>,
    /// Steps whose result is kept as text: VISA passes and steps of the target; `all` for each.
    pub print_after: Vec<String>,
    /// The VISA pass to stop after; there is no machine code then.
    pub stop_after: Option<String>,
    /// Verify after every pass and step.
    pub verify_each: bool,
    /// Leave `a * b + c` as two roundings.
    pub no_fp_contract: bool,
    /// No line table.
    pub no_lines: bool,
    /// Registers, waves and workgroup size.
    pub codegen: CodegenOptions,
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let target = self.target.map(|t| t.desc().name);
        f.debug_struct("Options")
            .field("target", &target)
            .field("opt_level", &self.opt_level)
            .field("passes", &self.passes)
            .field("codegen", &self.codegen)
            .finish_non_exhaustive()
    }
}
