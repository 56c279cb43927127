//! What a compilation gives.

use std::time::Duration;

use crate::backend::pipeline::{Bug, StepObserver};
use crate::backend::report::ResourceReport;
use crate::diag::Diagnostic;
use crate::ir::Module;

/// The program after one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// The pass or step.
    pub step: String,
    /// The kernel; empty for steps on the whole module.
    pub kernel: String,
    /// Its text.
    pub text: String,
}

/// How long a step took on one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The pass or step.
    pub step: String,
    /// The kernel; empty for steps on the whole module.
    pub kernel: String,
    /// Time on this machine.
    pub elapsed: Duration,
}

/// The outcome of machine code generation.
#[derive(Clone, Debug)]
pub struct MachineCode {
    /// Assembly text.
    pub asm: String,
    /// The code object.
    pub object: Vec<u8>,
    /// One report a kernel.
    pub resources: Vec<ResourceReport>,
}

/// A compiled module.
#[derive(Clone, Debug)]
pub struct Artifact {
    /// VISA after all passes.
    pub module: Module,
    /// Machine code, where a target was asked for.
    pub machine: Option<MachineCode>,
    /// Texts that were asked for.
    pub printed: Vec<Printed>,
    /// Time of every step.
    pub timings: Vec<Timing>,
    /// Warnings and notes.
    pub warnings: Vec<Diagnostic>,
}

/// Why there is no artifact.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The input is wrong: errors, with the warnings found on the way.
    Rejected(Vec<Diagnostic>),
    /// The compiler is wrong.
    Bug(Bug),
}

/// Keeps times and the texts that were asked for.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    pub wanted: Vec<String>,
    pub printed: Vec<Printed>,
    pub timings: Vec<Timing>,
}

impl Recorder {
    /// Adds what the VISA passes recorded: pass, kernel, text; and pass, time.
    pub fn add_passes(
        &mut self,
        printed: Vec<(String, String, String)>,
        times: Vec<(&'static str, Duration)>,
    ) {
        let printed =
            printed
                .into_iter()
                .map(|(step, kernel, text)| Printed { step, kernel, text });
        self.printed.extend(printed);
        self.timings
            .extend(times.into_iter().map(|(step, elapsed)| Timing {
                step: step.to_string(),
                kernel: String::new(),
                elapsed,
            }));
    }
}

impl StepObserver for Recorder {
    fn after(
        &mut self,
        step: &'static str,
        kernel: &str,
        elapsed: Duration,
        text: &dyn Fn() -> String,
    ) {
        self.timings.push(Timing {
            step: step.to_string(),
            kernel: kernel.to_string(),
            elapsed,
        });
        if self.wanted.iter().any(|w| w == step || w == "all") {
            let text = text();
            // Steps without a text of their own (the front end, the container) give none.
            if !text.is_empty() {
                self.printed.push(Printed {
                    step: step.to_string(),
                    kernel: kernel.to_string(),
                    text,
                });
            }
        }
    }
}
