//! Typed arrays: the contents of buffers, read from and written to `.npy` files.

use std::io::Cursor;

use half::{bf16, f16};
use npyz::{DType, NpyFile, Order, TypeStr};

use super::expr::Num;

/// Type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Elem {
    Bool,
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    Bf16,
    F32,
    F64,
}

impl Elem {
    /// All element types.
    pub const ALL: [Elem; 13] = [
        Elem::Bool,
        Elem::U8,
        Elem::I8,
        Elem::U16,
        Elem::I16,
        Elem::U32,
        Elem::I32,
        Elem::U64,
        Elem::I64,
        Elem::F16,
        Elem::Bf16,
        Elem::F32,
        Elem::F64,
    ];

    /// The name in the kernel language.
    pub fn name(self) -> &'static str {
        match self {
            Elem::Bool => "bool",
            Elem::U8 => "u8",
            Elem::I8 => "i8",
            Elem::U16 => "u16",
            Elem::I16 => "i16",
            Elem::U32 => "u32",
            Elem::I32 => "i32",
            Elem::U64 => "u64",
            Elem::I64 => "i64",
            Elem::F16 => "f16",
            Elem::Bf16 => "bf16",
            Elem::F32 => "f32",
            Elem::F64 => "f64",
        }
    }

    /// The type of a name.
    pub fn find(name: &str) -> Option<Elem> {
        Elem::ALL.into_iter().find(|e| e.name() == name)
    }

    /// Bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Elem::Bool | Elem::U8 | Elem::I8 => 1,
            Elem::U16 | Elem::I16 | Elem::F16 | Elem::Bf16 => 2,
            Elem::U32 | Elem::I32 | Elem::F32 => 4,
            Elem::U64 | Elem::I64 | Elem::F64 => 8,
        }
    }

    /// Whether it is a float type.
    pub fn is_float(self) -> bool {
        matches!(self, Elem::F16 | Elem::Bf16 | Elem::F32 | Elem::F64)
    }

    /// Smallest and largest value of an integer type.
    pub fn int_range(self) -> Option<(i128, i128)> {
        let bits = self.size() as u32 * 8;
        match self {
            Elem::Bool => Some((0, 1)),
            Elem::U8 | Elem::U16 | Elem::U32 | Elem::U64 => Some((0, (1 << bits) - 1)),
            Elem::I8 | Elem::I16 | Elem::I32 | Elem::I64 => {
                Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1))
            }
            Elem::F16 | Elem::Bf16 | Elem::F32 | Elem::F64 => None,
        }
    }

    /// The number that little-endian bytes stand for. Panics on fewer bytes than [`Elem::size`].
    pub fn read(self, bytes: &[u8]) -> Num {
        let mut raw = [0u8; 8];
        raw[..self.size()].copy_from_slice(&bytes[..self.size()]);
        let bits = u64::from_le_bytes(raw);
        match self {
            Elem::Bool | Elem::U8 | Elem::U16 | Elem::U32 | Elem::U64 => Num::Int(i128::from(bits)),
            Elem::I8 => Num::Int(i128::from(bits as i8)),
            Elem::I16 => Num::Int(i128::from(bits as i16)),
            Elem::I32 => Num::Int(i128::from(bits as i32)),
            Elem::I64 => Num::Int(i128::from(bits as i64)),
            Elem::F16 => Num::Float(f16::from_bits(bits as u16).to_f64()),
            Elem::Bf16 => Num::Float(bf16::from_bits(bits as u16).to_f64()),
            Elem::F32 => Num::Float(f64::from(f32::from_bits(bits as u32))),
            Elem::F64 => Num::Float(f64::from_bits(bits)),
        }
    }

    /// The bits of a number in this type: floats round to nearest, integers must fit (`None`).
    pub fn bits(self, value: Num) -> Option<u64> {
        let float = value.to_f64();
        Some(match self {
            Elem::F16 => u64::from(f16::from_f64(float).to_bits()),
            Elem::Bf16 => u64::from(bf16::from_f64(float).to_bits()),
            Elem::F32 => u64::from(match value {
                Num::Int(v) => (v as f32).to_bits(),
                Num::Float(v) => (v as f32).to_bits(),
            }),
            Elem::F64 => float.to_bits(),
            _ => {
                let (low, high) = self.int_range()?;
                let whole = value.to_int()?;
                if !(low..=high).contains(&whole) {
                    return None;
                }
                let mask = if self.size() == 8 {
                    u64::MAX
                } else {
                    (1 << (self.size() * 8)) - 1
                };
                whole as u64 & mask
            }
        })
    }
}

/// A typed array, little-endian, row-major.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Element type.
    pub elem: Elem,
    /// Sizes of the dimensions; empty for a scalar file.
    pub shape: Vec<usize>,
    /// `elem.size()` bytes an element.
    pub bytes: Vec<u8>,
}

impl Array {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.elem.size()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Element `index`, if it exists.
    pub fn get(&self, index: usize) -> Option<Num> {
        let size = self.elem.size();
        let bytes = self
            .bytes
            .get(index.checked_mul(size)?..index.checked_add(1)?.checked_mul(size)?)?;
        Some(self.elem.read(bytes))
    }
}

