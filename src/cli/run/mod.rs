//! `kvm run`: compile if needed, bind arguments, launch, report.

pub mod bind;
pub mod output;
pub mod target;

use std::path::{Path, PathBuf};

use self::bind::{Binding, Bound, ParamInfo, ParamKind, bind};
use self::target::{Code as TargetCode, Launched, load};
use super::compile::CompileArgs;
use super::exit::Exit;
use super::terminal::Terminal;
use super::value::array::{Array, read_npy, write_npy};
use super::value::env::Names;
use super::value::expect::{self, Contents, Outcome, RunEnv, Tolerance};
use super::value::expr::{self, Num};
use crate::diag::{Code, Diagnostic, Span};
use crate::runtime::DeviceModel;

/// Arguments of `kvm run`.
#[derive(Clone, Debug, clap::Args)]
pub struct RunArgs {
    /// A kernel source (.k, .visa) or a code object
    pub file: PathBuf,
    /// The kernel; needed where the file has several
    pub kernel: Option<String>,
    /// An argument, NAME=VALUE: a number, or a buffer such as `x=[n]:random(seed=7)`
    #[arg(long = "arg", value_name = "NAME=VALUE", help_heading = "Launch")]
    pub args: Vec<String>,
    /// A number for use in dimensions, shapes and expectations
    #[arg(long = "let", value_name = "NAME=EXPR", help_heading = "Launch")]
    pub lets: Vec<String>,
    /// Workgroups in x, y, z
    #[arg(long, value_name = "X[,Y,Z]", help_heading = "Launch")]
    pub grid: Option<String>,
    /// Work-items of a workgroup; else the kernel's launch bounds, else 256
    #[arg(long, value_name = "X[,Y,Z]", help_heading = "Launch")]
    pub block: Option<String>,
    /// Work-items in x; the grid follows
    #[arg(long, value_name = "N", help_heading = "Launch")]
    pub threads: Option<String>,
    /// The machine that runs it
    #[arg(long, value_name = "NAME|FILE", help_heading = "Machine")]
    pub device: Option<String>,
    /// Host threads
    #[arg(long, value_name = "N", help_heading = "Machine")]
    pub jobs: Option<usize>,
    /// Instructions that a wave may execute before the run is stopped
    #[arg(long, value_name = "N", help_heading = "Machine")]
    pub max_instructions: Option<u64>,
    /// Checks of the running code: hazard
    #[arg(
        long = "check",
        value_name = "LIST",
        value_delimiter = ',',
        help_heading = "Machine"
    )]
    pub checks: Vec<Check>,
    /// Seed of random buffers that name none
    #[arg(long, default_value_t = 1, help_heading = "Launch")]
    pub seed: u64,
    /// What must hold afterwards: `y[i] ~= a*x[i] + y0[i]`, `y=@ref.npy`, `y=[1,2]`, `y=hash:…`
    #[arg(long = "expect", value_name = "EXPECTATION", help_heading = "Results")]
    pub expects: Vec<String>,
    /// Allowed difference: `rel=1e-5,abs=1e-6,ulp=2`
    #[arg(long, value_name = "LIST", help_heading = "Results")]
    pub tol: Option<String>,
    /// NaN equals NaN
    #[arg(long, help_heading = "Results")]
    pub nan_equal: bool,
    /// Print elements: `y[0:8]` or `y`
    #[arg(long = "print", value_name = "RANGE", help_heading = "Results")]
    pub prints: Vec<String>,
    /// Write a buffer to a file: `y=@out.npy`
    #[arg(long = "out", value_name = "NAME=@FILE", help_heading = "Results")]
    pub outs: Vec<String>,
    /// Compilation, where the file is a source.
    #[command(flatten)]
    pub compile: CompileArgs,
}

/// Checks that `--check` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Check {
    /// Waits and wait states of the machine code.
    Hazard,
    /// Every check there is.
    All,
}

type Failed = (Diagnostic, Exit);

fn usage(diagnostic: Diagnostic) -> Failed {
    let exit = match diagnostic.code {
        Code::K0803 | Code::K0804 | Code::K0808 => Exit::Io,
        _ => Exit::Usage,
    };
    (diagnostic, exit)
}

/// Runs a kernel.
pub fn run(terminal: &mut Terminal, args: &RunArgs) -> Exit {
    match try_run(terminal, args) {
        Ok(exit) => exit,
        Err(failed) => terminal.fail(failed.0, failed.1),
    }
}

