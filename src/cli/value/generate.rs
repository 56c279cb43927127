//! Contents of buffers. All generators are counter-based (SplitMix64) and use only exact or
//! correctly rounded operations: the same bits on every host.

use super::array::Elem;
use super::expr::Num;

/// Output `i` of SplitMix64 with initial state `seed` (Steele, Lea, Flood, OOPSLA 2014).
pub fn mix(seed: u64, i: u64) -> u64 {
    let mut z = seed.wrapping_add(i.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A number in 0..1 with 53 random bits.
pub fn unit(seed: u64, i: u64) -> f64 {
    (mix(seed, i) >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// Uniform in lo..hi.
pub fn uniform(seed: u64, i: u64, lo: f64, hi: f64) -> f64 {
    lo + (hi - lo) * unit(seed, i)
}

/// Sum of twelve uniform numbers less six: mean 0, variance 1, within -6..6. Chosen over the exact
/// normal distribution because it needs no logarithm, so that every host gives the same bits.
pub fn bell(seed: u64, i: u64) -> f64 {
    (0..12)
        .map(|k| unit(seed, i.wrapping_mul(12).wrapping_add(k)))
        .sum::<f64>()
        - 6.0
}

/// Uniform integer in lo..=hi.
pub fn int_between(seed: u64, i: u64, lo: i128, hi: i128) -> i128 {
    let width = (hi - lo + 1).max(1) as u128;
    let draw = if width <= 1 << 32 {
        u128::from(mix(seed, i) >> 32)
    } else {
        u128::from(mix(seed, i))
    };
    lo + (draw % width) as i128
}

/// Random bits of an element type; used for integers without bounds.
pub fn bits(seed: u64, i: u64, elem: Elem) -> u64 {
    let all = mix(seed, i);
    match elem.size() {
        8 => all,
        size => all & ((1 << (size * 8)) - 1),
    }
}

/// A permutation of `0..n` (Fisher-Yates).
pub fn permutation(seed: u64, n: usize) -> Vec<u64> {
    let mut out: Vec<u64> = (0..n as u64).collect();
    for i in (1..n).rev() {
        let j = (mix(seed, i as u64) % (i as u64 + 1)) as usize;
        out.swap(i, j);
    }
    out
}

/// Content hash shown in reports: the first 16 hex digits of BLAKE3.
pub fn content_hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..16].to_string()
}

/// The value of `start + step * i` in the number kinds of the command line.
pub fn iota(start: Num, step: Num, i: u64) -> Num {
    match (start, step) {
        (Num::Int(a), Num::Int(b)) => Num::Int(a.wrapping_add(b.wrapping_mul(i128::from(i)))),
        _ => Num::Float(start.to_f64() + step.to_f64() * i as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_matches_its_published_outputs() {
        // The first outputs for state 1234567, as given with the reference implementation.
        assert_eq!(mix(1234567, 0), 6457827717110365317);
        assert_eq!(mix(1234567, 1), 3203168211198807973);
        assert_eq!(mix(1234567, 2), 9817491932198370423);
    }

    #[test]
    fn ranges_hold() {
        for i in 0..10_000 {
            assert!((0.0..1.0).contains(&unit(3, i)));
            assert!((-5..=9).contains(&int_between(3, i, -5, 9)));
            assert!(bell(3, i).abs() <= 6.0);
        }
        let mut p = permutation(5, 1000);
        assert_ne!(p[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        p.sort_unstable();
        assert!(p.iter().enumerate().all(|(i, &v)| v == i as u64));
    }
}
