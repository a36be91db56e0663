//! Transpose traffic (Dally & Towles, section 3.2, table 3.1).

use super::law::{Context, Kind};
use super::permutation::Fixed;
use super::{bits, coordinates};
use crate::PatternError;
use flitsim_keys::{Fault, Values};
use flitsim_topology::Network;

/// Matrix transpose: the lower half of the dimensions is swapped with the upper half, a_i ->
/// a_{i + ⌈n/2⌉} and back; the middle one of an odd number stays. In two dimensions (x, y) -> (y, x),
/// in three (x, y, z) -> (z, y, x). The radices that change places must be equal. Where radices are
/// powers of two and n is even this is the book's rule on bits, d_i = s_{(i + b/2) mod b}; a network
/// without at least two dimensions takes that rule, and needs 2^b terminals with b even.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Transpose;

impl Kind for Transpose {
    type Law = Fixed;

    fn read(_: &Values, _: &Context<'_>) -> Result<Self, Fault> {
        Ok(Self)
    }

    fn compile(&self, network: &Network) -> Result<Fixed, PatternError> {
        match network.routers().grid() {
            Some(grid) if grid.dimensions() > 1 => {
                let image = coordinates::transpose(grid)?;
                Ok(Fixed(coordinates::of_terminals(network, image)))
            }
            _ => bits::transpose(network.terminals()).map(Fixed),
        }
    }
}
