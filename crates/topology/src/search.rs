//! Breadth-first search, one source at a time or 64 together, and what follows from it.

use crate::{ChannelId, Graph, NodeId};

/// The distance to a node that cannot be reached.
pub const UNREACHABLE: u32 = u32::MAX;

/// Hops from `from` to every node along shortest paths, by node; [`UNREACHABLE`] where none leads.
pub fn distances_from(graph: &Graph, from: NodeId) -> Vec<u32> {
    let mut search = Search::new(graph);
    search.forward(graph, from);
    search.distances
}

/// Hops to `to` from every node along shortest paths, by node; [`UNREACHABLE`] where none leads.
pub fn distances_to(graph: &Graph, to: NodeId) -> Vec<u32> {
    let mut search = Search::new(graph);
    search.go_on(to, |node, visit| {
        for &channel in graph.incoming(node).iter() {
            visit(graph.source(channel));
        }
    });
    search.distances
}

/// Whether every node can be reached from every other.
pub fn is_strongly_connected(graph: &Graph) -> bool {
    let reached = |distances: Vec<u32>| distances.iter().all(|&d| d != UNREACHABLE);
    graph.nodes() == 0
        || reached(distances_from(graph, NodeId(0))) && reached(distances_to(graph, NodeId(0)))
}

/// A channel of `graph` without one back, if there is any: what is not a graph of links.
pub fn unpaired_channel(graph: &Graph) -> Option<ChannelId> {
    // By node: the last node found to have a channel to it.
    let mut reached_from = vec![u32::MAX; graph.nodes() as usize];
    for node in (0..graph.nodes()).map(NodeId) {
        for target in graph.targets(node) {
            reached_from[target.index()] = node.0;
        }
        let incoming = graph.incoming(node);
        let mut incoming = incoming.iter().copied();
        let is_unpaired = |&c: &ChannelId| reached_from[graph.source(c).index()] != node.0;
        if let Some(channel) = incoming.find(is_unpaired) {
            return Some(channel);
        }
    }
    None
}

/// Distances between terminals, in hops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distances {
    /// The largest distance from one terminal to another.
    pub diameter: u32,
    /// The mean over all ordered pairs of terminals, each with itself included.
    pub mean_with_self: f64,
    /// The mean over all ordered pairs of distinct terminals; 0 if there is only one terminal.
    pub mean_without_self: f64,
}

/// The distances between all terminals, by a search from each; `None` where one cannot reach
/// another, or there are none. [`DistanceProfile`](crate::properties::DistanceProfile) knows the same sooner.
pub fn distances(graph: &Graph) -> Option<Distances> {
    let terminals = u64::from(graph.terminals());
    let mut search = Search::new(graph);
    let mut diameter = 0;
    let mut sum = 0u64;
    for from in (0..graph.terminals()).map(NodeId) {
        search.forward(graph, from);
        for &distance in &search.distances[..terminals as usize] {
            if distance == UNREACHABLE {
                return None;
            }
            diameter = diameter.max(distance);
            sum += u64::from(distance);
        }
    }
    if terminals == 0 {
        return None;
    }
    let pairs = terminals * terminals;
    Some(Distances {
        diameter,
        mean_with_self: sum as f64 / pairs as f64,
        mean_without_self: sum as f64 / (pairs - terminals).max(1) as f64,
    })
}

/// The most channels that leave one router, its terminal's not counted.
pub fn degree_max(graph: &Graph) -> u32 {
    (0..graph.nodes())
        .map(|node| graph.outgoing(NodeId(node)).len() as u32)
        .max()
        .unwrap_or(0)
}

/// A colour for each node such that every channel joins two colours, `false` for the lowest node
/// of every connected part; `None` if there is none: the graph is not bipartite.
pub fn two_colouring(graph: &Graph) -> Option<Vec<bool>> {
    if graph.nodes() == 0 {
        return Some(Vec::new());
    }
    let mut search = Search::new(graph);
    // Channels forward alone do where they lead everywhere, as they mostly do, and half as much
    // memory is read.
    search.forward(graph, NodeId(0));
    if search.queue.len() < graph.nodes() as usize {
        search.distances.fill(UNREACHABLE);
        for root in (0..graph.nodes()).map(NodeId) {
            if search.distances[root.index()] != UNREACHABLE {
                continue;
            }
            search.go_on(root, |node, visit| {
                graph.targets(node).iter().for_each(|&to| visit(to));
                for &channel in graph.incoming(node).iter() {
                    visit(graph.source(channel));
                }
            });
        }
    }
    let colours: Vec<bool> = search.distances.iter().map(|d| d % 2 == 1).collect();
    let proper = crate::parallel::all(graph.channels() as usize, |channel| {
        let channel = ChannelId(channel as u32);
        colours[graph.source(channel).index()] != colours[graph.target(channel).index()]
    });
    proper.then_some(colours)
}