fn try_run(terminal: &mut Terminal, args: &RunArgs) -> Result<Exit, Failed> {
    let device = find_device(terminal, args)?;
    let code = match load(terminal, args, &device)? {
        Ok(code) => code,
        Err(exit) => return Ok(exit),
    };
    let mut names = Names::default();
    for text in &args.lets {
        add_let(terminal, &mut names, text).map_err(usage)?;
    }
    let binding = bind(
        terminal,
        code.kernel(),
        code.params(),
        &args.args,
        names,
        args.seed,
    )
    .map_err(usage)?;
    let (grid, block) = shape(terminal, args, &binding, &code)?;
    let launched = match code.launch(terminal, args, &device, &binding, grid, block)? {
        Ok(launched) => launched,
        Err(exit) => return Ok(exit),
    };
    finish(terminal, args, binding, launched)
}

fn find_device(terminal: &mut Terminal, args: &RunArgs) -> Result<DeviceModel, Failed> {
    let name = match (&args.device, &args.compile.target) {
        (Some(name), _) => name.clone(),
        (None, Some(target)) if target != "visa" => crate::backend::registry::find_target(target)
            .map_err(usage)?
            .desc()
            .default_device
            .to_string(),
        (None, _) => "mi300x".to_string(),
    };
    let device = if name.ends_with(".toml") {
        let (_, text) = terminal
            .read_source(Path::new(&name))
            .map_err(|d| (d, Exit::Io))?;
        DeviceModel::parse(&text).map_err(|e| {
            (
                Diagnostic::new(Code::K0811, format!("`{name}` describes no device: {e}")),
                Exit::Usage,
            )
        })?
    } else {
        DeviceModel::find(&name).ok_or_else(|| {
            let all: Vec<String> = DeviceModel::built_in()
                .into_iter()
                .map(|d| d.name)
                .collect();
            let error = Diagnostic::new(Code::K0811, format!("there is no device `{name}`"));
            (
                error.help(format!("there are: {}", all.join(", "))),
                Exit::Usage,
            )
        })?
    };
    if let Some(target) = args.compile.target.as_deref().filter(|t| *t != "visa") {
        let wanted = crate::backend::registry::find_target(target)
            .map_err(usage)?
            .desc()
            .name;
        if wanted != device.target {
            let message = format!("{} runs {}, not {wanted}", device.name, device.target);
            return Err((Diagnostic::new(Code::K0812, message), Exit::Usage));
        }
    }
    Ok(device)
}

fn add_let(terminal: &mut Terminal, names: &mut Names, text: &str) -> Result<(), Diagnostic> {
    let file = terminal.sources.add("--let", text);
    let Some((name, value)) = text.split_once('=') else {
        let span = Span::new(file, 0, text.len());
        return Err(Diagnostic::new(Code::K0801, "a number is named `NAME=EXPR`").at(span, ""));
    };
    let good = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !good || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(
            Diagnostic::new(Code::K0801, "this is no name").at(Span::new(file, 0, name.len()), "")
        );
    }
    let parsed = expr::parse(value, file, name.len() + 1)?;
    let value = expr::eval(&parsed, names)?;
    names.set(name, value);
    Ok(())
}

/// Three sizes from a text such as `n/256, 4`.
fn dims(
    terminal: &mut Terminal,
    option: &str,
    text: &str,
    names: &Names,
) -> Result<[u32; 3], Diagnostic> {
    let file = terminal.sources.add(option, text);
    let mut out = [1u32; 3];
    let mut at = 0;
    let mut depth = 0i32;
    let mut pieces = vec![];
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                pieces.push((at, &text[at..i]));
                at = i + 1;
            }
            _ => {}
        }
    }
    pieces.push((at, &text[at..]));
    if pieces.len() > 3 {
        return Err(
            Diagnostic::new(Code::K0801, "there are three dimensions at most")
                .at(Span::new(file, 0, text.len()), ""),
        );
    }
    let mut names = names.clone();
    for (slot, (at, piece)) in out.iter_mut().zip(pieces) {
        let parsed = expr::parse(piece, file, at)?;
        let value = expr::eval(&parsed, &mut names)?;
        let size = value.to_int().and_then(|v| u32::try_from(v).ok());
        *slot = size.ok_or_else(|| {
            let message = format!(
                "a size must be a whole number from 0 to 4294967295, not {}",
                expect::show(value)
            );
            Diagnostic::new(Code::K0809, message).at(parsed.span, "")
        })?;
    }
    Ok(out)
}

