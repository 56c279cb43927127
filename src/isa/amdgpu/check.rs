//! Legality: operand kinds, alignment, literals, the constant bus.
//!
//! GFX9 reads at most one scalar value in a vector instruction (a scalar register, VCC as an
//! implied carry, a special value or a literal; the same one twice counts once) and has no literal
//! in 64-bit vector encodings. Register tuples: scalar pairs start even, wider scalar tuples at a
//! multiple of four; vector tuples start even on gfx90a and gfx942. (AMD Instinct MI300 ISA guide,
//! sections 3.6, 5.3 and 6.1.)

use smallvec::SmallVec;

use crate::isa::desc::{Accepts, Implicit, OperandSpec, Reg, RegFile, Role};
use crate::isa::inst::{Form, MachineInst, Operand};

use super::codec::is_constant;
use super::error::EncodeError;
use super::format::Format;
use super::forms::{Row, RowForm};
use super::isa::Isa;
use super::regs::{M0, VCC_PAIR};

impl Isa {
    /// Whether `inst` is legal on the chip.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self, inst: &MachineInst) -> Result<(), EncodeError> {
        self.encode(inst).map(|_| ())
    }

    /// Everything that does not show in the bits: kinds, alignment, limits of scalar reads.
    pub(super) fn check_operands(
        &self,
        row: &Row,
        form: &RowForm,
        inst: &MachineInst,
    ) -> Result<(), EncodeError> {
        let (expected, found) = (form.operands.len(), inst.operands.len());
        if expected != found {
            return Err(EncodeError::OperandCount { expected, found });
        }
        self.check_kinds(form, inst)?;
        let returns = matches!(form.form, Form::Rtn | Form::RtnSaddr);
        if row.attrs().has(super::row::Attrs::RTN) && inst.mods.sc0 != returns {
            return Err(EncodeError::Modifier);
        }
        check_literals(form, inst)?;
        check_constant_bus(row, form, inst)
    }

    /// Kinds and alignment of the operands.
    pub(super) fn check_kinds(
        &self,
        form: &RowForm,
        inst: &MachineInst,
    ) -> Result<(), EncodeError> {
        for (index, (spec, &operand)) in form.operands.iter().zip(&inst.operands).enumerate() {
            if !accepts(spec, operand, form.format) {
                return Err(EncodeError::OperandKind { index });
            }
            if let Operand::Reg(reg) = operand {
                let align = self.alignment(reg);
                if reg.index % u16::from(align) != 0 {
                    return Err(EncodeError::Alignment { index, align });
                }
                if !in_file(reg) {
                    return Err(EncodeError::Range { index });
                }
            }
        }
        Ok(())
    }

    fn alignment(&self, reg: Reg) -> u8 {
        match (reg.file, reg.count) {
            (_, 0 | 1) | (RegFile::Scc, _) => 1,
            (RegFile::Sgpr, 2) => 2,
            (RegFile::Sgpr, _) => 4,
            (RegFile::Vgpr | RegFile::Agpr, _) => match self.chip().aligns_vgprs() {
                true => 2,
                false => 1,
            },
        }
    }
}

/// Whether the whole tuple exists. A scalar tuple does not run across the ends of the general
/// registers, of the trap temporaries, or into M0.
fn in_file(reg: Reg) -> bool {
    let last = reg.index + u16::from(reg.count.max(1)) - 1;
    match reg.file {
        RegFile::Vgpr | RegFile::Agpr => last < 256,
        RegFile::Scc => false,
        RegFile::Sgpr => match reg.index {
            0..=101 => last <= 101,
            102..=107 => reg.count <= 2,
            108..=123 => last <= 123,
            124 => reg.count == 1,
            126..=127 => last <= 127,
            _ => false,
        },
    }
}

