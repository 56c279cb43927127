//! One test a file under `tests/cases` and `examples`, run by its own header.
//!
//! `tests/cases/readme.visa` explains the directives. A `kvm run` line without `--target` runs on
//! every landed target at `-O0`, `-O1` and `-O2`, and all of these runs must print the same hashes.

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};
use support::case::{Case, WantDiagnostic, split_words};
use support::check::match_output;

/// Targets that cases run on when they name none.
const TARGETS: [&str; 2] = ["visa", "gfx942"];
const LEVELS: [&str; 3] = ["-O0", "-O1", "-O2"];
const EXTENSIONS: [&str; 4] = ["k", "visa", "s", "toml"];

fn main() {
    let args = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["tests/cases", "examples"] {
        collect(&root.join(folder), &mut files);
    }
    files.sort();
    let trials = files.into_iter().map(|path| {
        let name = path
            .strip_prefix(root)
            .unwrap_or(&path)
            .display()
            .to_string();
        Trial::test(name, move || run_file(&path).map_err(Failed::from))
    });
    libtest_mimic::run(&args, trials.collect()).exit();
}

fn collect(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            // Data of cases, not cases.
            if path.file_name().is_none_or(|n| n != "data") {
                collect(&path, out);
            }
        } else if path
            .extension()
            .and_then(|e| e.to_str())
            .is_some_and(|e| EXTENSIONS.contains(&e))
        {
            out.push(path);
        }
    }
}

fn run_file(path: &Path) -> Result<(), String> {
    let case = Case::read(path)?;
    let temp = tempfile::tempdir().map_err(|e| e.to_string())?;
    for run in &case.runs {
        let line = run
            .replace("%s", &path.display().to_string())
            .replace("%t", &temp.path().join("t").display().to_string());
        run_line(&case, &line).map_err(|e| format!("RUN: {line}\n{e}"))?;
    }
    Ok(())
}

fn run_line(case: &Case, line: &str) -> Result<(), String> {
    let mut words = split_words(line)?;
    let (status, words) = match words.first().map(String::as_str) {
        Some("not") => (Some(false), words.split_off(1)),
        _ => (None, words),
    };
    let is_run =
        words.first().is_some_and(|w| w == "kvm") && words.get(1).is_some_and(|w| w == "run");
    let names_target = words
        .iter()
        .any(|w| w == "--target" || w.starts_with("--target=") || w == "-t");
    if !is_run || names_target || !case.diagnostics.is_empty() {
        return run_once(case, &words, status, true).map(drop);
    }
    let mut hashes: BTreeMap<String, String> = BTreeMap::new();
    for target in TARGETS {
        for level in LEVELS {
            let mut words = words.clone();
            words.extend(["--target".into(), target.into(), level.into()]);
            if target != "visa" {
                words.extend(["--check".into(), "hazard".into()]);
            }
            for expect in &case.expects {
                words.extend(["--expect".into(), expect.clone()]);
            }
            let what = format!("{target} {level}");
            let output =
                run_once(case, &words, status, true).map_err(|e| format!("[{what}] {e}"))?;
            hashes.insert(what, result_lines(&output));
        }
    }
    let mut all = hashes.iter();
    if let Some((first, want)) = all.next() {
        for (other, got) in all {
            if got != want {
                return Err(format!(
                    "results differ\n--- {first} ---\n{want}\n--- {other} ---\n{got}"
                ));
            }
        }
    }
    Ok(())
}

/// The lines of `kvm run` that describe buffers: they hold a content hash.
fn result_lines(output: &str) -> String {
    output
        .lines()
        .filter(|l| l.contains(" hash "))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Runs one command; returns its standard output.
fn run_once(
    case: &Case,
    words: &[String],
    status: Option<bool>,
    wants: bool,
) -> Result<String, String> {
    let program = match words.first().map(String::as_str) {
        Some("kcc") => env!("CARGO_BIN_EXE_kcc"),
        Some("kvm") => env!("CARGO_BIN_EXE_kvm"),
        other => return Err(format!("a RUN line starts with kcc or kvm, not {other:?}")),
    };
    let mut command = Command::new(program);
    command.args(&words[1..]).env("NO_COLOR", "1");
    if !case.diagnostics.is_empty() {
        command.args(["--message-format", "json"]);
    }
    let output = command.output().map_err(|e| format!("{program}: {e}"))?;
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    if !case.diagnostics.is_empty() {
        compare_diagnostics(case, &err)?;
        return Ok(out);
    }
    if err.contains("panicked at") {
        return Err(format!("it panicked:\n{err}"));
    }
    let ok = output.status.success();
    if ok != status.unwrap_or(true) {
        return Err(format!(
            "exit status {}\n--- stdout ---\n{out}\n--- stderr ---\n{err}",
            output.status
        ));
    }
    if wants && !case.wants.is_empty() {
        match_output(&format!("{out}{err}"), &case.wants)?;
    }
    Ok(out)
}

/// The reported diagnostics must be exactly the expected ones: same line, same code, and a message
/// that holds the text.
fn compare_diagnostics(case: &Case, stderr: &str) -> Result<(), String> {
    let mut got: Vec<(u32, String, String)> = Vec::new();
    for line in stderr.lines() {
        let value: serde_json::Value = serde_json::from_str(line)
            .map_err(|e| format!("not a JSON diagnostic: {line}: {e}"))?;
        let empty = Vec::new();
        let labels = value["labels"].as_array().unwrap_or(&empty);
        let place = labels
            .iter()
            .find(|l| l["primary"] == true)
            .map(|l| &l["place"]["line"]);
        let line = place.and_then(|l| l.as_u64()).unwrap_or(0) as u32;
        let text = |key: &str| value[key].as_str().unwrap_or("").to_string();
        got.push((line, text("code"), text("message")));
    }
    let fits = |w: &WantDiagnostic, g: &(u32, String, String)| {
        w.line == g.0 && w.code == g.1 && g.2.contains(&w.text)
    };
    let missing: Vec<_> = case
        .diagnostics
        .iter()
        .filter(|w| !got.iter().any(|g| fits(w, g)))
        .collect();
    let extra: Vec<_> = got
        .iter()
        .filter(|g| !case.diagnostics.iter().any(|w| fits(w, g)))
        .collect();
    if missing.is_empty() && extra.is_empty() {
        return Ok(());
    }
    Err(format!(
        "diagnostics differ\nexpected but not reported: {missing:#?}\nreported but not expected: {extra:#?}"
    ))
}
