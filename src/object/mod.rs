//! Container formats: ELF code objects, kernel descriptors, metadata, line tables.
