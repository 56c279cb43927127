//! A compiler and a virtual machine for GPU kernels that run without a GPU.
//!
//! ```text
//!  .k source            .visa text
//!      |  logos+lalrpop     |
//!      v                    v
//!     AST ---------------> VISA (ir): SSA virtual ISA  <--- verifier after every pass
//!                           |  target-independent passes
//!                           v
//!        backend: legalize, select, insert exec masks, allocate registers, insert waits
//!                           |
//!                           v
//!        object: code object bytes (or -S text)
//!                           |
//!                           v
//!        runtime: load, bind arguments, launch --> vm: decode -> uops -> interpreter
//! ```
//!
//! Layers point downwards only. `num` and `diag` are at the bottom; `ir`, `isa` and `object` do not
//! know each other; `frontend` uses `ir`; `backend` uses `ir`, `isa`, `object`; `driver` joins them;
//! `vm` uses `isa` alone (it executes bytes and never sees the compiler); `runtime` uses `vm`,
//! `object` and `driver`; `cli` is on top. `tests/layering.rs` checks every `use`.

pub mod backend;
pub mod cli;
pub mod diag;
pub mod driver;
pub mod frontend;
pub mod ir;
pub mod isa;
pub mod num;
pub mod object;
pub mod runtime;
pub mod vm;
