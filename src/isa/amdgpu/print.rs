//! Assembly text, spelled as LLVM 19's `llvm-objdump` spells it.

use std::fmt::Write;

use crate::isa::desc::{Accepts, OperandSpec};
use crate::isa::inst::{Ext, Form, MachineInst, Mods, Operand};

use super::format::Format;
use super::forms::{Row, RowForm};
use super::isa::Isa;
use super::names::{
    DPP_COUNTED, DPP_PLAIN, HW_REGS, MESSAGES, SELECTORS, UNUSED, bit_list, inline_text, name_of,
};
use super::row::{Attrs, Encoding};

impl Isa {
    /// The text of `inst`. A branch prints its distance in dwords, as LLVM prints raw code; with
    /// `pc`, the address of the instruction, it prints the label `L_ADDRESS` of its target.
    pub fn print(&self, inst: &MachineInst, pc: Option<u64>) -> String {
        let row = self.row(inst.row);
        let Some(form) = row.form(inst.form) else {
            return format!("{} <no such encoding>", row.name());
        };
        let mut out = self.mnemonic(row, inst.form);
        for (index, (spec, &operand)) in form.operands.iter().zip(&inst.operands).enumerate() {
            let text = operand_text(row, form, inst, index, spec, operand, pc);
            if !text.is_empty() {
                out.push_str(if out.contains(' ') { ", " } else { " " });
                out.push_str(&text);
            }
        }
        print_mods(&mut out, row, form, inst);
        out
    }

    /// The mnemonic with the suffix of an encoding.
    pub fn mnemonic(&self, row: &Row, form: Form) -> String {
        let attrs = row.attrs();
        let suffix = match form {
            Form::Base if attrs.has(Attrs::E64) || attrs.has(Attrs::E32_SUFFIX) => "_e32",
            Form::E64 => "_e64",
            Form::Sdwa => "_sdwa",
            Form::Dpp => "_dpp",
            Form::Base | Form::Saddr | Form::Rtn | Form::RtnSaddr => "",
        };
        format!("{}{suffix}", row.name())
    }
}

/// Which bit of neg, abs and sext an operand has: its place among the source fields.
pub(super) fn source_index(spec: &OperandSpec) -> Option<u8> {
    match spec.field {
        "src0" => Some(0),
        "src1" | "vsrc1" => Some(1),
        "src2" => Some(2),
        _ => None,
    }
}

fn operand_text(
    row: &Row,
    form: &RowForm,
    inst: &MachineInst,
    index: usize,
    spec: &OperandSpec,
    operand: Operand,
    pc: Option<u64>,
) -> String {
    let plain = plain_text(row, spec, operand, pc, index);
    let Some(n) = source_index(spec) else {
        return plain;
    };
    let packed = row.attrs().has(Attrs::NEG_LO_HI);
    let bit = |bits: u8| !packed && bits >> n & 1 == 1;
    let (neg, abs) = (bit(inst.mods.neg), bit(inst.mods.abs));
    let sext = matches!(inst.mods.ext, Ext::Sdwa { sext, .. } if sext >> n & 1 == 1);
    let constant = matches!(operand, Operand::Inline(code) if super::codec::is_constant(code));
    let constant = constant || matches!(operand, Operand::Literal(_));
    debug_assert!(form.operands.len() > index);
    match (neg, abs) {
        _ if sext => format!("sext({plain})"),
        (true, false) if constant => format!("neg({plain})"),
        (true, false) => format!("-{plain}"),
        (false, true) => format!("|{plain}|"),
        (true, true) => format!("-|{plain}|"),
        (false, false) => plain,
    }
}

fn plain_text(
    row: &Row,
    spec: &OperandSpec,
    operand: Operand,
    pc: Option<u64>,
    index: usize,
) -> String {
    match operand {
        Operand::Reg(reg) => reg.to_string(),
        Operand::Inline(code) => inline_text(code, spec.ty),
        Operand::Literal(value) => format!("0x{value:x}"),
        Operand::Off => "off".to_owned(),
        Operand::Imm(value) => match spec.accepts {
            Accepts::Label => match pc {
                Some(pc) => format!("L_{:x}", pc.wrapping_add(4).wrapping_add_signed(value)),
                None => format!("{}", (value / 4) & 0xffff),
            },
            Accepts::WaitCnt => wait_text(value as u16),
            Accepts::HwReg => hwreg_text(value as u16),
            Accepts::Message => message_text(value as u16),
            Accepts::SmemOffset => signed_hex(value),
            Accepts::UImm(_) | Accepts::SImm(_) if row.desc.encoding == Encoding::SOPK => {
                format!("0x{:x}", value & 0xffff)
            }
            _ => sopp_text(row, value, index),
        },
    }
}

