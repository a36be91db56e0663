//! Odd-even routing on two-dimensional meshes (Chiu, "The odd-even turn model for adaptive
//! routing", IEEE Transactions on Parallel and Distributed Systems 11 (7), 2000): minimal, by the
//! paper's function ROUTE.
//!
//! Dimension 0 is x, east its higher coordinates; a column is the nodes of one x, even or odd.
//! Dimension 1 is y. Rule 1: no packet turns from east to north in an even column, nor from north
//! to west in an odd one. Rule 2: no packet turns from east to south in an even column, nor from
//! south to west in an odd one.
//!
//! Why no cycle of dependencies can close: its rightmost column would have to hold both a turn from
//! east and, a few nodes further along the column, one to the west; the first needs an odd column,
//! the second an even one. Why no packet comes to a dead end: one that goes east turns in an odd
//! column at the latest, the last before its destination's if that is even; one that goes west
//! turns in even columns only, and comes to its destination's column in any case. One virtual
//! channel is enough; more are alike. No pair of nodes is confined as west-first confines all those
//! to the west.

use super::description::{Description, Fit, Needs, Site, Spread, has_rings, of_family, one};
use super::options::OptionKey;
use super::relation::{Candidates, Head, Routing, VcMask, all_virtual_channels};
use crate::ConfigError;
use flitsim_topology::{Direction, Grid, NodeId};
use std::hint::select_unpredictable;

/// What the registry knows of it.
pub(super) const ROUTING: Description = Description {
    name: "odd-even",
    keys: &[OptionKey::Escape],
    fits: |network| {
        let is_mesh = |grid: &Grid| grid.dimensions() == 2 && !has_rings(grid);
        Fit::yes_if(network.grid().is_some_and(is_mesh))
    },
    needs: Needs::Whole,
    virtual_channels_min: one,
    is_minimal: true,
    spread: Spread::Adaptive,
    escape_vcs: None,
};

/// The relation that `site` asks for.
pub(super) fn build<'n>(site: &Site<'n, '_>) -> Result<OddEven<'n>, ConfigError> {
    let grid = of_family(
        site.network.grid(),
        ROUTING.name,
        "a mesh of two dimensions",
    )?;
    OddEven::new(grid, site.virtual_channels)
}

/// Odd-even routing. The state is the column where the packet started.
#[derive(Clone, Copy, Debug)]
pub struct OddEven<'n> {
    grid: &'n Grid,
    vcs: VcMask,
}

impl<'n> OddEven<'n> {
    /// The algorithm on `grid` with `virtual_channels` virtual channels a channel.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels, and
    /// [`ConfigError::Routing`] unless the grid is a mesh of two dimensions.
    pub fn new(grid: &'n Grid, virtual_channels: u32) -> Result<Self, ConfigError> {
        let vcs = all_virtual_channels(virtual_channels)?;
        if grid.dimensions() != 2 {
            return Err(ConfigError::routing(format!(
                "odd-even needs a mesh of two dimensions, for its columns; this one has {}",
                grid.dimensions()
            )));
        }
        if grid.is_ring(0) || grid.is_ring(1) {
            return Err(ConfigError::routing(
                "odd-even needs a mesh: a ring closes a cycle without any turn",
            ));
        }
        Ok(Self { grid, vcs })
    }
}

/// The ways that the paper's ROUTE allows: along the row, along the column.
#[inline]
fn allowed(source_x: u16, here: [u16; 2], there: [u16; 2]) -> (bool, bool) {
    let [x, y] = here;
    let [to_x, to_y] = there;
    let (is_even, is_row) = (x.is_multiple_of(2), y == to_y);
    // To the west, columns are left for the row in even ones; to the east, entered in odd ones or at the source.
    let turns = select_unpredictable(to_x < x, is_even, !is_even | (x == source_x));
    // A turn in the destination's column is possible only if that is odd: if not, the hop into it
    // must wait until the row is right.
    let waits = to_x.is_multiple_of(2) & (to_x == x + 1) & !is_row;
    let is_column = x == to_x;
    (!is_column & !waits, is_column | !is_row & turns)
}

impl Routing for OddEven<'_> {
    const DETERMINISTIC: bool = false;

    #[inline]
    fn initial(&self, source: NodeId, _: NodeId, _: u32) -> u64 {
        u64::from(self.grid.coordinate(source, 0))
    }

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let here = self.grid.coordinates(head.node);
        let there = self.grid.coordinates(head.destination);
        let (here, there) = ([here[0], here[1]], [there[0], there[1]]);
        let (along_row, along_column) = allowed(head.state as u16, here, there);
        let left = |i: usize| here[i].abs_diff(there[i]);
        let longest_first = match left(0) >= left(1) {
            true => [(0, along_row), (1, along_column)],
            false => [(1, along_column), (0, along_row)],
        };
        for (dimension, is_allowed) in longest_first {
            let direction = Direction::up_if(there[dimension] > here[dimension]);
            if let Some(channel) = self.grid.channel(head.node, dimension, direction) {
                candidates.add(channel, self.vcs);
                candidates.keep_last_if(is_allowed);
            }
        }
    }
}
