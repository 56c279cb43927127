//! Single instructions: operands in, result out. The words are those of LLVM's assembler; each row
//! checks that they decode to its text. Results follow the pseudocode of the "AMD Instinct MI300"
//! ISA guide, chapter 12.

use kcc::isa::amdgpu::{Chip, isa};
use kcc::vm::Memory;
use kcc::vm::exec::{Group, execute};
use kcc::vm::program::Program;
use kcc::vm::wave::Wave;

use super::machine::{fresh_wave, load_code};

/// Contents of results before the instruction.
const OLD: u32 = 0xdead;

struct Vector {
    text: &'static str,
    words: &'static [u32],
    /// v0, v1, v3
    args: [u32; 3],
    vcc: u64,
    v2: u32,
    /// VCC after it, where it is written.
    vcc_out: Option<u64>,
}

struct Scalar {
    text: &'static str,
    words: &'static [u32],
    /// s0, s1
    args: [u32; 2],
    scc: bool,
    s2: u32,
    scc_out: bool,
}

/// Executes one instruction.
pub fn step(words: &[u32], text: &str, wave: &mut Wave) {
    let mut memory = Memory::new();
    wave.pc = load_code(&mut memory, words);
    let program = Program::new(Chip::Gfx942).unwrap();
    let step = program.step(&memory, wave.pc).unwrap();
    assert_eq!(isa(Chip::Gfx942).unwrap().print(&step.inst, None), text);
    let mut group = Group {
        memory: &memory,
        lds: Vec::new(),
    };
    execute(&step, wave, &mut group).unwrap_or_else(|e| panic!("{text}: {e:?}"));
}

#[test]
fn vector_instructions_compute_under_exec() {
    for row in VECTOR {
        let mut wave = fresh_wave();
        wave.set_exec(1 << 5);
        for (reg, value) in [0, 1, 3].into_iter().zip(row.args) {
            wave.vgpr[reg] = [value; 64];
        }
        wave.vgpr[2] = [OLD; 64];
        wave.set_pair(106, row.vcc << 5);
        step(row.words, row.text, &mut wave);
        assert_eq!(
            wave.vgpr[2][5], row.v2,
            "{} gave {:#x}",
            row.text, wave.vgpr[2][5]
        );
        assert_eq!(wave.vgpr[2][4], OLD, "{} wrote an inactive lane", row.text);
        let vcc = row.vcc_out.unwrap_or(row.vcc);
        assert_eq!(wave.vcc(), vcc << 5, "{}: VCC", row.text);
    }
}

#[test]
fn scalar_instructions_compute_and_set_scc() {
    for row in SCALAR {
        let mut wave = fresh_wave();
        (wave.sgpr[0], wave.sgpr[1], wave.sgpr[2]) = (row.args[0], row.args[1], OLD);
        wave.scc = row.scc;
        step(row.words, row.text, &mut wave);
        assert_eq!(
            wave.sgpr[2], row.s2,
            "{} gave {:#x}",
            row.text, wave.sgpr[2]
        );
        assert_eq!(wave.scc, row.scc_out, "{}: SCC", row.text);
    }
}

#[test]
fn dpp_moves_between_lanes() {
    // Lane n holds 100 + n; lanes 0 to 31 are active.
    let run = |words: &[u32], text: &str| {
        let mut wave = fresh_wave();
        wave.set_exec(0xffff_ffff);
        for lane in 0..64 {
            wave.vgpr[0][lane] = 100 + lane as u32;
        }
        wave.vgpr[2] = [OLD; 64];
        step(words, text, &mut wave);
        wave.vgpr[2]
    };
    let text = "v_mov_b32_dpp v2, v0 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf";
    let out = run(&[0x7e0402fa, 0xff00b100], text);
    assert_eq!(out[..4], [101, 100, 103, 102]);
    assert_eq!(out[32], OLD);
    let text = "v_mov_b32_dpp v2, v0 row_shr:1 row_mask:0xf bank_mask:0xf";
    let out = run(&[0x7e0402fa, 0xff011100], text);
    assert_eq!(out[..3], [OLD, 100, 101]);
    assert_eq!(out[15..18], [114, OLD, 116]);
    let text = "v_mov_b32_dpp v2, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1";
    let out = run(&[0x7e0402fa, 0xff091100], text);
    assert_eq!(out[..2], [0, 100]);
}

