//! Writes a code object.
//!
//! Sizes first: each section's size is known before any address is, so one pass places all sections,
//! and a second one fills in what depends on addresses (symbols, the dynamic section, entry offsets of
//! descriptors, line table). Section order, alignments and segments are those of `ld.lld -shared`; a
//! new segment starts on a new page of memory, at the same offset within the page as in the file.

use super::{ABI_VERSION_V5, CodeObject, KERNEL_ALIGN, Kernel, descriptor_symbol};
use crate::object::bytes::align_up;
use crate::object::elf::{self, Header, ProgramHeader, SectionHeader, Sym, dt, pt, sh, st};
use crate::object::hsaco::descriptor::DESCRIPTOR_SIZE;
use crate::object::{ObjectError, lines, params};

const PAGE: u64 = 0x1000;
const SEGMENTS: u64 = 8;
/// `s_nop 0`, which fills the gaps between kernels. The same on all families.
const S_NOP: [u8; 4] = [0x00, 0x00, 0x80, 0xbf];
/// Bytes of the smallest instruction.
const INSTRUCTION_UNIT: u8 = 4;
/// Most bytes of code of an object: branches and line tables are far from it.
const MAX_CODE: u64 = 1 << 30;

/// Index of a section; the value is its number in the file.
type SectionId = usize;

/// Sections while they are placed, and the file that grows behind the headers.
struct Layout {
    headers: Vec<SectionHeader>,
    names: Vec<&'static str>,
    file: Vec<u8>,
    addr: u64,
}

/// How a section is declared: kind, flags, alignment, entry size.
type Declaration = (u32, u64, u64, u64);

impl Layout {
    fn new() -> Layout {
        let start = elf::IDENT_SIZE + Header::SIZE + SEGMENTS * ProgramHeader::SIZE;
        Layout {
            headers: vec![SectionHeader::default()],
            names: vec![""],
            file: vec![0; start as usize],
            addr: start,
        }
    }

    /// Starts a new page of memory for the sections that follow.
    fn next_segment(&mut self) {
        self.addr = align_up(self.addr, PAGE) + self.addr % PAGE;
    }

    /// Appends a section; `SHF_ALLOC` gives it an address.
    fn add(&mut self, name: &'static str, declared: Declaration, content: &[u8]) -> SectionId {
        let (kind, flags, addralign, entsize) = declared;
        let loaded = flags & sh::ALLOC != 0;
        let offset = align_up(self.file.len() as u64, addralign);
        self.file.resize(offset as usize, 0);
        self.file.extend_from_slice(content);
        let addr = align_up(self.addr, addralign);
        if loaded {
            self.addr = addr + content.len() as u64;
        }
        self.headers.push(SectionHeader {
            kind,
            flags,
            addr: if loaded { addr } else { 0 },
            offset,
            size: content.len() as u64,
            addralign,
            entsize,
            ..SectionHeader::default()
        });
        self.names.push(name);
        self.headers.len() - 1
    }

    /// Replaces the content of a section by one of the same size.
    fn fill(&mut self, section: SectionId, content: &[u8]) {
        let start = self.headers[section].offset as usize;
        self.file[start..start + content.len()].copy_from_slice(content);
    }

    /// A segment from the start of one section to the end of another.
    fn segment(
        &self,
        kind: u32,
        flags: u32,
        align: u64,
        (from, to): (SectionId, SectionId),
    ) -> ProgramHeader {
        let (first, last) = (&self.headers[from], &self.headers[to]);
        let memsz = last.addr + last.size - first.addr;
        let in_file = if last.kind == sh::NOBITS {
            0
        } else {
            last.size
        };
        ProgramHeader {
            kind,
            flags,
            offset: first.offset,
            vaddr: first.addr,
            paddr: first.addr,
            filesz: last.offset + in_file - first.offset,
            memsz,
            align,
        }
    }
}

/// String table under construction.
struct Strings(Vec<u8>);

impl Strings {
    fn new() -> Strings {
        Strings(vec![0])
    }

