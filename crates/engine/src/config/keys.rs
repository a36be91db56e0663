//! The keys of `[router]`: what a scenario says about a router, each fact once.

use super::{
    Allocator, Arbiter, BufferSharing, ChannelDelay, Crossbar, EngineConfig, FlowControl,
    InputArbiter, Matching, MatchingStart, PimDraw, Pipeline, Port, Selection, VcReallocation,
    VcRequests,
};
use flitsim_keys::{Form, Key, Rule, Shape, Value, Values, table, words};

table! {
    /// The stages of a router.
    pub static PIPELINE_STAGES = "pipeline", "The stages of a router.";

    ROUTING: u32 = "routing" integer(0..=1_000, "cycles").or(1),
        "Routing of a head; 0 where the previous router has done it (look-ahead).";
    VC_ALLOCATION: u32 = "vc_allocation" integer(1..=1_000, "cycles").or(1),
        "Virtual-channel allocation of a head.";
    SWITCH_ALLOCATION: u32 = "switch_allocation" integer(1..=1_000, "cycles").or(1),
        "Switch allocation of a flit.";
    TRAVERSAL: u32 = "traversal" integer(0..=1_000, "cycles").or(1),
        "Switch traversal of a flit.";
}

table! {
    /// The table `[router]`.
    pub static ROUTER = "router", "An input-queued router with virtual channels and credits.",
        rules(&[Rule::Either {
            one: &["pipeline"],
            other: &["delay", "body_delay"],
            help: "keep `pipeline` for a router in stages, or `delay` and `body_delay` for an ideal one",
        }]);

    /// Virtual channels of each channel.
    pub VIRTUAL_CHANNELS: u32 = "virtual_channels" integer(1..=64, "virtual channels").or(4),
        "Virtual channels of each channel.";
    /// Flits that the buffer of a virtual channel holds.
    pub BUFFER_FLITS: u32 = "buffer_flits" integer(1..=1 << 15, "flits").or(8),
        "Flits that each virtual channel's buffer holds.";
    /// When a packet advances.
    pub FLOW_CONTROL: FlowControl = "flow_control" word().or_word("wormhole"),
        "When a packet advances: flit by flit as credits allow (wormhole), where the whole packet fits \
         (virtual-cut-through), or where it fits and once all of it has arrived (store-and-forward).";
    /// Cycles that a head flit spends in a router.
    pub DELAY: u32 = "delay" integer(1..=10_000, "cycles").or(1),
        "Time of a head flit in a router at zero load: routing, allocation, switch.";
    ALLOCATOR: Allocator = "allocator" word().or_word("round-robin"),
        "Which packet gets an output or virtual channel that several want.";
    CROSSBAR: Crossbar = "crossbar" word().or_word("port"),
        "One flit a cycle from each input port, or from each of its virtual channels.";
    /// When a virtual channel may be claimed again.
    pub VC_REALLOCATION: Option<VcReallocation> = "vc_reallocation" word()
        .optional_as("`\"non-atomic\"`; `\"atomic\"` with an escape"),
        "When the next packet may claim a virtual channel: once it is empty and every credit is back (atomic), or once \
         the last packet's tail has left the sender (non-atomic). The default is non-atomic; with an escape, atomic.";
    CREDIT_DELAY: u32 = "credit_delay" integer(1..=10_000, "cycles").or(1),
        "Time that a credit takes back to the sender, beyond the wire's delay.";
    BODY_DELAY: u32 = "body_delay" integer(1..=10_000, "cycles").or_as(DELAY.name()),
        "Time of the flits behind the head in a router. The default is `delay`.";
    INJECTION: Port = "injection" word().or_word("channel"),
        "A terminal sends one flit a cycle into its router, or as many as can move.";
    /// Packets of a terminal that may be on their way into its router at once.
    pub INJECTION_VCS: u32 = "injection_vcs" integer(1..=64, "packets at once")
        .or_as(VIRTUAL_CHANNELS.name()),
        "Packets of a terminal that may be on their way into its router at once. The default is \
         `virtual_channels`.";
    EJECTION: Port = "ejection" word().or_word("channel"),
        "A terminal takes one flit a cycle, or all there are.";
    /// Iterations of allocators that work in rounds.
    pub ISLIP_ITERATIONS: u32 = "islip_iterations" integer(1..=64, "iterations").or(1),
        "Iterations per cycle of the allocators islip and pim; the others do not use it.";
    /// Which of several equally good channels a packet takes.
    pub SELECTION: Selection = "selection" word().or_word("most-credits"),
        "Which of several equally good channels a packet takes.";
    /// The stages of the router.
    pub PIPELINE: Option<Pipeline> = "pipeline" shaped(Shape::Table(&PIPELINE_STAGES))
        .hint("write it so: `pipeline = { routing = 0 }`").optional_as("an ideal router"),
        "A router in stages: the cycles of each (internal ones under `internal_speedup`), in place of `delay` and \
         `body_delay`.";
    /// Whether heads bid for the switch before they have a virtual channel.
    pub SPECULATIVE: bool = "speculative" flag().or_flag(false),
        "With `pipeline`: a head bids for the switch while it asks for a virtual channel; bids of flits that have one \
         go first.";
    /// Virtual channels from router to terminal.
    pub EJECTION_VCS: Option<u32> = "ejection_vcs" integer(1..=64, "virtual channels")
        .optional_as("any number of packets in turn"),
        "Virtual channels from a router to its terminal, each held by a packet from head to tail, with a buffer of \
         `buffer_flits`. By default, flits of any number of packets enter in turn.";
    /// Whether a terminal sends flit by flit into buffers.
    pub INJECTION_BUFFERS: bool = "injection_buffers" flag().or_flag(false),
        "A terminal sends flit by flit, one packet after another, into an input port like that of a \
         channel. By default each injection virtual channel has a whole packet ready.";
    /// Whether terminals are ports of routers.
    pub TERMINAL_PORTS: bool = "terminal_ports" flag().or_flag(false),
        "With `injection_buffers`, where each terminal has one channel to a router and one from it: \
         terminals are ports of these routers, without routers of their own.";
    /// How heads are matched with virtual channels.
    pub VC_ALLOCATOR: Option<Matching> = "vc_allocator" word()
        .optional_as("heads one after another, as `allocator` orders them"),
        "How heads are matched with virtual channels.";
    /// The channels of which a head asks for virtual channels.
    pub VC_REQUESTS: VcRequests = "vc_requests" word().or_word("one-channel"),
        "With `vc_allocator`: an adaptive head asks for virtual channels of the one channel that `selection` picks, or \
         of every channel that it may take, so that the allocator decides. Not with `speculative`.";
    /// How flits are matched with the ways through the switch.
    pub SWITCH_ALLOCATOR: Option<Matching> = "switch_allocator" word().optional_as("as `allocator`"),
        "How flits are matched with the ways through the switch.";
    /// The arbiters of allocators.
    pub ARBITER: Option<Arbiter> = "arbiter" word().optional_as("as `allocator`"),
        "Which of several requests for one resource is granted.";
    /// Which of an input's bids for one output goes first.
    pub INPUT_ARBITER: InputArbiter = "input_arbiter" word().or_word("least-recently-served"),
        "Which of an input's virtual channels goes first where several bid for one output. With `round-robin`, as in \
         BookSim2, two that alternate can hide a third.";
    /// Where a wavefront begins.
    pub WAVEFRONT: MatchingStart = "wavefront" word().or_word("longest-waiting"),
        "Where a wavefront begins: at the longest waiting request, or, as in BookSim2, one diagonal further in every \
         cycle with a request, whatever is passed over.";
    /// Where a maximum matching begins.
    pub MAXIMUM: MatchingStart = "maximum" word().or_word("longest-waiting"),
        "Where a maximum matching begins: at the longest waiting request, or, as in BookSim2, one input further in \
         every cycle with a request, whatever is passed over.";
    /// Which request PIM draws.
    pub PIM: PimDraw = "pim" word().or_word("uniform"),
        "Which request `pim` draws: any, or, as in BookSim2, the first one from a place that is drawn, so that one \
         behind a gap is taken more often.";
    /// Ways into the switch.
    pub INPUT_SPEEDUP: u32 = "input_speedup" integer(1..=64, "flits").or(1),
        "Ways from each input port into the switch: virtual channel v takes way v mod `input_speedup`.";
    /// Ways out of the switch.
    pub OUTPUT_SPEEDUP: u32 = "output_speedup" integer(1..=64, "flits").or(1),
        "Ways from the switch to each output, with a queue behind them: input port i takes way i mod `output_speedup`.";
    /// Internal cycles in each cycle of a channel.
    pub INTERNAL_SPEEDUP: u32 = "internal_speedup" integer(1..=64, "internal cycles").or(1),
        "With `pipeline`: cycles of the router's stages, allocators and switch in each cycle of a channel. Flits wait \
         for their channel in a queue behind the switch.";
    /// Whether flits wait for their channel behind the switch.
    pub OUTPUT_QUEUES: bool = "output_queues" flag().or_flag(false),
        "Flits for a channel that takes one in `period` cycles wait in a queue behind the switch, not before it. With \
         `output_speedup` or `internal_speedup` they always do.";
    /// Whether a packet keeps its way through the switch.
    pub HOLD_SWITCH: bool = "hold_switch" flag().or_flag(false),
        "A packet keeps its way through the switch as long as its next flit can go in the next cycle.";
    /// Whether packets share a channel.
    pub INTERLEAVE_FLITS: bool = "interleave_flits" flag().or_flag(true),
        "Flits of packets on different virtual channels take turns on a channel. If false, a packet has the channel to \
         itself from its head to its tail.";
    /// Who may use the places in a port's buffers.
    pub BUFFER_SHARING: BufferSharing = "buffer_sharing" word().or_word("private"),
        "Who may use the places in an input port's buffers, `buffer_flits` for each of its virtual channels: each has \
         its own (private), or each keeps one (shared) or `buffer_reserve` (dynamic) and all share the rest.";
    /// Places that each virtual channel has to itself where buffers are shared.
    pub BUFFER_RESERVE: Option<u32> = "buffer_reserve" integer(1..=1 << 15, "flits")
        .optional_as("1 of buffers that are shared"),
        "Places that each virtual channel has to itself with `buffer_sharing = \"dynamic\"`; at most `buffer_flits`.";
}

