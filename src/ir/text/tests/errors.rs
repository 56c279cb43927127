//! What is said about wrong text, and where; places of instructions.

use super::{kernel, print, read};
use crate::diag::{Code, FileId, Sink, SourceMap, Span};
use crate::ir::text::parse::parse;
use crate::ir::text::print::{PrintOptions, print_module};

/// The only error of a kernel with this line before its `ret`: code, message, help, marked text.
fn only_error(line: &str) -> (Code, String, String, String) {
    let text = kernel(&format!("entry:\n    {line}\n    ret\n"));
    let (module, found) = read(&text);
    assert!(module.is_none(), "{line}");
    let [error] = found.as_slice() else {
        panic!("{line}: {found:#?}");
    };
    let span = error.span();
    let marked = text[span.start as usize..span.end as usize].to_string();
    let help = error.help.first().map_or(String::new(), |h| h.text.clone());
    (error.code, error.message.clone(), help, marked)
}

#[test]
fn errors_name_the_place_and_help() {
    let cases: &[(&str, Code, &str, &str, &str)] = &[
        ("%a = add.u32 %n %n", Code::K0501, "found `%n`", "", "%n"),
        (
            "%a = add.u32 %n,",
            Code::K0504,
            "a value or a literal",
            "values begin with",
            "ret",
        ),
        (
            "%a = ad.u32 %n, 1",
            Code::K0502,
            "unknown instruction",
            "`add`",
            "ad.u32",
        ),
        (
            "%a = mul.wide.u64 %l, 1",
            Code::K0503,
            "`.u64` cannot follow",
            ".u32",
            "mul.wide.u64",
        ),
        (
            "%a = add.u32 %n",
            Code::K0504,
            "takes 2 operands, not 1",
            "",
            "%a = add.u32 %n",
        ),
        (
            "%a, %c = add.u32 %n, 1",
            Code::K0504,
            "has 1 result, not 2",
            "",
            "%a, %c = add.u32 %n, 1",
        ),
        (
            "%a = add.rn.f32 %f, 1",
            Code::K0504,
            "`1` is no `f32`",
            "1.0",
            "1",
        ),
        (
            "%a = add.rn.f16 %h, 1.0e9",
            Code::K0504,
            "`1.0e9` is no `f16`",
            "",
            "1.0e9",
        ),
        (
            "%a = or.pred %b, 1",
            Code::K0504,
            "`1` is no `pred`",
            "`true`",
            "1",
        ),
        (
            "%a = add.u32 %n, 4294967296",
            Code::K0504,
            "is no `i32`",
            "4294967295",
            "4294967296",
        ),
        (
            "%a = ptradd 0, 4",
            Code::K0504,
            "must state its type",
            "ptr.global(0)",
            "0",
        ),
        (
            "%a = ld.global.f32 %p",
            Code::K0504,
            "a memory operand",
            "[%p]",
            "%p",
        ),
        (
            "%a = ld.global.f32 [%p+4294967296]",
            Code::K0504,
            "no offset",
            "",
            "+4294967296",
        ),
        (
            "%a = add.u32 %n, $v",
            Code::K0504,
            "a value or a literal",
            "var.get",
            "$v",
        ),
        (
            "%a = sreg.u32 %n",
            Code::K0505,
            "special register `%n`",
            "",
            "%n",
        ),
        (
            "%a = add.u32 %n, %m",
            Code::K0505,
            "unknown value `%m`",
            "",
            "%m",
        ),
        (
            "var.set $v, 1",
            Code::K0505,
            "unknown variable `$v`",
            "",
            "$v",
        ),
        ("%n = add.u32 %n, 1", Code::K0506, "defined twice", "", "%n"),
        (
            "%a = add.u32 %l, 1",
            Code::K0507,
            "operand 1 is `i32`, not `i64`",
            "",
            "%a = add.u32 %l, 1",
        ),
        (
            "%a = cvt.s32.f32 %f",
            Code::K0507,
            "another rounding",
            "cvt.rzi.s32.f32",
            "%a = cvt.s32.f32 %f",
        ),
        (
            "%a = setp.num.u32 %n, 1",
            Code::K0507,
            "floats only",
            "",
            "%a = setp.num.u32 %n, 1",
        ),
        (
            "cvg.end %n",
            Code::K0507,
            "operand 1 is `cvg`",
            "",
            "cvg.end %n",
        ),
        (".loc 1 2 3", Code::K0508, "`.loc`", "`.file`", ".loc 1 2 3"),
        (
            ".var $v: u32",
            Code::K0510,
            "unknown type `u32`",
            "`i32`",
            "u32",
        ),
        (".var $v: cvg", Code::K0510, "convergence token", "", "cvg"),
    ];
    for (line, code, message, help, marked) in cases {
        let got = only_error(line);
        assert_eq!(got.0, *code, "{line}: {got:?}");
        assert!(got.1.contains(message), "{line}: {got:?}");
        assert!(got.2.contains(help), "{line}: {got:?}");
        assert_eq!(got.3, *marked, "{line}");
    }
}

