//! The name that was probably meant.

/// Names less alike than this are no help.
const LEAST_LIKENESS: f64 = 0.75;

/// The most similar of `known`, if one is similar enough; the first of equally similar ones.
pub fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let mut best: Option<(f64, &str)> = None;
    for candidate in known {
        let likeness = strsim::jaro_winkler(name, candidate);
        if likeness > LEAST_LIKENESS && best.is_none_or(|(most, _)| likeness > most) {
            best = Some((likeness, candidate));
        }
    }
    best.map(|(_, name)| name)
}
