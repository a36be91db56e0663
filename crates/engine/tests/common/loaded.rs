//! Short simulations under uniform traffic.

use super::any::{Any, erased};
use crate::oracle::log::Recorder;
use flitsim_engine::random::{Purpose, below, draw};
use flitsim_engine::{
    Activity, Counters, Engine, EngineConfig, FlitKind, NewPacket, Packet, Probe, Routing,
};
use flitsim_topology::{ChannelId, Network, NodeId};

/// The probe of all tests of a sparse [`Engine`] that is no part of a team: it is long to compile for each. By default
/// it hears of packets delivered: how many, their hops, the last one's latency, and each.
#[derive(Default)]
pub struct Delivered {
    /// Packets.
    pub packets: u64,
    /// The sum of their hops.
    pub hops: u64,
    /// Cycles from creation to consumption of the last.
    pub last_latency_cycles: u64,
    /// Each: when it arrived, and the number that it had.
    pub each: Vec<(u64, Packet, u32)>,
    /// Of one made by [`Delivered::flits`], for which all above stays empty: when, what and of which packet, until a test
    /// drains it.
    pub flits: Vec<(u64, What, Packet)>,
    /// What one made by [`Delivered::everything`] heard, for which all above stays empty, and what took energy.
    pub recorder: Recorder,
    pub activity: Activity,
    hears: Hears,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Hears {
    #[default]
    Packets,
    Flits,
    Everything,
    Nothing,
}

/// Something that a packet did.
#[derive(Clone, Copy, Debug)]
pub enum What {
    Entered,
    Sent(Way, FlitKind),
    Ejected(FlitKind),
}

/// A virtual channel of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    pub channel: ChannelId,
    pub vc: u32,
}

impl Delivered {
    /// One that hears of packets that enter, and of flits that are sent and ejected.
    pub fn flits() -> Self {
        Self {
            hears: Hears::Flits,
            ..Self::default()
        }
    }

    /// One that writes down what happens in `network`, for the oracle's log to be held against.
    pub fn everything(network: &Network) -> Self {
        Self {
            hears: Hears::Everything,
            activity: Activity::new(network),
            ..Self::default()
        }
    }

    /// One that hears of nothing, and so takes no memory.
    pub fn nothing() -> Self {
        Self {
            hears: Hears::Nothing,
            ..Self::default()
        }
    }

    /// Something that a packet did; where everything is heard, `tell` tells it.
    fn flit(
        &mut self,
        cycle: u64,
        what: What,
        packet: &Packet,
        tell: impl FnOnce(&mut Recorder, &mut Activity),
    ) {
        match self.hears {
            Hears::Flits => self.flits.push((cycle, what, *packet)),
            Hears::Everything => tell(&mut self.recorder, &mut self.activity),
            Hears::Packets | Hears::Nothing => {}
        }
    }

    /// The latency in cycles and the hops of the one packet delivered since this was asked last.
    pub fn only(&mut self) -> (u64, u32) {
        let each = std::mem::take(&mut self.each);
        let [(arrived, packet, _)] = each[..] else {
            panic!("{} packets", each.len());
        };
        (arrived - packet.created, packet.hops)
    }

    /// Packets that `source` sent.
    pub fn from(&self, source: u32) -> u64 {
        let sources = self.each.iter().map(|(_, packet, _)| packet.source.0);
        sources.filter(|&from| from == source).count() as u64
    }
}

impl Probe for Delivered {
    fn packet_entered(&mut self, cycle: u64, packet: &Packet) {
        self.flit(cycle, What::Entered, packet, |recorder, _| {
            recorder.packet_entered(cycle, packet);
        });
    }

    fn flit_sent(&mut self, cycle: u64, channel: ChannelId, vc: u32, kind: FlitKind, p: &Packet) {
        let what = What::Sent(Way { channel, vc }, kind);
        self.flit(cycle, what, p, |recorder, activity| {
            recorder.flit_sent(cycle, channel, vc, kind, p);
            activity.flit_sent(cycle, channel, vc, kind, p);
        });
    }

