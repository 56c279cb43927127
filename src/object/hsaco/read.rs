//! Reads a code object: ours, or one of clang, hipcc or Triton.
//!
//! Segments say what is loaded, the note says which kernels there are, symbols say where they are.
//! The file may be damaged or hostile. Whatever is needed to run a kernel must be right, otherwise the
//! whole file is refused; what only helps people (line table, parameter names) is left out when it is
//! wrong, and the fault is listed in [`LoadedObject::ignored`].
//!
//! Memory stays within a small multiple of the file's size: segments may not show the same bytes
//! twice, names share a budget (`Elf::name`), and code is not copied per kernel.

use super::descriptor::{DESCRIPTOR_SIZE, Descriptor};
use super::loaded::{LoadedKernel, LoadedObject, Segment, Symbol, bytes_at};
use super::reloc::Reloc;
use super::{ABI_VERSION_V5, KERNEL_ALIGN, KernelMetadata, Metadata, Param, TargetId};
use super::{NOTE_METADATA, NOTE_OWNER};
use crate::object::bytes::{Bytes, align_up};
use crate::object::elf::{self, Header, ProgramHeader, SectionHeader, Sym, pt, sh, st};
use crate::object::lines::{self, LineTable};
use crate::object::{ObjectError, params};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

/// Most bytes of memory that an object may ask for.
pub const MAX_IMAGE: u64 = 1 << 32;

/// The parts of the file that everything else is found through.
struct Elf<'a> {
    file: Bytes<'a>,
    header: Header,
    abi_version: u8,
    programs: Vec<ProgramHeader>,
    sections: Vec<SectionHeader>,
    section_names: Vec<&'a str>,
    /// Bytes that all names may still have: names may overlap in the file, but not without end.
    name_budget: Cell<u64>,
}

/// Takes a code object apart.
pub fn read(bytes: &[u8]) -> Result<LoadedObject, ObjectError> {
    let elf = Elf::open(bytes)?;
    let target = TargetId::from_e_flags(elf.header.flags)?;
    let segments = elf.segments()?;
    let metadata = elf.metadata()?;
    check_target(&metadata, target)?;
    let (symbols, relocs) = elf.symbols_and_relocs(&segments)?;
    let mut ignored = Vec::new();
    let mut params = Vec::new();
    match elf
        .section(params::SECTION)
        .and_then(|s| s.map_or(Ok(Vec::new()), |s| params::decode(s.data())))
    {
        Ok(found) => params = found,
        Err(e) => ignored.push(e),
    }
    let lines = elf.lines().unwrap_or_else(|e| {
        ignored.push(e);
        LineTable::default()
    });
    let finder = Finder::new(&symbols, &segments, target);
    let kernels = find_kernels(metadata.kernels, params, &finder)?;
    Ok(LoadedObject {
        target,
        abi_version: elf.abi_version,
        segments,
        symbols,
        kernels,
        relocs,
        lines,
        ignored,
    })
}

/// The note and the ELF header must name the same processor and settings.
fn check_target(metadata: &Metadata, target: TargetId) -> Result<(), ObjectError> {
    match &metadata.target {
        Some(text) if TargetId::parse(text)? != target => Err(ObjectError::Metadata {
            path: "amdhsa.target".to_owned(),
            problem: format!("`{text}`, but the ELF header says `{target}`"),
        }),
        _ => Ok(()),
    }
}

/// `n` structures of `size` bytes from `offset`, each read by `read`.
fn table<'a, T>(
    file: Bytes<'a>,
    (offset, count, size): (u64, u64, u64),
    what: &'static str,
    read: impl Fn(Bytes<'a>, u64) -> Result<T, ObjectError>,
) -> Result<Vec<T>, ObjectError> {
    let all = file.range(offset, count.saturating_mul(size), what)?;
    (0..count).map(|i| read(all, i * size)).collect()
}

