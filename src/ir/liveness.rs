//! Liveness of SSA values: which values are needed at the start and the end of each block.
//!
//! Algorithm: backward walk from every use to its definition ("path exploration"; Boissinot et al.,
//! "Computing Liveness Sets for SSA-Form Programs", 2011). An argument of a block call is a use at the
//! end of the source block; a block parameter is defined at the start of its block and is not live-in.
//! Constants are never live: they have no place.

use std::collections::BTreeSet;

use super::cfg::Cfg;
use super::entity::{Block, Entity, Value};
use super::func::{Function, ValueDef};

/// Live values at block boundaries of the reachable blocks.
#[derive(Clone, Debug)]
pub struct Liveness {
    live_in: Vec<BTreeSet<Value>>,
    live_out: Vec<BTreeSet<Value>>,
}

impl Liveness {
    /// Computes liveness of a function in SSA form.
    pub fn compute(func: &Function, cfg: &Cfg) -> Liveness {
        let def_block = def_blocks(func);
        let mut live = Liveness {
            live_in: vec![BTreeSet::new(); cfg.block_count()],
            live_out: vec![BTreeSet::new(); cfg.block_count()],
        };
        for &block in cfg.rpo() {
            for &inst in &func.blocks[block].insts {
                let data = &func.insts[inst];
                for &arg in &data.args {
                    live.use_in(cfg, &def_block, func, block, arg);
                }
                for &arg in data.targets.iter().flat_map(|t| &t.args) {
                    if !matches!(func.values[arg].def, ValueDef::Const(_)) {
                        live.live_out[block.index()].insert(arg);
                        live.use_in(cfg, &def_block, func, block, arg);
                    }
                }
            }
        }
        live
    }

    /// Marks a value live from its definition to a use in `block`.
    fn use_in(
        &mut self,
        cfg: &Cfg,
        def_block: &[Option<Block>],
        func: &Function,
        block: Block,
        value: Value,
    ) {
        if matches!(func.values[value].def, ValueDef::Const(_)) {
            return;
        }
        let mut stack = vec![block];
        while let Some(block) = stack.pop() {
            let defined_here = def_block[value.index()] == Some(block);
            if defined_here || !self.live_in[block.index()].insert(value) {
                continue;
            }
            for &pred in cfg.preds(block) {
                self.live_out[pred.index()].insert(value);
                stack.push(pred);
            }
        }
    }

    /// Values live at the start of a block, its parameters excluded.
    pub fn live_in(&self, block: Block) -> &BTreeSet<Value> {
        &self.live_in[block.index()]
    }

    /// Values live at the end of a block: those live into a successor or passed to its parameters.
    pub fn live_out(&self, block: Block) -> &BTreeSet<Value> {
        &self.live_out[block.index()]
    }
}

/// The block that defines each value; `None` for constants, function arguments and values without a
/// place. Function arguments are live from the entry's start.
pub fn def_blocks(func: &Function) -> Vec<Option<Block>> {
    let mut blocks = vec![None; func.values.len()];
    for &block in &func.layout {
        for &param in &func.blocks[block].params {
            blocks[param.index()] = Some(block);
        }
        for &inst in &func.blocks[block].insts {
            for &result in &func.insts[inst].results {
                blocks[result.index()] = Some(block);
            }
        }
    }
    blocks
}
