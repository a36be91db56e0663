//! The cycle loop allocates nothing, once the first packets have made their room.

use crate::common::STAGES;
use crate::common::any::Any;
use crate::common::loaded::Delivered;
use flitsim_engine::random::{Purpose, below, draw};
use flitsim_engine::routing::{DimensionOrder, Duato, Tie};
use flitsim_engine::{
    Allocator, ChannelDelay, Crossbar, Engine, EngineConfig, FlowControl, Matching, NewPacket,
    Routing, Selection, VcReallocation, VcRequests,
};
use flitsim_topology::{Ends, Grid, NodeId};

/// Terminal `node` creates a packet of four flits for any, as `word` says.
fn offer(engine: &mut Engine<'_, impl Routing, Delivered>, node: u32, terminals: u32, word: u64) {
    engine.offer(NewPacket {
        source: NodeId(node),
        destination: NodeId(below(word, terminals)),
        flits: 4,
        entropy: word.rotate_left(32),
    });
}

/// Simulates `cycles` cycles in which every terminal creates a packet of four flits with
/// probability 1/16 a cycle.
fn run(engine: &mut Engine<'_, impl Routing, Delivered>, terminals: u32, cycles: u64) {
    let end = engine.cycle() + cycles;
    while engine.cycle() < end {
        for node in 0..terminals {
            let word = draw(7, Purpose::Route, node, engine.cycle(), 0);
            if word.is_multiple_of(16) {
                offer(engine, node, terminals, word);
            }
        }
        engine.step();
    }
}

#[test]
fn a_cycle_allocates_nothing() {
    let allocators = [
        Allocator::RoundRobin,
        Allocator::Islip { iterations: 2 },
        Allocator::Random,
        Allocator::OldestFirst,
    ];
    let network = Grid::uniform(8, 2, Ends::Ring).unwrap().into_network();
    let grid = network.grid().unwrap();
    for allocator in allocators {
        for (crossbar, flow_control, wire, delay) in [
            (Crossbar::Port, FlowControl::Wormhole, 0, 1),
            (Crossbar::Vc, FlowControl::VirtualCutThrough, 3, 2),
            (Crossbar::Port, FlowControl::StoreAndForward, 1, 3),
        ] {
            let config = EngineConfig {
                allocator,
                crossbar,
                flow_control,
                delay,
                channel_delay: ChannelDelay::Uniform(wire),
                ..EngineConfig::default()
            };
            let routing = DimensionOrder::new(grid, 4, Tie::Random, true).unwrap();
            let routing = Any::<true>::new(&routing);
            let mut engine =
                Engine::new(&network, routing, config, 1, Delivered::nothing()).unwrap();
            run(&mut engine, network.terminals(), 2_000);
            let before = engine.counters().flit_hops;
            let allocations = allocation_counter::measure(|| {
                run(&mut engine, network.terminals(), 5_000);
            });
            assert!(engine.counters().flit_hops > before + 100_000);
            assert_eq!(
                allocations.count_total, 0,
                "{allocator:?}, {flow_control:?}"
            );
            engine.check_invariants();
        }
    }
}

#[test]
fn a_cycle_of_an_adaptive_relation_allocates_nothing() {
    let network = Grid::uniform(6, 3, Ends::Ring).unwrap().into_network();
    let routing = Duato::new(network.grid().unwrap(), 4).unwrap();
    let one = [
        Selection::Random,
        Selection::MostCredits,
        Selection::LeastLoaded,
        Selection::Zigzag,
    ]
    .map(|selection| EngineConfig {
        selection,
        vc_reallocation: VcReallocation::Atomic,
        ..EngineConfig::default()
    });
    // Heads that ask for all channels that they may take.
    let all = [
        Matching::SeparableInputFirst,
        Matching::Islip { iterations: 2 },
        Matching::Wavefront,
        Matching::Maximum,
    ]
    .map(|matching| EngineConfig {
        pipeline: Some(STAGES),
        vc_allocator: Some(matching),
        vc_requests: VcRequests::AllChannels,
        vc_reallocation: VcReallocation::Atomic,
        ..EngineConfig::default()
    });
    for config in one.into_iter().chain(all) {
        let what = format!("{config:?}");
        let routing = Any::<false>::new(&routing);
        let mut engine = Engine::new(&network, routing, config, 1, Delivered::nothing()).unwrap();
        run(&mut engine, network.terminals(), 1_000);
        let before = engine.counters().flit_hops;
        let allocations = allocation_counter::measure(|| {
            run(&mut engine, network.terminals(), 1_000);
        });
        assert!(engine.counters().flit_hops > before + 100_000);
        assert_eq!(allocations.count_total, 0, "{what}");
        engine.check_invariants();
    }
}

/// In stages, on masks of one word and of two, at the load at which most outputs send in every cycle.
#[test]
fn a_cycle_in_stages_allocates_nothing() {
    let network = Grid::uniform(8, 2, Ends::Open).unwrap().into_network();
    for (vcs, hold_switch, speculative) in [
        (4, false, false),
        (4, true, true),
        (16, false, false),
        (16, false, true),
    ] {
        let config = EngineConfig {
            pipeline: Some(STAGES),
            credit_delay: 2,
            virtual_channels: vcs,
            injection_vcs: vcs,
            ejection_vcs: vcs,
            injection_buffers: true,
            vc_allocator: Some(Matching::Islip { iterations: 1 }),
            switch_allocator: Some(Matching::Islip { iterations: 1 }),
            hold_switch,
            speculative,
            ..EngineConfig::default()
        };
        let grid = network.grid().unwrap();
        let routing = DimensionOrder::new(grid, vcs, Tie::Random, true).unwrap();
        let routing = Any::<true>::new(&routing);
        let mut engine = Engine::new(&network, routing, config, 1, Delivered::nothing()).unwrap();
        let crowd = |engine: &mut Engine<'_, _, _>| {
            for node in (0..network.terminals()).cycle().take(20_000) {
                let word = draw(7, Purpose::Route, node, engine.cycle(), 1);
                offer(engine, node, network.terminals(), word);
            }
            let before = engine.counters().flit_hops;
            let allocations = allocation_counter::measure(|| {
                for _ in 0..3_000 {
                    engine.step();
                }
            });
            assert!(engine.counters().flit_hops > before + 100_000);
            allocations.count_total
        };
        // Lists of events change places, so the first crowd makes room in all of them.
        crowd(&mut engine);
        assert_eq!(crowd(&mut engine), 0, "{vcs}, {hold_switch}");
        engine.check_invariants();
    }
}
