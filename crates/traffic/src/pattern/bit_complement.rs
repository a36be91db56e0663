//! Bit complement traffic (Dally & Towles, section 3.2, table 3.1).

use super::law::{Context, Kind};
use super::permutation::Fixed;
use super::{bits, coordinates};
use crate::PatternError;
use flitsim_keys::{Fault, Values};
use flitsim_topology::Network;

/// Bit complement, d_i = ¬s_i: on a grid each coordinate a -> k - 1 - a, which is the complement of the
/// address where the radices are powers of two. Other networks need a power of two of terminals.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BitComplement;

impl Kind for BitComplement {
    type Law = Fixed;

    fn read(_: &Values, _: &Context<'_>) -> Result<Self, Fault> {
        Ok(Self)
    }

    fn compile(&self, network: &Network) -> Result<Fixed, PatternError> {
        match network.routers().grid() {
            Some(grid) => {
                let image = coordinates::complement(grid);
                Ok(Fixed(coordinates::of_terminals(network, image)))
            }
            None => bits::complement(network.terminals()).map(Fixed),
        }
    }
}
