//! What faults do: how many part the network, and how far apart fewer leave it.
//!
//! The fault diameter is the largest diameter of what is left when any nodes fail, fewer than the
//! node connectivity (Krishnamoorthy & Krishnamurthy, "Fault diameter of interconnection networks",
//! 1987; Parhami & Kwai, section 4.C): here one fewer. Any node may fail, with a terminal or
//! without; distances are those between the terminals left.

mod connectivity;
mod flow;

pub use connectivity::{Connectivity, ConnectivityMethod, channel_connectivity, node_connectivity};

use super::Progress;
use super::symmetry::Symmetry;
use crate::search::{Sweep, UNREACHABLE, distances_from};
use crate::{Network, NodeId};
use flitsim_random::Pcg64Mcg;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Channels and nodes that searches may pass: the work is counted, not timed, so that the same
/// network has the same figure anywhere.
const VISITS_MAX: u64 = 300_000_000;

/// Sets of faults that are tried at a time.
const SETS_TOGETHER: u64 = 4;

/// Which sets of faults were tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultMethod {
    /// All there are, or one for each that an automorphism takes it to: exact.
    Exhaustive,
    /// Only some: every second one leaves a terminal with one neighbour, or as few as so many
    /// faults can, the rest are drawn evenly. The diameter is a lower bound.
    Sampled {
        /// How many.
        sets: u64,
    },
}

/// The largest diameter that faults leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultDiameter {
    /// Nodes that fail.
    pub faults: u32,
    /// The largest distance in hops between two terminals that are left; `None` where one cannot
    /// reach another.
    pub diameter: Option<u32>,
    /// Which sets of faults were tried.
    pub method: FaultMethod,
}

impl FaultDiameter {
    /// What any `faults` failing nodes leave; one less than [`node_connectivity`] is the custom.
    /// `None` where not even the whole network can be searched from every terminal in bounded time.
    pub fn of(
        network: &Network,
        symmetry: &Symmetry,
        faults: u32,
        progress: Progress<'_>,
    ) -> Option<Self> {
        if network.terminals() == 0 || faults >= network.nodes() {
            return None;
        }
        let visits = Survey::whole(network)?;
        let affordable = VISITS_MAX / visits.max(1);
        let plan = Plan::new(network, symmetry, faults);
        let (sets, method) = match plan.sets() {
            Some(sets) if sets <= affordable => (sets, FaultMethod::Exhaustive),
            _ if affordable == 0 => return None,
            _ => (affordable, FaultMethod::Sampled { sets: affordable }),
        };
        let chosen = |index: u64| match method {
            FaultMethod::Exhaustive => plan.set(index),
            FaultMethod::Sampled { .. } if index.is_multiple_of(2) => {
                neighbours_but_one(network, faults, index)
            }
            FaultMethod::Sampled { .. } => evenly_drawn(network, faults, index),
        };
        let done = AtomicU64::new(0);
        let worst = crate::parallel::map_with(
            sets.div_ceil(SETS_TOGETHER) as usize,
            || Survey::new(network),
            |survey, block| {
                let first = block as u64 * SETS_TOGETHER;
                let last = sets.min(first + SETS_TOGETHER);
                let farthest = (first..last)
                    .map(|index| survey.diameter(network, &chosen(index)))
                    .max_by_key(|diameter| diameter.unwrap_or(u32::MAX));
                let now = done.fetch_add(last - first, Relaxed) + last - first;
                progress(now, sets);
                farthest.flatten().unwrap_or(u32::MAX)
            },
        );
        let worst = worst.into_iter().max().unwrap_or(u32::MAX);
        Some(Self {
            faults,
            diameter: (worst != u32::MAX).then_some(worst),
            method,
        })
    }
}

/// Searches from all terminals that are left.
struct Survey {
    sweep: Sweep,
    alive: Vec<NodeId>,
    visits: u64,
}

impl Survey {
    fn new(network: &Network) -> Self {
        Self {
            sweep: Sweep::new(network),
            alive: Vec::with_capacity(network.terminals() as usize),
            visits: 0,
        }
    }

    /// What a survey without faults costs; `None` where that is too much already.
    fn whole(network: &Network) -> Option<u64> {
        // Each search of 64 passes every channel at least once, and every node once a level.
        let batches = u64::from(network.terminals()).div_ceil(Sweep::WIDTH as u64);
        let hops = distances_from(network, NodeId(0)).into_iter();
        let levels = hops.filter(|&hops| hops != UNREACHABLE).max().unwrap_or(0);
        let nodes = u64::from(network.nodes()) * u64::from(levels);
        if batches * (nodes + u64::from(network.channels())) > VISITS_MAX {
            return None;
        }
        let mut survey = Self::new(network);
        survey.diameter(network, &[]);
        Some(survey.visits)
    }

