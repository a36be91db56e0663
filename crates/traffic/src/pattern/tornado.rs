//! Tornado traffic (Dally & Towles, section 3.2, table 3.1).

use super::coordinates;
use super::law::{Context, Kind};
use super::permutation::Fixed;
use crate::PatternError;
use flitsim_keys::{Fault, Values};
use flitsim_topology::Network;

/// Tornado: each coordinate a -> a + ⌈k/2⌉ - 1 mod k. Grids only, with some radix above 2.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tornado;

impl Kind for Tornado {
    type Law = Fixed;

    fn read(_: &Values, _: &Context<'_>) -> Result<Self, Fault> {
        Ok(Self)
    }

    fn compile(&self, network: &Network) -> Result<Fixed, PatternError> {
        let grid = coordinates::of(network, "tornado")?;
        let image = coordinates::tornado(grid)?;
        Ok(Fixed(coordinates::of_terminals(network, image)))
    }
}
