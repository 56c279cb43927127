//! One call that compiles a source text for a target.

mod artifact;
mod code_object;
mod options;
mod pipeline;

pub use artifact::{Artifact, Failure, MachineCode, Printed, Timing};
pub use options::{Input, Language, Options};
pub use pipeline::compile;
