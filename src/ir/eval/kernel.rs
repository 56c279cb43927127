//! Runs a kernel over a grid, lane after lane. Slow and plain on purpose.
//!
//! Lanes have no effect on each other yet, so each runs to its end; results equal those of a machine
//! as long as lanes do not race on memory. Blocks, waves and lanes run in ascending order.

use super::memory::Memory;
use super::scalar::evaluate;
use crate::diag::Span;
use crate::ir::entity::{Block, Entity, Inst, Value};
use crate::ir::func::{Function, Module, ValueDef};
use crate::ir::opcode::{Opcode, SReg};
use crate::ir::types::Type;

/// Shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Workgroups in x, y, z.
    pub grid: [u32; 3],
    /// Work-items of a workgroup in x, y, z.
    pub block: [u32; 3],
    /// Lanes of a wave.
    pub wave: u32,
    /// Instructions that one lane may execute.
    pub max_insts: Option<u64>,
}

/// What was executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// VISA instructions, summed over lanes.
    pub insts: u64,
    /// Lanes.
    pub lanes: u64,
}

/// Kinds of faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A memory access that is not allowed, with the reason.
    Memory(String),
    /// `trap`.
    Trap,
    /// `unreachable` was reached.
    Unreachable,
    /// The instruction limit.
    Limit(u64),
    /// The kernel or its arguments do not fit: a mistake of the caller.
    Call(String),
}

/// A fault of a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalFault {
    /// What happened.
    pub kind: FaultKind,
    /// Where in the source.
    pub span: Span,
    /// Workgroup.
    pub block: [u32; 3],
    /// Work-item in the workgroup.
    pub thread: [u32; 3],
}

struct Lane<'a> {
    func: &'a Function,
    values: Vec<u64>,
    vars: Vec<u64>,
    launch: &'a Launch,
    block: [u32; 3],
    thread: [u32; 3],
    executed: u64,
}

/// Runs a kernel. `args` are the bits of its VISA parameters in order.
pub fn run(
    module: &Module,
    kernel: &str,
    launch: &Launch,
    args: &[u64],
    memory: &mut dyn Memory,
) -> Result<Stats, EvalFault> {
    let call_error = |text: String| EvalFault {
        kind: FaultKind::Call(text),
        span: Span::NONE,
        block: [0; 3],
        thread: [0; 3],
    };
    let func = module.functions.iter().find(|f| f.name == kernel);
    let func = func.ok_or_else(|| call_error(format!("there is no kernel `{kernel}`")))?;
    if func.params.len() != args.len() {
        return Err(call_error(format!(
            "`{kernel}` takes {} parameters, not {}",
            func.params.len(),
            args.len()
        )));
    }
    let mut template = vec![0u64; func.values.len()];
    for (value, data) in func.values.iter() {
        if let ValueDef::Const(bits) = data.def {
            template[value.index()] = bits;
        }
    }
    for (param, bits) in func.params.iter().zip(args) {
        template[param.value.index()] = *bits;
    }
    let mut stats = Stats::default();
    for bz in 0..launch.grid[2] {
        for by in 0..launch.grid[1] {
            for bx in 0..launch.grid[0] {
                run_block(func, &template, launch, [bx, by, bz], memory, &mut stats)?;
            }
        }
    }
    Ok(stats)
}

fn run_block(
    func: &Function,
    template: &[u64],
    launch: &Launch,
    block: [u32; 3],
    memory: &mut dyn Memory,
    stats: &mut Stats,
) -> Result<(), EvalFault> {
    for tz in 0..launch.block[2] {
        for ty in 0..launch.block[1] {
            for tx in 0..launch.block[0] {
                let mut lane = Lane {
                    func,
                    values: template.to_vec(),
                    vars: vec![0; func.vars.len()],
                    launch,
                    block,
                    thread: [tx, ty, tz],
                    executed: 0,
                };
                lane.run(memory)?;
                stats.insts += lane.executed;
                stats.lanes += 1;
            }
        }
    }
    Ok(())
}

