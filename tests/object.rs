//! Code objects: ours against LLVM's tools, those of other compilers against their descriptions, and
//! damaged ones against the rule that bad input gives an error.

#![allow(clippy::print_stdout)]

mod support;

use kcc::object::ObjectError;
use kcc::object::hsaco::descriptor::Descriptor;
use kcc::object::hsaco::metadata::{AddressSpace, KernelArg, KernelMetadata, ValueKind};
use kcc::object::hsaco::target::Family;
use kcc::object::hsaco::text::{self, AsmLine};
use kcc::object::hsaco::{self, CodeObject, Kernel, LineRow, Param, ParamShape, TargetId};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use support::tools;

const SAXPY: &str = include_str!("vectors/gfx942/saxpy.tsv");

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

#[test]
fn readelf_shows_the_parts_without_a_warning() {
    let Some(mut tool) = tools::need("llvm-readelf-19", 1) else {
        return;
    };
    let (_folder, path) = saved(&written(&["saxpy", "y"]));
    let options = [
        "-hSlsndr",
        "--gnu-hash-table",
        "--dyn-syms",
        "--hash-table",
        "--notes",
    ];
    let shown = run(tool.args(options).arg(&path));
    for wanted in [
        "AMDGPU - HSA",
        "ABI Version:                       3",
        "0x54C, gfx942, xnack, sramecc",
        "GNU_RELRO",
        ".note .dynsym .gnu.hash .hash .dynstr .rodata ",
        "92 FUNC    GLOBAL PROTECTED     7 saxpy",
        "64 OBJECT  GLOBAL DEFAULT       6 saxpy.kd",
        "NT_AMDGPU_METADATA",
        ".symbol:         y.kd",
        ".kcc.params",
    ] {
        let normal = |s: &str| s.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            normal(&shown).contains(&normal(wanted)),
            "{wanted}\n{shown}"
        );
    }
}

#[test]
fn objdump_shows_instructions_with_lines() {
    let Some(mut tool) = tools::need("llvm-objdump-19", 1) else {
        return;
    };
    let (_folder, path) = saved(&written(&["saxpy", "y"]));
    // The source file is not there, which the tool says on its error output.
    let output = tool.args(["-dl", "--mcpu=gfx942"]).arg(&path).output();
    let shown = String::from_utf8(output.expect("the tool starts").stdout).expect("UTF-8");
    assert_eq!(shown.matches("; saxpy():").count(), 1, "{shown}");
    let lines: Vec<&str> = shown.lines().collect();
    for (i, (_, text)) in instructions().iter().enumerate() {
        let place = format!("saxpy.k:{}", 10 + i);
        let at = lines
            .iter()
            .position(|l| l.starts_with("; ") && l.ends_with(&place));
        let at = at.unwrap_or_else(|| panic!("{place} is missing in\n{shown}"));
        assert!(
            lines[at + 1].trim_start().starts_with(text),
            "{place}\n{shown}"
        );
    }
}

