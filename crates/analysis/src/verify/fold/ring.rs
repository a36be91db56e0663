//! One ring (or line) under dimension order: what packets on it may do, and what it shares with the
//! dimensions before and behind.
//!
//! Up to [`RADIX_IN_FULL`] nodes every destination is enumerated. Longer rings have radix² pairs,
//! and dimension order tells few of them apart: what a packet may do at a node depends on its
//! destination only through which way it goes, whether it is to wrap, and whether it has. Whatever
//! of that there is at a node, there is with a destination next to one end of the ring or next to
//! its middle: to a destination at an end or just before the middle packets come from as far as they
//! ever do, over all the nodes between, with the wrap channel among them or not. So the
//! destinations next to both ends and the middle, the *landmarks*, make all vertices and
//! dependencies; and what is counted for each destination is linear in it between them, since only
//! the numbers of nodes that packets come from on either side change, by one a node.
//!
//! Neither is believed: destinations drawn at random between the landmarks must add no vertex and no
//! dependency, and their counts must lie on the line. Otherwise every destination is enumerated.

use crate::verify::dependencies::{Dependencies, Frame};
use crate::verify::explore::Explorer;
use crate::verify::{Extent, Task, VerifyOptions, cycle};
use flitsim_engine::{Candidates, Head, Routing};
use flitsim_random::Pcg64Mcg;
use flitsim_topology::{ChannelId, Network, NodeId};
use rand::{RngExt, SeedableRng};
use std::collections::BTreeSet;

/// The longest ring of which every destination is enumerated.
const RADIX_IN_FULL: u32 = 256;

/// Landmarks next to each end and on each side of the middle.
const LANDMARKS: u32 = 4;

/// Destinations tried between landmarks, on each side of the middle.
const TRIED: u32 = 8;

/// The most edges that the search for a shortest cycle looks at: all that go round a ring are as
/// long, but for those that meet both ways.
const EDGES_SEEN_MOST: u64 = 1 << 23;

/// What one ring adds to the product.
pub(super) struct Ring {
    /// Virtual channels of channels that some packet may take.
    pub vertices: u64,
    /// Dependencies between them.
    pub dependencies: u64,
    /// Channel, virtual channel, state and destination that a packet may come to.
    pub configurations: u64,
    /// The most hops of a packet.
    pub longest_route_hops: u32,
    /// Virtual channels on which some packet reaches its destination.
    pub ends: u64,
    /// Virtual channels that some packet may ask for at its source.
    pub starts: u64,
    /// Those of them that leave each node.
    pub starts_at: Vec<u64>,
    /// For destinations with all that is between them alike, ascending from 0 to the last: the
    /// virtual channels on which packets reach it.
    pub ends_at: Vec<(u32, u64)>,
    /// Pairs of nodes, each counted as often as it has initial states; a node with itself once.
    pub pairs: u64,
    /// Different states of packets that are done with the ring, added up over their destinations.
    pub states: u64,
    /// The virtual channels that some packet may take, of any channel.
    pub taken: u64,
    /// A shortest cycle of dependencies; empty where there is none.
    pub cycle: Vec<(ChannelId, u32)>,
    /// Destinations enumerated.
    pub destinations: u32,
}

/// What was found of one destination.
struct Arrivals {
    is_reached: bool,
    configurations: u64,
    longest_route_hops: u32,
    ends: u64,
    pairs: u64,
    states: u64,
}

/// Enumerates the ring `network` under `routing`; `None` where packets may fail to arrive, or the
/// ring takes too much memory.
pub(super) fn enumerate<R: Routing>(
    network: &Network,
    routing: &R,
    options: &VerifyOptions<'_>,
) -> Option<Ring> {
    let radix = network.nodes();
    if radix > RADIX_IN_FULL && options.extent != Extent::Full {
        let [landmarks, tried] = landmarks(radix);
        let ring = enumerate_of(network, routing, options, &landmarks, &tried);
        if ring.is_some() {
            return ring;
        }
    }
    let all: Vec<u32> = (0..radix).collect();
    enumerate_of(network, routing, options, &all, &[])
}

