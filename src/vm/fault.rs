//! What stops a launch.

/// Kinds of faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An address outside of every allocation, with what is near.
    IllegalAddress(String),
    /// A write to read-only memory.
    ReadOnly(String),
    /// An address that must be aligned and is not.
    Misaligned(String),
    /// Bytes that are no instruction.
    IllegalInstruction(String),
    /// An instruction that this machine does not execute yet.
    Unsupported(String),
    /// Past the end of scratch or LDS.
    OutOfRange(String),
    /// `s_trap`.
    Trap(u16),
    /// The wave executed as many instructions as it may.
    Limit(u64),
    /// A register was touched before a wait or wait state covered it.
    Hazard(String),
    /// Waves wait at a barrier that the others never reach.
    Deadlock(String),
}

/// A fault with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What happened.
    pub kind: FaultKind,
    /// Kernel.
    pub kernel: String,
    /// Workgroup.
    pub workgroup: [u32; 3],
    /// Wave in the workgroup.
    pub wave: u32,
    /// Lanes concerned.
    pub lanes: u64,
    /// Address of the instruction.
    pub pc: u64,
    /// Text of the instruction.
    pub inst: String,
}

impl FaultKind {
    /// One sentence.
    pub fn message(&self) -> String {
        match self {
            FaultKind::IllegalAddress(text)
            | FaultKind::ReadOnly(text)
            | FaultKind::Misaligned(text)
            | FaultKind::OutOfRange(text)
            | FaultKind::Hazard(text)
            | FaultKind::Deadlock(text) => text.clone(),
            FaultKind::IllegalInstruction(text) => {
                format!("these bytes are no instruction: {text}")
            }
            FaultKind::Unsupported(text) => format!("the machine cannot execute `{text}` yet"),
            FaultKind::Trap(n) => format!("trap {n}"),
            FaultKind::Limit(n) => format!("a wave reached the limit of {n} instructions"),
        }
    }

    /// The diagnostic code that explains it.
    pub fn code(&self) -> crate::diag::Code {
        use crate::diag::Code;
        match self {
            FaultKind::IllegalAddress(_) => Code::R0001,
            FaultKind::ReadOnly(_) => Code::R0002,
            FaultKind::Misaligned(_) => Code::R0003,
            FaultKind::IllegalInstruction(_) => Code::R0004,
            FaultKind::Unsupported(_) => Code::R0005,
            FaultKind::OutOfRange(_) => Code::R0006,
            FaultKind::Trap(_) => Code::R0007,
            FaultKind::Limit(_) => Code::R0008,
            FaultKind::Hazard(_) => Code::R0009,
            FaultKind::Deadlock(_) => Code::R0010,
        }
    }
}
