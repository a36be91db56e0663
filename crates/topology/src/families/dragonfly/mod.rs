//! Dragonflies: groups of routers, those of a group joined to all of it, the groups to each other (Kim,
//! Dally, Scott & Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA 2008).
//!
//! A group has a routers and a·h *ports*, global channels each way: port k belongs to router ⌊k/h⌋. The
//! ports come in *rounds* of g − 1, one for each other group; an arrangement says which port of a round
//! leads to which group, and to which port there. A port whose other end would be beyond the last is not
//! connected. Arrangements: Camarero, Vallejo & Beivide, "Topological characterization of Hamming and
//! dragonfly networks and its implications on routing" (2014); Hastings et al., "Comparing global link
//! arrangements for dragonfly networks" (CLUSTER 2015).
//!
//! Router r of group i has the number r + a·i. Out of it lead the channels to the other routers of its
//! group, in ascending order, then its connected ports.
//!
//! Layout: the routers of a group in a block, the blocks in a rectangle.

mod definition;
mod family;

pub use definition::DragonflyDefinition;

use super::common::coordinates::Coordinates;
use super::common::raster;
use crate::error::{check_size, refused};
use crate::memory::bytes_of;
use crate::{ChannelId, Graph, NodeId, TopologyError};

/// Which group each port of group i leads to, t-th of its round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// The groups in order, i itself left out: all groups begin with group 0.
    Absolute,
    /// i + t + 1, modulo the groups: all groups look alike.
    Relative,
    /// i + 1, i − 1, i + 2, i − 2, …, modulo the groups: all groups look alike.
    Circulant,
}

/// A dragonfly, by its routers.
#[derive(Clone, Debug)]
pub struct Dragonfly {
    /// Router, then group.
    coordinates: Coordinates,
    global_channels: u32,
    arrangement: Arrangement,
    /// By port: its router.
    router_of: Vec<u32>,
    /// By group and port, and one more: the connected ports before it, of all groups.
    connected: Vec<u32>,
}

/// A channel from one group to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The router that it leaves.
    pub from: NodeId,
    /// The channel.
    pub channel: ChannelId,
    /// The router that it enters.
    pub to: NodeId,
}

impl Dragonfly {
    /// A dragonfly of `groups` groups of `routers` routers with `global_channels` global channels each.
    ///
    /// # Errors
    /// [`TopologyError::Parameter`] with fewer than 2 groups, more than a·h + 1 of them or more than 65,535,
    /// or without routers or global channels; [`TopologyError::TooLarge`] before any memory is touched.
    pub fn new(
        routers: u32,
        global_channels: u32,
        groups: u32,
        arrangement: Arrangement,
    ) -> Result<Self, TopologyError> {
        let most = u64::from(routers) * u64::from(global_channels) + 1;
        let most = most.min(u64::from(u16::MAX));
        if routers > u32::from(u16::MAX) || groups < 2 || u64::from(groups) > most {
            let message = format!(
                "{groups} groups of {routers} routers with {global_channels} global channels each \
                 cannot be joined: a routers with h global channels each make a group, and there are 2 to a·h + 1 \
                 groups (that many without `groups`), 65,535 at most, of 65,535 routers at most"
            );
            let remedy = format!("`groups = {}`", most.max(2));
            return Err(refused("groups", "out of range", remedy, message).into());
        }
        let nodes = u128::from(routers) * u128::from(groups);
        let degree = u128::from(routers - 1) + u128::from(global_channels);
        check_size(nodes, nodes * degree, "fewer `groups` or `routers`")?;
        let ports = routers * global_channels;
        let mut dragonfly = Self {
            coordinates: Coordinates::new(vec![routers, groups]),
            global_channels,
            arrangement,
            router_of: (0..ports).map(|port| port / global_channels).collect(),
            connected: Vec::with_capacity(1 + (groups * ports) as usize),
        };
        let mut before = 0;
        for group in 0..groups {
            for port in 0..ports {
                dragonfly.connected.push(before);
                before += u32::from(dragonfly.far(group, port).is_some());
            }
        }
        dragonfly.connected.push(before);
        Ok(dragonfly)
    }

    /// Routers of a group: a.
    #[inline]
    pub fn routers(&self) -> u32 {
        self.coordinates.radices()[0]
    }

    /// Groups.
    #[inline]
    pub fn groups(&self) -> u32 {
        self.coordinates.radices()[1]
    }

