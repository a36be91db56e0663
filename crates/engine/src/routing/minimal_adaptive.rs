//! Fully adaptive minimal routing: any shortest path, on any virtual channel (Dally & Towles,
//! section 10.2.1).
//!
//! Nothing orders the virtual channels. Packets can wait on one another in a circle wherever
//! shortest paths turn both ways round one: on meshes and hypercubes of two dimensions or more, on
//! rings, on stars. On a line, or where an escape is composed with it
//! ([`WithEscape`](super::WithEscape)), they cannot.

use super::description::{Description, Needs, Site, Spread, fits_any, one};
use super::options::OptionKey;
use super::relation::{Candidates, Head, Routing, VcMask, all_virtual_channels};
use super::symmetry::Symmetry;
use crate::ConfigError;
use flitsim_topology::{MinimalPaths, Paths};

/// What the registry knows of it.
pub(super) const ROUTING: Description = Description {
    name: "minimal-adaptive",
    keys: &[OptionKey::Escape],
    fits: fits_any,
    needs: Needs::Paths,
    virtual_channels_min: one,
    is_minimal: true,
    spread: Spread::Adaptive,
    escape_vcs: None,
};

/// The relation that `site` asks for.
pub(super) fn build<'n>(site: &Site<'n, '_>) -> Result<MinimalAdaptive<Paths<'n>>, ConfigError> {
    MinimalAdaptive::new(site.paths(ROUTING.name)?, site.virtual_channels)
}

/// Minimal adaptive routing without classes.
#[derive(Clone, Copy, Debug)]
pub struct MinimalAdaptive<M> {
    paths: M,
    vcs: VcMask,
}

impl<M: MinimalPaths> MinimalAdaptive<M> {
    /// The algorithm on the network that `paths` knows, with `virtual_channels` virtual channels a
    /// channel.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels.
    pub fn new(paths: M, virtual_channels: u32) -> Result<Self, ConfigError> {
        let vcs = all_virtual_channels(virtual_channels)?;
        Ok(Self { paths, vcs })
    }
}

impl<M: MinimalPaths> Routing for MinimalAdaptive<M> {
    const DETERMINISTIC: bool = false;

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        self.paths
            .for_each_minimal_hop(head.node, head.destination, |channel, hops| {
                candidates.add_by_hops(channel, hops);
            });
        candidates.set_vcs(self.vcs);
    }

    /// Shortest paths are all that it knows of a network; their order is no matter of deadlock.
    fn symmetry(&self) -> Symmetry {
        Symmetry::Automorphisms
    }
}
