//! Orders the moves of a parallel copy, dword by dword.
//!
//! A move may go first when no other pending move reads its destination. Where every destination is
//! still read, the moves form cycles; a cycle is opened by exchanging two registers, after which the
//! readers of either find their value in the other.

use crate::isa::Reg;

/// A source of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<C> {
    /// A dword of a register.
    Reg(Reg),
    /// A constant.
    Const(C),
}

/// A step of the ordered copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<C> {
    /// Destination, source.
    Move(Reg, Source<C>),
    /// Exchange two dwords of the same file.
    Swap(Reg, Reg),
}

/// Orders moves of single dwords. Destinations are distinct.
pub fn order<C: Copy + PartialEq>(mut pending: Vec<(Reg, Source<C>)>) -> Vec<Step<C>> {
    let mut steps = Vec::new();
    pending.retain(|(d, s)| *s != Source::Reg(*d));
    while !pending.is_empty() {
        let read = |reg: Reg, but: usize| {
            pending
                .iter()
                .enumerate()
                .any(|(n, (_, s))| n != but && *s == Source::Reg(reg))
        };
        let free = (0..pending.len()).find(|&n| !read(pending[n].0, n));
        if let Some(n) = free {
            let (dst, src) = pending.remove(n);
            steps.push(Step::Move(dst, src));
            continue;
        }
        // All destinations are read, so each is the source of exactly one move: pure cycles of
        // registers of one file.
        let (dst, src) = pending.remove(0);
        let Source::Reg(src) = src else {
            steps.push(Step::Move(dst, src));
            continue;
        };
        steps.push(Step::Swap(dst, src));
        for (_, source) in &mut pending {
            if *source == Source::Reg(dst) {
                *source = Source::Reg(src);
            } else if *source == Source::Reg(src) {
                *source = Source::Reg(dst);
            }
        }
        pending.retain(|(d, s)| *s != Source::Reg(*d));
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn random_copies_equal_their_parallel_meaning() {
        let mut state = 7u64;
        let mut next = |n: u64| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) % n
        };
        for _ in 0..20_000 {
            let mut dsts: Vec<u16> = (0..8).collect();
            for i in (1..8).rev() {
                dsts.swap(i, next(i as u64 + 1) as usize);
            }
            dsts.truncate(1 + next(8) as usize);
            let moves: Vec<(Reg, Source<u32>)> = dsts
                .iter()
                .map(|&d| {
                    let s = next(9) as u16;
                    (
                        Reg::v(d, 1),
                        if s == 8 {
                            Source::Const(99)
                        } else {
                            Source::Reg(Reg::v(s, 1))
                        },
                    )
                })
                .collect();
            let start: HashMap<u16, u32> = (0..8).map(|i| (i, u32::from(i))).collect();
            let mut want = start.clone();
            for (d, s) in &moves {
                let value = match s {
                    Source::Reg(r) => start[&r.index],
                    Source::Const(c) => *c,
                };
                want.insert(d.index, value);
            }
            let mut got = start.clone();
            for step in order(moves.clone()) {
                match step {
                    Step::Move(d, Source::Reg(s)) => {
                        got.insert(d.index, got[&s.index]);
                    }
                    Step::Move(d, Source::Const(c)) => {
                        got.insert(d.index, c);
                    }
                    Step::Swap(a, b) => {
                        let (x, y) = (got[&a.index], got[&b.index]);
                        got.insert(a.index, y);
                        got.insert(b.index, x);
                    }
                }
            }
            assert_eq!(got, want, "{moves:?}");
        }
    }
}