impl EngineConfig {
    /// Whether the router has an allocator that reads `key`, one of the keys that say how an allocator chooses.
    pub fn has_allocator_for(&self, key: &str) -> bool {
        // Heads that are served one after another have an arbiter too.
        let of_vcs = self.vc_allocator.unwrap_or(Matching::SeparableInputFirst);
        let both = [of_vcs, self.switch_matching()].map(|own| match own {
            Matching::SeparableInputFirst | Matching::SeparableOutputFirst => [ARBITER.name(); 2],
            Matching::Islip { .. } => [ISLIP_ITERATIONS.name(); 2],
            Matching::Pim { .. } => [PIM.name(), ISLIP_ITERATIONS.name()],
            Matching::Wavefront => [WAVEFRONT.name(); 2],
            Matching::Maximum => [MAXIMUM.name(); 2],
        });
        both.as_flattened().contains(&key)
    }

    /// The router that `values` of [`ROUTER`] describe, with the default channels.
    pub fn of_values(values: &Values) -> Self {
        let default = VcReallocation::NonAtomic;
        let in_rounds = |matching| match matching {
            Matching::Islip { .. } => Matching::Islip {
                iterations: values.get(&ISLIP_ITERATIONS),
            },
            Matching::Pim { .. } => Matching::Pim {
                iterations: values.get(&ISLIP_ITERATIONS),
            },
            other => other,
        };
        Self {
            virtual_channels: values.get(&VIRTUAL_CHANNELS),
            buffer_flits: values.get(&BUFFER_FLITS),
            buffer_sharing: match values.get(&BUFFER_SHARING) {
                BufferSharing::Dynamic { .. } => BufferSharing::Dynamic {
                    reserve: values.get(&BUFFER_RESERVE).unwrap_or(1),
                },
                other => other,
            },
            flow_control: values.get(&FLOW_CONTROL),
            vc_reallocation: values.get(&VC_REALLOCATION).unwrap_or(default),
            delay: values.get(&DELAY),
            body_delay: values.get(&BODY_DELAY),
            credit_delay: values.get(&CREDIT_DELAY),
            allocator: match values.get(&ALLOCATOR) {
                Allocator::Islip { .. } => Allocator::Islip {
                    iterations: values.get(&ISLIP_ITERATIONS),
                },
                other => other,
            },
            selection: values.get(&SELECTION),
            crossbar: values.get(&CROSSBAR),
            injection_vcs: values.get(&INJECTION_VCS),
            injection: values.get(&INJECTION),
            ejection: values.get(&EJECTION),
            pipeline: values.get(&PIPELINE),
            speculative: values.get(&SPECULATIVE),
            ejection_vcs: values.get(&EJECTION_VCS).unwrap_or(0),
            injection_buffers: values.get(&INJECTION_BUFFERS),
            terminal_ports: values.get(&TERMINAL_PORTS),
            vc_allocator: values.get(&VC_ALLOCATOR).map(in_rounds),
            vc_requests: values.get(&VC_REQUESTS),
            switch_allocator: values.get(&SWITCH_ALLOCATOR).map(in_rounds),
            arbiter: values.get(&ARBITER),
            input_arbiter: values.get(&INPUT_ARBITER),
            wavefront: values.get(&WAVEFRONT),
            maximum: values.get(&MAXIMUM),
            pim: values.get(&PIM),
            input_speedup: values.get(&INPUT_SPEEDUP),
            output_speedup: values.get(&OUTPUT_SPEEDUP),
            internal_speedup: values.get(&INTERNAL_SPEEDUP),
            output_queues: values.get(&OUTPUT_QUEUES),
            hold_switch: values.get(&HOLD_SWITCH),
            interleave_flits: values.get(&INTERLEAVE_FLITS),
            channel_delay: ChannelDelay::Uniform(0),
            channel_period: 1,
            channel_periods: Vec::new(),
        }
    }

