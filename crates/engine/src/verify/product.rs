//! Dimension order on large grids: ring by ring, and the order of the dimensions.
//!
//! A packet corrects one dimension after another, all in one order, and in each of them goes as a
//! packet on that ring alone would: its way depends on the coordinate and the way in this dimension
//! only, and a virtual channel of another dimension counts for no more than a source. So a cycle of
//! dependencies, which never lead back to a dimension before, lies in one ring; and a packet
//! arrives if it arrives in each ring. One ring of each radix is enumerated in full.
//!
//! What is counted follows too, for the coordinates of different dimensions are independent. In a
//! grid of N nodes there are N / k_i rings of dimension i, each with the vertices and dependencies
//! of one. Where dimension i comes before j, a packet may hold any virtual channel on which packets end
//! in ring i, and ask for any on which packets start in ring j at that node.

use super::dependencies::{Dependencies, Frame};
use super::explore::Explorer;
use super::{Coverage, Extent, Method, Proof, Verdict, VerifyOptions};
use crate::routing::{DimensionOrder, Order};
use crate::{Candidates, Head, Routing};
use flitsim_topology::{Grid, Network, NodeId};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// What one ring adds to the product.
struct Ring {
    proof: Proof,
    /// Virtual channels on which some packet reaches its destination.
    ends: u64,
    /// Those that some packet may ask for at its source.
    starts: u64,
    /// Pairs of nodes, each counted as often as it has initial states; a node with itself once.
    pairs: u64,
    /// Different states of packets that are done with the ring.
    states: u64,
}

/// As [`verify`](super::verify), for dimension order on a grid however large; `None` where a ring is
/// not proved free of deadlock: enumerate in full for a witness.
pub fn verify_by_product(
    routing: &DimensionOrder<'_>,
    options: &VerifyOptions<'_>,
) -> Option<Proof> {
    let radices = routing.grid().radices();
    let mut rings = BTreeMap::new();
    for &radix in radices {
        if let Entry::Vacant(entry) = rings.entry(radix) {
            entry.insert(ring(routing, radix, options)?);
        }
    }
    let mut all: Vec<(u64, &Ring)> = radices.iter().map(|k| (u64::from(*k), &rings[k])).collect();
    if routing.order() == Order::HighestFirst {
        all.reverse();
    }
    let nodes: u64 = all.iter().map(|&(k, _)| k).product();
    let (mut vertices, mut dependencies, mut configurations) = (0, 0, 0u64);
    for (i, &(k, ring)) in all.iter().enumerate() {
        vertices += ring.proof.vertices * (nodes / k);
        dependencies += ring.proof.dependencies * (nodes / k);
        for &(other, later) in &all[i + 1..] {
            dependencies += ring.ends * later.starts * (nodes / k / other);
        }
        // Dimensions before are done, those behind are as at the source.
        let before = all[..i].iter().map(|&(k, ring)| k * ring.states);
        let behind = all[i + 1..].iter().map(|(_, ring)| ring.pairs);
        let others = before.chain(behind).fold(1u64, u64::saturating_mul);
        let own = ring.proof.configurations.saturating_mul(others);
        configurations = configurations.saturating_add(own);
    }
    let method = Method::AcyclicCdg;
    Some(Proof {
        verdict: Verdict::Free { method },
        method,
        virtual_channels: options.virtual_channels,
        vertices,
        escape_vertices: 0,
        dependencies,
        configurations,
        reaches_every_pair: true,
        longest_route_hops: all
            .iter()
            .map(|(_, ring)| ring.proof.longest_route_hops)
            .sum(),
        coverage: Coverage::ByProduct {
            rings: rings.len() as u32,
        },
    })
}

fn ring(routing: &DimensionOrder<'_>, radix: u32, options: &VerifyOptions<'_>) -> Option<Ring> {
    let grid = Grid::new(&[radix], routing.grid().ends()).ok()?;
    let network = grid.into_network();
    let routing = routing.on(network.grid()?);
    let options = VerifyOptions {
        extent: Extent::Full,
        ..*options
    };
    let proof = super::verify(&network, &routing, &options);
    if !proof.is_free() {
        return None;
    }
    let frame = Frame::full(&network, options.virtual_channels);
    let starts = Dependencies::new(&frame).ok()?;
    let mut ends = BTreeSet::new();
    let mut states = BTreeSet::new();
    let mut explorer = Explorer::new(
        &network,
        &routing,
        options.virtual_channels,
        options.configurations_most,
    );
    let mut pairs = 0;
    for destination in (0..network.nodes()).map(NodeId) {
        pairs += 1 + start(&network, &routing, destination, &starts);
        explorer.explore(destination, None);
        for arrived in &explorer.configurations {
            if network.target(arrived.channel) == destination {
                ends.insert((arrived.channel, arrived.vc));
                states.insert(arrived.state);
            }
        }
    }
    Some(Ring {
        proof,
        ends: ends.len() as u64,
        starts: starts.vertices(),
        pairs,
        states: states.len() as u64,
    })
}

/// Notes what packets to `destination` may ask for at their sources; the number of initial states.
fn start<R: Routing>(
    network: &Network,
    routing: &R,
    destination: NodeId,
    starts: &Dependencies<'_>,
) -> u64 {
    let mut candidates = Candidates::default();
    let mut count = 0;
    let others = (0..network.nodes())
        .map(NodeId)
        .filter(|&n| n != destination);
    for node in others {
        for choice in 0..routing.choices(node, destination) {
            let state = routing.initial(node, destination, choice);
            let head = Head {
                node,
                arrived: None,
                destination,
                state,
            };
            candidates.clear();
            routing.route(head, &mut candidates);
            for candidate in candidates.as_slice() {
                starts.take(candidate.channel, candidate.vcs, 0);
            }
            count += 1;
        }
    }
    count
}
