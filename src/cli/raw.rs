//! `kcc disasm`: machine code as text.

use std::path::PathBuf;

use super::exit::Exit;
use super::terminal::Terminal;
use crate::backend::registry::find_target;
use crate::diag::{Code, Diagnostic};
use crate::isa::amdgpu::{Chip, Isa, isa};
use crate::object::hsaco;

/// `kcc disasm`.
#[derive(Clone, Debug, clap::Args)]
pub struct DisasmArgs {
    /// A code object, or raw machine code
    file: PathBuf,
    /// The machine; an object says it itself
    #[arg(short = 't', long)]
    target: Option<String>,
    /// The file is machine code without a container
    #[arg(long, requires = "target")]
    raw: bool,
}

fn table(name: &str) -> Result<&'static Isa, Diagnostic> {
    let wanted = find_target(name)?.desc().name;
    let chips = [
        Chip::Gfx900,
        Chip::Gfx90a,
        Chip::Gfx942,
        Chip::Gfx1030,
        Chip::Gfx1100,
    ];
    let chip = chips.into_iter().find(|c| c.name() == wanted);
    chip.and_then(isa).ok_or_else(|| {
        Diagnostic::new(
            Code::K0402,
            format!("there is no instruction table of {wanted} yet"),
        )
    })
}

/// Disassembles a file.
pub fn disassemble(args: &DisasmArgs) -> Exit {
    let terminal = Terminal::default();
    let data = match terminal.read(&args.file) {
        Ok(data) => data,
        Err(diagnostic) => return terminal.fail(diagnostic, Exit::Io),
    };
    if args.raw {
        let name = args.target.as_deref().unwrap_or("");
        return match table(name) {
            Ok(isa) => {
                terminal.out(&listing(isa, &data, 0));
                Exit::Success
            }
            Err(diagnostic) => terminal.fail(diagnostic, Exit::Usage),
        };
    }
    let object = match hsaco::read(&data) {
        Ok(object) => object,
        Err(error) => {
            return terminal.fail(
                error.to_diagnostic(&args.file.display().to_string()),
                Exit::Io,
            );
        }
    };
    let isa = match table(object.target.chip.name) {
        Ok(isa) => isa,
        Err(diagnostic) => return terminal.fail(diagnostic, Exit::Io),
    };
    for kernel in &object.kernels {
        terminal.out(&format!("{}:\n", kernel.name));
        terminal.out(&listing(isa, object.code(kernel), kernel.code.start));
    }
    Exit::Success
}

/// One instruction a line, `OFFSET: text`; bytes that are none as `.long`.
fn listing(isa: &Isa, bytes: &[u8], base: u64) -> String {
    let mut out = String::new();
    let mut at = 0;
    while at + 4 <= bytes.len() {
        match isa.decode(&bytes[at..]) {
            Ok((inst, size)) => {
                out += &format!("{:x}: {}\n", base + at as u64, isa.print(&inst, None));
                at += size.max(4);
            }
            Err(_) => {
                let word =
                    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
                out += &format!("{:x}: .long {word:#010x}\n", base + at as u64);
                at += 4;
            }
        }
    }
    for byte in &bytes[at.min(bytes.len())..] {
        out += &format!("{:x}: .byte {byte:#04x}\n", base + at as u64);
        at += 1;
    }
    out
}
