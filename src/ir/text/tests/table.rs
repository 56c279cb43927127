//! Every row of the opcode table with every legal suffix: built, printed, read and printed again.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::{print, read};
use crate::diag::Span;
use crate::ir::builder::result_types;
use crate::ir::entity::{Block, Value, Var};
use crate::ir::func::{Attrs, BlockCall, Function, Module, WaveSize};
use crate::ir::opcode::{Cmp, Flags, Opcode, Round, Rule, SReg, Slot};
use crate::ir::text::print::operand_rule;
use crate::ir::types::{Kind, Space, Type};
use crate::ir::verify::{Stage, verify};

/// All attributes that a slot can have, legal or not.
fn with_slot(slot: Slot, base: Attrs, vars: &[Var]) -> Vec<Attrs> {
    let each = |change: &mut dyn FnMut(&mut Attrs)| {
        let mut attrs = base;
        change(&mut attrs);
        attrs
    };
    let flag = |set: fn(&mut Attrs)| vec![base, each(&mut |a| set(a))];
    match slot {
        Slot::Cmp => Cmp::ALL.map(|c| each(&mut |a| a.cmp = Some(c))).to_vec(),
        Slot::Round => Round::ALL
            .map(|r| each(&mut |a| a.round = Some(r)))
            .to_vec(),
        Slot::CvtRound => {
            let rounds = Round::ALL.map(|r| each(&mut |a| a.round = Some(r)));
            rounds.into_iter().chain([base]).collect()
        }
        Slot::Ftz => flag(|a| a.ftz = true),
        Slot::Sat => flag(|a| a.sat = true),
        Slot::Wrap => flag(|a| a.wrap = true),
        Slot::Space => Space::ALL
            .map(|s| each(&mut |a| a.space = Some(s)))
            .to_vec(),
        Slot::Vec => [0, 2, 4].map(|v| each(&mut |a| a.vec = v)).to_vec(),
        Slot::Kind => Kind::ALL.map(|k| each(&mut |a| a.kind = Some(k))).to_vec(),
        Slot::SrcKind => Kind::ALL
            .map(|k| each(&mut |a| a.src_kind = Some(k)))
            .to_vec(),
        Slot::SReg => SReg::ALL.map(|s| each(&mut |a| a.sreg = Some(s))).to_vec(),
        Slot::Var => vars
            .iter()
            .map(|v| each(&mut |a| a.var = Some(*v)))
            .collect(),
    }
}

/// What stands for operands that may be literals.
#[derive(Clone, Copy)]
enum Fill {
    /// Values.
    Values,
    /// Constants with these bits.
    Bits(u64),
}

const FILLS: [Fill; 5] = [
    Fill::Values,
    Fill::Bits(0),
    Fill::Bits(1),
    Fill::Bits(u64::MAX),
    Fill::Bits(0x8000_8000_8000_8080),
];
const TYPES: [Type; 11] = [
    Type::Pred,
    Type::I8,
    Type::I16,
    Type::I32,
    Type::I64,
    Type::F16,
    Type::Bf16,
    Type::F32,
    Type::F64,
    Type::Ptr(Space::Global),
    Type::Ptr(Space::Shared),
];

/// A kernel with a value of every type, and two blocks to go to.
struct Frame {
    func: Function,
    values: BTreeMap<Type, Value>,
    vars: Vec<Var>,
    entry: Block,
    plain: Block,
    loops: Block,
}

fn frame() -> Frame {
    let mut func = Function::new("k");
    let mut values = BTreeMap::new();
    let spaces = Space::ALL.map(Type::Ptr);
    for (n, ty) in TYPES.into_iter().chain(spaces).enumerate() {
        let value = func.add_param(&format!("p{n}"), ty, None, Span::NONE);
        values.insert(ty, value);
    }
    let vars = TYPES.iter().enumerate();
    let vars = vars
        .map(|(n, ty)| func.add_var(format!("v{n}"), *ty, Span::NONE))
        .collect();
    let entry = func.add_block(Some("entry"));
    let plain = func.add_block(None);
    let loops = func.add_block(Some("loop"));
    func.add_block_param(loops, Type::I32);
    func.add_block_param(loops, Type::F32);
    for block in [plain, loops] {
        let ret = func.create_inst(Opcode::Ret, Attrs::default(), &[], &[], Span::NONE);
        func.blocks[block].insts.push(ret);
    }
    let begin = func.create_inst(
        Opcode::CvgBegin,
        Attrs::default(),
        &[],
        &[Type::Cvg],
        Span::NONE,
    );
    func.blocks[entry].insts.push(begin);
    values.insert(Type::Cvg, func.insts[begin].results[0]);
    Frame {
        func,
        values,
        vars,
        entry,
        plain,
        loops,
    }
}

