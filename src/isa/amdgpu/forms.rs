//! The further encodings of a row.
//!
//! A row lists its operands once, for its own encoding. Its VOP3, SDWA and DPP encodings, the
//! scalar-base form of global memory and the returning form of atomics follow by rule; this file is
//! that rule. On GFX9 the VOP3 opcode is the VOPC opcode, the VOP2 opcode + 0x100, or the VOP1
//! opcode + 0x140; GFX10 and GFX11 use + 0x180 for VOP1.

use crate::isa::desc::{Accepts, OpType, OperandSpec, Role, Semantics};
use crate::isa::inst::{Ext, Form, Mods, RowId};
use crate::isa::uop::{AtomicOp, Uop};

use super::format::Format;
use super::operands::{SDST_OUT, mask2, mdst, svdst};
use super::row::{Attrs, Chip, Encoding, RowDesc};

/// One encoding of a row on one chip.
#[derive(Clone, Debug)]
pub struct RowForm {
    /// Which.
    pub form: Form,
    /// Bit layout.
    pub format: Format,
    /// Value of the opcode field.
    pub opcode: u16,
    /// Operands in text order.
    pub operands: Vec<OperandSpec>,
}

/// A row bound to a chip.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its number, the same on all chips.
    pub id: RowId,
    /// The table line.
    pub desc: &'static RowDesc,
    /// Encodings that the chip has; none if the chip lacks the instruction.
    pub forms: Vec<RowForm>,
}

impl Row {
    /// Mnemonic without encoding suffix.
    pub fn name(&self) -> &'static str {
        self.desc.name
    }

    /// Meaning and facts that do not depend on the encoding.
    pub fn semantics(&self) -> &'static Semantics {
        &self.desc.semantics
    }

    /// Modifiers and further encodings of the row.
    pub fn attrs(&self) -> Attrs {
        self.desc.attrs
    }

    /// The encoding `form`, if the chip has it.
    pub fn form(&self, form: Form) -> Option<&RowForm> {
        self.forms.iter().find(|f| f.form == form)
    }

    /// Operands in text order in encoding `form`; empty if the row has no such encoding.
    pub fn operands(&self, form: Form) -> &[OperandSpec] {
        self.form(form).map_or(&[], |f| &f.operands)
    }

    /// The modifiers of an instruction without any written: what packed instructions and returning
    /// atomics always carry is set.
    pub fn default_mods(&self, form: Form) -> Mods {
        let attrs = self.attrs();
        Mods {
            op_sel_hi: if attrs.has(Attrs::OP_SEL_HI) { 7 } else { 0 },
            sc0: matches!(form, Form::Rtn | Form::RtnSaddr),
            ext: match form {
                Form::Sdwa => Ext::Sdwa {
                    dst_sel: self.sdwa_writes_part() * 6,
                    dst_unused: 0,
                    src_sel: [6, 6 * u8::from(self.has_second_source())],
                    sext: 0,
                },
                Form::Dpp => Ext::Dpp {
                    ctrl: 0xe4,
                    row_mask: 0xf,
                    bank_mask: 0xf,
                    bound_ctrl: false,
                    fi: false,
                },
                Form::Base | Form::E64 | Form::Saddr | Form::Rtn | Form::RtnSaddr => Ext::None,
            },
            ..Mods::default()
        }
    }

    fn sdwa_writes_part(&self) -> u8 {
        u8::from(self.desc.encoding != Encoding::VOPC)
    }

    fn has_second_source(&self) -> bool {
        self.desc.encoding != Encoding::VOP1
    }

    pub(super) fn bind(id: RowId, desc: &'static RowDesc, chip: Chip) -> Row {
        const FORMS: [Form; 7] = [
            Form::Base,
            Form::E64,
            Form::Sdwa,
            Form::Dpp,
            Form::Saddr,
            Form::Rtn,
            Form::RtnSaddr,
        ];
        let forms = match desc.opcodes.get(chip) {
            Some(opcode) => FORMS
                .iter()
                .filter_map(|&form| derive(desc, chip, opcode, form))
                .collect(),
            None => Vec::new(),
        };
        Row { id, desc, forms }
    }
}

