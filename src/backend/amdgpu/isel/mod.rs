//! Instruction selection: VISA to machine instructions over virtual registers.
//!
//! Takes a legalized function and which of its values are uniform; gives machine IR of stage
//! `Selected`. Each value gets a home: a constant, scalar registers or vector registers
//! ([`bank`]); each operation is selected for the bank of its result. A tuple of 64 bits is an
//! aligned pair.
//!
//! | file | selects |
//! | --- | --- |
//! | `entry` | arguments and ids at the start of the kernel |
//! | `int`, `div` | integers of all widths, division |
//! | `float`, `convert` | floats, conversions |
//! | `compare` | comparisons, truth values, selection |
//! | `memory` | loads, stores, addresses |
//! | `control` | blocks, block parameters, branches |
//! | `build` | emission, operand rules |

mod bank;
mod build;
mod compare;
mod control;
mod convert;
mod div;
mod entry;
mod float;
mod int;
mod memory;
mod operand;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use self::bank::{Banks, dwords_of};
use self::compare::Truth;
use self::entry::Environment;
use self::int::Shift;
use self::operand::{Bank, Opd};
use super::abi::KernelAbi;
use crate::backend::mir::{MBlock, MFunction};
use crate::backend::target::TargetDesc;
use crate::diag::Span;
use crate::ir::cfg::Cfg;
use crate::ir::{Block, BlockCall, Function, Inst, InstData, Kind, Opcode, Type, Value, ValueDef};
use crate::isa::amdgpu::Isa;

/// What selection works on.
pub struct Selection<'a> {
    /// The legalized function.
    pub func: &'a Function,
    /// Whether a value is the same in all lanes of a wave, wherever it is used.
    pub uniform: &'a dyn Fn(Value) -> bool,
    /// Calling convention.
    pub abi: &'a KernelAbi,
    /// Numbers of the target.
    pub desc: &'static TargetDesc,
    /// Instruction rows of the target.
    pub isa: &'static Isa,
}

/// Selects instructions for a whole kernel.
pub fn select(selection: &Selection<'_>) -> MFunction {
    let func = selection.func;
    let banks = Banks::compute(func, selection.uniform);
    let mut isel = Isel {
        func,
        uniform: selection.uniform,
        abi: selection.abi,
        desc: selection.desc,
        isa: selection.isa,
        folded: memory::folded_products(func, &banks),
        banks,
        mf: MFunction {
            name: func.name.clone(),
            ..MFunction::default()
        },
        mblock: MBlock(0),
        span: func.span.unwrap_or(Span::NONE),
        blocks: HashMap::new(),
        values: HashMap::new(),
        truths: HashMap::new(),
        uses: control::count_uses(func),
        homes: control::home_blocks(func),
        calls: control::conditional_calls(func),
        env: Environment::default(),
    };
    isel.run();
    isel.mf
}

/// The state of selection.
struct Isel<'a> {
    func: &'a Function,
    uniform: &'a dyn Fn(Value) -> bool,
    abi: &'a KernelAbi,
    desc: &'static TargetDesc,
    isa: &'static Isa,
    banks: Banks,
    mf: MFunction,
    /// Where instructions go.
    mblock: MBlock,
    /// Source place of the next instructions.
    span: Span,
    blocks: HashMap<Block, MBlock>,
    values: HashMap<Value, Opd>,
    truths: HashMap<Value, Truth>,
    uses: HashMap<Value, u32>,
    homes: HashMap<Inst, Block>,
    calls: HashMap<Block, BlockCall>,
    folded: HashSet<Value>,
    env: Environment,
}

