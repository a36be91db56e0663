//! Who sends to whom (Dally & Towles, "Principles and Practices of Interconnection Networks",
//! 2004, section 3.2, table 3.1).
//!
//! A [`Pattern`] is what a scenario says; compiled on a network it is [`Destinations`], which has
//! been checked and cannot fail. Rules that the book states on digits of a radix-k address are
//! applied to the coordinates of a grid, whatever its radices; rules on address bits need a power
//! of two of terminals. A permutation's fixed points send to themselves, so that every node offers
//! the same load.
//!
//! Invariant: [`Destinations::draw`] follows the law that [`Destinations::demand`] states.

mod bits;
mod coordinates;
mod hotspot;
mod living;
mod local;
mod matrix;
mod mix;
mod random_permutation;
mod uniform;

use crate::PatternError;
use flitsim_topology::{Network, NodeId};
use hotspot::Hotspot;
use living::Living;
use local::Local;
pub use matrix::Matrix;
use mix::Mix;
use rand::Rng;
use std::sync::Arc;
use uniform::Uniform;

/// Who sends to whom, as a scenario says it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Pattern {
    /// Every terminal alike, each packet anew.
    Uniform {
        /// Whether the source is one of its own destinations.
        include_self: bool,
    },
    /// Matrix transpose: the lower half of the dimensions is swapped with the upper half, a_i ->
    /// a_{i + ⌈n/2⌉} and back; the middle one of an odd number stays. In two dimensions (x, y) ->
    /// (y, x), in three (x, y, z) -> (z, y, x). The radices that change places must be equal.
    /// Where radices are powers of two and n is even this is the book's rule on bits,
    /// d_i = s_{(i + b/2) mod b}; a network without at least two dimensions takes that rule, and
    /// needs 2^b terminals with b even.
    Transpose,
    /// Bit complement, d_i = ¬s_i: on a grid each coordinate a -> k - 1 - a, which is the
    /// complement of the address where the radices are powers of two. Other networks need a power
    /// of two of terminals.
    BitComplement,
    /// Bit reversal, d_i = s_{b-1-i}; a power of two of terminals.
    BitReverse,
    /// Perfect shuffle, d_i = s_{(i-1) mod b}: the address turned left by a bit; a power of two of
    /// terminals.
    Shuffle,
    /// Tornado: each coordinate a -> a + ⌈k/2⌉ - 1 mod k. Grids only, with some radix above 2.
    Tornado,
    /// Neighbour: each coordinate a -> a + 1 mod k. Grids only.
    Neighbour,
    /// One of all permutations of the terminals, each as likely as another (Fisher & Yates);
    /// fixed points may occur.
    RandomPermutation {
        /// Which one. Loads that are compared should share it.
        seed: u64,
    },
    /// A share of the packets goes to a few nodes, each of them alike (Pfister & Norton 1985, with
    /// several hotspots); the rest is uniform. Without `include_self`, a hotspot spreads its share
    /// over the other hotspots; if there is no other, all its packets are uniform.
    Hotspot {
        /// The hotspots, in any order, each once.
        nodes: Vec<NodeId>,
        /// The share of packets that goes to them, from 0 to 1.
        fraction: f64,
        /// Whether the source is one of its own destinations.
        include_self: bool,
    },
    /// Terminals near the source, by hops along shortest paths; on any network.
    Local {
        /// How near.
        reach: Reach,
        /// Whether the source, at distance 0, is one of its own destinations.
        include_self: bool,
    },
    /// The one destination of each terminal, by source: every terminal once. Fixed points send to
    /// themselves. See [`parse_permutation`](crate::parse_permutation).
    Permutation(Arc<[NodeId]>),
    /// The probability of each destination for each source.
    Matrix(Arc<Matrix>),
    /// Each packet follows one of several patterns, none of them a mixture.
    Mix(Vec<MixPart>),
}

/// How near local destinations are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reach {
    /// Within so many hops, all terminals alike.
    Radius(u32),
    /// At a distance h with a probability in proportion to ρ^h, among the distances at which the
    /// source has terminals, and there all terminals alike; ρ, from 0 to 1, gives each source this
    /// mean distance.
    MeanDistance(f64),
}

