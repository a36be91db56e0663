//! The dependencies among the escape's virtual channels that Duato's condition asks about: direct
//! ones, and those with adaptive hops between (Duato 1993, definitions 9 and 10).
//!
//! Complete where the escape's virtual channels are claimed as part of the escape alone, as in
//! `WithEscape`: then there are no cross dependencies.

use super::any::Any;
use super::dependencies::{Dependencies, Vertex};
use super::vcs_of;
use flitsim_engine::{Candidates, Head, Routing};
use flitsim_topology::{ChannelId, Network, NodeId};
use std::collections::BTreeSet;

/// Direct and indirect dependencies among the virtual channels that `escape_vcs` names.
pub fn extended(network: &Network, routing: &impl Routing) -> Dependencies {
    let mut found = Dependencies::default();
    let routing = Any::<false>::new(routing);
    for destination in (0..network.terminals()).map(NodeId) {
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<(Head, Option<Vertex>)> = Vec::new();
        for source in (0..network.terminals()).map(NodeId) {
            waiting.extend((0..routing.choices(source, destination)).map(|choice| {
                let head = Head {
                    node: source,
                    arrived: None,
                    destination,
                    state: routing.initial(source, destination, choice),
                };
                (head, None)
            }));
        }
        // With each head, the last escape virtual channel that its packet came over. Earlier ones
        // depend on that one.
        while let Some((head, held)) = waiting.pop() {
            if head.node == destination {
                continue;
            }
            for (channel, vc, is_escape) in ways(&routing, head) {
                let to = (channel, vc);
                if is_escape {
                    found.vertices.insert(to);
                    found.edges.extend(held.map(|from| (from, to)));
                }
                let next = Head {
                    node: network.target(channel),
                    arrived: Some(to),
                    state: routing.advance(head, channel, vc),
                    ..head
                };
                let held = if is_escape { Some(to) } else { held };
                if seen.insert((to, next.state, held)) {
                    waiting.push((next, held));
                }
            }
        }
    }
    found
}

fn ways(routing: &impl Routing, head: Head) -> Vec<(ChannelId, u32, bool)> {
    let mut candidates = Candidates::default();
    routing.route(head, &mut candidates);
    assert!(!candidates.as_slice().is_empty(), "no way on for {head:?}");
    let mut ways = Vec::new();
    for &candidate in candidates.as_slice() {
        let escape = routing.escape_vcs(head, candidate);
        assert_eq!(escape & !candidate.vcs, 0);
        for vc in vcs_of(candidate.vcs) {
            ways.push((candidate.channel, vc, escape >> vc & 1 == 1));
        }
    }
    ways
}
