//! Fully adaptive minimal routing: any shortest path, on any virtual channel (Dally & Towles,
//! section 10.2.1).
//!
//! Nothing orders the virtual channels. Packets can wait on one another in a circle wherever
//! shortest paths turn both ways round one: on meshes and hypercubes of two dimensions or more, on
//! rings, on stars. On a line, or where an escape is composed with it
//! ([`WithEscape`](super::WithEscape)), they cannot.

use super::{Candidate, Candidates, Head, Routing, Symmetry, VcMask, all_virtual_channels};
use crate::ConfigError;
use flitsim_topology::{MinimalPaths, NodeId};

/// Minimal adaptive routing without classes.
#[derive(Debug)]
pub struct MinimalAdaptive<'n, M> {
    paths: &'n M,
    vcs: VcMask,
}

// By hand: a derive would ask for networks that can be copied.
impl<M> Clone for MinimalAdaptive<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for MinimalAdaptive<'_, M> {}

impl<'n, M: MinimalPaths> MinimalAdaptive<'n, M> {
    /// The algorithm on the network that `paths` knows, with `virtual_channels` virtual channels a
    /// channel.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels.
    pub fn new(paths: &'n M, virtual_channels: u32) -> Result<Self, ConfigError> {
        let vcs = all_virtual_channels(virtual_channels)?;
        Ok(Self { paths, vcs })
    }
}

impl<M: MinimalPaths> Routing for MinimalAdaptive<'_, M> {
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
        let hops = |channel| self.paths.hops_along(head.node, head.destination, channel);
        self.paths
            .for_each_minimal_channel(head.node, head.destination, |channel| {
                let candidate = Candidate {
                    channel,
                    vcs: self.vcs,
                    priority: 0,
                };
                let here = hops(channel);
                candidates.push_before(candidate, |other| hops(other) < here);
            });
    }

    /// Shortest paths are all that it knows of a network; their order is no matter of deadlock.
    fn symmetry(&self) -> Symmetry {
        Symmetry::Automorphisms
    }
}
