//! The express cube's own rule (Dally, "Express cubes", section III-C): lowest dimension first; at
//! an interchange, the highest level whose channel does not pass the destination; of channels side
//! by side, any.
//!
//! Why one virtual channel is enough: the ends of a line are open and a packet never turns back in
//! it. In one direction every channel leads forward, from boundary to boundary and, within a
//! boundary, along its modules in a fixed order; upward and downward packets share no channel. So
//! order channels by dimension, then, in either direction, by the place that they lead to: along
//! every route the order ascends. Where interchanges of several dimensions are one, a packet turns
//! there to a higher dimension, or ends over the channel of the highest.

use super::description::{Description, Fit, Needs, Site, Spread, of_family, one};
use super::options::OptionKey;
use super::relation::{Candidates, Head, Routing, VcMask, all_virtual_channels};
use crate::ConfigError;
use flitsim_topology::{ChannelId, ExpressCube};

/// What the registry knows of it.
pub(super) const ROUTING: Description = Description {
    name: "express",
    keys: &[OptionKey::Escape],
    fits: |network| Fit::yes_if(network.express_cube().is_some()),
    needs: Needs::Whole,
    virtual_channels_min: one,
    is_minimal: false,
    spread: Spread::Even,
    escape_vcs: None,
};

/// The relation that `site` asks for.
pub(super) fn build<'n>(site: &Site<'n, '_>) -> Result<Express<'n>, ConfigError> {
    let cube = of_family(site.network.express_cube(), ROUTING.name, "an express cube")?;
    Express::new(cube, site.virtual_channels)
}

/// The deterministic routing of express cubes.
#[derive(Clone, Copy, Debug)]
pub struct Express<'n> {
    cube: &'n ExpressCube,
    all: VcMask,
}

impl<'n> Express<'n> {
    /// The algorithm on `cube` with `virtual_channels` virtual channels a channel.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels.
    pub fn new(cube: &'n ExpressCube, virtual_channels: u32) -> Result<Self, ConfigError> {
        Ok(Self {
            cube,
            all: all_virtual_channels(virtual_channels)?,
        })
    }
}

impl Routing for Express<'_> {
    // Channels side by side are so many candidates.
    const DETERMINISTIC: bool = false;

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let Some(way) = self.cube.way(head.node, head.destination) else {
            return;
        };
        for offset in 0..way.channels {
            candidates.add(ChannelId(way.first.0 + offset), self.all);
        }
    }
}
