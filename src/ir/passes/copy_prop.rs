//! Replaces copies by their source, and block parameters that are always the same value by it.
//!
//! ```text
//!   %b = mov.u32 %a                         uses of %b use %a
//!   br j(%a) … br j(%a)   j(%p: i32):       uses of %p use %a
//!   head(%i: i32): … br head(%i)            %i is what enters the loop
//! ```

use std::collections::HashMap;

use super::dce::remove_params;
use super::edges::replace_values;
use super::{Changed, PassCtx};
use crate::ir::cfg::Cfg;
use crate::ir::dom::DomTree;
use crate::ir::entity::{Block, Value};
use crate::ir::func::{Function, ValueDef};
use crate::ir::opcode::Opcode;

/// Runs the pass.
pub fn run(func: &mut Function, ctx: &mut PassCtx) -> Changed {
    let mut map: HashMap<Value, Value> = HashMap::new();
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            if data.op == Opcode::Mov {
                map.insert(data.results[0], data.args[0]);
            }
        }
    }
    ctx.count("copies", map.len() as u64);
    replace_values(func, &map);
    let mut changed = !map.is_empty();
    loop {
        let found = single_valued_params(func);
        if found.is_empty() {
            return changed;
        }
        ctx.count("parameters", found.len() as u64);
        changed = true;
        let map: HashMap<Value, Value> = found.iter().map(|(_, p, v)| (*p, *v)).collect();
        replace_values(func, &map);
        let mut blocks: Vec<Block> = found.iter().map(|(b, _, _)| *b).collect();
        blocks.sort();
        blocks.dedup();
        for block in blocks {
            let keep: Vec<bool> = func.blocks[block]
                .params
                .iter()
                .map(|p| !map.contains_key(p))
                .collect();
            remove_params(func, block, &keep);
        }
    }
}

/// Parameters whose arguments are one value, or the parameter itself. The value must be defined
/// where it dominates the block: one that enters a loop does.
fn single_valued_params(func: &Function) -> Vec<(Block, Value, Value)> {
    let cfg = Cfg::compute(func);
    let dom = DomTree::compute(&cfg);
    let mut home: HashMap<Value, Block> = HashMap::new();
    for &block in &func.layout {
        func.blocks[block].params.iter().for_each(|v| {
            home.insert(*v, block);
        });
        for &inst in &func.blocks[block].insts {
            func.insts[inst].results.iter().for_each(|v| {
                home.insert(*v, block);
            });
        }
    }
    let mut found = Vec::new();
    for &block in cfg.rpo() {
        for (n, &param) in func.blocks[block].params.iter().enumerate() {
            let mut only: Option<Value> = None;
            let mut several = false;
            for &pred in cfg.preds(block) {
                let Some(term) = func.terminator(pred) else {
                    continue;
                };
                for call in func.insts[term].targets.iter().filter(|c| c.block == block) {
                    let arg = call.args[n];
                    several |= arg != param && only.is_some_and(|v| v != arg);
                    if arg != param {
                        only = Some(arg);
                    }
                }
            }
            let Some(value) = only.filter(|_| !several) else {
                continue;
            };
            let reaches = match func.values[value].def {
                ValueDef::Arg(_) | ValueDef::Const(_) => true,
                ValueDef::BlockParam(..) | ValueDef::Result(..) => home
                    .get(&value)
                    .is_some_and(|h| *h != block && dom.dominates(*h, block)),
            };
            // One at a time where a chain of parameters stands for one value.
            let is_target = found.iter().any(|(_, p, _)| *p == value);
            if reaches && !is_target {
                found.push((block, param, value));
            }
        }
    }
    found
}
