//! Prints a code object as assembler text (`-S`).
//!
//! The instructions come as text, one by one, beside the [`CodeObject`]; this module adds everything
//! around them. Assembled with `llvm-mc` and linked with `ld.lld -shared`, the text gives the same
//! `.text`, the same descriptors (except the entry offset) and the same metadata note as
//! [`write`](super::write::write), and the section `.kcc.params` too.

use super::{ABI_VERSION_V5, CodeObject, KERNEL_ALIGN, Kernel};
use crate::object::params;
use std::fmt::Write as _;

/// A line of a kernel's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AsmLine {
    /// A label, `.LBB0_2`, without its colon.
    Label(String),
    /// An instruction.
    Inst(String),
    /// The source place of the instructions that follow; line 0 for none. The file is an index into
    /// [`CodeObject::files`].
    Place {
        /// File.
        file: u32,
        /// Line.
        line: u32,
        /// Column.
        column: u32,
    },
    /// A remark for the reader.
    Comment(String),
}

/// The text of an object whose kernels have these bodies, in the same order.
pub fn print(object: &CodeObject, bodies: &[Vec<AsmLine>]) -> String {
    let mut out = format!(".amdgcn_target \"{}\"\n", object.target);
    let version = u32::from(ABI_VERSION_V5) + 2;
    let _ = writeln!(out, ".amdhsa_code_object_version {version}\n.text");
    for (i, file) in object.files.iter().enumerate() {
        let _ = writeln!(out, ".file {} {}", i + 1, quoted(file));
    }
    for (i, (kernel, body)) in object.kernels.iter().zip(bodies).enumerate() {
        print_code(&mut out, i, kernel, body);
    }
    out.push_str("\n.rodata\n.p2align 6\n");
    for kernel in &object.kernels {
        let name = symbol(&kernel.name);
        out.push_str(
            &kernel
                .descriptor
                .to_directives(&name, object.target.chip.family),
        );
    }
    let section = params::SECTION;
    let _ = writeln!(out, "\n.section {section},\"\",@progbits");
    let _ = writeln!(out, ".ascii {}\n", quoted_bytes(&object.params()));
    out.push_str(&object.metadata().to_directives());
    out
}

fn print_code(out: &mut String, index: usize, kernel: &Kernel, body: &[AsmLine]) {
    let name = symbol(&kernel.name);
    let align = KERNEL_ALIGN.trailing_zeros();
    let _ = writeln!(
        out,
        "\n.globl {name}\n.p2align {align}\n.type {name},@function\n{name}:"
    );
    for line in body {
        let _ = match line {
            AsmLine::Label(label) => writeln!(out, "{label}:"),
            AsmLine::Inst(text) => writeln!(out, "  {text}"),
            AsmLine::Comment(text) => writeln!(out, "  ; {}", text.replace('\n', " ")),
            AsmLine::Place { file, line, column } => {
                writeln!(out, "  .loc {} {line} {column}", file + 1)
            }
        };
    }
    let _ = writeln!(out, ".Lend{index}:\n.size {name}, .Lend{index}-{name}");
}

/// A symbol, in quotes where its characters need that.
fn symbol(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._$".contains(c);
    if name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        name.to_owned()
    } else {
        quoted(name)
    }
}

fn quoted(text: &str) -> String {
    quoted_bytes(text.as_bytes())
}

/// A string of the assembler: bytes that are not printable ASCII become octal.
fn quoted_bytes(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for byte in bytes {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(*byte)]),
            b' '..=b'~' => out.push(char::from(*byte)),
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_symbols_are_quoted_where_needed() {
        assert_eq!(quoted("a\"b\\ä"), r#""a\"b\\\303\244""#);
        assert_eq!(symbol("k$1.x_"), "k$1.x_");
        assert_eq!(symbol("k<f32>"), "\"k<f32>\"");
    }
}
