//! Expectations: what a buffer must hold after the launch, and the report of what differs.
//!
//! `NAME=@file.npy`, `NAME=[v, v]`, `NAME=hash:HEX` compare a whole buffer; anything else is an
//! expression. One that mentions `i` is checked for every index of the buffer it names first.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::array::{Array, Elem};
use super::env::{Env, Names};
use super::expr::{self, BinOp, Expr, Node, Num, Rel};
use super::generate::content_hash;
use crate::diag::{Code, Diagnostic, FileId, Span};

/// Allowed difference; a value passes when any of them holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// |got - want| <= rel * |want|
    pub rel: f64,
    /// |got - want| <= abs
    pub abs: f64,
    /// Representations at most this far apart.
    pub ulp: u64,
    /// NaN equals NaN.
    pub nan_equal: bool,
}

impl Tolerance {
    /// The default of an element type: f32 1e-5 or 1e-6, f16 1e-3, bf16 1e-2, f64 1e-12, integers
    /// exact.
    pub fn default_for(elem: Elem) -> Tolerance {
        let (rel, abs) = match elem {
            Elem::F16 => (1e-3, 1e-3),
            Elem::Bf16 => (1e-2, 1e-2),
            Elem::F32 => (1e-5, 1e-6),
            Elem::F64 => (1e-12, 1e-12),
            _ => (0.0, 0.0),
        };
        Tolerance {
            rel,
            abs,
            ulp: 0,
            nan_equal: false,
        }
    }

    /// Parses `rel=1e-5,abs=1e-6,ulp=2` over a starting point of zeros.
    pub fn parse(text: &str, file: FileId) -> Result<Tolerance, Diagnostic> {
        let mut out = Tolerance::default();
        let mut at = 0;
        for piece in text.split(',') {
            let span = Span::new(file, at, at + piece.len());
            let bad = || {
                Diagnostic::new(
                    Code::K0801,
                    "a tolerance is written `rel=1e-5`, `abs=1e-6` or `ulp=2`",
                )
                .at(span, "")
            };
            let (name, value) = piece.split_once('=').ok_or_else(bad)?;
            match name.trim() {
                "rel" => out.rel = positive(value).ok_or_else(bad)?,
                "abs" => out.abs = positive(value).ok_or_else(bad)?,
                "ulp" => out.ulp = value.trim().parse().map_err(|_| bad())?,
                _ => return Err(bad()),
            }
            at += piece.len() + 1;
        }
        Ok(out)
    }

    fn accepts(&self, elem: Elem, got: Num, want: Num) -> bool {
        let (g, w) = (got.to_f64(), want.to_f64());
        if g.is_nan() || w.is_nan() {
            return self.nan_equal && g.is_nan() && w.is_nan();
        }
        if expr::compare(Rel::Eq, got, want) {
            return true;
        }
        if g.is_infinite() || w.is_infinite() {
            // A reference beyond the type's range rounds to infinity.
            return elem.bits(got).is_some() && elem.bits(got) == elem.bits(want);
        }
        let error = (g - w).abs();
        error <= self.abs
            || error <= self.rel * w.abs()
            || (elem.is_float() && ulp_distance(elem, got, want).is_some_and(|d| d <= self.ulp))
    }
}

fn positive(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|v: &f64| *v >= 0.0)
}

/// Distance in representable values; `None` for NaN.
pub fn ulp_distance(elem: Elem, a: Num, b: Num) -> Option<u64> {
    if a.to_f64().is_nan() || b.to_f64().is_nan() {
        return None;
    }
    let width = elem.size() as u32 * 8;
    let ordered = |n: Num| -> Option<i128> {
        let bits = elem.bits(n)?;
        let magnitude = i128::from(bits & !(1 << (width - 1)));
        Some(if bits >> (width - 1) & 1 != 0 {
            -magnitude
        } else {
            magnitude
        })
    };
    u64::try_from((ordered(a)? - ordered(b)?).unsigned_abs()).ok()
}

/// A buffer before and after the launch.
#[derive(Clone, Debug)]
pub struct Contents {
    /// Initial contents.
    pub before: Array,
    /// Contents after the launch.
    pub after: Array,
}

/// All buffers and numbers of a run, as expressions see them: `y[i]` is the result, `y0[i]` the
/// initial value.
#[derive(Debug, Default)]
pub struct RunEnv {
    /// Numbers: `--let`, scalar arguments, lengths.
    pub names: Names,
    /// Buffers by argument name.
    pub buffers: BTreeMap<String, Contents>,
    /// NaN equals NaN where no tolerance is given.
    pub nan_equal: bool,
    sorted: BTreeMap<String, Vec<Num>>,
}

