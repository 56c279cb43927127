//! Lines of VISA text to a verified module: directives, kernels, errors of verification.

use std::collections::HashMap;

use super::ast::{Directive, DirectiveArg, Item, Kernel, ModuleText, Name, Number};
use super::function::build_function;
use super::locs::Locs;
use super::nearest::nearest;
use crate::diag::{Code, Diagnostic, FileId, Sink, SourceMap, Span};
use crate::ir::builder::cvt_round;
use crate::ir::entity::{Entity, Inst};
use crate::ir::func::{Attrs, Function, KernelAttrs, Module, WaveSize};
use crate::ir::opcode::{Flags, Opcode};
use crate::ir::text::print::print_mnemonic;
use crate::ir::verify::{Stage, VerifyError, verify};

/// Errors reported at most.
const MAX_ERRORS: usize = 100;

/// Takes errors, as many as help.
pub(super) struct Report<'s> {
    sink: &'s mut Sink,
    count: usize,
}

impl Report<'_> {
    /// Adds an error.
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        self.count += 1;
        if self.count <= MAX_ERRORS {
            self.sink.push(diagnostic);
        }
    }

    /// Adds an error without help.
    pub(super) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.push(Diagnostic::new(code, message).at(span, ""));
    }

    /// Adds an error with the name that was probably meant, shown with its sign.
    pub(super) fn unknown<'n>(
        &mut self,
        code: Code,
        name: Name<'_>,
        message: String,
        sign: &str,
        known: impl Iterator<Item = &'n str>,
    ) {
        let diagnostic = Diagnostic::new(code, message).at(name.span, "");
        self.push(match nearest(name.text, known) {
            Some(near) => diagnostic.help(format!("did you mean `{sign}{near}`?")),
            None => diagnostic,
        });
    }

    /// Number of errors so far.
    pub(super) fn count(&self) -> usize {
        self.count
    }
}

/// Builds and verifies the module; `None` after errors.
pub(super) fn build(
    tree: &ModuleText<'_>,
    file: FileId,
    sources: &SourceMap,
    sink: &mut Sink,
) -> Option<Module> {
    let mut report = Report { sink, count: 0 };
    let name = sources.get(file).map_or("", |f| &f.name);
    let mut header = Header {
        module: Module {
            name: name.to_string(),
            ..Module::default()
        },
        locs: Locs::new(sources),
        seen: HashMap::new(),
        report: &mut report,
    };
    header.read(tree, file);
    let Header {
        mut module, locs, ..
    } = header;
    let mut names: HashMap<&str, Span> = HashMap::new();
    for item in &tree.items {
        let Item::Kernel(kernel) = item else { continue };
        if let Some(first) = names.insert(kernel.name.text, kernel.name.span) {
            let message = format!("kernel `@{}` is defined twice", kernel.name.text);
            let diagnostic = Diagnostic::new(Code::K0506, message).at(kernel.name.span, "");
            report.push(diagnostic.also(first, "first here"));
        }
        let before = report.count();
        let (mut func, texts) = build_function(kernel, &locs, &mut report);
        func.attrs = kernel_attrs(kernel, &mut report);
        if report.count() == before {
            verify_function(&func, &texts, kernel.span, &mut report);
        }
        module.functions.push(func);
    }
    (report.count() == 0).then_some(module)
}

