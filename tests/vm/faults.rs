//! Every outcome of a run that is not a result is a fault with its place.

use kcc::vm::{Fault, FaultKind, RunConfig};

use super::machine::{END, config, run_on_buffer, run_words};

const BARRIER: u32 = 0xbf8a_0000;

fn fault(words: &[u32]) -> Fault {
    run_words(words, &config()).expect_err("a fault")
}

#[test]
fn an_endless_loop_reaches_the_limit_exactly() {
    // s_branch to itself
    let found = fault(&[0xbf82_ffff]);
    assert_eq!(found.kind, FaultKind::Limit(1000));
    // Two instructions fit into a limit of two and not of one.
    let limit = |n| RunConfig {
        max_instructions: Some(n),
        ..config()
    };
    let program = [0xbf80_0000, END];
    assert_eq!(run_words(&program, &limit(2)).unwrap().insts, 2);
    assert!(run_words(&program, &limit(1)).is_err());
}

#[test]
fn a_trap_faults_with_its_number_and_text() {
    let found = fault(&[0xbf80_0000, 0xbf92_0002, END]);
    assert_eq!(found.kind, FaultKind::Trap(2));
    assert_eq!(
        (found.inst.as_str(), found.kernel.as_str()),
        ("s_trap 2", "test")
    );
    assert_eq!(found.pc & 0xff, 4);
}

#[test]
fn code_that_runs_past_its_end_faults() {
    assert!(matches!(
        fault(&[0xbf80_0000]).kind,
        FaultKind::IllegalInstruction(_)
    ));
}

#[test]
fn a_null_pointer_faults_and_names_the_lanes() {
    // global_load_dword v4, v[0:1], off: v[0:1] is the lane number
    let found = fault(&[0xdc50_8000, 0x047f_0000, END]);
    assert!(
        matches!(found.kind, FaultKind::IllegalAddress(_)),
        "{found:?}"
    );
    assert_eq!(found.inst, "global_load_dword v4, v[0:1], off");
}

#[test]
fn lds_has_an_end() {
    // ds_read_b32 v4, v0: 64 bytes of LDS, lane 61 and later are outside
    let found = fault(&[0xd86c_0000, 0x0400_0000, END]);
    assert!(matches!(found.kind, FaultKind::OutOfRange(_)), "{found:?}");
}

#[test]
fn the_fault_of_the_lowest_workgroup_is_reported_whatever_the_jobs() {
    for jobs in [1, 4] {
        let config = RunConfig {
            grid: [40, 1, 1],
            jobs,
            ..config()
        };
        // s_cmp_lt_u32 s2, 7; s_cbranch_scc1 +1; s_trap 1; s_endpgm
        let words = [0xbf0a_8702, 0xbf85_0001, 0xbf92_0001, END];
        let found = run_words(&words, &config).expect_err("a trap");
        assert_eq!(
            (found.kind, found.workgroup),
            (FaultKind::Trap(1), [7, 0, 0])
        );
    }
}

#[test]
fn a_barrier_waits_for_all_waves_that_have_not_ended() {
    let config = RunConfig {
        block: [128, 1, 1],
        ..config()
    };
    let counters = run_words(&[BARRIER, BARRIER, END], &config).unwrap();
    assert_eq!((counters.waves, counters.insts), (2, 6));
}