impl<'a> Elf<'a> {
    /// Checks the header and reads both header tables.
    fn open(bytes: &'a [u8]) -> Result<Elf<'a>, ObjectError> {
        let file = Bytes::new(bytes);
        if !bytes.starts_with(&elf::MAGIC) {
            let start = &bytes[..bytes.len().min(24)];
            return Err(ObjectError::NotElf {
                found: format!("`{}`", start.escape_ascii()),
            });
        }
        let ident: [u8; elf::IDENT_SIZE as usize] = file.array(0, "ELF header")?;
        let header = Header::read(file, elf::IDENT_SIZE)?;
        check_kind(&ident, &header)?;
        let programs = table(
            file,
            (header.phoff, u64::from(header.phnum), ProgramHeader::SIZE),
            "program headers",
            ProgramHeader::read,
        )?;
        let sections = table(
            file,
            (header.shoff, u64::from(header.shnum), SectionHeader::SIZE),
            "section headers",
            SectionHeader::read,
        )?;
        let mut elf = Elf {
            file,
            header,
            abi_version: ident[8],
            programs,
            sections,
            section_names: Vec::new(),
            name_budget: Cell::new(file.size().saturating_mul(4)),
        };
        if let Some(names) = elf.sections.get(usize::from(header.shstrndx)) {
            let names = elf.content(names)?;
            let name = |s: &SectionHeader| elf.name(names, s.name, "section name");
            elf.section_names = elf.sections.iter().map(name).collect::<Result<_, _>>()?;
        }
        Ok(elf)
    }

    /// A name of a string table.
    fn name(
        &self,
        names: Bytes<'a>,
        offset: u32,
        what: &'static str,
    ) -> Result<&'a str, ObjectError> {
        let name = names.string(u64::from(offset), what)?;
        match self.name_budget.get().checked_sub(name.len() as u64 + 1) {
            Some(left) => self.name_budget.set(left),
            None => {
                let problem = "the names together are longer than the file allows";
                return Err(ObjectError::malformed(what, problem));
            }
        }
        Ok(name)
    }

    fn segments(&self) -> Result<Vec<Segment>, ObjectError> {
        let mut segments: Vec<Segment> = Vec::new();
        let mut shown = 0u64;
        for program in self.programs.iter().filter(|p| p.kind == pt::LOAD) {
            let data = self.file.range(program.offset, program.filesz, "segment")?;
            let end = program.vaddr.checked_add(program.memsz);
            if program.filesz > program.memsz || end.is_none_or(|e| e > MAX_IMAGE) {
                return Err(ObjectError::malformed(
                    "segment",
                    format!(
                        "{:#x} bytes of the file in {:#x} bytes at {:#x}",
                        program.filesz, program.memsz, program.vaddr
                    ),
                ));
            }
            shown = shown.saturating_add(program.filesz);
            if shown > self.file.size() {
                let problem = "the segments show more bytes than the file has";
                return Err(ObjectError::malformed("segment", problem));
            }
            if program.memsz > 0 {
                segments.push(Segment {
                    vaddr: program.vaddr,
                    mem_size: program.memsz,
                    data: data.data().to_vec(),
                    readable: program.flags & pt::R != 0,
                    writable: program.flags & pt::W != 0,
                    executable: program.flags & pt::X != 0,
                });
            }
        }
        segments.sort_by_key(|s| s.vaddr);
        for pair in segments.windows(2) {
            if pair[0].end() > pair[1].vaddr {
                return Err(ObjectError::malformed(
                    "segment",
                    format!("two lie at address {:#x}", pair[1].vaddr),
                ));
            }
        }
        Ok(segments)
    }

    /// Finds and decodes the metadata note.
    fn metadata(&self) -> Result<Metadata, ObjectError> {
        for program in self.programs.iter().filter(|p| p.kind == pt::NOTE) {
            let notes = self.file.range(program.offset, program.filesz, "note")?;
            let mut at = 0;
            while at < notes.size() {
                let head = elf::Note::read(notes, at)?;
                let name_at = at + elf::Note::SIZE;
                let name = notes.range(name_at, u64::from(head.namesz), "note")?;
                let description_at = name_at + align_up(u64::from(head.namesz), 4);
                let description = notes.range(description_at, u64::from(head.descsz), "note")?;
                let owner = name.data().strip_suffix(&[0]);
                if owner == Some(NOTE_OWNER.as_bytes()) && head.kind == NOTE_METADATA {
                    return Metadata::decode(description.data());
                }
                at = description_at + align_up(u64::from(head.descsz), 4);
            }
        }
        Err(ObjectError::Metadata {
            path: "note".to_owned(),
            problem: "the object has none".to_owned(),
        })
    }

