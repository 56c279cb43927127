//! Tests of the text form as a whole: the opcode table there and back, hostile text, errors, and the
//! tables of the specification.

mod errors;
mod hostile;
mod spec;
mod table;

use super::parse::parse;
use super::print::{PrintOptions, print_module};
use crate::diag::{Diagnostic, Sink, SourceMap};
use crate::ir::func::Module;

/// Reads a text, with what was found.
fn read(text: &str) -> (Option<Module>, Vec<Diagnostic>) {
    let mut sources = SourceMap::new();
    let file = sources.add("test.visa", text);
    let mut sink = Sink::new();
    let module = parse(file, &sources, &mut sink);
    (module, sink.take())
}

fn print(module: &Module) -> String {
    print_module(module, PrintOptions::default())
}

/// A kernel around a body, in a module.
fn kernel(body: &str) -> String {
    format!(
        ".visa 1.0\n.wave any\n.module \"test\"\n\n.kernel @k(%p: ptr.global, %q: ptr.shared, \
         %n: i32, %l: i64, %f: f32, %h: f16, %b: pred)\n{{\n{body}}}\n"
    )
}
