//! Routing round faults: what is left connected is delivered, under a proof.

use crate::common;
use crate::common::any::{Any, erased, verify};

use common::loaded::Delivered;
use flitsim_analysis::verify::{Method, VerifyOptions};
use flitsim_engine::random::{Purpose, below, draw};
use flitsim_engine::routing::{
    AdaptiveUpDown, AfterEscape, HopClass, MinimalAdaptive, Nbc, NegativeHop, UpDown, WithEscape,
};
use flitsim_engine::{Engine, EngineConfig, NewPacket, Routing, VcReallocation};
use flitsim_topology::damage::{random_links, random_nodes};
use flitsim_topology::{Ends, Grid, MinimalPaths, Network, NodeId, PartedPairs, Paths};
use std::sync::Arc;

/// An 8-ary 2-cube.
fn whole() -> Arc<Network> {
    Arc::new(Grid::uniform(8, 2, Ends::Ring).unwrap().into_network())
}

fn without_links(whole: &Arc<Network>, count: u32, seed: u64) -> Network {
    let links = random_links(whole, count, seed).unwrap();
    Network::without(whole, &links, &[])
}

fn config(virtual_channels: u32, vc_reallocation: VcReallocation) -> EngineConfig {
    EngineConfig {
        virtual_channels,
        injection_vcs: virtual_channels,
        vc_reallocation,
        ..EngineConfig::default()
    }
}

/// Proves the relation free of deadlock and every pair of living terminals reached.
fn prove<R: Routing>(network: &Network, routing: &R, config: &EngineConfig, method: Method) {
    let proof = verify(network, routing, &VerifyOptions::of(config));
    let reason = proof.reason().map(|reason| reason.describe(network));
    assert_eq!(reason, None);
    assert!(proof.is_free() && proof.reaches_every_pair);
    assert_eq!(proof.method, method);
}

/// Every living terminal sends to every other, all at once, and everything arrives.
fn drain<R: Routing>(network: &Network, routing: R, config: EngineConfig) {
    erased!(routing: R => drain_any(network, routing, config));
}

fn drain_any(network: &Network, routing: impl Routing, config: EngineConfig) {
    let mut engine = Engine::new(network, routing, config, 3, Delivered::default()).unwrap();
    let living: Vec<NodeId> = network.living_terminals().collect();
    let count = living.len() as u32;
    for round in 1..count {
        for (place, &source) in (0..).zip(&living) {
            engine.offer(NewPacket {
                source,
                destination: living[((place + round) % count) as usize],
                flits: 1 + below(draw(5, Purpose::Route, source.0, u64::from(round), 0), 6),
                entropy: draw(5, Purpose::Route, source.0, u64::from(round), 1),
            });
        }
        engine.step();
    }
    while !engine.is_idle() {
        engine.step();
        assert!(!engine.is_frozen(), "frozen in cycle {}", engine.cycle());
        if engine.cycle().is_multiple_of(512) {
            engine.check_invariants();
        }
    }
    engine.check_invariants();
    let pairs = u64::from(count) * u64::from(count - 1);
    assert_eq!(engine.probe().packets, pairs);
    assert_eq!(
        engine.counters().flits_ejected,
        engine.counters().flits_offered
    );
}

#[test]
fn up_down_delivers_every_pair_with_1_to_10_links_failed() {
    let whole = whole();
    let one = config(1, VcReallocation::NonAtomic);
    for faults in 1..=10 {
        for seed in 1..=6 {
            let network = without_links(&whole, faults, seed);
            assert_eq!(
                PartedPairs::of(&network, 1),
                None,
                "{faults} of seed {seed}"
            );
            let routing = UpDown::new(&network, 1, None).unwrap();
            prove(&network, &routing, &one, Method::AcyclicCdg);
            let adaptive = AdaptiveUpDown::new(&network, 1, None).unwrap();
            prove(&network, &adaptive, &one, Method::AcyclicCdg);
            match seed {
                1 | 3 => drain(&network, &routing, one.clone()),
                2 => drain(&network, &adaptive, one.clone()),
                _ => {}
            }
        }
    }
}

