//! What star graphs tell of themselves.

use super::{Star, picture, symmetry};
use crate::families::family::*;
use crate::memory::bytes_of;

impl Star {
    /// Where the nodes lie.
    pub(super) fn places(&self) -> Layout {
        let places = (0..self.nodes()).map(|node| self.place_pitches(NodeId(node)));
        let along = |parity| (2..=self.symbols).filter(move |radix| radix % 2 == parity);
        let size = [0, 1].map(|parity| along(parity).product());
        let description = "copies of the next smaller star side by side and one above the other, \
                           in turn";
        let places = places.map(|(x, y)| [x as f32, y as f32]).collect();
        Layout::new(size, places, description)
    }
}

impl Family for Star {
    fn bytes(&self) -> u64 {
        bytes_of(&self.permutations)
    }

    fn hops_at_terminals(&self) -> u32 {
        0
    }

    fn coordinates(&self, _: NodeId) -> Option<&[u16]> {
        None
    }

    fn course(&self, _: ChannelId, _: NodeId, _: NodeId) -> Course {
        Course::default()
    }

    fn guesses(&self) -> Vec<Guess<'_>> {
        symmetry::guesses(self)
    }

    fn pairs_by_distance(&self) -> Option<Vec<u64>> {
        None
    }

    fn route_distances(&self) -> Option<Distances> {
        Some(self.distances())
    }

    fn fault_diameter_bound(&self) -> Option<u32> {
        None
    }

    fn cut(&self) -> Option<Cut> {
        let how = "equation 5 of Kiasari & Sarbazi-Azad";
        Some(Cut::bound(self.bisection_channels(), how))
    }

    fn layout(&self) -> Option<Layout> {
        Some(self.places())
    }

    fn density(&self) -> Option<LayoutDensity> {
        None
    }

    /// The papers' widths follow from their own formula.
    fn pricing(&self) -> Pricing {
        Pricing {
            bisection_channels: Some(self.bisection_channels()),
            ..Pricing::OF_GRAPH
        }
    }

    fn picture(&self, graph: &Graph) -> Plan {
        picture::plan(graph, self)
    }
}
