//! Types of the kernel language.

use std::fmt;

use crate::ir::{Kind, Type};

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Scalar {
    Bool,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Scalar {
    /// All scalar types.
    pub const ALL: [Scalar; 7] = [
        Scalar::Bool,
        Scalar::I32,
        Scalar::U32,
        Scalar::I64,
        Scalar::U64,
        Scalar::F32,
        Scalar::F64,
    ];

    /// The name in source.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::I32 => "i32",
            Scalar::U32 => "u32",
            Scalar::I64 => "i64",
            Scalar::U64 => "u64",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        }
    }

    /// The type of a name.
    pub fn find(name: &str) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|s| s.name() == name)
    }

    /// Bytes in memory.
    pub fn size(self) -> u64 {
        match self {
            Scalar::Bool => 1,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    /// Width of values in bits.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            other => other.size() as u32 * 8,
        }
    }

    /// Whether it is an integer type.
    pub fn is_int(self) -> bool {
        matches!(self, Scalar::I32 | Scalar::U32 | Scalar::I64 | Scalar::U64)
    }

    /// Whether it is a float type.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }

    /// Whether it is a signed integer.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::I32 | Scalar::I64)
    }

    /// VISA's kind with signedness.
    pub fn kind(self) -> Kind {
        match self {
            Scalar::Bool => Kind::Pred,
            Scalar::I32 => Kind::S32,
            Scalar::U32 => Kind::U32,
            Scalar::I64 => Kind::S64,
            Scalar::U64 => Kind::U64,
            Scalar::F32 => Kind::F32,
            Scalar::F64 => Kind::F64,
        }
    }

    /// VISA's kind for plain bits.
    pub fn bits_kind(self) -> Kind {
        if self.size() == 8 {
            Kind::B64
        } else {
            Kind::B32
        }
    }

    /// VISA's type.
    pub fn ir(self) -> Type {
        self.kind().ty()
    }

    /// Smallest and largest value of an integer type.
    pub fn range(self) -> Option<(i128, i128)> {
        match self {
            Scalar::I32 => Some((i128::from(i32::MIN), i128::from(i32::MAX))),
            Scalar::U32 => Some((0, i128::from(u32::MAX))),
            Scalar::I64 => Some((i128::from(i64::MIN), i128::from(i64::MAX))),
            Scalar::U64 => Some((0, i128::from(u64::MAX))),
            Scalar::Bool | Scalar::F32 | Scalar::F64 => None,
        }
    }
}

/// A type. Memory is global: other spaces come with the constructs that need them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// A scalar.
    Scalar(Scalar),
    /// `*global mut T`
    Ptr(Scalar, bool),
    /// `&global mut [T]`
    Slice(Scalar, bool),
    /// No value.
    Unit,
    /// Unknown after an error; fits everything.
    Error,
}

impl Ty {
    /// `bool`
    pub const BOOL: Ty = Ty::Scalar(Scalar::Bool);
    /// `u32`
    pub const U32: Ty = Ty::Scalar(Scalar::U32);

    /// The scalar, if it is one.
    pub fn scalar(self) -> Option<Scalar> {
        match self {
            Ty::Scalar(s) => Some(s),
            Ty::Ptr(..) | Ty::Slice(..) | Ty::Unit | Ty::Error => None,
        }
    }

    /// Whether a value of type `other` may stand where this is wanted.
    pub fn accepts(self, other: Ty) -> bool {
        match (self, other) {
            (Ty::Error, _) | (_, Ty::Error) => true,
            (Ty::Ptr(a, false), Ty::Ptr(b, _)) => a == b,
            (a, b) => a == b,
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let m = |mutable: &bool| if *mutable { "mut " } else { "" };
        match self {
            Ty::Scalar(s) => f.write_str(s.name()),
            Ty::Ptr(s, mutable) => write!(f, "*global {}{}", m(mutable), s.name()),
            Ty::Slice(s, mutable) => write!(f, "&global {}[{}]", m(mutable), s.name()),
            Ty::Unit => f.write_str("()"),
            Ty::Error => f.write_str("?"),
        }
    }
}
