//! AMD.

pub mod insert_exec_mask;
pub mod insert_waitcnt;
pub mod resolve_hazards;
