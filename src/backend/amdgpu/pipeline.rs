//! The steps from VISA to machine code, in order. All of them are required; the optional passes run
//! on VISA before.

use std::time::Instant;

use super::abi::KernelAbi;
use super::desc::AmdTarget;
use super::emit::{Emitted, emit, filler};
use super::isel::{Selection, select};
use super::legalize::legalize;
use super::uniform_values::UniformValues;
use super::{insert_exec_mask, insert_waitcnt, resolve_hazards};
use crate::backend::codegen::{CodegenOptions, CompiledKernel};
use crate::backend::mir::{self, MFunction, MOperand, SlotData};
use crate::backend::pipeline::{Bug, CompileError, StepObserver};
use crate::backend::regalloc::{self, AllocError};
use crate::backend::report::{ResourceReport, SpillReport};
use crate::backend::target::TargetDesc;
use crate::diag::{Code, Diagnostic, Sink, Span};
use crate::ir::Function;
use crate::ir::text::print_function;
use crate::ir::verify::{Stage, render_errors, verify};
use crate::isa::RegFile;
use crate::isa::amdgpu::{Isa, isa};

/// What a machine step may ask for.
pub struct StepContext<'a> {
    /// Numbers of the target.
    pub desc: &'static TargetDesc,
    /// Instruction rows.
    pub isa: &'static Isa,
    /// Vector registers that the kernel may use.
    pub max_vgprs: u32,
    /// Where the kernel is declared.
    pub span: Span,
    /// What the user is told.
    pub sink: &'a mut Sink,
    /// Check the result of every step.
    pub verify_each: bool,
}

/// A step on machine IR. It reports what the user has to change to the context's sink and returns
/// [`CompileError::Rejected`]; what an earlier step got wrong is a [`bug`].
pub struct MachineStep {
    /// Name for `--print-after`.
    pub name: &'static str,
    /// The step.
    pub run: fn(&mut MFunction, &mut StepContext<'_>) -> Result<(), CompileError>,
}

/// The steps between selection and emission, in order.
#[rustfmt::skip]
pub const MACHINE_STEPS: &[MachineStep] = &[
    MachineStep { name: "insert-exec-mask", run: |mf, _| { insert_exec_mask::run(mf); Ok(()) } },
    MachineStep { name: "regalloc",         run: allocate },
    // A branch that goes away is a wait state less: before those are counted.
    MachineStep { name: "layout",           run: |mf, _| { insert_exec_mask::drop_fallthrough_branches(mf); Ok(()) } },
    MachineStep { name: "insert-waitcnt",   run: |mf, ctx| { insert_waitcnt::run(mf, ctx.isa); Ok(()) } },
    MachineStep { name: "resolve-hazards",  run: |mf, ctx| { resolve_hazards::run(mf, ctx.isa); Ok(()) } },
];

/// Vector registers that instructions can name; the accumulation registers are not used.
const NAMED_VGPRS: u32 = 256;

fn allocate(mf: &mut MFunction, ctx: &mut StepContext<'_>) -> Result<(), CompileError> {
    let budget = regalloc::Budget {
        vgprs: ctx.max_vgprs.min(NAMED_VGPRS) as u16,
        // As many as never cost a wave.
        sgprs: ctx
            .desc
            .registers_for(&ctx.desc.sgpr, ctx.desc.max_waves_per_simd) as u16,
    };
    match regalloc::allocate(mf, ctx.isa, budget, ctx.verify_each) {
        Ok(()) => Ok(()),
        Err(AllocError::TooFew(name, span, file)) => {
            let (kind, have) = match file {
                RegFile::Sgpr => ("scalar", budget.sgprs),
                RegFile::Vgpr | RegFile::Agpr | RegFile::Scc => ("vector", budget.vgprs),
            };
            let message = format!(
                "kernel {} cannot be compiled with {have} {kind} registers",
                mf.name
            );
            let span = if span.is_none() { ctx.span } else { span };
            let text = match name {
                Some(name) => format!("`{name}` needs one here while all others are in use"),
                None => "one instruction needs more at once".to_string(),
            };
            let error = Diagnostic::new(Code::K0403, message).at(span, text);
            ctx.sink.push(error.help("raise --max-regs or @max_regs"));
            Err(CompileError::Rejected)
        }
        Err(AllocError::Wrong(errors)) => Err(bug("regalloc", mf, errors.join("\n"))),
    }
}

/// The names of all steps.
pub(super) fn steps() -> Vec<&'static str> {
    let machine = MACHINE_STEPS.iter().map(|s| s.name);
    ["legalize", "isel"]
        .into_iter()
        .chain(machine)
        .chain(["emit"])
        .collect()
}

