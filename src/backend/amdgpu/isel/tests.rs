//! Selection over the whole opcode table: whatever VISA can say, with operands in every bank, must
//! come out as instructions whose operands are legal and defined.

use std::collections::HashSet;

use super::{Selection, select};
use crate::backend::amdgpu::abi::KernelAbi;
use crate::backend::amdgpu::desc::GFX942;
use crate::backend::amdgpu::legalize::legalize;
use crate::backend::mir::{MFunction, MInst, MOp, MOperand, Pseudo, VReg};
use crate::diag::{Sink, Span};
use crate::ir::verify::{Stage, render_errors, verify};
use crate::ir::{
    Attrs, Builder, Cmp, Flags, Function, Kind, Opcode, Round, Rule, SReg, Slot, Space, Type,
    Value, ValueDef,
};
use crate::isa::amdgpu::{Isa, isa, op, regs};
use crate::isa::{Accepts, MachineInst, Operand, Reg, RegFile, Role};

fn rows() -> &'static Isa {
    isa(GFX942.chip).expect("the chip has rows")
}

/// Selects with everything uniform that does not depend on a work-item id.
fn compile(func: &mut Function) -> MFunction {
    let mf = compile_unchecked(func);
    check(&mf);
    mf
}

fn compile_unchecked(func: &mut Function) -> MFunction {
    let mut sink = Sink::new();
    assert!(legalize(func, &mut sink), "{:?}", sink.take());
    let errors = verify(func, Stage::Ssa);
    assert!(errors.is_empty(), "{}", render_errors(func, &errors));
    let divergent = divergent_values(func);
    let uniform = |v: Value| !divergent.contains(&v);
    let abi = KernelAbi::new(func, GFX942.desc, None);
    let selection = Selection {
        func,
        uniform: &uniform,
        abi: &abi,
        desc: GFX942.desc,
        isa: rows(),
    };
    select(&selection)
}

/// Values that depend on a lane by data; the functions here have no divergent branches.
fn divergent_values(func: &Function) -> HashSet<Value> {
    let mut found = HashSet::new();
    for block in &func.layout {
        for inst in &func.blocks[*block].insts {
            let data = &func.insts[*inst];
            let is_lane = matches!(data.attrs.sreg, Some(SReg::TidX | SReg::LaneId));
            if is_lane || data.args.iter().any(|a| found.contains(a)) {
                found.extend(data.results.iter().copied());
            }
        }
    }
    found
}

/// Every use of a register follows a definition in layout order, and every operand is one that the
/// row takes.
fn check(mf: &MFunction) {
    let mut defined: HashSet<VReg> = HashSet::new();
    for block in &mf.layout {
        for inst in &mf.block(*block).insts {
            for (n, operand) in inst.operands.iter().enumerate() {
                let role = role(inst, n);
                if let MOperand::VReg { reg, first, count } = *operand {
                    assert!(first + count <= mf.vreg(reg).dwords, "{inst:?}");
                    let known = defined.contains(&reg);
                    assert!(role == Role::Def || known, "{reg} in {inst:?}");
                }
            }
            let defs = inst.operands.iter().enumerate();
            for (n, operand) in defs {
                if let (Role::Def, MOperand::VReg { reg, .. }) = (role(inst, n), *operand) {
                    defined.insert(reg);
                }
            }
            check_operands(mf, inst);
        }
    }
}

fn role(inst: &MInst, n: usize) -> Role {
    match inst.op {
        MOp::Row(row, form) => rows().row(row).operands(form)[n].role,
        MOp::Pseudo(pseudo) => pseudo.role(n),
    }
}

