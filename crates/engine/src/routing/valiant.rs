//! Valiant's randomized routing (Valiant & Brebner, "Universal schemes for parallel communication",
//! STOC 1981; Valiant, "A scheme for fast parallel communication", SIAM Journal on Computing 11 (2),
//! 1982; Dally & Towles, section 9.2.2): in dimension order to a terminal drawn at random, and from
//! there in dimension order to the destination.
//!
//! Any pattern becomes uniform traffic twice over: the load of every channel is at most twice that
//! of uniform traffic. The terminal between may be any, the source and the destination included.
//! A packet that comes by its destination on the way to the terminal between is taken there and
//! then, for a router never lets a packet pass its destination.
//!
//! Why no cycle of dependencies can close: the two legs have virtual channels of their own, the
//! lower half and the upper, each leg is dimension order, and none returns to the first leg.

use super::classes::enough;
use super::description::{Description, Fit, Needs, Site, Spread, of_grid};
use super::dimension_order::DimensionOrder;
use super::options::{OptionKey, Tie};
use super::relation::{Candidates, Head, Routing, all_virtual_channels};
use super::symmetry::Symmetry;
use crate::ConfigError;
use flitsim_topology::{ChannelId, Ends, Grid, NodeId};

/// What the registry knows of it.
pub(super) const ROUTING: Description = Description {
    name: "valiant",
    keys: &[OptionKey::VcBalance, OptionKey::Escape],
    fits: |network| Fit::yes_if(network.grid().is_some()),
    needs: Needs::Whole,
    virtual_channels_min: |site| site.network.grid().map_or(2, Valiant::virtual_channels_min),
    is_minimal: false,
    spread: Spread::Fixed,
    escape_vcs: None,
};

/// The relation that `site` asks for, which messages call `name`.
pub(super) fn build<'n>(name: &str, site: &Site<'n, '_>) -> Result<Valiant<'n>, ConfigError> {
    let grid = of_grid(site, name)?;
    Valiant::named(name, grid, site.virtual_channels, site.options.vc_balance)
}

/// What the registry knows of ROMM, randomized, oblivious, multi-phase, minimal routing in two phases (Nesson &
/// Johnsson, "ROMM routing on mesh and torus networks", SPAA 1995): the same by way of a terminal on a
/// shortest path.
pub(super) const ROMM: Description = Description {
    name: "romm",
    keys: &[OptionKey::Escape],
    is_minimal: true,
    ..ROUTING
};

/// The relation that `site` asks for, as ROMM.
pub(super) fn build_romm<'n>(site: &Site<'n, '_>) -> Result<Valiant<'n>, ConfigError> {
    Ok(Valiant {
        is_minimal: true,
        ..build(ROMM.name, site)?
    })
}

/// Dimension order to a random terminal, then to the destination.
///
/// The state is the terminal between, then a bit for each dimension that says which way to go
/// where either is as short, then whether the second leg has begun.
#[derive(Clone, Debug)]
pub struct Valiant<'n> {
    grid: &'n Grid,
    legs: [DimensionOrder<'n>; 2],
    /// Virtual channels of the first leg: the lower.
    lower: u32,
    /// Dimensions with an even ring.
    even_rings: u32,
    /// Whether the terminal between is on a shortest path.
    is_minimal: bool,
}

const SECOND_LEG: u64 = 1;

impl<'n> Valiant<'n> {
    /// The algorithm on `grid` with `virtual_channels` virtual channels a channel; `vc_balance` as
    /// in [`DimensionOrder::new`], for each leg.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels, and
    /// [`ConfigError::Routing`] with fewer than [`Valiant::virtual_channels_min`].
    pub fn new(
        grid: &'n Grid,
        virtual_channels: u32,
        vc_balance: bool,
    ) -> Result<Self, ConfigError> {
        Self::named(ROUTING.name, grid, virtual_channels, vc_balance)
    }

    fn named(
        name: &str,
        grid: &'n Grid,
        virtual_channels: u32,
        vc_balance: bool,
    ) -> Result<Self, ConfigError> {
        all_virtual_channels(virtual_channels)?;
        let wanted = Self::virtual_channels_min(grid);
        let each = match wanted {
            4 => "2, for the dateline of rings, on the way to the terminal between",
            _ => "1 on the way to the terminal between",
        };
        let why = format_args!("{each} and as many on the way from there");
        enough(name, wanted, why, virtual_channels)?;
        let lower = virtual_channels.div_ceil(2);
        let leg = |vcs| DimensionOrder::new(grid, vcs, Tie::Random, vc_balance);
        let is_even_ring = |&i: &usize| {
            grid.ends() == Ends::Ring && grid.is_ring(i) && grid.radices()[i].is_multiple_of(2)
        };
        Ok(Self {
            grid,
            legs: [leg(lower)?, leg(virtual_channels - lower)?],
            lower,
            even_rings: (0..grid.dimensions()).filter(is_even_ring).count() as u32,
            is_minimal: false,
        })
    }

