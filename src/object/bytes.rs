//! Checked access to the bytes of a file, and little-endian appending.
//!
//! All offsets are `u64`, as files state them, and every access names the structure it is for, so
//! that a failed one says what is missing.

use super::error::ObjectError;

/// A range of a file, or the whole of it.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'a> {
    data: &'a [u8],
    start: u64,
}

impl<'a> Bytes<'a> {
    /// A whole file.
    pub fn new(data: &'a [u8]) -> Bytes<'a> {
        Bytes { data, start: 0 }
    }

    /// The bytes themselves.
    pub fn data(self) -> &'a [u8] {
        self.data
    }

    /// Number of bytes.
    pub fn size(self) -> u64 {
        self.data.len() as u64
    }

    /// The `size` bytes from `offset`, or an error about `what`.
    pub fn range(
        self,
        offset: u64,
        size: u64,
        what: &'static str,
    ) -> Result<Bytes<'a>, ObjectError> {
        let end = offset.checked_add(size).filter(|e| *e <= self.size());
        match end {
            Some(end) => Ok(Bytes {
                data: &self.data[offset as usize..end as usize],
                start: self.start + offset,
            }),
            None => Err(ObjectError::Truncated {
                what,
                offset: self.start.saturating_add(offset),
                size,
                available: self.start + self.size(),
            }),
        }
    }

    /// `N` bytes from `offset`.
    pub fn array<const N: usize>(
        self,
        offset: u64,
        what: &'static str,
    ) -> Result<[u8; N], ObjectError> {
        let found = self.range(offset, N as u64, what)?.data;
        Ok(found.try_into().expect("range gives N bytes"))
    }

    /// The zero-terminated string at `offset`.
    pub fn string(self, offset: u64, what: &'static str) -> Result<&'a str, ObjectError> {
        let rest = self.range(offset, self.size().saturating_sub(offset), what)?;
        let Some(end) = rest.data.iter().position(|b| *b == 0) else {
            return Err(ObjectError::malformed(
                what,
                format!("the string at {offset:#x} has no end"),
            ));
        };
        std::str::from_utf8(&rest.data[..end]).map_err(|_| {
            ObjectError::malformed(what, format!("the string at {offset:#x} is not UTF-8"))
        })
    }
}

/// `value` rounded up to a multiple of `align`, a power of two.
pub fn align_up(value: u64, align: u64) -> u64 {
    debug_assert!(align.is_power_of_two());
    value.saturating_add(align - 1) & !(align - 1)
}
