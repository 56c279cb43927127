//! All passes, and the pipeline of each optimisation level.

use super::{Pass, const_fold, copy_prop, dce, simplify_cfg, ssa};
use crate::ir::verify::Stage;

/// Every pass by name.
#[rustfmt::skip]
pub const ALL: &[Pass] = &[
    Pass { name: "ssa",          doc: "turns variables into values and block parameters", required: true,  leaves: Stage::Ssa,  run: ssa::run },
    Pass { name: "simplify-cfg", doc: "removes unreachable and empty blocks, merges straight lines", required: false, leaves: Stage::Vars, run: simplify_cfg::run },
    Pass { name: "const-fold",   doc: "computes instructions of constants, folds constant branches", required: false, leaves: Stage::Vars, run: const_fold::run },
    Pass { name: "copy-prop",    doc: "replaces copies and block parameters that are always one value", required: false, leaves: Stage::Vars, run: copy_prop::run },
    Pass { name: "dce",          doc: "removes instructions and parameters that nothing needs", required: false, leaves: Stage::Vars, run: dce::run },
];

/// `-O0`: only what is required.
const O0: &[&str] = &["ssa"];
/// `-O1`: cheap clean-up.
const O1: &[&str] = &["ssa", "const-fold", "copy-prop", "simplify-cfg", "dce"];
/// `-O2`: the same to a fixpoint of two rounds.
const O2: &[&str] = &[
    "ssa",
    "const-fold",
    "copy-prop",
    "simplify-cfg",
    "const-fold",
    "copy-prop",
    "simplify-cfg",
    "dce",
];

/// The passes of a level, in order.
pub fn passes(level: u8) -> &'static [&'static str] {
    match level {
        0 => O0,
        1 => O1,
        _ => O2,
    }
}
