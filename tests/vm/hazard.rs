//! `--check hazard`: too early is a fault, in time is none.

use kcc::isa::amdgpu::Chip;
use kcc::isa::amdgpu::hazards::{Consumer, Producer, hazards};
use kcc::vm::{FaultKind, RunConfig};

use super::machine::{END, config, run_words};

/// `s_mov_b64 exec, 0`: instructions run and touch no memory.
const NO_LANES: u32 = 0xbefe_0180;
/// `s_nop 0`
const NOP: u32 = 0xbf80_0000;
const VMCNT_0: u32 = 0xbf8c_0f70;
const VMCNT_1: u32 = 0xbf8c_0f71;
const LGKMCNT_0: u32 = 0xbf8c_c07f;
const LGKMCNT_1: u32 = 0xbf8c_c17f;

/// The hazard of a program, if it has one.
fn hazard(words: &[u32]) -> Option<String> {
    let mut program = vec![NO_LANES];
    program.extend(words);
    program.push(END);
    let config = RunConfig {
        check_hazard: true,
        ..config()
    };
    match run_words(&program, &config) {
        Ok(_) => None,
        Err(fault) => match fault.kind {
            FaultKind::Hazard(text) => Some(text),
            other => panic!("{other:?} at {}", fault.inst),
        },
    }
}

const CMP_S4: [u32; 2] = [0xd0ca_0004, 0x0002_0300]; // v_cmp_eq_u32_e64 s[4:5], v0, v1
const CMP_VCC: [u32; 1] = [0x7d98_0300]; // v_cmp_gt_u32_e32 vcc, v0, v1
const CMPX: [u32; 1] = [0x7db4_0300]; // v_cmpx_eq_u32_e32 vcc, v0, v1
const MOV_V2: [u32; 1] = [0x7e04_0300]; // v_mov_b32_e32 v2, v0
const RCP_V2: [u32; 1] = [0x7e04_4500]; // v_rcp_f32_e32 v2, v0
const SDWA_V2: [u32; 2] = [0x7e04_02f9, 0x0006_1500]; // v_mov_b32_sdwa v2, v0 dst_sel:WORD_1
const STORE_X4: [u32; 2] = [0xdc7c_8000, 0x007f_0400]; // global_store_dwordx4 v[0:1], v[4:7], off
const SETREG: [u32; 1] = [0xb900_f801]; // s_setreg_b32 hwreg(HW_REG_MODE), s0
const LOAD_S4: [u32; 2] = [0xdc50_8000, 0x0504_0000]; // global_load_dword v5, v0, s[4:5]
const READ_S4: [u32; 1] = [0x7e06_0204]; // v_mov_b32_e32 v3, s4
const LANE_S4: [u32; 2] = [0xd289_0002, 0x0000_0900]; // v_readlane_b32 s2, v0, s4
const DIV_FMAS: [u32; 2] = [0xd1e2_0005, 0x040e_0300]; // v_div_fmas_f32 v5, v0, v1, v3
const DPP_V2: [u32; 2] = [0x7e06_02fa, 0xff00_b102]; // v_mov_b32_dpp v3, v2 quad_perm:[1,0,3,2]
const FIRST_V2: [u32; 1] = [0x7e04_0502]; // v_readfirstlane_b32 s2, v2
const READ_V2: [u32; 1] = [0x7e0a_0302]; // v_mov_b32_e32 v5, v2
const WRITE_V4: [u32; 1] = [0x7e08_0300]; // v_mov_b32_e32 v4, v0
const MOV_M0: [u32; 1] = [0xbefc_0000]; // s_mov_b32 m0, s0
const SENDMSG: [u32; 1] = [0xbf90_0001]; // s_sendmsg sendmsg(MSG_INTERRUPT)
const GETREG: [u32; 1] = [0xb882_f801]; // s_getreg_b32 s2, hwreg(HW_REG_MODE)

