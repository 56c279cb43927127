//! Memory of the evaluator: allocations at fixed addresses, every access checked.

use std::collections::BTreeMap;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads.
    Load,
    /// Writes.
    Store,
}

/// Global memory as kernels see it.
pub trait Memory {
    /// Reads `bytes` bytes, little-endian; the error says why it is impossible.
    fn load(&mut self, address: u64, bytes: u32) -> Result<u64, String>;
    /// Writes the low `bytes` bytes.
    fn store(&mut self, address: u64, bytes: u32, value: u64) -> Result<(), String>;
}

/// One allocation.
#[derive(Clone, Debug)]
struct Allocation {
    name: String,
    data: Vec<u8>,
    read_only: bool,
}

/// Named allocations by base address.
#[derive(Clone, Debug, Default)]
pub struct Allocations {
    by_base: BTreeMap<u64, Allocation>,
}

impl Allocations {
    /// No memory at all.
    pub fn new() -> Allocations {
        Allocations::default()
    }

    /// Adds an allocation. The caller keeps addresses apart.
    pub fn add(&mut self, base: u64, name: &str, data: Vec<u8>, read_only: bool) {
        self.by_base.insert(
            base,
            Allocation {
                name: name.to_string(),
                data,
                read_only,
            },
        );
    }

    /// The contents of the allocation that begins at an address.
    pub fn contents(&self, base: u64) -> Option<&[u8]> {
        self.by_base.get(&base).map(|a| a.data.as_slice())
    }

    fn find(&mut self, address: u64, bytes: u32, access: Access) -> Result<&mut [u8], String> {
        let size = u64::from(bytes);
        if !address.is_multiple_of(size.max(1)) {
            return Err(format!("address {address:#x} is not a multiple of {bytes}"));
        }
        let Some((base, allocation)) = self.by_base.range_mut(..=address).next_back() else {
            return Err(format!("address {address:#x} is below every allocation"));
        };
        let offset = address - base;
        let end = offset
            .checked_add(size)
            .filter(|e| *e <= allocation.data.len() as u64);
        let Some(end) = end else {
            let len = allocation.data.len() as u64;
            let beyond = (offset + size).saturating_sub(len);
            return Err(format!(
                "address {address:#x} is {beyond} bytes past the end of `{}` ({len} bytes at {base:#x})",
                allocation.name
            ));
        };
        if access == Access::Store && allocation.read_only {
            return Err(format!("`{}` is read-only", allocation.name));
        }
        Ok(&mut allocation.data[offset as usize..end as usize])
    }
}

impl Memory for Allocations {
    fn load(&mut self, address: u64, bytes: u32) -> Result<u64, String> {
        let data = self.find(address, bytes, Access::Load)?;
        let mut raw = [0u8; 8];
        raw[..data.len()].copy_from_slice(data);
        Ok(u64::from_le_bytes(raw))
    }

    fn store(&mut self, address: u64, bytes: u32, value: u64) -> Result<(), String> {
        let data = self.find(address, bytes, Access::Store)?;
        let raw = value.to_le_bytes();
        let len = data.len();
        data.copy_from_slice(&raw[..len]);
        Ok(())
    }
}
