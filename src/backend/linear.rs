//! An order of the blocks for a machine whose lanes share one program counter, and which blocks may
//! have lanes waiting for them at each point of it.
//!
//! In the order every edge goes forward, but for those to the header of a loop around their source;
//! such an edge goes to the loop's *latch*, a place behind the loop's last block, from where the wave
//! jumps back to the header. Loops are strongly connected components, found recursively, so any
//! graph has such an order; in an irreducible component one entry is taken as the header and the
//! others are reached by going forward.
//!
//! Where a branch sends lanes to several places, the wave goes on at the first of them in the order
//! and the others wait. [`Plan::waiting`] is the set of places that may have waiting lanes when a place
//! runs: the least fixpoint over all ways into it. (After Moll and Hack, "Partial Control-Flow
//! Linearization", PLDI 2018.)

use std::collections::BTreeSet;

/// A place in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// A block.
    Block(usize),
    /// Behind the loop with this header.
    Latch(usize),
}

/// The order.
#[derive(Clone, Debug)]
pub struct Order {
    /// Places in order.
    pub nodes: Vec<Node>,
    /// Place of each reachable block.
    pub node_of: Vec<Option<usize>>,
    /// Place of the latch of each header.
    pub latch_of: Vec<Option<usize>>,
}

impl Order {
    /// Orders the blocks reachable from block 0 of a graph given by successors.
    pub fn compute(succs: &[Vec<usize>]) -> Order {
        let rpo = reverse_post_order(succs);
        let mut rank = vec![usize::MAX; succs.len()];
        rpo.iter().enumerate().for_each(|(n, &b)| rank[b] = n);
        let mut order = Order {
            nodes: Vec::new(),
            node_of: vec![None; succs.len()],
            latch_of: vec![None; succs.len()],
        };
        let mut headers = vec![false; succs.len()];
        order.place(succs, &rpo, &rank, &mut headers);
        for (n, node) in order.nodes.iter().enumerate() {
            match *node {
                Node::Block(b) => order.node_of[b] = Some(n),
                Node::Latch(h) => order.latch_of[h] = Some(n),
            }
        }
        order
    }

    /// Places a set of blocks; edges to blocks marked as headers do not count.
    fn place(
        &mut self,
        succs: &[Vec<usize>],
        blocks: &[usize],
        rank: &[usize],
        headers: &mut [bool],
    ) {
        for component in components(succs, blocks, headers) {
            let looping = component.len() > 1
                || succs[component[0]].contains(&component[0]) && !headers[component[0]];
            if !looping {
                self.nodes.push(Node::Block(component[0]));
                continue;
            }
            let mut inside = component;
            inside.sort_by_key(|b| rank[*b]);
            // The entries of the component come before its other blocks in reverse post-order.
            let header = inside[0];
            headers[header] = true;
            self.place(succs, &inside, rank, headers);
            self.nodes.push(Node::Latch(header));
        }
    }

    /// The place that an edge from block `from` to block `to` goes to.
    pub fn target(&self, from: usize, to: usize) -> Option<usize> {
        let (source, dest) = (self.node_of[from]?, self.node_of[to]?);
        if dest > source {
            Some(dest)
        } else {
            self.latch_of[to]
        }
    }
}

fn reverse_post_order(succs: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; succs.len()];
    let mut out = Vec::new();
    let mut stack: Vec<(usize, usize)> = Vec::new();
    if !succs.is_empty() {
        seen[0] = true;
        stack.push((0, 0));
    }
    while let Some((block, next)) = stack.pop() {
        // Last successor first, so that the first one follows its block.
        match succs[block].iter().rev().nth(next) {
            Some(&succ) => {
                stack.push((block, next + 1));
                if !seen[succ] {
                    seen[succ] = true;
                    stack.push((succ, 0));
                }
            }
            None => out.push(block),
        }
    }
    out.reverse();
    out
}

/// Strongly connected components in topological order (Tarjan's algorithm, without recursion).
fn components(succs: &[Vec<usize>], blocks: &[usize], headers: &[bool]) -> Vec<Vec<usize>> {
    let member: BTreeSet<usize> = blocks.iter().copied().collect();
    // The component's own header was marked before its inside is placed: edges to it are cut.
    let next = |b: usize| {
        succs[b]
            .iter()
            .rev()
            .copied()
            .filter(|s| member.contains(s) && !headers[*s])
            .collect::<Vec<_>>()
    };
    let mut index: Vec<Option<usize>> = vec![None; succs.len()];
    let mut low = vec![0usize; succs.len()];
    let mut on_stack = vec![false; succs.len()];
    let mut stack = Vec::new();
    let mut found = Vec::new();
    let mut count = 0;
    for &root in blocks.iter().rev() {
        if index[root].is_some() {
            continue;
        }
        let mut work = vec![(root, next(root), 0usize)];
        while let Some((block, list, at)) = work.pop() {
            if at == 0 {
                index[block] = Some(count);
                low[block] = count;
                count += 1;
                stack.push(block);
                on_stack[block] = true;
            }
            if let Some(&succ) = list.get(at) {
                work.push((block, list, at + 1));
                match index[succ] {
                    None => work.push((succ, next(succ), 0)),
                    Some(i) if on_stack[succ] => low[block] = low[block].min(i),
                    Some(_) => {}
                }
                continue;
            }
            if index[block] == Some(low[block]) {
                let mut component = Vec::new();
                while let Some(top) = stack.pop() {
                    on_stack[top] = false;
                    component.push(top);
                    if top == block {
                        break;
                    }
                }
                found.push(component);
            }
            if let Some((parent, _, _)) = work.last() {
                low[*parent] = low[*parent].min(low[block]);
            }
        }
    }
    found.reverse();
    found
}

