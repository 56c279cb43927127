//! The generic encoder and decoder: they walk the fields of a layout and the operands of a row.
//!
//! The decoder accepts any bytes. It tries the layouts whose fixed bits fit and the rows that have
//! the opcode, and takes the first of which every bit is explained: a bit that neither the layout
//! nor an operand nor a modifier of the row uses must be 0.

use smallvec::SmallVec;

use crate::isa::bits::Bits;
use crate::isa::desc::{Accepts, OperandSpec, Reg, RegFile};
use crate::isa::inst::{Form, MachineInst, Mods, Operand};

use super::error::{DecodeError, EncodeError};
use super::format::{Field, Format, GFX9, Kind, Layout, Part};
use super::forms::{Row, RowForm};
use super::isa::Isa;
use super::mods;
use super::regs::{VCC_PAIR, inline_int};
use super::row::Attrs;

/// Source code of a literal.
const LITERAL: u64 = 255;
/// `off` in a scalar base field of GFX9.
const NO_SADDR: u64 = 0x7f;
/// op_sel_hi of packed instructions that do not let the programmer choose.
const ALL_HALVES: i64 = 7;

/// Places inside the offset group of a scalar memory instruction.
const SMEM_IMM: Bits = Bits::bit(17);
const SMEM_SOFFSET_EN: Bits = Bits::bit(14);
const SMEM_SGPR: Bits = Bits::range(38, 32);
const SMEM_SOFFSET: Bits = Bits::range(63, 57);

impl Isa {
    /// The machine code of `inst`: one or two dwords and a literal.
    ///
    /// # Errors
    /// If the instruction is not legal on the chip.
    pub fn encode(&self, inst: &MachineInst) -> Result<SmallVec<[u32; 4]>, EncodeError> {
        let row = self.row(inst.row);
        let form = row.form(inst.form).ok_or(EncodeError::NoForm)?;
        self.check_operands(row, form, inst)?;
        let layout = form.format.layout();
        let mut word = fixed_bits(layout, form.opcode)?;
        let mut literal = None;
        for (index, (spec, &operand)) in form.operands.iter().zip(&inst.operands).enumerate() {
            if let Operand::Literal(value) = operand {
                if literal.is_some_and(|other| other != value) {
                    return Err(EncodeError::Literal);
                }
                literal = Some(value);
            }
            if let Some(field) = layout.field(spec.field) {
                let operand = match (spec.accepts, operand) {
                    (Accepts::Label, Operand::Imm(bytes)) => Operand::Imm(bytes / 4),
                    _ => operand,
                };
                word = put_operand(word, field, operand, inst.mods.offset)
                    .ok_or(EncodeError::Range { index })?;
            }
        }
        word = put_mods(word, row, layout, inst)?;
        let encodable = read_mods(word, row, form, layout).is_some_and(|m| m == inst.mods);
        if !encodable {
            return Err(EncodeError::Modifier);
        }
        for (spec, &operand) in form.operands.iter().zip(&inst.operands) {
            check_file_bit(word, layout, spec, operand)?;
        }
        let mut out = SmallVec::new();
        out.push(word as u32);
        if layout.dwords == 2 {
            out.push((word >> 32) as u32);
        }
        out.extend(literal);
        Ok(out)
    }

    /// The instruction at the start of `bytes` and its length in bytes.
    ///
    /// # Errors
    /// If the bytes are no instruction of the chip, or end too early.
    pub fn decode(&self, bytes: &[u8]) -> Result<(MachineInst, usize), DecodeError> {
        let first = dword(bytes, 0).ok_or(DecodeError::Truncated)?;
        let second = dword(bytes, 4);
        let word = u64::from(first) | u64::from(second.unwrap_or(0)) << 32;
        let mut truncated = false;
        for layout in GFX9.iter().filter(|layout| layout.matches(word)) {
            let opcode = layout.opcode.get(word) as u16;
            for &(id, form) in self.candidates(layout.format, opcode) {
                if layout.dwords == 2 && second.is_none() {
                    truncated = true;
                    continue;
                }
                let row = self.row(id);
                let Some(row_form) = row.form(form) else {
                    continue;
                };
                let literal = dword(bytes, usize::from(layout.dwords) * 4);
                match self.decode_as(row, row_form, layout, word, literal) {
                    Decoded::Inst(inst, length) => return Ok((inst, length)),
                    Decoded::NeedsLiteral => truncated = true,
                    Decoded::No => {}
                }
            }
        }
        Err(match truncated {
            true => DecodeError::Truncated,
            false => DecodeError::Unknown(first),
        })
    }

