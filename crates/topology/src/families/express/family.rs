//! What express cubes tell of themselves.

use super::{ExpressCube, picture, symmetry};
use crate::families::common::coordinates::Ends;
use crate::families::common::cut::Cut;
use crate::families::common::density::LayoutDensity;
use crate::families::common::guess::Guess;
use crate::families::common::pairs::convolved;
use crate::families::common::picture::Plan;
use crate::families::common::places::Layout;
use crate::families::common::plane::Plane;
use crate::families::common::unit_cost::Pricing;
use crate::families::family::Family;
use crate::search::Distances;
use crate::{Graph, NodeId};

/// Steps on lines that are few enough to count every pair.
const LINE_STEPS_MAX: u64 = 4_000_000_000;

impl Family for ExpressCube {
    fn bytes(&self) -> u64 {
        self.table_bytes()
    }

    fn coordinates(&self, node: NodeId) -> Option<&[u16]> {
        Some(self.coordinates.of(node))
    }

    fn guesses(&self) -> Vec<Guess<'_>> {
        if self.crossings() == 0 {
            symmetry::guesses(self)
        } else {
            Vec::new()
        }
    }

    /// Where lines meet in switches too, turns are shorter than the sum of the lines.
    fn pairs_by_distance(&self) -> Option<Vec<u64>> {
        let steps = |&k: &u32| 4 * u64::from(k).pow(2);
        let steps: u64 = self.radices().iter().map(steps).sum();
        if self.crossings() > 0 || steps > LINE_STEPS_MAX {
            return None;
        }
        let lines = self.lines.iter().map(|line| line.pairs_by_distance());
        Some(lines.fold(vec![1], |all, line| convolved(&all, &line)))
    }

    fn route_distances(&self) -> Option<Distances> {
        Some(ExpressCube::route_distances(self))
    }

    fn cut(&self) -> Option<Cut> {
        let how = "a cut through the middle of the longest lines";
        Some(Cut::bound(self.bisection_channels()?, how))
    }

    fn layout(&self) -> Option<Layout> {
        let plane = Plane::new(self.radices(), Ends::Open);
        let places = (0..self.routers()).map(NodeId).map(|router| {
            let node = self.interchange(router).map_or(router, |at| at.node);
            plane.place(self.coordinates.of(node))
        });
        let description = "a mesh, each interchange in the place of the node above it";
        Some(Layout::in_plane(&plane, places, description))
    }

    fn density(&self) -> Option<LayoutDensity> {
        None
    }

    fn pricing(&self) -> Pricing {
        Pricing::OF_GRAPH
    }

    fn picture(&self, graph: &Graph) -> Plan {
        picture::plan(graph, self)
    }
}
