//! The code to run: machine code on a simulated device, or VISA in the evaluator.

use super::bind::{Binding, ParamInfo, ParamKind};
use super::{Check, Failed, RunArgs, usage, value_bytes};
use crate::cli::compile::{compile_for, is_source};
use crate::cli::exit::Exit;
use crate::cli::terminal::Terminal;
use crate::cli::value::array::Elem;
use crate::diag::{Code as DiagCode, Diagnostic};
use crate::ir::eval::{Allocations, EvalFault, FaultKind as EvalKind, Launch};
use crate::ir::{Function, Kind};
use crate::runtime::launch::check_shape;
use crate::runtime::{
    ArgKind, DeviceModel, KernelInfo, LaunchConfig, LaunchError, RuntimeError, Session,
};
use crate::vm::{Fault, FaultKind};

/// Loaded code with its kernel chosen.
#[derive(Debug)]
pub enum Code {
    /// A code object.
    Object(Vec<u8>, KernelInfo, Vec<ParamInfo>),
    /// A VISA module.
    Visa(Box<crate::ir::Module>, usize, Vec<ParamInfo>),
}

/// What a launch gave.
#[derive(Debug)]
pub struct Launched {
    /// Contents of the buffers, in their order.
    pub buffers: Vec<Vec<u8>>,
    /// One line on what was executed.
    pub summary: String,
}

/// Loads the file of the command line; compiles a source first. `Ok(Err(exit))` after errors that
/// were reported.
pub fn load(
    terminal: &mut Terminal,
    args: &RunArgs,
    device: &DeviceModel,
) -> Result<Result<Code, Exit>, Failed> {
    let on_visa = args.compile.target.as_deref() == Some("visa");
    if is_source(&args.file, args.compile.language) {
        let target = if on_visa {
            None
        } else {
            Some(crate::backend::registry::find_target(&device.target).map_err(usage)?)
        };
        let artifact = match compile_for(terminal, &args.file, &args.compile, target) {
            Ok(artifact) => artifact,
            Err(exit) => return Ok(Err(exit)),
        };
        return match artifact.machine {
            Some(machine) => from_object(machine.object, args, device).map(Ok),
            None => from_module(artifact.module, args).map(Ok),
        };
    }
    if on_visa {
        let error = Diagnostic::new(DiagCode::K0812, "an object holds machine code, not VISA");
        return Err((error.help("leave `--target` out"), Exit::Usage));
    }
    let bytes = terminal.read(&args.file).map_err(|d| (d, Exit::Io))?;
    from_object(bytes, args, device).map(Ok)
}

fn choose<'n>(names: &[&'n str], args: &RunArgs) -> Result<&'n str, Failed> {
    let fail = |d: Diagnostic| (d, Exit::Usage);
    let list = names.join(", ");
    match (&args.kernel, names) {
        (_, []) => Err(fail(Diagnostic::new(
            DiagCode::K0810,
            format!("`{}` holds no kernel", args.file.display()),
        ))),
        (None, [one]) => Ok(one),
        (None, _) => Err(fail(
            Diagnostic::new(
                DiagCode::K0810,
                format!(
                    "`{}` holds several kernels: name one of them",
                    args.file.display()
                ),
            )
            .help(format!("there are: {list}")),
        )),
        (Some(name), _) => names.iter().copied().find(|n| n == name).ok_or_else(|| {
            let error = Diagnostic::new(
                DiagCode::K0810,
                format!("`{}` holds no kernel `{name}`", args.file.display()),
            );
            fail(error.help(format!("there are: {list}")))
        }),
    }
}

