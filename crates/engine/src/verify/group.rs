//! The groups of automorphisms that a [`Symmetry`] names on a network, and whether a relation
//! respects them.
//!
//! Only families whose channels out of a node have places that every translation keeps: grids of
//! rings and binary dimensions, and star graphs. A translation of them is named by the image of node
//! 0. Star graphs have automorphisms that move the places as well ([`orbits`](super::orbits)); the
//! group with them is tried first.

use super::dependencies::Frame;
use super::explore::Explorer;
use super::orbits::Orbits;
use super::{Coverage, VerifyOptions};
use crate::routing::Symmetry;
use crate::{Candidates, Head, Routing, VcMask};
use flitsim_random::Pcg64Mcg;
use flitsim_topology::{ChannelId, Ends, Grid, MinimalPaths, Network, NodeId, Shape, Star};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};

/// Automorphisms tried on a relation: all where there are no more.
const ELEMENTS_TRIED: u32 = 4096;

/// Heads of each destination tried, under one or other of them.
const HEADS_TRIED: u32 = 6144;

/// Heads of each destination tried under each of them, at least.
const HEADS_OF_ELEMENT: u32 = 2;

#[derive(Clone, Copy)]
enum Family<'n> {
    Grid(&'n Grid),
    Star(&'n Star),
}

/// A group of automorphisms.
#[derive(Clone, Copy)]
pub(super) struct Group<'n> {
    network: &'n Network,
    family: Family<'n>,
    /// Whether colours are kept, so that nodes of one colour only are images of node 0.
    keeps_colour: bool,
    /// Whether there are automorphisms that move the places of channels: then all that do.
    moves_places: bool,
}

/// An element of a group: the translation that takes node 0 to a node, after places are moved.
struct Automorphism {
    by: NodeId,
    /// Where each position of a star graph goes, from 1 on; empty where they stay.
    order: Vec<u32>,
}

impl From<NodeId> for Automorphism {
    fn from(by: NodeId) -> Self {
        let order = Vec::new();
        Self { by, order }
    }
}

impl<'n> Group<'n> {
    /// The groups that `symmetry` names on `network`, the largest first, and none that has no other
    /// element than the identity.
    pub fn all_of(network: &'n Network, symmetry: Symmetry) -> impl Iterator<Item = Self> {
        let translations = Self::of(network, symmetry);
        let moves_places = true;
        let is_larger = |group: &Self| symmetry.has_all() && group.star().is_some();
        let whole = translations.filter(is_larger);
        let whole = whole.map(|group| Self {
            moves_places,
            ..group
        });
        whole.into_iter().chain(translations)
    }

    /// The translations.
    fn of(network: &'n Network, symmetry: Symmetry) -> Option<Self> {
        let family = match network.shape() {
            Shape::Grid(grid) => Family::Grid(grid),
            Shape::Star(star) => Family::Star(star),
            _ => return None,
        };
        let group = Self {
            network,
            family,
            keeps_colour: symmetry.keeps_colour(),
            moves_places: false,
        };
        let is_cyclic = match family {
            Family::Grid(grid) => {
                grid.ends() != Ends::Open || grid.radices().iter().all(|&k| k == 2)
            }
            Family::Star(_) => true,
        };
        let has_colours = match family {
            Family::Grid(grid) => grid.is_bipartite(),
            Family::Star(star) => star.is_bipartite(),
        };
        let is_named = symmetry != Symmetry::None && (has_colours || !symmetry.keeps_colour());
        (is_cyclic && is_named && group.is_regular()).then_some(group)
    }

    /// Whether all nodes are terminals with as many channels out.
    fn is_regular(&self) -> bool {
        let network = self.network;
        let degree = network.outgoing(NodeId(0)).len();
        network.terminals() == network.nodes()
            && (0..network.nodes()).all(|n| network.outgoing(NodeId(n)).len() == degree)
    }

