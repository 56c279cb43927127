//! Entry point of `kvm`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(kcc::cli::kvm::main().code())
}
