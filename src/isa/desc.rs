//! What a row of an instruction table says, for every ISA.
//!
//! A row is the only place that knows an instruction: name, encodings with an opcode per chip
//! family, operands with roles, modifiers, implicit registers, class and meaning. Encoder, decoder,
//! assembler, printer, selection, liveness, hazards, waits and the machine all read it.

use super::uop::Uop;

/// Register files of all machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegFile {
    /// AMD scalar registers, numbered as encoded: 0..=101 general, and the special ones in the same
    /// numbering (VCC 106, M0, EXEC 126 …).
    Sgpr,
    /// AMD vector registers.
    Vgpr,
    /// AMD accumulation registers.
    Agpr,
    /// The scalar condition code; index 0.
    Scc,
}

/// A machine register: `count` consecutive dwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg {
    /// File.
    pub file: RegFile,
    /// First dword.
    pub index: u16,
    /// Dwords.
    pub count: u8,
}

impl Reg {
    /// Scalar registers `s[index : index+count-1]`.
    pub const fn s(index: u16, count: u8) -> Reg {
        Reg {
            file: RegFile::Sgpr,
            index,
            count,
        }
    }

    /// Vector registers.
    pub const fn v(index: u16, count: u8) -> Reg {
        Reg {
            file: RegFile::Vgpr,
            index,
            count,
        }
    }

    /// Whether two registers share a dword.
    pub fn overlaps(self, other: Reg) -> bool {
        self.file == other.file
            && self.index < other.index + u16::from(other.count)
            && other.index < self.index + u16::from(self.count)
    }

    /// Dword `n` of it.
    pub fn dword(self, n: u8) -> Reg {
        Reg {
            file: self.file,
            index: self.index + u16::from(n),
            count: 1,
        }
    }
}

/// Type of an operand: its width, and how inline constants and modifiers read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum OpType {
    B16,
    I16,
    U16,
    F16,
    B32,
    I32,
    U32,
    F32,
    B64,
    I64,
    U64,
    F64,
    B96,
    B128,
    B256,
    B512,
    /// Two packed 16-bit values.
    V2x16,
    /// Two packed f16.
    V2F16,
    /// Two f32 in a pair.
    V2F32,
    /// A lane mask: one bit a lane, a scalar pair in wave64.
    Mask,
    /// An immediate field without a register.
    Imm,
}

impl OpType {
    /// Registers it takes; a mask is counted for wave64.
    pub fn dwords(self) -> u8 {
        match self {
            OpType::B16 | OpType::I16 | OpType::U16 | OpType::F16 => 1,
            OpType::B32 | OpType::I32 | OpType::U32 | OpType::F32 => 1,
            OpType::V2x16 | OpType::V2F16 => 1,
            OpType::B64 | OpType::I64 | OpType::U64 | OpType::F64 => 2,
            OpType::V2F32 | OpType::Mask => 2,
            OpType::B96 => 3,
            OpType::B128 => 4,
            OpType::B256 => 8,
            OpType::B512 => 16,
            OpType::Imm => 0,
        }
    }
}

/// What happens to an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Written.
    Def,
    /// Read.
    Use,
    /// Read and written (`v_fmac` accumulator, `v_writelane` destination).
    UseDef,
}

/// What an operand may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Accepts {
    /// A vector register.
    Vgpr,
    /// A vector or accumulation register.
    VgprOrAgpr,
    /// An accumulation register.
    Agpr,
    /// A scalar register, special ones included, as a destination.
    Sdst,
    /// A scalar register, inline constant or literal.
    Ssrc,
    /// A scalar register only.
    Sgpr,
    /// A vector register, scalar register, inline constant or (where the encoding has room) literal.
    Src,
    /// A scalar register or inline constant that selects a lane.
    LaneSel,
    /// VCC exactly (implied by the encoding, printed).
    Vcc,
    /// A scalar register pair as a base, or `off`.
    SBaseOrOff,
    /// A vector register as an address, or `off`.
    VAddrOrOff,
    /// The word `off`.
    Off,
    /// Immediate of n bits, unsigned.
    UImm(u8),
    /// Immediate of n bits, signed.
    SImm(u8),
    /// Branch target relative to the next instruction.
    Label,
    /// A literal that the encoding always has (`v_fmaak`).
    Literal,
    /// Wait counters of `s_waitcnt`.
    WaitCnt,
    /// A hardware register with offset and size.
    HwReg,
    /// A message of `s_sendmsg`.
    Message,
    /// Offset of a scalar memory instruction: an immediate, or a scalar register to which
    /// `Mods::offset` is added.
    SmemOffset,
}

