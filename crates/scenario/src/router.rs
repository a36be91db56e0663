//! The table `[router]`: what a router is.

use super::error::{Fault, Place};
use super::key::{Key, Shape, names, words};
use super::reader::{Placed, Section};
use flitsim_engine::{
    Allocator, ChannelDelay, Crossbar, EngineConfig, FlowControl, Port, Selection, VcReallocation,
};
use flitsim_topology::ChannelId;
use serde_json::{Value, json};
use std::ops::RangeInclusive;

/// The most virtual channels, and the most packets on their way into a router at once.
const VIRTUAL_CHANNELS: RangeInclusive<u64> = 1..=64;
const BUFFER_FLITS: RangeInclusive<u64> = 1..=1 << 15;
const DELAY_CYCLES: RangeInclusive<u64> = 1..=10_000;
const ISLIP_ITERATIONS: RangeInclusive<u64> = 1..=64;

/// The keys of `[router]`.
pub const ROUTER_KEYS: [Key; 14] = [
    Key::new(
        "virtual_channels",
        Shape::integer(VIRTUAL_CHANNELS, "virtual channels"),
        "Virtual channels of each channel.",
    )
    .or("4"),
    Key::new(
        "buffer_flits",
        Shape::integer(BUFFER_FLITS, "flits"),
        "What the buffer of each virtual channel holds.",
    )
    .or("8"),
    Key::new(
        "flow_control",
        Shape::Word(|| words(&FLOW_CONTROLS)),
        "When a packet advances: flit by flit as credits allow (wormhole), where the whole packet \
         fits (virtual-cut-through), or then, and once all of it has arrived (store-and-forward).",
    )
    .or("\"wormhole\""),
    Key::new(
        "delay",
        Shape::integer(DELAY_CYCLES, "cycles"),
        "What a head flit spends in a router at zero load: routing, allocation, switch.",
    )
    .or("1"),
    Key::new(
        "allocator",
        Shape::Word(|| words(&ALLOCATORS)),
        "Who wins where several packets want one output or virtual channel.",
    )
    .or("\"round-robin\""),
    Key::new(
        "crossbar",
        Shape::Word(|| words(&CROSSBARS)),
        "One flit a cycle of each input port, or of each of its virtual channels.",
    )
    .or("\"port\""),
    Key::new(
        "vc_reallocation",
        Shape::Word(|| words(&REALLOCATIONS)),
        "When the next packet may claim a virtual channel: when it is empty and every credit is back \
         (atomic), or as soon as the last tail has left the sender (non-atomic). The default is \
         non-atomic, and atomic with an escape.",
    ),
    Key::new(
        "credit_delay",
        Shape::integer(DELAY_CYCLES, "cycles"),
        "What a credit takes back to the sender, beyond the wire's delay.",
    )
    .or("1"),
    Key::new(
        "body_delay",
        Shape::integer(DELAY_CYCLES, "cycles"),
        "What the flits behind the head spend in a router. The default is `delay`.",
    ),
    Key::new(
        "injection",
        Shape::Word(|| words(&PORTS)),
        "A terminal sends one flit a cycle into its router, or as many as can go.",
    )
    .or("\"channel\""),
    Key::new(
        "injection_vcs",
        Shape::integer(VIRTUAL_CHANNELS, "packets at once"),
        "Packets of a terminal that may be on their way into its router at once. The default is \
         `virtual_channels`.",
    ),
    Key::new(
        "ejection",
        Shape::Word(|| words(&PORTS)),
        "A terminal takes one flit a cycle, or all.",
    )
    .or("\"channel\""),
    Key::new(
        "islip_iterations",
        Shape::integer(ISLIP_ITERATIONS, "iterations"),
        "Iterations a cycle of the allocator islip; the others do not look at it.",
    )
    .or("1"),
    Key::new(
        "selection",
        Shape::Word(|| words(&SELECTIONS)),
        "Which of several equally good channels a packet takes.",
    )
    .or("\"most-credits\""),
];

