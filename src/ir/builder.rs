//! Builds instructions with checked shapes: result types follow from the opcode table.

use smallvec::SmallVec;

use super::entity::{Block, Inst, Value, Var};
use super::func::{Attrs, BlockCall, Function};
use super::opcode::{Cmp, OpDesc, Opcode, Round, Rule, SReg, Slot};
use super::types::{Kind, Space, Type};
use crate::diag::Span;

/// The types that an instruction's results have by its row.
///
/// `args` are the operand values; `None` where the attributes that the row asks for are missing.
pub fn result_types(
    func: &Function,
    op: Opcode,
    attrs: &Attrs,
    args: &[Value],
) -> Option<SmallVec<[Type; 1]>> {
    let mut types = SmallVec::new();
    for rule in op.desc().results {
        let kind_type = || {
            let kind = attrs.kind?;
            if kind != Kind::Ptr {
                return Some(kind.ty());
            }
            // A pointer of the operand's space; loads of pointers give generic global addresses.
            let of_arg = args.iter().map(|a| func.ty(*a)).find(|t| t.is_ptr());
            if op == Opcode::Ld {
                Some(Type::Ptr(Space::Global))
            } else {
                of_arg
            }
        };
        match rule {
            Rule::K => types.push(kind_type()?),
            Rule::S => types.push(attrs.src_kind?.ty()),
            Rule::Wide => types.push(attrs.kind?.widened()?.ty()),
            Rule::Pred => types.push(Type::Pred),
            Rule::I32 => types.push(Type::I32),
            Rule::I64 => types.push(Type::I64),
            Rule::Ptr | Rule::Addr => match attrs.space {
                Some(space) if op.desc().has_slot(Slot::Space) => types.push(Type::Ptr(space)),
                _ => types.push(args.first().map(|a| func.ty(*a))?),
            },
            Rule::Cvg => types.push(Type::Cvg),
            Rule::VarTy => types.push(func.vars[attrs.var?].ty),
            Rule::Vec => {
                let ty = kind_type()?;
                types.extend(std::iter::repeat_n(ty, usize::from(attrs.vec.max(1))));
            }
        }
    }
    Some(types)
}

/// Appends instructions at the end of a block. All methods take the current span.
#[derive(Debug)]
pub struct Builder<'f> {
    /// The function being built.
    pub func: &'f mut Function,
    /// The block that instructions go to.
    pub block: Block,
    /// Source place of the next instructions.
    pub span: Span,
}

