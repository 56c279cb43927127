//! Emits machine instructions and makes their operands legal.
//!
//! Rows say everything that is needed: how many operands of which kind, which argument of the
//! micro-operation each feeds (`v_lshlrev` takes the count first, its row says so), and which
//! encodings exist. The rules applied here are the constant bus (at most so many different scalar
//! values a vector instruction), literals (never in VOP3 on GFX9), and vector registers where an
//! encoding has no room for anything else.

use smallvec::SmallVec;

use super::Isel;
use super::operand::{Bank, Opd};
use crate::backend::mir::{MInst, MOp, MOperand, Pseudo, VRegData};
use crate::backend::target::Features;
use crate::isa::amdgpu::{Encoding, op, regs};
use crate::isa::{Accepts, Form, Mods, OpType, OperandSpec, RegFile, Role, RowId, Uop};

/// Modifiers that negate sources by mask.
pub(super) fn neg(mask: u8) -> Mods {
    Mods {
        neg: mask,
        ..Mods::default()
    }
}

impl Isel<'_> {
    /// A new virtual register.
    pub(super) fn new_reg(&mut self, bank: Bank, dwords: u8) -> Opd {
        let (file, pair_align) = match bank {
            Bank::S => (RegFile::Sgpr, self.desc.sgpr.tuple_align),
            Bank::V => (RegFile::Vgpr, self.desc.vgpr.tuple_align),
        };
        // Scalar tuples of four and more start at a multiple of four.
        let align = match (bank, dwords) {
            (_, 0 | 1) => 1,
            (Bank::S, 3..) => 4,
            _ => pair_align,
        };
        let reg = self.mf.add_vreg(VRegData {
            file,
            dwords,
            align,
            name: None,
            span: self.span,
            no_spill: false,
        });
        Opd::Reg {
            reg,
            first: 0,
            count: dwords,
            bank,
        }
    }

    /// Appends an instruction.
    pub(super) fn push(&mut self, op: MOp, operands: SmallVec<[MOperand; 5]>, mods: Mods) {
        let span = self.span;
        let block = self.mblock;
        self.mf.block_mut(block).insts.push(MInst {
            op,
            operands,
            mods,
            span,
        });
    }

    /// Appends a pseudo over registers; constants must have been moved before.
    pub(super) fn pseudo(&mut self, pseudo: Pseudo, operands: &[Opd]) {
        let operands = operands
            .iter()
            .map(|o| o.register().unwrap_or(MOperand::Imm(0)))
            .collect();
        self.push(MOp::Pseudo(pseudo), operands, Mods::default());
    }

    /// A copy of a register to another one of the same size.
    pub(super) fn copy(&mut self, dst: Opd, src: Opd) {
        self.pseudo(Pseudo::Copy, &[dst, src]);
    }

    fn specs(&self, row: RowId, form: Form) -> &'static [OperandSpec] {
        self.isa.row(row).operands(form)
    }

    /// Whether the row's own encoding has room for a literal.
    fn base_has_literal(&self, row: RowId) -> bool {
        match self.isa.row(row).desc.encoding {
            Encoding::VOP1 | Encoding::VOP2 | Encoding::VOPC => true,
            _ => self.desc.features.has(Features::VOP3_LITERAL),
        }
    }

    /// Emits a row with all operands legal. `defs` and `args` are by argument number.
    pub(super) fn emit(&mut self, row: RowId, form: Form, defs: &[Opd], args: &[Opd], mods: Mods) {
        let mut operands = SmallVec::new();
        for spec in self.specs(row, form) {
            let value = match spec.role {
                Role::Def => defs.get(usize::from(spec.arg)),
                Role::Use | Role::UseDef => args.get(usize::from(spec.arg)),
            };
            operands.push(value.map_or(MOperand::Off, |v| encode_operand(*v, spec)));
        }
        self.push(MOp::Row(row, form), operands, mods);
    }

    // Scalar instructions

    /// A scalar instruction with a result.
    pub(super) fn salu(&mut self, row: RowId, args: &[Opd]) -> Opd {
        let dwords = self.result_dwords(row, Form::Base);
        let dst = self.new_reg(Bank::S, dwords);
        self.salu_into(row, &[dst], args);
        dst
    }

    /// A scalar instruction into given registers, none for comparisons.
    pub(super) fn salu_into(&mut self, row: RowId, defs: &[Opd], args: &[Opd]) {
        let mut args: SmallVec<[Opd; 4]> = args.into();
        let mut literal = None;
        for spec in self.specs(row, Form::Base) {
            if spec.role == Role::Def {
                continue;
            }
            let Some(&arg) = args.get(usize::from(spec.arg)) else {
                continue;
            };
            let legal = match arg {
                Opd::Const(bits) if inline(bits, spec.ty).is_some() => arg,
                Opd::Const(bits) if spec.ty.dwords() == 1 && literal.is_none_or(|l| l == bits) => {
                    literal = Some(bits);
                    arg
                }
                Opd::Const(bits) => self.scalar_const(bits, spec.ty.dwords()),
                _ => self.scalar_of(arg),
            };
            args[usize::from(spec.arg)] = legal;
        }
        self.emit(row, Form::Base, defs, &args, Mods::default());
    }

    /// A constant in scalar registers.
    pub(super) fn scalar_const(&mut self, bits: u64, dwords: u8) -> Opd {
        let dst = self.new_reg(Bank::S, dwords);
        self.set_const(dst, bits, dwords);
        dst
    }

    /// Writes a constant to a register of one or two dwords.
    pub(super) fn set_const(&mut self, dst: Opd, bits: u64, dwords: u8) {
        let (one, two) = match dst.is_vector() {
            true => (op::V_MOV_B32, None),
            false => (op::S_MOV_B32, Some(op::S_MOV_B64)),
        };
        match (dwords, two) {
            (1, _) => self.emit(
                one,
                Form::Base,
                &[dst],
                &[Opd::Const(bits)],
                Mods::default(),
            ),
            (_, Some(row)) if inline(bits, OpType::B64).is_some() => {
                self.emit(
                    row,
                    Form::Base,
                    &[dst],
                    &[Opd::Const(bits)],
                    Mods::default(),
                );
            }
            _ => {
                self.start_parts(dst);
                for n in 0..dwords {
                    let part = Opd::Const(bits).dword(n);
                    self.emit(one, Form::Base, &[dst.dword(n)], &[part], Mods::default());
                }
            }
        }
    }

    /// Opens the live range of a tuple that is written in parts.
    pub(super) fn start_parts(&mut self, dst: Opd) {
        self.pseudo(Pseudo::ImplicitDef, &[dst]);
    }

    /// The value in scalar registers. A vector register must hold the same in all lanes.
    pub(super) fn scalar_of(&mut self, value: Opd) -> Opd {
        if !value.is_vector() {
            return value;
        }
        let count = width(value);
        let dst = self.new_reg(Bank::S, count);
        if count > 1 {
            self.start_parts(dst);
        }
        for n in 0..count {
            let (part, from) = (dst.dword(n), value.dword(n));
            self.emit(
                op::V_READFIRSTLANE_B32,
                Form::Base,
                &[part],
                &[from],
                Mods::default(),
            );
        }
        dst
    }

    // Vector instructions

    /// A vector instruction with a result in vector registers.
    pub(super) fn valu(&mut self, row: RowId, args: &[Opd]) -> Opd {
        self.valu_mods(row, args, Mods::default())
    }

    /// The same with modifiers; those need the VOP3 encoding.
    pub(super) fn valu_mods(&mut self, row: RowId, args: &[Opd], mods: Mods) -> Opd {
        let dwords = self.result_dwords(row, Form::Base);
        let dst = self.new_reg(Bank::V, dwords);
        self.valu_into(row, &[dst], args, mods);
        dst
    }

    /// A vector instruction into given registers, in the shortest encoding that fits.
    pub(super) fn valu_into(&mut self, row: RowId, defs: &[Opd], args: &[Opd], mods: Mods) {
        let has_e64 = self.isa.row(row).form(Form::E64).is_some();
        let plain = mods == Mods::default();
        if !has_e64 || plain {
            if self.fits(row, args) {
                return self.emit(row, Form::Base, defs, args, mods);
            }
            if let (true, [a, b]) = (commutes(self.isa.row(row).semantics().uop), args)
                && self.fits(row, &[*b, *a])
            {
                return self.emit(row, Form::Base, defs, &[*b, *a], mods);
            }
        }
        let form = if has_e64 { Form::E64 } else { Form::Base };
        let args = self.legal_args(row, form, args);
        self.emit(row, form, defs, &args, mods);
    }

    /// A vector instruction whose mask operands are any scalar pair (VOP3 encoding).
    pub(super) fn valu_masked(&mut self, row: RowId, defs: &[Opd], args: &[Opd]) {
        let has_e64 = self.isa.row(row).form(Form::E64).is_some();
        let form = if has_e64 { Form::E64 } else { Form::Base };
        let args = self.legal_args(row, form, args);
        self.emit(row, form, defs, &args, Mods::default());
    }

    /// A comparison into a new lane mask.
    pub(super) fn vcmp(&mut self, row: RowId, a: Opd, b: Opd) -> Opd {
        let mask = self.new_reg(Bank::S, 2);
        self.valu_masked(row, &[mask], &[a, b]);
        mask
    }

    /// Whether the row's own encoding takes the operands as they are.
    fn fits(&self, row: RowId, args: &[Opd]) -> bool {
        let literal_ok = self.base_has_literal(row);
        let mut bus = Bus::new(self.desc.constant_bus);
        for spec in self.specs(row, Form::Base) {
            if spec.role == Role::Def {
                if spec.accepts == Accepts::Vcc {
                    return false;
                }
                continue;
            }
            let Some(&arg) = args.get(usize::from(spec.arg)) else {
                continue;
            };
            let ok = match spec.accepts {
                Accepts::Vgpr => arg.is_vector(),
                Accepts::Vcc => false,
                _ => match arg {
                    Opd::Const(bits) if inline(bits, spec.ty).is_some() => true,
                    Opd::Const(_) => literal_ok && spec.ty.dwords() == 1 && bus.take(arg),
                    _ => arg.is_vector() || bus.take(arg),
                },
            };
            if !ok {
                return false;
            }
        }
        true
    }

    /// Operands for the VOP3 encoding: what it cannot hold is moved to a register.
    fn legal_args(&mut self, row: RowId, form: Form, args: &[Opd]) -> SmallVec<[Opd; 4]> {
        let mut args: SmallVec<[Opd; 4]> = args.into();
        let mut bus = Bus::new(self.desc.constant_bus);
        let specs = self.specs(row, form);
        // Scalar registers that can stand nowhere else first: masks.
        for spec in specs.iter().filter(|s| s.role != Role::Def) {
            if let (Accepts::Sgpr, Some(arg)) = (spec.accepts, args.get(usize::from(spec.arg))) {
                bus.take(*arg);
            }
        }
        for spec in specs.iter().filter(|s| s.role != Role::Def) {
            let n = usize::from(spec.arg);
            let Some(&arg) = args.get(n) else { continue };
            args[n] = match (spec.accepts, arg) {
                (Accepts::Vgpr, _) => self.vector_of(arg, spec.ty.dwords()),
                (Accepts::Src, Opd::Const(bits)) if inline(bits, spec.ty).is_some() => arg,
                (Accepts::Src, Opd::Const(bits)) if bus.has_room() => {
                    let reg = self.scalar_const(bits, spec.ty.dwords());
                    bus.take(reg);
                    reg
                }
                (Accepts::Src, _) if arg.is_scalar() && bus.take(arg) => arg,
                (Accepts::Src, _) => self.vector_of(arg, spec.ty.dwords()),
                _ => arg,
            };
        }
        args
    }

    /// The value in vector registers.
    pub(super) fn vector_of(&mut self, value: Opd, dwords: u8) -> Opd {
        if value.is_vector() {
            return value;
        }
        let dst = self.new_reg(Bank::V, dwords);
        match value {
            Opd::Const(bits) => self.set_const(dst, bits, dwords),
            Opd::Reg { .. } | Opd::Phys(_) => self.copy(dst, value),
        }
        dst
    }

    /// The value in the registers of `bank`; constants are materialised.
    pub(super) fn in_bank(&mut self, value: Opd, bank: Bank, dwords: u8) -> Opd {
        match (bank, value) {
            (Bank::V, _) => self.vector_of(value, dwords),
            (Bank::S, Opd::Const(bits)) => self.scalar_const(bits, dwords),
            (Bank::S, _) => self.scalar_of(value),
        }
    }

    /// A pair from two dwords.
    pub(super) fn pair(&mut self, bank: Bank, lo: Opd, hi: Opd) -> Opd {
        let dst = self.new_reg(bank, 2);
        self.start_parts(dst);
        for (n, part) in [lo, hi].into_iter().enumerate() {
            let to = dst.dword(n as u8);
            match part {
                Opd::Const(bits) => self.set_const(to, bits, 1),
                _ if bank == Bank::S && part.is_vector() => {
                    let scalar = self.scalar_of(part);
                    self.copy(to, scalar);
                }
                _ => self.copy(to, part),
            }
        }
        dst
    }

    fn result_dwords(&self, row: RowId, form: Form) -> u8 {
        let specs = self.specs(row, form);
        let def = specs.iter().find(|s| s.role != Role::Use && s.arg == 0);
        def.map_or(1, |s| s.ty.dwords())
    }
}

