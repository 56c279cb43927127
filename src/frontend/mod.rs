//! The kernel language: tokens, AST, names, types, constants, lowering to VISA.
//!
//! ```text
//! text --lexer, grammar--> ast --check--> hir --lower--> ir::Module with variables
//! ```

pub mod ast;
pub mod check;
pub mod consts;
pub mod hir;
pub mod lexer;
pub mod lower;
pub mod parse;
pub mod token;
pub mod types;

#[cfg(test)]
mod tests;

use crate::diag::{FileId, Sink, SourceMap};
use crate::ir::Module;

pub use lower::Options;

/// Compiles a file of the kernel language to VISA with variables. `None` after errors, which are in
/// the sink; warnings go there too.
pub fn compile(
    file: FileId,
    sources: &SourceMap,
    options: &Options,
    sink: &mut Sink,
) -> Option<Module> {
    let source = sources.get(file)?;
    let unit = parse::parse(&source.text, file, sink);
    let kernels = check::check(&unit, sink);
    if sink.has_errors() {
        return None;
    }
    Some(lower::lower(&source.name, &kernels, *options))
}