fn accepts(spec: &OperandSpec, operand: Operand, format: Format) -> bool {
    let count = spec.ty.dwords().max(1);
    let sized = |reg: Reg, file: RegFile| reg.file == file && reg.count == count;
    match (spec.accepts, operand) {
        (Accepts::Vgpr, Operand::Reg(reg)) => sized(reg, RegFile::Vgpr),
        (Accepts::VgprOrAgpr, Operand::Reg(reg)) => {
            sized(reg, RegFile::Vgpr) || sized(reg, RegFile::Agpr)
        }
        (Accepts::Agpr, Operand::Reg(reg)) => sized(reg, RegFile::Agpr),
        (Accepts::Sdst | Accepts::Sgpr, Operand::Reg(reg)) => sized(reg, RegFile::Sgpr),
        (Accepts::Ssrc, Operand::Reg(reg)) => sized(reg, RegFile::Sgpr),
        (Accepts::Ssrc, Operand::Inline(_) | Operand::Literal(_)) => true,
        (Accepts::Src, Operand::Reg(reg)) => sized(reg, RegFile::Sgpr) || sized(reg, RegFile::Vgpr),
        (Accepts::Src, Operand::Inline(_)) => true,
        (Accepts::Src, Operand::Literal(_)) => format != Format::Vop2Literal,
        (Accepts::LaneSel, Operand::Reg(reg)) => sized(reg, RegFile::Sgpr),
        (Accepts::LaneSel, Operand::Inline(code)) => is_constant(code),
        (Accepts::Vcc, Operand::Reg(reg)) => reg == VCC_PAIR,
        (Accepts::SBaseOrOff, Operand::Reg(reg)) => sized(reg, RegFile::Sgpr),
        (Accepts::VAddrOrOff, Operand::Reg(reg)) => sized(reg, RegFile::Vgpr),
        (Accepts::SBaseOrOff | Accepts::VAddrOrOff | Accepts::Off, Operand::Off) => true,
        (Accepts::UImm(width), Operand::Imm(value)) => 0 <= value && value < 1i64 << width,
        (Accepts::SImm(width), Operand::Imm(value)) => {
            -(1i64 << (width - 1)) <= value && value < 1i64 << (width - 1)
        }
        (Accepts::Label, Operand::Imm(value)) => value % 4 == 0,
        (Accepts::Literal, Operand::Literal(_)) => true,
        (Accepts::WaitCnt | Accepts::HwReg | Accepts::Message, Operand::Imm(value)) => {
            (0..1i64 << 16).contains(&value)
        }
        (Accepts::SmemOffset, Operand::Imm(_)) => true,
        (Accepts::SmemOffset, Operand::Reg(reg)) => reg.file == RegFile::Sgpr && reg.count == 1,
        _ => false,
    }
}

/// A literal only where the layout has room, and one value.
fn check_literals(form: &RowForm, inst: &MachineInst) -> Result<(), EncodeError> {
    let mut seen = None;
    for &operand in &inst.operands {
        if let Operand::Literal(value) = operand {
            if !form.format.layout().literal || seen.is_some_and(|other| other != value) {
                return Err(EncodeError::Literal);
            }
            seen = Some(value);
        }
    }
    Ok(())
}

fn is_vector(format: Format) -> bool {
    match format {
        Format::Vop1
        | Format::Vop2
        | Format::Vop2Literal
        | Format::Vopc
        | Format::Vop3
        | Format::Vop3b
        | Format::Vop3p
        | Format::Vop1Sdwa
        | Format::Vop2Sdwa
        | Format::VopcSdwa
        | Format::Vop1Dpp
        | Format::Vop2Dpp => true,
        Format::Sop1
        | Format::Sop2
        | Format::Sopk
        | Format::SopkLiteral
        | Format::Sopc
        | Format::Sopp
        | Format::Smem
        | Format::Ds
        | Format::Flat
        | Format::Global
        | Format::Scratch
        | Format::Mubuf => false,
    }
}

fn check_constant_bus(row: &Row, form: &RowForm, inst: &MachineInst) -> Result<(), EncodeError> {
    const LIMIT: u8 = 1;
    if !is_vector(form.format) {
        return Ok(());
    }
    let mut scalars: SmallVec<[Operand; 4]> = SmallVec::new();
    if row.semantics().implicit.has(Implicit::READ_VCC) {
        scalars.push(Operand::Reg(VCC_PAIR));
    }
    for (spec, &operand) in form.operands.iter().zip(&inst.operands) {
        let counts = match operand {
            Operand::Reg(reg) => reg.file == RegFile::Sgpr && spec.role != Role::Def,
            Operand::Inline(code) => !is_constant(code),
            Operand::Literal(_) => true,
            Operand::Imm(_) | Operand::Off => false,
        };
        let free_lane = spec.accepts == Accepts::LaneSel && operand == Operand::Reg(Reg::s(M0, 1));
        if counts && !free_lane && !scalars.contains(&operand) {
            scalars.push(operand);
        }
    }
    match scalars.len() > usize::from(LIMIT) {
        true => Err(EncodeError::ConstantBus { limit: LIMIT }),
        false => Ok(()),
    }
}
