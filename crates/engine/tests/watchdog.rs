//! The watchdog: rings that deadlock are named channel by channel, those with datelines drain; a
//! deadlock in a corner is found while traffic flows elsewhere; whatever it calls stuck never moves
//! again, and it calls nothing stuck where the routing is free of deadlock.

use crate::common::STAGES;
use crate::common::any::{Any, erased};
use crate::common::loaded::Delivered;
use flitsim_engine::random::{Purpose, below, draw};
use flitsim_engine::routing::{
    DimensionOrder, EnhancedNbc, NearestCommonAncestor, NegativeHop, Tie, vc_range,
};
use flitsim_engine::{
    BufferSharing, Candidate, Candidates, Deadlock, Engine, EngineConfig, FlowControl, Head,
    Matching, NewPacket, Probe, Routing, StuckPacket, VcReallocation, Watchdog,
};
use flitsim_topology::{
    ChannelId, Direction, Ends, FatTree, Grid, MinimalPaths, Network, NodeId, Star,
};
use std::collections::BTreeSet;

/// Any shortest path on any virtual channel: it deadlocks.
#[derive(Clone, Copy)]
struct Free<'n> {
    paths: &'n Grid,
    virtual_channels: u32,
}

impl Routing for Free<'_> {
    const DETERMINISTIC: bool = false;

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let vcs = vc_range(0, self.virtual_channels);
        self.paths
            .for_each_minimal_channel(head.node, head.destination, |channel| {
                candidates.push(Candidate {
                    channel,
                    vcs,
                    priority: 0,
                });
            });
    }
}

/// A circle closes: what each waits for is held by the next, and all of it is stuck.
fn check_witness(network: &Network, deadlock: &Deadlock) {
    let witness = &deadlock.witness;
    assert!(!witness.is_empty());
    for (index, entry) in witness.iter().enumerate() {
        let next = &witness[(index + 1) % witness.len()];
        assert_eq!(entry.waits_for, next.holds);
        assert!(deadlock.packets.contains(&entry.packet), "{entry:?}");
    }
    let packets = witness.iter().map(|entry| entry.packet);
    let packets = identities(&packets.collect::<Vec<_>>());
    assert_eq!(packets.len(), witness.len(), "no packet twice");
    let circle = &deadlock.circle;
    assert!(!circle.is_empty());
    for (index, &(channel, _)) in circle.iter().enumerate() {
        let (next, _) = circle[(index + 1) % circle.len()];
        assert_eq!(network.target(channel), network.source(next));
    }
    assert!(witness.iter().all(|entry| circle.contains(&entry.holds)));
    let distinct: BTreeSet<_> = circle.iter().collect();
    assert_eq!(distinct.len(), circle.len(), "no virtual channel twice");
}

fn ring(nodes: u32) -> Network {
    Grid::new(&[nodes], Ends::DirectedRing)
        .unwrap()
        .into_network()
}

/// Every node sends one packet two hops up, longer than the buffers on the way.
fn offer_two_hops<R: Routing, P: Probe>(engine: &mut Engine<'_, R, P>, nodes: u32) {
    for source in 0..nodes {
        engine.offer(NewPacket {
            source: NodeId(source),
            destination: NodeId((source + 2) % nodes),
            flits: 20,
            entropy: 0,
        });
    }
}

/// The same router in stages, with buffers at the terminals too.
fn in_stages(config: EngineConfig) -> EngineConfig {
    EngineConfig {
        pipeline: Some(STAGES),
        speculative: true,
        vc_allocator: Some(Matching::Islip { iterations: 1 }),
        ejection_vcs: 1,
        injection_buffers: true,
        ..config
    }
}

#[test]
fn a_ring_without_datelines_deadlocks_and_every_channel_is_named() {
    for nodes in 3..=9 {
        let network = ring(nodes);
        let paths = network.grid().unwrap();
        let plain = EngineConfig {
            virtual_channels: 1,
            injection_vcs: 1,
            ..EngineConfig::default()
        };
        let routing = Free {
            paths,
            virtual_channels: 1,
        };
        // In stages as well, where heads bid before they have a virtual channel.
        let config = match nodes % 2 {
            0 => plain,
            _ => in_stages(plain),
        };
        let relation = Any::<false>::new(&routing);
        let mut engine = Engine::new(&network, relation, config, 1, Delivered::default()).unwrap();
        let mut watchdog = Watchdog::new();
        offer_two_hops(&mut engine, nodes);
        let deadlock = loop {
            engine.step();
            if let Some(deadlock) = watchdog.look(&engine) {
                break deadlock;
            }
            assert!(engine.cycle() < 100, "it takes the buffers' fill");
        };
        assert!(engine.is_frozen());
        engine.check_invariants();
        assert_eq!(deadlock.packets.len(), nodes as usize);
        assert_eq!(deadlock.witness.len(), nodes as usize);
        check_witness(&network, &deadlock);
        for entry in &deadlock.witness {
            let (source, at) = (entry.packet.source, entry.packet.at);
            assert_eq!(at.0, (source.0 + 1) % nodes);
            assert_eq!(network.source(entry.holds.0), source);
            assert_eq!(network.source(entry.waits_for.0), at);
        }
        let channels: BTreeSet<_> = deadlock.witness.iter().map(|e| e.waits_for).collect();
        let all = (0..network.channels()).map(|channel| (ChannelId(channel), 0));
        assert_eq!(channels, all.collect());
        assert_eq!(deadlock.circle.len(), nodes as usize);
    }
}