    fn flit_unbuffered(&mut self, cycle: u64, channel: ChannelId, vc: u32) {
        if self.hears == Hears::Everything {
            self.activity.flit_unbuffered(cycle, channel, vc);
        }
    }

    fn flit_drawn(&mut self, cycle: u64, node: NodeId) {
        if self.hears == Hears::Everything {
            self.activity.flit_drawn(cycle, node);
        }
    }

    fn flit_ejected(&mut self, cycle: u64, node: NodeId, kind: FlitKind, packet: &Packet) {
        self.flit(cycle, What::Ejected(kind), packet, |recorder, activity| {
            recorder.flit_ejected(cycle, node, kind, packet);
            activity.flit_ejected(cycle, node, kind, packet);
        });
    }

    fn packet_retired(&mut self, arrived: u64, packet: &Packet, number: u32) {
        match self.hears {
            Hears::Packets => {
                self.each.push((arrived, *packet, number));
                self.packets += 1;
                self.hops += u64::from(packet.hops);
                self.last_latency_cycles = arrived - packet.created;
            }
            Hears::Everything => self.recorder.packet_delivered(arrived, packet),
            Hears::Flits | Hears::Nothing => {}
        }
    }
}

/// Offers packets of `flits` flits to uniform other destinations, `load` flits a node a cycle, for
/// `cycles` cycles, and lets the network drain. What was counted after the offers, and what was
/// delivered in all.
///
/// # Panics
/// If packets wait on one another for ever, do not drain, or the engine's books do not balance.
pub fn run_uniform<R: Routing>(
    network: &Network,
    routing: R,
    config: EngineConfig,
    flits: u32,
    load: f64,
    cycles: u64,
) -> (Counters, Delivered) {
    erased!(routing: R => run_any(network, routing, config, flits, load, cycles))
}

fn run_any(
    network: &Network,
    routing: impl Routing,
    config: EngineConfig,
    flits: u32,
    load: f64,
    cycles: u64,
) -> (Counters, Delivered) {
    let terminals = network.terminals();
    let threshold = (load / f64::from(flits) * 2f64.powi(32)) as u64;
    let mut engine = Engine::new(network, routing, config, 1, Delivered::default()).unwrap();
    while engine.cycle() < cycles {
        for node in 0..terminals {
            let word = draw(7, Purpose::Route, node, engine.cycle(), 0);
            if word & 0xffff_ffff < threshold {
                let step = 1 + below(word, terminals - 1);
                engine.offer(NewPacket {
                    source: NodeId(node),
                    destination: NodeId((node + step) % terminals),
                    flits,
                    entropy: draw(7, Purpose::Route, node, engine.cycle(), 1),
                });
            }
        }
        engine.step();
        assert!(!engine.is_frozen(), "frozen in cycle {}", engine.cycle());
        if engine.cycle().is_multiple_of(256) {
            engine.check_invariants();
        }
    }
    let counters = engine.counters();
    while !engine.is_idle() {
        engine.step();
        assert!(!engine.is_frozen(), "frozen in cycle {}", engine.cycle());
    }
    engine.check_invariants();
    assert_eq!(engine.counters().flits_ejected, counters.flits_offered);
    (counters, std::mem::take(engine.probe_mut()))
}

/// Uniform traffic of 16-flit packets, one flit per node per cycle for 1,500 cycles: whether all comes
/// to stand.
pub fn freezes<R: Routing>(network: &Network, routing: R, config: EngineConfig) -> bool {
    erased!(routing: R => any_freezes(network, routing, config))
}

fn any_freezes(network: &Network, routing: impl Routing, config: EngineConfig) -> bool {
    let terminals = network.terminals();
    let mut engine = Engine::new(network, routing, config, 1, Delivered::nothing()).unwrap();
    while engine.cycle() < 3_000 && !engine.is_frozen() {
        for node in 0..terminals {
            let word = draw(3, Purpose::Route, node, engine.cycle(), 0);
            if engine.cycle() < 1_500 && word.is_multiple_of(16) {
                engine.offer(NewPacket {
                    source: NodeId(node),
                    destination: NodeId(below(word, terminals)),
                    flits: 16,
                    entropy: 0,
                });
            }
        }
        engine.step();
    }
    engine.is_frozen()
}
