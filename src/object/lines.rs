//! DWARF line tables: which source line each instruction comes from.
//!
//! Written as one compile unit with one `DW_TAG_subprogram` and one line sequence for each kernel, so
//! that `llvm-objdump -dl` and `llvm-symbolizer` show places. No directory, time or host path is
//! written: equal input gives equal bytes. DWARF 4, the version that all consumers read.
//!
//! Reading takes `.debug_line` alone (any version up to 5), because objects assembled from text with
//! `.loc` lines may have nothing else. Rows come out sorted by address.

use super::ObjectError;
use gimli::write::{
    Address, AttributeValue, DwarfUnit, EndianVec, FileId, LineProgram, LineString, Sections,
};
use gimli::{EndianSlice, LittleEndian};
use std::collections::HashMap;

/// A row of a kernel's line table: the place of the instructions from `offset` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRow {
    /// Byte offset from the kernel's first instruction.
    pub offset: u32,
    /// Index into the object's list of files.
    pub file: u32,
    /// Line from 1; 0 for code that no line asked for.
    pub line: u32,
    /// Column from 1; 0 where it is not known.
    pub column: u32,
}

/// The code of one kernel and its rows, sorted by offset.
pub struct Function<'a> {
    /// Name of the kernel.
    pub name: &'a str,
    /// Address of its first instruction.
    pub start: u64,
    /// Bytes of code.
    pub size: u64,
    /// The rows.
    pub rows: &'a [LineRow],
}

/// A section to be written: name and content.
pub type DebugSection = (&'static str, Vec<u8>);

fn cannot_write(problem: impl ToString) -> ObjectError {
    ObjectError::unwritable("line table", problem.to_string())
}

/// Writes the debug sections of an object whose code is in units of `unit` bytes. Nothing is written
/// when no function has a row.
pub fn encode(
    files: &[String],
    functions: &[Function<'_>],
    unit: u8,
) -> Result<Vec<DebugSection>, ObjectError> {
    if functions.iter().all(|f| f.rows.is_empty()) {
        return Ok(Vec::new());
    }
    let encoding = gimli::Encoding {
        format: gimli::Format::Dwarf32,
        version: 4,
        address_size: 8,
    };
    let mut dwarf = DwarfUnit::new(encoding);
    let (program, ids) = line_program(encoding, files, unit)?;
    dwarf.unit.line_program = program;
    for function in functions {
        add_sequence(&mut dwarf.unit.line_program, &ids, function, unit)?;
    }
    describe_unit(&mut dwarf, files, functions, &ids);
    let mut sections = Sections::new(EndianVec::new(LittleEndian));
    dwarf.write(&mut sections).map_err(cannot_write)?;
    let mut out = Vec::new();
    let copied: Result<(), ObjectError> = sections.for_each(|id, data| {
        if !data.slice().is_empty() {
            out.push((id.name(), data.slice().to_vec()));
        }
        Ok(())
    });
    copied.map(|()| out)
}

/// An empty program with the file table.
fn line_program(
    encoding: gimli::Encoding,
    files: &[String],
    unit: u8,
) -> Result<(LineProgram, Vec<FileId>), ObjectError> {
    let first = files
        .first()
        .ok_or_else(|| cannot_write("rows without files"))?;
    if let Some(bad) = files.iter().find(|f| f.is_empty() || f.contains('\0')) {
        return Err(cannot_write(format!("file name {bad:?}")));
    }
    let name = |text: &str| LineString::String(text.as_bytes().to_vec());
    let line_encoding = gimli::LineEncoding {
        minimum_instruction_length: unit,
        ..gimli::LineEncoding::default()
    };
    // The directory is implicit in DWARF 4: it is needed here but not written.
    let mut program = LineProgram::new(encoding, line_encoding, name("."), None, name(first), None);
    let directory = program.default_directory();
    let ids = files
        .iter()
        .map(|f| program.add_file(name(f), directory, None))
        .collect();
    Ok((program, ids))
}

fn add_sequence(
    program: &mut LineProgram,
    ids: &[FileId],
    function: &Function<'_>,
    unit: u8,
) -> Result<(), ObjectError> {
    if function.rows.is_empty() {
        return Ok(());
    }
    let fault = |row: &LineRow, problem: &str| {
        Err(cannot_write(format!(
            "row at offset {:#x} of `{}`: {problem}",
            row.offset, function.name
        )))
    };
    program.begin_sequence(Some(Address::Constant(function.start)));
    let mut last = 0;
    for row in function.rows {
        let offset = u64::from(row.offset);
        let Some(file) = ids.get(row.file as usize) else {
            return fault(row, "unknown file");
        };
        if offset < last || offset >= function.size || offset % u64::from(unit) != 0 {
            return fault(row, "out of order, misaligned or outside the code");
        }
        last = offset;
        let out = program.row();
        out.address_offset = offset;
        out.file = *file;
        out.line = u64::from(row.line);
        out.column = u64::from(row.column);
        out.is_statement = true;
        program.generate_row();
    }
    program.end_sequence(function.size);
    Ok(())
}

/// Fills the compile unit: its name and range, and a subprogram for each function.
fn describe_unit(
    dwarf: &mut DwarfUnit,
    files: &[String],
    functions: &[Function<'_>],
    ids: &[FileId],
) {
    let text = |t: &str| AttributeValue::String(t.as_bytes().to_vec());
    let start = functions.iter().map(|f| f.start).min().unwrap_or(0);
    let end = functions
        .iter()
        .map(|f| f.start + f.size)
        .max()
        .unwrap_or(0);
    let root = dwarf.unit.root();
    let unit = dwarf.unit.get_mut(root);
    unit.set(gimli::DW_AT_producer, text(super::hsaco::PRODUCER));
    unit.set(gimli::DW_AT_name, text(&files[0]));
    unit.set(
        gimli::DW_AT_low_pc,
        AttributeValue::Address(Address::Constant(start)),
    );
    unit.set(gimli::DW_AT_high_pc, AttributeValue::Udata(end - start));
    unit.set(gimli::DW_AT_stmt_list, AttributeValue::LineProgramRef);
    for function in functions {
        let id = dwarf.unit.add(root, gimli::DW_TAG_subprogram);
        let entry = dwarf.unit.get_mut(id);
        entry.set(gimli::DW_AT_name, text(function.name));
        entry.set(gimli::DW_AT_external, AttributeValue::FlagPresent);
        entry.set(
            gimli::DW_AT_low_pc,
            AttributeValue::Address(Address::Constant(function.start)),
        );
        entry.set(gimli::DW_AT_high_pc, AttributeValue::Udata(function.size));
        if let Some(row) = function.rows.iter().find(|r| r.line > 0) {
            let file = ids.get(row.file as usize).copied();
            entry.set(gimli::DW_AT_decl_file, AttributeValue::FileIndex(file));
            entry.set(
                gimli::DW_AT_decl_line,
                AttributeValue::Udata(u64::from(row.line)),
            );
        }
    }
}

/// A source place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// File name as the compiler was given it.
    pub file: &'a str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 where it is not known.
    pub column: u32,
}

/// Row of a whole object's table. The last row of a sequence has `end` set: it only ends the one
/// before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressRow {
    /// Address in the object.
    pub address: u64,
    /// Index into [`LineTable::files`].
    pub file: u32,
    /// Line, 0 for code without one.
    pub line: u32,
    /// Column, 0 where it is not known.
    pub column: u32,
    /// Whether the code ends here.
    pub end: bool,
}

/// The line table of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineTable {
    /// Names of the source files.
    pub files: Vec<String>,
    /// Rows by address.
    pub rows: Vec<AddressRow>,
}