/// Enumerates the destinations `landmarks`; `None` also where one of those `tried` is not as they
/// say.
fn enumerate_of<R: Routing>(
    network: &Network,
    routing: &R,
    options: &VerifyOptions<'_>,
    landmarks: &[u32],
    tried: &[u32],
) -> Option<Ring> {
    let frame = Frame::full(network, options.virtual_channels);
    let dependencies = Dependencies::new(&frame).ok()?;
    let starts = Dependencies::new(&frame).ok()?;
    let task = Task {
        network,
        routing,
        options,
        frame: Frame::full(network, options.virtual_channels),
        destinations: landmarks.iter().chain(tried).copied().map(NodeId).collect(),
        group: None,
        alike: None,
    };
    let each = |explorer: &mut Explorer<'_, R>, destination| {
        arrivals(
            network,
            routing,
            explorer,
            destination,
            &dependencies,
            &starts,
        )
    };
    let counts = || {
        (
            dependencies.vertices(),
            dependencies.edges(),
            starts.vertices(),
        )
    };
    let (first, rest) = task.destinations.split_at(landmarks.len());
    let found = task.map(first, 0, each);
    let by_landmarks = counts();
    let others = task.map(rest, first.len() as u64, each);
    let all = || found.iter().chain(&others);
    if all().any(|arrivals| !arrivals.is_reached) || counts() != by_landmarks {
        return None;
    }
    let line = |value: fn(&Arrivals) -> u64| -> Option<(u64, Vec<(u32, u64)>)> {
        let known: Vec<_> = landmarks
            .iter()
            .copied()
            .zip(found.iter().map(value))
            .collect();
        let mut others = tried.iter().zip(others.iter().map(value));
        let is_line = others.all(|(&at, value)| is_on_line(&known, at, value));
        is_line.then(|| (sum(&known, |_| 1), known))
    };
    let (ends, ends_at) = line(|arrivals| arrivals.ends)?;
    let cycle = match cycle::exists(&dependencies) {
        true => cycle::shortest(&dependencies, EDGES_SEEN_MOST).unwrap_or_default(),
        false => Vec::new(),
    };
    let nodes = (0..network.nodes()).map(NodeId);
    Some(Ring {
        vertices: dependencies.vertices(),
        dependencies: dependencies.edges(),
        configurations: line(|arrivals| arrivals.configurations)?.0,
        longest_route_hops: all().map(|a| a.longest_route_hops).max().unwrap_or(0),
        ends,
        starts: starts.vertices(),
        starts_at: nodes
            .map(|node| network.outgoing(node).map(|c| starts.taken(ChannelId(c))))
            .map(|taken| taken.map(|vcs| u64::from(vcs.count_ones())).sum())
            .collect(),
        ends_at,
        pairs: line(|arrivals| arrivals.pairs)?.0,
        states: line(|arrivals| arrivals.states)?.0,
        taken: (0..network.channels()).fold(0, |all, channel| {
            all | dependencies.taken(ChannelId(channel))
        }),
        cycle: cycle.iter().map(|&v| frame.virtual_channel(v)).collect(),
        destinations: task.destinations.len() as u32,
    })
}

/// The landmarks of a ring of `radix` nodes, ascending, and destinations between them.
fn landmarks(radix: u32) -> [Vec<u32>; 2] {
    let middle = radix / 2;
    let around = middle - LANDMARKS..middle + LANDMARKS;
    let landmarks = (0..LANDMARKS)
        .chain(around)
        .chain(radix - LANDMARKS..radix)
        .collect();
    let sides = [
        LANDMARKS..middle - LANDMARKS,
        middle + LANDMARKS..radix - LANDMARKS,
    ];
    let mut rng = Pcg64Mcg::seed_from_u64(u64::from(radix));
    let tried = sides.into_iter().flat_map(|side| {
        let drawn = (0..TRIED).map(|_| rng.random_range(side.clone()));
        drawn.collect::<BTreeSet<u32>>()
    });
    [landmarks, tried.collect()]
}

/// Between which of the ascending `known` the place `at` is, both included.
fn around(known: &[(u32, u64)], at: u32) -> [(u32, u64); 2] {
    let next = known.partition_point(|&(place, _)| place < at);
    [
        known[next.saturating_sub(1)],
        known[next.min(known.len() - 1)],
    ]
}

/// Whether `value` at `at` is on the line between the two of `known` around it.
fn is_on_line(known: &[(u32, u64)], at: u32, value: u64) -> bool {
    let [(from, low), (to, high)] = around(known, at).map(|(place, v)| (i128::from(place), v));
    let [low, high, value] = [low, high, value].map(i128::from);
    (value - low) * (to - from) == (high - low) * (i128::from(at) - from)
}

