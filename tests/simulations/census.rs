//! Who is inside the network, counted without a look at any latency.

use crate::any::Any;
use crate::new_packet;
use flitsim_engine::routing::Relation;
use flitsim_engine::{Engine, EngineConfig, FlitKind, Packet, Probe, Routing};
use flitsim_topology::{ChannelId, Network, NodeId};
use flitsim_traffic::Traffic;
use std::ops::Range;

/// Those inside, whatever they are, over a window of cycles.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inside {
    now: i64,
    /// Sum over those inside of the cycle in which they entered.
    entered_cycles: i64,
    /// Sum over the cycles of the window of how many were inside.
    pub area: i64,
    /// How many left in the window.
    pub left: i64,
    /// The sum of the stays of those.
    pub stays: i64,
}

impl Inside {
    fn enter(&mut self, cycle: u64, count: u32, start: u64, end: u64) {
        let (cycle, count) = (cycle as i64, i64::from(count));
        self.now += count;
        self.entered_cycles += count * cycle;
        // They are inside for the rest of the window, until they leave.
        self.area += count * (end as i64 - cycle.clamp(start as i64, end as i64));
    }

    fn leave(&mut self, cycle: u64, entered: u64, start: u64, end: u64) {
        let at = cycle as i64;
        self.now -= 1;
        self.entered_cycles -= entered as i64;
        self.area -= end as i64 - at.clamp(start as i64, end as i64);
        if (start + 1..=end).contains(&cycle) {
            self.left += 1;
            self.stays += at - entered as i64;
        }
    }

    /// What those inside at the start of cycle `cycle` have stayed until then.
    fn stayed_until(&self, cycle: u64) -> i64 {
        self.now * cycle as i64 - self.entered_cycles
    }
}

/// The observer of all simulations here: the engine is compiled for one.
#[derive(Debug, Default)]
pub struct Census {
    packets: Inside,
    flits: Inside,
    start: u64,
    end: u64,
    /// Packets delivered, and their hops.
    pub delivered: Delivered,
    /// By channel, where it is asked for: flits sent over it.
    pub channel_flits: Vec<u64>,
}

impl Census {
    /// One that counts what is sent over each of so many channels.
    pub fn of_channels(count: u32) -> Self {
        Self {
            channel_flits: vec![0; count as usize],
            ..Self::default()
        }
    }
}

/// Packets delivered: how many, and the sums of their hops and of the squares of these.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delivered {
    pub packets: f64,
    pub hops: f64,
    pub hops_squared: f64,
}

impl Probe for Census {
    fn packet_entered(&mut self, cycle: u64, packet: &Packet) {
        self.packets.enter(cycle, 1, self.start, self.end);
        self.flits.enter(cycle, packet.flits, self.start, self.end);
    }

    fn flit_sent(&mut self, _: u64, channel: ChannelId, _: u32, _: FlitKind, _: &Packet) {
        if let Some(flits) = self.channel_flits.get_mut(channel.index()) {
            *flits += 1;
        }
    }

    fn flit_ejected(&mut self, cycle: u64, _: NodeId, _: FlitKind, packet: &Packet) {
        self.flits
            .leave(cycle + 1, packet.entered, self.start, self.end);
    }

    fn packet_delivered(&mut self, arrived: u64, packet: &Packet) {
        self.packets
            .leave(arrived, packet.entered, self.start, self.end);
        let hops = f64::from(packet.hops);
        self.delivered.packets += 1.0;
        self.delivered.hops += hops;
        self.delivered.hops_squared += hops * hops;
    }
}

/// What the observer saw, and the exact law's other side, of packets and of flits.
pub struct Seen {
    /// Packets inside.
    pub packets: Inside,
    /// Flits of those.
    pub flits: Inside,
    /// The stays of those that left, with what those inside at the two ends stayed before and will stay after.
    pub exact: [i64; 2],
    /// Flits moved over channels since cycle 0.
    pub flit_hops: u64,
}

/// What is seen in `window` of a run with what `traffic` creates.
pub fn observe(
    network: &Network,
    relation: Relation<'_>,
    config: &EngineConfig,
    traffic: &mut Traffic,
    seed: u64,
    window: Range<u64>,
) -> Seen {
    macro_rules! under {
        ($any:ty) => {
            observe_any(
                network,
                <$any>::new(&relation),
                config,
                traffic,
                seed,
                window,
            )
        };
    }
    if relation.looks().is_some() {
        under!(Any<'_, false, true>)
    } else if relation.is_deterministic() {
        under!(Any<'_, true>)
    } else {
        under!(Any<'_, false>)
    }
}

fn observe_any(
    network: &Network,
    routing: impl Routing,
    config: &EngineConfig,
    traffic: &mut Traffic,
    seed: u64,
    Range { start, end }: Range<u64>,
) -> Seen {
    let census = Census {
        start,
        end,
        ..Census::default()
    };
    let mut engine = Engine::new(network, routing, config.clone(), seed, census).unwrap();
    let mut before = [0; 2];
    for cycle in 0..end {
        if cycle == start {
            let census = engine.probe();
            before = [census.packets, census.flits].map(|i| i.stayed_until(start));
        }
        traffic.arrivals(cycle, |arrival| {
            engine.offer(new_packet(&arrival));
        });
        engine.step();
    }
    let &Census { packets, flits, .. } = engine.probe();
    let exact = [(packets, before[0]), (flits, before[1])]
        .map(|(inside, before)| inside.stays - before + inside.stayed_until(end));
    Seen {
        packets,
        flits,
        exact,
        flit_hops: engine.counters().flit_hops,
    }
}