    /// The virtual channels that it needs: 4 where there are rings, 2 elsewhere.
    pub fn virtual_channels_min(grid: &Grid) -> u32 {
        match (0..grid.dimensions()).any(|i| grid.is_ring(i)) {
            true => 4,
            false => 2,
        }
    }

    /// Dimensions with an even ring, each with a bit in the number of an initial state.
    pub(super) fn even_rings(&self) -> u32 {
        self.even_rings
    }

    /// The terminal between that a packet in `state` goes to, or came by.
    pub fn between(&self, state: u64) -> NodeId {
        NodeId((state >> (1 + self.grid.dimensions())) as u32)
    }

    /// Both legs, each with the first of its virtual channels.
    pub fn legs(&self) -> [(DimensionOrder<'n>, u32); 2] {
        let [first, second] = &self.legs;
        [(first.clone(), 0), (second.clone(), self.lower)]
    }

    /// Whether the terminal between is on a shortest path.
    pub(super) fn is_minimal(&self) -> bool {
        self.is_minimal
    }

    /// Nodes of the grid.
    pub(super) fn nodes(&self) -> u32 {
        self.grid.radices().iter().product()
    }

    /// In a dimension: the hops of the shortest way, whether it leads down, and whether up is as short.
    fn span(&self, dimension: usize, from: NodeId, to: NodeId) -> (u32, bool, bool) {
        let (grid, k) = (self.grid, self.grid.radices()[dimension]);
        let [a, b] = [from, to].map(|node| grid.coordinate(node, dimension));
        let up = (b + k - a) % k;
        match grid.ends() {
            _ if !grid.is_ring(dimension) => (a.abs_diff(b), b < a, false),
            Ends::Ring if 2 * up >= k => (k - up, true, 2 * up == k),
            _ => (up, false, false),
        }
    }

    /// The terminal on a shortest path that `choice` stands for, and the ways round even rings.
    fn on_the_way(&self, from: NodeId, to: NodeId, choice: u32) -> u64 {
        let (mut rest, mut node, mut stride, mut ways) = (choice, 0, 1, 0);
        for (i, &k) in self.grid.radices().iter().enumerate() {
            let (hops, mut down, either) = self.span(i, from, to);
            if either {
                (rest, down) = (rest / 2, rest % 2 == 1);
                ways |= u64::from(down) << i;
            }
            let along = rest % (hops + 1);
            let from = self.grid.coordinate(from, i);
            node += (from + if down { k - along } else { along }) % k * stride;
            (rest, stride) = (rest / (hops + 1), stride * k);
        }
        u64::from(node) << self.grid.dimensions() | ways
    }

    /// The leg at hand, with the head as its dimension order sees it.
    #[inline]
    fn leg(&self, head: Head) -> (usize, Head) {
        let between = self.between(head.state);
        let second = head.state & SECOND_LEG != 0 || head.node == between;
        let own = |&(_, vc): &(ChannelId, u32)| (vc >= self.lower) == second;
        let raise = if second { self.lower } else { 0 };
        let arrived = head.arrived.filter(own);
        let leg = Head {
            node: head.node,
            arrived: arrived.map(|(channel, vc)| (channel, vc - raise)),
            destination: if second { head.destination } else { between },
            state: head.state >> 1,
        };
        (usize::from(second), leg)
    }
}

impl Routing for Valiant<'_> {
    const DETERMINISTIC: bool = true;

    /// A terminal, and a way round each even ring: less than 2^32, for a torus of n rings of radix 4
    /// or more within the limit of channels has n < 11.
    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        if self.is_minimal {
            let spans = (0..self.grid.dimensions()).map(|i| self.span(i, source, destination));
            return spans
                .map(|(hops, _, either)| (hops + 1) << u32::from(either))
                .product();
        }
        self.nodes() << self.even_rings
    }

    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        let grid = self.grid;
        if self.is_minimal {
            return self.on_the_way(source, destination, choice) << 1;
        }
        let mut state = u64::from(choice >> self.even_rings) << grid.dimensions();
        let mut ways = choice;
        for i in (0..grid.dimensions()).filter(|&i| grid.radices()[i].is_multiple_of(2)) {
            if grid.ends() == Ends::Ring && grid.is_ring(i) {
                state |= u64::from(ways & 1) << i;
                ways >>= 1;
            }
        }
        state << 1
    }

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let (number, leg) = self.leg(head);
        let shift = if number == 0 { 0 } else { self.lower };
        candidates.append(shift, |own| self.legs[number].route(leg, own));
    }

    #[inline]
    fn advance(&self, head: Head, _: ChannelId, _: u32) -> u64 {
        let (number, _) = self.leg(head);
        head.state | number as u64
    }

    /// To every terminal as likely, and on from there.
    fn symmetry_of_ways(&self) -> Symmetry {
        self.legs[0].symmetry_of_ways()
    }
}
