//! Text that is damaged or large: no panic, no stall, and what is still legal reads back.

use super::{kernel, print, read};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// A module with something of everything, in canonical form.
fn sample() -> String {
    let body = "    .var $i: i32
    .var $x: f32
entry:
    %tid = sreg.u32 %tid.x
    %in = setp.lt.u32 %tid, %n
    %0 = cvg.begin
    brc %in, head(0, 1.5), done
head(%i: i32, %acc: f32):
    var.set $i, %i
    %1 = mul.wide.u32 %i, 4
    %px = ptradd %p, %1
    %2, %3 = ld.global.v2.f32 [%px+8]
    %4 = fma.rn.ftz.f32 %2, %3, %acc
    %5 = cvt.rzi.s32.f32 %4
    %6 = selp.ptr %px, %p, %b
    st.global.v4.u32 [%6-16], %5, -1, 4294967295, 7
    %7 = shl.wrap.b32 %5, 3
    %8 = add.u32 %i, 1
    %9 = setp.ge.s32 %8, %7
    brc %9, done, head(%8, %4)
done:
    cvg.end %0
    %10 = var.get $i
    st.shared.u32 [%q], %10
    st.global.f16 [ptr.global(4096)], 0h7C00
    ret
";
    let text = kernel(body)
        .replace(".wave any", ".wave 64\n.target \"gfx942\"")
        .replace(
            "%p: ptr.global,",
            "%p: ptr.global readonly noalias elem(f32),",
        )
        .replace(
            ")\n{",
            ")\n    .launch_bounds(256, 1)\n    .max_regs(64)\n{",
        );
    let (module, found) = read(&text);
    let module = module.unwrap_or_else(|| panic!("{found:#?}"));
    print(&module)
}

/// Bytes that mean something to the lexer.
const SIGNS: &[u8] = b" \n%$@.,:=()[]{}-+\"\\0/*xe";

/// Damages a text in one to four places.
fn mutate(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        let to = (at + 1 + random.below(12)).min(bytes.len());
        match random.below(7) {
            0 => bytes[at] = random.next() as u8,
            1 => bytes[at] = SIGNS[random.below(SIGNS.len())],
            2 => drop(bytes.drain(at..to)),
            3 => bytes.insert(at, random.next() as u8),
            4 => {
                let piece = bytes[at..to].to_vec();
                let into = random.below(bytes.len());
                bytes.splice(into..into, piece);
            }
            5 => bytes.truncate(at.max(1)),
            _ => {
                // Exchanges two lines.
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let mut lines: Vec<&str> = text.lines().collect();
                let (a, b) = (random.below(lines.len()), random.below(lines.len()));
                lines.swap(a, b);
                bytes = lines.join("\n").into_bytes();
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn damaged_text_is_read_or_refused() {
    let text = sample();
    let (mut kept, mut refused) = (0, 0);
    for seed in 0..3000u64 {
        let damaged = mutate(&text, &mut Random(seed));
        let outcome = std::panic::catch_unwind(|| read(&damaged));
        let Ok((module, found)) = outcome else {
            panic!("seed {seed}: panicked on\n{damaged}");
        };
        match module {
            Some(module) => {
                assert!(found.is_empty(), "seed {seed}: {found:?}");
                let canonical = print(&module);
                let (again, found) = read(&canonical);
                let again = again.unwrap_or_else(|| panic!("seed {seed}: {found:#?}\n{canonical}"));
                assert_eq!(print(&again), canonical, "seed {seed}");
                kept += 1;
            }
            None => {
                assert!(!found.is_empty(), "seed {seed}: refused without a word");
                refused += 1;
            }
        }
    }
    assert!(
        kept > 30 && refused > 1000,
        "{kept} kept, {refused} refused"
    );
}

#[test]
fn extreme_shapes_are_refused_quickly() {
    let deep = format!("    br {}1{}\n", "x(".repeat(50_000), ")".repeat(50_000));
    let long = format!("    %a = add.u32 %n, {}\n", "9".repeat(100_000));
    let suffixes = format!("    %a = add{}\n", ".rn".repeat(50_000));
    for line in [
        deep,
        long,
        suffixes,
        "[".repeat(100_000),
        "\"".repeat(99_999),
    ] {
        let (module, found) = read(&kernel(&format!("entry:\n{line}    ret\n")));
        assert!(module.is_none());
        assert!(!found.is_empty());
    }
    for text in [
        "",
        "\n",
        "\0",
        ".visa",
        ".kernel",
        "\u{feff}.visa 1.0",
        ".visa 1.0\n}",
    ] {
        let (module, found) = read(text);
        assert!(module.is_none(), "{text:?}");
        assert!(!found.is_empty(), "{text:?}");
    }
}

#[test]
fn errors_are_capped() {
    let bad = "    %x = nothing.at.all %y\n".repeat(5_000);
    let (module, found) = read(&kernel(&format!("entry:\n{bad}    ret\n")));
    assert!(module.is_none());
    assert!((50..200).contains(&found.len()), "{}", found.len());
    let (_, found) = read(&"))(\n".repeat(5_000));
    assert!(found.len() < 200, "{}", found.len());
}

#[test]
fn pointers_may_come_in_any_order_of_the_text() {
    // A chain against the order of the text: one pass an instruction would be quadratic.
    let count = 20_000;
    let mut body = String::from("entry:\n    br b0\n");
    for n in (1..count).rev() {
        let next = if n + 1 == count {
            "ret".to_string()
        } else {
            format!("br b{}", n + 1)
        };
        body.push_str(&format!(
            "b{n}:\n    %c{n} = ptradd %c{}, 4\n    {next}\n",
            n - 1
        ));
    }
    body.push_str("b0:\n    %c0 = ptradd %p, 4\n    br b1\n");
    let (module, found) = read(&kernel(&body));
    assert!(module.is_some(), "{:?}", found.first());
    let (_, found) = read(&kernel(
        "entry:\n    %x = ptradd %y, 4\n    %y = ptradd %x, 4\n    ret\n",
    ));
    assert!(found[0].message.contains("depends on itself"), "{found:?}");
}
