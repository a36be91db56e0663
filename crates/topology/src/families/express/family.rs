//! What express cubes tell of themselves.

use super::{ExpressChannel, ExpressCube, picture, symmetry};
use crate::families::common::coordinates::Ends;
use crate::families::common::pairs::convolved;
use crate::families::common::plane::Plane;
use crate::families::family::*;

/// Steps on lines that are few enough to count every pair.
const LINE_STEPS_MAX: u64 = 4_000_000_000;

/// Pairs of nodes on lines that are few enough for it to be done on the way.
const PAIRS_MAX: u64 = 1 << 26;

impl Family for ExpressCube {
    fn hops_at_terminals(&self) -> u32 {
        0
    }

    fn bytes(&self) -> u64 {
        self.table_bytes()
    }

    fn coordinates(&self, node: NodeId) -> Option<&[u16]> {
        let node = self.interchange(node).map_or(node, |at| at.node);
        Some(self.coordinates.of(node))
    }

    /// Interchanges of all dimensions belong to none; channels within an interchange have no level.
    fn course(&self, channel: ChannelId, source: NodeId, target: NodeId) -> Course {
        let Some((kind, direction)) = self.channel(source, channel) else {
            return Course::default();
        };
        let interchange = [source, target]
            .into_iter()
            .find_map(|node| self.interchange(node));
        let dimension = match interchange {
            Some(interchange) => (self.crossings() == 0).then_some(interchange.dimension),
            None => {
                let (here, there) = (self.coordinates.of(source), self.coordinates.of(target));
                let differs = here.iter().zip(there).position(|(a, b)| a != b);
                differs.map(|dimension| dimension as u32)
            }
        };
        Course {
            dimension,
            direction: Some(direction),
            level: match kind {
                ExpressChannel::Local => Some(0),
                ExpressChannel::Express(level) => Some(level),
                ExpressChannel::Internal => None,
            },
        }
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

    /// Asked of every series that is read, so it takes no more than a part of a second.
    fn route_distances(&self) -> Option<Distances> {
        let pairs = self.radices().iter().map(|&k| u64::from(k).pow(2));
        (pairs.sum::<u64>() <= PAIRS_MAX).then(|| ExpressCube::route_distances(self))
    }

    fn cut(&self) -> Option<Cut> {
        let how = "a cut through the middle of the longest lines";
        Some(Cut::bound(self.bisection_channels()?, how))
    }

    fn layout(&self) -> Option<Layout> {
        let ends = match self.parameters().rings {
            true => Ends::Ring,
            false => Ends::Open,
        };
        let plane = Plane::new(self.radices(), ends);
        let routers = (0..self.routers()).map(NodeId);
        let places = routers.filter_map(|router| Family::coordinates(self, router));
        let places = places.map(|coordinates| plane.place(coordinates));
        let description = "a mesh, each interchange in the place of the node above it";
        Some(Layout::in_plane(&plane, places, description))
    }

    fn picture(&self, graph: &Graph) -> Plan {
        picture::plan(graph, self)
    }
}
