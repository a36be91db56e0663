//! The kernel's speed: flit-hops (flits moved over router-to-router channels) per second.
//!
//! `cargo bench -p flitsim-kernel-case --bench kernel` runs the cases of `cases`; `-- CASE` those whose
//! name contains it. Each sample goes on where the last one stopped, so what is timed is a network in its steady state,
//! arrivals and all statistics of `flitsim run` included. Criterion's "elem/s" are flit-hops per
//! second. The largest network, which takes a gigabyte, is left out unless `FLITSIM_BENCH_LARGE` is
//! set.
//!
//! The last group is the cost of nothing: a million cycles of an empty network of 1,048,576 nodes.

mod cases;

use cases::{CASES, LARGE};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_engine::{Engine, EngineConfig, NoProbe};
use flitsim_topology::{Ends, Grid};

fn kernel(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("kernel");
    group.sample_size(10);
    let large = std::env::var_os("FLITSIM_BENCH_LARGE").map(|_| LARGE);
    for case in CASES.into_iter().chain(large) {
        case.run(&mut |running| {
            let before = running.flit_hops();
            running.advance(case.sample_cycles);
            group.throughput(Throughput::Elements(running.flit_hops() - before));
            group.bench_function(case.name, |bencher| {
                bencher.iter(|| running.advance(case.sample_cycles));
            });
        });
    }
    group.finish();
}

fn idle(criterion: &mut Criterion) {
    let grid = Grid::uniform(1_024, 2, Ends::Ring).expect("a legal radix");
    let network = grid.into_network();
    let config = EngineConfig {
        virtual_channels: 2,
        injection_vcs: 2,
        buffer_flits: 4,
        ..EngineConfig::default()
    };
    let grid = network.grid().expect("a grid");
    let routing = DimensionOrder::new(grid, 2, Tie::Random, true).expect("two classes");
    let mut engine = Engine::new(&network, routing, config, 1, NoProbe).expect("a legal router");
    let mut group = criterion.benchmark_group("idle");
    group.sample_size(10);
    const CYCLES: u64 = 1_000;
    group.throughput(Throughput::Elements(CYCLES));
    group.bench_function(
        "a thousand cycles of 1,048,576 empty nodes, one by one",
        |bencher| {
            bencher.iter(|| (0..CYCLES).for_each(|_| engine.step()));
        },
    );
    group.bench_function(
        "a million cycles of 1,048,576 empty nodes, skipped",
        |bencher| {
            bencher.iter(|| engine.skip_to(engine.cycle() + 1_000_000));
        },
    );
    group.finish();
}

criterion_group!(benches, kernel, idle);
criterion_main!(benches);