#[test]
fn a_wave_may_wait_in_a_loop_for_a_later_one() {
    // Wave 0 spins until another wave has stored 1 to the buffer.
    let words = [
        0x7e08_0500, // v_readfirstlane_b32 s4, v0
        0x7e04_0281, // v_mov_b32_e32 v2, 1
        0x7e06_0280, // v_mov_b32_e32 v3, 0
        0xbf06_8004, // s_cmp_eq_u32 s4, 0
        0xbf85_0003, // s_cbranch_scc1 wait
        0xdc70_8000, // global_store_dword v3, v2, s[0:1]
        0x0000_0203,
        0xbf81_0000, // s_endpgm
        0xdc50_8000, // wait: global_load_dword v4, v3, s[0:1]
        0x0400_0003,
        0xbf8c_0f70, // s_waitcnt vmcnt(0)
        0x7e0a_0504, // v_readfirstlane_b32 s5, v4
        0xbf06_8005, // s_cmp_eq_u32 s5, 0
        0xbf85_fffa, // s_cbranch_scc1 wait
        END,
    ];
    let config = RunConfig {
        block: [128, 1, 1],
        max_instructions: Some(1 << 20),
        ..config()
    };
    assert_eq!(run_words(&words, &config).unwrap().waves, 2);
}

#[test]
fn returned_values_of_atomics_do_not_depend_on_the_jobs() {
    // Each workgroup stores what it read from a shared counter to its own place.
    let words = [
        0xbefe_0181, // s_mov_b64 exec, 1
        0x7e04_0281, // v_mov_b32_e32 v2, 1
        0x7e06_0280, // v_mov_b32_e32 v3, 0
        0xdd09_8000, // global_atomic_add v4, v3, v2, s[0:1] sc0
        0x0400_0203,
        0x8e03_8202, // s_lshl_b32 s3, s2, 2
        0x7e0a_0203, // v_mov_b32_e32 v5, s3
        0xbf8c_0f70, // s_waitcnt vmcnt(0)
        0xdc70_8004, // global_store_dword v5, v4, s[0:1] offset:4
        0x0000_0405,
        END,
    ];
    for jobs in [1, 8] {
        let config = RunConfig {
            grid: [200, 1, 1],
            check_hazard: true,
            jobs,
            ..config()
        };
        let (counters, buffer) = run_on_buffer(&words, &config).unwrap();
        assert_eq!((counters.waves, buffer[0]), (200, 200));
        let expected: Vec<u32> = (0..200).collect();
        assert_eq!(buffer[1..201], expected, "{jobs} jobs");
    }
}

#[test]
fn arbitrary_words_give_a_result_or_a_fault() {
    let mut state = 1u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state
    };
    // Encodings of a format by its fixed bits, so that most words decode.
    let formats: [(u32, u32); 12] = [
        (0x8000_0000, 0x3fff_ffff), // SOP2 and all its subformats
        (0xbe80_0000, 0x007f_ffff), // SOP1
        (0xbf00_0000, 0x007f_ffff), // SOPC
        (0xb000_0000, 0x0fff_ffff), // SOPK
        (0x7e00_0000, 0x01ff_ffff), // VOP1
        (0x7c00_0000, 0x01ff_ffff), // VOPC
        (0x0000_0000, 0x7fff_ffff), // VOP2
        (0xd000_0000, 0x03ff_ffff), // VOP3
        (0xd380_0000, 0x007f_ffff), // VOP3P
        (0xc000_0000, 0x03ff_ffff), // SMEM
        (0xdc00_0000, 0x03ff_ffff), // FLAT
        (0xd800_0000, 0x03ff_ffff), // DS
    ];
    let mut further = 0;
    for n in 0..10_000u32 {
        let mut words = Vec::new();
        for _ in 0..6 {
            let (fixed, free) = formats[(next() >> 33) as usize % formats.len()];
            words.push(fixed | (next() >> 32) as u32 & free);
            // Second words and literals are as arbitrary.
            words.push((next() >> 32) as u32 & if n % 2 == 0 { u32::MAX } else { 0x01ff_ffff });
        }
        let config = RunConfig {
            max_instructions: Some(50),
            check_hazard: n % 3 == 0,
            ..config()
        };
        match run_words(&words, &config) {
            Ok(_) => further += 1,
            // Code begins at a page: this one got past its first instruction.
            Err(fault) => further += u32::from(fault.pc & 0xfff != 0),
        }
    }
    assert!(
        further >= 2_000,
        "only {further} programs executed anything"
    );
}
