//! A kernel's lines to a function, in three steps.
//!
//! 1. Declare: parameters, variables, blocks, and instructions with their results. Afterwards every
//!    name is known, so operands may name what is defined further down.
//! 2. Resolve: operands and successors (see `operands`).
//! 3. Infer: types of results, in any order of the text (see `infer`).
//!
//! A line with an error still defines its results, without a value, so that their uses are no errors.

use std::collections::HashMap;

use super::ast::{InstText, Kernel, Line, Name, Number, Param};
use super::build::{Report, number_u32};
use super::infer::infer_types;
use super::locs::Locs;
use super::mnemonic::{MnemonicError, parse_mnemonic};
use super::names::is_block_number;
use super::operands::resolve_operands;
use crate::diag::{Code, Diagnostic, Span};
use crate::ir::entity::{Block, Inst, Value, Var};
use crate::ir::func::{Attrs, Function};
use crate::ir::opcode::{Opcode, Rule};
use crate::ir::types::{Kind, Type};

/// The type of a result until it is inferred.
const UNKNOWN: Type = Type::Cvg;

/// What is known of a kernel while it is built.
pub(super) struct Scope<'t> {
    /// Values by name; `None` where the defining line has an error.
    pub(super) values: HashMap<&'t str, (Option<Value>, Span)>,
    /// Blocks by label.
    pub(super) blocks: HashMap<&'t str, (Block, Span)>,
    /// Variables by name.
    pub(super) vars: HashMap<&'t str, (Option<Var>, Span)>,
    /// Place in the text of every instruction.
    pub(super) texts: Vec<Span>,
}

/// Builds a function; errors are reported, and then it is not complete. Also returns the place in
/// the text of every instruction.
pub(super) fn build_function(
    kernel: &Kernel<'_>,
    locs: &Locs<'_>,
    report: &mut Report<'_>,
) -> (Function, Vec<Span>) {
    let before = report.count();
    let mut declare = Declare {
        func: Function::new(kernel.name.text),
        scope: Scope {
            values: HashMap::new(),
            blocks: HashMap::new(),
            vars: HashMap::new(),
            texts: Vec::new(),
        },
        insts: Vec::new(),
        loc: None,
        locs,
        report,
    };
    declare.func.span = Some(kernel.span);
    kernel.params.iter().for_each(|p| declare.kernel_param(p));
    declare.body(&kernel.body);
    let Declare {
        mut func,
        scope,
        insts,
        ..
    } = declare;
    for (inst, text) in &insts {
        resolve_operands(&mut func, &scope, *inst, text, report);
    }
    if report.count() == before {
        infer_types(&mut func, &scope.texts, report);
    }
    (func, scope.texts)
}

/// The first step.
struct Declare<'k, 't, 'r, 's> {
    func: Function,
    scope: Scope<'t>,
    insts: Vec<(Inst, &'k InstText<'t>)>,
    /// The last `.loc` of the block.
    loc: Option<(u32, u32, u32)>,
    locs: &'k Locs<'k>,
    report: &'r mut Report<'s>,
}

impl<'k, 't> Declare<'k, 't, '_, '_> {
    fn kernel_param(&mut self, param: &Param<'t>) {
        let Some(ty) = self.find_type(param.ty) else {
            return self.define(param.name, None);
        };
        let value = self
            .func
            .add_param(param.name.text, ty, None, param.name.span);
        self.define(param.name, Some(value));
        for (word, argument) in &param.attrs {
            let elem = argument.and_then(|a| Kind::find(a.text));
            let Some(data) = self.func.params.last_mut() else {
                return;
            };
            match (word.text, argument) {
                ("readonly", None) if ty.is_ptr() => data.readonly = true,
                ("noalias", None) if ty.is_ptr() => data.noalias = true,
                ("elem", Some(_)) if elem.is_some() => data.elem = elem,
                _ => {
                    let message = format!("wrong attribute of parameter `%{}`", param.name.text);
                    let diagnostic = Diagnostic::new(Code::K0508, message).at(word.span, "");
                    let help = "pointers take `readonly` and `noalias`, all take `elem(u32)`";
                    self.report.push(diagnostic.help(help));
                }
            }
        }
    }

