//! Modifiers as numbers in bit fields.

use crate::isa::inst::{Ext, Form, Mods};

use super::format::Part;
use super::row::Attrs;

/// The number that `part` of `mods` is, a two's complement one for the signed offset.
pub(super) fn get(mods: &Mods, part: Part) -> i64 {
    match part {
        Part::Neg => i64::from(mods.neg),
        Part::Abs => i64::from(mods.abs),
        Part::OpSel => i64::from(mods.op_sel),
        Part::OpSelHi => i64::from(mods.op_sel_hi),
        Part::Omod => i64::from(mods.omod),
        Part::Clamp => i64::from(mods.clamp),
        Part::Sc0 => i64::from(mods.sc0),
        Part::Nt => i64::from(mods.nt),
        Part::Sc1 => i64::from(mods.sc1),
        Part::Offset | Part::OffsetSigned => i64::from(mods.offset),
        Part::Gds => i64::from(mods.gds),
        Part::DstSel
        | Part::DstUnused
        | Part::SrcSel0
        | Part::SrcSel1
        | Part::Sext
        | Part::DppCtrl
        | Part::RowMask
        | Part::BankMask
        | Part::BoundCtrl => get_ext(&mods.ext, part),
    }
}

fn get_ext(ext: &Ext, part: Part) -> i64 {
    match (*ext, part) {
        (Ext::Sdwa { dst_sel, .. }, Part::DstSel) => i64::from(dst_sel),
        (Ext::Sdwa { dst_unused, .. }, Part::DstUnused) => i64::from(dst_unused),
        (Ext::Sdwa { src_sel, .. }, Part::SrcSel0) => i64::from(src_sel[0]),
        (Ext::Sdwa { src_sel, .. }, Part::SrcSel1) => i64::from(src_sel[1]),
        (Ext::Sdwa { sext, .. }, Part::Sext) => i64::from(sext),
        (Ext::Dpp { ctrl, .. }, Part::DppCtrl) => i64::from(ctrl),
        (Ext::Dpp { row_mask, .. }, Part::RowMask) => i64::from(row_mask),
        (Ext::Dpp { bank_mask, .. }, Part::BankMask) => i64::from(bank_mask),
        (Ext::Dpp { bound_ctrl, .. }, Part::BoundCtrl) => i64::from(bound_ctrl),
        _ => 0,
    }
}

/// Adds `value`, a field's content, to `part` of `mods`. The fields are no wider than the parts.
pub(super) fn set(mods: &mut Mods, part: Part, value: i64) {
    let byte = value as u8;
    match part {
        Part::Neg => mods.neg |= byte,
        Part::Abs => mods.abs |= byte,
        Part::OpSel => mods.op_sel |= byte,
        Part::OpSelHi => mods.op_sel_hi |= byte,
        Part::Omod => mods.omod = byte,
        Part::Clamp => mods.clamp = value != 0,
        Part::Sc0 => mods.sc0 = value != 0,
        Part::Nt => mods.nt = value != 0,
        Part::Sc1 => mods.sc1 = value != 0,
        Part::Offset | Part::OffsetSigned => mods.offset = value as i32,
        Part::Gds => mods.gds = value != 0,
        Part::DstSel
        | Part::DstUnused
        | Part::SrcSel0
        | Part::SrcSel1
        | Part::Sext
        | Part::DppCtrl
        | Part::RowMask
        | Part::BankMask
        | Part::BoundCtrl => set_ext(&mut mods.ext, part, value),
    }
}

fn set_ext(ext: &mut Ext, part: Part, value: i64) {
    let byte = value as u8;
    match (ext, part) {
        (Ext::Sdwa { dst_sel, .. }, Part::DstSel) => *dst_sel = byte,
        (Ext::Sdwa { dst_unused, .. }, Part::DstUnused) => *dst_unused = byte,
        (Ext::Sdwa { src_sel, .. }, Part::SrcSel0) => src_sel[0] = byte,
        (Ext::Sdwa { src_sel, .. }, Part::SrcSel1) => src_sel[1] = byte,
        (Ext::Sdwa { sext, .. }, Part::Sext) => *sext |= byte,
        (Ext::Dpp { ctrl, .. }, Part::DppCtrl) => *ctrl = value as u16,
        (Ext::Dpp { row_mask, .. }, Part::RowMask) => *row_mask = byte,
        (Ext::Dpp { bank_mask, .. }, Part::BankMask) => *bank_mask = byte,
        (Ext::Dpp { bound_ctrl, .. }, Part::BoundCtrl) => *bound_ctrl = value != 0,
        _ => {}
    }
}

/// Modifiers with nothing set and the extension of `form`.
pub(super) fn blank(form: Form) -> Mods {
    let ext = match form {
        Form::Sdwa => Ext::Sdwa {
            dst_sel: 0,
            dst_unused: 0,
            src_sel: [0, 0],
            sext: 0,
        },
        Form::Dpp => Ext::Dpp {
            ctrl: 0,
            row_mask: 0,
            bank_mask: 0,
            bound_ctrl: false,
            fi: false,
        },
        Form::Base | Form::E64 | Form::Saddr | Form::Rtn | Form::RtnSaddr => Ext::None,
    };
    Mods {
        ext,
        ..Mods::default()
    }
}

/// Whether a row with `attrs` takes `part` at all; otherwise its bits are 0.
pub(super) fn allowed(attrs: Attrs, part: Part) -> bool {
    match part {
        Part::Neg => attrs.has(Attrs::NEG) || attrs.has(Attrs::NEG_LO_HI),
        Part::Abs => attrs.has(Attrs::ABS) || attrs.has(Attrs::NEG_LO_HI),
        Part::OpSel => attrs.has(Attrs::OP_SEL),
        Part::OpSelHi => attrs.has(Attrs::OP_SEL_HI) || attrs.has(Attrs::MIX),
        Part::Omod => attrs.has(Attrs::OMOD),
        Part::Clamp => attrs.has(Attrs::CLAMP),
        Part::Sc0 | Part::Nt | Part::Sc1 => attrs.has(Attrs::CACHE),
        Part::Offset | Part::OffsetSigned => attrs.has(Attrs::OFFSET) || attrs.has(Attrs::OFFSETS),
        Part::Gds => attrs.has(Attrs::GDS),
        Part::Sext => attrs.has(Attrs::SEXT),
        Part::DstSel
        | Part::DstUnused
        | Part::SrcSel0
        | Part::SrcSel1
        | Part::DppCtrl
        | Part::RowMask
        | Part::BankMask
        | Part::BoundCtrl => true,
    }
}