    /// Global channels of a router, connected or not: h.
    pub fn global_channels(&self) -> u32 {
        self.global_channels
    }

    /// The group that `node` is in.
    #[inline]
    pub fn group(&self, node: NodeId) -> u32 {
        self.coordinates.at(node, 1)
    }

    /// Which router of its group `node` is.
    #[inline]
    fn router(&self, node: NodeId) -> u32 {
        self.coordinates.at(node, 0)
    }

    #[inline]
    fn node(&self, group: u32, router: u32) -> NodeId {
        NodeId(group * self.routers() + router)
    }

    /// Group and port at the other end of a port, if there is one.
    #[inline]
    fn far(&self, group: u32, port: u32) -> Option<(u32, u32)> {
        let (groups, others) = (self.groups(), self.groups() - 1);
        let (round, t) = (port / others, port % others);
        let (to, back) = match self.arrangement {
            Arrangement::Absolute if t < group => (t, group - 1),
            Arrangement::Absolute => (t + 1, group),
            Arrangement::Relative => ((group + t + 1) % groups, others - 1 - t),
            // Half way round, a port leads to the one of the same place.
            Arrangement::Circulant if t + 1 == others && t % 2 == 0 => {
                ((group + t / 2 + 1) % groups, t)
            }
            Arrangement::Circulant if t % 2 == 0 => ((group + t / 2 + 1) % groups, t + 1),
            Arrangement::Circulant => ((group + groups - t / 2 - 1) % groups, t - 1),
        };
        let back = round * others + back;
        (back < self.router_of.len() as u32).then_some((to, back))
    }

    /// The place in a round of the port from one group to another.
    #[inline]
    fn place_in_round(&self, from: u32, to: u32) -> u32 {
        let ahead = if to > from {
            to - from
        } else {
            to + self.groups() - from
        };
        match self.arrangement {
            Arrangement::Absolute => to - u32::from(to > from),
            Arrangement::Relative => ahead - 1,
            Arrangement::Circulant if 2 * ahead <= self.groups() => 2 * (ahead - 1),
            Arrangement::Circulant => 2 * (self.groups() - ahead) - 1,
        }
    }

    /// The channels out of `node` before the ports.
    #[inline]
    fn first(&self, node: NodeId) -> u32 {
        let ports = self.router_of.len() as u32;
        let port = self.group(node) * ports + self.router(node) * self.global_channels;
        node.0 * (self.routers() - 1) + self.connected[port as usize]
    }

    /// The channel from `node` to another router of its group.
    #[inline]
    pub fn local(&self, node: NodeId, to: NodeId) -> ChannelId {
        debug_assert!(node != to && self.group(node) == self.group(to));
        ChannelId(self.first(node) + self.router(to) - u32::from(to > node))
    }

    /// The channels from one group to another, in ascending order.
    #[inline]
    pub fn links(&self, from: u32, to: u32) -> impl Iterator<Item = Link> {
        let ports = self.router_of.len() as u32;
        let first = self.place_in_round(from, to);
        let rounds = (first..ports).step_by(self.groups() as usize - 1);
        rounds.filter_map(move |port| {
            let (_, back) = self.far(from, port)?;
            let before = (from * ports + port) as usize;
            let source = self.node(from, self.router_of[port as usize]);
            let locals = (source.0 + 1) * (self.routers() - 1);
            Some(Link {
                from: source,
                channel: ChannelId(locals + self.connected[before]),
                to: self.node(to, self.router_of[back as usize]),
            })
        })
    }

    /// The graph: every router has a terminal.
    pub(crate) fn graph(&self) -> Graph {
        let nodes = (0..self.coordinates.nodes()).map(NodeId);
        let channels = nodes.flat_map(|node| {
            let group = self.group(node);
            let locals = (0..self.routers()).map(move |router| self.node(group, router));
            let ports = self.router(node) * self.global_channels..;
            let ports = ports.take(self.global_channels as usize);
            let far = ports.filter_map(move |port| self.far(group, port));
            let far = far.map(|(to, port)| self.node(to, self.router_of[port as usize]));
            let targets = locals.filter(move |&to| to != node).chain(far);
            targets.map(move |target| (node, target))
        });
        raster::graph(&self.places(), self.coordinates.nodes(), channels)
    }

    fn bytes(&self) -> u64 {
        self.coordinates.bytes() + bytes_of(&self.router_of) + bytes_of(&self.connected)
    }
}
