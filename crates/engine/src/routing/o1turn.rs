//! O1TURN: in the order of the dimensions or in the reverse, each for half of the packets, drawn at the source
//! (Seo, Ali, Lim, Rafique & Thottethodi, "Near-optimal worst-case throughput routing for two-dimensional mesh
//! networks", ISCA 2005).
//!
//! Why no cycle of dependencies can close: either order has virtual channels of its own, the lower half and
//! the upper, and is dimension order on them.

use super::classes::enough;
use super::description::{Description, Fit, Needs, Site, Spread, has_rings, of_family};
use super::dimension_order::DimensionOrder;
use super::options::{OptionKey, Order};
use super::relation::{Candidates, Head, Routing, all_virtual_channels};
use crate::ConfigError;
use flitsim_topology::{ChannelId, Grid, NodeId};

/// What the registry knows of it.
pub(super) const ROUTING: Description = Description {
    name: "o1turn",
    keys: &[OptionKey::Tie, OptionKey::VcBalance, OptionKey::Escape],
    fits: |network| Fit::yes_if(network.grid().is_some_and(|grid| grid.dimensions() == 2)),
    needs: Needs::Whole,
    virtual_channels_min: |site| site.network.grid().map_or(2, O1Turn::virtual_channels_min),
    is_minimal: true,
    spread: Spread::Fixed,
    escape_vcs: None,
};

/// The relation that `site` asks for.
pub(super) fn build<'n>(site: &Site<'n, '_>) -> Result<O1Turn<'n>, ConfigError> {
    let grid = of_family(site.network.grid(), ROUTING.name, "two dimensions")?;
    let (vcs, wanted) = (site.virtual_channels, O1Turn::virtual_channels_min(grid));
    all_virtual_channels(vcs)?;
    let why = format_args!("{} for either order of the dimensions", wanted / 2);
    enough("o1turn", wanted, why, vcs)?;
    let lower = vcs.div_ceil(2);
    let order = |vcs, order| {
        let routing = DimensionOrder::new(grid, vcs, site.options.tie, site.options.vc_balance);
        routing.map(|routing| routing.with_order(order))
    };
    Ok(O1Turn {
        orders: [
            order(lower, Order::LowestFirst)?,
            order(vcs - lower, Order::HighestFirst)?,
        ],
        lower,
    })
}

/// Either order of two dimensions. The lowest bit of the state says which, the others are its own.
#[derive(Clone, Debug)]
pub struct O1Turn<'n> {
    orders: [DimensionOrder<'n>; 2],
    /// Virtual channels of the first order: the lower.
    lower: u32,
}

impl O1Turn<'_> {
    /// The virtual channels that it needs: those of both orders.
    pub fn virtual_channels_min(grid: &Grid) -> u32 {
        if has_rings(grid) { 4 } else { 2 }
    }
}

impl Routing for O1Turn<'_> {
    const DETERMINISTIC: bool = true;

    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        2 * self.orders[0].choices(source, destination)
    }

    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        let own = self.orders[0].initial(source, destination, choice / 2);
        own << 1 | u64::from(choice & 1)
    }

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let number = (head.state & 1) as usize;
        let shift = if number == 0 { 0 } else { self.lower };
        let own = |(channel, vc): (ChannelId, u32)| Some((channel, vc.checked_sub(shift)?));
        let own = Head {
            arrived: head.arrived.and_then(own),
            state: head.state >> 1,
            ..head
        };
        candidates.append(shift, |list| self.orders[number].route(own, list));
    }
}