/// For each row of the table: two instructions and the wait states between them.
#[allow(clippy::type_complexity)]
const DISTANCES: &[(Producer, Consumer, &[u32], &[u32], usize)] = &[
    (
        Producer::ValuWritesSgpr,
        Consumer::VmemReadsSgpr,
        &CMP_S4,
        &LOAD_S4,
        5,
    ),
    (
        Producer::ValuWritesSgpr,
        Consumer::LaneSelect,
        &CMP_S4,
        &LANE_S4,
        4,
    ),
    (
        Producer::ValuWritesSgpr,
        Consumer::ValuReadsSgpr,
        &CMP_S4,
        &READ_S4,
        2,
    ),
    (
        Producer::ValuWritesVcc,
        Consumer::DivFmas,
        &CMP_VCC,
        &DIV_FMAS,
        4,
    ),
    (
        Producer::ValuWritesVgpr,
        Consumer::DppReadsVgpr,
        &MOV_V2,
        &DPP_V2,
        2,
    ),
    (
        Producer::ValuWritesVgpr,
        Consumer::LaneAccessReadsVgpr,
        &MOV_V2,
        &FIRST_V2,
        1,
    ),
    (
        Producer::ValuWritesExec,
        Consumer::AnyDpp,
        &CMPX,
        &DPP_V2,
        5,
    ),
    (
        Producer::ValuWritesExec,
        Consumer::AnyLaneAccess,
        &CMPX,
        &FIRST_V2,
        4,
    ),
    (
        Producer::TransWritesVgpr,
        Consumer::NonTransReadsVgpr,
        &RCP_V2,
        &READ_V2,
        1,
    ),
    (
        Producer::ValuWritesPart,
        Consumer::ValuReadsVgpr,
        &SDWA_V2,
        &READ_V2,
        1,
    ),
    (
        Producer::WideStoreData,
        Consumer::ValuWritesVgpr,
        &STORE_X4,
        &WRITE_V4,
        2,
    ),
    (Producer::SetReg, Consumer::AnyHwReg, &SETREG, &GETREG, 2),
    (
        Producer::SaluWritesM0,
        Consumer::ReadsM0,
        &MOV_M0,
        &SENDMSG,
        1,
    ),
];

#[test]
fn each_row_asks_for_its_distance() {
    for row in hazards(Chip::Gfx942) {
        let pair = |t: &&(Producer, Consumer, _, _, _)| t.0 == row.producer && t.1 == row.consumer;
        let test = DISTANCES.iter().find(pair);
        let (_, _, first, second, states) = test.unwrap_or_else(|| panic!("no test of {row:?}"));
        for between in 0..=*states {
            let mut program = first.to_vec();
            program.extend(vec![NOP; between]);
            program.extend(*second);
            let found = hazard(&program);
            assert_eq!(
                found.is_some(),
                between < *states,
                "{row:?}, {between}: {found:?}"
            );
        }
    }
}

#[test]
fn one_nop_counts_its_states() {
    let program = |nop: u32| [CMP_S4[0], CMP_S4[1], nop, LOAD_S4[0], LOAD_S4[1]];
    assert_eq!(hazard(&program(0xbf80_0004)), None);
    assert!(hazard(&program(0xbf80_0003)).is_some());
}

const LOAD_V4: [u32; 2] = [0xdc50_8000, 0x047f_0000]; // global_load_dword v4, v[0:1], off
const LOAD_V2: [u32; 2] = [0xdc50_8000, 0x027f_0000]; // global_load_dword v2, v[0:1], off
const SLOAD_S4: [u32; 2] = [0xc002_0100, 0]; // s_load_dword s4, s[0:1], 0x0
const SLOAD_S6: [u32; 2] = [0xc002_0180, 0]; // s_load_dword s6, s[0:1], 0x0
const LDS_V2: [u32; 2] = [0xd86c_0000, 0x0200_0000]; // ds_read_b32 v2, v0
const LDS_V4: [u32; 2] = [0xd86c_0000, 0x0400_0000]; // ds_read_b32 v4, v0

#[test]
fn loads_are_covered_by_the_counter_that_they_count() {
    let cases: &[(&[u32], &[u32], u32, u32)] = &[
        (&LOAD_V2, &READ_V2, VMCNT_0, LGKMCNT_0),
        (&LOAD_V4, &WRITE_V4, VMCNT_0, LGKMCNT_0),
        (&SLOAD_S4, &READ_S4, LGKMCNT_0, VMCNT_0),
        (&LDS_V2, &READ_V2, LGKMCNT_0, VMCNT_0),
    ];
    for (load, user, right, wrong) in cases {
        let with = |waits: &[u32]| hazard(&[load, waits, user].concat());
        assert!(with(&[]).is_some());
        assert!(with(&[*wrong]).is_some());
        assert!(with(&[NOP; 20]).is_some());
        assert_eq!(with(&[*right]), None);
    }
}

#[test]
fn counters_in_order_release_the_oldest_and_scalar_loads_have_no_order() {
    let two = |first: &[u32], second: &[u32], wait: u32, user: &[u32]| {
        hazard(&[first, second, &[wait], user].concat())
    };
    assert_eq!(two(&LOAD_V2, &LOAD_V4, VMCNT_1, &READ_V2), None);
    assert!(two(&LOAD_V4, &LOAD_V2, VMCNT_1, &READ_V2).is_some());
    assert_eq!(two(&LDS_V2, &LDS_V4, LGKMCNT_1, &READ_V2), None);
    assert!(two(&SLOAD_S4, &SLOAD_S6, LGKMCNT_1, &READ_S4).is_some());
    assert!(two(&LDS_V2, &SLOAD_S6, LGKMCNT_1, &READ_V2).is_some());
    assert_eq!(two(&SLOAD_S4, &SLOAD_S6, LGKMCNT_0, &READ_S4), None);
}
