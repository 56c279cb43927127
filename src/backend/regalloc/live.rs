//! Liveness of virtual registers.
//!
//! Vector registers live along logical edges: a lane that waits keeps its values, since instructions
//! write active lanes only. Scalar registers live along linear edges: whatever runs in between may
//! overwrite them.

use super::bitset::BitSet;
use crate::backend::mir::access::{Part, accesses};
use crate::backend::mir::{MFunction, MInst};
use crate::isa::amdgpu::Isa;
use crate::isa::{RegFile, Role};

/// Whether registers of a file follow the lanes.
pub fn is_lanewise(file: RegFile) -> bool {
    matches!(file, RegFile::Vgpr | RegFile::Agpr)
}

/// Registers live behind each block, by block index.
#[derive(Clone, Debug)]
pub struct Liveness {
    /// Live at the end of a block.
    pub live_out: Vec<BitSet>,
}

/// Applies an instruction backward to a live set: what it defines whole dies, what it reads lives.
pub fn step_back(isa: &Isa, mf: &MFunction, inst: &MInst, live: &mut BitSet) {
    for (part, role) in accesses(isa, inst) {
        if let (
            Part::Virtual {
                reg,
                first: 0,
                count,
            },
            Role::Def,
        ) = (part, role)
            && count == mf.vreg(reg).dwords
        {
            live.remove(reg.0 as usize);
        }
    }
    for (part, role) in accesses(isa, inst) {
        if let (Part::Virtual { reg, .. }, Role::Use | Role::UseDef) = (part, role) {
            live.insert(reg.0 as usize);
        }
    }
}

impl Liveness {
    /// Computes liveness by iterating over the blocks backward until nothing changes.
    pub fn compute(mf: &MFunction, isa: &Isa) -> Liveness {
        let count = mf.vregs.len();
        let mut lanewise = BitSet::new(count);
        let mut wavewise = BitSet::new(count);
        for (n, data) in mf.vregs.iter().enumerate() {
            if is_lanewise(data.file) {
                &mut lanewise
            } else {
                &mut wavewise
            }
            .insert(n);
        }
        let mut live_in = vec![BitSet::new(count); mf.blocks.len()];
        let mut live_out = live_in.clone();
        let mut changed = true;
        while changed {
            changed = false;
            for &block in mf.layout.iter().rev() {
                let n = block.0 as usize;
                let data = mf.block(block);
                let mut out = live_out[n].clone();
                for (succs, files) in [
                    (&data.logical_succs, &lanewise),
                    (&data.linear_succs, &wavewise),
                ] {
                    for succ in succs {
                        for reg in live_in[succ.0 as usize].iter().filter(|r| files.has(*r)) {
                            out.insert(reg);
                        }
                    }
                }
                if live_out[n].union(&out) || live_in[n] == BitSet::new(count) {
                    for inst in data.insts.iter().rev() {
                        step_back(isa, mf, inst, &mut out);
                    }
                    changed |= live_in[n].union(&out);
                }
            }
        }
        Liveness { live_out }
    }
}
