//! What an unknown word was meant to be.

use std::cmp::Reverse;

/// The longest word that is compared: comparing takes the product of the lengths.
const MEANT_BYTES_MOST: usize = 256;

/// The known word nearest to `word`, if any is near enough to be meant: one of the two begins the other, with three
/// letters at least, or at most a third of its letters are others. Of several, the one with the smallest share of other
/// letters, then the one that shares more of its beginning, then the first. None is near a word of more than 256 bytes.
pub fn nearest<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    if word.len() > MEANT_BYTES_MOST {
        return None;
    }
    let plain = |s: &str| s.to_lowercase().replace(['_', ' '], "-");
    let word = plain(word);
    let likeness = |candidate: &str| {
        let away = osa_distance(&word, candidate);
        let letters = word.chars().count().max(candidate.chars().count());
        let begins = word.len().min(candidate.len()) >= 3
            && (word.starts_with(candidate) || candidate.starts_with(&word));
        let both = word.chars().zip(candidate.chars());
        let shared = both.take_while(|(a, b)| a == b).count();
        (begins || 3 * away <= letters).then_some((Reverse(1000 * away / letters.max(1)), shared))
    };
    let known = known.into_iter().enumerate();
    let meant = known.filter_map(|(place, candidate)| {
        Some(((likeness(&plain(candidate))?, Reverse(place)), candidate))
    });
    meant
        .max_by_key(|(likeness, _)| *likeness)
        .map(|(_, candidate)| candidate)
}

/// Letters to insert, delete or replace, or neighbours to swap, to come from one word to the other: the
/// optimal string alignment distance (Damerau 1964).
pub fn osa_distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    let mut last = None;
    for (i, letter) in from.chars().enumerate() {
        let mut next = vec![i + 1];
        for (j, &other) in to.iter().enumerate() {
            let replaced = row[j] + usize::from(letter != other);
            let mut least = replaced.min(row[j + 1] + 1).min(next[j] + 1);
            if j > 0 && last == Some(other) && to[j - 1] == letter {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
        last = Some(letter);
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swap_of_neighbours_is_one_step() {
        for (from, to, away) in [
            ("", "", 0),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("ab", "ba", 1),
            ("ca", "abc", 3),
            ("é", "e", 1),
            ("radix", "raidx", 1),
        ] {
            assert_eq!(osa_distance(from, to), away, "{from} {to}");
            assert_eq!(osa_distance(to, from), away, "{to} {from}");
        }
    }

    #[test]
    fn the_nearest_word_is_found_and_a_far_one_is_not() {
        let known = ["buffer_flits", "delay", "virtual_channels"];
        assert_eq!(nearest("bufer_flits", known), Some("buffer_flits"));
        assert_eq!(nearest("Virtual-Channels", known), Some("virtual_channels"));
        assert_eq!(nearest("packet", known), None);
        assert_eq!(nearest("const_flits", ["c"]), None);
        let known = ["output_buffer_size", "vc_buf_size"];
        assert_eq!(nearest("vc_buffer_size", known), Some("vc_buf_size"));
        // They share letters, and neither is meant by the other.
        let known = ["loop", "nodes", "load", "steps", "fraction"];
        for far in ["drop", "file", "lead-in", "stop", "fractal-dimension"] {
            assert_eq!(nearest(far, known), None, "{far}");
        }
        assert_eq!(nearest(&"nodes".repeat(1_000_000), known), None);
        for (near, meant) in [("frac", "fraction"), ("node", "nodes"), ("setps", "steps")] {
            assert_eq!(nearest(near, known), Some(meant));
        }
    }
}
