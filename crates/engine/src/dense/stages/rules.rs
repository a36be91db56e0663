//! What all routers in stages do alike, and which of them the passes know.

use crate::EngineConfig;
use crate::config::{Arbiter, InputArbiter, Matching};
use crate::kernel::timing::Timing;
use crate::routing::{VcMask, vc_range};

/// What all routers do alike.
#[derive(Clone, Copy, Debug)]
pub(in crate::dense) struct Rules {
    pub(super) asks_after: usize,
    pub(super) to_terminal: u64,
    /// From the switch to the next router, and to the place that a credit or a source comes back to: at
    /// the end of a channel, at the terminal, in an injection buffer.
    pub(super) flits_after: usize,
    pub(super) credits_after: usize,
    pub(super) ejected_after: usize,
    pub(super) drawn_after: usize,
    pub(super) vc_matching: Matching,
    pub(super) switches_input_first: bool,
    /// Ways of each port into the switch, which its virtual channels take in turn.
    pub(in crate::dense) ways: usize,
    /// Whether the virtual channels of an input take turns, whatever their outputs.
    pub(super) inputs_in_turn: bool,
    /// Whether heads bid while they ask for a virtual channel; and whether their bids come after all others.
    pub(super) speculates: bool,
    pub(super) guesses_last: bool,
    pub(super) injection_vcs: u8,
    pub(super) ejection_vcs: VcMask,
}

/// Most cycles from the switch to where anything of it is seen.
const CYCLES_MOST: u64 = 64;

impl Rules {
    /// Those of `config`, or what of it there is only in the other engine, by the name of its key.
    pub(in crate::dense) fn of(config: &EngineConfig) -> Result<Self, &'static str> {
        let timing = Timing::new(config);
        let separable = |matching| {
            matches!(
                matching,
                Matching::SeparableInputFirst
                    | Matching::SeparableOutputFirst
                    | Matching::Islip { .. }
            )
        };
        let vc_matching = config.vc_allocator.filter(|&matching| separable(matching));
        let switch_matching = config.switch_matching();
        let is_one_round = !matches!(switch_matching, Matching::Islip { iterations: 2.. });
        let mut matchings = [vc_matching, Some(switch_matching)].into_iter();
        let are_in_turn =
            matchings.all(|matching| config.arbiter_of(matching) == Arbiter::RoundRobin);
        let stages = config.pipeline.ok_or("pipeline")?;
        // More ways than virtual channels are not used.
        let ways = config.input_speedup.min(config.room_vcs());
        let plain = [
            ("pipeline", stages.switch_allocation == 1),
            ("ejection_vcs", config.ejection_vcs > 0),
            ("injection_buffers", config.injection_buffers),
            ("terminal_ports", !config.terminal_ports),
            ("vc_allocator", vc_matching.is_some()),
            (
                "switch_allocator",
                separable(switch_matching) && is_one_round,
            ),
            ("arbiter", are_in_turn),
            ("input_speedup", ways <= 2),
            ("output_speedup", config.output_speedup == 1),
            ("internal_speedup", config.internal_speedup == 1),
            ("output_queues", !config.output_queues),
            ("hold_switch", !config.hold_switch),
            ("interleave_flits", config.interleave_flits),
            ("buffer_sharing", !config.shares_buffers()),
        ];
        if let Some((name, _)) = plain.into_iter().find(|&(_, plain)| !plain) {
            return Err(name);
        }
        let [flits_after, credits_after] = timing.alike.ok_or("channel delay")?;
        let most = [
            timing.asks_after,
            flits_after,
            credits_after,
            timing.ejection_credit,
            timing.injection_credit,
        ];
        if most.into_iter().any(|cycles| cycles > CYCLES_MOST) {
            return Err("pipeline");
        }
        Ok(Self {
            asks_after: timing.asks_after as usize,
            to_terminal: timing.to_terminal,
            flits_after: flits_after as usize,
            credits_after: credits_after as usize,
            ejected_after: timing.ejection_credit as usize,
            drawn_after: timing.injection_credit as usize,
            vc_matching: vc_matching.expect("checked"),
            switches_input_first: switch_matching == Matching::SeparableInputFirst,
            ways: ways as usize,
            inputs_in_turn: config.input_arbiter == InputArbiter::RoundRobin,
            // With a stage of one cycle for the switch, whoever asks is far enough to guess.
            speculates: config.speculative,
            guesses_last: !matches!(switch_matching, Matching::Islip { .. }),
            injection_vcs: config.injection_vcs as u8,
            ejection_vcs: vc_range(0, config.ejection_vcs),
        })
    }

    /// Planes of each kind.
    pub(super) fn planes(self) -> usize {
        let sent = self.flits_after.max(self.ejected_after);
        sent.max(self.credits_after).max(self.drawn_after) + 1
    }
}
