//! Channel loads from the packets to a few destinations, where every terminal sends alike and the relation says
//! that automorphisms change nothing for it.
//!
//! What the packets to all images of a destination make a channel carry is then the same for every image of the
//! channel. So each channel of a class carries an equal share of what those packets make the class carry, and that
//! is what the packets to the destination make it carry, times its images.

use super::demand::Share;
use super::flow::Flow;
use crate::verify::{Group, alike};
use flitsim_engine::{EngineConfig, Routing};
use flitsim_topology::properties::Orbit;
use flitsim_topology::{ChannelId, Network, NodeId, parallel};

/// Destinations on which the relation's word is tried.
const TRIED: u32 = 4;

/// Differences of loads, as shares of them, that come of rounding.
const ROUNDING: f64 = 1e-9;

/// The flits a cycle on each channel where every terminal sends `load` to each other; `None` where no
/// symmetry tells.
pub(super) fn channel_loads<R: Routing>(
    network: &Network,
    routing: &R,
    config: &EngineConfig,
    load: f64,
) -> Option<Vec<f64>> {
    if config.terminal_ports || !config.channel_periods.is_empty() {
        return None;
    }
    let loads_of = |destination: NodeId| {
        let sources = (0..network.terminals()).map(NodeId);
        let shares: Vec<Share> = sources.map(|source| Share { source, load }).collect();
        let mut flow = Flow::new(network, routing, config);
        flow.add(destination, &shares).ok()?;
        Some(flow.into_loads().0)
    };
    // A relation that breaks its word about the translations of a family is taken at no other.
    match Group::of_places(network, routing.symmetry_of_ways()) {
        Some(group) => by_translations(network, &group, load, loads_of),
        None => by_orbits(network, routing, config, loads_of),
    }
}

/// The destinations on which the relation's word is tried.
fn tried(network: &Network) -> impl Iterator<Item = NodeId> {
    let last = u64::from(network.terminals() - 1);
    (1..=TRIED).map(move |i| NodeId((last * u64::from(i) / u64::from(TRIED)) as u32))
}

/// By the translations that a family names; `loads_of` are those of the packets to one destination.
fn by_translations(
    network: &Network,
    group: &Group<'_>,
    load: f64,
    loads_of: impl Fn(NodeId) -> Option<Vec<f64>>,
) -> Option<Vec<f64>> {
    let places = network.outgoing(NodeId(0)).len() as u32;
    let class = |channel| {
        let source = network.source(channel);
        (group.class(source) * places + group.place(channel)) as usize
    };
    let representatives = group.representatives();
    let each = representatives.iter().map(|&to| loads_of(to));
    let each: Vec<Vec<f64>> = each.collect::<Option<_>>()?;
    let keeps_its_word = tried(network).all(|destination| {
        let of = group.class(destination) as usize;
        let by = group.translation(representatives[of], destination);
        loads_of(destination).is_some_and(|loads| {
            (0..network.nodes()).map(NodeId).all(|node| {
                let image = network.outgoing(group.image(by, node));
                let mut pairs = network.outgoing(node).zip(image);
                pairs.all(|(channel, image)| {
                    let (known, found) = (each[of][channel as usize], loads[image as usize]);
                    (found - known).abs() <= ROUNDING * known.max(load)
                })
            })
        })
    });
    if !keeps_its_word {
        return None;
    }
    let channels = || (0..network.channels()).map(ChannelId);
    let mut sums = vec![0.0; (group.classes() * places) as usize];
    for loads in each {
        for (channel, load) in channels().zip(loads) {
            sums[class(channel)] += load;
        }
    }
    Some(channels().map(|channel| sums[class(channel)]).collect())
}

/// By the automorphisms that were checked on the network, whose classes of channels are of different sizes.
fn by_orbits<R: Routing>(
    network: &Network,
    routing: &R,
    config: &EngineConfig,
    loads_of: impl Fn(NodeId) -> Option<Vec<f64>> + Sync,
) -> Option<Vec<f64>> {
    let vcs = config.virtual_channels;
    let automorphisms = alike::of(network, routing, routing.symmetry(), vcs)?;
    // What the packets to a destination make each class carry.
    let class_loads = |destination| {
        let mut sums = vec![0.0; automorphisms.sizes().len()];
        for (&class, load) in automorphisms.class_of().iter().zip(loads_of(destination)?) {
            sums[class as usize] += load;
        }
        Some(sums)
    };
    let orbits = automorphisms.terminals();
    let each = parallel::map(orbits.len(), |orbit| {
        let Orbit {
            representative,
            size,
        } = orbits[orbit];
        Some((size, class_loads(representative)?))
    });
    let each: Vec<(u32, Vec<f64>)> = each.into_iter().collect::<Option<_>>()?;
    let is_close = |known: f64, found: f64| (found - known).abs() <= ROUNDING * known.max(found);
    let keeps_its_word = tried(network).all(|destination| {
        class_loads(destination).is_some_and(|found| {
            let is_its_own = |(_, known): &(u32, Vec<f64>)| {
                let mut pairs = known.iter().zip(&found);
                pairs.all(|(&known, &found)| is_close(known, found))
            };
            each.iter().any(is_its_own)
        })
    });
    if !keeps_its_word {
        return None;
    }
    let mut shares = vec![0.0; automorphisms.sizes().len()];
    for (images, loads) in each {
        for ((share, load), &size) in shares.iter_mut().zip(loads).zip(automorphisms.sizes()) {
            *share += load * f64::from(images) / f64::from(size);
        }
    }
    let classes = automorphisms.class_of().iter();
    Some(classes.map(|&class| shares[class as usize]).collect())
}
