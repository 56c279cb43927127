//! Objects that are cut, bent, or of the wrong kind.

use super::*;

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
