//! The text form of VISA: names of entities, literals, printer, lexer and parser.

pub mod literal;
pub mod names;
pub mod print;

pub use names::Names;
pub use print::{PrintOptions, print_function, print_inst, print_module};
