//! What `kvm run` prints: a line for each written buffer, chosen elements, counters.

use crate::cli::value::array::Array;
use crate::cli::value::expect::show;
use crate::cli::value::generate::content_hash;

/// `y  f32[1000]  min -1.0 max 999.0 mean 499.5 nan 0  hash 0123…  [v, v, …]`
pub fn summary(name: &str, array: &Array) -> String {
    let dims: Vec<String> = array.shape.iter().map(usize::to_string).collect();
    let head = format!("{name}  {}[{}]", array.elem.name(), dims.join(", "));
    if array.is_empty() {
        return format!("{head}  empty  hash {}", content_hash(&array.bytes));
    }
    let (mut low, mut high, mut sum, mut nans) = (f64::INFINITY, f64::NEG_INFINITY, 0.0, 0u64);
    for value in (0..array.len()).filter_map(|i| array.get(i)) {
        let value = value.to_f64();
        if value.is_nan() {
            nans += 1;
        } else {
            low = low.min(value);
            high = high.max(value);
            sum += value;
        }
    }
    let counted = array.len() as f64 - nans as f64;
    let mean = if counted > 0.0 {
        sum / counted
    } else {
        f64::NAN
    };
    let nan = if nans > 0 {
        format!(" nan {nans}")
    } else {
        String::new()
    };
    format!(
        "{head}  min {} max {} mean {}{nan}  hash {}  {}",
        compact(low),
        compact(high),
        compact(mean),
        content_hash(&array.bytes),
        elements(array, 0, array.len().min(8))
    )
}

fn compact(value: f64) -> String {
    if value == value.trunc() && value.abs() < 1e15 {
        format!("{value}")
    } else if value != 0.0 && (value.abs() < 1e-3 || value.abs() >= 1e6) {
        format!("{value:.4e}")
    } else {
        format!("{value:.4}")
    }
}

/// `[v, v, …]`
pub fn elements(array: &Array, from: usize, to: usize) -> String {
    let values: Vec<String> = (from..to).filter_map(|i| array.get(i)).map(short).collect();
    let more = if to < array.len() { ", …" } else { "" };
    format!("[{}{more}]", values.join(", "))
}

fn short(value: crate::cli::value::expr::Num) -> String {
    match value {
        crate::cli::value::expr::Num::Float(v) if v != v.trunc() => {
            let single = v as f32;
            if f64::from(single) == v {
                format!("{single}")
            } else {
                format!("{v}")
            }
        }
        other => show(other),
    }
}

/// The elements that `--print NAME[A:B]` asks for, one a line.
pub fn listing(name: &str, array: &Array, from: usize, to: usize) -> String {
    let lines =
        (from..to).filter_map(|i| Some(format!("{name}[{i}] = {}\n", short(array.get(i)?))));
    lines.collect()
}
