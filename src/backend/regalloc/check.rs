//! Checks an allocation against the function it was made from. Knows nothing of the allocator.
//!
//! A symbolic execution over places. A place is a dword of a machine register or of a slot; a symbol
//! is a dword of a virtual register, a machine register's contents at the start, or a constant. The
//! state says which symbols each place is known to hold. At every use of a virtual register in the
//! original, the machine register in its stead must hold that symbol; a definition gives its places
//! exactly the defined symbol and takes it from all others; loads, stores and copies move symbols.
//!
//! Where paths meet, a place holds what it holds on all of them. As in liveness, vector places follow
//! logical edges and scalar places follow linear edges. The lattice is finite and states only shrink,
//! so iteration ends. (The idea is that of regalloc2's checker.)

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::live::is_lanewise;
use super::spill::Origins;
use crate::backend::mir::access::{Part, part, role};
use crate::backend::mir::{MFunction, MInst, MOp, MOperand, Pseudo, Slot, VReg};
use crate::isa::amdgpu::Isa;
use crate::isa::{Reg, RegFile, Role};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Place {
    Reg(RegFile, u16),
    Slot(Slot, u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Symbol {
    Virtual(VReg, u8),
    Start(RegFile, u16),
    Inline(u8),
    Literal(u32),
}

/// Symbols of each place; a place that is missing holds nothing known.
type State = BTreeMap<Place, BTreeSet<Symbol>>;

struct Checker<'a> {
    before: &'a MFunction,
    after: &'a MFunction,
    isa: &'a Isa,
    errors: Vec<String>,
    report: bool,
}

/// Compares `after`, allocated but with its pseudos, with `before`. Each instruction of `after` comes
/// from the instruction of `before` that `origins` names. Returns what is wrong.
pub fn check(before: &MFunction, after: &MFunction, origins: &Origins, isa: &Isa) -> Vec<String> {
    let mut checker = Checker {
        before,
        after,
        isa,
        errors: Vec::new(),
        report: false,
    };
    // States at block ends; lanewise and wavewise places flow along different edges.
    let mut ends: HashMap<usize, State> = HashMap::new();
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &before.layout {
            let n = block.0 as usize;
            let Some(mut state) = checker.start_of(n, &ends) else {
                continue;
            };
            checker.walk(n, &origins[n], &mut state);
            if ends.get(&n) != Some(&state) {
                ends.insert(n, state);
                changed = true;
            }
        }
    }
    checker.report = true;
    for &block in &before.layout {
        let n = block.0 as usize;
        if let Some(mut state) = checker.start_of(n, &ends) {
            checker.walk(n, &origins[n], &mut state);
        }
    }
    checker.errors
}