fn shape(
    terminal: &mut Terminal,
    args: &RunArgs,
    binding: &Binding,
    code: &TargetCode,
) -> Result<([u32; 3], [u32; 3]), Failed> {
    let names = &binding.names;
    let block = match &args.block {
        Some(text) => dims(terminal, "--block", text, names).map_err(usage)?,
        None => [code.default_block(), 1, 1],
    };
    let grid = match (&args.grid, &args.threads) {
        (Some(_), Some(_)) => {
            let error = Diagnostic::new(
                Code::K0812,
                "`--grid` and `--threads` both say how large the grid is",
            );
            return Err((error.help("keep one of them"), Exit::Usage));
        }
        (Some(text), None) => dims(terminal, "--grid", text, names).map_err(usage)?,
        (None, Some(text)) => {
            let [threads, ..] = dims(terminal, "--threads", text, names).map_err(usage)?;
            [threads.div_ceil(block[0].max(1)), 1, 1]
        }
        (None, None) => [1, 1, 1],
    };
    Ok((grid, block))
}

fn finish(
    terminal: &mut Terminal,
    args: &RunArgs,
    binding: Binding,
    launched: Launched,
) -> Result<Exit, Failed> {
    let mut env = RunEnv::default();
    env.names = binding.names;
    env.nan_equal = args.nan_equal;
    let mut written = Vec::new();
    for (buffer, bytes) in binding.buffers.into_iter().zip(launched.buffers) {
        let after = Array {
            bytes,
            ..buffer.array.clone()
        };
        if buffer.is_result {
            written.push(buffer.name.clone());
        }
        env.buffers.insert(
            buffer.name,
            Contents {
                before: buffer.array,
                after,
            },
        );
    }
    if !args.compile.quiet {
        for name in &written {
            if let Some(contents) = env.buffers.get(name) {
                terminal.out(&format!("{}\n", output::summary(name, &contents.after)));
            }
        }
        terminal.out(&format!("{}\n", launched.summary));
    }
    for text in &args.prints {
        print_range(terminal, &env, text).map_err(usage)?;
    }
    for text in &args.outs {
        write_out(terminal, &env, text).map_err(usage)?;
    }
    let outcomes = check_all(terminal, args, &mut env)?;
    let mut failed = false;
    for outcome in outcomes {
        failed |= outcome.failed > 0;
        let verdict = if outcome.failed > 0 { "FAILED" } else { "ok" };
        let line = format!(
            "expect  {}  {verdict} ({} checked)\n",
            outcome.text, outcome.checked
        );
        if outcome.failed > 0 || !args.compile.quiet {
            terminal.out(&line);
        }
        let report: String = outcome
            .report
            .lines()
            .map(|l| format!("    {l}\n"))
            .collect();
        terminal.out(&report);
    }
    Ok(if failed { Exit::Failure } else { Exit::Success })
}

/// Splits `NAME[A:B]`.
fn range_of(text: &str) -> Option<(&str, Option<(&str, &str)>)> {
    match text.split_once('[') {
        None => Some((text, None)),
        Some((name, rest)) => {
            let inner = rest.strip_suffix(']')?;
            Some((name, Some(inner.split_once(':').unwrap_or((inner, "")))))
        }
    }
}

fn unknown_buffer(env: &RunEnv, name: &str, span: Span) -> Diagnostic {
    let error = Diagnostic::new(Code::K0805, format!("there is no buffer `{name}`")).at(span, "");
    let names: Vec<&str> = env.buffers.keys().map(String::as_str).collect();
    error.help(format!("there are: {}", names.join(", ")))
}

fn print_range(terminal: &mut Terminal, env: &RunEnv, text: &str) -> Result<(), Diagnostic> {
    let file = terminal.sources.add("--print", text);
    let span = Span::new(file, 0, text.len());
    let bad = || {
        Diagnostic::new(Code::K0801, "elements are written `y[0:8]`, `y[3]` or `y`").at(span, "")
    };
    let (name, range) = range_of(text).ok_or_else(bad)?;
    let contents = env
        .buffers
        .get(name)
        .ok_or_else(|| unknown_buffer(env, name, span))?;
    let len = contents.after.len();
    let (from, to) = match range {
        None => (0, len),
        Some((from, "")) if !text.contains(':') => {
            let from: usize = from.trim().parse().map_err(|_| bad())?;
            (from, from.saturating_add(1))
        }
        Some((from, to)) => {
            let number = |t: &str, default: usize| {
                if t.trim().is_empty() {
                    Ok(default)
                } else {
                    t.trim().parse().map_err(|_| bad())
                }
            };
            (number(from, 0)?, number(to, len)?)
        }
    };
    terminal.out(&output::listing(
        name,
        &contents.after,
        from.min(len),
        to.min(len),
    ));
    Ok(())
}

