//! Code objects become code in device memory and images that the machine can run.

use super::error::RuntimeError;
use crate::isa::amdgpu::Chip;
use crate::object::hsaco::{LoadedKernel, LoadedObject, ParamShape, read};
use crate::vm::{KernelImage, Memory, UserSgpr};

/// A loaded code object.
#[derive(Debug)]
pub struct Module {
    pub(super) object: LoadedObject,
    pub(super) base: u64,
    chip: Chip,
}

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgKind {
    /// An address of device memory.
    Pointer,
    /// The length in elements of the slice whose pointer is this argument.
    LengthOf(usize),
    /// A number or a structure by value.
    Value,
}

/// An argument of a kernel, hidden ones excluded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgInfo {
    /// Name, where the object has it.
    pub name: Option<String>,
    /// Offset in the kernel arguments.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
    /// What it is.
    pub kind: ArgKind,
    /// Element type (`f32`), where the object has it: of the pointed-to elements, or of the number.
    pub element: Option<String>,
    /// The kernel does not write through the pointer.
    pub readonly: bool,
}

/// A kernel of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// Name.
    pub name: String,
    /// Arguments in order.
    pub args: Vec<ArgInfo>,
    /// Work-items of a workgroup at most.
    pub max_workgroup_size: u32,
}

const CHIPS: [Chip; 5] = [
    Chip::Gfx900,
    Chip::Gfx90a,
    Chip::Gfx942,
    Chip::Gfx1030,
    Chip::Gfx1100,
];
/// Images larger than this are refused.
const MAX_IMAGE: u64 = 1 << 30;

impl Module {
    /// Loads an object for a chip: relocates its image and places it in memory, read-only.
    ///
    /// Data that the object declares writable is placed with the code, so a kernel cannot write
    /// module variables yet.
    pub fn load(memory: &mut Memory, bytes: &[u8], target: &str) -> Result<Module, RuntimeError> {
        let object = read(bytes).map_err(RuntimeError::Object)?;
        let found = object.target.chip.name;
        if found != target {
            return Err(RuntimeError::WrongTarget(
                found.to_string(),
                target.to_string(),
            ));
        }
        let chip = CHIPS.into_iter().find(|c| c.name() == found);
        let chip =
            chip.ok_or_else(|| RuntimeError::WrongTarget(found.to_string(), target.to_string()))?;
        let size = object.image_size();
        if size > MAX_IMAGE {
            return Err(RuntimeError::TooLarge(size));
        }
        let base = memory.next_address();
        let image = object.image(base, |_| None).map_err(RuntimeError::Object)?;
        let writable = object
            .segments
            .iter()
            .any(|s| s.writable && s.mem_size > 0 && !s.data.is_empty());
        let placed = memory.alloc("code object", &image, !writable);
        debug_assert_eq!(placed, base);
        Ok(Module { object, base, chip })
    }

    /// The kernels in order.
    pub fn kernels(&self) -> Vec<KernelInfo> {
        self.object.kernels.iter().map(kernel_info).collect()
    }

    /// A kernel by name.
    pub fn kernel(&self, name: &str) -> Option<KernelInfo> {
        self.object.kernel(name).map(kernel_info)
    }

    /// File, line and column of a device address in the module's code.
    pub fn locate(&self, pc: u64) -> Option<(String, u32, u32)> {
        let place = self.object.lines.find(pc.checked_sub(self.base)?)?;
        Some((place.file.to_string(), place.line, place.column))
    }

    pub(super) fn image(&self, kernel: &LoadedKernel) -> KernelImage {
        let d = &kernel.descriptor;
        let mode = d.float_round_mode_32
            | d.float_round_mode_16_64 << 2
            | d.float_denorm_mode_32 << 4
            | d.float_denorm_mode_16_64 << 6
            | u32::from(d.dx10_clamp) << 8
            | u32::from(d.ieee_mode) << 9;
        let user_sgprs = d.user_sgprs().into_iter().filter_map(|group| {
            Some(match group.name {
                "private_segment_buffer" => UserSgpr::PrivateSegmentBuffer,
                "dispatch_ptr" => UserSgpr::DispatchPtr,
                "queue_ptr" => UserSgpr::QueuePtr,
                "kernarg_segment_ptr" => UserSgpr::KernargPtr,
                "dispatch_id" => UserSgpr::DispatchId,
                "flat_scratch_init" => UserSgpr::FlatScratchInit,
                "kernarg_preload" => UserSgpr::Preload {
                    count: group.count as u8,
                    offset: d.kernarg_preload_offset as u16,
                },
                "private_segment_size" => UserSgpr::PrivateSegmentSize,
                _ => return None,
            })
        });
        let executable = self.object.segments.iter().filter(|s| s.executable);
        let start = executable.clone().map(|s| s.vaddr).min().unwrap_or(0);
        let end = executable.map(|s| s.end()).max().unwrap_or(0);
        // A kernel that calls what the compiler does not know says so; its stack is our choice.
        let scratch = if d.uses_dynamic_stack || kernel.metadata.uses_dynamic_stack == Some(true) {
            d.private_segment_fixed_size.max(DYNAMIC_STACK)
        } else {
            d.private_segment_fixed_size
        };
        KernelImage {
            name: kernel.name.clone(),
            chip: self.chip,
            wave_size: d.wave_size(),
            entry: self.base + kernel.entry_vaddr,
            code: self.base + start..self.base + end,
            user_sgprs: user_sgprs.collect(),
            user_sgpr_count: d.user_sgpr_count as u16,
            workgroup_ids: [d.workgroup_id_x, d.workgroup_id_y, d.workgroup_id_z],
            workgroup_info: d.workgroup_info,
            scratch_bytes: scratch,
            lds_bytes: d.group_segment_fixed_size,
            mode,
        }
    }
}

/// Scratch bytes a lane of a kernel with a stack of unknown size.
const DYNAMIC_STACK: u32 = 16 << 10;

fn kernel_info(kernel: &LoadedKernel) -> KernelInfo {
    let explicit = kernel
        .metadata
        .args
        .iter()
        .filter(|a| !a.value_kind.is_hidden());
    let params = kernel.params.as_deref();
    let args = explicit
        .enumerate()
        .map(|(n, arg)| {
            let param = params.and_then(|p| p.get(n));
            let kind = match param.map(|p| &p.shape) {
                Some(ParamShape::Value) => ArgKind::Value,
                Some(ParamShape::Pointer | ParamShape::Slice) => ArgKind::Pointer,
                Some(ParamShape::LengthOf(of)) => ArgKind::LengthOf(*of as usize),
                None if arg.value_kind.name() == "global_buffer" => ArgKind::Pointer,
                None => ArgKind::Value,
            };
            ArgInfo {
                name: param.map(|p| p.name.clone()).or_else(|| arg.name.clone()),
                offset: arg.offset,
                size: arg.size,
                kind,
                element: param.map(|p| p.element.clone()),
                readonly: param.is_some_and(|p| p.readonly),
            }
        })
        .collect();
    let limit = kernel.metadata.max_flat_workgroup_size;
    KernelInfo {
        name: kernel.name.clone(),
        args,
        max_workgroup_size: if limit == 0 { 1024 } else { limit },
    }
}