#[test]
fn saveexec_keeps_the_old_mask() {
    let mut wave = fresh_wave();
    wave.set_exec(0xff);
    wave.set_pair(0, 0x0f0f);
    step(
        &[0xbe822000],
        "s_and_saveexec_b64 s[2:3], s[0:1]",
        &mut wave,
    );
    assert_eq!((wave.pair(2), wave.exec(), wave.scc), (0xff, 0x0f, true));
    wave.set_pair(0, 0);
    step(
        &[0xbe822000],
        "s_and_saveexec_b64 s[2:3], s[0:1]",
        &mut wave,
    );
    assert_eq!((wave.pair(2), wave.exec(), wave.scc), (0x0f, 0, false));
}

#[rustfmt::skip]
const VECTOR: &[Vector] = &[
    Vector { text: "v_add_u32_e32 v2, v0, v1", words: &[0x68040300], args: [0xffffffff, 0x2, 0x0], vcc: 0, v2: 0x1, vcc_out: None },
    Vector { text: "v_sub_co_u32_e32 v2, vcc, v0, v1", words: &[0x34040300], args: [0x3, 0x5, 0x0], vcc: 0, v2: 0xfffffffe, vcc_out: Some(1) },
    Vector { text: "v_sub_co_u32_e32 v2, vcc, v0, v1", words: &[0x34040300], args: [0x5, 0x3, 0x0], vcc: 1, v2: 0x2, vcc_out: Some(0) },
    Vector { text: "v_mul_lo_u32 v2, v0, v1", words: &[0xd2850002, 0x00020300], args: [0x10001, 0x10001, 0x0], vcc: 0, v2: 0x20001, vcc_out: None },
    Vector { text: "v_mul_hi_i32 v2, v0, v1", words: &[0xd2870002, 0x00020300], args: [0xffffffff, 0x5, 0x0], vcc: 0, v2: 0xffffffff, vcc_out: None },
    Vector { text: "v_mul_hi_u32 v2, v0, v1", words: &[0xd2860002, 0x00020300], args: [0xffffffff, 0xffffffff, 0x0], vcc: 0, v2: 0xfffffffe, vcc_out: None },
    Vector { text: "v_lshlrev_b32_e32 v2, v0, v1", words: &[0x24040300], args: [0x24, 0x11, 0x0], vcc: 0, v2: 0x110, vcc_out: None },
    Vector { text: "v_ashrrev_i32_e32 v2, v0, v1", words: &[0x22040300], args: [0x4, 0x80000000, 0x0], vcc: 0, v2: 0xf8000000, vcc_out: None },
    Vector { text: "v_lshrrev_b32_e32 v2, v0, v1", words: &[0x20040300], args: [0x4, 0x80000000, 0x0], vcc: 0, v2: 0x8000000, vcc_out: None },
    Vector { text: "v_bfe_u32 v2, v0, v1, 8", words: &[0xd1c80002, 0x02220300], args: [0x12345678, 0x4, 0x0], vcc: 0, v2: 0x67, vcc_out: None },
    Vector { text: "v_bfe_i32 v2, v0, v1, 8", words: &[0xd1c90002, 0x02220300], args: [0xf80, 0x4, 0x0], vcc: 0, v2: 0xfffffff8, vcc_out: None },
    Vector { text: "v_min_i32_e32 v2, v0, v1", words: &[0x18040300], args: [0xffffffff, 0x1, 0x0], vcc: 0, v2: 0xffffffff, vcc_out: None },
    Vector { text: "v_max_u32_e32 v2, v0, v1", words: &[0x1e040300], args: [0xffffffff, 0x1, 0x0], vcc: 0, v2: 0xffffffff, vcc_out: None },
    Vector { text: "v_add_f32_e32 v2, v0, v1", words: &[0x02040300], args: [0x3f800000, 0x40000000, 0x0], vcc: 0, v2: 0x40400000, vcc_out: None },
    Vector { text: "v_mul_f32_e64 v2, -v0, |v1|", words: &[0xd1050202, 0x20020300], args: [0x40000000, 0xc0400000, 0x0], vcc: 0, v2: 0xc0c00000, vcc_out: None },
    Vector { text: "v_add_f32_e64 v2, v0, v1 clamp", words: &[0xd1018002, 0x00020300], args: [0x3f800000, 0x40000000, 0x0], vcc: 0, v2: 0x3f800000, vcc_out: None },
    Vector { text: "v_add_f32_e64 v2, v0, v1 clamp", words: &[0xd1018002, 0x00020300], args: [0xbf800000, 0x0, 0x0], vcc: 0, v2: 0x0, vcc_out: None },
    Vector { text: "v_cvt_u32_f32_e32 v2, v0", words: &[0x7e040f00], args: [0xbf800000, 0x0, 0x0], vcc: 0, v2: 0x0, vcc_out: None },
    Vector { text: "v_cvt_u32_f32_e32 v2, v0", words: &[0x7e040f00], args: [0x7f800000, 0x0, 0x0], vcc: 0, v2: 0xffffffff, vcc_out: None },
    Vector { text: "v_cvt_i32_f32_e32 v2, v0", words: &[0x7e041100], args: [0xc0200000, 0x0, 0x0], vcc: 0, v2: 0xfffffffe, vcc_out: None },
    Vector { text: "v_cvt_i32_f32_e32 v2, v0", words: &[0x7e041100], args: [0x7fc00000, 0x0, 0x0], vcc: 0, v2: 0x0, vcc_out: None },
    Vector { text: "v_cvt_f32_i32_e32 v2, v0", words: &[0x7e040b00], args: [0xfffffffd, 0x0, 0x0], vcc: 0, v2: 0xc0400000, vcc_out: None },
    Vector { text: "v_cvt_f32_u32_e32 v2, v0", words: &[0x7e040d00], args: [0xffffffff, 0x0, 0x0], vcc: 0, v2: 0x4f800000, vcc_out: None },
    Vector { text: "v_cmp_gt_u32_e32 vcc, v0, v1", words: &[0x7d980300], args: [0x2, 0x1, 0x0], vcc: 0, v2: 0xdead, vcc_out: Some(1) },
    Vector { text: "v_cmp_gt_i32_e32 vcc, v0, v1", words: &[0x7d880300], args: [0x80000000, 0x1, 0x0], vcc: 1, v2: 0xdead, vcc_out: Some(0) },
    Vector { text: "v_cmp_nlt_f32_e32 vcc, v0, v1", words: &[0x7c9c0300], args: [0x7fc00000, 0x0, 0x0], vcc: 0, v2: 0xdead, vcc_out: Some(1) },
    Vector { text: "v_cmp_lt_f32_e32 vcc, v0, v1", words: &[0x7c820300], args: [0x7fc00000, 0x0, 0x0], vcc: 1, v2: 0xdead, vcc_out: Some(0) },
    Vector { text: "v_cndmask_b32_e32 v2, v0, v1, vcc", words: &[0x00040300], args: [0x7, 0x9, 0x0], vcc: 0, v2: 0x7, vcc_out: None },
    Vector { text: "v_cndmask_b32_e32 v2, v0, v1, vcc", words: &[0x00040300], args: [0x7, 0x9, 0x0], vcc: 1, v2: 0x9, vcc_out: None },
    Vector { text: "v_perm_b32 v2, v0, v1, v3", words: &[0xd1ed0002, 0x040e0300], args: [0x44556677, 0x112233, 0xc070800], vcc: 0, v2: 0x440033, vcc_out: None },
    Vector { text: "v_alignbit_b32 v2, v0, v1, v3", words: &[0xd1ce0002, 0x040e0300], args: [0x12345678, 0x9abcdef0, 0x8], vcc: 0, v2: 0x789abcde, vcc_out: None },
    Vector { text: "v_mad_u32_u24 v2, v0, v1, v3", words: &[0xd1c30002, 0x040e0300], args: [0xff000002, 0x3, 0x4], vcc: 0, v2: 0xa, vcc_out: None },
    Vector { text: "v_fma_f32 v2, v0, v1, v3", words: &[0xd1cb0002, 0x040e0300], args: [0x3f800001, 0x3f800001, 0xbf800002], vcc: 0, v2: 0x28800000, vcc_out: None },
    Vector { text: "v_min_f32_e32 v2, v0, v1", words: &[0x14040300], args: [0x7fc00000, 0x3f800000, 0x0], vcc: 0, v2: 0x3f800000, vcc_out: None },
    Vector { text: "v_min_f32_e32 v2, v0, v1", words: &[0x14040300], args: [0x0, 0x80000000, 0x0], vcc: 0, v2: 0x80000000, vcc_out: None },
    Vector { text: "v_ldexp_f32 v2, v0, v1", words: &[0xd2880002, 0x00020300], args: [0x3f800000, 0x3, 0x0], vcc: 0, v2: 0x41000000, vcc_out: None },
    Vector { text: "v_ffbh_u32_e32 v2, v0", words: &[0x7e045b00], args: [0x10000, 0x0, 0x0], vcc: 0, v2: 0xf, vcc_out: None },
    Vector { text: "v_ffbh_u32_e32 v2, v0", words: &[0x7e045b00], args: [0x0, 0x0, 0x0], vcc: 0, v2: 0xffffffff, vcc_out: None },
    Vector { text: "v_ffbl_b32_e32 v2, v0", words: &[0x7e045d00], args: [0x10000, 0x0, 0x0], vcc: 0, v2: 0x10, vcc_out: None },
    Vector { text: "v_bfrev_b32_e32 v2, v0", words: &[0x7e045900], args: [0x1, 0x0, 0x0], vcc: 0, v2: 0x80000000, vcc_out: None },
    Vector { text: "v_bcnt_u32_b32 v2, v0, v1", words: &[0xd28b0002, 0x00020300], args: [0xff, 0xa, 0x0], vcc: 0, v2: 0x12, vcc_out: None },
    Vector { text: "v_rcp_f32_e32 v2, v0", words: &[0x7e044500], args: [0x40000000, 0x0, 0x0], vcc: 0, v2: 0x3f000000, vcc_out: None },
    Vector { text: "v_sqrt_f32_e32 v2, v0", words: &[0x7e044f00], args: [0x40800000, 0x0, 0x0], vcc: 0, v2: 0x40000000, vcc_out: None },
    Vector { text: "v_lshl_add_u32 v2, v0, v1, v3", words: &[0xd1fd0002, 0x040e0300], args: [0x3, 0x4, 0x5], vcc: 0, v2: 0x35, vcc_out: None },
    Vector { text: "v_add3_u32 v2, v0, v1, v3", words: &[0xd1ff0002, 0x040e0300], args: [0x3, 0x4, 0xffffffff], vcc: 0, v2: 0x6, vcc_out: None },
    Vector { text: "v_xor_b32_e32 v2, v0, v1", words: &[0x2a040300], args: [0xff00, 0xff0, 0x0], vcc: 0, v2: 0xf0f0, vcc_out: None },
    Vector { text: "v_not_b32_e32 v2, v0", words: &[0x7e045700], args: [0xff00, 0x0, 0x0], vcc: 0, v2: 0xffff00ff, vcc_out: None },
    Vector { text: "v_bfi_b32 v2, v0, v1, v3", words: &[0xd1ca0002, 0x040e0300], args: [0xffff, 0x12345678, 0xaabbccdd], vcc: 0, v2: 0xaabb5678, vcc_out: None },
    Vector { text: "v_mov_b32_sdwa v2, v0 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1", words: &[0x7e0402f9, 0x00051100], args: [0x12345678, 0x0, 0x0], vcc: 0, v2: 0x34ad, vcc_out: None },
    Vector { text: "v_fract_f32_e32 v2, v0", words: &[0x7e043700], args: [0xbe800000, 0x0, 0x0], vcc: 0, v2: 0x3f400000, vcc_out: None },
    Vector { text: "v_cvt_f16_f32_e32 v2, v0", words: &[0x7e041500], args: [0x3f800000, 0x0, 0x0], vcc: 0, v2: 0x3c00, vcc_out: None },
    Vector { text: "v_cvt_f32_f16_e32 v2, v0", words: &[0x7e041700], args: [0xdead3c00, 0x0, 0x0], vcc: 0, v2: 0x3f800000, vcc_out: None },
];