/// Reads an `.npy` file. `want` says how 16-bit integers are meant where the kernel has `bf16`.
pub fn read_npy(data: &[u8], want: Option<Elem>) -> Result<Array, String> {
    let file = NpyFile::new(Cursor::new(data)).map_err(|e| format!("not an .npy file: {e}"))?;
    let shape: Vec<usize> = file.shape().iter().map(|&d| d as usize).collect();
    if file.order() == Order::Fortran && shape.len() > 1 {
        return Err(
            "it is stored column by column (fortran_order); save it in C order".to_string(),
        );
    }
    let DType::Plain(ty) = file.dtype() else {
        return Err("it holds records; a plain array of numbers is needed".to_string());
    };
    let (elem, swap) =
        elem_of(&ty).ok_or_else(|| format!("its element type {ty} has no counterpart"))?;
    let count = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
    let needed = count.and_then(|n| n.checked_mul(elem.size()));
    let needed = needed.ok_or("its shape is too large")?;
    let start = header_len(data).ok_or("its header is damaged")?;
    let have = data.len().saturating_sub(start);
    if have != needed {
        return Err(format!(
            "its shape {shape:?} needs {needed} bytes of data, it has {have}"
        ));
    }
    let mut bytes = data[start..].to_vec();
    if swap {
        bytes
            .chunks_exact_mut(elem.size())
            .for_each(<[u8]>::reverse);
    }
    let elem = if want == Some(Elem::Bf16) && elem == Elem::U16 {
        Elem::Bf16
    } else {
        elem
    };
    Ok(Array { elem, shape, bytes })
}

/// Bytes before the data: magic, version, length field and header (NumPy format versions 1 to 3).
fn header_len(data: &[u8]) -> Option<usize> {
    let size = |range: std::ops::Range<usize>| {
        data.get(range)
            .map(|b| b.iter().rev().fold(0usize, |n, &x| n << 8 | usize::from(x)))
    };
    match data.get(6)? {
        1 => Some(10 + size(8..10)?),
        2 | 3 => Some(12 + size(8..12)?),
        _ => None,
    }
    .filter(|&n| n <= data.len())
}

fn elem_of(ty: &TypeStr) -> Option<(Elem, bool)> {
    let text = ty.to_string();
    let swap = text.starts_with('>');
    let elem = match text.trim_start_matches(['<', '>', '|', '=']) {
        "b1" => Elem::Bool,
        "u1" => Elem::U8,
        "i1" => Elem::I8,
        "u2" => Elem::U16,
        "i2" => Elem::I16,
        "u4" => Elem::U32,
        "i4" => Elem::I32,
        "u8" => Elem::U64,
        "i8" => Elem::I64,
        "f2" => Elem::F16,
        "f4" => Elem::F32,
        "f8" => Elem::F64,
        _ => return None,
    };
    Some((elem, swap))
}

/// Writes an `.npy` file (format version 1). `bf16` is stored as `u16`.
pub fn write_npy(array: &Array) -> Vec<u8> {
    let code = match array.elem {
        Elem::Bool => "|b1",
        Elem::U8 => "|u1",
        Elem::I8 => "|i1",
        Elem::U16 | Elem::Bf16 => "<u2",
        Elem::I16 => "<i2",
        Elem::U32 => "<u4",
        Elem::I32 => "<i4",
        Elem::U64 => "<u8",
        Elem::I64 => "<i8",
        Elem::F16 => "<f2",
        Elem::F32 => "<f4",
        Elem::F64 => "<f8",
    };
    let mut out = Vec::new();
    write_header(&mut out, code, &array.shape);
    out.extend_from_slice(&array.bytes);
    out
}

fn write_header(out: &mut Vec<u8>, descr: &str, shape: &[usize]) {
    let dims: Vec<String> = shape.iter().map(usize::to_string).collect();
    let dims = if dims.len() == 1 {
        format!("{},", dims[0])
    } else {
        dims.join(", ")
    };
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({dims}), }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    out.extend_from_slice(b"\x93NUMPY\x01\x00");
    out.extend_from_slice(&(header.len() as u16).to_le_bytes());
    out.extend_from_slice(header.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn npy_round_trips_every_type() {
        for elem in Elem::ALL {
            let bytes: Vec<u8> = (0..elem.size() * 6).map(|i| i as u8 & 1).collect();
            let array = Array {
                elem,
                shape: vec![2, 3],
                bytes,
            };
            let back = read_npy(&write_npy(&array), Some(elem)).unwrap();
            assert_eq!(back, array);
        }
    }

    #[test]
    fn damaged_npy_gives_an_error() {
        let array = Array {
            elem: Elem::F32,
            shape: vec![4],
            bytes: vec![0; 16],
        };
        let good = write_npy(&array);
        for n in 0..good.len() {
            assert!(read_npy(&good[..n], None).is_err(), "{n}");
        }
        for n in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[n] ^= 1 << bit;
                let _ = read_npy(&bad, None);
            }
        }
    }

    #[test]
    fn integers_must_fit() {
        assert_eq!(Elem::U8.bits(Num::Int(256)), None);
        assert_eq!(Elem::I8.bits(Num::Int(-128)), Some(0x80));
        assert_eq!(Elem::U32.bits(Num::Float(2.0)), Some(2));
        assert_eq!(Elem::U32.bits(Num::Float(2.5)), None);
        assert_eq!(Elem::F32.bits(Num::Int(3)), Some(u64::from(3f32.to_bits())));
    }
}
