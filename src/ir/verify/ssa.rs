//! One definition, and it dominates every use.

use std::collections::{HashMap, HashSet};

use super::Errors;
use crate::ir::cfg::Cfg;
use crate::ir::dom::DomTree;
use crate::ir::entity::{Block, Inst, Value};
use crate::ir::func::{Function, ValueDef};

pub(super) fn verify(func: &Function, errors: &mut Errors<'_>) {
    let cfg = Cfg::compute(func);
    let dom = DomTree::compute(&cfg);
    let mut place: HashMap<Inst, (Block, usize)> = HashMap::new();
    for &block in &func.layout {
        for (n, &inst) in func.blocks[block].insts.iter().enumerate() {
            if place.insert(inst, (block, n)).is_some() {
                errors.add(Some(inst), "an instruction stands twice in the function");
            }
        }
    }
    let mut defined: HashSet<Value> = HashSet::new();
    for param in &func.params {
        if func.values.get(param.value).is_none() || !defined.insert(param.value) {
            errors.add(
                None,
                format!("parameter `{}` has no value of its own", param.name),
            );
        }
    }
    let placed: HashSet<Block> = func.layout.iter().copied().collect();
    let mut check = |inst: Inst, block: Block, at: usize, value: Value| {
        let Some(data) = func.values.get(value) else {
            errors.add(Some(inst), "an operand does not exist");
            return;
        };
        let fine = match data.def {
            ValueDef::Const(_) | ValueDef::Arg(_) => true,
            ValueDef::BlockParam(home, n) => {
                placed.contains(&home)
                    && func.blocks[home].params.get(n as usize) == Some(&value)
                    && (!cfg.is_reachable(block) || dom.dominates(home, block))
            }
            ValueDef::Result(def, n) => match place.get(&def) {
                None => false,
                Some(&(home, index)) => {
                    func.insts[def].results.get(n as usize) == Some(&value)
                        && (!cfg.is_reachable(block)
                            || if home == block {
                                index < at
                            } else {
                                dom.dominates(home, block)
                            })
                }
            },
        };
        if !fine {
            errors.add(
                Some(inst),
                "an operand is used where its definition does not reach",
            );
        }
    };
    for &block in &func.layout {
        for (at, &inst) in func.blocks[block].insts.iter().enumerate() {
            let data = &func.insts[inst];
            data.args.iter().for_each(|&v| check(inst, block, at, v));
            let targets = data.targets.iter().flat_map(|t| &t.args);
            targets.for_each(|&v| check(inst, block, at, v));
        }
    }
}
