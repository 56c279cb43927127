//! The kernel language: tokens, AST, names, types, constants, lowering to VISA.

pub mod ast;
pub mod lexer;
pub mod parse;
pub mod token;