fn check_operands(mf: &MFunction, inst: &MInst) {
    let MOp::Row(row, form) = inst.op else {
        return check_pseudo(mf, inst);
    };
    let row = rows().row(row);
    let specs = row.operands(form);
    assert_eq!(specs.len(), inst.operands.len(), "{} {inst:?}", row.name());
    let is_vector = row.name().starts_with("v_");
    let mut scalars: HashSet<MOperand> = HashSet::new();
    for (operand, spec) in inst.operands.iter().zip(specs) {
        let file = match *operand {
            MOperand::VReg { reg, count, .. } => {
                assert_eq!(count, spec.ty.dwords(), "{} {inst:?}", row.name());
                Some(mf.vreg(reg).file)
            }
            MOperand::Phys(reg) => Some(reg.file),
            _ => None,
        };
        let legal = match (spec.accepts, file, operand) {
            (Accepts::Vgpr | Accepts::VgprOrAgpr, file, _) => file == Some(RegFile::Vgpr),
            (Accepts::Sdst | Accepts::Sgpr, file, _) => file == Some(RegFile::Sgpr),
            (Accepts::Ssrc, Some(file), _) => file == RegFile::Sgpr,
            (Accepts::Ssrc, None, MOperand::Inline(_) | MOperand::Literal(_)) => true,
            (Accepts::Src, Some(_), _) | (Accepts::Src, None, MOperand::Inline(_)) => true,
            (Accepts::Src, None, MOperand::Literal(_)) => form == crate::isa::Form::Base,
            (_, None, MOperand::Off) => true,
            (Accepts::Vcc, _, MOperand::Phys(reg)) => *reg == regs::VCC_PAIR,
            (_, None, MOperand::Imm(_)) => true,
            _ => false,
        };
        assert!(
            legal,
            "{} {:?} {operand:?} in {inst:?}",
            row.name(),
            spec.accepts
        );
        let reads_scalar = file == Some(RegFile::Sgpr) || matches!(operand, MOperand::Literal(_));
        if is_vector && spec.role != Role::Def && reads_scalar {
            scalars.insert(*operand);
        }
    }
    assert!(
        scalars.len() <= GFX942.desc.constant_bus,
        "{} {inst:?}",
        row.name()
    );
    check_encoding(mf, inst);
}

/// The encoder takes the instruction with any aligned registers.
fn check_encoding(mf: &MFunction, inst: &MInst) {
    let MOp::Row(row, form) = inst.op else { return };
    let place = |operand: &MOperand| match *operand {
        MOperand::VReg { reg, first, count } => {
            let data = mf.vreg(reg);
            assert_eq!(4 % data.align, 0, "alignments divide four");
            let index = (reg.0 * 4 % 96) as u16 + u16::from(first);
            Operand::Reg(Reg {
                file: data.file,
                index,
                count,
            })
        }
        MOperand::Phys(reg) => Operand::Reg(reg),
        MOperand::Inline(code) => Operand::Inline(code),
        MOperand::Literal(bits) => Operand::Literal(bits),
        MOperand::Imm(value) => Operand::Imm(value),
        MOperand::Off => Operand::Off,
        MOperand::Block(_) | MOperand::SlotOffset(_) => unreachable!("not selected: {inst:?}"),
    };
    let machine = MachineInst {
        row,
        form,
        operands: inst.operands.iter().map(place).collect(),
        mods: inst.mods,
    };
    let checked = rows().check(&machine);
    assert!(
        checked.is_ok(),
        "{checked:?}: {}",
        rows().print(&machine, None)
    );
}

fn check_pseudo(mf: &MFunction, inst: &MInst) {
    let MOp::Pseudo(Pseudo::Copy | Pseudo::ParallelCopy) = inst.op else {
        return;
    };
    let shape = |o: &MOperand| match *o {
        MOperand::VReg { reg, count, .. } => (mf.vreg(reg).file, count),
        MOperand::Phys(reg) => (reg.file, reg.count),
        _ => unreachable!("copies are between registers: {inst:?}"),
    };
    for pair in inst.operands.chunks(2) {
        let ((to, width), (from, other)) = (shape(&pair[0]), shape(&pair[1]));
        assert_eq!(width, other, "{inst:?}");
        assert!(to == RegFile::Vgpr || from == RegFile::Sgpr, "{inst:?}");
    }
}

/// Where an operand comes from in the generated functions.
#[derive(Clone, Copy, Debug)]
enum Source {
    Argument,
    Lane,
    Constant(u64),
}

const SOURCES: [Source; 4] = [
    Source::Argument,
    Source::Lane,
    Source::Constant(5),
    Source::Constant(0xfedc_ba98_7654_3210),
];

