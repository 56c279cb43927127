//! What a backend is asked for and what it gives, the same for every vendor.

use super::amdgpu::abi::KernelAbi;
use super::report::ResourceReport;
use crate::diag::Span;

/// Options of code generation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodegenOptions {
    /// Vector registers a lane may use; overrides the kernel's attribute.
    pub max_regs: Option<u32>,
    /// Least waves on a SIMD; overrides the kernel's attribute.
    pub waves_per_eu: Option<u32>,
    /// Work-items of a workgroup at most; overrides the kernel's attribute.
    pub launch_bounds: Option<u32>,
    /// Run the machine verifier after every step.
    pub verify_each: bool,
}

/// The place in the source of the code from an offset on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRow {
    /// Byte offset in the kernel's code.
    pub offset: u32,
    /// Source place.
    pub span: Span,
}

/// One line of the assembly listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AsmLine {
    /// A label, without the colon.
    Label(String),
    /// An instruction as the assembler reads it.
    Inst {
        /// Text.
        text: String,
        /// Byte offset in the kernel's code.
        offset: u32,
        /// Source place.
        span: Span,
    },
}

/// A kernel in machine code.
#[derive(Clone, Debug)]
pub struct CompiledKernel {
    /// Name.
    pub name: String,
    /// Machine code; starts at a multiple of 256 in the container.
    pub code: Vec<u8>,
    /// What has to follow the last kernel of a code object, because the hardware fetches ahead: this
    /// instruction word, so many times.
    pub padding: (u32, u32),
    /// The code as text.
    pub asm: Vec<AsmLine>,
    /// Places of the code, by ascending offset.
    pub lines: Vec<LineRow>,
    /// How the kernel is called.
    pub abi: KernelAbi,
    /// Registers, memory, occupancy.
    pub resources: ResourceReport,
}
