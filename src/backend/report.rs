//! The resource report of a kernel (`-v`): registers, memory, occupancy, what limits it, and where
//! the next step down is.

use std::fmt::Write;

use super::target::{Features, RegFileDesc, TargetDesc};
use crate::diag::{SourceMap, Span};

/// A spilled value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpillReport {
    /// Name of the value in the source or in VISA; empty where it has none.
    pub name: String,
    /// Where the value is made.
    pub span: Span,
    /// Bytes a lane.
    pub bytes: u32,
    /// A scalar register: one value a wave.
    pub scalar: bool,
}

/// What keeps more waves from a SIMD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limiter {
    /// The hardware's maximum is reached.
    Hardware,
    /// Vector registers.
    Vgpr,
    /// Scalar registers.
    Sgpr,
    /// LDS of the workgroups.
    Lds,
}

impl Limiter {
    /// The words of the report.
    pub fn name(self) -> &'static str {
        match self {
            Limiter::Hardware => "hardware maximum",
            Limiter::Vgpr => "vector registers",
            Limiter::Sgpr => "scalar registers",
            Limiter::Lds => "LDS",
        }
    }
}

/// What one kernel takes of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceReport {
    /// Kernel.
    pub kernel: String,
    /// The numbers of the target.
    pub target: &'static TargetDesc,
    /// Vector registers used.
    pub vgprs: u32,
    /// Scalar registers used, hidden ones excluded.
    pub sgprs: u32,
    /// Accumulation registers used.
    pub agprs: u32,
    /// Spilled values, vector and scalar.
    pub spills: Vec<SpillReport>,
    /// Scratch bytes a lane.
    pub scratch_bytes: u32,
    /// Static LDS bytes of a workgroup.
    pub lds_bytes: u32,
    /// Bytes of the kernel's arguments, hidden ones included.
    pub kernarg_bytes: u32,
    /// Bytes of code.
    pub code_bytes: u32,
    /// Work-items of a workgroup at most.
    pub max_workgroup_size: u32,
}

/// Occupancy as far as a kernel's own numbers decide it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Waves on a SIMD.
    pub waves: u32,
    /// The hardware's maximum.
    pub max_waves: u32,
    /// Why not more.
    pub limiter: Limiter,
    /// The nearest change of registers that changes the number of waves.
    pub next_cliff: Option<String>,
}

impl ResourceReport {
    /// Vector registers in the shared file: those of both kinds where they are unified.
    fn vector_total(&self) -> u32 {
        let unified = self.target.features.has(Features::UNIFIED_VGPRS);
        match self.agprs {
            // The accumulation registers start at a multiple of four.
            agprs if agprs > 0 && unified => self.vgprs.next_multiple_of(4) + agprs,
            agprs => self.vgprs.max(agprs),
        }
    }

    /// Computes the occupancy.
    pub fn occupancy(&self) -> Occupancy {
        let desc = self.target;
        let vector = desc.waves_for(&desc.vgpr, self.vector_total());
        let scalar = desc.waves_for(&desc.sgpr, self.sgprs);
        let lds = self.lds_waves();
        let mut best = (desc.max_waves_per_simd, Limiter::Hardware);
        for candidate in [
            (vector, Limiter::Vgpr),
            (scalar, Limiter::Sgpr),
            (lds, Limiter::Lds),
        ] {
            if candidate.0 < best.0 {
                best = candidate;
            }
        }
        Occupancy {
            waves: best.0,
            max_waves: desc.max_waves_per_simd,
            limiter: best.1,
            next_cliff: self.next_cliff(best.0, best.1),
        }
    }

    fn lds_waves(&self) -> u32 {
        let desc = self.target;
        if self.lds_bytes == 0 {
            return desc.max_waves_per_simd;
        }
        let groups = desc.lds_bytes / self.lds_bytes.next_multiple_of(desc.lds_granule);
        let waves_of_group = self.max_workgroup_size.div_ceil(desc.wave);
        (groups * waves_of_group).div_ceil(desc.simds)
    }

