//! Dominators, post-dominators and dominance frontiers.
//!
//! Algorithm: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001). Post-dominators
//! run the same algorithm on the reversed graph with a virtual exit behind every block that leaves the
//! function. Blocks that never reach an exit (endless loops) are given an edge to the virtual exit, one
//! for each such region, so that every reachable block has a post-dominator.

use super::cfg::Cfg;
use super::entity::{Block, Entity};

/// The tree of a generic rooted graph, nodes numbered from 0.
#[derive(Clone, Debug)]
struct Tree {
    /// Immediate dominator; the root's is itself, unreached nodes have none.
    idom: Vec<Option<usize>>,
    /// Place in a pre-order walk of the tree and the last place below the node.
    range: Vec<(u32, u32)>,
    children: Vec<Vec<usize>>,
    preorder: Vec<usize>,
}

impl Tree {
    fn compute(succs: &[Vec<usize>], root: usize) -> Tree {
        let order = post_order(succs, root);
        let mut number = vec![None; succs.len()];
        for (n, &node) in order.iter().enumerate() {
            number[node] = Some(n);
        }
        let mut preds = vec![Vec::new(); succs.len()];
        for &node in &order {
            succs[node].iter().for_each(|&s| preds[s].push(node));
        }
        let mut idom: Vec<Option<usize>> = vec![None; succs.len()];
        idom[root] = Some(root);
        let mut changed = true;
        while changed {
            changed = false;
            for &node in order.iter().rev().filter(|&&n| n != root) {
                let mut new = None;
                for &pred in preds[node].iter().filter(|&&p| idom[p].is_some()) {
                    new = Some(new.map_or(pred, |other| intersect(&idom, &number, pred, other)));
                }
                if idom[node] != new {
                    idom[node] = new;
                    changed = true;
                }
            }
        }
        Tree::with_order(idom, root)
    }

    fn with_order(idom: Vec<Option<usize>>, root: usize) -> Tree {
        let mut children = vec![Vec::new(); idom.len()];
        for (node, parent) in idom.iter().enumerate() {
            if let Some(parent) = parent.filter(|_| node != root) {
                children[parent].push(node);
            }
        }
        let mut range = vec![(0, 0); idom.len()];
        let mut preorder = Vec::new();
        let mut stack = vec![(root, false)];
        while let Some((node, done)) = stack.pop() {
            if done {
                range[node].1 = preorder.len() as u32 - 1;
                continue;
            }
            range[node].0 = preorder.len() as u32;
            preorder.push(node);
            stack.push((node, true));
            stack.extend(children[node].iter().rev().map(|&c| (c, false)));
        }
        Tree {
            idom,
            range,
            children,
            preorder,
        }
    }

    fn is_known(&self, node: usize) -> bool {
        self.idom.get(node).copied().flatten().is_some()
    }

    fn dominates(&self, a: usize, b: usize) -> bool {
        if !self.is_known(a) || !self.is_known(b) {
            return false;
        }
        (self.range[a].0..=self.range[a].1).contains(&self.range[b].0)
    }
}

/// The nearest common ancestor of two nodes; `number` is the post-order number.
fn intersect(idom: &[Option<usize>], number: &[Option<usize>], a: usize, b: usize) -> usize {
    let (mut a, mut b) = (a, b);
    while a != b {
        while number[a] < number[b] {
            a = idom[a].expect("walked nodes have a dominator");
        }
        while number[b] < number[a] {
            b = idom[b].expect("walked nodes have a dominator");
        }
    }
    a
}

fn post_order(succs: &[Vec<usize>], root: usize) -> Vec<usize> {
    let mut seen = vec![false; succs.len()];
    let mut order = Vec::new();
    let mut stack = vec![(root, 0)];
    seen[root] = true;
    while let Some((node, next)) = stack.last_mut() {
        match succs[*node].get(*next) {
            Some(&succ) => {
                *next += 1;
                if !std::mem::replace(&mut seen[succ], true) {
                    stack.push((succ, 0));
                }
            }
            None => {
                order.push(*node);
                stack.pop();
            }
        }
    }
    order
}

