//! Blocks, terminators and edges.

use std::collections::HashSet;

use super::Errors;
use crate::ir::entity::Block;
use crate::ir::func::{Function, ValueDef};
use crate::ir::opcode::Flags;

pub(super) fn verify(func: &Function, errors: &mut Errors<'_>) {
    if func.layout.is_empty() {
        errors.add(None, "a function needs at least one block");
        return;
    }
    let mut placed: HashSet<Block> = HashSet::new();
    for &block in &func.layout {
        if func.blocks.get(block).is_none() {
            errors.add(
                None,
                format!("the layout names {block}, which does not exist"),
            );
            return;
        }
        if !placed.insert(block) {
            errors.add(None, format!("{block} is placed twice"));
        }
    }
    if !func.blocks[func.entry()].params.is_empty() {
        errors.add(None, "the entry block has parameters");
    }
    for &block in &func.layout {
        verify_block(func, block, &placed, errors);
    }
}

fn verify_block(func: &Function, block: Block, placed: &HashSet<Block>, errors: &mut Errors<'_>) {
    let data = &func.blocks[block];
    for (n, param) in data.params.iter().enumerate() {
        if func
            .values
            .get(*param)
            .is_none_or(|v| v.def != ValueDef::BlockParam(block, n as u32))
        {
            errors.add(
                None,
                format!("parameter {n} of {block} is not defined there"),
            );
        }
    }
    let Some((last, rest)) = data.insts.split_last() else {
        errors.add(None, format!("{block} is empty"));
        return;
    };
    for &inst in data.insts.iter() {
        if func.insts.get(inst).is_none() {
            errors.add(None, format!("{block} names {inst}, which does not exist"));
            return;
        }
    }
    for &inst in rest {
        if func.insts[inst].op.flags().has(Flags::TERM) {
            errors.add(Some(inst), "a terminator in the middle of a block");
        }
    }
    let data = &func.insts[*last];
    if !data.op.flags().has(Flags::TERM) {
        errors.add(Some(*last), "a block ends in a terminator");
    }
    if data.targets.len() != usize::from(data.op.desc().targets) {
        errors.add(
            Some(*last),
            format!("{} successors are needed", data.op.desc().targets),
        );
    }
    for call in &data.targets {
        if !placed.contains(&call.block) {
            errors.add(Some(*last), "the successor is not in the function");
            continue;
        }
        if call.block == func.entry() {
            errors.add(Some(*last), "the entry block has no predecessors");
        }
        let params = &func.blocks[call.block].params;
        if params.len() != call.args.len() {
            errors.add(
                Some(*last),
                format!(
                    "the successor takes {} arguments, not {}",
                    params.len(),
                    call.args.len()
                ),
            );
            continue;
        }
        for (param, arg) in params.iter().zip(&call.args) {
            let (Some(want), Some(got)) = (func.values.get(*param), func.values.get(*arg)) else {
                errors.add(Some(*last), "an argument does not exist");
                continue;
            };
            if want.ty != got.ty {
                errors.add(
                    Some(*last),
                    format!("the successor takes `{}`, not `{}`", want.ty, got.ty),
                );
            }
        }
    }
}