/// An operand of a type; lane-dependent ones are made from the lane id.
fn operand(b: &mut Builder, ty: Type, source: Source) -> Value {
    let make = |b: &mut Builder| {
        let lane = b.sreg(SReg::LaneId);
        match ty {
            Type::I32 => lane,
            Type::I8 | Type::I16 | Type::I64 | Type::F32 | Type::F64 => {
                let to = Kind::ALL
                    .into_iter()
                    .find(|k| k.ty() == ty)
                    .expect("a kind");
                b.cvt(to, Kind::U32, lane)
            }
            _ => {
                let wide = b.cvt(Kind::U64, Kind::U32, lane);
                let zero = b.func.constant(Type::Ptr(Space::Global), 0);
                b.ptradd(zero, wide)
            }
        }
    };
    match (source, ty) {
        (Source::Lane, Type::Pred) => {
            let lane = b.sreg(SReg::LaneId);
            let limit = b.func.constant(Type::I32, 7);
            b.setp(Cmp::Lt, Kind::U32, lane, limit)
        }
        (Source::Lane, _) => make(b),
        (Source::Argument, _) => {
            b.func
                .add_param(&format!("p{}", b.func.params.len()), ty, None, Span::NONE)
        }
        (Source::Constant(bits), _) => b.func.constant(ty, bits),
    }
}

fn rule_type(rule: Rule, kind: Kind, src: Kind) -> Type {
    let global = Type::Ptr(Space::Global);
    match rule {
        Rule::K | Rule::Vec if kind == Kind::Ptr => global,
        Rule::K | Rule::Vec => kind.ty(),
        Rule::S => src.ty(),
        Rule::Wide => kind.widened().expect("widenable").ty(),
        Rule::Pred => Type::Pred,
        Rule::I32 => Type::I32,
        Rule::I64 => Type::I64,
        Rule::Ptr | Rule::Addr => global,
        Rule::Cvg | Rule::VarTy => unreachable!("not generated"),
    }
}

fn store_result(b: &mut Builder, value: Value) {
    let ty = b.func.ty(value);
    let out = b
        .func
        .add_param("out", Type::Ptr(Space::Global), None, Span::NONE);
    let (kind, value) = match ty {
        Type::Pred => {
            let (one, zero) = (b.func.constant(Type::I32, 1), b.func.constant(Type::I32, 0));
            (Kind::U32, b.selp(Kind::U32, one, zero, value))
        }
        Type::Ptr(_) => (Kind::Ptr, value),
        _ => {
            let kind = Kind::ALL
                .into_iter()
                .find(|k| k.ty() == ty)
                .expect("a kind");
            (kind, value)
        }
    };
    b.st(Space::Global, kind, out, 8, value);
}

/// One instruction with operands of the given sources, its result stored.
fn one(opcode: Opcode, attrs: Attrs, sources: &[Source]) -> Function {
    let mut func = Function::new("k");
    let block = func.add_block(None);
    let mut b = Builder::new(&mut func, block);
    let (kind, src) = (
        attrs.kind.unwrap_or(Kind::U32),
        attrs.src_kind.unwrap_or(Kind::U32),
    );
    let args: Vec<Value> = opcode
        .desc()
        .args
        .iter()
        .zip(sources)
        .map(|(rule, source)| operand(&mut b, rule_type(*rule, kind, src), *source))
        .collect();
    let inst = b.emit(opcode, attrs, &args);
    let results = b.func.insts[inst].results.clone();
    for result in results {
        store_result(&mut b, result);
    }
    b.ret();
    func
}

fn is_supported(kind: Kind) -> bool {
    !matches!(kind, Kind::F16 | Kind::Bf16)
}

/// All attribute sets of an opcode that the target has code for.
fn attribute_sets(opcode: Opcode) -> Vec<Attrs> {
    let desc = opcode.desc();
    let mut sets = Vec::new();
    let kinds = |set: crate::ir::KindSet, has| -> Vec<Option<Kind>> {
        match has {
            true => set.iter().filter(|k| is_supported(*k)).map(Some).collect(),
            false => vec![None],
        }
    };
    for kind in kinds(desc.kinds, desc.has_slot(Slot::Kind)) {
        for src_kind in kinds(desc.src_kinds, desc.has_slot(Slot::SrcKind)) {
            let width = |k: Option<Kind>| k.map_or(0, Kind::bits);
            if opcode == Opcode::Bitcast && width(kind) != width(src_kind) {
                continue;
            }
            let mut base = Attrs {
                kind,
                src_kind,
                ..Attrs::default()
            };
            if desc.has_slot(Slot::Round) {
                base.round = Some(Round::Rn);
            }
            if let (true, Some(to), Some(from)) = (desc.has_slot(Slot::CvtRound), kind, src_kind) {
                base.round = crate::ir::builder::cvt_round(to, from);
            }
            if desc.has_slot(Slot::Space) {
                base.space = Some(Space::Global);
            }
            if desc.has_slot(Slot::Cmp) {
                let float = kind.is_some_and(Kind::is_float);
                let cmps = Cmp::ALL.into_iter().filter(|c| float || c.is_ordered_six());
                sets.extend(cmps.map(|c| Attrs {
                    cmp: Some(c),
                    ..base
                }));
            } else {
                sets.push(base);
                if desc.has_slot(Slot::Wrap) {
                    sets.push(Attrs { wrap: true, ..base });
                }
            }
        }
    }
    sets
}

