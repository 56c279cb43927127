//! SSA construction: variables become values and block parameters.
//!
//! ```text
//!   var.set $i, 0                      br head(0)
//!   br head                            head(%i: i32):
//! head:                       =>         ...
//!   %i = var.get $i                      br head(%n)
//!   ...
//!   var.set $i, %n
//!   br head
//! ```
//!
//! The algorithm is that of Braun et al., "Simple and Efficient Construction of Static Single
//! Assignment Form" (CC 2013), with blocks sealed once all predecessors are known, which here is from
//! the start: a block with several predecessors gets a parameter when a variable is read in it
//! before it is written, and its arguments are filled in afterwards. Parameters that turn out to be
//! one value are left to `copy-prop`.

use std::collections::HashMap;

use super::edges::replace_values;
use super::{Changed, PassCtx};
use crate::ir::cfg::Cfg;
use crate::ir::entity::{Block, Value, Var};
use crate::ir::func::Function;
use crate::ir::opcode::{Flags, Opcode};

struct Builder<'f> {
    func: &'f mut Function,
    cfg: Cfg,
    /// Value of a variable at the end of a block.
    at_end: HashMap<(Block, Var), Value>,
    /// Value of a variable at the start of a block.
    at_start: HashMap<(Block, Var), Value>,
    /// Parameters whose arguments are missing.
    pending: Vec<(Block, Var, Value)>,
}

/// Runs the pass.
pub fn run(func: &mut Function, ctx: &mut PassCtx) -> Changed {
    if func.layout.is_empty() {
        return false;
    }
    let cfg = Cfg::compute(func);
    let unreachable = func
        .layout
        .iter()
        .filter(|b| !cfg.is_reachable(**b))
        .count();
    func.layout.retain(|b| cfg.is_reachable(*b));
    let mut builder = Builder {
        func,
        cfg,
        at_end: HashMap::new(),
        at_start: HashMap::new(),
        pending: Vec::new(),
    };
    let removed = builder.replace_accesses();
    let params = builder.pending.len() as u64;
    ctx.count("accesses removed", removed);
    ctx.count("parameters made", params);
    removed > 0 || unreachable > 0
}

impl Builder<'_> {
    /// Replaces reads by values and drops all accesses, block by block.
    fn replace_accesses(&mut self) -> u64 {
        let mut removed = 0;
        let mut map: HashMap<Value, Value> = HashMap::new();
        // Writes first: a read in another block needs the last value of its predecessors. A read
        // that is written again stands for its own replacement, resolved through the map.
        let mut reads: Vec<(Block, Var, Value)> = Vec::new();
        for block in self.cfg.rpo().to_vec() {
            let mut current: HashMap<Var, Value> = HashMap::new();
            let insts = self.func.blocks[block].insts.clone();
            let mut kept = Vec::with_capacity(insts.len());
            for inst in insts {
                let data = &self.func.insts[inst];
                if !data.op.flags().has(Flags::VAR) {
                    kept.push(inst);
                    continue;
                }
                removed += 1;
                let Some(var) = data.attrs.var else { continue };
                if data.op == Opcode::VarSet {
                    let value = data.args[0];
                    self.name_after(value, var);
                    current.insert(var, value);
                } else {
                    let result = data.results[0];
                    match current.get(&var) {
                        Some(&value) => {
                            map.insert(result, value);
                        }
                        None => reads.push((block, var, result)),
                    }
                }
            }
            self.func.blocks[block].insts = kept;
            for (var, value) in current {
                self.at_end.insert((block, var), value);
            }
        }
        for (block, var, result) in reads {
            let value = self.read_start(block, var);
            map.insert(result, value);
        }
        self.fill_pending();
        self.fill_arguments();
        // A read in a loop that only it reads stands for itself: nothing uses it.
        let cyclic: Vec<Value> = map
            .iter()
            .filter(|(a, b)| a == b)
            .map(|(a, _)| *a)
            .collect();
        map.retain(|from, _| !cyclic.contains(from));
        replace_values(self.func, &map);
        removed
    }

    /// Values without a name take the variable's, so that reports can speak of it.
    fn name_after(&mut self, value: Value, var: Var) {
        let is_const = self.func.as_const(value).is_some();
        let name = self.func.vars[var].name.clone();
        let data = &mut self.func.values[value];
        if data.name.is_none() && !is_const {
            data.name = Some(name);
        }
    }

    fn read_end(&mut self, block: Block, var: Var) -> Value {
        match self.at_end.get(&(block, var)) {
            Some(&value) => value,
            None => self.read_start(block, var),
        }
    }

    /// The value at the start of a block. Walks up single predecessors without recursion, so that a
    /// long chain of blocks needs no stack.
    fn read_start(&mut self, block: Block, var: Var) -> Value {
        let mut chain = Vec::new();
        let mut at = block;
        let value = loop {
            if let Some(&value) = self.at_start.get(&(at, var)) {
                break value;
            }
            chain.push(at);
            let preds = self.cfg.preds(at);
            match preds {
                [] => {
                    let ty = self.func.vars[var].ty;
                    break self.func.constant(ty, 0);
                }
                [one] => {
                    let pred = *one;
                    if let Some(&value) = self.at_end.get(&(pred, var)) {
                        break value;
                    }
                    at = pred;
                }
                _ => {
                    let data = &self.func.vars[var];
                    let (ty, name) = (data.ty, data.name.clone());
                    let param = self.func.add_block_param(at, ty);
                    self.func.values[param].name = Some(name);
                    self.pending.push((at, var, param));
                    break param;
                }
            }
        };
        for block in chain {
            self.at_start.insert((block, var), value);
        }
        value
    }

    /// Reads what predecessors pass to the parameters; that may make more parameters.
    fn fill_pending(&mut self) {
        let mut next = 0;
        while next < self.pending.len() {
            let (block, var, _) = self.pending[next];
            next += 1;
            for pred in self.cfg.preds(block).to_vec() {
                self.read_end(pred, var);
            }
        }
    }

    /// Appends the arguments of new parameters to all branches, in the order of the parameters.
    fn fill_arguments(&mut self) {
        for (block, var, _) in self.pending.clone() {
            let mut preds = self.cfg.preds(block).to_vec();
            preds.sort();
            preds.dedup();
            for pred in preds {
                let value = self.read_end(pred, var);
                let Some(term) = self.func.terminator(pred) else {
                    continue;
                };
                for call in &mut self.func.insts[term].targets {
                    if call.block == block {
                        call.args.push(value);
                    }
                }
            }
        }
    }
}
