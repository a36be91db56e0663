//! Routing relations of the tests: one that numbers packets, and a small adaptive one.

use super::log::ORDER_SHIFT;
use flitsim_engine::random::below;
use flitsim_engine::routing::{Knowledge, Queues, Undecided, Way, vc_range};
use flitsim_engine::{Candidate, Candidates, Head, Routing, VcMask};
use flitsim_topology::{ChannelId, Direction, Grid, NodeId};

/// The most packets of one source, and bits of the choice that number them.
const ORDER_BITS: u32 = 16;

/// `R` with the packet's place among those of its source in the upper half of its state, so that
/// a probe can tell any two packets. `DETERMINISTIC` is what it claims to be.
#[derive(Clone, Copy)]
pub struct Ordered<R, const DETERMINISTIC: bool>(pub R);

/// The place of a packet in the number of its initial state.
pub const ORDER: u32 = (1 << ORDER_BITS) - 1;

const STATE: u64 = (1 << ORDER_SHIFT) - 1;

impl<R: Routing, const DETERMINISTIC: bool> Ordered<R, DETERMINISTIC> {
    /// The entropy that makes the engine choose `order` as the number and, from `word`, one of the
    /// initial states of `R`.
    pub fn entropy(&self, source: NodeId, destination: NodeId, order: u32, word: u64) -> u64 {
        assert!(order < 1 << ORDER_BITS, "too many packets");
        let inner = below(word, self.0.choices(source, destination));
        let choice = u64::from(inner << ORDER_BITS | order);
        let choices = u64::from(self.choices(source, destination));
        let high = (choice << 32).div_ceil(choices);
        high << 32 | word & 0xffff_ffff
    }
}

impl<R: Routing, const D: bool> Routing for Ordered<R, D> {
    const DETERMINISTIC: bool = D;
    const LOOKS: bool = R::LOOKS;

    fn looks(&self) -> Option<Knowledge> {
        self.0.looks()
    }

    fn decide(&self, packet: Undecided, queues: &dyn Queues, any: &mut Candidates) -> Option<u32> {
        let choice = packet.choice >> ORDER_BITS;
        let decided = self.0.decide(Undecided { choice, ..packet }, queues, any)?;
        Some(decided << ORDER_BITS | packet.choice & ORDER)
    }

    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        self.0.choices(source, destination) << ORDER_BITS
    }

    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        let order = choice & ORDER;
        let state = self.0.initial(source, destination, choice >> ORDER_BITS);
        assert!(state <= STATE);
        u64::from(order) << ORDER_SHIFT | state
    }

    fn route(&self, mut head: Head, candidates: &mut Candidates) {
        head.state &= STATE;
        self.0.route(head, candidates);
    }

    fn only(&self, mut head: Head, candidates: &mut Candidates) -> Option<Candidate> {
        head.state &= STATE;
        self.0.only(head, candidates)
    }

    fn way(&self, mut head: Head, candidates: &mut Candidates) -> Option<(Way, VcMask)> {
        head.state &= STATE;
        self.0.way(head, candidates)
    }

    fn advance(&self, mut head: Head, channel: ChannelId, vc: u32) -> u64 {
        let order = head.state & !STATE;
        head.state &= STATE;
        order | self.0.advance(head, channel, vc)
    }
}

/// Minimal adaptive routing on a mesh or hypercube: any channel that leads closer, on any virtual
/// channel but 0, and where none is to be had, virtual channel 0 in the order of dimensions (Duato
/// 1993). The state counts hops; where it is odd, candidates come in descending order.
#[derive(Clone, Copy)]
pub struct Adaptive<'n> {
    grid: &'n Grid,
    adaptive: VcMask,
}

impl<'n> Adaptive<'n> {
    /// The relation for at least two virtual channels.
    pub fn new(grid: &'n Grid, virtual_channels: u32) -> Self {
        assert!(virtual_channels >= 2);
        Self {
            grid,
            adaptive: vc_range(1, virtual_channels),
        }
    }

    fn productive(&self, head: Head) -> Vec<ChannelId> {
        let here = self.grid.coordinates(head.node);
        let there = self.grid.coordinates(head.destination);
        let towards = |i: usize| {
            let way = match here[i].cmp(&there[i]) {
                std::cmp::Ordering::Less => Direction::Up,
                std::cmp::Ordering::Greater => Direction::Down,
                std::cmp::Ordering::Equal => return None,
            };
            self.grid.channel(head.node, i, way)
        };
        (0..here.len()).filter_map(towards).collect()
    }
}

impl Routing for Adaptive<'_> {
    const DETERMINISTIC: bool = false;

    fn choices(&self, _: NodeId, _: NodeId) -> u32 {
        2
    }

    fn initial(&self, _: NodeId, _: NodeId, choice: u32) -> u64 {
        u64::from(choice)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let mut channels = self.productive(head);
        let escape = channels[0];
        if head.state % 2 == 1 {
            channels.reverse();
        }
        for channel in channels {
            candidates.push(Candidate {
                channel,
                vcs: self.adaptive,
                priority: 0,
            });
        }
        candidates.push(Candidate {
            channel: escape,
            vcs: 1,
            priority: 1,
        });
    }

    fn advance(&self, head: Head, _: ChannelId, _: u32) -> u64 {
        head.state + 1
    }
}

/// Once round a directed ring, on every virtual channel: it deadlocks.
#[derive(Clone, Copy)]
pub struct Round<'n>(pub &'n Grid);

impl Routing for Round<'_> {
    const DETERMINISTIC: bool = true;

    fn route(&self, head: Head, candidates: &mut Candidates) {
        if let Some(channel) = self.0.channel(head.node, 0, Direction::Up) {
            candidates.push(Candidate {
                channel,
                vcs: 1,
                priority: 0,
            });
        }
    }
}
