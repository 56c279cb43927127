//! A grid becomes workgroups, these become waves, and waves run.
//!
//! Workgroups are handed out in ascending order to `jobs` threads. Results are those of one thread as
//! long as workgroups do not race on memory; the fault reported is that of the lowest workgroup. Code
//! with atomics whose order shows (float sums, returned values) runs on one thread, so that it gives
//! the same for every `jobs`.
//!
//! The waves of a workgroup take turns in ascending order: each runs to its end, to a barrier, or for
//! [`TURN`] instructions, so that a wave may wait in a loop for another of its workgroup.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::check::hazard::HazardCheck;
use super::counters::Counters;
use super::exec::{Group, Next, execute};
use super::fault::{Fault, FaultKind};
use super::memory::Memory;
use super::program::{Program, Step};
use super::wave::{LANES, SGPRS, VGPRS, Wave};
use super::{KernelImage, UserSgpr};
use crate::isa::Class;
use crate::isa::uop::{AtomicOp, MemSpace, Uop};

/// Instructions that a wave executes before the next wave of its workgroup has its turn.
const TURN: u32 = 1 << 16;

/// Shape and limits of a launch.
#[derive(Clone, Debug)]
pub struct RunConfig {
    /// Workgroups.
    pub grid: [u32; 3],
    /// Work-items of a workgroup.
    pub block: [u32; 3],
    /// Host threads.
    pub jobs: usize,
    /// Instructions that a wave may execute.
    pub max_instructions: Option<u64>,
    /// Check waits and wait states.
    pub check_hazard: bool,
    /// Address of the kernel arguments.
    pub kernarg: u64,
    /// Address of the dispatch packet.
    pub dispatch_packet: u64,
}

/// Runs a kernel to its end.
pub fn run(image: &KernelImage, memory: &Memory, config: &RunConfig) -> Result<Counters, Fault> {
    let Some(program) = Program::new(image.chip) else {
        let kind = FaultKind::Unsupported(image.chip.name().to_string());
        return Err(place(image, kind, [0; 3], 0, 0, 0, String::new()));
    };
    let total = config.grid.iter().map(|n| u64::from(*n)).product::<u64>();
    let next = AtomicU64::new(0);
    let found: Mutex<Option<(u64, Fault)>> = Mutex::new(None);
    let totals = Mutex::new(Counters::default());
    let work = || {
        let mut counters = Counters::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let stop = found
                .lock()
                .unwrap_or_else(|e| e.into_inner())
                .as_ref()
                .is_some_and(|(n, _)| *n < number);
            if number >= total || stop {
                break;
            }
            let id = workgroup_id(number, config.grid);
            if let Err(fault) = run_group(image, &program, memory, config, id, &mut counters) {
                let mut slot = found.lock().unwrap_or_else(|e| e.into_inner());
                if slot.as_ref().is_none_or(|(n, _)| *n > number) {
                    *slot = Some((number, *fault));
                }
            }
        }
        totals
            .lock()
            .unwrap_or_else(|e| e.into_inner())
            .add(&counters);
    };
    let most = if config.jobs > 1 && order_shows(image, &program, memory) {
        1
    } else {
        256
    };
    let jobs = config
        .jobs
        .clamp(1, most)
        .min(usize::try_from(total).unwrap_or(256).max(1));
    if jobs == 1 {
        work();
    } else {
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(work);
            }
        });
    }
    match found.into_inner().unwrap_or_else(|e| e.into_inner()) {
        Some((_, fault)) => Err(fault),
        None => Ok(totals.into_inner().unwrap_or_else(|e| e.into_inner())),
    }
}

/// Whether the code has an atomic of device memory whose result or return value depends on the order
/// in which workgroups execute it. All addresses are looked at, so data between functions may be taken
/// for one: this errs towards one thread.
fn order_shows(image: &KernelImage, program: &Program, memory: &Memory) -> bool {
    let mut pc = image.code.start;
    while pc < image.code.end {
        let size = match program.step(memory, pc) {
            Ok(step) => {
                if let Uop::Atomic(MemSpace::Global | MemSpace::Flat | MemSpace::Buffer, op, _) =
                    step.sem.uop
                    && (!step.dsts.is_empty() || !commutes(op))
                {
                    return true;
                }
                step.size
            }
            Err(_) => 4,
        };
        pc = pc.saturating_add(size);
    }
    false
}