impl LineTable {
    /// The source place of the instruction at an address of the object (not of the loaded image).
    pub fn find(&self, address: u64) -> Option<Place<'_>> {
        let next = self.rows.partition_point(|r| r.address <= address);
        let row = self.rows.get(next.checked_sub(1)?)?;
        if row.end || row.line == 0 {
            return None;
        }
        Some(Place {
            file: self.files.get(row.file as usize)?,
            line: row.line,
            column: row.column,
        })
    }
}

type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// Reads `.debug_line` with the string sections that it may refer to (empty where missing).
pub fn decode(line: &[u8], line_str: &[u8], str: &[u8]) -> Result<LineTable, ObjectError> {
    let fault = |e: gimli::Error| ObjectError::Debug {
        section: ".debug_line",
        problem: e.to_string(),
    };
    let section = gimli::DebugLine::new(line, LittleEndian);
    let strings = Strings {
        line_str: gimli::DebugLineStr::new(line_str, LittleEndian),
        str: gimli::DebugStr::new(str, LittleEndian),
    };
    let sizes = line.len() + line_str.len() + str.len();
    let mut files = Files {
        budget: NAMES_MIN + 4 * sizes,
        ..Files::default()
    };
    let mut table = LineTable::default();
    let mut offset = 0;
    while offset < line.len() {
        let program = section
            .program(gimli::DebugLineOffset(offset), 8, None, None)
            .map_err(fault)?;
        let header = program.header();
        // The length does not count itself: 4 bytes in 32-bit DWARF, 12 in 64-bit DWARF.
        let own = match header.format() {
            gimli::Format::Dwarf32 => 4,
            gimli::Format::Dwarf64 => 12,
        };
        offset = offset
            .saturating_add(own)
            .saturating_add(header.unit_length());
        read_rows(program, &strings, &mut files, &mut table).map_err(fault)?;
    }
    // At one address the end of a sequence goes before the start of the next one.
    table.rows.sort_by_key(|r| (r.address, !r.end));
    table.files = files.names;
    Ok(table)
}

/// Bytes that file names may have together, beyond a multiple of the sections' size. They are built
/// from shared directory names, so a small section could ask for very many.
const NAMES_MIN: usize = 1 << 20;

