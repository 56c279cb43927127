//! What a target says about itself: one description of plain numbers and feature bits, and one
//! small trait. Passes ask the description; they never compare names.

use super::codegen::{CodegenOptions, CompiledKernel};
use super::pipeline::{CompileError, StepObserver};
use crate::diag::Sink;
use crate::ir::Function;
use crate::isa::RegFile;

/// Who makes the chip; decides which backend compiles for it and which container it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Vendor {
    /// AMD GCN, CDNA, RDNA.
    Amd,
}

/// One register file of a wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegFileDesc {
    /// The file.
    pub file: RegFile,
    /// Registers that an instruction can name: `0..count`.
    pub count: u16,
    /// Registers of one lane (of one wave for scalar files) that a SIMD shares among its waves.
    pub per_simd: u16,
    /// Registers are handed to a wave in multiples of this.
    pub granule: u16,
    /// Registers that every wave is charged beyond those it names (VCC and friends).
    pub hidden: u16,
    /// A tuple of two and more dwords starts at a multiple of this.
    pub tuple_align: u8,
}

/// Abilities of an AMD chip that selection, ABI and emission ask for. A set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features(u32);

impl Features {
    /// None.
    pub const NONE: Features = Features(0);
    /// The work-item ids arrive packed in one register, ten bits each.
    pub const PACKED_WORK_ITEM_ID: Features = Features(1);
    /// `v_lshl_add_u64` exists.
    pub const LSHL_ADD_U64: Features = Features(1 << 1);
    /// Vector and accumulation registers share one file, split at `accum_offset`.
    pub const UNIFIED_VGPRS: Features = Features(1 << 2);
    /// A literal may stand in the VOP3 form.
    pub const VOP3_LITERAL: Features = Features(1 << 3);

    /// Both sets.
    pub const fn or(self, other: Features) -> Features {
        Features(self.0 | other.0)
    }

    /// Whether all of `other` is in the set.
    pub const fn has(self, other: Features) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The numbers of a target.
#[derive(Debug, PartialEq, Eq)]
pub struct TargetDesc {
    /// Name of `--target` and of the container (`gfx942`).
    pub name: &'static str,
    /// Other names that are accepted; the first is the one shown beside the name.
    pub aliases: &'static [&'static str],
    /// Maker.
    pub vendor: Vendor,
    /// The device that `kvm` takes when none is named.
    pub default_device: &'static str,
    /// Lanes of a wave.
    pub wave: u32,
    /// Vector registers.
    pub vgpr: RegFileDesc,
    /// Scalar registers.
    pub sgpr: RegFileDesc,
    /// Waves that a SIMD holds at most.
    pub max_waves_per_simd: u32,
    /// SIMDs of a compute unit.
    pub simds: u32,
    /// Workgroups of more than one wave that a compute unit holds at most.
    pub max_workgroups: u32,
    /// Work-items of a workgroup at most.
    pub max_workgroup_size: u32,
    /// LDS bytes of a compute unit, and of a workgroup at most.
    pub lds_bytes: u32,
    /// LDS is handed out in multiples of this.
    pub lds_granule: u32,
    /// Scratch bytes of a wave are handed out in multiples of this.
    pub scratch_granule: u32,
    /// Different scalar values (registers or a literal) that a vector instruction reads at most.
    pub constant_bus: usize,
    /// Range of the immediate offset of global memory instructions.
    pub global_offset: (i32, i32),
    /// Largest immediate offset of scalar loads.
    pub smem_offset_max: i32,
    /// Bytes behind the last instruction of a code object that the instruction prefetch may read.
    pub prefetch_bytes: u32,
    /// Abilities.
    pub features: Features,
}

impl TargetDesc {
    /// Registers of `file` that a wave is charged when it names `used` of them.
    pub fn allocated(&self, file: &RegFileDesc, used: u32) -> u32 {
        let granule = u32::from(file.granule);
        (used + u32::from(file.hidden))
            .max(1)
            .div_ceil(granule)
            .saturating_mul(granule)
    }

    /// Waves on a SIMD that `used` registers of a file leave room for.
    pub fn waves_for(&self, file: &RegFileDesc, used: u32) -> u32 {
        (u32::from(file.per_simd) / self.allocated(file, used)).min(self.max_waves_per_simd)
    }

    /// The most registers of a file with which `waves` waves still fit on a SIMD.
    pub fn registers_for(&self, file: &RegFileDesc, waves: u32) -> u32 {
        let granule = u32::from(file.granule);
        let share = u32::from(file.per_simd) / waves.max(1) / granule * granule;
        share
            .saturating_sub(u32::from(file.hidden))
            .min(u32::from(file.count))
    }
}

/// A target: its description and its way from VISA to machine code.
pub trait Target: Sync {
    /// The numbers.
    fn desc(&self) -> &'static TargetDesc;

    /// Compiles one verified kernel in SSA form. What the kernel asks for and the target does not
    /// have goes to `sink`; `observer` sees the text after each step.
    fn compile(
        &self,
        func: &Function,
        options: &CodegenOptions,
        observer: &mut dyn StepObserver,
        sink: &mut Sink,
    ) -> Result<CompiledKernel, CompileError>;

    /// The names of the steps of [`Target::compile`] in order.
    fn steps(&self) -> Vec<&'static str>;
}
