//! Processors and target ids: the words of `e_flags`, and `amdgcn-amd-amdhsa--gfx942:xnack-`.
//!
//! Source: LLVM AMDGPUUsage, tables "AMDGPU ELF header e_flags for code object V4 and later" and
//! "Target ID".

use crate::object::ObjectError;
use std::fmt;

/// Processors whose kernel descriptors have the same layout: one column of the descriptor table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// GCN5: gfx900 to gfx908.
    Gfx9,
    /// CDNA2.
    Gfx90a,
    /// CDNA3.
    Gfx940,
    /// RDNA1 and RDNA2.
    Gfx10,
    /// RDNA3.
    Gfx11,
}

/// A processor.
#[derive(Debug, PartialEq, Eq)]
pub struct Chip {
    /// Name, `gfx942`.
    pub name: &'static str,
    /// Number in bits 7:0 of `e_flags`.
    pub mach: u32,
    /// Layout of its kernel descriptors.
    pub family: Family,
    /// Whether it has the XNACK setting.
    pub has_xnack: bool,
    /// Whether it has the SRAM ECC setting.
    pub has_sramecc: bool,
}

const fn chip(name: &'static str, mach: u32, family: Family, settings: &'static str) -> Chip {
    let settings = settings.as_bytes();
    Chip {
        name,
        mach,
        family,
        has_xnack: settings[0] == b'x',
        has_sramecc: settings[1] == b's',
    }
}

/// All processors, by number. `x`: XNACK setting, `s`: SRAM ECC setting.
#[rustfmt::skip]
pub static CHIPS: &[Chip] = &[
    chip("gfx900",  0x2c, Family::Gfx9,   "x-"),
    chip("gfx906",  0x2f, Family::Gfx9,   "xs"),
    chip("gfx908",  0x30, Family::Gfx9,   "xs"),
    chip("gfx1010", 0x33, Family::Gfx10,  "x-"),
    chip("gfx1030", 0x36, Family::Gfx10,  "--"),
    chip("gfx90a",  0x3f, Family::Gfx90a, "xs"),
    chip("gfx940",  0x40, Family::Gfx940, "xs"),
    chip("gfx1100", 0x41, Family::Gfx11,  "--"),
    chip("gfx1101", 0x46, Family::Gfx11,  "--"),
    chip("gfx1102", 0x47, Family::Gfx11,  "--"),
    chip("gfx941",  0x4b, Family::Gfx940, "xs"),
    chip("gfx942",  0x4c, Family::Gfx940, "xs"),
];

impl Chip {
    /// Finds a processor by name.
    pub fn find(name: &str) -> Option<&'static Chip> {
        CHIPS.iter().find(|c| c.name == name)
    }
}

/// What an object demands of a device setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Setting {
    /// Runs with the setting on or off.
    #[default]
    Any,
    /// Must be off.
    Off,
    /// Must be on.
    On,
}

impl Setting {
    /// Value in its two bits of `e_flags`, on a chip that has the setting.
    fn to_bits(self) -> u32 {
        match self {
            Setting::Any => 1,
            Setting::Off => 2,
            Setting::On => 3,
        }
    }

    fn from_bits(bits: u32) -> Setting {
        match bits & 3 {
            2 => Setting::Off,
            3 => Setting::On,
            _ => Setting::Any,
        }
    }
}

const XNACK_BIT: u32 = 8;
const SRAMECC_BIT: u32 = 10;
const PREFIX: &str = "amdgcn-amd-amdhsa--";

/// The processor that an object is for, with the settings it demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetId {
    /// The processor.
    pub chip: &'static Chip,
    /// Page fault replay.
    pub xnack: Setting,
    /// Error correction of memory.
    pub sramecc: Setting,
}

impl TargetId {
    /// The processor with any settings.
    pub fn new(chip: &'static Chip) -> TargetId {
        TargetId {
            chip,
            xnack: Setting::Any,
            sramecc: Setting::Any,
        }
    }

