//! Blocks, block parameters and branches.
//!
//! A block parameter is a register that every predecessor writes: by a parallel copy at the end of
//! a predecessor with one successor, or at the start of a block with one predecessor. `legalize`
//! split the edges that are neither.

use std::collections::{HashMap, HashSet};

use super::Isel;
use super::bank::dwords_of;
use super::build::width;
use super::compare::Truth;
use super::operand::{Bank, Opd};
use crate::backend::mir::{MOp, MOperand, Pseudo};
use crate::ir::{Block, BlockCall, Function, Inst, Opcode, Value, ValueDef};
use crate::isa::amdgpu::op;
use crate::isa::{Form, Mods};

/// How often each value is an operand.
pub(super) fn count_uses(func: &Function) -> HashMap<Value, u32> {
    let mut uses = HashMap::new();
    for block in &func.layout {
        for inst in &func.blocks[*block].insts {
            let data = &func.insts[*inst];
            let passed = data.targets.iter().flat_map(|t| &t.args);
            for value in data.args.iter().chain(passed) {
                *uses.entry(*value).or_default() += 1;
            }
        }
    }
    uses
}

/// The block of each instruction.
pub(super) fn home_blocks(func: &Function) -> HashMap<Inst, Block> {
    let insts_of = |b: &Block| {
        func.blocks[*b]
            .insts
            .iter()
            .map(|i| (*i, *b))
            .collect::<Vec<_>>()
    };
    func.layout.iter().flat_map(insts_of).collect()
}

/// The arguments of conditional branches, by target: after `legalize` such a target with parameters
/// has one predecessor.
pub(super) fn conditional_calls(func: &Function) -> HashMap<Block, BlockCall> {
    let terminators = func.layout.iter().filter_map(|b| func.terminator(*b));
    terminators
        .map(|t| &func.insts[t].targets)
        .filter(|targets| targets.len() > 1)
        .flatten()
        .map(|call| (call.block, call.clone()))
        .collect()
}

impl Isel<'_> {
    /// Makes all reachable blocks and the registers of their parameters.
    pub(super) fn create_blocks(&mut self, reachable: &[Block]) {
        let reachable: HashSet<_> = reachable.iter().collect();
        for block in self.func.layout.iter().filter(|b| reachable.contains(b)) {
            let data = &self.func.blocks[*block];
            let mblock = self.mf.add_block(data.name.clone());
            self.blocks.insert(*block, mblock);
            for param in &data.params {
                let dwords = dwords_of(self.func.ty(*param));
                let reg = self.new_reg(self.banks.of(*param), dwords);
                self.bind(*param, reg);
            }
        }
    }

    pub(super) fn select_block(&mut self, block: Block) {
        self.receive_arguments(block);
        let terminator = self.func.terminator(block);
        for inst in &self.func.blocks[block].insts {
            match terminator == Some(*inst) {
                true => self.select_terminator(*inst),
                false => self.select_inst(*inst),
            }
        }
    }

    /// Whether a uniform comparison is made at the block's branch, its only use, and nowhere else.
    pub(super) fn is_fused_with_branch(&self, inst: Inst) -> bool {
        let data = &self.func.insts[inst];
        let result = data.results[0];
        data.op == Opcode::Setp
            && self.banks.of(result) == Bank::S
            && self.uses.get(&result) == Some(&1)
            && self.branch_reads(inst, result)
    }

    fn branch_reads(&self, inst: Inst, value: Value) -> bool {
        let home = self.homes.get(&inst);
        let term = home.and_then(|b| self.func.terminator(*b));
        term.is_some_and(|t| {
            let data = &self.func.insts[t];
            data.op == Opcode::Brc && data.args[0] == value
        })
    }

    fn select_terminator(&mut self, inst: Inst) {
        let func = self.func;
        let data = &func.insts[inst];
        self.span = data.span;
        match (data.op, data.targets.as_slice()) {
            (Opcode::Br, [call]) => {
                self.pass_arguments(call);
                self.branch(Pseudo::Br, None, &[call.block]);
            }
            (Opcode::Brc, [yes, no]) => {
                let pred = data.args[0];
                let truth = self.branch_truth(pred);
                self.span = data.span;
                let (pseudo, mask) = self.branch_on((self.uniform)(pred), truth);
                self.branch(pseudo, mask, &[yes.block, no.block]);
            }
            (Opcode::Trap, _) => {
                // Trap 2 is the fault of the debug trap handler's "abort".
                self.emit(
                    op::S_TRAP,
                    Form::Base,
                    &[],
                    &[Opd::Const(2)],
                    Mods::default(),
                );
                self.pseudo(Pseudo::End, &[]);
            }
            _ => self.pseudo(Pseudo::End, &[]),
        }
    }

    /// The condition of a branch, made here where the comparison was left for it.
    fn branch_truth(&mut self, pred: Value) -> Truth {
        if let ValueDef::Result(inst, _) = self.func.values[pred].def
            && self.func.ty(pred) == crate::ir::Type::Pred
            && self.is_fused_with_branch(inst)
        {
            let data = &self.func.insts[inst];
            self.span = data.span;
            return self.select_truth(data, pred);
        }
        self.truth(pred)
    }

    fn branch(&mut self, pseudo: Pseudo, mask: Option<Opd>, targets: &[Block]) {
        let mut operands: smallvec::SmallVec<[MOperand; 5]> = Default::default();
        operands.extend(mask.and_then(Opd::register));
        let succs: Vec<_> = targets.iter().map(|b| self.blocks[b]).collect();
        operands.extend(succs.iter().map(|b| MOperand::Block(*b)));
        self.push(MOp::Pseudo(pseudo), operands, Mods::default());
        let block = self.mblock;
        self.mf.block_mut(block).logical_succs = succs;
    }

    /// Copies the arguments of a branch to the parameters of its only target.
    fn pass_arguments(&mut self, call: &BlockCall) {
        let params = &self.func.blocks[call.block].params;
        let mut copies = Vec::new();
        for (param, arg) in params.iter().zip(&call.args) {
            let to = self.value(*param);
            let from = self.value(*arg);
            let bank = self.banks.of(*param);
            let from = match from {
                Opd::Const(_) => self.in_bank(from, bank, width(to)),
                _ if bank == Bank::S => self.scalar_of(from),
                _ => from,
            };
            copies.extend([to, from]);
        }
        if !copies.is_empty() {
            self.pseudo(Pseudo::ParallelCopy, &copies);
        }
    }

    /// Arguments of a conditional branch into this block, its only predecessor.
    fn receive_arguments(&mut self, block: Block) {
        if self.func.blocks[block].params.is_empty() {
            return;
        }
        if let Some(call) = self.calls.get(&block).cloned() {
            self.pass_arguments(&call);
        }
    }
}
