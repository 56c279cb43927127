//! Checks that a function is well formed.
//!
//! - `structure`: blocks end in one terminator, branches name placed blocks and pass their
//!   parameters, the entry has neither parameters nor predecessors;
//! - `types`: an instruction has the attributes, operands and results that its row asks for;
//! - `ssa`: every value is defined once, before all its uses;
//! - a function of stage [`Stage::Ssa`] has no variables.
//!
//! The first error of each check is enough to find the pass that broke the function, so checks stop
//! at the first layer that fails: later layers rely on earlier ones.

mod ssa;
mod structure;
mod types;

use std::fmt;

use super::entity::Inst;
use super::func::Function;
use super::opcode::Flags;
use super::text::names::Names;
use super::text::print::{print_function, print_inst};

/// What a function promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Variables may be read and written.
    Vars,
    /// No variables.
    Ssa,
}

/// An invariant that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// Function.
    pub function: String,
    /// The instruction, where one is to blame.
    pub inst: Option<Inst>,
    /// Its text.
    pub text: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}: {}", self.function, self.message)?;
        if !self.text.is_empty() {
            write!(f, ": `{}`", self.text)?;
        }
        Ok(())
    }
}

/// Collects errors of one function.
pub(super) struct Errors<'f> {
    func: &'f Function,
    names: Names,
    found: Vec<VerifyError>,
}

impl Errors<'_> {
    fn add(&mut self, inst: Option<Inst>, message: impl Into<String>) {
        let text = inst.map_or(String::new(), |i| print_inst(self.func, &self.names, i));
        self.found.push(VerifyError {
            function: self.func.name.clone(),
            inst,
            text: text.trim().to_string(),
            message: message.into(),
        });
    }
}

/// Verifies a function; an empty list means that it is well formed.
pub fn verify(func: &Function, stage: Stage) -> Vec<VerifyError> {
    let mut errors = Errors {
        func,
        names: Names::of(func),
        found: Vec::new(),
    };
    structure::verify(func, &mut errors);
    if errors.found.is_empty() {
        types::verify(func, &mut errors);
    }
    if errors.found.is_empty() {
        ssa::verify(func, &mut errors);
    }
    if stage == Stage::Ssa && errors.found.is_empty() {
        for &block in &func.layout {
            for &inst in &func.blocks[block].insts {
                if func.insts[inst].op.flags().has(Flags::VAR) {
                    errors.add(Some(inst), "variables are gone after SSA construction");
                }
            }
        }
    }
    errors.found
}

/// The function's text with each error under the instruction that it blames.
pub fn render_errors(func: &Function, errors: &[VerifyError]) -> String {
    let mut out = String::new();
    let text = print_function(func);
    for line in text.lines() {
        out.push_str(line);
        out.push('\n');
        for error in errors
            .iter()
            .filter(|e| !e.text.is_empty() && line.trim() == e.text)
        {
            out.push_str(&format!("    ^ {}\n", error.message));
        }
    }
    for error in errors.iter().filter(|e| e.text.is_empty()) {
        out.push_str(&format!("error: {error}\n"));
    }
    out
}
