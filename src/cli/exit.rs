//! Exit codes of both programs. Where several apply, the highest of 70 > 6 > 5 > 4 > 3 > 1 wins.

/// Why a program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// All went well; warnings allowed.
    Success,
    /// An error in the source, or an expectation that does not hold.
    Failure,
    /// Bad command line or configuration.
    Usage,
    /// A file cannot be read or written, or is not what it should be.
    Io,
    /// A check found something.
    Finding,
    /// The kernel faulted.
    Fault,
    /// A limit was reached or the kernel hangs.
    Limit,
    /// An error of ours.
    Internal,
}

impl Exit {
    /// The process exit status.
    pub fn code(self) -> u8 {
        match self {
            Exit::Success => 0,
            Exit::Failure => 1,
            Exit::Usage => 2,
            Exit::Io => 3,
            Exit::Finding => 4,
            Exit::Fault => 5,
            Exit::Limit => 6,
            Exit::Internal => 70,
        }
    }
}
