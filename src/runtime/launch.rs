//! Launches: arguments, hidden arguments, the dispatch packet, and the run.

use super::device::DeviceModel;
use super::error::RuntimeError;
use super::loader::Module;
use crate::object::hsaco::metadata::KernelArg;
use crate::vm::{Counters, Fault, Memory, RunConfig, run};

/// Shape and limits of a launch.
#[derive(Clone, Debug)]
pub struct LaunchConfig {
    /// Workgroups.
    pub grid: [u32; 3],
    /// Work-items of a workgroup.
    pub block: [u32; 3],
    /// Bytes of LDS beyond the kernel's static ones.
    pub dynamic_lds: u32,
    /// Host threads.
    pub jobs: usize,
    /// Instructions that a wave may execute.
    pub max_instructions: Option<u64>,
    /// Check waits and wait states.
    pub check_hazard: bool,
    /// First work-item id of the grid (OpenCL's global offset).
    pub global_offset: [u64; 3],
}

impl Default for LaunchConfig {
    fn default() -> LaunchConfig {
        LaunchConfig {
            grid: [1; 3],
            block: [1; 3],
            dynamic_lds: 0,
            jobs: 1,
            max_instructions: None,
            check_hazard: false,
            global_offset: [0; 3],
        }
    }
}

/// Why a launch gave no result.
#[derive(Clone, Debug, PartialEq)]
pub enum LaunchError {
    /// It was never started.
    Config(RuntimeError),
    /// A wave faulted; with file, line and column of the instruction.
    Fault(Fault, Option<(String, u32, u32)>),
}

/// What a launch did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchReport {
    /// Instructions executed.
    pub counters: Counters,
}

/// A device with its memory.
#[derive(Debug)]
pub struct Session {
    /// The device.
    pub device: DeviceModel,
    /// Its memory.
    pub memory: Memory,
}

impl Session {
    /// A device with empty memory.
    pub fn new(device: DeviceModel) -> Session {
        Session {
            device,
            memory: Memory::new(),
        }
    }

    /// Loads a code object.
    pub fn load(&mut self, bytes: &[u8]) -> Result<Module, RuntimeError> {
        let target = self.device.target.clone();
        Module::load(&mut self.memory, bytes, &target)
    }

    /// Runs a kernel. `args` are the bytes of its explicit arguments in order.
    pub fn launch(
        &mut self,
        module: &Module,
        kernel: &str,
        config: &LaunchConfig,
        args: &[Vec<u8>],
    ) -> Result<LaunchReport, Box<LaunchError>> {
        let missing = || RuntimeError::Unresolved(kernel.to_string());
        let loaded = module
            .object
            .kernel(kernel)
            .ok_or_else(missing)
            .map_err(|e| Box::new(LaunchError::Config(e)))?;
        let info = module
            .kernel(kernel)
            .ok_or_else(missing)
            .map_err(|e| Box::new(LaunchError::Config(e)))?;
        self.check(config, info.max_workgroup_size)
            .map_err(|e| Box::new(LaunchError::Config(e)))?;
        if args.len() != info.args.len() {
            return Err(Box::new(LaunchError::Config(RuntimeError::Arguments(
                args.len(),
                info.args.len(),
            ))));
        }
        let mut image = module.image(loaded);
        let lds = image.lds_bytes.saturating_add(config.dynamic_lds);
        if lds > self.device.lds_bytes {
            return Err(Box::new(LaunchError::Config(RuntimeError::Lds(
                lds,
                self.device.lds_bytes,
            ))));
        }
        image.lds_bytes = lds;
        let size = loaded
            .metadata
            .kernarg_segment_size
            .max(loaded.descriptor.kernarg_size);
        let mut kernarg = vec![0u8; size as usize];
        for (arg, bytes) in info.args.iter().zip(args) {
            put(
                &mut kernarg,
                arg.offset,
                &bytes[..bytes.len().min(arg.size as usize)],
            );
        }
        for arg in loaded
            .metadata
            .args
            .iter()
            .filter(|a| a.value_kind.is_hidden())
        {
            put_hidden(&mut kernarg, arg, config);
        }
        let kernarg = self.memory.alloc("kernel arguments", &kernarg, true);
        let packet = packet(
            config,
            &image,
            module.base + loaded.descriptor_vaddr,
            kernarg,
        );
        let dispatch_packet = self.memory.alloc("dispatch packet", &packet, true);
        let run_config = RunConfig {
            grid: config.grid,
            block: config.block,
            jobs: config.jobs,
            max_instructions: config.max_instructions,
            check_hazard: config.check_hazard,
            kernarg,
            dispatch_packet,
        };
        match run(&image, &self.memory, &run_config) {
            Ok(counters) => Ok(LaunchReport { counters }),
            Err(fault) => {
                let place = module.locate(fault.pc);
                Err(Box::new(LaunchError::Fault(fault, place)))
            }
        }
    }

