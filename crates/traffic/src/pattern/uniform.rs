//! Uniform traffic: λ_sd = 1/N, or 1/(N-1) where a source leaves itself out (Dally & Towles,
//! section 3.2).

use crate::PatternError;
use flitsim_random::Draw;
use flitsim_topology::NodeId;
use rand::Rng;

/// Uniform over all terminals, or over all others.
#[derive(Clone, Debug)]
pub(super) struct Uniform {
    terminals: u32,
    include_self: bool,
}

impl Uniform {
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

    #[inline]
    pub(super) fn draw<R: Rng + ?Sized>(&self, source: NodeId, rng: &mut R) -> NodeId {
        if self.include_self {
            return NodeId(rng.below(self.terminals));
        }
        let other = rng.below(self.terminals - 1);
        NodeId(other + u32::from(other >= source.0))
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

    pub(super) fn demand(&self, source: NodeId, visit: &mut dyn FnMut(NodeId, f64)) {
        for destination in (0..self.terminals).map(NodeId) {
            if self.include_self || destination != source {
                visit(destination, self.probability(source, destination));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_terminal_may_send_to_itself_only() {
        assert!(Uniform::new("uniform", 1, true).is_ok());
        for (terminals, include_self) in [(0, true), (0, false), (1, false)] {
            assert!(Uniform::new("uniform", terminals, include_self).is_err());
        }
    }
}
