//! Levels and directions of the channels, and the fewest hops that the rule allows.

use crate::ConfigError;
use crate::routing::relation::Head;
use flitsim_topology::memory::bytes_of;
use flitsim_topology::properties::{UNREACHABLE, distances_from, unpaired_channel};
use flitsim_topology::{ChannelId, Network, NodeId};

const NAME: &str = "up-down";

/// The most entries of the tables, of two bytes each.
const ENTRIES_LIMIT: u64 = 1 << 28;

/// A packet may still go up, or has gone down.
const PHASES: usize = 2;

/// Levels and directions, from which tables follow.
#[derive(Debug)]
pub(super) struct Levels {
    nodes: u32,
    pub(super) root: NodeId,
    pub(super) level: Vec<u32>,
    /// Nodes in ascending order of (level, identifier).
    order: Vec<NodeId>,
    /// By channel.
    pub(super) is_down: Vec<bool>,
}

impl Levels {
    pub(super) fn new(network: &Network, root: Option<NodeId>) -> Result<Self, ConfigError> {
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
        // Where something has failed, switches may be left that nothing passes.
        let is_needed = |node: NodeId| {
            network.damage().is_none() || node.0 < network.terminals() && network.is_living(node)
        };
        let apart = |&node: &NodeId| level[node.index()] == UNREACHABLE && is_needed(node);
        if let Some(node) = (0..nodes).map(NodeId).find(apart) {
            return Err(ConfigError::NoPath {
                algorithm: NAME,
                from: network.name(root).into_owned(),
                to: network.name(node).into_owned(),
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
            nodes,
            root,
            level,
            order,
            is_down,
        })
    }

    /// Whether a head has gone down, and must not go up again.
    #[inline]
    pub(super) fn phase(&self, head: Head) -> usize {
        let down = |(channel, _): (ChannelId, u32)| self.is_down[channel.index()];
        usize::from(head.arrived.is_some_and(down))
    }

    /// The place of a node and phase in the row of a destination.
    #[inline]
    pub(super) fn place(node: NodeId, phase: usize) -> usize {
        node.index() * PHASES + phase
    }

    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> u64 {
        bytes_of(&self.level) + bytes_of(&self.order) + bytes_of(&self.is_down)
    }

    #[inline]
    pub(super) fn row_length(&self) -> usize {
        self.nodes as usize * PHASES
    }

    /// The fewest legal hops to `destination` by node and phase. Going up leads to nodes earlier in
    /// the order, going down to later ones: two sweeps over the order settle all.
    fn distances_to(&self, network: &Network, destination: NodeId, distances: &mut [u32]) {
        distances.fill(UNREACHABLE);
        distances[Self::place(destination, 0)] = 0;
        distances[Self::place(destination, 1)] = 0;
        for &node in self.order.iter().rev().filter(|&&node| node != destination) {
            let least = self.least(network, node, distances, true);
            distances[Self::place(node, 1)] = least;
        }
        for &node in self.order.iter().filter(|&&node| node != destination) {
            let down = distances[Self::place(node, 1)];
            let up = self.least(network, node, distances, false);
            distances[Self::place(node, 0)] = up.min(down);
        }
    }

    /// The fewest hops from `node` by a first hop that goes down, or up.
    fn least(&self, network: &Network, node: NodeId, distances: &[u32], down: bool) -> u32 {
        network
            .outgoing(node)
            .map(ChannelId)
            .filter(|channel| self.is_down[channel.index()] == down)
            .map(|channel| distances[self.behind(network, channel)].saturating_add(1))
            .min()
            .unwrap_or(UNREACHABLE)
    }

    /// The place of a head that came over `channel`.
    #[inline]
    pub(super) fn behind(&self, network: &Network, channel: ChannelId) -> usize {
        let phase = usize::from(self.is_down[channel.index()]);
        Self::place(network.target(channel), phase)
    }

    /// The row of each destination: what `entry` makes of a head's place and the distances.
    pub(super) fn table(
        &self,
        network: &Network,
        entry: impl Fn(NodeId, usize, &[u32]) -> Result<u16, ConfigError>,
    ) -> Result<Vec<u16>, ConfigError> {
        let mut distances = vec![UNREACHABLE; self.row_length()];
        let terminals = network.terminals();
        let mut table = Vec::with_capacity(self.row_length() * terminals as usize);
        for destination in (0..terminals).map(NodeId) {
            self.distances_to(network, destination, &mut distances);
            for node in (0..self.nodes).map(NodeId) {
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
    let Some(channel) = unpaired_channel(network) else {
        return Ok(());
    };
    Err(ConfigError::Unpaired {
        algorithm: NAME,
        from: network.name(network.source(channel)).into_owned(),
        to: network.name(network.target(channel)).into_owned(),
    })
}

/// The node whose farthest terminal is nearest; of several the one with the least sum of distances
/// to terminals, then the lowest identifier; but no terminal that is alone, if it has a channel.
fn centre(network: &Network) -> NodeId {
    let mut farthest = vec![0u32; network.nodes() as usize];
    let mut sum = vec![0u64; network.nodes() as usize];
    for terminal in network.living_terminals() {
        // Channels are paired: as far there as back.
        for (node, distance) in distances_from(network, terminal).into_iter().enumerate() {
            farthest[node] = farthest[node].max(distance);
            sum[node] += u64::from(distance);
        }
    }
    // What a terminal sends to itself through its port goes up to a router and comes down again, which a root cannot.
    let is_alone = |node: &NodeId| {
        let is_terminal = node.0 < network.terminals() && network.is_living(*node);
        is_terminal && network.living_terminals_count() == 1 && !network.outgoing(*node).is_empty()
    };
    let all = (0..network.nodes()).map(NodeId);
    all.min_by_key(|node| (is_alone(node), farthest[node.index()], sum[node.index()]))
        .unwrap_or(NodeId(0))
}