    fn decode_as(
        &self,
        row: &Row,
        form: &RowForm,
        layout: &Layout,
        word: u64,
        literal: Option<u32>,
    ) -> Decoded {
        let word = match layout.dwords {
            1 => word & u64::from(u32::MAX),
            _ => word,
        };
        if unexplained(word, row, form, layout) != 0 {
            return Decoded::No;
        }
        let Some(mut mods) = read_mods(word, row, form, layout) else {
            return Decoded::No;
        };
        let mut length = usize::from(layout.dwords) * 4;
        let mut operands = SmallVec::new();
        for spec in &form.operands {
            let operand = match (spec.accepts, layout.field(spec.field)) {
                (Accepts::Vcc, _) => Some(Operand::Reg(VCC_PAIR)),
                (Accepts::Literal, _) => Some(Operand::Literal(0)),
                (_, Some(field)) => get_operand(word, field, spec, &mut mods.offset),
                (_, None) => None,
            };
            let Some(mut operand) = operand else {
                return Decoded::No;
            };
            if let Operand::Literal(value) = &mut operand {
                let Some(literal) = literal else {
                    return Decoded::NeedsLiteral;
                };
                *value = literal;
                length = usize::from(layout.dwords) * 4 + 4;
            }
            operands.push(operand);
        }
        let inst = MachineInst {
            row: row.id,
            form: form.form,
            operands,
            mods,
        };
        match self.check_kinds(form, &inst) {
            Ok(()) => Decoded::Inst(inst, length),
            Err(_) => Decoded::No,
        }
    }
}

enum Decoded {
    Inst(MachineInst, usize),
    NeedsLiteral,
    No,
}

fn dword(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
}

fn fixed_bits(layout: &Layout, opcode: u16) -> Result<u64, EncodeError> {
    let mut word = 0;
    for (bits, value) in layout.fixed {
        word |= value << bits.lo;
    }
    layout
        .opcode
        .put(word, u64::from(opcode))
        .ok_or(EncodeError::NoForm)
}

/// Bits of `word` that nothing of the row uses.
fn unexplained(word: u64, row: &Row, form: &RowForm, layout: &Layout) -> u64 {
    let mut used = layout.opcode.mask();
    for (bits, _) in layout.fixed {
        used |= bits.mask();
    }
    for field in layout.fields {
        let by_operand = form.operands.iter().any(|s| s.field == field.name);
        match field.kind {
            Kind::Mod(..) => used |= field.bits.mask(),
            _ if !by_operand => {}
            Kind::Reg8Acc(bit)
            | Kind::SdwaSrc(bit)
            | Kind::SdwaDst(bit)
            | Kind::VaddrOrOff(bit) => {
                used |= field.bits.mask() | bit.mask();
            }
            Kind::SmemOffset => used |= smem_bits(word),
            Kind::Reg8
            | Kind::Src9
            | Kind::Scalar
            | Kind::ScalarPair
            | Kind::ScalarOrOff
            | Kind::Simm16 => used |= field.bits.mask(),
        }
    }
    if row.attrs().has(Attrs::RTN) && matches!(form.form, Form::Base | Form::Saddr) {
        used &= !sc0_bit(layout);
    }
    word & !used
}

fn sc0_bit(layout: &Layout) -> u64 {
    let field = layout
        .fields
        .iter()
        .find(|f| f.kind == Kind::Mod(Part::Sc0, 0));
    field.map_or(0, |f| f.bits.mask())
}

fn smem_bits(word: u64) -> u64 {
    let flags = SMEM_IMM.mask() | SMEM_SOFFSET_EN.mask();
    match (SMEM_IMM.get(word), SMEM_SOFFSET_EN.get(word)) {
        (0, 0) => flags | SMEM_SGPR.mask(),
        (0, _) => flags | SMEM_SOFFSET.mask(),
        (_, 0) => flags | Bits::range(52, 32).mask(),
        (_, _) => flags | Bits::range(52, 32).mask() | SMEM_SOFFSET.mask(),
    }
}

fn scalar_number(reg: Reg) -> Option<u64> {
    (reg.file == RegFile::Sgpr).then_some(u64::from(reg.index))
}

/// The number of an operand in a source field: scalar codes, constants, 256 + vector register.
fn source_code(operand: Operand) -> Option<u64> {
    match operand {
        Operand::Reg(reg) => match reg.file {
            RegFile::Sgpr => Some(u64::from(reg.index)),
            RegFile::Vgpr | RegFile::Agpr => Some(256 + u64::from(reg.index)),
            RegFile::Scc => None,
        },
        Operand::Inline(code) => Some(u64::from(code)),
        Operand::Literal(_) => Some(LITERAL),
        Operand::Imm(_) | Operand::Off => None,
    }
}

