//! Uniform traffic: λ_sd = 1/N, or 1/(N-1) where a source leaves itself out (Dally & Towles,
//! section 3.2).

use super::law::{Context, Kind, Law};
use crate::PatternError;
use flitsim_keys::{Fault, Values};
use flitsim_random::Draw;
use flitsim_topology::{Network, NodeId};
use rand::Rng;

/// Every terminal alike, each packet anew.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uniform {
    /// Whether the source is one of its own destinations.
    pub include_self: bool,
}

impl Kind for Uniform {
    type Law = Alike;

    fn read(_: &Values, context: &Context<'_>) -> Result<Self, Fault> {
        Ok(Self {
            include_self: context.include_self,
        })
    }

    fn compile(&self, network: &Network) -> Result<Alike, PatternError> {
        Alike::new("uniform", network.terminals(), self.include_self)
    }
}

/// Uniform over all terminals, or over all others.
#[derive(Clone, Debug)]
pub(super) struct Alike {
    terminals: u32,
    include_self: bool,
}

impl Alike {
    pub(super) fn new(
        pattern: &'static str,
        terminals: u32,
        include_self: bool,
    ) -> Result<Self, PatternError> {
        if terminals < 2 && !(include_self && terminals == 1) {
            return Err(PatternError::TooFewTerminals { pattern, terminals });
        }
        Ok(Self {
            terminals,
            include_self,
        })
    }

    /// The probability of `destination`, which may be 0.
    pub(super) fn probability(&self, source: NodeId, destination: NodeId) -> f64 {
        if self.include_self {
            1.0 / f64::from(self.terminals)
        } else if source == destination {
            0.0
        } else {
            1.0 / f64::from(self.terminals - 1)
        }
    }
}

impl Law for Alike {
    #[inline]
    fn draw<R: Rng + ?Sized>(&self, source: NodeId, rng: &mut R) -> NodeId {
        if self.include_self {
            return NodeId(rng.below(self.terminals));
        }
        let other = rng.below(self.terminals - 1);
        NodeId(other + u32::from(other >= source.0))
    }

    fn demand(&self, source: NodeId, visit: &mut dyn FnMut(NodeId, f64)) {
        for destination in (0..self.terminals).map(NodeId) {
            if self.include_self || destination != source {
                visit(destination, self.probability(source, destination));
            }
        }
    }

    fn received_most(&self) -> Option<f64> {
        Some(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_terminal_may_send_to_itself_only() {
        assert!(Alike::new("uniform", 1, true).is_ok());
        for (terminals, include_self) in [(0, true), (0, false), (1, false)] {
            assert!(Alike::new("uniform", terminals, include_self).is_err());
        }
    }
}