    /// The type of a parameter or variable.
    fn find_type(&mut self, name: Name<'_>) -> Option<Type> {
        match Type::find(name.text) {
            Some(Type::Cvg) => {
                let message = "a convergence token goes from `cvg.begin` to `cvg.end` alone";
                self.report.error(Code::K0510, name.span, message);
                None
            }
            Some(ty) => Some(ty),
            None => {
                let message = format!("unknown type `{}`", name.text);
                let diagnostic = Diagnostic::new(Code::K0510, message).at(name.span, "");
                let help = match Kind::find(name.text) {
                    Some(Kind::Ptr) => "a pointer names its space: `ptr.global`".to_string(),
                    Some(kind) => format!("values have no sign: `{}`", kind.ty()),
                    None => "types are pred, i8 to i64, f16, bf16, f32, f64, ptr.global and \
                             pointers to other spaces"
                        .to_string(),
                };
                self.report.push(diagnostic.help(help));
                None
            }
        }
    }

    /// Makes a name known. Names of digits alone stand for values without a name.
    fn define(&mut self, name: Name<'t>, value: Option<Value>) {
        if let Some(value) = value {
            let numbered = name.text.bytes().all(|b| b.is_ascii_digit());
            self.func.values[value].name = (!numbered).then(|| name.text.to_string());
        }
        if let Some((_, first)) = self.scope.values.insert(name.text, (value, name.span)) {
            self.twice(format!("`%{}`", name.text), name.span, first);
        }
    }

    fn twice(&mut self, what: String, span: Span, first: Span) {
        let diagnostic = Diagnostic::new(Code::K0506, format!("{what} is defined twice"));
        let diagnostic = diagnostic.at(span, "").also(first, "first here");
        self.report.push(diagnostic);
    }

