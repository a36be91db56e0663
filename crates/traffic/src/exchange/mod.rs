//! Traffic that waits for its answers: a closed loop of requests and replies, in which each node
//! has a fixed number outstanding (Dally & Towles, section 23.1, closed-loop measurement), and a batch, all of whose packets are there at the start.
//!
//! Invariant: the n-th request of a node has the same destination and lengths whatever the network
//! does: draws are addressed by the node and n, not by the cycle. Series so compared serve the same
//! requests.

mod batch;

pub use batch::Batch;

use crate::length::Lengths;
use crate::pattern::Destinations;
use crate::stream::{Purpose, Streams};
use crate::{Arrival, PacketLength, Pattern, TrafficError};
use flitsim_topology::archive::{Archive, Archived};
use flitsim_topology::{Network, NodeId, archived};
use rand::Rng;
use rand::distr::Distribution;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The most packets that a closed loop or a batch may have on the way at once, over all nodes: about
/// a gigabyte.
pub const PACKETS_AT_ONCE_MOST: u64 = 1 << 24;

/// A closed loop: requests, each answered by a reply to who asked.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosedLoop {
    /// Requests of a node on the way or in service at once, at least 1: the next is created in the
    /// cycle in which a reply arrives.
    pub outstanding: u32,
    /// Cycles from the arrival of a request to the creation of its reply.
    pub service_cycles: u64,
    /// The length of a request.
    pub request: PacketLength,
    /// The length of a reply.
    pub reply: PacketLength,
    /// Requests that each node makes in all; `None` without end.
    pub requests: Option<u64>,
}

/// A request and its reply, from the creation of the one to the arrival of the other.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    started: u64,
    requester: NodeId,
    replier: NodeId,
    /// Which of the requester's requests it is.
    number: u64,
    reply_flits: u32,
    reply_entropy: u64,
    /// The part of a mixture that the request follows.
    part: u32,
}

archived! { Round { started, requester, replier, number, reply_flits, reply_entropy, part } }

/// A packet to be created. Ordered as packets are created: by cycle, then by the node that sends it,
/// then so that no two are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    cycle: u64,
    source: NodeId,
    kind: Kind,
    requester: NodeId,
    number: u64,
    /// The round of a reply.
    slot: u32,
}

archived! { Due { cycle, source, kind, requester, number, slot } }

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    #[default]
    Request,
    Reply,
}

impl Archived for Kind {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        let mut is_reply = *self == Self::Reply;
        is_reply.archive(archive);
        *self = if is_reply { Self::Reply } else { Self::Request };
    }
}

/// The packets of a [`ClosedLoop`] as they are created.
#[derive(Clone, Debug)]
pub struct Exchange {
    plan: ClosedLoop,
    streams: Streams,
    destinations: Destinations,
    requests: Lengths,
    replies: Lengths,
    /// By node: requests created or due.
    made: Box<[u64]>,
    rounds: Vec<Round>,
    /// Rounds that are over.
    free: Vec<u32>,
    due: BinaryHeap<Reverse<Due>>,
}

archived! { Exchange {
    rounds, free, due; fixed made; rebuilt plan, streams, destinations, requests, replies
} }

impl Exchange {
    /// The requests of `plan` on `network`, to destinations of `pattern`, and their replies, from
    /// streams addressed by `seed`. Every node that sends anything has all its requests due in
    /// cycle 0.
    ///
    /// # Errors
    /// As [`PacketLength::validate`] and [`Pattern::compile`].
    ///
    /// # Panics
    /// If more than [`PACKETS_AT_ONCE_MOST`] are outstanding.
    pub fn new(
        plan: ClosedLoop,
        pattern: &Pattern,
        network: &Network,
        seed: u64,
    ) -> Result<Self, TrafficError> {
        plan.request.validate()?;
        plan.reply.validate()?;
        let terminals = network.terminals();
        let at_once = u64::from(terminals) * u64::from(plan.outstanding);
        assert!(at_once <= PACKETS_AT_ONCE_MOST, "too many outstanding");
        let mut exchange = Self {
            streams: Streams::new(seed),
            destinations: pattern.compile(network)?,
            requests: Lengths::new(&plan.request),
            replies: Lengths::new(&plan.reply),
            made: vec![0; terminals as usize].into(),
            rounds: Vec::new(),
            free: Vec::new(),
            due: BinaryHeap::new(),
            plan,
        };
        for node in (0..terminals).map(NodeId) {
            if exchange.destinations.sends(node) {
                for _ in 0..exchange.plan.outstanding {
                    exchange.ask(node, 0);
                }
            }
        }
        Ok(exchange)
    }

