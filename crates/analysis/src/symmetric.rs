//! Channel loads from the packets to one destination, where every terminal sends alike and the relation says
//! that translations move nothing else.
//!
//! Of a group of translations, each channel of a class is the image of each other under one. So what all
//! images of a destination make a channel carry is what the destination makes all of its class carry.

use super::demand::Share;
use super::flow::Flow;
use crate::verify::Group;
use flitsim_engine::{EngineConfig, Routing};
use flitsim_topology::{ChannelId, Network, NodeId};

/// Destinations on which the relation's word is tried.
const TRIED: u32 = 4;

/// Differences of loads, as shares of them, that come of rounding.
const ROUNDING: f64 = 1e-9;

/// The flits a cycle on each channel where every terminal sends `load` to each other; `None` where the
/// symmetry does not tell.
pub(super) fn channel_loads<R: Routing>(
    network: &Network,
    routing: &R,
    config: &EngineConfig,
    load: f64,
) -> Option<Vec<f64>> {
    if config.terminal_ports || !config.channel_periods.is_empty() {
        return None;
    }
    let group = Group::of_places(network, routing.symmetry_of_ways())?;
    let places = network.outgoing(NodeId(0)).len() as u32;
    let class = |channel| {
        let source = network.source(channel);
        (group.class(source) * places + group.place(channel)) as usize
    };
    let loads_of = |destination: NodeId| {
        let sources = (0..network.terminals()).map(NodeId);
        let shares: Vec<Share> = sources.map(|source| Share { source, load }).collect();
        let mut flow = Flow::new(network, routing, config);
        flow.add(destination, &shares).ok()?;
        Some(flow.into_loads().0)
    };
    let representatives = group.representatives();
    let each = representatives.iter().map(|&to| loads_of(to));
    let each: Vec<Vec<f64>> = each.collect::<Option<_>>()?;
    let keeps_its_word = (1..=TRIED).all(|i| {
        let last = u64::from(network.terminals() - 1);
        let destination = NodeId((last * u64::from(i) / u64::from(TRIED)) as u32);
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
