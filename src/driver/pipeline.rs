//! From source text to artifact: front end, VISA passes, backend, container.

use std::time::Instant;

use super::artifact::{Artifact, Failure, MachineCode, Recorder};
use super::code_object::Assembled;
use super::options::{Input, Language, Options};
use crate::backend::codegen::CompiledKernel;
use crate::backend::pipeline::{Bug, CompileError, StepObserver};
use crate::backend::target::Target;
use crate::diag::{Code, Diagnostic, FileId, Sink, SourceMap};
use crate::frontend;
use crate::ir::passes::{self, RunError, RunOptions};
use crate::ir::text;
use crate::ir::{Module, WaveSize};

/// In `print_after`: every pass and step.
const ALL_STEPS: &str = "all";

/// Compiles one source text. The text is added to `sources`, which diagnostics refer to.
pub fn compile(
    sources: &mut SourceMap,
    input: &Input,
    options: &Options,
) -> Result<Artifact, Failure> {
    let file = sources.add(input.name.as_str(), input.text.as_str());
    let mut sink = Sink::new();
    let mut recorder = Recorder {
        wanted: options.print_after.clone(),
        ..Recorder::default()
    };
    match run(sources, file, input, options, &mut recorder, &mut sink) {
        Ok((module, machine)) => Ok(Artifact {
            module,
            machine,
            printed: recorder.printed,
            timings: recorder.timings,
            warnings: sink.take(),
        }),
        Err(CompileError::Rejected) => Err(Failure::Rejected(sink.take())),
        Err(CompileError::Bug(bug)) => Err(Failure::Bug(bug)),
    }
}

fn run(
    sources: &SourceMap,
    file: FileId,
    input: &Input,
    options: &Options,
    recorder: &mut Recorder,
    sink: &mut Sink,
) -> Result<(Module, Option<MachineCode>), CompileError> {
    check_step_names(options, sink)?;
    let start = Instant::now();
    let module = read(sources, file, input.language, options, sink);
    recorder.after("frontend", "", start.elapsed(), &String::new);
    let mut module = match module {
        Some(module) if !sink.has_errors() => module,
        _ => return Err(CompileError::Rejected),
    };
    let stopped = run_passes(&mut module, options, recorder)?;
    let machine = match options.target {
        Some(target) if !stopped => {
            Some(generate(target, &module, sources, options, recorder, sink)?)
        }
        _ => None,
    };
    Ok((module, machine))
}

/// The names of all VISA passes.
fn pass_names() -> Vec<&'static str> {
    passes::pipeline::ALL.iter().map(|p| p.name).collect()
}

/// Refuses names of passes and steps that do not exist.
fn check_step_names(options: &Options, sink: &mut Sink) -> Result<(), CompileError> {
    let visa = pass_names();
    let mut all = visa.clone();
    all.extend(options.target.map(|t| t.steps()).unwrap_or_default());
    let only_visa = options.passes.iter().flatten().chain(&options.stop_after);
    let unknown = only_visa
        .filter(|name| !visa.contains(&name.as_str()))
        .map(|name| (name, &visa));
    let print = options.print_after.iter();
    let unprinted = print
        .filter(|name| *name != ALL_STEPS && !all.contains(&name.as_str()))
        .map(|name| (name, &all));
    for (name, known) in unknown.chain(unprinted) {
        let mut diagnostic = Diagnostic::new(Code::K0406, format!("unknown pass `{name}`"))
            .note(format!("passes: {}", known.join(", ")));
        let score = |k: &&&str| (strsim::jaro_winkler(name, k) * 1000.0) as u32;
        if let Some(near) = known.iter().max_by_key(score).filter(|k| score(k) > 750) {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        }
        sink.push(diagnostic);
    }
    match sink.has_errors() {
        true => Err(CompileError::Rejected),
        false => Ok(()),
    }
}

/// Runs the VISA passes; whether the run ended early because it was asked to.
fn run_passes(
    module: &mut Module,
    options: &Options,
    recorder: &mut Recorder,
) -> Result<bool, CompileError> {
    let visa = pass_names();
    let is_visa = |name: &&String| *name == ALL_STEPS || visa.contains(&name.as_str());
    let run_options = RunOptions {
        level: options.opt_level,
        passes: options.passes.clone(),
        print_after: options
            .print_after
            .iter()
            .filter(is_visa)
            .cloned()
            .collect(),
        stop_after: options.stop_after.clone(),
        verify_each: options.verify_each,
    };
    let name = module.name.clone();
    let bug = |message: String| {
        CompileError::Bug(Bug {
            step: "passes",
            kernel: name.clone(),
            message,
        })
    };
    match passes::run(module, &run_options) {
        Ok(report) => {
            recorder.add_passes(report.printed, report.times);
            Ok(report.stopped)
        }
        Err(RunError::UnknownPass(name)) => Err(bug(format!("no pass {name}"))),
        Err(RunError::Broken(pass, _, text)) => {
            Err(bug(format!("pass {pass} broke the function\n{text}")))
        }
    }
}

