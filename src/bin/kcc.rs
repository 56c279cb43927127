//! Entry point of `kcc`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(kcc::cli::kcc::main().code())
}
