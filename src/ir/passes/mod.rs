//! Passes on VISA and their runner.
//!
//! A pass is a file with one `run`. The pipeline of an optimisation level is a list of names in
//! [`pipeline`]. The runner gives every pass printing, stopping, timing, verification and statistics
//! from its name; it returns text and never prints.

pub mod const_fold;
pub mod copy_prop;
pub mod dce;
pub mod edges;
pub mod pipeline;
pub mod simplify_cfg;
pub mod ssa;

use std::time::{Duration, Instant};

use super::func::{Function, Module};
use super::text::print::print_function;
use super::verify::{Stage, VerifyError, render_errors, verify};

/// Whether a pass changed the function.
pub type Changed = bool;

/// What a pass may count.
#[derive(Debug, Default)]
pub struct PassCtx {
    /// Number of changes of the running pass, by what was changed.
    pub stats: Vec<(&'static str, u64)>,
}

impl PassCtx {
    /// Adds to a statistic of the running pass.
    pub fn count(&mut self, what: &'static str, n: u64) {
        if n == 0 {
            return;
        }
        match self.stats.iter_mut().find(|(w, _)| *w == what) {
            Some((_, total)) => *total += n,
            None => self.stats.push((what, n)),
        }
    }
}

/// One pass.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Name: the file's name with dashes.
    pub name: &'static str,
    /// One line for `kcc passes`.
    pub doc: &'static str,
    /// Whether a later step needs it; optional passes may be left out.
    pub required: bool,
    /// The stage that holds after it.
    pub leaves: Stage,
    /// The pass.
    pub run: fn(&mut Function, &mut PassCtx) -> Changed,
}

impl std::fmt::Debug for Pass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Options of the runner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// Optimisation level 0 to 3.
    pub level: u8,
    /// Run these passes instead of the level's.
    pub passes: Option<Vec<String>>,
    /// Print the function after these passes.
    pub print_after: Vec<String>,
    /// Stop after this pass.
    pub stop_after: Option<String>,
    /// Verify after each pass.
    pub verify_each: bool,
}

/// What a run gave besides the changed module.
#[derive(Debug, Default)]
pub struct RunReport {
    /// Printed functions: pass, kernel, text.
    pub printed: Vec<(String, String, String)>,
    /// Time of each pass in order of its first run.
    pub times: Vec<(&'static str, Duration)>,
    /// Statistics: pass, what, how often.
    pub stats: Vec<(&'static str, &'static str, u64)>,
    /// Whether the run ended at `stop_after`.
    pub stopped: bool,
}

/// Why a run failed.
#[derive(Debug)]
pub enum RunError {
    /// No pass of this name.
    UnknownPass(String),
    /// A pass broke the function: the pass, the errors, and the function's text with them.
    Broken(String, Vec<VerifyError>, String),
}

/// Runs a pipeline on every function.
pub fn run(module: &mut Module, options: &RunOptions) -> Result<RunReport, RunError> {
    let passes = match &options.passes {
        Some(names) => names
            .iter()
            .map(|n| find(n))
            .collect::<Result<Vec<_>, _>>()?,
        None => pipeline::passes(options.level)
            .iter()
            .map(|n| find(n))
            .collect::<Result<Vec<_>, _>>()?,
    };
    for name in options.print_after.iter().chain(&options.stop_after) {
        if name != "all" {
            find(name)?;
        }
    }
    let mut report = RunReport::default();
    for func in &mut module.functions {
        let mut stage = Stage::Vars;
        for pass in &passes {
            let start = Instant::now();
            let mut ctx = PassCtx::default();
            (pass.run)(func, &mut ctx);
            add_time(&mut report.times, pass.name, start.elapsed());
            for (what, n) in ctx.stats {
                match report
                    .stats
                    .iter_mut()
                    .find(|(p, w, _)| *p == pass.name && *w == what)
                {
                    Some((_, _, total)) => *total += n,
                    None => report.stats.push((pass.name, what, n)),
                }
            }
            if pass.leaves == Stage::Ssa {
                stage = Stage::Ssa;
            }
            if options.verify_each {
                let errors = verify(func, stage);
                if !errors.is_empty() {
                    let text = render_errors(func, &errors);
                    return Err(RunError::Broken(pass.name.to_string(), errors, text));
                }
            }
            if options
                .print_after
                .iter()
                .any(|p| p == pass.name || p == "all")
            {
                report.printed.push((
                    pass.name.to_string(),
                    func.name.clone(),
                    print_function(func),
                ));
            }
            if options.stop_after.as_deref() == Some(pass.name) {
                report.stopped = true;
                break;
            }
        }
    }
    Ok(report)
}

fn add_time(times: &mut Vec<(&'static str, Duration)>, name: &'static str, time: Duration) {
    match times.iter_mut().find(|(n, _)| *n == name) {
        Some((_, total)) => *total += time,
        None => times.push((name, time)),
    }
}

fn find(name: &str) -> Result<Pass, RunError> {
    let found = pipeline::ALL.iter().find(|p| p.name == name);
    found
        .copied()
        .ok_or_else(|| RunError::UnknownPass(name.to_string()))
}
