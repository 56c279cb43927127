//! AMD GPUs: from VISA to code for `amdhsa`.

pub mod abi;
pub mod isel;
pub mod legalize;

mod desc;
mod emit;
mod pipeline;

pub use desc::{AmdTarget, GFX942};
