//! AMD GPU machine code: one table for all chips.
//!
//! A row ([`RowDesc`]) is one line of a table file (`sop.rs`, `vop2.rs`, …); `forms.rs` derives from
//! it what the other encodings of the same instruction look like; `format.rs` lists the bit fields
//! of each encoding. [`isa`] binds the table to a chip.
//!
//! Sources: AMD Instinct MI300 ISA guide (sections 3 to 13), LLVM AMDGPU usage guide.

mod check;
mod codec;
mod error;
pub mod format;
mod forms;
pub mod hazards;
mod isa;
mod mods;
mod names;
pub mod operands;
mod print;
pub mod regs;
mod row;
mod smem;
mod sop;
mod vmem;
mod vop1;
mod vop2;
mod vop3;
mod vopc;

pub use error::{DecodeError, EncodeError};
pub use forms::{Row, RowForm};
pub use isa::{Isa, isa};
pub use row::{Attrs, Chip, Encoding, Opcodes, RowDesc};

/// Row constants by name: `op::V_ADD_F32`.
pub mod op {
    pub use super::smem::ids::*;
    pub use super::sop::ids::*;
    pub use super::vmem::ids::*;
    pub use super::vop1::ids::*;
    pub use super::vop2::ids::*;
    pub use super::vop3::ids::*;
    pub use super::vopc::ids::*;
}

/// All groups in the order of their row numbers.
static GROUPS: &[&[RowDesc]] = &[
    sop::ROWS,
    smem::ROWS,
    vop1::ROWS,
    vop2::ROWS,
    vopc::ROWS,
    vop3::ROWS,
    vmem::ROWS,
];

/// Number of rows.
const ROW_COUNT: u16 = vmem::END;
