//! Dead code elimination: removes instructions whose results nothing needs, and block parameters
//! that only feed such instructions.
//!
//! ```text
//!   %a = add.u32 %x, 1        (unused)      =>
//!   br b(%x)        b(%p: i32): ret         =>  br b       b: ret
//! ```
//!
//! Mark and sweep: what has an effect is live, and so is what live instructions use. A parameter is
//! live only if something live uses it; then the arguments for it are live too.

use std::collections::HashSet;

use super::{Changed, PassCtx};
use crate::ir::entity::{Block, Inst, Value};
use crate::ir::func::{Function, ValueDef};
use crate::ir::opcode::Flags;

/// Runs the pass.
pub fn run(func: &mut Function, ctx: &mut PassCtx) -> Changed {
    let (insts, values) = mark(func);
    let mut removed = 0;
    for block in func.layout.clone() {
        let before = func.blocks[block].insts.len();
        func.blocks[block].insts.retain(|i| insts.contains(i));
        removed += before - func.blocks[block].insts.len();
    }
    let params = sweep_params(func, &values);
    ctx.count("instructions removed", removed as u64);
    ctx.count("parameters removed", params);
    removed > 0 || params > 0
}

fn mark(func: &Function) -> (HashSet<Inst>, HashSet<Value>) {
    let mut insts: HashSet<Inst> = HashSet::new();
    let mut values: HashSet<Value> = HashSet::new();
    let mut work: Vec<Value> = Vec::new();
    // Branches into a block with the place of each argument list.
    let mut calls: Vec<(Block, Inst, usize)> = Vec::new();
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            if data.op.flags().has(Flags::EFFECT) {
                insts.insert(inst);
                work.extend(&data.args);
            }
            for (n, call) in data.targets.iter().enumerate() {
                calls.push((call.block, inst, n));
            }
        }
    }
    while let Some(value) = work.pop() {
        if !values.insert(value) {
            continue;
        }
        match func.values[value].def {
            ValueDef::Result(inst, _) => {
                if insts.insert(inst) {
                    work.extend(&func.insts[inst].args);
                }
            }
            ValueDef::BlockParam(block, n) => {
                for &(_, inst, at) in calls.iter().filter(|(b, _, _)| *b == block) {
                    work.extend(func.insts[inst].targets[at].args.get(n as usize));
                }
            }
            ValueDef::Arg(_) | ValueDef::Const(_) => {}
        }
    }
    (insts, values)
}

/// Removes the parameters that are not in `live`, with their arguments.
fn sweep_params(func: &mut Function, live: &HashSet<Value>) -> u64 {
    let mut removed = 0;
    for block in func.layout.clone() {
        let keep: Vec<bool> = func.blocks[block]
            .params
            .iter()
            .map(|p| live.contains(p))
            .collect();
        removed += remove_params(func, block, &keep);
    }
    removed
}

/// Keeps the parameters of a block for which `keep` holds.
pub(super) fn remove_params(func: &mut Function, block: Block, keep: &[bool]) -> u64 {
    let removed = keep.iter().filter(|k| !**k).count() as u64;
    if removed == 0 {
        return 0;
    }
    let mut flags = keep.iter();
    func.blocks[block]
        .params
        .retain(|_| *flags.next().unwrap_or(&true));
    for (n, param) in func.blocks[block].params.clone().into_iter().enumerate() {
        func.values[param].def = ValueDef::BlockParam(block, n as u32);
    }
    for source in func.layout.clone() {
        let Some(term) = func.terminator(source) else {
            continue;
        };
        for call in func.insts[term]
            .targets
            .iter_mut()
            .filter(|c| c.block == block)
        {
            let mut flags = keep.iter();
            call.args.retain(|_| *flags.next().unwrap_or(&true));
        }
    }
    removed
}