    /// Reads `amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-`, or the same without the triple. Of the
    /// triple, vendor and system must be right; LLVM changed the name of the architecture once.
    pub fn parse(text: &str) -> Result<TargetId, ObjectError> {
        let unknown = || ObjectError::Unsupported {
            what: "target",
            found: text.to_owned(),
            expected: "a processor as `gfx942`, with `:xnack+` or the like",
        };
        let triple: Vec<&str> = text.splitn(5, '-').collect();
        let id = match triple[..] {
            [_, "amd", "amdhsa", _, id] => id,
            _ => text,
        };
        let mut parts = id.split(':');
        let chip = parts.next().and_then(Chip::find).ok_or_else(unknown)?;
        let mut target = TargetId::new(chip);
        for part in parts {
            match part {
                "xnack+" if chip.has_xnack => target.xnack = Setting::On,
                "xnack-" if chip.has_xnack => target.xnack = Setting::Off,
                "sramecc+" if chip.has_sramecc => target.sramecc = Setting::On,
                "sramecc-" if chip.has_sramecc => target.sramecc = Setting::Off,
                _ => return Err(unknown()),
            }
        }
        Ok(target)
    }

    /// The word of the ELF header.
    pub fn to_e_flags(self) -> u32 {
        let mut flags = self.chip.mach;
        if self.chip.has_xnack {
            flags |= self.xnack.to_bits() << XNACK_BIT;
        }
        if self.chip.has_sramecc {
            flags |= self.sramecc.to_bits() << SRAMECC_BIT;
        }
        flags
    }

    /// The target of an ELF header's word.
    pub fn from_e_flags(flags: u32) -> Result<TargetId, ObjectError> {
        let Some(chip) = CHIPS.iter().find(|c| c.mach == flags & 0xff) else {
            return Err(ObjectError::Unsupported {
                what: "processor",
                found: format!("number {:#x} in e_flags", flags & 0xff),
                expected: "a gfx9, gfx10 or gfx11 processor",
            });
        };
        let target = TargetId {
            chip,
            xnack: Setting::from_bits(flags >> XNACK_BIT),
            sramecc: Setting::from_bits(flags >> SRAMECC_BIT),
        };
        if target.to_e_flags() != flags {
            return Err(ObjectError::malformed(
                "ELF header",
                format!("{} does not have the e_flags {flags:#x}", chip.name),
            ));
        }
        Ok(target)
    }
}

impl fmt::Display for TargetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.chip.name)?;
        for (name, setting) in [("sramecc", self.sramecc), ("xnack", self.xnack)] {
            match setting {
                Setting::Any => {}
                Setting::Off => write!(f, ":{name}-")?,
                Setting::On => write!(f, ":{name}+")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_those_of_llvm() {
        let cases = [
            ("gfx900", 0x12c),
            ("gfx90a:sramecc+:xnack-", 0xe3f),
            ("gfx942", 0x54c),
            ("gfx942:xnack+", 0x74c),
            ("gfx942:sramecc+", 0xd4c),
            ("gfx942:sramecc-", 0x94c),
            ("gfx1030", 0x36),
            ("gfx1100", 0x41),
        ];
        for (text, flags) in cases {
            let target = TargetId::parse(text).unwrap();
            assert_eq!(target.to_e_flags(), flags, "{text}");
            assert_eq!(TargetId::from_e_flags(flags).unwrap(), target);
            assert_eq!(target.to_string(), format!("{PREFIX}{text}"));
        }
        let newer = TargetId::parse("amdgpu9.42-amd-amdhsa-unknown-gfx942:xnack-").unwrap();
        assert_eq!(newer.to_string(), "amdgcn-amd-amdhsa--gfx942:xnack-");
        assert!(TargetId::parse("gfx1030:xnack+").is_err());
        assert!(TargetId::parse("nvptx64-nvidia-cuda--gfx942").is_err());
        assert!(TargetId::from_e_flags(0x136).is_err());
        assert!(TargetId::from_e_flags(0x01).is_err());
    }
}
