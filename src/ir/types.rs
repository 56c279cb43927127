//! Types of values, address spaces, and the kind suffix of an instruction.
//!
//! Values carry no signedness (`i32`); it is on the instruction (`setp.lt.u32`). A [`Kind`] is that
//! suffix: an element type with signedness.

use std::fmt;

/// An address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// Device memory visible to all work-items, and constant data reached by plain pointers.
    Global,
    /// Memory of one workgroup (LDS).
    Shared,
    /// Memory of one lane (scratch).
    Local,
    /// Read-only module data.
    Const,
    /// Kernel parameters.
    Param,
    /// Any of the above, decided by the address.
    Generic,
}

impl Space {
    /// All spaces.
    pub const ALL: [Space; 6] = [
        Space::Global,
        Space::Shared,
        Space::Local,
        Space::Const,
        Space::Param,
        Space::Generic,
    ];

    /// The name in text.
    pub fn name(self) -> &'static str {
        match self {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Const => "const",
            Space::Param => "param",
            Space::Generic => "generic",
        }
    }

    /// The space of a name.
    pub fn find(name: &str) -> Option<Space> {
        Space::ALL.into_iter().find(|s| s.name() == name)
    }
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// One truth value per lane.
    Pred,
    /// 8 bits.
    I8,
    /// 16 bits.
    I16,
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// An address in a space; 64 bits, 32 bits in `shared` and `local`.
    Ptr(Space),
    /// A convergence token: the result of `cvg.begin`, used by `cvg.end` alone.
    Cvg,
}

impl Type {
    /// Width in bits as stored in memory; 1 for `pred`, 0 for a token.
    pub fn bits(self) -> u32 {
        match self {
            Type::Pred => 1,
            Type::I8 => 8,
            Type::I16 | Type::F16 | Type::Bf16 => 16,
            Type::I32 | Type::F32 => 32,
            Type::I64 | Type::F64 => 64,
            Type::Ptr(Space::Shared | Space::Local) => 32,
            Type::Ptr(Space::Global | Space::Const | Space::Param | Space::Generic) => 64,
            Type::Cvg => 0,
        }
    }

    /// Bytes in memory.
    pub fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// Whether it is an integer type.
    pub fn is_int(self) -> bool {
        matches!(self, Type::I8 | Type::I16 | Type::I32 | Type::I64)
    }

    /// Whether it is a float type.
    pub fn is_float(self) -> bool {
        matches!(self, Type::F16 | Type::Bf16 | Type::F32 | Type::F64)
    }

    /// Whether it is a pointer.
    pub fn is_ptr(self) -> bool {
        matches!(self, Type::Ptr(_))
    }

    /// The type of a name such as `i32` or `ptr.global`.
    pub fn find(name: &str) -> Option<Type> {
        const PLAIN: [Type; 10] = [
            Type::Pred,
            Type::I8,
            Type::I16,
            Type::I32,
            Type::I64,
            Type::F16,
            Type::Bf16,
            Type::F32,
            Type::F64,
            Type::Cvg,
        ];
        if let Some(space) = name.strip_prefix("ptr.") {
            return Space::find(space).map(Type::Ptr);
        }
        PLAIN.into_iter().find(|t| t.to_string() == name)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Type::Pred => "pred",
            Type::I8 => "i8",
            Type::I16 => "i16",
            Type::I32 => "i32",
            Type::I64 => "i64",
            Type::F16 => "f16",
            Type::Bf16 => "bf16",
            Type::F32 => "f32",
            Type::F64 => "f64",
            Type::Cvg => "cvg",
            Type::Ptr(space) => return write!(f, "ptr.{}", space.name()),
        })
    }
}

