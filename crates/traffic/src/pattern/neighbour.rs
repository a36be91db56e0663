//! Neighbour traffic (Dally & Towles, section 3.2, table 3.1).

use super::coordinates;
use super::law::{Context, Kind};
use super::permutation::Fixed;
use crate::PatternError;
use flitsim_keys::{Fault, Values};
use flitsim_topology::Network;

/// Neighbour: each coordinate a -> a + 1 mod k. Grids only.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Neighbour;

impl Kind for Neighbour {
    type Law = Fixed;

    fn read(_: &Values, _: &Context<'_>) -> Result<Self, Fault> {
        Ok(Self)
    }

    fn compile(&self, network: &Network) -> Result<Fixed, PatternError> {
        let grid = coordinates::of(network, "neighbour")?;
        let image = coordinates::neighbour(grid);
        Ok(Fixed(coordinates::of_terminals(network, image)))
    }
}
