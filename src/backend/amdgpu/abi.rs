//! How a kernel is called on amdhsa: the kernarg segment, and which values the hardware puts into
//! registers before the first instruction.
//!
//! Explicit arguments lie in declaration order at their natural alignment; a slice is a pointer
//! and a length. Hidden arguments follow at a multiple of eight where the kernel asks for sizes of
//! the launch (LLVM AMDGPUUsage, "Code Object V5 Metadata" and "Kernarg Segment").

use crate::backend::target::{Features, TargetDesc};
use crate::ir::{Function, Kind, Opcode, SReg, Space, Type};
use crate::isa::Reg;

/// A value that the launch provides without the user's doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Hidden {
    BlockCountX,
    BlockCountY,
    BlockCountZ,
    GroupSizeX,
    GroupSizeY,
    GroupSizeZ,
    RemainderX,
    RemainderY,
    RemainderZ,
    GlobalOffsetX,
    GlobalOffsetY,
    GlobalOffsetZ,
    GridDims,
}

impl Hidden {
    /// All, with offset from the start of the hidden arguments and size, in order.
    pub const ALL: [(Hidden, u32, u32); 13] = [
        (Hidden::BlockCountX, 0, 4),
        (Hidden::BlockCountY, 4, 4),
        (Hidden::BlockCountZ, 8, 4),
        (Hidden::GroupSizeX, 12, 2),
        (Hidden::GroupSizeY, 14, 2),
        (Hidden::GroupSizeZ, 16, 2),
        (Hidden::RemainderX, 18, 2),
        (Hidden::RemainderY, 20, 2),
        (Hidden::RemainderZ, 22, 2),
        (Hidden::GlobalOffsetX, 40, 8),
        (Hidden::GlobalOffsetY, 48, 8),
        (Hidden::GlobalOffsetZ, 56, 8),
        (Hidden::GridDims, 64, 2),
    ];

    /// The value kind of the metadata.
    pub fn value_kind(self) -> &'static str {
        match self {
            Hidden::BlockCountX => "hidden_block_count_x",
            Hidden::BlockCountY => "hidden_block_count_y",
            Hidden::BlockCountZ => "hidden_block_count_z",
            Hidden::GroupSizeX => "hidden_group_size_x",
            Hidden::GroupSizeY => "hidden_group_size_y",
            Hidden::GroupSizeZ => "hidden_group_size_z",
            Hidden::RemainderX => "hidden_remainder_x",
            Hidden::RemainderY => "hidden_remainder_y",
            Hidden::RemainderZ => "hidden_remainder_z",
            Hidden::GlobalOffsetX => "hidden_global_offset_x",
            Hidden::GlobalOffsetY => "hidden_global_offset_y",
            Hidden::GlobalOffsetZ => "hidden_global_offset_z",
            Hidden::GridDims => "hidden_grid_dims",
        }
    }
}

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgKind {
    /// A pointer to device memory.
    GlobalBuffer {
        /// The kernel only reads through it.
        readonly: bool,
    },
    /// A plain value.
    ByValue,
    /// Filled in by the launch.
    Hidden(Hidden),
}

/// One argument in the kernarg segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernArg {
    /// Name; empty for hidden ones.
    pub name: String,
    /// Byte offset.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
    /// What it is.
    pub kind: ArgKind,
    /// Source type of the value or of the elements behind the pointer.
    pub elem: Option<Kind>,
}

/// The calling convention of one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelAbi {
    /// Arguments: explicit ones in the order of the function's parameters, then hidden ones.
    pub args: Vec<KernArg>,
    /// Where the hidden arguments start, where there are any.
    pub hidden_offset: Option<u32>,
    /// Bytes of the segment.
    pub kernarg_bytes: u32,
    /// Alignment of the segment.
    pub kernarg_align: u32,
    /// Which workgroup ids arrive in scalar registers.
    pub workgroup_ids: [bool; 3],
    /// Work-item ids that arrive: 0 is x, 1 is x and y, 2 is all.
    pub work_item_id: u8,
    /// Work-items of a workgroup at most.
    pub max_workgroup_size: u32,
}

/// Bytes that hidden arguments take.
const HIDDEN_BYTES: u32 = 256;
/// Scalar registers that the descriptor asks for before the workgroup ids: the kernarg pointer.
pub const USER_SGPRS: u16 = 2;