fn derive(desc: &RowDesc, chip: Chip, opcode: u16, form: Form) -> Option<RowForm> {
    let needs = match form {
        Form::Base => Attrs::NONE,
        Form::E64 => Attrs::E64,
        Form::Sdwa => Attrs::SDWA,
        Form::Dpp => Attrs::DPP,
        Form::Saddr => Attrs::SADDR,
        Form::Rtn => Attrs::RTN,
        Form::RtnSaddr => Attrs::RTN.or(Attrs::SADDR),
    };
    if !desc.attrs.has(needs) {
        return None;
    }
    let (opcode, operands) = match form {
        Form::Base => (opcode, desc.operands.to_vec()),
        Form::E64 => (
            opcode + e64_base(desc.encoding, chip),
            map_operands(desc, e64_operand),
        ),
        Form::Sdwa => (opcode, map_operands(desc, sdwa_operand)),
        Form::Dpp => (opcode, map_operands(desc, dpp_operand)),
        Form::Saddr => (opcode, map_operands(desc, saddr_operand)),
        Form::Rtn => (opcode, returning(desc, desc.operands.to_vec())),
        Form::RtnSaddr => (opcode, returning(desc, map_operands(desc, saddr_operand))),
    };
    Some(RowForm {
        form,
        format: Format::of(desc, form)?,
        opcode,
        operands,
    })
}

fn e64_base(encoding: Encoding, chip: Chip) -> u16 {
    match encoding {
        Encoding::VOP1 if chip.is_gfx9() => 0x140,
        Encoding::VOP1 => 0x180,
        Encoding::VOP2 => 0x100,
        _ => 0,
    }
}

fn map_operands(desc: &RowDesc, rule: fn(OperandSpec) -> OperandSpec) -> Vec<OperandSpec> {
    desc.operands.iter().map(|&spec| rule(spec)).collect()
}

/// VCC becomes an explicit register, and the second source may be anything.
fn e64_operand(spec: OperandSpec) -> OperandSpec {
    match (spec.accepts, spec.role, spec.field) {
        (Accepts::Vcc, Role::Use, _) => mask2(OpType::Mask),
        (Accepts::Vcc, _, _) if spec.arg == SDST_OUT.arg => SDST_OUT,
        (Accepts::Vcc, _, _) => svdst(OpType::Mask),
        (_, _, "vsrc1") => OperandSpec {
            field: "src1",
            accepts: Accepts::Src,
            ..spec
        },
        _ => spec,
    }
}

/// A comparison may write any scalar pair; both sources may be scalar.
fn sdwa_operand(spec: OperandSpec) -> OperandSpec {
    match (spec.accepts, spec.role, spec.field) {
        (Accepts::Vcc, Role::Def, _) if spec.arg == 0 => OperandSpec {
            field: "sdst",
            accepts: Accepts::Sdst,
            ..spec
        },
        (_, _, "vsrc1") => OperandSpec {
            accepts: Accepts::Src,
            ..spec
        },
        _ => spec,
    }
}

/// The permuted source is a vector register.
fn dpp_operand(spec: OperandSpec) -> OperandSpec {
    match spec.field {
        "src0" => OperandSpec {
            accepts: Accepts::Vgpr,
            ..spec
        },
        _ => spec,
    }
}

/// The vector address becomes a 32-bit offset from a scalar pair.
fn saddr_operand(spec: OperandSpec) -> OperandSpec {
    match spec.field {
        "vaddr" => OperandSpec {
            ty: OpType::U32,
            ..spec
        },
        "saddr" => OperandSpec {
            accepts: Accepts::Sgpr,
            ..spec
        },
        _ => spec,
    }
}

/// The old value in front; a compare-and-swap returns half of its data.
fn returning(desc: &RowDesc, mut operands: Vec<OperandSpec>) -> Vec<OperandSpec> {
    let data = operands.iter().find(|spec| spec.field == "vdata");
    let ty = data.map_or(OpType::B32, |spec| spec.ty);
    let ty = match (desc.semantics.uop, ty) {
        (Uop::Atomic(_, AtomicOp::CmpSwap, _), OpType::B64) => OpType::B32,
        (Uop::Atomic(_, AtomicOp::CmpSwap, _), OpType::B128) => OpType::B64,
        _ => ty,
    };
    operands.insert(0, mdst(ty));
    operands
}
