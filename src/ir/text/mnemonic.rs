//! A mnemonic with suffixes to opcode and attributes, by the opcode table.
//!
//! Integer and float forms share names (`add.u32`, `add.rn.f32`), and names are prefixes of others
//! (`mul`, `mul.lo`): every opcode whose name fits is tried, and the first whose slots take all
//! suffixes is meant. Where none does, the one that got furthest says what was expected.

use super::nearest::nearest;
use crate::ir::func::Attrs;
use crate::ir::opcode::{Cmp, OpDesc, Opcode, Round, Slot};
use crate::ir::types::{Kind, Space};

/// Why a mnemonic means nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MnemonicError {
    /// No opcode has this name; the nearest one.
    Unknown(Option<&'static str>),
    /// The opcodes of this name do not take the suffix.
    Suffix {
        /// What was understood, `setp.lt`.
        head: String,
        /// The first suffix that was not; `None` where one is missing.
        bad: Option<String>,
        /// What may stand there; nothing where no suffix may follow.
        legal: Vec<&'static str>,
    },
}

/// Opcode and attributes of `setp.lt.u32`. Kinds whose signedness does not matter become unsigned.
pub fn parse_mnemonic(text: &str) -> Result<(Opcode, Attrs), MnemonicError> {
    let mut furthest: Option<Stuck> = None;
    for (op, rest) in Opcode::candidates(text) {
        match match_suffixes(op, rest) {
            Ok(attrs) => return Ok((op, attrs)),
            Err(stuck) => match &mut furthest {
                Some(best) if best.rank() > stuck.rank() => {}
                Some(best) if best.rank() == stuck.rank() => best.merge(stuck),
                _ => furthest = Some(stuck),
            },
        }
    }
    Err(match furthest {
        None => MnemonicError::Unknown(nearest_name(text)),
        Some(stuck) => MnemonicError::Suffix {
            head: text.get(..stuck.at).unwrap_or(text).to_string(),
            bad: stuck.bad,
            legal: stuck.legal,
        },
    })
}

/// Where an opcode's slots stopped to take suffixes.
struct Stuck {
    /// Length of what was understood.
    at: usize,
    bad: Option<String>,
    /// Whether the opcode takes the suffix further right: then it is the one that was meant.
    early: bool,
    legal: Vec<&'static str>,
}

impl Stuck {
    fn rank(&self) -> (usize, bool) {
        (self.at, self.early)
    }

    fn merge(&mut self, other: Stuck) {
        let new = other.legal.into_iter();
        let new: Vec<_> = new.filter(|n| !self.legal.contains(n)).collect();
        self.legal.extend(new);
    }
}

fn match_suffixes(op: Opcode, rest: &str) -> Result<Attrs, Stuck> {
    let desc = op.desc();
    let mut attrs = Attrs::default();
    let mut suffixes = rest.split('.').skip(1).peekable();
    let mut at = desc.name.len();
    let mut legal: Vec<&'static str> = Vec::new();
    for slot in desc.slots.iter().filter(|s| is_suffix(**s)) {
        if let Some(suffix) = suffixes.peek()
            && set(*slot, desc, suffix, &mut attrs)
        {
            at += 1 + suffix.len();
            suffixes.next();
            legal.clear();
            continue;
        }
        legal.extend(legal_names(*slot, desc));
        if !is_optional(*slot) {
            let bad = suffixes.peek().map(|s| s.to_string());
            let takes = |slot: &Slot| {
                bad.as_deref()
                    .is_some_and(|b| legal_names(*slot, desc).contains(&b))
            };
            let early = desc.slots.iter().any(takes);
            return Err(Stuck {
                at,
                bad,
                early,
                legal,
            });
        }
    }
    if let Some(bad) = suffixes.next() {
        return Err(Stuck {
            at,
            bad: Some(bad.to_string()),
            early: false,
            legal,
        });
    }
    attrs.kind = attrs.kind.map(|k| op.canonical_kind(k));
    Ok(attrs)
}

/// Whether a slot is part of the mnemonic; the others are operands.
pub fn is_suffix(slot: Slot) -> bool {
    !matches!(slot, Slot::SReg | Slot::Var)
}

/// Whether a slot may be left out.
pub fn is_optional(slot: Slot) -> bool {
    matches!(
        slot,
        Slot::CvtRound | Slot::Ftz | Slot::Sat | Slot::Wrap | Slot::Vec
    )
}

/// The suffixes that a slot takes.
pub fn legal_names(slot: Slot, desc: &OpDesc) -> Vec<&'static str> {
    match slot {
        Slot::Cmp => Cmp::ALL.iter().map(|c| c.name()).collect(),
        Slot::Round => RESULT_ROUNDINGS.iter().map(|r| r.name()).collect(),
        Slot::CvtRound => Round::ALL.iter().map(|r| r.name()).collect(),
        Slot::Ftz => vec!["ftz"],
        Slot::Sat => vec!["sat"],
        Slot::Wrap => vec!["wrap"],
        Slot::Space => Space::ALL.iter().map(|s| s.name()).collect(),
        Slot::Vec => vec!["v2", "v4"],
        Slot::Kind => desc.kinds.iter().map(Kind::name).collect(),
        Slot::SrcKind => desc.src_kinds.iter().map(Kind::name).collect(),
        Slot::SReg | Slot::Var => Vec::new(),
    }
}

