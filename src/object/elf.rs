//! ELF64 little-endian: the fixed structures, and the hash tables of a dynamic symbol table.
//!
//! `structs!` lists each structure once, field by field in file order; its reader and its writer
//! come from that list. Source: System V ABI, chapters 4 and 5; "ELF for the AMD GPU" in LLVM's
//! AMDGPUUsage for the constants.

use super::bytes::Bytes;
use super::error::ObjectError;

macro_rules! structs {
    ($($(#[$doc:meta])* $name:ident $what:literal { $($(#[$fdoc:meta])* $field:ident: $ty:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $name { $($(#[$fdoc])* pub $field: $ty,)* }

            impl $name {
                /// Size in the file.
                pub const SIZE: u64 = 0 $(+ size_of::<$ty>() as u64)*;

                /// Reads one at `offset`.
                pub fn read(from: Bytes<'_>, offset: u64) -> Result<$name, ObjectError> {
                    let mut at = 0;
                    let all = from.range(offset, $name::SIZE, $what)?;
                    $(
                        let $field = <$ty>::from_le_bytes(all.array(at, $what)?);
                        at += size_of::<$ty>() as u64;
                    )*
                    debug_assert_eq!(at, $name::SIZE);
                    Ok($name { $($field),* })
                }

                /// Appends it to `out`.
                pub fn write(&self, out: &mut Vec<u8>) {
                    $(out.extend_from_slice(&self.$field.to_le_bytes());)*
                }
            }
        )*
    };
}

structs! {
    /// The file header, behind the 16 bytes of `e_ident`.
    Header "ELF header" {
        /// `ET_*`.
        kind: u16,
        /// `EM_*`.
        machine: u16,
        /// Always 1.
        version: u32,
        /// Entry point, 0 here.
        entry: u64,
        /// File offset of the program headers.
        phoff: u64,
        /// File offset of the section headers.
        shoff: u64,
        /// Machine specific flags.
        flags: u32,
        /// Size of `e_ident` and this header.
        ehsize: u16,
        /// Size of a program header.
        phentsize: u16,
        /// Number of program headers.
        phnum: u16,
        /// Size of a section header.
        shentsize: u16,
        /// Number of section headers.
        shnum: u16,
        /// Index of the section that holds section names.
        shstrndx: u16,
    }
    /// A program header: one segment.
    ProgramHeader "program header" {
        /// `PT_*`.
        kind: u32,
        /// `PF_*`.
        flags: u32,
        /// Offset in the file.
        offset: u64,
        /// Address relative to the load base.
        vaddr: u64,
        /// Unused, equal to `vaddr`.
        paddr: u64,
        /// Bytes in the file.
        filesz: u64,
        /// Bytes in memory; those not in the file are zero.
        memsz: u64,
        /// Alignment.
        align: u64,
    }
    /// A section header.
    SectionHeader "section header" {
        /// Offset of the name in the section name table.
        name: u32,
        /// `SHT_*`.
        kind: u32,
        /// `SHF_*`.
        flags: u64,
        /// Address relative to the load base, 0 where not loaded.
        addr: u64,
        /// Offset in the file.
        offset: u64,
        /// Size in bytes.
        size: u64,
        /// Index of a related section.
        link: u32,
        /// Further number, by kind.
        info: u32,
        /// Alignment.
        addralign: u64,
        /// Size of an entry, 0 where there are none.
        entsize: u64,
    }
    /// A symbol.
    Sym "symbol" {
        /// Offset of the name in the linked string table.
        name: u32,
        /// Binding (high nibble) and type (low nibble).
        info: u8,
        /// Visibility.
        other: u8,
        /// Section index, 0 for an undefined symbol.
        shndx: u16,
        /// Address.
        value: u64,
        /// Size in bytes.
        size: u64,
    }
    /// A relocation with addend.
    Rela "relocation" {
        /// Address of the place.
        offset: u64,
        /// Symbol index (high word) and type (low word).
        info: u64,
        /// Addend.
        addend: i64,
    }
    /// An entry of the dynamic section.
    Dyn "dynamic entry" {
        /// `DT_*`.
        tag: u64,
        /// Value.
        value: u64,
    }
    /// Header of a note record; name and description follow, each padded to 4 bytes.
    Note "note header" {
        /// Size of the name with its zero.
        namesz: u32,
        /// Size of the description.
        descsz: u32,
        /// Type.
        kind: u32,
    }
}

/// The first four bytes of an ELF file.
pub const MAGIC: [u8; 4] = *b"\x7fELF";
/// Size of `e_ident`.
pub const IDENT_SIZE: u64 = 16;
/// `EI_OSABI` of an object for the HSA runtime.
pub const OSABI_AMDGPU_HSA: u8 = 64;
/// `EM_AMDGPU`.
pub const EM_AMDGPU: u16 = 224;
/// `ET_REL`, a relocatable file.
pub const ET_REL: u16 = 1;
/// `ET_DYN`, a shared object.
pub const ET_DYN: u16 = 3;

/// Segment kinds.
#[rustfmt::skip]
#[allow(missing_docs)]
pub mod pt {
    pub const LOAD: u32 = 1;
    pub const DYNAMIC: u32 = 2;
    pub const NOTE: u32 = 4;
    pub const PHDR: u32 = 6;
    pub const GNU_STACK: u32 = 0x6474_e551;
    pub const GNU_RELRO: u32 = 0x6474_e552;
    pub const X: u32 = 1;
    pub const W: u32 = 2;
    pub const R: u32 = 4;
}

/// Section kinds and flags.
#[rustfmt::skip]
#[allow(missing_docs)]
pub mod sh {
    pub const PROGBITS: u32 = 1;
    pub const SYMTAB: u32 = 2;
    pub const STRTAB: u32 = 3;
    pub const RELA: u32 = 4;
    pub const HASH: u32 = 5;
    pub const DYNAMIC: u32 = 6;
    pub const NOTE: u32 = 7;
    pub const NOBITS: u32 = 8;
    pub const REL: u32 = 9;
    pub const DYNSYM: u32 = 11;
    pub const GNU_HASH: u32 = 0x6fff_fff6;
    pub const WRITE: u64 = 1;
    pub const ALLOC: u64 = 2;
    pub const EXEC: u64 = 4;
    pub const MERGE: u64 = 0x10;
    pub const STRINGS: u64 = 0x20;
    pub const COMPRESSED: u64 = 0x800;
}

/// Symbol bindings, types and visibilities.
#[rustfmt::skip]
#[allow(missing_docs)]
pub mod st {
    pub const LOCAL: u8 = 0;
    pub const GLOBAL: u8 = 1;
    pub const WEAK: u8 = 2;
    pub const NOTYPE: u8 = 0;
    pub const OBJECT: u8 = 1;
    pub const FUNC: u8 = 2;
    pub const DEFAULT: u8 = 0;
    pub const HIDDEN: u8 = 2;
    pub const PROTECTED: u8 = 3;
}

/// Tags of the dynamic section.
#[rustfmt::skip]
#[allow(missing_docs)]
pub mod dt {
    pub const NULL: u64 = 0;
    pub const HASH: u64 = 4;
    pub const STRTAB: u64 = 5;
    pub const SYMTAB: u64 = 6;
    pub const STRSZ: u64 = 10;
    pub const SYMENT: u64 = 11;
    pub const GNU_HASH: u64 = 0x6fff_fef5;
}

/// The hash function of `.hash` (System V ABI, figure 5-13).
fn sysv_hash(name: &str) -> u32 {
    name.bytes().fold(0u32, |h, b| {
        let h = (h << 4).wrapping_add(u32::from(b));
        let top = h & 0xf000_0000;
        (h ^ (top >> 24)) & !top
    })
}

/// The hash function of `.gnu.hash`.
fn gnu_hash(name: &str) -> u32 {
    name.bytes().fold(5381u32, |h, b| {
        h.wrapping_mul(33).wrapping_add(u32::from(b))
    })
}

fn push_words(out: &mut Vec<u8>, words: impl IntoIterator<Item = u32>) {
    for word in words {
        out.extend_from_slice(&word.to_le_bytes());
    }
}

/// Number of `.gnu.hash` buckets for `count` names.
fn gnu_buckets(count: usize) -> u32 {
    (count / 4).max(1) as u32
}

/// Sorts names as `.gnu.hash` wants its symbols: by bucket, otherwise in the given order.
pub fn sort_for_gnu_hash<T>(symbols: &mut [T], name: impl Fn(&T) -> &str) {
    let buckets = gnu_buckets(symbols.len());
    symbols.sort_by_key(|s| gnu_hash(name(s)) % buckets);
}

/// The content of `.hash` for symbols `1..=names.len()` of a symbol table.
pub fn hash_section(names: &[&str]) -> Vec<u8> {
    let count = names.len() + 1;
    let mut buckets = vec![0u32; count];
    let mut chains = vec![0u32; count];
    for (i, name) in names.iter().enumerate() {
        let bucket = sysv_hash(name) as usize % count;
        chains[i + 1] = std::mem::replace(&mut buckets[bucket], i as u32 + 1);
    }
    let mut out = Vec::new();
    push_words(&mut out, [count as u32, count as u32]);
    push_words(&mut out, buckets.into_iter().chain(chains));
    out
}

/// The content of `.gnu.hash` for symbols `1..=names.len()`, sorted by [`sort_for_gnu_hash`].
///
/// The Bloom filter has twelve bits for each name, in 64-bit words, rounded up to a power of two.
pub fn gnu_hash_section(names: &[&str]) -> Vec<u8> {
    const SHIFT: u32 = 26;
    let buckets = gnu_buckets(names.len());
    let mut filter = vec![0u64; (names.len() * 12 / 64 + 1).next_power_of_two()];
    let mut first = vec![0u32; buckets as usize];
    let mut values = Vec::with_capacity(names.len());
    for (i, name) in names.iter().enumerate() {
        let hash = gnu_hash(name);
        let word = (hash / 64) as usize & (filter.len() - 1);
        filter[word] |= 1 << (hash % 64) | 1 << ((hash >> SHIFT) % 64);
        let bucket = hash % buckets;
        if first[bucket as usize] == 0 {
            first[bucket as usize] = i as u32 + 1;
        }
        let last = names
            .get(i + 1)
            .is_none_or(|next| gnu_hash(next) % buckets != bucket);
        values.push((hash & !1) | u32::from(last));
    }
    let mut out = Vec::new();
    push_words(&mut out, [buckets, 1, filter.len() as u32, SHIFT]);
    filter
        .iter()
        .for_each(|w| out.extend_from_slice(&w.to_le_bytes()));
    push_words(&mut out, first.into_iter().chain(values));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_have_the_sizes_of_the_standard() {
        assert_eq!(Header::SIZE + IDENT_SIZE, 64);
        assert_eq!(ProgramHeader::SIZE, 56);
        assert_eq!(SectionHeader::SIZE, 64);
        assert_eq!(Sym::SIZE, 24);
        assert_eq!(Rela::SIZE, 24);
    }

    #[test]
    fn hash_functions_give_known_values() {
        // Values of LLVM's readelf for symbols `saxpy` and `saxpy.kd`.
        assert_eq!(gnu_hash("saxpy") & !1, 0x1057_403a);
        assert_eq!(gnu_hash("saxpy.kd") | 1, 0xe82f_dfd7);
        assert_eq!(sysv_hash("printf"), 0x077905a6);
    }
}