    pub fn network(&self) -> &'n Network {
        self.network
    }

    fn star(&self) -> Option<&'n Star> {
        match self.family {
            Family::Star(star) => Some(star),
            Family::Grid(_) => None,
        }
    }

    /// What the automorphisms that keep a destination take to each other; `None` in a group of
    /// translations, of which only the identity does.
    pub fn orbits(&self) -> Option<Orbits<'n>> {
        let star = self.star().filter(|_| self.moves_places)?;
        Some(Orbits::new(star))
    }

    /// The class of a node: those of one class are images of each other.
    #[inline]
    pub fn class(&self, node: NodeId) -> u32 {
        if !self.keeps_colour {
            return 0;
        }
        let colour = match self.family {
            Family::Grid(grid) => grid.colour(node),
            Family::Star(star) => star.colour(node),
        };
        u32::from(colour != self.colour_of_origin())
    }

    fn colour_of_origin(&self) -> bool {
        match self.family {
            Family::Grid(grid) => grid.colour(NodeId(0)),
            Family::Star(star) => star.colour(NodeId(0)),
        }
    }

    fn classes(&self) -> u32 {
        1 + u32::from(self.keeps_colour)
    }

    /// How many nodes each class has.
    pub fn nodes_of_class(&self) -> u64 {
        u64::from(self.network.nodes() / self.classes())
    }

    fn automorphisms(&self) -> u64 {
        self.nodes_of_class() * self.orbits().map_or(1, Orbits::automorphisms)
    }

    /// The place of `channel` among those out of its source.
    #[inline]
    pub fn place(&self, channel: ChannelId) -> u32 {
        channel.0 - self.network.outgoing(self.network.source(channel)).start
    }

    /// The first node of each class.
    pub fn representatives(&self) -> Vec<NodeId> {
        let mut nodes = (0..self.network.nodes()).map(NodeId);
        let first = |class| nodes.find(|&node| self.class(node) == class);
        (0..self.classes()).filter_map(first).collect()
    }

    pub fn coverage(&self) -> Coverage {
        Coverage::BySymmetry {
            destinations: self.classes(),
            automorphisms: self.automorphisms(),
        }
    }

    pub fn frame(&self, virtual_channels: u32) -> Frame<'n> {
        if self.moves_places {
            return Frame::places_alike(*self, virtual_channels);
        }
        let degree = self.network.outgoing(NodeId(0)).len() as u32;
        let class = |node| self.class(node);
        Frame::quotient(
            self.network,
            virtual_channels,
            self.classes(),
            degree,
            class,
        )
    }

    /// The image of `node` under the automorphism that takes node 0 to `by`.
    pub fn image(&self, by: NodeId, node: NodeId) -> NodeId {
        let grid = match self.family {
            Family::Star(star) => return star.translate(by, node),
            Family::Grid(grid) => grid,
        };
        let ends = grid.coordinates(by).iter().zip(grid.coordinates(node));
        let sums = ends
            .zip(grid.radices())
            .map(|((&a, &b), &k)| (u32::from(a) + u32::from(b)) % k);
        grid.node_at(&sums.collect::<Vec<_>>())
    }

    /// The automorphism that takes `from` to `to`, two channels of one class, by its image of node 0.
    pub fn element(&self, from: ChannelId, to: ChannelId) -> NodeId {
        let [from, to] = [from, to].map(|channel| self.network.source(channel));
        let mut elements = (0..self.network.nodes()).map(NodeId);
        elements
            .find(|&by| self.class(by) == 0 && self.image(by, from) == to)
            .expect("nodes of one class are images of each other")
    }

    /// The image of `channel` under the automorphism that takes node 0 to `by`.
    pub fn image_of_channel(&self, by: NodeId, channel: ChannelId) -> ChannelId {
        self.channel_under(&by.into(), channel)
    }

    fn node_under(&self, element: &Automorphism, node: NodeId) -> NodeId {
        match self.family {
            Family::Star(star) if !element.order.is_empty() => {
                star.translate(element.by, star.move_positions(&element.order, node))
            }
            _ => self.image(element.by, node),
        }
    }

    fn channel_under(&self, element: &Automorphism, channel: ChannelId) -> ChannelId {
        let place = self.place(channel);
        // The channel in place 0 swaps the symbols in positions 1 and 2.
        let moved = element.order.get(place as usize + 1);
        let place = moved.map_or(place, |position| position - 2);
        let source = self.node_under(element, self.network.source(channel));
        ChannelId(self.network.outgoing(source).start + place)
    }

    fn head_under(&self, element: &Automorphism, head: Head) -> Head {
        Head {
            node: self.node_under(element, head.node),
            arrived: head
                .arrived
                .map(|(c, vc)| (self.channel_under(element, c), vc)),
            destination: self.node_under(element, head.destination),
            state: head.state,
        }
    }

    /// Automorphisms to try: they take `destination` to every node of its class, or to some of many.
    fn sample(&self, destination: NodeId, rng: &mut Pcg64Mcg) -> Vec<Automorphism> {
        let class = match self.moves_places {
            true => self.class(destination),
            // Named by the image of node 0: what it makes of another node follows.
            false => 0,
        };
        let nodes = (0..self.network.nodes()).map(NodeId);
        let all: Vec<NodeId> = nodes.filter(|&node| self.class(node) == class).collect();
        let nodes: Vec<NodeId> = match all.len() <= ELEMENTS_TRIED as usize {
            true => all,
            false => (0..ELEMENTS_TRIED)
                .filter_map(|_| all.choose(rng).copied())
                .collect(),
        };
        let element = |node| match self.star() {
            Some(star) if self.moves_places => moving_places(star, destination, node, rng),
            _ => Automorphism::from(node),
        };
        nodes.into_iter().map(element).collect()
    }

    /// Tries on a sample of heads, under every automorphism of not too many, whether `routing` keeps
    /// its word: a relation that differs for a single destination does not.
    pub fn is_respected<R: Routing>(&self, routing: &R, options: &VerifyOptions<'_>) -> bool {
        let nodes = self.network.nodes();
        let mut explorer = Explorer::new(
            self.network,
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
                    let source = NodeId(rng.random_range(..nodes));
                    let head = explorer.head(rng.random_range(..configurations) as usize);
                    let channel = ChannelId(rng.random_range(..self.network.channels()));
                    let keeps = self.keeps_channel(element, channel)
                        && self.keeps_source(routing, element, source, destination)
                        && (head.node == destination || self.keeps_head(routing, element, head));
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
        self.network.target(image) == self.node_under(element, self.network.target(channel))
    }

    fn keeps_source<R: Routing>(
        &self,
        routing: &R,
        element: &Automorphism,
        source: NodeId,
        destination: NodeId,
    ) -> bool {
        if source == destination {
            return true;
        }
        let states = |source, destination| {
            let choices = 0..routing.choices(source, destination);
            let mut states: Vec<_> = choices
                .map(|choice| routing.initial(source, destination, choice))
                .collect();
            states.sort_unstable();
            states
        };
        let here = states(source, destination);
        let head = |&state: &u64| Head {
            node: source,
            arrived: None,
            destination,
            state,
        };
        here == states(
            self.node_under(element, source),
            self.node_under(element, destination),
        ) && here
            .iter()
            .all(|state| self.keeps_head(routing, element, head(state)))
    }

    fn keeps_head<R: Routing>(&self, routing: &R, element: &Automorphism, head: Head) -> bool {
        let mut here = ways(routing, head);
        for way in &mut here {
            way.0 = self.channel_under(element, way.0);
        }
        here.sort_unstable();
        let mut there = ways(routing, self.head_under(element, head));
        there.sort_unstable();
        here == there
    }
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
type Way = (ChannelId, u32, u8, bool, u64);

fn ways<R: Routing>(routing: &R, head: Head) -> Vec<Way> {
    let mut candidates = Candidates::default();
    routing.route(head, &mut candidates);
    let mut ways = Vec::new();
    for candidate in candidates.as_slice() {
        let escapes: VcMask = routing.escape_vcs(head, *candidate);
        for vc in (0..64).filter(|vc| candidate.vcs >> vc & 1 == 1) {
            let state = routing.advance(head, candidate.channel, vc);
            let is_escape = escapes >> vc & 1 == 1;
            ways.push((candidate.channel, vc, candidate.priority, is_escape, state));
        }
    }
    ways
}
