//! Checks of running code beyond faults.

pub mod hazard;
