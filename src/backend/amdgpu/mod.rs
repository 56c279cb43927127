//! AMD GPUs: from VISA to code for `amdhsa`.

pub mod abi;
pub mod insert_exec_mask;
pub mod insert_waitcnt;
pub mod isel;
pub mod legalize;
pub mod pipeline;
pub mod resolve_hazards;
pub mod uniform_values;

mod desc;
mod emit;

pub use desc::{AmdTarget, GFX942};
