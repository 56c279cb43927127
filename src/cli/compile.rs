//! Compiling a source: the options that kcc and kvm share, and how failures are reported.

use std::path::{Path, PathBuf};

use super::exit::Exit;
use super::terminal::{ColorChoice, MessageFormat, Terminal};
use crate::backend::target::Target;
use crate::diag::{Code, Diagnostic};
use crate::driver::{self, Artifact, Failure, Input, Language, Options};

/// Options of compilation and of diagnostics.
#[derive(Clone, Debug, clap::Args)]
pub struct CompileArgs {
    /// Machine or virtual ISA: visa, gfx942 (cdna3)
    #[arg(short = 't', long, value_name = "NAME", help_heading = "Compilation")]
    pub target: Option<String>,
    /// Optimisation level
    #[arg(short = 'O', value_name = "LEVEL", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=3), help_heading = "Compilation")]
    pub level: u8,
    /// Language of the input: k, visa; else by extension
    #[arg(short = 'x', value_name = "LANG", value_parser = parse_language, help_heading = "Compilation")]
    pub language: Option<Language>,
    /// Vector registers a lane may use
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=512), help_heading = "Compilation")]
    pub max_regs: Option<u32>,
    /// Least waves on a SIMD
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16), help_heading = "Compilation")]
    pub waves_per_eu: Option<u32>,
    /// Work-items of a workgroup at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024), help_heading = "Compilation")]
    pub launch_bounds: Option<u32>,
    /// Whether a product and a sum in one expression become one fma
    #[arg(long, value_name = "on|off", default_value = "on", value_parser = ["on", "off"], help_heading = "Compilation")]
    pub fp_contract: String,
    /// Run these VISA passes instead of the level's
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        help_heading = "Compiler debugging"
    )]
    pub passes: Option<Vec<String>>,
    /// Print the program after these passes or steps (`all` for each)
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        help_heading = "Compiler debugging"
    )]
    pub print_after: Vec<String>,
    /// Stop after this VISA pass
    #[arg(long, value_name = "PASS", help_heading = "Compiler debugging")]
    pub stop_after: Option<String>,
    /// Verify the program after each pass and step
    #[arg(long, help_heading = "Compiler debugging")]
    pub verify_each: bool,
    /// Print the time of each pass and step
    #[arg(long, help_heading = "Compiler debugging")]
    pub time_passes: bool,
    /// Form of diagnostics
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        default_value_t,
        help_heading = "Messages"
    )]
    pub message_format: MessageFormat,
    /// Colour of diagnostics
    #[arg(
        long,
        value_name = "WHEN",
        value_enum,
        default_value_t,
        help_heading = "Messages"
    )]
    pub color: ColorChoice,
    /// Errors printed at most; 0 prints all
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20,
        help_heading = "Messages"
    )]
    pub max_errors: usize,
    /// No warnings and no summary
    #[arg(short = 'q', long, help_heading = "Messages")]
    pub quiet: bool,
}

fn parse_language(name: &str) -> Result<Language, String> {
    Language::find(name).ok_or_else(|| "there are: k, visa".to_string())
}

impl CompileArgs {
    /// A terminal with these message options.
    pub fn terminal(&self) -> Terminal {
        Terminal {
            color: self.color,
            format: self.message_format,
            max_errors: self.max_errors,
            quiet: self.quiet,
            ..Terminal::default()
        }
    }

    /// The driver's options.
    pub fn options(&self, target: Option<&'static dyn Target>) -> Options {
        let mut options = Options {
            target,
            opt_level: self.level,
            passes: self.passes.clone(),
            print_after: self.print_after.clone(),
            stop_after: self.stop_after.clone(),
            verify_each: self.verify_each,
            no_fp_contract: self.fp_contract == "off",
            ..Options::default()
        };
        options.codegen.max_regs = self.max_regs;
        options.codegen.waves_per_eu = self.waves_per_eu;
        options.codegen.launch_bounds = self.launch_bounds;
        options.codegen.verify_each = self.verify_each;
        options
    }
}

/// Whether a file is a source by its language option or extension.
pub fn is_source(path: &Path, language: Option<Language>) -> bool {
    language.or_else(|| by_extension(path)).is_some()
}

fn by_extension(path: &Path) -> Option<Language> {
    Language::find(path.extension()?.to_str()?)
}

/// The language of a file, or why it is not known.
pub fn language_of(path: &Path, language: Option<Language>) -> Result<Language, Diagnostic> {
    language.or_else(|| by_extension(path)).ok_or_else(|| {
        let message = if path == Path::new("-") {
            "the language of standard input is not known".to_string()
        } else {
            format!(
                "the language of `{}` does not follow from its name",
                path.display()
            )
        };
        Diagnostic::new(Code::K0812, message).help("say it with `-x k` or `-x visa`")
    })
}

/// Compiles a file; reports what was found, and prints what `--print-after` and `--time-passes` ask
/// for. The error is the exit after errors that were reported.
pub fn compile_for(
    terminal: &mut Terminal,
    path: &PathBuf,
    args: &CompileArgs,
    target: Option<&'static dyn Target>,
) -> Result<Artifact, Exit> {
    let language = language_of(path, args.language).map_err(|d| terminal.fail(d, Exit::Usage))?;
    let data = terminal
        .read(path)
        .map_err(|d| terminal.fail(d, Exit::Io))?;
    let name = if path == Path::new("-") {
        "<stdin>".to_string()
    } else {
        path.display().to_string()
    };
    let text = match String::from_utf8(data) {
        Ok(text) => text,
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let message = format!("`{name}` is not UTF-8 text: byte {at} is wrong");
            return Err(terminal.fail(Diagnostic::new(Code::K0803, message), Exit::Io));
        }
    };
    let input = Input {
        name,
        text,
        language,
    };
    match driver::compile(&mut terminal.sources, &input, &args.options(target)) {
        Ok(artifact) => {
            terminal.report(&artifact.warnings);
            for printed in &artifact.printed {
                terminal.err(&format!(
                    "# after {} of {}\n{}\n",
                    printed.step, printed.kernel, printed.text
                ));
            }
            if args.time_passes {
                print_times(terminal, &artifact);
            }
            Ok(artifact)
        }
        Err(Failure::Rejected(diagnostics)) => {
            terminal.report(&diagnostics);
            let usage = diagnostics
                .iter()
                .any(|d| matches!(d.code, Code::K0401 | Code::K0406));
            Err(if usage { Exit::Usage } else { Exit::Failure })
        }
        Err(Failure::Bug(bug)) => {
            let text = format!("{bug}\nThis is a fault of the compiler, not of your program.\n");
            terminal.err(&text);
            Err(Exit::Internal)
        }
    }
}

fn print_times(terminal: &Terminal, artifact: &Artifact) {
    let mut out = String::from("step                  kernel              microseconds\n");
    for timing in &artifact.timings {
        out += &format!(
            "{:<21} {:<19} {:>12}\n",
            timing.step,
            timing.kernel,
            timing.elapsed.as_micros()
        );
    }
    terminal.err(&out);
}
