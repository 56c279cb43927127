//! Programs from words.

use kcc::isa::amdgpu::Chip;
use kcc::vm::wave::{LANES, SGPRS, VGPRS, Wave};
use kcc::vm::{Counters, Fault, KernelImage, Memory, RunConfig, UserSgpr, run};

/// `s_endpgm`
pub const END: u32 = 0xbf81_0000;

/// Places code in memory.
pub fn load_code(memory: &mut Memory, words: &[u32]) -> u64 {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    memory.alloc("code", &bytes, true)
}

/// A wave of 64 lanes, all of them active, with zeros in all registers.
pub fn fresh_wave() -> Wave {
    let mut wave = Wave {
        id: 0,
        size: 64,
        pc: 0,
        sgpr: [0; SGPRS],
        scc: false,
        vgpr: vec![[0; LANES]; VGPRS],
        agpr: vec![[0; LANES]; VGPRS],
        mode: MODE,
        scratch: Vec::new(),
        scratch_bytes: 0,
        executed: 0,
        done: false,
        at_barrier: false,
    };
    wave.set_exec(u64::MAX);
    wave
}

/// Nearest even, subnormals kept, dx10_clamp, IEEE.
const MODE: u32 = 0x3f0;

/// An image of code at `entry`; s[0:1] is the address of the arguments, s2 the workgroup.
pub fn image(entry: u64, words: &[u32]) -> KernelImage {
    KernelImage {
        name: "test".to_string(),
        chip: Chip::Gfx942,
        wave_size: 64,
        entry,
        code: entry..entry + 4 * words.len() as u64,
        user_sgprs: vec![UserSgpr::KernargPtr],
        user_sgpr_count: 2,
        workgroup_ids: [true, false, false],
        workgroup_info: false,
        scratch_bytes: 16,
        lds_bytes: 64,
        mode: MODE,
    }
}

/// One wave that may execute 1000 instructions.
pub fn config() -> RunConfig {
    RunConfig {
        grid: [1; 3],
        block: [64, 1, 1],
        jobs: 1,
        max_instructions: Some(1000),
        check_hazard: false,
        kernarg: 0,
        dispatch_packet: 0,
    }
}

/// Runs words with the address of a buffer of 1024 bytes as argument.
pub fn run_words(words: &[u32], config: &RunConfig) -> Result<Counters, Fault> {
    run_on_buffer(words, config).map(|(counters, _)| counters)
}

/// The same; gives the buffer, too.
pub fn run_on_buffer(words: &[u32], config: &RunConfig) -> Result<(Counters, Vec<u32>), Fault> {
    let mut memory = Memory::new();
    let entry = load_code(&mut memory, words);
    let buffer = memory.alloc("buffer", &[0; 1024], false);
    let config = RunConfig {
        kernarg: buffer,
        ..config.clone()
    };
    let counters = run(&image(entry, words), &memory, &config)?;
    let bytes = memory.read(buffer, 1024).unwrap();
    let dword = |b: &[u8]| u32::from_le_bytes(b.try_into().unwrap());
    Ok((counters, bytes.chunks(4).map(dword).collect()))
}
