//! AMD code objects (`.hsaco`): ELF shared objects for the HSA runtime, code object v5.
//!
//! [`CodeObject`] is what the back end hands over; [`write`](write::write) turns it into the bytes of
//! a file laid out as `ld.lld -shared` does, [`text::print`] into assembler text that gives the same
//! code, descriptors and metadata. [`read`](read::read) takes any such file, ours or of another
//! compiler, to a [`LoadedObject`] that a loader can place in memory.
//!
//! ```text
//!  .note     metadata: MessagePack           segment R
//!  .dynsym .gnu.hash .hash .dynstr           segment R
//!  .rodata   kernel descriptors, 64 bytes    segment R
//!  .text     code, each kernel 256-aligned   segment RX
//!  .dynamic                                  segment RW, read-only after relocation
//!  .kcc.params .comment .debug_* .symtab .shstrtab .strtab      not loaded
//! ```
//!
//! Source: LLVM AMDGPUUsage, "Code Object"; the layout is checked against `ld.lld` by the tests.

pub mod descriptor;
pub mod loaded;
pub mod metadata;
pub mod read;
pub mod reloc;
pub mod target;
pub mod text;
pub mod write;

pub use super::lines::LineRow;
pub use super::params::{Param, ParamShape};
pub use descriptor::Descriptor;
pub use loaded::{LoadedKernel, LoadedObject};
pub use metadata::{KernelArg, KernelMetadata, Metadata};
pub use read::read;
pub use target::TargetId;
pub use write::write;

/// The name that we leave in objects.
pub const PRODUCER: &str = concat!("kcc ", env!("CARGO_PKG_VERSION"));

/// `EI_ABIVERSION` of code object v5.
pub const ABI_VERSION_V5: u8 = 3;

/// Alignment of a kernel's first instruction.
pub const KERNEL_ALIGN: u64 = 256;

/// Type of the metadata note, `NT_AMDGPU_METADATA`.
pub const NOTE_METADATA: u32 = 32;

/// Name of the metadata note's owner.
pub const NOTE_OWNER: &str = "AMDGPU";

/// A compiled kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Name of the symbol at its first instruction.
    pub name: String,
    /// Machine code.
    pub code: Vec<u8>,
    /// The descriptor; the writer sets its entry offset.
    pub descriptor: Descriptor,
    /// The metadata; name and symbol are those of the kernel.
    pub metadata: KernelMetadata,
    /// Names and shapes of the parameters, one for each explicit argument.
    pub params: Vec<Param>,
    /// Source places, sorted by offset.
    pub lines: Vec<LineRow>,
}

/// What a code object is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeObject {
    /// The processor and its settings.
    pub target: TargetId,
    /// The kernels, in the order of their code.
    pub kernels: Vec<Kernel>,
    /// Source file names for the line table, as given by the user.
    pub files: Vec<String>,
}

impl CodeObject {
    /// The content of the metadata note.
    pub fn metadata(&self) -> Metadata {
        Metadata {
            kernels: self.kernels.iter().map(|k| k.metadata.clone()).collect(),
            printf: Vec::new(),
            target: Some(self.target.to_string()),
            version: metadata::VERSION,
        }
    }

    /// The content of section `.kcc.params`.
    pub fn params(&self) -> Vec<u8> {
        let kernels = self.kernels.iter().map(|k| super::params::KernelParams {
            name: k.name.clone(),
            params: k.params.clone(),
        });
        super::params::encode(kernels.collect())
    }
}

/// Name of the descriptor's symbol of a kernel.
pub fn descriptor_symbol(kernel: &str) -> String {
    format!("{kernel}.kd")
}