fn write_out(terminal: &mut Terminal, env: &RunEnv, text: &str) -> Result<(), Diagnostic> {
    let file = terminal.sources.add("--out", text);
    let span = Span::new(file, 0, text.len());
    let Some((name, path)) = text.split_once("=@") else {
        return Err(
            Diagnostic::new(Code::K0801, "a file for a buffer is written `y=@out.npy`")
                .at(span, ""),
        );
    };
    let contents = env
        .buffers
        .get(name)
        .ok_or_else(|| unknown_buffer(env, name, span))?;
    let path = Path::new(path);
    let data = if path.extension().is_some_and(|e| e == "npy") {
        write_npy(&contents.after)
    } else {
        contents.after.bytes.clone()
    };
    terminal.write(path, &data)
}

fn check_all(
    terminal: &mut Terminal,
    args: &RunArgs,
    env: &mut RunEnv,
) -> Result<Vec<Outcome>, Failed> {
    let tol = match &args.tol {
        Some(text) => {
            let file = terminal.sources.add("--tol", text.as_str());
            Some(Tolerance {
                nan_equal: args.nan_equal,
                ..Tolerance::parse(text, file).map_err(usage)?
            })
        }
        None => None,
    };
    let mut outcomes = Vec::new();
    for text in &args.expects {
        outcomes.push(check_one(terminal, env, text, tol).map_err(usage)?);
    }
    Ok(outcomes)
}

fn check_one(
    terminal: &mut Terminal,
    env: &mut RunEnv,
    text: &str,
    tol: Option<Tolerance>,
) -> Result<Outcome, Diagnostic> {
    let file = terminal.sources.add("--expect", text);
    let span = Span::new(file, 0, text.len());
    let plain = |text: String| Diagnostic::new(Code::K0805, text).at(span, "");
    let whole = text.split_once('=').filter(|(name, rest)| {
        let is_name =
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        is_name && (rest.starts_with('@') || rest.starts_with('[') || rest.starts_with("hash:"))
    });
    let Some((name, rest)) = whole else {
        return expect::check_expr(text, file, env, tol);
    };
    if let Some(hash) = rest.strip_prefix("hash:") {
        return expect::check_hash(text, name, hash, env).map_err(plain);
    }
    let elem = env.buffers.get(name).map(|c| c.after.elem);
    let want = if let Some(path) = rest.strip_prefix('@') {
        let data = terminal.read(Path::new(path))?;
        read_npy(&data, elem)
            .map_err(|e| Diagnostic::new(Code::K0808, format!("`{path}`: {e}")).at(span, ""))?
    } else {
        let elem = elem.ok_or_else(|| unknown_buffer(env, name, span))?;
        list_array(rest, name.len() + 1, file, elem, &mut env.names)?
    };
    expect::check_array(text, name, &want, env, tol).map_err(plain)
}

fn list_array(
    text: &str,
    base: usize,
    file: crate::diag::FileId,
    elem: super::value::array::Elem,
    names: &mut Names,
) -> Result<Array, Diagnostic> {
    let spec = super::value::spec::parse_buffer(&format!(":{text}"), file, base.saturating_sub(1))?;
    let super::value::spec::Init::List(values) = spec.init else {
        return Err(Diagnostic::new(Code::K0801, "expected values in brackets").at(spec.span, ""));
    };
    let mut bytes = Vec::new();
    for value in &values {
        let number: Num = expr::eval(value, names)?;
        let bits = elem.bits(number).ok_or_else(|| {
            Diagnostic::new(
                Code::K0806,
                format!("{} is no `{}`", expect::show(number), elem.name()),
            )
            .at(value.span, "")
        })?;
        bytes.extend_from_slice(&bits.to_le_bytes()[..elem.size()]);
    }
    Ok(Array {
        elem,
        shape: vec![values.len()],
        bytes,
    })
}

/// The bytes of a bound value, given the addresses of the buffers.
pub(crate) fn value_bytes(bound: &Bound, param: &ParamInfo, addresses: &[u64]) -> Vec<u8> {
    match bound {
        Bound::Bytes(bytes) => bytes.clone(),
        Bound::Buffer(n) => addresses
            .get(*n)
            .copied()
            .unwrap_or(0)
            .to_le_bytes()
            .to_vec(),
        Bound::Null => vec![
            0;
            param.size.max(if param.kind == ParamKind::Pointer {
                8
            } else {
                1
            }) as usize
        ],
    }
}
