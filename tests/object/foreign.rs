//! Code objects that clang and Triton made.

use super::*;
use kcc::object::hsaco::text::{self, AsmLine};
use std::path::Path;

/// The code objects of the corpus with their descriptions.
fn foreign(corpus: &Path) -> Vec<(serde_json::Value, Vec<u8>)> {
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
