//! Which values one scalar register can hold.
//!
//! The uniformity analysis says what the active lanes of a wave agree on. That is enough inside a
//! loop, but a value that leaves a loop whose lanes exit at different trips is another one for each
//! lane, although all lanes that are still active agree on it in every trip. A scalar register
//! would hold the value of the last trip only; such a value has to live in vector registers, which
//! keep what they had when a lane left.

use std::collections::HashSet;

use crate::ir::cfg::Cfg;
use crate::ir::dom::DomTree;
use crate::ir::liveness::def_blocks;
use crate::ir::loops::Loops;
use crate::ir::uniformity::{Level, Uniformity, compute_uniformity};
use crate::ir::{Block, Entity, Function, Value};

/// Values that are the same for all lanes of a wave wherever they are used.
pub struct UniformValues {
    levels: Uniformity,
    escaping: HashSet<Value>,
}

impl UniformValues {
    /// Analyses an SSA function.
    pub fn compute(func: &Function) -> UniformValues {
        let cfg = Cfg::compute(func);
        let dom = DomTree::compute(&cfg);
        let loops = Loops::compute(&cfg, &dom);
        let levels = compute_uniformity(func);
        let homes = def_blocks(func);
        let mut escaping = HashSet::new();
        for &block in &func.layout {
            for inst in &func.blocks[block].insts {
                let data = &func.insts[*inst];
                let passed = data
                    .targets
                    .iter()
                    .flat_map(|call| call.args.iter().map(|arg| (*arg, call.block)));
                let read = data.args.iter().map(|arg| (*arg, block));
                for (value, at) in read.chain(passed) {
                    let home = homes.get(value.index()).copied().flatten();
                    let inside = |home| escapes(&loops, &levels, home, at);
                    if home.is_some_and(inside) {
                        escaping.insert(value);
                    }
                }
            }
        }
        UniformValues { levels, escaping }
    }

    /// Whether a scalar register can hold the value.
    pub fn contains(&self, value: Value) -> bool {
        self.levels.is_wave_uniform(value) && !self.escaping.contains(&value)
    }
}

/// Whether lanes carry a value from `home` to `at` out of a loop that they leave at different trips.
fn escapes(loops: &Loops, levels: &Uniformity, home: Block, at: Block) -> bool {
    let divergent = |from: Block| {
        levels.branch(from) == Level::Divergent || levels.block_control(from) == Level::Divergent
    };
    let left = loops.around(home).take_while(|id| !loops.contains(*id, at));
    for id in left {
        if loops.get(id).exits.iter().any(|(from, _)| divergent(*from)) {
            return true;
        }
    }
    let mut regions = loops.irreducible().iter();
    regions.any(|r| r.contains(&home) && !r.contains(&at) && r.iter().any(|b| divergent(*b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Builder, Cmp, Kind, Opcode, SReg, Type};

    /// A counter of a loop, and whether it is used behind it.
    fn counter(limit: SReg, used_behind: bool) -> (Function, Value) {
        let mut func = Function::new("k");
        let [entry, head, body, exit] = [0; 4].map(|_| func.add_block(None));
        let i = func.add_block_param(head, Type::I32);
        let (zero, one) = (func.constant(Type::I32, 0), func.constant(Type::I32, 1));
        let mut b = Builder::new(&mut func, entry);
        let limit = b.sreg(limit);
        b.br(head, &[zero]);
        b.block = head;
        let more = b.setp(Cmp::Lt, Kind::U32, i, limit);
        b.brc(more, body, exit);
        b.block = body;
        let next = b.op(Opcode::Add, Kind::U32, &[i, one]);
        b.br(head, &[next]);
        b.block = exit;
        if used_behind {
            b.op(Opcode::Add, Kind::U32, &[i, one]);
        }
        b.ret();
        (func, i)
    }

    #[test]
    fn a_counter_needs_vector_registers_only_behind_a_divergent_loop() {
        for (limit, used, scalar) in [
            (SReg::TidX, true, false),
            (SReg::TidX, false, true),
            (SReg::NtidX, true, true),
        ] {
            let (func, i) = counter(limit, used);
            let values = UniformValues::compute(&func);
            assert_eq!(values.contains(i), scalar, "{limit:?} used behind: {used}");
        }
    }
}
