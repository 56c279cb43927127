//! Which values are the same for all lanes of a wave, a workgroup, or the grid.
//!
//! A forward fixpoint on the lattice grid < block < wave < divergent. A value is at least as
//! divergent as its operands. Control adds to that in three ways:
//!
//! - a block where lanes of a divergent branch meet again has divergent parameters (sync dependence:
//!   two paths from different successors of the branch meet there);
//! - a value that leaves a loop whose lanes exit at different trips is divergent outside (temporal
//!   divergence), even where it is uniform inside;
//! - in an irreducible region that is entered or left by divergent control, every parameter is
//!   divergent, and every value seen from another block than its own.
//!
//! The analysis relies on reconvergence: lanes of a wave that go round a natural loop again wait for
//! each other at its header, and lanes that took different ways meet at the nearest post-dominator.
//!
//! Loads give one value to the wave where the address is uniform; more is not claimed, since memory
//! may change between waves. Memory that nothing writes keeps the level of the address; memory of
//! one lane is divergent.
//!
//! After the branch of a block that lanes take differently, joins are found as in Rosemann, Moll and
//! Hack, "An Abstract Interpretation for SPMD Divergence on Reducible Control Flow Graphs" (2021):
//! by labels that spread along the paths.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::cfg::Cfg;
use super::dom::{DomTree, PostDomTree};
use super::entity::{Block, Entity, Inst, Value};
use super::func::{Function, InstData};
use super::liveness::def_blocks;
use super::loops::Loops;
use super::opcode::{Flags, Opcode, SReg};
use super::types::Space;

/// How far a value is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// The same in the whole grid.
    Grid,
    /// The same in a workgroup.
    Block,
    /// The same in a wave.
    Wave,
    /// May differ between lanes.
    Divergent,
}

/// The result of the analysis.
#[derive(Clone, Debug)]
pub struct Uniformity {
    values: Vec<Level>,
    branches: Vec<Level>,
    control: Vec<Level>,
    escapes: HashSet<Value>,
}

impl Uniformity {
    /// Whether a value that is uniform where it is made is used where lanes may hold different ones,
    /// because they left a loop at different trips. Such a value needs a register a lane.
    pub fn escapes(&self, value: Value) -> bool {
        self.escapes.contains(&value)
    }

    /// The level of a value.
    pub fn of(&self, value: Value) -> Level {
        self.values
            .get(value.index())
            .copied()
            .unwrap_or(Level::Divergent)
    }

    /// Whether all lanes of a wave have the same value.
    pub fn is_wave_uniform(&self, value: Value) -> bool {
        self.of(value) <= Level::Wave
    }

    /// The level of the condition that a block branches on.
    pub fn branch(&self, block: Block) -> Level {
        self.branches
            .get(block.index())
            .copied()
            .unwrap_or(Level::Divergent)
    }

    /// How uniform control is that decides whether a block runs.
    pub fn block_control(&self, block: Block) -> Level {
        self.control
            .get(block.index())
            .copied()
            .unwrap_or(Level::Divergent)
    }
}

struct Analysis<'f> {
    func: &'f Function,
    cfg: Cfg,
    post: PostDomTree,
    loops: Loops,
    home: Vec<Option<Block>>,
    out: Uniformity,
    changed: bool,
}

/// Computes the levels of all values and branches of an SSA function.
pub fn compute_uniformity(func: &Function) -> Uniformity {
    let cfg = Cfg::compute(func);
    let dom = DomTree::compute(&cfg);
    let post = PostDomTree::compute(&cfg);
    let loops = Loops::compute(&cfg, &dom);
    let out = Uniformity {
        values: vec![Level::Grid; func.values.len()],
        branches: vec![Level::Grid; func.blocks.len()],
        control: vec![Level::Grid; func.blocks.len()],
        escapes: HashSet::new(),
    };
    let mut analysis = Analysis {
        func,
        cfg,
        post,
        loops,
        home: def_blocks(func),
        out,
        changed: true,
    };
    while analysis.changed {
        analysis.changed = false;
        for block in analysis.cfg.rpo().to_vec() {
            analysis.visit(block);
        }
    }
    analysis.find_escapes();
    analysis.out
}

