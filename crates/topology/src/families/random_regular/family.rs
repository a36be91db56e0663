//! What random regular graphs tell of themselves: nothing but their graph.

use super::RandomRegular;
use crate::families::common::picture::circle::circle;
use crate::families::common::raster;
use crate::families::family::*;

impl RandomRegular {
    /// Where the routers lie.
    pub(super) fn places(&self) -> Layout {
        let size = raster::near_square(self.routers);
        let places = (0..self.routers).map(|node| raster::place(size, node));
        Layout::new(size, places.collect(), "row by row")
    }
}

impl Family for RandomRegular {
    fn bytes(&self) -> u64 {
        self.bytes()
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
        Vec::new()
    }

    fn pairs_by_distance(&self) -> Option<Vec<u64>> {
        None
    }

    fn route_distances(&self) -> Option<Distances> {
        None
    }

    fn fault_diameter_bound(&self) -> Option<u32> {
        None
    }

    fn cut(&self) -> Option<Cut> {
        None
    }

    fn layout(&self) -> Option<Layout> {
        Some(self.places())
    }

    fn density(&self) -> Option<LayoutDensity> {
        None
    }

    fn pricing(&self) -> Pricing {
        Pricing::OF_GRAPH
    }

    fn picture(&self, graph: &Graph) -> Plan {
        circle(graph, graph.nodes(), 1)
    }
}
