//! Support of the integration tests: case headers, output matching, tool lookup.

pub mod case;
pub mod check;
pub mod tools;
