//! A lane: one virtual channel with both of its ends. The sender counts its credits and where its
//! next flit goes, the reader the flits that are there and where the front one stands; a flit that
//! passes changes the two counts of an end by one addition. The flits themselves are not stored: a
//! packet that got its output is split into flits where they leave.
//!
//! Lanes are numbered as output virtual channels are ("ovc"), and after them come the injection
//! virtual channels, which have a reader only. Nothing of an end is read at the other end within a
//! cycle, but where all delays are one: see the README beside the phases.
//!
//! Invariant: counts stay within 16 bits; places count modulo 2^16, a multiple of every buffer's
//! places, and overflow at the top of their word.

use crate::FlitKind;
use crate::flit::{Flit, PACKETS_MAX};
use crate::kernel::wiring::NONE;
use flitsim_topology::archived;

const PLACE: u32 = 1 << 16;

/// One virtual channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lane {
    pub(crate) reader: Reader,
    pub(crate) sender: Sender,
    /// The lane that the packet at the front holds, [`crate::kernel::wiring::EJECT`], or [`NONE`].
    pub(crate) output: u32,
    /// The packet that holds the output; where there is no output, that in an injection virtual channel.
    leaving: Leaving,
    /// The flits of that packet that have not left.
    remaining: u32,
}

archived! { Lane { reader, sender, output, leaving, remaining } }
archived!(newtype Leaving, Reader, Sender);

impl Lane {
    /// Empty, with all `credits`, and leading nowhere yet.
    pub(crate) const fn new(credits: u16) -> Self {
        Self {
            reader: Reader(0),
            sender: Sender(credits as u32),
            output: NONE,
            leaving: Leaving::all_of(0),
            remaining: 0,
        }
    }

    /// Whether it holds nothing, nothing is under way in it, and all `credits` are there.
    pub(crate) const fn is_empty(&self, credits: u32) -> bool {
        self.reader.ready() == 0
            && self.sender.credits() == credits
            && self.output == NONE
            && self.remaining == 0
    }

    /// The packet in slot `packet`, of `flits` flits, is the one whose flits leave from now on.
    #[inline(always)]
    pub(crate) const fn begin(&mut self, packet: u32, flits: u32) {
        self.leaving = Leaving::all_of(packet);
        self.remaining = flits;
    }

    /// The slot of the packet whose flits leave.
    #[inline(always)]
    pub(crate) const fn packet(&self) -> u32 {
        self.leaving.packet()
    }

    /// Whether the head of that packet has not left.
    #[inline]
    pub(crate) const fn has_head(&self) -> bool {
        self.leaving.has_head()
    }

    /// The flits of that packet that have not left.
    #[inline]
    pub(crate) const fn remaining(&self) -> u32 {
        self.remaining
    }

    /// The next flit, which leaves.
    #[inline(always)]
    pub(crate) const fn take_next(&mut self) -> Flit {
        let leaving = self.leaving;
        self.leaving = leaving.without_head();
        self.remaining -= 1;
        Flit {
            packet: leaving.packet(),
            kind: FlitKind {
                head: leaving.has_head(),
                tail: self.remaining == 0,
            },
        }
    }
}

/// The slot of a packet, and whether its head is still there.
#[derive(Clone, Copy, Debug)]
struct Leaving(u32);

impl Leaving {
    #[inline(always)]
    const fn all_of(packet: u32) -> Self {
        debug_assert!((packet as usize) < PACKETS_MAX);
        Self(packet << 1 | 1)
    }

    #[inline(always)]
    const fn packet(self) -> u32 {
        self.0 >> 1
    }

    #[inline(always)]
    const fn has_head(self) -> bool {
        self.0 & 1 == 1
    }

    #[inline(always)]
    const fn without_head(self) -> Self {
        Self(self.0 & !1)
    }
}

/// Flits, and the place of the front one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader(u32);

impl Reader {
    /// Flits that are ready; where all delays are one, those that are ready in the next cycle too.
    /// At an injection port: 1 while its packet has flits left and is ready.
    #[inline(always)]
    pub(crate) const fn ready(self) -> u32 {
        self.0 as u16 as u32
    }

    /// Where the front flit stands in the buffer, modulo its places.
    #[inline(always)]
    pub(crate) const fn front(self) -> u16 {
        (self.0 >> 16) as u16
    }

    /// With one more flit.
    #[inline(always)]
    pub(crate) const fn with_flit(self) -> Self {
        Self(self.0 + 1)
    }

    /// Without the flit at the front.
    #[inline(always)]
    pub(crate) const fn without_front(self) -> Self {
        debug_assert!(self.ready() > 0);
        Self(self.0.wrapping_add(PLACE - 1))
    }
}

/// Credits, and the place of the next flit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sender(u32);

impl Sender {
    /// Free places in the buffer at the far end, as far as the sender knows.
    #[inline(always)]
    pub(crate) const fn credits(self) -> u32 {
        self.0 as u16 as u32
    }

    /// Where the next flit goes in that buffer, modulo its places.
    #[inline(always)]
    pub(crate) const fn back(self) -> u16 {
        (self.0 >> 16) as u16
    }

    /// With one more credit.
    #[inline(always)]
    pub(crate) const fn with_credit(self) -> Self {
        Self(self.0 + 1)
    }

    /// With a credit less: another virtual channel took a place that both could.
    #[inline(always)]
    pub(crate) const fn without_credit(self) -> Self {
        debug_assert!(self.credits() > 0);
        Self(self.0 - 1)
    }

    /// After a flit was sent.
    #[inline(always)]
    pub(crate) const fn after_flit(self) -> Self {
        debug_assert!(self.credits() > 0);
        Self(self.0.wrapping_add(PLACE - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_go_round_and_touch_nothing() {
        let Lane {
            mut reader,
            mut sender,
            ..
        } = Lane::new(32_768);
        for place in 0..=65_536u32 {
            assert_eq!(u32::from(reader.front()), place % 65_536);
            assert_eq!(u32::from(sender.back()), place % 65_536);
            reader = reader.with_flit();
            assert_eq!(reader.ready(), 1);
            reader = reader.without_front();
            assert_eq!(reader.ready(), 0);
            sender = sender.after_flit();
            assert_eq!(sender.credits(), 32_767);
            sender = sender.with_credit();
        }
    }

    #[test]
    fn a_packet_is_split_into_its_flits() {
        for flits in 1..=5 {
            let mut lane = Lane::new(4);
            lane.begin(7, flits);
            for left in (0..flits).rev() {
                let flit = lane.take_next();
                assert_eq!(flit.packet, 7);
                assert_eq!(flit.kind.head, left + 1 == flits);
                assert_eq!(flit.kind.tail, left == 0);
                assert_eq!((lane.remaining(), lane.has_head()), (left, false));
            }
        }
    }
}