fn verify_function(func: &Function, texts: &[Span], whole: Span, report: &mut Report<'_>) {
    let stage = if func.vars.is_empty() {
        Stage::Ssa
    } else {
        Stage::Vars
    };
    for error in verify(func, stage) {
        let span = error.inst.and_then(|i| texts.get(i.index())).copied();
        let diagnostic = Diagnostic::new(Code::K0507, error.message.clone());
        let diagnostic = diagnostic.at(span.unwrap_or(whole), "");
        report.push(match verify_help(func, &error) {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }
}

/// What to write instead, where that is plain.
fn verify_help(func: &Function, error: &VerifyError) -> Option<String> {
    let data = func.insts.get(error.inst?)?;
    if data.op == Opcode::Cvt {
        let (to, from) = (data.attrs.kind?, data.attrs.src_kind?);
        let attrs = Attrs {
            round: cvt_round(to, from),
            ..data.attrs
        };
        let better = (attrs != data.attrs).then(|| print_mnemonic(data.op, &attrs));
        return better.map(|m| format!("write `{m}`"));
    }
    let is_last = |inst: Inst| {
        let mut blocks = func.layout.iter().filter_map(|b| func.blocks.get(*b));
        blocks.any(|b| b.insts.last() == Some(&inst))
    };
    if !data.op.flags().has(Flags::TERM) && is_last(error.inst?) {
        let terms = Opcode::ALL.iter().filter(|op| op.flags().has(Flags::TERM));
        let names: Vec<&str> = terms.map(|op| op.name()).collect();
        return Some(format!("terminators are {}", names.join(", ")));
    }
    None
}

/// Directives outside of kernels.
struct Header<'a, 'r, 's> {
    module: Module,
    locs: Locs<'a>,
    seen: HashMap<String, Span>,
    report: &'r mut Report<'s>,
}

const DIRECTIVES: [&str; 5] = ["visa", "wave", "target", "module", "file"];

impl Header<'_, '_, '_> {
    fn read(&mut self, tree: &ModuleText<'_>, file: FileId) {
        let starts_right = matches!(
            tree.items.first(),
            Some(Item::Directive(d)) if d.name.text == "visa"
        );
        if !starts_right {
            let message = "VISA text begins with its version";
            let place = match tree.items.first() {
                Some(Item::Directive(directive)) => directive.span,
                Some(Item::Kernel(kernel)) => kernel.span,
                Some(Item::Error) | None => Span::new(file, 0, 0),
            };
            let diagnostic = Diagnostic::new(Code::K0508, message).at(place, "");
            self.report
                .push(diagnostic.help("write `.visa 1.0` in the first line"));
        }
        let mut kernel: Option<&Kernel<'_>> = None;
        for item in &tree.items {
            match (item, kernel) {
                (Item::Directive(directive), None) => self.directive(directive),
                (Item::Directive(directive), Some(kernel)) => {
                    let message = "a directive of the module stands behind a kernel";
                    let diagnostic = Diagnostic::new(Code::K0508, message).at(directive.span, "");
                    self.report
                        .push(diagnostic.also(kernel.span, "it belongs before this"));
                }
                (Item::Kernel(first), None) => kernel = Some(first),
                (Item::Kernel(_), Some(_)) | (Item::Error, _) => {}
            }
        }
    }

    fn directive(&mut self, directive: &Directive<'_>) {
        let name = directive.name;
        if !DIRECTIVES.contains(&name.text) {
            let message = format!("unknown directive `.{}`", name.text);
            return self
                .report
                .unknown(Code::K0508, name, message, ".", DIRECTIVES.into_iter());
        }
        if name.text != "file"
            && let Some(first) = self.seen.insert(name.text.to_string(), directive.span)
        {
            let message = format!("`.{}` stands twice", name.text);
            let diagnostic = Diagnostic::new(Code::K0508, message).at(directive.span, "");
            return self.report.push(diagnostic.also(first, "first here"));
        }
        let fits = match (name.text, directive.args.as_slice()) {
            ("visa", [DirectiveArg::Number(version)]) => return self.version(*version),
            ("wave", [arg]) => self.wave(arg),
            ("target", [DirectiveArg::Str(text)]) => {
                self.module.target = self.unquote(*text);
                true
            }
            ("module", [DirectiveArg::Str(text)]) => {
                self.module.name = self.unquote(*text).unwrap_or_default();
                true
            }
            ("file", [DirectiveArg::Number(number), DirectiveArg::Str(text)]) => {
                let path = self.unquote(*text).unwrap_or_default();
                number_u32(*number).is_some_and(|n| n > 0 && self.locs.add_file(n, &path))
            }
            _ => false,
        };
        if !fits {
            let form = match name.text {
                "visa" => "`.visa 1.0`",
                "wave" => "`.wave 32`, `.wave 64` or `.wave any`",
                "target" => "`.target \"gfx942\"`",
                "module" => "`.module \"name\"`",
                _ => "`.file 1 \"name\"`, every number once",
            };
            let message = format!("wrong arguments of `.{}`", name.text);
            let diagnostic = Diagnostic::new(Code::K0508, message).at(directive.span, "");
            self.report.push(diagnostic.help(format!("write {form}")));
        }
    }

    fn version(&mut self, version: Number<'_>) {
        if version.negative || version.digits != "1.0" {
            let message = format!("version {} of VISA is not known", version.text());
            let diagnostic = Diagnostic::new(Code::K0508, message).at(version.span, "");
            self.report
                .push(diagnostic.help("this compiler reads `.visa 1.0`"));
        }
    }

    fn wave(&mut self, arg: &DirectiveArg<'_>) -> bool {
        let wave = match arg {
            DirectiveArg::Word(name) if name.text == "any" => WaveSize::Any,
            DirectiveArg::Number(n) if n.text() == "32" => WaveSize::W32,
            DirectiveArg::Number(n) if n.text() == "64" => WaveSize::W64,
            DirectiveArg::Word(_) | DirectiveArg::Number(_) | DirectiveArg::Str(_) => return false,
        };
        self.module.wave = wave;
        true
    }

    fn unquote(&mut self, text: Name<'_>) -> Option<String> {
        let plain = unquote(text.text);
        if plain.is_none() {
            let message = "an escape that is none";
            let diagnostic = Diagnostic::new(Code::K0501, message).at(text.span, "");
            let help = "there are `\\\"`, `\\\\`, `\\n` and `\\x41`";
            self.report.push(diagnostic.help(help));
        }
        plain
    }
}

