//! What grids tell of themselves.

use super::formula::{grid_pairs_by_distance, mesh_bisection_channels};
use super::{ChannelAt, Grid, grid_bisection_channels, grid_distances, layout, symmetry};
use crate::Ends;
use crate::families::common::picture::cartesian::Cartesian;
use crate::families::family::*;
use crate::memory::bytes_of;

impl Family for Grid {
    fn hops_at_terminals(&self) -> u32 {
        0
    }

    fn bytes(&self) -> u64 {
        let listed = match &self.channel_at {
            ChannelAt::Listed(channel_at) => bytes_of(channel_at),
            _ => 0,
        };
        self.coordinates.bytes() + bytes_of(&self.steps) + listed
    }

    fn coordinates(&self, node: NodeId) -> Option<&[u16]> {
        Some(self.coordinates.of(node))
    }

    fn course(&self, channel: ChannelId, _: NodeId, _: NodeId) -> Course {
        self.step(channel).into()
    }

    fn guesses(&self) -> Vec<Guess<'_>> {
        symmetry::guesses(self)
    }

    fn pairs_by_distance(&self) -> Option<Vec<u64>> {
        Some(grid_pairs_by_distance(self))
    }

    fn route_distances(&self) -> Option<Distances> {
        Some(grid_distances(self))
    }

    /// For two-way tori one more than without faults: a ring without a node is a line.
    fn fault_diameter_bound(&self) -> Option<u32> {
        let radices = self.radices();
        let has_bound = self.ends == Ends::Ring && radices.len() > 1;
        let has_bound = has_bound && radices.iter().all(|&k| k > 3);
        has_bound.then(|| radices.iter().map(|k| k / 2).sum::<u32>() + 1)
    }

    fn cut(&self) -> Option<Cut> {
        let straight = "a straight cut across the widest dimension, of even radix (Dally & Towles, \
                        section 3.1)";
        let open = "the sum over dimensions of Azizoglu & Egecioglu 2002, for meshes of odd radix";
        match grid_bisection_channels(self) {
            Some(channels) => Some(Cut::least(channels, straight)),
            None => Some(Cut::least(mesh_bisection_channels(self)?, open)),
        }
    }

    fn layout(&self) -> Option<Layout> {
        Some(layout::layout(self))
    }

    fn density(&self) -> Option<LayoutDensity> {
        layout::density(self)
    }

    /// Dally counts the pins of a one-way channel at both of its ends.
    fn pricing(&self) -> Pricing {
        Pricing {
            pins_of_channel: if self.ends == Ends::DirectedRing {
                2
            } else {
                1
            },
            ..Pricing::OF_GRAPH
        }
    }

    fn picture(&self, graph: &Graph) -> Plan {
        let nodes = Cartesian {
            radices: self.radices(),
            coordinates: &|node| self.coordinates.of(node),
            step: &|channel| self.step(channel),
            folds: self.ends == Ends::Ring && self.dimensions() == 2,
        };
        nodes.plan(graph)
    }
}
