//! Tests of the front end as a whole.

use super::*;
use crate::diag::{Code, Diagnostic, Severity};

fn compile_text(text: &str) -> (Option<Module>, Vec<Diagnostic>) {
    let mut sources = SourceMap::new();
    let file = sources.add("test.k", text);
    let mut sink = Sink::new();
    let module = compile(file, &sources, &Options::default(), &mut sink);
    (module, sink.take())
}

const SAXPY: &str = "@launch_bounds(256)
kernel saxpy(y: &global mut [f32], x: &global [f32], a: f32) {
    let i = global_id.x;
    if i < y.len { y[i] += a * x[i]; }
}
";

#[test]
fn saxpy_has_slices_as_pointer_and_length_and_one_fma() {
    let (module, found) = compile_text(SAXPY);
    assert!(found.is_empty(), "{found:?}");
    let func = &module.unwrap().functions[0];
    let names: Vec<&str> = func.params.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["y", "y.len", "x", "x.len", "a"]);
    assert!(func.params[2].readonly && !func.params[0].readonly);
    assert_eq!(func.attrs.launch_bounds, Some((256, 1)));
    let fmas = func
        .insts
        .iter()
        .filter(|(_, i)| i.op == crate::ir::Opcode::Fma)
        .count();
    assert_eq!(fmas, 1);
    assert!(
        func.insts
            .iter()
            .all(|(_, i)| !i.span.is_none() || i.op == crate::ir::Opcode::Ret)
    );
}

/// The `k` blocks of an explain page: text, and whether it must fail.
fn page_examples(page: &str) -> Vec<(String, bool)> {
    let mut out = Vec::new();
    let mut open: Option<(String, bool)> = None;
    for line in page.lines() {
        match (line, &mut open) {
            ("```", Some(_)) => out.extend(open.take()),
            ("```k", None) => open = Some((String::new(), false)),
            ("```k fails", None) => open = Some((String::new(), true)),
            (line, Some((text, _))) => {
                text.push_str(line);
                text.push('\n');
            }
            _ => {}
        }
    }
    out
}

#[test]
fn explain_pages_fail_and_compile_as_they_say() {
    let mut checked = 0;
    for code in Code::all() {
        let front = ["K00", "K01", "K02", "K03", "W01"]
            .iter()
            .any(|p| code.name().starts_with(p));
        let examples = page_examples(code.page());
        assert!(
            !front || code.name() == "K0004" || examples.len() == 2,
            "{code} needs two examples"
        );
        for (text, fails) in examples {
            let (_, found) = compile_text(&text);
            let codes: Vec<Code> = found.iter().map(|d| d.code).collect();
            if fails {
                assert!(codes.contains(&code), "{code}: {text}\n{found:?}");
                let others: Vec<_> = found
                    .iter()
                    .filter(|d| d.severity == Severity::Error && d.code != code)
                    .collect();
                assert!(others.is_empty(), "{code}: {others:?}");
            } else {
                let errors: Vec<_> = found
                    .iter()
                    .filter(|d| d.severity == Severity::Error || d.code == code)
                    .collect();
                assert!(errors.is_empty(), "{code}: {text}\n{errors:?}");
            }
            checked += 1;
        }
    }
    assert!(checked > 40, "{checked}");
}

#[test]
fn habits_of_other_languages_get_help() {
    for (body, help) in [
        ("int i = 0;", "names come before types"),
        ("var i = 0; i++;", "there is no `++`"),
        ("for (i = 0; i < 4; i += 1) { }", "for i in 0 .. n"),
        ("if n = 3 { y[0] = 1.0; }", "compare with `==`"),
        ("if 0 < n < 3 { y[0] = 1.0; }", "do not chain"),
        ("y[threadIdx.x] = 1.0;", "thread_id"),
    ] {
        let (_, found) = compile_text(&format!(
            "kernel k(y: &global mut [f32], n: u32) {{ {body} }}"
        ));
        let text = format!("{found:?}");
        assert!(
            text.contains(help)
                || found
                    .iter()
                    .flat_map(|d| &d.help)
                    .any(|h| h.edit.as_ref().is_some_and(|e| e.1 == help)),
            "{body}: {text}"
        );
    }
}

#[test]
fn literals_take_the_type_of_their_surroundings() {
    let (module, found) = compile_text(
        "kernel k(y: &global mut [f64], n: u64) {
            let a: f64 = 1;
            let b = 2 * n + 0xffff_ffff_ffff;
            let c = -1i64;
            let d = 0x1.8p1f64;
            y[b] = a + 2.5 + d + c as f64;
        }",
    );
    assert!(found.is_empty(), "{found:?}");
    assert!(module.is_some());
    assert_eq!(
        check::expr::parse_float("0x1.8p1", types::Scalar::F32),
        Some(u64::from(3f32.to_bits()))
    );
    assert_eq!(check::expr::parse_float("1e39", types::Scalar::F32), None);
    assert_eq!(
        check::expr::parse_float("1e-50", types::Scalar::F32),
        Some(0)
    );
}

