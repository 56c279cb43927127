//! Steps of a backend and who watches them.

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