/// The kind suffix of an instruction: element type with signedness. `B` kinds are plain bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Kind {
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    B8,
    B16,
    B32,
    B64,
    F16,
    Bf16,
    F32,
    F64,
    Pred,
    /// A pointer; the space follows from the operand or the space slot.
    Ptr,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 18] = [
        Kind::U8,
        Kind::U16,
        Kind::U32,
        Kind::U64,
        Kind::S8,
        Kind::S16,
        Kind::S32,
        Kind::S64,
        Kind::B8,
        Kind::B16,
        Kind::B32,
        Kind::B64,
        Kind::F16,
        Kind::Bf16,
        Kind::F32,
        Kind::F64,
        Kind::Pred,
        Kind::Ptr,
    ];

    /// The suffix in text, without the dot.
    pub fn name(self) -> &'static str {
        match self {
            Kind::U8 => "u8",
            Kind::U16 => "u16",
            Kind::U32 => "u32",
            Kind::U64 => "u64",
            Kind::S8 => "s8",
            Kind::S16 => "s16",
            Kind::S32 => "s32",
            Kind::S64 => "s64",
            Kind::B8 => "b8",
            Kind::B16 => "b16",
            Kind::B32 => "b32",
            Kind::B64 => "b64",
            Kind::F16 => "f16",
            Kind::Bf16 => "bf16",
            Kind::F32 => "f32",
            Kind::F64 => "f64",
            Kind::Pred => "pred",
            Kind::Ptr => "ptr",
        }
    }

    /// The kind of a suffix.
    pub fn find(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|k| k.name() == name)
    }

    /// The type of a value of this kind. `Kind::Ptr` gives a generic pointer: callers that know the
    /// space replace it.
    pub fn ty(self) -> Type {
        match self {
            Kind::U8 | Kind::S8 | Kind::B8 => Type::I8,
            Kind::U16 | Kind::S16 | Kind::B16 => Type::I16,
            Kind::U32 | Kind::S32 | Kind::B32 => Type::I32,
            Kind::U64 | Kind::S64 | Kind::B64 => Type::I64,
            Kind::F16 => Type::F16,
            Kind::Bf16 => Type::Bf16,
            Kind::F32 => Type::F32,
            Kind::F64 => Type::F64,
            Kind::Pred => Type::Pred,
            Kind::Ptr => Type::Ptr(Space::Generic),
        }
    }

    /// Width in bits of the type.
    pub fn bits(self) -> u32 {
        self.ty().bits()
    }

    /// Whether values are read as two's complement numbers.
    pub fn is_signed(self) -> bool {
        matches!(self, Kind::S8 | Kind::S16 | Kind::S32 | Kind::S64)
    }

    /// Whether it is a float kind.
    pub fn is_float(self) -> bool {
        self.ty().is_float()
    }

    /// Whether it is an integer kind (signed, unsigned or plain bits).
    pub fn is_int(self) -> bool {
        self.ty().is_int()
    }

    /// The kind with twice the width (`mul.wide`): `u32` gives `u64`.
    pub fn widened(self) -> Option<Kind> {
        Some(match self {
            Kind::U8 => Kind::U16,
            Kind::U16 => Kind::U32,
            Kind::U32 => Kind::U64,
            Kind::S8 => Kind::S16,
            Kind::S16 => Kind::S32,
            Kind::S32 => Kind::S64,
            Kind::U64
            | Kind::S64
            | Kind::B8
            | Kind::B16
            | Kind::B32
            | Kind::B64
            | Kind::F16
            | Kind::Bf16
            | Kind::F32
            | Kind::F64
            | Kind::Pred
            | Kind::Ptr => return None,
        })
    }

    /// The unsigned kind of the same width; floats, predicates and pointers stay.
    pub fn unsigned(self) -> Kind {
        match self {
            Kind::S8 | Kind::B8 => Kind::U8,
            Kind::S16 | Kind::B16 => Kind::U16,
            Kind::S32 | Kind::B32 => Kind::U32,
            Kind::S64 | Kind::B64 => Kind::U64,
            other => other,
        }
    }
}

/// A set of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindSet(u32);

impl KindSet {
    /// No kind: the opcode has no kind suffix.
    pub const NONE: KindSet = KindSet(0);
    /// `u8 … u64`.
    pub const UNSIGNED: KindSet = KindSet(0x0f);
    /// `s8 … s64`.
    pub const SIGNED: KindSet = KindSet(0xf0);
    /// Signed and unsigned integers.
    pub const INT: KindSet = KindSet(0xff);
    /// `b8 … b64`.
    pub const BITS: KindSet = KindSet(0xf00);
    /// `f16 bf16 f32 f64`.
    pub const FLOAT: KindSet = KindSet(0xf000);
    /// `pred`.
    pub const PRED: KindSet = KindSet(1 << Kind::Pred as u32);
    /// `ptr`.
    pub const PTR: KindSet = KindSet(1 << Kind::Ptr as u32);
    /// Integers that have a kind of twice the width.
    pub const WIDENABLE: KindSet = KindSet(0x77);

    /// Both sets together.
    pub const fn or(self, other: KindSet) -> KindSet {
        KindSet(self.0 | other.0)
    }

    /// Whether a kind is in the set.
    pub const fn has(self, kind: Kind) -> bool {
        self.0 >> kind as u32 & 1 != 0
    }

    /// The kinds of the set.
    pub fn iter(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(move |k| self.has(*k))
    }
}