fn put_operand(word: u64, field: &Field, operand: Operand, offset: i32) -> Option<u64> {
    let bits = field.bits;
    match (field.kind, operand) {
        (Kind::Reg8, Operand::Reg(reg)) => bits.put(word, u64::from(reg.index)),
        (Kind::Reg8Acc(acc), Operand::Reg(reg)) => {
            let word = bits.put(word, u64::from(reg.index))?;
            Some(word | u64::from(reg.file == RegFile::Agpr) << acc.lo)
        }
        (Kind::Src9, _) => bits.put(word, source_code(operand)?),
        (Kind::Scalar, _) => bits.put(word, source_code(operand)?),
        (Kind::SdwaSrc(scalar), _) => match source_code(operand)? {
            LITERAL => None,
            code @ 256.. => bits.put(word, code - 256),
            code => Some(bits.put(word, code)? | scalar.mask()),
        },
        (Kind::SdwaDst(explicit), Operand::Reg(reg)) => match reg == VCC_PAIR {
            true => Some(word),
            false => Some(bits.put(word, scalar_number(reg)?)? | explicit.mask()),
        },
        (Kind::ScalarPair, Operand::Reg(reg)) => bits.put(word, scalar_number(reg)? / 2),
        (Kind::ScalarOrOff, Operand::Off) => bits.put(word, NO_SADDR),
        (Kind::ScalarOrOff, Operand::Reg(reg)) => bits.put(word, scalar_number(reg)?),
        (Kind::VaddrOrOff(_), Operand::Off) => Some(word),
        (Kind::VaddrOrOff(used), Operand::Reg(reg)) => {
            Some(bits.put(word, u64::from(reg.index))? | used.mask())
        }
        (Kind::Simm16, Operand::Imm(value)) => put_immediate(word, bits, value),
        (Kind::SmemOffset, _) => put_smem_offset(word, bits, operand, offset),
        (
            Kind::Reg8
            | Kind::Reg8Acc(_)
            | Kind::SdwaDst(_)
            | Kind::ScalarPair
            | Kind::ScalarOrOff
            | Kind::VaddrOrOff(_)
            | Kind::Simm16
            | Kind::Mod(..),
            _,
        ) => None,
    }
}

/// A 16-bit immediate may be given signed or unsigned.
fn put_immediate(word: u64, bits: Bits, value: i64) -> Option<u64> {
    match value < 0 {
        true => bits.put_signed(word, value),
        false => bits.put(word, value as u64),
    }
}

fn put_smem_offset(word: u64, bits: Bits, operand: Operand, offset: i32) -> Option<u64> {
    match operand {
        Operand::Imm(value) if offset == 0 => bits.put_signed(word | SMEM_IMM.mask(), value),
        Operand::Reg(reg) if offset == 0 => SMEM_SGPR.put(word, scalar_number(reg)?),
        Operand::Reg(reg) => {
            let flags = SMEM_IMM.mask() | SMEM_SOFFSET_EN.mask();
            let word = SMEM_SOFFSET.put(word | flags, scalar_number(reg)?)?;
            bits.put_signed(word, i64::from(offset))
        }
        _ => None,
    }
}

/// Registers of `spec` from scalar code `code`.
fn scalar_operand(code: u64, spec: &OperandSpec) -> Option<Operand> {
    let count = spec.ty.dwords().max(1);
    match code {
        0..=127 => Some(Operand::Reg(Reg::s(code as u16, count))),
        LITERAL => Some(Operand::Literal(0)),
        128..=208 | 235..=248 | 251..=253 => Some(Operand::Inline(code as u8)),
        _ => None,
    }
}

fn vector_operand(index: u64, spec: &OperandSpec) -> Operand {
    let file = match spec.accepts {
        Accepts::Agpr => RegFile::Agpr,
        Accepts::Sdst | Accepts::Sgpr => RegFile::Sgpr,
        _ => RegFile::Vgpr,
    };
    Operand::Reg(Reg {
        file,
        index: index as u16,
        count: spec.ty.dwords().max(1),
    })
}

