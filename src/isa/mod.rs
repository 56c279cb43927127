//! The instruction tables of real machines and the generic machinery that walks them.

pub mod amdgpu;
pub mod bits;
pub mod desc;
pub mod inst;
pub mod uop;

pub use desc::{
    Accepts, Class, Implicit, OpType, OperandSpec, Reg, RegFile, Role, SccRule, Semantics,
};
pub use inst::{Ext, Form, MachineInst, Mods, Operand, RowId};
pub use uop::Uop;
