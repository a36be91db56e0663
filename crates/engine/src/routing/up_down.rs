//! Up*/down* routing on any network of links (Schroeder, Birrell, Burrows, Murray, Needham,
//! Rodeheffer, Satterthwaite & Thacker 1991, "Autonet", section 6.6).
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

use super::{Candidate, Candidates, Head, Routing, VcMask, vc_range};
use crate::ConfigError;
use flitsim_topology::properties::{UNREACHABLE, distances_from};
use flitsim_topology::{ChannelId, Network, NodeId};

const NAME: &str = "up-down";

/// The most entries of the tables, of two bytes each.
const ENTRIES_LIMIT: u64 = 1 << 28;

/// No way on, or none within 65,534 hops.
const NONE: u16 = u16::MAX;

/// A packet may still go up, or has gone down.
const PHASES: usize = 2;

/// Levels and directions, from which tables follow.
#[derive(Debug)]
struct Levels<'n> {
    network: &'n Network,
    root: NodeId,
    level: Vec<u32>,
    /// Nodes in ascending order of (level, identifier).
    order: Vec<NodeId>,
    /// By channel.
    is_down: Vec<bool>,
}

impl<'n> Levels<'n> {
    fn new(network: &'n Network, root: Option<NodeId>) -> Result<Self, ConfigError> {
        let nodes = network.nodes();
        if let Some(root) = root.filter(|root| root.0 >= nodes) {
            return Err(ConfigError::OutOfRange {
                name: "root",
                value: u64::from(root.0),
                low: 0,
                high: u64::from(nodes.saturating_sub(1)),
            });
        }
        refuse_large(network)?;
        refuse_unpaired(network)?;
        let root = root.unwrap_or_else(|| centre(network));
        let level = distances_from(network, root);
        if let Some(node) = level.iter().position(|&level| level == UNREACHABLE) {
            return Err(ConfigError::NoPath {
                algorithm: NAME,
                from: network.name(root).into_owned(),
                to: network.name(NodeId(node as u32)).into_owned(),
            });
        }
        let mut order: Vec<NodeId> = (0..nodes).map(NodeId).collect();
        order.sort_by_key(|node| level[node.index()]);
        let place = |node: NodeId| (level[node.index()], node);
        let is_down = (0..network.channels())
            .map(ChannelId)
            .map(|channel| place(network.target(channel)) > place(network.source(channel)))
            .collect();
        Ok(Self {
            network,
            root,
            level,
            order,
            is_down,
        })
    }

    /// Whether a head has gone down, and must not go up again.
    #[inline]
    fn phase(&self, head: Head) -> usize {
        let down = |(channel, _): (ChannelId, u32)| self.is_down[channel.index()];
        usize::from(head.arrived.is_some_and(down))
    }

    /// The place of a node and phase in the row of a destination.
    #[inline]
    fn place(node: NodeId, phase: usize) -> usize {
        node.index() * PHASES + phase
    }

    #[inline]
    fn row_length(&self) -> usize {
        self.network.nodes() as usize * PHASES
    }

    /// The fewest legal hops to `destination` by node and phase. Going up leads to nodes earlier in
    /// the order, going down to later ones: two sweeps over the order settle all.
    fn distances_to(&self, destination: NodeId, distances: &mut [u32]) {
        distances.fill(UNREACHABLE);
        distances[Self::place(destination, 0)] = 0;
        distances[Self::place(destination, 1)] = 0;
        for &node in self.order.iter().rev().filter(|&&node| node != destination) {
            let least = self.least(node, distances, true);
            distances[Self::place(node, 1)] = least;
        }
        for &node in self.order.iter().filter(|&&node| node != destination) {
            let down = distances[Self::place(node, 1)];
            let up = self.least(node, distances, false);
            distances[Self::place(node, 0)] = up.min(down);
        }
    }

