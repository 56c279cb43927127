//! The bit layouts: fixed bits and named fields of every encoding.

use crate::isa::inst::Form;

use super::row::{Encoding, RowDesc};
use crate::isa::desc::Accepts;

/// A bit layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Format {
    Sop1,
    Sop2,
    Sopk,
    SopkLiteral,
    Sopc,
    Sopp,
    Smem,
    Vop1,
    Vop2,
    Vop2Literal,
    Vopc,
    Vop3,
    Vop3b,
    Vop3p,
    Mai,
    Vop1Sdwa,
    Vop2Sdwa,
    VopcSdwa,
    Vop1Dpp,
    Vop2Dpp,
    Ds,
    Flat,
    Global,
    GlobalSaddr,
    Scratch,
    Mubuf,
}

impl Format {
    /// The layout of `desc` in encoding `form`, if there is such an encoding.
    pub(super) fn of(desc: &RowDesc, form: Form) -> Option<Format> {
        let vop3b = desc
            .operands
            .iter()
            .any(|s| s.accepts == Accepts::Vcc && s.arg == 1);
        Some(match (desc.encoding, form) {
            (Encoding::SOP1, Form::Base) => Format::Sop1,
            (Encoding::SOP2, Form::Base) => Format::Sop2,
            (Encoding::SOPK, Form::Base) => Format::Sopk,
            (Encoding::SOPKL, Form::Base) => Format::SopkLiteral,
            (Encoding::SOPC, Form::Base) => Format::Sopc,
            (Encoding::SOPP, Form::Base) => Format::Sopp,
            (Encoding::SMEM, Form::Base) => Format::Smem,
            (Encoding::VOP1, Form::Base) => Format::Vop1,
            (Encoding::VOP2, Form::Base) => Format::Vop2,
            (Encoding::VOP2K, Form::Base) => Format::Vop2Literal,
            (Encoding::VOPC, Form::Base) => Format::Vopc,
            (Encoding::VOP1 | Encoding::VOP2 | Encoding::VOPC, Form::E64) if vop3b => Format::Vop3b,
            (Encoding::VOP1 | Encoding::VOP2 | Encoding::VOPC, Form::E64) => Format::Vop3,
            (Encoding::VOP1, Form::Sdwa) => Format::Vop1Sdwa,
            (Encoding::VOP2, Form::Sdwa) => Format::Vop2Sdwa,
            (Encoding::VOPC, Form::Sdwa) => Format::VopcSdwa,
            (Encoding::VOP1, Form::Dpp) => Format::Vop1Dpp,
            (Encoding::VOP2, Form::Dpp) => Format::Vop2Dpp,
            (Encoding::VOP3, Form::Base) => Format::Vop3,
            (Encoding::VOP3B, Form::Base) => Format::Vop3b,
            (Encoding::VOP3P, Form::Base) => Format::Vop3p,
            (Encoding::MAI, Form::Base) => Format::Mai,
            (Encoding::DS, Form::Base) => Format::Ds,
            (Encoding::FLAT, Form::Base | Form::Rtn) => Format::Flat,
            (Encoding::GLOBAL, Form::Base | Form::Rtn) => Format::Global,
            (Encoding::GLOBAL, Form::Saddr | Form::RtnSaddr) => Format::GlobalSaddr,
            (Encoding::SCRATCH, Form::Base) => Format::Scratch,
            (Encoding::MUBUF, Form::Base) => Format::Mubuf,
            _ => return None,
        })
    }
}