/// Roundings of arithmetic: those to a float.
const RESULT_ROUNDINGS: [Round; 4] = [Round::Rn, Round::Rz, Round::Rm, Round::Rp];

/// Sets a slot's attribute from a suffix; whether the slot takes it.
fn set(slot: Slot, desc: &OpDesc, suffix: &str, attrs: &mut Attrs) -> bool {
    if !legal_names(slot, desc).contains(&suffix) {
        return false;
    }
    match slot {
        Slot::Cmp => attrs.cmp = Cmp::ALL.into_iter().find(|c| c.name() == suffix),
        Slot::Round | Slot::CvtRound => {
            attrs.round = Round::ALL.into_iter().find(|r| r.name() == suffix);
        }
        Slot::Ftz => attrs.ftz = true,
        Slot::Sat => attrs.sat = true,
        Slot::Wrap => attrs.wrap = true,
        Slot::Space => attrs.space = Space::find(suffix),
        Slot::Vec => attrs.vec = if suffix == "v2" { 2 } else { 4 },
        Slot::Kind => attrs.kind = Kind::find(suffix),
        Slot::SrcKind => attrs.src_kind = Kind::find(suffix),
        Slot::SReg | Slot::Var => {}
    }
    true
}

/// The opcode name most like the beginning of a mnemonic, compared at the same number of dots.
fn nearest_name(text: &str) -> Option<&'static str> {
    let words: Vec<&str> = text.split('.').collect();
    let mut names: Vec<&'static str> = Opcode::ALL.iter().map(|op| op.name()).collect();
    names.dedup();
    let by_dots = (1..=words.len().min(3)).rev().filter_map(|count| {
        let head = words[..count].join(".");
        let same = names.iter().copied();
        nearest(&head, same.filter(|n| n.split('.').count() == count))
    });
    by_dots.max_by(|a, b| {
        let score = |name: &str| strsim::jaro_winkler(name, text);
        score(a).total_cmp(&score(b))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_pick_among_opcodes_of_one_name() {
        let op = |text| parse_mnemonic(text).map(|(op, _)| op);
        assert_eq!(op("add.u32"), Ok(Opcode::Add));
        assert_eq!(op("add.rn.ftz.f32"), Ok(Opcode::FAdd));
        assert_eq!(op("mul.lo.u32"), Ok(Opcode::MulLo));
        assert_eq!(op("mul.rz.f64"), Ok(Opcode::FMul));
        assert_eq!(op("ret"), Ok(Opcode::Ret));
        let (op, attrs) = parse_mnemonic("cvt.rzi.sat.s32.f32").unwrap();
        assert_eq!(
            (op, attrs.round, attrs.sat),
            (Opcode::Cvt, Some(Round::Rzi), true)
        );
        assert_eq!(
            (attrs.kind, attrs.src_kind),
            (Some(Kind::S32), Some(Kind::F32))
        );
    }

    #[test]
    fn kinds_without_a_sign_become_unsigned() {
        let kind = |text| parse_mnemonic(text).unwrap().1.kind;
        assert_eq!(kind("add.s32"), Some(Kind::U32));
        assert_eq!(kind("div.s32"), Some(Kind::S32));
    }

    #[test]
    fn unknown_names_get_the_nearest() {
        let near = |text| match parse_mnemonic(text) {
            Err(MnemonicError::Unknown(near)) => near,
            other => panic!("{other:?}"),
        };
        assert_eq!(near("setq.lt.u32"), Some("setp"));
        assert_eq!(near("mull.wide.u32"), Some("mul.wide"));
        assert_eq!(near("retr"), Some("ret"));
        assert_eq!(near("frobnicate"), None);
        assert_eq!(near(""), None);
    }

    #[test]
    fn wrong_suffixes_name_the_legal_ones() {
        let stuck = |text| match parse_mnemonic(text) {
            Err(MnemonicError::Suffix { head, bad, legal }) => (head, bad, legal),
            other => panic!("{other:?}"),
        };
        let (head, bad, legal) = stuck("add.q32");
        assert_eq!((&*head, bad.as_deref()), ("add", Some("q32")));
        assert!(legal.contains(&"u32") && legal.contains(&"rn"));
        assert_eq!(stuck("add.f32").2, ["rn", "rz", "rm", "rp"]);
        let (head, bad, legal) = stuck("add.rn");
        assert_eq!((&*head, bad), ("add.rn", None));
        assert_eq!(legal, ["ftz", "f16", "bf16", "f32", "f64"]);
        let (head, bad, legal) = stuck("ret.u32");
        assert_eq!(
            (&*head, bad.as_deref(), legal),
            ("ret", Some("u32"), vec![])
        );
        assert_eq!(stuck("add.").1.as_deref(), Some(""));
    }
}
