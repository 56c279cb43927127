//! Machine IR: rows of the ISA table over virtual registers.

pub mod access;
pub mod func;
pub mod inst;
pub mod print;

pub use func::{MBlockData, MFunction, SlotData, Stage};
pub use inst::{MBlock, MInst, MOp, MOperand, Pseudo, Slot, VReg, VRegData};
