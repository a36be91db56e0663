//! What a network is as a graph: distances, connectivity, degree, two-colourings.
//!
//! By breadth-first search on any network, in time nodes × channels where all pairs count; and for
//! grids in closed form, however large (Dally & Towles, sections 3.1 and 5.2).

use crate::{ChannelId, Ends, Grid, Network, NodeId};

/// The distance to a node that cannot be reached.
pub const UNREACHABLE: u32 = u32::MAX;

/// Hops from `from` to every node along shortest paths, by node; [`UNREACHABLE`] where none leads.
pub fn distances_from(network: &Network, from: NodeId) -> Vec<u32> {
    let mut search = Search::new(network);
    search.run(from, |node, visit| {
        for channel in network.outgoing(node).map(ChannelId) {
            visit(network.target(channel));
        }
    });
    search.distances
}

/// Hops to `to` from every node along shortest paths, by node; [`UNREACHABLE`] where none leads.
pub fn distances_to(network: &Network, to: NodeId) -> Vec<u32> {
    let mut search = Search::new(network);
    search.run(to, |node, visit| {
        for &channel in network.incoming(node) {
            visit(network.source(channel));
        }
    });
    search.distances
}

/// Whether every node can be reached from every other.
pub fn is_strongly_connected(network: &Network) -> bool {
    let reached = |distances: Vec<u32>| distances.iter().all(|&d| d != UNREACHABLE);
    network.nodes() == 0
        || reached(distances_from(network, NodeId(0))) && reached(distances_to(network, NodeId(0)))
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

/// The distances between all terminals; `None` where one cannot reach another, or there are none.
pub fn distances(network: &Network) -> Option<Distances> {
    let terminals = u64::from(network.terminals());
    let mut search = Search::new(network);
    let mut diameter = 0;
    let mut sum = 0u64;
    for from in (0..network.terminals()).map(NodeId) {
        search.run(from, |node, visit| {
            for channel in network.outgoing(node).map(ChannelId) {
                visit(network.target(channel));
            }
        });
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
pub fn degree_max(network: &Network) -> u32 {
    (0..network.nodes())
        .map(|node| network.outgoing(NodeId(node)).len() as u32)
        .max()
        .unwrap_or(0)
}

/// A colour for each node such that every channel joins two colours, `false` for the lowest node
/// of every connected part; `None` if there is none: the network is not bipartite.
pub fn two_colouring(network: &Network) -> Option<Vec<bool>> {
    let mut search = Search::new(network);
    let mut colours = vec![false; network.nodes() as usize];
    for root in (0..network.nodes()).map(NodeId) {
        if search.distances[root.index()] == UNREACHABLE {
            // The parity of the distance, with every channel passable either way.
            search.go_on(root, |node, visit| {
                for channel in network.outgoing(node).map(ChannelId) {
                    visit(network.target(channel));
                }
                for &channel in network.incoming(node) {
                    visit(network.source(channel));
                }
            });
        }
        colours[root.index()] = search.distances[root.index()] % 2 == 1;
    }
    let proper = (0..network.channels()).map(ChannelId).all(|channel| {
        colours[network.source(channel).index()] != colours[network.target(channel).index()]
    });
    proper.then_some(colours)
}

/// A breadth-first search whose memory is used again.
struct Search {
    distances: Vec<u32>,
    queue: Vec<NodeId>,
}

impl Search {
    fn new(network: &Network) -> Self {
        Self {
            distances: vec![UNREACHABLE; network.nodes() as usize],
            queue: Vec::with_capacity(network.nodes() as usize),
        }
    }

    fn run(&mut self, from: NodeId, neighbours: impl Fn(NodeId, &mut dyn FnMut(NodeId))) {
        self.distances.fill(UNREACHABLE);
        self.go_on(from, neighbours);
    }

    /// Searches on from `from`, which was not reached yet; nodes reached before stay as they are.
    fn go_on(&mut self, from: NodeId, neighbours: impl Fn(NodeId, &mut dyn FnMut(NodeId))) {
        let Self { distances, queue } = self;
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

/// The distances of a grid in closed form, equal to [`distances`] of its network: a sum over
/// dimensions. For radix k, k/4 (even) or k/4 − 1/(4k) (odd) on a two-way ring, (k − 1)/2 on a
/// one-way ring, k/3 − 1/(3k) on a line.
pub fn grid_distances(grid: &Grid) -> Distances {
    let mut diameter = 0;
    let mut mean = 0.0;
    let mut nodes = 1.0;
    for (dimension, &radix) in grid.radices().iter().enumerate() {
        let k = f64::from(radix);
        nodes *= k;
        // The sum of the distances between all ordered pairs, over k².
        let (farthest, mean_here) = match grid.ends() {
            Ends::DirectedRing => (radix - 1, (k - 1.0) / 2.0),
            Ends::Ring if grid.is_ring(dimension) => {
                let from_one = f64::from(radix / 2) * f64::from(radix.div_ceil(2));
                (radix / 2, from_one / k)
            }
            Ends::Ring | Ends::Open => (radix - 1, (k * k - 1.0) / (3.0 * k)),
        };
        diameter += farthest;
        mean += mean_here;
    }
    Distances {
        diameter,
        mean_with_self: mean,
        mean_without_self: mean * nodes / (nodes - 1.0),
    }
}

/// The channels, both ways together, between the two halves of a grid that is cut across its widest
/// dimension; `None` if that has an odd radix, for then no straight cut there leaves halves.
pub fn grid_bisection_channels(grid: &Grid) -> Option<u64> {
    let radices = grid.radices();
    let widest = (0..radices.len()).max_by_key(|&i| (radices[i], i))?;
    let of_line = match grid.ends() {
        Ends::Ring if grid.is_ring(widest) => 4,
        _ => 2,
    };
    let lines: u64 = (0..radices.len())
        .filter(|&i| i != widest)
        .map(|i| u64::from(radices[i]))
        .product();
    radices[widest].is_multiple_of(2).then_some(lines * of_line)
}