    /// Everything that defines the router, except its channels, by the keys of [`ROUTER`].
    pub fn router_definition(&self) -> Vec<(&'static str, Option<Value>)> {
        let iterations = self.islip_iterations().unwrap_or(1);
        let ejection_vcs = (self.ejection_vcs > 0).then_some(self.ejection_vcs);
        let speedup = |ways: u32| (ways > 1).then(|| ways.write()).flatten();
        // With these there are queues in any case.
        let queues = self.output_queues && self.output_speedup == 1 && self.internal_speedup == 1;
        // Left out where they are not used: what was found before these keys were keeps its name.
        let mut of_stages = vec![
            PIPELINE.said(&self.pipeline),
            SPECULATIVE.said(&self.speculative),
            EJECTION_VCS.said(&ejection_vcs),
            INJECTION_BUFFERS.said(&self.injection_buffers),
            TERMINAL_PORTS.said(&self.terminal_ports),
            VC_ALLOCATOR.said(&self.vc_allocator),
            SWITCH_ALLOCATOR.said(&self.switch_allocator),
            ARBITER.said(&self.arbiter),
            (INPUT_SPEEDUP.name(), speedup(self.input_speedup)),
            (OUTPUT_SPEEDUP.name(), speedup(self.output_speedup)),
            (INTERNAL_SPEEDUP.name(), speedup(self.internal_speedup)),
            OUTPUT_QUEUES.said(&queues),
            HOLD_SWITCH.said(&self.hold_switch),
        ];
        of_stages.retain(|(_, value)| !matches!(value, None | Some(Value::Flag(false))));
        let mut all = vec![
            VIRTUAL_CHANNELS.said(&self.virtual_channels),
            BUFFER_FLITS.said(&self.buffer_flits),
            FLOW_CONTROL.said(&self.flow_control),
            VC_REALLOCATION.said(&Some(self.vc_reallocation)),
            DELAY.said(&self.delay),
            BODY_DELAY.said(&self.body_delay),
            CREDIT_DELAY.said(&self.credit_delay),
            ALLOCATOR.said(&self.allocator),
            ISLIP_ITERATIONS.said(&iterations),
            SELECTION.said(&self.selection),
            CROSSBAR.said(&self.crossbar),
            INJECTION_VCS.said(&self.injection_vcs),
            INJECTION.said(&self.injection),
            EJECTION.said(&self.ejection),
        ];
        all.extend(of_stages);
        if self.asks_for_all() {
            all.push(VC_REQUESTS.said(&self.vc_requests));
        }
        if self.input_arbiter != InputArbiter::LeastRecentlyServed {
            all.push(INPUT_ARBITER.said(&self.input_arbiter));
        }
        let starts = [
            WAVEFRONT.said(&self.wavefront),
            MAXIMUM.said(&self.maximum),
            PIM.said(&self.pim),
        ];
        let is_used = |key: &str| self.keys_of_starts().any(|used| used == key);
        all.extend(starts.into_iter().filter(|(key, _)| is_used(key)));
        all.extend((!self.interleave_flits).then(|| INTERLEAVE_FLITS.said(&false)));
        if self.shares_buffers() {
            all.push(BUFFER_SHARING.said(&self.buffer_sharing));
        }
        if let BufferSharing::Dynamic { reserve } = self.buffer_sharing {
            all.push(BUFFER_RESERVE.said(&Some(reserve)));
        }
        all
    }