impl Analysis<'_> {
    fn raise(&mut self, value: Value, level: Level) {
        let slot = &mut self.out.values[value.index()];
        if level > *slot {
            *slot = level;
            self.changed = true;
        }
    }

    /// The level of a value as seen from a block: a value that left a loop with divergent exits
    /// differs between lanes.
    fn seen_from(&self, value: Value, block: Block) -> Level {
        let level = self.out.of(value);
        let Some(home) = self.home[value.index()] else {
            return level;
        };
        let mut worst = level;
        for id in self.loops.around(home) {
            if self.loops.contains(id, block) {
                break;
            }
            for &(from, _) in &self.loops.get(id).exits {
                worst = worst.max(self.exit_level(from));
            }
        }
        for region in self.loops.irreducible() {
            // Lanes need not be in the same trip: another block of the region may see a value that
            // was made at another time.
            if home != block && region.contains(&home) {
                worst = worst.max(self.region_level(region));
            }
        }
        worst
    }

    /// How lanes differ in the trip at which they leave by an exit: as its own branch, or as any
    /// branch inside the loop that decides whether the exit is reached.
    fn exit_level(&self, from: Block) -> Level {
        self.out.branch(from).max(self.out.block_control(from))
    }

    fn find_escapes(&mut self) {
        let mut found = HashSet::new();
        for &block in self.cfg.rpo() {
            for &inst in &self.func.blocks[block].insts {
                let data = &self.func.insts[inst];
                let args = data.args.iter().map(|a| (*a, block));
                let passed = data
                    .targets
                    .iter()
                    .flat_map(|t| t.args.iter().map(|a| (*a, t.block)));
                for (value, at) in args.chain(passed) {
                    if self.out.of(value) < Level::Divergent
                        && self.seen_from(value, at) == Level::Divergent
                    {
                        found.insert(value);
                    }
                }
            }
        }
        self.out.escapes = found;
    }

    fn visit(&mut self, block: Block) {
        for inst in self.func.blocks[block].insts.clone() {
            self.visit_inst(block, inst);
        }
        // Arguments flow into parameters, as seen from the successor.
        let Some(term) = self.func.terminator(block) else {
            return;
        };
        let targets = self.func.insts[term].targets.clone();
        for call in &targets {
            let params = self.func.blocks[call.block].params.clone();
            for (param, arg) in params.into_iter().zip(&call.args) {
                let level = self.seen_from(*arg, call.block);
                self.raise(param, level);
            }
        }
        if targets.len() > 1 {
            let data = &self.func.insts[term];
            let level = data
                .args
                .first()
                .map_or(Level::Grid, |c| self.seen_from(*c, block));
            self.spread_branch(block, level);
        }
    }

    fn visit_inst(&mut self, block: Block, inst: Inst) {
        let data: &InstData = &self.func.insts[inst];
        let mut level = data
            .args
            .iter()
            .map(|a| self.seen_from(*a, block))
            .max()
            .unwrap_or(Level::Grid);
        if let Some(sreg) = data.attrs.sreg {
            level = level.max(sreg_level(sreg));
        }
        let flags = data.op.flags();
        if flags.has(Flags::LOAD) {
            level = level.max(load_level(data.attrs.space));
        }
        if data.op == Opcode::CvgBegin {
            level = Level::Wave;
        }
        if data.op == Opcode::VarGet {
            level = Level::Divergent;
        }
        for result in data.results.clone() {
            self.raise(result, level);
        }
    }

    /// A branch that lanes take differently: raise what its paths reach before they meet, and the
    /// parameters where they meet.
    fn spread_branch(&mut self, block: Block, level: Level) {
        if level <= self.out.branches[block.index()] {
            return;
        }
        self.out.branches[block.index()] = level;
        self.changed = true;
        let stop = self.post.ipdom(block);
        for succ in self.cfg.succs(block).to_vec() {
            self.raise_control(succ, stop, level);
        }
        for join in self.joins_of(block) {
            for param in self.func.blocks[join].params.clone() {
                self.raise(param, level);
            }
        }
        for region in self.loops.irreducible().to_vec() {
            let level = self.region_level(&region);
            for &member in &region {
                for param in self.func.blocks[member].params.clone() {
                    self.raise(param, level);
                }
            }
        }
    }

    /// How control that enters or stays in an irreducible region differs between lanes.
    fn region_level(&self, region: &[Block]) -> Level {
        let level = |b: &Block| self.out.branch(*b).max(self.out.block_control(*b));
        region.iter().map(level).max().unwrap_or(Level::Grid)
    }

    fn raise_control(&mut self, from: Block, stop: Option<Block>, level: Level) {
        let mut work = vec![from];
        let mut seen: HashSet<Block> = HashSet::new();
        while let Some(block) = work.pop() {
            if Some(block) == stop || !seen.insert(block) {
                continue;
            }
            let slot = &mut self.out.control[block.index()];
            *slot = (*slot).max(level);
            work.extend(self.cfg.succs(block));
        }
    }

    /// Where lanes that leave a branch by different successors may meet: each edge sends a label
    /// along its paths, and two labels meet at a join, which sends on its own. Paths end where all
    /// of them have met and where they come back to the branch; they do go round loops, since lanes
    /// that left at an earlier trip meet those that leave later.
    fn joins_of(&self, block: Block) -> Vec<Block> {
        let stop = self.post.ipdom(block);
        let mut label: HashMap<Block, Label> = HashMap::new();
        // Blocks in reverse post-order: most joins have all their labels before they are walked.
        let mut work: BTreeSet<(u32, Block)> = BTreeSet::new();
        let send = |work: &mut BTreeSet<(u32, Block)>, label: &mut HashMap<_, _>, to, with| {
            let new = match label.get(&to) {
                None => with,
                Some(old) if *old == with => return,
                Some(_) => Label::Join(to),
            };
            if label.insert(to, new) != Some(new) {
                work.insert((self.cfg.rpo_index(to).unwrap_or(u32::MAX), to));
            }
        };
        for (n, &succ) in self.cfg.succs(block).iter().enumerate() {
            send(&mut work, &mut label, succ, Label::Edge(n));
        }
        while let Some((_, at)) = work.pop_first() {
            if at == block || Some(at) == stop {
                continue;
            }
            let own = label[&at];
            for &succ in self.cfg.succs(at) {
                send(&mut work, &mut label, succ, own);
            }
        }
        let is_join = |(at, label): (Block, Label)| (label == Label::Join(at)).then_some(at);
        let mut joins: Vec<Block> = label.into_iter().filter_map(is_join).collect();
        joins.sort();
        joins
    }
}