fn from_object(bytes: Vec<u8>, args: &RunArgs, device: &DeviceModel) -> Result<Code, Failed> {
    let mut session = Session::new(device.clone());
    let module = session.load(&bytes).map_err(|e| object_error(e, args))?;
    let kernels = module.kernels();
    let names: Vec<&str> = kernels.iter().map(|k| k.name.as_str()).collect();
    let name = choose(&names, args)?;
    let info = kernels.iter().find(|k| k.name == name).cloned();
    let Some(info) = info else {
        return Err((
            Diagnostic::new(DiagCode::K0810, format!("no kernel `{name}`")),
            Exit::Usage,
        ));
    };
    let params = info.args.iter().map(|arg| ParamInfo {
        name: arg.name.clone(),
        elem: arg.element.as_deref().and_then(Elem::find),
        size: arg.size,
        kind: match arg.kind {
            ArgKind::Pointer => ParamKind::Pointer,
            ArgKind::LengthOf(n) => ParamKind::LengthOf(n),
            ArgKind::Value => ParamKind::Value,
        },
        readonly: arg.readonly,
    });
    let params = params.collect();
    Ok(Code::Object(bytes, info, params))
}

fn object_error(error: RuntimeError, args: &RunArgs) -> Failed {
    let file = args.file.display();
    match error {
        RuntimeError::Object(object) => (object.to_diagnostic(&file.to_string()), Exit::Io),
        other => (
            Diagnostic::new(DiagCode::K0809, format!("`{file}`: {other}")),
            Exit::Io,
        ),
    }
}

fn from_module(module: crate::ir::Module, args: &RunArgs) -> Result<Code, Failed> {
    let names: Vec<&str> = module.functions.iter().map(|f| f.name.as_str()).collect();
    let name = choose(&names, args)?.to_string();
    let index = module
        .functions
        .iter()
        .position(|f| f.name == name)
        .unwrap_or(0);
    let params = visa_params(&module.functions[index]);
    Ok(Code::Visa(Box::new(module), index, params))
}

fn visa_params(func: &Function) -> Vec<ParamInfo> {
    let elem = |kind: Option<Kind>| match kind? {
        Kind::Pred => Some(Elem::Bool),
        Kind::S8 => Some(Elem::I8),
        Kind::S16 => Some(Elem::I16),
        Kind::S32 => Some(Elem::I32),
        Kind::S64 => Some(Elem::I64),
        other => Elem::find(other.name()),
    };
    let kind = |name: &str, is_ptr: bool| {
        let slice = name
            .strip_suffix(".len")
            .and_then(|s| func.params.iter().position(|p| p.name == s));
        match (slice, is_ptr) {
            (Some(of), _) => ParamKind::LengthOf(of),
            (None, true) => ParamKind::Pointer,
            (None, false) => ParamKind::Value,
        }
    };
    let info = |p: &crate::ir::func::Param| ParamInfo {
        name: Some(p.name.clone()),
        elem: elem(p.elem),
        size: p.ty.bytes(),
        kind: kind(&p.name, p.ty.is_ptr()),
        readonly: p.readonly,
    };
    func.params.iter().map(info).collect()
}

impl Code {
    /// The kernel's name.
    pub fn kernel(&self) -> &str {
        match self {
            Code::Object(_, info, _) => &info.name,
            Code::Visa(module, index, _) => &module.functions[*index].name,
        }
    }

    /// Its parameters.
    pub fn params(&self) -> &[ParamInfo] {
        match self {
            Code::Object(_, _, params) | Code::Visa(_, _, params) => params,
        }
    }

    /// Work-items of a workgroup where the command line does not say.
    pub fn default_block(&self) -> u32 {
        match self {
            Code::Object(_, info, _) => info.max_workgroup_size.min(256),
            Code::Visa(module, index, _) => module.functions[*index]
                .attrs
                .launch_bounds
                .map_or(256, |b| b.0)
                .min(256),
        }
    }