#[test]
fn dwarfdump_verifies_the_debug_sections() {
    let Some(mut tool) = tools::need("llvm-dwarfdump-19", 1) else {
        return;
    };
    let (_folder, path) = saved(&written(&["saxpy", "y"]));
    let shown = run(tool.arg("--verify").arg(&path));
    assert!(shown.contains("No errors."), "{shown}");
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

#[test]
fn assembled_text_gives_the_same_object() {
    let object = object(&["saxpy", "y", "n"]);
    let body = |kernel: &Kernel| {
        let mut body = vec![AsmLine::Comment("the whole kernel".to_owned())];
        for (row, (_, text)) in kernel.lines.iter().zip(instructions()) {
            let (file, line, column) = (row.file, row.line, row.column);
            body.push(AsmLine::Place { file, line, column });
            body.push(AsmLine::Inst(text.to_owned()));
        }
        body
    };
    let bodies: Vec<_> = object.kernels.iter().map(body).collect();
    let Some(theirs) = assembled(&object, &text::print(&object, &bodies)) else {
        return;
    };
    let ours = hsaco::write(&object).expect("written");
    assert_eq!(note(&ours), note(&theirs));
    let ours = hsaco::read(&ours).expect("read");
    let theirs = hsaco::read(&theirs).expect("read");
    let (our_lines, their_lines) = (&ours.lines, &theirs.lines);
    assert_eq!(theirs.ignored, vec![]);
    let text = |o: &hsaco::LoadedObject| {
        let segment = o.segments.iter().find(|s| s.executable);
        segment.expect("code").data.clone()
    };
    assert_eq!(text(&ours), text(&theirs));
    for (ours, theirs) in ours.kernels.iter().zip(&theirs.kernels) {
        let mut descriptor = theirs.descriptor;
        descriptor.entry_offset = ours.descriptor.entry_offset;
        assert_eq!(ours.descriptor, descriptor);
        assert_eq!(ours.metadata, theirs.metadata);
        assert_eq!(ours.params, theirs.params);
        for offset in (0..ours.code.end - ours.code.start).step_by(4) {
            let place = our_lines.find(ours.entry_vaddr + offset);
            assert!(place.is_some());
            assert_eq!(place, their_lines.find(theirs.entry_vaddr + offset));
        }
    }
}

/// Descriptors of every kind of field survive the assembler, on every family.
#[test]
fn directives_give_the_same_descriptor_on_all_targets() {
    let compiled = [
        ("gfx900", Family::Gfx9, 64),
        ("gfx90a", Family::Gfx90a, 64),
        ("gfx942", Family::Gfx940, 64),
        ("gfx1030", Family::Gfx10, 32),
        ("gfx1030", Family::Gfx10, 64),
        ("gfx1100", Family::Gfx11, 32),
        ("gfx1100", Family::Gfx11, 64),
    ];
    for (chip, family, wave) in compiled {
        let mut object = object(&["k"]);
        object.target = TargetId::parse(chip).expect("a target");
        let kernel = &mut object.kernels[0];
        kernel.code = 0xbf81_0000u32.to_le_bytes().to_vec();
        kernel.lines.clear();
        kernel.metadata.wavefront_size = wave;
        let mut d = Descriptor::new(family, wave);
        d.set_vgprs(family, 60, 32);
        d.set_sgprs(family, 102);
        d.group_segment_fixed_size = 4096;
        d.private_segment_fixed_size = 64;
        d.enable_private_segment = true;
        d.kernarg_segment_ptr = true;
        d.dispatch_ptr = true;
        d.user_sgpr_count = 14;
        d.workgroup_id_z = true;
        d.workitem_id = 2;
        d.float_round_mode_32 = 1;
        d.float_denorm_mode_32 = 3;
        d.fp16_overflow = true;
        d.ieee_mode = false;
        d.exception_int_div_zero = true;
        kernel.descriptor = d;
        let body = vec![AsmLine::Inst(".long 0xbf810000".to_owned())];
        let Some(bytes) = assembled(&object, &text::print(&object, &[body])) else {
            return;
        };
        let theirs = hsaco::read(&bytes).expect("read").kernels[0].descriptor;
        d.entry_offset = theirs.entry_offset;
        assert_eq!(theirs, d, "{chip} wave{wave}");
    }
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

/// The code objects of the corpus with their descriptions.
fn foreign(corpus: &std::path::Path) -> Vec<(serde_json::Value, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(corpus.join("kernels")).expect("a corpus") {
        let text = fs::read(entry.expect("an entry").path()).expect("there");
        let description: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
        for artefact in description["artefacts"].as_array().expect("a list") {
            if artefact["kind"] == "hsaco" {
                let file = artefact["file"].as_str().expect("a name");
                let bytes = fs::read(corpus.join(file)).expect("there");
                found.push((artefact.clone(), bytes));
            }
        }
    }
    assert!(found.len() >= 602, "{} code objects", found.len());
    found
}

#[test]
fn foreign_objects_agree_with_their_descriptions() {
    let Some(corpus) = corpus() else { return };
    for (artefact, bytes) in foreign(&corpus) {
        let file = &artefact["file"];
        let object = hsaco::read(&bytes).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert_eq!(object.ignored, vec![], "{file}");
        let entry = artefact["entry"].as_str().expect("a name");
        let kernel = object
            .kernel(entry)
            .unwrap_or_else(|| panic!("{file}: no {entry}"));
        let (descriptor, metadata) = (&kernel.descriptor, &kernel.metadata);
        let args = |hidden: bool| {
            let args = metadata
                .args
                .iter()
                .filter(|a| a.value_kind.is_hidden() == hidden);
            let show = |a: &KernelArg| {
                serde_json::json!({
                    "offset": a.offset, "size": a.size, "kind": a.value_kind.name()
                })
            };
            args.map(show).collect::<Vec<_>>()
        };
        // The descriptions leave out preloaded arguments.
        let groups = descriptor.user_sgprs().into_iter().map(|u| u.name);
        let user_sgprs: Vec<_> = groups.filter(|n| *n != "kernarg_preload").collect();
        let found = serde_json::json!({
            "target": object.target.chip.name,
            "wave": descriptor.wave_size(),
            "descriptor": metadata.symbol,
            "kernarg_size": descriptor.kernarg_size,
            "kernarg_align": metadata.kernarg_segment_align,
            "group_fixed": descriptor.group_segment_fixed_size,
            "private_fixed": descriptor.private_segment_fixed_size,
            "sgprs": metadata.sgpr_count,
            "vgprs": metadata.vgpr_count,
            "agprs": metadata.agpr_count.unwrap_or(0),
            "user_sgprs": user_sgprs,
            "hidden": args(true),
        });
        for (key, value) in found.as_object().expect("a map") {
            assert_eq!(value, &artefact[key], "{file}: {key}");
        }
        // Triton passes scratch pointers behind the arguments that the description lists.
        let listed = artefact["kernarg"].as_array().expect("a list");
        assert_eq!(&args(false)[..listed.len()], &listed[..], "{file}");
        let family = object.target.chip.family;
        assert!(descriptor.vgprs(family) >= metadata.vgpr_count, "{file}");
        assert_eq!(
            metadata.kernarg_segment_size, descriptor.kernarg_size,
            "{file}"
        );
        let at = kernel.descriptor_vaddr as usize;
        let image = object.image(1 << 32, |_| None).expect("relocated");
        assert_eq!(image[at..at + 64], descriptor.to_bytes(), "{file}");
        // Map keys are in LLVM's order, so the note comes out byte for byte.
        let again = hsaco::Metadata::decode(note(&bytes)).expect("decoded");
        assert_eq!(again.encode(), note(&bytes), "{file}");
    }
}

#[test]
fn descriptors_of_foreign_kernels_print_and_assemble() {
    let Some(corpus) = corpus() else { return };
    let mut seen: Vec<(TargetId, Vec<Descriptor>)> = Vec::new();
    for (_, bytes) in foreign(&corpus) {
        let object = hsaco::read(&bytes).expect("read");
        for kernel in &object.kernels {
            let mut descriptor = kernel.descriptor;
            descriptor.entry_offset = 0;
            if matches!(object.target.chip.family, Family::Gfx10 | Family::Gfx11) {
                // clang writes a number here, which RDNA ignores; the assembler writes 0.
                descriptor.sgpr_granules = 0;
                // The prefetch size of gfx11, for which LLVM 19 has no directive.
                descriptor.rsrc3_low &= 15;
            }
            match seen.iter_mut().find(|(t, _)| *t == object.target) {
                Some((_, list)) if list.contains(&descriptor) => {}
                Some((_, list)) => list.push(descriptor),
                None => seen.push((object.target, vec![descriptor])),
            }
        }
    }
    for (target, descriptors) in seen {
        let mut object = object(&[]);
        object.target = target;
        for (i, descriptor) in descriptors.iter().enumerate() {
            let mut kernel = kernel(&format!("k{i}"));
            kernel.descriptor = *descriptor;
            kernel.lines.clear();
            object.kernels.push(kernel);
        }
        let bodies = vec![vec![AsmLine::Inst(".long 0xbf810000".to_owned())]; descriptors.len()];
        let Some(bytes) = assembled(&object, &text::print(&object, &bodies)) else {
            return;
        };
        let theirs = hsaco::read(&bytes).expect("read");
        for (ours, theirs) in descriptors.iter().zip(theirs.kernels) {
            let mut theirs = theirs.descriptor;
            theirs.entry_offset = 0;
            assert_eq!(*ours, theirs, "{target}");
        }
    }
}

/// The next number of SplitMix64.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Reads damaged bytes and uses what comes out; only panics and endless work are failures.
fn survive(bytes: &[u8]) -> bool {
    match hsaco::read(bytes) {
        Ok(object) => {
            for kernel in &object.kernels {
                object.lines.find(kernel.entry_vaddr);
                object.function_at(kernel.entry_vaddr);
            }
            if object.image_size() < 1 << 20 {
                let _ = object.image(u64::MAX - 5, |_| None);
            }
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert!(!error.code().page().is_empty());
            false
        }
    }
}

/// Objects to damage: ours, and foreign ones with relocations where the corpus is there.
fn victims() -> Vec<Vec<u8>> {
    let mut all = vec![written(&["saxpy", "y"])];
    if let Some(corpus) = corpus() {
        let file = corpus.join("hsaco/gfx942/mem_module_vars.hsaco");
        all.push(fs::read(file).expect("there"));
    }
    all
}

#[test]
fn cut_objects_give_errors() {
    for bytes in victims() {
        assert!(survive(&bytes));
        for length in 0..bytes.len() {
            assert!(!survive(&bytes[..length]), "cut to {length} bytes");
        }
    }
}

#[test]
fn flipped_bits_never_panic() {
    for bytes in victims() {
        let mut state = 1;
        for _ in 0..20_000 {
            let mut damaged = bytes.clone();
            for _ in 0..1 + random(&mut state) % 3 {
                let bit = random(&mut state) % (bytes.len() as u64 * 8);
                damaged[bit as usize / 8] ^= 1 << (bit % 8);
            }
            survive(&damaged);
        }
    }
}

#[test]
fn wrong_kinds_of_files_are_named() {
    let problem = |bytes: &[u8]| hsaco::read(bytes).expect_err("wrong").to_string();
    let bundle = problem(b"__CLANG_OFFLOAD_BUNDLE__\x01\0");
    assert_eq!(
        bundle,
        "not an ELF object: it starts with `__CLANG_OFFLOAD_BUNDLE__`"
    );
    let mut bytes = written(&["k"]);
    bytes[18] = 62;
    assert_eq!(
        problem(&bytes),
        "unsupported machine: 62, expected 224 (AMD GPU)"
    );
    let mut bytes = written(&["k"]);
    bytes[48] = 0x36;
    assert_eq!(
        problem(&bytes),
        "malformed ELF header: gfx1030 does not have the e_flags 0x536"
    );
    assert!(problem(&bytes[..40]).contains("ELF header at offset 0x10 needs 48 bytes"));
}
