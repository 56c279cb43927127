//! From compiled kernels to a code object and its assembly text.

use std::collections::HashMap;

use crate::backend::amdgpu::abi::{ArgKind, Hidden, KernArg, USER_SGPRS};
use crate::backend::codegen::{AsmLine, CompiledKernel};
use crate::backend::report::ResourceReport;
use crate::backend::target::TargetDesc;
use crate::diag::{FileId, SourceMap, Span};
use crate::ir::{Function, Kind, Module, Type};
use crate::object::ObjectError;
use crate::object::hsaco::metadata::{Access, AddressSpace, ValueKind};
use crate::object::hsaco::target::Chip;
use crate::object::hsaco::{
    self, CodeObject, Descriptor, Kernel, KernelArg, KernelMetadata, LineRow, Param, ParamShape,
    TargetId, descriptor_symbol, text,
};

/// A code object with the text of its kernels.
#[derive(Debug)]
pub(super) struct Assembled {
    object: CodeObject,
    bodies: Vec<Vec<text::AsmLine>>,
}

impl Assembled {
    /// Puts kernels of one target together. `module` has their parameters; `with_lines` asks for
    /// a line table.
    pub fn new(
        desc: &TargetDesc,
        kernels: &[CompiledKernel],
        module: &Module,
        sources: &SourceMap,
        with_lines: bool,
    ) -> Result<Assembled, ObjectError> {
        let chip = Chip::find(desc.name).ok_or_else(|| {
            ObjectError::unwritable("code object", format!("no processor `{}`", desc.name))
        })?;
        let mut files = Files::default();
        let mut assembled = Assembled {
            object: CodeObject {
                target: TargetId::new(chip),
                kernels: Vec::new(),
                files: Vec::new(),
            },
            bodies: Vec::new(),
        };
        for kernel in kernels {
            let func = module.functions.iter().find(|f| f.name == kernel.name);
            let lines = match with_lines {
                true => line_rows(kernel, sources, &mut files),
                false => Vec::new(),
            };
            assembled.bodies.push(body(kernel, &lines));
            assembled.object.kernels.push(Kernel {
                name: kernel.name.clone(),
                code: kernel.code.clone(),
                descriptor: descriptor(kernel, chip),
                metadata: metadata(kernel),
                params: func.map(params).unwrap_or_default(),
                lines,
            });
        }
        assembled.object.files = files.names;
        if let Some(last) = kernels.last() {
            assembled.pad(last.padding);
        }
        Ok(assembled)
    }

    /// Fills what the hardware fetches ahead of the last instruction.
    fn pad(&mut self, (word, count): (u32, u32)) {
        if let (Some(kernel), Some(body)) = (self.object.kernels.last_mut(), self.bodies.last_mut())
        {
            let filler = std::iter::repeat_n(word.to_le_bytes(), count as usize);
            kernel.code.extend(filler.flatten());
            body.push(text::AsmLine::Inst(format!(".fill {count}, 4, {word:#x}")));
        }
    }

    /// The assembly text.
    pub fn text(&self) -> String {
        text::print(&self.object, &self.bodies)
    }

    /// The bytes of the code object.
    pub fn bytes(&self) -> Result<Vec<u8>, ObjectError> {
        hsaco::write(&self.object)
    }
}

/// Source files in the order of their first use.
#[derive(Default)]
struct Files {
    names: Vec<String>,
    numbers: HashMap<FileId, u32>,
}

impl Files {
    fn place(&mut self, sources: &SourceMap, span: Span) -> (u32, u32, u32) {
        let Some((name, at)) = sources.locate(span) else {
            return (0, 0, 0);
        };
        let next = self.names.len() as u32;
        let number = *self.numbers.entry(span.file).or_insert_with(|| {
            self.names.push(name.to_string());
            next
        });
        (number, at.line, at.col)
    }
}

fn line_rows(kernel: &CompiledKernel, sources: &SourceMap, files: &mut Files) -> Vec<LineRow> {
    let mut rows: Vec<LineRow> = Vec::new();
    for row in &kernel.lines {
        let (file, line, column) = files.place(sources, row.span);
        let new = LineRow {
            offset: row.offset,
            file,
            line,
            column,
        };
        let same = |last: &LineRow| (last.file, last.line, last.column) == (file, line, column);
        if !rows.last().is_some_and(same) {
            rows.push(new);
        }
    }
    // A table that knows no place at all says nothing.
    if rows.iter().all(|r| r.line == 0) {
        rows.clear();
    }
    rows
}

fn body(kernel: &CompiledKernel, lines: &[LineRow]) -> Vec<text::AsmLine> {
    let mut out = Vec::new();
    let mut rows = lines.iter().peekable();
    for line in &kernel.asm {
        match line {
            AsmLine::Label(label) => out.push(text::AsmLine::Label(label.clone())),
            AsmLine::Inst { text, offset, .. } => {
                if let Some(row) = rows.next_if(|r| r.offset == *offset) {
                    out.push(text::AsmLine::Place {
                        file: row.file,
                        line: row.line,
                        column: row.column,
                    });
                }
                out.push(text::AsmLine::Inst(text.clone()));
            }
        }
    }
    out
}