/// What a path from a branch carries: the edge it began with, or the last block where paths met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    Edge(usize),
    Join(Block),
}

/// What a load adds to the level of its address.
fn load_level(space: Option<Space>) -> Level {
    match space {
        // Nothing writes these while a kernel runs.
        Some(Space::Const | Space::Param) => Level::Grid,
        Some(Space::Global | Space::Shared) => Level::Wave,
        // Memory of one lane, or perhaps so.
        Some(Space::Local | Space::Generic) | None => Level::Divergent,
    }
}

fn sreg_level(sreg: SReg) -> Level {
    match sreg {
        SReg::TidX | SReg::TidY | SReg::TidZ | SReg::LaneId => Level::Divergent,
        SReg::WarpId => Level::Wave,
        SReg::CtaidX | SReg::CtaidY | SReg::CtaidZ => Level::Block,
        SReg::NtidX
        | SReg::NtidY
        | SReg::NtidZ
        | SReg::NctaidX
        | SReg::NctaidY
        | SReg::NctaidZ
        | SReg::WarpSize => Level::Grid,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Builder, Cmp, Kind, Type};

    /// entry -> head(i, j); head: brc cond, body, exit; body -> head
    fn counting_loop(divergent: bool) -> (Function, Value, Value) {
        let mut f = Function::new("k");
        let entry = f.add_block(None);
        let head = f.add_block(None);
        let body = f.add_block(None);
        let exit = f.add_block(None);
        let i = f.add_block_param(head, Type::I32);
        let zero = f.constant(Type::I32, 0);
        let one = f.constant(Type::I32, 1);
        let mut b = Builder::new(&mut f, entry);
        let limit = b.sreg(if divergent { SReg::TidX } else { SReg::NtidX });
        b.br(head, &[zero]);
        b.block = head;
        let more = b.setp(Cmp::Lt, Kind::U32, i, limit);
        b.brc(more, body, exit);
        b.block = body;
        let next = b.op(Opcode::Add, Kind::U32, &[i, one]);
        b.br(head, &[next]);
        b.block = exit;
        let outside = b.op(Opcode::Add, Kind::U32, &[i, one]);
        b.ret();

        (f, i, outside)
    }

    #[test]
    fn a_counter_is_uniform_inside_and_divergent_behind_a_divergent_exit() {
        let (f, i, outside) = counting_loop(true);
        let u = compute_uniformity(&f);
        assert_eq!(u.of(i), Level::Grid);
        assert_eq!(u.of(outside), Level::Divergent);
        let (f, i, outside) = counting_loop(false);
        let u = compute_uniformity(&f);
        assert_eq!((u.of(i), u.of(outside)), (Level::Grid, Level::Grid));
    }

    #[test]
    fn joins_of_divergent_branches_are_divergent() {
        let mut f = Function::new("k");
        let [entry, a, b, join] = [0; 4].map(|_| f.add_block(None));
        let p = f.add_block_param(join, Type::I32);
        let (one, two) = (f.constant(Type::I32, 1), f.constant(Type::I32, 2));
        let mut builder = Builder::new(&mut f, entry);
        let tid = builder.sreg(SReg::TidX);
        let cond = builder.setp(Cmp::Eq, Kind::U32, tid, one);
        builder.brc(cond, a, b);
        builder.block = a;
        builder.br(join, &[one]);
        builder.block = b;
        builder.br(join, &[two]);
        builder.block = join;
        builder.ret();
        let u = compute_uniformity(&f);
        assert_eq!(u.of(p), Level::Divergent);
        assert_eq!(u.branch(entry), Level::Divergent);
        assert_eq!(u.block_control(a), Level::Divergent);
        assert_eq!(u.block_control(join), Level::Grid);
    }
}