    /// Launches the kernel. `Ok(Err(exit))` after a fault that was reported.
    pub fn launch(
        &self,
        terminal: &mut Terminal,
        args: &RunArgs,
        device: &DeviceModel,
        binding: &Binding,
        grid: [u32; 3],
        block: [u32; 3],
    ) -> Result<Result<Launched, Exit>, Failed> {
        match self {
            Code::Object(bytes, info, params) => {
                let mut session = Session::new(device.clone());
                let module = session.load(bytes).map_err(|e| object_error(e, args))?;
                let place = |b: &super::bind::Buffer| {
                    session.memory.alloc(&b.name, &b.array.bytes, b.read_only)
                };
                let addresses: Vec<u64> = binding.buffers.iter().map(place).collect();
                let values: Vec<Vec<u8>> = binding
                    .values
                    .iter()
                    .zip(params)
                    .map(|(v, p)| value_bytes(v, p, &addresses))
                    .collect();
                let config = LaunchConfig {
                    grid,
                    block,
                    jobs: args.jobs.unwrap_or_else(default_jobs),
                    max_instructions: args.max_instructions,
                    check_hazard: args
                        .checks
                        .iter()
                        .any(|c| matches!(c, Check::Hazard | Check::All)),
                    ..LaunchConfig::default()
                };
                match session.launch(&module, &info.name, &config, &values) {
                    Ok(report) => {
                        let c = report.counters;
                        let read = |(a, b): (&u64, &super::bind::Buffer)| {
                            session
                                .memory
                                .read(*a, b.array.bytes.len())
                                .unwrap_or_default()
                        };
                        let buffers = addresses.iter().zip(&binding.buffers).map(read).collect();
                        let summary = format!(
                            "{} on {} ({}): {} waves, {} wave instructions (salu {}, valu {}, smem {}, vmem {}, other {})",
                            info.name,
                            device.name,
                            device.target,
                            c.waves,
                            c.insts,
                            c.salu,
                            c.valu,
                            c.smem,
                            c.vmem,
                            c.other + c.lds
                        );
                        Ok(Ok(Launched { buffers, summary }))
                    }
                    Err(error) => match *error {
                        LaunchError::Config(error) => Err((
                            Diagnostic::new(DiagCode::K0809, error.to_string()),
                            Exit::Usage,
                        )),
                        LaunchError::Fault(fault, place) => {
                            Ok(Err(report_fault(terminal, &fault, place)))
                        }
                    },
                }
            }
            Code::Visa(module, index, params) => {
                let func = &module.functions[*index];
                let limit = func.attrs.launch_bounds.map(|b| b.0);
                check_shape(grid, block, device.max_workgroup_size, limit)
                    .map_err(|e| (Diagnostic::new(DiagCode::K0809, e.to_string()), Exit::Usage))?;
                evaluate(
                    terminal, args, device, module, func, params, binding, grid, block,
                )
            }
        }
    }
}

fn default_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[allow(clippy::too_many_arguments)]
fn evaluate(
    terminal: &mut Terminal,
    args: &RunArgs,
    device: &DeviceModel,
    module: &crate::ir::Module,
    func: &Function,
    params: &[ParamInfo],
    binding: &Binding,
    grid: [u32; 3],
    block: [u32; 3],
) -> Result<Result<Launched, Exit>, Failed> {
    let mut memory = Allocations::new();
    let mut next = 0x1_0000_0000u64;
    let mut addresses = Vec::new();
    for buffer in &binding.buffers {
        addresses.push(next);
        memory.add(
            next,
            &buffer.name,
            buffer.array.bytes.clone(),
            buffer.read_only,
        );
        next = (next + buffer.array.bytes.len() as u64 + 4096).next_multiple_of(4096);
    }
    let bits: Vec<u64> = binding
        .values
        .iter()
        .zip(params)
        .map(|(v, p)| {
            let mut raw = [0u8; 8];
            let bytes = value_bytes(v, p, &addresses);
            raw[..bytes.len().min(8)].copy_from_slice(&bytes[..bytes.len().min(8)]);
            u64::from_le_bytes(raw)
        })
        .collect();
    let launch = Launch {
        grid,
        block,
        wave: device.wave_size,
        max_insts: args.max_instructions,
    };
    match crate::ir::eval::run(module, &func.name, &launch, &bits, &mut memory) {
        Ok(stats) => {
            let buffers = addresses
                .iter()
                .map(|a| memory.contents(*a).unwrap_or_default().to_vec())
                .collect();
            let summary = format!(
                "{} in the evaluator: {} lanes, {} lane instructions",
                func.name, stats.lanes, stats.insts
            );
            Ok(Ok(Launched { buffers, summary }))
        }
        Err(fault) => Ok(Err(report_eval_fault(terminal, &func.name, &fault))),
    }
}

