//! What comes before the first cycle: building a network, building its routers, and the proof that
//! its routing is free of deadlock.
//!
//! `cargo bench -p flitsim-kernel-case --bench setup`. Criterion's "elem/s" are nodes per second.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use flitsim_analysis::verify::{VerifyOptions, verify};
use flitsim_engine::routing::{DimensionOrder, Duato, Routing, Tie};
use flitsim_engine::{Engine, EngineConfig, NoProbe, VcReallocation};
use flitsim_topology::{Ends, FatTree, FatTreeKind, Grid, Network, Star};
use std::hint::black_box;

fn grid(radix: u32, dimensions: u32, ends: Ends) -> Network {
    let grid = Grid::uniform(radix, dimensions, ends).expect("a legal radix");
    grid.into_network()
}

fn star(symbols: u32) -> Network {
    Star::new(symbols).expect("a legal size").into_network()
}

fn fat_tree(processors: u32) -> Network {
    let tree = FatTree::new(processors, FatTreeKind::Butterfly);
    tree.expect("a power of four").into_network()
}

fn networks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("network");
    group.sample_size(10);
    type Build = fn() -> Network;
    let builds: [(&str, Build); 7] = [
        ("8×8 mesh", || grid(8, 2, Ends::Open)),
        ("64×64 mesh", || grid(64, 2, Ends::Open)),
        ("16-ary 3-cube", || grid(16, 3, Ends::Ring)),
        ("256-ary 2-cube", || grid(256, 2, Ends::Ring)),
        ("binary 16-cube", || grid(2, 16, Ends::Open)),
        ("S_8", || star(8)),
        ("fat-tree of 1,024", || fat_tree(1_024)),
    ];
    for (name, build) in builds {
        group.throughput(Throughput::Elements(build().nodes().into()));
        group.bench_function(name, |bencher| {
            bencher.iter_batched(|| (), |()| build(), BatchSize::PerIteration);
        });
    }
    group.finish();
}

/// Two virtual channels of four flits.
fn config(virtual_channels: u32) -> EngineConfig {
    EngineConfig {
        virtual_channels,
        injection_vcs: virtual_channels,
        buffer_flits: 4,
        ..EngineConfig::default()
    }
}

fn routers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("routers");
    group.sample_size(10);
    for (name, radix) in [("16-ary 2-cube", 16), ("256-ary 2-cube", 256)] {
        let network = grid(radix, 2, Ends::Ring);
        let coordinates = network.grid().expect("a grid");
        let routing = DimensionOrder::new(coordinates, 2, Tie::Random, true).expect("two classes");
        group.throughput(Throughput::Elements(network.nodes().into()));
        group.bench_function(name, |bencher| {
            let build = |()| Engine::new(&network, routing.clone(), config(2), 1, NoProbe);
            bencher.iter_batched(|| (), build, BatchSize::PerIteration);
        });
    }
    group.finish();
}

fn proofs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("proof");
    group.sample_size(10);
    let mut prove = |name: &str, network: &Network, routing: &dyn Fn() -> bool| {
        group.throughput(Throughput::Elements(network.nodes().into()));
        group.bench_function(name, |bencher| bencher.iter(|| black_box(routing())));
    };
    let mesh = grid(16, 2, Ends::Open);
    let order = DimensionOrder::new(mesh.grid().expect("a grid"), 2, Tie::Random, true);
    let order = order.expect("one class");
    prove("16×16 mesh, dimension order", &mesh, &|| {
        is_free(&mesh, &order, &config(2))
    });
    let torus = grid(16, 2, Ends::Ring);
    let order = DimensionOrder::new(torus.grid().expect("a grid"), 2, Tie::Random, true);
    let order = order.expect("two classes");
    prove("16-ary 2-cube, dimension order", &torus, &|| {
        is_free(&torus, &order, &config(2))
    });
    let cube = grid(2, 8, Ends::Open);
    let duato = Duato::new(cube.grid().expect("a grid"), 2).expect("an escape");
    let atomic = EngineConfig {
        vc_reallocation: VcReallocation::Atomic,
        ..config(2)
    };
    prove("binary 8-cube, Duato", &cube, &|| {
        is_free(&cube, &duato, &atomic)
    });
    group.finish();
}

fn is_free<R: Routing>(network: &Network, routing: &R, config: &EngineConfig) -> bool {
    verify(network, routing, &VerifyOptions::of(config)).is_free()
}

criterion_group!(benches, networks, routers, proofs);
criterion_main!(benches);