impl Checker<'_> {
    fn is_lanewise(&self, place: Place) -> bool {
        match place {
            Place::Reg(file, _) => is_lanewise(file),
            Place::Slot(slot, _) => is_lanewise(self.after.vreg(self.after.slot(slot).reg).file),
        }
    }

    /// The state at the start of a block; `None` before any way into it is known.
    fn start_of(&self, block: usize, ends: &HashMap<usize, State>) -> Option<State> {
        if self.before.layout.first().map(|b| b.0 as usize) == Some(block) {
            let file = |file: RegFile, count: u16| {
                (0..count).map(move |n| {
                    (
                        Place::Reg(file, n),
                        BTreeSet::from([Symbol::Start(file, n)]),
                    )
                })
            };
            return Some(
                file(RegFile::Sgpr, 128)
                    .chain(file(RegFile::Vgpr, 256))
                    .collect(),
            );
        }
        let preds = |linear: bool| -> Vec<&State> {
            let blocks = self.before.blocks.iter().enumerate();
            let leads = |data: &crate::backend::mir::MBlockData| {
                let succs = if linear {
                    &data.linear_succs
                } else {
                    &data.logical_succs
                };
                succs.iter().any(|s| s.0 as usize == block)
            };
            blocks
                .filter(|(_, d)| leads(d))
                .filter_map(|(n, _)| ends.get(&n))
                .collect()
        };
        let (linear, logical) = (preds(true), preds(false));
        if linear.is_empty() && logical.is_empty() {
            return None;
        }
        let mut state = State::new();
        for (states, lanewise) in [(linear, false), (logical, true)] {
            let Some((first, rest)) = states.split_first() else {
                continue;
            };
            for (place, symbols) in first
                .iter()
                .filter(|(p, _)| self.is_lanewise(**p) == lanewise)
            {
                let mut common = symbols.clone();
                for other in rest {
                    match other.get(place) {
                        Some(theirs) => common.retain(|s| theirs.contains(s)),
                        None => common.clear(),
                    }
                }
                if !common.is_empty() {
                    state.insert(*place, common);
                }
            }
        }
        Some(state)
    }

    fn walk(&mut self, block: usize, origins: &[usize], state: &mut State) {
        let original = &self.before.blocks[block].insts;
        let allocated = &self.after.blocks[block].insts;
        let mut at = 0;
        for (n, inst) in original.iter().enumerate() {
            let mut group = Vec::new();
            while origins.get(at) == Some(&n) {
                group.push(&allocated[at]);
                at += 1;
            }
            match inst.op {
                MOp::Pseudo(Pseudo::Copy | Pseudo::ParallelCopy) => {
                    self.copies(inst, &group, state)
                }
                MOp::Pseudo(Pseudo::ImplicitDef) => self.undefine(inst, state),
                MOp::Pseudo(_) | MOp::Row(..) => self.ordinary(block, inst, &group, state),
            }
        }
        if at != allocated.len() && self.report {
            self.errors
                .push(format!("mb{block}: an instruction comes from nowhere"));
        }
    }

    /// The copies of one original copy move what they find; then the destinations are names for what
    /// the sources were.
    fn copies(&mut self, inst: &MInst, group: &[&MInst], state: &mut State) {
        for step in group {
            self.transfer(step, state);
        }
        let mut names: Vec<(Symbol, Symbol)> = Vec::new();
        for pair in inst.operands.chunks_exact(2) {
            let Some(Part::Virtual { reg, first, count }) = part(&pair[0]) else {
                continue;
            };
            for n in 0..count {
                if let Some(source) = symbol(&pair[1], n) {
                    names.push((Symbol::Virtual(reg, first + n), source));
                }
            }
        }
        for symbols in state.values_mut() {
            let new: Vec<Symbol> = names
                .iter()
                .filter(|(_, s)| symbols.contains(s))
                .map(|(d, _)| *d)
                .collect();
            symbols.retain(|s| !names.iter().any(|(d, _)| d == s));
            symbols.extend(new);
        }
        state.retain(|_, s| !s.is_empty());
    }

    /// Anything is a right value for it.
    fn undefine(&mut self, inst: &MInst, state: &mut State) {
        if let Some(Part::Virtual { reg, first, count }) = part(&inst.operands[0]) {
            for n in first..first + count {
                forget(state, Symbol::Virtual(reg, n));
            }
        }
    }

    fn ordinary(&mut self, block: usize, inst: &MInst, group: &[&MInst], state: &mut State) {
        let main = group.iter().position(|i| i.op == inst.op && !is_move(i));
        let Some(main) = main else {
            if self.report {
                self.errors
                    .push(format!("mb{block}: an instruction is missing"));
            }
            return;
        };
        for (n, step) in group.iter().enumerate() {
            if n != main {
                self.transfer(step, state);
                continue;
            }
            if step.operands.len() != inst.operands.len() {
                self.errors.push(format!("mb{block}: operands are missing"));
                return;
            }
            self.check_uses(block, inst, step, state);
            self.define(inst, step, state);
        }
    }

    fn check_uses(&mut self, block: usize, inst: &MInst, step: &MInst, state: &State) {
        for (n, (old, new)) in inst.operands.iter().zip(&step.operands).enumerate() {
            let Some(Part::Virtual { reg, first, count }) = part(old) else {
                if old != new && self.report {
                    self.errors
                        .push(format!("mb{block}: operand {n} was changed"));
                }
                continue;
            };
            let MOperand::Phys(place) = *new else {
                self.errors
                    .push(format!("mb{block}: operand {n} has no register"));
                continue;
            };
            let data = self.before.vreg(reg);
            let fits = place.file == data.file && place.count == count;
            let aligned = count == 1
                || place.index.is_multiple_of(u16::from(data.align.max(1)))
                || first != 0;
            if !(fits && aligned) && self.report {
                self.errors.push(format!(
                    "mb{block}: operand {n} ({reg}) got a register of the wrong kind"
                ));
            }
            if role(self.isa, inst, n) == Role::Def || !self.report {
                continue;
            }
            for k in 0..count {
                let want = Symbol::Virtual(reg, first + k);
                let here = Place::Reg(place.file, place.index + u16::from(k));
                let holds = state.get(&here).is_some_and(|s| s.contains(&want));
                // A dword that was never defined is right anywhere.
                let defined = state.values().any(|s| s.contains(&want));
                let expected = self.is_ever_defined(reg, first + k);
                if !holds && (defined || expected) {
                    let name = data.name.as_deref().unwrap_or("");
                    self.errors.push(format!(
                        "mb{block}: {place:?} does not hold {reg}.{} {name}",
                        first + k
                    ));
                }
            }
        }
    }

    /// Whether any instruction but an implicit definition writes the dword.
    fn is_ever_defined(&self, reg: VReg, dword: u8) -> bool {
        let data = self.before.vreg(reg);
        // Tuples written in parts may be read while a part is still undefined.
        data.dwords == 1 && dword == 0
    }

    fn define(&mut self, inst: &MInst, step: &MInst, state: &mut State) {
        for (n, (old, new)) in inst.operands.iter().zip(&step.operands).enumerate() {
            if role(self.isa, inst, n) == Role::Use {
                continue;
            }
            let MOperand::Phys(place) = *new else {
                continue;
            };
            for k in 0..place.count {
                let here = Place::Reg(place.file, place.index + u16::from(k));
                state.remove(&here);
                if let Some(Part::Virtual { reg, first, .. }) = part(old) {
                    let symbol = Symbol::Virtual(reg, first + k);
                    forget(state, symbol);
                    state.insert(here, BTreeSet::from([symbol]));
                }
            }
        }
    }

    /// A load, store or copy of the allocator.
    fn transfer(&mut self, step: &MInst, state: &mut State) {
        let old = state.clone();
        let get = |place: Place| old.get(&place).cloned().unwrap_or_default();
        let mut set = |place: Place, symbols: BTreeSet<Symbol>| {
            if symbols.is_empty() {
                state.remove(&place);
            } else {
                state.insert(place, symbols);
            }
        };
        match (step.op, &step.operands[..]) {
            (
                MOp::Pseudo(Pseudo::Spill),
                [
                    MOperand::SlotOffset(slot),
                    MOperand::Phys(reg),
                    MOperand::Imm(first),
                ],
            ) => {
                for k in 0..reg.count {
                    set(
                        Place::Slot(*slot, *first as u8 + k),
                        get(reg_place(*reg, k)),
                    );
                }
            }
            (
                MOp::Pseudo(Pseudo::Reload),
                [
                    MOperand::Phys(reg),
                    MOperand::SlotOffset(slot),
                    MOperand::Imm(first),
                ],
            ) => {
                for k in 0..reg.count {
                    set(
                        reg_place(*reg, k),
                        get(Place::Slot(*slot, *first as u8 + k)),
                    );
                }
            }
            (MOp::Pseudo(Pseudo::Copy | Pseudo::ParallelCopy), operands) => {
                for pair in operands.chunks_exact(2) {
                    let MOperand::Phys(dst) = pair[0] else {
                        continue;
                    };
                    for k in 0..dst.count {
                        let symbols = match pair[1] {
                            MOperand::Phys(src) => get(reg_place(src, k)),
                            ref other => symbol(other, k).into_iter().collect(),
                        };
                        set(reg_place(dst, k), symbols);
                    }
                }
            }
            _ => self
                .errors
                .push("an instruction was added that is no move".to_string()),
        }
    }
}

fn reg_place(reg: Reg, k: u8) -> Place {
    Place::Reg(reg.file, reg.index + u16::from(k))
}

fn is_move(inst: &MInst) -> bool {
    matches!(
        inst.op,
        MOp::Pseudo(Pseudo::Spill | Pseudo::Reload | Pseudo::Copy | Pseudo::ParallelCopy)
    )
}

/// The symbol of dword `n` of a source.
fn symbol(operand: &MOperand, n: u8) -> Option<Symbol> {
    match *operand {
        MOperand::VReg { reg, first, .. } => Some(Symbol::Virtual(reg, first + n)),
        MOperand::Phys(reg) => Some(Symbol::Start(reg.file, reg.index + u16::from(n))),
        MOperand::Inline(code) if n == 0 => Some(Symbol::Inline(code)),
        MOperand::Literal(bits) if n == 0 => Some(Symbol::Literal(bits)),
        _ => None,
    }
}

fn forget(state: &mut State, symbol: Symbol) {
    state.retain(|_, symbols| {
        symbols.remove(&symbol);
        !symbols.is_empty()
    });
}
