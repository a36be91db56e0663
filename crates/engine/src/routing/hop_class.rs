//! Hop-class routing: any shortest path, on a virtual channel of the class that is the number of
//! hops taken before (Gopal 1985; Dally & Towles, chapter 14, distance classes).
//!
//! Why no cycle of dependencies can close: a packet asks for class h + 1 while it holds class h.

use super::classes::Classes;
use super::description::{Description, Fit, Needs, Site, Spread, has_links};
use super::options::OptionKey;
use super::relation::{Candidates, Head, Routing};
use super::symmetry::Symmetry;
use crate::ConfigError;
use flitsim_topology::{ChannelId, MinimalPaths, Paths, Shape};

/// What the registry knows of it.
pub(super) const ROUTING: Description = Description {
    name: "hop-class",
    keys: &[OptionKey::Escape],
    fits: |network| {
        let is_file = matches!(network.shape(), Shape::File(_));
        match (is_file || network.damage().is_some()) && !has_links(network) {
            true => Fit::Default,
            false => Fit::Yes,
        }
    },
    needs: Needs::Paths,
    virtual_channels_min: |site| site.diameter(),
    is_minimal: true,
    spread: Spread::Adaptive,
    escape_vcs: None,
};

/// The relation that `site` asks for.
pub(super) fn build<'n>(site: &Site<'n, '_>) -> Result<HopClass<Paths<'n>>, ConfigError> {
    HopClass::new(site.paths(ROUTING.name)?, site.virtual_channels)
}

/// Minimal adaptive routing with one class of virtual channels for each hop.
#[derive(Clone, Copy, Debug)]
pub struct HopClass<M> {
    paths: M,
    classes: Classes,
}

impl<M: MinimalPaths> HopClass<M> {
    /// The algorithm on the network that `paths` knows, with `virtual_channels` virtual channels a
    /// channel, spread evenly over the classes.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels, and
    /// [`ConfigError::Routing`] with fewer than [`HopClass::virtual_channels_min`].
    pub fn new(paths: M, virtual_channels: u32) -> Result<Self, ConfigError> {
        Self::named(ROUTING.name, paths, virtual_channels)
    }

    /// The same under the name `name` in messages.
    pub(super) fn named(name: &str, paths: M, virtual_channels: u32) -> Result<Self, ConfigError> {
        let count = Self::virtual_channels_min(&paths);
        let why = "one class for each hop of the diameter";
        let classes = Classes::new(virtual_channels, count, name, why)?;
        Ok(Self { paths, classes })
    }

    /// The virtual channels that it needs: the diameter.
    pub fn virtual_channels_min(paths: &M) -> u32 {
        paths.diameter()
    }
}

impl<M: MinimalPaths> Routing for HopClass<M> {
    const DETERMINISTIC: bool = false;

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let vcs = self.classes.vcs(head.state as u32);
        self.paths
            .for_each_minimal_channel(head.node, head.destination, |channel| {
                candidates.add(channel, vcs);
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
