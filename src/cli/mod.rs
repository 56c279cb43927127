//! The command lines of kcc and kvm.

pub mod compile;
pub mod exit;
pub mod kcc;
pub mod kvm;
pub mod raw;
pub mod run;
pub mod terminal;
pub mod value;

use exit::Exit;

/// Prints clap's message or help; help and version succeed.
fn clap_exit(error: &clap::Error) -> Exit {
    // A closed pipe is nobody's error.
    let _ = error.print();
    if error.use_stderr() {
        Exit::Usage
    } else {
        Exit::Success
    }
}
