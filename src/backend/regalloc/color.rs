//! Interference and colouring.
//!
//! Two registers of one file interfere where one is written while the other is live. Registers are
//! coloured in descending order of spill weight (uses, each counted ten times a loop around it, over
//! the length of the live range); each takes the lowest free place of its size and alignment, or the
//! place of a register that it is copied to or from. What finds no place is spilled by the caller,
//! and all is tried again.

use std::collections::{HashMap, HashSet};

use super::bitset::BitSet;
use super::live::{Liveness, step_back};
use crate::backend::linear::loop_depths;
use crate::backend::mir::access::{Part, accesses, part};
use crate::backend::mir::{MFunction, MInst, MOp, MOperand, Pseudo, VReg};
use crate::isa::amdgpu::Isa;
use crate::isa::{Class, Reg, RegFile, Role};

/// Registers that the allocator may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Vector registers, from 0.
    pub vgprs: u16,
    /// Scalar registers, from 0.
    pub sgprs: u16,
}

impl Budget {
    fn of(self, file: RegFile) -> u16 {
        match file {
            RegFile::Vgpr => self.vgprs,
            RegFile::Sgpr => self.sgprs,
            RegFile::Agpr | RegFile::Scc => 0,
        }
    }
}

/// Facts for colouring.
struct Graph {
    edges: Vec<HashSet<u32>>,
    /// Cost of spilling, and points at which the register is live.
    cost: Vec<f64>,
    length: Vec<f64>,
    /// Registers joined by copies, with the offset of the other's first dword.
    hints: Vec<Vec<(u32, i32)>>,
    used: BitSet,
}

/// Places by virtual register, and those that found none.
pub struct Coloring {
    /// Place of each register.
    pub places: HashMap<VReg, Reg>,
    /// Registers to spill.
    pub failed: Vec<VReg>,
}

fn build(mf: &MFunction, isa: &Isa) -> Graph {
    let live = Liveness::compute(mf, isa);
    let count = mf.vregs.len();
    let succs: Vec<Vec<usize>> = mf
        .blocks
        .iter()
        .map(|b| b.linear_succs.iter().map(|s| s.0 as usize).collect())
        .collect();
    let depths = loop_depths(&succs);
    let mut graph = Graph {
        edges: vec![HashSet::new(); count],
        cost: vec![0.0; count],
        length: vec![1.0; count],
        hints: vec![Vec::new(); count],
        used: BitSet::new(count),
    };
    for &block in &mf.layout {
        let weight = 10f64.powi(depths[block.0 as usize].min(8) as i32);
        let mut now = live.live_out[block.0 as usize].clone();
        for inst in mf.block(block).insts.iter().rev() {
            graph.visit(mf, isa, inst, &mut now, weight);
        }
    }
    graph
}

impl Graph {
    fn visit(&mut self, mf: &MFunction, isa: &Isa, inst: &MInst, live: &mut BitSet, weight: f64) {
        let mut defs: Vec<VReg> = Vec::new();
        let mut uses: Vec<VReg> = Vec::new();
        for (part, role) in accesses(isa, inst) {
            let Part::Virtual { reg, .. } = part else {
                continue;
            };
            self.used.insert(reg.0 as usize);
            self.cost[reg.0 as usize] += weight;
            if role != Role::Use {
                defs.push(reg);
            }
            if role != Role::Def {
                uses.push(reg);
            }
        }
        let copies = self.copies(inst);
        for &def in &defs {
            let source = copies.iter().find(|(d, _)| *d == def).map(|(_, s)| *s);
            for other in live.iter() {
                if source != Some(VReg(other as u32)) {
                    self.add(mf, def, VReg(other as u32));
                }
            }
            defs.iter().for_each(|other| self.add(mf, def, *other));
        }
        // The address of a scalar load must survive until all its parts have arrived.
        if let MOp::Row(row, _) = inst.op
            && isa.row(row).semantics().class == Class::Smem
        {
            for &def in &defs {
                uses.iter().for_each(|used| self.add(mf, def, *used));
            }
        }
        step_back(isa, mf, inst, live);
        for reg in live.iter() {
            self.length[reg] += 1.0;
        }
    }