fn read(
    sources: &SourceMap,
    file: FileId,
    language: Language,
    options: &Options,
    sink: &mut Sink,
) -> Option<Module> {
    match language {
        Language::Kernel => {
            let lowering = frontend::Options {
                fp_contract: !options.no_fp_contract,
            };
            frontend::compile(file, sources, &lowering, sink)
        }
        Language::Visa => text::parse(file, sources, sink),
    }
}

fn generate(
    target: &dyn Target,
    module: &Module,
    sources: &SourceMap,
    options: &Options,
    recorder: &mut Recorder,
    sink: &mut Sink,
) -> Result<MachineCode, CompileError> {
    check_module(target, module, sink)?;
    let mut kernels: Vec<CompiledKernel> = Vec::new();
    let mut rejected = false;
    for func in &module.functions {
        match target.compile(func, &options.codegen, recorder, sink) {
            Ok(kernel) => kernels.push(kernel),
            // The others may have something to report too.
            Err(CompileError::Rejected) => rejected = true,
            Err(bug @ CompileError::Bug(_)) => return Err(bug),
        }
    }
    if rejected || sink.has_errors() {
        return Err(CompileError::Rejected);
    }
    let start = Instant::now();
    let container_bug = |message: String| Bug {
        step: "object",
        kernel: module.name.clone(),
        message,
    };
    let assembled = Assembled::new(target.desc(), &kernels, module, sources, !options.no_lines)
        .map_err(|e| container_bug(e.to_string()))?;
    let object = assembled
        .bytes()
        .map_err(|e| container_bug(e.to_string()))?;
    recorder.after("object", "", start.elapsed(), &String::new);
    Ok(MachineCode {
        asm: assembled.text(),
        object,
        resources: kernels.into_iter().map(|k| k.resources).collect(),
    })
}

/// Whether the module was folded for a wave size and a target that fit.
fn check_module(target: &dyn Target, module: &Module, sink: &mut Sink) -> Result<(), CompileError> {
    let desc = target.desc();
    let lanes = match module.wave {
        WaveSize::W32 => 32,
        WaveSize::W64 => 64,
        WaveSize::Any => desc.wave,
    };
    if lanes != desc.wave {
        let message = format!(
            "module {} is for waves of {lanes} lanes, {} has {}",
            module.name, desc.name, desc.wave
        );
        sink.push(Diagnostic::new(Code::K0404, message));
    }
    if let Some(folded) = &module.target
        && folded != desc.name
        && !desc.aliases.contains(&folded.as_str())
    {
        let message = format!(
            "module {} is for {folded}, not for {}",
            module.name, desc.name
        );
        sink.push(Diagnostic::new(Code::K0405, message));
    }
    match sink.has_errors() {
        true => Err(CompileError::Rejected),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::registry::find_target;

    fn refused(module: &Module) -> Vec<Code> {
        let mut sink = Sink::new();
        let target = find_target("gfx942").ok().unwrap();
        let checked = check_module(target, module, &mut sink);
        assert_eq!(checked.is_err(), sink.has_errors());
        sink.take().iter().map(|d| d.code).collect()
    }

    #[test]
    fn modules_folded_for_something_else_are_refused() {
        let mut module = Module::default();
        assert!(refused(&module).is_empty());
        module.wave = WaveSize::W64;
        module.target = Some("cdna3".into());
        assert!(refused(&module).is_empty());
        module.wave = WaveSize::W32;
        module.target = Some("sm_80".into());
        assert_eq!(refused(&module), [Code::K0404, Code::K0405]);
    }

    #[test]
    fn unknown_passes_get_the_nearest_name() {
        let options = Options {
            passes: Some(vec!["ssaa".into()]),
            print_after: vec!["isle".into(), "ssa".into()],
            target: find_target("gfx942").ok(),
            ..Options::default()
        };
        let mut sink = Sink::new();
        assert!(check_step_names(&options, &mut sink).is_err());
        let help: Vec<_> = sink
            .take()
            .into_iter()
            .map(|d| d.help[0].text.clone())
            .collect();
        assert_eq!(help, ["did you mean `ssa`?", "did you mean `isel`?"]);
    }

    #[test]
    fn errors_of_the_source_come_back_with_their_places() {
        let input = Input {
            name: "bad.k".into(),
            text: "kernel k() { let x: f32 = 1 +; }".into(),
            language: Language::Kernel,
        };
        let mut sources = SourceMap::new();
        let found = match compile(&mut sources, &input, &Options::default()) {
            Err(Failure::Rejected(found)) => found,
            other => panic!("{other:?}"),
        };
        let (file, _) = sources.locate(found[0].span()).unwrap();
        assert_eq!(file, "bad.k");
    }
}
