//! Device memory: an allocation table over addresses of 64 bits.
//!
//! Words are relaxed atomics, so that workgroups on several threads may share them without undefined
//! behaviour; a kernel that races gets one of the values written. Every access lies inside one
//! allocation or is an error that names what is near.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use super::fault::FaultKind;

/// Allocations begin at multiples of this, with at least as much unused space behind each.
pub const ALIGN: u64 = 256;
const FIRST: u64 = 0x7000_0000_0000;
const GUARD: u64 = 4096;

/// One allocation.
#[derive(Debug)]
struct Allocation {
    base: u64,
    len: u64,
    name: String,
    read_only: bool,
    words: Vec<AtomicU32>,
}

/// The memory of a device.
#[derive(Debug)]
pub struct Memory {
    allocations: Vec<Allocation>,
    next: u64,
    /// Held during read-modify-write operations.
    lock: Mutex<()>,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory {
            allocations: Vec::new(),
            next: FIRST,
            lock: Mutex::new(()),
        }
    }
}

impl Memory {
    /// Empty memory.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Allocates and fills; returns the address. An empty buffer has an address too, and no bytes.
    pub fn alloc(&mut self, name: &str, data: &[u8], read_only: bool) -> u64 {
        let base = self.next;
        let len = data.len() as u64;
        self.next = (base + len + GUARD).next_multiple_of(GUARD);
        let mut words = Vec::with_capacity(data.len().div_ceil(4));
        for chunk in data.chunks(4) {
            let mut raw = [0; 4];
            raw[..chunk.len()].copy_from_slice(chunk);
            words.push(AtomicU32::new(u32::from_le_bytes(raw)));
        }
        self.allocations.push(Allocation {
            base,
            len,
            name: name.to_string(),
            read_only,
            words,
        });
        base
    }

    /// The address that the next allocation will have: code that is relocated needs it first.
    pub fn next_address(&self) -> u64 {
        self.next
    }

    fn index_of(&self, address: u64) -> Option<usize> {
        let after = self.allocations.partition_point(|a| a.base <= address);
        after.checked_sub(1)
    }

    fn find(&self, address: u64, bytes: u64, write: bool) -> Result<(&Allocation, u64), FaultKind> {
        let inside = self.index_of(address).map(|n| &self.allocations[n]);
        let hit = inside.filter(|a| address - a.base + bytes <= a.len);
        match hit {
            Some(a) if write && a.read_only => Err(FaultKind::ReadOnly(format!(
                "a write to {address:#x}: `{}` is read-only",
                a.name
            ))),
            Some(a) => Ok((a, address - a.base)),
            None => Err(self.nowhere(address, bytes, write)),
        }
    }

    /// The fault of an address outside of all allocations.
    fn nowhere(&self, address: u64, bytes: u64, write: bool) -> FaultKind {
        let what = if write { "write" } else { "read" };
        let mut text =
            format!("a {what} of {bytes} bytes at {address:#x} is outside of every allocation");
        if let Some(n) = self.index_of(address) {
            let a = &self.allocations[n];
            let beyond = address.saturating_sub(a.base + a.len);
            if beyond < 1 << 32 {
                text += &format!(
                    "; it is {beyond} bytes past the end of `{}` ({} bytes at {:#x})",
                    a.name, a.len, a.base
                );
            }
        }
        let next = self.index_of(address).map_or(0, |n| n + 1);
        if let Some(a) = self
            .allocations
            .get(next)
            .filter(|a| a.base - address < 1 << 32)
        {
            text += &format!("; it is {} bytes before `{}`", a.base - address, a.name);
        }
        FaultKind::IllegalAddress(text)
    }

    /// Reads up to eight bytes, little-endian.
    pub fn load(&self, address: u64, bytes: u32) -> Result<u64, FaultKind> {
        let (a, offset) = self.find(address, u64::from(bytes), false)?;
        if offset.is_multiple_of(4) && bytes == 4 {
            return Ok(u64::from(
                a.words[(offset / 4) as usize].load(Ordering::Relaxed),
            ));
        }
        let mut value = 0u64;
        for n in 0..u64::from(bytes) {
            let at = offset + n;
            let word = a.words[(at / 4) as usize].load(Ordering::Relaxed);
            value |= u64::from(word >> (at % 4 * 8) & 0xff) << (n * 8);
        }
        Ok(value)
    }

    /// Writes up to eight bytes.
    pub fn store(&self, address: u64, bytes: u32, value: u64) -> Result<(), FaultKind> {
        let (a, offset) = self.find(address, u64::from(bytes), true)?;
        if offset.is_multiple_of(4) && bytes == 4 {
            a.words[(offset / 4) as usize].store(value as u32, Ordering::Relaxed);
            return Ok(());
        }
        for n in 0..u64::from(bytes) {
            let at = offset + n;
            let shift = at % 4 * 8;
            let byte = (value >> (n * 8) & 0xff) as u32;
            let word = &a.words[(at / 4) as usize];
            // Two threads may write neighbouring bytes of a word.
            let merge = |old: u32| Some(old & !(0xff << shift) | byte << shift);
            let _ = word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, merge);
        }
        Ok(())
    }

    /// A read-modify-write of an aligned word; returns the old value.
    pub fn update(
        &self,
        address: u64,
        bytes: u32,
        new: impl FnOnce(u64) -> u64,
    ) -> Result<u64, FaultKind> {
        if !address.is_multiple_of(u64::from(bytes.max(1))) {
            let text = format!(
                "an atomic operation of {bytes} bytes at {address:#x}, which is not aligned to them"
            );
            return Err(FaultKind::Misaligned(text));
        }
        let _guard = self.lock.lock().unwrap_or_else(|e| e.into_inner());
        let old = self.load(address, bytes)?;
        self.store(address, bytes, new(old))?;
        Ok(old)
    }

    /// Copies bytes out; `None` if the range is not inside one allocation.
    pub fn read(&self, address: u64, len: usize) -> Option<Vec<u8>> {
        let (a, offset) = self.find(address, len as u64, false).ok()?;
        let byte =
            |at: u64| (a.words[(at / 4) as usize].load(Ordering::Relaxed) >> (at % 4 * 8)) as u8;
        Some((offset..offset + len as u64).map(byte).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_are_checked_and_bytes_land_where_they_belong() {
        let mut memory = Memory::new();
        let a = memory.alloc("a", &[1, 2, 3, 4, 5, 6, 7, 8, 9], false);
        let b = memory.alloc("b", &[0; 4], true);
        assert_eq!(memory.load(a + 1, 4).unwrap(), 0x0504_0302);
        memory.store(a + 3, 2, 0xbbaa).unwrap();
        assert_eq!(
            memory.read(a, 9).unwrap(),
            [1, 2, 3, 0xaa, 0xbb, 6, 7, 8, 9]
        );
        assert_eq!(memory.load(a + 8, 1).unwrap(), 9);
        assert!(
            matches!(memory.load(a + 8, 2), Err(FaultKind::IllegalAddress(t)) if t.contains("`a`"))
        );
        assert!(matches!(memory.store(b, 4, 1), Err(FaultKind::ReadOnly(_))));
        assert!(matches!(
            memory.load(0, 4),
            Err(FaultKind::IllegalAddress(_))
        ));
        assert!(matches!(
            memory.load(u64::MAX, 8),
            Err(FaultKind::IllegalAddress(_))
        ));
        assert!(matches!(
            memory.update(a + 2, 4, |v| v),
            Err(FaultKind::Misaligned(_))
        ));
    }
}
