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

use crate::ConfigError;
use crate::routing::description::{Description, Fit, Needs, Site, Spread, has_links, one};
use crate::routing::options::OptionKey;
use crate::routing::relation::{Candidates, Head, Routing, VcMask, all_virtual_channels};
use crate::routing::tables;
use flitsim_topology::memory::bytes_of;
use flitsim_topology::properties::{UNREACHABLE, unpaired_channel};
use flitsim_topology::{ChannelId, Network, NodeId, Shape};
use levels::Levels;
use std::sync::Arc;

/// What the registry knows of it.
pub(in crate::routing) const ROUTING: Description = Description {
    name: "up-down",
    keys: &[OptionKey::Adaptive],
    fits: |network| match network.shape() {
        Shape::File(_) if has_links(network) => Fit::Default,
        _ if has_links(network) => Fit::Last,
        // It says why not when it is built.
        Shape::File(_) if network.damage().is_none() => Fit::Last,
        _ => Fit::No,
    },
    needs: Needs::Links,
    virtual_channels_min: one,
    is_minimal: false,
    spread: Spread::Adaptive,
    escape_vcs: Some(|network| unpaired_channel(network).is_none().then_some(1)),
};

/// The relation that `site` asks for.
pub(in crate::routing) fn build<'n, const ADAPTIVE: bool>(
    site: &Site<'n, '_>,
) -> Result<InTree<'n, ADAPTIVE>, ConfigError> {
    let vcs = all_virtual_channels(site.virtual_channels)?;
    let tree = site.tables.get(0, || Tree::new(site.network, None))?;
    let network = site.network;
    Ok(InTree { network, tree, vcs })
}

/// No way on, or none within 65,534 hops.
const NONE: u16 = u16::MAX;

/// Up*/down* routing, always over the lowest of the channels that are as good.
pub type UpDown<'n> = InTree<'n, false>;

/// Up*/down* routing over any of the channels that are as good: it adapts to what is free.
pub type AdaptiveUpDown<'n> = InTree<'n, true>;

/// Up*/down* routing, adaptive or not.
#[derive(Clone, Debug)]
pub struct InTree<'n, const ADAPTIVE: bool> {
    network: &'n Network,
    tree: Arc<Tree<ADAPTIVE>>,
    vcs: VcMask,
}

/// The tree of a network, and the ways that it allows.
#[derive(Debug)]
struct Tree<const ADAPTIVE: bool> {
    levels: Levels,
    /// By destination, node and phase: the local output of the next channel, or, for an adaptive one, the
    /// fewest legal hops still to go.
    entries: Vec<u16>,
}

impl<const ADAPTIVE: bool> Tree<ADAPTIVE> {
    fn new(network: &Network, root: Option<NodeId>) -> Result<Self, ConfigError> {
        let levels = Levels::new(network, root)?;
        let entries = levels.table(network, |node, phase, distances| match ADAPTIVE {
            true => hops_left(distances[Levels::place(node, phase)]),
            false => next_output(network, &levels, node, phase, distances),
        })?;
        Ok(Self { levels, entries })
    }
}

fn next_output(
    network: &Network,
    levels: &Levels,
    node: NodeId,
    phase: usize,
    distances: &[u32],
) -> Result<u16, ConfigError> {
    let here = distances[Levels::place(node, phase)];
    let leads_on = |channel: &ChannelId| {
        (phase == 0 || levels.is_down[channel.index()])
            && distances[levels.behind(network, *channel)].checked_add(1) == Some(here)
    };
    let outgoing = network.outgoing(node);
    let first = outgoing.start;
    let Some(channel) = outgoing.map(ChannelId).find(leads_on) else {
        return Ok(NONE);
    };
    let output = u16::try_from(channel.0 - first).ok();
    output.filter(|&o| o != NONE).ok_or_else(|| {
        ConfigError::routing(format!(
            "up-down numbers up to 65,535 channels out of a node; `{}` has more",
            network.name(node)
        ))
    })
}

fn hops_left(here: u32) -> Result<u16, ConfigError> {
    let hops = u16::try_from(here).ok().filter(|&hops| hops != NONE);
    let none = (here == UNREACHABLE).then_some(NONE);
    none.or(hops).ok_or_else(|| {
        ConfigError::routing("adaptive up-down counts up to 65,534 hops; this network needs more")
    })
}

impl<const ADAPTIVE: bool> tables::Table for Tree<ADAPTIVE> {
    fn bytes(&self) -> u64 {
        self.levels.bytes() + bytes_of(&self.entries)
    }
}

impl<'n, const ADAPTIVE: bool> InTree<'n, ADAPTIVE> {
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
        let tree = Arc::new(Tree::new(network, root)?);
        Ok(Self { network, tree, vcs })
    }

    /// The root of the tree.
    pub fn root(&self) -> NodeId {
        self.tree.levels.root
    }

    /// Hops from the root to `node`.
    pub fn level(&self, node: NodeId) -> u32 {
        self.tree.levels.level[node.index()]
    }

    /// Whether `channel` goes down: away from the root, or to the higher identifier on a level.
    pub fn is_down(&self, channel: ChannelId) -> bool {
        self.tree.levels.is_down[channel.index()]
    }
}

impl Routing for UpDown<'_> {
    const DETERMINISTIC: bool = true;

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let Tree { levels, entries } = &*self.tree;
        let row = head.destination.index() * levels.row_length();
        let output = entries[row + Levels::place(head.node, levels.phase(head))];
        if output != NONE {
            let first = self.network.outgoing(head.node).start;
            candidates.add(ChannelId(first + u32::from(output)), self.vcs);
        }
    }
}

impl Routing for AdaptiveUpDown<'_> {
    const DETERMINISTIC: bool = false;

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let Tree { levels, entries } = &*self.tree;
        let length = levels.row_length();
        let row = &entries[head.destination.index() * length..][..length];
        let phase = levels.phase(head);
        let here = row[Levels::place(head.node, phase)];
        for channel in self.network.outgoing(head.node).map(ChannelId) {
            let is_legal = phase == 0 || levels.is_down[channel.index()];
            if is_legal && row[levels.behind(self.network, channel)].checked_add(1) == Some(here) {
                candidates.add(channel, self.vcs);
            }
        }
    }
}