    /// Content of a section; empty for one that takes no room in the file.
    fn content(&self, section: &SectionHeader) -> Result<Bytes<'a>, ObjectError> {
        let size = if section.kind == sh::NOBITS {
            0
        } else {
            section.size
        };
        self.file.range(section.offset, size, "section")
    }

    /// Content of the section that `link` of another section refers to.
    fn linked(&self, section: &SectionHeader) -> Result<Bytes<'a>, ObjectError> {
        match self.sections.get(section.link as usize) {
            Some(linked) => self.content(linked),
            None => Err(ObjectError::malformed(
                "section header",
                format!("it refers to section {}", section.link),
            )),
        }
    }

    /// Content of the section of a name, if there is one.
    fn section(&self, name: &str) -> Result<Option<Bytes<'a>>, ObjectError> {
        let index = self.section_names.iter().position(|n| *n == name);
        let section = index.and_then(|i| self.sections.get(i));
        section.map(|s| self.content(s)).transpose()
    }

    /// The symbols of both symbol tables (dynamic ones first), and the loader's relocations.
    fn symbols_and_relocs(
        &self,
        segments: &[Segment],
    ) -> Result<(Vec<Symbol>, Vec<Reloc>), ObjectError> {
        let mut symbols = Vec::new();
        for kind in [sh::DYNSYM, sh::SYMTAB] {
            for section in self.sections.iter().filter(|s| s.kind == kind) {
                let names = self.linked(section)?;
                for sym in self.entries(section, Sym::SIZE, Sym::read)? {
                    if let Some(symbol) = self.symbol(&sym, names)? {
                        symbols.push(symbol);
                    }
                }
            }
        }
        let mut seen = HashSet::new();
        symbols.retain(|s: &Symbol| seen.insert((s.name.clone(), s.vaddr)));
        let mut relocs = Vec::new();
        for section in &self.sections {
            if section.flags & sh::ALLOC == 0 {
                continue;
            }
            if section.kind == sh::REL {
                return Err(ObjectError::malformed(
                    "section",
                    "relocations without addend",
                ));
            }
            if section.kind == sh::RELA {
                self.read_relocs(section, segments, &mut relocs)?;
            }
        }
        Ok((symbols, relocs))
    }

    /// A defined, named symbol; `None` for others.
    fn symbol(&self, sym: &Sym, names: Bytes<'a>) -> Result<Option<Symbol>, ObjectError> {
        /// `SHN_ABS` and other indices that are not sections.
        const RESERVED: u16 = 0xff00;
        if sym.shndx == 0 || sym.shndx >= RESERVED || sym.name == 0 {
            return Ok(None);
        }
        Ok(Some(Symbol {
            name: self.name(names, sym.name, "symbol name")?.to_owned(),
            vaddr: sym.value,
            size: sym.size,
            is_code: sym.info & 15 == st::FUNC,
            is_global: sym.info >> 4 != st::LOCAL,
        }))
    }

    fn read_relocs(
        &self,
        section: &SectionHeader,
        segments: &[Segment],
        relocs: &mut Vec<Reloc>,
    ) -> Result<(), ObjectError> {
        let symtab = self.sections.get(section.link as usize).copied();
        let symtab = symtab.unwrap_or_default();
        for rela in self.entries(section, elf::Rela::SIZE, elf::Rela::read)? {
            let index = rela.info >> 32;
            let symbol = if index == 0 {
                None
            } else {
                let sym = Sym::read(self.content(&symtab)?, index * Sym::SIZE)?;
                let name = self.name(self.linked(&symtab)?, sym.name, "symbol name")?;
                Some((sym, name))
            };
            let reloc = Reloc::new(&rela, symbol)?;
            let end = rela.offset.saturating_add(reloc.kind.size());
            if !segments
                .iter()
                .any(|s| s.vaddr <= rela.offset && end <= s.end())
            {
                return Err(ObjectError::Reloc {
                    place: rela.offset,
                    problem: "the place is not in a segment".to_owned(),
                });
            }
            relocs.push(reloc);
        }
        Ok(())
    }

    /// The fixed-size entries of a section.
    fn entries<T>(
        &self,
        section: &SectionHeader,
        size: u64,
        read: impl Fn(Bytes<'a>, u64) -> Result<T, ObjectError>,
    ) -> Result<Vec<T>, ObjectError> {
        let content = self.content(section)?;
        if section.entsize != size || content.size() % size != 0 {
            return Err(ObjectError::malformed(
                "section",
                format!(
                    "{} bytes in entries of {}, expected entries of {size}",
                    section.size, section.entsize
                ),
            ));
        }
        table(content, (0, content.size() / size, size), "section", read)
    }

    fn lines(&self) -> Result<LineTable, ObjectError> {
        let data = |name: &'static str| {
            let section = self.section(name)?;
            Ok::<_, ObjectError>(section.map_or(&[][..], |s| s.data()))
        };
        let compressed = |s: &SectionHeader| s.flags & sh::COMPRESSED != 0;
        if self.sections.iter().any(compressed) {
            return Err(ObjectError::Debug {
                section: ".debug_line",
                problem: "compressed sections are not read".to_owned(),
            });
        }
        lines::decode(
            data(".debug_line")?,
            data(".debug_line_str")?,
            data(".debug_str")?,
        )
    }
}

