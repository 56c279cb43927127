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
use crate::ir::{Module, WaveSize};

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
    let start = Instant::now();
    let module = read(sources, file, input.language, options, sink);
    recorder.after("frontend", "", start.elapsed(), &String::new);
    let module = match module {
        Some(module) if !sink.has_errors() => module,
        _ => return Err(CompileError::Rejected),
    };
    let machine = match options.target {
        Some(target) => Some(generate(target, &module, sources, options, recorder, sink)?),
        None => None,
    };
    Ok((module, machine))
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
        Language::Visa => None,
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
