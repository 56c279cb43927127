//! Attributes, operands and results against the opcode's row.

use super::Errors;
use crate::ir::builder::result_types;
use crate::ir::entity::{Inst, Value};
use crate::ir::func::{Attrs, Function, ValueDef};
use crate::ir::opcode::{Cmp, OpDesc, Opcode, Round, Rule, Slot};
use crate::ir::text::print::operand_rule;
use crate::ir::types::{Kind, Space, Type};

pub(super) fn verify(func: &Function, errors: &mut Errors<'_>) {
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            if let Err(message) = verify_inst(func, inst) {
                errors.add(Some(inst), message);
            }
        }
    }
}

fn verify_inst(func: &Function, inst: Inst) -> Result<(), String> {
    let data = &func.insts[inst];
    verify_attrs(data.op, &data.attrs)?;
    verify_args(func, data.op, &data.attrs, &data.args)?;
    let types = result_types(func, data.op, &data.attrs, &data.args)
        .ok_or("the result type does not follow from the operands")?;
    if types.len() != data.results.len() {
        return Err(format!(
            "{} results are needed, not {}",
            types.len(),
            data.results.len()
        ));
    }
    for (n, (ty, result)) in types.iter().zip(&data.results).enumerate() {
        let value = func.values.get(*result).ok_or("a result does not exist")?;
        // A load of a pointer states its type by its result.
        let pointers = value.ty.is_ptr() && ty.is_ptr();
        if value.ty != *ty && !pointers {
            return Err(format!("the result is `{ty}`, not `{}`", value.ty));
        }
        if value.def != ValueDef::Result(inst, n as u32) {
            return Err("a result is defined elsewhere".to_string());
        }
    }
    Ok(())
}

/// Checks the suffixes of an instruction: all that the slots need, and legal values.
pub fn verify_attrs(op: Opcode, attrs: &Attrs) -> Result<(), String> {
    let desc: &OpDesc = op.desc();
    let need = |slot: Slot, present: bool, what: &str| {
        if desc.has_slot(slot) && !present {
            Err(format!("`{}` needs {what}", desc.name))
        } else {
            Ok(())
        }
    };
    need(
        Slot::Kind,
        attrs.kind.is_some_and(|k| desc.kinds.has(k)),
        "a kind that it is defined for",
    )?;
    need(
        Slot::SrcKind,
        attrs.src_kind.is_some_and(|k| desc.src_kinds.has(k)),
        "a source kind that it is defined for",
    )?;
    need(Slot::Cmp, attrs.cmp.is_some(), "a comparison")?;
    need(
        Slot::Round,
        attrs.round.is_some_and(is_result_rounding),
        "a rounding: rn, rz, rm or rp",
    )?;
    need(Slot::Space, attrs.space.is_some(), "an address space")?;
    need(Slot::SReg, attrs.sreg.is_some(), "a special register")?;
    need(Slot::Var, attrs.var.is_some(), "a variable")?;
    if let (Some(cmp), Some(kind)) = (attrs.cmp, attrs.kind)
        && !kind.is_float()
        && !cmp.is_ordered_six()
    {
        return Err(format!("`{}` compares floats only", Cmp::name(cmp)));
    }
    if !matches!(attrs.vec, 0 | 1 | 2 | 4) {
        return Err("a vector has 2 or 4 elements".to_string());
    }
    if op == Opcode::Cvt {
        verify_cvt(attrs)?;
    }
    if op == Opcode::Bitcast && attrs.kind.map(Kind::bits) != attrs.src_kind.map(Kind::bits) {
        return Err("a bit cast keeps the width".to_string());
    }
    if attrs.kind.is_some_and(|k| op.canonical_kind(k) != k) {
        return Err("signedness does not matter here: the kind is unsigned".to_string());
    }
    if op == Opcode::SReg && attrs.kind != Some(Kind::U32) {
        return Err("special registers are read as `u32`".to_string());
    }
    if matches!(op, Opcode::Ld | Opcode::St) && attrs.vec > 1 && attrs.kind == Some(Kind::Ptr) {
        return Err("there are no vectors of pointers".to_string());
    }
    Ok(())
}

fn is_result_rounding(round: Round) -> bool {
    matches!(round, Round::Rn | Round::Rz | Round::Rm | Round::Rp)
}

fn verify_cvt(attrs: &Attrs) -> Result<(), String> {
    let (Some(to), Some(from)) = (attrs.kind, attrs.src_kind) else {
        return Ok(());
    };
    let wanted = crate::ir::builder::cvt_round(to, from);
    let fits = match (wanted, attrs.round) {
        (None, None) => true,
        // A float may be rounded to an integral value of its own kind.
        (None, Some(round)) => to == from && to.is_float() && !is_result_rounding(round),
        (Some(_), None) => false,
        (Some(w), Some(round)) => is_result_rounding(w) == is_result_rounding(round),
    };
    if fits {
        Ok(())
    } else {
        Err("this conversion needs another rounding".to_string())
    }
}

fn verify_args(func: &Function, op: Opcode, attrs: &Attrs, args: &[Value]) -> Result<(), String> {
    let rules = op.desc().args;
    let mut count = rules.len();
    if rules.last() == Some(&Rule::Vec) {
        count += usize::from(attrs.vec.max(1)) - 1;
    }
    if args.len() != count {
        return Err(format!(
            "`{}` takes {count} operands, not {}",
            op.name(),
            args.len()
        ));
    }
    let mut pointer: Option<Type> = None;
    for (n, arg) in args.iter().enumerate() {
        let ty = func.values.get(*arg).ok_or("an operand does not exist")?.ty;
        let rule = operand_rule(op, n).ok_or("too many operands")?;
        let want = match rule {
            Rule::K | Rule::Vec => match attrs.kind {
                Some(Kind::Ptr) if ty.is_ptr() => {
                    // All pointers of one instruction are of one space.
                    let first = *pointer.get_or_insert(ty);
                    if op == Opcode::St { ty } else { first }
                }
                other => other.map_or(ty, Kind::ty),
            },
            Rule::S => attrs.src_kind.map_or(ty, Kind::ty),
            Rule::Wide => attrs.kind.and_then(Kind::widened).map_or(ty, Kind::ty),
            Rule::Pred => Type::Pred,
            Rule::I32 => Type::I32,
            Rule::I64 => Type::I64,
            Rule::Ptr => {
                if ty.is_ptr() {
                    ty
                } else {
                    Type::Ptr(Space::Generic)
                }
            }
            Rule::Addr => Type::Ptr(attrs.space.unwrap_or(Space::Generic)),
            Rule::Cvg => Type::Cvg,
            Rule::VarTy => match attrs.var.and_then(|v| func.vars.get(v)) {
                Some(var) => var.ty,
                None => return Err("the variable does not exist".to_string()),
            },
        };
        if ty != want {
            return Err(format!("operand {} is `{want}`, not `{ty}`", n + 1));
        }
    }
    if op == Opcode::VarGet && attrs.var.and_then(|v| func.vars.get(v)).is_none() {
        return Err("the variable does not exist".to_string());
    }
    Ok(())
}
