//! Brings a VISA function into the form that selection expects. VISA to VISA:
//!
//! - Critical edges are split, so that copies for block parameters and EXEC code have a place.
//! - Truth values live inside one block. One that is used in another block, or passed to one, is
//!   kept as an `i32` of 0 or 1 and compared again where it is used. A lane mask is only right
//!   under the EXEC it was made with: across blocks the lanes of other paths would be lost.
//!
//! ```text
//!     %p = setp.lt.u32 %a, %b              %p = setp.lt.u32 %a, %b
//!     br next                              %p.bit = selp.u32 1, 0, %p
//! next:                            =>      br next
//!     %r = selp.f32 %x, %y, %p         next:
//!                                          %q = setp.ne.u32 %p.bit, 0
//!                                          %r = selp.f32 %x, %y, %q
//! ```
//!
//! Operations wider than the machine's are expanded by selection, where the machine's own
//! instructions (carries, wide products, `v_div_*`) are at hand.

use std::collections::HashMap;

use crate::diag::{Code, Diagnostic, Sink, Span};
use crate::ir::passes::edges::split_critical_edges;
use crate::ir::{
    Attrs, Block, Cmp, Function, Inst, Kind, Opcode, Round, Space, Type, Value, ValueDef,
};

/// Legalizes a function. Reports what the target does not have and gives `false` then.
pub fn legalize(func: &mut Function, sink: &mut Sink) -> bool {
    let before = sink.error_count();
    check_supported(func, sink);
    if sink.error_count() > before {
        return false;
    }
    split_critical_edges(func);
    localize_predicates(func);
    true
}

fn check_supported(func: &Function, sink: &mut Sink) {
    for param in &func.params {
        if !type_is_supported(param.ty) {
            let message = format!(
                "parameter type {} is not supported by this target",
                param.ty
            );
            sink.push(Diagnostic::new(Code::K0402, message).at(param.span, "declared here"));
        }
    }
    for block in &func.layout {
        for inst in &func.blocks[*block].insts {
            if let Some(what) = unsupported(func, *inst) {
                let data = &func.insts[*inst];
                let message = format!(
                    "`{}`: {what} is not supported by this target",
                    data.op.name()
                );
                sink.push(Diagnostic::new(Code::K0402, message).at(data.span, ""));
            }
        }
    }
}

fn type_is_supported(ty: Type) -> bool {
    !matches!(
        ty,
        Type::F16 | Type::Bf16 | Type::Ptr(Space::Shared | Space::Local | Space::Param)
    )
}

/// What of an instruction has no lowering here.
fn unsupported(func: &Function, inst: Inst) -> Option<String> {
    let data = &func.insts[inst];
    let attrs = &data.attrs;
    let values = data.args.iter().chain(&data.results);
    if let Some(ty) = values.map(|v| func.ty(*v)).find(|t| !type_is_supported(*t)) {
        return Some(format!("type {ty}"));
    }
    if attrs.ftz {
        return Some("flushing of subnormals (.ftz)".into());
    }
    if attrs.sat && !is_saturating_already(attrs) {
        return Some("saturation (.sat)".into());
    }
    let to_integral = |r| matches!(r, Round::Rni | Round::Rzi | Round::Rmi | Round::Rpi);
    match attrs.round {
        Some(round) if round != Round::Rn && !to_integral(round) => {
            return Some(format!("rounding .{}", round.name()));
        }
        _ => {}
    }
    match data.op {
        Opcode::VarGet | Opcode::VarSet => Some("a variable".into()),
        Opcode::Ld | Opcode::St => match attrs.space {
            Some(Space::Global | Space::Const) => None,
            space => Some(format!("address space {}", space.map_or("?", Space::name))),
        },
        _ => None,
    }
}

/// Conversions from float to integer saturate by themselves.
fn is_saturating_already(attrs: &Attrs) -> bool {
    attrs.kind.is_some_and(Kind::is_int) && attrs.src_kind.is_some_and(Kind::is_float)
}

/// The state of [`localize_predicates`].
struct Localize<'f> {
    func: &'f mut Function,
    /// The 0 or 1 of a truth value that leaves its block.
    bits: HashMap<Value, Value>,
    /// Truth values made again, by block.
    local: HashMap<(Block, Value), Value>,
}