    /// The fewest hops from `node` by a first hop that goes down, or up.
    fn least(&self, node: NodeId, distances: &[u32], down: bool) -> u32 {
        self.network
            .outgoing(node)
            .map(ChannelId)
            .filter(|channel| self.is_down[channel.index()] == down)
            .map(|channel| distances[self.behind(channel)].saturating_add(1))
            .min()
            .unwrap_or(UNREACHABLE)
    }

    /// The place of a head that came over `channel`.
    #[inline]
    fn behind(&self, channel: ChannelId) -> usize {
        let phase = usize::from(self.is_down[channel.index()]);
        Self::place(self.network.target(channel), phase)
    }

    /// The row of each destination: what `entry` makes of a head's place and the distances.
    fn table(
        &self,
        entry: impl Fn(NodeId, usize, &[u32]) -> Result<u16, ConfigError>,
    ) -> Result<Vec<u16>, ConfigError> {
        let mut distances = vec![UNREACHABLE; self.row_length()];
        let terminals = self.network.terminals();
        let mut table = Vec::with_capacity(self.row_length() * terminals as usize);
        for destination in (0..terminals).map(NodeId) {
            self.distances_to(destination, &mut distances);
            for node in (0..self.network.nodes()).map(NodeId) {
                for phase in 0..PHASES {
                    table.push(entry(node, phase, &distances)?);
                }
            }
        }
        Ok(table)
    }
}

fn refuse_large(network: &Network) -> Result<(), ConfigError> {
    let (terminals, nodes) = (network.terminals(), network.nodes());
    let entries = u64::from(terminals) * u64::from(nodes) * PHASES as u64;
    if entries <= ENTRIES_LIMIT {
        return Ok(());
    }
    Err(ConfigError::TablesTooLarge {
        algorithm: NAME,
        terminals,
        nodes,
        mebibytes: entries >> 19,
        limit_mebibytes: ENTRIES_LIMIT >> 19,
    })
}

fn refuse_unpaired(network: &Network) -> Result<(), ConfigError> {
    // By node: the last node found to have a channel to it.
    let mut reached_from = vec![u32::MAX; network.nodes() as usize];
    for node in (0..network.nodes()).map(NodeId) {
        for channel in network.outgoing(node).map(ChannelId) {
            reached_from[network.target(channel).index()] = node.0;
        }
        for &channel in network.incoming(node) {
            let from = network.source(channel);
            if reached_from[from.index()] != node.0 {
                return Err(ConfigError::Unpaired {
                    algorithm: NAME,
                    from: network.name(from).into_owned(),
                    to: network.name(node).into_owned(),
                });
            }
        }
    }
    Ok(())
}

/// The node whose farthest terminal is nearest; of several the one with the least sum of distances
/// to terminals, then the lowest identifier.
fn centre(network: &Network) -> NodeId {
    let mut farthest = vec![0u32; network.nodes() as usize];
    let mut sum = vec![0u64; network.nodes() as usize];
    for terminal in (0..network.terminals()).map(NodeId) {
        // Channels are paired: as far there as back.
        for (node, distance) in distances_from(network, terminal).into_iter().enumerate() {
            farthest[node] = farthest[node].max(distance);
            sum[node] += u64::from(distance);
        }
    }
    let all = (0..network.nodes()).map(NodeId);
    all.min_by_key(|node| (farthest[node.index()], sum[node.index()]))
        .unwrap_or(NodeId(0))
}

fn check_vcs(virtual_channels: u32) -> Result<VcMask, ConfigError> {
    if !(1..=64).contains(&virtual_channels) {
        return Err(ConfigError::OutOfRange {
            name: "virtual_channels",
            value: u64::from(virtual_channels),
            low: 1,
            high: 64,
        });
    }
    Ok(vc_range(0, virtual_channels))
}

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
        let vcs = check_vcs(virtual_channels)?;
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
        let vcs = check_vcs(virtual_channels)?;
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