impl Isel<'_> {
    fn run(&mut self) {
        // Definitions come before uses in this order; the layout of the code stays VISA's.
        let cfg = Cfg::compute(self.func);
        self.create_blocks(cfg.rpo());
        for (n, block) in cfg.rpo().iter().enumerate() {
            self.mblock = self.blocks[block];
            if n == 0 {
                self.select_entry();
            }
            self.select_block(*block);
        }
    }

    /// The operand of a value.
    fn value(&mut self, value: Value) -> Opd {
        if let ValueDef::Const(bits) = self.func.values[value].def {
            return Opd::Const(bits);
        }
        match self.values.get(&value) {
            Some(opd) => *opd,
            // A use that its definition does not dominate, in a block that is never reached.
            None => Opd::Const(0),
        }
    }

    /// The truth value of a `pred`.
    fn truth(&mut self, value: Value) -> Truth {
        match self.func.values[value].def {
            ValueDef::Const(bits) => Truth::Const(bits != 0),
            ValueDef::Arg(_) => Truth::Scalar(self.value(value)),
            ValueDef::Result(..) | ValueDef::BlockParam(..) => self
                .truths
                .get(&value)
                .copied()
                .unwrap_or(Truth::Const(false)),
        }
    }

    /// Says where a value lives, and gives its name to the register.
    fn bind(&mut self, value: Value, opd: Opd) {
        let opd = match (opd, self.banks.of(value)) {
            // Selection for vector results may stay in scalar registers (a copy of an argument).
            (Opd::Phys(_), bank) => self.in_bank(opd, bank, dwords_of(self.func.ty(value))),
            _ => opd,
        };
        self.values.insert(value, opd);
        if let Some(name) = self.func.values[value].name.clone() {
            self.name_reg(opd, &name);
        }
    }

    fn name_reg(&mut self, opd: Opd, name: &str) {
        if let Opd::Reg { reg, .. } = opd {
            let data = &mut self.mf.vregs[reg.0 as usize];
            data.name.get_or_insert_with(|| name.to_string());
        }
    }

    fn select_inst(&mut self, inst: Inst) {
        let func = self.func;
        let data = &func.insts[inst];
        self.span = data.span;
        match data.op {
            Opcode::Ld => return self.load(data),
            Opcode::St => return self.store(data),
            // Lanes reconverge at post-dominators; no convergent operation asks for more yet.
            Opcode::CvgBegin | Opcode::CvgEnd => return,
            _ => {}
        }
        let Some(&result) = data.results.first() else {
            return;
        };
        if self.folded.contains(&result) {
            return;
        }
        if func.ty(result) == Type::Pred {
            if !self.is_fused_with_branch(inst) {
                let truth = self.select_truth(data, result);
                let truth = match truth {
                    Truth::Scc => Truth::Scalar(self.scalar_truth(truth)),
                    other => other,
                };
                self.truths.insert(result, truth);
            }
            return;
        }
        let bank = self.banks.of(result);
        let opd = self.select_value(data, bank);
        self.bind(result, opd);
    }

    /// An operation whose result is a truth value.
    fn select_truth(&mut self, data: &InstData, result: Value) -> Truth {
        let bank = self.banks.of(result);
        match (data.op, data.args.as_slice()) {
            (Opcode::Setp, &[a, b]) => {
                let (Some(cmp), Some(kind)) = (data.attrs.cmp, data.attrs.kind) else {
                    return Truth::Const(false);
                };
                let (a, b) = (self.value(a), self.value(b));
                self.compare(bank, cmp, kind, a, b)
            }
            (Opcode::Not, &[a]) => {
                let a = self.truth(a);
                self.truth_not(bank, a)
            }
            (Opcode::Selp, &[yes, no, by]) => {
                let (yes, no, by) = (self.truth(yes), self.truth(no), self.truth(by));
                self.truth_select(bank, yes, no, by)
            }
            (_, &[a, b]) => {
                let (a, b) = (self.truth(a), self.truth(b));
                self.truth_logic(bank, data.op, a, b)
            }
            (_, &[a]) => self.truth(a),
            _ => Truth::Const(false),
        }
    }

    /// An operation whose result is a number or a pointer.
    fn select_value(&mut self, data: &InstData, bank: Bank) -> Opd {
        let attrs = &data.attrs;
        let kind = attrs.kind.unwrap_or(Kind::U64);
        let dwords = dwords_of(self.func.ty(data.results[0]));
        match (data.op, data.args.as_slice()) {
            (Opcode::PtrAdd, &[ptr, offset]) => return self.pointer_add(bank, ptr, offset),
            (Opcode::Selp, &[yes, no, by]) => {
                let (yes, no, by) = (self.value(yes), self.value(no), self.truth(by));
                let chosen = self.select(bank, dwords, yes, no, by);
                return self.in_bank(chosen, bank, dwords);
            }
            (Opcode::SReg, _) => {
                return attrs.sreg.map_or(Opd::Const(0), |sreg| self.special(sreg));
            }
            _ => {}
        }
        let args: Vec<Opd> = data.args.iter().map(|a| self.value(*a)).collect();
        if kind.is_float() && !matches!(data.op, Opcode::Cvt | Opcode::Bitcast | Opcode::Mov) {
            let args = self.float_args(data, kind, args);
            return self.float_op(data.op, kind, &args);
        }
        match (data.op, args.as_slice()) {
            (Opcode::Cvt, &[a]) => {
                let from = attrs.src_kind.unwrap_or(kind);
                self.convert(bank, kind, from, attrs.round, a)
            }
            (Opcode::Mov | Opcode::Bitcast | Opcode::PtrToInt | Opcode::IntToPtr, &[a]) => a,
            (op, args) => self.int_op(op, bank, kind, attrs.wrap, args),
        }
    }

    /// Operands of a float operation: minimum and maximum want no signalling NaN.
    fn float_args(&mut self, data: &InstData, kind: Kind, mut args: Vec<Opd>) -> Vec<Opd> {
        if matches!(data.op, Opcode::FMin | Opcode::FMax) {
            for (n, value) in data.args.iter().enumerate() {
                if may_be_signaling(self.func, *value) {
                    args[n] = self.quieted(kind, args[n]);
                }
            }
        }
        args
    }

    fn int_op(&mut self, op: Opcode, bank: Bank, kind: Kind, wrap: bool, args: &[Opd]) -> Opd {
        let dwords = if kind.bits() == 64 { 2 } else { 1 };
        match (op, args) {
            (Opcode::Add, &[a, b]) => self.add(bank, kind, a, b),
            (Opcode::Sub, &[a, b]) => self.sub(bank, kind, a, b),
            (Opcode::Neg, &[a]) => self.sub(bank, kind, Opd::Const(0), a),
            (Opcode::MulLo, &[a, b]) => self.mul_lo(bank, kind, a, b),
            (Opcode::MulHi, &[a, b]) => self.mul_hi(bank, kind, a, b),
            (Opcode::MulWide, &[a, b]) => self.mul_wide(bank, kind, a, b),
            (Opcode::MadLo, &[a, b, c]) => {
                let product = self.mul_lo(product_bank(bank, a, b), kind, a, b);
                self.add(bank, kind, product, c)
            }
            (Opcode::MadWide, &[a, b, c]) => self.mad_wide_op(bank, kind, a, b, c),
            (Opcode::Div, &[a, b]) => self.div_rem(kind, false, a, b),
            (Opcode::Rem, &[a, b]) => self.div_rem(kind, true, a, b),
            (Opcode::Min, &[a, b]) => self.min_max(bank, kind, false, a, b),
            (Opcode::Max, &[a, b]) => self.min_max(bank, kind, true, a, b),
            (Opcode::Abs, &[a]) => self.abs(bank, kind, a),
            (Opcode::And, &[a, b]) => self.bitwise(bank, dwords, int::AND_BITS, a, b),
            (Opcode::Or, &[a, b]) => self.bitwise(bank, dwords, int::OR_BITS, a, b),
            (Opcode::Xor, &[a, b]) => self.bitwise(bank, dwords, int::XOR_BITS, a, b),
            (Opcode::Not, &[a]) => {
                self.bitwise(bank, dwords, int::XOR_BITS, a, Opd::Const(u64::MAX))
            }
            (Opcode::Shl, &[a, n]) => self.shift(bank, kind, Shift::Left, wrap, a, n),
            (Opcode::Shr, &[a, n]) => {
                let shift = match kind.is_signed() {
                    true => Shift::Arithmetic,
                    false => Shift::Logical,
                };
                self.shift(bank, kind, shift, wrap, a, n)
            }
            (Opcode::Popc, &[a]) => self.popc(bank, kind, a),
            (Opcode::Clz, &[a]) => self.clz(bank, kind, a),
            (Opcode::Brev, &[a]) => self.brev(bank, kind, a),
            // Every other opcode was selected before or has no number as its result.
            _ => Opd::Const(0),
        }
    }

    fn mad_wide_op(&mut self, bank: Bank, kind: Kind, a: Opd, b: Opd, c: Opd) -> Opd {
        if bank == Bank::V && kind.bits() == 32 {
            return self.mad_wide(kind, a, b, c);
        }
        let product = self.mul_wide(product_bank(bank, a, b), kind, a, b);
        let wide = if kind.bits() == 32 {
            Kind::U64
        } else {
            Kind::U32
        };
        self.add(bank, wide, product, c)
    }
}

/// Where to multiply: a product of scalars is scalar even where the sum is not.
fn product_bank(bank: Bank, a: Opd, b: Opd) -> Bank {
    match a.is_vector() || b.is_vector() {
        true => bank,
        false => Bank::S,
    }
}

/// Whether a float may be a signalling NaN: arithmetic never gives one, memory may.
fn may_be_signaling(func: &Function, value: Value) -> bool {
    match func.values[value].def {
        ValueDef::Const(_) | ValueDef::Arg(_) | ValueDef::BlockParam(..) => true,
        ValueDef::Result(inst, _) => !matches!(
            func.insts[inst].op,
            Opcode::FAdd
                | Opcode::FSub
                | Opcode::FMul
                | Opcode::Fma
                | Opcode::FDiv
                | Opcode::FSqrt
                | Opcode::FMin
                | Opcode::FMax
                | Opcode::Cvt
        ),
    }
}