/// The sum over all places from the first of `known` to the last of the value there, on the line
/// between the two around it, times `weight`.
pub(super) fn sum(known: &[(u32, u64)], weight: impl Fn(u32) -> u64) -> u64 {
    let mut sum: i128 = 0;
    for pair in known.windows(2) {
        let [(from, low), (to, high)] = [pair[0], pair[1]];
        for at in from..to {
            let rise = (i128::from(high) - i128::from(low)) * i128::from(at - from);
            let value = i128::from(low) + rise / i128::from(to - from);
            sum += value * i128::from(weight(at));
        }
    }
    if let Some(&(last, value)) = known.last() {
        sum += i128::from(value) * i128::from(weight(last));
    }
    u64::try_from(sum).unwrap_or(u64::MAX)
}

/// Explores `destination`, and notes what packets to it depend on and start with.
fn arrivals<R: Routing>(
    network: &Network,
    routing: &R,
    explorer: &mut Explorer<'_, R>,
    destination: NodeId,
    dependencies: &Dependencies<'_>,
    starts: &Dependencies<'_>,
) -> Arrivals {
    let found = explorer.explore(destination, Some(dependencies));
    let mut ends = BTreeSet::new();
    let mut states = BTreeSet::new();
    for arrived in &explorer.configurations {
        if network.target(arrived.channel) == destination {
            ends.insert((arrived.channel, arrived.vc));
            states.insert(arrived.state);
        }
    }
    Arrivals {
        is_reached: found.reason.is_none(),
        configurations: found.configurations,
        longest_route_hops: found.longest_route_hops,
        ends: ends.len() as u64,
        pairs: 1 + start(network, routing, destination, starts),
        states: states.len() as u64,
    }
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
            let head = Head {
                node,
                arrived: None,
                destination,
                state: routing.initial(node, destination, choice),
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

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_engine::EngineConfig;
    use flitsim_engine::routing::{DimensionOrder, Tie};
    use flitsim_topology::{Ends, Grid};

    #[test]
    fn sums_between_landmarks_are_those_of_the_line() {
        // 3 + 5 + ... + 23, then down again to 13: 9 less for each of 10, 8, ..., 2.
        let known = [(0, 3), (10, 23), (15, 13)];
        assert_eq!(sum(&known, |_| 1), 143 + (21 + 19 + 17 + 15 + 13));
        assert_eq!(sum(&known, |at| u64::from(at == 7 || at == 12)), 17 + 19);
        assert!(is_on_line(&known, 12, 19) && !is_on_line(&known, 12, 20));
        assert!(is_on_line(&known, 15, 13) && !is_on_line(&known, 15, 12));
    }

    /// Dimension order, but packets to one destination at one node go wrong.
    struct Astray<'n> {
        order: DimensionOrder<'n>,
        destination: NodeId,
        is_lost: bool,
    }

    impl Routing for Astray<'_> {
        const DETERMINISTIC: bool = true;

        fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
            self.order.choices(source, destination)
        }

        fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
            self.order.initial(source, destination, choice)
        }

        fn route(&self, head: Head, candidates: &mut Candidates) {
            let goes_astray = head.destination == self.destination && head.node == NodeId(50);
            let mut found = Candidates::default();
            self.order.route(head, &mut found);
            for &candidate in found.as_slice() {
                let mut candidate = candidate;
                candidate.vcs <<= u32::from(goes_astray && !self.is_lost);
                if !(goes_astray && self.is_lost) {
                    candidates.push(candidate);
                }
            }
        }
    }

    #[test]
    fn a_destination_that_is_not_as_landmarks_say_is_not_believed() {
        let network = Grid::new(&[300], Ends::Open).unwrap().into_network();
        let order = DimensionOrder::new(network.grid().unwrap(), 1, Tie::Positive, false).unwrap();
        let config = EngineConfig {
            virtual_channels: 2,
            ..EngineConfig::default()
        };
        let options = VerifyOptions::of(&config);
        let found = |destination, is_lost| {
            let order = order.clone();
            let destination = NodeId(destination);
            let astray = Astray {
                order,
                destination,
                is_lost,
            };
            let [landmarks, _] = landmarks(300);
            enumerate_of(&network, &astray, &options, &landmarks, &[100]).is_some()
        };
        assert!(found(99, false), "nobody tries that destination");
        assert!(
            !found(100, false),
            "a virtual channel that no landmark takes"
        );
        assert!(!found(100, true), "a packet that does not arrive");
    }
}
