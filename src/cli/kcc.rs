//! The command line of `kcc`.

use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};

use super::compile::{CompileArgs, compile_for, language_of};
use super::exit::Exit;
use super::raw;
use super::terminal::Terminal;
use crate::backend::registry::{find_target, targets};
use crate::backend::target::Target;
use crate::diag::{Code, Diagnostic};
use crate::driver::Artifact;
use crate::ir::text::print::{PrintOptions, print_module};

const EXAMPLES: &str = "\
Examples:
  kcc saxpy.k                           check and print VISA
  kcc saxpy.k --target cdna3 -S -o -    assembly of an MI300X, with source lines
  kcc saxpy.k --target cdna3 -c         code object saxpy.gfx942.hsaco
  kcc gemm.k --target cdna3 -v          registers, spills, occupancy
  kcc explain K0102                     what an error means

Exit status: 0 success, 1 errors in the source, 2 bad command line, 3 file errors, 70 internal error.";

/// Compiles GPU kernels to VISA and to machine code.
#[derive(Debug, Parser)]
#[command(name = "kcc", version, about, after_help = EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Kcc {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    main: MainArgs,
}

/// `kcc FILE…`
#[derive(Debug, clap::Args)]
struct MainArgs {
    /// Sources: .k or .visa; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write assembly
    #[arg(short = 'S', help_heading = "Output")]
    assembly: bool,
    /// Write a code object
    #[arg(short = 'c', help_heading = "Output")]
    object: bool,
    /// What to write: visa, asm, obj
    #[arg(long, value_name = "KIND", value_parser = ["visa", "asm", "obj"], conflicts_with_all = ["assembly", "object"], help_heading = "Output")]
    emit: Option<String>,
    /// Output file; `-` is standard output
    #[arg(short = 'o', value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Print registers, spills and occupancy
    #[arg(short = 'v', help_heading = "Output")]
    verbose: bool,
    #[command(flatten)]
    compile: CompileArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Parse and check, without output
    Check {
        /// Sources
        #[arg(required = true)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        compile: CompileArgs,
    },
    /// Long help for a diagnostic
    Explain {
        /// A code such as K0102; without one, all codes are listed
        code: Option<String>,
    },
    /// List the targets
    Targets,
    /// List the passes and the pipelines of the levels
    Passes,
    /// Disassemble an object, or raw bytes with --raw
    Disasm(raw::DisasmArgs),
}

/// Runs `kcc` with the process's arguments.
pub fn main() -> Exit {
    let parsed = match Kcc::try_parse() {
        Ok(parsed) => parsed,
        Err(error) => return super::clap_exit(&error),
    };
    match parsed.command {
        None => compile_all(&parsed.main),
        Some(Command::Check { files, compile }) => check_all(&files, &compile),
        Some(Command::Explain { code }) => explain(code.as_deref()),
        Some(Command::Targets) => list_targets(),
        Some(Command::Passes) => list_passes(),
        Some(Command::Disasm(args)) => raw::disassemble(&args),
    }
}

fn check_all(files: &[PathBuf], compile: &CompileArgs) -> Exit {
    let mut exit = Exit::Success;
    let target = match compile.target.as_deref() {
        None | Some("visa") => None,
        Some(name) => match find_target(name) {
            Ok(target) => Some(target),
            Err(diagnostic) => return compile.terminal().fail(diagnostic, Exit::Usage),
        },
    };
    for file in files {
        let mut terminal = compile.terminal();
        if let Err(failed) = compile_for(&mut terminal, file, compile, target) {
            exit = exit.max(failed);
        }
    }
    exit
}

/// What is written for an input.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Visa,
    Asm,
    Object,
}

/// A target and the name of its outputs; `None` is VISA.
type Chosen = Option<&'static dyn Target>;

fn chosen_targets(args: &MainArgs) -> Result<Vec<Chosen>, Diagnostic> {
    let Some(list) = &args.compile.target else {
        return Ok(vec![None]);
    };
    let find = |name: &str| {
        if name == "visa" {
            Ok(None)
        } else {
            find_target(name).map(Some)
        }
    };
    list.split(',').map(|n| find(n.trim())).collect()
}

fn kind_of(args: &MainArgs, target: Chosen) -> Result<Kind, Diagnostic> {
    let asked = match (args.assembly, args.object, args.emit.as_deref()) {
        (true, true, _) => {
            return Err(
                Diagnostic::new(Code::K0812, "`-S` and `-c` both say what to write")
                    .help("keep one of them"),
            );
        }
        (true, _, _) | (_, _, Some("asm")) => Some(Kind::Asm),
        (_, true, _) | (_, _, Some("obj")) => Some(Kind::Object),
        (_, _, Some(_)) => Some(Kind::Visa),
        (false, false, None) => None,
    };
    match (asked, target) {
        (None, None) => Ok(Kind::Visa),
        (None, Some(_)) => Ok(Kind::Object),
        (Some(Kind::Asm | Kind::Object), None) => {
            let error = Diagnostic::new(Code::K0812, "machine code needs a target");
            Err(error.help("name one: `--target cdna3`; `kcc targets` lists them"))
        }
        (Some(kind), _) => Ok(kind),
    }
}

