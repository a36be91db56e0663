//! The keys of `[router]`: what a scenario says of a router, each fact once.

use super::{
    Allocator, ChannelDelay, Crossbar, EngineConfig, FlowControl, Port, Selection, VcReallocation,
};
use flitsim_keys::{Key, Table, Value, Values, Words};

/// Virtual channels of each channel.
pub const VIRTUAL_CHANNELS: Key<u32> = Key::integer(
    "virtual_channels",
    1..=64,
    "virtual channels",
    "Virtual channels of each channel.",
)
.or(4);

/// What a buffer holds.
pub const BUFFER_FLITS: Key<u32> = Key::integer(
    "buffer_flits",
    1..=1 << 15,
    "flits",
    "What the buffer of each virtual channel holds.",
)
.or(8);

/// When a packet advances.
pub const FLOW_CONTROL: Key<FlowControl> = Key::word(
    "flow_control",
    "When a packet advances: flit by flit as credits allow (wormhole), where the whole packet fits \
     (virtual-cut-through), or then, and once all of it has arrived (store-and-forward).",
)
.or_word("wormhole");

/// What a head flit spends in a router.
pub const DELAY: Key<u32> = Key::integer(
    "delay",
    1..=10_000,
    "cycles",
    "What a head flit spends in a router at zero load: routing, allocation, switch.",
)
.or(1);

const ALLOCATOR: Key<Allocator> = Key::word(
    "allocator",
    "Who wins where several packets want one output or virtual channel.",
)
.or_word("round-robin");

const CROSSBAR: Key<Crossbar> = Key::word(
    "crossbar",
    "One flit a cycle of each input port, or of each of its virtual channels.",
)
.or_word("port");

/// When a virtual channel may be claimed again.
pub const VC_REALLOCATION: Key<Option<VcReallocation>> = Key::word(
    "vc_reallocation",
    "When the next packet may claim a virtual channel: when it is empty and every credit is back \
     (atomic), or as soon as the last tail has left the sender (non-atomic). The default is non-atomic, \
     and atomic with an escape.",
)
.optional_as("`\"non-atomic\"`; `\"atomic\"` with an escape");

const CREDIT_DELAY: Key<u32> = Key::integer(
    "credit_delay",
    1..=10_000,
    "cycles",
    "What a credit takes back to the sender, beyond the wire's delay.",
)
.or(1);

const BODY_DELAY: Key<u32> = Key::integer(
    "body_delay",
    1..=10_000,
    "cycles",
    "What the flits behind the head spend in a router. The default is `delay`.",
)
.or_as(DELAY.name());

const INJECTION: Key<Port> = Key::word(
    "injection",
    "A terminal sends one flit a cycle into its router, or as many as can go.",
)
.or_word("channel");

const INJECTION_VCS: Key<u32> = Key::integer(
    "injection_vcs",
    1..=64,
    "packets at once",
    "Packets of a terminal that may be on their way into its router at once. The default is \
     `virtual_channels`.",
)
.or_as(VIRTUAL_CHANNELS.name());

const EJECTION: Key<Port> =
    Key::word("ejection", "A terminal takes one flit a cycle, or all.").or_word("channel");

const ISLIP_ITERATIONS: Key<u32> = Key::integer(
    "islip_iterations",
    1..=64,
    "iterations",
    "Iterations a cycle of the allocator islip; the others do not look at it.",
)
.or(1);

const SELECTION: Key<Selection> = Key::word(
    "selection",
    "Which of several equally good channels a packet takes.",
)
.or_word("most-credits");

/// The table `[router]`.
pub static ROUTER: Table = Table::new(
    "router",
    "An input-queued router with virtual channels and credits.",
    &const {
        [
            VIRTUAL_CHANNELS.described(),
            BUFFER_FLITS.described(),
            FLOW_CONTROL.described(),
            DELAY.described(),
            ALLOCATOR.described(),
            CROSSBAR.described(),
            VC_REALLOCATION.described(),
            CREDIT_DELAY.described(),
            BODY_DELAY.described(),
            INJECTION.described(),
            INJECTION_VCS.described(),
            EJECTION.described(),
            ISLIP_ITERATIONS.described(),
            SELECTION.described(),
        ]
    },
);

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
