//! The table `[router]`: what a router is.

use super::error::{Fault, Place};
use super::reader::{Placed, Section};
use flitsim_engine::{
    Allocator, ChannelDelay, Crossbar, EngineConfig, FlowControl, Port, Selection, VcReallocation,
};
use flitsim_topology::ChannelId;
use serde_json::{Value, json};

/// The keys of `[router]`.
pub const ROUTER_KEYS: [&str; 14] = [
    "virtual_channels",
    "buffer_flits",
    "flow_control",
    "delay",
    "allocator",
    "crossbar",
    "vc_reallocation",
    "credit_delay",
    "body_delay",
    "injection",
    "injection_vcs",
    "ejection",
    "islip_iterations",
    "selection",
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
        router.only(&ROUTER_KEYS, &["switch_speculation"])?;
        let default = EngineConfig::default();
        let virtual_channels = router.count(
            "virtual_channels",
            1..=64,
            "virtual channels",
            default.virtual_channels,
        )?;
        let buffer_flits =
            router.count("buffer_flits", 1..=1 << 15, "flits", default.buffer_flits)?;
        let delay = router.count("delay", 1..=10_000, "cycles", default.delay)?;
        let cycles = |key, default| router.count(key, 1..=10_000, "cycles", default);
        let iterations = router.count("islip_iterations", 1..=64, "iterations", 1)?;
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
                    1..=64,
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
