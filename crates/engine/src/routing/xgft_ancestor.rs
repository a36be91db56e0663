//! Routing by the nearest common ancestor on fat-trees of any shape: up, to any parent, until a switch stands
//! over the destination, then down (Petrini & Vanneschi 1997; Dally & Towles, section 11.3).
//!
//! Why no cycle of dependencies can close: channels up by level come before channels down by level from the
//! top. One virtual channel suffices.

use super::description::{Site, of_family};
use super::relation::{Candidates, Head, Routing, VcMask, all_virtual_channels};
use super::symmetry::Symmetry;
use crate::ConfigError;
use flitsim_topology::Xgft;

/// The relation that `site` asks for.
pub(super) fn build<'n>(site: &Site<'n, '_>) -> Result<XgftAncestor<'n>, ConfigError> {
    let tree = of_family(site.network.xgft(), "nearest-common-ancestor", "a fat-tree")?;
    XgftAncestor::new(tree, site.virtual_channels)
}

/// Routing by the nearest common ancestor on a fat-tree of any shape.
#[derive(Clone, Copy, Debug)]
pub struct XgftAncestor<'n> {
    tree: &'n Xgft,
    all: VcMask,
}

impl<'n> XgftAncestor<'n> {
    /// The algorithm on `tree` with `virtual_channels` virtual channels a channel.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels.
    pub fn new(tree: &'n Xgft, virtual_channels: u32) -> Result<Self, ConfigError> {
        Ok(Self {
            tree,
            all: all_virtual_channels(virtual_channels)?,
        })
    }
}

impl Routing for XgftAncestor<'_> {
    const DETERMINISTIC: bool = false;

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        match self.tree.down(head.node, head.destination) {
            Some(channel) => candidates.add(channel, self.all),
            None => {
                for channel in self.tree.up(head.node) {
                    candidates.add(channel, self.all);
                }
            }
        }
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Automorphisms
    }
}
