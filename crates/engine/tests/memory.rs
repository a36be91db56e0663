//! What the engine and the network say that they keep, held against what they allocate.

use crate::common::any::{Any, erased};
use crate::common::loaded::Delivered;
use allocation_counter::measure;
use flitsim_engine::routing::{DimensionOrder, EnhancedNbc, Tie};
use flitsim_engine::{
    Allocator, Arbiter, BufferSharing, ChannelDelay, ConfigError, Engine, EngineConfig,
    FlowControl, Matching, MatchingStart, NewPacket, PimDraw, Pipeline, Routing, VcReallocation,
};
use flitsim_topology::archive::{Archive, Archived};
use flitsim_topology::{Ends, Grid, Network, NodeId, Star};

/// What `build` leaves allocated, and what it built.
fn kept<T>(build: impl FnOnce() -> T) -> (i64, T) {
    let mut built = None;
    let allocated = measure(|| built = Some(build()));
    let built = built.expect("the closure was called");
    (allocated.bytes_current, built)
}

/// `account` is `allocated` but for a few words.
fn assert_near(account: u64, allocated: i64, what: &str) {
    let off = (account as f64 - allocated as f64) / allocated as f64;
    assert!(
        off.abs() < 0.01,
        "{what}: {account} bytes by the account, {allocated} allocated"
    );
}

fn torus(radix: u32) -> Network {
    Grid::uniform(radix, 2, Ends::Ring).unwrap().into_network()
}

fn check_engine<R: Routing>(network: &Network, routing: R, config: EngineConfig, what: &str) {
    erased!(routing: R => check_any(network, routing, config, what));
}

fn check_any(network: &Network, routing: impl Routing, config: EngineConfig, what: &str) {
    let estimate = config.memory_estimate(network);
    let (allocated, mut engine) =
        kept(|| Engine::new(network, routing, config, 1, Delivered::nothing()).unwrap());
    let memory = engine.memory();
    assert_near(memory.total(), allocated, what);
    assert!(memory.parts().iter().all(|&(_, bytes)| bytes > 0), "{what}");
    // What is not estimated is room for packets and events, and what only some relations need.
    let beyond = [
        "packets",
        "events",
        "active sets",
        "scratch",
        "turns of inputs",
    ];
    let parts = memory.parts().iter();
    let estimated = parts.filter(|(name, _)| !beyond.contains(name));
    let estimated = estimated.map(|(_, bytes)| u128::from(*bytes)).sum::<u128>();
    assert_eq!(estimate, estimated, "{what}");
    // The room that packets and events make is in the account too.
    let grown = measure(|| {
        for cycle in 0..40 {
            for node in 0..network.terminals() {
                engine.offer(NewPacket {
                    source: NodeId(node),
                    destination: NodeId((node * 7 + cycle * 3 + 1) % network.terminals()),
                    flits: 8,
                    entropy: u64::from(node * cycle),
                });
            }
            engine.step();
        }
    });
    assert!(engine.counters().flit_hops > 10_000);
    let total = engine.memory().total();
    assert_near(total, allocated + grown.bytes_current, what);
}

#[test]
fn the_engine_accounts_for_what_it_allocates() {
    let uniform = |virtual_channels, buffer_flits, wire| EngineConfig {
        virtual_channels,
        injection_vcs: virtual_channels,
        buffer_flits,
        channel_delay: ChannelDelay::Uniform(wire),
        ..EngineConfig::default()
    };
    // With all that only some need: periods, flits that could overtake, turns by age, room that is kept.
    let slow = EngineConfig {
        flow_control: FlowControl::VirtualCutThrough,
        channel_period: 2,
        delay: 3,
        ..uniform(2, 8, 1)
    };
    // Where the ways to terminals have most virtual channels, every port has room for as many.
    let ports = EngineConfig {
        pipeline: Some(Pipeline {
            routing: 1,
            vc_allocation: 1,
            switch_allocation: 1,
            traversal: 1,
        }),
        injection_buffers: true,
        ejection_vcs: 9,
        ..uniform(2, 4, 0)
    };
    let shared = EngineConfig {
        buffer_sharing: BufferSharing::Shared,
        ..ports.clone()
    };
    let queues = EngineConfig {
        output_speedup: 3,
        channel_period: 2,
        ..ports.clone()
    };
    let fast = EngineConfig {
        internal_speedup: 2,
        ..ports.clone()
    };
    // Who took what when, of all pairs; ways that are kept; channels that are one packet's.
    let matrix = EngineConfig {
        vc_allocator: Some(Matching::SeparableInputFirst),
        switch_allocator: Some(Matching::SeparableOutputFirst),
        arbiter: Some(Arbiter::Matrix),
        hold_switch: true,
        ..ports.clone()
    };
    let rotating = EngineConfig {
        vc_allocator: Some(Matching::Wavefront),
        switch_allocator: Some(Matching::Wavefront),
        wavefront: MatchingStart::Rotating,
        ..ports.clone()
    };
    let by_number = EngineConfig {
        vc_allocator: Some(Matching::Pim { iterations: 1 }),
        switch_allocator: Some(Matching::Maximum),
        maximum: MatchingStart::Rotating,
        pim: PimDraw::Start,
        ..ports.clone()
    };
    let other_way = EngineConfig {
        vc_allocator: by_number.switch_allocator,
        switch_allocator: by_number.vc_allocator,
        ..by_number.clone()
    };
    let alone = EngineConfig {
        interleave_flits: false,
        ..ports.clone()
    };
    let islip = EngineConfig {
        allocator: Allocator::Islip { iterations: 2 },
        ..uniform(2, 4, 0)
    };
    let of_torus = [
        matrix,
        alone,
        rotating,
        by_number,
        other_way,
        islip,
        uniform(2, 4, 0),
        uniform(3, 8, 0),
        uniform(2, 16, 2),
        slow,
        ports,
        shared,
        queues,
        fast,
    ];
    for config in of_torus {
        let network = torus(64);
        let (grid, vcs) = (network.grid().unwrap(), config.virtual_channels);
        let routing = DimensionOrder::new(grid, vcs, Tie::Random, true).unwrap();
        let what = format!("{config:?}");
        check_engine(&network, routing, config, &what);
    }
    let network = Star::new(6).unwrap().into_network();
    let routing = EnhancedNbc::new(network.star().unwrap(), 5, None).unwrap();
    let config = EngineConfig {
        virtual_channels: 5,
        injection_vcs: 5,
        vc_reallocation: VcReallocation::Atomic,
        ..EngineConfig::default()
    };
    check_engine(&network, routing, config, "S_6");
}