    /// The rounds of iSLIP, where some allocator is that.
    fn islip_iterations(&self) -> Option<u32> {
        let own = match self.allocator {
            Allocator::Islip { iterations } => Some(iterations),
            _ => None,
        };
        let matchings = [self.vc_allocator, self.switch_allocator];
        let rounds = matchings
            .iter()
            .flatten()
            .find_map(|matching| match matching {
                Matching::Islip { iterations } | Matching::Pim { iterations } => Some(*iterations),
                _ => None,
            });
        own.or(rounds)
    }

    /// The numbers of the router that have a range, each with its key.
    pub(crate) fn ranged(&self) -> Vec<(Key<u32>, u32)> {
        let iterations = self.islip_iterations().map(|n| (ISLIP_ITERATIONS, n));
        let mut all = vec![
            (VIRTUAL_CHANNELS, self.virtual_channels),
            (INJECTION_VCS, self.injection_vcs),
            (BUFFER_FLITS, self.buffer_flits),
            (DELAY, self.delay),
            (BODY_DELAY, self.body_delay),
            (CREDIT_DELAY, self.credit_delay),
            (INPUT_SPEEDUP, self.input_speedup),
            (OUTPUT_SPEEDUP, self.output_speedup),
            (INTERNAL_SPEEDUP, self.internal_speedup),
        ];
        all.extend(iterations);
        if let Some(stages) = self.pipeline {
            all.extend(stages.said());
        }
        all
    }
}