impl KernelAbi {
    /// Lays out the arguments and finds what the kernel reads of its environment.
    pub fn new(func: &Function, desc: &TargetDesc, launch_bounds: Option<u32>) -> KernelAbi {
        let mut args = Vec::new();
        let mut end = 0u32;
        for param in &func.params {
            let size = param.ty.bytes().max(1);
            let offset = end.next_multiple_of(size);
            end = offset + size;
            let kind = match param.ty {
                Type::Ptr(Space::Global | Space::Const | Space::Generic) => ArgKind::GlobalBuffer {
                    readonly: param.readonly,
                },
                _ => ArgKind::ByValue,
            };
            args.push(KernArg {
                name: param.name.clone(),
                offset,
                size,
                kind,
                elem: param.elem,
            });
        }
        let used = used_sregs(func);
        let hidden_offset = used
            .iter()
            .any(|s| needs_hidden(*s))
            .then(|| end.next_multiple_of(8));
        if let Some(base) = hidden_offset {
            args.extend(Hidden::ALL.map(|(hidden, offset, size)| KernArg {
                name: String::new(),
                offset: base + offset,
                size,
                kind: ArgKind::Hidden(hidden),
                elem: None,
            }));
            end = base + HIDDEN_BYTES;
        }
        let limit = launch_bounds.or(func.attrs.launch_bounds.map(|b| b.0));
        KernelAbi {
            args,
            hidden_offset,
            kernarg_bytes: end,
            kernarg_align: 8,
            // The x id is always there: a kernel that reads none still has one in its descriptor.
            workgroup_ids: [
                true,
                used.contains(&SReg::CtaidY),
                used.contains(&SReg::CtaidZ),
            ],
            work_item_id: if used.contains(&SReg::TidZ) || used.contains(&SReg::WarpId) {
                2
            } else {
                u8::from(used.contains(&SReg::TidY))
            },
            max_workgroup_size: limit
                .unwrap_or(desc.max_workgroup_size)
                .clamp(1, desc.max_workgroup_size),
        }
    }

    /// The scalar register pair of the kernarg pointer.
    pub fn kernarg_ptr(&self) -> Reg {
        Reg::s(0, 2)
    }

    /// The scalar register of workgroup id `dim`, where it arrives.
    pub fn workgroup_id(&self, dim: usize) -> Option<Reg> {
        let before = self.workgroup_ids[..dim].iter().filter(|e| **e).count() as u16;
        self.workgroup_ids[dim].then(|| Reg::s(USER_SGPRS + before, 1))
    }

    /// The register of work-item id `dim`, and the position of its ten bits where it is packed
    /// with others.
    pub fn work_item(&self, dim: u8, desc: &TargetDesc) -> (Reg, Option<u8>) {
        if desc.features.has(Features::PACKED_WORK_ITEM_ID) {
            let field = (self.work_item_id > 0).then_some(dim * 10);
            (Reg::v(0, 1), field)
        } else {
            (Reg::v(u16::from(dim), 1), None)
        }
    }
}

/// The special registers that a kernel reads.
fn used_sregs(func: &Function) -> Vec<SReg> {
    let mut used = Vec::new();
    for block in &func.layout {
        for inst in &func.blocks[*block].insts {
            let data = &func.insts[*inst];
            if let (Opcode::SReg, Some(sreg)) = (data.op, data.attrs.sreg) {
                used.push(sreg);
            }
        }
    }
    used
}

/// Whether a special register is read from the hidden arguments.
fn needs_hidden(sreg: SReg) -> bool {
    match sreg {
        SReg::NtidX | SReg::NtidY | SReg::NtidZ | SReg::WarpId => true,
        SReg::NctaidX | SReg::NctaidY | SReg::NctaidZ => true,
        SReg::TidX | SReg::TidY | SReg::TidZ | SReg::LaneId | SReg::WarpSize => false,
        SReg::CtaidX | SReg::CtaidY | SReg::CtaidZ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::registry::find_target;
    use crate::diag::Span;
    use crate::ir::Builder;

    fn slices() -> Function {
        let mut func = Function::new("k");
        for name in ["y", "x"] {
            func.add_param(name, Type::Ptr(Space::Global), Some(Kind::F32), Span::NONE);
            func.add_param(&format!("{name}.len"), Type::I32, None, Span::NONE);
        }
        func.add_param("a", Type::F32, Some(Kind::F32), Span::NONE);
        func
    }

    fn abi(func: &Function) -> KernelAbi {
        KernelAbi::new(func, find_target("gfx942").ok().unwrap().desc(), None)
    }

    #[test]
    fn slices_are_pointer_and_length_at_natural_alignment() {
        let func = slices();
        let abi = abi(&func);
        let places: Vec<_> = abi.args.iter().map(|a| (a.offset, a.size)).collect();
        assert_eq!(places, [(0, 8), (8, 4), (16, 8), (24, 4), (28, 4)]);
        assert_eq!((abi.kernarg_bytes, abi.hidden_offset), (32, None));
    }

    #[test]
    fn launch_sizes_come_from_hidden_arguments() {
        let mut func = slices();
        let entry = func.add_block(None);
        let mut builder = Builder::new(&mut func, entry);
        builder.sreg(SReg::NtidX);
        builder.sreg(SReg::CtaidZ);
        builder.sreg(SReg::TidY);
        builder.ret();
        let abi = abi(&func);
        assert_eq!(abi.hidden_offset, Some(32));
        assert_eq!(abi.kernarg_bytes, 32 + 256);
        assert_eq!(abi.args.len(), 5 + 13);
        assert_eq!(abi.workgroup_id(0), Some(Reg::s(2, 1)));
        assert_eq!(abi.workgroup_id(1), None);
        assert_eq!(abi.workgroup_id(2), Some(Reg::s(3, 1)));
        let desc = find_target("gfx942").ok().unwrap().desc();
        assert_eq!(abi.work_item(1, desc), (Reg::v(0, 1), Some(10)));
    }
}
