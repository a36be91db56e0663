//! Masks of a router's input virtual channels: a word, or two.

use crate::kernel::bits::Ports;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// The input virtual channels of a router as bits, by local ivc. With one word, the branches on `WORDS` vanish. With two,
/// bits are looked up in one of the words, since a shift of both takes twice as many instructions.
pub(super) trait Mask:
    Copy
    + Eq
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + Not<Output = Self>
{
    const WORDS: usize;
    const NONE: Self;

    /// The mask that has these words.
    fn of_words(word: impl Fn(usize) -> u64) -> Self;

    fn word(self, index: usize) -> u64;

    /// All bits but the first that is set.
    fn beyond_first(self) -> Self;

    /// The first bit that is set at or after `start`, cyclic. The mask is not empty.
    fn first_from(self, start: u32) -> u32;

    /// `word` where `local` is, elsewhere nothing.
    #[inline(always)]
    fn at(local: u32, word: u64) -> Self {
        let is_there = |index| Self::WORDS == 1 || local as usize >> 6 == index;
        Self::of_words(|index| if is_there(index) { word } else { 0 })
    }

    /// The bit of `local`.
    #[inline(always)]
    fn bit(local: u32) -> Self {
        Self::at(local, 1 << (local & 63))
    }

    /// The bits of the port that `local` belongs to.
    #[inline(always)]
    fn port(ports: &Ports, local: u32) -> Self {
        Self::at(local, ports.of(local))
    }

    #[inline(always)]
    fn has(self, local: u32) -> bool {
        let word = match Self::WORDS == 1 || local < 64 {
            true => self.word(0),
            false => self.word(1),
        };
        word >> (local & 63) & 1 == 1
    }

    /// The mask of `locals`.
    #[inline(always)]
    fn union(locals: impl Iterator<Item = u32>) -> Self {
        locals.fold(Self::NONE, |mask, local| mask | Self::bit(local))
    }

    /// The first bit that is set. The mask is not empty.
    #[inline(always)]
    fn first(self) -> u32 {
        debug_assert!(self != Self::NONE);
        match self.word(0) {
            0 if Self::WORDS > 1 => 64 + self.word(1).trailing_zeros(),
            word => word.trailing_zeros(),
        }
    }

    /// As [`Ports::beyond_first`].
    #[inline(always)]
    fn beyond_first_of_ports(self, ports: &Ports) -> Self {
        Self::of_words(|index| ports.beyond_first(self.word(index)))
    }

    /// The bits that are set, lowest first.
    #[inline(always)]
    fn ones(self) -> impl Iterator<Item = u32> {
        let (mut word, mut base) = (self.word(0), 0);
        std::iter::from_fn(move || {
            if word == 0 {
                if Self::WORDS == 1 || base > 0 {
                    return None;
                }
                (word, base) = (self.word(1), 64);
                if word == 0 {
                    return None;
                }
            }
            let bit = word.trailing_zeros();
            word &= word - 1;
            Some(base + bit)
        })
    }
}

macro_rules! mask {
    ($($mask:ty),*) => {$(
        impl Mask for $mask {
            const WORDS: usize = (Self::BITS / 64) as usize;
            const NONE: Self = 0;

            #[inline(always)]
            fn of_words(word: impl Fn(usize) -> u64) -> Self {
                let words = 0..Self::WORDS;
                words.fold(0, |mask, index| mask | Self::from(word(index)) << (64 * index))
            }

            #[inline(always)]
            fn word(self, index: usize) -> u64 {
                (self >> (64 * index)) as u64
            }

            #[inline(always)]
            fn beyond_first(self) -> Self {
                self & self.wrapping_sub(1)
            }

            #[inline(always)]
            fn first_from(self, start: u32) -> u32 {
                let ahead = self & (!0 << (start & (Self::BITS - 1)));
                (if ahead != 0 { ahead } else { self }).first()
            }
        }
    )*};
}

mask!(u64, u128);

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_random::mix;

    /// Against sets of numbers.
    fn check<M: Mask>() {
        let ports = Ports::new(4);
        for round in 0..500u64 {
            let word =
                |index: usize| mix(round << 8 | index as u64) & mix(round << 16) & mix(!round);
            let mask = M::of_words(|index| {
                if round % 5 == index as u64 {
                    0
                } else {
                    word(index)
                }
            });
            let all = 0..64 * M::WORDS as u32;
            let set: Vec<u32> = all.clone().filter(|&local| mask.has(local)).collect();
            assert!(mask.ones().eq(set.iter().copied()));
            assert!(M::union(set.iter().copied()) == mask);
            assert!(mask.beyond_first().ones().eq(set.iter().copied().skip(1)));
            let several = mask.beyond_first_of_ports(&ports);
            for local in all {
                let own = M::port(&ports, local);
                let port = set
                    .iter()
                    .copied()
                    .filter(|&other| other >> 4 == local >> 4);
                assert!((mask & own).ones().eq(port.clone()));
                assert!((several & own).ones().eq(port.skip(1)));
                assert!(M::bit(local).ones().eq([local]));
                let next = set.iter().find(|&&other| other >= local).or(set.first());
                if let Some(&next) = next {
                    assert_eq!(mask.first_from(local), next);
                    assert_eq!(mask.first(), set[0]);
                }
            }
        }
    }

    #[test]
    fn masks_of_one_word_and_of_two() {
        check::<u64>();
        check::<u128>();
    }
}
