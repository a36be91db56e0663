//! DAL, dimensionally adaptive load-balanced routing on HyperX networks (Ahn et al. 2009, section 3): any
//! dimension that differs, to the destination's coordinate or, once in each dimension, to any other; where
//! none of that is to be had, dimension order on a virtual channel of its own.
//!
//! The state has a bit for each dimension in which the packet has gone astray, and an escape hop keeps it: no
//! packet takes more than two hops in a dimension. Why no cycle of direct or
//! indirect dependencies of the escape can close: a dimension that does not differ stays so, and an escape
//! hop makes one more of them, the lowest that is left. So the dimensions of a packet's escape hops
//! ascend, whatever lies between.

use super::classes::enough;
use super::description::{Description, Fit, Needs, Site, Spread, of_family};
use super::hyperx_order::HyperXOrder;
use super::options::Order;
use super::relation::{
    Candidate, Candidates, Head, Routing, VcMask, all_virtual_channels, vc_range,
};
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

/// The virtual channel of the escape.
const ESCAPE: VcMask = 1;

/// The relation that `site` asks for.
pub(super) fn build<'n>(site: &Site<'n, '_>) -> Result<Dal<'n>, ConfigError> {
    let hyperx = of_family(site.network.hyperx(), ROUTING.name, "a HyperX")?;
    Dal::new(hyperx, site.virtual_channels)
}

/// Any hop in a dimension that differs, astray once in each; dimension order on the lowest virtual channel.
#[derive(Clone, Copy, Debug)]
pub struct Dal<'n> {
    hyperx: &'n HyperX,
    escape: HyperXOrder<'n>,
    /// Virtual channels of all hops but the escape's.
    adaptive: VcMask,
}

impl<'n> Dal<'n> {
    /// The algorithm on `hyperx` with `virtual_channels` virtual channels a channel.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels, [`ConfigError::Routing`] where
    /// there is but one.
    pub fn new(hyperx: &'n HyperX, virtual_channels: u32) -> Result<Self, ConfigError> {
        all_virtual_channels(virtual_channels)?;
        let why = format_args!("1 for the escape and 1 to be adaptive");
        enough(ROUTING.name, 2, why, virtual_channels)?;
        Ok(Self {
            hyperx,
            escape: HyperXOrder::new(hyperx, 1, Order::LowestFirst)?,
            adaptive: vc_range(1, virtual_channels),
        })
    }
}

impl Routing for Dal<'_> {
    const DETERMINISTIC: bool = false;

    fn has_escape(&self) -> bool {
        true
    }

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
                            vcs: self.adaptive,
                            priority: u8::from(astray),
                        });
                    }
                }
            }
        }
        candidates.append(0, |own| self.escape.route(head, own));
    }

    #[inline]
    fn advance(&self, head: Head, channel: ChannelId, _: u32) -> u64 {
        let dimension = self.hyperx.dimension(head.node, channel);
        let wanted = u32::from(self.hyperx.coordinates(head.destination)[dimension]);
        let mut there = self.hyperx.channels_to(head.node, dimension, wanted);
        head.state | u64::from(!there.any(|c| c == channel)) << dimension
    }

    #[inline]
    fn escape_vcs(&self, _: Head, candidate: Candidate) -> VcMask {
        candidate.vcs & ESCAPE
    }

    /// Those that keep every dimension.
    fn symmetry(&self) -> Symmetry {
        Symmetry::Translations
    }
}