#[test]
fn minimal_routing_delivers_every_pair_with_1_to_10_links_failed() {
    let whole = whole();
    for (faults, seed) in [(1, 1), (2, 2), (4, 3), (7, 4), (10, 5)] {
        let network = without_links(&whole, faults, seed);
        let paths = Paths::of(&network).unwrap();
        assert!(paths.is_bipartite() && paths.diameter() >= 8);
        let vcs = paths.diameter();
        let many = config(vcs, VcReallocation::NonAtomic);
        let hop_class = HopClass::new(&paths, vcs).unwrap();
        prove(&network, &hop_class, &many, Method::AcyclicCdg);
        assert!(HopClass::new(&paths, vcs - 1).is_err());
        let classes = vcs / 2 + 1;
        let few = config(classes, VcReallocation::NonAtomic);
        prove(
            &network,
            &NegativeHop::new(&paths, classes).unwrap(),
            &few,
            Method::AcyclicCdg,
        );
        let nbc = Nbc::new(&paths, classes).unwrap();
        prove(&network, &nbc, &few, Method::AcyclicCdg);
        drain(&network, nbc, few);
        let tree = UpDown::new(&network, 1, None).unwrap();
        let adaptive = |vcs| MinimalAdaptive::new(&paths, vcs);
        let stay = AfterEscape::Stay;
        let over = WithEscape::compose("over", 2, 1, stay, adaptive, |_| Ok(&tree)).unwrap();
        let atomic = config(2, VcReallocation::Atomic);
        prove(&network, &over, &atomic, Method::AcyclicExtendedCdg);
        drain(&network, over, atomic);
    }
}

/// Without the escape nothing orders the virtual channels: the proof must not pass for want of
/// looking.
#[test]
fn minimal_adaptive_routing_alone_is_refused_on_what_is_left() {
    let network = without_links(&whole(), 3, 1);
    let paths = Paths::of(&network).unwrap();
    let routing = MinimalAdaptive::new(&paths, 2).unwrap();
    let config = config(2, VcReallocation::NonAtomic);
    let proof = verify(&network, &routing, &VerifyOptions::of(&config));
    assert!(!proof.is_free() && !proof.cycle().is_empty());
    assert!(proof.reaches_every_pair);
}

#[test]
fn nothing_passes_or_ends_at_nodes_that_have_failed() {
    let whole = whole();
    for (nodes, links, seed) in [(1, 0, 1), (3, 2, 2), (5, 4, 3)] {
        let dead = random_nodes(&whole, nodes, seed).unwrap();
        let left = Arc::new(Network::without(&whole, &[], &dead));
        let network = Network::without(&left, &random_links(&left, links, seed).unwrap(), &[]);
        assert_eq!(PartedPairs::of(&network, 1), None, "seed {seed}");
        assert!(dead.iter().all(|&node| network.outgoing(node).is_empty()));
        let one = config(1, VcReallocation::NonAtomic);
        let routing = UpDown::new(&network, 1, None).unwrap();
        assert!(network.is_living(routing.root()));
        prove(&network, &routing, &one, Method::AcyclicCdg);
        drain(&network, &routing, one);
        let paths = Paths::of(&network).unwrap();
        let vcs = paths.diameter();
        let hop_class = HopClass::new(&paths, vcs).unwrap();
        let many = config(vcs, VcReallocation::NonAtomic);
        prove(&network, &hop_class, &many, Method::AcyclicCdg);
    }
}

#[test]
fn one_way_faults_leave_minimal_routing_only() {
    let whole = whole();
    let network = Network::without(&whole, &random_links(&whole, 2, 1).unwrap()[..3], &[]);
    assert!(UpDown::new(&network, 1, None).is_err());
    let paths = Paths::of(&network).unwrap();
    let vcs = paths.diameter();
    let routing = HopClass::new(&paths, vcs).unwrap();
    prove(
        &network,
        &routing,
        &config(vcs, VcReallocation::NonAtomic),
        Method::AcyclicCdg,
    );
}
