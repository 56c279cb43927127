//! Container formats, reader and writer side by side.
//!
//! [`hsaco`] holds AMD code objects: ELF files with kernel descriptors and a metadata note. The
//! parts that every ELF based container shares are beside it: the raw structures of [`elf`], DWARF
//! line tables ([`lines`]) and the kernel parameter section ([`params`]).
//!
//! This layer knows bytes, names and numbers. It knows neither the compiler's IR nor instructions:
//! code comes and goes as bytes, types as the strings that users read.
//!
//! Everything a reader is given may be hostile. Offsets and sizes go through [`bytes::Bytes`], which
//! checks each of them; no size found in a file is ever allocated before it is compared with the
//! file's own length. What is wrong comes back as an [`ObjectError`].

pub mod bytes;
pub mod elf;
pub mod error;
pub mod hsaco;
pub mod lines;
pub mod params;

pub use error::ObjectError;
