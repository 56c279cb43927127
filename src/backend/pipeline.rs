//! Steps of a backend, who watches them, and how they fail.

use std::fmt;
use std::time::Duration;

/// Sees the program after each step of a backend: `--print-after`, `--time-passes`.
pub trait StepObserver {
    /// `step` took `elapsed` on the kernel `kernel`; `text` makes the program's text on demand.
    fn after(
        &mut self,
        step: &'static str,
        kernel: &str,
        elapsed: Duration,
        text: &dyn Fn() -> String,
    );
}

/// An observer that ignores everything.
#[derive(Debug, Default)]
pub struct NoObserver;

impl StepObserver for NoObserver {
    fn after(&mut self, _: &'static str, _: &str, _: Duration, _: &dyn Fn() -> String) {}
}

/// A fault of the compiler itself: a step left something that it promised not to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bug {
    /// The step.
    pub step: &'static str,
    /// The kernel.
    pub kernel: String,
    /// What is wrong, with the instruction's text.
    pub message: String,
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Bug {
            step,
            kernel,
            message,
        } = self;
        write!(
            f,
            "internal error after {step} of kernel {kernel}: {message}"
        )
    }
}

/// Why there is no code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompileError {
    /// The user's program asks for what the target does not have; the sink says what.
    Rejected,
    /// A fault of the compiler.
    Bug(Bug),
}

impl From<Bug> for CompileError {
    fn from(bug: Bug) -> CompileError {
        CompileError::Bug(bug)
    }
}
