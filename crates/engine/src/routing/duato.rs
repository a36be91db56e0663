//! Duato's fully adaptive routing on tori, meshes and hypercubes (Duato, "A new theory of
//! deadlock-free adaptive routing in wormhole networks", IEEE Transactions on Parallel and
//! Distributed Systems 4 (12), 1993, section 5; Dally & Towles, section 14.3.2): every virtual
//! channel but the lowest on every shortest path, and where none of them is to be had, the lowest in
//! the order of dimensions. On rings the escape has two virtual channels, for its dateline.
//!
//! The escape must keep its order whatever adaptive hops lie between two of its own, so its class is
//! decided by position, not by what the packet did: class 0 while the wrap channel of the ring is
//! still ahead (the wrap hop included), class 1 where it is not. Why no cycle of direct or indirect
//! dependencies can close: all hops are minimal, so hops towards the destination are all that lies
//! between two escape hops of a packet. A dimension that was corrected stays so: dimensions come in
//! order. Within a dimension the direction stays from the first hop on (half way round, the escape
//! goes up; a packet that goes down instead is no longer half way round, and keeps going down), the
//! wrap, once behind, stays behind, and in each class places come in order along the ring: number
//! class 0 from the node after the wrap channel on, and class 1 the same, behind it.

use super::description::{Description, Fit, Needs, Site, Spread, of_grid};
use super::minimal_adaptive::MinimalAdaptive;
use super::options::{AfterEscape, OptionKey};
use super::relation::{Candidates, Head, Routing, VcMask, all_virtual_channels, vc_range};
use super::symmetry::Symmetry;
use super::with_escape::WithEscape;
use crate::ConfigError;
use flitsim_topology::{Direction, Ends, Grid};
use std::hint::select_unpredictable;

/// What the registry knows of it.
pub(super) const ROUTING: Description = Description {
    name: "duato",
    keys: &[OptionKey::AfterEscape],
    fits: |network| Fit::yes_if(network.grid().is_some()),
    needs: Needs::Whole,
    virtual_channels_min: |site| 1 + site.network.grid().map_or(1, ECube::virtual_channels_min),
    is_minimal: true,
    spread: Spread::Adaptive,
    escape_vcs: None,
};

/// The relation that `site` asks for.
pub(super) fn build<'n>(site: &Site<'n, '_>) -> Result<Duato<'n>, ConfigError> {
    let grid = of_grid(site, ROUTING.name)?;
    Duato::going_on(grid, site.virtual_channels, site.options.after_escape)
}

/// Fully adaptive minimal routing with an e-cube escape.
pub type Duato<'n> = WithEscape<MinimalAdaptive<&'n Grid>, ECube<'n>>;

impl<'n> Duato<'n> {
    /// The algorithm on `grid` with `virtual_channels` virtual channels a channel: the lowest for
    /// the escape, or the two lowest where there are rings.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels, and
    /// [`ConfigError::Routing`] with fewer than two, or than three where there are rings.
    pub fn new(grid: &'n Grid, virtual_channels: u32) -> Result<Self, ConfigError> {
        Self::going_on(grid, virtual_channels, AfterEscape::Return)
    }

    /// As [`new`](Self::new); after a hop over the escape a packet goes on as `after` says.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn going_on(
        grid: &'n Grid,
        virtual_channels: u32,
        after: AfterEscape,
    ) -> Result<Self, ConfigError> {
        Self::compose(
            "duato",
            virtual_channels,
            ECube::virtual_channels_min(grid),
            after,
            |vcs| MinimalAdaptive::new(grid, vcs),
            |vcs| ECube::new(grid, vcs),
        )
    }
}

/// Dimension order, the lowest first, with datelines decided by position: the state of a packet is
/// where it is, so that it may begin anywhere. Half way round an even ring it goes upward.
#[derive(Clone, Copy, Debug)]
pub struct ECube<'n> {
    grid: &'n Grid,
    all: VcMask,
    wrap_ahead: VcMask,
    no_wrap_ahead: VcMask,
}

impl<'n> ECube<'n> {
    /// The algorithm on `grid` with `virtual_channels` virtual channels a channel.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels, and
    /// [`ConfigError::Routing`] with fewer than [`ECube::virtual_channels_min`].
    pub fn new(grid: &'n Grid, virtual_channels: u32) -> Result<Self, ConfigError> {
        let all = all_virtual_channels(virtual_channels)?;
        if virtual_channels < Self::virtual_channels_min(grid) {
            return Err(ConfigError::routing(
                "e-cube on rings needs at least 2 virtual channels, one while the wrap \
                         channel is ahead and one where it is not; there is 1",
            ));
        }
        let half = virtual_channels.div_ceil(2);
        Ok(Self {
            grid,
            all,
            wrap_ahead: vc_range(0, half),
            // Never asked for where there is but one virtual channel: without rings.
            no_wrap_ahead: vc_range(half, virtual_channels),
        })
    }

    /// The virtual channels that it needs: 2 where there are rings, 1 elsewhere.
    pub fn virtual_channels_min(grid: &Grid) -> u32 {
        1 + u32::from((0..grid.dimensions()).any(|i| grid.is_ring(i)))
    }

    #[inline]
    fn goes_up(&self, dimension: usize, from: u32, to: u32) -> bool {
        match self.grid.ends() {
            Ends::DirectedRing => true,
            Ends::Ring if self.grid.is_ring(dimension) => {
                let k = self.grid.radices()[dimension];
                let round = select_unpredictable(to > from, 0, k);
                2 * (to + round - from) <= k
            }
            Ends::Ring | Ends::Open => to > from,
        }
    }
}

impl Routing for ECube<'_> {
    const DETERMINISTIC: bool = true;

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        if let Some(mut channels) = (self.grid).closer_on_hypercube(head.node, head.destination) {
            if let Some(channel) = channels.next() {
                candidates.add(channel, self.all);
            }
            return;
        }
        let here = self.grid.coordinates(head.node);
        let there = self.grid.coordinates(head.destination);
        // The first one that differs, without a branch: no predictor foresees which.
        let none = here.len();
        let dimension = (0..none).rev().fold(none, |first, i| {
            select_unpredictable(here[i] != there[i], i, first)
        });
        if dimension == none {
            return;
        }
        let (from, to) = (u32::from(here[dimension]), u32::from(there[dimension]));
        let up = self.goes_up(dimension, from, to);
        let wraps = (to < from) == up;
        let vcs = match self.grid.is_ring(dimension) {
            false => self.all,
            true => select_unpredictable(wraps, self.wrap_ahead, self.no_wrap_ahead),
        };
        if let Some(channel) = (self.grid).channel(head.node, dimension, Direction::up_if(up)) {
            candidates.add(channel, vcs);
        }
    }

    /// As in dimension order: on the hypercube alone all nodes look alike.
    fn symmetry(&self) -> Symmetry {
        let mut dimensions = 0..self.grid.dimensions();
        if dimensions.all(|i| self.grid.radices()[i] == 2 && !self.grid.is_ring(i)) {
            Symmetry::Translations
        } else {
            Symmetry::None
        }
    }
}
