//! Masks of a router's input virtual channels: a word, or two.

use crate::kernel::bits::Ports;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// The input virtual channels of a router as bits, by local ivc.
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

    /// The bit of `local`, where `is_set`.
    fn bit_if(local: u32, is_set: bool) -> Self;

    /// The mask that has these words.
    fn of_words(word: impl Fn(usize) -> u64) -> Self;

    fn word(self, index: usize) -> u64;

    /// Of `mask` what fits.
    fn of_wide(mask: u128) -> Self;

    fn without_first(self) -> Self;

    /// The first bit that is set.
    fn first(self) -> u32;

    /// The first bit that is set at or after `start`, cyclic.
    fn first_from(self, start: u32) -> u32;

    /// The bits of the port that `local` belongs to.
    fn port(ports: &Ports, local: u32) -> Self;

    /// The bit of `local`.
    #[inline(always)]
    fn bit(local: u32) -> Self {
        Self::bit_if(local, true)
    }

    #[inline(always)]
    fn has(self, local: u32) -> bool {
        self & Self::bit(local) != Self::NONE
    }

    /// As [`Ports::beyond_first`].
    #[inline(always)]
    fn beyond_first(self, ports: &Ports) -> Self {
        Self::of_words(|index| ports.beyond_first(self.word(index)))
    }

    #[inline(always)]
    fn ones(mut self) -> impl Iterator<Item = u32> {
        std::iter::from_fn(move || {
            let first = (self != Self::NONE).then(|| self.first());
            self = if first.is_some() {
                self.without_first()
            } else {
                self
            };
            first
        })
    }
}

macro_rules! mask {
    ($($mask:ty),*) => {$(
        impl Mask for $mask {
            const WORDS: usize = (Self::BITS / 64) as usize;
            const NONE: Self = 0;

            #[inline(always)]
            fn bit_if(local: u32, is_set: bool) -> Self {
                Self::from(is_set) << (local & (Self::BITS - 1))
            }

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
            fn of_wide(mask: u128) -> Self {
                mask as Self
            }

            #[inline(always)]
            fn without_first(self) -> Self {
                self & self.wrapping_sub(1)
            }

            #[inline(always)]
            fn first(self) -> u32 {
                self.trailing_zeros()
            }

            #[inline(always)]
            fn first_from(self, start: u32) -> u32 {
                let ahead = self & (!0 << (start & (Self::BITS - 1)));
                (if ahead != 0 { ahead } else { self }).trailing_zeros()
            }

            #[inline(always)]
            fn port(ports: &Ports, local: u32) -> Self {
                Self::from(ports.of(local)) << (local & (Self::BITS - 64))
            }
        }
    )*};
}

mask!(u64, u128);
