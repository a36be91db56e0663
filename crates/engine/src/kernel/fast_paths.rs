//! What is decided once for a run.

use crate::config::{ChannelDelay, VcReallocation};
use crate::kernel::wiring::Wiring;
use crate::{Allocator, Crossbar, EngineConfig, FlowControl, Port};

/// The phases that a cycle has, and how the switch is allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// By masks: all that request an output fits a word. Plain: see [`FastPaths::is_plain`].
    MasksPlain,
    Masks,
    /// By lists of requests.
    ListsPlain,
    Lists,
    /// Those of `kernel::stages`.
    Stages,
}

/// Fast paths enabled for this configuration, decided once. They change the cost of a cycle and nothing
/// of what happens in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastPaths {
    /// Every flit and every credit arrives in the next cycle, and every channel takes a flit a
    /// cycle: no wheels are needed.
    pub(crate) is_plain: bool,
    /// Heads that find no virtual channel free wait at the channel until one is.
    pub(crate) parks: bool,
    /// The routers are more than the caches near a core hold: see `read_ahead`.
    pub(crate) reads_ahead: bool,
    /// Which phases a cycle has.
    pub(crate) way: Way,
    /// The bits of a local ivc that tell apart those that share one input of the switch.
    pub(crate) single_input: u32,
    /// Credits with which an unclaimed virtual channel is free again because its buffer is empty.
    pub(crate) emptied_at: u32,
}

impl FastPaths {
    pub(super) fn new(
        config: &EngineConfig,
        wiring: Wiring,
        lanes: usize,
        deterministic: bool,
    ) -> Self {
        let is_short = match &config.channel_delay {
            ChannelDelay::Uniform(delay) => *delay == 0,
            ChannelDelay::PerChannel(delays) => delays.iter().all(|&delay| delay == 0),
        };
        let fits_words = wiring.words == 1 && wiring.outputs_fit_word();
        let takes_turns = matches!(
            config.allocator,
            Allocator::RoundRobin | Allocator::Islip { .. }
        );
        let by_masks = fits_words
            && config.allocator == Allocator::RoundRobin
            && (config.crossbar == Crossbar::Vc || config.injection == Port::Channel);
        let is_plain = is_short
            && !config.is_staged()
            && config.delay == 1
            && config.body_delay == 1
            && config.credit_delay == 1
            && config.channel_period_max() == 1;
        Self {
            is_plain,
            reads_ahead: lanes >= LANES_NEAR,
            parks: deterministic
                && fits_words
                && !config.is_staged()
                && takes_turns
                && config.flow_control == FlowControl::Wormhole,
            way: match (config.is_staged(), by_masks, is_plain) {
                (true, ..) => Way::Stages,
                (_, true, true) => Way::MasksPlain,
                (_, true, false) => Way::Masks,
                (_, false, true) => Way::ListsPlain,
                (_, false, false) => Way::Lists,
            },
            single_input: match config.crossbar {
                Crossbar::Port => wiring.vcs() - 1,
                Crossbar::Vc => 0,
            },
            emptied_at: match config.vc_reallocation {
                // Where buffers are shared, credits do not tell.
                VcReallocation::Atomic if !config.shares_buffers() => config.buffer_flits,
                _ => u32::MAX,
            },
        }
    }
}

/// With so many lanes, what is kept of them and of their routers is about a megabyte: more than the
/// caches near a core hold. With 10,000, reading ahead cost as much as it gained.
const LANES_NEAR: usize = 1 << 14;

/// The lists that only some routers have.
pub(super) struct Needs {
    pub(super) next_free: bool,
    pub(super) last_ready: bool,
    pub(super) kept: bool,
    pub(super) served: bool,
}

impl Needs {
    pub(super) fn of(config: &EngineConfig) -> Self {
        let is_slow = config.channel_period_max() > 1;
        let served = match config.allocator {
            Allocator::Islip { .. } => true,
            Allocator::RoundRobin => is_slow,
            _ => false,
        };
        Self {
            next_free: is_slow || config.has_output_queues(),
            last_ready: config.pipeline.is_none() && config.delay != config.body_delay,
            kept: config.flow_control != FlowControl::Wormhole,
            served: served || config.is_staged(),
        }
    }
}
