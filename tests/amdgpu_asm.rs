//! Our bytes against LLVM's: the text of `-S`, assembled with `llvm-mc` and linked with `ld.lld`,
//! has the same `.text` as the code object of `-c`. For every example at every level.

#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use kcc::backend::registry::find_target;
use kcc::diag::SourceMap;
use kcc::driver::{Artifact, Failure, Input, Language, MachineCode, Options, compile};
use kcc::object::hsaco;
use support::tools;

fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let entries = std::fs::read_dir(folder).expect("the folder of examples");
    let mut files: Vec<_> = entries
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "k"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn try_compile(path: &Path, options: &Options) -> Result<Artifact, Failure> {
    let input = Input {
        name: path.file_name().unwrap().to_string_lossy().into_owned(),
        text: std::fs::read_to_string(path).unwrap(),
        language: Language::Kernel,
    };
    compile(&mut SourceMap::new(), &input, options)
}

fn compile_file(path: &Path, options: &Options) -> MachineCode {
    match try_compile(path, options) {
        Ok(artifact) => artifact.machine.expect("a target was asked for"),
        Err(Failure::Rejected(found)) => panic!("{}: {found:?}", path.display()),
        Err(Failure::Bug(bug)) => panic!("{}: {bug}", path.display()),
    }
}

fn variants() -> Vec<Options> {
    let target = find_target("gfx942").unwrap_or_else(|e| panic!("{}", e.message));
    let mut all: Vec<Options> = (0..=2)
        .map(|opt_level| Options {
            target: Some(target),
            opt_level,
            ..Options::default()
        })
        .collect();
    let mut spilling = all[2].clone();
    spilling.codegen.max_regs = Some(24);
    all.push(spilling);
    all
}

/// The code of each kernel of an object file.
fn codes(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let object = hsaco::read(bytes).expect("a code object");
    let code = |range: &std::ops::Range<u64>| {
        let mut segments = object.segments.iter();
        let segment = segments
            .find(|s| s.vaddr <= range.start && range.end <= s.end())
            .expect("code is in a segment");
        let start = (range.start - segment.vaddr) as usize;
        let size = (range.end - range.start) as usize;
        segment.data[start..start + size].to_vec()
    };
    let kernels = object.kernels.iter();
    kernels.map(|k| (k.name.clone(), code(&k.code))).collect()
}

fn run(command: &mut Command) {
    let output = command.output().expect("the tool starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
}

#[test]
fn the_assembly_text_gives_the_bytes_of_the_object() {
    let checks = examples().len() * variants().len();
    if tools::need("llvm-mc-19", checks).is_none() || tools::need("ld.lld-19", checks).is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder for outputs");
    let (text, object, linked) = (
        folder.path().join("k.s"),
        folder.path().join("k.o"),
        folder.path().join("k.hsaco"),
    );
    for path in examples() {
        for options in variants() {
            let machine = compile_file(&path, &options);
            std::fs::write(&text, &machine.asm).unwrap();
            let mut assemble = tools::need("llvm-mc-19", 1).unwrap();
            run(assemble
                .args(["-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-filetype=obj"])
                .arg("-o")
                .arg(&object)
                .arg(&text));
            let mut link = tools::need("ld.lld-19", 1).unwrap();
            run(link.arg("-shared").arg("-o").arg(&linked).arg(&object));
            let theirs = codes(&std::fs::read(&linked).unwrap());
            assert_eq!(
                codes(&machine.object),
                theirs,
                "{} {options:?}",
                path.display()
            );
        }
    }
}

#[test]
fn equal_input_gives_equal_bytes() {
    for path in examples() {
        for options in variants() {
            let (a, b) = (compile_file(&path, &options), compile_file(&path, &options));
            assert_eq!(a.object, b.object, "{}", path.display());
            assert_eq!(a.asm, b.asm, "{}", path.display());
        }
    }
}

#[test]
fn any_register_budget_gives_code_or_a_diagnostic() {
    let mut refused = 0;
    for path in examples() {
        for budget in [0, 1, 2, 3, 4, 6, 8, 12, 16, 1000] {
            let mut options = variants()[2].clone();
            options.codegen.max_regs = Some(budget);
            match try_compile(&path, &options) {
                Ok(artifact) => {
                    let machine = artifact.machine.expect("a target was asked for");
                    assert!(machine.resources[0].vgprs <= budget.max(1));
                }
                Err(Failure::Rejected(found)) => {
                    assert!(found.iter().all(|d| d.code.name() == "K0403"), "{found:?}");
                    refused += 1;
                }
                Err(Failure::Bug(bug)) => panic!("{} with {budget}: {bug}", path.display()),
            }
        }
    }
    assert!(refused > 0, "no kernel does without registers");
}

#[test]
fn a_tight_budget_spills_and_says_what() {
    let path = examples().into_iter().find(|p| p.ends_with("horner.k"));
    let path = path.expect("the example with 200 live values");
    let machine = compile_file(&path, &variants()[3]);
    let report = &machine.resources[0];
    assert!(report.vgprs <= 24, "{report:?}");
    assert!(report.scratch_bytes > 0, "{report:?}");
    assert!(
        report.spills.iter().any(|s| s.name.starts_with('c')),
        "{report:?}"
    );
    let roomy = compile_file(&path, &variants()[2]);
    assert!(roomy.resources[0].spills.is_empty());
}