/// Compiles one kernel.
pub(super) fn compile(
    target: &AmdTarget,
    func: &Function,
    options: &CodegenOptions,
    observer: &mut dyn StepObserver,
    sink: &mut Sink,
) -> Result<CompiledKernel, CompileError> {
    let Some(isa) = isa(target.chip) else {
        let message = format!("target {} has no instruction table yet", target.desc.name);
        sink.push(Diagnostic::new(Code::K0402, message));
        return Err(CompileError::Rejected);
    };
    let desc = target.desc;
    let mut func = func.clone();
    let name = func.name.clone();
    let span = func.span.unwrap_or(Span::NONE);
    let abi = KernelAbi::new(&func, desc, options.launch_bounds);
    check_bounds(&func, &abi, desc, sink)?;
    let max_vgprs = vgpr_budget(&func, &abi, desc, options);

    let start = Instant::now();
    if !legalize(&mut func, sink) {
        return Err(CompileError::Rejected);
    }
    if options.verify_each {
        let errors = verify(&func, Stage::Ssa);
        if !errors.is_empty() {
            return Err(CompileError::Bug(Bug {
                step: "legalize",
                kernel: name,
                message: render_errors(&func, &errors),
            }));
        }
    }
    observer.after("legalize", &name, start.elapsed(), &|| {
        print_function(&func)
    });

    let start = Instant::now();
    let uniform_values = UniformValues::compute(&func);
    let uniform = |value| uniform_values.contains(value);
    let mut mf = select(&Selection {
        func: &func,
        uniform: &uniform,
        abi: &abi,
        desc,
        isa,
    });
    observer.after("isel", &name, start.elapsed(), &|| {
        mir::print::print(&mf, isa)
    });

    for step in MACHINE_STEPS {
        let start = Instant::now();
        let mut context = StepContext {
            desc,
            isa,
            max_vgprs,
            span,
            sink,
            verify_each: options.verify_each,
        };
        (step.run)(&mut mf, &mut context)?;
        observer.after(step.name, &name, start.elapsed(), &|| {
            mir::print::print(&mf, isa)
        });
    }

    let start = Instant::now();
    let Emitted { code, asm, lines } = emit(&mf, isa, sink)?;
    observer.after("emit", &name, start.elapsed(), &String::new);
    let resources = report(&mf, &abi, desc, code.len() as u32);
    Ok(CompiledKernel {
        name,
        code,
        padding: (filler(isa), desc.prefetch_bytes / 4),
        asm,
        lines,
        abi,
        resources,
    })
}

/// Refuses workgroups that no compute unit can hold.
fn check_bounds(
    func: &Function,
    abi: &KernelAbi,
    desc: &TargetDesc,
    sink: &mut Sink,
) -> Result<(), CompileError> {
    let Some((asked, _)) = func.attrs.launch_bounds else {
        return Ok(());
    };
    if asked <= abi.max_workgroup_size.max(desc.max_workgroup_size) {
        return Ok(());
    }
    let message = format!(
        "kernel {} asks for workgroups of {asked} work-items, {} has at most {}",
        func.name, desc.name, desc.max_workgroup_size
    );
    let span = func.span.unwrap_or(Span::NONE);
    sink.push(Diagnostic::new(Code::K0403, message).at(span, "declared here"));
    Err(CompileError::Rejected)
}

/// The vector registers that a kernel may use: what it was told, and no more than leave room for
/// one workgroup and for the waves that it asks for.
fn vgpr_budget(
    func: &Function,
    abi: &KernelAbi,
    desc: &TargetDesc,
    options: &CodegenOptions,
) -> u32 {
    let waves_of_group = abi.max_workgroup_size.div_ceil(desc.wave);
    let groups = func.attrs.launch_bounds.map_or(1, |b| b.1.max(1));
    let needed = waves_of_group.saturating_mul(groups).div_ceil(desc.simds);
    let asked = options
        .waves_per_eu
        .or(func.attrs.waves_per_eu.map(|w| w.0))
        .unwrap_or(1);
    let waves = needed.max(asked).clamp(1, desc.max_waves_per_simd);
    let room = desc.registers_for(&desc.vgpr, waves);
    let told = options.max_regs.or(func.attrs.max_regs);
    told.unwrap_or(room).min(room)
}

/// Counts what the final code uses.
fn report(
    mf: &MFunction,
    abi: &KernelAbi,
    desc: &'static TargetDesc,
    bytes: u32,
) -> ResourceReport {
    let mut used = [0u32; 3];
    let insts = mf.layout.iter().flat_map(|b| &mf.block(*b).insts);
    for operand in insts.flat_map(|i| &i.operands) {
        let MOperand::Phys(reg) = operand else {
            continue;
        };
        let end = u32::from(reg.index) + u32::from(reg.count);
        let slot = match reg.file {
            RegFile::Vgpr => &mut used[0],
            // Special registers have numbers behind the general ones.
            RegFile::Sgpr if reg.index < desc.sgpr.count => &mut used[1],
            RegFile::Agpr => &mut used[2],
            RegFile::Sgpr | RegFile::Scc => continue,
        };
        *slot = (*slot).max(end);
    }
    ResourceReport {
        kernel: mf.name.clone(),
        target: desc,
        // The hardware writes v0 and the first scalar registers whether the kernel reads them or not.
        vgprs: used[0].max(1),
        sgprs: used[1].max(3),
        agprs: used[2],
        spills: mf.slots.iter().map(|s| spill_report(mf, s)).collect(),
        scratch_bytes: mf.frame_bytes,
        lds_bytes: 0,
        kernarg_bytes: abi.kernarg_bytes,
        code_bytes: bytes,
        max_workgroup_size: abi.max_workgroup_size,
    }
}

fn spill_report(mf: &MFunction, slot: &SlotData) -> SpillReport {
    let data = mf.vreg(slot.reg);
    SpillReport {
        name: data.name.clone().unwrap_or_default(),
        span: data.span,
        bytes: u32::from(slot.dwords) * 4,
        scalar: data.file == RegFile::Sgpr,
    }
}

/// A step's complaint about what an earlier one left.
pub fn bug(step: &'static str, mf: &MFunction, message: impl ToString) -> CompileError {
    CompileError::Bug(Bug {
        step,
        kernel: mf.name.clone(),
        message: message.to_string(),
    })
}
