//! The text form of VISA: names of entities, literals, printer, lexer and parser.
//!
//! `docs/visa.md` specifies it. `parse` reads what `print` writes, and printing what was read gives
//! the canonical form of a text.

mod ast;
mod build;
mod function;
mod infer;
mod lexer;
pub mod literal;
mod locs;
mod mnemonic;
pub mod names;
mod nearest;
mod operands;
pub mod parse;
pub mod print;

pub use names::Names;
pub use parse::parse;
pub use print::{PrintOptions, print_function, print_inst, print_module};

#[cfg(test)]
mod tests;
