//! The VISA opcode table: one row an opcode. Parser, printer, verifier, builder, evaluator and
//! folder all read it.
//!
//! A row gives the name, the suffix slots in the order they are printed, the kinds allowed, the
//! rules for operands and results, flags, and the line for the specification. `setp.lt.u32` is the
//! opcode `setp` with the slots `Cmp` and `Kind`.

use super::types::{Kind, KindSet};

/// One suffix position behind the opcode's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Comparison, `.lt`.
    Cmp,
    /// Rounding of a float result, `.rn`; always printed.
    Round,
    /// Rounding of a conversion; present exactly where the conversion can be inexact.
    CvtRound,
    /// `.ftz`, optional.
    Ftz,
    /// `.sat`, optional.
    Sat,
    /// `.wrap`, optional: shift counts are masked instead of clamped.
    Wrap,
    /// Address space, `.global`.
    Space,
    /// `.v2`, `.v4`, optional.
    Vec,
    /// The main kind, `.u32`.
    Kind,
    /// The kind of the source, `.f32` in `cvt.rzi.s32.f32`.
    SrcKind,
    /// A special register as the first operand, `%tid.x`.
    SReg,
    /// A variable as the first operand, `$v`.
    Var,
}

/// What an operand or a result must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The type of the kind suffix.
    K,
    /// The type of the source kind suffix.
    S,
    /// The type of twice the width of the kind.
    Wide,
    /// `pred`.
    Pred,
    /// `i32`.
    I32,
    /// `i64`.
    I64,
    /// A pointer of any space. As a result: of the type of the first pointer operand, or of the
    /// space slot where there is one.
    Ptr,
    /// A memory operand `[%p + offset]`: a pointer in the space of the slot.
    Addr,
    /// A convergence token.
    Cvg,
    /// The type of the variable in the `Var` slot.
    VarTy,
    /// As many of the kind's type as the vector slot says (1, 2 or 4).
    Vec,
}

/// Facts about an opcode that passes ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags(u16);

impl Flags {
    /// Nothing special: a pure function of its operands.
    pub const PURE: Flags = Flags(0);
    /// Reads memory.
    pub const LOAD: Flags = Flags(1);
    /// Writes memory.
    pub const STORE: Flags = Flags(2);
    /// Ends a block.
    pub const TERM: Flags = Flags(4);
    /// Convergent: its meaning depends on which lanes execute it together.
    pub const CONVERGENT: Flags = Flags(8);
    /// Has an effect beyond its result; never removed.
    pub const EFFECT: Flags = Flags(16);
    /// Operands may be exchanged.
    pub const COMMUTES: Flags = Flags(32);
    /// Signedness does not matter: kinds are canonically unsigned.
    pub const SIGNLESS: Flags = Flags(64);
    /// Reads or writes a variable (only before SSA construction).
    pub const VAR: Flags = Flags(128);

    /// Both sets of flags.
    pub const fn or(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// Whether an instruction is a function of its operands alone.
    pub const fn is_pure(self) -> bool {
        self.0 & !(Flags::COMMUTES.0 | Flags::SIGNLESS.0) == 0
    }

    /// Whether all flags of `other` are set.
    pub const fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }
}

/// One row of the table.
#[derive(Debug)]
pub struct OpDesc {
    /// Name in text, dots included (`mul.wide`).
    pub name: &'static str,
    /// Suffix slots in printing order.
    pub slots: &'static [Slot],
    /// Kinds allowed in the `Kind` slot.
    pub kinds: KindSet,
    /// Kinds allowed in the `SrcKind` slot.
    pub src_kinds: KindSet,
    /// Operand rules.
    pub args: &'static [Rule],
    /// Result rules.
    pub results: &'static [Rule],
    /// Number of successor blocks.
    pub targets: u8,
    /// Facts for passes.
    pub flags: Flags,
    /// One sentence for the specification.
    pub doc: &'static str,
}

impl OpDesc {
    /// Whether the opcode has a slot.
    pub fn has_slot(&self, slot: Slot) -> bool {
        self.slots.contains(&slot)
    }
}

