//! Loads and stores of global memory, and their addresses.
//!
//! A uniform address stays in scalar registers (`global_load v0, v1, s[2:3]` with offset register
//! 0, or a scalar load where the memory is read-only); others are pairs of vector registers. A
//! constant distance goes into the instruction's offset field.

use std::collections::HashSet;

use super::Isel;
use super::bank::{Banks, dwords_of};
use super::build::width;
use super::operand::{Bank, Opd};
use crate::ir::{Function, InstData, Kind, Opcode, Value, ValueDef};
use crate::isa::amdgpu::op;
use crate::isa::{Form, Mods, RowId};

/// An address of a memory instruction.
struct Address {
    base: Opd,
    offset: i32,
}

/// The longest piece that one memory instruction moves, in dwords.
const MAX_PIECE: u8 = 4;

fn load_row(kind: Kind, dwords: u8) -> RowId {
    match (kind.bits(), dwords) {
        (8, _) if kind.is_signed() => op::GLOBAL_LOAD_SBYTE,
        (8, _) => op::GLOBAL_LOAD_UBYTE,
        (16, _) if kind.is_signed() => op::GLOBAL_LOAD_SSHORT,
        (16, _) => op::GLOBAL_LOAD_USHORT,
        (_, 1) => op::GLOBAL_LOAD_DWORD,
        (_, 2) => op::GLOBAL_LOAD_DWORDX2,
        _ => op::GLOBAL_LOAD_DWORDX4,
    }
}

fn store_row(kind: Kind, dwords: u8) -> RowId {
    match (kind.bits(), dwords) {
        (8, _) => op::GLOBAL_STORE_BYTE,
        (16, _) => op::GLOBAL_STORE_SHORT,
        (_, 1) => op::GLOBAL_STORE_DWORD,
        (_, 2) => op::GLOBAL_STORE_DWORDX2,
        _ => op::GLOBAL_STORE_DWORDX4,
    }
}

/// Row of a scalar load.
pub(super) fn smem_row(dwords: u8) -> RowId {
    match dwords {
        1 => op::S_LOAD_DWORD,
        2 => op::S_LOAD_DWORDX2,
        3 | 4 => op::S_LOAD_DWORDX4,
        5..=8 => op::S_LOAD_DWORDX8,
        _ => op::S_LOAD_DWORDX16,
    }
}

/// Elements that one instruction moves, of `count` elements of a kind.
fn per_piece(kind: Kind, count: u8) -> u8 {
    match kind.bits() {
        8 | 16 => 1,
        64 => count.min(2),
        _ => count.min(MAX_PIECE),
    }
}

fn element_dwords(kind: Kind) -> u8 {
    dwords_of(kind.ty())
}

