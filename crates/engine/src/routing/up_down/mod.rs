//! Up*/down* routing on any network of links (Schroeder, Birrell, Burrows, Murray, Needham,
//! Rodeheffer, Satterthwaite & Thacker, "Autonet: a high-speed, self-configuring local area network
//! using point-to-point links", IEEE Journal on Selected Areas in Communications 9 (8), 1991).
//!
//! A breadth-first search from a root gives every node a level. A channel goes up if it leads to
//! the lower (level, identifier), else down. A packet may go up any number of times, then down any
//! number of times, never up again; it takes the fewest hops that this allows, which may be more
//! than the distance.
//!
//! Why no cycle of dependencies can close: along channels that go up the pair (level, identifier)
//! of the target falls, along those that go down it rises, and none that goes up follows one that
//! goes down. Why every pair is joined: up the tree to the root and down again is allowed. One
//! virtual channel is enough; more are alike.
//!
//! The ways on come from tables of one row a destination, two bytes for each node and phase.

mod levels;

use super::{Candidate, Candidates, Head, Routing, VcMask, all_virtual_channels};
use crate::ConfigError;
use flitsim_topology::properties::UNREACHABLE;
use flitsim_topology::{ChannelId, Network, NodeId};
use levels::Levels;

/// No way on, or none within 65,534 hops.
const NONE: u16 = u16::MAX;

/// Up*/down* routing, always over the lowest of the channels that are as good.
#[derive(Debug)]
pub struct UpDown<'n> {
    levels: Levels<'n>,
    /// The local output of the next channel, by destination, node and phase.
    next: Vec<u16>,
    vcs: VcMask,
}

/// Up*/down* routing over any of the channels that are as good: it adapts to what is free.
#[derive(Debug)]
pub struct AdaptiveUpDown<'n> {
    levels: Levels<'n>,
    /// The fewest legal hops still to go, by destination, node and phase.
    hops: Vec<u16>,
    vcs: VcMask,
}

impl<'n> UpDown<'n> {
    /// The algorithm on `network` with `virtual_channels` virtual channels a channel. `root` is the
    /// root of the tree; `None` for the centre: the node whose farthest terminal is nearest, of
    /// several the one with the least sum of distances to terminals, then the lowest identifier.
    ///
    /// Costs time in proportion to terminals × channels.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels and the root is a node,
    /// [`ConfigError::TablesTooLarge`] before any memory is touched, [`ConfigError::Unpaired`] where
    /// a channel has none back, and [`ConfigError::NoPath`] where the network is in parts.
    pub fn new(
        network: &'n Network,
        virtual_channels: u32,
        root: Option<NodeId>,
    ) -> Result<Self, ConfigError> {
        let vcs = all_virtual_channels(virtual_channels)?;
        let levels = Levels::new(network, root)?;
        let next = levels.table(|node, phase, distances| {
            let here = distances[Levels::place(node, phase)];
            let leads_on = |channel: &ChannelId| {
                (phase == 0 || levels.is_down[channel.index()])
                    && distances[levels.behind(*channel)].checked_add(1) == Some(here)
            };
            let outgoing = network.outgoing(node);
            let first = outgoing.start;
            let Some(channel) = outgoing.map(ChannelId).find(leads_on) else {
                return Ok(NONE);
            };
            let output = u16::try_from(channel.0 - first).ok();
            output
                .filter(|&o| o != NONE)
                .ok_or_else(|| ConfigError::Routing {
                    reason: format!(
                        "up-down numbers up to 65,535 channels out of a node; `{}` has more",
                        network.name(node)
                    ),
                })
        })?;
        Ok(Self { levels, next, vcs })
    }

    /// The root of the tree.
    pub fn root(&self) -> NodeId {
        self.levels.root
    }

    /// Hops from the root to `node`.
    pub fn level(&self, node: NodeId) -> u32 {
        self.levels.level[node.index()]
    }

    /// Whether `channel` goes down: away from the root, or to the higher identifier on a level.
    pub fn is_down(&self, channel: ChannelId) -> bool {
        self.levels.is_down[channel.index()]
    }
}

impl Routing for UpDown<'_> {
    const DETERMINISTIC: bool = true;

    #[inline]
    fn choices(&self, _: NodeId, _: NodeId) -> u32 {
        1
    }

    #[inline]
    fn initial(&self, _: NodeId, _: NodeId, _: u32) -> u64 {
        0
    }

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let row = head.destination.index() * self.levels.row_length();
        let output = self.next[row + Levels::place(head.node, self.levels.phase(head))];
        if output != NONE {
            let first = self.levels.network.outgoing(head.node).start;
            candidates.push(Candidate {
                channel: ChannelId(first + u32::from(output)),
                vcs: self.vcs,
                priority: 0,
            });
        }
    }
}

impl<'n> AdaptiveUpDown<'n> {
    /// As [`UpDown::new`].
    ///
    /// # Errors
    /// As [`UpDown::new`], and [`ConfigError::Routing`] where a packet would take more than 65,534
    /// hops.
    pub fn new(
        network: &'n Network,
        virtual_channels: u32,
        root: Option<NodeId>,
    ) -> Result<Self, ConfigError> {
        let vcs = all_virtual_channels(virtual_channels)?;
        let levels = Levels::new(network, root)?;
        let hops = levels.table(|node, phase, distances| {
            let here = distances[Levels::place(node, phase)];
            if here == UNREACHABLE {
                return Ok(NONE);
            }
            let hops = u16::try_from(here).ok().filter(|&hops| hops != NONE);
            hops.ok_or_else(|| ConfigError::Routing {
                reason: "adaptive up-down counts up to 65,534 hops; this network needs more".into(),
            })
        })?;
        Ok(Self { levels, hops, vcs })
    }

    /// The root of the tree.
    pub fn root(&self) -> NodeId {
        self.levels.root
    }
}

impl Routing for AdaptiveUpDown<'_> {
    const DETERMINISTIC: bool = false;

    #[inline]
    fn choices(&self, _: NodeId, _: NodeId) -> u32 {
        1
    }

    #[inline]
    fn initial(&self, _: NodeId, _: NodeId, _: u32) -> u64 {
        0
    }

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let levels = &self.levels;
        let length = levels.row_length();
        let row = &self.hops[head.destination.index() * length..][..length];
        let phase = levels.phase(head);
        let here = row[Levels::place(head.node, phase)];
        for channel in levels.network.outgoing(head.node).map(ChannelId) {
            let is_legal = phase == 0 || levels.is_down[channel.index()];
            if is_legal && row[levels.behind(channel)].checked_add(1) == Some(here) {
                candidates.push(Candidate {
                    channel,
                    vcs: self.vcs,
                    priority: 0,
                });
            }
        }
    }
}