fn localize_predicates(func: &mut Function) {
    let mut state = Localize {
        func,
        bits: HashMap::new(),
        local: HashMap::new(),
    };
    state.retype_block_params();
    let defs = state.definitions();
    for block in state.func.layout.clone() {
        state.rewrite_uses(block, &defs);
    }
    state.define_bits();
}

impl Localize<'_> {
    /// Turns truth-valued block parameters into `i32` ones.
    fn retype_block_params(&mut self) {
        for block in self.func.layout.clone() {
            for n in 0..self.func.blocks[block].params.len() {
                let param = self.func.blocks[block].params[n];
                if self.func.ty(param) != Type::Pred {
                    continue;
                }
                let def = self.func.values[param].def;
                let name = self.func.values[param].name.take();
                let bit = self.func.values.push(crate::ir::func::ValueData {
                    ty: Type::I32,
                    def,
                    name,
                });
                self.func.blocks[block].params[n] = bit;
                self.bits.insert(param, bit);
            }
        }
    }

    /// The block that a truth value is at home in; `None` for constants and arguments, which are
    /// right everywhere.
    fn home(&self, value: Value, defs: &HashMap<Inst, Block>) -> Option<Block> {
        match self.func.values[value].def {
            ValueDef::Result(inst, _) => defs.get(&inst).copied(),
            ValueDef::BlockParam(..) | ValueDef::Arg(_) | ValueDef::Const(_) => None,
        }
    }

    fn rewrite_uses(&mut self, block: Block, defs: &HashMap<Inst, Block>) {
        let old = std::mem::take(&mut self.func.blocks[block].insts);
        let mut new = Vec::with_capacity(old.len());
        for inst in old {
            let span = self.func.insts[inst].span;
            for n in 0..self.func.insts[inst].args.len() {
                let arg = self.func.insts[inst].args[n];
                if self.func.ty(arg) != Type::Pred {
                    continue;
                }
                let local = self.local_value(arg, block, defs, span, &mut new);
                self.func.insts[inst].args[n] = local;
            }
            for t in 0..self.func.insts[inst].targets.len() {
                for n in 0..self.func.insts[inst].targets[t].args.len() {
                    let arg = self.func.insts[inst].targets[t].args[n];
                    if self.func.ty(arg) == Type::Pred {
                        let bit = self.bit_of(arg, span, &mut new);
                        self.func.insts[inst].targets[t].args[n] = bit;
                    }
                }
            }
            new.push(inst);
        }
        self.func.blocks[block].insts = new;
    }

    /// The block of each instruction, before comparisons are made again.
    fn definitions(&self) -> HashMap<Inst, Block> {
        let mut defs = HashMap::new();
        for block in &self.func.layout {
            for inst in &self.func.blocks[*block].insts {
                defs.insert(*inst, *block);
            }
        }
        defs
    }

    /// The truth value as one of `block`.
    fn local_value(
        &mut self,
        value: Value,
        block: Block,
        defs: &HashMap<Inst, Block>,
        span: Span,
        out: &mut Vec<Inst>,
    ) -> Value {
        let is_param = self.bits.contains_key(&value)
            && matches!(self.func.values[value].def, ValueDef::BlockParam(..));
        if !is_param && self.home(value, defs).is_none_or(|home| home == block) {
            return value;
        }
        if let Some(done) = self.local.get(&(block, value)) {
            return *done;
        }
        let bit = self.bit_value(value);
        let zero = self.func.constant(Type::I32, 0);
        let attrs = Attrs {
            cmp: Some(Cmp::Ne),
            kind: Some(Kind::U32),
            ..Attrs::default()
        };
        let inst = self
            .func
            .create_inst(Opcode::Setp, attrs, &[bit, zero], &[Type::Pred], span);
        out.push(inst);
        let local = self.func.insts[inst].results[0];
        self.local.insert((block, value), local);
        local
    }

    /// The 0 or 1 of a truth value passed to a block parameter.
    fn bit_of(&mut self, value: Value, span: Span, out: &mut Vec<Inst>) -> Value {
        match self.func.values[value].def {
            ValueDef::Const(bits) => self.func.constant(Type::I32, bits),
            ValueDef::Arg(_) => {
                let inst = self.select_bit(value, span);
                out.push(inst);
                self.func.insts[inst].results[0]
            }
            ValueDef::Result(..) | ValueDef::BlockParam(..) => self.bit_value(value),
        }
    }

    /// The `i32` value that stands for a truth value; its definition is placed at the end.
    fn bit_value(&mut self, value: Value) -> Value {
        if let Some(bit) = self.bits.get(&value) {
            return *bit;
        }
        let span = match self.func.values[value].def {
            ValueDef::Result(inst, _) => self.func.insts[inst].span,
            ValueDef::Arg(_) | ValueDef::BlockParam(..) | ValueDef::Const(_) => Span::NONE,
        };
        let inst = self.select_bit(value, span);
        let bit = self.func.insts[inst].results[0];
        self.bits.insert(value, bit);
        bit
    }

    fn select_bit(&mut self, value: Value, span: Span) -> Inst {
        let one = self.func.constant(Type::I32, 1);
        let zero = self.func.constant(Type::I32, 0);
        let attrs = Attrs {
            kind: Some(Kind::U32),
            ..Attrs::default()
        };
        self.func
            .create_inst(Opcode::Selp, attrs, &[one, zero, value], &[Type::I32], span)
    }

    /// Places each `selp` behind the truth value it reads.
    fn define_bits(&mut self) {
        let mut after: HashMap<Inst, Inst> = HashMap::new();
        for (value, bit) in &self.bits {
            if let (ValueDef::Result(source, _), ValueDef::Result(select, _)) =
                (self.func.values[*value].def, self.func.values[*bit].def)
            {
                after.insert(source, select);
            }
        }
        for block in self.func.layout.clone() {
            let old = std::mem::take(&mut self.func.blocks[block].insts);
            let mut new = Vec::with_capacity(old.len());
            for inst in old {
                new.push(inst);
                if let Some(select) = after.get(&inst) {
                    new.push(*select);
                }
            }
            self.func.blocks[block].insts = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Builder;

    /// entry: p = a < b; brc p, yes, join(p) … join(q): use q and p.
    fn crossing() -> (Function, Block, Block) {
        let mut func = Function::new("k");
        let a = func.add_param("a", Type::I32, None, Span::NONE);
        let entry = func.add_block(Some("entry"));
        let yes = func.add_block(Some("yes"));
        let join = func.add_block(Some("join"));
        let q = func.add_block_param(join, Type::Pred);
        let zero = func.constant(Type::I32, 0);
        let truth = func.constant(Type::Pred, 1);
        let mut b = Builder::new(&mut func, entry);
        let p = b.setp(Cmp::Lt, Kind::U32, a, zero);
        b.brc(p, yes, join);
        let term = func.terminator(entry).unwrap();
        func.insts[term].targets[1].args.push(p);
        let mut b = Builder::new(&mut func, yes);
        b.br(join, &[truth]);
        let mut b = Builder::new(&mut func, join);
        b.selp(Kind::U32, a, zero, q);
        b.selp(Kind::U32, a, zero, p);
        b.ret();
        (func, entry, join)
    }

    #[test]
    fn truth_values_stay_inside_their_block() {
        let (mut func, _, join) = crossing();
        assert!(legalize(&mut func, &mut Sink::new()));
        assert_eq!(func.ty(func.blocks[join].params[0]), Type::I32);
        let mut home = HashMap::new();
        for block in &func.layout {
            for inst in &func.blocks[*block].insts {
                for result in &func.insts[*inst].results {
                    home.insert(*result, *block);
                }
            }
        }
        for block in &func.layout {
            for inst in &func.blocks[*block].insts {
                let data = &func.insts[*inst];
                for arg in data.args.iter().filter(|a| func.ty(**a) == Type::Pred) {
                    assert_eq!(home.get(arg), Some(block));
                }
                let passed = data.targets.iter().flat_map(|t| &t.args);
                assert!(passed.into_iter().all(|v| func.ty(*v) == Type::I32));
            }
        }
    }

    #[test]
    fn unsupported_operations_are_named() {
        let mut func = Function::new("k");
        let a = func.add_param("a", Type::F16, None, Span::NONE);
        let entry = func.add_block(None);
        let mut b = Builder::new(&mut func, entry);
        b.op(Opcode::FAdd, Kind::F16, &[a, a]);
        b.ret();
        let mut sink = Sink::new();
        assert!(!legalize(&mut func, &mut sink));
        assert!(
            sink.take()
                .iter()
                .all(|d| d.code == Code::K0402 && d.message.contains("f16"))
        );
    }
}
