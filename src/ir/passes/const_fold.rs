//! Computes pure instructions of constants with the evaluator's scalar function, and turns branches
//! on constants into plain ones.
//!
//! ```text
//!   %a = add.u32 2, 3          uses of %a use 5
//!   brc true, x, y       =>    br x
//! ```

use std::collections::HashMap;

use super::edges::replace_values;
use super::{Changed, PassCtx};
use crate::ir::entity::Value;
use crate::ir::eval::scalar::evaluate;
use crate::ir::func::Function;
use crate::ir::opcode::Opcode;

/// Runs the pass.
pub fn run(func: &mut Function, ctx: &mut PassCtx) -> Changed {
    let mut folded = 0;
    let mut branches = 0;
    let mut map: HashMap<Value, Value> = HashMap::new();
    for block in func.layout.clone() {
        let mut kept = Vec::new();
        for inst in func.blocks[block].insts.clone() {
            for n in 0..func.insts[inst].args.len() {
                let arg = func.insts[inst].args[n];
                if let Some(&value) = map.get(&arg) {
                    func.insts[inst].args[n] = value;
                }
            }
            let data = &func.insts[inst];
            let args: Option<Vec<u64>> = data.args.iter().map(|a| func.as_const(*a)).collect();
            let pure = data.op.flags().is_pure();
            let result = match (&args, data.results.as_slice()) {
                (Some(args), [result]) if pure && data.op != Opcode::SReg => {
                    let width = data.args.first().map_or(0, |a| func.ty(*a).bits());
                    evaluate(data.op, &data.attrs, args, width).map(|bits| (*result, bits))
                }
                _ => None,
            };
            match result {
                Some((result, bits)) => {
                    let ty = func.ty(result);
                    let constant = func.constant(ty, bits);
                    map.insert(result, constant);
                    folded += 1;
                }
                None => kept.push(inst),
            }
        }
        func.blocks[block].insts = kept;
        branches += fold_branch(func, block);
    }
    replace_values(func, &map);
    ctx.count("instructions folded", folded);
    ctx.count("branches folded", branches);
    folded > 0 || branches > 0
}

fn fold_branch(func: &mut Function, block: crate::ir::entity::Block) -> u64 {
    let Some(term) = func.terminator(block) else {
        return 0;
    };
    let data = &func.insts[term];
    if data.op != Opcode::Brc {
        return 0;
    }
    let Some(truth) = func.as_const(data.args[0]) else {
        return 0;
    };
    let taken = data.targets[usize::from(truth == 0)].clone();
    let data = &mut func.insts[term];
    data.op = Opcode::Br;
    data.args.clear();
    data.targets.clear();
    data.targets.push(taken);
    1
}
