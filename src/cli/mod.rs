//! The command lines of kcc and kvm.

pub mod exit;
pub mod terminal;
pub mod value;
