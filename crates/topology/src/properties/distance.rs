//! How many pairs of terminals are how far apart.
//!
//! Closed forms for grids, trees and express cubes; else a breadth-first search from one terminal of
//! each orbit, which is exact because every automorphism was checked on the network itself.

use super::Progress;
use super::symmetry::{Orbit, Symmetry};
use crate::search::{Distances, Search, Sweep, UNREACHABLE};
use crate::{Network, NodeId};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Channels that searches may pass before they are too many and some of the terminals must do.
const VISITS_MAX: u64 = 40_000_000_000;

/// The most hops from the first source for which searches go 64 at a time: each level of those
/// passes over all nodes.
const LEVELS_TOGETHER_MAX: u32 = 48;

/// How distances were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DistanceMethod {
    /// All pairs count, by closed form or by search: exact.
    Exact,
    /// Only the pairs from some terminals count, evenly spread over all: the diameter is a lower
    /// bound, the means are estimates.
    Sampled {
        /// Terminals that were searched from.
        sources: u32,
    },
}

/// Pairs of terminals by distance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistanceProfile {
    /// Ordered pairs of terminals that are as many hops apart as the index says; each terminal with
    /// itself is at 0, with those of the same router where hops are counted between routers.
    pub pairs_by_distance: Vec<u64>,
    /// Those of them that are a terminal with itself.
    pub pairs_with_itself: u64,
    /// Breadth-first searches that it took: 0 for a closed form.
    pub searches: u32,
    /// Whether all pairs count.
    pub method: DistanceMethod,
}

impl DistanceProfile {
    /// The distances between the terminals of `network`, of which `symmetry` tells what is alike;
    /// `None` where one cannot reach another, or there are none. `progress` is told of searches.
    pub fn of(network: &Network, symmetry: &Symmetry, progress: Progress<'_>) -> Option<Self> {
        if network.terminals() == 0 {
            return None;
        }
        if let Some(pairs) = network.family().pairs_by_distance() {
            return Some(Self::new(network, pairs, 0, DistanceMethod::Exact));
        }
        Self::searched(network, symmetry, VISITS_MAX, progress)
    }

    /// As [`DistanceProfile::of`], by search alone, from some of the terminals where searches from
    /// all that differ would pass more than `visits_max` channels.
    pub fn searched(
        network: &Network,
        symmetry: &Symmetry,
        visits_max: u64,
        progress: Progress<'_>,
    ) -> Option<Self> {
        let orbits = symmetry.terminal_orbits();
        let cost = u64::from(network.channels()).max(1);
        let most = (visits_max / cost).max(1);
        if orbits.len() as u64 <= most {
            return search(network, orbits, DistanceMethod::Exact, progress);
        }
        let sources = most.min(u64::from(network.terminals()));
        let spread: Vec<Orbit<NodeId>> = (0..sources)
            .map(|i| Orbit {
                representative: NodeId((i * u64::from(network.terminals()) / sources) as u32),
                size: 1,
            })
            .collect();
        let sources = sources as u32;
        search(
            network,
            &spread,
            DistanceMethod::Sampled { sources },
            progress,
        )
    }

    /// From the pairs by distance in the graph, of which those hops are left out that do not count.
    fn new(
        network: &Network,
        mut pairs_by_distance: Vec<u64>,
        searches: u32,
        method: DistanceMethod,
    ) -> Self {
        let pairs_with_itself = pairs_by_distance[0];
        for _ in 0..network
            .hops_at_terminals()
            .min(pairs_by_distance.len() as u32 - 1)
        {
            let nearest = pairs_by_distance.remove(0);
            pairs_by_distance[0] += nearest;
        }
        Self {
            pairs_by_distance,
            pairs_with_itself,
            searches,
            method,
        }
    }

    /// The largest distance from one terminal to another, in hops.
    pub fn diameter(&self) -> u32 {
        self.pairs_by_distance.len() as u32 - 1
    }

    fn hops(&self) -> f64 {
        let counted = (0u128..).zip(&self.pairs_by_distance);
        counted
            .map(|(hops, &pairs)| hops * u128::from(pairs))
            .sum::<u128>() as f64
    }

    /// The mean distance in hops over ordered pairs, each terminal with itself included.
    pub fn mean_with_self(&self) -> f64 {
        self.hops() / self.pairs_by_distance.iter().sum::<u64>() as f64
    }

