//! The kernel's speed: flit-hops (flits moved over router-to-router channels) per second.
//!
//! `cargo bench --bench kernel`. Unless a case says otherwise: 4-flit packets, 2 virtual channels
//! of 8 flits, uniform traffic without self, dimension-order routing, the default router. Each
//! sample goes on where the last one stopped, so what is timed is a network in its steady state,
//! arrivals and latency statistics included. Criterion's "elem/s" are flit-hops per second.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_engine::{Engine, EngineConfig, NewPacket, Packet, Probe};
use flitsim_topology::{Ends, Grid};
use flitsim_traffic::{PacketLength, Traffic, TrafficPlan};
use std::hint::black_box;

/// A network and its load, in flits per node per cycle.
struct Case {
    name: &'static str,
    radix: u32,
    ends: Ends,
    load: f64,
}

const CASES: [Case; 4] = [
    Case {
        name: "8x8 mesh at 0.10",
        radix: 8,
        ends: Ends::Open,
        load: 0.10,
    },
    Case {
        name: "8x8 mesh at 0.30",
        radix: 8,
        ends: Ends::Open,
        load: 0.30,
    },
    Case {
        name: "16-ary 2-cube at 0.20",
        radix: 16,
        ends: Ends::Ring,
        load: 0.20,
    },
    Case {
        name: "32-ary 2-cube at 0.10",
        radix: 32,
        ends: Ends::Ring,
        load: 0.10,
    },
];

/// Cycles that bring a network of these loads to its steady state.
const WARM_UP_CYCLES: u64 = 2_000;
const SAMPLE_CYCLES: u64 = 1_000;

/// What the simplest useful statistics cost: the sum of latencies and hops.
#[derive(Default)]
struct Totals {
    packets: u64,
    latency_cycles: u64,
    hops: u64,
}

impl Probe for Totals {
    fn packet_delivered(&mut self, arrived: u64, packet: &Packet) {
        self.packets += 1;
        self.latency_cycles += arrived - packet.created;
        self.hops += u64::from(packet.hops);
    }
}

fn advance(
    engine: &mut Engine<'_, DimensionOrder<'_>, Totals>,
    traffic: &mut Traffic,
    cycles: u64,
) {
    for _ in 0..cycles {
        traffic.arrivals(engine.cycle(), |arrival| {
            engine.offer(NewPacket {
                source: arrival.source,
                destination: arrival.destination,
                flits: arrival.flits,
                entropy: arrival.entropy,
            });
        });
        engine.step();
    }
}

fn kernel(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("kernel");
    for case in &CASES {
        let network = Grid::uniform(case.radix, 2, case.ends)
            .expect("a legal radix")
            .into_network();
        let grid = network.grid().expect("a grid");
        let config = EngineConfig {
            virtual_channels: 2,
            injection_vcs: 2,
            buffer_flits: 8,
            ..EngineConfig::default()
        };
        let routing = DimensionOrder::new(grid, 2, Tie::Random, true).expect("two classes");
        let plan = TrafficPlan {
            length: PacketLength::Fixed(4),
            ..TrafficPlan::default()
        };
        let mut traffic = Traffic::new(&plan, &network, case.load, 1).expect("a legal load");
        let mut engine =
            Engine::new(&network, routing, config, 1, Totals::default()).expect("a legal router");
        advance(&mut engine, &mut traffic, WARM_UP_CYCLES);
        let before = engine.counters().flit_hops;
        advance(&mut engine, &mut traffic, SAMPLE_CYCLES);
        group.throughput(Throughput::Elements(engine.counters().flit_hops - before));
        group.bench_function(case.name, |bencher| {
            bencher.iter(|| advance(&mut engine, &mut traffic, SAMPLE_CYCLES));
        });
        let totals = engine.probe();
        black_box((totals.packets, totals.latency_cycles, totals.hops));
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = kernel
}
criterion_main!(benches);
