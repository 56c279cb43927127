//! The tables of `docs/visa.md` that come from the opcode table. `KCC_BLESS=1` rewrites them.

use std::fmt::Write;

use crate::diag::Code;
use crate::ir::opcode::{Cmp, Flags, OpDesc, Opcode, Round, Rule, SReg, Slot};
use crate::ir::text::mnemonic::{is_optional, is_suffix};
use crate::ir::types::{Kind, KindSet};

fn slot_name(slot: Slot) -> &'static str {
    match slot {
        Slot::Cmp => ".CMP",
        Slot::Round => ".ROUND",
        Slot::CvtRound => ".CVTROUND",
        Slot::Ftz => ".ftz",
        Slot::Sat => ".sat",
        Slot::Wrap => ".wrap",
        Slot::Space => ".SPACE",
        Slot::Vec => ".VEC",
        Slot::Kind => ".KIND",
        Slot::SrcKind => ".FROM",
        Slot::SReg => "%SREG",
        Slot::Var => "$VAR",
    }
}

fn rule_name(rule: Rule) -> &'static str {
    match rule {
        Rule::K => "KIND",
        Rule::S => "FROM",
        Rule::Wide => "WIDE",
        Rule::Pred => "pred",
        Rule::I32 => "i32",
        Rule::I64 => "i64",
        Rule::Ptr => "ptr",
        Rule::Addr => "[ptr.SPACE]",
        Rule::Cvg => "cvg",
        Rule::VarTy => "VARTYPE",
        Rule::Vec => "KIND…",
    }
}

/// `u8…u64 s8…s64` for whole groups, single kinds else.
fn kinds(set: KindSet) -> String {
    let groups = [
        (KindSet::UNSIGNED, "u8…u64"),
        (KindSet::SIGNED, "s8…s64"),
        (KindSet::BITS, "b8…b64"),
        (KindSet::FLOAT, "f16 bf16 f32 f64"),
        (KindSet::PRED, "pred"),
        (KindSet::PTR, "ptr"),
    ];
    let mut parts: Vec<String> = Vec::new();
    for (group, name) in groups {
        let all: Vec<Kind> = group.iter().collect();
        let present: Vec<&str> = all
            .iter()
            .filter(|k| set.has(**k))
            .map(|k| k.name())
            .collect();
        match present.len() {
            0 => {}
            n if n == all.len() => parts.push(name.to_string()),
            _ => parts.push(present.join(" ")),
        }
    }
    parts.join(" ")
}

fn row(desc: &OpDesc) -> String {
    let mut mnemonic = desc.name.to_string();
    for slot in desc.slots.iter().filter(|s| is_suffix(**s)) {
        let name = slot_name(*slot);
        match is_optional(*slot) {
            true => write!(mnemonic, "[{name}]").unwrap(),
            false => mnemonic.push_str(name),
        }
    }
    let places = desc.slots.iter().filter(|s| !is_suffix(**s));
    let operands = places.map(|s| slot_name(*s));
    let operands = operands.chain(desc.args.iter().map(|r| rule_name(*r)));
    let operands = operands.chain((0..desc.targets).map(|_| "BLOCK"));
    let operands: Vec<&str> = operands.collect();
    let results: Vec<&str> = desc.results.iter().map(|r| rule_name(*r)).collect();
    let mut kind = kinds(desc.kinds);
    if desc.has_slot(Slot::SrcKind) {
        write!(kind, " from {}", kinds(desc.src_kinds)).unwrap();
    }
    let mark = if desc.flags.has(Flags::SIGNLESS) {
        " ±"
    } else {
        ""
    };
    let code = |text: String| match text.is_empty() {
        true => String::new(),
        false => format!("`{text}`"),
    };
    format!(
        "| `{mnemonic}` | {kind}{mark} | {} | {} | {} |\n",
        code(operands.join(", ")),
        code(results.join(", ")),
        desc.doc
    )
}

fn instruction_table() -> String {
    let mut out = String::from(
        "| Mnemonic | Kinds | Operands | Results | Meaning |\n|---|---|---|---|---|\n",
    );
    Opcode::ALL
        .iter()
        .for_each(|op| out.push_str(&row(op.desc())));
    out
}