impl RunEnv {
    fn array(&self, name: &str) -> Option<&Array> {
        if let Some(contents) = self.buffers.get(name) {
            return Some(&contents.after);
        }
        self.buffers.get(name.strip_suffix('0')?).map(|c| &c.before)
    }

    fn range_error(&self, name: &str, index: i128, len: usize, span: Span) -> Diagnostic {
        let message = format!("`{name}[{index}]` does not exist: `{name}` has {len} elements");
        Diagnostic::new(Code::K0802, message).at(span, "")
    }
}

impl Env for RunEnv {
    fn scalar(&self, name: &str) -> Option<Num> {
        if let Some(value) = self.names.get(name) {
            return Some(value);
        }
        let array = self.array(name.strip_suffix(".len")?)?;
        Some(Num::Int(array.len() as i128))
    }

    fn element(&mut self, name: &str, index: i128, span: Span) -> Result<Num, Diagnostic> {
        let Some(array) = self.array(name) else {
            return Err(self.unknown(name, span));
        };
        let value = usize::try_from(index).ok().and_then(|i| array.get(i));
        value.ok_or_else(|| self.range_error(name, index, array.len(), span))
    }

    fn sorted_element(&mut self, name: &str, index: i128, span: Span) -> Result<Num, Diagnostic> {
        if !self.sorted.contains_key(name) {
            let Some(array) = self.array(name) else {
                return Err(self.unknown(name, span));
            };
            let mut all: Vec<Num> = (0..array.len()).filter_map(|i| array.get(i)).collect();
            all.sort_by(|a, b| a.to_f64().total_cmp(&b.to_f64()));
            self.sorted.insert(name.to_string(), all);
        }
        let all = self.sorted.get(name).map_or(&[][..], Vec::as_slice);
        let value = usize::try_from(index)
            .ok()
            .and_then(|i| all.get(i).copied());
        value.ok_or_else(|| self.range_error(name, index, all.len(), span))
    }

    fn bind(&mut self, name: &str, value: Num) -> Option<Num> {
        self.names.bind(name, value)
    }

    fn restore(&mut self, name: &str, saved: Option<Num>) {
        self.names.restore(name, saved);
    }

    fn names(&self) -> Vec<String> {
        self.names
            .keys()
            .map(str::to_string)
            .chain(self.buffers.keys().cloned())
            .collect()
    }
}

/// Outcome of one expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The expectation as written.
    pub text: String,
    /// Values compared.
    pub checked: usize,
    /// Values that differ.
    pub failed: usize,
    /// Report of the differences; empty when all hold.
    pub report: String,
}

/// Differences seen so far.
#[derive(Default)]
struct Tally {
    checked: usize,
    failed: usize,
    max_abs: f64,
    max_rel: f64,
    ulps: [usize; 5],
    first: Vec<String>,
}

const ULP_BINS: [(&str, u64); 5] = [
    ("1", 1),
    ("2..4", 4),
    ("5..64", 64),
    ("65..65536", 65536),
    ("more", u64::MAX),
];
const FIRST_PLACES: usize = 5;

impl Tally {
    fn add(
        &mut self,
        ok: bool,
        elem: Option<Elem>,
        place: impl Fn() -> String,
        got: Num,
        want: Num,
    ) {
        self.checked += 1;
        if ok {
            return;
        }
        self.failed += 1;
        let (g, w) = (got.to_f64(), want.to_f64());
        let error = (g - w).abs();
        if error.is_finite() {
            self.max_abs = self.max_abs.max(error);
            if w != 0.0 {
                self.max_rel = self.max_rel.max(error / w.abs());
            }
        }
        if let Some(elem) = elem.filter(|e| e.is_float()) {
            let distance = ulp_distance(elem, got, want).unwrap_or(u64::MAX);
            let bin = ULP_BINS
                .iter()
                .position(|(_, top)| distance <= *top)
                .unwrap_or(4);
            self.ulps[bin] += 1;
        }
        if self.first.len() < FIRST_PLACES {
            self.first.push(format!(
                "{}: got {}, expected {}",
                place(),
                show(got),
                show(want)
            ));
        }
    }

