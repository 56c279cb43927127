//! What can be wrong with an object file.
//!
//! Each variant is one kind of fault with the facts a reader of the message needs: which structure,
//! where in the file, what was found and what was expected. [`ObjectError::code`] gives the number of
//! its explain page.

use crate::diag::{Code, Diagnostic};
use std::fmt;

/// Why an object file was not read, or not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectError {
    /// The file is not an ELF file at all.
    NotElf {
        /// What its first bytes look like.
        found: String,
    },
    /// A relocatable file that a linker has not made loadable yet.
    NotLinked,
    /// A well-formed file of a kind that is not handled.
    Unsupported {
        /// The property, `machine`.
        what: &'static str,
        /// Its value in the file.
        found: String,
        /// The values that are handled.
        expected: &'static str,
    },
    /// A structure reaches past the end of what holds it.
    Truncated {
        /// The structure.
        what: &'static str,
        /// Its offset in the file.
        offset: u64,
        /// Its size in bytes.
        size: u64,
        /// Size of what should hold it.
        available: u64,
    },
    /// A structure contradicts itself or another one.
    Malformed {
        /// The structure.
        what: &'static str,
        /// What is wrong with it, with the numbers found.
        problem: String,
    },
    /// A kernel that the metadata names cannot be used.
    Kernel {
        /// Its name.
        kernel: String,
        /// What is wrong.
        problem: String,
    },
    /// The metadata note is wrong.
    Metadata {
        /// Path of the entry, `amdhsa.kernels[0].args[2].size`.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A relocation cannot be applied.
    Reloc {
        /// Address of the place to be patched.
        place: u64,
        /// What is wrong.
        problem: String,
    },
    /// A section that helps people, but not the machine, is wrong; the code can still be run.
    Debug {
        /// The section.
        section: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// The parts handed to the writer do not make an object.
    Unwritable {
        /// The part.
        what: String,
        /// What is wrong with it.
        problem: String,
    },
}

impl ObjectError {
    /// The diagnostic code.
    pub fn code(&self) -> Code {
        match self {
            ObjectError::NotElf { .. } => Code::K0701,
            ObjectError::NotLinked => Code::K0702,
            ObjectError::Unsupported { .. } => Code::K0703,
            ObjectError::Truncated { .. } => Code::K0704,
            ObjectError::Malformed { .. } => Code::K0705,
            ObjectError::Kernel { .. } => Code::K0706,
            ObjectError::Metadata { .. } => Code::K0707,
            ObjectError::Reloc { .. } => Code::K0708,
            ObjectError::Debug { .. } => Code::K0709,
            ObjectError::Unwritable { .. } => Code::K0710,
        }
    }

    /// A diagnostic about the object file called `file`.
    pub fn to_diagnostic(&self, file: &str) -> Diagnostic {
        let diagnostic = Diagnostic::new(self.code(), format!("{file}: {self}"));
        match self {
            ObjectError::NotLinked => {
                diagnostic.help(format!("link it: ld.lld -shared -o {file}.hsaco {file}"))
            }
            _ => diagnostic,
        }
    }

    pub(crate) fn malformed(what: &'static str, problem: impl Into<String>) -> ObjectError {
        ObjectError::Malformed {
            what,
            problem: problem.into(),
        }
    }

    pub(crate) fn unwritable(what: impl Into<String>, problem: impl Into<String>) -> ObjectError {
        ObjectError::Unwritable {
            what: what.into(),
            problem: problem.into(),
        }
    }
}

impl fmt::Display for ObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ObjectError::NotElf { found } => write!(f, "not an ELF object: it starts with {found}"),
            ObjectError::NotLinked => {
                f.write_str("a relocatable object (ET_REL) cannot be loaded before it is linked")
            }
            ObjectError::Unsupported {
                what,
                found,
                expected,
            } => write!(f, "unsupported {what}: {found}, expected {expected}"),
            ObjectError::Truncated {
                what,
                offset,
                size,
                available,
            } => write!(
                f,
                "{what} at offset {offset:#x} needs {size} bytes, but the end is at {available:#x}"
            ),
            ObjectError::Malformed { what, problem } => write!(f, "malformed {what}: {problem}"),
            ObjectError::Kernel { kernel, problem } => write!(f, "kernel `{kernel}`: {problem}"),
            ObjectError::Metadata { path, problem } => write!(f, "metadata {path}: {problem}"),
            ObjectError::Reloc { place, problem } => {
                write!(f, "relocation of address {place:#x}: {problem}")
            }
            ObjectError::Debug { section, problem } => write!(f, "section {section}: {problem}"),
            ObjectError::Unwritable { what, problem } => {
                write!(f, "cannot write {what}: {problem}")
            }
        }
    }
}

impl std::error::Error for ObjectError {}
