//! What a display shows of a run, counted as it happens.
//!
//! Time is cut into slots of [`SLOT_CYCLES`] cycles, whatever the speed of the display: a history of
//! them, and for every channel the flits of the last whole slot and of the one under way.
//!
//! Invariant: memory is fixed once the history is full, and no call made in a cycle allocates.

use crate::measurement::recorder::Recorder;
use crate::simulate::Observer;
use flitsim_engine::{EngineConfig, FlitKind, Packet, Probe};
use flitsim_topology::{ChannelId, Network, NodeId};
use flitsim_traffic::Arrival;
use std::collections::VecDeque;

/// Cycles of a slot.
pub const SLOT_CYCLES: u64 = 256;

/// Slots that are kept: more than a terminal has columns.
const SLOTS_KEPT: usize = 512;

/// What happened in some cycles, in the whole network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// How many cycles.
    pub cycles: u64,
    /// Flits of the packets created.
    pub created_flits: u64,
    /// Flits that left the network.
    pub ejected_flits: u64,
    /// Packets that arrived.
    pub packets: u64,
    /// The sum of their latencies.
    pub latency_cycles: u64,
}

impl Slot {
    /// The sum of both.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            cycles: self.cycles + other.cycles,
            created_flits: self.created_flits + other.created_flits,
            ejected_flits: self.ejected_flits + other.ejected_flits,
            packets: self.packets + other.packets,
            latency_cycles: self.latency_cycles + other.latency_cycles,
        }
    }

    /// Mean latency of the packets that arrived; `None` where none did.
    pub fn latency_mean(self) -> Option<f64> {
        (self.packets > 0).then(|| self.latency_cycles as f64 / self.packets as f64)
    }

    /// `flits` for each of `nodes` nodes and each cycle.
    pub fn rate(self, flits: u64, nodes: u32) -> f64 {
        flits as f64 / (self.cycles.max(1) as f64 * f64::from(nodes.max(1)))
    }
}

/// The probe that counts for a display.
#[derive(Clone, Debug)]
pub struct Gauge {
    /// Tells sources that wait for it what was delivered; counts nothing.
    recorder: Recorder,
    history: VecDeque<Slot>,
    now: Slot,
    /// By channel: flits sent in the last whole slot, and in the one under way.
    sent_before: Vec<u32>,
    sent_now: Vec<u32>,
    /// By channel: flits on its wire and in the buffers at its far end.
    held: Vec<u32>,
    /// By channel: whether there are any.
    is_buffered: Vec<bool>,
    /// By terminal: packets in the source queue.
    queued: Vec<u32>,
}

impl Gauge {
    /// A gauge for an empty `network` of routers as `config` has them.
    pub fn new(network: &Network, config: &EngineConfig) -> Self {
        let channels = network.channels() as usize;
        let each = (0..network.channels()).map(ChannelId);
        Self {
            is_buffered: each
                .map(|channel| config.cycles_to_buffer(network, channel).is_some())
                .collect(),
            recorder: Recorder::new(),
            history: VecDeque::with_capacity(SLOTS_KEPT),
            now: Slot::default(),
            sent_before: vec![0; channels],
            sent_now: vec![0; channels],
            held: vec![0; channels],
            queued: vec![0; network.terminals() as usize],
        }
    }

    /// Some source waits for what is delivered.
    pub(crate) fn listen(&mut self) {
        self.recorder.deliveries_mut().listen();
    }

    /// A cycle is over.
    pub(crate) fn pass(&mut self) {
        self.now.cycles += 1;
        if self.now.cycles < SLOT_CYCLES {
            return;
        }
        if self.history.len() == SLOTS_KEPT {
            self.history.pop_front();
        }
        self.history.push_back(std::mem::take(&mut self.now));
        std::mem::swap(&mut self.sent_before, &mut self.sent_now);
        self.sent_now.fill(0);
    }

    /// The whole slots, the latest last.
    pub fn history(&self) -> impl Iterator<Item = Slot> {
        self.history.iter().copied()
    }

    /// The last whole slot and the one under way: what "now" means.
    pub fn recent(&self) -> Slot {
        self.now
            .with(self.history.back().copied().unwrap_or_default())
    }

