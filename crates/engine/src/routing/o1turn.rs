//! O1TURN: in the order of the dimensions or in the reverse, each for half of the packets, drawn at the source
//! (Seo, Ali, Lim, Rafique & Thottethodi, "Near-optimal worst-case throughput routing for two-dimensional mesh
//! networks", ISCA 2005).
//!
//! Why no cycle of dependencies can close: either order has virtual channels of its own, the lower half and
//! the upper, and is dimension order on them.

use super::classes::enough;
use super::description::{Description, Fit, Needs, Site, Spread, has_rings};
use super::options::{OptionKey, Options, Order};
use super::relation::{Candidates, Head, Routing, all_virtual_channels};
use crate::ConfigError;
use flitsim_topology::{ChannelId, Grid, NodeId};

/// What the registry knows of it.
pub(super) const ROUTING: Description = Description {
    name: "o1turn",
    keys: &[OptionKey::Tie, OptionKey::VcBalance, OptionKey::Escape],
    fits: |network| {
        let dimensions = network.grid().map(Grid::dimensions);
        let dimensions = dimensions.or(network.hyperx().map(|hyperx| hyperx.sizes().len()));
        Fit::yes_if(dimensions == Some(2))
    },
    needs: Needs::Whole,
    virtual_channels_min: |site| 2 + 2 * u32::from(site.network.grid().is_some_and(has_rings)),
    is_minimal: true,
    spread: Spread::Fixed,
    escape_vcs: None,
};

/// The relation that `site` asks for, over the orders that `order` builds.
pub(super) fn build<'n, 't, R>(
    site: &Site<'n, 't>,
    order: impl Fn(&Site<'n, '_>) -> Result<R, ConfigError>,
) -> Result<O1Turn<R>, ConfigError> {
    let (vcs, wanted) = (site.virtual_channels, (ROUTING.virtual_channels_min)(site));
    all_virtual_channels(vcs)?;
    let why = format_args!("{} for either order of the dimensions", wanted / 2);
    enough("o1turn", wanted, why, vcs)?;
    let lower = vcs.div_ceil(2);
    let order = |vcs, first| {
        let options = &Options {
            order: first,
            ..site.options.clone()
        };
        order(&Site {
            options,
            ..site.with(vcs)
        })
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
pub struct O1Turn<R> {
    orders: [R; 2],
    /// Virtual channels of the first order: the lower.
    lower: u32,
}

impl<R: Routing> Routing for O1Turn<R> {
    const DETERMINISTIC: bool = R::DETERMINISTIC;

    fn is_deterministic(&self) -> bool {
        self.orders[0].is_deterministic()
    }

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
