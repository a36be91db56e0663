//! Destination tags on butterflies: at each stage a digit of the destination is the output (Dally & Towles,
//! section 8.4.1).
//!
//! Why no cycle of dependencies can close: packets go from stage to stage, and leave the network behind the
//! last.

use super::description::{Description, Fit, Needs, Site, Spread, of_family, one};
use super::options::OptionKey;
use super::relation::{Candidates, Head, Routing, VcMask, all_virtual_channels};
use super::symmetry::Symmetry;
use crate::ConfigError;
use flitsim_topology::Butterfly;

/// What the registry knows of it.
pub(super) const ROUTING: Description = Description {
    name: "destination-tag",
    keys: &[OptionKey::Escape],
    fits: |network| match network.butterfly() {
        Some(_) => Fit::Default,
        None => Fit::No,
    },
    needs: Needs::Whole,
    virtual_channels_min: one,
    is_minimal: true,
    spread: Spread::Fixed,
    escape_vcs: None,
};

/// The relation that `site` asks for.
pub(super) fn build<'n>(site: &Site<'n, '_>) -> Result<DestinationTag<'n>, ConfigError> {
    let butterfly = of_family(site.network.butterfly(), ROUTING.name, "a butterfly")?;
    DestinationTag::new(butterfly, site.virtual_channels)
}

/// Destination-tag routing on a butterfly.
#[derive(Clone, Copy, Debug)]
pub struct DestinationTag<'n> {
    butterfly: &'n Butterfly,
    all: VcMask,
}

impl<'n> DestinationTag<'n> {
    /// The algorithm on `butterfly` with `virtual_channels` virtual channels a channel.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels.
    pub fn new(butterfly: &'n Butterfly, virtual_channels: u32) -> Result<Self, ConfigError> {
        Ok(Self {
            butterfly,
            all: all_virtual_channels(virtual_channels)?,
        })
    }
}

impl Routing for DestinationTag<'_> {
    const DETERMINISTIC: bool = true;

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        candidates.add(
            self.butterfly.channel(head.node, head.destination),
            self.all,
        );
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Automorphisms
    }
}