/// A pattern in a mixture.
#[derive(Clone, Debug, PartialEq)]
pub struct MixPart {
    /// The pattern.
    pub pattern: Pattern,
    /// Its share of the packets over the sum of all weights; above 0.
    pub weight: f64,
}

impl Pattern {
    /// The name in scenario files.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Uniform { .. } => "uniform",
            Self::Transpose => "transpose",
            Self::BitComplement => "bit-complement",
            Self::BitReverse => "bit-reverse",
            Self::Shuffle => "shuffle",
            Self::Tornado => "tornado",
            Self::Neighbour => "neighbour",
            Self::RandomPermutation { .. } => "random-permutation",
            Self::Hotspot { .. } => "hotspot",
            Self::Local { .. } => "local",
            Self::Permutation(_) => "permutation",
            Self::Matrix(_) => "matrix",
            Self::Mix(_) => "mix",
        }
    }

    /// The pattern on the terminals of `network`. Where nodes have failed, that of the whole network
    /// among those that live: a packet to a failed node is drawn again, and a source that has failed,
    /// or sends to failed nodes only, [sends](Destinations::sends) nothing.
    ///
    /// # Errors
    /// [`PatternError`] where the pattern is not defined there.
    pub fn compile(&self, network: &Network) -> Result<Destinations, PatternError> {
        let Some(damage) = network.damage() else {
            return self.compile_whole(network);
        };
        let whole = self.compile_whole(damage.whole())?;
        match damage.failed_nodes().next() {
            None => Ok(whole),
            Some(_) => Ok(Destinations(Rule::Living(Box::new(Living::new(
                whole, damage,
            )?)))),
        }
    }

    fn compile_whole(&self, network: &Network) -> Result<Destinations, PatternError> {
        let terminals = network.terminals();
        let name = self.name();
        let rule = match *self {
            Self::Uniform { include_self } => {
                Rule::Uniform(Uniform::new(name, terminals, include_self)?)
            }
            Self::Hotspot {
                ref nodes,
                fraction,
                include_self,
            } => Rule::Hotspot(Hotspot::new(nodes, fraction, terminals, include_self)?),
            Self::Transpose => match network.grid() {
                Some(grid) if grid.dimensions() > 1 => {
                    Rule::Permutation(coordinates::transpose(grid)?)
                }
                _ => Rule::Permutation(bits::transpose(terminals)?),
            },
            Self::BitComplement => Rule::Permutation(match network.grid() {
                Some(grid) => coordinates::complement(grid),
                None => bits::complement(terminals)?,
            }),
            Self::BitReverse => Rule::Permutation(bits::reverse(terminals)?),
            Self::Shuffle => Rule::Permutation(bits::shuffle(terminals)?),
            Self::Tornado | Self::Neighbour => {
                let grid = network
                    .grid()
                    .ok_or(PatternError::NeedsCoordinates { pattern: name })?;
                Rule::Permutation(match self {
                    Self::Tornado => coordinates::tornado(grid)?,
                    _ => coordinates::neighbour(grid),
                })
            }
            Self::RandomPermutation { seed } => {
                Rule::Permutation(random_permutation::random_permutation(terminals, seed))
            }
            Self::Local {
                reach,
                include_self,
            } => Rule::Local(Local::new(reach, include_self, network)?),
            Self::Permutation(ref destination) => {
                Rule::Permutation(checked_permutation(destination, terminals)?)
            }
            Self::Matrix(ref matrix) => {
                check_terminals(name, matrix.terminals(), terminals)?;
                Rule::Matrix(Arc::clone(matrix))
            }
            Self::Mix(ref parts) => Rule::Mix(Mix::new(parts, network)?),
        };
        Ok(Destinations(rule))
    }
}

fn check_terminals(pattern: &'static str, given: u32, terminals: u32) -> Result<(), PatternError> {
    match given == terminals {
        true => Ok(()),
        false => Err(PatternError::OtherTerminals {
            pattern,
            given,
            terminals,
        }),
    }
}