    fn next_cliff(&self, waves: u32, limiter: Limiter) -> Option<String> {
        let desc = self.target;
        let fewer = |file: &RegFileDesc, used: u32, word: &str| {
            let limit = desc.registers_for(file, waves + 1);
            let gain = used.checked_sub(limit)?;
            (limit > 0).then(|| format!("{gain} fewer {word} -> {} waves", waves + 1))
        };
        match limiter {
            Limiter::Vgpr => fewer(&desc.vgpr, self.vector_total(), "vgpr"),
            Limiter::Sgpr => fewer(&desc.sgpr, self.sgprs, "sgpr"),
            Limiter::Lds => None,
            Limiter::Hardware => {
                let limit = desc.registers_for(&desc.vgpr, waves);
                Some(format!("vgpr > {limit}"))
            }
        }
    }

    /// The report as text; `sources` gives the lines of spilled values.
    pub fn render(&self, sources: &SourceMap) -> String {
        let desc = self.target;
        let occupancy = self.occupancy();
        let alias = desc.aliases.first().copied().unwrap_or(desc.name);
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{}  target {alias} ({})  wave{}",
            self.kernel, desc.name, desc.wave
        );
        let _ = writeln!(
            out,
            "  vgpr {}/{}   sgpr {}/{}   agpr {}   spills {}   scratch {} B/lane",
            self.vgprs,
            desc.allocated(&desc.vgpr, self.vector_total()),
            self.sgprs,
            desc.allocated(&desc.sgpr, self.sgprs),
            self.agprs,
            self.spills.len(),
            self.scratch_bytes,
        );
        let _ = writeln!(
            out,
            "  lds {} B static + 0 dynamic + 0 reserved     kernarg {} B     code {} B     max workgroup {}",
            self.lds_bytes, self.kernarg_bytes, self.code_bytes, self.max_workgroup_size,
        );
        let _ = write!(
            out,
            "  occupancy {}/{} waves per SIMD   limited by: {}",
            occupancy.waves,
            occupancy.max_waves,
            occupancy.limiter.name(),
        );
        match &occupancy.next_cliff {
            Some(cliff) => {
                let _ = writeln!(out, "   next cliff: {cliff}");
            }
            None => out.push('\n'),
        }
        for spill in &self.spills {
            let name = if spill.name.is_empty() {
                "a temporary"
            } else {
                &spill.name
            };
            let _ = match sources.locate(spill.span) {
                Some((file, at)) => writeln!(
                    out,
                    "  spilled: {name} ({} B) made at {file}:{}:{}",
                    spill.bytes, at.line, at.col
                ),
                None => writeln!(out, "  spilled: {name} ({} B)", spill.bytes),
            };
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::registry::find_target;
    use crate::diag::FileId;

    fn report(vgprs: u32, sgprs: u32) -> ResourceReport {
        ResourceReport {
            kernel: "k".into(),
            target: find_target("gfx942").ok().unwrap().desc(),
            vgprs,
            sgprs,
            agprs: 0,
            spills: Vec::new(),
            scratch_bytes: 0,
            lds_bytes: 0,
            kernarg_bytes: 40,
            code_bytes: 212,
            max_workgroup_size: 256,
        }
    }

    #[test]
    fn the_limiter_and_the_cliff_follow_the_registers() {
        let small = report(12, 18).occupancy();
        assert_eq!((small.waves, small.limiter), (8, Limiter::Hardware));
        assert_eq!(small.next_cliff.as_deref(), Some("vgpr > 64"));
        let large = report(98, 18).occupancy();
        assert_eq!((large.waves, large.limiter), (4, Limiter::Vgpr));
        assert_eq!(large.next_cliff.as_deref(), Some("2 fewer vgpr -> 5 waves"));
    }

    #[test]
    fn lds_limits_workgroups() {
        let mut lds = report(12, 18);
        lds.lds_bytes = 32 << 10;
        let occupancy = lds.occupancy();
        assert_eq!((occupancy.waves, occupancy.limiter), (2, Limiter::Lds));
    }

    #[test]
    fn spills_name_value_and_line() {
        let mut sources = SourceMap::new();
        let file = sources.add("p.k", "a\nlet acc = 1;\n");
        assert_eq!(file, FileId(0));
        let mut spilled = report(24, 18);
        spilled.spills.push(SpillReport {
            name: "acc".into(),
            span: Span::new(file, 6, 9),
            bytes: 4,
            scalar: false,
        });
        let text = spilled.render(&sources);
        assert!(
            text.contains("spilled: acc (4 B) made at p.k:2:5"),
            "{text}"
        );
        assert!(
            text.starts_with("k  target cdna3 (gfx942)  wave64\n"),
            "{text}"
        );
    }
}
