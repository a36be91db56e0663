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
    fn hops_at_terminals(&self) -> u32 {
        0
    }

    fn bytes(&self) -> u64 {
        self.bytes()
    }

    fn layout(&self) -> Option<Layout> {
        Some(self.places())
    }

    fn picture(&self, graph: &Graph) -> Plan {
        circle(graph, graph.nodes(), 1)
    }
}
