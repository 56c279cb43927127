//! The AMD targets and their numbers.
//!
//! Sources: LLVM AMDGPUUsage (register files, granules), AMD Instinct MI300 ISA guide, section 3.

use super::pipeline;
use crate::backend::codegen::{CodegenOptions, CompiledKernel};
use crate::backend::pipeline::{CompileError, StepObserver};
use crate::backend::target::{Features, RegFileDesc, Target, TargetDesc, Vendor};
use crate::diag::Sink;
use crate::ir::Function;
use crate::isa::RegFile;
use crate::isa::amdgpu::Chip;

/// An AMD target: a description and the chip whose instruction rows it uses.
#[derive(Debug)]
pub struct AmdTarget {
    /// The numbers.
    pub desc: &'static TargetDesc,
    /// The column of the instruction table.
    pub chip: Chip,
}

/// CDNA3, Instinct MI300.
pub static GFX942: AmdTarget = AmdTarget {
    chip: Chip::Gfx942,
    desc: &TargetDesc {
        name: "gfx942",
        aliases: &["cdna3"],
        vendor: Vendor::Amd,
        default_device: "mi300x",
        wave: 64,
        vgpr: RegFileDesc {
            file: RegFile::Vgpr,
            count: 256,
            per_simd: 512,
            granule: 8,
            hidden: 0,
            tuple_align: 2,
        },
        sgpr: RegFileDesc {
            file: RegFile::Sgpr,
            count: 102,
            per_simd: 800,
            granule: 16,
            // VCC, FLAT_SCRATCH and XNACK_MASK.
            hidden: 6,
            tuple_align: 2,
        },
        max_waves_per_simd: 8,
        simds: 4,
        max_workgroups: 16,
        max_workgroup_size: 1024,
        lds_bytes: 64 << 10,
        lds_granule: 512,
        scratch_granule: 1024,
        constant_bus: 1,
        global_offset: (-4096, 4095),
        smem_offset_max: (1 << 20) - 1,
        // Sixteen lines of the instruction cache.
        prefetch_bytes: 16 * 64,
        features: Features::PACKED_WORK_ITEM_ID
            .or(Features::LSHL_ADD_U64)
            .or(Features::UNIFIED_VGPRS),
    },
};

impl Target for AmdTarget {
    fn desc(&self) -> &'static TargetDesc {
        self.desc
    }

    fn compile(
        &self,
        func: &Function,
        options: &CodegenOptions,
        observer: &mut dyn StepObserver,
        sink: &mut Sink,
    ) -> Result<CompiledKernel, CompileError> {
        pipeline::compile(self, func, options, observer, sink)
    }

    fn steps(&self) -> Vec<&'static str> {
        pipeline::steps()
    }
}
