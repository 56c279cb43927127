//! From VISA to machine code.
//!
//! ```text
//!   VISA, SSA --legalize--> VISA that the target can select
//!             --isel------> machine IR over virtual registers   (Stage::Selected)
//!             --insert_exec_mask--> machine branches, EXEC code (Stage::Linear)
//!             --regalloc--> machine registers                   (Stage::Allocated)
//!             --insert_waitcnt, resolve_hazards-->              (Stage::Final)
//!             --emit------> bytes, listing, line table, resource report
//! ```
//!
//! A target is a description ([`target::TargetDesc`]) and a pipeline behind [`target::Target`];
//! [`registry`] finds it by name.

pub mod amdgpu;
pub mod codegen;
pub mod linear;
pub mod mir;
pub mod pipeline;
pub mod regalloc;
pub mod registry;
pub mod report;
pub mod target;
