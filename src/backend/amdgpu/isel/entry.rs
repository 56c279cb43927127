//! What a kernel finds at its start: arguments in the kernarg segment, ids in registers.

use super::Isel;
use super::bank::dwords_of;
use super::int::{ADD, AND, MUL, Shift};
use super::memory::part_of;
use super::operand::{Bank, Opd};
use crate::backend::mir::Pseudo;
use crate::ir::{Opcode, SReg, Type, Value};
use crate::isa::amdgpu::op;

/// Dwords of one load of arguments at most.
const MAX_LOAD: u32 = 4;

/// Values of the environment, in registers from the start of the kernel on.
#[derive(Default)]
pub(super) struct Environment {
    kernarg: Option<Opd>,
    workgroup: [Option<Opd>; 3],
    work_item: [Option<Opd>; 3],
    /// Block counts and group sizes as loaded: dword 0 to 3 and 4 of the hidden arguments.
    hidden: [Option<Opd>; 5],
}

impl Isel<'_> {
    /// Copies what the hardware provides out of its registers and loads the arguments used.
    pub(super) fn select_entry(&mut self) {
        let used = self.used_sregs();
        let mut copies = Vec::new();
        let pointer = self.new_reg(Bank::S, 2);
        copies.extend([pointer, Opd::Phys(self.abi.kernarg_ptr())]);
        self.env.kernarg = Some(pointer);
        for (dim, sreg) in [SReg::CtaidX, SReg::CtaidY, SReg::CtaidZ]
            .into_iter()
            .enumerate()
        {
            if let (true, Some(reg)) = (used.contains(&sreg), self.abi.workgroup_id(dim)) {
                let dst = self.new_reg(Bank::S, 1);
                copies.extend([dst, Opd::Phys(reg)]);
                self.env.workgroup[dim] = Some(dst);
            }
        }
        let warp = used.contains(&SReg::WarpId);
        let mut ids: Vec<(Opd, Opd)> = Vec::new();
        let mut fields = Vec::new();
        for (dim, sreg) in [SReg::TidX, SReg::TidY, SReg::TidZ].into_iter().enumerate() {
            if !warp && !used.contains(&sreg) {
                continue;
            }
            let (reg, field) = self.abi.work_item(dim as u8, self.desc);
            let from = Opd::Phys(reg);
            let copied = match ids.iter().find(|(_, f)| *f == from) {
                Some((copied, _)) => *copied,
                None => {
                    let copied = self.new_reg(Bank::V, 1);
                    copies.extend([copied, from]);
                    ids.push((copied, from));
                    copied
                }
            };
            fields.push((dim, copied, field));
        }
        self.pseudo(Pseudo::ParallelCopy, &copies);
        for (dim, packed, field) in fields {
            self.env.work_item[dim] = Some(self.unpack_id(packed, field));
        }
        self.load_arguments();
        self.load_hidden(&used);
    }

    fn unpack_id(&mut self, packed: Opd, field: Option<u8>) -> Opd {
        match field {
            None => packed,
            Some(0) => self.bin(Bank::V, AND, packed, Opd::Const(0x3ff)),
            Some(lo) => {
                let (offset, width) = (Opd::Const(u64::from(lo)), Opd::Const(10));
                self.valu(op::V_BFE_U32, &[packed, offset, width])
            }
        }
    }

    fn used_sregs(&self) -> Vec<SReg> {
        let insts = self
            .func
            .layout
            .iter()
            .flat_map(|b| &self.func.blocks[*b].insts);
        insts
            .map(|i| &self.func.insts[*i])
            .filter(|d| d.op == Opcode::SReg)
            .filter_map(|d| d.attrs.sreg)
            .collect()
    }

    /// Loads the dwords of all used arguments, neighbours together.
    fn load_arguments(&mut self) {
        let used = self.used_arguments();
        let mut pending: Vec<(u32, u32, usize)> = Vec::new();
        for (n, arg) in self.abi.args.iter().enumerate() {
            if used.get(n) == Some(&true) {
                let first = arg.offset / 4;
                let dwords = (arg.offset + arg.size).div_ceil(4) - first;
                pending.push((first, dwords, n));
            }
        }
        let mut rest = pending.as_slice();
        while !rest.is_empty() {
            let count = group_length(rest);
            let (group, behind) = rest.split_at(count);
            self.load_group(group);
            rest = behind;
        }
    }

    fn load_group(&mut self, group: &[(u32, u32, usize)]) {
        let (Some(pointer), Some(&(first, _, _))) = (self.env.kernarg, group.first()) else {
            return;
        };
        let end = group.iter().map(|g| g.0 + g.1).max().unwrap_or(first);
        let dwords = end - first;
        if let Some(param) = group.first().and_then(|g| self.func.params.get(g.2)) {
            self.span = param.span;
        }
        let loaded = self.smem_load(pointer, (first * 4) as i32, dwords as u8);
        let names: Vec<_> = group
            .iter()
            .map(|g| self.abi.args[g.2].name.clone())
            .collect();
        self.name_reg(loaded, &names.join(", "));
        for &(start, _, n) in group {
            let param = &self.func.params[n];
            let (value, ty) = (param.value, param.ty);
            let part = part_of(loaded, (start - first) as u8, dwords_of(ty));
            let part = self.sub_dword(part, self.abi.args[n].offset, ty);
            self.values.insert(value, part);
        }
    }

    /// A parameter below 32 bits moved to the low end of its register.
    fn sub_dword(&mut self, dword: Opd, offset: u32, ty: Type) -> Opd {
        let shift = offset % 4 * 8;
        if ty.bits() >= 32 {
            return dword;
        }
        let low = match shift {
            0 => dword,
            _ => {
                let count = Opd::Const(u64::from(shift));
                self.shift_raw(Bank::S, 32, Shift::Logical, dword, count)
            }
        };
        match ty {
            Type::Pred => self.bin(Bank::S, AND, low, Opd::Const(1)),
            _ => low,
        }
    }

    fn used_arguments(&self) -> Vec<bool> {
        let mut used = vec![false; self.func.params.len()];
        let mut mark = |v: Value| {
            if let crate::ir::ValueDef::Arg(n) = self.func.values[v].def
                && let Some(slot) = used.get_mut(n as usize)
            {
                *slot = true;
            }
        };
        for block in &self.func.layout {
            for inst in &self.func.blocks[*block].insts {
                let data = &self.func.insts[*inst];
                data.args.iter().for_each(|v| mark(*v));
                data.targets
                    .iter()
                    .flat_map(|t| &t.args)
                    .for_each(|v| mark(*v));
            }
        }
        used
    }

    fn load_hidden(&mut self, used: &[SReg]) {
        let (Some(base), Some(pointer)) = (self.abi.hidden_offset, self.env.kernarg) else {
            return;
        };
        let warp = used.contains(&SReg::WarpId);
        let wanted = [
            used.contains(&SReg::NctaidX),
            used.contains(&SReg::NctaidY),
            used.contains(&SReg::NctaidZ),
            used.contains(&SReg::NtidX) || used.contains(&SReg::NtidY) || warp,
            used.contains(&SReg::NtidZ),
        ];
        for (n, wanted) in wanted.into_iter().enumerate() {
            if wanted {
                let loaded = self.smem_load(pointer, base as i32 + n as i32 * 4, 1);
                self.env.hidden[n] = Some(loaded);
            }
        }
    }

    /// `sreg`.
    pub(super) fn special(&mut self, sreg: SReg) -> Opd {
        let known = |o: Option<Opd>| o.unwrap_or(Opd::Const(0));
        match sreg {
            SReg::TidX => known(self.env.work_item[0]),
            SReg::TidY => known(self.env.work_item[1]),
            SReg::TidZ => known(self.env.work_item[2]),
            SReg::CtaidX => known(self.env.workgroup[0]),
            SReg::CtaidY => known(self.env.workgroup[1]),
            SReg::CtaidZ => known(self.env.workgroup[2]),
            SReg::NctaidX => known(self.env.hidden[0]),
            SReg::NctaidY => known(self.env.hidden[1]),
            SReg::NctaidZ => known(self.env.hidden[2]),
            SReg::NtidX => self.half(self.env.hidden[3], 0),
            SReg::NtidY => self.half(self.env.hidden[3], 1),
            SReg::NtidZ => self.half(self.env.hidden[4], 0),
            SReg::WarpSize => Opd::Const(u64::from(self.desc.wave)),
            SReg::LaneId => {
                let low = self.valu(
                    op::V_MBCNT_LO_U32_B32,
                    &[Opd::Const(u32::MAX.into()), Opd::Const(0)],
                );
                self.valu(op::V_MBCNT_HI_U32_B32, &[Opd::Const(u32::MAX.into()), low])
            }
            SReg::WarpId => {
                let [x, y, z] = self.env.work_item.map(known);
                let (nx, ny) = (
                    self.half(self.env.hidden[3], 0),
                    self.half(self.env.hidden[3], 1),
                );
                let row = self.bin(Bank::V, MUL, z, ny);
                let row = self.bin(Bank::V, ADD, row, y);
                let flat = self.bin(Bank::V, MUL, row, nx);
                let flat = self.bin(Bank::V, ADD, flat, x);
                let shift = Opd::Const(u64::from(self.desc.wave.trailing_zeros()));
                self.shift_raw(Bank::V, 32, Shift::Logical, flat, shift)
            }
        }
    }

    /// A 16-bit half of a hidden argument's dword.
    fn half(&mut self, dword: Option<Opd>, half: u8) -> Opd {
        let Some(dword) = dword else {
            return Opd::Const(0);
        };
        match half {
            0 => self.bin(Bank::S, AND, dword, Opd::Const(0xffff)),
            _ => self.shift_raw(Bank::S, 32, Shift::Logical, dword, Opd::Const(16)),
        }
    }
}

/// How many of the arguments (first dword, dwords, number) one load fetches: neighbours that
/// together have a size that a load has, and whose pairs start even in the loaded tuple. Nothing
/// beyond the arguments is read.
fn group_length(args: &[(u32, u32, usize)]) -> usize {
    let first = args[0].0;
    let mut end = first;
    let mut best = 1;
    for (n, &(start, dwords, _)) in args.iter().enumerate() {
        let misaligned = dwords > 1 && !(start - first).is_multiple_of(2);
        if (n > 0 && start > end) || misaligned || start + dwords - first > MAX_LOAD {
            break;
        }
        end = end.max(start + dwords);
        if (end - first).is_power_of_two() {
            best = n + 1;
        }
    }
    best
}