    /// The register pairs that an instruction copies; notes them as hints.
    fn copies(&mut self, inst: &MInst) -> Vec<(VReg, VReg)> {
        let pairs: &[MOperand] = match inst.op {
            MOp::Pseudo(Pseudo::Copy | Pseudo::ParallelCopy) => &inst.operands,
            MOp::Pseudo(_) | MOp::Row(..) => &[],
        };
        let mut out = Vec::new();
        for pair in pairs.chunks_exact(2) {
            if let (
                Some(Part::Virtual {
                    reg: d, first: fd, ..
                }),
                Some(Part::Virtual {
                    reg: s, first: fs, ..
                }),
            ) = (part(&pair[0]), part(&pair[1]))
            {
                let offset = i32::from(fs) - i32::from(fd);
                self.hints[d.0 as usize].push((s.0, offset));
                self.hints[s.0 as usize].push((d.0, -offset));
                out.push((d, s));
            }
        }
        out
    }

    fn add(&mut self, mf: &MFunction, a: VReg, b: VReg) {
        if a != b && mf.vreg(a).file == mf.vreg(b).file {
            self.edges[a.0 as usize].insert(b.0);
            self.edges[b.0 as usize].insert(a.0);
        }
    }
}

/// Colours all registers of a function.
pub fn color(mf: &MFunction, isa: &Isa, budget: Budget) -> Coloring {
    let graph = build(mf, isa);
    let weight = |n: usize| {
        if mf.vregs[n].no_spill {
            f64::INFINITY
        } else {
            graph.cost[n] / graph.length[n]
        }
    };
    let mut order: Vec<usize> = graph.used.iter().collect();
    order.sort_by(|&a, &b| {
        let by_weight = weight(b).total_cmp(&weight(a));
        by_weight
            .then(mf.vregs[b].dwords.cmp(&mf.vregs[a].dwords))
            .then(a.cmp(&b))
    });
    let mut coloring = Coloring {
        places: HashMap::new(),
        failed: Vec::new(),
    };
    for n in order {
        match place(mf, &graph, &coloring.places, n, budget) {
            Some(index) => {
                let data = &mf.vregs[n];
                let reg = Reg {
                    file: data.file,
                    index,
                    count: data.dwords,
                };
                coloring.places.insert(VReg(n as u32), reg);
            }
            None => coloring.failed.push(VReg(n as u32)),
        }
    }
    coloring
}

/// The lowest free place for a register, or that of a copy partner.
fn place(
    mf: &MFunction,
    graph: &Graph,
    places: &HashMap<VReg, Reg>,
    n: usize,
    budget: Budget,
) -> Option<u16> {
    let data = &mf.vregs[n];
    let limit = budget.of(data.file);
    let mut taken = vec![false; usize::from(limit)];
    for neighbour in &graph.edges[n] {
        if let Some(reg) = places.get(&VReg(*neighbour)) {
            for k in reg.index..(reg.index + u16::from(reg.count)).min(limit) {
                taken[usize::from(k)] = true;
            }
        }
    }
    let align = u16::from(data.align.max(1));
    let size = u16::from(data.dwords);
    let fits = |base: u16| {
        base.is_multiple_of(align)
            && base + size <= limit
            && !taken[usize::from(base)..usize::from(base + size)].contains(&true)
    };
    for (other, offset) in &graph.hints[n] {
        let other = VReg(*other);
        if mf.vreg(other).file != data.file {
            continue;
        }
        let base = places
            .get(&other)
            .and_then(|r| u16::try_from(i32::from(r.index) + offset).ok());
        if let Some(base) = base.filter(|b| fits(*b)) {
            return Some(base);
        }
    }
    (0..limit).find(|base| fits(*base))
}
