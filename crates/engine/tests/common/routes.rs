//! Every route that a relation allows a packet.

use super::any::Any;
use super::vcs_of;
use flitsim_engine::{Candidates, Head, Routing};
use flitsim_topology::{Network, NodeId};
use std::collections::BTreeSet;

/// The numbers of hops after which a packet may arrive, over all its ways on and all virtual
/// channels, in its `choice`-th initial state.
///
/// # Panics
/// If it may come to a dead end, or take more hops than there are nodes.
pub fn hops_of_all_routes(
    network: &Network,
    routing: &impl Routing,
    ends: (NodeId, NodeId),
    choice: u32,
) -> BTreeSet<u32> {
    hops_of_any(network, Any::new(routing), ends, choice)
}

fn hops_of_any(
    network: &Network,
    routing: Any<'_, false>,
    (source, destination): (NodeId, NodeId),
    choice: u32,
) -> BTreeSet<u32> {
    let start = (source, None, routing.initial(source, destination, choice));
    let mut here = BTreeSet::from([start]);
    let mut arrivals = BTreeSet::new();
    let mut candidates = Candidates::default();
    for hops in 0..=network.nodes() {
        let mut next = BTreeSet::new();
        for (node, arrived, state) in here {
            if node == destination {
                arrivals.insert(hops);
                continue;
            }
            let head = Head {
                node,
                arrived,
                destination,
                state,
            };
            candidates.clear();
            routing.route(head, &mut candidates);
            assert!(!candidates.as_slice().is_empty(), "no way on for {head:?}");
            for candidate in candidates.as_slice() {
                let channel = candidate.channel;
                assert_eq!(network.source(channel), node);
                for vc in vcs_of(candidate.vcs) {
                    let state = routing.advance(head, channel, vc);
                    next.insert((network.target(channel), Some((channel, vc)), state));
                }
            }
        }
        if next.is_empty() {
            return arrivals;
        }
        here = next;
    }
    panic!("no end in sight from {source} to {destination}");
}