    fn add(&mut self, text: &str) -> u32 {
        let at = self.0.len() as u32;
        self.0.extend_from_slice(text.as_bytes());
        self.0.push(0);
        at
    }
}

/// A symbol of a kernel: its code or its descriptor.
struct KernelSymbol {
    name: String,
    /// Offset of the name in `.dynstr`.
    dynamic_name: u32,
    kernel: usize,
    is_code: bool,
}

/// The sections that depend on addresses.
struct Loaded {
    note: SectionId,
    dynsym: SectionId,
    gnu_hash: SectionId,
    hash: SectionId,
    dynstr: SectionId,
    rodata: SectionId,
    text: SectionId,
    dynamic: SectionId,
    relro: SectionId,
}

/// The bytes of a code object file. Equal input gives equal bytes.
pub fn write(object: &CodeObject) -> Result<Vec<u8>, ObjectError> {
    verify(object)?;
    let (text, starts) = text_section(&object.kernels);
    let (symbols, dynstr) = kernel_symbols(&object.kernels);
    let mut layout = Layout::new();
    let loaded = place_loaded(&mut layout, object, &symbols, &dynstr, &text);
    link_loaded(&mut layout, &loaded);
    fill_loaded(&mut layout, &loaded, object, &symbols, &starts);
    place_rest(&mut layout, &loaded, object, &symbols, &starts)?;
    Ok(finish(layout, &loaded, object))
}

/// Checks what the layout relies on.
fn verify(object: &CodeObject) -> Result<(), ObjectError> {
    let family = object.target.chip.family;
    let mut total = 0u64;
    for (i, kernel) in object.kernels.iter().enumerate() {
        let fault = |problem: String| {
            Err(ObjectError::unwritable(
                format!("kernel `{}`", kernel.name),
                problem,
            ))
        };
        if kernel.name.is_empty() || kernel.name.contains('\0') {
            return fault("its name is empty or has a zero".to_owned());
        }
        if object.kernels[..i].iter().any(|k| k.name == kernel.name) {
            return fault("another kernel has its name".to_owned());
        }
        if kernel.metadata.name != kernel.name
            || kernel.metadata.symbol != descriptor_symbol(&kernel.name)
        {
            return fault(format!("its metadata is of `{}`", kernel.metadata.name));
        }
        if kernel.code.is_empty() || kernel.code.len() % usize::from(INSTRUCTION_UNIT) != 0 {
            return fault(format!("{} bytes of code", kernel.code.len()));
        }
        if let Err(e) = kernel.descriptor.verify(family) {
            return fault(e.to_string());
        }
        total = total.saturating_add(kernel.code.len() as u64);
        if total > MAX_CODE {
            return fault(format!("more than {MAX_CODE} bytes of code"));
        }
    }
    Ok(())
}

/// The code of all kernels, and the offset of each.
fn text_section(kernels: &[Kernel]) -> (Vec<u8>, Vec<u64>) {
    let mut text = Vec::new();
    let mut starts = Vec::new();
    for kernel in kernels {
        while !(text.len() as u64).is_multiple_of(KERNEL_ALIGN) {
            text.extend_from_slice(&S_NOP);
        }
        starts.push(text.len() as u64);
        text.extend_from_slice(&kernel.code);
    }
    (text, starts)
}

/// All symbols in the order of `.gnu.hash`, and `.dynstr` with their names: code before descriptors.
fn kernel_symbols(kernels: &[Kernel]) -> (Vec<KernelSymbol>, Strings) {
    let mut strings = Strings::new();
    let mut symbols = Vec::new();
    for is_code in [true, false] {
        for (kernel, k) in kernels.iter().enumerate() {
            let name = if is_code {
                k.name.clone()
            } else {
                descriptor_symbol(&k.name)
            };
            symbols.push(KernelSymbol {
                dynamic_name: strings.add(&name),
                name,
                kernel,
                is_code,
            });
        }
    }
    elf::sort_for_gnu_hash(&mut symbols, |s| &s.name);
    (symbols, strings)
}