macro_rules! opcodes {
    ($($op:ident $name:literal [$($slot:ident)*] $kinds:expr, $src:expr,
        ($($arg:ident)*) -> ($($res:ident)*) $targets:literal $flags:expr; $doc:literal)*) => {
        /// An opcode.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Opcode { $(#[doc = $doc] $op),* }

        impl Opcode {
            /// All opcodes in table order.
            pub const ALL: &[Opcode] = &[$(Opcode::$op),*];
        }

        static TABLE: &[OpDesc] = &[$(OpDesc {
            name: $name,
            slots: &[$(Slot::$slot),*],
            kinds: $kinds,
            src_kinds: $src,
            args: &[$(Rule::$arg),*],
            results: &[$(Rule::$res),*],
            targets: $targets,
            flags: $flags,
            doc: $doc,
        }),*];
    };
}

const NO: KindSet = KindSet::NONE;
const INT: KindSet = KindSet::INT;
const SIGNED: KindSet = KindSet::SIGNED;
const FLOAT: KindSet = KindSet::FLOAT;
const WIDENABLE: KindSet = KindSet::WIDENABLE;
const BITS: KindSet = KindSet::BITS;
const LOGIC: KindSet = KindSet::BITS.or(KindSet::PRED);
const NUM: KindSet = KindSet::INT.or(KindSet::FLOAT);
const CMP: KindSet = NUM.or(KindSet::PTR);
const DATA: KindSet = NUM.or(KindSet::PTR);
const ANY: KindSet = NUM.or(KindSet::PRED).or(KindSet::PTR);
const U32: KindSet = KindSet::UNSIGNED;
const PURE: Flags = Flags::PURE;
const SIGNLESS: Flags = Flags::SIGNLESS;
const COMM: Flags = Flags::COMMUTES;
const COMM_SIGNLESS: Flags = Flags::COMMUTES.or(Flags::SIGNLESS);
const LOAD: Flags = Flags::LOAD;
const STORE: Flags = Flags::STORE.or(Flags::EFFECT);
const TERM: Flags = Flags::TERM.or(Flags::EFFECT);
const CVG: Flags = Flags::CONVERGENT.or(Flags::EFFECT);
const VAR_GET: Flags = Flags::VAR;
const VAR_SET: Flags = Flags::VAR.or(Flags::EFFECT);