    fn body(&mut self, lines: &'k [Line<'t>]) {
        // The open block with its label, and whether it has an instruction.
        let mut open: Option<(Block, Name<'t>, bool)> = None;
        for line in lines {
            match line {
                Line::Var(name, ty) => self.var(*name, *ty),
                Line::Loc(numbers, span) => self.set_loc(numbers, *span),
                Line::Label(name, params) => {
                    self.check_filled(open);
                    open = Some((self.block(*name, params), *name, false));
                }
                Line::Inst(text) => match &mut open {
                    Some((block, _, filled)) => {
                        *filled = true;
                        let block = *block;
                        self.inst(block, text);
                    }
                    None => {
                        let message = "an instruction stands before the first label";
                        let diagnostic = Diagnostic::new(Code::K0507, message).at(text.span, "");
                        self.report
                            .push(diagnostic.help("begin the first block with `entry:`"));
                        text.results.iter().for_each(|r| self.define(*r, None));
                        open = None;
                    }
                },
                Line::Error => {}
            }
        }
        self.check_filled(open);
    }

    fn check_filled(&mut self, open: Option<(Block, Name<'t>, bool)>) {
        if let Some((_, label, false)) = open {
            let message = format!("block `{}` is empty", label.text);
            let diagnostic = Diagnostic::new(Code::K0507, message).at(label.span, "");
            self.report
                .push(diagnostic.help("a block ends in a terminator such as `ret`"));
        }
    }

    fn var(&mut self, name: Name<'t>, ty: Name<'t>) {
        let ty = self.find_type(ty);
        let var = ty.map(|ty| self.func.add_var(name.text, ty, name.span));
        if let Some((_, first)) = self.scope.vars.insert(name.text, (var, name.span)) {
            self.twice(format!("`${}`", name.text), name.span, first);
        }
    }

    fn set_loc(&mut self, numbers: &[Number<'t>; 3], span: Span) {
        match numbers.map(number_u32) {
            [Some(file), Some(line), Some(col)] if self.locs.knows(file) => {
                self.loc = Some((file, line, col));
            }
            _ => {
                let message = "wrong arguments of `.loc`";
                let diagnostic = Diagnostic::new(Code::K0508, message).at(span, "");
                let help = "write `.loc FILE LINE COLUMN` with a number of a `.file` line";
                self.report.push(diagnostic.help(help));
            }
        }
    }

    fn block(&mut self, label: Name<'t>, params: &[Param<'t>]) -> Block {
        let name = (!is_block_number(label.text)).then_some(label.text);
        let block = self.func.add_block(name);
        self.loc = None;
        if let Some((_, first)) = self.scope.blocks.insert(label.text, (block, label.span)) {
            self.twice(format!("block `{}`", label.text), label.span, first);
        }
        for param in params {
            let ty = self.find_type(param.ty);
            let value = ty.map(|ty| self.func.add_block_param(block, ty));
            self.define(param.name, value);
            if let Some((word, _)) = param.attrs.first() {
                let message = "parameters of blocks have no attributes";
                self.report.error(Code::K0508, word.span, message);
            }
        }
        block
    }

    /// An instruction without its operands.
    fn inst(&mut self, block: Block, text: &'k InstText<'t>) {
        let parsed = parse_mnemonic(text.mnemonic.text);
        let (op, attrs) = match parsed {
            Ok(found) => found,
            Err(error) => {
                self.mnemonic_error(text.mnemonic, error);
                return text.results.iter().for_each(|r| self.define(*r, None));
            }
        };
        let count = result_count(op, &attrs);
        if count != text.results.len() {
            let message = format!(
                "`{}` has {}, not {}",
                text.mnemonic.text,
                counted(count, "result"),
                text.results.len()
            );
            self.report.error(Code::K0504, text.span, message);
            return text.results.iter().for_each(|r| self.define(*r, None));
        }
        let place = self.locs.place(self.loc, text.span);
        let types = vec![UNKNOWN; count];
        let inst = self.func.create_inst(op, attrs, &[], &types, place);
        self.func.blocks[block].insts.push(inst);
        self.scope.texts.push(text.span);
        self.insts.push((inst, text));
        for (n, name) in text.results.iter().enumerate() {
            let value = self.func.insts[inst].results.get(n).copied();
            self.define(*name, value);
        }
    }

    fn mnemonic_error(&mut self, mnemonic: Name<'_>, error: MnemonicError) {
        let at = mnemonic.span;
        let diagnostic = match error {
            MnemonicError::Unknown(near) => {
                let message = format!("unknown instruction `{}`", mnemonic.text);
                let diagnostic = Diagnostic::new(Code::K0502, message).at(at, "");
                match near {
                    Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                    None => diagnostic,
                }
            }
            MnemonicError::Suffix { head, bad, legal } => {
                let message = match &bad {
                    Some(bad) if legal.is_empty() => format!("`{head}` takes no suffix `.{bad}`"),
                    Some(bad) => format!("`.{bad}` cannot follow `{head}`"),
                    None => format!("`{head}` needs a suffix"),
                };
                let diagnostic = Diagnostic::new(Code::K0503, message).at(at, "");
                if legal.is_empty() {
                    diagnostic
                } else {
                    let list: Vec<String> = legal.iter().map(|n| format!(".{n}")).collect();
                    diagnostic.help(format!("behind `{head}` go {}", list.join(" ")))
                }
            }
        };
        self.report.push(diagnostic);
    }
}

/// How many results the row asks for.
fn result_count(op: Opcode, attrs: &Attrs) -> usize {
    let count = |rule: &Rule| match rule {
        Rule::Vec => usize::from(attrs.vec.max(1)),
        Rule::K
        | Rule::S
        | Rule::Wide
        | Rule::Pred
        | Rule::I32
        | Rule::I64
        | Rule::Ptr
        | Rule::Addr
        | Rule::Cvg
        | Rule::VarTy => 1,
    };
    op.desc().results.iter().map(count).sum()
}

/// `1 result`, `2 results`.
pub(super) fn counted(count: usize, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {what}{s}")
}
