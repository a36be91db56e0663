//! Who sends to whom (Dally & Towles, "Principles and Practices of Interconnection Networks",
//! 2004, section 3.2, table 3.1).
//!
//! A [`Pattern`] is what a scenario says; compiled on a network it is [`Destinations`], which has
//! been checked and cannot fail. Rules that the book states on digits of a radix-k address are
//! applied to the coordinates of a grid, whatever its radices; rules on address bits need a power
//! of two of terminals. A permutation's fixed points send to themselves, so that every node offers
//! the same load.
//!
//! A pattern is a file here and a line of the registry below: the file has its keys, its rule on a
//! network, and what would be right where it does not fit.
//!
//! Invariant: [`Destinations::draw`] follows the law that [`Destinations::demand`] states.

mod bits;
mod coordinates;
mod fixed;
mod hotspot;
mod law;
mod living;
mod local;
mod matrix;
mod mix;
mod next_group;
mod own;
mod permutation;
mod random_permutation;
mod uniform;

use crate::PatternError;
pub use fixed::{BitComplement, BitReverse, Neighbour, Shuffle, Tornado, Transpose};
use flitsim_keys::{Fault, NameRefused, Place, Values, Variant};
use flitsim_topology::{Network, NodeId};
pub use hotspot::Hotspot;
pub use law::Context;
use law::{Kind, Law};
use living::Living;
pub use local::{Local, Reach};
pub use matrix::Matrix;
pub use mix::{MixPart, PART};
pub use next_group::NextGroup;
pub use own::{Own, OwnPattern};
use own::{keep, kept};
pub use permutation::{PATH, parse_permutation};
use rand::Rng;
pub use random_permutation::RandomPermutation;
use std::sync::Arc;
pub use uniform::Uniform;

macro_rules! registry {
    ($($word:literal $pattern:ident($kind:ty): $about:literal,)+) => {
        /// Who sends to whom, as a scenario says it.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Pattern {
            $(#[doc = $about] $pattern($kind),)+
            /// One of another crate, which has been [registered](register_pattern).
            Own(Own),
        }

        #[derive(Clone, Debug)]
        enum Rule {
            $($pattern(<$kind as Kind>::Law),)+
            /// Where nodes have failed.
            Living(Box<Living>),
        }

        impl Pattern {
            /// Every pattern: its word in scenario files, what it is, its keys, and what these ask of
            /// one another.
            pub fn variants() -> Vec<Variant> {
                let own = kept().into_iter();
                let own = own.map(|own| Variant::new(own.name, own.about, own.keys));
                own.chain([$(
                    Variant::new($word, $about, <$kind as Kind>::KEYS)
                        .rules(<$kind as Kind>::RULES),
                )+])
                .collect()
            }

            /// The pattern called `word`, with the `values` of a table that has its keys; whether it
            /// fits the network is not looked at.
            ///
            /// # Errors
            /// A word that names no pattern, values that do not go together, and what is wrong with
            /// files.
            pub fn read(word: &str, values: &Values, context: &Context<'_>) -> Result<Self, Fault> {
                match word {
                    $($word => <$kind>::read(values, context).map(Self::$pattern),)+
                    _ => Own::named(word, values).map(Self::Own).ok_or_else(|| {
                        values.fault("pattern", format!("there is no pattern `{word}`"))
                    }),
                }
            }

            /// The name in scenario files.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$pattern(_) => $word,)+
                    Self::Own(own) => own.pattern.name,
                }
            }

            fn compile_whole(&self, network: &Network) -> Result<Destinations, PatternError> {
                let rule = match self {
                    $(Self::$pattern(kind) => Rule::$pattern(kind.compile(network)?),)+
                    // Drawn as a matrix is: no other code in the loop.
                    Self::Own(own) => Rule::Matrix(own.compile(network)?),
                };
                Ok(Destinations(rule))
            }

            fn remedy(&self, error: &PatternError) -> Option<String> {
                match self {
                    $(Self::$pattern(kind) => kind.remedy(error),)+
                    Self::Own(_) => None,
                }
            }
        }

        impl Destinations {
            /// As [`Destinations::draw`], and which part of a mixture the packet follows, from 0 in
            /// the mixture's order; 0 under any other pattern.
            #[inline]
            pub fn draw_with_part<R: Rng + ?Sized>(
                &self,
                source: NodeId,
                rng: &mut R,
            ) -> (NodeId, u32) {
                match &self.0 {
                    $(Rule::$pattern(law) => law.draw_with_part(source, rng),)+
                    Rule::Living(living) => living.draw(source, rng),
                }
            }

            /// Every destination that packets of `source`, a terminal, may have, with its probability:
            /// in ascending order, each once, none with probability 0. The probabilities sum to 1; none
            /// where the source is silent.
            pub fn demand(&self, source: NodeId, visit: &mut dyn FnMut(NodeId, f64)) {
                match &self.0 {
                    $(Rule::$pattern(law) => law.demand(source, visit),)+
                    Rule::Living(living) => living.demand(source, visit),
                }
            }

            /// The one destination of every source, by source, where each has just one.
            pub fn permutation(&self) -> Option<&[NodeId]> {
                match &self.0 {
                    $(Rule::$pattern(law) => law.permutation(),)+
                    Rule::Living(_) => None,
                }
            }

            /// The most that a terminal receives where every terminal offers 1, if that is known without
            /// looking at all pairs.
            fn received_most_at_once(&self) -> Option<f64> {
                match &self.0 {
                    $(Rule::$pattern(law) => law.received_most(),)+
                    Rule::Living(_) => None,
                }
            }
        }
    };
}

