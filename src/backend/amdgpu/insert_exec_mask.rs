//! Divergence lowering: logical terminators become code on EXEC and machine branches.
//!
//! ```text
//!   mb0: BR_DIVERGENT %m, mb1, mb2           mb0: s_andn2_b64 %w2, exec, %m     lanes of mb2 wait
//!   mb1: … BR mb2                     =>          s_and_b64 exec, exec, %m
//!   mb2: …                                        s_cbranch_execz enter2
//!                                            mb1: …
//!                                                 s_or_b64 %w2, %w2, exec       and those of mb1
//!                                         enter2: s_mov_b64 exec, %w2
//!                                                 s_cbranch_execz …
//!                                            mb2: …
//! ```
//!
//! The order of blocks and the sets of places with waiting lanes come from [`linear`]. A place with
//! waiting lanes has a mask register; lanes are added to it when a branch sends them there, and EXEC
//! is set from it when the wave gets there. A mask is written before it is read on every path: where
//! two paths meet of which only one has waiting lanes, the other one clears the mask.
//!
//! Invariant: **no block runs with EXEC = 0.** Scalar loads and scalar branches ignore EXEC, so a block
//! without lanes could fault or loop on values that no lane asked for. Each way into a block that may
//! bring no lane tests for it and goes on to the next place that may have some.
//!
//! [`linear`]: crate::backend::linear

use std::collections::BTreeSet;

use smallvec::SmallVec;

use crate::backend::linear::{Exit, Node, Order, Plan};
use crate::backend::mir::{MBlock, MFunction, MInst, MOp, MOperand, Pseudo, Stage, VReg, VRegData};
use crate::diag::Span;
use crate::isa::amdgpu::{op, regs};
use crate::isa::{Form, Mods, RegFile, RowId};

const EXEC: MOperand = MOperand::Phys(regs::EXEC_PAIR);

struct Lowering<'f> {
    mf: &'f mut MFunction,
    order: Order,
    plan: Plan,
    /// Mask register by place.
    masks: Vec<Option<VReg>>,
    /// Block that sets EXEC from the mask, by place.
    enters: Vec<Option<MBlock>>,
    /// Block that runs the place.
    bodies: Vec<MBlock>,
    /// Blocks made for edges, by the place they belong behind.
    edges: Vec<Vec<MBlock>>,
    /// Ends the wave.
    end: Option<MBlock>,
    span: Span,
}

/// Runs the step: `Selected` to `Linear`.
pub fn run(mf: &mut MFunction) {
    let succs: Vec<Vec<usize>> = logical_graph(mf);
    let order = Order::compute(&succs);
    let exits: Vec<Exit> = order
        .nodes
        .iter()
        .map(|n| exit_of(mf, &order, *n))
        .collect();
    let plan = Plan::compute(exits);
    let count = order.nodes.len();
    let bodies = order.nodes.iter().map(|n| body_of(mf, *n)).collect();
    let mut lowering = Lowering {
        mf,
        order,
        plan,
        masks: vec![None; count],
        enters: vec![None; count],
        bodies,
        edges: vec![Vec::new(); count],
        end: None,
        span: Span::NONE,
    };
    for node in 0..count {
        lowering.lower(node);
    }
    lowering.finish();
}

/// Blocks by index with the entry moved to the front: index 0 is the entry.
fn logical_graph(mf: &MFunction) -> Vec<Vec<usize>> {
    mf.blocks
        .iter()
        .map(|b| b.logical_succs.iter().map(|s| s.0 as usize).collect())
        .collect()
}

fn terminator(mf: &MFunction, block: usize) -> Option<(Pseudo, SmallVec<[MOperand; 5]>)> {
    let last = mf.blocks[block].insts.last()?;
    match last.op {
        MOp::Pseudo(pseudo) => Some((pseudo, last.operands.clone())),
        MOp::Row(..) => None,
    }
}

fn targets(operands: &[MOperand]) -> Vec<usize> {
    let blocks = operands.iter().filter_map(|o| match o {
        MOperand::Block(b) => Some(b.0 as usize),
        _ => None,
    });
    blocks.collect()
}

fn exit_of(mf: &MFunction, order: &Order, node: Node) -> Exit {
    let block = match node {
        Node::Latch(header) => return Exit::Back(order.node_of[header].unwrap_or(0)),
        Node::Block(block) => block,
    };
    let Some((pseudo, operands)) = terminator(mf, block) else {
        return Exit::End;
    };
    let places: Vec<usize> = targets(&operands)
        .iter()
        .filter_map(|t| order.target(block, *t))
        .collect();
    match (pseudo, places.as_slice()) {
        (Pseudo::BrDivergent, [yes, no]) if yes != no => Exit::Divergent(*yes, *no),
        (Pseudo::Br | Pseudo::BrScc | Pseudo::BrDivergent, [_, ..]) => Exit::Uniform(places),
        _ => Exit::End,
    }
}

fn body_of(mf: &mut MFunction, node: Node) -> MBlock {
    match node {
        Node::Block(block) => MBlock(block as u32),
        Node::Latch(_) => mf.add_block(Some("latch".to_string())),
    }
}

