//! Types of results.
//!
//! Most follow from the mnemonic alone. Those of pointers (`ptradd`, `mov.ptr`) follow from operands,
//! which may stand further down: such an instruction waits for the first operand whose type is not
//! known yet. Every instruction waits at most once for each operand, so this is linear in the text.

use std::collections::HashMap;

use super::build::Report;
use crate::diag::{Code, Span};
use crate::ir::builder::result_types;
use crate::ir::entity::{Entity, Inst, Value};
use crate::ir::func::{Function, ValueDef};

/// Sets the types of all results. Instructions whose types cannot be known are reported.
pub(super) fn infer_types(func: &mut Function, texts: &[Span], report: &mut Report<'_>) {
    let mut known = vec![false; func.values.len()];
    for (value, data) in func.values.iter() {
        known[value.index()] = !matches!(data.def, ValueDef::Result(..));
    }
    let mut waiting: HashMap<Value, Vec<Inst>> = HashMap::new();
    let mut ready: Vec<Inst> = func.insts.keys().collect();
    ready.reverse();
    while let Some(inst) = ready.pop() {
        if let Some(missing) = missing_operand(func, inst, &known) {
            waiting.entry(missing).or_default().push(inst);
            continue;
        }
        let data = &func.insts[inst];
        let Some(types) = result_types(func, data.op, &data.attrs, &data.args) else {
            let message = "the type of the result does not follow from the operands";
            report.error(Code::K0504, text_of(texts, inst), message);
            continue;
        };
        let results = data.results.clone();
        for (result, ty) in results.into_iter().zip(types) {
            func.values[result].ty = ty;
            known[result.index()] = true;
            ready.extend(waiting.remove(&result).unwrap_or_default());
        }
    }
    let mut stuck: Vec<Inst> = waiting.into_values().flatten().collect();
    stuck.sort();
    // Operands of a failed instruction wait too, but it was reported itself.
    if report.count() == 0 {
        for inst in stuck {
            let message = "the type of the result depends on itself";
            report.error(Code::K0504, text_of(texts, inst), message);
        }
    }
}

/// The first operand that the result types need and that has no type yet.
fn missing_operand(func: &Function, inst: Inst, known: &[bool]) -> Option<Value> {
    let data = &func.insts[inst];
    let unknown = |v: &&Value| known.get(v.index()) == Some(&false);
    let by_mnemonic = result_types(func, data.op, &data.attrs, &[]).is_some();
    if by_mnemonic {
        return None;
    }
    data.args.iter().find(unknown).copied()
}

fn text_of(texts: &[Span], inst: Inst) -> Span {
    texts.get(inst.index()).copied().unwrap_or(Span::NONE)
}
