//! What tori with fewer channels tell of themselves.

use super::{SparseTorus, Thinning, symmetry};
use crate::families::common::picture::cartesian::Cartesian;
use crate::families::family::*;
use crate::memory::bytes_of;

impl Family for SparseTorus {
    fn hops_at_terminals(&self) -> u32 {
        0
    }

    fn bytes(&self) -> u64 {
        let words = bytes_of(&self.residues) + bytes_of(&self.hops) + bytes_of(&self.first_slots);
        self.coordinates.bytes() + bytes_of(&self.steps) + words
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

    fn route_distances(&self) -> Option<Distances> {
        Some(self.distances())
    }

    /// Theorem 3 of Parhami & Kwai, for pruned tori.
    fn fault_diameter_bound(&self) -> Option<u32> {
        let (k, n) = (self.radix, self.dimensions);
        let has_bound = self.thinning == Thinning::Pruned && k >= 4 * (n - 1);
        has_bound.then(|| (n - 1) * (k / 2) + k + 2 - n)
    }

    fn cut(&self) -> Option<Cut> {
        let how = if self.thinning.is_pruned() {
            "theorem 4 of Parhami & Kwai: one dimension in n - 1 is cut"
        } else {
            "half of the torus's channels (Parhami & Kwai, table 1)"
        };
        Some(Cut::least(self.bisection_channels()?, how))
    }

    fn layout(&self) -> Option<Layout> {
        let plane = self.plane();
        let nodes = (0..self.nodes).map(NodeId);
        let places = nodes.map(|node| plane.place(self.coordinates(node)));
        let description = "half of the dimensions along each axis, folded";
        Some(Layout::in_plane(&plane, places, description))
    }

    fn picture(&self, graph: &Graph) -> Plan {
        let nodes = Cartesian {
            radices: self.coordinates.radices(),
            coordinates: &|node| self.coordinates.of(node),
            step: &|channel| self.step(channel),
            folds: false,
        };
        nodes.plan(graph)
    }
}