fn row(id: RowId, operands: &[MOperand], span: Span) -> MInst {
    MInst {
        op: MOp::Row(id, Form::Base),
        operands: SmallVec::from_slice(operands),
        mods: Mods::default(),
        span,
    }
}

fn whole(reg: VReg) -> MOperand {
    MOperand::VReg {
        reg,
        first: 0,
        count: 2,
    }
}

impl Lowering<'_> {
    fn mask(&mut self, node: usize) -> MOperand {
        let mf = &mut *self.mf;
        let reg =
            *self.masks[node].get_or_insert_with(|| new_mask(mf, Some(format!("lanes.{node}"))));
        whole(reg)
    }

    /// The block that takes up the lanes waiting for a place.
    fn enter(&mut self, node: usize) -> MBlock {
        if let Some(block) = self.enters[node] {
            return block;
        }
        let block = self.mf.add_block(Some("enter".to_string()));
        self.enters[node] = Some(block);
        block
    }

    fn end(&mut self) -> MBlock {
        if let Some(block) = self.end {
            return block;
        }
        let block = self.mf.add_block(Some("end".to_string()));
        self.mf
            .block_mut(block)
            .insts
            .push(row(op::S_ENDPGM, &[MOperand::Imm(0)], Span::NONE));
        self.end = Some(block);
        block
    }

    fn push(&mut self, block: MBlock, id: RowId, operands: &[MOperand]) {
        let inst = row(id, operands, self.span);
        self.mf.block_mut(block).insts.push(inst);
    }

    fn jump(&mut self, block: MBlock, id: RowId, to: MBlock) {
        self.push(block, id, &[MOperand::Block(to)]);
        self.mf.block_mut(block).linear_succs.push(to);
    }

    /// Clears the masks that a place may read and this way into it did not write.
    fn clear(&mut self, block: MBlock, next: usize, have: &BTreeSet<usize>) {
        let missing: Vec<usize> = self.plan.waiting[next].difference(have).copied().collect();
        for place in missing {
            let mask = self.mask(place);
            self.push(block, op::S_MOV_B64, &[mask, MOperand::Inline(128)]);
        }
    }

    fn is_cleared(&self, next: usize, have: &BTreeSet<usize>) -> bool {
        self.plan.waiting[next].is_subset(have)
    }

    /// Adds lanes to a place's mask: `how` computes them into its first operand.
    fn record(
        &mut self,
        block: MBlock,
        place: usize,
        waiting: &BTreeSet<usize>,
        how: Option<(RowId, MOperand)>,
    ) {
        let mask = self.mask(place);
        let fresh = !waiting.contains(&place);
        match (how, fresh) {
            (None, true) => self.push(block, op::S_MOV_B64, &[mask, EXEC]),
            (None, false) => self.push(block, op::S_OR_B64, &[mask, mask, EXEC]),
            (Some((id, cond)), true) => self.push(block, id, &[mask, EXEC, cond]),
            (Some((id, cond)), false) => {
                let lanes = whole(new_mask(self.mf, None));
                self.push(block, id, &[lanes, EXEC, cond]);
                self.push(block, op::S_OR_B64, &[mask, mask, lanes]);
            }
        }
    }

    /// Goes on at the first open place, whose lanes wait in its mask; ends the wave if there is none.
    fn go_on(&mut self, block: MBlock, mut open: BTreeSet<usize>) {
        match open.pop_first() {
            None => self.push(block, op::S_ENDPGM, &[MOperand::Imm(0)]),
            Some(next) => {
                self.clear(block, next, &open);
                let enter = self.enter(next);
                self.jump(block, op::S_BRANCH, enter);
            }
        }
    }

    /// All lanes go to `place`: code for the way there, and the block to go to.
    fn send_all(&mut self, block: MBlock, place: usize, waiting: &BTreeSet<usize>) {
        let mut open = waiting.clone();
        let fresh = open.insert(place);
        if fresh && open.first() == Some(&place) {
            open.pop_first();
            self.clear(block, place, &open);
            let body = self.bodies[place];
            self.jump(block, op::S_BRANCH, body);
            return;
        }
        self.record(block, place, waiting, None);
        self.go_on(block, open);
    }

    /// Whether sending all lanes to a place needs no code, only a branch to its block.
    fn is_plain(&self, place: usize, waiting: &BTreeSet<usize>) -> bool {
        let first = waiting.first().is_none_or(|w| *w > place);
        first && self.is_cleared(place, waiting)
    }

    fn lower(&mut self, node: usize) {
        let waiting = self.plan.waiting[node].clone();
        let body = self.bodies[node];
        let condition = self.take_terminator(node, body);
        match self.plan.exits[node].clone() {
            Exit::End => self.go_on(body, waiting),
            Exit::Back(header) => {
                self.clear(body, header, &waiting);
                let to = self.bodies[header];
                self.jump(body, op::S_BRANCH, to);
            }
            Exit::Uniform(places) => self.lower_uniform(node, body, &places, &waiting),
            Exit::Divergent(yes, no) => match condition {
                Some(condition) => self.lower_divergent(body, condition, [yes, no], waiting),
                None => self.go_on(body, waiting),
            },
        }
    }

    /// Removes the logical terminator; the mask of a divergent one.
    fn take_terminator(&mut self, node: usize, body: MBlock) -> Option<MOperand> {
        let Node::Block(_) = self.order.nodes[node] else {
            return None;
        };
        let data = self.mf.block_mut(body);
        let last = data.insts.last()?;
        let MOp::Pseudo(pseudo) = last.op else {
            return None;
        };
        self.span = last.span;
        let condition = (pseudo == Pseudo::BrDivergent).then(|| last.operands[0]);
        data.insts.pop();
        condition
    }

    fn lower_uniform(
        &mut self,
        node: usize,
        body: MBlock,
        places: &[usize],
        waiting: &BTreeSet<usize>,
    ) {
        match places {
            [yes, no] if yes != no => {
                for (id, place) in [(op::S_CBRANCH_SCC1, *yes), (op::S_BRANCH, *no)] {
                    let to = if self.is_plain(place, waiting) {
                        self.bodies[place]
                    } else {
                        let edge = self.mf.add_block(Some("edge".to_string()));
                        self.edges[node].push(edge);
                        self.send_all(edge, place, waiting);
                        edge
                    };
                    self.jump(body, id, to);
                }
            }
            [place, ..] => self.send_all(body, *place, waiting),
            [] => self.go_on(body, waiting.clone()),
        }
    }

    fn lower_divergent(
        &mut self,
        body: MBlock,
        cond: MOperand,
        places: [usize; 2],
        waiting: BTreeSet<usize>,
    ) {
        let mut open = waiting.clone();
        open.extend(places);
        let sides = [(places[0], op::S_AND_B64), (places[1], op::S_ANDN2_B64)];
        let first = open.first().copied();
        let direct = sides
            .iter()
            .find(|(p, _)| Some(*p) == first && !waiting.contains(p))
            .copied();
        for (place, id) in sides {
            if Some(place) != direct.map(|d| d.0) {
                self.record(body, place, &waiting, Some((id, cond)));
            }
        }
        let Some((place, id)) = direct else {
            return self.go_on(body, open);
        };
        open.pop_first();
        // The masks that the next place may read are cleared before EXEC changes hands; a lane set
        // that turns out empty goes on with the same masks.
        self.clear(body, place, &open);
        let all = self.plan.waiting[place].clone();
        self.push(body, id, &[EXEC, EXEC, cond]);
        self.skip_if_empty(body, &all);
        let to = self.bodies[place];
        self.jump(body, op::S_BRANCH, to);
    }

    /// Without lanes the wave goes on at the next open place.
    fn skip_if_empty(&mut self, block: MBlock, open: &BTreeSet<usize>) {
        let mut rest = open.clone();
        let to = match rest.pop_first() {
            None => self.end(),
            Some(next) if self.is_cleared(next, &rest) => self.enter(next),
            Some(_) => {
                let edge = self.mf.add_block(Some("edge".to_string()));
                if let Some(list) = self.edges.last_mut() {
                    list.push(edge);
                }
                self.go_on(edge, open.clone());
                edge
            }
        };
        self.jump(block, op::S_CBRANCH_EXECZ, to);
    }

    /// Fills the entering blocks, sets the layout and drops branches to the next block.
    fn finish(&mut self) {
        self.span = Span::NONE;
        // Filling one may ask for another further on, never for an earlier one.
        for node in 0..self.enters.len() {
            let Some(block) = self.enters[node] else {
                continue;
            };
            let mask = self.mask(node);
            self.push(block, op::S_MOV_B64, &[EXEC, mask]);
            let open = self.plan.waiting[node].clone();
            self.skip_if_empty(block, &open);
            let body = self.bodies[node];
            self.jump(block, op::S_BRANCH, body);
        }
        let mut layout = Vec::new();
        for node in 0..self.order.nodes.len() {
            layout.extend(self.enters[node]);
            layout.push(self.bodies[node]);
            layout.append(&mut self.edges[node]);
        }
        layout.extend(self.end);
        self.mf.layout = layout;
        self.mf.stage = Stage::Linear;
    }
}

fn new_mask(mf: &mut MFunction, name: Option<String>) -> VReg {
    mf.add_vreg(VRegData {
        file: RegFile::Sgpr,
        dwords: 2,
        align: 2,
        name,
        span: Span::NONE,
        no_spill: false,
    })
}

/// Drops a branch to the block that follows anyway. Runs last, when the layout is final.
pub fn drop_fallthrough_branches(mf: &mut MFunction) {
    let layout = mf.layout.clone();
    for pair in layout.windows(2) {
        let data = mf.block_mut(pair[0]);
        let falls = data.insts.last().is_some_and(|last| {
            last.op == MOp::Row(op::S_BRANCH, Form::Base)
                && last.operands.first() == Some(&MOperand::Block(pair[1]))
        });
        if falls {
            data.insts.pop();
        }
    }
}