/// The metadata note record.
fn note(object: &CodeObject) -> Vec<u8> {
    let mut out = Vec::new();
    let description = object.metadata().encode();
    elf::Note {
        namesz: super::NOTE_OWNER.len() as u32 + 1,
        descsz: description.len() as u32,
        kind: super::NOTE_METADATA,
    }
    .write(&mut out);
    for part in [super::NOTE_OWNER.as_bytes(), &[0], &[0; 3]] {
        out.extend_from_slice(part);
    }
    out.truncate(align_up(elf::Note::SIZE + super::NOTE_OWNER.len() as u64 + 1, 4) as usize);
    out.extend_from_slice(&description);
    out.resize(align_up(out.len() as u64, 4) as usize, 0);
    out
}

/// Places the sections that have addresses. Contents that depend on addresses are zero for now.
fn place_loaded(
    layout: &mut Layout,
    object: &CodeObject,
    symbols: &[KernelSymbol],
    dynstr: &Strings,
    text: &[u8],
) -> Loaded {
    let names: Vec<&str> = symbols.iter().map(|s| s.name.as_str()).collect();
    let zeros = |count: usize, size: u64| vec![0; count * size as usize];
    let read = sh::ALLOC;
    let note = layout.add(".note", (sh::NOTE, read, 4, 0), &note(object));
    let dynsym = layout.add(
        ".dynsym",
        (sh::DYNSYM, read, 8, Sym::SIZE),
        &zeros(names.len() + 1, Sym::SIZE),
    );
    let gnu_hash = layout.add(
        ".gnu.hash",
        (sh::GNU_HASH, read, 8, 0),
        &elf::gnu_hash_section(&names),
    );
    let hash = layout.add(".hash", (sh::HASH, read, 4, 4), &elf::hash_section(&names));
    let dynstr = layout.add(".dynstr", (sh::STRTAB, read, 1, 0), &dynstr.0);
    let rodata = layout.add(
        ".rodata",
        (sh::PROGBITS, read, DESCRIPTOR_SIZE, 0),
        &zeros(object.kernels.len(), DESCRIPTOR_SIZE),
    );
    layout.next_segment();
    let text = layout.add(
        ".text",
        (sh::PROGBITS, read | sh::EXEC, KERNEL_ALIGN, 0),
        text,
    );
    layout.next_segment();
    let dynamic = layout.add(
        ".dynamic",
        (sh::DYNAMIC, read | sh::WRITE, 8, elf::Dyn::SIZE),
        &zeros(DYNAMIC_ENTRIES, elf::Dyn::SIZE),
    );
    // Fills the page, so that the loader can protect it.
    let relro = layout.add(".relro_padding", (sh::NOBITS, read | sh::WRITE, 1, 0), &[]);
    layout.headers[relro].size = align_up(layout.addr, PAGE) - layout.addr;
    Loaded {
        note,
        dynsym,
        gnu_hash,
        hash,
        dynstr,
        rodata,
        text,
        dynamic,
        relro,
    }
}

/// Tells the sections which other ones they refer to.
fn link_loaded(layout: &mut Layout, loaded: &Loaded) {
    for (section, link, info) in [
        (loaded.dynsym, loaded.dynstr, 1),
        (loaded.gnu_hash, loaded.dynsym, 0),
        (loaded.hash, loaded.dynsym, 0),
        (loaded.dynamic, loaded.dynstr, 0),
    ] {
        layout.headers[section].link = link as u32;
        layout.headers[section].info = info;
    }
}

/// Number of entries of `.dynamic`, the last one null.
const DYNAMIC_ENTRIES: usize = 7;

