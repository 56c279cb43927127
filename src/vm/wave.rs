//! The state of a wave.

use crate::isa::amdgpu::regs;
use crate::num::{FpEnv, Rounding};

/// Scalar registers by encoded number.
pub const SGPRS: usize = 128;
/// Vector registers of a wave.
pub const VGPRS: usize = 256;
/// Most lanes of a wave.
pub const LANES: usize = 64;

/// One value a lane.
pub type Lanes = [u32; LANES];

/// High dwords of the addresses through which flat instructions reach LDS and scratch.
pub const SHARED_APERTURE: u32 = 0x0100_0000;
/// The same for scratch.
pub const PRIVATE_APERTURE: u32 = 0x0200_0000;

/// A wave.
#[derive(Clone, Debug)]
pub struct Wave {
    /// Number in the workgroup.
    pub id: u32,
    /// Lanes.
    pub size: u32,
    /// Address of the next instruction.
    pub pc: u64,
    /// Scalar registers; VCC, M0, EXEC and FLAT_SCRATCH have their encoded numbers.
    pub sgpr: [u32; SGPRS],
    /// Scalar condition code.
    pub scc: bool,
    /// Vector registers.
    pub vgpr: Vec<Lanes>,
    /// Accumulation registers.
    pub agpr: Vec<Lanes>,
    /// MODE register.
    pub mode: u32,
    /// Scratch of each lane, one after the other.
    pub scratch: Vec<u8>,
    /// Bytes of scratch a lane.
    pub scratch_bytes: u32,
    /// Instructions executed.
    pub executed: u64,
    /// Ended.
    pub done: bool,
    /// Waits at a barrier.
    pub at_barrier: bool,
}

impl Wave {
    /// A scalar register pair.
    pub fn pair(&self, index: u16) -> u64 {
        let low = self.sgpr[usize::from(index) % SGPRS];
        let high = self.sgpr[(usize::from(index) + 1) % SGPRS];
        u64::from(low) | u64::from(high) << 32
    }

    /// Writes a scalar register pair.
    pub fn set_pair(&mut self, index: u16, value: u64) {
        self.sgpr[usize::from(index) % SGPRS] = value as u32;
        self.sgpr[(usize::from(index) + 1) % SGPRS] = (value >> 32) as u32;
    }

    /// Active lanes.
    pub fn exec(&self) -> u64 {
        self.pair(regs::EXEC) & self.lane_mask()
    }

    /// Sets the active lanes.
    pub fn set_exec(&mut self, mask: u64) {
        let mask = mask & self.lane_mask();
        self.set_pair(regs::EXEC, mask);
    }

    /// One bit for each lane of the wave.
    pub fn lane_mask(&self) -> u64 {
        if self.size >= 64 {
            u64::MAX
        } else {
            (1 << self.size) - 1
        }
    }

    /// VCC.
    pub fn vcc(&self) -> u64 {
        self.pair(regs::VCC)
    }

    /// The float environment of single precision, or of half and double precision.
    pub fn fp_env(&self, single: bool) -> FpEnv {
        let (round, denorm) = if single {
            (self.mode & 3, self.mode >> 4 & 3)
        } else {
            (self.mode >> 2 & 3, self.mode >> 6 & 3)
        };
        let round = match round {
            0 => Rounding::NearestEven,
            1 => Rounding::Up,
            2 => Rounding::Down,
            _ => Rounding::TowardZero,
        };
        FpEnv {
            round,
            flush_in: denorm & 1 == 0,
            flush_out: denorm & 2 == 0,
        }
    }

    /// Whether signalling NaN operands of minimum and maximum count (MODE.IEEE).
    pub fn ieee(&self) -> bool {
        self.mode >> 9 & 1 != 0
    }

    /// Whether clamping turns NaN into zero.
    pub fn dx10_clamp(&self) -> bool {
        self.mode >> 8 & 1 != 0
    }
}

/// The set lanes of a mask in ascending order.
pub fn lanes_of(mask: u64) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let lane = left.trailing_zeros() as usize;
        left &= left - 1;
        Some(lane)
    })
}
