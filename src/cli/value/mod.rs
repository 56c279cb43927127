//! The value grammar of the command line: expressions, buffer specifications, arrays, expectations.

pub mod array;
pub mod env;
pub mod expect;
pub mod expr;
pub mod generate;
pub mod spec;
