//! Networks that have lost channels or nodes: what is left of a family once hardware has failed.
//!
//! A damaged network keeps the node identifiers of the whole one, so that addresses mean the same,
//! and the lengths, widths and places of what is left; its channels are numbered anew, in the same
//! order. Nothing of the family's arithmetic holds any more: its [`Shape`] is that of a network of which
//! only the graph is known. A failed node is still counted among
//! [`Network::nodes`], without a channel, and among [`Network::terminals`], where it had one; it
//! neither sends nor receives.
//!
//! Invariant: a channel of the damaged network is a channel of the whole one that has not failed and
//! joins two nodes that live.

use super::Network;
use super::Shape;
use crate::families::UserNetwork;
use crate::graph::Columns;
use crate::{Annotations, ChannelId, Graph, NodeId};
use std::sync::Arc;

/// What has failed of a network, and the network as it was.
#[derive(Clone, Debug)]
pub struct Damage {
    whole: Arc<Network>,
    /// By node.
    is_dead: Box<[bool]>,
    living_terminals: u32,
    /// In ascending order, those of failed nodes included.
    failed_channels: Box<[ChannelId]>,
    /// The channel of the whole network that each channel is.
    original: Box<[ChannelId]>,
}

impl Damage {
    /// Bytes of its tables, and of the network before anything failed.
    pub(super) fn bytes(&self) -> u64 {
        let lists = self.failed_channels.len() + self.original.len();
        let own = self.is_dead.len() + lists * size_of::<ChannelId>();
        own as u64 + self.whole.memory().total()
    }

    /// The network before anything failed.
    pub fn whole(&self) -> &Arc<Network> {
        &self.whole
    }

    /// Whether `node` has not failed.
    #[inline]
    pub fn is_living(&self, node: NodeId) -> bool {
        !self.is_dead[node.index()]
    }

    /// The nodes that have failed, in ascending order.
    pub fn failed_nodes(&self) -> impl Iterator<Item = NodeId> {
        let nodes = (0..).map(NodeId).zip(&self.is_dead);
        nodes.filter(|(_, is_dead)| **is_dead).map(|(node, _)| node)
    }

    /// The channels of the [whole](Self::whole) network that have failed, those into and out of
    /// failed nodes included, in ascending order.
    pub fn failed_channels(&self) -> &[ChannelId] {
        &self.failed_channels
    }

    /// The channel of the [whole](Self::whole) network that `channel` of the damaged one is.
    pub fn original(&self, channel: ChannelId) -> ChannelId {
        self.original[channel.index()]
    }
}

impl Network {
    /// What is left of `network` where `channels` and `nodes` fail: the same nodes, without these
    /// channels and those into and out of these nodes. Failures of a damaged network add to those it
    /// has. Each may be named more than once.
    ///
    /// # Panics
    /// If a channel or node is not one of the network's.
    #[must_use]
    pub fn without(network: &Arc<Self>, channels: &[ChannelId], nodes: &[NodeId]) -> Self {
        let before = network.damage();
        let whole = before.map_or(network, Damage::whole);
        let mut is_dead = vec![false; whole.nodes() as usize];
        let mut has_failed = vec![false; whole.channels() as usize];
        if let Some(before) = before {
            is_dead.copy_from_slice(&before.is_dead);
            for channel in &before.failed_channels {
                has_failed[channel.index()] = true;
            }
        }
        for node in nodes {
            is_dead[node.index()] = true;
        }
        for &channel in channels {
            let original = before.map_or(channel, |before| before.original(channel));
            has_failed[original.index()] = true;
        }
        let all = || (0..whole.channels()).map(ChannelId);
        for channel in all() {
            let ends = [whole.source(channel), whole.target(channel)];
            has_failed[channel.index()] |= ends.iter().any(|node| is_dead[node.index()]);
        }
        let original: Box<[ChannelId]> = all().filter(|c| !has_failed[c.index()]).collect();
        let columns = Columns {
            source: original.iter().map(|&c| whole.source(c)).collect(),
            target: original.iter().map(|&c| whole.target(c)).collect(),
            length_pitches: original.iter().map(|&c| whole.length_pitches(c)).collect(),
        };
        let terminals = whole.terminals();
        let dead_terminals = is_dead[..terminals as usize].iter().filter(|d| **d).count();
        let annotations = whole.annotations().map(|known| Annotations {
            names: known.names.clone(),
            positions: known.positions.clone(),
            width_bits: picked(known.width_bits.as_deref(), &original),
            delay_cycles: picked(known.delay_cycles.as_deref(), &original),
        });
        let graph = Graph::from_columns(whole.nodes(), terminals, columns);
        let damage = Damage {
            whole: Arc::clone(whole),
            is_dead: is_dead.into(),
            living_terminals: terminals - dead_terminals as u32,
            failed_channels: all().filter(|c| has_failed[c.index()]).collect(),
            original,
        };
        Self {
            graph: graph.with_annotations(annotations.unwrap_or_default()),
            shape: Shape::File(UserNetwork::default()),
            damage: Some(Box::new(damage)),
        }
    }