fn descriptor(kernel: &CompiledKernel, chip: &Chip) -> Descriptor {
    let ResourceReport {
        target,
        vgprs,
        sgprs,
        agprs,
        scratch_bytes,
        lds_bytes,
        ..
    } = kernel.resources;
    let abi = &kernel.abi;
    let mut out = Descriptor::new(chip.family, target.wave);
    let accum_offset = vgprs.next_multiple_of(4).max(4);
    let total = if agprs > 0 {
        accum_offset + agprs
    } else {
        vgprs
    };
    out.set_vgprs(chip.family, total, accum_offset);
    out.set_sgprs(chip.family, sgprs);
    out.group_segment_fixed_size = lds_bytes;
    out.private_segment_fixed_size = scratch_bytes;
    out.enable_private_segment = scratch_bytes > 0;
    out.kernarg_size = abi.kernarg_bytes;
    // Subnormals are kept: VISA's floats are IEEE unless an instruction says `.ftz`.
    out.float_denorm_mode_32 = 3;
    out.float_denorm_mode_16_64 = 3;
    out.kernarg_segment_ptr = true;
    out.user_sgpr_count = u32::from(USER_SGPRS);
    [out.workgroup_id_x, out.workgroup_id_y, out.workgroup_id_z] = abi.workgroup_ids;
    out.workitem_id = u32::from(abi.work_item_id);
    out
}

fn metadata(kernel: &CompiledKernel) -> KernelMetadata {
    let resources = &kernel.resources;
    let desc = resources.target;
    let (scalar, vector): (Vec<_>, Vec<_>) = resources.spills.iter().partition(|s| s.scalar);
    KernelMetadata {
        name: kernel.name.clone(),
        symbol: descriptor_symbol(&kernel.name),
        args: kernel.abi.args.iter().map(kernel_arg).collect(),
        kernarg_segment_size: kernel.abi.kernarg_bytes,
        kernarg_segment_align: kernel.abi.kernarg_align,
        group_segment_fixed_size: resources.lds_bytes,
        private_segment_fixed_size: resources.scratch_bytes,
        uses_dynamic_stack: Some(false),
        wavefront_size: desc.wave,
        sgpr_count: resources.sgprs + u32::from(desc.sgpr.hidden),
        vgpr_count: resources.vgprs,
        agpr_count: Some(resources.agprs),
        sgpr_spill_count: Some(scalar.len() as u32),
        vgpr_spill_count: Some(vector.len() as u32),
        max_flat_workgroup_size: resources.max_workgroup_size,
        ..KernelMetadata::default()
    }
}

fn kernel_arg(arg: &KernArg) -> KernelArg {
    let (value_kind, address_space, access) = match arg.kind {
        ArgKind::GlobalBuffer { readonly } => (
            ValueKind::GlobalBuffer,
            Some(AddressSpace::Global),
            readonly.then_some(Access::ReadOnly),
        ),
        ArgKind::ByValue => (ValueKind::ByValue, None, None),
        ArgKind::Hidden(hidden) => (hidden_kind(hidden), None, None),
    };
    KernelArg {
        name: (!arg.name.is_empty()).then(|| arg.name.clone()),
        size: arg.size,
        offset: arg.offset,
        value_kind,
        address_space,
        actual_access: access,
        ..KernelArg::default()
    }
}

fn hidden_kind(hidden: Hidden) -> ValueKind {
    ValueKind::from_name(hidden.value_kind())
}

/// Names and shapes of a kernel's parameters.
fn params(func: &Function) -> Vec<Param> {
    let names: HashMap<&str, u32> = (0..)
        .zip(&func.params)
        .map(|(n, p)| (p.name.as_str(), n))
        .collect();
    let shape_of = |name: &str, ty: Type| {
        let owner = name.strip_suffix(".len").and_then(|slice| names.get(slice));
        match (owner, ty.is_ptr()) {
            (Some(owner), _) => ParamShape::LengthOf(*owner),
            (None, true) if names.contains_key(format!("{name}.len").as_str()) => ParamShape::Slice,
            (None, true) => ParamShape::Pointer,
            (None, false) => ParamShape::Value,
        }
    };
    let convert = |p: &crate::ir::func::Param| Param {
        name: p.name.clone(),
        element: element_name(p.elem, p.ty),
        shape: shape_of(&p.name, p.ty),
        readonly: p.readonly || !p.ty.is_ptr(),
    };
    func.params.iter().map(convert).collect()
}