/// How many loops lie around each block.
pub fn loop_depths(succs: &[Vec<usize>]) -> Vec<u32> {
    let order = Order::compute(succs);
    let mut depths = vec![0; succs.len()];
    for (n, node) in order.nodes.iter().enumerate() {
        let Node::Latch(header) = node else { continue };
        let first = order.node_of[*header].unwrap_or(n);
        for inside in &order.nodes[first..n] {
            if let Node::Block(block) = inside {
                depths[*block] += 1;
            }
        }
    }
    depths
}

/// How a block ends, over places of the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All lanes go to one of these places, the same for all: one entry a possible outcome.
    Uniform(Vec<usize>),
    /// Each lane goes to one of two places.
    Divergent(usize, usize),
    /// The lanes end.
    End,
    /// Back to a loop's header.
    Back(usize),
}

/// Which places may have waiting lanes.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How each place ends.
    pub exits: Vec<Exit>,
    /// By place: those that may have lanes waiting while it runs.
    pub waiting: Vec<BTreeSet<usize>>,
}

impl Plan {
    /// Computes the sets.
    pub fn compute(exits: Vec<Exit>) -> Plan {
        let mut plan = Plan {
            waiting: vec![BTreeSet::new(); exits.len()],
            exits,
        };
        while plan.round() {}
        plan
    }

    /// Adds to the waiting set of where the wave goes on with `open` places having lanes; then, since
    /// a place may turn out to have none, to that of each later one.
    fn flow(&mut self, mut open: BTreeSet<usize>) -> bool {
        let mut changed = false;
        while let Some(next) = open.pop_first() {
            let before = self.waiting[next].len();
            self.waiting[next].extend(&open);
            changed |= self.waiting[next].len() != before;
        }
        changed
    }

    fn round(&mut self) -> bool {
        let mut changed = false;
        for node in 0..self.exits.len() {
            let base = self.waiting[node].clone();
            // The place may turn out to have no lanes itself.
            changed |= self.flow(base.clone());
            match self.exits[node].clone() {
                Exit::Uniform(targets) => {
                    for target in targets {
                        let mut open = base.clone();
                        open.insert(target);
                        changed |= self.flow(open);
                    }
                }
                Exit::Divergent(yes, no) => {
                    let mut open = base;
                    open.extend([yes, no]);
                    changed |= self.flow(open);
                }
                Exit::End => changed |= self.flow(base),
                Exit::Back(header) => {
                    let before = self.waiting[header].len();
                    self.waiting[header].extend(&base);
                    changed |= self.waiting[header].len() != before;
                }
            }
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(order: &Order) -> Vec<Node> {
        order.nodes.clone()
    }

    #[test]
    fn loops_are_contiguous_and_end_in_a_latch() {
        // 0 -> 1; 1 -> 2, 3; 2 -> 1; 3
        let order = Order::compute(&[vec![1], vec![2, 3], vec![1], vec![]]);
        assert_eq!(
            blocks(&order),
            [
                Node::Block(0),
                Node::Block(1),
                Node::Block(2),
                Node::Latch(1),
                Node::Block(3)
            ]
        );
        assert_eq!(order.target(2, 1), Some(3));
        assert_eq!(order.target(1, 3), Some(4));
    }

    #[test]
    fn irreducible_graphs_have_an_order_with_forward_edges() {
        // 0 -> 1, 2; 1 -> 2, 3; 2 -> 1, 3
        let succs = [vec![1, 2], vec![2, 3], vec![1, 3], vec![]];
        let order = Order::compute(&succs);
        for (from, list) in succs.iter().enumerate() {
            for &to in list {
                let target = order.target(from, to).unwrap();
                assert!(target > order.node_of[from].unwrap());
            }
        }
    }

    #[test]
    fn the_far_side_of_a_divergent_branch_waits() {
        // 0: divergent 1, 2; 1 -> 2; 2 ends
        let plan = Plan::compute(vec![
            Exit::Divergent(1, 2),
            Exit::Uniform(vec![2]),
            Exit::End,
        ]);
        assert_eq!(plan.waiting[1], BTreeSet::from([2]));
        assert!(plan.waiting[2].is_empty());
    }
}
