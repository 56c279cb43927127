//! Why an instruction cannot be encoded or decoded.

use std::fmt;

/// Why bytes are no instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// Fewer bytes than the instruction needs.
    Truncated,
    /// No row of the chip has these bits.
    Unknown(u32),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Truncated => f.write_str("the code ends inside an instruction"),
            DecodeError::Unknown(word) => write!(f, "no instruction begins with 0x{word:08x}"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// Why an instruction has no encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodeError {
    /// The chip has no such encoding of the row.
    NoForm,
    /// The number of operands is not that of the row.
    OperandCount {
        /// Operands of the row.
        expected: usize,
        /// Operands given.
        found: usize,
    },
    /// Operand `index` is of a kind that the field does not take.
    OperandKind {
        /// Place in text order.
        index: usize,
    },
    /// Operand `index` is a register tuple that must start at a multiple of `align`.
    Alignment {
        /// Place in text order.
        index: usize,
        /// The multiple.
        align: u8,
    },
    /// Operand `index` does not fit its field.
    Range {
        /// Place in text order.
        index: usize,
    },
    /// A modifier that the instruction does not take, or a value out of range.
    Modifier,
    /// More scalar values than one vector instruction may read.
    ConstantBus {
        /// The limit.
        limit: u8,
    },
    /// Two different literals, or a literal where the encoding has no room for one.
    Literal,
    /// Two operands that share one accumulation bit are in different files.
    MixedFiles,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            EncodeError::NoForm => f.write_str("this target has no such encoding"),
            EncodeError::OperandCount { expected, found } => {
                write!(f, "expected {expected} operands, found {found}")
            }
            EncodeError::OperandKind { index } => {
                write!(f, "operand {} is of the wrong kind", index + 1)
            }
            EncodeError::Alignment { index, align } => write!(
                f,
                "the registers of operand {} must start at a multiple of {align}",
                index + 1
            ),
            EncodeError::Range { index } => write!(f, "operand {} is out of range", index + 1),
            EncodeError::Modifier => {
                f.write_str("a modifier is not allowed here or its value is out of range")
            }
            EncodeError::ConstantBus { limit } => write!(
                f,
                "a vector instruction reads at most {limit} scalar register or literal here"
            ),
            EncodeError::Literal => {
                f.write_str("this encoding has no room for that literal; put it in a register")
            }
            EncodeError::MixedFiles => {
                f.write_str("data operands must be all vector or all accumulation registers")
            }
        }
    }
}

impl std::error::Error for EncodeError {}
