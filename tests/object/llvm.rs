//! What LLVM's tools say about our objects, and what they make of our text.

use super::*;
use kcc::object::hsaco::text::{self, AsmLine};

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

#[test]
fn assembled_text_gives_the_same_object() {
    let object = object(&["saxpy", "y", "n", "k3", "k4", "k5", "k6"]);
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
    // Not only the code: all that is loaded is what the linker lays out, hash tables included. Only
    // the ELF header differs, because there are more sections behind.
    let loaded = |o: &hsaco::LoadedObject| {
        let mut segments = o.segments.clone();
        segments[0].data[..64].fill(0);
        segments
    };
    assert!(loaded(&ours) == loaded(&theirs), "loaded segments differ");
    assert_eq!(ours.symbols, theirs.symbols);
    for (ours, theirs) in ours.kernels.iter().zip(&theirs.kernels) {
        assert_eq!(ours.descriptor, theirs.descriptor);
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
