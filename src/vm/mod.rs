//! The SIMT machine: it executes the bytes of real machine code.
//!
//! ```text
//! KernelImage (addresses, registers, modes)
//!     | dispatch: grid -> workgroups -> waves
//!     v
//! program: bytes -> decoded steps (once per address)
//!     | exec: a step on a wave: scalar, or under EXEC for each lane
//!     v
//! memory: global allocations, scratch, LDS; every access checked
//! ```
//!
//! Nothing here knows the compiler. What an instruction means is its row's micro-operation; whatever
//! the bytes are, the outcome is a result or a [`Fault`], never a panic.

pub mod check;
pub mod counters;
pub mod dispatch;
pub mod exec;
pub mod fault;
pub mod memory;
pub mod program;
pub mod wave;

use crate::isa::amdgpu::Chip;

pub use counters::Counters;
pub use dispatch::{RunConfig, run};
pub use fault::{Fault, FaultKind};
pub use memory::Memory;

/// A user SGPR group that a kernel asks for, in the order of the registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum UserSgpr {
    PrivateSegmentBuffer,
    DispatchPtr,
    QueuePtr,
    KernargPtr,
    DispatchId,
    FlatScratchInit,
    /// So many dwords of the kernarg segment, from a dword on.
    Preload {
        count: u8,
        offset: u16,
    },
    PrivateSegmentSize,
}

/// All that the machine must know of a kernel to run it.
#[derive(Clone, Debug)]
pub struct KernelImage {
    /// Name, for faults.
    pub name: String,
    /// The chip whose code it is.
    pub chip: Chip,
    /// Lanes of a wave.
    pub wave_size: u32,
    /// Device address of the first instruction.
    pub entry: u64,
    /// Device addresses of executable code.
    pub code: std::ops::Range<u64>,
    /// User SGPRs in order.
    pub user_sgprs: Vec<UserSgpr>,
    /// Where system SGPRs begin.
    pub user_sgpr_count: u16,
    /// Workgroup ids in x, y, z that become system SGPRs.
    pub workgroup_ids: [bool; 3],
    /// Whether a system SGPR with workgroup facts follows.
    pub workgroup_info: bool,
    /// Bytes of scratch a lane.
    pub scratch_bytes: u32,
    /// Bytes of LDS a workgroup.
    pub lds_bytes: u32,
    /// Bits of the MODE register: rounding in 0..4, subnormals in 4..8, dx10_clamp 8, ieee 9.
    pub mode: u32,
}