    fn outcome(self, text: &str, elem: Option<Elem>) -> Outcome {
        let mut report = String::new();
        if self.failed > 0 {
            let percent = 100.0 * self.failed as f64 / self.checked as f64;
            // Writing to a string cannot fail.
            let _ = writeln!(
                report,
                "{} of {} values differ ({percent:.2} %)",
                self.failed, self.checked
            );
            if elem.is_some_and(Elem::is_float) {
                let _ = writeln!(
                    report,
                    "largest absolute error {:e}, largest relative error {:e}",
                    self.max_abs, self.max_rel
                );
                let bins: Vec<String> = ULP_BINS
                    .iter()
                    .zip(self.ulps)
                    .filter(|(_, n)| *n > 0)
                    .map(|((name, _), n)| format!("{name}: {n}"))
                    .collect();
                let _ = writeln!(report, "ulp distance  {}", bins.join("   "));
            }
            for line in &self.first {
                let _ = writeln!(report, "  {line}");
            }
            if self.failed > self.first.len() {
                let _ = writeln!(report, "  … and {} more", self.failed - self.first.len());
            }
        }
        Outcome {
            text: text.to_string(),
            checked: self.checked,
            failed: self.failed,
            report,
        }
    }
}

/// A number as reports print it.
pub fn show(value: Num) -> String {
    match value {
        Num::Int(v) => v.to_string(),
        Num::Float(v) if v == v.trunc() && v.abs() < 1e15 => format!("{v:.1}"),
        Num::Float(v) if v != 0.0 && (v.abs() < 1e-4 || v.abs() >= 1e15) => format!("{v:e}"),
        Num::Float(v) => format!("{v}"),
    }
}

/// Checks `NAME` against given contents.
pub fn check_array(
    text: &str,
    name: &str,
    want: &Array,
    env: &RunEnv,
    tol: Option<Tolerance>,
) -> Result<Outcome, String> {
    let Some(contents) = env.buffers.get(name) else {
        return Err(format!("there is no buffer `{name}`"));
    };
    let got = &contents.after;
    if got.len() != want.len() {
        return Err(format!(
            "`{name}` has {} elements, the expectation has {}",
            got.len(),
            want.len()
        ));
    }
    let default = Tolerance {
        nan_equal: env.nan_equal,
        ..Tolerance::default_for(got.elem)
    };
    let tolerance = tol.unwrap_or(default);
    let mut tally = Tally::default();
    for i in 0..got.len() {
        let (Some(g), Some(w)) = (got.get(i), want.get(i)) else {
            continue;
        };
        let ok = tolerance.accepts(got.elem, g, w);
        tally.add(ok, Some(got.elem), || format!("{name}[{i}]"), g, w);
    }
    Ok(tally.outcome(text, Some(got.elem)))
}

/// Checks the hash of a buffer.
pub fn check_hash(text: &str, name: &str, want: &str, env: &RunEnv) -> Result<Outcome, String> {
    let Some(contents) = env.buffers.get(name) else {
        return Err(format!("there is no buffer `{name}`"));
    };
    let got = content_hash(&contents.after.bytes);
    let same = got.eq_ignore_ascii_case(want);
    let report = if same {
        String::new()
    } else {
        format!("`{name}` has hash {got}, expected {want}\n")
    };
    Ok(Outcome {
        text: text.to_string(),
        checked: 1,
        failed: usize::from(!same),
        report,
    })
}

/// Checks an expression.
pub fn check_expr(
    text: &str,
    file: FileId,
    env: &mut RunEnv,
    tol: Option<Tolerance>,
) -> Result<Outcome, Diagnostic> {
    let parsed = expr::parse(text, file, 0)?;
    let buffers: Vec<String> = env.buffers.keys().cloned().collect();
    let is_buffer = |n: &str| {
        buffers
            .iter()
            .any(|b| b == n || Some(b.as_str()) == n.strip_suffix('0'))
    };
    let mut first = None;
    let mut uses_index = false;
    walk(&parsed, &mut |node| match node {
        Node::Index(name, _) | Node::Sorted(name, _) if first.is_none() && is_buffer(name) => {
            first = Some(name.clone());
        }
        Node::Name(name) if name == "i" => uses_index = true,
        _ => {}
    });
    let elem = first.as_deref().and_then(|n| env.array(n)).map(|a| a.elem);
    let count = match (&first, uses_index) {
        (Some(name), true) => env.array(name).map_or(0, Array::len),
        _ => 1,
    };
    let default = elem.map_or(Tolerance::default(), Tolerance::default_for);
    let tolerance = tol.unwrap_or(Tolerance {
        nan_equal: env.nan_equal,
        ..default
    });
    let mut tally = Tally::default();
    let saved = env.bind("i", Num::Int(0));
    if !uses_index {
        env.restore("i", saved);
    }
    for i in 0..count {
        if uses_index {
            env.bind("i", Num::Int(i as i128));
        }
        let place = || {
            if uses_index {
                format!("i = {i}")
            } else {
                "here".to_string()
            }
        };
        let (ok, got, want) = check_once(&parsed, env, elem, &tolerance)?;
        tally.add(ok, elem, place, got, want);
    }
    if uses_index {
        env.restore("i", saved);
    }
    Ok(tally.outcome(text, elem))
}

