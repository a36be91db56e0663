//! Automorphisms that were checked on the network, where the relation says to respect them: tried on a sample,
//! and not believed where that fails.
//!
//! What respects each of some automorphisms respects all that they make. So one destination of each orbit is
//! enumerated, and virtual channels that they take to each other are one vertex: as with the translations
//! that families name, but for any family, and for orbits of different sizes.

use super::VerifyOptions;
use super::explore::Explorer;
use super::trial::ways;
use crate::routing::Symmetry;
use crate::{Head, Routing};
use flitsim_random::Pcg64Mcg;
use flitsim_topology::properties::Automorphisms;
use flitsim_topology::{ChannelId, Network, NodeId};
use rand::{RngExt, SeedableRng};

/// Heads tried under each automorphism, and sources.
const HEADS_TRIED: u32 = 512;

/// More vertices than this make rows too wide.
const VERTICES_MOST: usize = 1 << 14;

/// The automorphisms of `network` that `routing` respects, if that is known and of any use.
pub(super) fn of<R: Routing>(
    network: &Network,
    routing: &R,
    options: &VerifyOptions<'_>,
) -> Option<Automorphisms> {
    let symmetry = routing.symmetry();
    if symmetry == Symmetry::None || symmetry.keeps_colour() {
        return None;
    }
    let automorphisms = Automorphisms::of(network, !symmetry.has_all())?;
    let vertices = automorphisms.sizes().len() * options.virtual_channels as usize;
    let is_useful = automorphisms.terminals().len() < network.terminals() as usize;
    let is_fit = is_useful && vertices <= VERTICES_MOST;
    (is_fit && is_respected(network, &automorphisms, routing, options)).then_some(automorphisms)
}

fn is_respected<R: Routing>(
    network: &Network,
    automorphisms: &Automorphisms,
    routing: &R,
    options: &VerifyOptions<'_>,
) -> bool {
    let (vcs, most) = (options.virtual_channels, options.configurations_most);
    let mut explorer = Explorer::new(network, routing, vcs, most, None);
    let mut rng = Pcg64Mcg::seed_from_u64(0);
    let terminals = network.terminals();
    let mut destinations = vec![automorphisms.terminals()[0].representative];
    destinations.extend((0..2).map(|_| NodeId(rng.random_range(..terminals))));
    destinations.into_iter().all(|destination| {
        explorer.explore(destination, None);
        let configurations = explorer.configurations.len() as u32;
        configurations > 0
            && automorphisms.images().iter().all(|images| {
                (0..HEADS_TRIED).all(|_| {
                    let source = NodeId(rng.random_range(..terminals));
                    let head = explorer.head(rng.random_range(..configurations) as usize);
                    keeps_source(network, images, routing, source, destination)
                        && (head.node == destination || keeps_head(network, images, routing, head))
                })
            })
    })
}

fn keeps_source<R: Routing>(
    network: &Network,
    images: &[NodeId],
    routing: &R,
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
    here == states(images[source.index()], images[destination.index()])
        && here
            .iter()
            .all(|state| keeps_head(network, images, routing, head(state)))
}

fn keeps_head<R: Routing>(network: &Network, images: &[NodeId], routing: &R, head: Head) -> bool {
    let image = |channel| image_of(network, images, channel);
    let mut here = ways(routing, head);
    for way in &mut here {
        way.0 = image(way.0);
    }
    here.sort_unstable();
    let mut there = ways(
        routing,
        Head {
            node: images[head.node.index()],
            arrived: head.arrived.map(|(channel, vc)| (image(channel), vc)),
            destination: images[head.destination.index()],
            state: head.state,
        },
    );
    there.sort_unstable();
    here == there
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