const FLOW_CONTROLS: [(&str, FlowControl); 3] = [
    ("wormhole", FlowControl::Wormhole),
    ("virtual-cut-through", FlowControl::VirtualCutThrough),
    ("store-and-forward", FlowControl::StoreAndForward),
];
const ALLOCATORS: [(&str, Allocator); 4] = [
    ("round-robin", Allocator::RoundRobin),
    ("islip", Allocator::Islip { iterations: 1 }),
    ("random", Allocator::Random),
    ("oldest-first", Allocator::OldestFirst),
];
const CROSSBARS: [(&str, Crossbar); 2] = [("port", Crossbar::Port), ("vc", Crossbar::Vc)];
const REALLOCATIONS: [(&str, VcReallocation); 2] = [
    ("atomic", VcReallocation::Atomic),
    ("non-atomic", VcReallocation::NonAtomic),
];
const PORTS: [(&str, Port); 2] = [("channel", Port::Channel), ("unlimited", Port::Unlimited)];
const SELECTIONS: [(&str, Selection); 4] = [
    ("random", Selection::Random),
    ("most-credits", Selection::MostCredits),
    ("least-loaded", Selection::LeastLoaded),
    ("zigzag", Selection::Zigzag),
];

/// The table, read: the engine's configuration, its channels not yet, and the places that later
/// checks underline.
#[derive(Clone, Debug)]
pub struct Router {
    /// The router; its channels come from `channel::Channel::apply`.
    pub config: EngineConfig,
    /// `virtual_channels`, with its place.
    pub virtual_channels: Placed<u32>,
    /// `buffer_flits`, with its place.
    pub buffer_flits: Placed<u32>,
    /// Where `vc_reallocation` stands.
    pub vc_reallocation_place: Option<Place>,
    /// Where `flow_control` stands.
    flow_control_place: Option<Place>,
}

impl Router {
    /// Reads and checks the table.
    ///
    /// # Errors
    /// The first thing wrong.
    pub fn read(router: &Section<'_>) -> Result<Self, Fault> {
        router.only(&names(&ROUTER_KEYS), &["switch_speculation"])?;
        let default = EngineConfig::default();
        let virtual_channels = router.count(
            "virtual_channels",
            VIRTUAL_CHANNELS,
            "virtual channels",
            default.virtual_channels,
        )?;
        let buffer_flits =
            router.count("buffer_flits", BUFFER_FLITS, "flits", default.buffer_flits)?;
        let delay = router.count("delay", DELAY_CYCLES, "cycles", default.delay)?;
        let cycles = |key, default| router.count(key, DELAY_CYCLES, "cycles", default);
        let iterations = router.count("islip_iterations", ISLIP_ITERATIONS, "iterations", 1)?;
        let allocator = match choice(router, "allocator", &ALLOCATORS, default.allocator)? {
            Allocator::Islip { .. } => Allocator::Islip {
                iterations: iterations.value,
            },
            other => other,
        };
        let config = EngineConfig {
            virtual_channels: virtual_channels.value,
            buffer_flits: buffer_flits.value,
            flow_control: choice(router, "flow_control", &FLOW_CONTROLS, default.flow_control)?,
            vc_reallocation: choice(
                router,
                "vc_reallocation",
                &REALLOCATIONS,
                default.vc_reallocation,
            )?,
            delay: delay.value,
            body_delay: cycles("body_delay", delay.value)?.value,
            credit_delay: cycles("credit_delay", default.credit_delay)?.value,
            allocator,
            selection: choice(router, "selection", &SELECTIONS, default.selection)?,
            crossbar: choice(router, "crossbar", &CROSSBARS, default.crossbar)?,
            injection_vcs: router
                .count(
                    "injection_vcs",
                    VIRTUAL_CHANNELS,
                    "packets at once",
                    virtual_channels.value,
                )?
                .value,
            injection: choice(router, "injection", &PORTS, default.injection)?,
            ejection: choice(router, "ejection", &PORTS, default.ejection)?,
            ..default
        };
        Ok(Self {
            config,
            virtual_channels,
            buffer_flits,
            vc_reallocation_place: router.place_of("vc_reallocation"),
            flow_control_place: router.place_of("flow_control"),
        })
    }

    /// Makes atomic reallocation the default: what the escape of an algorithm asks for under wormhole
    /// flow control. Whether the other will do where a scenario asks for it, the proof tells.
    pub fn suit_escape(&mut self) {
        if self.vc_reallocation_place.is_none() {
            self.config.vc_reallocation = VcReallocation::Atomic;
        }
    }

