//! How long a router in stages takes from one thing to the next.

use crate::EngineConfig;
use crate::config::ChannelDelay;

/// Cycles from one thing to the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timing {
    /// From a head's coming to the front to the first cycle in which it may get a virtual channel.
    pub(crate) asks_after: u64,
    /// From there to the first in which it may win the switch.
    pub(crate) bids_after_claim: u64,
    /// From another flit's coming to the front to that.
    pub(crate) bids_after_front: u64,
    /// Speculative: from a head's coming to the front to the first cycle in which it may win the switch.
    pub(crate) speculates_after: Option<u64>,
    /// From the switch to the last cycle on the way to a terminal; with internal cycles from the output's queue, as
    /// what follows.
    pub(crate) to_terminal: u64,
    /// From the switch to the cycle in which the place in an ejection buffer is used again.
    pub(crate) ejection_credit: u64,
    /// From the switch to the cycle in which a source uses the place in an injection buffer again.
    pub(crate) injection_credit: u64,
    /// Where all wires are alike: from the switch to the next router, and for the credit to the one before.
    pub(crate) alike: Option<[u64; 2]>,
    /// Internal cycles through the switch; 0 where the way through it counts in what is above.
    crosses: u64,
}

/// Most cycles that a credit takes to a source: one on the channel and one to be taken in. What it takes beyond is
/// a router's, before it looks at it.
const CREDIT_TO_SOURCE_MOST: u64 = 2;

impl Timing {
    /// Cycles until a flit has crossed the switch that wins in internal cycle `of` of a cycle of `internal`.
    pub(crate) fn crossing(&self, of: u64, internal: u64) -> u64 {
        (of + self.crosses) / internal
    }

    pub(crate) fn new(config: &EngineConfig) -> Self {
        let credit = u64::from(config.credit_delay);
        let Some(stages) = config.pipeline else {
            return Self {
                asks_after: 0,
                bids_after_claim: 0,
                bids_after_front: 0,
                speculates_after: None,
                to_terminal: 0,
                ejection_credit: 1 + credit,
                injection_credit: credit,
                alike: None,
                crosses: 0,
            };
        };
        let [routing, vc, switch, traversal] = [
            stages.routing,
            stages.vc_allocation,
            stages.switch_allocation,
            stages.traversal,
        ]
        .map(u64::from);
        let (on_the_way, to_source, crosses) = match config.internal_speedup {
            1 => (traversal + 1, traversal + 1, 0),
            // A source is as near as through a switch of a cycle.
            _ => (1, 2, traversal),
        };
        Self {
            asks_after: routing + vc - 1,
            bids_after_claim: switch,
            bids_after_front: switch - 1,
            speculates_after: config.speculative.then_some(routing + switch - 1),
            to_terminal: on_the_way,
            ejection_credit: on_the_way + 1 + credit,
            injection_credit: to_source + credit.min(CREDIT_TO_SOURCE_MOST),
            crosses,
            alike: match config.channel_delay {
                ChannelDelay::Uniform(wire)
                    if config.channel_period_max() == 1 && !config.has_output_queues() =>
                {
                    Some([on_the_way + 1, credit].map(|cycles| cycles + u64::from(wire)))
                }
                _ => None,
            },
        }
    }
}