#[test]
fn deep_nesting_is_refused_not_fatal() {
    for text in [
        format!(
            "kernel k(y: &global mut [i32]) {{ y[0] = {}1{}; }}",
            "(".repeat(20_000),
            ")".repeat(20_000)
        ),
        format!(
            "kernel k(y: &global mut [i32]) {{ y[0] = {}1; }}",
            "-".repeat(20_000)
        ),
        format!(
            "kernel k(y: &global mut [i32]) {{ y[0] = 1{}; }}",
            " + 1".repeat(20_000)
        ),
        format!(
            "kernel k() {{ {} {} }}",
            "{".repeat(5_000),
            "}".repeat(5_000)
        ),
        format!("kernel k(y: {}u32) {{ }}", "*global ".repeat(5_000)),
        format!(
            "kernel k(n: u32) {{ {} {{ }} }}",
            "if n == 1 { } else ".repeat(3_000)
        ),
        format!(
            "kernel k(y: &global mut [i32]) {{ y[0] = {}1; }}",
            "n ? 1 : ".repeat(5_000)
        ),
    ] {
        let (_, found) = compile_text(&text);
        assert!(
            found.iter().any(|d| d.code == Code::K0004) || text.contains("((("),
            "{:?}",
            &text[..60]
        );
    }
}

#[test]
fn broken_sources_never_panic() {
    let base = include_str!("../../examples/mandelbrot.k");
    for end in (0..base.len()).filter(|i| base.is_char_boundary(*i)) {
        compile_text(&base[..end]);
    }
    let pieces = [
        "", "{", "}", "(", ")", ";", "..", "=", "let", "@", "\"", "/*", "as", "&", "1.5", "é",
        "'a", "::<", ">>",
    ];
    let mut state = 1u64;
    for _ in 0..3000 {
        let mut next = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) as usize
        };
        let mut text: Vec<&str> = base.split_inclusive(' ').collect();
        for _ in 0..3 {
            let at = next() % text.len();
            text[at] = pieces[next() % pieces.len()];
        }
        compile_text(&text.concat());
    }
}

#[test]
fn one_mistake_gives_one_message() {
    let (_, found) = compile_text(
        "kernel k(y: &global mut [f32]) {
            let a = nothing + 1.0;
            let b = a * 2.0;
            y[0] = b;
            y[1] = a < 3 ? b : 1.0;
        }",
    );
    assert_eq!(found.len(), 1, "{found:?}");
}

/// Runs a kernel on `f32` buffers with the evaluator.
fn evaluate(module: &Module, launch: [u32; 2], args: &[Arg]) -> Vec<Vec<u8>> {
    let mut memory = crate::ir::eval::Allocations::new();
    let mut bits = Vec::new();
    let mut bases = Vec::new();
    for (n, arg) in args.iter().enumerate() {
        match arg {
            Arg::Buffer(data, elem) => {
                let base = (n as u64 + 1) << 20;
                memory.add(base, "buffer", data.clone(), false);
                bits.push(base);
                bits.push((data.len() / elem) as u64);
                bases.push(base);
            }
            Arg::Bits(value) => bits.push(*value),
        }
    }
    let launch = crate::ir::eval::Launch {
        grid: [launch[0], 1, 1],
        block: [launch[1], 1, 1],
        wave: 64,
        max_insts: Some(1 << 20),
    };
    let name = &module.functions[0].name;
    crate::ir::eval::run(module, name, &launch, &bits, &mut memory).unwrap();
    bases
        .iter()
        .map(|b| memory.contents(*b).unwrap().to_vec())
        .collect()
}

enum Arg {
    Buffer(Vec<u8>, usize),
    Bits(u64),
}

/// Every pipeline gives the evaluator the same results, and every pass leaves a sound function.
#[test]
fn examples_evaluate_the_same_at_every_level() {
    use crate::ir::passes::{RunOptions, run};
    let floats = |n: u32| -> Vec<u8> {
        (0..n)
            .flat_map(|i| (i as f32 * 0.37 - 20.0).to_le_bytes())
            .collect()
    };
    let cases: Vec<(&str, [u32; 2], Vec<Arg>)> = vec![
        (
            SAXPY,
            [2, 64],
            vec![
                Arg::Buffer(floats(100), 4),
                Arg::Buffer(floats(100), 4),
                Arg::Bits(u64::from(2f32.to_bits())),
            ],
        ),
        (
            include_str!("../../examples/mandelbrot.k"),
            [4, 16],
            vec![
                Arg::Buffer(vec![0; 64 * 4], 4),
                Arg::Bits(64),
                Arg::Bits(1),
                Arg::Bits(50),
            ],
        ),
        (
            include_str!("../../examples/hash.k"),
            [1, 64],
            vec![
                Arg::Buffer(vec![0; 256], 4),
                Arg::Buffer((0..=255).cycle().take(512).collect(), 8),
                Arg::Bits(3),
            ],
        ),
    ];
    for (text, launch, args) in cases {
        let (module, found) = compile_text(text);
        assert!(found.is_empty(), "{found:?}");
        let module = module.unwrap();
        for func in &module.functions {
            let errors = crate::ir::verify::verify(func, crate::ir::Stage::Vars);
            assert!(
                errors.is_empty(),
                "{}",
                crate::ir::verify::render_errors(func, &errors)
            );
        }
        let want = evaluate(&module, launch, &args);
        for level in 0..3 {
            let mut optimised = module.clone();
            let options = RunOptions {
                level,
                verify_each: true,
                ..RunOptions::default()
            };
            run(&mut optimised, &options).unwrap_or_else(|e| match e {
                crate::ir::passes::RunError::Broken(pass, _, text) => panic!("{pass}\n{text}"),
                other => panic!("{other:?}"),
            });
            assert_eq!(evaluate(&optimised, launch, &args), want, "level {level}");
        }
    }
}
