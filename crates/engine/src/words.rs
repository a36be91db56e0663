//! The two ends of a virtual channel, a 64-bit word each: a flit that passes changes two fields of a
//! word, and both by one addition.
//!
//! Invariant: counts stay within 16 bits, so that no field carries into the next; places count
//! modulo 2^16, a multiple of every buffer's places, and overflow at the top of the word.

use crate::wiring::NONE;

const READY: u64 = 1 << 32;
const CREDIT: u64 = 1 << 32;
const PLACE: u64 = 1 << 48;

/// The reader's end of an input virtual channel: its output, flits, and where the front one stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input(u64);

impl Input {
    /// Empty, without an output.
    pub(crate) const EMPTY: Self = Self(NONE as u64);

    /// The ovc that the packet at the front holds, [`crate::wiring::EJECT`], or [`NONE`].
    #[inline]
    pub(crate) const fn output(self) -> u32 {
        self.0 as u32
    }

    /// Flits that are ready; where all delays are one, those that are ready in the next cycle too.
    /// At an injection port: 1 while its packet has flits left and is ready.
    #[inline]
    pub(crate) const fn ready(self) -> u32 {
        (self.0 >> 32) as u16 as u32
    }

    /// Where the front flit stands in the buffer, modulo its places.
    #[inline]
    pub(crate) const fn front(self) -> u16 {
        (self.0 >> 48) as u16
    }

    /// With the output `output`.
    #[inline]
    pub(crate) const fn with_output(self, output: u32) -> Self {
        Self(self.0 >> 32 << 32 | output as u64)
    }

    /// With no output if `is_done`.
    #[inline]
    pub(crate) const fn without_output_if(self, is_done: bool) -> Self {
        Self(self.0 | (is_done as u64 * NONE as u64))
    }

    /// With one more flit.
    #[inline]
    pub(crate) const fn with_flit(self) -> Self {
        Self(self.0 + READY)
    }

    /// Without the flit at the front.
    #[inline]
    pub(crate) const fn without_front(self) -> Self {
        debug_assert!(self.ready() > 0);
        Self(self.0.wrapping_add(PLACE - READY))
    }

    /// Without the flits that were ready: of an injection port, whose flits have no places.
    #[inline]
    pub(crate) const fn without_flits(self) -> Self {
        Self(self.0 as u32 as u64)
    }
}

/// The sender's end of a virtual channel: its far end, credits, and where the next flit goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output(u64);

impl Output {
    /// With all `credits` and no far end yet.
    pub(crate) const fn new(credits: u16) -> Self {
        Self(NONE as u64 | credits as u64 * CREDIT)
    }

    /// The same, with the far end `ivc`.
    pub(crate) const fn with_far(self, ivc: u32) -> Self {
        Self(self.0 >> 32 << 32 | ivc as u64)
    }

    /// The ivc at its far end.
    #[inline]
    pub(crate) const fn far(self) -> u32 {
        self.0 as u32
    }

    /// Free places in the buffer at the far end, as far as the sender knows.
    #[inline]
    pub(crate) const fn credits(self) -> u32 {
        (self.0 >> 32) as u16 as u32
    }

    /// Where the next flit goes in that buffer, modulo its places.
    #[inline]
    pub(crate) const fn back(self) -> u16 {
        (self.0 >> 48) as u16
    }

    /// With one more credit.
    #[inline]
    pub(crate) const fn with_credit(self) -> Self {
        Self(self.0 + CREDIT)
    }

    /// After a flit was sent.
    #[inline]
    pub(crate) const fn after_flit(self) -> Self {
        debug_assert!(self.credits() > 0);
        Self(self.0.wrapping_add(PLACE - CREDIT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_go_round_and_touch_nothing() {
        let mut input = Input::EMPTY.with_output(77);
        let mut output = Output::new(32_768).with_far(9);
        for place in 0..=65_536u32 {
            assert_eq!(u32::from(input.front()), place % 65_536);
            assert_eq!(u32::from(output.back()), place % 65_536);
            input = input.with_flit().with_flit();
            assert_eq!(input.ready(), 2);
            input = input.without_front();
            assert_eq!((input.ready(), input.output()), (1, 77));
            input = Input(input.0 - READY);
            output = output.after_flit();
            assert_eq!((output.credits(), output.far()), (32_767, 9));
            output = output.with_credit();
        }
        assert_eq!(input.without_output_if(false).output(), 77);
        assert_eq!(input.without_output_if(true).output(), NONE);
        assert_eq!(input.with_flit().without_flits().ready(), 0);
    }
}
