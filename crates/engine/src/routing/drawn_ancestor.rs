//! Routing by the nearest common ancestor along a way up that is drawn for the packet: of the channels up from
//! each switch one, as likely as the others, whoever waits there (BookSim2's `nca`: `fattree_nca`,
//! `routefunc.cpp`; Dally & Towles, section 11.3).
//!
//! Its ways are some of those of the nearest common ancestor, under which no cycle of dependencies can close.

use super::description::{Site, of_family};
use super::relation::{Candidates, Head, Routing, VcMask, all_virtual_channels};
use crate::ConfigError;
use flitsim_topology::fat_tree::Way;
use flitsim_topology::{ChannelId, FatTree, Network, NodeId, Xgft};

/// The relation that `site` asks for.
pub(super) fn build<'n>(site: &Site<'n, '_>) -> Result<DrawnAncestor<'n>, ConfigError> {
    let tree = match site.network.xgft() {
        Some(tree) => Tree::Xgft(tree),
        None => {
            let tree = site.network.fat_tree();
            Tree::Butterfly(of_family(tree, "nearest-common-ancestor", "a fat-tree")?)
        }
    };
    Ok(DrawnAncestor {
        tree,
        all: all_virtual_channels(site.virtual_channels)?,
        ascents: tree.ascents(site.network),
    })
}

#[derive(Clone, Copy, Debug)]
enum Tree<'n> {
    Butterfly(&'n FatTree),
    Xgft(&'n Xgft),
}

impl Tree<'_> {
    /// The channel down to `terminal`, from a node above it.
    fn down(self, node: NodeId, terminal: NodeId) -> Option<ChannelId> {
        match self {
            Self::Xgft(tree) => tree.down(node, terminal),
            Self::Butterfly(tree) => {
                let there = tree.position(terminal);
                let child = tree.switch(node)?.child_towards(there)?;
                tree.channel(node, Way::Down(child))
            }
        }
    }

    /// The channel to one of the parents of `node`; `None` where it has no more.
    fn up(self, node: NodeId, parent: u64) -> Option<ChannelId> {
        match self {
            Self::Xgft(tree) => tree.up(node).nth(parent as usize),
            Self::Butterfly(tree) => tree.channel(node, Way::Up(parent as u32)),
        }
    }

    /// How many parents `node` has.
    fn parents(self, node: NodeId) -> u64 {
        match self {
            Self::Xgft(tree) => tree.up(node).count() as u64,
            Self::Butterfly(_) => (0..).find(|&p| self.up(node, p).is_none()).unwrap_or(0),
        }
    }

    /// How many ways lead up from a terminal to the roots.
    fn ascents(self, network: &Network) -> u32 {
        let (mut node, mut ascents) = (NodeId(0), 1);
        while let Some(channel) = self.up(node, 0) {
            ascents *= self.parents(node) as u32;
            node = network.target(channel);
        }
        ascents
    }
}

/// Routing by the nearest common ancestor along a way up that was drawn. The state is what is left of the draw:
/// the parent to take next as its remainder by how many there are.
#[derive(Clone, Copy, Debug)]
pub struct DrawnAncestor<'n> {
    tree: Tree<'n>,
    all: VcMask,
    ascents: u32,
}

impl Routing for DrawnAncestor<'_> {
    const DETERMINISTIC: bool = true;

    fn choices(&self, _: NodeId, _: NodeId) -> u32 {
        self.ascents
    }

    fn initial(&self, _: NodeId, _: NodeId, choice: u32) -> u64 {
        u64::from(choice)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let up = || {
            let parent = head.state % self.tree.parents(head.node).max(1);
            self.tree.up(head.node, parent)
        };
        let way = self.tree.down(head.node, head.destination).or_else(up);
        if let Some(channel) = way {
            candidates.add(channel, self.all);
        }
    }

    /// Once it goes down nothing of the draw matters.
    fn advance(&self, head: Head, _: ChannelId, _: u32) -> u64 {
        match self.tree.down(head.node, head.destination) {
            Some(_) => 0,
            None => head.state / self.tree.parents(head.node).max(1),
        }
    }
}