words! {
    FlowControl: "wormhole" Wormhole, "virtual-cut-through" VirtualCutThrough,
        "store-and-forward" StoreAndForward;
    Allocator: "round-robin" RoundRobin, "islip" Islip { iterations: 1 }, "random" Random,
        "oldest-first" OldestFirst;
    Matching: "separable-input-first" SeparableInputFirst, "separable-output-first" SeparableOutputFirst,
        "islip" Islip { iterations: 1 }, "pim" Pim { iterations: 1 }, "wavefront" Wavefront,
        "maximum" Maximum;
    BufferSharing: "private" Private, "shared" Shared, "dynamic" Dynamic { reserve: 1 };
    Arbiter: "round-robin" RoundRobin, "matrix" Matrix, "oldest-first" OldestFirst, "random" Random;
    InputArbiter: "least-recently-served" LeastRecentlyServed, "round-robin" RoundRobin;
    MatchingStart: "longest-waiting" LongestWaiting, "rotating" Rotating;
    VcRequests: "one-channel" OneChannel, "all-channels" AllChannels;
    PimDraw: "uniform" Uniform, "start" Start;
    Crossbar: "port" Port, "vc" Vc;
    VcReallocation: "atomic" Atomic, "non-atomic" NonAtomic;
    Port: "channel" Channel, "unlimited" Unlimited;
    Selection: "random" Random, "most-credits" MostCredits, "least-loaded" LeastLoaded, "zigzag" Zigzag;
}

