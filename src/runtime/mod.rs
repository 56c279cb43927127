//! Devices, loading of code objects, memory, kernel launches.

pub mod device;
pub mod error;
pub mod launch;
pub mod loader;

pub use device::DeviceModel;
pub use error::RuntimeError;
pub use launch::{LaunchConfig, LaunchError, LaunchReport, Session};
pub use loader::{ArgInfo, ArgKind, KernelInfo, Module};
