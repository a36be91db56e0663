//! Routing on a fat-pyramid: climb to a level chosen at the source, cross the mesh of that level in
//! the copy where the climb ended, x before y, and descend (after Greenberg 1994; Greenberg & Guan
//! 1996, section 2, have the meshes' order of dimensions but leave the choice of the level open).
//!
//! The level h is one of those up to the nearest common ancestor's whose cost in hops,
//! 2 + 2h + |Δx| + |Δy| in blocks of level h, is within `slack` of the least: each with the same
//! probability, as a numbered initial state. With slack 0 every route is a shortest path. On the
//! climb either parent will do, and the router's selection takes one.
//!
//! Why no cycle of dependencies can close: number channels up by level; after them those of the
//! meshes, of dimension x before y, each way along its line; after them channels down by level, from
//! the top. A packet goes up, then through one mesh and never back in a dimension, then down: every
//! hop ascends. One virtual channel suffices.

use super::description::{Description, Fit, Needs, Site, Spread, of_family, one};
use super::nearest_common_ancestor::{push, push_parents};
use super::options::OptionKey;
use super::relation::{Candidates, Head, Routing, VcMask, all_virtual_channels};
use crate::ConfigError;
use flitsim_topology::fat_tree::Way;
use flitsim_topology::{Direction, FatTree, FatTreeKind, NodeId};

/// What the registry knows of it.
pub(super) const ROUTING: Description = Description {
    name: "fat-pyramid",
    keys: &[OptionKey::Slack, OptionKey::Escape],
    fits: |network| {
        let is_pyramid = |tree: &FatTree| tree.kind() == FatTreeKind::Pyramid;
        match network.fat_tree().is_some_and(is_pyramid) {
            true => Fit::Default,
            false => Fit::No,
        }
    },
    needs: Needs::Whole,
    virtual_channels_min: one,
    is_minimal: false,
    spread: Spread::Adaptive,
    escape_vcs: None,
};

/// The relation that `site` asks for.
pub(super) fn build<'n>(site: &Site<'n, '_>) -> Result<FatPyramid<'n>, ConfigError> {
    let tree = of_family(site.network.fat_tree(), ROUTING.name, "a fat-pyramid")?;
    FatPyramid::new(tree, site.virtual_channels, site.options.slack_hops)
}

/// Routing over one level of a fat-pyramid. The state of a packet is its level.
#[derive(Clone, Copy, Debug)]
pub struct FatPyramid<'n> {
    tree: &'n FatTree,
    slack_hops: u32,
    all: VcMask,
}

impl<'n> FatPyramid<'n> {
    /// The algorithm on `tree` with `virtual_channels` virtual channels a channel, over levels that
    /// cost up to `slack_hops` more than the best.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels, and
    /// [`ConfigError::Routing`] on a butterfly fat-tree: it has no meshes.
    pub fn new(
        tree: &'n FatTree,
        virtual_channels: u32,
        slack_hops: u32,
    ) -> Result<Self, ConfigError> {
        if tree.kind() == FatTreeKind::Butterfly {
            return Err(ConfigError::routing(
                "fat-pyramid routing crosses the meshes of a fat-pyramid, which a \
                         butterfly fat-tree does not have; nearest-common-ancestor does without",
            ));
        }
        Ok(Self {
            tree,
            slack_hops,
            all: all_virtual_channels(virtual_channels)?,
        })
    }

    /// The levels that a packet may take, ascending.
    fn levels(&self, source: NodeId, destination: NodeId) -> impl Iterator<Item = u32> {
        let all = 0..=self.tree.common_level(source, destination);
        let cost = move |level| self.tree.cost_hops(source, destination, level);
        let least = all.clone().map(cost).fold(u32::MAX, u32::min);
        let most = least.saturating_add(self.slack_hops);
        all.filter(move |&level| cost(level) <= most)
    }
}

impl Routing for FatPyramid<'_> {
    const DETERMINISTIC: bool = false;

    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        self.levels(source, destination).count() as u32
    }

    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        let level = self.levels(source, destination).nth(choice as usize);
        debug_assert!(level.is_some(), "no choice {choice}");
        u64::from(level.unwrap_or(0))
    }

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let there = self.tree.position(head.destination);
        let climbing = |level: u32| u64::from(level) < head.state;
        let way = match self.tree.switch(head.node) {
            None => return push_parents(self.tree, head.node, self.all, candidates),
            Some(switch) => match switch.child_towards(there) {
                Some(child) => Way::Down(child),
                None if climbing(switch.level) => {
                    return push_parents(self.tree, head.node, self.all, candidates);
                }
                None => {
                    let block = (there.0 >> (switch.level + 1), there.1 >> (switch.level + 1));
                    let towards = |from, to| Direction::up_if(from < to);
                    if switch.x != block.0 {
                        Way::Along(0, towards(switch.x, block.0))
                    } else {
                        Way::Along(1, towards(switch.y, block.1))
                    }
                }
            },
        };
        push(candidates, self.tree.channel(head.node, way), self.all);
    }
}
