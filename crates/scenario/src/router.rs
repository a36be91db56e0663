//! A router as a scenario says it, and what it must hold beside its own ranges.

use crate::error::{Fault, Place};
use flitsim_analysis::zero_load_latency_cycles;
use flitsim_engine::config::keys::{
    ARBITER, BUFFER_FLITS, BUFFER_RESERVE, BUFFER_SHARING, FLOW_CONTROL, INJECTION_VCS,
    ISLIP_ITERATIONS, MAXIMUM, PIM, SELECTION, TERMINAL_PORTS, VC_REALLOCATION, VIRTUAL_CHANNELS,
    WAVEFRONT,
};
use flitsim_engine::routing::Algorithm;
use flitsim_engine::{
    Arbiter, BufferSharing, ChannelDelay, Contradiction, EngineConfig, MatchingStart, PimDraw,
    Selection, VcReallocation, VcRequests,
};
use flitsim_keys::{Placed, Values, Words};
use flitsim_topology::{ChannelId, Network};

/// The table `[router]`, read: the engine's configuration, its channels not yet, and the places that
/// later checks underline.
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
    /// The keys that say how an allocator or a head chooses, where they say other than by default, and whether the
    /// router has one that looks at them.
    pub choosing: Vec<(&'static str, bool)>,
}

impl Router {
    /// The router that `values` of `[router]` say.
    pub fn of(values: &Values) -> Self {
        let config = EngineConfig::of_values(values);
        Self {
            choosing: choosing(&config, values),
            config,
            virtual_channels: values.placed(&VIRTUAL_CHANNELS),
            buffer_flits: values.placed(&BUFFER_FLITS),
            vc_reallocation_place: values.place(VC_REALLOCATION.name()),
            flow_control_place: values.place(FLOW_CONTROL.name()),
        }
    }

    /// Refuses options that do not go together, each at its key in `values` of `[router]`; not those that may do so only
    /// because something is wrong with one of them: their key, or one that would have to change.
    pub fn contradictions(&self, values: &Values) -> impl Iterator<Item = Fault> {
        let mut all = self.config.contradictions();
        if self.config.terminal_ports && values.is_given(INJECTION_VCS.name()) {
            all.push(Contradiction {
                key: INJECTION_VCS.name(),
                message: "a terminal sends one packet after another into its port, on its channel's \
                          `virtual_channels`",
                help: "leave `injection_vcs` or `terminal_ports` out",
            });
        }
        let is_dynamic = matches!(self.config.buffer_sharing, BufferSharing::Dynamic { .. });
        match values.is_given(BUFFER_RESERVE.name()) {
            true if !is_dynamic => all.push(Contradiction {
                key: BUFFER_RESERVE.name(),
                message: "what each virtual channel has of its own is to be said of `\"dynamic\"` buffers only",
                help: "`buffer_sharing = \"dynamic\"`, or leave `buffer_reserve` out",
            }),
            false if is_dynamic => all.push(Contradiction {
                key: BUFFER_SHARING.name(),
                message: "what each virtual channel has of its own is to be said",
                help: "add `buffer_reserve`, from 1 to `buffer_flits`, or `buffer_sharing = \"shared\"`",
            }),
            _ => {}
        }
        let fault = |Contradiction { key, message, help }| {
            values.fault(key, message).label("not here").help(help)
        };
        let is_known = |one: &Contradiction| {
            let mut doubtful = values.doubtful();
            !doubtful.any(|key| {
                let is_named = |text: &str| {
                    text.contains(&format!("`{key}`")) || text.contains(&format!("`{key} "))
                };
                one.key == key || is_named(one.message) || is_named(one.help)
            })
        };
        all.into_iter().filter(is_known).map(fault)
    }