impl Lane<'_> {
    fn fault(&self, kind: FaultKind, inst: Inst) -> EvalFault {
        EvalFault {
            kind,
            span: self.func.insts[inst].span,
            block: self.block,
            thread: self.thread,
        }
    }

    fn get(&self, value: Value) -> u64 {
        self.values[value.index()]
    }

    fn run(&mut self, memory: &mut dyn Memory) -> Result<(), EvalFault> {
        let mut block = self.func.entry();
        loop {
            let mut next = None;
            for &inst in &self.func.blocks[block].insts {
                self.executed += 1;
                if let Some(limit) = self.launch.max_insts
                    && self.executed > limit
                {
                    return Err(self.fault(FaultKind::Limit(limit), inst));
                }
                next = self.step(inst, memory)?;
                if next.is_some() {
                    break;
                }
            }
            match next {
                Some(to) => block = to,
                None => return Ok(()),
            }
        }
    }

    /// Executes one instruction; the next block after a branch.
    fn step(&mut self, inst: Inst, memory: &mut dyn Memory) -> Result<Option<Block>, EvalFault> {
        let func = self.func;
        let data = &func.insts[inst];
        match data.op {
            Opcode::Br => return Ok(Some(self.jump(inst, 0))),
            Opcode::Brc => {
                let taken = usize::from(self.get(data.args[0]) == 0);
                return Ok(Some(self.jump(inst, taken)));
            }
            Opcode::Ret | Opcode::CvgBegin | Opcode::CvgEnd => {}
            Opcode::Trap => return Err(self.fault(FaultKind::Trap, inst)),
            Opcode::Unreachable => return Err(self.fault(FaultKind::Unreachable, inst)),
            Opcode::VarGet => {
                let var = data.attrs.var.map_or(0, Entity::index);
                self.values[data.results[0].index()] = self.vars[var];
            }
            Opcode::VarSet => {
                let var = data.attrs.var.map_or(0, Entity::index);
                self.vars[var] = self.get(data.args[0]);
            }
            Opcode::SReg => {
                let value = data.attrs.sreg.map_or(0, |s| self.sreg(s));
                self.values[data.results[0].index()] = u64::from(value);
            }
            Opcode::Ld | Opcode::St => self.access(inst, memory)?,
            _ => {
                let args: smallvec::SmallVec<[u64; 4]> =
                    data.args.iter().map(|a| self.get(*a)).collect();
                let width = data.args.first().map_or(0, |a| func.ty(*a).bits());
                let result = evaluate(data.op, &data.attrs, &args, width).ok_or_else(|| {
                    self.fault(
                        FaultKind::Call(format!("`{}` is malformed", data.op.name())),
                        inst,
                    )
                })?;
                self.values[data.results[0].index()] = result;
            }
        }
        Ok(None)
    }

    /// Passes a branch's arguments; all are read before any parameter is written.
    fn jump(&mut self, inst: Inst, target: usize) -> Block {
        let call = &self.func.insts[inst].targets[target];
        let args: smallvec::SmallVec<[u64; 8]> = call.args.iter().map(|a| self.get(*a)).collect();
        for (param, bits) in self.func.blocks[call.block].params.iter().zip(args) {
            self.values[param.index()] = bits;
        }
        call.block
    }

    fn access(&mut self, inst: Inst, memory: &mut dyn Memory) -> Result<(), EvalFault> {
        let func = self.func;
        let data = &func.insts[inst];
        let base = self
            .get(data.args[0])
            .wrapping_add_signed(i64::from(data.attrs.offset));
        let ty: Type = match data.op {
            Opcode::Ld => func.ty(data.results[0]),
            _ => func.ty(data.args[1]),
        };
        let size = ty.bytes();
        let count = u64::from(data.attrs.vec.max(1));
        let whole = u64::from(size) * count;
        if base % whole != 0 {
            let text = format!("address {base:#x} is not a multiple of {whole}");
            return Err(self.fault(FaultKind::Memory(text), inst));
        }
        for n in 0..count {
            let address = base.wrapping_add(n * u64::from(size));
            let outcome = if data.op == Opcode::Ld {
                memory.load(address, size).map(|bits| {
                    self.values[data.results[n as usize].index()] = bits;
                })
            } else {
                memory.store(address, size, self.get(data.args[1 + n as usize]))
            };
            outcome.map_err(|text| self.fault(FaultKind::Memory(text), inst))?;
        }
        Ok(())
    }

    fn sreg(&self, sreg: SReg) -> u32 {
        let [bx, by, _] = self.launch.block;
        let flat = self.thread[0] + bx * (self.thread[1] + by * self.thread[2]);
        match sreg {
            SReg::TidX => self.thread[0],
            SReg::TidY => self.thread[1],
            SReg::TidZ => self.thread[2],
            SReg::NtidX => self.launch.block[0],
            SReg::NtidY => self.launch.block[1],
            SReg::NtidZ => self.launch.block[2],
            SReg::CtaidX => self.block[0],
            SReg::CtaidY => self.block[1],
            SReg::CtaidZ => self.block[2],
            SReg::NctaidX => self.launch.grid[0],
            SReg::NctaidY => self.launch.grid[1],
            SReg::NctaidZ => self.launch.grid[2],
            SReg::LaneId => flat % self.launch.wave,
            SReg::WarpId => flat / self.launch.wave,
            SReg::WarpSize => self.launch.wave,
        }
    }
}
