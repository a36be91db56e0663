//! The set of routers that have something to do, as bits at two levels, so that a cycle costs what
//! the routers at work cost and not what the network is large; and a word that says how far to look,
//! so that a cycle of an empty network of a million routers costs nothing.
//!
//! Invariant: a bit of `summary` is set where its word of `words` is not zero, and a bit of `top` where
//! one of its words of `summary` is not.

use flitsim_topology::archived;
use flitsim_topology::memory::bytes_of;

/// A set of routers, visited in ascending order.
#[derive(Debug)]
pub(crate) struct ActiveSet {
    words: Vec<u64>,
    summary: Vec<u64>,
    top: u64,
    /// log2 of the words of `summary` that share a bit of `top`.
    share: u32,
}

archived! { ActiveSet { top; fixed words, summary; rebuilt share } }

impl ActiveSet {
    /// The empty set over `0..len`.
    pub(crate) fn new(len: usize) -> Self {
        let words = len.div_ceil(64);
        let summaries = words.div_ceil(64);
        Self {
            words: vec![0; words],
            summary: vec![0; summaries],
            top: 0,
            share: summaries.div_ceil(64).next_power_of_two().trailing_zeros(),
        }
    }

    /// Bytes that the set takes.
    pub(crate) fn bytes(&self) -> u64 {
        bytes_of(&self.words) + bytes_of(&self.summary)
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
            self.top |= 1 << (place >> 6 >> self.share);
        }
    }

    /// Notes in `top` that summary word `index` is zero.
    #[inline]
    fn clear_top(&mut self, index: usize) {
        let bit = index >> self.share;
        let first = bit << self.share;
        let end = (first + (1 << self.share)).min(self.summary.len());
        if self.summary[first..end].iter().all(|&word| word == 0) {
            self.top &= !(1 << bit);
        }
    }

    /// Takes out all of summary word `index`: which of its words are to be taken with
    /// [`Self::take_word`], each, before anything is inserted there again.
    #[inline]
    pub(crate) fn take_summary(&mut self, index: usize) -> u64 {
        let words = std::mem::take(&mut self.summary[index]);
        if words != 0 {
            self.clear_top(index);
        }
        words
    }

    /// Takes out the routers `64 * index..64 * (index + 1)`, as bits.
    #[inline]
    pub(crate) fn take_word(&mut self, index: usize) -> u64 {
        std::mem::take(&mut self.words[index])
    }

    /// Removes `index`.
    #[inline]
    pub(crate) fn remove(&mut self, index: u32) {
        let word = (index >> 6) as usize;
        self.words[word] &= !(1 << (index & 63));
        if self.words[word] == 0 {
            let summary = &mut self.summary[word >> 6];
            *summary &= !(1 << (word & 63));
            if *summary == 0 {
                self.clear_top(word >> 6);
            }
        }
    }

    /// Whether `index` is in the set.
    #[inline]
    pub(crate) fn contains(&self, index: u32) -> bool {
        self.words[(index >> 6) as usize] >> (index & 63) & 1 == 1
    }

    /// Number of summary words up to the last that is not zero, for a visit that changes the set as it
    /// goes but adds nothing behind: see [`Self::word`].
    #[inline]
    pub(crate) fn summaries(&self) -> usize {
        let bits = 64 - self.top.leading_zeros() as usize;
        (bits << self.share).min(self.summary.len())
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

/// Does `$then` with each member `$index` of `$set`, which may change as it goes, but gains nothing behind.
macro_rules! for_each_member {
    ($set:expr, $index:ident => $then:expr) => {
        for s in 0..$set.summaries() {
            let mut summary = $set.summary(s);
            while summary != 0 {
                let word = s * 64 + summary.trailing_zeros() as usize;
                summary &= summary - 1;
                let mut members = $set.word(word);
                while members != 0 {
                    let $index = word as u32 * 64 + members.trailing_zeros();
                    members &= members - 1;
                    $then
                }
            }
        }
    };
}

pub(crate) use for_each_member;

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
        assert_eq!(set.take_summary(0), set_bits(&[0, 63]));
        assert_eq!(set.take_word(63), 1 << 63);
        assert_eq!(set.take_word(0), set_bits(&[0, 63]));
        set.insert(70);
        assert_eq!(set.summary(0), 1 << 1);
        assert!(set.contains(70) && !set.contains(63) && set.contains(4096));
    }

    #[test]
    fn an_empty_set_is_not_looked_at() {
        for len in [1, 64, 5_000, 262_144, 262_145, 1 << 20] {
            let mut set = ActiveSet::new(len);
            assert_eq!(set.summaries(), 0);
            let last = len as u32 - 1;
            for index in [0, last / 2, last] {
                set.insert(index);
                assert!(set.summaries() > index as usize / 4_096);
            }
            assert_eq!(set.summaries(), set.summary.len());
            set.remove(last);
            set.remove(last / 2);
            if last > 0 {
                set.insert(0);
                assert!(set.summaries() << 12 <= (1 << 12 << set.share).max(4_096));
                assert_eq!(set.take_summary(0), 1);
                assert_eq!(set.take_word(0), 1);
            }
            set.remove(0);
            assert_eq!(set.summaries(), 0, "{len}");
        }
    }

    fn set_bits(bits: &[u32]) -> u64 {
        bits.iter().fold(0, |word, bit| word | 1 << bit)
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
