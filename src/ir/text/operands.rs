//! Operands and successors of an instruction, by their position in the opcode's row: special register
//! and variable first, then values, then blocks.

use smallvec::SmallVec;

use super::ast::{InstText, Name, Number, Operand};
use super::build::Report;
use super::function::{Scope, counted};
use super::literal::{LiteralError, parse_literal};
use super::print::{literal_type, operand_rule};
use crate::diag::{Code, Diagnostic, Span};
use crate::ir::entity::{Inst, Value, Var};
use crate::ir::func::{BlockCall, Function};
use crate::ir::opcode::{Rule, SReg, Slot};
use crate::ir::types::Type;

/// Fills in operands and successors. Errors are reported.
pub(super) fn resolve_operands(
    func: &mut Function,
    scope: &Scope<'_>,
    inst: Inst,
    text: &InstText<'_>,
    report: &mut Report<'_>,
) {
    let mut resolve = Resolve {
        func,
        scope,
        inst,
        report,
    };
    resolve.run(text);
}

struct Resolve<'a, 't, 's> {
    func: &'a mut Function,
    scope: &'a Scope<'t>,
    inst: Inst,
    report: &'a mut Report<'s>,
}

impl Resolve<'_, '_, '_> {
    fn run(&mut self, text: &InstText<'_>) {
        let data = &self.func.insts[self.inst];
        let (op, vec) = (data.op, usize::from(data.attrs.vec.max(1)));
        let desc = op.desc();
        let places = desc.slots.iter();
        let places: Vec<Slot> = places.filter(|s| is_place(**s)).copied().collect();
        let repeated = if desc.args.last() == Some(&Rule::Vec) {
            vec - 1
        } else {
            0
        };
        let args = desc.args.len() + repeated;
        let wanted = places.len() + args + usize::from(desc.targets);
        if text.operands.len() != wanted {
            let message = format!(
                "`{}` takes {}, not {}",
                text.mnemonic.text,
                counted(wanted, "operand"),
                text.operands.len()
            );
            return self.report.error(Code::K0504, text.span, message);
        }
        for (n, operand) in text.operands.iter().enumerate() {
            if let Some(slot) = places.get(n) {
                self.place(*slot, operand);
            } else if n < places.len() + args {
                let value = self.argument(n - places.len(), operand);
                // A placeholder keeps the count; the error was reported.
                let value = value.unwrap_or_else(|| self.func.constant(Type::I32, 0));
                self.func.insts[self.inst].args.push(value);
            } else if let Some(call) = self.successor(operand) {
                self.func.insts[self.inst].targets.push(call);
            }
        }
    }

    /// A special register or a variable.
    fn place(&mut self, slot: Slot, operand: &Operand<'_>) {
        match (slot, operand) {
            (Slot::SReg, Operand::Value(name)) => {
                let sreg = SReg::ALL.into_iter().find(|s| s.name() == name.text);
                if sreg.is_none() {
                    let message = format!("unknown special register `%{}`", name.text);
                    let known = SReg::ALL.iter().map(|s| s.name());
                    self.report.unknown(Code::K0505, *name, message, "%", known);
                }
                self.func.insts[self.inst].attrs.sreg = sreg;
            }
            (Slot::Var, Operand::Var(name)) => {
                self.func.insts[self.inst].attrs.var = self.var(*name);
            }
            (Slot::Var, other) => {
                let message = "a variable such as `$x` stands here";
                self.report.error(Code::K0504, other.span(), message);
            }
            (_, other) => {
                let message = "a special register such as `%tid.x` stands here";
                self.report.error(Code::K0504, other.span(), message);
            }
        }
    }

    fn var(&mut self, name: Name<'_>) -> Option<Var> {
        match self.scope.vars.get(name.text) {
            Some((var, _)) => *var,
            None => {
                let message = format!("unknown variable `${}`", name.text);
                let known = self.scope.vars.keys().copied();
                self.report.unknown(Code::K0505, name, message, "$", known);
                None
            }
        }
    }

    fn argument(&mut self, index: usize, operand: &Operand<'_>) -> Option<Value> {
        let data = &self.func.insts[self.inst];
        let ty = literal_type(self.func, data.op, &data.attrs, index);
        let rule = operand_rule(data.op, index);
        match (rule, operand) {
            (Some(Rule::Addr), Operand::Addr(base, offset, _)) => {
                if let Some(offset) = offset {
                    self.func.insts[self.inst].attrs.offset = self.offset(*offset);
                }
                self.value(ty, base)
            }
            (Some(Rule::Addr), other) => {
                let message = "a memory operand stands here";
                let diagnostic = Diagnostic::new(Code::K0504, message).at(other.span(), "");
                self.report
                    .push(diagnostic.help("write the address in brackets: `[%p]`, `[%p+16]`"));
                None
            }
            // The unknown variable was reported; it gives no type.
            (Some(Rule::VarTy), _) if ty.is_none() => None,
            (_, other) => self.value(ty, other),
        }
    }

    fn offset(&mut self, offset: Number<'_>) -> i32 {
        let bits = parse_literal(Type::I64, &offset.text()).map(|b| b as i64);
        match bits.map(i32::try_from) {
            Ok(Ok(offset)) => offset,
            _ => {
                let message = format!("`{}` is no offset: it does not fit 32 bits", offset.text());
                self.report.error(Code::K0504, offset.span, message);
                0
            }
        }
    }

    /// A value or a literal; `ty` is the type of a literal that does not state its own.
    fn value(&mut self, ty: Option<Type>, operand: &Operand<'_>) -> Option<Value> {
        match operand {
            Operand::Value(name) => match self.scope.values.get(name.text) {
                Some((value, _)) => *value,
                None => {
                    let message = format!("unknown value `%{}`", name.text);
                    let known = self.scope.values.keys().copied();
                    self.report.unknown(Code::K0505, *name, message, "%", known);
                    None
                }
            },
            Operand::Number(number) => self.literal(ty, &number.text(), number.span),
            Operand::Word(name) if matches!(name.text, "true" | "false") => {
                self.literal(ty, name.text, name.span)
            }
            Operand::Call(name, args, span) => match (Type::find(name.text), args.as_slice()) {
                (Some(ty), [Operand::Number(number)]) => {
                    self.literal(Some(ty), &number.text(), number.span)
                }
                (Some(ty), [Operand::Word(word)]) => self.literal(Some(ty), word.text, word.span),
                _ => self.not_a_value(*span, "a literal with its type is written `i32(5)`"),
            },
            Operand::Var(name) => {
                self.not_a_value(name.span, "`var.get` reads a variable, `var.set` writes it")
            }
            Operand::Addr(_, _, span) => self.not_a_value(
                *span,
                "brackets are for `ld`, `st` and other memory operations",
            ),
            Operand::Word(name) => self.not_a_value(
                name.span,
                "values begin with `%`; blocks stand behind branches",
            ),
        }
    }

    fn not_a_value(&mut self, span: Span, help: &str) -> Option<Value> {
        let diagnostic = Diagnostic::new(Code::K0504, "a value or a literal stands here");
        self.report.push(diagnostic.at(span, "").help(help));
        None
    }

    fn literal(&mut self, ty: Option<Type>, text: &str, span: Span) -> Option<Value> {
        let Some(ty) = ty else {
            let diagnostic = Diagnostic::new(Code::K0504, "this literal must state its type");
            let help = format!("write it so: `ptr.global({text})`");
            self.report.push(diagnostic.at(span, "").help(help));
            return None;
        };
        match parse_literal(ty, text) {
            Ok(bits) => Some(self.func.constant(ty, bits)),
            Err(error) => {
                let diagnostic = Diagnostic::new(Code::K0504, format!("`{text}` is no `{ty}`"));
                let diagnostic = diagnostic.at(span, "");
                self.report.push(match literal_help(ty, error) {
                    Some(help) => diagnostic.help(help),
                    None => diagnostic,
                });
                None
            }
        }
    }

    fn successor(&mut self, operand: &Operand<'_>) -> Option<BlockCall> {
        let (label, args): (Name<'_>, &[Operand<'_>]) = match operand {
            Operand::Word(label) => (*label, &[]),
            Operand::Call(label, args, _) => (*label, args),
            Operand::Value(_) | Operand::Var(_) | Operand::Number(_) | Operand::Addr(..) => {
                let message = "the label of a block stands here";
                self.report.error(Code::K0504, operand.span(), message);
                return None;
            }
        };
        let Some(&(block, place)) = self.scope.blocks.get(label.text) else {
            let message = format!("unknown block `{}`", label.text);
            let known = self.scope.blocks.keys().copied();
            self.report.unknown(Code::K0505, label, message, "", known);
            return None;
        };
        let params = self.func.blocks[block].params.clone();
        if params.len() != args.len() {
            let takes = counted(params.len(), "argument");
            let message = format!("block `{}` takes {takes}, not {}", label.text, args.len());
            let diagnostic = Diagnostic::new(Code::K0504, message).at(operand.span(), "");
            self.report.push(diagnostic.also(place, "defined here"));
            return None;
        }
        let values = params.iter().zip(args).map(|(param, arg)| {
            let ty = self.func.ty(*param);
            self.value(Some(ty), arg)
        });
        let args: Option<SmallVec<[Value; 2]>> = values.collect();
        args.map(|args| BlockCall { block, args })
    }
}

/// Whether a slot is an operand.
fn is_place(slot: Slot) -> bool {
    matches!(slot, Slot::SReg | Slot::Var)
}

fn literal_help(ty: Type, error: LiteralError) -> Option<String> {
    match (ty, error) {
        (Type::Pred, _) => Some("a predicate is `true` or `false`".to_string()),
        (Type::F16 | Type::Bf16 | Type::F32 | Type::F64, LiteralError::Sort) => {
            Some("a float has a point or an exponent: `1.0`".to_string())
        }
        (Type::I8 | Type::I16 | Type::I32 | Type::I64, LiteralError::Range) => {
            let half = 1u128 << (ty.bits() - 1);
            Some(format!("`{ty}` holds -{half} to {}", 2 * half - 1))
        }
        _ => None,
    }
}