fn suffix_table() -> String {
    let list = |names: Vec<&str>| {
        let names: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
        names.join(" ")
    };
    let cmps = Cmp::ALL.iter().map(|c| c.name()).collect();
    let rounds = Round::ALL.iter().map(|r| r.name());
    let sregs: Vec<String> = SReg::ALL.iter().map(|s| format!("%{}", s.name())).collect();
    let mut out = String::from("| Place | Names |\n|---|---|\n");
    for (place, names) in [
        (".CMP", list(cmps)),
        (".ROUND", list(rounds.clone().take(4).collect())),
        (".CVTROUND", list(rounds.collect())),
        ("%SREG", list(sregs.iter().map(String::as_str).collect())),
    ] {
        writeln!(out, "| `{place}` | {names} |").unwrap();
    }
    out
}

/// The page with the text between two markers replaced.
fn replace(page: &str, name: &str, table: &str) -> String {
    let begin = format!("<!-- {name}: from the opcode table -->\n");
    let end = format!("<!-- end of {name} -->");
    let at = page.find(&begin).expect("the page has the marker") + begin.len();
    let to = at + page[at..].find(&end).expect("the page has the end marker");
    format!("{}\n{table}\n{}", &page[..at], &page[to..])
}

#[test]
fn tables_of_the_specification_are_those_of_the_code() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/visa.md");
    let page = std::fs::read_to_string(path).unwrap();
    let want = replace(&page, "instructions", &instruction_table());
    let want = replace(&want, "suffixes", &suffix_table());
    if std::env::var("KCC_BLESS").is_ok() {
        std::fs::write(path, want).unwrap();
        return;
    }
    let differs = page.lines().zip(want.lines()).find(|(a, b)| a != b);
    assert!(
        page == want,
        "docs/visa.md is out of date; KCC_BLESS=1 rewrites it. First difference: {differs:#?}"
    );
}

/// The `visa` blocks of the specification that are whole modules.
#[test]
fn examples_of_the_specification_compile() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/visa.md");
    let page = std::fs::read_to_string(path).unwrap();
    let mut checked = 0;
    for block in page.split("```visa\n").skip(1) {
        let text = block.split("```").next().unwrap_or("");
        if text.starts_with(".visa") {
            let (module, found) = super::read(text);
            assert!(module.is_some(), "{text}\n{found:#?}");
            checked += 1;
        }
    }
    assert!(checked > 0, "no example found");
}

/// A module around an example of an explain page. Values that it uses without defining them are
/// parameters, with a type by their name.
fn around(example: &str) -> String {
    if example.starts_with(".visa") || example.starts_with(".wave") {
        let version = if example.starts_with(".visa") {
            ""
        } else {
            ".visa 1.0\n"
        };
        return format!("{version}{example}.kernel @k()\n{{\nentry:\n    ret\n}}\n");
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let code = example.lines().map(|l| l.split("//").next().unwrap_or(""));
    let code: String = code.flat_map(|l| [l, "\n"]).collect();
    let mut params: Vec<String> = Vec::new();
    for used in code.split('%').skip(1) {
        let name: String = used.chars().take_while(|c| is_name(*c)).collect();
        let ty = match &*name {
            "p" => "ptr.global",
            "c" => "pred",
            "f" | "g" => "f32",
            "m" => "i64",
            _ => "i32",
        };
        let defined = [format!("%{name} ="), format!("%{name}:")];
        let param = format!("%{name}: {ty}");
        if !defined.iter().any(|d| code.contains(d.as_str())) && !params.contains(&param) {
            params.push(param);
        }
    }
    let (head, tail) = match example.starts_with("entry") {
        true => ("", ""),
        false => ("entry:\n", "    ret\n"),
    };
    format!(
        ".visa 1.0\n.kernel @k({})\n{{\n{head}{example}{tail}}}\n",
        params.join(", ")
    )
}

#[test]
fn explain_pages_fail_and_compile_as_they_say() {
    let mut checked = 0;
    for code in Code::all().filter(|c| c.name().starts_with("K05")) {
        for block in code.page().split("```visa").skip(1) {
            let (mark, rest) = block.split_once('\n').unwrap();
            let example = rest.split("```").next().unwrap_or("");
            let text = around(example);
            let (module, found) = super::read(&text);
            match mark {
                " fails" => {
                    assert!(!found.is_empty(), "{code}: {text}");
                    assert!(found.iter().all(|d| d.code == code), "{text}\n{found:#?}");
                }
                _ => assert!(module.is_some(), "{code}: {text}\n{found:#?}"),
            }
            checked += 1;
        }
    }
    assert!(checked >= 18, "{checked} examples");
}