/// Whether memory ends up the same in whatever order an operation is done with various data.
fn commutes(op: AtomicOp) -> bool {
    match op {
        AtomicOp::Add
        | AtomicOp::Sub
        | AtomicOp::SMin
        | AtomicOp::UMin
        | AtomicOp::SMax
        | AtomicOp::UMax
        | AtomicOp::And
        | AtomicOp::Or
        | AtomicOp::Xor => true,
        AtomicOp::Swap
        | AtomicOp::CmpSwap
        | AtomicOp::RSub
        | AtomicOp::Inc
        | AtomicOp::Dec
        | AtomicOp::FAdd
        | AtomicOp::FMin
        | AtomicOp::FMax
        | AtomicOp::PkAddF16
        | AtomicOp::PkAddBf16
        | AtomicOp::MskOr
        | AtomicOp::FCmpSwap => false,
    }
}

fn workgroup_id(number: u64, grid: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(grid[0]), u64::from(grid[1]));
    [
        (number % x) as u32,
        (number / x % y) as u32,
        (number / x / y) as u32,
    ]
}

fn place(
    image: &KernelImage,
    kind: FaultKind,
    workgroup: [u32; 3],
    wave: u32,
    lanes: u64,
    pc: u64,
    inst: String,
) -> Fault {
    Fault {
        kind,
        kernel: image.name.clone(),
        workgroup,
        wave,
        lanes,
        pc,
        inst,
    }
}

struct Runner<'r> {
    image: &'r KernelImage,
    program: &'r Program,
    config: &'r RunConfig,
    id: [u32; 3],
}

fn run_group(
    image: &KernelImage,
    program: &Program,
    memory: &Memory,
    config: &RunConfig,
    id: [u32; 3],
    counters: &mut Counters,
) -> Result<(), Box<Fault>> {
    let runner = Runner {
        image,
        program,
        config,
        id,
    };
    let items: u32 = config.block.iter().product();
    let count = items.div_ceil(image.wave_size);
    let mut group = Group {
        memory,
        lds: vec![0; image.lds_bytes as usize],
    };
    let mut waves: Vec<(Wave, HazardCheck)> = (0..count)
        .map(|n| (runner.start(n, items, memory), HazardCheck::new(image.chip)))
        .collect();
    counters.waves += u64::from(count);
    loop {
        let mut progress = false;
        for (wave, check) in waves.iter_mut().filter(|(w, _)| !w.done && !w.at_barrier) {
            progress = true;
            runner.run_wave(wave, check, &mut group, counters)?;
        }
        let alive = waves.iter().filter(|(w, _)| !w.done).count();
        if alive == 0 {
            return Ok(());
        }
        if waves.iter().all(|(w, _)| w.done || w.at_barrier) {
            // Waves that have ended do not count.
            waves.iter_mut().for_each(|(w, _)| w.at_barrier = false);
        } else if !progress {
            let kind = FaultKind::Deadlock(format!("{alive} waves wait for each other"));
            return Err(Box::new(place(image, kind, id, 0, 0, 0, String::new())));
        }
    }
}

