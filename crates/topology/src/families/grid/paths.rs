//! Shortest paths of grids, dimension by dimension.

use super::Grid;
use crate::{ChannelId, Direction, Ends, MinimalPaths, NodeId};

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
        self.for_each_minimal_hop(from, to, |channel, _| visit(channel));
    }

    #[inline]
    fn for_each_minimal_hop(
        &self,
        from: NodeId,
        to: NodeId,
        mut visit: impl FnMut(ChannelId, u32),
    ) {
        if let Some(channels) = self.closer_on_hypercube(from, to) {
            channels.for_each(|channel| visit(channel, 1));
            return;
        }
        let (here, there) = (self.coordinates(from), self.coordinates(to));
        for (dimension, ((&a, &b), &k)) in here.iter().zip(there).zip(self.radices()).enumerate() {
            if a == b {
                continue;
            }
            let (a, b) = (u32::from(a), u32::from(b));
            let ahead = if b > a { b - a } else { b + k - a };
            let (up, down, hops) = match self.ends() {
                Ends::Ring if k > 2 => (2 * ahead <= k, 2 * ahead >= k, ahead.min(k - ahead)),
                Ends::Ring | Ends::Open => (b > a, b < a, a.abs_diff(b)),
                Ends::DirectedRing => (true, false, ahead),
            };
            // One way but half round a ring: no predictor foresees which.
            let direction = Direction::up_if(up);
            if let Some(channel) = self.channel(from, dimension, direction) {
                visit(channel, hops);
            }
            if up & down
                && let Some(channel) = self.channel(from, dimension, Direction::Down)
            {
                visit(channel, hops);
            }
        }
    }
}