fn check_once(
    expr: &Expr,
    env: &mut RunEnv,
    elem: Option<Elem>,
    tol: &Tolerance,
) -> Result<(bool, Num, Num), Diagnostic> {
    if let Node::Binary(BinOp::Rel(rel), a, b) = &expr.node {
        let (got, want) = (expr::eval(a, env)?, expr::eval(b, env)?);
        let ok = match (rel, elem) {
            (Rel::Near, Some(elem)) => tol.accepts(elem, got, want),
            (Rel::Near, None) => tol.accepts(Elem::F64, got, want),
            _ => expr::compare(*rel, got, want),
        };
        return Ok((ok, got, want));
    }
    let value = expr::eval(expr, env)?;
    Ok((value.is_true(), value, Num::Int(1)))
}

fn walk(expr: &Expr, visit: &mut dyn FnMut(&Node)) {
    visit(&expr.node);
    match &expr.node {
        Node::Num(_) | Node::Name(_) => {}
        Node::Index(_, e) | Node::Sorted(_, e) | Node::Neg(e) | Node::Not(e) => walk(e, visit),
        Node::Binary(_, a, b) => {
            walk(a, visit);
            walk(b, visit);
        }
        Node::Cond(a, b, c) | Node::Fold(_, _, a, b, c) => {
            walk(a, visit);
            walk(b, visit);
            walk(c, visit);
        }
        Node::Call(_, args) => args.iter().for_each(|a| walk(a, visit)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f32s(values: &[f32]) -> Array {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        Array {
            elem: Elem::F32,
            shape: vec![values.len()],
            bytes,
        }
    }

    fn env() -> RunEnv {
        let mut env = RunEnv::default();
        env.names.set("a", Num::Float(2.0));
        let x = f32s(&[1.0, 2.0, 3.0]);
        env.buffers.insert(
            "x".into(),
            Contents {
                before: x.clone(),
                after: x,
            },
        );
        let y = Contents {
            before: f32s(&[10.0, 20.0, 30.0]),
            after: f32s(&[12.0, 24.0, 36.5]),
        };
        env.buffers.insert("y".into(), y);
        env
    }

    #[test]
    fn elementwise_checks_find_the_wrong_element() {
        let outcome = check_expr("y[i] ~= a*x[i] + y0[i]", FileId(0), &mut env(), None).unwrap();
        assert_eq!((outcome.checked, outcome.failed), (3, 1));
        assert!(
            outcome.report.contains("i = 2: got 36.5, expected 36.0"),
            "{}",
            outcome.report
        );
    }

    #[test]
    fn single_checks_folds_and_sorting_work() {
        let mut env = env();
        for (text, failed) in [
            ("sum(k in 0..x.len, x[k]) == 6", 0),
            ("sorted(y)[0] == 12", 0),
            ("y[0] == 13", 1),
            ("count(k in 0..3, y[k] > 20) == 2", 0),
        ] {
            let outcome = check_expr(text, FileId(0), &mut env, None).unwrap();
            assert_eq!((outcome.checked, outcome.failed), (1, failed), "{text}");
        }
        assert!(check_expr("z[i] == 0", FileId(0), &mut env, None).is_err());
        assert!(check_expr("y[i + 1] == 0", FileId(0), &mut env, None).is_err());
    }

    #[test]
    fn tolerances_follow_the_type() {
        let near = f32s(&[12.0001, 24.0, 36.5]);
        assert_eq!(check_array("", "y", &near, &env(), None).unwrap().failed, 0);
        let far = f32s(&[12.01, 24.0, f32::NAN]);
        assert_eq!(check_array("", "y", &far, &env(), None).unwrap().failed, 2);
        assert_eq!(
            ulp_distance(Elem::F32, Num::Float(-0.0), Num::Float(0.0)),
            Some(0)
        );
        let next = f64::from(f32::from_bits(1f32.to_bits() + 3));
        assert_eq!(
            ulp_distance(Elem::F32, Num::Float(1.0), Num::Float(next)),
            Some(3)
        );
    }
}
