//! Machine code, decoded once per address.

use std::collections::HashMap;
use std::sync::{Arc, RwLock};

use smallvec::SmallVec;

use super::memory::Memory;
use crate::isa::amdgpu::{Chip, Isa, Row, isa};
use crate::isa::{MachineInst, OperandSpec, Role, Semantics};

/// Arguments that a micro-operation has at most.
pub const ARGS: usize = 4;

/// A decoded instruction with its operands sorted by what they feed.
#[derive(Debug)]
pub struct Step {
    /// The instruction.
    pub inst: MachineInst,
    /// Its row.
    pub row: &'static Row,
    /// Operands of the form used.
    pub specs: &'static [OperandSpec],
    /// Meaning.
    pub sem: &'static Semantics,
    /// Bytes.
    pub size: u64,
    /// Operand that feeds each argument.
    pub args: [Option<u8>; ARGS],
    /// Written operands in order of their result number.
    pub dsts: SmallVec<[u8; 2]>,
}

/// The code of one launch.
#[derive(Debug)]
pub struct Program {
    isa: &'static Isa,
    cache: RwLock<HashMap<u64, Result<Arc<Step>, String>>>,
}

impl Program {
    /// The program of a chip; `None` where the chip's table does not exist yet.
    pub fn new(chip: Chip) -> Option<Program> {
        Some(Program {
            isa: isa(chip)?,
            cache: RwLock::new(HashMap::new()),
        })
    }

    /// The instruction set.
    pub fn isa(&self) -> &'static Isa {
        self.isa
    }

    /// The step at an address; the error says which bytes are no instruction.
    pub fn step(&self, memory: &Memory, pc: u64) -> Result<Arc<Step>, String> {
        if let Some(known) = self
            .cache
            .read()
            .unwrap_or_else(|e| e.into_inner())
            .get(&pc)
        {
            return known.clone();
        }
        let decoded = self.decode(memory, pc);
        self.cache
            .write()
            .unwrap_or_else(|e| e.into_inner())
            .insert(pc, decoded.clone());
        decoded
    }

    fn decode(&self, memory: &Memory, pc: u64) -> Result<Arc<Step>, String> {
        // An instruction has at most three dwords; near the end of the code fewer are there.
        let bytes: Vec<u8> = (0..3)
            .map_while(|n| memory.load(pc + n * 4, 4).ok())
            .flat_map(|w| (w as u32).to_le_bytes())
            .collect();
        let Some(first) = bytes.get(..4) else {
            return Err(format!("there is no code at {pc:#x}"));
        };
        let word = u32::from_le_bytes([first[0], first[1], first[2], first[3]]);
        let (inst, size) = self
            .isa
            .decode(&bytes)
            .map_err(|e| format!("{word:#010x} ({e})"))?;
        let row = self.isa.row(inst.row);
        let specs = row.operands(inst.form);
        let mut step = Step {
            row,
            specs,
            sem: row.semantics(),
            size: size as u64,
            args: [None; ARGS],
            dsts: SmallVec::new(),
            inst,
        };
        let mut results: Vec<(u8, u8)> = Vec::new();
        for (n, spec) in specs.iter().enumerate().take(step.inst.operands.len()) {
            if spec.role != Role::Def
                && let Some(slot) = step.args.get_mut(usize::from(spec.arg))
            {
                *slot = Some(n as u8);
            }
            if spec.role != Role::Use {
                let number = if spec.role == Role::Def {
                    spec.arg
                } else {
                    results.len() as u8
                };
                results.push((number, n as u8));
            }
        }
        results.sort();
        step.dsts = results.into_iter().map(|(_, n)| n).collect();
        Ok(Arc::new(step))
    }
}