/// Refuses all but AMD HSA shared objects of code object v4 to v6.
fn check_kind(ident: &[u8], header: &Header) -> Result<(), ObjectError> {
    let unsupported = |what, found: String, expected| {
        Err(ObjectError::Unsupported {
            what,
            found,
            expected,
        })
    };
    if ident[4..7] != [2, 1, 1] {
        let found = format!("{:?}", &ident[4..7]);
        return unsupported("ELF class, byte order or version", found, "[2, 1, 1]");
    }
    if header.machine != elf::EM_AMDGPU {
        let found = header.machine.to_string();
        return unsupported("machine", found, "224 (AMD GPU)");
    }
    if header.kind == elf::ET_REL {
        return Err(ObjectError::NotLinked);
    }
    if header.kind != elf::ET_DYN {
        let found = header.kind.to_string();
        return unsupported("ELF type", found, "3 (shared object)");
    }
    if ident[7] != elf::OSABI_AMDGPU_HSA {
        return unsupported("system", ident[7].to_string(), "64 (HSA)");
    }
    if !(ABI_VERSION_V5 - 1..=ABI_VERSION_V5 + 1).contains(&ident[8]) {
        return unsupported("ABI version", ident[8].to_string(), "2, 3 or 4");
    }
    let sizes = [header.phentsize, header.shentsize].map(u64::from);
    let empty = [header.phnum == 0, header.shnum == 0];
    let wanted = [ProgramHeader::SIZE, SectionHeader::SIZE];
    if (0..2).any(|i| sizes[i] != wanted[i] && !empty[i]) {
        let problem = format!("header sizes {sizes:?}, expected {wanted:?}");
        return Err(ObjectError::malformed("ELF header", problem));
    }
    Ok(())
}

/// Finds the descriptors and code of kernels.
struct Finder<'a> {
    by_name: HashMap<&'a str, &'a Symbol>,
    code_sizes: HashMap<u64, u64>,
    segments: &'a [Segment],
    target: TargetId,
}

impl<'a> Finder<'a> {
    fn new(symbols: &'a [Symbol], segments: &'a [Segment], target: TargetId) -> Finder<'a> {
        let code = symbols.iter().filter(|s| s.is_code && s.size > 0);
        // The first symbol of a name counts: dynamic symbols come first.
        let by_name = symbols.iter().rev().map(|s| (s.name.as_str(), s));
        Finder {
            by_name: by_name.collect(),
            code_sizes: code.map(|s| (s.vaddr, s.size)).collect(),
            segments,
            target,
        }
    }

    /// Joins what the metadata says about a kernel with its descriptor and code.
    fn find(
        &self,
        metadata: KernelMetadata,
        params: Option<Vec<Param>>,
    ) -> Result<LoadedKernel, ObjectError> {
        let fault = |problem: String| ObjectError::Kernel {
            kernel: metadata.name.clone(),
            problem,
        };
        let own = self.by_name.get(metadata.symbol.as_str());
        let own = own.ok_or_else(|| fault(format!("symbol `{}` is missing", metadata.symbol)))?;
        let bytes = bytes_at(self.segments, own.vaddr, DESCRIPTOR_SIZE)
            .and_then(|b| <&[u8; DESCRIPTOR_SIZE as usize]>::try_from(b).ok())
            .ok_or_else(|| fault(format!("no descriptor at {:#x}", own.vaddr)))?;
        let descriptor = Descriptor::from_bytes(bytes)
            .and_then(|d| d.verify(self.target.chip.family).map(|()| d))
            .map_err(|e| fault(e.to_string()))?;
        let entry = own.vaddr.wrapping_add_signed(descriptor.entry_offset);
        let segment = self
            .segments
            .iter()
            .find(|s| s.executable && s.holds(entry))
            .filter(|_| entry % KERNEL_ALIGN == 0)
            .ok_or_else(|| fault(format!("no code can start at {entry:#x}")))?;
        let rest = segment.end() - entry;
        let size = self.code_sizes.get(&entry).copied().unwrap_or(rest);
        if bytes_at(self.segments, entry, size).is_none() {
            return Err(fault(format!(
                "its {size} bytes of code reach past the segment"
            )));
        }
        Ok(LoadedKernel {
            name: metadata.name.clone(),
            descriptor,
            descriptor_vaddr: own.vaddr,
            entry_vaddr: entry,
            code: entry..entry + size,
            params,
            metadata,
        })
    }
}

/// All kernels of the metadata.
fn find_kernels(
    listed: Vec<KernelMetadata>,
    params: Vec<params::KernelParams>,
    finder: &Finder<'_>,
) -> Result<Vec<LoadedKernel>, ObjectError> {
    let mut params: HashMap<_, _> = params.into_iter().map(|p| (p.name, p.params)).collect();
    let mut seen = HashSet::new();
    let mut kernels = Vec::new();
    for kernel in listed {
        if !seen.insert(kernel.name.clone()) {
            return Err(ObjectError::Kernel {
                kernel: kernel.name,
                problem: "the metadata lists it twice".to_owned(),
            });
        }
        let own = params.remove(&kernel.name);
        kernels.push(finder.find(kernel, own)?);
    }
    Ok(kernels)
}
