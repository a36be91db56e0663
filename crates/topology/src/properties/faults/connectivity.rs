//! How many nodes, or channels, must fail before a terminal cannot reach another that is left.

use super::flow::{Disjoint, Flow};
use crate::properties::symmetry::Symmetry;
use crate::search::{UNREACHABLE, distances_from, distances_to};
use crate::{Network, NodeId};
use std::collections::BTreeSet;

/// Channels that flows may pass before a bound must do.
const VISITS_MAX: u64 = 400_000_000;

/// How a connectivity was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectivityMethod {
    /// By the flows between enough pairs of terminals: exact.
    Flows,
    /// By a theorem on symmetric graphs, whose premise was checked: exact.
    Theorem(
        /// The theorem.
        &'static str,
    ),
    /// The least degree of a terminal: an upper bound.
    Bound,
}

/// The least number of failures that part two terminals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connectivity {
    /// How many: 0 where they are parted as it is.
    pub failures: u32,
    /// Whether that is exact.
    pub method: ConnectivityMethod,
}

/// The least number of nodes, with a terminal or without, whose failure leaves a terminal that
/// cannot reach another; one less than there are nodes where none does.
pub fn node_connectivity(network: &Network, symmetry: &Symmetry) -> Connectivity {
    let degree = terminal_degree(network, symmetry, |neighbours| {
        neighbours.collect::<BTreeSet<_>>().len()
    });
    let bound = degree.min(network.nodes().saturating_sub(1));
    let arcs_alike = symmetry.is_transitive() && symmetry.is_channel_symmetric() == Some(true);
    let theorem = arcs_alike.then_some(
        "an edge-transitive graph is as connected as its degree (Watkins 1970; Hamidoune 1977 for \
         one-way channels)",
    );
    connectivity(network, symmetry, Disjoint::Nodes, bound, theorem)
}

/// The least number of channels whose failure leaves a terminal that cannot reach another.
pub fn channel_connectivity(network: &Network, symmetry: &Symmetry) -> Connectivity {
    let bound = terminal_degree(network, symmetry, |neighbours| neighbours.count());
    // Of graphs without parallel channels.
    let first = network.targets(NodeId(0));
    let is_simple = first.iter().collect::<BTreeSet<_>>().len() == first.len();
    let theorem = (symmetry.is_transitive() && is_simple).then_some(
        "a vertex-transitive graph is as edge-connected as its degree (Mader 1971; Hamidoune 1981 \
         for one-way channels)",
    );
    connectivity(network, symmetry, Disjoint::Channels, bound, theorem)
}

/// The least degree of a terminal, out or in, as `count` counts its neighbours.
fn terminal_degree(
    network: &Network,
    symmetry: &Symmetry,
    count: impl Fn(&mut dyn Iterator<Item = NodeId>) -> usize,
) -> u32 {
    let of_node = |node: NodeId| {
        let out = count(&mut network.targets(node).iter().copied());
        let into = network.incoming(node);
        out.min(count(
            &mut into.iter().map(|&channel| network.source(channel)),
        ))
    };
    let orbits = symmetry.terminal_orbits().iter();
    let degrees = orbits.map(|orbit| of_node(orbit.representative));
    degrees.min().unwrap_or(0) as u32
}

fn connectivity(
    network: &Network,
    symmetry: &Symmetry,
    disjoint: Disjoint,
    bound: u32,
    theorem: Option<&'static str>,
) -> Connectivity {
    let exact = |failures, method| Connectivity { failures, method };
    let terminals = network.terminals();
    if terminals < 2 {
        return exact(bound, ConnectivityMethod::Flows);
    }
    if !terminals_reach_each_other(network, symmetry) {
        return exact(0, ConnectivityMethod::Flows);
    }
    if bound == 1 {
        return exact(1, ConnectivityMethod::Flows);
    }
    if let Some(theorem) = theorem {
        return exact(bound, ConnectivityMethod::Theorem(theorem));
    }
    // What parts the network parts a terminal from another. An automorphism takes the first to the
    // representative of its orbit: paths from those to all others do. So do paths both ways between
    // all and as many terminals as could not all fail (Even 1975), or any one if only channels do.
    let orbits = symmetry.terminal_orbits();
    let few = match disjoint {
        Disjoint::Nodes => (bound + 1).min(terminals),
        Disjoint::Channels => 1,
    };
    let pairs: Vec<(NodeId, NodeId)> = if orbits.len() <= 2 * few as usize {
        let to_all = |from| (0..terminals).map(move |to| (from, NodeId(to)));
        orbits
            .iter()
            .flat_map(|orbit| to_all(orbit.representative))
            .collect()
    } else {
        let both = |a, b| [(NodeId(a), NodeId(b)), (NodeId(b), NodeId(a))];
        (0..few)
            .flat_map(|a| (0..terminals).flat_map(move |b| both(a, b)))
            .collect()
    };
    let visits = pairs.len() as u64 * u64::from(bound + 1) * u64::from(network.channels());
    if visits > VISITS_MAX {
        return exact(bound, ConnectivityMethod::Bound);
    }
    let flow = Flow::new(network, disjoint);
    let paths = crate::parallel::map_with(
        pairs.len(),
        || flow.clone(),
        |flow, pair| {
            let (from, to) = pairs[pair];
            let adjacent = network.targets(from).contains(&to);
            if from == to || adjacent && disjoint == Disjoint::Nodes {
                return bound;
            }
            flow.paths(from, to, bound)
        },
    );
    exact(
        paths.into_iter().min().unwrap_or(bound),
        ConnectivityMethod::Flows,
    )
}

fn terminals_reach_each_other(network: &Network, symmetry: &Symmetry) -> bool {
    let terminals = network.terminals() as usize;
    let all = |distances: Vec<u32>| {
        let mut terminals = distances[..terminals].iter();
        terminals.all(|&distance| distance != UNREACHABLE)
    };
    // Where all nodes are alike, each reaches as many as any other: the way there is a way back.
    all(distances_from(network, NodeId(0)))
        && (symmetry.is_transitive() || all(distances_to(network, NodeId(0))))
}