#[test]
fn several_errors_are_reported_once_each() {
    let text = kernel(
        "entry:\n    %a = ad.u32 %n, 1\n    %c = add.u32 %a, %a\n    %d = add.u32 %c, %no.such\n    br nowhere\n",
    );
    let (_, found) = read(&text);
    let codes: Vec<Code> = found.iter().map(|d| d.code).collect();
    assert_eq!(codes, [Code::K0502, Code::K0505, Code::K0505]);
}

#[test]
fn structure_is_checked() {
    let cases = [
        ("", Code::K0507, "at least one block"),
        ("    ret\n", Code::K0507, "before the first label"),
        (
            "entry:\nnext:\n    ret\n",
            Code::K0507,
            "block `entry` is empty",
        ),
        (
            "entry:\n    %a = add.u32 %n, 1\n",
            Code::K0507,
            "ends in a terminator",
        ),
        ("entry:\n    br entry\n", Code::K0507, "no predecessors"),
        (
            "entry(%x: i32):\n    ret\n",
            Code::K0507,
            "the entry block has parameters",
        ),
        (
            "entry:\n    ret\nentry:\n    ret\n",
            Code::K0506,
            "block `entry` is defined twice",
        ),
        (
            "entry:\n    br x\nx(%v: i32):\n    ret\n",
            Code::K0504,
            "takes 1 argument, not 0",
        ),
        (
            "entry:\n    br x(1.5)\nx(%v: i32):\n    ret\n",
            Code::K0504,
            "`1.5` is no `i32`",
        ),
        (
            "entry:\n    brc %b, x, y\nx:\n    %a = add.u32 %n, 1\n    br y\ny:\n    %c = add.u32 %a, 1\n    ret\n",
            Code::K0507,
            "does not reach",
        ),
    ];
    for (body, code, message) in cases {
        let (module, found) = read(&kernel(body));
        assert!(module.is_none(), "{body}");
        assert_eq!(found[0].code, code, "{body}: {found:?}");
        assert!(found[0].message.contains(message), "{body}: {found:?}");
    }
    let open = ".visa 1.0\n.kernel @a()\n{\nentry:\n    ret\n.kernel @b()\n{\n";
    let (_, found) = read(open);
    assert!(found[0].help[0].text.contains("not closed"), "{found:?}");
}

