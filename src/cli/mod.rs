//! The command lines of kcc and kvm.