    /// What has failed; `None` for a whole network.
    #[inline]
    pub fn damage(&self) -> Option<&Damage> {
        self.damage.as_deref()
    }

    /// The network before anything failed: itself where nothing has.
    pub fn whole(&self) -> &Self {
        self.damage().map_or(self, |damage| &damage.whole)
    }

    /// Whether `node` has not failed.
    #[inline]
    pub fn is_living(&self, node: NodeId) -> bool {
        self.damage().is_none_or(|damage| damage.is_living(node))
    }

    /// The nodes that have a terminal and have not failed, in ascending order.
    pub fn living_terminals(&self) -> impl Iterator<Item = NodeId> {
        let terminals = (0..self.terminals()).map(NodeId);
        terminals.filter(|&node| self.is_living(node))
    }

    /// How many nodes have a terminal and have not failed.
    pub fn living_terminals_count(&self) -> u32 {
        let terminals = self.terminals();
        self.damage()
            .map_or(terminals, |damage| damage.living_terminals)
    }

    /// The nodes that have not failed and the channels between them as a network of their own, for
    /// whoever counts or exports: nodes are numbered anew, in the same order, and are called what
    /// they were called, and as many hops of a route do not count. A network that has lost no node is copied, one
    /// whose family is known too.
    #[must_use]
    pub fn living(&self) -> Self {
        if (0..self.nodes()).all(|node| self.is_living(NodeId(node))) {
            return self.clone();
        }
        let nodes: Vec<NodeId> = (0..self.nodes())
            .map(NodeId)
            .filter(|&node| self.is_living(node))
            .collect();
        // By old number; of no meaning for the dead, which no channel joins.
        let mut numbers = vec![NodeId(0); self.nodes() as usize];
        for (number, node) in (0..).map(NodeId).zip(&nodes) {
            numbers[node.index()] = number;
        }
        let channels = || (0..self.channels()).map(ChannelId);
        let columns = Columns {
            source: channels()
                .map(|c| numbers[self.source(c).index()])
                .collect(),
            target: channels()
                .map(|c| numbers[self.target(c).index()])
                .collect(),
            length_pitches: channels().map(|c| self.length_pitches(c)).collect(),
        };
        let known = self.annotations().cloned().unwrap_or_default();
        let positions = known.positions;
        let annotations = Annotations {
            names: Some(nodes.iter().map(|&n| self.name(n).into()).collect()),
            positions: positions.map(|all| nodes.iter().map(|n| all[n.index()]).collect()),
            width_bits: known.width_bits,
            delay_cycles: known.delay_cycles,
        };
        let count = nodes.len() as u32;
        let graph = Graph::from_columns(count, self.living_terminals_count(), columns);
        let hops_at_terminals = self.hops_at_terminals();
        let left = UserNetwork { hops_at_terminals };
        Self::of_family(graph.with_annotations(annotations), Shape::File(left))
    }
}

fn picked(values: Option<&[u32]>, channels: &[ChannelId]) -> Option<Vec<u32>> {
    let values = values?;
    Some(channels.iter().map(|c| values[c.index()]).collect())
}