#[rustfmt::skip]
opcodes! {
    // Integer arithmetic
    Add      "add"       [Kind]            INT, NO,       (K K) -> (K) 0 COMM_SIGNLESS; "Sum, modulo 2 to the width."
    Sub      "sub"       [Kind]            INT, NO,       (K K) -> (K) 0 SIGNLESS;      "Difference, modulo 2 to the width."
    MulLo    "mul.lo"    [Kind]            INT, NO,       (K K) -> (K) 0 COMM_SIGNLESS; "Low half of the product."
    MulHi    "mul.hi"    [Kind]            INT, NO,       (K K) -> (K) 0 COMM;          "High half of the double-width product."
    MulWide  "mul.wide"  [Kind]            WIDENABLE, NO, (K K) -> (Wide) 0 COMM;       "Double-width product."
    MadLo    "mad.lo"    [Kind]            INT, NO,       (K K K) -> (K) 0 SIGNLESS;    "Low half of the product plus the third operand."
    MadWide  "mad.wide"  [Kind]            WIDENABLE, NO, (K K Wide) -> (Wide) 0 PURE;  "Double-width product plus the third operand, modulo 2 to that width."
    Div      "div"       [Kind]            INT, NO,       (K K) -> (K) 0 PURE;          "Quotient rounded to zero; x/0 is all ones, MIN/-1 is MIN."
    Rem      "rem"       [Kind]            INT, NO,       (K K) -> (K) 0 PURE;          "Remainder with the sign of the dividend; x%0 is x, MIN%-1 is 0."
    Min      "min"       [Kind]            INT, NO,       (K K) -> (K) 0 COMM;          "Smaller operand."
    Max      "max"       [Kind]            INT, NO,       (K K) -> (K) 0 COMM;          "Larger operand."
    Abs      "abs"       [Kind]            SIGNED, NO,    (K) -> (K) 0 PURE;            "Absolute value; MIN stays MIN."
    Neg      "neg"       [Kind]            INT, NO,       (K) -> (K) 0 SIGNLESS;        "Zero minus the operand."
    // Bits. The count of a shift is i32 for every width.
    And      "and"       [Kind]            LOGIC, NO,     (K K) -> (K) 0 COMM;          "Bitwise and."
    Or       "or"        [Kind]            LOGIC, NO,     (K K) -> (K) 0 COMM;          "Bitwise or."
    Xor      "xor"       [Kind]            LOGIC, NO,     (K K) -> (K) 0 COMM;          "Bitwise exclusive or."
    Not      "not"       [Kind]            LOGIC, NO,     (K) -> (K) 0 PURE;            "Bitwise complement."
    Shl      "shl"       [Wrap Kind]       BITS, NO,      (K I32) -> (K) 0 PURE;        "Shift left; a count (unsigned) of the width or more gives 0, with .wrap it is taken modulo the width."
    Shr      "shr"       [Wrap Kind]       INT, NO,       (K I32) -> (K) 0 PURE;        "Shift right, filling with zeros (u) or the sign (s); a count of the width or more gives 0 or all sign bits, with .wrap it is taken modulo the width."
    Popc     "popc"      [Kind]            BITS, NO,      (K) -> (I32) 0 PURE;          "Number of one bits."
    Clz      "clz"       [Kind]            BITS, NO,      (K) -> (I32) 0 PURE;          "Number of leading zero bits; the width for 0."
    Brev     "brev"      [Kind]            BITS, NO,      (K) -> (K) 0 PURE;            "Bits in reverse order."
    // Float arithmetic
    FAdd     "add"       [Round Ftz Kind]  FLOAT, NO,     (K K) -> (K) 0 COMM;          "Correctly rounded sum."
    FSub     "sub"       [Round Ftz Kind]  FLOAT, NO,     (K K) -> (K) 0 PURE;          "Correctly rounded difference."
    FMul     "mul"       [Round Ftz Kind]  FLOAT, NO,     (K K) -> (K) 0 COMM;          "Correctly rounded product."
    Fma      "fma"       [Round Ftz Kind]  FLOAT, NO,     (K K K) -> (K) 0 PURE;        "Product plus the third operand, rounded once."
    FDiv     "div"       [Round Ftz Kind]  FLOAT, NO,     (K K) -> (K) 0 PURE;          "Correctly rounded quotient."
    FSqrt    "sqrt"      [Round Ftz Kind]  FLOAT, NO,     (K) -> (K) 0 PURE;            "Correctly rounded square root."
    FMin     "min"       [Ftz Kind]        FLOAT, NO,     (K K) -> (K) 0 COMM;          "Smaller operand; a number beats NaN, -0 is below +0."
    FMax     "max"       [Ftz Kind]        FLOAT, NO,     (K K) -> (K) 0 COMM;          "Larger operand; a number beats NaN, +0 is above -0."
    FAbs     "abs"       [Ftz Kind]        FLOAT, NO,     (K) -> (K) 0 PURE;            "The operand with the sign bit cleared."
    FNeg     "neg"       [Ftz Kind]        FLOAT, NO,     (K) -> (K) 0 PURE;            "The operand with the sign bit flipped."
    // Conversions
    Cvt      "cvt"       [CvtRound Ftz Sat Kind SrcKind] NUM, NUM, (S) -> (K) 0 PURE;   "Converts between number kinds; float to integer saturates, NaN gives 0."
    Bitcast  "bitcast"   [Kind SrcKind]    NUM, NUM,      (S) -> (K) 0 PURE;            "The same bits as another type of the same width."
    PtrToInt "ptrtoint"  []                NO, NO,        (Ptr) -> (I64) 0 PURE;        "The address as an integer, zero-extended."
    IntToPtr "inttoptr"  [Space]           NO, NO,        (I64) -> (Ptr) 0 PURE;        "The integer, truncated to the pointer's width, as an address."
    PtrAdd   "ptradd"    []                NO, NO,        (Ptr I64) -> (Ptr) 0 PURE;    "The address plus a byte offset, modulo the pointer's width."
    // Compare and select
    Setp     "setp"      [Cmp Kind]        CMP, NO,       (K K) -> (Pred) 0 PURE;       "Compares; pointers compare as unsigned addresses."
    Selp     "selp"      [Kind]            ANY, NO,       (K K Pred) -> (K) 0 PURE;     "The first operand where the predicate holds, else the second."
    Mov      "mov"       [Kind]            ANY, NO,       (K) -> (K) 0 PURE;            "A copy."
    // Environment
    SReg     "sreg"      [Kind SReg]       U32, NO,       () -> (K) 0 PURE;             "Reads a special register."
    // Memory
    Ld       "ld"        [Space Vec Kind]  DATA, NO,      (Addr) -> (Vec) 0 LOAD;       "Loads one, two or four elements."
    St       "st"        [Space Vec Kind]  DATA, NO,      (Addr Vec) -> () 0 STORE;     "Stores one, two or four elements."
    // Convergence
    CvgBegin "cvg.begin" []                NO, NO,        () -> (Cvg) 0 CVG;            "Opens a region: lanes here now reconverge at its end."
    CvgEnd   "cvg.end"   []                NO, NO,        (Cvg) -> () 0 CVG;            "Waits for all lanes of the region that are still alive."
    // Variables, before SSA construction
    VarGet   "var.get"   [Var]             NO, NO,        () -> (VarTy) 0 VAR_GET;      "Reads a variable; before the first write its value is zero."
    VarSet   "var.set"   [Var]             NO, NO,        (VarTy) -> () 0 VAR_SET;      "Writes a variable."
    // Control
    Br       "br"        []                NO, NO,        () -> () 1 TERM;              "Continues at a block."
    Brc      "brc"       []                NO, NO,        (Pred) -> () 2 TERM;          "Continues at the first block where the predicate holds, else at the second."
    Ret      "ret"       []                NO, NO,        () -> () 0 TERM;              "Ends the lane's kernel."
    Trap     "trap"      []                NO, NO,        () -> () 0 TERM;              "Stops the launch with a fault."
    Unreachable "unreachable" []           NO, NO,        () -> () 0 TERM;              "Never executed; reaching it is undefined."
}

