//! Kernels of other compilers with known outputs run on the machine.
//!
//! `tests/vectors/corpus` has a few that always run. `KCC_CORPUS` names a folder of many more in the
//! same form: a description (`kernels/NAME.json`), code objects, inputs by generator and expected
//! outputs as `.npy`. Each kernel runs three times: plain, with the hazard check (compiled code keeps all
//! distances, so a fault here is a fault of the check), and on several threads.
//!
//! Kernels in [`PASSES`] must pass. Those in [`FAILS`] are printed with what keeps them from it; each
//! kernel is in one of the lists and does what its list says.

#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "corpus/compare.rs"]
mod compare;
#[path = "corpus/case.rs"]
mod kernel_case;

use std::path::{Path, PathBuf};

use kernel_case::{Case, Outcome};

const TARGET: &str = "gfx942";

/// Kernels of the corpus that give the expected outputs.
const PASSES: &[&str] = &[
    "amd_atomics",
    "amd_approx",
    "amd_dot",
    "amd_dpp",
    "amd_dpp_bcast",
    "amd_lane",
    "amd_saturate_cvt",
    "at_casloop",
    "at_float",
    "at_int32",
    "at_int64",
    "at_lock",
    "at_shared",
    "at_ticket",
    "cf_break",
    "cf_collatz",
    "cf_early",
    "cf_interpreter",
    "cf_irreducible",
    "cf_jumptable",
    "cf_nested",
    "cf_queens",
    "cf_shortcircuit",
    "cf_switch",
    "cvt_float_to_int",
    "cvt_half_all",
    "cvt_int_to_float",
    "cvt_narrow",
    "fn_indirect",
    "fn_noinline",
    "fn_recursion",
    "fn_stack",
    "fp_bf16_bits",
    "fp_classify",
    "fp_compensated",
    "fp_contract",
    "fp_divsqrt",
    "fp_double",
    "fp_half",
    "fp_horner",
    "fp_mandel",
    "fp_newton64",
    "int_bits",
    "int_carry",
    "int_crc32",
    "int_divconst",
    "int_divmod32",
    "int_divmod64",
    "int_gcd",
    "int_modpow",
    "int_mul64",
    "int_philox",
    "int_saturate",
    "int_shifts",
    "mem_bytes",
    "mem_constant",
    "mem_gather",
    "mem_generic",
    "mem_local_array",
    "mem_module_vars",
    "mem_packed",
    "mem_stride2d",
    "mem_struct_arg",
    "mem_vector",
    "mem_volatile",
    "rp_ntt16",
    "rp_outer8",
    "rp_spill",
    "sh_conv2d",
    "sh_dynamic",
    "sh_gemm",
    "sh_radix",
    "sh_reduce",
    "sh_scan",
    "sh_sort",
    "sh_stencil",
    "sh_transpose",
    "sh_volume",
    "wp_ballot",
    "wp_butterfly64",
    "wp_scan",
    "wp_shuffle",
];

/// Kernels that do not pass, and why.
const FAILS: &[(&str, &str)] = &[
    ("amd_int_ops", "v_lerp_u8 is not in the table"),
    (
        "mfma_f32_16x16x16_bf16",
        "matrix instructions are not in the table",
    ),
    (
        "mfma_f32_16x16x16_f16",
        "matrix instructions are not in the table",
    ),
    (
        "mfma_f32_16x16x4_f32",
        "matrix instructions are not in the table",
    ),
    (
        "mfma_f32_32x32x8_f16",
        "matrix instructions are not in the table",
    ),
    (
        "mfma_f32_4x4x4_f16",
        "matrix instructions are not in the table",
    ),
    (
        "mfma_f64_16x16x4_f64",
        "matrix instructions are not in the table",
    ),
    (
        "mfma_i32_16x16_i8",
        "matrix instructions are not in the table",
    ),
    ("ocl_constant_arg", LIBCLC),
    ("ocl_ids", LIBCLC),
    ("ocl_integer", LIBCLC),
    ("ocl_local_arg", LIBCLC),
    ("ocl_math", LIBCLC),
    ("ocl_vectors", LIBCLC),
];

/// `get_global_offset` of libclc 19 reads word `dim + 1` of the implicit arguments, where code object
/// v5 has the number of workgroups in y: 1, so that every id is one too large.
const LIBCLC: &str = "its library takes the number of workgroups in y for the global offset in x";

/// Kernels in `tests/vectors/corpus`.
const COMMITTED: &[&str] = &["int_divmod64", "fp_divsqrt", "cf_queens"];

fn committed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/corpus")
}

#[test]
fn the_committed_kernels_give_their_outputs() {
    let root = committed();
    for name in COMMITTED {
        let case = Case::read(&root, name, TARGET).unwrap().unwrap();
        assert_eq!(case.run_all_ways(), Outcome::Passed, "{name}");
    }
}

#[test]
fn a_wrong_output_is_noticed() {
    let mut case = Case::read(&committed(), COMMITTED[0], TARGET)
        .unwrap()
        .unwrap();
    case.damage_expectation();
    assert!(matches!(case.run_all_ways(), Outcome::Failed(_)));
}

#[test]
fn the_corpus_gives_its_outputs() {
    let Some(root) = std::env::var_os("KCC_CORPUS").map(PathBuf::from) else {
        println!(
            "SKIPPED {} corpus kernels: KCC_CORPUS is not set",
            PASSES.len()
        );
        return;
    };
    let mut results: Vec<(String, Outcome)> = Vec::new();
    for name in kernel_case::names(&root) {
        match Case::read(&root, &name, TARGET) {
            Ok(Some(case)) => results.push((name, case.run_all_ways())),
            // No code object for this target, or a tool that passes arguments in its own way.
            Ok(None) => {}
            Err(error) => panic!("{name}: {error}"),
        }
    }
    let known = |name: &str| FAILS.iter().find(|(n, _)| *n == name).map(|(_, why)| *why);
    let mut wrong = Vec::new();
    for (name, outcome) in &results {
        let listed = PASSES.contains(&name.as_str());
        match outcome {
            Outcome::Passed => println!("passed      {name}"),
            Outcome::Failed(why) => println!(
                "failed      {name}: {why} ({})",
                known(name).unwrap_or("not expected")
            ),
            Outcome::CannotRun(why) => println!(
                "cannot run  {name}: {why} ({})",
                known(name).unwrap_or("not expected")
            ),
        }
        let passed = *outcome == Outcome::Passed;
        if listed != passed || passed == known(name).is_some() {
            wrong.push(format!("{name}: {outcome:?}, in the list: {listed}"));
        }
    }
    for name in PASSES {
        if !results.iter().any(|(n, _)| n == name) {
            wrong.push(format!("{name} is in the list and not in the corpus"));
        }
    }
    let passed = results
        .iter()
        .filter(|(_, o)| *o == Outcome::Passed)
        .count();
    println!("{passed} of {} kernels passed", results.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