fn checked_permutation(
    destination: &[NodeId],
    terminals: u32,
) -> Result<Box<[NodeId]>, PatternError> {
    check_terminals("permutation", destination.len() as u32, terminals)?;
    let mut seen = vec![false; destination.len()];
    for to in destination {
        // False for the first source of a terminal only.
        if seen
            .get_mut(to.index())
            .is_none_or(|seen| std::mem::replace(seen, true))
        {
            return Err(PatternError::NotAPermutation { destination: to.0 });
        }
    }
    Ok(destination.into())
}

/// The most terminals of which every pair is looked at to find the hottest.
pub const ENUMERATED_MOST: u32 = 2048;

/// A pattern on a network, ready to draw from.
#[derive(Clone, Debug)]
pub struct Destinations(Rule);

#[derive(Clone, Debug)]
enum Rule {
    Uniform(Uniform),
    Hotspot(Hotspot),
    /// The destination of each source.
    Permutation(Box<[NodeId]>),
    Local(Local),
    Matrix(Arc<Matrix>),
    Mix(Mix),
    /// Where nodes have failed.
    Living(Box<Living>),
}

impl Destinations {
    /// Whether `source`, a terminal, sends anything: all do but where nodes have failed.
    #[inline]
    pub fn sends(&self, source: NodeId) -> bool {
        match &self.0 {
            Rule::Living(living) => living.sends(source),
            _ => true,
        }
    }

    /// The destination of the next packet of `source`, a terminal that [sends](Self::sends).
    #[inline]
    pub fn draw<R: Rng + ?Sized>(&self, source: NodeId, rng: &mut R) -> NodeId {
        self.draw_with_part(source, rng).0
    }

    /// As [`Destinations::draw`], and which part of a mixture the packet follows, from 0 in the
    /// mixture's order; 0 under any other pattern.
    #[inline]
    pub fn draw_with_part<R: Rng + ?Sized>(&self, source: NodeId, rng: &mut R) -> (NodeId, u32) {
        let destination = match &self.0 {
            Rule::Uniform(uniform) => uniform.draw(source, rng),
            Rule::Hotspot(hotspot) => hotspot.draw(source, rng),
            Rule::Permutation(destination) => destination[source.index()],
            Rule::Local(local) => local.draw(source, rng),
            Rule::Matrix(matrix) => matrix.draw(source, rng),
            Rule::Mix(mix) => return mix.draw(source, rng),
            Rule::Living(living) => return living.draw(source, rng),
        };
        (destination, 0)
    }

    /// The most that a terminal of `network`, the one that this was compiled on, receives where every
    /// terminal that sends offers 1: above 1 where some terminal is a hot spot. `None` where it takes
    /// too long to tell: most patterns on more than [`ENUMERATED_MOST`] terminals.
    pub fn received_most(&self, network: &Network) -> Option<f64> {
        match &self.0 {
            Rule::Uniform(_) | Rule::Permutation(_) => return Some(1.0),
            Rule::Hotspot(hotspot) => return Some(hotspot.received_most()),
            _ => {}
        }
        let terminals = network.terminals();
        if terminals > ENUMERATED_MOST {
            return None;
        }
        let mut received = vec![0.0; terminals as usize];
        for source in (0..terminals).map(NodeId) {
            self.demand(source, &mut |to, share| received[to.index()] += share);
        }
        Some(received.into_iter().fold(0.0, f64::max))
    }

    /// Every destination that packets of `source`, a terminal, may have, with its probability: in
    /// ascending order, each once, none with probability 0. The probabilities sum to 1; none
    /// where the source is silent.
    pub fn demand(&self, source: NodeId, visit: &mut dyn FnMut(NodeId, f64)) {
        match &self.0 {
            Rule::Uniform(uniform) => uniform.demand(source, visit),
            Rule::Hotspot(hotspot) => hotspot.demand(source, visit),
            Rule::Permutation(destination) => visit(destination[source.index()], 1.0),
            Rule::Local(local) => local.demand(source, visit),
            Rule::Matrix(matrix) => matrix.demand(source, visit),
            Rule::Mix(mix) => mix.demand(source, visit),
            Rule::Living(living) => living.demand(source, visit),
        }
    }

    /// The one destination of every source, by source, where each has just one.
    pub fn permutation(&self) -> Option<&[NodeId]> {
        match &self.0 {
            Rule::Permutation(destination) => Some(destination),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
