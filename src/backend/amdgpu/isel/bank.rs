//! Which values live in scalar registers.
//!
//! A value is scalar where it is uniform, the scalar unit can compute it, and everything it is
//! computed from is scalar or constant. The scalar unit has no floats and no division; a uniform
//! value that needs them lives in vector registers, where all lanes hold the same. So a value never
//! has to be brought back from vector to scalar registers. Block parameters start as scalar and
//! fall until nothing changes: the greatest solution.

use super::operand::Bank;
use crate::ir::func::Param;
use crate::ir::{
    Entity, Function, Inst, InstData, Kind, Opcode, SReg, Space, Type, Value, ValueDef,
};

/// The bank of every value.
pub(super) struct Banks {
    banks: Vec<Bank>,
}

impl Banks {
    /// Computes the banks; `uniform` says whether a value is the same in all lanes of a wave.
    pub fn compute(func: &Function, uniform: &dyn Fn(Value) -> bool) -> Banks {
        let start = |v: Value| if uniform(v) { Bank::S } else { Bank::V };
        let mut banks = Banks {
            banks: func.values.keys().map(start).collect(),
        };
        for (value, data) in func.values.iter() {
            if matches!(data.def, ValueDef::Const(_) | ValueDef::Arg(_)) {
                banks.banks[value.index()] = Bank::S;
            }
        }
        let writes_memory = has_stores(func);
        while banks.lower(func, writes_memory) {}
        banks
    }

    /// The bank of a value.
    pub fn of(&self, value: Value) -> Bank {
        self.banks[value.index()]
    }

    /// One round; whether something fell to vector registers.
    fn lower(&mut self, func: &Function, writes_memory: bool) -> bool {
        let mut changed = false;
        for block in &func.layout {
            for inst in &func.blocks[*block].insts {
                let data = &func.insts[*inst];
                let scalar = data.args.iter().all(|a| self.of(*a) == Bank::S)
                    && scalar_unit_has(func, *inst, writes_memory);
                for result in &data.results {
                    changed |= !scalar && self.demote(*result);
                }
                for call in &data.targets {
                    for (param, arg) in func.blocks[call.block].params.iter().zip(&call.args) {
                        changed |= self.of(*arg) == Bank::V && self.demote(*param);
                    }
                }
            }
        }
        changed
    }

    fn demote(&mut self, value: Value) -> bool {
        let slot = &mut self.banks[value.index()];
        std::mem::replace(slot, Bank::V) == Bank::S
    }
}

fn has_stores(func: &Function) -> bool {
    let mut insts = func.layout.iter().flat_map(|b| &func.blocks[*b].insts);
    insts.any(|i| func.insts[*i].op == Opcode::St)
}

/// Whether the scalar unit has an instruction, or a sequence, for the operation.
fn scalar_unit_has(func: &Function, inst: Inst, writes_memory: bool) -> bool {
    let data = &func.insts[inst];
    let kind = data.attrs.kind.unwrap_or(Kind::U32);
    let int = !kind.is_float();
    match data.op {
        Opcode::Add | Opcode::Sub | Opcode::MulLo | Opcode::MulWide => true,
        Opcode::MadLo | Opcode::MadWide => true,
        Opcode::MulHi => kind.bits() < 64,
        Opcode::Min | Opcode::Max | Opcode::Abs | Opcode::Neg => true,
        Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not => true,
        Opcode::Shl | Opcode::Shr | Opcode::Popc | Opcode::Clz | Opcode::Brev => true,
        Opcode::Bitcast | Opcode::PtrToInt | Opcode::IntToPtr | Opcode::PtrAdd => true,
        Opcode::Selp | Opcode::Mov => true,
        Opcode::Setp => int,
        Opcode::Cvt => int && data.attrs.src_kind.is_none_or(|k| !k.is_float()),
        Opcode::SReg => match data.attrs.sreg {
            Some(SReg::TidX | SReg::TidY | SReg::TidZ | SReg::LaneId | SReg::WarpId) | None => {
                false
            }
            Some(SReg::NtidX | SReg::NtidY | SReg::NtidZ | SReg::WarpSize) => true,
            Some(SReg::CtaidX | SReg::CtaidY | SReg::CtaidZ) => true,
            Some(SReg::NctaidX | SReg::NctaidY | SReg::NctaidZ) => true,
        },
        Opcode::Ld => is_scalar_load(func, data, writes_memory),
        Opcode::Div | Opcode::Rem => false,
        Opcode::FAdd | Opcode::FSub | Opcode::FMul | Opcode::Fma | Opcode::FDiv => false,
        Opcode::FSqrt | Opcode::FMin | Opcode::FMax | Opcode::FAbs | Opcode::FNeg => false,
        Opcode::St | Opcode::CvgBegin | Opcode::CvgEnd | Opcode::VarGet | Opcode::VarSet => false,
        Opcode::Br | Opcode::Brc | Opcode::Ret | Opcode::Trap | Opcode::Unreachable => false,
    }
}

/// Whether a load of a uniform address may go through the scalar cache: whole dwords of memory that
/// nobody writes while the kernel runs. The scalar cache does not see the kernel's own stores, so a
/// read-only parameter counts only where no other pointer reaches its memory.
fn is_scalar_load(func: &Function, data: &InstData, writes_memory: bool) -> bool {
    let bytes = data.attrs.kind.map_or(0, |k| k.bits() / 8);
    if bytes < 4 {
        return false;
    }
    let constant = data.attrs.space == Some(Space::Const);
    let quiet = |p: &Param| p.readonly && (p.noalias || !writes_memory);
    constant || root_param(func, data.args[0]).is_some_and(quiet)
}

/// The parameter that a pointer is made from by adding offsets.
fn root_param(func: &Function, mut ptr: Value) -> Option<&Param> {
    loop {
        match func.values[ptr].def {
            ValueDef::Arg(n) => return func.params.get(n as usize),
            ValueDef::Result(inst, _) => {
                let data = &func.insts[inst];
                match data.op {
                    Opcode::PtrAdd | Opcode::Mov => ptr = data.args[0],
                    _ => return None,
                }
            }
            ValueDef::BlockParam(..) | ValueDef::Const(_) => return None,
        }
    }
}

/// Dwords of a value's register tuple; a truth value takes none of its own.
pub(super) fn dwords_of(ty: Type) -> u8 {
    if ty.bits() > 32 { 2 } else { 1 }
}