#[rustfmt::skip]
const SCALAR: &[Scalar] = &[
    Scalar { text: "s_add_u32 s2, s0, s1", words: &[0x80020100], args: [0xffffffff, 0x2], scc: false, s2: 0x1, scc_out: true },
    Scalar { text: "s_addc_u32 s2, s0, s1", words: &[0x82020100], args: [0xffffffff, 0x0], scc: true, s2: 0x0, scc_out: true },
    Scalar { text: "s_sub_i32 s2, s0, s1", words: &[0x81820100], args: [0x80000000, 0x1], scc: false, s2: 0x7fffffff, scc_out: true },
    Scalar { text: "s_sub_u32 s2, s0, s1", words: &[0x80820100], args: [0x1, 0x2], scc: false, s2: 0xffffffff, scc_out: true },
    Scalar { text: "s_and_b32 s2, s0, s1", words: &[0x86020100], args: [0xf0, 0xf], scc: true, s2: 0x0, scc_out: false },
    Scalar { text: "s_lshl_b32 s2, s0, s1", words: &[0x8e020100], args: [0x1, 0x21], scc: false, s2: 0x2, scc_out: true },
    Scalar { text: "s_ashr_i32 s2, s0, s1", words: &[0x90020100], args: [0x80000000, 0x1f], scc: false, s2: 0xffffffff, scc_out: true },
    Scalar { text: "s_bfe_u32 s2, s0, s1", words: &[0x92820100], args: [0x12345678, 0x80004], scc: false, s2: 0x67, scc_out: true },
    Scalar { text: "s_bfe_i32 s2, s0, s1", words: &[0x93020100], args: [0xf80, 0x80004], scc: false, s2: 0xfffffff8, scc_out: true },
    Scalar { text: "s_min_i32 s2, s0, s1", words: &[0x83020100], args: [0xffffffff, 0x1], scc: false, s2: 0xffffffff, scc_out: true },
    Scalar { text: "s_max_u32 s2, s0, s1", words: &[0x84820100], args: [0x1, 0xffffffff], scc: true, s2: 0xffffffff, scc_out: false },
    Scalar { text: "s_cmp_lt_i32 s0, s1", words: &[0xbf040100], args: [0xffffffff, 0x0], scc: false, s2: 0xdead, scc_out: true },
    Scalar { text: "s_cmp_lt_u32 s0, s1", words: &[0xbf0a0100], args: [0xffffffff, 0x0], scc: true, s2: 0xdead, scc_out: false },
    Scalar { text: "s_bitcmp1_b32 s0, s1", words: &[0xbf0d0100], args: [0x4, 0x2], scc: false, s2: 0xdead, scc_out: true },
    Scalar { text: "s_cselect_b32 s2, s0, s1", words: &[0x85020100], args: [0x5, 0x6], scc: true, s2: 0x5, scc_out: true },
    Scalar { text: "s_cselect_b32 s2, s0, s1", words: &[0x85020100], args: [0x5, 0x6], scc: false, s2: 0x6, scc_out: false },
    Scalar { text: "s_mul_i32 s2, s0, s1", words: &[0x92020100], args: [0x10001, 0x10001], scc: true, s2: 0x20001, scc_out: true },
    Scalar { text: "s_mul_hi_u32 s2, s0, s1", words: &[0x96020100], args: [0xffffffff, 0x2], scc: true, s2: 0x1, scc_out: true },
    Scalar { text: "s_ff1_i32_b32 s2, s0", words: &[0xbe821000], args: [0x100, 0x0], scc: true, s2: 0x8, scc_out: true },
    Scalar { text: "s_ff1_i32_b32 s2, s0", words: &[0xbe821000], args: [0x0, 0x0], scc: false, s2: 0xffffffff, scc_out: false },
    Scalar { text: "s_flbit_i32_b32 s2, s0", words: &[0xbe821200], args: [0x100, 0x0], scc: false, s2: 0x17, scc_out: false },
    Scalar { text: "s_bcnt1_i32_b32 s2, s0", words: &[0xbe820c00], args: [0xff, 0x0], scc: false, s2: 0x8, scc_out: true },
    Scalar { text: "s_not_b32 s2, s0", words: &[0xbe820400], args: [0xffffffff, 0x0], scc: true, s2: 0x0, scc_out: false },
    Scalar { text: "s_movk_i32 s2, 0x8000", words: &[0xb0028000], args: [0x0, 0x0], scc: true, s2: 0xffff8000, scc_out: true },
    Scalar { text: "s_absdiff_i32 s2, s0, s1", words: &[0x95020100], args: [0x3, 0xa], scc: false, s2: 0x7, scc_out: true },
    Scalar { text: "s_abs_i32 s2, s0", words: &[0xbe823000], args: [0xfffffff9, 0x0], scc: false, s2: 0x7, scc_out: true },
    Scalar { text: "s_sext_i32_i8 s2, s0", words: &[0xbe821600], args: [0x80, 0x0], scc: true, s2: 0xffffff80, scc_out: true },
    Scalar { text: "s_brev_b32 s2, s0", words: &[0xbe820800], args: [0x1, 0x0], scc: true, s2: 0x80000000, scc_out: true },
    Scalar { text: "s_andn2_b32 s2, s0, s1", words: &[0x89020100], args: [0xff, 0xf], scc: false, s2: 0xf0, scc_out: true },
    Scalar { text: "s_bfm_b32 s2, s0, s1", words: &[0x91020100], args: [0x4, 0x8], scc: true, s2: 0xf00, scc_out: true },
    Scalar { text: "s_pack_ll_b32_b16 s2, s0, s1", words: &[0x99020100], args: [0xaaaa1111, 0xbbbb2222], scc: true, s2: 0x22221111, scc_out: true },
];
