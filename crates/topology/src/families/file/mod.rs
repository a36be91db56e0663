//! The user's own network, from a file or from code: nothing is known but the graph.

mod definition;
mod picture;

pub use definition::FileDefinition;

use super::family::*;

/// In place of a family's definition where there is none.
#[derive(Clone, Copy, Debug, Default)]
pub struct UserNetwork {
    /// Of a network of which only this is left: those of the whole.
    pub(crate) hops_at_terminals: u32,
}

impl Family for UserNetwork {
    fn bytes(&self) -> u64 {
        0
    }

    fn hops_at_terminals(&self) -> u32 {
        self.hops_at_terminals
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

    /// Places in a file are for drawing, and in no known unit.
    fn layout(&self) -> Option<Layout> {
        None
    }

    fn density(&self) -> Option<LayoutDensity> {
        None
    }

    fn pricing(&self) -> Pricing {
        Pricing::OF_GRAPH
    }

    fn picture(&self, graph: &Graph) -> Plan {
        picture::plan(graph)
    }
}