#[test]
fn directives_are_checked() {
    let ok = "\n.kernel @k()\n{\nentry:\n    ret\n}\n";
    for (head, message) in [
        ("", "begins with its version"),
        (".wave any\n.visa 1.0", "begins with its version"),
        (".visa 2.0", "version 2.0"),
        (".visa 1.0\n.wave 48", "wrong arguments of `.wave`"),
        (".visa 1.0\n.wave 32\n.wave 64", "`.wave` stands twice"),
        (".visa 1.0\n.targte \"x\"", "unknown directive `.targte`"),
        (
            ".visa 1.0\n.file 1 \"a\"\n.file 1 \"b\"",
            "wrong arguments of `.file`",
        ),
        (".visa 1.0\n.module \"\\q\"", "an escape that is none"),
    ] {
        let (module, found) = read(&format!("{head}{ok}"));
        assert!(module.is_none(), "{head}");
        assert!(found[0].message.contains(message), "{head}: {found:?}");
    }
    let attrs = |attrs: &str| format!(".visa 1.0\n.kernel @k(){attrs}\n{{\nentry:\n    ret\n}}\n");
    for (text, message) in [
        (attrs(" .max_reg(4)"), "unknown attribute `.max_reg`"),
        (
            attrs(" .launch_bounds(4)"),
            "wrong arguments of `.launch_bounds`",
        ),
        (
            attrs(" .max_regs(4) .max_regs(5)"),
            "`.max_regs` stands twice",
        ),
        (
            attrs("").replace("()", "(%n: i32 readonly)"),
            "wrong attribute",
        ),
        (
            attrs("").replace("()", "(%n: i32 elem(q))"),
            "wrong attribute",
        ),
        (
            attrs("").repeat(2).replacen(".visa 1.0", "", 2),
            "begins with",
        ),
    ] {
        let (module, found) = read(&text);
        assert!(module.is_none(), "{text}");
        assert!(found[0].message.contains(message), "{text}: {found:?}");
    }
}

#[test]
fn text_is_brought_to_canonical_form() {
    let loose = "entry: %7 = add.s32 /* signed */ %n, 0x10 // sum
    %big=add.u32 %7,
        4294967295
    br x( %7 , -1 )
x(%i: i32,
  %5: i32): ret
";
    let (module, found) = read(&kernel(loose));
    let text = print(&module.unwrap_or_else(|| panic!("{found:#?}")));
    let body = text.split("{\n").nth(1).unwrap();
    let want = "entry:
    %0 = add.u32 %n, 16
    %big = add.u32 %0, -1
    br x(%0, -1)
x(%i: i32, %1: i32):
    ret
}
";
    assert_eq!(body, want);
}

#[test]
fn places_are_of_the_text_or_of_loc_lines() {
    let text = ".visa 1.0\n.file 1 \"a.k\"\n.file 2 \"gone.k\"\n.kernel @k()\n{\nentry:\n    .loc 1 2 3\n    \
                %a = mov.u32 1\n    .loc 2 1 1\n    %b = mov.u32 2\n    .loc 0 0 0\n    ret\n}\n";
    let spans = |with_source: bool| {
        let mut sources = SourceMap::new();
        let file = sources.add("k.visa", text);
        if with_source {
            sources.add("a.k", "one\n  two\n");
        }
        let module = parse(file, &sources, &mut Sink::new()).unwrap();
        let insts = module.functions[0].insts.iter();
        let spans: Vec<Span> = insts.map(|(_, i)| i.span).collect();
        (sources, module, spans)
    };
    let (sources, module, found) = spans(true);
    assert_eq!(found[0], Span::new(FileId(1), 6, 6));
    assert_eq!(found[1].file, FileId(0));
    assert_eq!(found[2], Span::NONE);
    // What is printed with places reads back with the same places.
    let locs = Some(&sources);
    let printed = print_module(&module, PrintOptions { locs });
    let mut again = sources.clone();
    let file = again.add("again.visa", printed.as_str());
    let module = parse(file, &again, &mut Sink::new()).unwrap();
    let locs = Some(&again);
    assert_eq!(print_module(&module, PrintOptions { locs }), printed);
    let (_, _, found) = spans(false);
    let file_of = |n: usize| found[n].file;
    assert_eq!((file_of(0), file_of(1)), (FileId(0), FileId(0)));
    assert_eq!(
        &text[found[0].start as usize..found[0].end as usize],
        "%a = mov.u32 1"
    );
}
