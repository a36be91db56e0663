//! A mixture: each packet follows one of several patterns, drawn by weight.
//!
//! Invariant: the choice takes the first word of a packet's draws, the pattern chosen those behind.

use super::law::{Context, Kind, Law};
use super::{Destinations, Pattern};
use crate::PatternError;
use crate::thresholds::Thresholds;
use flitsim_keys::{Choice, Description, Fault, Key, Shape, Table, Values, Variant, Within};
use flitsim_topology::{Network, NodeId};
use rand::Rng;
use rand::distr::Distribution;

/// A pattern in a mixture.
#[derive(Clone, Debug, PartialEq)]
pub struct MixPart {
    /// The pattern.
    pub pattern: Pattern,
    /// Its share of the packets over the sum of all weights; above 0.
    pub weight: f64,
}

const EXAMPLE: &str = "write `mix = [{ pattern = \"uniform\", weight = 4 }, { pattern = \
                       \"transpose\", weight = 1 }]`";

const PARTS: Key<Vec<Values>> = Key::list(
    "mix",
    &const { Shape::Table(&PART) },
    1,
    "a part of `mix`",
    "mix: patterns with their weights.",
)
.needed(EXAMPLE)
.hint(EXAMPLE);

const WEIGHT: Key<f64> = Key::number(
    "weight",
    Within::above(0.0),
    "",
    "The pattern's share of the packets is its weight over the sum of all weights.",
)
.needed("say how often it is followed, such as `weight = 1`")
.hint("a part's share of the sum of all weights");

/// A part of a mixture: a pattern that is none itself, with its keys and a weight.
pub static PART: Table = Table::new(
    "part",
    "One pattern of a mixture.",
    &const { [WEIGHT.described()] },
)
.choices(
    &const {
        [Choice {
            key: PATTERN.described(),
            variants: parts,
        }]
    },
);

const PATTERN: Key<&str> = Key::one_of(
    "pattern",
    || parts().iter().map(|variant| variant.word).collect(),
    "Who sends to whom.",
)
.or_choice("uniform");

fn parts() -> Vec<Variant> {
    let mut parts = Pattern::variants();
    parts.retain(|variant| variant.word != "mix");
    parts
}

impl Kind for Vec<MixPart> {
    const KEYS: &'static [Description] = &const { [PARTS.described()] };

    type Law = Blend;

    fn read(values: &Values, context: &Context<'_>) -> Result<Self, Fault> {
        // What has failed is the mixture's business: a part may lose all its destinations.
        let context = Context {
            network: context.network.whole(),
            ..*context
        };
        let parts = values.get(&PARTS);
        let parts = parts.iter().map(|part| {
            Ok(MixPart {
                pattern: Pattern::on(part.get(&PATTERN), part, &context)?,
                weight: part.get(&WEIGHT),
            })
        });
        parts.collect()
    }

    fn compile(&self, network: &Network) -> Result<Blend, PatternError> {
        Blend::new(self, network)
    }
}

/// Patterns, and how often each is followed.
#[derive(Clone, Debug)]
pub(super) struct Blend {
    parts: Box<[Destinations]>,
    /// Their probabilities.
    shares: Box<[f64]>,
    which: Thresholds,
}

impl Blend {
    fn new(parts: &[MixPart], network: &Network) -> Result<Self, PatternError> {
        if parts.is_empty() {
            return Err(PatternError::NoParts);
        }
        for MixPart { pattern, weight } in parts {
            if matches!(pattern, Pattern::Mix(_)) {
                return Err(PatternError::NestedMix);
            }
            if !(*weight > 0.0 && weight.is_finite()) {
                return Err(PatternError::PartWeight { weight: *weight });
            }
        }
        let heaviest = parts
            .iter()
            .fold(0.0, |most: f64, part| most.max(part.weight));
        let weights: Vec<f64> = parts.iter().map(|part| part.weight / heaviest).collect();
        let sum: f64 = weights.iter().sum();
        let compiled = parts.iter().map(|part| part.pattern.compile(network));
        Ok(Self {
            parts: compiled.collect::<Result<_, _>>()?,
            shares: weights.iter().map(|weight| weight / sum).collect(),
            which: Thresholds::of_weights(&weights),
        })
    }
}

impl Law for Blend {
    fn draw<R: Rng + ?Sized>(&self, source: NodeId, rng: &mut R) -> NodeId {
        self.draw_with_part(source, rng).0
    }

    #[inline]
    fn draw_with_part<R: Rng + ?Sized>(&self, source: NodeId, rng: &mut R) -> (NodeId, u32) {
        let part = self.which.sample(rng);
        (self.parts[part as usize].draw(source, rng), part)
    }

    fn demand(&self, source: NodeId, visit: &mut dyn FnMut(NodeId, f64)) {
        let mut demand: Vec<(NodeId, f64)> = Vec::new();
        for (part, share) in self.parts.iter().zip(&self.shares) {
            part.demand(source, &mut |node, probability| {
                demand.push((node, share * probability));
            });
        }
        // Stable, so that the parts of a sum stay in the order of the mixture.
        demand.sort_by_key(|(node, _)| *node);
        for same in demand.chunk_by(|a, b| a.0 == b.0) {
            visit(
                same[0].0,
                same.iter().map(|(_, probability)| probability).sum(),
            );
        }
    }
}