#[test]
fn every_operation_is_selected_for_every_kind_of_operand() {
    let skip = |op: Opcode| {
        op.flags().has(Flags::TERM)
            || op.flags().has(Flags::VAR)
            || op.flags().has(Flags::CONVERGENT)
            || matches!(op, Opcode::SReg | Opcode::St)
    };
    let mut count = 0;
    for opcode in Opcode::ALL.iter().copied().filter(|o| !skip(*o)) {
        for attrs in attribute_sets(opcode) {
            let arity = opcode.desc().args.len();
            for n in 0..SOURCES.len().pow(arity as u32) {
                let pick = |i: usize| SOURCES[n / SOURCES.len().pow(i as u32) % SOURCES.len()];
                let sources: Vec<_> = (0..arity).map(pick).collect();
                compile(&mut one(opcode, attrs, &sources));
                count += 1;
            }
        }
    }
    assert!(count > 5000, "{count}");
}

#[test]
fn special_registers_and_vectors_are_selected() {
    for sreg in SReg::ALL {
        let mut func = Function::new("k");
        let block = func.add_block(None);
        let mut b = Builder::new(&mut func, block);
        let value = b.sreg(sreg);
        store_result(&mut b, value);
        b.ret();
        compile(&mut func);
    }
    for kind in Kind::ALL
        .into_iter()
        .filter(|k| is_supported(*k) && *k != Kind::Pred)
    {
        // There are no vectors of pointers.
        let widths: &[u8] = if kind == Kind::Ptr { &[1] } else { &[1, 2, 4] };
        for &vec in widths {
            for lane in [false, true] {
                let mut func = Function::new("k");
                let block = func.add_block(None);
                let mut b = Builder::new(&mut func, block);
                let source = if lane { Source::Lane } else { Source::Argument };
                let ptr = operand(&mut b, Type::Ptr(Space::Global), source);
                let attrs = Attrs {
                    kind: Some(kind),
                    vec,
                    space: Some(Space::Global),
                    offset: 5000,
                    ..Attrs::default()
                };
                if Opcode::Ld.desc().kinds.has(kind) {
                    let inst = b.emit(Opcode::Ld, attrs, &[ptr]);
                    let results = b.func.insts[inst].results.clone();
                    let mut args = vec![ptr];
                    args.extend(results);
                    b.emit(
                        Opcode::St,
                        Attrs {
                            offset: 16,
                            ..attrs
                        },
                        &args,
                    );
                }
                b.ret();
                compile(&mut func);
            }
        }
    }
}

/// The rows of a function's instructions in order, pseudos left out.
fn names(mf: &MFunction) -> Vec<&'static str> {
    let insts = mf.layout.iter().flat_map(|b| &mf.block(*b).insts);
    insts
        .filter_map(|i| match i.op {
            MOp::Row(row, _) => Some(rows().row(row).name()),
            MOp::Pseudo(_) => None,
        })
        .collect()
}

#[test]
fn uniform_arithmetic_stays_on_the_scalar_unit() {
    for (opcode, kind) in [
        (Opcode::Add, Kind::U64),
        (Opcode::Sub, Kind::U64),
        (Opcode::MulLo, Kind::U64),
        (Opcode::Min, Kind::S64),
        (Opcode::And, Kind::B64),
    ] {
        let attrs = Attrs {
            kind: Some(kind),
            ..Attrs::default()
        };
        let mut func = one(opcode, attrs, &[Source::Argument, Source::Argument]);
        let mf = compile(&mut func);
        let vector = names(&mf).into_iter().filter(|n| n.starts_with("v_"));
        // The stored value and the zero offset of the store.
        assert!(
            vector.clone().all(|n| n == "v_mov_b32"),
            "{opcode:?}: {:?}",
            vector.collect::<Vec<_>>()
        );
    }
}

