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
    fn hops_at_terminals(&self) -> u32 {
        0
    }

    fn bytes(&self) -> u64 {
        bytes_of(&self.permutations)
    }

    fn guesses(&self) -> Vec<Guess<'_>> {
        symmetry::guesses(self)
    }

    fn route_distances(&self) -> Option<Distances> {
        Some(self.distances())
    }

    fn cut(&self) -> Option<Cut> {
        let how = "equation 5 of Kiasari & Sarbazi-Azad";
        Some(Cut::bound(self.bisection_channels(), how))
    }

    fn layout(&self) -> Option<Layout> {
        Some(self.places())
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
