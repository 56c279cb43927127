//! What a caller of the runtime did wrong.

use std::fmt;

use crate::object::ObjectError;

/// An error of the host API. Faults of running kernels are [`crate::vm::Fault`].
#[derive(Clone, Debug, PartialEq)]
pub enum RuntimeError {
    /// The bytes are no code object that can be loaded.
    Object(ObjectError),
    /// The object was made for another chip: found, wanted.
    WrongTarget(String, String),
    /// The object names a symbol that nobody defines.
    Unresolved(String),
    /// The object's image is too large to load.
    TooLarge(u64),
    /// A grid or workgroup without work-items.
    EmptyLaunch(&'static str),
    /// Work-items of a workgroup: asked, most, and what sets the limit.
    WorkgroupTooLarge(u64, u32, String),
    /// A dimension of the grid is more than the dispatch packet can hold: axis, work-items.
    GridTooLarge(char, u64),
    /// Bytes of arguments: given, expected.
    Arguments(usize, usize),
    /// LDS bytes: needed, available.
    Lds(u32, u32),
    /// A device description that cannot be used.
    Device(String),
}

impl fmt::Display for RuntimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuntimeError::Object(error) => write!(f, "{error}"),
            RuntimeError::WrongTarget(found, wanted) => {
                write!(
                    f,
                    "the object was made for {found}, the device is a {wanted}"
                )
            }
            RuntimeError::Unresolved(name) => write!(
                f,
                "nothing defines the symbol `{name}` that the object uses"
            ),
            RuntimeError::TooLarge(bytes) => {
                write!(f, "the object takes {bytes} bytes of device memory")
            }
            RuntimeError::EmptyLaunch(what) => {
                write!(f, "the {what} is empty: every dimension needs at least 1")
            }
            RuntimeError::WorkgroupTooLarge(asked, most, why) => {
                write!(
                    f,
                    "a workgroup of {asked} work-items is more than {why} allows ({most})"
                )
            }
            RuntimeError::GridTooLarge(axis, items) => write!(
                f,
                "{items} work-items in {axis} are more than a dispatch packet can hold (4294967295)"
            ),
            RuntimeError::Arguments(given, expected) => {
                write!(
                    f,
                    "the kernel takes {expected} arguments, {given} were given"
                )
            }
            RuntimeError::Lds(needed, have) => {
                write!(
                    f,
                    "the kernel needs {needed} bytes of LDS, a workgroup has at most {have}"
                )
            }
            RuntimeError::Device(text) => f.write_str(text),
        }
    }
}
