//! The latency of a packet that meets no other, as `docs/flow.md` counts cycles.
//!
//! With F flits over H channels, router delay t_r, wire delays t_c and channel period p, wormhole
//! and virtual cut-through take (H + 1)·t_r + Σ t_c + (F − 1)·p, store-and-forward
//! Σ (t_r + t_c + (F − 1)·p) + t_r. A packet to its own terminal crosses no channel, so p does not
//! count: t_r + F − 1. Where terminals are ports, the way to and from them is two channels without routers of
//! their own: (H − 1)·t_r.
//!
//! Under wormhole, buffers of b flits that do not cover the credit round trip of r cycles add ⌊(F − 1) / b⌋·(r − b·p):
//! of every b flits the first waits for the credit of the one that was b before it. Told where the routers are not in
//! stages, bodies are as fast as heads and all wires as long; elsewhere such waiting is left out.
//!
//! Body flits faster than the head catch up with it at the sink, which takes a flit a cycle where a
//! channel takes one in p. Body flits slower than the head fall behind it, by `body_delay` − t_r a
//! hop; under store-and-forward only where they hold up their own tail, by what is over t_r + p:
//! the two then arrive in one cycle, and the sink takes the tail in the next.
//!
//! With `hold_switch` flits that have come while the head was in its stages go with it, one a cycle; not over
//! a channel that takes none in the next cycle.

use flitsim_engine::{ChannelDelay, EngineConfig, FlowControl};

/// The part of a router that decides the time of a lone packet. Cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Timing {
    store_and_forward: bool,
    delay: u64,
    body_delay: u64,
    /// Between two flits of a packet, whatever the channel.
    flit_cycles: u64,
    /// Where ways through the switch are kept: internal cycles from a head's coming to its going, and how many are
    /// in a cycle.
    kept_after: Option<u64>,
    internal: u64,
    /// Flits of a buffer, and the cycles until its place is another's, where that is told.
    credits: Option<(u64, u64)>,
    /// Routers that a packet does not pass: those of its terminals where these are ports.
    passed_by: i64,
}

/// Latency as a linear function of hops. Cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    /// Of a packet that takes no channel.
    pub at_home: u64,
    /// Of any other, once.
    pub once: i64,
    /// And for each channel, beside its wire delay.
    pub per_hop: u64,
}

impl Timing {
    pub(super) fn new(config: &EngineConfig) -> Self {
        Self {
            store_and_forward: config.flow_control == FlowControl::StoreAndForward,
            delay: u64::from(config.head_cycles()),
            body_delay: u64::from(config.body_cycles()),
            flit_cycles: u64::from(
                (config.pipeline).map_or(1, |s| s.switch_allocation / config.internal_speedup),
            ),
            kept_after: (config.pipeline.filter(|_| config.hold_switch))
                .map(|stages| u64::from(config.head_stages(stages) - 1)),
            internal: u64::from(config.internal_speedup),
            credits: round_trip(config),
            passed_by: if config.terminal_ports { 2 } else { 0 },
        }
    }

    /// The line of a packet of `flits` flits, over channels of period `period`.
    ///
    /// Where channels differ, wormhole and virtual cut-through take the (F − 1)·p of the slowest on
    /// the way, store-and-forward that of each channel in turn: `once` is that of the slowest
    /// channel, `per_hop` that of the channel itself. Exact where `body_delay` is the head's.
    pub(super) fn line(&self, flits: u32, period: u32) -> Line {
        let period = u64::from(period);
        let [behind, stream] = [1, period].map(|period| {
            let is_kept = self.kept_after.is_some() && period == 1;
            let apart = if is_kept {
                1
            } else {
                period.max(self.flit_cycles)
            };
            u64::from(flits.saturating_sub(1)) * apart
        });
        let at_home = self.delay + behind;
        if self.store_and_forward {
            let on_time = self.delay + period;
            let held_up = flits > 2 && self.body_delay >= on_time;
            let lag = if held_up {
                self.body_delay - on_time
            } else {
                0
            };
            Line {
                at_home,
                once: (self.delay + u64::from(held_up)) as i64,
                per_hop: self.delay + stream + lag,
            }
        } else {
            let lag = if flits > 1 {
                self.body_delay.saturating_sub(self.delay)
            } else {
                0
            };
            let all_are_there = |after| self.internal * stream < after + behind;
            let caught_up = match self.kept_after.is_some_and(all_are_there) {
                true => stream - behind,
                false => self.delay.saturating_sub(self.body_delay),
            };
            let waits = self.credits.map_or(0, |(buffer, trip)| {
                let turns = u64::from(flits.saturating_sub(1)) / buffer;
                turns * trip.saturating_sub(buffer * period)
            });
            Line {
                at_home,
                once: (self.delay + stream + waits - caught_up.min(stream - behind)) as i64
                    - self.passed_by * self.delay as i64,
                per_hop: self.delay + lag,
            }
        }
    }
}

/// As [`Timing::credits`].
fn round_trip(config: &EngineConfig) -> Option<(u64, u64)> {
    let is_even = config.pipeline.is_none() && config.body_delay == config.delay;
    match config.channel_delay {
        ChannelDelay::Uniform(wire) if is_even => {
            let trip = [config.delay, wire, wire, config.credit_delay].map(u64::from);
            let buffer = config.flits_most(config.virtual_channels);
            Some((u64::from(buffer).max(1), trip.iter().sum()))
        }
        _ => None,
    }
}

/// The latency in cycles, from creation to the tail's consumption, of a packet of `flits` flits
/// over `hops` channels whose wire delays add up to `wire_cycles`, in an empty network; where it is not told, without
/// what small buffers add. Where channels differ in their periods, all are as slow as
/// the slowest.
pub fn zero_load_latency_cycles(
    config: &EngineConfig,
    hops: u32,
    wire_cycles: u64,
    flits: u32,
) -> u64 {
    let line = Timing::new(config).line(flits, config.channel_period_max());
    if hops == 0 {
        line.at_home
    } else {
        line.once
            .saturating_add_unsigned(u64::from(hops) * line.per_hop + wire_cycles) as u64
    }
}
