//! Prints modules, functions and single instructions.
//!
//! The printer reads the opcode table for suffixes and operand slots, so it never needs to know an
//! opcode. It also prints malformed functions (the verifier shows them), without ever panicking.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use super::literal::print_literal;
use super::names::Names;
use crate::diag::{FileId, SourceMap, Span};
use crate::ir::entity::{Block, Inst, Value, Var};
use crate::ir::func::{Attrs, BlockCall, Function, InstData, Module, Param, ValueDef, WaveSize};
use crate::ir::opcode::{Flags, Opcode, Rule, Slot};
use crate::ir::types::{Kind, Type};

/// What the text shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct PrintOptions<'a> {
    /// Prints `.file` and `.loc` lines for spans of these sources; `None` leaves places out.
    pub locs: Option<&'a SourceMap>,
}

/// The whole module.
pub fn print_module(module: &Module, options: PrintOptions<'_>) -> String {
    let mut out = String::from(".visa 1.0\n");
    let wave = match module.wave {
        WaveSize::W32 => "32",
        WaveSize::W64 => "64",
        WaveSize::Any => "any",
    };
    let _ = writeln!(out, ".wave {wave}");
    if let Some(target) = &module.target {
        let _ = writeln!(out, ".target {}", quote(target));
    }
    let _ = writeln!(out, ".module {}", quote(&module.name));
    let files = FileTable::of(module, options.locs);
    for (index, name) in files.names.iter().enumerate() {
        let _ = writeln!(out, ".file {} {}", index + 1, quote(name));
    }
    for func in &module.functions {
        out.push('\n');
        write_function(&mut out, func, &files);
    }
    out
}

/// One function, without places.
pub fn print_function(func: &Function) -> String {
    let mut out = String::new();
    write_function(&mut out, func, &FileTable::default());
    out
}

/// One instruction on one line, without indentation.
pub fn print_inst(func: &Function, names: &Names, inst: Inst) -> String {
    let mut out = String::new();
    match func.insts.get(inst) {
        Some(data) => write_inst(&mut out, func, names, data),
        None => out.push_str("invalid"),
    }
    out
}

/// A string literal with `"` and `\` escaped, control characters as `\n` or `\xNN`.
pub fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\x{:02X}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The type that a literal takes in operand `index`; `None` where a literal must state its own type
/// (pointers, whose space no slot gives).
pub fn literal_type(func: &Function, op: Opcode, attrs: &Attrs, index: usize) -> Option<Type> {
    let of_kind = |kind: Option<Kind>| kind.filter(|k| *k != Kind::Ptr).map(Kind::ty);
    match operand_rule(op, index)? {
        Rule::K | Rule::Vec => of_kind(attrs.kind),
        Rule::S => of_kind(attrs.src_kind),
        Rule::Wide => attrs.kind?.widened().map(Kind::ty),
        Rule::Pred => Some(Type::Pred),
        Rule::I32 => Some(Type::I32),
        Rule::I64 => Some(Type::I64),
        Rule::VarTy => func.vars.get(attrs.var?).map(|v| v.ty),
        Rule::Ptr | Rule::Addr | Rule::Cvg => None,
    }
}

/// The rule of operand `index`; a vector rule covers all operands from its place on.
pub fn operand_rule(op: Opcode, index: usize) -> Option<Rule> {
    let rules = op.desc().args;
    rules
        .get(index)
        .or(rules.last().filter(|r| **r == Rule::Vec))
        .copied()
}