fn compile_all(args: &MainArgs) -> Exit {
    let terminal = args.compile.terminal();
    let chosen = match chosen_targets(args) {
        Ok(chosen) => chosen,
        Err(diagnostic) => return terminal.fail(diagnostic, Exit::Usage),
    };
    let several = args.files.len() * chosen.len() > 1;
    let to_file = args.output.as_deref().is_some_and(|o| o != Path::new("-"));
    if several && to_file {
        let error = Diagnostic::new(Code::K0812, "one output file for several outputs");
        return terminal.fail(
            error.help("leave `-o` out: each gets a name of its own"),
            Exit::Usage,
        );
    }
    let mut exit = Exit::Success;
    for file in &args.files {
        for target in &chosen {
            exit = exit.max(compile_one(args, file, *target));
        }
    }
    exit
}

fn compile_one(args: &MainArgs, file: &PathBuf, target: Chosen) -> Exit {
    let mut terminal = args.compile.terminal();
    let kind = match kind_of(args, target)
        .and_then(|k| language_of(file, args.compile.language).map(|_| k))
    {
        Ok(kind) => kind,
        Err(diagnostic) => return terminal.fail(diagnostic, Exit::Usage),
    };
    let artifact = match compile_for(&mut terminal, file, &args.compile, target) {
        Ok(artifact) => artifact,
        Err(exit) => return exit,
    };
    if args.verbose
        && let Some(machine) = &artifact.machine
    {
        for report in &machine.resources {
            terminal.out(&report.render(&terminal.sources));
        }
    }
    // A resource report alone needs no file; so does a look at a pass.
    let looks_only =
        args.verbose || !args.compile.print_after.is_empty() || args.compile.time_passes;
    let asked = args.assembly || args.object || args.emit.is_some() || args.output.is_some();
    if looks_only && !asked {
        return Exit::Success;
    }
    write_output(args, &terminal, file, target, kind, &artifact)
}

fn write_output(
    args: &MainArgs,
    terminal: &Terminal,
    file: &Path,
    target: Chosen,
    kind: Kind,
    artifact: &Artifact,
) -> Exit {
    let data = match (kind, &artifact.machine) {
        (Kind::Visa, _) => print_module(&artifact.module, PrintOptions::default()).into_bytes(),
        (Kind::Asm, Some(machine)) => machine.asm.clone().into_bytes(),
        (Kind::Object, Some(machine)) => machine.object.clone(),
        (Kind::Asm | Kind::Object, None) => {
            let error = Diagnostic::new(
                Code::K0812,
                "`--stop-after` leaves no machine code to write",
            );
            return terminal.fail(error, Exit::Usage);
        }
    };
    let path = match (&args.output, kind) {
        (Some(path), _) => path.clone(),
        (None, Kind::Visa) => PathBuf::from("-"),
        (None, Kind::Asm) => output_name(file, target, "s"),
        (None, Kind::Object) => output_name(file, target, "hsaco"),
    };
    if path == *file && path != Path::new("-") {
        let message = format!("the output would overwrite the source `{}`", file.display());
        return terminal.fail(Diagnostic::new(Code::K0812, message), Exit::Usage);
    }
    match terminal.write(&path, &data) {
        Ok(()) => Exit::Success,
        Err(diagnostic) => terminal.fail(diagnostic, Exit::Io),
    }
}

/// `STEM.TARGET.EXT` in the current folder.
fn output_name(file: &Path, target: Chosen, extension: &str) -> PathBuf {
    let stem = file
        .file_stem()
        .map_or("out".into(), |s| s.to_string_lossy().into_owned());
    let stem = if stem == "-" { "out".to_string() } else { stem };
    let target = target.map_or("visa", |t| t.desc().name);
    PathBuf::from(format!("{stem}.{target}.{extension}"))
}

/// Prints the page of a code.
pub fn explain(code: Option<&str>) -> Exit {
    let terminal = Terminal::default();
    let Some(name) = code else {
        for code in Code::all() {
            terminal.out(&format!("{}  {}\n", code.name(), code.title()));
        }
        return Exit::Success;
    };
    match Code::find(name) {
        Some(code) => {
            terminal.out(code.page());
            Exit::Success
        }
        None => {
            let known: Vec<&str> = Code::all().map(Code::name).collect();
            let near = super::value::env::nearest(name, known.into_iter());
            let help = near.map_or("`kcc explain` lists all codes".to_string(), |n| {
                format!("did you mean `{n}`?")
            });
            terminal.err(&format!(
                "error: there is no diagnostic `{name}`\n  = help: {help}\n"
            ));
            Exit::Usage
        }
    }
}

fn list_targets() -> Exit {
    let terminal = Terminal::default();
    terminal.out("visa      virtual ISA, text\n");
    for target in targets() {
        let desc = target.desc();
        terminal.out(&format!(
            "{:<9} {}, wave{}, default device {}\n",
            desc.name,
            desc.aliases.join(", "),
            desc.wave,
            desc.default_device
        ));
    }
    Exit::Success
}

fn list_passes() -> Exit {
    let terminal = Terminal::default();
    for pass in crate::ir::passes::pipeline::ALL {
        let needed = if pass.required { " (required)" } else { "" };
        terminal.out(&format!("{:<14} {}{needed}\n", pass.name, pass.doc));
    }
    for level in 0..=3u8 {
        terminal.out(&format!(
            "-O{level}: {}\n",
            crate::ir::passes::pipeline::passes(level).join(", ")
        ));
    }
    for target in targets() {
        terminal.out(&format!(
            "{}: {}\n",
            target.desc().name,
            target.steps().join(", ")
        ));
    }
    Exit::Success
}