    fn check(&self, config: &LaunchConfig, kernel_limit: u32) -> Result<(), RuntimeError> {
        check_shape(
            config.grid,
            config.block,
            self.device.max_workgroup_size,
            Some(kernel_limit),
        )
    }
}

/// Checks a launch's shape against the device and the kernel.
pub fn check_shape(
    grid: [u32; 3],
    block: [u32; 3],
    device_limit: u32,
    kernel_limit: Option<u32>,
) -> Result<(), RuntimeError> {
    if grid.contains(&0) {
        return Err(RuntimeError::EmptyLaunch("grid"));
    }
    if block.contains(&0) {
        return Err(RuntimeError::EmptyLaunch("block"));
    }
    let items: u64 = block
        .iter()
        .fold(1u64, |n, d| n.saturating_mul(u64::from(*d)));
    if items > u64::from(device_limit) {
        return Err(RuntimeError::WorkgroupTooLarge(
            items,
            device_limit,
            "the device".to_string(),
        ));
    }
    if let Some(limit) = kernel_limit.filter(|l| items > u64::from(*l)) {
        return Err(RuntimeError::WorkgroupTooLarge(
            items,
            limit,
            "the kernel".to_string(),
        ));
    }
    for ((axis, groups), size) in ['x', 'y', 'z'].into_iter().zip(grid).zip(block) {
        let total = u64::from(groups) * u64::from(size);
        if total > u64::from(u32::MAX) {
            return Err(RuntimeError::GridTooLarge(axis, total));
        }
    }
    Ok(())
}

fn put(kernarg: &mut [u8], offset: u32, bytes: &[u8]) {
    let start = offset as usize;
    if let Some(slot) = kernarg.get_mut(start..start + bytes.len()) {
        slot.copy_from_slice(bytes);
    }
}

/// Fills a hidden argument of code object version 5 (LLVM AMDGPUUsage, "Kernarg Segment").
fn put_hidden(kernarg: &mut [u8], arg: &KernelArg, config: &LaunchConfig) {
    let name = arg.value_kind.name();
    let axis = match name.as_bytes().last() {
        Some(b'y') => 1,
        Some(b'z') => 2,
        _ => 0,
    };
    let value: u64 = if name.starts_with("hidden_block_count_") {
        u64::from(config.grid[axis])
    } else if name.starts_with("hidden_group_size_") {
        u64::from(config.block[axis])
    } else if name.starts_with("hidden_global_offset_") {
        config.global_offset[axis]
    } else if name == "hidden_grid_dims" {
        let used = |n: usize| config.grid[n] > 1 || config.block[n] > 1;
        if used(2) {
            3
        } else if used(1) {
            2
        } else {
            1
        }
    } else if name == "hidden_dynamic_lds_size" {
        u64::from(config.dynamic_lds)
    } else {
        // Remainders are 0: grids are whole workgroups. Pointers to services are null.
        0
    };
    put(
        kernarg,
        arg.offset,
        &value.to_le_bytes()[..arg.size.min(8) as usize],
    );
}

/// An AQL kernel dispatch packet (HSA Platform System Architecture, section 2.9.6).
fn packet(
    config: &LaunchConfig,
    image: &crate::vm::KernelImage,
    kernel_object: u64,
    kernarg: u64,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(64);
    let setup: u16 = 3;
    out.extend(2u16.to_le_bytes());
    out.extend(setup.to_le_bytes());
    for size in config.block {
        out.extend((size as u16).to_le_bytes());
    }
    out.extend(0u16.to_le_bytes());
    for axis in 0..3 {
        out.extend((config.grid[axis].wrapping_mul(config.block[axis])).to_le_bytes());
    }
    out.extend(image.scratch_bytes.to_le_bytes());
    out.extend(image.lds_bytes.to_le_bytes());
    out.extend(kernel_object.to_le_bytes());
    out.extend(kernarg.to_le_bytes());
    out.extend([0; 16]);
    out
}
