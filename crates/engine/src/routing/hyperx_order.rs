//! Dimension order on HyperX networks: one hop in each dimension that differs, the lowest first, or the
//! highest (Ahn et al. 2009, section 3, "DOR").
//!
//! Why no cycle of dependencies can close: the dimensions of a packet's hops ascend, or descend. It may
//! begin anywhere, and so serve as an escape; parallel channels are so many candidates.

use super::description::{Site, of_family};
use super::options::Order;
use super::relation::{Candidates, Head, Routing, VcMask, all_virtual_channels};
use super::symmetry::Symmetry;
use crate::ConfigError;
use flitsim_topology::HyperX;

/// The relation that `site` asks for.
pub(super) fn build<'n>(site: &Site<'n, '_>) -> Result<HyperXOrder<'n>, ConfigError> {
    let hyperx = of_family(site.network.hyperx(), "dimension-order", "a HyperX")?;
    HyperXOrder::new(hyperx, site.virtual_channels, site.options.order)
}

/// Dimension order on a HyperX.
#[derive(Clone, Copy, Debug)]
pub struct HyperXOrder<'n> {
    hyperx: &'n HyperX,
    order: Order,
    all: VcMask,
}

impl<'n> HyperXOrder<'n> {
    /// The algorithm on `hyperx` with `virtual_channels` virtual channels a channel.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels.
    pub fn new(
        hyperx: &'n HyperX,
        virtual_channels: u32,
        order: Order,
    ) -> Result<Self, ConfigError> {
        Ok(Self {
            hyperx,
            order,
            all: all_virtual_channels(virtual_channels)?,
        })
    }
}

impl Routing for HyperXOrder<'_> {
    const DETERMINISTIC: bool = false;

    fn is_deterministic(&self) -> bool {
        self.hyperx.has_single_channels()
    }

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let mut differing = self.hyperx.differing(head.node, head.destination);
        let dimension = match self.order {
            Order::LowestFirst => differing.next(),
            Order::HighestFirst => differing.last(),
        };
        let Some(dimension) = dimension else { return };
        let there = u32::from(self.hyperx.coordinates(head.destination)[dimension]);
        for channel in self.hyperx.channels_to(head.node, dimension, there) {
            candidates.add(channel, self.all);
        }
    }

    /// Not those that exchange dimensions.
    fn symmetry(&self) -> Symmetry {
        match self.hyperx.sizes() {
            [_] => Symmetry::Automorphisms,
            _ => Symmetry::Translations,
        }
    }
}
