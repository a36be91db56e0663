//! Bit reversal traffic (Dally & Towles, section 3.2, table 3.1).

use super::bits;
use super::law::{Context, Kind};
use super::permutation::Fixed;
use crate::PatternError;
use flitsim_keys::{Fault, Values};
use flitsim_topology::Network;

/// Bit reversal, d_i = s_{b-1-i}; a power of two of terminals.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BitReverse;

impl Kind for BitReverse {
    type Law = Fixed;

    fn read(_: &Values, _: &Context<'_>) -> Result<Self, Fault> {
        Ok(Self)
    }

    fn compile(&self, network: &Network) -> Result<Fixed, PatternError> {
        bits::reverse(network.terminals()).map(Fixed)
    }
}
