//! Natural loops, their nesting, and the irreducible regions that are none.
//!
//! A back edge goes to a block that dominates its source. The natural loop of a header is the header
//! with all blocks that reach one of its back edges without passing it; back edges to one header are
//! one loop. An edge that goes backwards in reverse post-order to a block that does not dominate its
//! source enters a cycle with several entries: an irreducible region, reported as the strongly
//! connected component that holds the edge.

use super::cfg::Cfg;
use super::dom::DomTree;
use super::entity::{Block, Entity};

/// Index of a loop in [`Loops`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoopId(pub u32);

/// One natural loop.
#[derive(Clone, Debug)]
pub struct LoopData {
    /// The block that dominates all others of the loop.
    pub header: Block,
    /// All blocks, header first, the others in reverse post-order.
    pub blocks: Vec<Block>,
    /// Sources of the back edges.
    pub latches: Vec<Block>,
    /// Edges that leave the loop: from, to.
    pub exits: Vec<(Block, Block)>,
    /// The smallest loop around this one.
    pub parent: Option<LoopId>,
    /// 1 for an outermost loop.
    pub depth: u32,
}

/// The loops of a function.
#[derive(Clone, Debug)]
pub struct Loops {
    loops: Vec<LoopData>,
    innermost: Vec<Option<LoopId>>,
    irreducible: Vec<Vec<Block>>,
}

impl Loops {
    /// Finds all loops of the reachable blocks.
    pub fn compute(cfg: &Cfg, dom: &DomTree) -> Loops {
        let mut found = Loops {
            loops: Vec::new(),
            innermost: vec![None; cfg.block_count()],
            irreducible: irreducible_regions(cfg, dom),
        };
        // Outer headers come first in reverse post-order, so parents exist before children.
        for &header in cfg.rpo() {
            let is_latch = |p: &&Block| dom.dominates(header, **p);
            let mut latches: Vec<_> = cfg.preds(header).iter().filter(is_latch).copied().collect();
            latches.dedup();
            if !latches.is_empty() {
                found.add(cfg, header, latches);
            }
        }
        found
    }

    fn add(&mut self, cfg: &Cfg, header: Block, latches: Vec<Block>) {
        let mut inside = vec![false; cfg.block_count()];
        inside[header.index()] = true;
        let mut stack = latches.clone();
        while let Some(block) = stack.pop() {
            if !std::mem::replace(&mut inside[block.index()], true) {
                stack.extend_from_slice(cfg.preds(block));
            }
        }
        let blocks: Vec<_> = cfg
            .rpo()
            .iter()
            .copied()
            .filter(|b| inside[b.index()])
            .collect();
        let exits = blocks
            .iter()
            .flat_map(|&b| cfg.succs(b).iter().map(move |&s| (b, s)))
            .filter(|(_, to)| !inside[to.index()])
            .collect();
        let parent = self.innermost[header.index()];
        let id = LoopId(self.loops.len() as u32);
        for block in &blocks {
            self.innermost[block.index()] = Some(id);
        }
        self.loops.push(LoopData {
            header,
            blocks,
            latches,
            exits,
            parent,
            depth: parent.map_or(1, |p| self.get(p).depth + 1),
        });
    }

    /// One loop.
    pub fn get(&self, id: LoopId) -> &LoopData {
        &self.loops[id.0 as usize]
    }

    /// All loops, outer ones before those inside them.
    pub fn iter(&self) -> impl Iterator<Item = (LoopId, &LoopData)> {
        self.loops
            .iter()
            .enumerate()
            .map(|(n, l)| (LoopId(n as u32), l))
    }

    /// The smallest loop that holds the block.
    pub fn innermost(&self, block: Block) -> Option<LoopId> {
        self.innermost.get(block.index()).copied().flatten()
    }

    /// The loops around a block, innermost first.
    pub fn around(&self, block: Block) -> impl Iterator<Item = LoopId> + '_ {
        std::iter::successors(self.innermost(block), |id| self.get(*id).parent)
    }

    /// Whether the loop holds the block.
    pub fn contains(&self, id: LoopId, block: Block) -> bool {
        self.around(block).any(|l| l == id)
    }

    /// Nesting depth of a block; 0 outside all loops.
    pub fn depth(&self, block: Block) -> u32 {
        self.innermost(block).map_or(0, |id| self.get(id).depth)
    }

    /// The blocks of each irreducible region.
    pub fn irreducible(&self) -> &[Vec<Block>] {
        &self.irreducible
    }
}

/// Strongly connected components that hold a retreating edge which is no back edge.
fn irreducible_regions(cfg: &Cfg, dom: &DomTree) -> Vec<Vec<Block>> {
    let mut regions: Vec<Vec<Block>> = Vec::new();
    for &from in cfg.rpo() {
        for &to in cfg.succs(from) {
            let retreats = cfg.rpo_index(to) <= cfg.rpo_index(from);
            if !retreats || dom.dominates(to, from) || regions.iter().any(|r| r.contains(&to)) {
                continue;
            }
            let forward = reach(cfg.block_count(), to, |b| cfg.succs(b));
            let backward = reach(cfg.block_count(), to, |b| cfg.preds(b));
            let both = |b: &Block| forward[b.index()] && backward[b.index()];
            regions.push(cfg.rpo().iter().copied().filter(both).collect());
        }
    }
    regions
}

fn reach<'a>(count: usize, from: Block, next: impl Fn(Block) -> &'a [Block]) -> Vec<bool> {
    let mut seen = vec![false; count];
    let mut stack = vec![from];
    while let Some(block) = stack.pop() {
        if !std::mem::replace(&mut seen[block.index()], true) {
            stack.extend_from_slice(next(block));
        }
    }
    seen
}
