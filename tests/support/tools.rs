//! Finds external referees. A missing one is reported; under `CI=true` it is a failure.

use std::path::PathBuf;
use std::process::Command;

/// Whether missing referees fail.
pub fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|v| v == "true")
}

/// The path of a tool: from `PATH`, or from the folder in `KCC_REFEREES`.
pub fn find(tool: &str) -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> = std::env::var_os("PATH")
        .map(|p| std::env::split_paths(&p).collect())
        .unwrap_or_default();
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let default = home.map(|h| h.join(".local/share/kcc-referees"));
    for root in std::env::var_os("KCC_REFEREES")
        .map(PathBuf::from)
        .into_iter()
        .chain(default)
    {
        folders.push(root.join("nvidia/cu13/bin"));
        folders.push(root);
    }
    folders
        .into_iter()
        .map(|f| f.join(tool))
        .find(|p| p.is_file())
}

/// The tool, or `None` after printing that `checks` checks are skipped. Panics in CI.
pub fn need(tool: &str, checks: usize) -> Option<Command> {
    match find(tool) {
        Some(path) => Some(Command::new(path)),
        None => {
            assert!(!in_ci(), "{tool} is missing; run tools/install-referees");
            println!("SKIPPED {checks} checks: no {tool}");
            None
        }
    }
}