fn get_operand(word: u64, field: &Field, spec: &OperandSpec, offset: &mut i32) -> Option<Operand> {
    let value = field.bits.get(word);
    match field.kind {
        Kind::Reg8 => Some(vector_operand(value, spec)),
        Kind::Reg8Acc(acc) => match vector_operand(value, spec) {
            Operand::Reg(reg) if acc.get(word) == 1 => Some(Operand::Reg(Reg {
                file: RegFile::Agpr,
                ..reg
            })),
            operand => Some(operand),
        },
        Kind::Src9 if value >= 256 => Some(vector_operand(value - 256, spec)),
        Kind::Src9 | Kind::Scalar => scalar_operand(value, spec),
        Kind::SdwaSrc(scalar) if scalar.get(word) == 0 => Some(vector_operand(value, spec)),
        Kind::SdwaSrc(_) if value == LITERAL => None,
        Kind::SdwaSrc(_) => scalar_operand(value, spec),
        Kind::SdwaDst(explicit) if explicit.get(word) == 0 => {
            (value == 0).then_some(Operand::Reg(VCC_PAIR))
        }
        Kind::SdwaDst(_) => scalar_operand(value, spec),
        Kind::ScalarPair => scalar_operand(value * 2, spec),
        Kind::ScalarOrOff if value == NO_SADDR => Some(Operand::Off),
        Kind::ScalarOrOff => scalar_operand(value, spec),
        Kind::VaddrOrOff(used) if used.get(word) == 1 => Some(vector_operand(value, spec)),
        Kind::VaddrOrOff(_) => (value == 0).then_some(Operand::Off),
        Kind::Simm16 => Some(Operand::Imm(match spec.accepts {
            Accepts::Label => field.bits.get_signed(word) * 4,
            Accepts::SImm(_) => field.bits.get_signed(word),
            _ => value as i64,
        })),
        Kind::SmemOffset => get_smem_offset(word, field.bits, offset),
        Kind::Mod(..) => None,
    }
}

fn get_smem_offset(word: u64, bits: Bits, offset: &mut i32) -> Option<Operand> {
    let register = |at: Bits| match at.get(word) {
        index @ (0..=107 | 124) => Some(Operand::Reg(Reg::s(index as u16, 1))),
        index @ 108..=123 => Some(Operand::Reg(Reg::s(index as u16, 1))),
        _ => None,
    };
    match (SMEM_IMM.get(word), SMEM_SOFFSET_EN.get(word)) {
        (0, 0) => register(SMEM_SGPR),
        (0, _) => None,
        (_, 0) => Some(Operand::Imm(bits.get_signed(word))),
        (_, _) => {
            *offset = bits.get_signed(word) as i32;
            register(SMEM_SOFFSET)
        }
    }
}

/// The modifiers in `word`, or `None` if it has some that the row does not take.
fn read_mods(word: u64, row: &Row, form: &RowForm, layout: &Layout) -> Option<Mods> {
    let attrs = row.attrs();
    let mut out = mods::blank(form.form);
    for field in layout.fields {
        let Kind::Mod(part, shift) = field.kind else {
            continue;
        };
        let value = match part {
            Part::OffsetSigned => field.bits.get_signed(word),
            _ => field.bits.get(word) as i64,
        };
        if mods::allowed(attrs, part) {
            mods::set(&mut out, part, value << shift);
        } else if value << shift != unwritten(part, field) {
            return None;
        }
    }
    // A scalar memory instruction keeps the offset beside its register in the operand's own bits.
    if form.format == Format::Smem && SMEM_IMM.get(word) == 1 && SMEM_SOFFSET_EN.get(word) == 1 {
        out.offset = Bits::range(52, 32).get_signed(word) as i32;
    }
    Some(out)
}

/// What the bits of a modifier hold that the row does not take.
fn unwritten(part: Part, field: &Field) -> i64 {
    match (part, field.kind) {
        (Part::OpSelHi, Kind::Mod(_, shift)) => ALL_HALVES & ((field.bits.max() as i64) << shift),
        _ => 0,
    }
}

fn put_mods(
    mut word: u64,
    row: &Row,
    layout: &Layout,
    inst: &MachineInst,
) -> Result<u64, EncodeError> {
    for field in layout.fields {
        let Kind::Mod(part, shift) = field.kind else {
            continue;
        };
        let value = match mods::allowed(row.attrs(), part) {
            true => mods::get(&inst.mods, part),
            false => ALL_HALVES * i64::from(part == Part::OpSelHi),
        };
        let stored = match part {
            Part::OffsetSigned => field.bits.put_signed(word, value),
            Part::Offset => u64::try_from(value)
                .ok()
                .and_then(|v| field.bits.put(word, v)),
            _ => {
                let part_of_it = (value as u64 >> shift) & field.bits.max();
                field.bits.put(word, part_of_it)
            }
        };
        word = stored.ok_or(EncodeError::Modifier)?;
    }
    Ok(word)
}

/// Two operands that share one accumulation bit must be in the same file.
fn check_file_bit(
    word: u64,
    layout: &Layout,
    spec: &OperandSpec,
    operand: Operand,
) -> Result<(), EncodeError> {
    if let (Some(Kind::Reg8Acc(acc)), Operand::Reg(reg)) =
        (layout.field(spec.field).map(|f| f.kind), operand)
        && (acc.get(word) == 1) != (reg.file == RegFile::Agpr)
    {
        return Err(EncodeError::MixedFiles);
    }
    Ok(())
}

/// Whether `code` is an inline constant rather than a special value.
pub(super) fn is_constant(code: u8) -> bool {
    inline_int(code).is_some() || (240..=248).contains(&code)
}
