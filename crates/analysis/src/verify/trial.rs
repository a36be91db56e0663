//! Whether a relation respects the automorphisms that it says: tried, and not believed where that
//! fails.

use super::VerifyOptions;
use super::explore::Explorer;
use super::symmetry::{Automorphism, Group};
use flitsim_engine::routing::each_vc;
use flitsim_engine::{Candidates, Head, Routing, VcMask};
use flitsim_random::Pcg64Mcg;
use flitsim_topology::{ChannelId, Network, NodeId, Star};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};

/// Automorphisms tried on a relation: all where there are no more.
const ELEMENTS_TRIED: u32 = 4096;

/// Heads of each destination tried, under one or other of them.
const HEADS_TRIED: u32 = 6144;

/// Heads of each destination tried under each of them, at least.
const HEADS_OF_ELEMENT: u32 = 2;

impl Group<'_> {
    /// Automorphisms to try: they take `destination` to every node of its class, or to some of many.
    fn sample(&self, destination: NodeId, rng: &mut Pcg64Mcg) -> Vec<Automorphism> {
        let class = match self.moves_places() {
            true => self.class(destination),
            // Named by the image of node 0: what it makes of another node follows.
            false => 0,
        };
        let nodes = (0..self.network().terminals()).map(NodeId);
        let all: Vec<NodeId> = nodes.filter(|&node| self.class(node) == class).collect();
        let nodes: Vec<NodeId> = match all.len() <= ELEMENTS_TRIED as usize {
            true => all,
            false => (0..ELEMENTS_TRIED)
                .filter_map(|_| all.choose(rng).copied())
                .collect(),
        };
        let element = |node| match self.star() {
            Some(star) if self.moves_places() => moving_places(star, destination, node, rng),
            _ => Automorphism::from(node),
        };
        nodes.into_iter().map(element).collect()
    }

    /// Tries on a sample of heads, under every automorphism of not too many, whether `routing` keeps
    /// its word: a relation that differs for a single destination does not.
    pub fn is_respected<R: Routing>(&self, routing: &R, options: &VerifyOptions<'_>) -> bool {
        let terminals = self.network().terminals();
        let mut explorer = Explorer::new(
            self.network(),
            routing,
            options.virtual_channels,
            options.configurations_most,
            self.orbits(),
        );
        let mut rng = Pcg64Mcg::seed_from_u64(0);
        for destination in self.representatives() {
            let elements = self.sample(destination, &mut rng);
            explorer.explore(destination, None);
            let configurations = explorer.configurations.len() as u32;
            if configurations == 0 {
                return false;
            }
            for element in &elements {
                for _ in 0..(HEADS_TRIED / elements.len() as u32).max(HEADS_OF_ELEMENT) {
                    let source = NodeId(rng.random_range(..terminals));
                    let head = explorer.head(rng.random_range(..configurations) as usize);
                    let channel = ChannelId(rng.random_range(..self.network().channels()));
                    let moves = (self, element);
                    let keeps = self.keeps_channel(element, channel)
                        && moves.keeps_source(routing, source, destination)
                        && (head.node == destination || moves.keeps_head(routing, head));
                    if !keeps {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Whether the image of a channel leads to the image of its target.
    fn keeps_channel(&self, element: &Automorphism, channel: ChannelId) -> bool {
        let image = self.channel_under(element, channel);
        self.network().target(image) == self.node_under(element, self.network().target(channel))
    }
}

/// An automorphism at work.
pub(super) trait Moves {
    /// Of what.
    fn network(&self) -> &Network;

    /// The image of a node.
    fn node(&self, node: NodeId) -> NodeId;

    /// The image of a channel.
    fn channel(&self, channel: ChannelId) -> ChannelId;

    /// The image of a head.
    fn head(&self, head: Head) -> Head {
        let arrived = head
            .arrived
            .map(|(channel, vc)| (self.channel(channel), vc));
        Head {
            node: self.node(head.node),
            arrived,
            destination: self.node(head.destination),
            state: head.state,
        }
    }

    /// Whether packets of the images of two terminals begin in the same states, and go on alike.
    fn keeps_source<R: Routing>(&self, routing: &R, source: NodeId, destination: NodeId) -> bool {
        if source == destination {
            return true;
        }
        let here = states(routing, source, destination);
        let head = |&state: &u64| Head {
            node: source,
            arrived: None,
            destination,
            state,
        };
        here == states(routing, self.node(source), self.node(destination))
            && (here.iter()).all(|state| self.keeps_head(routing, head(state)))
    }

    /// Whether the image of `head` has the images of its ways on.
    fn keeps_head<R: Routing>(&self, routing: &R, head: Head) -> bool {
        let mut here = ways(routing, head);
        let channels = self.network().channels();
        if here.iter().any(|way| way.0.0 >= channels) {
            return false;
        }
        for way in &mut here {
            way.0 = self.channel(way.0);
        }
        here.sort_unstable();
        let mut there = ways(routing, self.head(head));
        there.sort_unstable();
        here == there
    }
}

impl Moves for (&Group<'_>, &Automorphism) {
    fn network(&self) -> &Network {
        self.0.network()
    }

    fn node(&self, node: NodeId) -> NodeId {
        self.0.node_under(self.1, node)
    }

    fn channel(&self, channel: ChannelId) -> ChannelId {
        self.0.channel_under(self.1, channel)
    }
}

/// The initial states from `source` to `destination`, in order.
fn states<R: Routing>(routing: &R, source: NodeId, destination: NodeId) -> Vec<u64> {
    let choices = 0..routing.choices(source, destination);
    let states = choices.map(|choice| routing.initial(source, destination, choice));
    let mut states: Vec<_> = states.collect();
    states.sort_unstable();
    states
}

/// An automorphism of a star graph that takes `from` to `to`, places moved at random.
fn moving_places(star: &Star, from: NodeId, to: NodeId, rng: &mut Pcg64Mcg) -> Automorphism {
    let mut order: Vec<u32> = (1..=star.symbols()).collect();
    order[1..].shuffle(rng);
    // Where `from` is moved to, undone, and then `to`.
    let mut undone = vec![0; order.len()];
    for (symbol, place) in star.permutation(star.move_positions(&order, from)).zip(1..) {
        undone[symbol as usize - 1] = place;
    }
    let by = star.translate(to, star.node_at(&undone));
    Automorphism { by, order }
}

/// A channel, a virtual channel of it, the priority, whether it is an escape, and the state after.
pub(super) type Way = (ChannelId, u32, u8, bool, u64);

pub(super) fn ways<R: Routing>(routing: &R, head: Head) -> Vec<Way> {
    let mut candidates = Candidates::default();
    routing.route(head, &mut candidates);
    let mut ways = Vec::new();
    for candidate in candidates.as_slice() {
        let escapes: VcMask = routing.escape_vcs(head, *candidate);
        for vc in each_vc(candidate.vcs) {
            let state = routing.advance(head, candidate.channel, vc);
            let is_escape = escapes >> vc & 1 == 1;
            ways.push((candidate.channel, vc, candidate.priority, is_escape, state));
        }
    }
    ways
}
