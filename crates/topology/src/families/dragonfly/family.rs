//! What dragonflies tell of themselves.

use super::Dragonfly;
use crate::families::common::picture::circle::circle;
use crate::families::common::picture::colour::Colour;
use crate::families::common::picture::plan::class;
use crate::families::common::raster;
use crate::families::family::*;

impl Dragonfly {
    /// Where the routers lie.
    pub(super) fn places(&self) -> Layout {
        let block = raster::near_square(self.routers());
        let blocks = raster::near_square(self.groups());
        let places = (0..self.coordinates.nodes()).map(NodeId).map(|node| {
            let [x, y] = raster::place(block, self.router(node));
            let [column, row] = raster::place(blocks, self.group(node));
            [column * block[0] as f32 + x, row * block[1] as f32 + y]
        });
        let size = [block[0] * blocks[0], block[1] * blocks[1]];
        Layout::new(size, places.collect(), "each group a block of routers")
    }
}

impl Family for Dragonfly {
    fn hops_at_terminals(&self) -> u32 {
        0
    }

    fn bytes(&self) -> u64 {
        self.bytes()
    }

    /// Level 0 within a group, 1 between groups.
    fn course(&self, _: ChannelId, source: NodeId, target: NodeId) -> Course {
        Course {
            level: Some(u32::from(self.group(source) != self.group(target))),
            ..Course::default()
        }
    }

    fn guesses(&self) -> Vec<Guess<'_>> {
        let (routers, groups) = (self.routers(), self.groups());
        let next = move |node| self.node((self.group(node) + 1) % groups, self.router(node));
        let back = move |node| {
            let group = (groups - self.group(node)) % groups;
            self.node(group, routers - 1 - self.router(node))
        };
        vec![
            Guess::new("rotation of the groups", next),
            Guess::new("reversal of the groups and of the routers of each", back),
        ]
    }

    fn layout(&self) -> Option<Layout> {
        Some(self.places())
    }

    fn picture(&self, graph: &Graph) -> Plan {
        let mut plan = circle(graph, graph.nodes(), self.routers());
        let is_global =
            |link: &crate::links::Link| self.group(link.source) != self.group(link.target);
        plan.classify(|link| usize::from(is_global(link)));
        plan.classes = vec![
            class("within a group", Colour::BLUE),
            class("between groups", Colour::VERMILION),
        ];
        plan
    }
}
