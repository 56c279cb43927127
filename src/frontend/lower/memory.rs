//! Places: addresses, loads and stores.

use super::{Home, Lowering};
use crate::frontend::hir::{Base, Expr, Place};
use crate::frontend::types::Scalar;
use crate::ir::{Cmp, Kind, Opcode, Space, Type, Value};

/// The kind of an element in memory: a `bool` is a byte of 0 or 1.
fn memory_kind(elem: Scalar) -> Kind {
    match elem {
        Scalar::Bool => Kind::U8,
        Scalar::I32 | Scalar::U32 => Kind::U32,
        Scalar::I64 | Scalar::U64 => Kind::U64,
        Scalar::F32 => Kind::F32,
        Scalar::F64 => Kind::F64,
    }
}

impl Lowering<'_> {
    /// The address of a place.
    pub(super) fn address(&mut self, place: &Place) -> Value {
        let base = match &place.base {
            Base::Slice(id) => match self.homes.get(id).copied() {
                Some(Home::Slice(ptr, _) | Home::Value(ptr)) => ptr,
                Some(Home::Var(var)) => self.b.var_get(var),
                None => self.b.func.constant(Type::Ptr(Space::Global), 0),
            },
            Base::Ptr(pointer) => self.expr(pointer),
        };
        match &place.index {
            Some(index) => {
                let offset = self.byte_offset(index, place.elem);
                self.b.span = place.span;
                self.b.ptradd(base, offset)
            }
            None => base,
        }
    }

    /// An index in elements as a 64-bit byte offset: signed indices extend by their sign.
    pub(super) fn byte_offset(&mut self, index: &Expr, elem: Scalar) -> Value {
        let scalar = index.ty.scalar().unwrap_or(Scalar::U32);
        let value = self.expr(index);
        self.b.span = index.span;
        if scalar.size() == 8 {
            let size = self.b.func.constant(Type::I64, elem.size());
            return if elem.size() == 1 {
                value
            } else {
                self.b.op(Opcode::MulLo, Kind::U64, &[value, size])
            };
        }
        if elem.size() == 1 {
            return self.b.cvt(
                if scalar.is_signed() {
                    Kind::S64
                } else {
                    Kind::U64
                },
                scalar.kind(),
                value,
            );
        }
        let size = self.b.func.constant(Type::I32, elem.size());
        self.b.op(Opcode::MulWide, scalar.kind(), &[value, size])
    }

    /// Loads an element.
    pub(super) fn load(&mut self, place: &Place, address: Value) -> Value {
        let value = self
            .b
            .ld(Space::Global, memory_kind(place.elem), address, 0);
        if place.elem != Scalar::Bool {
            return value;
        }
        let zero = self.b.func.constant(Type::I8, 0);
        self.b.setp(Cmp::Ne, Kind::U8, value, zero)
    }

    /// Stores an element.
    pub(super) fn store(&mut self, place: &Place, address: Value, value: Value) {
        let value = if place.elem == Scalar::Bool {
            let (one, zero) = (
                self.b.func.constant(Type::I8, 1),
                self.b.func.constant(Type::I8, 0),
            );
            self.b.selp(Kind::U8, one, zero, value)
        } else {
            value
        };
        self.b
            .st(Space::Global, memory_kind(place.elem), address, 0, value);
    }
}
