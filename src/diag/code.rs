//! The diagnostic codes. One line a code: name, severity, title.
//!
//! Numbers are grouped by subject: `K00xx` lexing and parsing, `K01xx` names and types, `K02xx`
//! statements, control flow and uniformity, `K03xx` kernels and attributes, `K04xx` resources and
//! targets, `K05xx` VISA text, `K06xx` machine assembly, `K07xx` object files, `K08xx` command line
//! and launch arguments, `W0xxx` warnings, `R0xxx` faults of a running kernel. Each code has a page
//! `docs/errors/CODE.md`, printed by `kcc explain CODE`.

use super::diagnostic::Severity;

/// A stable diagnostic code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(u16);

struct CodeRow {
    name: &'static str,
    title: &'static str,
    page: &'static str,
}

macro_rules! codes {
    ($($name:ident $title:literal)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Index { $($name),* }

        impl Code {
            $(#[doc = $title] pub const $name: Code = Code(Index::$name as u16);)*
        }

        static ROWS: &[CodeRow] = &[$(CodeRow {
            name: stringify!($name),
            title: $title,
            page: include_str!(concat!("../../docs/errors/", stringify!($name), ".md")),
        }),*];
    };
}

#[rustfmt::skip]
codes! {
    // K00xx: lexing and parsing of the kernel language
    K0001 "unexpected character"
    K0002 "comment or string without an end"
    K0003 "syntax error"
    K0004 "nested too deeply"
    // K01xx: names, types, constants
    K0101 "unknown name"
    K0102 "type mismatch"
    K0103 "wrong arguments of a builtin"
    K0104 "number out of range"
    K0105 "impossible cast"
    K0106 "operator not defined for a type"
    K0107 "name defined twice"
    K0108 "not a constant"
    K0109 "unknown type"
    K0110 "type not known"
    K0111 "unknown field"
    // K02xx: statements, control flow, uniformity
    K0201 "assignment to something that does not change"
    K0202 "write to read-only memory"
    K0203 "not a place"
    K0204 "no loop to leave"
    K0206 "a kernel returns no value"
    K0207 "step is not positive"
    // K03xx: kernels and attributes
    K0301 "unknown attribute"
    K0302 "wrong arguments of an attribute"
    K0399 "not supported yet"
    // K04xx: resources and targets
    K0401 "unknown target"
    K0402 "operation not supported by the target"
    K0403 "kernel does not fit the target"
    K0404 "wave size does not fit the target"
    K0405 "code for one target cannot be made from this module"
    K0406 "unknown pass"
    // K05xx: VISA text and verification
    K0501 "syntax error in VISA text"
    K0502 "unknown instruction"
    K0503 "wrong suffix of an instruction"
    K0504 "wrong operand or result"
    K0505 "unknown name in VISA text"
    K0506 "name defined twice in VISA text"
    K0507 "malformed VISA kernel"
    K0508 "wrong directive or attribute"
    K0509 "VISA text too large"
    K0510 "wrong type in VISA text"
    // K06xx: machine assembly
    // K07xx: object files
    K0701 "not an object file"
    K0702 "object file is not linked"
    K0703 "unsupported kind of object file"
    K0704 "object file is cut short"
    K0705 "malformed object file"
    K0706 "kernel of an object file cannot be used"
    K0707 "wrong kernel metadata"
    K0708 "relocation cannot be applied"
    K0709 "debug information cannot be read"
    K0710 "object file cannot be written"
    // K08xx: command line and launch arguments
    K0801 "malformed value on the command line"
    K0802 "a value on the command line cannot be computed"
    K0803 "a file cannot be read"
    K0804 "a file cannot be written"
    K0805 "kernel arguments do not fit the kernel"
    K0806 "a value does not fit its type"
    K0807 "a buffer's shape does not fit"
    K0808 "a data file does not fit"
    K0809 "the launch is not possible"
    K0810 "no such kernel"
    K0811 "unknown device"
    K0812 "options contradict each other"
    // W0xxx: warnings
    W0101 "unused name"
    W0102 "unreachable statement"
    W0103 "unused value"
    // R0xxx: faults of a running kernel
    R0001 "illegal address"
    R0002 "write to read-only memory at run time"
    R0003 "misaligned address"
    R0004 "illegal instruction"
    R0005 "unsupported instruction"
    R0006 "past the end of scratch or LDS"
    R0007 "trap"
    R0008 "instruction limit reached"
    R0009 "hazard"
    R0010 "deadlock at a barrier"
}

impl Code {
    /// The code as users see it, `K0001`.
    pub fn name(self) -> &'static str {
        ROWS[self.0 as usize].name
    }

    /// One line that says what it is about.
    pub fn title(self) -> &'static str {
        ROWS[self.0 as usize].title
    }

    /// The long help in Markdown.
    pub fn page(self) -> &'static str {
        ROWS[self.0 as usize].page
    }

    /// Severity by the first letter: `W` warns, `L` is a note, all others are errors.
    pub fn severity(self) -> Severity {
        match self.name().as_bytes()[0] {
            b'W' => Severity::Warning,
            b'L' => Severity::Note,
            _ => Severity::Error,
        }
    }

    /// All codes in order.
    pub fn all() -> impl Iterator<Item = Code> {
        (0..ROWS.len() as u16).map(Code)
    }

    /// Finds a code by name, letter case ignored.
    pub fn find(name: &str) -> Option<Code> {
        Code::all().find(|c| c.name().eq_ignore_ascii_case(name))
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
