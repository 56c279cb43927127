//! The control flow graph of a function: successors, predecessors and an order of its blocks.
//!
//! Only blocks that the entry reaches are part of the graph. Edges keep their multiplicity: a `brc`
//! with twice the same target is two edges.

use smallvec::SmallVec;

use super::entity::{Block, Entity};
use super::func::Function;

/// Blocks of a small degree.
pub type BlockList = SmallVec<[Block; 2]>;

/// The graph of one function. It is a snapshot: a pass that changes edges computes it again.
#[derive(Clone, Debug)]
pub struct Cfg {
    succs: Vec<BlockList>,
    preds: Vec<BlockList>,
    rpo: Vec<Block>,
    rpo_index: Vec<Option<u32>>,
}

impl Cfg {
    /// Computes the graph. The function needs at least one block; a block without a terminator has no
    /// successors.
    pub fn compute(func: &Function) -> Cfg {
        let count = func.blocks.len();
        let mut succs = vec![BlockList::new(); count];
        for (block, _) in func.blocks.iter() {
            succs[block.index()] = func.successors(block).collect();
        }
        let rpo = reverse_post_order(&succs, func.layout.first().copied());
        let mut rpo_index = vec![None; count];
        let mut preds = vec![BlockList::new(); count];
        for (n, &block) in rpo.iter().enumerate() {
            rpo_index[block.index()] = Some(n as u32);
        }
        for &block in &rpo {
            for succ in &succs[block.index()] {
                preds[succ.index()].push(block);
            }
        }
        Cfg {
            succs,
            preds,
            rpo,
            rpo_index,
        }
    }

    /// Successors of a block in order, one an edge.
    pub fn succs(&self, block: Block) -> &[Block] {
        &self.succs[block.index()]
    }

    /// Reachable predecessors of a block, one an edge.
    pub fn preds(&self, block: Block) -> &[Block] {
        &self.preds[block.index()]
    }

    /// Reachable blocks in reverse post-order; the entry comes first.
    pub fn rpo(&self) -> &[Block] {
        &self.rpo
    }

    /// A block's place in [`Cfg::rpo`]; `None` where it is unreachable.
    pub fn rpo_index(&self, block: Block) -> Option<u32> {
        self.rpo_index.get(block.index()).copied().flatten()
    }

    /// Whether the entry reaches the block.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.rpo_index(block).is_some()
    }

    /// Number of blocks of the function, unreachable ones included: the size of per-block tables.
    pub fn block_count(&self) -> usize {
        self.succs.len()
    }
}

/// Depth-first search with an explicit stack; the first successor is walked first.
fn reverse_post_order(succs: &[BlockList], entry: Option<Block>) -> Vec<Block> {
    let mut seen = vec![false; succs.len()];
    let mut post = Vec::new();
    let mut stack: Vec<(Block, usize)> = Vec::new();
    if let Some(entry) = entry {
        seen[entry.index()] = true;
        stack.push((entry, 0));
    }
    while let Some((block, next)) = stack.last_mut() {
        // Walking successors from the last one puts the first one earlier in the reversed order.
        let list = &succs[block.index()];
        match list.len().checked_sub(*next + 1) {
            Some(n) => {
                *next += 1;
                let succ = list[n];
                if succ.index() < seen.len() && !std::mem::replace(&mut seen[succ.index()], true) {
                    stack.push((succ, 0));
                }
            }
            None => {
                post.push(*block);
                stack.pop();
            }
        }
    }
    post.reverse();
    post
}
