//! The vocabulary of micro-operations: what a machine instruction does to one lane (or to the wave,
//! for scalar instructions), independent of the vendor.
//!
//! Vendor habits are attributes of the row and of the decoded instruction, not operations of their
//! own: SCC and carry rules, EXEC, source modifiers, clamp, DPP and SDWA selection, operand order
//! (`OperandSpec::arg` says which argument of the micro-operation an operand feeds). Argument order
//! here is the mathematical one: `Shl` takes value, count; `Sub` takes minuend, subtrahend.
//!
//! The interpreter and, later, the JIT match on [`Uop`] without a wildcard: a new operation does not
//! compile until they know it.

/// Width of an integer operation in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum W {
    W8,
    W16,
    W32,
    W64,
}

impl W {
    /// The width in bits.
    pub fn bits(self) -> u32 {
        match self {
            W::W8 => 8,
            W::W16 => 16,
            W::W32 => 32,
            W::W64 => 64,
        }
    }
}

/// A float format of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum F {
    F16,
    Bf16,
    F32,
    F64,
}

/// A comparison. The `N…` forms are the negations, true where an operand is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Rel {
    False,
    Lt,
    Eq,
    Le,
    Gt,
    /// Less or greater.
    Lg,
    Ge,
    /// Ordered: both are numbers.
    O,
    /// Unordered.
    U,
    /// Not greater or equal.
    Nge,
    Nlg,
    Ngt,
    Nle,
    Neq,
    Nlt,
    True,
}

/// An integer number type of comparisons and conversions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Int {
    /// Width.
    pub w: W,
    /// Two's complement.
    pub signed: bool,
}

/// What a memory micro-operation reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemSpace {
    /// Device memory through the scalar cache.
    Scalar,
    /// Device memory.
    Global,
    /// Decided per lane by the address aperture.
    Flat,
    /// Private memory of a lane.
    Scratch,
    /// Memory of the workgroup.
    Lds,
    /// Device memory through a buffer descriptor.
    Buffer,
}

/// Shape of the data of a memory micro-operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemShape {
    /// Bytes of one element in memory.
    pub elem: u8,
    /// Elements at consecutive addresses.
    pub count: u8,
    /// Sub-dword loads extend by the sign.
    pub sext: bool,
    /// Sub-dword data lives in the high half of the register; loads keep the other half.
    pub hi: bool,
    /// 16-bit loads keep the other half of the register.
    pub d16: bool,
}

/// A read-modify-write operation of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum AtomicOp {
    Swap,
    CmpSwap,
    Add,
    Sub,
    /// data - memory
    RSub,
    SMin,
    UMin,
    SMax,
    UMax,
    And,
    Or,
    Xor,
    Inc,
    Dec,
    FAdd,
    FMin,
    FMax,
    PkAddF16,
    PkAddBf16,
    /// (memory & !data) | data2
    MskOr,
    /// Compare as floats and swap
    FCmpSwap,
}

/// Branch conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BranchCond {
    Always,
    Scc0,
    Scc1,
    VccZ,
    VccNz,
    ExecZ,
    ExecNz,
}

