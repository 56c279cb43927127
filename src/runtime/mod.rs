//! Devices, loading of code objects, memory, kernel launches.