impl<'f> Builder<'f> {
    /// A builder at the end of `block`.
    pub fn new(func: &'f mut Function, block: Block) -> Builder<'f> {
        Builder {
            func,
            block,
            span: Span::NONE,
        }
    }

    /// Whether the current block already has its terminator.
    pub fn is_terminated(&self) -> bool {
        self.func.terminator(self.block).is_some()
    }

    /// Appends an instruction of any opcode. The kind is made canonical.
    ///
    /// Panics where the attributes that the opcode's row asks for are missing: a bug of the caller.
    pub fn emit(&mut self, op: Opcode, mut attrs: Attrs, args: &[Value]) -> Inst {
        attrs.kind = attrs.kind.map(|k| op.canonical_kind(k));
        let types = result_types(self.func, op, &attrs, args).expect("the caller sets every slot");
        let inst = self.func.create_inst(op, attrs, args, &types, self.span);
        self.func.blocks[self.block].insts.push(inst);
        inst
    }

    fn emit_value(&mut self, op: Opcode, attrs: Attrs, args: &[Value]) -> Value {
        let inst = self.emit(op, attrs, args);
        self.func.insts[inst].results[0]
    }

    /// An operation with a kind and operands; floats round to nearest even.
    pub fn op(&mut self, op: Opcode, kind: Kind, args: &[Value]) -> Value {
        let desc: &OpDesc = op.desc();
        let round = desc.has_slot(Slot::Round).then_some(Round::Rn);
        self.emit_value(
            op,
            Attrs {
                kind: Some(kind),
                round,
                ..Attrs::default()
            },
            args,
        )
    }

    /// A shift whose count is taken modulo the width.
    pub fn shift_wrap(&mut self, op: Opcode, kind: Kind, value: Value, count: Value) -> Value {
        let attrs = Attrs {
            kind: Some(kind),
            wrap: true,
            ..Attrs::default()
        };
        self.emit_value(op, attrs, &[value, count])
    }

    /// `setp`.
    pub fn setp(&mut self, cmp: Cmp, kind: Kind, a: Value, b: Value) -> Value {
        let attrs = Attrs {
            cmp: Some(cmp),
            kind: Some(kind),
            ..Attrs::default()
        };
        self.emit_value(Opcode::Setp, attrs, &[a, b])
    }

    /// `selp`.
    pub fn selp(&mut self, kind: Kind, yes: Value, no: Value, pred: Value) -> Value {
        self.op(Opcode::Selp, kind, &[yes, no, pred])
    }

    /// `cvt` with the rounding that its slots ask for (see [`cvt_round`]).
    pub fn cvt(&mut self, to: Kind, from: Kind, value: Value) -> Value {
        let round = cvt_round(to, from);
        let attrs = Attrs {
            kind: Some(to),
            src_kind: Some(from),
            round,
            ..Attrs::default()
        };
        self.emit_value(Opcode::Cvt, attrs, &[value])
    }

    /// `bitcast`.
    pub fn bitcast(&mut self, to: Kind, from: Kind, value: Value) -> Value {
        let attrs = Attrs {
            kind: Some(to),
            src_kind: Some(from),
            ..Attrs::default()
        };
        self.emit_value(Opcode::Bitcast, attrs, &[value])
    }

    /// `sreg.u32`.
    pub fn sreg(&mut self, sreg: SReg) -> Value {
        let attrs = Attrs {
            kind: Some(Kind::U32),
            sreg: Some(sreg),
            ..Attrs::default()
        };
        self.emit_value(Opcode::SReg, attrs, &[])
    }

    /// `ptradd`.
    pub fn ptradd(&mut self, ptr: Value, offset: Value) -> Value {
        self.emit_value(Opcode::PtrAdd, Attrs::default(), &[ptr, offset])
    }

    /// A scalar load.
    pub fn ld(&mut self, space: Space, kind: Kind, ptr: Value, offset: i32) -> Value {
        let attrs = Attrs {
            space: Some(space),
            kind: Some(kind),
            offset,
            ..Attrs::default()
        };
        self.emit_value(Opcode::Ld, attrs, &[ptr])
    }

    /// A scalar store.
    pub fn st(&mut self, space: Space, kind: Kind, ptr: Value, offset: i32, value: Value) {
        let attrs = Attrs {
            space: Some(space),
            kind: Some(kind),
            offset,
            ..Attrs::default()
        };
        self.emit(Opcode::St, attrs, &[ptr, value]);
    }

    /// `var.get`.
    pub fn var_get(&mut self, var: Var) -> Value {
        self.emit_value(
            Opcode::VarGet,
            Attrs {
                var: Some(var),
                ..Attrs::default()
            },
            &[],
        )
    }

    /// `var.set`.
    pub fn var_set(&mut self, var: Var, value: Value) {
        self.emit(
            Opcode::VarSet,
            Attrs {
                var: Some(var),
                ..Attrs::default()
            },
            &[value],
        );
    }

    /// `br`.
    pub fn br(&mut self, block: Block, args: &[Value]) {
        let inst = self.emit(Opcode::Br, Attrs::default(), &[]);
        self.func.insts[inst].targets.push(BlockCall {
            block,
            args: SmallVec::from_slice(args),
        });
    }

    /// `brc` to blocks without arguments.
    pub fn brc(&mut self, pred: Value, yes: Block, no: Block) {
        let inst = self.emit(Opcode::Brc, Attrs::default(), &[pred]);
        for block in [yes, no] {
            self.func.insts[inst].targets.push(BlockCall {
                block,
                args: SmallVec::new(),
            });
        }
    }

    /// `ret`.
    pub fn ret(&mut self) {
        self.emit(Opcode::Ret, Attrs::default(), &[]);
    }
}

/// The rounding that a conversion carries: `rn` where the result is a float that may be inexact,
/// `rzi` from float to integer, none where the conversion is exact.
pub fn cvt_round(to: Kind, from: Kind) -> Option<Round> {
    let mantissa = |k: Kind| match k {
        Kind::F16 => 11,
        Kind::Bf16 => 8,
        Kind::F32 => 24,
        Kind::F64 => 53,
        other => other.bits() - u32::from(other.is_signed()),
    };
    if from.is_float() && to.is_int() {
        return Some(Round::Rzi);
    }
    if !to.is_float() {
        return None;
    }
    let narrows_exponent = (from, to) == (Kind::Bf16, Kind::F16);
    (mantissa(from) > mantissa(to) || narrows_exponent).then_some(Round::Rn)
}
