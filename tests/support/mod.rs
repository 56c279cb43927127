//! Support of the integration tests: case headers, output matching, tool lookup.

#![allow(dead_code, clippy::print_stdout)]

pub mod case;
pub mod check;
pub mod tools;
