//! Dense sets of small numbers.

/// A set of numbers below a fixed bound.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// An empty set for numbers below `bound`.
    pub fn new(bound: usize) -> BitSet {
        BitSet {
            words: vec![0; bound.div_ceil(64)],
        }
    }

    /// Whether a number is in the set.
    pub fn has(&self, n: usize) -> bool {
        self.words
            .get(n / 64)
            .is_some_and(|w| w >> (n % 64) & 1 != 0)
    }

    /// Adds a number.
    pub fn insert(&mut self, n: usize) {
        self.words[n / 64] |= 1 << (n % 64);
    }

    /// Removes a number.
    pub fn remove(&mut self, n: usize) {
        self.words[n / 64] &= !(1 << (n % 64));
    }

    /// Adds all of another set; whether anything was new.
    pub fn union(&mut self, other: &BitSet) -> bool {
        let mut changed = false;
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            let joined = *a | b;
            changed |= joined != *a;
            *a = joined;
        }
        changed
    }

    /// The numbers in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                if left == 0 {
                    return None;
                }
                let bit = left.trailing_zeros() as usize;
                left &= left - 1;
                Some(i * 64 + bit)
            })
        })
    }
}