/// The mnemonic with its suffixes, `setp.lt.u32`.
pub fn print_mnemonic(op: Opcode, attrs: &Attrs) -> String {
    let mut out = op.name().to_string();
    let mut suffix = |text: &str| {
        out.push('.');
        out.push_str(text);
    };
    for slot in op.desc().slots {
        match slot {
            Slot::Cmp => suffix(attrs.cmp.map_or("?", |c| c.name())),
            Slot::Round => suffix(attrs.round.map_or("?", |r| r.name())),
            Slot::CvtRound => {
                if let Some(round) = attrs.round {
                    suffix(round.name());
                }
            }
            Slot::Ftz if attrs.ftz => suffix("ftz"),
            Slot::Sat if attrs.sat => suffix("sat"),
            Slot::Wrap if attrs.wrap => suffix("wrap"),
            Slot::Ftz | Slot::Sat | Slot::Wrap => {}
            Slot::Space => suffix(attrs.space.map_or("?", |s| s.name())),
            Slot::Vec if attrs.vec > 1 => suffix(&format!("v{}", attrs.vec)),
            Slot::Kind => suffix(attrs.kind.map_or("?", |k| k.name())),
            Slot::SrcKind => suffix(attrs.src_kind.map_or("?", |k| k.name())),
            Slot::Vec | Slot::SReg | Slot::Var => {}
        }
    }
    out
}

/// Whether integer literals of the instruction print as signed numbers.
fn is_signed_context(op: Opcode, attrs: &Attrs) -> bool {
    op.flags().has(Flags::SIGNLESS) || attrs.kind.is_none_or(Kind::is_signed)
}

fn write_inst(out: &mut String, func: &Function, names: &Names, data: &InstData) {
    for (n, result) in data.results.iter().enumerate() {
        out.push_str(if n == 0 { "%" } else { ", %" });
        out.push_str(names.value(*result));
    }
    if !data.results.is_empty() {
        out.push_str(" = ");
    }
    out.push_str(&print_mnemonic(data.op, &data.attrs));
    let mut operands = Vec::new();
    for slot in data.op.desc().slots {
        match slot {
            Slot::SReg => operands.push(format!("%{}", data.attrs.sreg.map_or("?", |s| s.name()))),
            Slot::Var => operands.push(match data.attrs.var {
                Some(var) => format!("${}", names.var(var)),
                None => "$?".to_string(),
            }),
            _ => {}
        }
    }
    for (index, &arg) in data.args.iter().enumerate() {
        let slot_type = literal_type(func, data.op, &data.attrs, index);
        let signed = match operand_rule(data.op, index) {
            Some(Rule::I32 | Rule::I64) => true,
            _ => is_signed_context(data.op, &data.attrs),
        };
        let text = print_operand(func, names, arg, slot_type, signed);
        let is_addr = operand_rule(data.op, index) == Some(Rule::Addr);
        operands.push(match (is_addr, data.attrs.offset) {
            (false, _) => text,
            (true, 0) => format!("[{text}]"),
            (true, offset) => format!("[{text}{offset:+}]"),
        });
    }
    for call in &data.targets {
        operands.push(print_call(func, names, call));
    }
    for (n, operand) in operands.iter().enumerate() {
        out.push_str(if n == 0 { " " } else { ", " });
        out.push_str(operand);
    }
}

/// An operand: `%name`, or a literal, with its type where the slot does not give the same one.
fn print_operand(
    func: &Function,
    names: &Names,
    value: Value,
    slot_type: Option<Type>,
    signed: bool,
) -> String {
    match func.values.get(value).map(|data| (data.ty, data.def)) {
        Some((ty, ValueDef::Const(bits))) => {
            let text = print_literal(ty, bits, signed && ty.is_int());
            if slot_type == Some(ty) {
                text
            } else {
                format!("{ty}({text})")
            }
        }
        _ => format!("%{}", names.value(value)),
    }
}

fn print_call(func: &Function, names: &Names, call: &BlockCall) -> String {
    let label = names.block(call.block);
    if call.args.is_empty() {
        return label.to_string();
    }
    let params = func.blocks.get(call.block).map_or(&[][..], |b| &b.params);
    let args: Vec<_> = call
        .args
        .iter()
        .enumerate()
        .map(|(n, &arg)| {
            let ty = params.get(n).and_then(|p| func.values.get(*p));
            print_operand(func, names, arg, ty.map(|d| d.ty), true)
        })
        .collect();
    format!("{label}({})", args.join(", "))
}

