//! Permutations by a rule: of the coordinates of a grid, or of the bits of a terminal's number.

use super::law::{Context, Kind};
use super::permutation::Fixed;
use super::{bits, coordinates};
use crate::PatternError;
use flitsim_keys::{Fault, Values};
use flitsim_topology::Network;

macro_rules! fixed {
    ($($(#[$doc:meta])* $name:ident: $compile:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $name;

        impl Kind for $name {
            type Law = Fixed;

            fn read(_: &Values, _: &Context<'_>) -> Result<Self, Fault> {
                Ok(Self)
            }

            fn compile(&self, network: &Network) -> Result<Fixed, PatternError> {
                let compile: fn(&Network) -> Result<_, PatternError> = $compile;
                compile(network).map(Fixed)
            }
        }
    )+};
}

fixed! {
    /// Bit complement, d_i = ¬s_i: on a grid each coordinate a -> k - 1 - a, which is the complement of the
    /// address where the radices are powers of two. Other networks need a power of two of terminals.
    BitComplement: |network| match network.routers().grid() {
        Some(grid) => Ok(coordinates::of_terminals(network, coordinates::complement(grid))),
        None => bits::complement(network.terminals()),
    };
    /// Bit reversal, d_i = s_{b-1-i}; a power of two of terminals.
    BitReverse: |network| bits::reverse(network.terminals());
    /// Perfect shuffle, d_i = s_{(i-1) mod b}: the address turned left by a bit; a power of two of terminals.
    Shuffle: |network| bits::shuffle(network.terminals());
    /// Matrix transpose: the lower half of the dimensions is swapped with the upper half, a_i ->
    /// a_{i + ⌈n/2⌉} and back; the middle one of an odd number stays. In two dimensions (x, y) -> (y, x),
    /// in three (x, y, z) -> (z, y, x). The radices that change places must be equal. Where radices are
    /// powers of two and n is even this is the book's rule on bits, d_i = s_{(i + b/2) mod b}; a network
    /// without at least two dimensions takes that rule, and needs 2^b terminals with b even.
    Transpose: |network| match network.routers().grid() {
        Some(grid) if grid.dimensions() > 1 => {
            Ok(coordinates::of_terminals(network, coordinates::transpose(grid)?))
        }
        _ => bits::transpose(network.terminals()),
    };
    /// Tornado: each coordinate a -> a + ⌈k/2⌉ - 1 mod k. Grids only, with some radix above 2.
    Tornado: |network| {
        let image = coordinates::tornado(coordinates::of(network, "tornado")?)?;
        Ok(coordinates::of_terminals(network, image))
    };
    /// Neighbour: each coordinate a -> a + 1 mod k. Grids only.
    Neighbour: |network| {
        let image = coordinates::neighbour(coordinates::of(network, "neighbour")?);
        Ok(coordinates::of_terminals(network, image))
    };
}