impl Runner<'_> {
    /// The state in which the hardware starts a wave (LLVM AMDGPUUsage, "Initial Kernel Execution
    /// State").
    fn start(&self, number: u32, items: u32, memory: &Memory) -> Wave {
        let image = self.image;
        let size = image.wave_size;
        let mut wave = Wave {
            id: number,
            size,
            pc: image.entry,
            sgpr: [0; SGPRS],
            scc: false,
            vgpr: vec![[0; LANES]; VGPRS],
            agpr: vec![[0; LANES]; VGPRS],
            mode: image.mode,
            scratch: vec![0; image.scratch_bytes as usize * size as usize],
            scratch_bytes: image.scratch_bytes,
            executed: 0,
            done: false,
            at_barrier: false,
        };
        let first = number * size;
        let active = (items - first).min(size);
        wave.set_exec(if active >= 64 {
            u64::MAX
        } else {
            (1 << active) - 1
        });
        self.user_sgprs(&mut wave, memory);
        let mut next = usize::from(image.user_sgpr_count);
        for axis in 0..3 {
            if image.workgroup_ids[axis] {
                wave.sgpr[next % SGPRS] = self.id[axis];
                next += 1;
            }
        }
        if image.workgroup_info {
            wave.sgpr[next % SGPRS] = u32::from(number == 0) << 31 | items.div_ceil(size) & 0x3f;
        }
        let [bx, by, _] = self.config.block;
        for lane in 0..active {
            let flat = first + lane;
            let (x, y, z) = (flat % bx, flat / bx % by, flat / bx / by);
            wave.vgpr[0][lane as usize] = x | y << 10 | z << 20;
        }
        wave
    }

    fn user_sgprs(&self, wave: &mut Wave, memory: &Memory) {
        let mut at = 0u16;
        for user in &self.image.user_sgprs {
            match *user {
                UserSgpr::PrivateSegmentBuffer => at += 4,
                UserSgpr::DispatchPtr => {
                    wave.set_pair(at, self.config.dispatch_packet);
                    at += 2;
                }
                UserSgpr::KernargPtr => {
                    wave.set_pair(at, self.config.kernarg);
                    at += 2;
                }
                UserSgpr::QueuePtr | UserSgpr::DispatchId | UserSgpr::FlatScratchInit => at += 2,
                UserSgpr::Preload { count, offset } => {
                    for n in 0..u16::from(count) {
                        let from = self.config.kernarg + 4 * u64::from(offset + n);
                        wave.sgpr[usize::from(at) % SGPRS] =
                            memory.load(from, 4).unwrap_or(0) as u32;
                        at += 1;
                    }
                }
                UserSgpr::PrivateSegmentSize => {
                    wave.sgpr[usize::from(at) % SGPRS] = self.image.scratch_bytes;
                    at += 1;
                }
            }
        }
    }

    fn fault(&self, kind: FaultKind, wave: &Wave, step: Option<&Step>) -> Box<Fault> {
        let text = step.map_or(String::new(), |s| {
            self.program.isa().print(&s.inst, Some(wave.pc))
        });
        let lanes = match step.map(|s| s.sem.class) {
            Some(Class::Salu | Class::Smem | Class::Branch | Class::Control) | None => 0,
            Some(_) => wave.exec(),
        };
        Box::new(place(
            self.image, kind, self.id, wave.id, lanes, wave.pc, text,
        ))
    }

    /// Runs a wave until it ends, waits at a barrier, or its turn is over.
    fn run_wave(
        &self,
        wave: &mut Wave,
        check: &mut HazardCheck,
        group: &mut Group<'_>,
        counters: &mut Counters,
    ) -> Result<(), Box<Fault>> {
        for _ in 0..TURN {
            if !self.image.code.contains(&wave.pc) {
                let text = format!("{:#x} is outside of the code", wave.pc);
                return Err(self.fault(FaultKind::IllegalInstruction(text), wave, None));
            }
            let step = self
                .program
                .step(group.memory, wave.pc)
                .map_err(|text| self.fault(FaultKind::IllegalInstruction(text), wave, None))?;
            if let Some(limit) = self.config.max_instructions
                && wave.executed >= limit
            {
                return Err(self.fault(FaultKind::Limit(limit), wave, Some(&step)));
            }
            if self.config.check_hazard {
                check
                    .before(&step)
                    .map_err(|text| self.fault(FaultKind::Hazard(text), wave, Some(&step)))?;
            }
            wave.executed += 1;
            counters.count(step.sem.class, wave.exec().count_ones());
            let next =
                execute(&step, wave, group).map_err(|kind| self.fault(kind, wave, Some(&step)))?;
            match next {
                Next::Follow => wave.pc = wave.pc.wrapping_add(step.size),
                Next::Jump(target) => wave.pc = target,
                Next::End => {
                    wave.done = true;
                    return Ok(());
                }
                Next::Barrier => {
                    wave.pc = wave.pc.wrapping_add(step.size);
                    wave.at_barrier = true;
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