/// Fills what depends on addresses.
fn fill_loaded(
    layout: &mut Layout,
    loaded: &Loaded,
    object: &CodeObject,
    symbols: &[KernelSymbol],
    starts: &[u64],
) {
    let addr = |section: SectionId| layout.headers[section].addr;
    let entries: [(u64, u64); DYNAMIC_ENTRIES] = [
        (dt::SYMTAB, addr(loaded.dynsym)),
        (dt::SYMENT, Sym::SIZE),
        (dt::STRTAB, addr(loaded.dynstr)),
        (dt::STRSZ, layout.headers[loaded.dynstr].size),
        (dt::GNU_HASH, addr(loaded.gnu_hash)),
        (dt::HASH, addr(loaded.hash)),
        (dt::NULL, 0),
    ];
    let mut dynamic = Vec::new();
    for (tag, value) in entries {
        elf::Dyn { tag, value }.write(&mut dynamic);
    }
    let mut rodata = Vec::new();
    for (i, kernel) in object.kernels.iter().enumerate() {
        let own = addr(loaded.rodata) + i as u64 * DESCRIPTOR_SIZE;
        let mut descriptor = kernel.descriptor;
        descriptor.entry_offset = (addr(loaded.text) + starts[i]) as i64 - own as i64;
        rodata.extend_from_slice(&descriptor.to_bytes());
    }
    let mut dynsym = Vec::new();
    Sym::default().write(&mut dynsym);
    for symbol in symbols {
        let name = symbol.dynamic_name;
        symbol_entry(layout, loaded, object, symbol, name, starts).write(&mut dynsym);
    }
    layout.fill(loaded.dynamic, &dynamic);
    layout.fill(loaded.rodata, &rodata);
    layout.fill(loaded.dynsym, &dynsym);
}

/// The symbol table entry of a kernel's symbol.
fn symbol_entry(
    layout: &Layout,
    loaded: &Loaded,
    object: &CodeObject,
    symbol: &KernelSymbol,
    name: u32,
    starts: &[u64],
) -> Sym {
    let (section, offset, size, kind, other) = if symbol.is_code {
        let size = object.kernels[symbol.kernel].code.len() as u64;
        let start = starts[symbol.kernel];
        (loaded.text, start, size, st::FUNC, st::PROTECTED)
    } else {
        let offset = symbol.kernel as u64 * DESCRIPTOR_SIZE;
        (
            loaded.rodata,
            offset,
            DESCRIPTOR_SIZE,
            st::OBJECT,
            st::DEFAULT,
        )
    };
    Sym {
        name,
        info: st::GLOBAL << 4 | kind,
        other,
        shndx: section as u16,
        value: layout.headers[section].addr + offset,
        size,
    }
}

/// Places the sections that are not loaded.
fn place_rest(
    layout: &mut Layout,
    loaded: &Loaded,
    object: &CodeObject,
    symbols: &[KernelSymbol],
    starts: &[u64],
) -> Result<(), ObjectError> {
    let plain = (sh::PROGBITS, 0, 1, 0);
    layout.add(params::SECTION, plain, &object.params());
    let comment = format!("{}\0", super::PRODUCER);
    let strings = (sh::PROGBITS, sh::MERGE | sh::STRINGS, 1, 1);
    layout.add(".comment", strings, comment.as_bytes());
    let text = layout.headers[loaded.text].addr;
    let functions = object
        .kernels
        .iter()
        .zip(starts)
        .map(|(k, start)| lines::Function {
            name: &k.name,
            start: text + start,
            size: k.code.len() as u64,
            rows: &k.lines,
        });
    let functions: Vec<_> = functions.collect();
    for (name, content) in lines::encode(&object.files, &functions, INSTRUCTION_UNIT)? {
        let merged = name == ".debug_str";
        layout.add(name, if merged { strings } else { plain }, &content);
    }
    let mut names = Strings::new();
    let mut symtab = Vec::new();
    Sym::default().write(&mut symtab);
    Sym {
        name: names.add("_DYNAMIC"),
        info: st::LOCAL << 4 | st::NOTYPE,
        other: st::HIDDEN,
        shndx: loaded.dynamic as u16,
        value: layout.headers[loaded.dynamic].addr,
        size: 0,
    }
    .write(&mut symtab);
    for symbol in symbols {
        let name = names.add(&symbol.name);
        symbol_entry(layout, loaded, object, symbol, name, starts).write(&mut symtab);
    }
    let symtab = layout.add(".symtab", (sh::SYMTAB, 0, 8, Sym::SIZE), &symtab);
    let strtab_name = place_names(layout);
    let strtab = layout.add(".strtab", (sh::STRTAB, 0, 1, 0), &names.0);
    layout.headers[strtab].name = strtab_name;
    layout.headers[symtab].link = strtab as u32;
    layout.headers[symtab].info = 2;
    Ok(())
}

