//! A kernel in machine form.
//!
//! After divergence lowering a block has two kinds of successors. Logical edges say where a lane
//! goes: vector registers live along them. Linear edges say where the wave goes: scalar registers
//! and EXEC live along them. Before it, the linear edges are empty and the logical terminator ends
//! the block.

use super::inst::{MBlock, MInst, Slot, VReg, VRegData};

/// How far lowering has come. The verifier checks what each stage promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Stage {
    /// Selected: rows over virtual registers, logical terminators, logical edges only.
    #[default]
    Selected,
    /// Divergence lowered: EXEC code inserted, machine branches, both kinds of edges.
    Linear,
    /// Allocated: machine registers only.
    Allocated,
    /// Waits and hazard nops inserted: can be encoded.
    Final,
}

/// A block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MBlockData {
    /// Instructions.
    pub insts: Vec<MInst>,
    /// Where lanes go.
    pub logical_succs: Vec<MBlock>,
    /// Where the wave goes.
    pub linear_succs: Vec<MBlock>,
    /// Label of the VISA block, for listings.
    pub name: Option<String>,
}

/// A spill slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotData {
    /// Dwords.
    pub dwords: u8,
    /// The spilled register, for the report.
    pub reg: VReg,
}

/// A kernel in machine form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MFunction {
    /// Kernel name.
    pub name: String,
    /// Stage.
    pub stage: Stage,
    /// Blocks by index.
    pub blocks: Vec<MBlockData>,
    /// Order in the machine code; the first is the entry.
    pub layout: Vec<MBlock>,
    /// Virtual registers by index.
    pub vregs: Vec<VRegData>,
    /// Spill slots by index.
    pub slots: Vec<SlotData>,
    /// Bytes of scratch a lane, once slots have homes.
    pub frame_bytes: u32,
}

impl MFunction {
    /// Adds a virtual register.
    pub fn add_vreg(&mut self, data: VRegData) -> VReg {
        self.vregs.push(data);
        VReg(self.vregs.len() as u32 - 1)
    }

    /// Adds an empty block at the end of the layout.
    pub fn add_block(&mut self, name: Option<String>) -> MBlock {
        let block = MBlock(self.blocks.len() as u32);
        self.blocks.push(MBlockData {
            name,
            ..MBlockData::default()
        });
        self.layout.push(block);
        block
    }

    /// The data of a block.
    pub fn block(&self, block: MBlock) -> &MBlockData {
        &self.blocks[block.0 as usize]
    }

    /// The data of a block.
    pub fn block_mut(&mut self, block: MBlock) -> &mut MBlockData {
        &mut self.blocks[block.0 as usize]
    }

    /// The data of a virtual register.
    pub fn vreg(&self, reg: VReg) -> &VRegData {
        &self.vregs[reg.0 as usize]
    }

    /// The data of a slot.
    pub fn slot(&self, slot: Slot) -> &SlotData {
        &self.slots[slot.0 as usize]
    }
}