    /// The largest distance between terminals that are left, in hops that count; `None` where one is out of reach.
    fn diameter(&mut self, network: &Network, dead: &[NodeId]) -> Option<u32> {
        self.alive.clear();
        let terminals = (0..network.terminals()).map(NodeId);
        self.alive
            .extend(terminals.filter(|node| !dead.contains(node)));
        let mut farthest = 0;
        for sources in self.alive.chunks(Sweep::WIDTH) {
            let swept = self.sweep.run(network, sources, dead, |distance, found| {
                if found > 0 {
                    farthest = farthest.max(distance);
                }
            });
            self.visits += swept.visits;
            if !swept.reached_all {
                return None;
            }
        }
        Some(farthest.saturating_sub(network.hops_at_terminals()))
    }
}

/// All sets of faults, in order.
struct Plan {
    nodes: u32,
    faults: u32,
    /// Every set holds node 0: where all nodes are alike, any set can be moved so that it does.
    holds_first: bool,
}

impl Plan {
    fn new(network: &Network, symmetry: &Symmetry, faults: u32) -> Self {
        Self {
            nodes: network.nodes(),
            faults,
            holds_first: symmetry.is_transitive() && faults > 0,
        }
    }

    /// Nodes that are chosen from, and how many of them.
    fn choice(&self) -> (u32, u32) {
        let fixed = u32::from(self.holds_first);
        (self.nodes - fixed, self.faults - fixed)
    }

    /// How many sets there are, if 64 bits count them.
    fn sets(&self) -> Option<u64> {
        let (from, of) = self.choice();
        binomial(from, of)
    }

    /// The set with the given number: combinations in colexicographic order.
    fn set(&self, mut index: u64) -> Vec<NodeId> {
        let (from, of) = self.choice();
        let fixed = u32::from(self.holds_first);
        let mut set = Vec::with_capacity(self.faults as usize);
        let mut high = from;
        for left in (1..=of).rev() {
            // The largest member m with C(m, left) <= index.
            high = (0..high)
                .rev()
                .find(|&m| binomial(m, left).is_some_and(|below| below <= index))
                .unwrap_or(0);
            index -= binomial(high, left).unwrap_or(0);
            set.push(NodeId(high + fixed));
        }
        if self.holds_first {
            set.push(NodeId(0));
        }
        set
    }
}

fn binomial(from: u32, of: u32) -> Option<u64> {
    if of > from {
        return Some(0);
    }
    (0..u64::from(of)).try_fold(1u64, |product, i| {
        Some(product.checked_mul(u64::from(from) - i)? / (i + 1))
    })
}

/// Draws nodes until there are `faults`.
fn filled(
    network: &Network,
    mut set: BTreeSet<NodeId>,
    faults: u32,
    rng: &mut Pcg64Mcg,
) -> Vec<NodeId> {
    while set.len() < faults as usize {
        set.insert(NodeId(rng.random_range(..network.nodes())));
    }
    set.into_iter().collect()
}

fn evenly_drawn(network: &Network, faults: u32, index: u64) -> Vec<NodeId> {
    let mut rng = Pcg64Mcg::seed_from_u64(index);
    filled(network, BTreeSet::new(), faults, &mut rng)
}

/// The neighbours of a terminal, drawn one by one, but one at least: all who leave it one way on, or
/// one way in, where there are so many faults.
fn neighbours_but_one(network: &Network, faults: u32, index: u64) -> Vec<NodeId> {
    let mut rng = Pcg64Mcg::seed_from_u64(index);
    let node = NodeId(rng.random_range(..network.terminals()));
    let targets = network.targets(node).iter().copied();
    let sources = network.incoming(node);
    let mut neighbours: Vec<NodeId> = match index % 4 {
        0 => targets.collect(),
        _ => sources
            .iter()
            .map(|&channel| network.source(channel))
            .collect(),
    };
    neighbours.sort_unstable();
    neighbours.dedup();
    neighbours.shuffle(&mut rng);
    let failed = neighbours.into_iter().skip(1).take(faults as usize);
    filled(network, failed.collect(), faults, &mut rng)
}