/// A breadth-first search whose memory is used again.
pub(crate) struct Search {
    /// By node.
    pub(crate) distances: Vec<u32>,
    /// The nodes reached last time, the nearest first.
    pub(crate) queue: Vec<NodeId>,
    seen: Vec<u64>,
}

impl Search {
    pub(crate) fn new(graph: &Graph) -> Self {
        Self {
            distances: vec![UNREACHABLE; graph.nodes() as usize],
            queue: Vec::with_capacity(graph.nodes() as usize),
            seen: Vec::new(),
        }
    }

    /// Searches along the channels, from `from` alone.
    pub(crate) fn forward(&mut self, graph: &Graph, from: NodeId) {
        let Self {
            distances,
            queue,
            seen,
        } = self;
        distances.fill(UNREACHABLE);
        // A bit a node stays in the cache where the distances of millions do not.
        seen.clear();
        seen.resize(distances.len().div_ceil(64), 0u64);
        queue.clear();
        queue.push(from);
        distances[from.index()] = 0;
        seen[from.index() / 64] |= 1 << (from.0 % 64);
        let mut next = 0;
        while next < queue.len() {
            let node = queue[next];
            next += 1;
            let further = distances[node.index()] + 1;
            for &to in graph.targets(node) {
                let (word, bit) = (&mut seen[to.index() / 64], 1 << (to.0 % 64));
                if *word & bit == 0 {
                    *word |= bit;
                    distances[to.index()] = further;
                    queue.push(to);
                }
            }
        }
    }

    /// Searches on from `from`, which was not reached yet; nodes reached before stay as they are.
    fn go_on(&mut self, from: NodeId, neighbours: impl Fn(NodeId, &mut dyn FnMut(NodeId))) {
        let Self {
            distances, queue, ..
        } = self;
        queue.clear();
        queue.push(from);
        distances[from.index()] = 0;
        let mut next = 0;
        while next < queue.len() {
            let node = queue[next];
            next += 1;
            let further = distances[node.index()] + 1;
            neighbours(node, &mut |neighbour| {
                let distance = &mut distances[neighbour.index()];
                if *distance == UNREACHABLE {
                    *distance = further;
                    queue.push(neighbour);
                }
            });
        }
    }
}

/// Breadth-first searches from up to 64 sources at once: a bit for each source in every word.
///
/// A level passes over the nodes that some search reached in the one before. So 64 searches cost
/// as many passes over the channels as there are levels, not 64.
pub(crate) struct Sweep {
    seen: Vec<u64>,
    frontier: Vec<u64>,
    next: Vec<u64>,
}

/// What a sweep found.
pub(crate) struct Swept {
    /// Whether every source reaches every terminal that is not dead.
    pub(crate) reached_all: bool,
    /// Channels and nodes looked at.
    pub(crate) visits: u64,
}

impl Sweep {
    pub(crate) const WIDTH: usize = u64::BITS as usize;

    pub(crate) fn new(graph: &Graph) -> Self {
        let words = || vec![0; graph.nodes() as usize];
        Self {
            seen: words(),
            frontier: words(),
            next: words(),
        }
    }

    /// Searches from every one of `sources`, at most 64, as if the nodes `dead` were not there.
    /// `pairs` is told how many pairs of a source and a terminal there are at each distance, from 0.
    pub(crate) fn run(
        &mut self,
        graph: &Graph,
        sources: &[NodeId],
        dead: &[NodeId],
        mut pairs: impl FnMut(u32, u64),
    ) -> Swept {
        assert!(sources.len() <= Self::WIDTH, "more sources than bits");
        let Self {
            seen,
            frontier,
            next,
        } = self;
        seen.fill(0);
        frontier.fill(0);
        let all = u64::MAX >> (Self::WIDTH - sources.len()).min(63);
        for (bit, source) in sources.iter().enumerate() {
            frontier[source.index()] |= 1 << bit;
            seen[source.index()] |= 1 << bit;
        }
        // Whoever was seen by all is never entered.
        dead.iter().for_each(|node| seen[node.index()] = all);
        let terminals = graph.terminals() as usize;
        let (mut distance, mut visits) = (0, 0);
        pairs(0, sources.len() as u64);
        loop {
            next.fill(0);
            visits += next.len() as u64;
            for (node, &bits) in (0..).map(NodeId).zip(frontier.iter()) {
                if bits != 0 {
                    let targets = graph.targets(node);
                    visits += targets.len() as u64;
                    targets.iter().for_each(|to| next[to.index()] |= bits);
                }
            }
            distance += 1;
            let (mut any, mut found) = (0, 0);
            for (node, (fresh, seen)) in next.iter_mut().zip(seen.iter_mut()).enumerate() {
                *fresh &= !*seen;
                *seen |= *fresh;
                any |= *fresh;
                if node < terminals {
                    found += u64::from(fresh.count_ones());
                }
            }
            if any == 0 {
                break;
            }
            pairs(distance, found);
            std::mem::swap(frontier, next);
        }
        Swept {
            reached_all: seen[..terminals].iter().all(|&seen| seen == all),
            visits,
        }
    }
}
