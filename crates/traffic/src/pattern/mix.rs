//! A mixture: each packet follows one of several patterns, drawn by weight.
//!
//! Invariant: the choice takes the first word of a packet's draws, the pattern chosen those behind.

use super::{Destinations, MixPart, Pattern};
use crate::PatternError;
use crate::thresholds::Thresholds;
use flitsim_topology::{Network, NodeId};
use rand::Rng;
use rand::distr::Distribution;

/// Patterns, and how often each is followed.
#[derive(Clone, Debug)]
pub(super) struct Mix {
    parts: Box<[Destinations]>,
    /// Their probabilities.
    shares: Box<[f64]>,
    which: Thresholds,
}

impl Mix {
    pub(super) fn new(parts: &[MixPart], network: &Network) -> Result<Self, PatternError> {
        if parts.is_empty() {
            return Err(PatternError::NoParts);
        }
        for MixPart { pattern, weight } in parts {
            if matches!(pattern, Pattern::Mix { .. }) {
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

    #[inline]
    pub(super) fn draw<R: Rng + ?Sized>(&self, source: NodeId, rng: &mut R) -> (NodeId, u32) {
        let part = self.which.sample(rng);
        (self.parts[part as usize].draw(source, rng), part)
    }

    pub(super) fn demand(&self, source: NodeId, visit: &mut dyn FnMut(NodeId, f64)) {
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