fn write_function(out: &mut String, func: &Function, files: &FileTable<'_>) {
    let names = Names::of(func);
    write_header(out, func, &names);
    let used = used_vars(func);
    for (var, data) in func.vars.iter().filter(|(var, _)| used.contains(var)) {
        let _ = writeln!(out, "    .var ${}: {}", names.var(var), data.ty);
    }
    for &block in &func.layout {
        let _ = writeln!(out, "{}:", print_label(func, &names, block));
        let mut loc = None;
        let insts = func.blocks.get(block).map_or(&[][..], |b| &b.insts);
        for &inst in insts {
            let span = func.insts.get(inst).map_or(Span::NONE, |i| i.span);
            let next = files.locate(span);
            if next != loc {
                let (file, line, col) = next.unwrap_or_default();
                let _ = writeln!(out, "    .loc {file} {line} {col}");
                loc = next;
            }
            let _ = writeln!(out, "    {}", print_inst(func, &names, inst));
        }
    }
    out.push_str("}\n");
}

/// Variables that an instruction reads or writes; after SSA construction there are none.
fn used_vars(func: &Function) -> HashSet<Var> {
    let blocks = func.layout.iter().filter_map(|b| func.blocks.get(*b));
    let insts = blocks.flat_map(|b| &b.insts);
    insts
        .filter_map(|i| func.insts.get(*i)?.attrs.var)
        .collect()
}

/// A block's label with its parameters, `loop(%i: i32)`.
pub fn print_label(func: &Function, names: &Names, block: Block) -> String {
    let params = func.blocks.get(block).map_or(&[][..], |b| &b.params);
    let label = names.block(block);
    if params.is_empty() {
        return label.to_string();
    }
    let params: Vec<_> = params
        .iter()
        .map(|&p| {
            let ty = func.values.get(p).map_or(Type::Cvg, |d| d.ty);
            format!("%{}: {ty}", names.value(p))
        })
        .collect();
    format!("{label}({})", params.join(", "))
}

fn write_header(out: &mut String, func: &Function, names: &Names) {
    let param = |p: &Param| {
        let mut text = format!("%{}: {}", names.value(p.value), p.ty);
        for (word, on) in [(" readonly", p.readonly), (" noalias", p.noalias)] {
            if on {
                text.push_str(word);
            }
        }
        if let Some(elem) = p.elem {
            let _ = write!(text, " elem({})", elem.name());
        }
        text
    };
    let params: Vec<_> = func.params.iter().map(param).collect();
    let _ = writeln!(out, ".kernel @{}({})", func.name, params.join(", "));
    let attrs = &func.attrs;
    if let Some((threads, blocks)) = attrs.launch_bounds {
        let _ = writeln!(out, "    .launch_bounds({threads}, {blocks})");
    }
    if let Some((min, max)) = attrs.waves_per_eu {
        let _ = writeln!(out, "    .waves_per_eu({min}, {max})");
    }
    if let Some(regs) = attrs.max_regs {
        let _ = writeln!(out, "    .max_regs({regs})");
    }
    out.push_str("{\n");
}

/// The files that a module's spans name, numbered from 1 in order of first use.
#[derive(Default)]
struct FileTable<'a> {
    sources: Option<&'a SourceMap>,
    numbers: HashMap<FileId, u32>,
    names: Vec<&'a str>,
}

impl<'a> FileTable<'a> {
    fn of(module: &Module, sources: Option<&'a SourceMap>) -> FileTable<'a> {
        let mut table = FileTable {
            sources,
            ..FileTable::default()
        };
        let Some(sources) = sources else {
            return table;
        };
        for func in &module.functions {
            let blocks = func.layout.iter().filter_map(|b| func.blocks.get(*b));
            for inst in blocks.flat_map(|b| &b.insts) {
                let id = func.insts.get(*inst).map_or(Span::NONE, |i| i.span).file;
                if let (Some(file), false) = (sources.get(id), table.numbers.contains_key(&id)) {
                    table.names.push(&file.name);
                    table.numbers.insert(id, table.names.len() as u32);
                }
            }
        }
        table
    }

    /// File number, line and column of a span's start.
    fn locate(&self, span: Span) -> Option<(u32, u32, u32)> {
        let number = *self.numbers.get(&span.file)?;
        let (_, place) = self.sources?.locate(span)?;
        Some((number, place.line, place.col))
    }
}