fn report_eval_fault(terminal: &Terminal, kernel: &str, fault: &EvalFault) -> Exit {
    let (code, message, exit) = match &fault.kind {
        EvalKind::Memory(text) if text.contains("read-only") => {
            (DiagCode::R0002, text.clone(), Exit::Fault)
        }
        EvalKind::Memory(text) if text.contains("multiple of") => {
            (DiagCode::R0003, text.clone(), Exit::Fault)
        }
        EvalKind::Memory(text) => (DiagCode::R0001, text.clone(), Exit::Fault),
        EvalKind::Trap => (
            DiagCode::R0007,
            "the kernel trapped".to_string(),
            Exit::Fault,
        ),
        EvalKind::Unreachable => (
            DiagCode::R0007,
            "code that is never reached was reached".to_string(),
            Exit::Fault,
        ),
        EvalKind::Limit(n) => (
            DiagCode::R0008,
            format!("a lane reached the limit of {n} instructions"),
            Exit::Limit,
        ),
        EvalKind::Call(text) => (DiagCode::K0809, text.clone(), Exit::Usage),
    };
    let diagnostic = Diagnostic::new(code, message)
        .at(fault.span, "here")
        .note(format!(
            "kernel {kernel}, workgroup {:?}, work-item {:?}",
            fault.block, fault.thread
        ));
    terminal.fail(diagnostic, exit)
}

/// Reports a fault with the source line, where the object has line numbers.
fn report_fault(terminal: &mut Terminal, fault: &Fault, place: Option<(String, u32, u32)>) -> Exit {
    let exit = match fault.kind {
        FaultKind::Limit(_) | FaultKind::Deadlock(_) => Exit::Limit,
        FaultKind::Hazard(_) => Exit::Finding,
        FaultKind::IllegalAddress(_)
        | FaultKind::ReadOnly(_)
        | FaultKind::Misaligned(_)
        | FaultKind::IllegalInstruction(_)
        | FaultKind::Unsupported(_)
        | FaultKind::OutOfRange(_)
        | FaultKind::Trap(_) => Exit::Fault,
    };
    let mut diagnostic = Diagnostic::new(fault.kind.code(), fault.kind.message());
    if let Some((file, line, col)) = &place {
        let span = source_span(terminal, file, *line, *col);
        match span {
            Some(span) => diagnostic = diagnostic.at(span, "by this"),
            None => diagnostic = diagnostic.note(format!("at {file}:{line}:{col}")),
        }
    }
    let lanes = match fault.lanes {
        0 => String::new(),
        mask if mask.count_ones() == 1 => format!(", lane {}", mask.trailing_zeros()),
        mask => format!(", active lanes {mask:#x}"),
    };
    diagnostic = diagnostic.note(format!(
        "kernel {}, workgroup {:?}, wave {}{lanes}",
        fault.kernel, fault.workgroup, fault.wave
    ));
    if !fault.inst.is_empty() {
        diagnostic = diagnostic.note(format!("pc {:#x}: {}", fault.pc, fault.inst));
    }
    terminal.fail(diagnostic, exit)
}

/// The span of a line and column in a file that is known or can be read.
fn source_span(
    terminal: &mut Terminal,
    name: &str,
    line: u32,
    col: u32,
) -> Option<crate::diag::Span> {
    let known = (0..terminal.sources.len() as u32)
        .map(crate::diag::FileId)
        .find(|id| terminal.sources.get(*id).is_some_and(|f| f.name == name));
    let id = known?;
    let file = terminal.sources.get(id)?;
    let text = file.line_text(line);
    let start = text.as_ptr() as usize - file.text.as_ptr() as usize;
    if text.is_empty() {
        return None;
    }
    let offset = text
        .char_indices()
        .nth(col.saturating_sub(1) as usize)
        .map_or(0, |(i, _)| i);
    let len = text[offset..].chars().next().map_or(1, char::len_utf8);
    Some(crate::diag::Span::new(
        id,
        start + offset,
        start + offset + len,
    ))
}