/// The kernel language's name of an element type; raw VISA has no signedness.
fn element_name(elem: Option<Kind>, ty: Type) -> String {
    let Some(kind) = elem else {
        return match ty {
            Type::Ptr(_) => "u8".into(),
            Type::Pred => "bool".into(),
            Type::I8 | Type::I16 | Type::I32 | Type::I64 => format!("u{}", ty.bits()),
            Type::F16 | Type::Bf16 | Type::F32 | Type::F64 | Type::Cvg => ty.to_string(),
        };
    };
    match kind {
        Kind::S8 | Kind::S16 | Kind::S32 | Kind::S64 => format!("i{}", kind.bits()),
        Kind::B8 | Kind::B16 | Kind::B32 | Kind::B64 => format!("u{}", kind.bits()),
        Kind::Pred => "bool".into(),
        Kind::Ptr => "u64".into(),
        Kind::U8 | Kind::U16 | Kind::U32 | Kind::U64 => kind.name().into(),
        Kind::F16 | Kind::Bf16 | Kind::F32 | Kind::F64 => kind.name().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::amdgpu::abi::KernelAbi;
    use crate::backend::codegen::LineRow as Row;
    use crate::backend::registry::find_target;
    use crate::ir::{SReg, Space};

    /// A module with one kernel `k(y: slice of f32, a: f32)` whose code is one `s_endpgm`.
    fn compiled(sources: &mut SourceMap) -> (Module, CompiledKernel) {
        let file = sources.add("k.k", "kernel k\n  y\n");
        let span = Span::new(file, 11, 12);
        let mut func = Function::new("k");
        func.add_param("y", Type::Ptr(Space::Global), Some(Kind::F32), span);
        func.add_param("y.len", Type::I32, Some(Kind::U32), span);
        func.add_param("a", Type::F32, Some(Kind::F32), span);
        let block = func.add_block(None);
        let mut builder = crate::ir::Builder::new(&mut func, block);
        builder.sreg(SReg::CtaidY);
        builder.ret();
        let desc = find_target("gfx942").ok().unwrap().desc();
        let abi = KernelAbi::new(&func, desc, Some(128));
        let kernel = CompiledKernel {
            name: "k".into(),
            code: 0xbf81_0000u32.to_le_bytes().to_vec(),
            padding: (0xbf80_0000, 2),
            asm: vec![AsmLine::Inst {
                text: "s_endpgm".into(),
                offset: 0,
                span,
            }],
            lines: vec![Row { offset: 0, span }],
            resources: ResourceReport {
                kernel: "k".into(),
                target: desc,
                vgprs: 9,
                sgprs: 20,
                agprs: 0,
                spills: Vec::new(),
                scratch_bytes: 16,
                lds_bytes: 0,
                kernarg_bytes: abi.kernarg_bytes,
                code_bytes: 4,
                max_workgroup_size: abi.max_workgroup_size,
            },
            abi,
        };
        let module = Module {
            functions: vec![func],
            ..Module::default()
        };
        (module, kernel)
    }

    #[test]
    fn the_object_says_how_the_kernel_is_called() {
        let mut sources = SourceMap::new();
        let (module, kernel) = compiled(&mut sources);
        let desc = kernel.resources.target;
        let assembled = Assembled::new(desc, &[kernel], &module, &sources, true).unwrap();
        let object = hsaco::read(&assembled.bytes().unwrap()).unwrap();
        let kernel = object.kernel("k").unwrap();
        let d = &kernel.descriptor;
        assert_eq!(d.kernarg_size, 16);
        assert_eq!((d.float_denorm_mode_32, d.float_denorm_mode_16_64), (3, 3));
        assert_eq!(
            (d.workgroup_id_x, d.workgroup_id_y, d.workgroup_id_z),
            (true, true, false)
        );
        assert!(d.kernarg_segment_ptr && d.enable_private_segment);
        assert_eq!(d.private_segment_fixed_size, 16);
        assert_eq!(kernel.metadata.max_flat_workgroup_size, 128);
        assert_eq!(kernel.metadata.sgpr_count, 26);
        assert_eq!(kernel.code.end - kernel.code.start, 4 + 8);
        let params = kernel.params.as_ref().unwrap();
        assert_eq!(params[0].shape, ParamShape::Slice);
        assert_eq!(params[1].shape, ParamShape::LengthOf(0));
        assert_eq!(
            (params[1].element.as_str(), params[2].element.as_str()),
            ("u32", "f32")
        );
    }

    #[test]
    fn the_text_has_places_and_can_go_without() {
        let mut sources = SourceMap::new();
        let (module, kernel) = compiled(&mut sources);
        let desc = kernel.resources.target;
        let kernels = [kernel];
        let text = |lines| {
            Assembled::new(desc, &kernels, &module, &sources, lines)
                .unwrap()
                .text()
        };
        assert!(
            text(true).contains(".loc 1 2 3\n  s_endpgm"),
            "{}",
            text(true)
        );
        assert!(!text(false).contains(".loc"));
    }
}
