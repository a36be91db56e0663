//! A random permutation: every order of the terminals as likely as another.

use super::law::{Context, Kind};
use super::permutation::Fixed;
use crate::PatternError;
use crate::stream::{Purpose, Streams};
use flitsim_keys::{Fault, Values};
use flitsim_topology::{Network, NodeId};
use rand::seq::SliceRandom;

/// One of all permutations of the terminals, each as likely as another; fixed points may occur.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RandomPermutation {
    /// Which one. Loads that are compared should share it.
    pub seed: u64,
}

impl Kind for RandomPermutation {
    type Law = Fixed;

    fn read(_: &Values, context: &Context<'_>) -> Result<Self, Fault> {
        Ok(Self { seed: context.seed })
    }

    fn compile(&self, network: &Network) -> Result<Fixed, PatternError> {
        Ok(Fixed(random_permutation(network.terminals(), self.seed)))
    }
}

/// The permutation of `terminals` terminals that `seed` stands for.
fn random_permutation(terminals: u32, seed: u64) -> Box<[NodeId]> {
    let mut destination: Box<[NodeId]> = (0..terminals).map(NodeId).collect();
    destination.shuffle(&mut Streams::new(seed).event(Purpose::Permutation, 0, 0));
    destination
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::chi_square_deviates;

    #[test]
    fn all_orders_of_four_are_equally_likely() {
        let mut counts = vec![0u64; 256];
        for seed in 0..24_000 {
            let order = random_permutation(4, seed);
            counts[order.iter().fold(0, |code, node| code * 4 + node.index())] += 1;
        }
        counts.retain(|&count| count > 0);
        assert_eq!(counts.len(), 24);
        assert!(chi_square_deviates(&counts, &[1.0 / 24.0; 24]).abs() < 4.0);
    }

    #[test]
    fn seeds_differ_and_repeat() {
        assert_eq!(random_permutation(100, 1), random_permutation(100, 1));
        assert_ne!(random_permutation(100, 1), random_permutation(100, 2));
        assert!(random_permutation(0, 1).is_empty());
    }
}