/// Adds the section name table; returns the name of `.strtab`, the only section behind it.
fn place_names(layout: &mut Layout) -> u32 {
    let mut names = Strings::new();
    for i in 1..layout.names.len() {
        layout.headers[i].name = names.add(layout.names[i]);
    }
    let own = names.add(".shstrtab");
    let strtab = names.add(".strtab");
    let section = layout.add(".shstrtab", (sh::STRTAB, 0, 1, 0), &names.0);
    layout.headers[section].name = own;
    strtab
}

/// Adds headers and segments.
fn finish(layout: Layout, loaded: &Loaded, object: &CodeObject) -> Vec<u8> {
    let mut file = layout.file.clone();
    file.resize(align_up(file.len() as u64, 8) as usize, 0);
    let header = Header {
        kind: elf::ET_DYN,
        machine: elf::EM_AMDGPU,
        version: 1,
        entry: 0,
        phoff: elf::IDENT_SIZE + Header::SIZE,
        shoff: file.len() as u64,
        flags: object.target.to_e_flags(),
        ehsize: (elf::IDENT_SIZE + Header::SIZE) as u16,
        phentsize: ProgramHeader::SIZE as u16,
        phnum: SEGMENTS as u16,
        shentsize: SectionHeader::SIZE as u16,
        shnum: layout.headers.len() as u16,
        shstrndx: layout.headers.len() as u16 - 2,
    };
    let mut head = elf::MAGIC.to_vec();
    // 64-bit, little-endian, version 1.
    head.extend_from_slice(&[2, 1, 1, elf::OSABI_AMDGPU_HSA, ABI_VERSION_V5]);
    head.resize(elf::IDENT_SIZE as usize, 0);
    header.write(&mut head);
    for segment in segments(&layout, loaded) {
        segment.write(&mut head);
    }
    file[..head.len()].copy_from_slice(&head);
    for section in &layout.headers {
        section.write(&mut file);
    }
    file
}

/// The program headers, as `ld.lld -shared` makes them.
fn segments(layout: &Layout, loaded: &Loaded) -> [ProgramHeader; SEGMENTS as usize] {
    let headers = elf::IDENT_SIZE + Header::SIZE;
    let programs = SEGMENTS * ProgramHeader::SIZE;
    let rodata = &layout.headers[loaded.rodata];
    let end = rodata.addr + rodata.size;
    let itself = ProgramHeader {
        kind: pt::PHDR,
        flags: pt::R,
        offset: headers,
        vaddr: headers,
        paddr: headers,
        filesz: programs,
        memsz: programs,
        align: 8,
    };
    let first = ProgramHeader {
        kind: pt::LOAD,
        flags: pt::R,
        filesz: end,
        memsz: end,
        align: PAGE,
        ..ProgramHeader::default()
    };
    let text = (loaded.text, loaded.text);
    let data = (loaded.dynamic, loaded.relro);
    let dynamic = (loaded.dynamic, loaded.dynamic);
    [
        itself,
        first,
        layout.segment(pt::LOAD, pt::R | pt::X, PAGE, text),
        layout.segment(pt::LOAD, pt::R | pt::W, PAGE, data),
        layout.segment(pt::DYNAMIC, pt::R | pt::W, 8, dynamic),
        layout.segment(pt::GNU_RELRO, pt::R, 1, data),
        ProgramHeader {
            kind: pt::GNU_STACK,
            flags: pt::R | pt::W,
            ..ProgramHeader::default()
        },
        layout.segment(pt::NOTE, pt::R, 4, (loaded.note, loaded.note)),
    ]
}
