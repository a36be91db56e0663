//! Shuffle traffic (Dally & Towles, section 3.2, table 3.1).

use super::bits;
use super::law::{Context, Kind};
use super::permutation::Fixed;
use crate::PatternError;
use flitsim_keys::{Fault, Values};
use flitsim_topology::Network;

/// Perfect shuffle, d_i = s_{(i-1) mod b}: the address turned left by a bit; a power of two of terminals.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shuffle;

impl Kind for Shuffle {
    type Law = Fixed;

    fn read(_: &Values, _: &Context<'_>) -> Result<Self, Fault> {
        Ok(Self)
    }

    fn compile(&self, network: &Network) -> Result<Fixed, PatternError> {
        bits::shuffle(network.terminals()).map(Fixed)
    }
}