impl Isel<'_> {
    /// `ld`.
    pub(super) fn load(&mut self, data: &InstData) {
        let kind = data.attrs.kind.unwrap_or(Kind::U32);
        let scalar = self.banks.of(data.results[0]) == Bank::S;
        let address = match scalar {
            true => self.smem_address(data),
            false => self.address(data),
        };
        let each = element_dwords(kind);
        let step = per_piece(kind, data.results.len() as u8);
        let bytes = (kind.bits() / 8) as i32;
        for (n, piece) in data.results.chunks(usize::from(step)).enumerate() {
            let dwords = each * piece.len() as u8;
            let offset = address.offset + n as i32 * i32::from(step) * bytes;
            let loaded = match scalar {
                true => self.smem_load(address.base, offset, dwords),
                false => self.global_load(load_row(kind, dwords), address.base, offset, dwords),
            };
            for (i, result) in piece.iter().enumerate() {
                let part = part_of(loaded, each * i as u8, each);
                self.bind(*result, part);
            }
        }
    }

    /// `st`.
    pub(super) fn store(&mut self, data: &InstData) {
        let kind = data.attrs.kind.unwrap_or(Kind::U32);
        let address = self.address(data);
        let each = element_dwords(kind);
        let values = &data.args[1..];
        let step = per_piece(kind, values.len() as u8);
        let bytes = (kind.bits() / 8) as i32;
        for (n, piece) in values.chunks(usize::from(step)).enumerate() {
            let dwords = each * piece.len() as u8;
            let offset = address.offset + n as i32 * i32::from(step) * bytes;
            let stored = self.gather(piece, each);
            self.global_store(store_row(kind, dwords), address.base, offset, stored);
        }
    }

    /// The values side by side in one vector tuple.
    fn gather(&mut self, values: &[Value], each: u8) -> Opd {
        if let [value] = values {
            let value = self.value(*value);
            return self.vector_of(value, each);
        }
        let tuple = self.new_reg(Bank::V, each * values.len() as u8);
        self.start_parts(tuple);
        for (n, value) in values.iter().enumerate() {
            let value = self.value(*value);
            let value = self.vector_of(value, each);
            self.copy(part_of(tuple, each * n as u8, each), value);
        }
        tuple
    }

    /// The address of a vector memory instruction; its offset fits the field for all pieces.
    fn address(&mut self, data: &InstData) -> Address {
        let (ptr, offset) = fold_offset(self.func, data.args[0], i64::from(data.attrs.offset));
        let (low, high) = self.desc.global_offset;
        // Room for the pieces of a vector access behind the first.
        let fits = |o: i64| o >= i64::from(low) && o + 32 <= i64::from(high);
        if fits(offset) {
            return Address {
                base: self.value(ptr),
                offset: offset as i32,
            };
        }
        let base = self.value(ptr);
        let bank = if base.is_vector() { Bank::V } else { Bank::S };
        Address {
            base: self.add(bank, Kind::U64, base, Opd::Const(offset as u64)),
            offset: 0,
        }
    }

    /// The address of a scalar load.
    fn smem_address(&mut self, data: &InstData) -> Address {
        let (ptr, offset) = fold_offset(self.func, data.args[0], i64::from(data.attrs.offset));
        let base = self.value(ptr);
        if (0..i64::from(self.desc.smem_offset_max) - 32).contains(&offset) {
            let offset = offset as i32;
            return Address { base, offset };
        }
        Address {
            base: self.add(Bank::S, Kind::U64, base, Opd::Const(offset as u64)),
            offset: 0,
        }
    }

    /// A scalar load; the result has exactly `dwords` of the tuple in use.
    pub(super) fn smem_load(&mut self, base: Opd, offset: i32, dwords: u8) -> Opd {
        let base = self.in_bank(base, Bank::S, 2);
        let dst = self.new_reg(Bank::S, dwords.next_power_of_two());
        let args = [Opd::Const(offset as u64), base, base, base];
        self.emit(smem_row(dwords), Form::Base, &[dst], &args, Mods::default());
        dst
    }

    fn global_load(&mut self, row: RowId, base: Opd, offset: i32, dwords: u8) -> Opd {
        let dst = self.new_reg(Bank::V, dwords);
        let (form, address, base) = self.global_operands(base);
        let mods = Mods {
            offset,
            ..Mods::default()
        };
        self.emit_global(row, form, &[dst], [address, address, address, base], mods);
        dst
    }

    fn global_store(&mut self, row: RowId, base: Opd, offset: i32, value: Opd) {
        let (form, address, base) = self.global_operands(base);
        let mods = Mods {
            offset,
            ..Mods::default()
        };
        self.emit_global(row, form, &[], [address, value, value, base], mods);
    }

    /// Encoding, vector address and scalar base for an address.
    fn global_operands(&mut self, base: Opd) -> (Form, Opd, Opd) {
        if base.is_scalar() {
            let zero = self.vector_of(Opd::Const(0), 1);
            return (Form::Saddr, zero, base);
        }
        let base = self.vector_of(base, 2);
        (Form::Base, base, base)
    }

    fn emit_global(&mut self, row: RowId, form: Form, defs: &[Opd], args: [Opd; 4], mods: Mods) {
        // Without a scalar base its operand is the word `off`.
        let count = if form == Form::Base { 3 } else { 4 };
        self.emit(row, form, defs, &args[..count], mods);
    }

    /// `ptradd`, with the product of an index and an element size folded into one instruction.
    pub(super) fn pointer_add(&mut self, bank: Bank, ptr: Value, offset: Value) -> Opd {
        let base = self.value(ptr);
        if bank == Bank::V
            && let Some((kind, a, b)) = wide_product(self.func, offset)
        {
            let (a, b) = (self.value(a), self.value(b));
            return self.mad_wide(kind, a, b, base);
        }
        let offset = self.value(offset);
        self.add(bank, Kind::U64, base, offset)
    }
}

/// `count` dwords of a tuple from dword `first`.
pub(super) fn part_of(tuple: Opd, first: u8, count: u8) -> Opd {
    match tuple {
        Opd::Reg {
            reg,
            first: base,
            bank,
            ..
        } if count < width(tuple) => Opd::Reg {
            reg,
            first: base + first,
            count,
            bank,
        },
        other => other,
    }
}

/// Takes constant distances off a pointer.
fn fold_offset(func: &Function, mut ptr: Value, mut offset: i64) -> (Value, i64) {
    while let ValueDef::Result(inst, _) = func.values[ptr].def {
        let data = &func.insts[inst];
        if data.op != Opcode::PtrAdd {
            break;
        }
        let Some(distance) = func.as_const(data.args[1]) else {
            break;
        };
        let Some(sum) = offset.checked_add(distance as i64) else {
            break;
        };
        offset = sum;
        ptr = data.args[0];
    }
    (ptr, offset)
}

/// Products that every use folds into its address; they need no instruction of their own.
pub(super) fn folded_products(func: &Function, banks: &Banks) -> HashSet<Value> {
    let mut folded = HashSet::new();
    let mut kept = HashSet::new();
    for block in &func.layout {
        for inst in &func.blocks[*block].insts {
            let data = &func.insts[*inst];
            let folds = data.op == Opcode::PtrAdd && banks.of(data.results[0]) == Bank::V;
            for (n, arg) in data.args.iter().enumerate() {
                match folds && n == 1 && wide_product(func, *arg).is_some() {
                    true => folded.insert(*arg),
                    false => kept.insert(*arg),
                };
            }
            kept.extend(data.targets.iter().flat_map(|t| &t.args));
        }
    }
    &folded - &kept
}

/// The factors of an offset that is a 32-bit product widened to 64 bits.
pub(super) fn wide_product(func: &Function, value: Value) -> Option<(Kind, Value, Value)> {
    let ValueDef::Result(inst, _) = func.values[value].def else {
        return None;
    };
    let data = &func.insts[inst];
    let kind = data.attrs.kind?;
    (data.op == Opcode::MulWide && kind.bits() == 32).then(|| (kind, data.args[0], data.args[1]))
}