/// Two packets that hold three channels each: all six are named.
#[test]
fn a_circle_of_few_packets_names_every_channel_that_they_hold() {
    let network = ring(6);
    let routing = Free {
        paths: network.grid().unwrap(),
        virtual_channels: 1,
    };
    let config = EngineConfig {
        virtual_channels: 1,
        buffer_flits: 2,
        ..EngineConfig::default()
    };
    let relation = Any::<false>::new(&routing);
    let mut engine = Engine::new(&network, relation, config, 1, Delivered::default()).unwrap();
    for (source, destination) in [(0, 4), (3, 1)] {
        engine.offer(NewPacket {
            source: NodeId(source),
            destination: NodeId(destination),
            flits: 30,
            entropy: 0,
        });
    }
    while !engine.is_frozen() {
        engine.step();
    }
    let deadlock = engine.find_deadlock().unwrap();
    check_witness(&network, &deadlock);
    assert_eq!((deadlock.packets.len(), deadlock.witness.len()), (2, 2));
    assert_eq!(deadlock.circle.len(), 6);
}

#[test]
fn a_ring_with_datelines_drains() {
    for nodes in 3..=9 {
        let network = ring(nodes);
        let grid = network.grid().unwrap();
        let config = EngineConfig {
            virtual_channels: 2,
            ..EngineConfig::default()
        };
        let routing = DimensionOrder::new(grid, 2, Tie::Positive, true).unwrap();
        let relation = Any::<true>::new(&routing);
        let mut engine = Engine::new(&network, relation, config, 1, Delivered::default()).unwrap();
        for _ in 0..5 {
            offer_two_hops(&mut engine, nodes);
        }
        while !engine.is_idle() {
            engine.step();
            assert_eq!(engine.find_deadlock(), None);
        }
    }
}

/// Dimension order on a mesh, but packets of state 1 go clockwise round the square at the origin.
#[derive(Clone)]
struct Corner<'n> {
    grid: &'n Grid,
    order: DimensionOrder<'n>,
}

impl Routing for Corner<'_> {
    const DETERMINISTIC: bool = true;

    fn choices(&self, _: NodeId, _: NodeId) -> u32 {
        2
    }

    fn initial(&self, _: NodeId, _: NodeId, choice: u32) -> u64 {
        u64::from(choice)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        if head.state == 0 {
            return self.order.route(head, candidates);
        }
        let place = self.grid.coordinates(head.node);
        let (dimension, direction) = match (place[0], place[1]) {
            (0, 0) => (0, Direction::Up),
            (1, 0) => (1, Direction::Up),
            (1, 1) => (0, Direction::Down),
            _ => (1, Direction::Down),
        };
        let channel = self.grid.channel(head.node, dimension, direction);
        candidates.push(Candidate {
            channel: channel.expect("it stays in the square"),
            vcs: 1,
            priority: 0,
        });
    }
}