impl Opcode {
    /// The opcode's row.
    pub fn desc(self) -> &'static OpDesc {
        &TABLE[self as usize]
    }

    /// The name in text.
    pub fn name(self) -> &'static str {
        self.desc().name
    }

    /// The flags.
    pub fn flags(self) -> Flags {
        self.desc().flags
    }

    /// The canonical kind of an instruction: unsigned where signedness does not matter.
    pub fn canonical_kind(self, kind: Kind) -> Kind {
        if self.flags().has(Flags::SIGNLESS) {
            kind.unsigned()
        } else {
            kind
        }
    }

    /// The opcodes whose name is a dotted prefix of `mnemonic`, each with the suffixes behind it,
    /// longest name first. Integer and float forms share PTX's name (`add`): the one whose slots
    /// accept the suffixes is meant.
    pub fn candidates(mnemonic: &str) -> Vec<(Opcode, &str)> {
        let fits = |op: &Opcode| {
            let rest = mnemonic.strip_prefix(op.name())?;
            (rest.is_empty() || rest.starts_with('.')).then_some((*op, rest))
        };
        let mut found: Vec<_> = Opcode::ALL.iter().filter_map(fits).collect();
        found.sort_by_key(|(op, _)| std::cmp::Reverse(op.name().len()));
        found
    }
}

/// A comparison. The `u` forms of floats are true where an operand is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Cmp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Equ,
    Neu,
    Ltu,
    Leu,
    Gtu,
    Geu,
    /// Both operands are numbers.
    Num,
    /// An operand is NaN.
    Nan,
}

impl Cmp {
    /// All comparisons.
    pub const ALL: [Cmp; 14] = [
        Cmp::Eq,
        Cmp::Ne,
        Cmp::Lt,
        Cmp::Le,
        Cmp::Gt,
        Cmp::Ge,
        Cmp::Equ,
        Cmp::Neu,
        Cmp::Ltu,
        Cmp::Leu,
        Cmp::Gtu,
        Cmp::Geu,
        Cmp::Num,
        Cmp::Nan,
    ];

