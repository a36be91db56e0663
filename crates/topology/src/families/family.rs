//! What every family of networks tells of itself: all that the rest of the program asks.
//!
//! What only some families know has a default: that it is not known. What every family knows has none, and a new one
//! that forgets it does not compile.

pub(crate) use super::common::coordinates::Course;
pub(crate) use super::common::cut::Cut;
pub(crate) use super::common::density::LayoutDensity;
pub(crate) use super::common::guess::Guess;
pub(crate) use super::common::picture::Plan;
pub(crate) use super::common::places::Layout;
pub(crate) use super::common::unit_cost::Pricing;
pub(crate) use crate::search::Distances;
pub(crate) use crate::{ChannelId, Graph, NodeId};

/// A family of networks, by one of its members.
pub(crate) trait Family: Sync {
    /// Bytes of its tables.
    fn bytes(&self) -> u64;

    /// The hops of a route that lead between its terminals and their routers and do not count: 2 where
    /// terminals are nodes of their own and its literature counts hops between routers, else 0.
    fn hops_at_terminals(&self) -> u32;

    /// The coordinates of `node`, dimension 0 first; `None` where nodes do not stand in lines.
    fn coordinates(&self, _node: NodeId) -> Option<&[u16]> {
        None
    }

    /// Where `channel`, which leaves `source` and enters `target`, leads within the family.
    fn course(&self, _channel: ChannelId, _source: NodeId, _target: NodeId) -> Course {
        Course::default()
    }

    /// Permutations of the nodes that its definition suggests; those that keep the order of channels
    /// come first. Each is checked.
    fn guesses(&self) -> Vec<Guess<'_>> {
        Vec::new()
    }

    /// Ordered pairs of terminals by distance, each with itself at 0, where there is a closed form.
    /// Families whose nodes all look alike need none: one search does.
    fn pairs_by_distance(&self) -> Option<Vec<u64>> {
        None
    }

    /// The distances along the routes of its default routing, where they have a closed form.
    fn route_distances(&self) -> Option<Distances> {
        None
    }

    /// The largest diameter that fewer failing nodes than the connectivity leave at the most, where a
    /// theorem says so.
    fn fault_diameter_bound(&self) -> Option<u32> {
        None
    }

    /// The halving that its literature knows.
    fn cut(&self) -> Option<Cut> {
        None
    }

    /// Where its nodes lie.
    fn layout(&self) -> Option<Layout> {
        None
    }

    /// The wire density where a paper gives one.
    fn density(&self) -> Option<LayoutDensity> {
        None
    }

    /// How the papers count its pins and its bisection.
    fn pricing(&self) -> Pricing {
        Pricing::OF_GRAPH
    }

    /// Its picture; `graph` is its own.
    fn picture(&self, graph: &Graph) -> Plan;
}
