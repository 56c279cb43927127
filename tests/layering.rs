//! Layers point downwards only: checks every `crate::` path in `src/` against the allowed uses.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

/// Which modules each top-level module may name. `diag` and `num` are at the bottom and open to all.
const MAY_USE: &[(&str, &[&str])] = &[
    ("num", &[]),
    ("diag", &[]),
    ("ir", &[]),
    ("isa", &[]),
    ("object", &[]),
    ("frontend", &["ir"]),
    ("backend", &["ir", "isa", "object"]),
    ("driver", &["frontend", "ir", "backend", "isa", "object"]),
    ("vm", &["isa"]),
    ("runtime", &["vm", "isa", "object", "driver"]),
    (
        "cli",
        &[
            "frontend", "ir", "isa", "object", "backend", "driver", "vm", "runtime",
        ],
    ),
];

fn visit(path: &Path, module: &str, allowed: &[&str], bad: &mut Vec<String>, uses: &mut usize) {
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            visit(&path, module, allowed, bad, uses);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            for (number, line) in text.lines().enumerate() {
                for piece in line.split("crate::").skip(1) {
                    let name: String = piece
                        .chars()
                        .take_while(|c| c.is_alphanumeric() || *c == '_')
                        .collect();
                    *uses += 1;
                    let open = [module, "num", "diag"].contains(&name.as_str());
                    let known = MAY_USE.iter().any(|(m, _)| *m == name);
                    if known && !open && !allowed.contains(&name.as_str()) {
                        bad.push(format!(
                            "{}:{}: `{module}` uses `{name}`",
                            path.display(),
                            number + 1
                        ));
                    }
                }
            }
        }
    }
}

#[test]
fn layers_point_downwards() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut bad = Vec::new();
    let mut uses = 0;
    for (module, allowed) in MAY_USE {
        visit(&src.join(module), module, allowed, &mut bad, &mut uses);
    }
    for entry in fs::read_dir(&src).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let listed = MAY_USE.iter().any(|(m, _)| *m == name);
        assert!(
            !path.is_dir() || name == "bin" || listed,
            "src/{name} is not in the layer table"
        );
    }
    assert!(
        uses > 50,
        "the walk found only {uses} uses: it looks in the wrong place"
    );
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}
