//! Shortest paths hop by hop: what adaptive minimal routing asks of a network, whatever its family.
//!
//! Invariant: `for_each_minimal_channel` visits exactly the channels that lead one hop closer, and
//! where the network is bipartite every channel joins two colours.

use crate::{ChannelId, Ends, Grid, NodeId};

/// A network that knows its shortest paths from one node to another, where the last is a terminal.
pub trait MinimalPaths: Sync {
    /// Hops from `from` to `to` along shortest paths.
    fn distance(&self, from: NodeId, to: NodeId) -> u32;

    /// The largest distance between two terminals, in hops.
    fn diameter(&self) -> u32;

    /// Whether the nodes have two colours such that every channel joins one to the other.
    fn is_bipartite(&self) -> bool;

    /// Which of the two colours `node` has; no meaning unless the network is bipartite.
    fn colour(&self, node: NodeId) -> bool;

    /// Visits the channels out of `from` that shortest paths to `to` begin with, in ascending
    /// order; none where `from` is `to`.
    fn for_each_minimal_channel(&self, from: NodeId, to: NodeId, visit: impl FnMut(ChannelId));

    /// Hops of a shortest path from `from` to `to` in the dimension of `channel`; 1 where a network
    /// has no dimensions in which hops add up.
    #[inline]
    fn hops_along(&self, from: NodeId, to: NodeId, channel: ChannelId) -> u32 {
        let _ = (from, to, channel);
        1
    }
}

impl MinimalPaths for Grid {
    fn distance(&self, from: NodeId, to: NodeId) -> u32 {
        Grid::distance(self, from, to)
    }

    fn diameter(&self) -> u32 {
        crate::properties::grid_distances(self).diameter
    }

    /// Open ends, and rings of even radix.
    fn is_bipartite(&self) -> bool {
        self.ends() == Ends::Open || self.radices().iter().all(|k| k % 2 == 0)
    }

    /// Whether the sum of the coordinates is odd.
    #[inline]
    fn colour(&self, node: NodeId) -> bool {
        self.coordinates(node).iter().fold(0, |sum, a| sum ^ a) & 1 == 1
    }

    #[inline]
    fn for_each_minimal_channel(&self, from: NodeId, to: NodeId, mut visit: impl FnMut(ChannelId)) {
        use crate::Direction::{Down, Up};
        let (here, there) = (self.coordinates(from), self.coordinates(to));
        for dimension in (0..here.len()).filter(|&i| here[i] != there[i]) {
            let (a, b) = (u32::from(here[dimension]), u32::from(there[dimension]));
            let k = self.radices()[dimension];
            let (up, down) = match self.ends() {
                Ends::Ring if k > 2 => {
                    let ahead = if b > a { b - a } else { b + k - a };
                    (2 * ahead <= k, 2 * ahead >= k)
                }
                Ends::Ring | Ends::Open => (b > a, b < a),
                Ends::DirectedRing => (true, false),
            };
            for (wanted, direction) in [(up, Up), (down, Down)] {
                if wanted && let Some(channel) = self.channel(from, dimension, direction) {
                    visit(channel);
                }
            }
        }
    }

    #[inline]
    fn hops_along(&self, from: NodeId, to: NodeId, channel: ChannelId) -> u32 {
        let dimension = self.step(channel).dimension as usize;
        let (a, b) = (
            self.coordinate(from, dimension),
            self.coordinate(to, dimension),
        );
        let k = self.radices()[dimension];
        match self.ends() {
            Ends::Open => a.abs_diff(b),
            Ends::Ring => a.abs_diff(b).min(k - a.abs_diff(b)),
            Ends::DirectedRing if b < a => b + k - a,
            Ends::DirectedRing => b - a,
        }
    }
}