/// A micro-operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Uop {
    // Moves and bits
    /// d = a
    Mov(W),
    /// d = !a
    Not(W),
    /// d = a & b
    And(W),
    /// d = a | b
    Or(W),
    /// d = a ^ b
    Xor(W),
    /// d = !(a & b)
    Nand(W),
    /// d = !(a | b)
    Nor(W),
    /// d = !(a ^ b)
    Xnor(W),
    /// d = a & !b
    AndNot(W),
    /// d = a | !b
    OrNot(W),
    /// d = condition ? a : b; the condition is the mask argument (vector) or SCC (scalar)
    Select(W),
    /// Scalar: if SCC then d = a
    CMov(W),
    /// d = value << (count mod width)
    Shl(W),
    /// d = value >> (count mod width), zeros in
    Shr(W),
    /// d = value >> (count mod width), sign in
    Ashr(W),
    /// Bit field extract: value, offset, width (vector operands)
    Bfe(Int),
    /// Scalar bit field extract: value, packed offset and width
    SBfe(Int),
    /// d = ((1 << a) - 1) << b
    Bfm(W),
    /// d = (mask & a) | (!mask & b)
    Bfi(W),
    /// Bits reversed
    Brev(W),
    /// Number of ones, plus the second argument where there is one
    Bcnt1(W),
    /// Number of zeros
    Bcnt0(W),
    /// Position of the lowest one; all ones where there is none
    Ffbl(W),
    /// Position of the lowest zero; all ones where there is none
    Ff0(W),
    /// Leading zeros; all ones for 0
    FfbhU(W),
    /// Leading copies of the sign bit; all ones for 0 and -1
    FfbhI(W),
    /// d = sign extension of the low byte or word
    Sext(W),
    /// Clears one bit of d
    BitSet0(W),
    /// Sets one bit of d
    BitSet1(W),
    /// Whole quad mode: each group of four bits becomes all ones where one of them is set
    Wqm(W),
    /// One bit for each group of four: whether one of them is set
    QuadMask(W),
    /// Each bit of a twice, 64 bits
    BitReplicate,
    /// SCC = bit b of a is 0
    BitCmp0(W),
    /// SCC = bit b of a is 1
    BitCmp1(W),
    /// 64 bits from a: concatenation {a, b} >> (c & 31), low 32 bits
    AlignBit,
    /// The same by bytes: c & 3
    AlignByte,
    /// v_perm_b32: bytes of {a, b} chosen by c
    Perm,
    /// d = a & 0xffff | b << 16, halves chosen by the two flags (high half of a, high half of b)
    Pack16(bool, bool),
    /// Number of mask bits below the lane in the low (false) or high (true) 32 lanes, plus b
    Mbcnt(bool),
    // Integers; carries and SCC by the row's attributes
    /// d = a + b
    Add(W),
    /// d = a - b
    Sub(W),
    /// d = a + b + carry in
    AddC(W),
    /// d = a - b - borrow in
    SubB(W),
    /// Low half of the product
    MulLo(W),
    /// High half of the product
    MulHi(Int),
    /// Product of the low 24 bits, low 32 bits of it
    Mul24(bool),
    /// Product of the low 24 bits, bits 47:32, extended
    MulHi24(bool),
    /// Product of the low 24 bits plus c
    Mad24(bool),
    /// d(64) = a(32) * b(32) + c(64), carry out
    MadWide(bool),
    /// Low half of the product plus c
    MadLo(Int),
    /// d(32) = a(16) * b(16) + c(32)
    Mad16To32(bool),
    /// d = (a << b) + c
    ShlAdd(W),
    /// d = (a << n) + b, n fixed by the instruction
    ShlAddK(u8),
    /// d = (a + b) << c
    AddShl(W),
    /// d = (a << b) | c
    ShlOr(W),
    /// d = (a & b) | c
    AndOr(W),
    /// d = a | b | c
    Or3(W),
    /// d = a + b + c
    Add3(W),
    /// d = (a ^ b) + c
    XorAdd(W),
    /// Minimum
    Min(Int),
    /// Maximum
    Max(Int),
    /// Minimum of three
    Min3(Int),
    /// Maximum of three
    Max3(Int),
    /// Median of three
    Med3(Int),
    /// |a|
    Abs(W),
    /// |a - b|, signed
    AbsDiff(W),
    /// |a - b| + c, unsigned
    Sad(W),
    /// Sum of |a.byte - b.byte| plus c
    SadU8,
    /// Comparison to a lane mask or SCC
    Cmp(Rel, Int),
    /// Packed 16-bit integers: the operation on both halves
    PkAdd16,
    /// Packed 16-bit subtraction
    PkSub16,
    /// Packed 16-bit low product
    PkMul16,
    /// Packed 16-bit low product plus c
    PkMad16,
    /// Packed 16-bit minimum, signed or not
    PkMin16(bool),
    /// Packed 16-bit maximum, signed or not
    PkMax16(bool),
    /// Packed 16-bit shift left: value, count (count mod 16)
    PkShl16,
    /// Packed 16-bit shift right, zeros in
    PkShr16,
    /// Packed 16-bit shift right, sign in
    PkAshr16,
    /// Dot product of two signed (true) or unsigned 16-bit values plus c
    Dot2(bool),
    /// Dot product of eight signed (true) or unsigned 4-bit values plus c
    Dot8(bool),
    /// Dot product of four signed (true) or unsigned bytes plus c
    Dot4(bool),
    // Floats
    /// a + b
    FAdd(F),
    /// a - b
    FSub(F),
    /// a * b
    FMul(F),
    /// a * b, where 0 times anything is +0
    FMulLegacy,
    /// a * b + c rounded once
    Fma(F),
    /// a * b + c rounded twice, subnormals flushed
    FMad(F),
    /// v_fma_mix: operands f32 or f16 halves by op_sel; result f32, or a half of d
    FmaMix(F, bool),
    /// Minimum; a number beats NaN
    FMin(F),
    /// Maximum; a number beats NaN
    FMax(F),
    /// Minimum of three
    FMin3(F),
    /// Maximum of three
    FMax3(F),
    /// Median of three
    FMed3(F),
    /// Toward zero to integral
    FTrunc(F),
    /// Up to integral
    FCeil(F),
    /// Down to integral
    FFloor(F),
    /// Nearest even integral
    FRndne(F),
    /// a - floor(a), below 1
    FFract(F),
    /// a * 2^b
    FLdexp(F),
    /// Mantissa in 0.5..1
    FrexpMant(F),
    /// Exponent of it
    FrexpExp(F),
    /// Reciprocal
    FRcp(F),
    /// Reciprocal square root
    FRsq(F),
    /// Square root
    FSqrt(F),
    /// 2^a
    FExp2(F),
    /// log2 a
    FLog2(F),
    /// sin(2 pi a)
    FSinRev(F),
    /// cos(2 pi a)
    FCosRev(F),
    /// v_div_scale
    DivScale(F),
    /// v_div_fmas
    DivFmas(F),
    /// v_div_fixup
    DivFixup(F),
    /// Comparison to a lane mask
    FCmp(Rel, F),
    /// Class test to a lane mask
    FClass(F),
    /// Float to float
    CvtFF(F, F),
    /// Integer (second) to float (first)
    CvtFI(F, Int),
    /// Float (second) to integer (first), toward zero
    CvtIF(Int, F),
    /// Float to i32: floor(a + 0.5), saturating
    CvtNearest,
    /// Float to i32, toward minus infinity
    CvtFloor,
    /// Byte n of a to f32
    CvtUbyte(u8),
    /// Two f32 to two f16, toward zero
    CvtPkRtz,
    /// Two integers (32 bits) saturated to two 16-bit ones, signed or not
    CvtPk16(bool),
    /// Two floats (f32 or f16) in -1..1 (signed) or 0..1 to two scaled 16-bit integers
    CvtPkNorm(F, bool),
    /// Float f16 to a scaled 16-bit integer
    CvtNorm16(bool),
    /// Packed 16-bit float: add
    PkFAdd16,
    /// Packed 16-bit float: multiply
    PkFMul16,
    /// Packed 16-bit float: fused multiply-add
    PkFma16,
    /// Packed 16-bit float: minimum
    PkFMin16,
    /// Packed 16-bit float: maximum
    PkFMax16,
    /// Two f32 additions
    PkFAdd32,
    /// Two f32 multiplications
    PkFMul32,
    /// Two f32 fused multiply-adds
    PkFma32,
    /// v_pk_mov_b32
    PkMov32,
    /// Dot product of two f16 plus an f32
    Dot2F16,
    // Lanes
    /// Value of the first active lane
    ReadFirstLane,
    /// Value of lane b
    ReadLane,
    /// Writes lane b
    WriteLane,
    /// Exchanges two registers
    Swap,
    // Memory
    /// Load
    Load(MemSpace, MemShape),
    /// Store
    Store(MemSpace, MemShape),
    /// Two elements at two scaled offsets (`stride` in elements: 1 or 64)
    Load2(MemShape, u8),
    /// Two elements at two scaled offsets
    Store2(MemShape, u8),
    /// Read-modify-write
    Atomic(MemSpace, AtomicOp, W),
    /// Cache maintenance without effect on values
    CacheOp,
    /// ds_bpermute_b32
    Bpermute,
    /// ds_permute_b32
    Permute,
    /// ds_swizzle_b32
    Swizzle,
    // Execution mask: d = EXEC; EXEC = op(a, EXEC)
    /// s_*_saveexec: the new EXEC is the logic operation of the argument and the old EXEC
    SaveExec(MaskOp),
    /// s_*_wrexec: also written to d
    WrExec(MaskOp),
    // Control
    /// Relative branch
    Branch(BranchCond),
    /// d = address of the next instruction
    GetPc,
    /// Jump to a
    SetPc,
    /// d = next address; jump to a
    SwapPc,
    /// d = next address; relative branch
    Call,
    /// Ends the wave
    EndPgm,
    /// Waits for counters: no effect on values
    Wait,
    /// n wait states
    Nop,
    /// Barrier of the workgroup
    Barrier,
    /// Trap
    Trap,
    /// Hint without effect (sleep, priority, clause …)
    Hint,
    /// Message to the host
    SendMsg,
    /// Reads a hardware register
    GetReg,
    /// Writes a hardware register
    SetReg,
    /// Core clock or real time counter
    Clock,
    /// AGPR to VGPR or back (`v_accvgpr_read`, `v_accvgpr_write`)
    AccMov,
}

/// Logic operation of the saveexec family on the argument `a` and `EXEC`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MaskOp {
    /// a & exec
    And,
    /// a | exec
    Or,
    /// a ^ exec
    Xor,
    /// a & !exec
    AndN2,
    /// !a & exec
    AndN1,
    /// a | !exec
    OrN2,
    /// !a | exec
    OrN1,
    /// !(a & exec)
    Nand,
    /// !(a | exec)
    Nor,
    /// !(a ^ exec)
    Xnor,
}
