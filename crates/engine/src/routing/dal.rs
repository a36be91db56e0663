//! DAL, dimensionally adaptive load-balanced routing on HyperX networks (Ahn et al. 2009, section 3): any
//! dimension that differs, to the destination's coordinate or, once in each dimension, to any other; where
//! none of that is to be had, dimension order on a virtual channel of its own.
//!
//! The state has a bit for each dimension in which the packet has gone astray. Why no cycle of direct or
//! indirect dependencies of the escape can close: a dimension that does not differ stays so, and an escape
//! hop makes one more of them, the lowest that is left. So the dimensions of a packet's escape hops
//! ascend, whatever lies between.

use super::description::{Description, Fit, Needs, Spread};
use super::relation::{Candidate, Candidates, Head, Routing, VcMask, all_virtual_channels};
use super::symmetry::Symmetry;
use crate::ConfigError;
use flitsim_topology::{ChannelId, HyperX};

/// What the registry knows of it.
pub(super) const ROUTING: Description = Description {
    name: "dal",
    keys: &[],
    fits: |network| Fit::yes_if(network.hyperx().is_some()),
    needs: Needs::Whole,
    virtual_channels_min: |_| 2,
    is_minimal: false,
    spread: Spread::Adaptive,
    escape_vcs: None,
};

/// Any hop in a dimension that differs, astray once in each.
#[derive(Clone, Copy, Debug)]
pub struct Astray<'n> {
    hyperx: &'n HyperX,
    all: VcMask,
}

impl<'n> Astray<'n> {
    /// The relation on `hyperx` with `virtual_channels` virtual channels a channel: it needs an escape.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels.
    pub fn new(hyperx: &'n HyperX, virtual_channels: u32) -> Result<Self, ConfigError> {
        Ok(Self {
            hyperx,
            all: all_virtual_channels(virtual_channels)?,
        })
    }
}

impl Routing for Astray<'_> {
    const DETERMINISTIC: bool = false;

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let there = self.hyperx.coordinates(head.destination);
        for astray in [false, true] {
            for i in self.hyperx.differing(head.node, head.destination) {
                let wanted = u32::from(there[i]);
                let is_spent = astray && head.state >> i & 1 == 1;
                for a in
                    (0..self.hyperx.sizes()[i]).filter(|&a| (a != wanted) == astray && !is_spent)
                {
                    for channel in self.hyperx.channels_to(head.node, i, a) {
                        candidates.push(Candidate {
                            channel,
                            vcs: self.all,
                            priority: u8::from(astray),
                        });
                    }
                }
            }
        }
    }

    #[inline]
    fn advance(&self, head: Head, channel: ChannelId, _: u32) -> u64 {
        let dimension = self.hyperx.dimension(head.node, channel);
        let wanted = u32::from(self.hyperx.coordinates(head.destination)[dimension]);
        let mut there = self.hyperx.channels_to(head.node, dimension, wanted);
        head.state | u64::from(!there.any(|c| c == channel)) << dimension
    }

    /// Those that keep every dimension.
    fn symmetry(&self) -> Symmetry {
        Symmetry::Translations
    }
}
