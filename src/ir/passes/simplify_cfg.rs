//! Removes blocks that nothing reaches, merges a block into its only predecessor, and skips blocks
//! that only branch on.
//!
//! ```text
//!   a: … br b      b: … ret         =>   a: … … ret        (b has no other predecessor)
//!   a: brc %c, e, f   e: br g       =>   a: brc %c, g, f   (e is empty, g has no parameters)
//! ```
//!
//! Loop headers are never skipped or merged away from their back edges, so loops keep their shape.

use std::collections::HashMap;

use super::edges::replace_values;
use super::{Changed, PassCtx};
use crate::ir::cfg::Cfg;
use crate::ir::entity::{Block, Value};
use crate::ir::func::Function;
use crate::ir::opcode::Opcode;

/// Runs the pass.
pub fn run(func: &mut Function, ctx: &mut PassCtx) -> Changed {
    if func.layout.is_empty() {
        return false;
    }
    let mut changed = false;
    loop {
        let unreachable = remove_unreachable(func);
        let skipped = skip_empty(func);
        let merged = merge_lines(func);
        ctx.count("unreachable blocks", unreachable);
        ctx.count("empty blocks", skipped);
        ctx.count("merged blocks", merged);
        if unreachable + skipped + merged == 0 {
            return changed;
        }
        changed = true;
    }
}

fn remove_unreachable(func: &mut Function) -> u64 {
    let cfg = Cfg::compute(func);
    let before = func.layout.len();
    func.layout.retain(|b| cfg.is_reachable(*b));
    (before - func.layout.len()) as u64
}

/// Redirects branches to a block that holds nothing but a branch without arguments.
fn skip_empty(func: &mut Function) -> u64 {
    let mut skipped = 0;
    for block in func.layout.clone() {
        if block == func.entry()
            || !func.blocks[block].params.is_empty()
            || func.blocks[block].insts.len() != 1
        {
            continue;
        }
        let term = func.blocks[block].insts[0];
        if func.insts[term].op != Opcode::Br {
            continue;
        }
        let target = func.insts[term].targets[0].clone();
        if target.block == block || !target.args.is_empty() {
            continue;
        }
        for source in func.layout.clone() {
            let Some(branch) = func.terminator(source) else {
                continue;
            };
            for call in func.insts[branch]
                .targets
                .iter_mut()
                .filter(|c| c.block == block)
            {
                call.block = target.block;
                skipped += 1;
            }
            same_targets(func, source);
        }
    }
    skipped
}

/// A conditional branch with twice the same target is a plain one.
fn same_targets(func: &mut Function, block: Block) {
    let Some(term) = func.terminator(block) else {
        return;
    };
    let data = &mut func.insts[term];
    if data.op == Opcode::Brc && data.targets[0] == data.targets[1] {
        data.op = Opcode::Br;
        data.args.clear();
        data.targets.truncate(1);
    }
}

/// Appends a block to its only predecessor where that has no other successor.
fn merge_lines(func: &mut Function) -> u64 {
    let mut merged = 0;
    let cfg = Cfg::compute(func);
    let mut gone: HashMap<Block, Block> = HashMap::new();
    for &block in cfg.rpo() {
        let [pred] = cfg.preds(block) else { continue };
        let mut into = *pred;
        while let Some(&next) = gone.get(&into) {
            into = next;
        }
        let Some(term) = func.terminator(into) else {
            continue;
        };
        let data = &func.insts[term];
        if data.op != Opcode::Br || data.targets[0].block != block || into == block {
            continue;
        }
        let args = data.targets[0].args.clone();
        let params = std::mem::take(&mut func.blocks[block].params);
        let map: HashMap<Value, Value> = params.into_iter().zip(args).collect();
        let insts = std::mem::take(&mut func.blocks[block].insts);
        func.blocks[into].insts.pop();
        func.blocks[into].insts.extend(insts);
        func.layout.retain(|b| *b != block);
        replace_values(func, &map);
        gone.insert(block, into);
        merged += 1;
    }
    merged
}
