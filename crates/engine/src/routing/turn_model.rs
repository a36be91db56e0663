//! The turn models on meshes: west-first, north-last and negative-first (Glass & Ni, "The turn
//! model for adaptive routing", ISCA 1992, and Journal of the ACM 41 (5), 1994).
//!
//! The compass: dimension 0 is x, east its higher coordinates and west its lower; dimension 1 is y,
//! north its higher coordinates and south its lower.
//!
//! Each rule parts the directions in two. A packet first makes all its hops in directions of the
//! first part, adaptively, and then those in the second, adaptively; every route is minimal:
//!
//! | rule | two dimensions | n dimensions | first part |
//! | --- | --- | --- | --- |
//! | west-first | west, then the others | all-but-one-negative-first | negative in all dimensions but the last |
//! | north-last | the others, then north | all-but-one-positive-last | negative in all dimensions, positive in dimension 0 |
//! | negative-first | west and south, then east and north | negative-first | negative in all dimensions |
//!
//! The names of the n-dimensional rules are the paper's. On a hypercube, negative-first is its
//! p-cube routing.
//!
//! Why no cycle of dependencies can close: no packet turns from the second part to the first, so a
//! cycle would lie within one part. In each part, one dimension at most has both directions; hops
//! in any other dimension of the part are never undone, so the cycle would lie in that one
//! dimension, and minimal routes never turn round within a dimension. One virtual channel is
//! enough; more are alike.

use super::description::{Description, Fit, Needs, Site, Spread, has_rings, of_family, one};
use super::options::OptionKey;
use super::relation::{Candidates, Head, Routing, VcMask, all_virtual_channels};
use crate::ConfigError;
use flitsim_topology::{Direction, Grid, MinimalPaths, Network};

/// What the registry knows of it.
pub(super) const WEST_FIRST: Description = Description {
    name: "west-first",
    fits,
    keys: &[OptionKey::Escape],
    needs: Needs::Whole,
    virtual_channels_min: one,
    is_minimal: true,
    spread: Spread::Adaptive,
    escape_vcs: Some(escape_vcs),
};

/// What the registry knows of it.
pub(super) const NORTH_LAST: Description = Description {
    name: "north-last",
    ..WEST_FIRST
};

/// What the registry knows of it.
pub(super) const NEGATIVE_FIRST: Description = Description {
    name: "negative-first",
    ..WEST_FIRST
};

fn fits(network: &Network) -> Fit {
    Fit::yes_if(network.grid().is_some_and(|grid| !has_rings(grid)))
}

fn escape_vcs(network: &Network) -> Option<u32> {
    (fits(network) != Fit::No).then_some(1)
}

/// The relation of `rule` that `site` asks for.
pub(super) fn build<'n>(site: &Site<'n, '_>, rule: TurnRule) -> Result<TurnModel<'n>, ConfigError> {
    let grid = of_family(site.network.grid(), rule.name(), "a mesh or hypercube")?;
    TurnModel::new(grid, site.virtual_channels, rule)
}

/// Which turns are forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnRule {
    /// Those to the west: north to west and south to west.
    WestFirst,
    /// Those from the north: north to west and north to east.
    NorthLast,
    /// Those from a positive direction to a negative: north to west and east to south.
    NegativeFirst,
}

impl TurnRule {
    /// The name in scenario files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WestFirst => "west-first",
            Self::NorthLast => "north-last",
            Self::NegativeFirst => "negative-first",
        }
    }

    /// Whether hops in this direction, in a mesh of `dimensions` dimensions, come first.
    const fn is_first(self, dimensions: usize, dimension: usize, direction: Direction) -> bool {
        match (self, direction) {
            (Self::WestFirst, Direction::Down) => dimension + 1 < dimensions,
            (Self::NorthLast, Direction::Up) => dimension == 0,
            (Self::NorthLast | Self::NegativeFirst, Direction::Down) => true,
            (Self::WestFirst | Self::NegativeFirst, Direction::Up) => false,
        }
    }
}

/// Minimal routing on a mesh or hypercube that is adaptive but for the turns of a [`TurnRule`].
#[derive(Clone, Copy, Debug)]
pub struct TurnModel<'n> {
    grid: &'n Grid,
    rule: TurnRule,
    vcs: VcMask,
}

impl<'n> TurnModel<'n> {
    /// The algorithm on `grid` with `virtual_channels` virtual channels a channel.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels, and
    /// [`ConfigError::Routing`] on rings.
    pub fn new(grid: &'n Grid, virtual_channels: u32, rule: TurnRule) -> Result<Self, ConfigError> {
        let vcs = all_virtual_channels(virtual_channels)?;
        if (0..grid.dimensions()).any(|i| grid.is_ring(i)) {
            return Err(ConfigError::routing(format!(
                "{} needs a mesh: a ring closes a cycle without any turn",
                rule.name()
            )));
        }
        Ok(Self { grid, rule, vcs })
    }

    /// Whether a hop from `from` to `to` in `dimension` belongs to the first part.
    #[inline]
    fn is_first(&self, dimension: usize, from: u16, to: u16) -> bool {
        let direction = Direction::up_if(to > from);
        let dimensions = self.grid.dimensions();
        self.rule.is_first(dimensions, dimension, direction)
    }
}

impl Routing for TurnModel<'_> {
    const DETERMINISTIC: bool = false;

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let here = self.grid.coordinates(head.node);
        let there = self.grid.coordinates(head.destination);
        let is_first = |i: usize| self.is_first(i, here[i], there[i]);
        let first_left = (0..here.len()).any(|i| here[i] != there[i] && is_first(i));
        self.grid
            .for_each_minimal_hop(head.node, head.destination, |channel, hops| {
                let dimension = self.grid.step(channel).dimension as usize;
                if is_first(dimension) == first_left {
                    candidates.add_by_hops(channel, hops);
                }
            });
        candidates.set_vcs(self.vcs);
    }
}
