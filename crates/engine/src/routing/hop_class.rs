//! Hop-class routing: any shortest path, on a virtual channel of the class that is the number of
//! hops taken before (Gopal 1985; Dally & Towles, chapter 14, distance classes).
//!
//! Why no cycle of dependencies can close: a packet asks for class h + 1 while it holds class h.

use super::classes::Classes;
use super::{Candidate, Candidates, Head, Routing, Symmetry};
use crate::ConfigError;
use flitsim_topology::{ChannelId, MinimalPaths, NodeId};

/// Minimal adaptive routing with one class of virtual channels for each hop.
#[derive(Debug)]
pub struct HopClass<'n, M> {
    paths: &'n M,
    classes: Classes,
}

// By hand: a derive would ask for networks that can be copied.
impl<M> Clone for HopClass<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for HopClass<'_, M> {}

impl<'n, M: MinimalPaths> HopClass<'n, M> {
    /// The algorithm on the network that `paths` knows, with `virtual_channels` virtual channels a
    /// channel, spread evenly over the classes.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels, and
    /// [`ConfigError::Routing`] with fewer than [`HopClass::virtual_channels_min`].
    pub fn new(paths: &'n M, virtual_channels: u32) -> Result<Self, ConfigError> {
        let count = Self::virtual_channels_min(paths);
        let why = "one class for each hop of the diameter";
        let classes = Classes::new(virtual_channels, count, "hop-class", why)?;
        Ok(Self { paths, classes })
    }

    /// The virtual channels that it needs: the diameter.
    pub fn virtual_channels_min(paths: &M) -> u32 {
        paths.diameter()
    }
}

impl<M: MinimalPaths> Routing for HopClass<'_, M> {
    const DETERMINISTIC: bool = false;

    fn choices(&self, _: NodeId, _: NodeId) -> u32 {
        1
    }

    /// The hops taken.
    fn initial(&self, _: NodeId, _: NodeId, _: u32) -> u64 {
        0
    }

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let vcs = self.classes.vcs(head.state as u32);
        self.paths
            .for_each_minimal_channel(head.node, head.destination, |channel| {
                candidates.push(Candidate {
                    channel,
                    vcs,
                    priority: 0,
                });
            });
    }

    #[inline]
    fn advance(&self, head: Head, _: ChannelId, _: u32) -> u64 {
        head.state + 1
    }

    /// Shortest paths are all that it knows of a network.
    fn symmetry(&self) -> Symmetry {
        Symmetry::Automorphisms
    }
}