impl Frame {
    fn operand(&mut self, op: Opcode, attrs: &Attrs, rule: Rule, fill: Fill) -> Option<Value> {
        let kind = |kind: Option<Kind>| match kind? {
            // Pointers of a space that is not the default one.
            Kind::Ptr => Some(Type::Ptr(Space::Shared)),
            kind => Some(kind.ty()),
        };
        let ty = match rule {
            Rule::K | Rule::Vec => kind(attrs.kind)?,
            Rule::S => kind(attrs.src_kind)?,
            Rule::Wide => attrs.kind?.widened()?.ty(),
            Rule::Pred => Type::Pred,
            Rule::I32 => Type::I32,
            Rule::I64 => Type::I64,
            Rule::Ptr => Type::Ptr(attrs.space.unwrap_or(Space::Local)),
            Rule::Addr => Type::Ptr(attrs.space?),
            Rule::Cvg => Type::Cvg,
            Rule::VarTy => self.func.vars[attrs.var?].ty,
        };
        assert!(op.desc().args.contains(&rule));
        match fill {
            Fill::Bits(bits) if ty != Type::Cvg => Some(self.func.constant(ty, bits)),
            Fill::Bits(_) | Fill::Values => self.values.get(&ty).copied(),
        }
    }

    /// The module with one instruction of the opcode; `None` where the attributes are not legal.
    fn finish(mut self, op: Opcode, attrs: Attrs, fill: Fill) -> Option<Module> {
        let mut count = op.desc().args.len();
        if op.desc().args.last() == Some(&Rule::Vec) {
            count += usize::from(attrs.vec.max(1)) - 1;
        }
        let mut args = Vec::new();
        for n in 0..count {
            let rule = operand_rule(op, n)?;
            args.push(self.operand(op, &attrs, rule, fill)?);
        }
        let types = result_types(&self.func, op, &attrs, &args)?;
        let inst = self.func.create_inst(op, attrs, &args, &types, Span::NONE);
        self.func.blocks[self.entry].insts.push(inst);
        let first = match fill {
            Fill::Values => self.values[&Type::I32],
            Fill::Bits(bits) => self.func.constant(Type::I32, bits),
        };
        let second = self.func.constant(Type::F32, 0x3E80_0000);
        let calls = [
            (self.loops, SmallVec::from_slice(&[first, second])),
            (self.plain, SmallVec::new()),
        ];
        for (block, args) in calls.into_iter().take(op.desc().targets.into()) {
            self.func.insts[inst]
                .targets
                .push(BlockCall { block, args });
        }
        if !op.flags().has(Flags::TERM) {
            let ret = Attrs::default();
            let ret = self
                .func
                .create_inst(Opcode::Ret, ret, &[], &[], Span::NONE);
            self.func.blocks[self.entry].insts.push(ret);
        }
        let legal = verify(&self.func, Stage::Vars).is_empty();
        legal.then(|| Module {
            name: "table \"\\\n".into(),
            wave: WaveSize::W64,
            target: Some("gfx942".into()),
            functions: vec![self.func],
        })
    }
}

/// Opcodes and attributes in the order of the text.
fn shape(module: &Module) -> Vec<(Opcode, Attrs)> {
    let func = &module.functions[0];
    let blocks = func.layout.iter().map(|b| &func.blocks[*b]);
    let insts = blocks.flat_map(|b| &b.insts).map(|i| &func.insts[*i]);
    let plain = |attrs: &Attrs| Attrs {
        // The numbering of variables is not part of the text.
        var: None,
        ..*attrs
    };
    insts.map(|i| (i.op, plain(&i.attrs))).collect()
}

#[test]
fn every_opcode_with_every_suffix_reads_back() {
    let mut checked: BTreeMap<Opcode, u32> = BTreeMap::new();
    for &op in Opcode::ALL {
        let vars = frame().vars;
        let mut all = vec![Attrs::default()];
        for slot in op.desc().slots {
            all = all
                .into_iter()
                .flat_map(|attrs| with_slot(*slot, attrs, &vars))
                .collect();
        }
        let has_address = op.desc().args.contains(&Rule::Addr);
        let offsets: &[i32] = if has_address {
            &[0, 16, -16, i32::MAX, i32::MIN]
        } else {
            &[0]
        };
        for (n, attrs) in all.into_iter().enumerate() {
            for (m, fill) in FILLS.into_iter().enumerate() {
                let offset = offsets[(n + m) % offsets.len()];
                let attrs = Attrs { offset, ..attrs };
                let Some(module) = frame().finish(op, attrs, fill) else {
                    continue;
                };
                let text = print(&module);
                let (again, found) = read(&text);
                let again = again.unwrap_or_else(|| panic!("{found:#?}\n{text}"));
                assert_eq!(print(&again), text);
                assert_eq!(shape(&again), shape(&module), "{text}");
                assert_eq!(again.target, module.target);
                *checked.entry(op).or_default() += 1;
            }
        }
    }
    let missing: Vec<_> = Opcode::ALL
        .iter()
        .filter(|op| !checked.contains_key(op))
        .collect();
    assert!(missing.is_empty(), "no legal form of {missing:?}");
    let total: u32 = checked.values().sum();
    assert!(total > 10_000, "{total} forms: {checked:?}");
}
