//! All targets, by name.

use super::amdgpu;
use super::target::Target;
use crate::diag::{Code, Diagnostic};

static TARGETS: [&dyn Target; 1] = [&amdgpu::GFX942];

/// All targets in the order of `kcc targets`.
pub fn targets() -> &'static [&'static dyn Target] {
    &TARGETS
}

/// The target of a name or alias, letter case ignored; `K0401` with the nearest names otherwise.
pub fn find_target(name: &str) -> Result<&'static dyn Target, Diagnostic> {
    let is_named = |target: &&&dyn Target| {
        let desc = target.desc();
        let mut names = desc.aliases.iter().chain([&desc.name]);
        names.any(|n| n.eq_ignore_ascii_case(name))
    };
    match targets().iter().find(is_named) {
        Some(target) => Ok(*target),
        None => Err(unknown_target(name)),
    }
}

fn unknown_target(name: &str) -> Diagnostic {
    let lower = name.to_ascii_lowercase();
    let names: Vec<&str> = targets()
        .iter()
        .flat_map(|t| t.desc().aliases.iter().copied().chain([t.desc().name]))
        .collect();
    let mut near: Vec<(f64, &str)> = names
        .iter()
        .map(|n| (strsim::jaro_winkler(&lower, n), *n))
        .filter(|(score, _)| *score > 0.75)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    let listed: Vec<String> = targets()
        .iter()
        .map(|t| match t.desc().aliases.first() {
            Some(alias) => format!("{} ({alias})", t.desc().name),
            None => t.desc().name.to_string(),
        })
        .collect();
    let diagnostic = Diagnostic::new(Code::K0401, format!("unknown target `{name}`"))
        .note(format!("targets: visa, {}", listed.join(", ")));
    match near.first() {
        Some((_, best)) => diagnostic.help(format!("did you mean `{best}`?")),
        None => diagnostic,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_aliases_find_the_target() {
        for name in ["gfx942", "cdna3", "CDNA3"] {
            assert_eq!(find_target(name).ok().unwrap().desc().name, "gfx942");
        }
    }

    #[test]
    fn unknown_names_get_the_nearest_one() {
        let error = find_target("gfx924").err().unwrap();
        assert_eq!(error.code, Code::K0401);
        assert!(error.help[0].text.contains("gfx942"), "{error:?}");
        assert!(find_target("z80").err().unwrap().help.is_empty());
    }

    #[test]
    fn register_budgets_follow_the_occupancy_table() {
        let desc = amdgpu::GFX942.desc();
        for (used, waves) in [
            (24, 8),
            (64, 8),
            (72, 7),
            (96, 5),
            (128, 4),
            (168, 3),
            (256, 2),
        ] {
            assert_eq!(desc.waves_for(&desc.vgpr, used), waves, "{used} registers");
        }
        for waves in 2..=8 {
            let budget = desc.registers_for(&desc.vgpr, waves);
            assert!(desc.waves_for(&desc.vgpr, budget) >= waves);
        }
    }
}
