//! Negative-hop routing on networks of two colours: any shortest path, on a virtual channel of the
//! class that is the number of negative hops taken before, those from colour 1 to colour 0 (Boppana
//! & Chalasani 1993; Kiasari & Sarbazi-Azad, section 2.2).
//!
//! Colours alternate along a path, so a packet that started in colour c has made ⌊(c + h) / 2⌋
//! negative hops after h hops: the state is c + h. Before the last of D hops that is at most
//! ⌊D / 2⌋, hence ⌊D / 2⌋ + 1 classes.
//!
//! Why no cycle of dependencies can close: order virtual channels by class, then those that leave
//! colour 0 before those that leave colour 1. A packet that holds one out of colour 0 asks for one
//! out of colour 1 of the same class; one that holds one out of colour 1 asks for the next class.

use super::classes::Classes;
use super::description::{Description, Needs, Site, Spread, fits_two_colours};
use super::nbc::two_colours;
use super::options::OptionKey;
use super::relation::{Candidates, Head, Routing};
use super::symmetry::Symmetry;
use crate::ConfigError;
use flitsim_topology::{ChannelId, MinimalPaths, NodeId, Paths};

/// What the registry knows of it.
pub(super) const ROUTING: Description = Description {
    name: "nhop",
    keys: &[OptionKey::Escape],
    fits: fits_two_colours,
    needs: Needs::TwoColours,
    virtual_channels_min: |site| site.diameter() / 2 + 1,
    is_minimal: true,
    spread: Spread::Adaptive,
    escape_vcs: None,
};

/// The relation that `site` asks for.
pub(super) fn build<'n>(site: &Site<'n, '_>) -> Result<NegativeHop<Paths<'n>>, ConfigError> {
    NegativeHop::new(site.paths(ROUTING.name)?, site.virtual_channels)
}

/// Minimal adaptive routing with one class of virtual channels for each negative hop.
#[derive(Clone, Copy, Debug)]
pub struct NegativeHop<M> {
    paths: M,
    classes: Classes,
}

impl<M: MinimalPaths> NegativeHop<M> {
    /// The algorithm on the network that `paths` knows, with `virtual_channels` virtual channels a
    /// channel, spread evenly over the classes.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels, and
    /// [`ConfigError::Routing`] on a network that is not bipartite, or with fewer than
    /// [`NegativeHop::virtual_channels_min`].
    pub fn new(paths: M, virtual_channels: u32) -> Result<Self, ConfigError> {
        two_colours(&paths, "nhop")?;
        let count = Self::virtual_channels_min(&paths);
        let why =
            "one class for each negative hop before the last hop of the diameter, and one more";
        let classes = Classes::new(virtual_channels, count, "nhop", why)?;
        Ok(Self { paths, classes })
    }

    /// The virtual channels that it needs: ⌊diameter / 2⌋ + 1.
    pub fn virtual_channels_min(paths: &M) -> u32 {
        paths.diameter() / 2 + 1
    }
}

impl<M: MinimalPaths> Routing for NegativeHop<M> {
    const DETERMINISTIC: bool = false;

    /// The colour of the node that asks first, the source or the router at its port, plus the hops taken from there.
    fn initial(&self, source: NodeId, destination: NodeId, _: u32) -> u64 {
        u64::from(self.paths.colour(source) ^ (source == destination))
    }

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        debug_assert_eq!(head.state & 1 == 1, self.paths.colour(head.node));
        let vcs = self.classes.vcs((head.state / 2) as u32);
        self.paths
            .for_each_minimal_channel(head.node, head.destination, |channel| {
                candidates.add(channel, vcs);
            });
    }

    #[inline]
    fn advance(&self, head: Head, _: ChannelId, _: u32) -> u64 {
        head.state + 1
    }

    /// Shortest paths and colours are all that it knows of a network.
    fn symmetry(&self) -> Symmetry {
        Symmetry::ColourPreservingAutomorphisms
    }
}
