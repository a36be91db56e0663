//! The express cube's own rule (Dally, "Express cubes", section III-C): lowest dimension first; at
//! an interchange, the highest level whose channel does not pass the destination, or any level that
//! does not, the highest that is free first; of channels side by side, any.
//!
//! Why one virtual channel is enough: the ends of a line are open and a packet never turns back in
//! it. In one direction every channel leads forward, from boundary to boundary and, within a
//! boundary, along its modules in a fixed order; upward and downward packets share no channel. So
//! order channels by dimension, then, in either direction, by the place that they lead to: along
//! every route the order ascends. Where interchanges of several dimensions are one, a packet turns
//! there to a higher dimension, or ends over the channel of the highest.

use super::description::{Description, Fit, Needs, Site, Spread, of_family, one};
use super::options::{Levels, OptionKey};
use super::relation::{Candidate, Candidates, Head, Routing, VcMask, all_virtual_channels};
use crate::ConfigError;
use flitsim_topology::{ChannelId, ExpressCube};

/// What the registry knows of it.
pub(super) const ROUTING: Description = Description {
    name: "express",
    keys: &[OptionKey::Levels, OptionKey::Escape],
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
    let express = Express::new(cube, site.virtual_channels)?;
    Ok(Express {
        levels: site.options.levels,
        ..express
    })
}

/// The routing of express cubes.
#[derive(Clone, Copy, Debug)]
pub struct Express<'n> {
    cube: &'n ExpressCube,
    all: VcMask,
    levels: Levels,
}

impl<'n> Express<'n> {
    /// The algorithm on `cube`, over the highest levels, with `virtual_channels` virtual channels a channel.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels.
    pub fn new(cube: &'n ExpressCube, virtual_channels: u32) -> Result<Self, ConfigError> {
        Ok(Self {
            cube,
            all: all_virtual_channels(virtual_channels)?,
            levels: Levels::Highest,
        })
    }
}

impl Routing for Express<'_> {
    // Channels side by side are so many candidates.
    const DETERMINISTIC: bool = false;

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let Some(ways) = self.cube.ways(head.node, head.destination) else {
            return;
        };
        let most = match self.levels {
            Levels::Highest => 1,
            Levels::Any => usize::MAX,
        };
        for (priority, way) in (0..).zip(ways.take(most)) {
            for offset in 0..way.channels {
                candidates.push(Candidate {
                    channel: ChannelId(way.first.0 + offset),
                    vcs: self.all,
                    priority,
                });
            }
        }
    }
}