#[test]
fn a_deadlocked_corner_is_found_while_traffic_flows() {
    let network = Grid::new(&[6, 6], Ends::Open).unwrap().into_network();
    let grid = network.grid().unwrap();
    let config = EngineConfig {
        virtual_channels: 1,
        ..EngineConfig::default()
    };
    let routing = Corner {
        grid,
        order: DimensionOrder::new(grid, 1, Tie::Positive, false).unwrap(),
    };
    let relation = Any::<true>::new(&routing);
    let mut engine = Engine::new(&network, relation, config, 1, Delivered::default()).unwrap();
    let mut watchdog = Watchdog::new();
    // Everywhere but in the lowest two rows, for some time; then round the corner too.
    let around = |engine: &mut Engine<'_, _, _>| {
        let word = draw(3, Purpose::Route, 0, engine.cycle(), 0);
        let [source, destination] = [word, word << 20].map(|w| NodeId(12 + below(w, 24)));
        engine.offer(NewPacket {
            source,
            destination,
            flits: 4,
            entropy: 0,
        });
    };
    while engine.cycle() < 3_000 {
        around(&mut engine);
        engine.step();
        assert_eq!(watchdog.look(&engine), None);
    }
    let begun = engine.cycle();
    for (source, destination) in [(0, 7), (1, 6), (7, 0), (6, 1)] {
        engine.offer(NewPacket {
            source: NodeId(source),
            destination: NodeId(destination),
            flits: 30,
            entropy: u64::MAX,
        });
    }
    // Behind them: it has the channel from 2 to 1 to itself, and stops before 0.
    engine.offer(NewPacket {
        source: NodeId(2),
        destination: NodeId(6),
        flits: 3,
        entropy: 0,
    });
    let deadlock = loop {
        around(&mut engine);
        engine.step();
        if let Some(deadlock) = watchdog.look(&engine) {
            break deadlock;
        }
        assert!(engine.cycle() < begun + 2_048, "not found in time");
    };
    assert!(!engine.is_frozen());
    check_witness(&network, &deadlock);
    let circle: BTreeSet<u32> = deadlock.witness.iter().map(|e| e.packet.source.0).collect();
    assert_eq!(circle, BTreeSet::from([0, 1, 6, 7]));
    let names = |channel| (network.source(channel).0, network.target(channel).0);
    let channels: BTreeSet<_> = deadlock
        .witness
        .iter()
        .map(|e| names(e.waits_for.0))
        .collect();
    assert_eq!(channels, BTreeSet::from([(0, 1), (1, 7), (7, 6), (6, 0)]));
    let stuck: BTreeSet<u32> = deadlock.packets.iter().map(|p| p.source.0).collect();
    assert!(
        stuck.is_subset(&BTreeSet::from([0, 1, 2, 6, 7])),
        "{stuck:?}"
    );
    let delivered = engine.counters().packets_delivered;
    for _ in 0..500 {
        around(&mut engine);
        engine.step();
    }
    assert!(engine.counters().packets_delivered > delivered + 400);
}

fn identities(packets: &[StuckPacket]) -> BTreeSet<(u32, u64)> {
    packets.iter().map(|p| (p.source.0, p.created)).collect()
}

/// Offers random packets, then lets all come to rest. What is ever called stuck must stay so, and
/// never arrive; what comes to rest must be called stuck, all of it.
fn run_until_rest(case: u32, config: EngineConfig, network: &Network) -> bool {
    let grid = network.grid().unwrap();
    let routing = Free {
        paths: grid,
        virtual_channels: config.virtual_channels,
    };
    let buffer = config.buffer_flits;
    let whole = config.flow_control != FlowControl::Wormhole;
    let routing = Any::<false>::new(&routing);
    let mut engine = Engine::new(network, routing, config, 1, Delivered::default()).unwrap();
    let mut stuck: BTreeSet<(u32, u64)> = BTreeSet::new();
    let nodes = network.terminals();
    while !engine.is_idle() && !engine.is_frozen() || engine.cycle() < 200 {
        for source in 0..nodes {
            let word = draw(11, Purpose::Route, case, engine.cycle(), source);
            if engine.cycle() < 200 && below(word, 3) == 0 {
                let longest = if whole { buffer } else { 2 * buffer + 3 };
                engine.offer(NewPacket {
                    source: NodeId(source),
                    destination: NodeId(below(word << 8, nodes)),
                    flits: 1 + below(word << 16, longest),
                    entropy: 0,
                });
            }
        }
        engine.step();
        let found = engine.find_deadlock();
        let now = found.as_ref().map(|deadlock| {
            check_witness(network, deadlock);
            identities(&deadlock.packets)
        });
        let now = now.unwrap_or_default();
        assert!(
            stuck.is_subset(&now),
            "case {case}: what was stuck has moved"
        );
        let delivered = engine.probe().each.iter();
        let mut arrived = delivered.map(|(_, packet, _)| (packet.source.0, packet.created));
        assert!(
            arrived.all(|packet| !stuck.contains(&packet)),
            "case {case}: it arrived"
        );
        stuck = now;
    }
    if engine.is_frozen() {
        let counters = engine.counters();
        let inside = counters.packets_entered - counters.packets_delivered;
        // Some have their heads behind: in the injection virtual channels, which count as inside.
        assert_eq!(
            stuck.len() as u64,
            inside,
            "case {case}: all that rests is stuck"
        );
        return true;
    }
    false
}