    /// The mean distance in hops over ordered pairs of distinct terminals; 0 if there are none.
    pub fn mean_without_self(&self) -> f64 {
        let pairs: u64 = self.pairs_by_distance.iter().sum();
        self.hops() / (pairs - self.pairs_with_itself).max(1) as f64
    }

    /// The three together.
    pub fn distances(&self) -> Distances {
        Distances {
            diameter: self.diameter(),
            mean_with_self: self.mean_with_self(),
            mean_without_self: self.mean_without_self(),
        }
    }
}

/// A terminal that cannot be reached.
struct Unreached;

/// Searches from the representative of each orbit, counted as often as the orbit is large.
fn search(
    network: &Network,
    orbits: &[Orbit<NodeId>],
    method: DistanceMethod,
    progress: Progress<'_>,
) -> Option<DistanceProfile> {
    let mut orbits = orbits.to_vec();
    // Those of one size share a sweep.
    orbits.sort_unstable_by_key(|orbit| (orbit.size, orbit.representative));
    let mut first = Search::new(network);
    first.forward(network, orbits[0].representative);
    let terminals = &first.distances[..network.terminals() as usize];
    let farthest = terminals.iter().copied().max().unwrap_or(0);
    if farthest == UNREACHABLE {
        return None;
    }
    let width = if farthest <= LEVELS_TOGETHER_MAX {
        Sweep::WIDTH
    } else {
        1
    };
    let batches: Vec<&[Orbit<NodeId>]> = orbits
        .chunk_by(|a, b| a.size == b.size)
        .flat_map(|alike| alike.chunks(width))
        .collect();
    let total = orbits.len() as u64;
    let done = AtomicU64::new(0);
    // Added up as they come: lists of long networks are long.
    let sum = Mutex::new(Vec::new());
    let searched = crate::parallel::try_map_with(
        batches.len(),
        || (Search::new(network), None),
        |(search, sweep), batch| {
            let batch = batches[batch];
            let pairs = match batch {
                [one] => alone(network, search, one.representative),
                _ => together(
                    network,
                    sweep.get_or_insert_with(|| Sweep::new(network)),
                    batch,
                ),
            };
            let pairs = pairs.ok_or(Unreached)?;
            let now = done.fetch_add(batch.len() as u64, Relaxed) + batch.len() as u64;
            progress(now, total);
            let size = u64::from(batch[0].size);
            let pairs = pairs.into_iter().map(|pairs| pairs * size).collect();
            let mut sum = sum.lock().unwrap_or_else(PoisonError::into_inner);
            *sum = added(std::mem::take(&mut *sum), pairs);
            Ok::<(), Unreached>(())
        },
    );
    searched.ok()?;
    let pairs_by_distance = sum.into_inner().unwrap_or_else(PoisonError::into_inner);
    let searches = orbits.len() as u32;
    Some(DistanceProfile::new(
        network,
        pairs_by_distance,
        searches,
        method,
    ))
}

/// Terminals at each distance from one node; `None` where one cannot be reached.
fn alone(network: &Network, search: &mut Search, from: NodeId) -> Option<Vec<u64>> {
    search.forward(network, from);
    let mut pairs = Vec::new();
    let mut reached = 0;
    // The nearest come first: the last level is the longest that the list gets.
    for &node in &search.queue {
        if node.0 < network.terminals() {
            let distance = search.distances[node.index()] as usize;
            if pairs.len() <= distance {
                pairs.resize(distance + 1, 0);
            }
            pairs[distance] += 1;
            reached += 1;
        }
    }
    (reached == network.terminals()).then_some(pairs)
}

/// Terminals at each distance from up to 64 nodes; `None` where one cannot be reached.
fn together(network: &Network, sweep: &mut Sweep, batch: &[Orbit<NodeId>]) -> Option<Vec<u64>> {
    let sources: Vec<NodeId> = batch.iter().map(|orbit| orbit.representative).collect();
    let mut pairs = Vec::new();
    let swept = sweep.run(network, &sources, &[], |_, found| pairs.push(found));
    while pairs.last() == Some(&0) {
        pairs.pop();
    }
    swept.reached_all.then_some(pairs)
}

fn added(mut a: Vec<u64>, mut b: Vec<u64>) -> Vec<u64> {
    if a.len() < b.len() {
        std::mem::swap(&mut a, &mut b);
    }
    a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
    a
}