/// The text of a string literal: the inverse of `quote`, which it gets without the quotes.
pub(super) fn unquote(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next()? {
            'n' => out.push('\n'),
            'x' => {
                let digits: String = [chars.next()?, chars.next()?].into_iter().collect();
                out.push(
                    u32::from_str_radix(&digits, 16)
                        .ok()
                        .and_then(char::from_u32)?,
                );
            }
            c @ ('"' | '\\') => out.push(c),
            _ => return None,
        }
    }
    Some(out)
}

/// A number without a sign that fits 32 bits, decimal or hexadecimal.
pub(super) fn number_u32(number: Number<'_>) -> Option<u32> {
    let digits = number.digits;
    let hex = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
    let value = match hex {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    value.ok().filter(|_| !number.negative)
}

fn kernel_attrs(kernel: &Kernel<'_>, report: &mut Report<'_>) -> KernelAttrs {
    const NAMES: [&str; 3] = ["launch_bounds", "waves_per_eu", "max_regs"];
    let mut attrs = KernelAttrs::default();
    for attr in &kernel.attrs {
        let number = |arg: &DirectiveArg<'_>| match arg {
            DirectiveArg::Number(number) => number_u32(*number),
            DirectiveArg::Word(_) | DirectiveArg::Str(_) => None,
        };
        let numbers: Option<Vec<u32>> = attr.args.iter().map(number).collect();
        let repeated = match (attr.name.text, numbers.as_deref()) {
            ("launch_bounds", Some(&[threads, blocks])) => {
                attrs.launch_bounds.replace((threads, blocks)).is_some()
            }
            ("waves_per_eu", Some(&[min, max])) => attrs.waves_per_eu.replace((min, max)).is_some(),
            ("max_regs", Some(&[regs])) => attrs.max_regs.replace(regs).is_some(),
            (name, _) if NAMES.contains(&name) => {
                let message = format!("wrong arguments of `.{name}`");
                let diagnostic = Diagnostic::new(Code::K0508, message).at(attr.span, "");
                let help =
                    "there are `.launch_bounds(256, 1)`, `.waves_per_eu(1, 8)`, `.max_regs(64)`";
                report.push(diagnostic.help(help));
                false
            }
            (name, _) => {
                let message = format!("unknown attribute `.{name}`");
                report.unknown(Code::K0508, attr.name, message, ".", NAMES.into_iter());
                false
            }
        };
        if repeated {
            let message = format!("`.{}` stands twice", attr.name.text);
            report.error(Code::K0508, attr.span, message);
        }
    }
    attrs
}
