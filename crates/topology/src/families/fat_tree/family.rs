//! What the trees tell of themselves.

use super::{FatTree, FatTreeKind, picture, symmetry};
use crate::Direction;
use crate::families::common::density::DensitySource;
use crate::families::family::*;
use std::cmp::Ordering;

impl Family for FatTree {
    fn hops_at_terminals(&self) -> u32 {
        0
    }

    /// A word a switch, which is not counted.
    fn bytes(&self) -> u64 {
        0
    }

    /// Links are of the level of their upper end; those of a mesh lead neither up nor down.
    fn course(&self, _: ChannelId, source: NodeId, target: NodeId) -> Course {
        let level = |node| self.switch(node).map(|switch| switch.level);
        let (from, to) = (level(source), level(target));
        Course {
            dimension: None,
            direction: match from.cmp(&to) {
                Ordering::Less => Some(Direction::Up),
                Ordering::Greater => Some(Direction::Down),
                Ordering::Equal => None,
            },
            level: from.max(to),
        }
    }

    fn guesses(&self) -> Vec<Guess<'_>> {
        symmetry::guesses(self)
    }

    fn pairs_by_distance(&self) -> Option<Vec<u64>> {
        Some(self.distance_counts())
    }

    fn route_distances(&self) -> Option<Distances> {
        Some(self.distances())
    }

    fn cut(&self) -> Option<Cut> {
        let how = match self.kind {
            FatTreeKind::Butterfly => "√n links (Greenberg & Guan, section 3.1)",
            FatTreeKind::Pyramid => "√n log16 4n links (Greenberg & Guan, section 3.1)",
        };
        Some(Cut::least(self.bisection_channels(), how))
    }

    fn layout(&self) -> Option<Layout> {
        let places = (0..self.nodes()).map(|node| self.place_pitches(NodeId(node)));
        let description = "processors in a square, every switch in the middle of its block";
        let places = places.map(|(x, y)| [x, y]).collect();
        Some(Layout::new([1 << self.levels; 2], places, description))
    }

    fn density(&self) -> Option<LayoutDensity> {
        let levels = f64::from(self.levels);
        let (wires, source) = match self.kind {
            FatTreeKind::Butterfly => (levels, DensitySource::ButterflyFatTree),
            FatTreeKind::Pyramid => (1.5 * levels, DensitySource::FatPyramid),
        };
        Some(LayoutDensity { wires, source })
    }

    /// Two unconnected pins at each of the √n/2 roots.
    fn pricing(&self) -> Pricing {
        Pricing {
            pins_unconnected: 1 << self.levels,
            ..Pricing::OF_GRAPH
        }
    }

    fn picture(&self, graph: &Graph) -> Plan {
        picture::plan(graph, self)
    }
}
