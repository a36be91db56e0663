//! The keys of `[router]`: what a scenario says of a router, each fact once.

use super::{
    Allocator, ChannelDelay, Crossbar, EngineConfig, FlowControl, Port, Selection, VcReallocation,
};
use flitsim_keys::{Key, Value, Values, Words, table};

table! {
    /// The table `[router]`.
    pub static ROUTER = "router", "An input-queued router with virtual channels and credits.";

    /// Virtual channels of each channel.
    pub VIRTUAL_CHANNELS: u32 = "virtual_channels" integer(1..=64, "virtual channels").or(4),
        "Virtual channels of each channel.";
    /// What a buffer holds.
    pub BUFFER_FLITS: u32 = "buffer_flits" integer(1..=1 << 15, "flits").or(8),
        "What the buffer of each virtual channel holds.";
    /// When a packet advances.
    pub FLOW_CONTROL: FlowControl = "flow_control" word().or_word("wormhole"),
        "When a packet advances: flit by flit as credits allow (wormhole), where the whole packet \
         fits (virtual-cut-through), or then, and once all of it has arrived (store-and-forward).";
    /// What a head flit spends in a router.
    pub DELAY: u32 = "delay" integer(1..=10_000, "cycles").or(1),
        "What a head flit spends in a router at zero load: routing, allocation, switch.";
    ALLOCATOR: Allocator = "allocator" word().or_word("round-robin"),
        "Who wins where several packets want one output or virtual channel.";
    CROSSBAR: Crossbar = "crossbar" word().or_word("port"),
        "One flit a cycle of each input port, or of each of its virtual channels.";
    /// When a virtual channel may be claimed again.
    pub VC_REALLOCATION: Option<VcReallocation> = "vc_reallocation" word()
        .optional_as("`\"non-atomic\"`; `\"atomic\"` with an escape"),
        "When the next packet may claim a virtual channel: when it is empty and every credit is \
         back (atomic), or as soon as the last tail has left the sender (non-atomic). The default \
         is non-atomic, and atomic with an escape.";
    CREDIT_DELAY: u32 = "credit_delay" integer(1..=10_000, "cycles").or(1),
        "What a credit takes back to the sender, beyond the wire's delay.";
    BODY_DELAY: u32 = "body_delay" integer(1..=10_000, "cycles").or_as(DELAY.name()),
        "What the flits behind the head spend in a router. The default is `delay`.";
    INJECTION: Port = "injection" word().or_word("channel"),
        "A terminal sends one flit a cycle into its router, or as many as can go.";
    INJECTION_VCS: u32 = "injection_vcs" integer(1..=64, "packets at once")
        .or_as(VIRTUAL_CHANNELS.name()),
        "Packets of a terminal that may be on their way into its router at once. The default is \
         `virtual_channels`.";
    EJECTION: Port = "ejection" word().or_word("channel"),
        "A terminal takes one flit a cycle, or all.";
    ISLIP_ITERATIONS: u32 = "islip_iterations" integer(1..=64, "iterations").or(1),
        "Iterations a cycle of the allocator islip; the others do not look at it.";
    SELECTION: Selection = "selection" word().or_word("most-credits"),
        "Which of several equally good channels a packet takes.";
}

impl EngineConfig {
    /// The router that `values` of [`ROUTER`] say, its channels those of the default.
    pub fn of_values(values: &Values) -> Self {
        let default = VcReallocation::NonAtomic;
        Self {
            virtual_channels: values.get(&VIRTUAL_CHANNELS),
            buffer_flits: values.get(&BUFFER_FLITS),
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
            channel_delay: ChannelDelay::Uniform(0),
            channel_period: 1,
            channel_periods: Vec::new(),
        }
    }

    /// Everything that defines the router, its channels left out, as [`ROUTER`] says it.
    pub fn router_definition(&self) -> Vec<(&'static str, Option<Value>)> {
        let iterations = match self.allocator {
            Allocator::Islip { iterations } => iterations,
            _ => 1,
        };
        vec![
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
        ]
    }

    /// The numbers of the router that have a range, each with its key.
    pub(crate) fn ranged(&self) -> Vec<(Key<u32>, u32)> {
        let iterations = match self.allocator {
            Allocator::Islip { iterations } => Some((ISLIP_ITERATIONS, iterations)),
            _ => None,
        };
        let mut all = vec![
            (VIRTUAL_CHANNELS, self.virtual_channels),
            (INJECTION_VCS, self.injection_vcs),
            (BUFFER_FLITS, self.buffer_flits),
            (DELAY, self.delay),
            (BODY_DELAY, self.body_delay),
            (CREDIT_DELAY, self.credit_delay),
        ];
        all.extend(iterations);
        all
    }
}

impl Words for FlowControl {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("wormhole", Self::Wormhole),
        ("virtual-cut-through", Self::VirtualCutThrough),
        ("store-and-forward", Self::StoreAndForward),
    ];
}

impl Words for Allocator {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("round-robin", Self::RoundRobin),
        ("islip", Self::Islip { iterations: 1 }),
        ("random", Self::Random),
        ("oldest-first", Self::OldestFirst),
    ];

    fn word(self) -> &'static str {
        match self {
            Self::RoundRobin => "round-robin",
            Self::Islip { .. } => "islip",
            Self::Random => "random",
            Self::OldestFirst => "oldest-first",
        }
    }
}

impl Words for Crossbar {
    const WORDS: &'static [(&'static str, Self)] = &[("port", Self::Port), ("vc", Self::Vc)];
}

impl Words for VcReallocation {
    const WORDS: &'static [(&'static str, Self)] =
        &[("atomic", Self::Atomic), ("non-atomic", Self::NonAtomic)];
}

impl Words for Port {
    const WORDS: &'static [(&'static str, Self)] =
        &[("channel", Self::Channel), ("unlimited", Self::Unlimited)];
}

impl Words for Selection {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("random", Self::Random),
        ("most-credits", Self::MostCredits),
        ("least-loaded", Self::LeastLoaded),
        ("zigzag", Self::Zigzag),
    ];
}