    /// Refuses buffers that no packet fits, where whole packets move.
    ///
    /// # Errors
    /// Under virtual cut-through and store-and-forward, if the longest packet, `packet_flits`, is more
    /// than a buffer.
    pub fn check_packets_fit(&self, packet_flits: u32) -> Result<(), Fault> {
        let buffer = self.config.buffer_flits;
        let switching = name_of(&FLOW_CONTROLS, self.config.flow_control);
        if self.config.flow_control == FlowControl::Wormhole || buffer >= packet_flits {
            return Ok(());
        }
        let place = self.buffer_flits.place.as_ref();
        let place = place.or(self.flow_control_place.as_ref()).cloned();
        let message = format!(
            "under {switching}, a buffer of {buffer} flits is smaller than a packet of \
             {packet_flits}"
        );
        Err(Fault::new(place, message)
            .label(format!("less than a packet of {packet_flits} flits"))
            .note("a head advances only where its whole packet fits: none would ever move")
            .help(format!(
                "`buffer_flits = {packet_flits}` or more, packets of at most {buffer} flits, or \
                 `flow_control = \"wormhole\"`"
            )))
    }

    /// Says where buffers are too small for a channel to run at full rate.
    pub fn credit_warning(&self) -> Option<String> {
        let config = &self.config;
        let trip_of = |wire: u32| config.body_delay + 2 * wire + config.credit_delay;
        // A channel that passes a flit every p cycles needs a p-th of the slots.
        let slots = |wire, period| trip_of(wire).div_ceil(period);
        let channels = match &config.channel_delay {
            ChannelDelay::Uniform(_) => config.channel_periods.len(),
            ChannelDelay::PerChannel(delays) => delays.len(),
        };
        let each = (0..channels.max(1) as u32).map(ChannelId).map(|channel| {
            let wire = config.channel_delay_of(channel);
            (
                slots(wire, config.channel_period_of(channel)),
                trip_of(wire),
            )
        });
        let (wanted, trip) = each.max()?;
        let buffer = config.buffer_flits;
        (buffer < wanted).then(|| {
            format!(
                "a virtual channel of {buffer} flits does not cover the credit round trip of \
                 {trip} cycles (delay + 2 * channel delay + credit_delay): a packet alone moves at \
                 less than full rate; `buffer_flits = {wanted}` or more does"
            )
        })
    }

    /// The latency of packets of `packet_flits` flits in the mean over `hops` channels of an empty
    /// network, in cycles.
    pub fn zero_load_latency(&self, hops: f64, packet_flits: f64) -> f64 {
        let config = &self.config;
        let wire = match config.channel_delay {
            ChannelDelay::Uniform(delay) => f64::from(delay),
            ChannelDelay::PerChannel(_) => 0.0,
        };
        let delay = f64::from(config.delay);
        let body = (packet_flits - 1.0) * f64::from(config.channel_period_min());
        match config.flow_control {
            FlowControl::StoreAndForward => hops * (delay + wire + body) + delay,
            FlowControl::Wormhole | FlowControl::VirtualCutThrough => {
                (hops + 1.0) * delay + hops * wire + body
            }
        }
    }

    /// Everything that defines the router.
    pub fn router_definition(&self) -> Value {
        let config = &self.config;
        let (allocator, iterations) = match config.allocator {
            Allocator::Islip { iterations } => ("islip", iterations),
            other => (name_of(&ALLOCATORS, other), 1),
        };
        json!({
            "virtual_channels": config.virtual_channels,
            "buffer_flits": config.buffer_flits,
            "flow_control": name_of(&FLOW_CONTROLS, config.flow_control),
            "vc_reallocation": name_of(&REALLOCATIONS, config.vc_reallocation),
            "delay": config.delay,
            "body_delay": config.body_delay,
            "credit_delay": config.credit_delay,
            "allocator": allocator,
            "islip_iterations": iterations,
            "selection": name_of(&SELECTIONS, config.selection),
            "crossbar": name_of(&CROSSBARS, config.crossbar),
            "injection_vcs": config.injection_vcs,
            "injection": name_of(&PORTS, config.injection),
            "ejection": name_of(&PORTS, config.ejection),
        })
    }
}

/// The word of `section`'s `key`, or the default.
fn choice<T: Copy>(
    section: &Section<'_>,
    key: &str,
    words: &[(&str, T)],
    default: T,
) -> Result<T, Fault> {
    Ok(section
        .word(key, words, &[])?
        .map_or(default, |word| word.value))
}

/// The word that stands for `meaning`.
fn name_of<T: Copy + PartialEq>(words: &[(&'static str, T)], meaning: T) -> &'static str {
    words
        .iter()
        .find(|(_, m)| *m == meaning)
        .map_or("", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_its_word() {
        for (name, meaning) in FLOW_CONTROLS {
            assert_eq!(name_of(&FLOW_CONTROLS, meaning), name);
        }
        for (name, meaning) in ALLOCATORS {
            assert_eq!(name_of(&ALLOCATORS, meaning), name);
        }
    }
}
