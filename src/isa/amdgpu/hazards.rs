//! Data hazards that software must resolve on GFX9: facts only.
//!
//! A row says that `states` wait states must lie between an instruction of the producer kind and one
//! of the consumer kind that touches the same register. An instruction in between is one state,
//! `s_nop n` is `n + 1`. The compiler inserts what is missing; the machine's hazard check finds it
//! missing; they share these rows and nothing else.

use super::row::Chip;

/// What the first instruction does. The register meant is the one it writes, unless the kind says
/// otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Producer {
    /// A vector ALU instruction writes a scalar register (VCC included).
    ValuWritesSgpr,
    /// A vector ALU instruction writes VCC.
    ValuWritesVcc,
    /// A vector ALU instruction writes EXEC.
    ValuWritesExec,
    /// A vector ALU instruction writes a vector register.
    ValuWritesVgpr,
    /// A transcendental instruction writes a vector register.
    TransWritesVgpr,
    /// A vector ALU instruction writes part of a vector register (SDWA destination, op_sel high).
    ValuWritesPart,
    /// A vector memory store of more than 64 bits; the registers are its data.
    WideStoreData,
    /// `s_setreg`.
    SetReg,
    /// A scalar ALU instruction writes M0.
    SaluWritesM0,
}

/// What the second instruction does with the register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Consumer {
    /// A vector memory instruction reads the scalar register.
    VmemReadsSgpr,
    /// A vector ALU instruction reads the scalar register.
    ValuReadsSgpr,
    /// `v_readlane` or `v_writelane` selects a lane by it.
    LaneSelect,
    /// `v_div_fmas` reads VCC.
    DivFmas,
    /// A DPP instruction reads the vector register.
    DppReadsVgpr,
    /// Any DPP instruction.
    AnyDpp,
    /// `v_readlane`, `v_readfirstlane` or `v_writelane`.
    AnyLaneAccess,
    /// `v_readlane` or `v_readfirstlane` reads the vector register.
    LaneAccessReadsVgpr,
    /// A vector ALU instruction that is not transcendental reads the vector register.
    NonTransReadsVgpr,
    /// A vector ALU instruction reads the vector register.
    ValuReadsVgpr,
    /// A vector ALU instruction writes the vector register.
    ValuWritesVgpr,
    /// `s_getreg` or `s_setreg`.
    AnyHwReg,
    /// An instruction that takes an argument from M0 (`s_movrel*`, `s_sendmsg`, LDS by thread id).
    ReadsM0,
}

/// A row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// First instruction.
    pub producer: Producer,
    /// Second instruction.
    pub consumer: Consumer,
    /// Wait states between them.
    pub states: u8,
    /// Chips that have it.
    pub chips: &'static [Chip],
}

const GFX9: &[Chip] = &[Chip::Gfx900, Chip::Gfx90a, Chip::Gfx942];
const GFX900_90A: &[Chip] = &[Chip::Gfx900, Chip::Gfx90a];
const GFX942: &[Chip] = &[Chip::Gfx942];

use Consumer as C;
use Producer as P;

/// The rows. Sources: AMD "Vega" ISA guide and "AMD Instinct MI200"/"MI300" ISA guides, chapter 4,
/// "Manually Inserted Wait States"; LLVM's GCNHazardRecognizer for the rows of gfx942 alone.
#[rustfmt::skip]
pub const HAZARDS: &[Hazard] = &[
    Hazard { producer: P::ValuWritesSgpr,  consumer: C::VmemReadsSgpr,       states: 5, chips: GFX9 },
    Hazard { producer: P::ValuWritesSgpr,  consumer: C::LaneSelect,          states: 4, chips: GFX9 },
    Hazard { producer: P::ValuWritesSgpr,  consumer: C::ValuReadsSgpr,       states: 2, chips: GFX942 },
    Hazard { producer: P::ValuWritesVcc,   consumer: C::DivFmas,             states: 4, chips: GFX9 },
    Hazard { producer: P::ValuWritesVgpr,  consumer: C::DppReadsVgpr,        states: 2, chips: GFX9 },
    Hazard { producer: P::ValuWritesVgpr,  consumer: C::LaneAccessReadsVgpr, states: 1, chips: GFX942 },
    Hazard { producer: P::ValuWritesExec,  consumer: C::AnyDpp,              states: 5, chips: GFX9 },
    Hazard { producer: P::ValuWritesExec,  consumer: C::AnyLaneAccess,       states: 4, chips: GFX942 },
    Hazard { producer: P::TransWritesVgpr, consumer: C::NonTransReadsVgpr,   states: 1, chips: GFX942 },
    Hazard { producer: P::ValuWritesPart,  consumer: C::ValuReadsVgpr,       states: 1, chips: GFX942 },
    Hazard { producer: P::WideStoreData,   consumer: C::ValuWritesVgpr,      states: 1, chips: GFX900_90A },
    Hazard { producer: P::WideStoreData,   consumer: C::ValuWritesVgpr,      states: 2, chips: GFX942 },
    Hazard { producer: P::SetReg,          consumer: C::AnyHwReg,            states: 2, chips: GFX9 },
    Hazard { producer: P::SaluWritesM0,    consumer: C::ReadsM0,             states: 1, chips: GFX9 },
];

/// The rows of a chip.
pub fn hazards(chip: Chip) -> impl Iterator<Item = &'static Hazard> {
    HAZARDS.iter().filter(move |h| h.chips.contains(&chip))
}
