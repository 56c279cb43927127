//! Printing VISA and reading it back changes nothing: every example at every level, and before SSA
//! construction.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;

use kcc::diag::{Sink, SourceMap};
use kcc::driver::{self, Input, Language, Options};
use kcc::ir::Module;
use kcc::ir::text::print::{PrintOptions, print_module};

fn options(level: u8, passes: Option<&[&str]>) -> Options {
    Options {
        opt_level: level,
        passes: passes.map(|names| names.iter().map(|n| n.to_string()).collect()),
        ..Options::default()
    }
}

fn compile(sources: &mut SourceMap, name: &str, text: &str, options: &Options) -> Module {
    let input = Input {
        name: name.into(),
        text: text.into(),
        language: Language::Kernel,
    };
    let artifact = driver::compile(sources, &input, options);
    artifact.unwrap_or_else(|e| panic!("{name}: {e:?}")).module
}

#[test]
fn examples_read_back_as_they_print() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let settings = [
        ("before SSA", options(0, Some(&[]))),
        ("-O0", options(0, None)),
        ("-O1", options(1, None)),
        ("-O2", options(2, None)),
    ];
    let (mut checked, mut with_vars) = (0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "k") {
            continue;
        }
        let name = path.file_name().unwrap().to_str().unwrap();
        let source = std::fs::read_to_string(&path).unwrap();
        for (setting, options) in &settings {
            let mut sources = SourceMap::new();
            let module = compile(&mut sources, name, &source, options);
            for with_locs in [false, true] {
                let known = sources.clone();
                let locs = with_locs.then_some(&known);
                let text = print_module(&module, PrintOptions { locs });
                with_vars += usize::from(text.contains(".var $"));
                let mut again = known.clone();
                let file = again.add("again.visa", text.as_str());
                let mut sink = Sink::new();
                let read = kcc::ir::text::parse(file, &again, &mut sink)
                    .unwrap_or_else(|| panic!("{name} {setting}: {:#?}", sink.take()));
                let locs = with_locs.then_some(&again);
                let printed = print_module(&read, PrintOptions { locs });
                assert_eq!(printed, text, "{name} {setting}");
                checked += 1;
            }
        }
    }
    assert!(checked >= 5 * 4 * 2, "only {checked} texts");
    assert!(with_vars > 0, "no text had variables");
}

/// A kernel that goes through text compiles to the same bytes as one that does not.
#[test]
fn machine_code_does_not_depend_on_the_way_through_text() {
    let target = kcc::backend::registry::find_target("gfx942").ok().unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for name in ["saxpy.k", "mandelbrot.k", "hash.k"] {
        let source = std::fs::read_to_string(folder.join(name)).unwrap();
        let mut sources = SourceMap::new();
        let mut options = options(2, None);
        options.target = Some(target);
        options.no_lines = true;
        let input = Input {
            name: name.into(),
            text: source,
            language: Language::Kernel,
        };
        let direct = driver::compile(&mut sources, &input, &options).unwrap();
        let input = Input {
            name: "through.visa".into(),
            text: print_module(&direct.module, PrintOptions::default()),
            language: Language::Visa,
        };
        options.passes = Some(Vec::new());
        let through = driver::compile(&mut sources, &input, &options).unwrap();
        let asm = |artifact: &driver::Artifact| artifact.machine.as_ref().unwrap().asm.clone();
        assert_eq!(asm(&through), asm(&direct), "{name}");
    }
}