impl Pipeline {
    /// Each stage with its key.
    fn said(self) -> [(Key<u32>, u32); 4] {
        [
            (ROUTING, self.routing),
            (VC_ALLOCATION, self.vc_allocation),
            (SWITCH_ALLOCATION, self.switch_allocation),
            (TRAVERSAL, self.traversal),
        ]
    }
}

impl Form for Pipeline {
    fn read(value: Option<&Value>) -> Option<Self> {
        let stages = Values::read(value)?;
        Some(Self {
            routing: stages.sound(&ROUTING)?,
            vc_allocation: stages.sound(&VC_ALLOCATION)?,
            switch_allocation: stages.sound(&SWITCH_ALLOCATION)?,
            traversal: stages.sound(&TRAVERSAL)?,
        })
    }

    fn write(&self) -> Option<Value> {
        let mut stages = PIPELINE_STAGES.defaults();
        for ((key, cycles), entry) in self.said().iter().zip(&mut stages.entries) {
            debug_assert_eq!(key.name(), entry.name);
            entry.value = cycles.write();
        }
        Some(Value::Table(stages))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_key_is_in_the_definition_of_a_router_that_uses_it() {
        let queues = EngineConfig {
            vc_allocator: Some(Matching::Maximum),
            switch_allocator: Some(Matching::Pim { iterations: 1 }),
            maximum: MatchingStart::Rotating,
            pim: PimDraw::Start,
            vc_requests: VcRequests::AllChannels,
            output_queues: true,
            buffer_sharing: BufferSharing::Dynamic { reserve: 2 },
            ..EngineConfig::default()
        };
        let stages = Pipeline {
            routing: 1,
            vc_allocation: 1,
            switch_allocation: 1,
            traversal: 1,
        };
        let all = EngineConfig {
            pipeline: Some(stages),
            speculative: true,
            ejection_vcs: 2,
            injection_buffers: true,
            terminal_ports: true,
            vc_allocator: Some(Matching::Wavefront),
            switch_allocator: Some(Matching::Wavefront),
            arbiter: Some(Arbiter::Matrix),
            input_arbiter: InputArbiter::RoundRobin,
            wavefront: MatchingStart::Rotating,
            input_speedup: 2,
            output_speedup: 2,
            internal_speedup: 2,
            hold_switch: true,
            interleave_flits: false,
            ..EngineConfig::default()
        };
        let told: BTreeSet<&str> = [all, queues]
            .iter()
            .flat_map(EngineConfig::router_definition)
            .filter_map(|(name, value)| value.map(|_| name))
            .collect();
        let keys = ROUTER.all_keys();
        let keys: BTreeSet<&str> = keys.iter().map(|key| key.name).collect();
        assert_eq!(told, keys);
    }
}
