//! VISA, the virtual ISA: types, opcode table, builder, text form, verifier, evaluator, passes.

pub mod builder;
pub mod cfg;
pub mod dom;
pub mod entity;
pub mod eval;
pub mod func;
pub mod liveness;
pub mod loops;
pub mod opcode;
pub mod passes;
pub mod text;
pub mod types;
pub mod uniformity;
pub mod verify;

pub use builder::Builder;
pub use entity::{Arena, Block, Entity, Inst, Value, Var};
pub use func::{Attrs, BlockCall, Function, InstData, KernelAttrs, Module, ValueDef, WaveSize};
pub use opcode::{Cmp, Flags, OpDesc, Opcode, Round, Rule, SReg, Slot};
pub use types::{Kind, KindSet, Space, Type};
pub use verify::{Stage, VerifyError};
