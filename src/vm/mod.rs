//! The SIMT machine: it executes the bytes of real machine code.
