//! UGAL, universal globally-adaptive load-balanced routing (Singh, "Load-balanced routing in interconnection
//! networks", Stanford, 2005; on dragonflies, Kim, Dally, Scott & Abts 2008, section 4): at the source, the
//! shortest way or that by a terminal drawn at random, whichever has less waiting along it.
//!
//! What waits is estimated by what the source router knows, the flits queued for the first channel of a way
//! times its hops; or, as the ideal, it is what is queued for all channels of the way, packets behind others in
//! their buffers included: without those a router fed by others would see little of what waits for its channel in
//! their buffers, and send all of its own there too. The packet itself counts as
//! queued, so that it goes the shortest way where nothing else is. Where both ways begin with one channel, its
//! virtual channels tell them apart (UGAL-L_VCH of Kim et al.).
//!
//! Why no cycle of dependencies can close: it is [Valiant's routing](super::Valiant) for whatever is decided;
//! the shortest way is that by the source itself, on the virtual channels of the second leg.

use super::options::Knowledge;
use super::queues::{Queues, Undecided};
use super::relation::{Candidate, Candidates, Head, Routing, VcMask};
use super::symmetry::Symmetry;
use flitsim_topology::{ChannelId, Network, NodeId};
use std::ops::Range;

/// The shortest way, or that of `V`, Valiant's routing.
#[derive(Clone, Debug)]
pub struct Ugal<'n, V> {
    network: &'n Network,
    valiant: V,
    /// The lowest bits of the number of an initial state that do not name the terminal between.
    ties: u32,
    knowledge: Knowledge,
}

/// A way from the source to the destination.
struct Course {
    first: Candidate,
    hops: u32,
    /// Flits queued for those of its channels that are known.
    queued: u64,
}

impl<'n, V: Routing> Ugal<'n, V> {
    /// Over `valiant` on `network`, whose initial states have the number of the terminal between, and behind
    /// it `ties` bits.
    pub(super) fn new(network: &'n Network, valiant: V, ties: u32, knowledge: Knowledge) -> Self {
        Self {
            network,
            valiant,
            ties,
            knowledge,
        }
    }

    /// The routing by a terminal between.
    pub fn valiant(&self) -> &V {
        &self.valiant
    }

    /// The way of `packet` in the initial state `choice`: at each router over the channel with the fewest flits
    /// queued, as far as that is known, the first of equals.
    fn course(
        &self,
        packet: Undecided,
        choice: u32,
        queues: &dyn Queues,
        candidates: &mut Candidates,
    ) -> Option<Course> {
        let Undecided {
            source,
            destination,
            ..
        } = packet;
        let mut head = Head {
            node: source,
            arrived: None,
            destination,
            state: self.valiant.initial(source, destination, choice),
        };
        let mut course: Option<Course> = None;
        while head.node != destination {
            candidates.clear();
            self.valiant.route(head, candidates);
            let is_known = course.is_none() || self.knowledge == Knowledge::Global;
            let queue = |channel| match is_known {
                true => queues.flits(channel, VcMask::MAX),
                false => 0,
            };
            let all = candidates.as_slice().iter();
            let next = *all.min_by_key(|way| (way.priority, queue(way.channel)))?;
            let course = course.get_or_insert(Course {
                first: next,
                hops: 0,
                queued: 0,
            });
            course.hops += 1;
            course.queued += queue(next.channel);
            let vc = next.vcs.trailing_zeros();
            head = Head {
                state: self.valiant.advance(head, next.channel, vc),
                node: self.network.target(next.channel),
                arrived: Some((next.channel, vc)),
                ..head
            };
        }
        course
    }
}

impl<V: Routing> Routing for Ugal<'_, V> {
    const DETERMINISTIC: bool = false;
    const LOOKS: bool = true;

    fn looks(&self) -> Option<Knowledge> {
        Some(self.knowledge)
    }

    fn decide(
        &self,
        packet: Undecided,
        queues: &dyn Queues,
        candidates: &mut Candidates,
    ) -> Option<u32> {
        let ties = (1 << self.ties) - 1;
        let direct = packet.source.0 << self.ties | packet.choice & ties;
        let mut course = |choice| self.course(packet, choice, queues, candidates);
        let (Some(shortest), Some(longer)) = (course(direct), course(packet.choice)) else {
            return Some(direct);
        };
        let share_first = shortest.first.channel == longer.first.channel;
        let waiting = |course: &Course| {
            let hops = u64::from(course.hops);
            let queued = match (self.knowledge, share_first) {
                (Knowledge::Global, _) => course.queued,
                (Knowledge::Local, false) => course.queued * hops,
                (Knowledge::Local, true) => {
                    queues.flits(course.first.channel, course.first.vcs) * hops
                }
            };
            queued + u64::from(packet.flits) * hops
        };
        let is_longer = waiting(&shortest) > waiting(&longer);
        Some(if is_longer { packet.choice } else { direct })
    }

    fn at_rest(&self, source: NodeId, _: NodeId) -> Range<u32> {
        source.0 << self.ties..(source.0 + 1) << self.ties
    }

    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        self.valiant.choices(source, destination)
    }

    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        self.valiant.initial(source, destination, choice)
    }

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        self.valiant.route(head, candidates);
    }

    #[inline]
    fn advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64 {
        self.valiant.advance(head, channel, vc)
    }

    fn symmetry(&self) -> Symmetry {
        self.valiant.symmetry()
    }

    fn symmetry_of_ways(&self) -> Symmetry {
        self.valiant.symmetry_of_ways()
    }
}
