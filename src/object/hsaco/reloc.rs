//! Relocations that are left for the loader.
//!
//! Source: LLVM AMDGPUUsage, "Relocation Records". With place P, symbol value S, addend A and load
//! base B: `ABS` is S + A, `REL` is S + A - P, `RELATIVE64` is B + A.

use crate::object::ObjectError;
use crate::object::elf::{Rela, Sym, st};

/// What is written to the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelocKind {
    /// The 64-bit address.
    Abs64,
    /// The address, which must fit 32 bits.
    Abs32,
    /// Low half of the address.
    Abs32Lo,
    /// High half of the address.
    Abs32Hi,
    /// The 64-bit distance from the place.
    Rel64,
    /// The distance, which must fit 32 bits.
    Rel32,
    /// Low half of the distance.
    Rel32Lo,
    /// High half of the distance.
    Rel32Hi,
}

impl RelocKind {
    /// Bytes written.
    pub fn size(self) -> u64 {
        match self {
            RelocKind::Abs64 | RelocKind::Rel64 => 8,
            RelocKind::Abs32
            | RelocKind::Abs32Lo
            | RelocKind::Abs32Hi
            | RelocKind::Rel32
            | RelocKind::Rel32Lo
            | RelocKind::Rel32Hi => 4,
        }
    }

    fn is_relative(self) -> bool {
        match self {
            RelocKind::Rel64 | RelocKind::Rel32 | RelocKind::Rel32Lo | RelocKind::Rel32Hi => true,
            RelocKind::Abs64 | RelocKind::Abs32 | RelocKind::Abs32Lo | RelocKind::Abs32Hi => false,
        }
    }

    /// The bits to write for a value, `None` where it does not fit.
    fn bits(self, value: u64) -> Option<u64> {
        match self {
            RelocKind::Abs64 | RelocKind::Rel64 => Some(value),
            RelocKind::Abs32Lo | RelocKind::Rel32Lo => Some(value & 0xffff_ffff),
            RelocKind::Abs32Hi | RelocKind::Rel32Hi => Some(value >> 32),
            RelocKind::Abs32 => u32::try_from(value).ok().map(u64::from),
            RelocKind::Rel32 => {
                let narrow = i32::try_from(value as i64).ok()?;
                Some(u64::from(narrow as u32))
            }
        }
    }
}

/// What the address is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RelocTarget {
    /// An address of this object, relative to the load base.
    Own(u64),
    /// A symbol of another object, plus a number of bytes.
    Other {
        /// Its name.
        name: String,
        /// Bytes to add.
        addend: i64,
        /// Whether it may be missing; its address is 0 then.
        weak: bool,
    },
}

/// A place to patch when the load address is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reloc {
    /// Address of the place, relative to the load base.
    pub place: u64,
    /// What to write.
    pub kind: RelocKind,
    /// Whose address.
    pub target: RelocTarget,
}

/// `R_AMDGPU_RELATIVE64`: the only kind without a symbol.
const RELATIVE64: u32 = 13;

#[rustfmt::skip]
static KINDS: &[(u32, RelocKind)] = &[
    (1,  RelocKind::Abs32Lo),
    (2,  RelocKind::Abs32Hi),
    (3,  RelocKind::Abs64),
    (4,  RelocKind::Rel32),
    (5,  RelocKind::Rel64),
    (6,  RelocKind::Abs32),
    (10, RelocKind::Rel32Lo),
    (11, RelocKind::Rel32Hi),
    (RELATIVE64, RelocKind::Abs64),
];

impl Reloc {
    /// A relocation record, with its symbol and the symbol's name.
    pub(super) fn new(rela: &Rela, symbol: Option<(Sym, &str)>) -> Result<Reloc, ObjectError> {
        let fault = |problem: String| ObjectError::Reloc {
            place: rela.offset,
            problem,
        };
        let number = (rela.info & 0xffff_ffff) as u32;
        let kind = KINDS.iter().find(|(n, _)| *n == number);
        let (_, kind) = kind.ok_or_else(|| fault(format!("unknown type {number}")))?;
        let target = match symbol {
            None if number == RELATIVE64 => RelocTarget::Own(rela.addend as u64),
            None => return Err(fault(format!("type {number} without a symbol"))),
            Some((sym, _)) if sym.shndx != 0 => {
                RelocTarget::Own(sym.value.wrapping_add_signed(rela.addend))
            }
            Some((sym, name)) => RelocTarget::Other {
                name: name.to_owned(),
                addend: rela.addend,
                weak: sym.info >> 4 == st::WEAK,
            },
        };
        Ok(Reloc {
            place: rela.offset,
            kind: *kind,
            target,
        })
    }

    /// Patches an image of the object that lies at `base`.
    pub(super) fn apply(
        &self,
        image: &mut [u8],
        base: u64,
        bind: impl Fn(&str) -> Option<u64>,
    ) -> Result<(), ObjectError> {
        let fault = |problem: String| ObjectError::Reloc {
            place: self.place,
            problem,
        };
        let address = match &self.target {
            RelocTarget::Own(vaddr) => base.wrapping_add(*vaddr),
            RelocTarget::Other { name, addend, weak } => match bind(name) {
                Some(found) => found.wrapping_add_signed(*addend),
                None if *weak => 0,
                None => return Err(fault(format!("symbol `{name}` is not defined"))),
            },
        };
        let from = if self.kind.is_relative() {
            base.wrapping_add(self.place)
        } else {
            0
        };
        let value = address.wrapping_sub(from);
        let bits = self.kind.bits(value);
        let bits = bits.ok_or_else(|| fault(format!("{value:#x} does not fit 32 bits")))?;
        let size = self.kind.size() as usize;
        let start = self.place as usize;
        let place = image.get_mut(start..start.saturating_add(size));
        let place = place.ok_or_else(|| fault("the place is not in the object".to_owned()))?;
        place.copy_from_slice(&bits.to_le_bytes()[..size]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(kind: RelocKind, target: RelocTarget) -> Result<[u8; 8], ObjectError> {
        let mut image = [0; 8];
        let place = 0;
        let reloc = Reloc {
            place,
            kind,
            target,
        };
        let bind = |name: &str| (name == "x").then_some(0x7_0000_0000);
        reloc.apply(&mut image, 0x1_0000_0010, bind)?;
        Ok(image)
    }

    #[test]
    fn values_are_those_of_the_formulas() {
        let own = || RelocTarget::Own(0x20);
        let value = |kind| u64::from_le_bytes(patch(kind, own()).unwrap());
        assert_eq!(value(RelocKind::Abs64), 0x1_0000_0030);
        assert_eq!(value(RelocKind::Abs32Lo), 0x30);
        assert_eq!(value(RelocKind::Abs32Hi), 1);
        assert_eq!(value(RelocKind::Rel64), 0x20);
        assert_eq!(value(RelocKind::Rel32), 0x20);
        assert!(patch(RelocKind::Abs32, own()).is_err());
    }

    #[test]
    fn other_symbols_are_bound_by_name() {
        let other = |name: &str, weak| RelocTarget::Other {
            name: name.to_owned(),
            addend: -16,
            weak,
        };
        let value = |target| patch(RelocKind::Abs64, target).map(u64::from_le_bytes);
        assert_eq!(value(other("x", false)), Ok(0x6_ffff_fff0));
        assert_eq!(value(other("z", true)), Ok(0));
        assert!(value(other("z", false)).is_err());
    }
}