    /// Refuses terminals as ports, as `values` of `[router]` have it, where `network` or `algorithm` does not
    /// take them so.
    ///
    /// # Errors
    /// A terminal that is no port; routes that are files', or by way of terminals.
    pub fn check_ports(
        &self,
        values: &Values,
        network: &Network,
        algorithm: Algorithm,
    ) -> Result<(), Fault> {
        let wrong = |message: String, help| {
            let fault = values.fault(TERMINAL_PORTS.name(), message);
            Err(fault.label("not here").help(help))
        };
        if let Some(terminal) = self.config.first_that_is_no_port(network) {
            if !network.is_living(terminal) {
                return wrong(
                    format!(
                        "terminal {terminal} has failed, and a router with terminals as ports has them all"
                    ),
                    "`[faults]` between routers alone, or leave `terminal_ports` out",
                );
            }
            return wrong(
                format!(
                    "terminal {terminal} has not one channel to a router and one from a router alone"
                ),
                "a `[topology]` with `terminals`, a `\"butterfly\"`, or a `\"fat-tree\"` of `arity` and `levels` or \
                 with `parents` that begin with 1, or leave `terminal_ports` out",
            );
        }
        let by_terminals = network.concentration().is_none()
            && matches!(algorithm, Algorithm::Valiant | Algorithm::Ugal);
        if self.config.terminal_ports && (by_terminals || algorithm == Algorithm::Source) {
            return wrong(
                format!(
                    "{} leads packets by way of terminals, or begins there",
                    algorithm.name()
                ),
                "another `algorithm`, or leave `terminal_ports` out",
            );
        }
        Ok(())
    }

    /// What to underline where a router takes more than there is.
    pub fn size_place(&self) -> Option<Place> {
        let place = self.buffer_flits.place.as_ref();
        place.or(self.virtual_channels.place.as_ref()).cloned()
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
        let switching = self.config.flow_control.word();
        if self.config.takes_packets(packet_flits) {
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

    /// Says where buffers are too small for the flits of a packet of up to `packet_flits` to follow one another as fast
    /// as routers and channels let them.
    pub fn credit_warning(&self, packet_flits: u32) -> Option<String> {
        let config = &self.config;
        let channels = match &config.channel_delay {
            ChannelDelay::Uniform(_) => config.channel_periods.len(),
            ChannelDelay::PerChannel(delays) => delays.len(),
        };
        let each = (0..channels.max(1) as u32).map(ChannelId).map(|channel| {
            let wire = config.channel_delay_of(channel);
            let period = config.channel_period_of(channel);
            let (inside, every) = (
                config.stream_cycles(period),
                config.flit_cycles_over(period),
            );
            let trip = inside + 2 * wire + config.credit_delay;
            // Where a flit goes every p cycles, a p-th of the slots is enough.
            (trip.div_ceil(every), trip, inside, wire, every)
        });
        let (wanted, trip, inside, wire, every) = each.max()?;
        // What a packet alone may fill, of buffers that are shared, too.
        let buffer = config.flits_most(config.virtual_channels);
        let others = config.virtual_channels - 1;
        let reserved = others * config.buffer_reserve();
        let enough = match config.shares_buffers() {
            true => (wanted + reserved).div_ceil(others + 1),
            false => wanted,
        };
        (buffer < wanted.min(packet_flits)).then(|| {
            let at_most = if config.shares_buffers() { "at most " } else { "" };
            let at_rate = match every {
                1 => "a flit a cycle".to_owned(),
                _ => format!("a flit every {every} cycles"),
            };
            format!(
                "a virtual channel of {at_most}{buffer} flits does not cover the credit round trip of \
                 {trip} cycles ({inside} in a router, 2 * {wire} on the wire, `credit_delay` {}) at \
                 {at_rate}: a packet alone waits for credits; `buffer_flits = {enough}` or more does",
                config.credit_delay
            )
        })
    }

    /// About the latency of packets of `packet_flits` flits in the mean over `hops` channels of an empty
    /// network, whose wires take `wires` cycles, in cycles.
    pub fn zero_load_latency(&self, hops: f64, wires: f64, packet_flits: f64) -> u64 {
        let (channels, flits) = (hops.round() as u32, packet_flits.round() as u32);
        zero_load_latency_cycles(&self.config, channels, wires.round() as u64, flits)
    }
}

fn choosing(config: &EngineConfig, values: &Values) -> Vec<(&'static str, bool)> {
    let said = [
        (
            ARBITER.name(),
            config.arbiter.is_some_and(|own| own != Arbiter::RoundRobin),
        ),
        (ISLIP_ITERATIONS.name(), values.get(&ISLIP_ITERATIONS) > 1),
        (
            WAVEFRONT.name(),
            config.wavefront == MatchingStart::Rotating,
        ),
        (MAXIMUM.name(), config.maximum == MatchingStart::Rotating),
        (PIM.name(), config.pim == PimDraw::Start),
        (SELECTION.name(), config.selection != Selection::MostCredits),
    ];
    let is_looked_at = |key| match key == SELECTION.name() {
        true => config.vc_requests == VcRequests::OneChannel,
        false => config.has_allocator_for(key),
    };
    let said = said.into_iter().filter(|&(_, is_said)| is_said);
    said.map(|(key, _)| (key, is_looked_at(key))).collect()
}
