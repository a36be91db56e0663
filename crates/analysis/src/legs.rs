//! Channel loads of a relation in two legs by way of a node between that is drawn for each packet.
//!
//! The heads of such a relation for one destination are as many as those of both legs for all nodes between. But the
//! first leg depends on the destination in one thing, that packets which come by it are taken there, and the second
//! on the source in none. So the first is walked once for each node between, with the flow by destination, and
//! the second once for each destination: two walks of an ordinary relation for each node, not one for each pair.

use super::demand::{Demand, Share};
use super::flow::Flow;
use super::{AnalysisError, Loads, parts, walked};
use flitsim_engine::routing::{Between, Legs, Relation, Valiant};
use flitsim_engine::{EngineConfig, Routing};
use flitsim_topology::{Network, NodeId};
use std::convert::Infallible;

/// The most terminals, each pair of which takes 24 bytes.
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
pub(super) fn loads(
    network: &Network,
    legs: &Legs<'_>,
    config: &EngineConfig,
    demand: &Demand<'_>,
) -> Result<Loads, AnalysisError> {
    let [first, second] = &legs.relations;
    let (first_loads, onwards) = match &legs.between {
        &Between::Below(between) => {
            let terminals = network.terminals() as usize;
            let mut sent = vec![0.0; terminals * terminals];
            for_each_pair(demand, |source, destination, load| {
                sent[source.index() * terminals + destination.index()] += load / f64::from(between);
            });
            of_first_legs(network, legs, config, between, &sent)?
        }
        Between::OnTheWay(relation) => {
            let (there, onwards) = by_way_of(network, relation, demand);
            let loads = of_pairs(network, first, config, legs.begin_first, &there)?;
            (loads, onwards)
        }
    };
    let mut loads = of_pairs(network, second, config, legs.begin_first, &onwards)?;
    add(&mut loads, first_loads);
    Ok((loads, Vec::new()))
}

/// Calls `visit` with each source and destination of `demand` but for those that send to themselves, and the load.
fn for_each_pair(demand: &Demand<'_>, mut visit: impl FnMut(NodeId, NodeId, f64)) {
    let Ok(()) = demand.for_each_batch(|batch| {
        for &(destination, shares) in batch {
            for &Share { source, load } in shares.iter().filter(|s| s.source != destination) {
                visit(source, destination, load);
            }
        }
        Ok::<_, Infallible>(())
    });
}

/// What `demand` sends to nodes between, and on from there, where these are those of `relation`'s initial states. No
/// packet comes by its destination on a shortest path to another node.
fn by_way_of(
    network: &Network,
    relation: &Valiant<'_>,
    demand: &Demand<'_>,
) -> (Vec<f64>, Vec<f64>) {
    let terminals = network.terminals() as usize;
    let mut there = vec![0.0; terminals * terminals];
    let mut onwards = there.clone();
    for_each_pair(demand, |source, destination, load| {
        let choices = relation.choices(source, destination);
        let each = load / f64::from(choices);
        for choice in 0..choices {
            let between = relation.between(relation.initial(source, destination, choice));
            there[source.index() * terminals + between.index()] += each;
            onwards[between.index() * terminals + destination.index()] += each;
        }
    });
    (there, onwards)
}

/// What packets load channels with on their way to each of the nodes `between`, of what is `sent` by way of each, but for
/// those that come by their destination; and by that node and destination what comes to it.
fn of_first_legs(
    network: &Network,
    legs: &Legs<'_>,
    config: &EngineConfig,
    between: u32,
    sent: &[f64],
) -> Result<(Vec<f64>, Vec<f64>), AnalysisError> {
    let (terminals, between) = (network.terminals() as usize, between as usize);
    let size = between.div_ceil(parts(network, between)).max(1);
    // Each fails by itself, so that the error is the same whatever the number of threads.
    let first_legs = flitsim_topology::parallel::map(between.div_ceil(size), |part| {
        let mut flow = Flow::new(network, &legs.relations[0], config).beginning(legs.begin_first);
        let nodes = part * size..between.min((part + 1) * size);
        let mut arrived = vec![0.0; nodes.len() * terminals];
        for (node, arrived) in nodes.zip(arrived.chunks_mut(terminals)) {
            flow.add_leg(NodeId(node as u32), sent, arrived)?;
        }
        Ok::<_, AnalysisError>((flow.into_loads().0, arrived))
    });
    let (mut loads, mut arrived) = (vec![0.0; network.channels() as usize], Vec::new());
    for of_part in first_legs {
        let (of_part, arrived_there) = of_part?;
        add(&mut loads, of_part);
        arrived.extend(arrived_there);
    }
    Ok((loads, arrived))
}

/// What `sent`, a row of loads for each node that sends, loads channels with under `relation`.
fn of_pairs(
    network: &Network,
    relation: &Relation<'_>,
    config: &EngineConfig,
    begin_first: bool,
    sent: &[f64],
) -> Result<Vec<f64>, AnalysisError> {
    let terminals = network.terminals() as usize;
    let nodes: Vec<NodeId> = (0..(sent.len() / terminals) as u32).map(NodeId).collect();
    let pairs = |node: NodeId, tell: &mut dyn FnMut(NodeId, f64)| {
        let row = &sent[node.index() * terminals..][..terminals];
        (0..)
            .map(NodeId)
            .zip(row)
            .for_each(|(to, &load)| tell(to, load));
    };
    match Demand::new(network, &nodes, &pairs) {
        Err(AnalysisError::NoTraffic) => Ok(vec![0.0; network.channels() as usize]),
        demand => Ok(walked(network, relation, config, begin_first, &demand?)?.0),
    }
}

fn add(sums: &mut [f64], loads: Vec<f64>) {
    for (sum, load) in sums.iter_mut().zip(loads) {
        *sum += load;
    }
}

#[cfg(test)]
mod tests {
    use super::fit;
    use flitsim_engine::EngineConfig;
    use flitsim_engine::routing::{Algorithm, RoutingChoice, Tables};
    use flitsim_topology::{Ends, Grid, Star};

    #[test]
    fn they_are_known_of_every_relation_by_way_of_a_node() {
        let mesh = Grid::uniform(3, 2, Ends::Open).unwrap().into_network();
        let star = Star::new(3).unwrap().into_network();
        for (algorithm, network) in [
            (Algorithm::Valiant, &mesh),
            (Algorithm::Romm, &mesh),
            (Algorithm::Valiant, &star),
        ] {
            let choice = RoutingChoice::from(algorithm);
            let relation = choice.relation(network, 8, &Tables::default()).unwrap();
            assert!(relation.legs().is_some() && fit(network, &EngineConfig::default()));
        }
    }
}
