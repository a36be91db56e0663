//! Channel loads from the packets to one destination, where every terminal sends alike and the relation says
//! that translations move nothing else.
//!
//! Of a group of translations, each channel of a class is the image of each other under one. So what all
//! images of a destination make a channel carry is what the destination makes all of its class carry.

use super::demand::Share;
use super::flow::Flow;
use crate::verify::Group;
use crate::{EngineConfig, Routing};
use flitsim_topology::{ChannelId, Network, NodeId};

/// Destinations on which the relation's word is tried.
const TRIED: u32 = 4;

/// Differences of sums of so many loads that come of rounding.
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
    let classes = (group.classes() * places) as usize;
    let class = |channel| {
        let source = network.source(channel);
        (group.class(source) * places + group.place(channel)) as usize
    };
    let sums = |destination: NodeId| {
        let sources = (0..network.terminals()).map(NodeId);
        let shares: Vec<Share> = sources.map(|source| Share { source, load }).collect();
        let mut flow = Flow::new(network, routing, config);
        flow.add(destination, &shares).ok()?;
        let mut sums = vec![0.0; classes];
        for (channel, load) in (0..).map(ChannelId).zip(flow.into_loads().0) {
            sums[class(channel)] += load;
        }
        Some(sums)
    };
    let each: Vec<_> = group.representatives().into_iter().map(sums).collect();
    let each: Vec<Vec<f64>> = each.into_iter().collect::<Option<_>>()?;
    let keeps_its_word = (1..=TRIED).all(|i| {
        let destination =
            NodeId((u64::from(network.terminals() - 1) * u64::from(i) / u64::from(TRIED)) as u32);
        let known = &each[group.class(destination) as usize];
        sums(destination).is_some_and(|sums| {
            let pairs = sums.iter().zip(known);
            pairs
                .into_iter()
                .all(|(a, b)| (a - b).abs() <= ROUNDING * b.max(1.0))
        })
    });
    let loads = (0..network.channels()).map(ChannelId).map(class);
    let loads = loads.map(|class| each.iter().map(|sums| sums[class]).sum());
    keeps_its_word.then(|| loads.collect())
}
