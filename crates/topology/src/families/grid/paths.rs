//! Shortest paths of grids, dimension by dimension.

use super::Grid;
use crate::{ChannelId, Ends, MinimalPaths, NodeId};

impl MinimalPaths for Grid {
    fn distance(&self, from: NodeId, to: NodeId) -> u32 {
        Grid::distance(self, from, to)
    }

    fn diameter(&self) -> u32 {
        super::grid_distances(self).diameter
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
        self.hops_in(self.step(channel).dimension as usize, from, to)
    }
}
