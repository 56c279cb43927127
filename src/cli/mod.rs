//! The command lines of kcc and kvm.

pub mod value;