/// Immediates of SOPP are decimal for counts and hex for the others; `s_endpgm` hides a 0.
fn sopp_text(row: &Row, value: i64, _index: usize) -> String {
    match row.name() {
        "s_endpgm" if value == 0 => String::new(),
        "s_nop" | "s_endpgm" => value.to_string(),
        _ if (-16..=64).contains(&value) => value.to_string(),
        _ => format!("0x{value:x}"),
    }
}

pub(super) fn signed_hex(value: i64) -> String {
    match value < 0 {
        true => format!("-0x{:x}", value.unsigned_abs()),
        false => format!("0x{value:x}"),
    }
}

/// Counter fields of `s_waitcnt` on GFX9: name, value, largest value.
fn wait_text(value: u16) -> String {
    let counters = wait_counters(value);
    let all = counters.iter().all(|(_, count, max)| count == max);
    let shown: Vec<String> = counters
        .iter()
        .filter(|(_, count, max)| all || count < max)
        .map(|(name, count, _)| format!("{name}({count})"))
        .collect();
    shown.join(" ")
}

pub(super) fn wait_counters(value: u16) -> [(&'static str, u16, u16); 3] {
    [
        ("vmcnt", value & 0xf | value >> 10 & 0x30, 63),
        ("expcnt", value >> 4 & 7, 7),
        ("lgkmcnt", value >> 8 & 0xf, 15),
    ]
}

fn hwreg_text(value: u16) -> String {
    let (id, offset, size) = (value & 63, value >> 6 & 31, (value >> 11) + 1);
    let name = name_of(HW_REGS, id).map_or_else(|| id.to_string(), str::to_owned);
    match (offset, size) {
        (0, 32) => format!("hwreg({name})"),
        _ => format!("hwreg({name}, {offset}, {size})"),
    }
}

fn message_text(value: u16) -> String {
    if let Some(name) = name_of(MESSAGES, value) {
        return format!("sendmsg({name})");
    }
    match value >> 10 {
        0 => format!(
            "sendmsg({}, {}, {})",
            value & 15,
            value >> 4 & 7,
            value >> 8 & 3
        ),
        _ => value.to_string(),
    }
}

fn print_mods(out: &mut String, row: &Row, form: &RowForm, inst: &MachineInst) {
    let (attrs, mods) = (row.attrs(), &inst.mods);
    print_halves(out, row, form, mods);
    if attrs.has(Attrs::OFFSETS) {
        for (name, value) in [
            ("offset0", mods.offset & 0xff),
            ("offset1", mods.offset >> 8),
        ] {
            if value != 0 {
                let _ = write!(out, " {name}:{value}");
            }
        }
    } else if attrs.has(Attrs::SWIZZLE) {
        print_swizzle(out, mods.offset as u16);
    } else if form.format == Format::Smem {
        if mods.offset != 0 {
            let _ = write!(out, " offset:{}", signed_hex(i64::from(mods.offset)));
        }
    } else if mods.offset != 0 {
        let _ = write!(out, " offset:{}", mods.offset);
    }
    let first = if form.format == Format::Smem {
        "glc"
    } else {
        "sc0"
    };
    let flags = [
        (mods.sc0, first),
        (mods.nt, "nt"),
        (mods.sc1, "sc1"),
        (mods.gds, "gds"),
    ];
    for (_, name) in flags.iter().filter(|(set, _)| *set) {
        let _ = write!(out, " {name}");
    }
    print_ext(out, form, &mods.ext);
}

/// op_sel and its kin, clamp, omod. Packed instructions print clamp last, VOP3 before omod.
fn print_halves(out: &mut String, row: &Row, form: &RowForm, mods: &Mods) {
    let attrs = row.attrs();
    let sources = form
        .operands
        .iter()
        .filter(|s| source_index(s).is_some())
        .count();
    let with_dst = form.format == Format::Vop3;
    if attrs.has(Attrs::OP_SEL) && mods.op_sel != 0 && form.form != Form::Sdwa {
        // VOP3 has the destination's bit behind those of the sources.
        let bits = match with_dst {
            true => mods.op_sel & ((1 << sources) - 1) | (mods.op_sel >> 3 & 1) << sources,
            false => mods.op_sel,
        };
        bit_list(out, "op_sel", bits, sources + usize::from(with_dst));
    }
    let default_hi = row.default_mods(form.form).op_sel_hi;
    let mask = (1u8 << sources) - 1;
    if form.format == Format::Vop3p && (mods.op_sel_hi ^ default_hi) & mask != 0 {
        bit_list(out, "op_sel_hi", mods.op_sel_hi, sources);
    }
    if attrs.has(Attrs::NEG_LO_HI) {
        for (name, bits) in [("neg_lo", mods.neg), ("neg_hi", mods.abs)] {
            if bits != 0 {
                bit_list(out, name, bits, sources);
            }
        }
    }
    if mods.clamp {
        out.push_str(" clamp");
    }
    match mods.omod {
        1 => out.push_str(" mul:2"),
        2 => out.push_str(" mul:4"),
        3 => out.push_str(" div:2"),
        _ => {}
    }
}

fn print_ext(out: &mut String, form: &RowForm, ext: &Ext) {
    match *ext {
        Ext::None => {}
        Ext::Sdwa {
            dst_sel,
            dst_unused,
            src_sel,
            ..
        } => {
            let selector = |code: u8| name_of(SELECTORS, code).unwrap_or("SEL_INVALID");
            if form.format != Format::VopcSdwa {
                let unused = name_of(UNUSED, dst_unused).unwrap_or("UNUSED_INVALID");
                let _ = write!(out, " dst_sel:{} dst_unused:{unused}", selector(dst_sel));
            }
            let _ = write!(out, " src0_sel:{}", selector(src_sel[0]));
            if form.format != Format::Vop1Sdwa {
                let _ = write!(out, " src1_sel:{}", selector(src_sel[1]));
            }
        }
        Ext::Dpp {
            ctrl,
            row_mask,
            bank_mask,
            bound_ctrl,
            fi,
        } => {
            let _ = write!(out, " {}", dpp_text(ctrl));
            let _ = write!(out, " row_mask:0x{row_mask:x} bank_mask:0x{bank_mask:x}");
            out.push_str(if bound_ctrl { " bound_ctrl:1" } else { "" });
            out.push_str(if fi { " fi:1" } else { "" });
        }
        Ext::Dpp8 { sel, fi } => {
            let lanes: Vec<String> = (0..8).map(|n| (sel >> (3 * n) & 7).to_string()).collect();
            let _ = write!(out, " dpp8:[{}]", lanes.join(","));
            out.push_str(if fi { " fi:1" } else { "" });
        }
    }
}

fn dpp_text(ctrl: u16) -> String {
    if ctrl < 0x100 {
        let lane = |n: u16| ctrl >> (2 * n) & 3;
        return format!(
            "quad_perm:[{},{},{},{}]",
            lane(0),
            lane(1),
            lane(2),
            lane(3)
        );
    }
    if let Some(name) = name_of(DPP_PLAIN, ctrl) {
        return name.to_owned();
    }
    let counted = DPP_COUNTED
        .iter()
        .find(|(code, first, last, _)| (*code..=code + (last - first)).contains(&ctrl));
    match counted {
        Some((code, first, _, name)) => format!("{name}:{}", first + (ctrl - code)),
        None => format!("dpp_ctrl:0x{ctrl:x}"),
    }
}

/// `ds_swizzle_b32` patterns: quads, the named bit patterns, any other bit pattern as a mask.
fn print_swizzle(out: &mut String, offset: u16) {
    let _ = match offset {
        0 => return,
        0x8000..=0x80ff => {
            let lane = |n: u16| offset >> (2 * n) & 3;
            write!(
                out,
                " offset:swizzle(QUAD_PERM,{},{},{},{})",
                lane(0),
                lane(1),
                lane(2),
                lane(3)
            )
        }
        0x8100.. => write!(out, " offset:{offset}"),
        _ => write!(out, " offset:swizzle({})", bit_pattern(offset)),
    };
}

fn bit_pattern(offset: u16) -> String {
    let (and, or, xor) = (offset & 31, offset >> 5 & 31, offset >> 10 & 31);
    if and == 31 && or == 0 && xor.is_power_of_two() {
        return format!("SWAP,{xor}");
    }
    if and == 31 && or == 0 && xor > 1 && (xor + 1).is_power_of_two() {
        return format!("REVERSE,{}", xor + 1);
    }
    // A broadcast keeps the high bits of the lane number and replaces the low ones.
    let group = 32 - and;
    if group > 1 && group.is_power_of_two() && or < group && xor == 0 {
        return format!("BROADCAST,{group},{or}");
    }
    let letter = |n: u16| match (and >> n & 1, or >> n & 1, xor >> n & 1) {
        (0, 0, 0) => '0',
        (0, 0, 1) | (0, 1, 0) => '1',
        (1, 0, 0) => 'p',
        (1, 0, 1) => 'i',
        (_, 1, 0) => '1',
        (_, _, _) => '0',
    };
    let mask: String = (0..5).rev().map(letter).collect();
    format!("BITMASK_PERM,\"{mask}\"")
}
