//! Code objects: ours read back, ours against LLVM's tools ([`llvm`]), those of other compilers against
//! their descriptions ([`foreign`]), damaged ones against the rule that bad input gives an error
//! ([`damaged`]).

#![allow(clippy::print_stdout)]

mod damaged;
mod foreign;
mod llvm;
#[path = "../support/mod.rs"]
mod support;

use kcc::object::ObjectError;
use kcc::object::hsaco::descriptor::Descriptor;
use kcc::object::hsaco::metadata::{AddressSpace, KernelArg, KernelMetadata, ValueKind};
use kcc::object::hsaco::target::Family;
use kcc::object::hsaco::{self, CodeObject, Kernel, LineRow, Param, ParamShape, TargetId};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use support::tools;

const SAXPY: &str = include_str!("../vectors/gfx942/saxpy.tsv");

/// The bytes of each instruction, and its text.
fn instructions() -> Vec<(Vec<u8>, &'static str)> {
    let lines = SAXPY.lines().filter(|l| !l.starts_with('#'));
    let parse = |line: &'static str| {
        let (hex, text) = line.split_once('\t').expect("two columns");
        let byte = |i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hex");
        ((0..hex.len()).step_by(2).map(byte).collect(), text)
    };
    lines.map(parse).collect()
}

fn param(name: &str, element: &str, shape: ParamShape, readonly: bool) -> Param {
    Param {
        name: name.to_owned(),
        element: element.to_owned(),
        shape,
        readonly,
    }
}

fn arg(name: &str, offset: u32, size: u32) -> KernelArg {
    let pointer = size == 8;
    KernelArg {
        name: Some(name.to_owned()),
        size,
        offset,
        value_kind: if pointer {
            ValueKind::GlobalBuffer
        } else {
            ValueKind::ByValue
        },
        address_space: pointer.then_some(AddressSpace::Global),
        ..KernelArg::default()
    }
}

/// A kernel with the code of `saxpy`; each instruction is on a source line of its own from 10.
fn kernel(name: &str) -> Kernel {
    let mut descriptor = Descriptor::new(Family::Gfx940, 64);
    descriptor.kernarg_size = 24;
    descriptor.kernarg_segment_ptr = true;
    descriptor.user_sgpr_count = 2;
    descriptor.set_vgprs(Family::Gfx940, 4, 4);
    descriptor.set_sgprs(Family::Gfx940, 16);
    let (mut code, mut lines) = (Vec::new(), Vec::new());
    for (i, (bytes, _)) in instructions().iter().enumerate() {
        lines.push(LineRow {
            offset: code.len() as u32,
            file: 0,
            line: 10 + i as u32,
            column: 5,
        });
        code.extend_from_slice(bytes);
    }
    Kernel {
        name: name.to_owned(),
        code,
        descriptor,
        metadata: KernelMetadata {
            name: name.to_owned(),
            symbol: format!("{name}.kd"),
            kernarg_segment_size: 24,
            kernarg_segment_align: 8,
            wavefront_size: 64,
            sgpr_count: 22,
            vgpr_count: 4,
            agpr_count: Some(0),
            max_flat_workgroup_size: 256,
            uses_dynamic_stack: Some(false),
            reqd_workgroup_size: Some([256, 1, 1]),
            args: vec![
                arg("x", 0, 8),
                arg("y", 8, 8),
                arg("a", 16, 4),
                arg("n", 20, 4),
            ],
            ..KernelMetadata::default()
        },
        params: vec![
            param("x", "f32", ParamShape::Slice, true),
            param("x.len", "u32", ParamShape::LengthOf(0), true),
        ],
        lines,
    }
}

fn object(names: &[&str]) -> CodeObject {
    CodeObject {
        target: TargetId::parse("gfx942").expect("a target"),
        kernels: names.iter().map(|n| kernel(n)).collect(),
        files: vec!["saxpy.k".to_owned()],
    }
}

fn written(names: &[&str]) -> Vec<u8> {
    hsaco::write(&object(names)).expect("written")
}