#[test]
fn what_is_called_stuck_never_moves_and_what_rests_is_called_stuck() {
    let networks = [
        Grid::new(&[4], Ends::DirectedRing).unwrap(),
        Grid::new(&[3, 3], Ends::Ring).unwrap(),
        Grid::new(&[4, 4], Ends::Open).unwrap(),
        Grid::hypercube(3).unwrap(),
    ]
    .map(Grid::into_network);
    let mut frozen = 0;
    let mut case = 0;
    for network in &networks {
        for flow_control in [
            FlowControl::Wormhole,
            FlowControl::VirtualCutThrough,
            FlowControl::StoreAndForward,
        ] {
            for vc_reallocation in [VcReallocation::Atomic, VcReallocation::NonAtomic] {
                for (virtual_channels, buffer_flits, slow) in
                    [(1, 1, false), (1, 3, true), (2, 4, false), (3, 2, true)]
                {
                    let config = EngineConfig {
                        virtual_channels,
                        buffer_flits,
                        flow_control,
                        vc_reallocation,
                        injection_vcs: 1 + case % 2,
                        delay: if slow { 3 } else { 1 },
                        credit_delay: if slow { 4 } else { 1 },
                        channel_period: if slow { 2 } else { 1 },
                        ..EngineConfig::default()
                    };
                    if flow_control == FlowControl::Wormhole && virtual_channels > 1 {
                        let buffer_sharing = BufferSharing::Shared;
                        let config = in_stages(config.clone());
                        let config = EngineConfig {
                            buffer_sharing,
                            ..config
                        };
                        frozen += u32::from(run_until_rest(case, config, network));
                    }
                    frozen += u32::from(run_until_rest(case, config, network));
                    case += 1;
                }
            }
        }
    }
    assert!(frozen > case / 4, "{frozen} of {case} deadlocked");
    assert!(frozen < case, "and some did not");
}

/// Far past saturation, for `cycles` cycles; looks every 16.
fn check_no_alarm<R: Routing>(network: &Network, routing: R, config: EngineConfig) {
    erased!(routing: R => check_any(network, routing, config));
}

fn check_any(network: &Network, routing: impl Routing, config: EngineConfig) {
    let flits = config.buffer_flits;
    let mut engine = Engine::new(network, routing, config, 1, Delivered::default()).unwrap();
    let terminals = network.terminals();
    let mut watchdog = Watchdog::new();
    while engine.cycle() < 4_000 {
        let source = NodeId(engine.cycle() as u32 % terminals);
        for burst in 0..terminals.div_ceil(8) {
            let word = draw(5, Purpose::Route, burst, engine.cycle(), 0);
            engine.offer(NewPacket {
                source: NodeId((source.0 + burst * 8) % terminals),
                destination: NodeId(below(word, terminals)),
                flits,
                entropy: word,
            });
        }
        engine.step();
        assert_eq!(watchdog.look(&engine), None);
        if engine.cycle().is_multiple_of(16) {
            assert_eq!(engine.find_deadlock(), None, "in cycle {}", engine.cycle());
        }
    }
}

#[test]
fn no_alarm_under_heavy_load_where_routing_is_free_of_deadlock() {
    let config = |virtual_channels, flow_control, vc_reallocation| EngineConfig {
        virtual_channels,
        injection_vcs: virtual_channels,
        flow_control,
        vc_reallocation,
        ..EngineConfig::default()
    };
    let torus = Grid::new(&[5, 4], Ends::Ring).unwrap().into_network();
    let cube = Grid::hypercube(4).unwrap().into_network();
    let star = Star::new(4).unwrap().into_network();
    let tree = FatTree::butterfly(16).unwrap().into_network();
    for flow_control in [
        FlowControl::Wormhole,
        FlowControl::VirtualCutThrough,
        FlowControl::StoreAndForward,
    ] {
        for reallocation in [VcReallocation::Atomic, VcReallocation::NonAtomic] {
            let config = |vcs| config(vcs, flow_control, reallocation);
            let grid = torus.grid().unwrap();
            let order = DimensionOrder::new(grid, 2, Tie::Random, true).unwrap();
            check_no_alarm(&torus, order, config(2));
            let paths = star.star().unwrap();
            check_no_alarm(&star, NegativeHop::new(paths, 3).unwrap(), config(3));
            let ancestor = NearestCommonAncestor::new(tree.fat_tree().unwrap(), 1).unwrap();
            check_no_alarm(&tree, ancestor, config(1));
            if reallocation == VcReallocation::Atomic || flow_control != FlowControl::Wormhole {
                let paths = cube.grid().unwrap();
                let enhanced = EnhancedNbc::new(paths, 4, None).unwrap();
                check_no_alarm(&cube, enhanced, config(4));
            }
        }
    }
}