registry! {
    "uniform" Uniform(Uniform): "Everybody to everybody alike.",
    "transpose" Transpose(Transpose): "Coordinates are reversed.",
    "bit-complement" BitComplement(BitComplement): "Every coordinate is mirrored.",
    "bit-reverse" BitReverse(BitReverse): "The bits of the number are reversed.",
    "shuffle" Shuffle(Shuffle): "The bits of the number are rotated.",
    "tornado" Tornado(Tornado): "Almost half way round each ring.",
    "neighbour" Neighbour(Neighbour): "One further in each dimension.",
    "next-group" NextGroup(NextGroup): "Each group of terminals to the next.",
    "random-permutation" RandomPermutation(RandomPermutation): "A permutation drawn at random.",
    "hotspot" Hotspot(Hotspot): "Some nodes get more than others.",
    "local" Local(Local): "The nearer, the more.",
    "permutation" Permutation(Arc<[NodeId]>): "A permutation from a file.",
    "matrix" Matrix(Arc<Matrix>): "Probabilities from a file.",
    "mix" Mix(Vec<MixPart>): "Several patterns, each with a weight.",
}

/// Makes `own` known by its name, for as long as the program runs. It must be done before the first scenario
/// is read.
///
/// # Errors
/// A name that another pattern has, or that is no plain word.
pub fn register_pattern(own: OwnPattern) -> Result<(), NameRefused> {
    let variants = Pattern::variants();
    let is_taken = variants.iter().any(|known| known.word == own.name);
    keep(own, is_taken)
}

impl Pattern {
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

    /// The pattern called `word` as [`Pattern::read`] gives it, which fits the network.
    ///
    /// # Errors
    /// As [`Pattern::read`], and why it is not defined on the network, with the word or the value of
    /// one of its keys underlined.
    pub fn on(word: &str, values: &Values, context: &Context<'_>) -> Result<Self, Fault> {
        let pattern = Self::read(word, values, context)?;
        match pattern.compile(context.network) {
            Ok(_) => Ok(pattern),
            Err(error) => Err(pattern.misfit(&error, values, context.network)),
        }
    }

    /// The fault of a pattern of `values` that is not defined on `network`.
    fn misfit(&self, error: &PatternError, values: &Values, network: &Network) -> Fault {
        let word = values.place("pattern");
        let variants = Self::variants();
        let own = variants.iter().find(|variant| variant.word == self.name());
        let keys = own.map_or(&[][..], |variant| variant.keys);
        let value = keys.iter().find_map(|key| values.place(key.name));
        let (place, help): (Option<Place>, _) = match (error, self.remedy(error)) {
            (PatternError::HotspotRates { .. } | PatternError::HotspotRatesSum, Some(help)) => {
                let fault = Fault::new(values.place("rates"), error.to_string());
                return fault.label("beside `nodes`").help(help);
            }
            (_, Some(help)) => (value, help),
            (PatternError::NobodySends | PatternError::DestinationsFailed { .. }, None) => (
                value.or(word),
                "other destinations, or other nodes in `[faults]`: one that has failed receives nothing"
                    .to_owned(),
            ),
            (PatternError::TooFewTerminals { pattern, .. }, None) => {
                let of_itself = match *pattern {
                    "local" => "",
                    _ => ", or `self = true`",
                };
                (word, format!("a network of 2 terminals or more{of_itself}"))
            }
            (_, None) => (word, fitting(network).to_owned()),
        };
        let fault = Fault::new(place, error.to_string());
        fault.label("does not fit the topology").help(help)
    }
}

/// Patterns that are defined on networks like this one.
fn fitting(network: &Network) -> &'static str {
    match network.whole().routers().grid() {
        Some(_) => {
            "`uniform`, `bit-complement` and `neighbour` fit every torus, mesh and hypercube"
        }
        None => "`uniform`, `random-permutation` and `hotspot` fit every network",
    }
}

/// The most terminals of which every pair is looked at to find the hottest.
pub const ENUMERATED_MOST: u32 = 2048;

/// A pattern on a network, ready to draw from.
#[derive(Clone, Debug)]
pub struct Destinations(Rule);

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

    /// The most that a terminal of `network`, the one that this was compiled on, receives where every
    /// terminal that sends offers 1: above 1 where some terminal is a hot spot. `None` where it takes
    /// too long to tell: most patterns on more than [`ENUMERATED_MOST`] terminals.
    pub fn received_most(&self, network: &Network) -> Option<f64> {
        let known = self.received_most_at_once();
        let terminals = network.terminals();
        if known.is_some() || terminals > ENUMERATED_MOST {
            return known;
        }
        let mut received = vec![0.0; terminals as usize];
        for source in (0..terminals).map(NodeId) {
            self.demand(source, &mut |to, share| received[to.index()] += share);
        }
        Some(received.into_iter().fold(0.0, f64::max))
    }
}

#[cfg(test)]
mod tests;
