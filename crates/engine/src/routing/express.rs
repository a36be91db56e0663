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
//!
//! On rings packets go the shorter way round, upward where both are as long, and need two classes: one of those that
//! have yet to pass the ends of the ring, another of those that have or never do (Dally & Seitz 1987). Neither goes
//! all round.

use super::classes::Classes;
use super::description::{Description, Fit, Needs, Site, Spread, of_family};
use super::options::{Levels, OptionKey};
use super::relation::{Candidate, Candidates, Head, Routing};
use crate::ConfigError;
use flitsim_topology::{ChannelId, ExpressCube};

/// What the registry knows of it.
pub(super) const ROUTING: Description = Description {
    name: "express",
    keys: &[OptionKey::Levels, OptionKey::Escape],
    fits: |network| Fit::yes_if(network.express_cube().is_some()),
    needs: Needs::Whole,
    virtual_channels_min: |site| site.network.express_cube().map_or(1, classes),
    is_minimal: false,
    spread: Spread::Even,
    escape_vcs: None,
};

/// Classes of virtual channels.
fn classes(cube: &ExpressCube) -> u32 {
    1 + u32::from(cube.parameters().rings)
}

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
    classes: Classes,
    levels: Levels,
}

impl<'n> Express<'n> {
    /// The algorithm on `cube`, over the highest levels, with `virtual_channels` virtual channels a channel.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels, [`ConfigError::Routing`] for one on rings.
    pub fn new(cube: &'n ExpressCube, virtual_channels: u32) -> Result<Self, ConfigError> {
        Ok(Self {
            cube,
            classes: Classes::new(
                virtual_channels,
                classes(cube),
                ROUTING.name,
                "two classes on rings",
            )?,
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
        let has_passed = !self.cube.wraps(head.node, head.destination);
        let vcs = self
            .classes
            .vcs(u32::from(has_passed) * (classes(self.cube) - 1));
        let most = match self.levels {
            Levels::Highest => 1,
            Levels::Any => usize::MAX,
        };
        for (priority, way) in (0..).zip(ways.take(most)) {
            for offset in 0..way.channels {
                candidates.push(Candidate {
                    channel: ChannelId(way.first.0 + offset),
                    vcs,
                    priority,
                });
            }
        }
    }
}