fn run(command: &mut Command) -> String {
    let output = command.output().expect("the tool starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {stderr}");
    assert_eq!(stderr, "", "{command:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// A folder with our object file in it.
fn saved(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("k.hsaco");
    fs::write(&path, bytes).expect("written");
    (folder, path)
}

#[test]
fn reading_gives_back_what_was_written() {
    for names in [&["saxpy"][..], &["y", "saxpy", "n", "k3", "k4", "k5"]] {
        let object = object(names);
        let bytes = hsaco::write(&object).expect("written");
        assert_eq!(
            bytes,
            hsaco::write(&object).expect("written"),
            "reproducible"
        );
        let loaded = hsaco::read(&bytes).expect("read");
        assert_eq!(loaded.ignored, vec![]);
        assert_eq!(loaded.target, object.target);
        assert_eq!(loaded.kernels.len(), names.len());
        for (ours, back) in object.kernels.iter().zip(&loaded.kernels) {
            assert_eq!(back.name, ours.name);
            assert_eq!(loaded.code(back), ours.code);
            assert_eq!(back.metadata, ours.metadata);
            assert_eq!(back.params.as_ref(), Some(&ours.params));
            assert_eq!(back.entry_vaddr % 256, 0);
            let mut descriptor = back.descriptor;
            descriptor.entry_offset = 0;
            assert_eq!(descriptor, ours.descriptor);
            for row in &ours.lines {
                let pc = back.entry_vaddr + u64::from(row.offset);
                let place = loaded.lines.find(pc).expect("a place");
                let found = (place.file, place.line, place.column);
                assert_eq!(found, ("saxpy.k", row.line, row.column));
            }
            assert_eq!(
                loaded.function_at(back.entry_vaddr + 8).map(|s| &s.name),
                Some(&ours.name)
            );
        }
        let image = loaded.image(0x10000, |_| None).expect("no relocation");
        let entry = loaded.kernels[0].entry_vaddr as usize;
        let code = &object.kernels[0].code;
        assert_eq!(image[entry..entry + code.len()], code[..]);
    }
}

/// Kernels of random size, number, name and descriptor.
#[test]
fn random_objects_come_back() {
    for seed in 0..200 {
        let mut state = seed;
        let mut below = |n: u64| random(&mut state) % n;
        let mut object = object(&[]);
        for i in 0..below(12) {
            let mut kernel = kernel(&format!("k{}_{i}", below(1000)));
            let words = 1 + below(300) as usize;
            kernel.code = (0..words * 4).map(|_| below(256) as u8).collect();
            kernel.lines.clear();
            for word in 0..words as u32 {
                if below(3) == 0 {
                    kernel.lines.push(LineRow {
                        offset: word * 4,
                        file: below(3) as u32,
                        line: below(5000) as u32,
                        column: below(200) as u32,
                    });
                }
            }
            let descriptor = &mut kernel.descriptor;
            descriptor.kernarg_size = below(1 << 32) as u32;
            descriptor.vgpr_granules = below(64) as u32;
            descriptor.rsrc3_low = below(64) as u32;
            descriptor.tg_split = below(2) == 0;
            descriptor.kernarg_preload_length = below(16) as u32;
            kernel.metadata.args.truncate(below(5) as usize);
            kernel.metadata.vgpr_count = below(1 << 32) as u32;
            object.kernels.push(kernel);
        }
        object.files = vec!["a.k".to_owned(), "dir/b.k".to_owned(), "ä.k".to_owned()];
        let bytes = hsaco::write(&object).expect("written");
        assert_same(&object, &hsaco::read(&bytes).expect("read"), seed);
    }
}

/// Compares all that the reader gives back; rows without a line have no place.
fn assert_same(object: &CodeObject, loaded: &hsaco::LoadedObject, seed: u64) {
    assert_eq!(loaded.ignored, vec![], "seed {seed}");
    assert_eq!(loaded.kernels.len(), object.kernels.len(), "seed {seed}");
    for (ours, back) in object.kernels.iter().zip(&loaded.kernels) {
        let mut descriptor = back.descriptor;
        descriptor.entry_offset = 0;
        assert_eq!(descriptor, ours.descriptor, "seed {seed}");
        assert_eq!(loaded.code(back), ours.code, "seed {seed}");
        assert_eq!(back.metadata, ours.metadata, "seed {seed}");
        assert_eq!(back.params.as_ref(), Some(&ours.params), "seed {seed}");
        for row in &ours.lines {
            let pc = back.entry_vaddr + u64::from(row.offset);
            let place = loaded.lines.find(pc);
            let found = place.map(|p| (p.file, p.line, p.column));
            let file = object.files[row.file as usize].as_str();
            let wanted = (row.line > 0).then_some((file, row.line, row.column));
            assert_eq!(found, wanted, "seed {seed}");
        }
    }
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let mut twice = object(&["k", "k"]);
    let text = |o: &CodeObject| hsaco::write(o).map_err(|e| e.to_string());
    let problem = "cannot write kernel `k`: another kernel has its name";
    assert_eq!(text(&twice), Err(problem.to_owned()));
    twice.kernels.pop();
    twice.kernels[0].descriptor.user_sgpr_count = 99;
    assert!(text(&twice).is_err_and(|e| e.contains("user_sgpr_count does not fit 5 bits")));
}

/// Assembles and links our text.
fn assembled(object: &CodeObject, source: &str) -> Option<Vec<u8>> {
    let mut assembler = tools::need("llvm-mc-19", 1)?;
    let mut linker = tools::need("ld.lld-19", 1)?;
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("k.s"), source).expect("written");
    let cpu = format!("-mcpu={}", object.target.chip.name);
    run(assembler
        .args(["-triple=amdgcn-amd-amdhsa", "-filetype=obj", &cpu, "-o"])
        .args([path("k.o"), path("k.s")]));
    let unlinked = hsaco::read(&fs::read(path("k.o")).expect("there"));
    assert_eq!(unlinked, Err(ObjectError::NotLinked));
    run(linker
        .arg("-shared")
        .arg("-o")
        .args([path("k.hsaco"), path("k.o")]));
    Some(fs::read(path("k.hsaco")).expect("there"))
}

/// The description of the metadata note.
fn note(object: &[u8]) -> &[u8] {
    let owner = object.windows(8).position(|w| w == b"AMDGPU\0\0");
    let start = owner.expect("a note");
    let size = object[start - 8..start - 4].try_into().expect("4 bytes");
    &object[start + 8..start + 8 + u32::from_le_bytes(size) as usize]
}

/// The folder of foreign kernels, or `None` after saying that the checks are skipped.
fn corpus() -> Option<PathBuf> {
    let found = std::env::var_os("KCC_CORPUS").map(PathBuf::from);
    if found.is_none() {
        assert!(!tools::in_ci(), "KCC_CORPUS is not set");
        println!("SKIPPED 602 checks: KCC_CORPUS is not set");
    }
    found
}

/// The next number of SplitMix64.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
