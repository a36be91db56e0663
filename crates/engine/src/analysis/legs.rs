//! Channel loads of a relation in two legs by way of a node between that is drawn for each packet, any as likely.
//!
//! The heads of such a relation for one destination are as many as those of both legs for all nodes between. But the
//! first leg depends on the destination in one thing, that packets which come by it are taken there, and the second
//! on the source in none. So the first is walked once for each node between, with the flow by destination, and
//! the second once for each destination: two walks of an ordinary relation for each node, not one for each pair.

use super::demand::{Demand, Share};
use super::flow::Flow;
use super::{AnalysisError, Loads, parts, walked};
use crate::routing::Legs;
use crate::{EngineConfig, Routing};
use flitsim_topology::{Network, NodeId};

/// The most terminals: on meshes seconds, and eight times as many for twice the terminals.
const TERMINALS_MOST: u32 = 1024;

/// Whether packets on `network` under `config` are those that [`loads`] knows.
pub(super) fn fit(network: &Network, config: &EngineConfig) -> bool {
    network.terminals() <= TERMINALS_MOST
        && network.damage().is_none()
        && !config.terminal_ports
        && config.channel_periods.is_empty()
}

/// What `demand` loads channels with under `legs`.
///
/// # Errors
/// As [`expected`](super::expected), of either leg.
pub(super) fn loads<R: Routing>(
    network: &Network,
    legs: &Legs<R>,
    config: &EngineConfig,
    demand: &Demand<'_>,
) -> Result<Loads, AnalysisError> {
    let terminals = network.terminals() as usize;
    // What each sends to each other by way of each node between.
    let mut sent = vec![0.0; terminals * terminals];
    demand.for_each_batch(|batch| {
        for &(destination, shares) in batch {
            for &Share { source, load } in shares.iter().filter(|s| s.source != destination) {
                sent[source.index() * terminals + destination.index()] +=
                    load / f64::from(legs.between);
            }
        }
        Ok::<_, AnalysisError>(())
    })?;
    let [first, second] = &legs.relations;
    let between = legs.between as usize;
    let size = between.div_ceil(parts(network, between)).max(1);
    let first_legs = flitsim_parallel::try_map(between.div_ceil(size), |part| {
        let mut flow = Flow::new(network, first, config).beginning(legs.begin_first);
        let nodes = part * size..between.min((part + 1) * size);
        let mut arrived = vec![0.0; nodes.len() * terminals];
        for (node, arrived) in nodes.zip(arrived.chunks_mut(terminals)) {
            flow.add_leg(NodeId(node as u32), &sent, arrived)?;
        }
        Ok::<_, AnalysisError>((flow.into_loads().0, arrived))
    })?;
    let (mut channel_loads, mut arrived) = (vec![0.0; network.channels() as usize], Vec::new());
    for (loads, of_part) in first_legs {
        for (sum, load) in channel_loads.iter_mut().zip(loads) {
            *sum += load;
        }
        arrived.extend(of_part);
    }
    let nodes: Vec<NodeId> = (0..legs.between).map(NodeId).collect();
    let pairs = |node: NodeId, tell: &mut dyn FnMut(NodeId, f64)| {
        let row = &arrived[node.index() * terminals..][..terminals];
        (0..)
            .map(NodeId)
            .zip(row)
            .for_each(|(to, &load)| tell(to, load));
    };
    let onwards = match Demand::new(network, &nodes, &pairs) {
        Err(AnalysisError::NoTraffic) => return Ok((channel_loads, Vec::new())),
        onwards => onwards?,
    };
    let (loads, slowest) = walked(network, second, config, legs.begin_first, &onwards)?;
    for (sum, load) in channel_loads.iter_mut().zip(loads) {
        *sum += load;
    }
    Ok((channel_loads, slowest))
}
