//! Section `.kcc.params`: names, types and shapes of kernel parameters.
//!
//! A code object's own metadata knows sizes and offsets, but not that a pointer and the number behind
//! it are one slice of `f32`. This section says so, as JSON, so that any tool can read it:
//!
//! ```text
//! {"version":1,"kernels":[{"name":"saxpy","params":[
//!   {"name":"y","element":"f32","shape":"slice","readonly":false},
//!   {"name":"y.len","element":"u32","shape":{"length_of":0},"readonly":true}, ...
//! ```
//!
//! Parameters stand in the order of the kernel's explicit arguments, one for one. Unknown keys are
//! skipped; a higher version is refused.

use super::ObjectError;
use serde::{Deserialize, Serialize};

/// Name of the section.
pub const SECTION: &str = ".kcc.params";

const VERSION: u32 = 1;

/// What a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParamShape {
    /// A number of the element type.
    Value,
    /// A pointer to elements, without a length.
    Pointer,
    /// The pointer of a slice; its length is the next parameter.
    Slice,
    /// The number of elements of the slice whose pointer is the parameter with this index.
    LengthOf(u32),
}

/// One kernel parameter, as the launch sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// Name in the source; the length of slice `y` is `y.len`.
    pub name: String,
    /// Element type as the kernel language writes it, `f32`.
    pub element: String,
    /// What it is.
    pub shape: ParamShape,
    /// Whether the kernel never writes through it.
    pub readonly: bool,
}

/// The parameters of one kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelParams {
    /// The kernel.
    pub name: String,
    /// Its parameters.
    pub params: Vec<Param>,
}

#[derive(Serialize, Deserialize)]
struct File {
    version: u32,
    kernels: Vec<KernelParams>,
}

/// The content of the section.
pub fn encode(kernels: Vec<KernelParams>) -> Vec<u8> {
    let file = File {
        version: VERSION,
        kernels,
    };
    serde_json::to_vec(&file).expect("the types have no map with other keys than strings")
}

/// Reads the content of the section.
pub fn decode(bytes: &[u8]) -> Result<Vec<KernelParams>, ObjectError> {
    let fault = |problem: String| ObjectError::Debug {
        section: SECTION,
        problem,
    };
    let file: File = serde_json::from_slice(bytes).map_err(|e| fault(e.to_string()))?;
    if file.version > VERSION {
        return Err(fault(format!(
            "version {}, expected at most {VERSION}",
            file.version
        )));
    }
    for kernel in &file.kernels {
        for (i, param) in kernel.params.iter().enumerate() {
            if let ParamShape::LengthOf(of) = param.shape
                && of as usize >= i
            {
                return Err(fault(format!(
                    "parameter `{}` of `{}` is the length of parameter {of}, which is not before it",
                    param.name, kernel.name
                )));
            }
        }
    }
    Ok(file.kernels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decode_is_the_inverse_of_encode() {
        let slice = Param {
            name: "y".into(),
            element: "f32".into(),
            shape: ParamShape::Slice,
            readonly: false,
        };
        let length = Param {
            name: "y.len".into(),
            element: "u32".into(),
            shape: ParamShape::LengthOf(0),
            readonly: true,
        };
        let kernels = vec![KernelParams {
            name: "k".into(),
            params: vec![slice, length],
        }];
        let bytes = encode(kernels.clone());
        assert_eq!(decode(&bytes), Ok(kernels.clone()));
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains(r#""shape":{"length_of":0}"#), "{text}");
        assert!(decode(text.replace("version\":1", "version\":2").as_bytes()).is_err());
        assert!(decode(text.replace("length_of\":0", "length_of\":1").as_bytes()).is_err());
    }
}