/// Dwords of a register operand.
pub(super) fn width(value: Opd) -> u8 {
    match value {
        Opd::Const(_) => 1,
        Opd::Reg { count, .. } => count,
        Opd::Phys(reg) => reg.count,
    }
}

fn inline(bits: u64, ty: OpType) -> Option<u8> {
    regs::inline_for(bits, ty)
}

fn encode_operand(value: Opd, spec: &OperandSpec) -> MOperand {
    match (value, spec.accepts) {
        (Opd::Const(bits), Accepts::Ssrc | Accepts::Src | Accepts::LaneSel) => {
            match inline(bits, spec.ty) {
                Some(code) => MOperand::Inline(code),
                None => MOperand::Literal(bits as u32),
            }
        }
        (Opd::Const(bits), Accepts::Literal) => MOperand::Literal(bits as u32),
        (Opd::Const(bits), _) => MOperand::Imm(bits as i64),
        (
            Opd::Reg {
                reg, first, count, ..
            },
            _,
        ) => MOperand::VReg { reg, first, count },
        (Opd::Phys(reg), _) => MOperand::Phys(reg),
    }
}

/// The different scalar values that a vector instruction reads.
struct Bus {
    limit: usize,
    taken: SmallVec<[Opd; 2]>,
}

impl Bus {
    fn new(limit: usize) -> Bus {
        Bus {
            limit,
            taken: SmallVec::new(),
        }
    }

    fn has_room(&self) -> bool {
        self.taken.len() < self.limit
    }

    fn take(&mut self, value: Opd) -> bool {
        if self.taken.contains(&value) {
            return true;
        }
        let room = self.has_room();
        if room {
            self.taken.push(value);
        }
        room
    }
}

/// Whether the first two arguments may be exchanged.
fn commutes(uop: Uop) -> bool {
    matches!(
        uop,
        Uop::Add(_)
            | Uop::And(_)
            | Uop::Or(_)
            | Uop::Xor(_)
            | Uop::Min(_)
            | Uop::Max(_)
            | Uop::MulLo(_)
            | Uop::MulHi(_)
            | Uop::FAdd(_)
            | Uop::FMul(_)
    )
}
