//! Entry point of `kvm`.

fn main() {}