#[test]
fn an_index_becomes_an_address_in_one_instruction() {
    let mut func = Function::new("k");
    let x = func.add_param("x", Type::Ptr(Space::Global), Some(Kind::F32), Span::NONE);
    let block = func.add_block(None);
    let mut b = Builder::new(&mut func, block);
    let lane = b.sreg(SReg::TidX);
    let four = b.func.constant(Type::I32, 4);
    let offset = b.op(Opcode::MulWide, Kind::U32, &[lane, four]);
    let ptr = b.ptradd(x, offset);
    let value = b.ld(Space::Global, Kind::F32, ptr, 0);
    b.st(Space::Global, Kind::F32, ptr, 0, value);
    b.ret();
    let mf = compile(&mut func);
    assert_eq!(
        names(&mf),
        [
            "s_load_dwordx2",
            "v_mad_u64_u32",
            "global_load_dword",
            "global_store_dword"
        ]
    );
}

#[test]
fn read_only_memory_at_uniform_addresses_is_loaded_by_the_scalar_unit() {
    for (readonly, noalias, row) in [
        (true, true, "s_load_dword"),
        (true, false, "global_load_dword"),
        (false, true, "global_load_dword"),
    ] {
        let mut func = Function::new("k");
        let x = func.add_param("x", Type::Ptr(Space::Global), None, Span::NONE);
        func.params[0].readonly = readonly;
        func.params[0].noalias = noalias;
        let y = func.add_param("y", Type::Ptr(Space::Global), None, Span::NONE);
        let block = func.add_block(None);
        let mut b = Builder::new(&mut func, block);
        let value = b.ld(Space::Global, Kind::F32, x, 0);
        b.st(Space::Global, Kind::F32, y, 0, value);
        b.ret();
        let mf = compile(&mut func);
        assert!(names(&mf).contains(&row), "{:?}", names(&mf));
    }
}

#[test]
fn registers_carry_names_and_branches_their_conditions() {
    let mut func = Function::new("k");
    let a = func.add_param("a", Type::I32, None, Span::NONE);
    let entry = func.add_block(Some("entry"));
    let yes = func.add_block(Some("yes"));
    let no = func.add_block(Some("no"));
    let mut b = Builder::new(&mut func, entry);
    let limit = b.func.constant(Type::I32, 100);
    let p = b.setp(Cmp::Lt, Kind::U32, a, limit);
    b.brc(p, yes, no);
    for block in [yes, no] {
        Builder::new(&mut func, block).ret();
    }
    assert!(matches!(func.values[a].def, ValueDef::Arg(0)));
    let mf = compile(&mut func);
    let entry = &mf.block(mf.layout[0]).insts;
    let ops: Vec<_> = entry.iter().map(|i| i.op).collect();
    let n = ops.len();
    assert_eq!(ops[n - 1], MOp::Pseudo(Pseudo::BrScc));
    assert!(
        matches!(ops[n - 2], MOp::Row(row, _) if row == op::S_CMP_LT_U32),
        "{entry:?}"
    );
    assert_eq!(mf.block(mf.layout[0]).logical_succs.len(), 2);
    assert!(mf.vregs.iter().any(|v| v.name.as_deref() == Some("a")));
}

#[test]
fn blocks_may_stand_before_their_dominators() {
    let mut func = Function::new("k");
    let out = func.add_param("out", Type::Ptr(Space::Global), None, Span::NONE);
    let entry = func.add_block(Some("entry"));
    let last = func.add_block(Some("last"));
    let dead = func.add_block(Some("dead"));
    let middle = func.add_block(Some("middle"));
    Builder::new(&mut func, entry).br(middle, &[]);
    let mut b = Builder::new(&mut func, middle);
    let lane = b.sreg(SReg::LaneId);
    b.br(last, &[]);
    let mut b = Builder::new(&mut func, last);
    b.st(Space::Global, Kind::U32, out, 0, lane);
    b.ret();
    Builder::new(&mut func, dead).br(last, &[]);
    let mf = compile_unchecked(&mut func);
    let names: Vec<_> = mf
        .layout
        .iter()
        .map(|b| mf.block(*b).name.as_deref())
        .collect();
    assert_eq!(names, [Some("entry"), Some("last"), Some("middle")]);
    let last = &mf.block(mf.layout[1]).insts;
    let store = last
        .iter()
        .find(|i| matches!(i.op, MOp::Row(row, _) if row == op::GLOBAL_STORE_DWORD));
    assert!(matches!(store.unwrap().operands[1], MOperand::VReg { .. }));
    assert!(
        !last
            .iter()
            .any(|i| matches!(i.op, MOp::Row(row, _) if row == op::V_MBCNT_LO_U32_B32)),
        "the lane id is made in its own block"
    );
}