/// 16,384 channels, of 64 virtual channels because the ways to terminals have as many, of 32,768 places each,
/// whether these are a virtual channel's own or it may take them from others: 128 GiB.
#[test]
fn buffers_are_refused_for_what_they_take() {
    let network = torus(64);
    for (buffer_flits, buffer_sharing) in [
        (32_768, BufferSharing::Private),
        (512, BufferSharing::Shared),
    ] {
        let config = EngineConfig {
            virtual_channels: 2,
            injection_vcs: 2,
            ejection_vcs: 64,
            buffer_flits,
            buffer_sharing,
            ..EngineConfig::default()
        };
        let refused = config.validate(&network).unwrap_err();
        let is_all =
            matches!(refused, ConfigError::BuffersTooLarge { gibibytes, .. } if gibibytes == 128);
        assert!(is_all, "{refused}");
    }
}

#[test]
fn networks_account_for_what_they_allocate() {
    type Build = fn() -> Network;
    let builds: [(&str, Build); 5] = [
        ("torus", || torus(100)),
        ("mesh", || {
            Grid::uniform(20, 3, Ends::Open).unwrap().into_network()
        }),
        ("binary 12-cube", || {
            Grid::hypercube(12).unwrap().into_network()
        }),
        ("one-way torus", || {
            Grid::uniform(60, 2, Ends::DirectedRing)
                .unwrap()
                .into_network()
        }),
        ("S_7", || Star::new(7).unwrap().into_network()),
    ];
    // What is counted is what one thread allocates.
    let pool = rayon_core::ThreadPoolBuilder::new().num_threads(1);
    let pool = pool.build().unwrap();
    for (what, build) in builds {
        let (allocated, network) = pool.install(|| kept(build));
        assert_near(network.memory().total(), allocated, what);
    }
}

/// 1024-ary 2-cube, 2 virtual channels of 4 flits: the graph and the routers, for a node. A smaller
/// network of the same form has lists that a large one goes without.
#[test]
fn a_node_of_a_large_torus_is_small() {
    let network = torus(600);
    let routing = DimensionOrder::new(network.grid().unwrap(), 2, Tie::Random, true).unwrap();
    let config = EngineConfig {
        virtual_channels: 2,
        injection_vcs: 2,
        buffer_flits: 4,
        ..EngineConfig::default()
    };
    let routing = Any::<true>::new(&routing);
    let engine = Engine::new(&network, routing, config, 1, Delivered::nothing()).unwrap();
    let (graph, routers) = (network.memory(), engine.memory());
    let each = |bytes: u64| bytes as f64 / f64::from(network.nodes());
    assert!(each(graph.total()) < 30.0, "{graph:?}");
    assert!(each(routers.total()) < 592.0, "{routers:?}");
}

/// Of lanes that hold nothing a checkpoint keeps a bit each: large networks are seldom full.
#[test]
fn what_is_empty_takes_no_room_in_a_checkpoint() {
    let network = torus(16);
    let routing = DimensionOrder::new(network.grid().unwrap(), 4, Tie::Random, true).unwrap();
    let routing = Any::<true>::new(&routing);
    let mut engine = Engine::new(
        &network,
        routing,
        EngineConfig::default(),
        1,
        Delivered::nothing(),
    )
    .unwrap();
    let mut bytes = Vec::new();
    let mut archive = Archive::saving(&mut bytes);
    engine.archive(&mut archive);
    archive.finish().unwrap();
    let memory = engine.memory();
    let parts = memory.parts().iter();
    let lanes = parts.filter(|(name, _)| ["lanes", "flit buffers"].contains(name));
    let lanes = lanes.map(|(_, bytes)| bytes).sum::<u64>();
    let kept = bytes.len() as u64;
    assert!(kept < lanes / 2, "{kept} bytes, with {lanes} of lanes");
}

/// Where all delays are one, a cycle brings at most a head and a flit over each channel, a packet into each
/// injection virtual channel, and a credit for each channel. There is room for these, and no more.
#[test]
fn the_events_of_a_cycle_have_room_ahead() {
    let network = torus(8);
    let routing = DimensionOrder::new(network.grid().unwrap(), 4, Tie::Random, true).unwrap();
    let config = EngineConfig {
        injection_vcs: 3,
        ..EngineConfig::default()
    };
    let routing = Any::<true>::new(&routing);
    let engine = Engine::new(&network, routing, config, 1, Delivered::nothing()).unwrap();
    let memory = engine.memory();
    let mut parts = memory.parts().iter();
    let &(_, events) = parts.find(|(name, _)| *name == "events").unwrap();
    let most = u64::from(3 * network.channels() + 3 * network.terminals());
    // Nothing is due later: the wheels are two empty lists each.
    let wheels = 4 * size_of::<Vec<u32>>() as u64;
    assert_eq!(events, most * size_of::<u32>() as u64 + wheels);
}
