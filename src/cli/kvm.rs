//! The command line of `kvm`.

use clap::{Parser, Subcommand};

use super::exit::Exit;
use super::run::{RunArgs, run};
use super::terminal::Terminal;
use crate::runtime::DeviceModel;

const EXAMPLES: &str = "\
Examples:
  kvm run saxpy.k --let n=1000 --threads n --arg a=2.0 \\
      --arg 'x=[n]:random(seed=7)' --arg 'y=[n]:iota' --expect 'y[i] ~= a*x[i] + y0[i]'
  kvm run kernel.hsaco --grid 4 --block 64 --arg '0=f32[256]:zeros' --print '0[0:8]'
  kvm run saxpy.k --target visa …        in the evaluator instead of a machine
  kvm devices                            the machines there are

Exit status: 0 ran and all expectations hold, 1 compile error or expectation failed, 2 bad command line,
3 file errors, 4 findings of --check, 5 fault of the kernel, 6 limit reached, 70 internal error.";

/// Runs the machine code of GPU kernels on simulated devices.
#[derive(Debug, Parser)]
#[command(name = "kvm", version, about, after_help = EXAMPLES)]
pub struct Kvm {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run one kernel
    Run(Box<RunArgs>),
    /// List the devices, or describe one
    Devices {
        /// A device
        name: Option<String>,
    },
    /// Long help for a fault or diagnostic
    Explain {
        /// A code such as R0001; without one, all codes are listed
        code: Option<String>,
    },
}

/// Runs `kvm` with the process's arguments.
pub fn main() -> Exit {
    match Kvm::try_parse() {
        Ok(Kvm {
            command: Command::Run(args),
        }) => run(&mut args.compile.terminal(), &args),
        Ok(Kvm {
            command: Command::Devices { name },
        }) => devices(name.as_deref()),
        Ok(Kvm {
            command: Command::Explain { code },
        }) => super::kcc::explain(code.as_deref()),
        Err(error) => super::clap_exit(&error),
    }
}

fn devices(name: Option<&str>) -> Exit {
    let terminal = Terminal::default();
    let all = DeviceModel::built_in();
    let Some(name) = name else {
        for d in &all {
            terminal.out(&format!(
                "{:<9} {}  {}  {} units\n",
                d.name, d.target, d.title, d.compute_units
            ));
        }
        return Exit::Success;
    };
    let Some(d) = DeviceModel::find(name) else {
        let names: Vec<&str> = all.iter().map(|d| d.name.as_str()).collect();
        terminal.err(&format!(
            "error: there is no device `{name}`\n  = help: there are: {}\n",
            names.join(", ")
        ));
        return Exit::Usage;
    };
    terminal.out(&format!(
        "{}\n  target            {}\n  compute units     {}, {} SIMDs each, {} waves a SIMD\n  wave              {} lanes\n  workgroup         {} work-items at most\n  LDS               {} bytes a workgroup\n  vector registers  {} a lane and SIMD\n  clock             {} MHz\n  memory            {} GiB, {} GB/s\n  L2                {} MiB\n",
        d.title, d.target, d.compute_units, d.simds_per_unit, d.waves_per_simd, d.wave_size, d.max_workgroup_size,
        d.lds_bytes, d.vgprs_per_simd, d.clock_mhz, d.memory_bytes >> 30, d.memory_gb_per_s, d.l2_bytes >> 20
    ));
    Exit::Success
}
