//! Valiant's randomized routing on any network: by its default routing to a terminal drawn at random, and from
//! there to the destination (Valiant & Brebner 1981; [`Valiant`](super::Valiant) is the same on grids).
//!
//! Why no cycle of dependencies can close: the two legs have virtual channels of their own, the lower half
//! and the upper, neither leg has a cycle, and none returns to the first leg. A packet that comes by its
//! destination on the first leg is taken there.

use super::relation::{Candidates, Head, Routing};
use flitsim_topology::{ChannelId, NodeId};

/// The default routing to a random terminal, then to the destination.
///
/// The state is the terminal between, that of the leg's relation, and whether the second leg has begun.
#[derive(Clone, Debug)]
pub struct Detour<R> {
    legs: Box<[R; 2]>,
    /// Virtual channels of the first leg: the lower.
    lower: u32,
    /// Those of the second.
    upper: u32,
    terminals: u32,
}

const SECOND_LEG: u64 = 1;

/// The first bit of the terminal between.
const BETWEEN: u32 = 12;

impl<R: Routing> Detour<R> {
    /// A relation for each leg, each with its virtual channels, the first leg's the lower, and how many
    /// terminals there are to go by.
    pub(super) fn new([first, second]: [(R, u32); 2], terminals: u32) -> Self {
        Self {
            legs: Box::new([first.0, second.0]),
            lower: first.1,
            upper: second.1,
            terminals,
        }
    }

    /// How many terminals there are to go by.
    pub(super) fn terminals(&self) -> u32 {
        self.terminals
    }

    /// Both legs, each with the first of its virtual channels and how many there are.
    pub fn legs(&self) -> [(&R, u32, u32); 2] {
        let [first, second] = &*self.legs;
        [(first, 0, self.lower), (second, self.lower, self.upper)]
    }

    fn state(between: NodeId, own: u64, second: bool) -> u64 {
        debug_assert!(own < 1 << (BETWEEN - 1), "a state of 11 bits at most");
        u64::from(between.0) << BETWEEN | own << 1 | u64::from(second)
    }

    /// The leg at hand, with the head as its relation sees it.
    #[inline]
    fn leg(&self, head: Head) -> (usize, Head) {
        let between = NodeId((head.state >> BETWEEN) as u32);
        let own = (head.state & !(u64::MAX << BETWEEN)) >> 1;
        if head.state & SECOND_LEG != 0 {
            let own_vc =
                |(channel, vc): (ChannelId, u32)| Some((channel, vc.checked_sub(self.lower)?));
            let arrived = head.arrived.and_then(own_vc);
            let state = own;
            return (
                1,
                Head {
                    arrived,
                    state,
                    ..head
                },
            );
        }
        if head.node == between {
            let state = self.legs[1].initial(head.node, head.destination, 0);
            let arrived = None;
            return (
                1,
                Head {
                    arrived,
                    state,
                    ..head
                },
            );
        }
        let destination = between;
        let state = own;
        (
            0,
            Head {
                destination,
                state,
                ..head
            },
        )
    }
}

impl<R: Routing> Routing for Detour<R> {
    const DETERMINISTIC: bool = false;

    fn choices(&self, _: NodeId, _: NodeId) -> u32 {
        self.terminals
    }

    fn initial(&self, source: NodeId, _: NodeId, choice: u32) -> u64 {
        let between = NodeId(choice);
        let own = match source == between {
            true => 0,
            false => self.legs[0].initial(source, between, 0),
        };
        Self::state(between, own, false)
    }

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let (number, leg) = self.leg(head);
        let shift = if number == 0 { 0 } else { self.lower };
        candidates.append(shift, |own| self.legs[number].route(leg, own));
    }

    #[inline]
    fn advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64 {
        let (number, leg) = self.leg(head);
        let vc = if number == 0 { vc } else { vc - self.lower };
        let own = self.legs[number].advance(leg, channel, vc);
        Self::state(NodeId((head.state >> BETWEEN) as u32), own, number == 1)
    }
}
