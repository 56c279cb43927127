//! Matches output against `check:`, `next:` and `not:`. Runs of blanks count as one.

use super::case::Want;

fn squeeze(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Checks the wants in order; the error shows the output from the last match on.
pub fn match_output(output: &str, wants: &[Want]) -> Result<(), String> {
    let lines: Vec<String> = output.lines().map(squeeze).collect();
    let mut at = 0;
    let mut forbidden: Vec<&str> = Vec::new();
    let fail = |what: String, from: usize| {
        let shown: Vec<&str> = lines[from.min(lines.len())..]
            .iter()
            .take(40)
            .map(String::as_str)
            .collect();
        Err(format!(
            "{what}\n--- output from there ---\n{}",
            shown.join("\n")
        ))
    };
    let check_forbidden = |forbidden: &mut Vec<&str>, from: usize, to: usize| {
        let hit = forbidden
            .iter()
            .find(|f| lines[from..to].iter().any(|l| l.contains(&squeeze(f))));
        let hit = hit.map(|f| f.to_string());
        forbidden.clear();
        hit
    };
    for want in wants {
        match want {
            Want::Not(text) => forbidden.push(text),
            Want::Check(text) => {
                let text = squeeze(text);
                let Some(found) = lines[at..].iter().position(|l| l.contains(&text)) else {
                    return fail(format!("`check: {text}` is not in the output"), at);
                };
                if let Some(hit) = check_forbidden(&mut forbidden, at, at + found) {
                    return fail(format!("`not: {hit}` is in the output before `{text}`"), at);
                }
                at += found + 1;
            }
            Want::Next(text) => {
                let text = squeeze(text);
                if !lines.get(at).is_some_and(|l| l.contains(&text)) {
                    return fail(
                        format!("`next: {text}` is not in the next line"),
                        at.saturating_sub(1),
                    );
                }
                at += 1;
            }
        }
    }
    match check_forbidden(&mut forbidden, at, lines.len()) {
        Some(hit) => fail(format!("`not: {hit}` is in the output"), at),
        None => Ok(()),
    }
}
