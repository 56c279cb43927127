//! Generators and comparison of buffers, as the corpus defines them.

use half::{bf16, f16};
use serde_json::Value;

/// Output `i` of SplitMix64.
pub fn generator_bits(seed: u64, i: u64) -> u64 {
    let step = 0x9e37_79b9_7f4a_7c15u64;
    let mut z = seed.wrapping_add(step.wrapping_mul(i + 1));
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// Bytes of an element.
pub fn size_of(dtype: &str) -> Option<usize> {
    let digits = dtype.trim_start_matches(|c: char| c.is_alphabetic());
    digits.parse::<usize>().ok().map(|bits| bits / 8)
}

/// A number rounded once to a float type.
pub fn from_f64(dtype: &str, value: f64) -> u64 {
    match dtype {
        "f16" => u64::from(f16::from_f64(value).to_bits()),
        "bf16" => u64::from(bf16::from_f64(value).to_bits()),
        "f32" => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

fn to_f64(dtype: &str, bits: u64) -> f64 {
    match dtype {
        "f16" => f16::from_bits(bits as u16).to_f64(),
        "bf16" => bf16::from_bits(bits as u16).to_f64(),
        "f32" => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// What counts as equal.
#[derive(Clone, Debug)]
pub struct Tolerance {
    ulp: f64,
    rel: f64,
    abs: f64,
    zero_sign: bool,
}

impl Tolerance {
    /// Reads `0` or an object.
    pub fn read(value: &Value) -> Tolerance {
        let field = |key: &str| value[key].as_f64().unwrap_or(0.0);
        Tolerance {
            ulp: field("ulp"),
            rel: field("rel"),
            abs: field("abs"),
            zero_sign: value["zero_sign"].as_bool().unwrap_or(true),
        }
    }
}

/// The distance to the next larger number of the type.
fn spacing(dtype: &str, bits: u64) -> f64 {
    let size = size_of(dtype).unwrap_or(8) as u32;
    let magnitude = bits & (u64::MAX >> (64 - 8 * size)) >> 1;
    to_f64(dtype, magnitude + 1) - to_f64(dtype, magnitude)
}

fn close(dtype: &str, got: u64, want: u64, tolerance: &Tolerance) -> bool {
    if got == want {
        return true;
    }
    if !dtype.contains('f') {
        return false;
    }
    let (g, w) = (to_f64(dtype, got), to_f64(dtype, want));
    if g.is_nan() || w.is_nan() {
        return g.is_nan() && w.is_nan();
    }
    if g == 0.0 && w == 0.0 {
        return !tolerance.zero_sign;
    }
    let distance = (g - w).abs();
    distance <= tolerance.ulp * spacing(dtype, want)
        || distance <= tolerance.rel * w.abs()
        || distance <= tolerance.abs
}

/// Compares a buffer with the expected bytes; the error names the first element that differs.
pub fn compare(dtype: &str, got: &[u8], want: &[u8], tolerance: &Tolerance) -> Result<(), String> {
    if got.len() != want.len() {
        return Err(format!("{} bytes, expected {}", got.len(), want.len()));
    }
    let size = size_of(dtype).ok_or("unknown type")?;
    let element = |bytes: &[u8]| bytes.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b));
    let pairs = got.chunks(size).zip(want.chunks(size));
    let mut wrong = pairs
        .map(|(g, w)| (element(g), element(w)))
        .enumerate()
        .filter(|(_, (g, w))| !close(dtype, *g, *w, tolerance));
    let Some((n, (g, w))) = wrong.next() else {
        return Ok(());
    };
    let more = wrong.count();
    Err(format!(
        "element {n} is {g:#x}, expected {w:#x}, and {more} more"
    ))
}