    /// Hands every packet created in cycle `cycle` to `offer` with its tag, in ascending order of
    /// sources, requests before replies. Cycles are asked for in ascending order; none that has an
    /// arrival may be skipped.
    #[inline]
    pub fn arrivals(&mut self, cycle: u64, mut offer: impl FnMut(Arrival, u64)) {
        while let Some(Reverse(due)) = self.due.peek().copied()
            && due.cycle <= cycle
        {
            self.due.pop();
            match due.kind {
                Kind::Request => {
                    let (arrival, slot) = self.request(due.requester, due.number, cycle);
                    offer(arrival, tag(slot, Kind::Request));
                }
                Kind::Reply => {
                    let round = self.rounds[due.slot as usize];
                    let arrival = Arrival {
                        source: round.replier,
                        destination: round.requester,
                        flits: round.reply_flits,
                        entropy: round.reply_entropy,
                        part: round.part,
                    };
                    offer(arrival, tag(due.slot, Kind::Reply));
                }
            }
        }
    }

    /// The packet of the tag `tag` is delivered at the start of cycle `cycle`, before which every
    /// cycle has been asked for. Where it is a reply, how many cycles its request's creation is ago.
    pub fn delivered(&mut self, tag: u64, cycle: u64) -> Option<u64> {
        let slot = (tag >> 1) as u32;
        let round = self.rounds[slot as usize];
        if tag & 1 == 0 {
            self.due.push(Reverse(Due {
                cycle: cycle + self.plan.service_cycles,
                source: round.replier,
                kind: Kind::Reply,
                requester: round.requester,
                number: round.number,
                slot,
            }));
            return None;
        }
        self.free.push(slot);
        self.ask(round.requester, cycle);
        Some(cycle - round.started)
    }

    /// The next cycle that has an arrival, as far as is known now; `u64::MAX` where there is none
    /// before something else is delivered.
    #[inline]
    pub fn next_arrival(&self) -> u64 {
        let due = self.due.peek();
        due.map_or(u64::MAX, |Reverse(due)| due.cycle)
    }

    /// Plans the next request of `node`, if it has one left, for `cycle`.
    fn ask(&mut self, node: NodeId, cycle: u64) {
        let made = &mut self.made[node.index()];
        if self.plan.requests.is_none_or(|requests| *made < requests) {
            self.due.push(Reverse(Due {
                cycle,
                source: node,
                kind: Kind::Request,
                requester: node,
                number: *made,
                slot: u32::MAX,
            }));
            *made += 1;
        }
    }

    /// Begins a round.
    fn request(&mut self, requester: NodeId, number: u64, cycle: u64) -> (Arrival, u32) {
        let mut rng = (self.streams).event(Purpose::Request, requester.0, number);
        let flits = self.requests.sample(&mut rng);
        let reply_flits = self.replies.sample(&mut rng);
        let [entropy, reply_entropy] = [rng.next_u64(), rng.next_u64()];
        let (replier, part) = (self.destinations).draw_with_part(requester, &mut rng);
        let arrival = Arrival {
            source: requester,
            destination: replier,
            flits,
            entropy,
            part,
        };
        let round = Round {
            started: cycle,
            requester,
            replier,
            number,
            reply_flits,
            reply_entropy,
            part,
        };
        match self.free.pop() {
            Some(slot) => {
                self.rounds[slot as usize] = round;
                (arrival, slot)
            }
            None => {
                self.rounds.push(round);
                (arrival, self.rounds.len() as u32 - 1)
            }
        }
    }
}

/// What a packet of the round in `slot` is known by.
fn tag(slot: u32, kind: Kind) -> u64 {
    u64::from(slot) << 1 | u64::from(kind == Kind::Reply)
}
