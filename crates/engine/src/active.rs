//! The set of routers that have something to do, as bits at two levels, so that a cycle costs what
//! the routers at work cost and not what the network is large.
//!
//! Invariant: a bit of `summary` is set where its word of `words` is not zero.

/// A set of routers, visited in ascending order.
#[derive(Debug)]
pub(crate) struct ActiveSet {
    words: Vec<u64>,
    summary: Vec<u64>,
}

impl ActiveSet {
    /// The empty set over `0..len`.
    pub(crate) fn new(len: usize) -> Self {
        let words = len.div_ceil(64);
        Self {
            words: vec![0; words],
            summary: vec![0; words.div_ceil(64)],
        }
    }

    /// Adds `index`.
    #[inline]
    pub(crate) fn insert(&mut self, index: u32) {
        let place = (index >> 6) as usize;
        let word = &mut self.words[place];
        let is_first = *word == 0;
        *word |= 1 << (index & 63);
        if is_first {
            self.summary[place >> 6] |= 1 << (place & 63);
        }
    }

    /// Removes `index`.
    #[inline]
    pub(crate) fn remove(&mut self, index: u32) {
        let word = (index >> 6) as usize;
        self.words[word] &= !(1 << (index & 63));
        if self.words[word] == 0 {
            self.summary[word >> 6] &= !(1 << (word & 63));
        }
    }

    /// Whether `index` is in the set.
    #[inline]
    pub(crate) fn contains(&self, index: u32) -> bool {
        self.words[(index >> 6) as usize] >> (index & 63) & 1 == 1
    }

    /// Number of words, for a visit that changes the set as it goes: see [`Self::word`].
    #[inline]
    pub(crate) fn summaries(&self) -> usize {
        self.summary.len()
    }

    /// The bits of summary word `index`: which words of the set are not empty.
    #[inline]
    pub(crate) fn summary(&self, index: usize) -> u64 {
        self.summary[index]
    }

    /// The routers `64 * index..64 * (index + 1)` as bits.
    #[inline]
    pub(crate) fn word(&self, index: usize) -> u64 {
        self.words[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_through_the_summary() {
        let mut set = ActiveSet::new(10_000);
        for index in [0, 63, 64, 4095, 4096, 9999] {
            set.insert(index);
        }
        set.remove(64);
        let mut found = Vec::new();
        for s in 0..set.summaries() {
            for w in bits(set.summary(s)) {
                let word = s * 64 + w as usize;
                found.extend(bits(set.word(word)).map(|b| word as u32 * 64 + b));
            }
        }
        assert_eq!(found, [0, 63, 4095, 4096, 9999]);
        assert!(set.contains(4096) && !set.contains(64));
    }

    fn bits(mut word: u64) -> impl Iterator<Item = u32> {
        std::iter::from_fn(move || {
            (word != 0).then(|| {
                let bit = word.trailing_zeros();
                word &= word - 1;
                bit
            })
        })
    }
}