/// The dominator tree of a function.
#[derive(Clone, Debug)]
pub struct DomTree {
    tree: Tree,
}

impl DomTree {
    /// Computes the tree of the reachable blocks.
    pub fn compute(cfg: &Cfg) -> DomTree {
        let mut succs = vec![Vec::new(); cfg.block_count()];
        for &block in cfg.rpo() {
            succs[block.index()] = cfg.succs(block).iter().map(|s| s.index()).collect();
        }
        let root = cfg.rpo().first().map_or(0, |b| b.index());
        DomTree {
            tree: Tree::compute(&succs, root),
        }
    }

    /// The immediate dominator; `None` for the entry and unreachable blocks.
    pub fn idom(&self, block: Block) -> Option<Block> {
        let parent = self.tree.idom.get(block.index()).copied().flatten()?;
        (parent != block.index()).then(|| Block::new(parent))
    }

    /// Whether every path from the entry to `b` passes `a`; a block dominates itself. False where one
    /// of them is unreachable.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        self.tree.dominates(a.index(), b.index())
    }

    /// The blocks whose immediate dominator this is.
    pub fn children(&self, block: Block) -> impl Iterator<Item = Block> + '_ {
        self.tree.children[block.index()]
            .iter()
            .map(|&n| Block::new(n))
    }

    /// Reachable blocks, parents before children.
    pub fn preorder(&self) -> impl Iterator<Item = Block> + '_ {
        self.tree.preorder.iter().map(|&n| Block::new(n))
    }

    /// The dominance frontier of every block: where its dominance ends.
    pub fn frontiers(&self, cfg: &Cfg) -> Vec<Vec<Block>> {
        let mut frontiers: Vec<Vec<Block>> = vec![Vec::new(); cfg.block_count()];
        for &join in cfg.rpo().iter().filter(|b| cfg.preds(**b).len() > 1) {
            for &pred in cfg.preds(join) {
                let mut runner = Some(pred);
                while let Some(block) = runner.filter(|b| Some(*b) != self.idom(join)) {
                    let frontier = &mut frontiers[block.index()];
                    if !frontier.contains(&join) {
                        frontier.push(join);
                    }
                    runner = self.idom(block);
                }
            }
        }
        frontiers
    }
}

/// The post-dominator tree of a function.
#[derive(Clone, Debug)]
pub struct PostDomTree {
    tree: Tree,
    exit: usize,
}

impl PostDomTree {
    /// Computes the tree of the reachable blocks.
    pub fn compute(cfg: &Cfg) -> PostDomTree {
        let exit = cfg.block_count();
        let mut reversed = vec![Vec::new(); exit + 1];
        for &block in cfg.rpo() {
            reversed[block.index()] = cfg.preds(block).iter().map(|p| p.index()).collect();
            if cfg.succs(block).is_empty() {
                reversed[exit].push(block.index());
            }
        }
        let mut reached = vec![false; exit + 1];
        mark(&reversed, exit, &mut reached);
        // The last block of an endless region stands for its exit.
        for &block in cfg.rpo().iter().rev() {
            if !reached[block.index()] {
                reversed[exit].push(block.index());
                mark(&reversed, block.index(), &mut reached);
            }
        }
        PostDomTree {
            tree: Tree::compute(&reversed, exit),
            exit,
        }
    }

    /// The immediate post-dominator; `None` where that is the end of the function.
    pub fn ipdom(&self, block: Block) -> Option<Block> {
        let parent = self.tree.idom.get(block.index()).copied().flatten()?;
        (parent != self.exit).then(|| Block::new(parent))
    }

    /// Whether every path from `b` to the end passes `a`; a block post-dominates itself.
    pub fn post_dominates(&self, a: Block, b: Block) -> bool {
        self.tree.dominates(a.index(), b.index())
    }
}

fn mark(succs: &[Vec<usize>], root: usize, reached: &mut [bool]) {
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            stack.extend(succs[node].iter().filter(|&&s| !reached[s]));
        }
    }
}
