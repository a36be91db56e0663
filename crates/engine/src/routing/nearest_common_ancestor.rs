//! Routing by the nearest common ancestor on a butterfly fat-tree: up to the lowest level where one
//! block holds both ends, then down (Greenberg & Leiserson 1989; Dally & Towles, section 11.3).
//!
//! On the way up either parent will do, for all copies of a switch stand over the same block: both
//! are candidates, and the router's selection takes one. There is one way down. So a route is
//! always a shortest path of the fat-tree. The meshes of a fat-pyramid are not used.
//!
//! Why no cycle of dependencies can close: channels up are numbered by level, and after them
//! channels down by level, from the top. A packet that has turned down never goes up again, so
//! every hop ascends. One virtual channel suffices.

use super::description::{Description, Fit, Needs, Site, Spread, of_family, one};
use super::options::OptionKey;
use super::relation::{Candidates, Head, Routing, VcMask, all_virtual_channels};
use super::symmetry::Symmetry;
use crate::ConfigError;
use flitsim_topology::fat_tree::Way;
use flitsim_topology::{ChannelId, FatTree, NodeId};

/// What the registry knows of it.
pub(super) const ROUTING: Description = Description {
    name: "nearest-common-ancestor",
    keys: &[OptionKey::Ascent, OptionKey::Escape],
    fits: |network| Fit::yes_if(network.fat_tree().is_some() || network.xgft().is_some()),
    needs: Needs::Whole,
    virtual_channels_min: one,
    is_minimal: false,
    spread: Spread::Adaptive,
    escape_vcs: None,
};

/// The relation that `site` asks for.
pub(super) fn build<'n>(site: &Site<'n, '_>) -> Result<NearestCommonAncestor<'n>, ConfigError> {
    let tree = of_family(site.network.fat_tree(), ROUTING.name, "a fat-tree")?;
    NearestCommonAncestor::new(tree, site.virtual_channels)
}

/// Routing by the nearest common ancestor on a butterfly fat-tree or fat-pyramid.
#[derive(Clone, Copy, Debug)]
pub struct NearestCommonAncestor<'n> {
    tree: &'n FatTree,
    all: VcMask,
}

impl<'n> NearestCommonAncestor<'n> {
    /// The algorithm on `tree` with `virtual_channels` virtual channels a channel.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels.
    pub fn new(tree: &'n FatTree, virtual_channels: u32) -> Result<Self, ConfigError> {
        Ok(Self {
            tree,
            all: all_virtual_channels(virtual_channels)?,
        })
    }
}

/// Adds the ways up from `node`: to either parent of a switch, or from a processor to its leaf.
#[inline]
pub(super) fn push_parents(tree: &FatTree, node: NodeId, vcs: VcMask, candidates: &mut Candidates) {
    for parent in 0..2 {
        push(candidates, tree.channel(node, Way::Up(parent)), vcs);
    }
}

/// Adds `channel`, if there is one.
#[inline]
pub(super) fn push(candidates: &mut Candidates, channel: Option<ChannelId>, vcs: VcMask) {
    if let Some(channel) = channel {
        candidates.add(channel, vcs);
    }
}

impl Routing for NearestCommonAncestor<'_> {
    const DETERMINISTIC: bool = false;

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let there = self.tree.position(head.destination);
        let switch = self.tree.switch(head.node);
        match switch.and_then(|switch| switch.child_towards(there)) {
            Some(child) => {
                let down = self.tree.channel(head.node, Way::Down(child));
                push(candidates, down, self.all);
            }
            None => push_parents(self.tree, head.node, self.all, candidates),
        }
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Translations
    }
}
