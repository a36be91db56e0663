//! Automorphisms that were checked on the network, where the relation says to respect them: tried on a sample,
//! and not believed where that fails.
//!
//! What respects each of some automorphisms respects all that they make. So one destination of each orbit is
//! enumerated, and virtual channels that they take to each other are one vertex: as with the translations
//! that families name, but for any family, and for orbits of different sizes.

use super::trial::{Moves, ways};
use flitsim_engine::routing::Symmetry;
use flitsim_engine::{Head, Routing};
use flitsim_random::Pcg64Mcg;
use flitsim_topology::properties::Automorphisms;
use flitsim_topology::{ChannelId, Network, NodeId};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

/// Packets tried to each terminal, and to all: to some, where there are more terminals.
const WALKS_EACH: u32 = 16;
const WALKS_LEAST: u32 = 512;
const WALKS_MOST: u32 = 4096;

/// Hops of a packet at which a trial ends.
const HOPS_MOST: usize = 64;

/// More vertices than this make rows too wide.
const VERTICES_MOST: usize = 1 << 14;

/// The automorphisms of `network` that `routing` respects, where it says `symmetry` and it is of any use.
pub(crate) fn of<R: Routing>(
    network: &Network,
    routing: &R,
    symmetry: Symmetry,
    virtual_channels: u32,
) -> Option<Automorphisms> {
    if symmetry == Symmetry::None || symmetry.keeps_colour() {
        return None;
    }
    let automorphisms = Automorphisms::of(network, !symmetry.has_all())?;
    let vertices = automorphisms.sizes().len() * virtual_channels as usize;
    let is_useful = automorphisms.terminals().len() < network.terminals() as usize;
    let is_fit = is_useful && vertices <= VERTICES_MOST;
    (is_fit && is_respected(network, &automorphisms, routing)).then_some(automorphisms)
}

fn is_respected<R: Routing>(network: &Network, automorphisms: &Automorphisms, routing: &R) -> bool {
    let mut rng = Pcg64Mcg::seed_from_u64(0);
    let terminals = network.terminals();
    let walks = terminals
        .saturating_mul(WALKS_EACH)
        .clamp(WALKS_LEAST, WALKS_MOST);
    (0..walks).all(|walk| {
        let mut draw = || NodeId(rng.random_range(..terminals));
        let source = draw();
        let destination = match terminals <= WALKS_MOST {
            true => NodeId(walk % terminals),
            false => draw(),
        };
        let heads = walked(network, routing, source, destination, &mut rng);
        let mut moves = automorphisms
            .images()
            .iter()
            .map(|images| (network, &images[..]));
        moves.all(|moves| {
            moves.keeps_source(routing, source, destination)
                && heads.iter().all(|&head| moves.keeps_head(routing, head))
        })
    })
}

/// The heads of a packet on its way, at random, but for that at its source.
fn walked<R: Routing>(
    network: &Network,
    routing: &R,
    source: NodeId,
    destination: NodeId,
    rng: &mut Pcg64Mcg,
) -> Vec<Head> {
    let mut heads = Vec::new();
    if source == destination {
        return heads;
    }
    let choice = rng.random_range(..routing.choices(source, destination));
    let mut head = Head {
        node: source,
        arrived: None,
        destination,
        state: routing.initial(source, destination, choice),
    };
    while let Some(&(channel, vc, _, _, state)) = ways(routing, head).choose(rng) {
        if !network.outgoing(head.node).contains(&channel.0) {
            break;
        }
        head = Head {
            node: network.target(channel),
            arrived: Some((channel, vc)),
            destination,
            state,
        };
        if head.node == destination || heads.len() == HOPS_MOST {
            break;
        }
        heads.push(head);
    }
    heads
}

impl Moves for (&Network, &[NodeId]) {
    fn network(&self) -> &Network {
        self.0
    }

    fn node(&self, node: NodeId) -> NodeId {
        self.1[node.index()]
    }

    fn channel(&self, channel: ChannelId) -> ChannelId {
        image_of(self.0, self.1, channel)
    }
}

/// The j-th channel between the images of two nodes is that of the j-th between them.
fn image_of(network: &Network, images: &[NodeId], channel: ChannelId) -> ChannelId {
    let (source, target) = (network.source(channel), network.target(channel));
    let between = |from: NodeId, to: NodeId| {
        let out = network.outgoing(from).map(ChannelId);
        out.filter(move |&c| network.target(c) == to)
    };
    let place = between(source, target)
        .position(|c| c == channel)
        .unwrap_or(0);
    let mut there = between(images[source.index()], images[target.index()]);
    there.nth(place).unwrap_or(channel)
}
