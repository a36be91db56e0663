//! The shortest paths of a network whatever its family: in closed form where there is one, else by
//! a table.

use crate::{
    ChannelId, Grid, MinimalPaths, MinimalTable, MinimalTableError, Network, NodeId, Shape,
    SparseTorus, Star,
};

/// What knows the shortest paths of a network: one type for all families, so that a program need
/// not be compiled once for each.
#[derive(Clone, Debug)]
pub enum Paths<'n> {
    /// Of a torus, mesh or hypercube.
    Grid(&'n Grid),
    /// Of a star graph.
    Star(&'n Star),
    /// Of a pruned or one-way torus.
    SparseTorus(&'n SparseTorus),
    /// Of any other network.
    Table(MinimalTable<'n>),
}

impl<'n> Paths<'n> {
    /// The shortest paths of `network`.
    ///
    /// # Errors
    /// As [`MinimalTable::new`], for networks without a closed form.
    pub fn of(network: &'n Network) -> Result<Self, MinimalTableError> {
        Ok(match network.shape() {
            Shape::Grid(grid) => Self::Grid(grid),
            Shape::Star(star) => Self::Star(star),
            Shape::SparseTorus(torus) => Self::SparseTorus(torus),
            _ => Self::Table(MinimalTable::new(network)?),
        })
    }
}

/// Hands the family's own type to an expression.
macro_rules! with {
    ($paths:expr, $it:ident => $then:expr) => {
        match $paths {
            Paths::Grid($it) => $then,
            Paths::Star($it) => $then,
            Paths::SparseTorus($it) => $then,
            Paths::Table($it) => $then,
        }
    };
}

impl MinimalPaths for Paths<'_> {
    #[inline]
    fn distance(&self, from: NodeId, to: NodeId) -> u32 {
        with!(self, paths => paths.distance(from, to))
    }

    fn diameter(&self) -> u32 {
        with!(self, paths => paths.diameter())
    }

    fn is_bipartite(&self) -> bool {
        with!(self, paths => paths.is_bipartite())
    }

    #[inline]
    fn colour(&self, node: NodeId) -> bool {
        with!(self, paths => paths.colour(node))
    }

    #[inline]
    fn hops_along(&self, from: NodeId, to: NodeId, channel: ChannelId) -> u32 {
        with!(self, paths => paths.hops_along(from, to, channel))
    }

    #[inline]
    fn for_each_minimal_channel(&self, from: NodeId, to: NodeId, visit: impl FnMut(ChannelId)) {
        with!(self, paths => paths.for_each_minimal_channel(from, to, visit));
    }
}
