//! What was executed.

use crate::isa::Class;

/// Instruction counts of a launch; sums over waves, so their order does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Waves.
    pub waves: u64,
    /// Wave instructions.
    pub insts: u64,
    /// Active lanes, summed over vector instructions.
    pub lanes: u64,
    /// Scalar ALU instructions.
    pub salu: u64,
    /// Vector ALU instructions.
    pub valu: u64,
    /// Scalar memory instructions.
    pub smem: u64,
    /// Vector memory instructions.
    pub vmem: u64,
    /// LDS instructions.
    pub lds: u64,
    /// Branches, waits and the rest.
    pub other: u64,
}

impl Counters {
    /// Counts an instruction.
    pub fn count(&mut self, class: Class, active: u32) {
        self.insts += 1;
        let (slot, vector) = match class {
            Class::Salu => (&mut self.salu, false),
            Class::Valu | Class::ValuSlow | Class::Trans | Class::Matrix => (&mut self.valu, true),
            Class::Smem => (&mut self.smem, false),
            Class::VmemLoad
            | Class::VmemStore
            | Class::VmemAtomic
            | Class::FlatLoad
            | Class::FlatStore
            | Class::FlatAtomic => (&mut self.vmem, true),
            Class::Lds => (&mut self.lds, true),
            Class::Branch | Class::Control | Class::Message => (&mut self.other, false),
        };
        *slot += 1;
        if vector {
            self.lanes += u64::from(active);
        }
    }

    /// Adds another launch's or worker's counts.
    pub fn add(&mut self, other: &Counters) {
        self.waves += other.waves;
        self.insts += other.insts;
        self.lanes += other.lanes;
        self.salu += other.salu;
        self.valu += other.valu;
        self.smem += other.smem;
        self.vmem += other.vmem;
        self.lds += other.lds;
        self.other += other.other;
    }
}
