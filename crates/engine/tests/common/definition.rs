//! The extended dependency graph of an escape subrelation, straight from its definition (Duato
//! 1995), one packet at a time.

use super::any::Any;
use super::dependencies::{Dependencies, Vertex};
use super::vcs_of;
use flitsim_engine::{Candidates, Head, Routing};
use flitsim_topology::{Network, NodeId};
use std::collections::{BTreeMap, BTreeSet};

type Configuration = (Vertex, u64);

/// A configuration that may follow, and whether its virtual channel is taken as an escape.
type Hop = (Configuration, bool);

/// What packets to one destination may come to; adds the escapes that they may ask for.
fn reachable(
    network: &Network,
    routing: Any<'_, false>,
    destination: NodeId,
    escapes: &mut BTreeSet<Vertex>,
) -> BTreeMap<Configuration, Vec<Hop>> {
    let mut hops_of = |head: Head| {
        let mut hops = Vec::new();
        let mut candidates = Candidates::default();
        if head.node == destination {
            return hops;
        }
        routing.route(head, &mut candidates);
        for candidate in candidates.as_slice() {
            let escape_vcs = routing.escape_vcs(head, *candidate);
            for vc in vcs_of(candidate.vcs) {
                let state = routing.advance(head, candidate.channel, vc);
                let (to, is_escape) = ((candidate.channel, vc), escape_vcs >> vc & 1 == 1);
                if is_escape {
                    escapes.insert(to);
                }
                hops.push(((to, state), is_escape));
            }
        }
        hops
    };
    let mut waiting = Vec::new();
    for node in (0..network.terminals()).map(NodeId) {
        for choice in 0..routing.choices(node, destination) {
            let head = Head {
                node,
                arrived: None,
                destination,
                state: routing.initial(node, destination, choice),
            };
            waiting.extend(hops_of(head).into_iter().map(|(to, _)| to));
        }
    }
    let mut found = BTreeMap::new();
    while let Some(configuration) = waiting.pop() {
        let (arrived, state) = configuration;
        if found.contains_key(&configuration) {
            continue;
        }
        let hops = hops_of(Head {
            node: network.target(arrived.0),
            arrived: Some(arrived),
            destination,
            state,
        });
        waiting.extend(hops.iter().map(|&(to, _)| to));
        found.insert(configuration, hops);
    }
    found
}

/// The edges from every virtual channel that a packet may hold, escape or not, to every escape that
/// it may ask for after hops that are none; only after none at all, unless `indirect`.
pub fn extended(network: &Network, routing: &impl Routing, indirect: bool) -> Dependencies {
    let mut graph = Dependencies::default();
    let routing = Any::new(routing);
    for destination in (0..network.terminals()).map(NodeId) {
        let hops = reachable(network, routing, destination, &mut graph.vertices);
        for start in hops.keys() {
            let mut seen = BTreeSet::from([*start]);
            let mut waiting = vec![*start];
            while let Some(at) = waiting.pop() {
                for &(to, is_escape) in &hops[&at] {
                    if is_escape {
                        graph.edges.insert((start.0, to.0));
                    } else if indirect && seen.insert(to) {
                        waiting.push(to);
                    }
                }
            }
        }
    }
    let escapes = graph.vertices.clone();
    graph.edges.retain(|(from, _)| escapes.contains(from));
    graph
}