/// An operand of a row, in text order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperandSpec {
    /// Name of the encoding field.
    pub field: &'static str,
    /// Role.
    pub role: Role,
    /// What it may be.
    pub accepts: Accepts,
    /// Type.
    pub ty: OpType,
    /// Argument of the micro-operation that it feeds (for uses), or result number (for defs). An
    /// operand that is read and written says the argument; it is the result whose number is its
    /// place among the written operands. For a memory operation: address or variable offset 0,
    /// data 1, second data 2, scalar base 3.
    pub arg: u8,
}

/// Which unit executes an instruction and which counter or latency class it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Scalar ALU.
    Salu,
    /// Vector ALU, full rate.
    Valu,
    /// Vector ALU, 64-bit or quarter rate.
    ValuSlow,
    /// Transcendental.
    Trans,
    /// Matrix.
    Matrix,
    /// Scalar memory (lgkmcnt).
    Smem,
    /// Vector memory load (vmcnt).
    VmemLoad,
    /// Vector memory store (vmcnt on GFX9, vscnt later).
    VmemStore,
    /// Vector memory read-modify-write.
    VmemAtomic,
    /// Flat: vmcnt and lgkmcnt.
    FlatLoad,
    /// Flat store.
    FlatStore,
    /// Flat read-modify-write.
    FlatAtomic,
    /// LDS (lgkmcnt).
    Lds,
    /// Branch, jump, call.
    Branch,
    /// `s_waitcnt`, `s_nop`, hints, barrier, end.
    Control,
    /// Message (lgkmcnt).
    Message,
}

/// How SCC is set by a scalar instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SccRule {
    /// Not written.
    Keep,
    /// Result is not zero.
    NonZero,
    /// Carry or borrow out.
    Carry,
    /// Signed overflow.
    Overflow,
    /// The comparison's result, or as the micro-operation says (min and max: first operand chosen).
    Result,
}

/// Registers read or written without being operands. A set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Implicit(pub u16);

impl Implicit {
    /// Nothing.
    pub const NONE: Implicit = Implicit(0);
    /// Reads SCC.
    pub const READ_SCC: Implicit = Implicit(1);
    /// Writes SCC.
    pub const WRITE_SCC: Implicit = Implicit(2);
    /// Reads VCC although the text does not name it (`v_div_fmas`).
    pub const READ_VCC: Implicit = Implicit(4);
    /// Writes VCC although the text does not name it.
    pub const WRITE_VCC: Implicit = Implicit(8);
    /// Reads EXEC beyond the ordinary lane masking.
    pub const READ_EXEC: Implicit = Implicit(16);
    /// Writes EXEC.
    pub const WRITE_EXEC: Implicit = Implicit(32);
    /// Reads M0.
    pub const READ_M0: Implicit = Implicit(64);
    /// Ignores EXEC: acts on lanes regardless (lane access, matrix).
    pub const NO_EXEC: Implicit = Implicit(128);

    /// Both sets.
    pub const fn or(self, other: Implicit) -> Implicit {
        Implicit(self.0 | other.0)
    }

    /// Whether all of `other` is in the set.
    pub const fn has(self, other: Implicit) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The meaning and facts of a row that do not depend on an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Semantics {
    /// Class.
    pub class: Class,
    /// SCC rule.
    pub scc: SccRule,
    /// Implicit registers.
    pub implicit: Implicit,
    /// Meaning.
    pub uop: Uop,
}

impl Semantics {
    /// Facts of an instruction that leaves SCC alone and touches only its operands.
    pub const fn new(class: Class, uop: Uop) -> Semantics {
        Semantics {
            class,
            scc: SccRule::Keep,
            implicit: Implicit::NONE,
            uop,
        }
    }

    /// The same with an SCC rule; SCC joins the implicitly written registers.
    pub const fn scc(self, scc: SccRule) -> Semantics {
        Semantics {
            scc,
            implicit: self.implicit.or(Implicit::WRITE_SCC),
            ..self
        }
    }

    /// The same with more implicit registers.
    pub const fn and(self, implicit: Implicit) -> Semantics {
        Semantics {
            implicit: self.implicit.or(implicit),
            ..self
        }
    }
}
