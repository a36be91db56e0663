//! The shortest paths of a network whatever its family: in closed form where there is one, else by
//! a table.

use crate::families::*;
use crate::{ChannelId, MinimalPaths, MinimalTable, MinimalTableError, Network, NodeId, Shape};

macro_rules! paths {
    ($($family:ident),*) => {
        /// What knows the shortest paths of a network: one type for all families, so that a program
        /// need not be compiled once for each.
        #[derive(Clone, Debug)]
        pub enum Paths<'n> {
            $(
                /// Of the family of this name.
                $family(&'n $family),
            )*
            /// Of any other network.
            Table(MinimalTable<'n>),
        }

        impl<'n> Paths<'n> {
            /// The shortest paths of `network`.
            ///
            /// # Errors
            /// As [`MinimalTable::new`], for networks without a closed form.
            pub fn of(network: &'n Network) -> Result<Self, MinimalTableError> {
                match Self::in_closed_form(network) {
                    Some(paths) => Ok(paths),
                    None => MinimalTable::new(network).map(Self::Table),
                }
            }

            /// The shortest paths of `network`, if no table is needed.
            pub fn in_closed_form(network: &'n Network) -> Option<Self> {
                match network.shape() {
                    $(Shape::$family(family) => Some(Self::$family(family)),)*
                    _ => None,
                }
            }
        }

        impl MinimalPaths for Paths<'_> {
            #[inline]
            fn distance(&self, from: NodeId, to: NodeId) -> u32 {
                match self {
                    $(Self::$family(paths) => paths.distance(from, to),)*
                    Self::Table(paths) => paths.distance(from, to),
                }
            }

            fn diameter(&self) -> u32 {
                match self {
                    $(Self::$family(paths) => paths.diameter(),)*
                    Self::Table(paths) => paths.diameter(),
                }
            }

            fn is_bipartite(&self) -> bool {
                match self {
                    $(Self::$family(paths) => paths.is_bipartite(),)*
                    Self::Table(paths) => paths.is_bipartite(),
                }
            }

            #[inline]
            fn colour(&self, node: NodeId) -> bool {
                match self {
                    $(Self::$family(paths) => paths.colour(node),)*
                    Self::Table(paths) => paths.colour(node),
                }
            }

            #[inline]
            fn for_each_minimal_hop(
                &self,
                from: NodeId,
                to: NodeId,
                visit: impl FnMut(ChannelId, u32),
            ) {
                match self {
                    $(Self::$family(paths) => paths.for_each_minimal_hop(from, to, visit),)*
                    Self::Table(paths) => paths.for_each_minimal_hop(from, to, visit),
                }
            }

            #[inline]
            fn for_each_minimal_channel(
                &self,
                from: NodeId,
                to: NodeId,
                visit: impl FnMut(ChannelId),
            ) {
                match self {
                    $(Self::$family(paths) => paths.for_each_minimal_channel(from, to, visit),)*
                    Self::Table(paths) => paths.for_each_minimal_channel(from, to, visit),
                }
            }
        }
    };
}
families_with_paths!(paths);
