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

    fn picture(&self, graph: &Graph) -> Plan {
        picture::plan(graph)
    }
}
