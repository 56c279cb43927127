//! Entry point of `kcc`.

fn main() {}