    /// The suffix in text.
    pub fn name(self) -> &'static str {
        match self {
            Cmp::Eq => "eq",
            Cmp::Ne => "ne",
            Cmp::Lt => "lt",
            Cmp::Le => "le",
            Cmp::Gt => "gt",
            Cmp::Ge => "ge",
            Cmp::Equ => "equ",
            Cmp::Neu => "neu",
            Cmp::Ltu => "ltu",
            Cmp::Leu => "leu",
            Cmp::Gtu => "gtu",
            Cmp::Geu => "geu",
            Cmp::Num => "num",
            Cmp::Nan => "nan",
        }
    }

    /// Whether integers have it too.
    pub fn is_ordered_six(self) -> bool {
        matches!(
            self,
            Cmp::Eq | Cmp::Ne | Cmp::Lt | Cmp::Le | Cmp::Gt | Cmp::Ge
        )
    }

    /// The comparison with exchanged operands.
    pub fn swapped(self) -> Cmp {
        match self {
            Cmp::Lt => Cmp::Gt,
            Cmp::Le => Cmp::Ge,
            Cmp::Gt => Cmp::Lt,
            Cmp::Ge => Cmp::Le,
            Cmp::Ltu => Cmp::Gtu,
            Cmp::Leu => Cmp::Geu,
            Cmp::Gtu => Cmp::Ltu,
            Cmp::Geu => Cmp::Leu,
            Cmp::Eq | Cmp::Ne | Cmp::Equ | Cmp::Neu | Cmp::Num | Cmp::Nan => self,
        }
    }

    /// The comparison that holds exactly where this one does not. For floats `ne` is false on NaN,
    /// so its inverse is `equ`.
    pub fn inverted(self) -> Cmp {
        match self {
            Cmp::Eq => Cmp::Neu,
            Cmp::Ne => Cmp::Equ,
            Cmp::Lt => Cmp::Geu,
            Cmp::Le => Cmp::Gtu,
            Cmp::Gt => Cmp::Leu,
            Cmp::Ge => Cmp::Ltu,
            Cmp::Equ => Cmp::Ne,
            Cmp::Neu => Cmp::Eq,
            Cmp::Ltu => Cmp::Ge,
            Cmp::Leu => Cmp::Gt,
            Cmp::Gtu => Cmp::Le,
            Cmp::Geu => Cmp::Lt,
            Cmp::Num => Cmp::Nan,
            Cmp::Nan => Cmp::Num,
        }
    }
}

/// Rounding of a float result, or to an integral value in conversions (`rni` …).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Round {
    /// Nearest, ties to even.
    Rn,
    /// Toward zero.
    Rz,
    /// Toward minus infinity.
    Rm,
    /// Toward plus infinity.
    Rp,
    /// To an integer: nearest, ties to even.
    Rni,
    /// To an integer: toward zero.
    Rzi,
    /// To an integer: toward minus infinity.
    Rmi,
    /// To an integer: toward plus infinity.
    Rpi,
}

impl Round {
    /// All roundings.
    pub const ALL: [Round; 8] = [
        Round::Rn,
        Round::Rz,
        Round::Rm,
        Round::Rp,
        Round::Rni,
        Round::Rzi,
        Round::Rmi,
        Round::Rpi,
    ];

    /// The suffix in text.
    pub fn name(self) -> &'static str {
        match self {
            Round::Rn => "rn",
            Round::Rz => "rz",
            Round::Rm => "rm",
            Round::Rp => "rp",
            Round::Rni => "rni",
            Round::Rzi => "rzi",
            Round::Rmi => "rmi",
            Round::Rpi => "rpi",
        }
    }
}

/// A special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum SReg {
    TidX,
    TidY,
    TidZ,
    NtidX,
    NtidY,
    NtidZ,
    CtaidX,
    CtaidY,
    CtaidZ,
    NctaidX,
    NctaidY,
    NctaidZ,
    LaneId,
    WarpId,
    WarpSize,
}

impl SReg {
    /// All special registers.
    pub const ALL: [SReg; 15] = [
        SReg::TidX,
        SReg::TidY,
        SReg::TidZ,
        SReg::NtidX,
        SReg::NtidY,
        SReg::NtidZ,
        SReg::CtaidX,
        SReg::CtaidY,
        SReg::CtaidZ,
        SReg::NctaidX,
        SReg::NctaidY,
        SReg::NctaidZ,
        SReg::LaneId,
        SReg::WarpId,
        SReg::WarpSize,
    ];

    /// PTX's name without the percent sign.
    pub fn name(self) -> &'static str {
        match self {
            SReg::TidX => "tid.x",
            SReg::TidY => "tid.y",
            SReg::TidZ => "tid.z",
            SReg::NtidX => "ntid.x",
            SReg::NtidY => "ntid.y",
            SReg::NtidZ => "ntid.z",
            SReg::CtaidX => "ctaid.x",
            SReg::CtaidY => "ctaid.y",
            SReg::CtaidZ => "ctaid.z",
            SReg::NctaidX => "nctaid.x",
            SReg::NctaidY => "nctaid.y",
            SReg::NctaidZ => "nctaid.z",
            SReg::LaneId => "laneid",
            SReg::WarpId => "warpid",
            SReg::WarpSize => "warpsize",
        }
    }
}
