//! Rewriting helpers that passes share: replacing values, and splitting critical edges.

use std::collections::HashMap;

use smallvec::SmallVec;

use crate::ir::entity::{Entity, Value};
use crate::ir::func::{Attrs, BlockCall, Function};
use crate::ir::opcode::Opcode;

/// Replaces operands by a map, following chains.
pub fn replace_values(func: &mut Function, map: &HashMap<Value, Value>) {
    if map.is_empty() {
        return;
    }
    let resolve = |mut v: Value| {
        let mut steps = 0;
        while let Some(&next) = map.get(&v) {
            v = next;
            steps += 1;
            if steps > map.len() {
                break;
            }
        }
        v
    };
    for block in func.layout.clone() {
        for inst in func.blocks[block].insts.clone() {
            let data = &mut func.insts[inst];
            data.args.iter_mut().for_each(|a| *a = resolve(*a));
            data.targets
                .iter_mut()
                .flat_map(|t| t.args.iter_mut())
                .for_each(|a| *a = resolve(*a));
        }
    }
}

/// Puts an empty block on every edge from a block with several successors to one with several
/// predecessors, so that copies for the edge have a place of their own. Returns how many.
pub fn split_critical_edges(func: &mut Function) -> usize {
    let mut preds = vec![0usize; func.blocks.len()];
    for &block in &func.layout {
        func.successors(block).for_each(|s| preds[s.index()] += 1);
    }
    let mut split = 0;
    for block in func.layout.clone() {
        let Some(term) = func.terminator(block) else {
            continue;
        };
        if func.insts[term].targets.len() < 2 {
            continue;
        }
        for n in 0..func.insts[term].targets.len() {
            let call = func.insts[term].targets[n].clone();
            if preds[call.block.index()] < 2 {
                continue;
            }
            let span = func.insts[term].span;
            let middle = func.add_block(None);
            // Beside the source, so that the listing stays readable.
            func.layout.pop();
            let at = func
                .layout
                .iter()
                .position(|b| *b == block)
                .map_or(0, |p| p + 1);
            func.layout.insert(at, middle);
            let br = func.create_inst(Opcode::Br, Attrs::default(), &[], &[], span);
            func.insts[br].targets.push(call);
            func.blocks[middle].insts.push(br);
            func.insts[term].targets[n] = BlockCall {
                block: middle,
                args: SmallVec::new(),
            };
            split += 1;
        }
    }
    split
}