/// The file names met so far.
#[derive(Default)]
struct Files {
    names: Vec<String>,
    index: HashMap<String, u32>,
    budget: usize,
}

impl Files {
    /// The index of the name that `build` gives, added where it is new. When the budget is used up,
    /// all further files are called `?`, and no name is built any more.
    fn add(&mut self, build: impl FnOnce() -> Option<String>) -> u32 {
        let name = if self.budget > 0 { build() } else { None };
        let name = name.unwrap_or_else(|| "?".to_owned());
        self.budget = self.budget.saturating_sub(name.len());
        if let Some(index) = self.index.get(&name) {
            return *index;
        }
        let index = self.names.len() as u32;
        self.names.push(name.clone());
        self.index.insert(name, index);
        index
    }
}

struct Strings<'a> {
    line_str: gimli::DebugLineStr<Slice<'a>>,
    str: gimli::DebugStr<Slice<'a>>,
}

impl Strings<'_> {
    fn get(&self, value: gimli::AttributeValue<Slice<'_>>) -> Option<String> {
        let text = match value {
            gimli::AttributeValue::String(s) => return Some(s.to_string_lossy().into_owned()),
            gimli::AttributeValue::DebugLineStrRef(at) => self.line_str.get_str(at).ok()?,
            gimli::AttributeValue::DebugStrRef(at) => self.str.get_str(at).ok()?,
            _ => return None,
        };
        Some(text.to_string_lossy().into_owned())
    }
}

/// Runs one line program and appends its rows.
fn read_rows(
    program: gimli::IncompleteLineProgram<Slice<'_>>,
    strings: &Strings<'_>,
    files: &mut Files,
    table: &mut LineTable,
) -> Result<(), gimli::Error> {
    let mut known: HashMap<u64, u32> = HashMap::new();
    let mut rows = program.rows();
    while let Some((header, row)) = rows.next_row()? {
        let number = row.file_index();
        let file = match known.get(&number) {
            Some(index) => *index,
            None => {
                let file = header.file(number);
                let index = files.add(|| file_name(header, file?, strings));
                known.insert(number, index);
                index
            }
        };
        let narrow = |v: u64| u32::try_from(v).unwrap_or(0);
        table.rows.push(AddressRow {
            address: row.address(),
            file,
            line: row.line().map_or(0, |l| narrow(l.get())),
            column: match row.column() {
                gimli::ColumnType::LeftEdge => 0,
                gimli::ColumnType::Column(c) => narrow(c.get()),
            },
            end: row.end_sequence(),
        });
    }
    Ok(())
}

/// Name of a file with its directory, unless that is the compiler's own working directory.
fn file_name(
    header: &gimli::LineProgramHeader<Slice<'_>>,
    file: &gimli::FileEntry<Slice<'_>>,
    strings: &Strings<'_>,
) -> Option<String> {
    let name = strings.get(file.path_name())?;
    if file.directory_index() == 0 || name.starts_with('/') {
        return Some(name);
    }
    let directory = file.directory(header).and_then(|d| strings.get(d));
    Some(directory.map_or(name.clone(), |d| format!("{d}/{name}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(offset: u32, line: u32) -> LineRow {
        LineRow {
            offset,
            file: 0,
            line,
            column: 3,
        }
    }

    fn sections(rows: &[LineRow]) -> Result<Vec<DebugSection>, ObjectError> {
        let function = Function {
            name: "k",
            start: 0x1600,
            size: 0x40,
            rows,
        };
        encode(&["a.k".to_owned()], &[function], 4)
    }

    #[test]
    fn addresses_find_their_lines() {
        let rows = [row(0, 5), row(8, 7), row(16, 0), row(24, 900_000)];
        let sections = sections(&rows).unwrap();
        let line = &sections.iter().find(|s| s.0 == ".debug_line").unwrap().1;
        let table = decode(line, &[], &[]).unwrap();
        let at = |address| table.find(address).map(|p| (p.file, p.line, p.column));
        assert_eq!(at(0x15fc), None);
        assert_eq!(at(0x1600), Some(("a.k", 5, 3)));
        assert_eq!(at(0x1607), Some(("a.k", 5, 3)));
        assert_eq!(at(0x1608), Some(("a.k", 7, 3)));
        assert_eq!(at(0x1610), None);
        assert_eq!(at(0x163c), Some(("a.k", 900_000, 3)));
        assert_eq!(at(0x1640), None);
    }

    #[test]
    fn rows_must_be_in_order_and_inside() {
        assert!(sections(&[row(8, 1), row(4, 2)]).is_err());
        assert!(sections(&[row(2, 1)]).is_err());
        assert!(sections(&[row(0x40, 1)]).is_err());
        assert_eq!(sections(&[]), Ok(vec![]));
        let wrong_file = LineRow {
            file: 1,
            ..row(0, 1)
        };
        assert!(sections(&[wrong_file]).is_err());
    }
}
