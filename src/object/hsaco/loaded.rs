//! A code object in memory: what [`read`](super::read::read) gives, and how it is placed.

use super::descriptor::Descriptor;
use super::reloc::Reloc;
use super::{KernelMetadata, Param, TargetId};
use crate::object::ObjectError;
use crate::object::lines::LineTable;
use std::ops::Range;

/// A part of the object that is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Address relative to the load base.
    pub vaddr: u64,
    /// Bytes of memory; those behind `data` are zero.
    pub mem_size: u64,
    /// The bytes that the file has.
    pub data: Vec<u8>,
    /// Whether kernels may read it.
    pub readable: bool,
    /// Whether kernels may write it.
    pub writable: bool,
    /// Whether it holds code.
    pub executable: bool,
}

impl Segment {
    /// The address behind the last byte.
    pub fn end(&self) -> u64 {
        self.vaddr + self.mem_size
    }

    pub(super) fn holds(&self, vaddr: u64) -> bool {
        (self.vaddr..self.end()).contains(&vaddr)
    }
}

/// A named address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Name.
    pub name: String,
    /// Address relative to the load base.
    pub vaddr: u64,
    /// Bytes, 0 where not known.
    pub size: u64,
    /// Whether it is a function.
    pub is_code: bool,
    /// Whether other objects may refer to it.
    pub is_global: bool,
}

/// A kernel that can be launched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedKernel {
    /// Name.
    pub name: String,
    /// Descriptor.
    pub descriptor: Descriptor,
    /// Address of the descriptor, relative to the load base.
    pub descriptor_vaddr: u64,
    /// Address of the first instruction, relative to the load base.
    pub entry_vaddr: u64,
    /// Addresses of the kernel's own code, see [`LoadedObject::code`]; functions that it calls are
    /// elsewhere.
    pub code: Range<u64>,
    /// Metadata.
    pub metadata: KernelMetadata,
    /// Names and shapes of parameters; `None` for objects of other compilers.
    pub params: Option<Vec<Param>>,
}

/// A code object, checked and taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedObject {
    /// The processor and settings it is for.
    pub target: TargetId,
    /// `EI_ABIVERSION`: 2 for code object v4, 3 for v5, 4 for v6.
    pub abi_version: u8,
    /// What is loaded, by address; segments do not overlap.
    pub segments: Vec<Segment>,
    /// Symbols that are defined in the object.
    pub symbols: Vec<Symbol>,
    /// Kernels in the order of the metadata.
    pub kernels: Vec<LoadedKernel>,
    /// Places to patch when the load address is known.
    pub relocs: Vec<Reloc>,
    /// Source places.
    pub lines: LineTable,
    /// Faults that do not keep the code from running.
    pub ignored: Vec<ObjectError>,
}

impl LoadedObject {
    /// The kernel of a name.
    pub fn kernel(&self, name: &str) -> Option<&LoadedKernel> {
        self.kernels.iter().find(|k| k.name == name)
    }

    /// The machine code of a kernel of this object.
    pub fn code(&self, kernel: &LoadedKernel) -> &[u8] {
        let range = &kernel.code;
        bytes_at(&self.segments, range.start, range.end - range.start).unwrap_or_default()
    }

    /// Bytes of memory from address 0 to the end of the last segment.
    pub fn image_size(&self) -> u64 {
        self.segments.iter().map(Segment::end).max().unwrap_or(0)
    }

    /// The function that holds an address, for messages.
    pub fn function_at(&self, vaddr: u64) -> Option<&Symbol> {
        let holds = |s: &&Symbol| s.is_code && vaddr.wrapping_sub(s.vaddr) < s.size;
        self.symbols.iter().find(holds)
    }

    /// The object as it lies in memory at `base`, relocated: [`LoadedObject::image_size`] bytes, which
    /// may be up to [`MAX_IMAGE`](super::read::MAX_IMAGE), so look at that size first. `bind` gives addresses for symbols that
    /// the object does not define.
    pub fn image(
        &self,
        base: u64,
        bind: impl Fn(&str) -> Option<u64>,
    ) -> Result<Vec<u8>, ObjectError> {
        let mut image = vec![0; self.image_size() as usize];
        for segment in &self.segments {
            let start = segment.vaddr as usize;
            image[start..start + segment.data.len()].copy_from_slice(&segment.data);
        }
        for reloc in &self.relocs {
            reloc.apply(&mut image, base, &bind)?;
        }
        Ok(image)
    }
}

/// The bytes at an address, as far as the file has them.
pub(super) fn bytes_at(segments: &[Segment], vaddr: u64, size: u64) -> Option<&[u8]> {
    let segment = segments.iter().find(|s| s.holds(vaddr))?;
    let start = (vaddr - segment.vaddr) as usize;
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    segment.data.get(start..end)
}