    /// Flits that `channel` carried in the cycles of [`Gauge::recent`].
    pub fn sent(&self, channel: ChannelId) -> u32 {
        self.sent_before[channel.index()] + self.sent_now[channel.index()]
    }

    /// Flits on the wire of `channel` and in the buffers at its far end.
    pub fn held(&self, channel: ChannelId) -> u32 {
        self.held[channel.index()]
    }

    /// By terminal: packets in its source queue, between two cycles.
    pub fn queued(&self) -> &[u32] {
        &self.queued
    }
}

impl Probe for Gauge {
    #[inline]
    fn packet_entered(&mut self, _: u64, packet: &Packet) {
        // One that finds room at once enters before it is reported as created.
        let queued = &mut self.queued[packet.source.index()];
        *queued = queued.wrapping_sub(1);
    }

    #[inline]
    fn flit_sent(&mut self, _: u64, channel: ChannelId, _: u32, _: FlitKind, _: &Packet) {
        self.sent_now[channel.index()] += 1;
        self.held[channel.index()] += u32::from(self.is_buffered[channel.index()]);
    }

    #[inline]
    fn flit_unbuffered(&mut self, _: u64, channel: ChannelId, _: u32) {
        let held = &mut self.held[channel.index()];
        debug_assert!(*held > 0, "a flit leaves a buffer that holds none");
        *held = held.saturating_sub(1);
    }

    #[inline]
    fn flit_ejected(&mut self, _: u64, _: NodeId, _: FlitKind, _: &Packet) {
        self.now.ejected_flits += 1;
    }

    #[inline]
    fn packet_delivered(&mut self, arrived: u64, packet: &Packet) {
        self.now.packets += 1;
        self.now.latency_cycles += arrived - packet.created;
    }

    #[inline]
    fn packet_retired(&mut self, arrived: u64, packet: &Packet, number: u32) {
        self.recorder.packet_retired(arrived, packet, number);
    }
}

impl Observer for Gauge {
    fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    fn recorder_mut(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    #[inline]
    fn created(&mut self, _: u64, packet: &Arrival) {
        self.now.created_flits += u64::from(packet.flits);
        let queued = &mut self.queued[packet.source.index()];
        *queued = queued.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_engine::routing::{Algorithm, RoutingChoice, Tables};
    use flitsim_engine::{Engine, NewPacket, Pipeline};
    use flitsim_topology::{Ends, Grid};

    #[test]
    fn slots_add_up() {
        let slot = |n| Slot {
            cycles: n,
            created_flits: 3 * n,
            ejected_flits: 5 * n,
            packets: 7 * n,
            latency_cycles: 70 * n,
        };
        let both = slot(2).with(slot(3));
        assert_eq!(format!("{both:?}"), format!("{:?}", slot(5)));
        assert_eq!(both.latency_mean(), Some(10.0));
        assert_eq!(Slot::default().latency_mean(), None);
        // 25 flits in 5 cycles at 10 nodes.
        assert_eq!(both.rate(both.ejected_flits, 10), 0.5);
    }

    #[test]
    fn when_all_has_arrived_no_channel_holds_a_flit() {
        let mesh = Grid::uniform(2, 2, Ends::Open).unwrap().into_network();
        let network = mesh.concentrated(2).unwrap();
        let choice = RoutingChoice::from(Algorithm::DimensionOrder);
        for terminal_ports in [false, true] {
            let config = EngineConfig {
                pipeline: Some(Pipeline {
                    routing: 1,
                    vc_allocation: 1,
                    switch_allocation: 1,
                    traversal: 1,
                }),
                injection_buffers: true,
                terminal_ports,
                ..EngineConfig::default()
            };
            let relation = choice.relation(&network, 4, &Tables::default()).unwrap();
            let gauge = Gauge::new(&network, &config);
            let mut engine = Engine::new(&network, relation, config, 1, gauge).unwrap();
            for to in 1..8 {
                engine.offer(NewPacket {
                    source: NodeId(0),
                    destination: NodeId(to),
                    flits: 3,
                    entropy: 0,
                });
            }
            while !engine.is_idle() {
                engine.step();
            }
            let held = engine.probe().held.iter().sum::<u32>();
            assert_eq!(held, 0, "terminal_ports = {terminal_ports}");
        }
    }
}
