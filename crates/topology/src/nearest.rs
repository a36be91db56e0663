//! What a name that is not known was meant to be.

use flitsim_keys::osa_distance;

/// The candidate nearest to `word`, where it is near enough to be meant: a third of the word's
/// letters may differ, a swap of neighbours counts once, and capitals do not count.
pub fn nearest<'c>(word: &str, candidates: impl Iterator<Item = &'c str>) -> Option<String> {
    let limit = word.chars().count() / 3;
    let lower = word.to_lowercase();
    candidates
        .map(|candidate| {
            let away = osa_distance(&lower, &candidate.to_lowercase());
            (away, candidate)
        })
        .filter(|&(away, _)| away <= limit)
        .min_by_key(|&(away, _)| away)
        .map(|(_, candidate)| candidate.to_owned())
}
