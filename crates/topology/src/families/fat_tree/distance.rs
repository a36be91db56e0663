//! Hops between processors, in closed form, their links at both ends counted.
//!
//! Butterfly fat-tree: from a processor up to the lowest level where one block holds both ends, and
//! down: 2 + 2a hops, a the level of that nearest common ancestor.
//!
//! Fat-pyramid: up to a level h ≤ a, through the mesh there, and down: 2 + 2h + |Δx| + |Δy|, where
//! Δx and Δy are how far apart the blocks of level h are. No route is shorter than the best of
//! these, by this argument. Let a route reach level h at the highest. Of every switch on it, take
//! the block of level h that it lies in: a hop up or down does not change that block, a hop within
//! any mesh moves it by one at most. So the route has |Δx| + |Δy| hops in meshes at the least, and
//! 2 + 2h up and down; and no level beyond a is of use, for there is no way to go there. The route
//! of least cost is therefore always a shortest path.

use super::{FatTree, FatTreeKind};
use crate::NodeId;
use crate::search::Distances;
use std::collections::BTreeMap;

impl FatTree {
    /// The lowest level with a block that holds both processors; 0 where they are the same.
    #[inline]
    pub fn common_level(&self, from: NodeId, to: NodeId) -> u32 {
        let (a, b) = (self.position(from), self.position(to));
        let differing = a.0 ^ b.0 | a.1 ^ b.1;
        differing.checked_ilog2().unwrap_or(0)
    }

    /// Hops from one processor up to `level`, through the mesh of that level, and down to another:
    /// 2 + 2·level + |Δx| + |Δy| in blocks of that level.
    ///
    /// In a butterfly fat-tree only routes over [`FatTree::common_level`] or higher exist.
    #[inline]
    pub fn cost_hops(&self, from: NodeId, to: NodeId, level: u32) -> u32 {
        let (a, b) = (self.position(from), self.position(to));
        let apart = |a: u32, b: u32| (a >> (level + 1)).abs_diff(b >> (level + 1));
        2 + 2 * level + apart(a.0, b.0) + apart(a.1, b.1)
    }

    /// Hops between two processors along shortest paths.
    pub fn distance(&self, from: NodeId, to: NodeId) -> u32 {
        if from == to {
            return 0;
        }
        let common = self.common_level(from, to);
        match self.kind {
            FatTreeKind::Butterfly => 2 + 2 * common,
            FatTreeKind::Pyramid => (0..=common)
                .map(|level| self.cost_hops(from, to, level))
                .fold(u32::MAX, u32::min),
        }
    }

    /// Ordered pairs of processors at each distance, from 0 to the diameter; each with itself is at
    /// distance 0. Exact, and as fast for millions of processors as for four.
    pub fn distance_counts(&self) -> Vec<u64> {
        let processors = u64::from(self.processors());
        let mut counts = match self.kind {
            FatTreeKind::Butterfly => self.butterfly_counts(),
            FatTreeKind::Pyramid => self.pyramid_counts(),
        };
        // So far a processor was at distance 2 from itself, over its leaf switch.
        counts[2] -= processors;
        counts[0] = processors;
        while counts.last() == Some(&0) {
            counts.pop();
        }
        counts
    }

    /// Ordered pairs by the level of the common ancestor: a block of level a holds 4^(a+1)
    /// processors, of which 4^a are nearer, in the same quadrant.
    fn butterfly_counts(&self) -> Vec<u64> {
        let mut counts = vec![0; 2 * self.levels as usize + 1];
        for level in 0..self.levels {
            let quadrants = if level == 0 { 4 } else { 3 };
            counts[2 + 2 * level as usize] =
                u64::from(self.processors()) * (quadrants << (2 * level));
        }
        counts
    }

    /// Ordered pairs by least cost.
    ///
    /// Blocks that are δ apart at a level are 2δ − 1, 2δ, 2δ or 2δ + 1 apart one level down. So pairs
    /// are counted from the highest level down, by how far apart their blocks are in x and y and by
    /// the least cost so far. Where |Δx| + |Δy| ≥ 4, it at least doubles less 2 with each level down,
    /// and the two hops saved never outweigh it: the least cost is known.
    fn pyramid_counts(&self) -> Vec<u64> {
        let top = self.levels - 1;
        let mut counts = vec![0; 2 * self.levels as usize + 1];
        let mut pairs_of = BTreeMap::from([((0u32, 0u32, 2 + 2 * top), 1u64)]);
        for level in (0..top).rev() {
            let mut next = BTreeMap::new();
            for ((x, y, least), pairs) in pairs_of {
                for (x, x_pairs) in refined(x) {
                    for (y, y_pairs) in refined(y) {
                        let pairs = pairs * x_pairs * y_pairs;
                        let least = least.min(2 + 2 * level + x + y);
                        if x + y < 4 {
                            *next.entry((x, y, least)).or_default() += pairs;
                        } else {
                            counts[least as usize] += pairs << (4 * level);
                        }
                    }
                }
            }
            pairs_of = next;
        }
        for ((_, _, least), pairs) in pairs_of {
            counts[least as usize] += pairs;
        }
        // Four processors at each of two leaf switches.
        counts.into_iter().map(|pairs| 16 * pairs).collect()
    }

    /// Diameter and mean distances between processors. The diameter of either kind is 2 log4 n; the
    /// mean of the butterfly fat-tree, each processor with itself included, is
    /// 2 ((3 log4 n − 1) n + 1) / (3n).
    pub fn distances(&self) -> Distances {
        let counts = self.distance_counts();
        let sum: u64 = counts
            .iter()
            .zip(0..)
            .map(|(pairs, hops)| pairs * hops)
            .sum();
        let n = u64::from(self.processors());
        Distances {
            diameter: counts.len() as u32 - 1,
            mean_with_self: sum as f64 / (n * n) as f64,
            mean_without_self: sum as f64 / (n * (n - 1)) as f64,
        }
    }
}

/// How far apart the halves of two blocks are that are `apart` apart, and how many of the four
/// pairs of halves are that far apart.
fn refined(apart: u32) -> [(u32, u64); 3] {
    [
        ((2 * apart).abs_diff(1), 1),
        (2 * apart, 2),
        (2 * apart + 1, 1),
    ]
}
