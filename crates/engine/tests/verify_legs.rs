//! Proofs of Valiant's routing leg by leg, and of long rings by landmarks: they say what full
//! enumeration says.

use crate::common::any::verify;
use crate::common::vcs_of;
use crate::tier;
use flitsim_analysis::verify::{
    Coverage, DependencyKind, ExtendedDependency, Extent, Method, Proof, Reason, Verdict,
    VerifyOptions, verify_by_legs, verify_by_product, verify_leg_by_leg,
};
use flitsim_engine::routing::{
    Algorithm, DimensionOrder, Folded, Order, Relation, RoutingChoice, Tables, Tie, Valiant,
};
use flitsim_engine::{Candidate, Candidates, EngineConfig, Head, Routing};
use flitsim_topology::{ChannelId, Ends, Grid, HyperX, MinimalPaths, Network, NodeId};
use std::collections::BTreeSet;

fn options(virtual_channels: u32, extent: Extent) -> VerifyOptions<'static> {
    let config = EngineConfig {
        virtual_channels,
        ..EngineConfig::default()
    };
    VerifyOptions {
        extent,
        ..VerifyOptions::of(&config)
    }
}

fn grid(radices: &[u32], ends: Ends) -> Network {
    Grid::new(radices, ends).unwrap().into_network()
}

fn counts(proof: &Proof) -> (u64, u64, u64, u32) {
    (
        proof.vertices,
        proof.dependencies,
        proof.configurations,
        proof.longest_route_hops,
    )
}

/// The dependencies of packets that go on to the terminal between where they come by their
/// destination, their own source included, written down packet by packet.
fn passing(network: &Network, vcs: u32, balance: bool) -> u64 {
    let torus = network.grid().unwrap();
    let lower = vcs.div_ceil(2);
    let legs = [(0, lower), (lower, vcs - lower)].map(|(shift, vcs)| {
        let order = DimensionOrder::new(torus, vcs, Tie::Random, balance).unwrap();
        (shift, order)
    });
    let nodes = || (0..network.nodes()).map(NodeId);
    let mut edges = BTreeSet::new();
    for ways in 0..1 << torus.dimensions() {
        for (source, between) in nodes().flat_map(|s| nodes().map(move |b| (s, b))) {
            let arrivals = go(
                network,
                legs[0].clone(),
                (source, between),
                ways,
                None,
                &mut edges,
            );
            for destination in nodes().filter(|&d| d != between) {
                for &held in &arrivals {
                    let held = Some(held);
                    go(
                        network,
                        legs[1].clone(),
                        (between, destination),
                        ways,
                        held,
                        &mut edges,
                    );
                }
            }
        }
    }
    edges.len() as u64
}

type Vc = (ChannelId, u32);

/// Adds the dependencies of packets of one leg that hold `held` before it; what they may hold at its
/// end.
fn go(
    network: &Network,
    (shift, order): (u32, DimensionOrder<'_>),
    (from, to): (NodeId, NodeId),
    state: u64,
    held: Option<Vc>,
    edges: &mut BTreeSet<(Vc, Vc)>,
) -> BTreeSet<Vc> {
    let mut heads = BTreeSet::from([(from, held)]);
    let mut ends = BTreeSet::new();
    while let Some((node, held)) = heads.pop_first() {
        if node == to {
            ends.extend(held);
            continue;
        }
        let of_leg = held.filter(|_| node != from);
        let head = Head {
            node,
            arrived: of_leg.map(|(channel, vc)| (channel, vc - shift)),
            destination: to,
            state,
        };
        let mut candidates = Candidates::default();
        order.route(head, &mut candidates);
        for candidate in candidates.as_slice() {
            for vc in vcs_of(candidate.vcs) {
                let next = (candidate.channel, vc + shift);
                edges.extend(held.map(|held| (held, next)));
                heads.insert((network.target(candidate.channel), Some(next)));
            }
        }
    }
    ends
}

#[test]
fn two_legs_prove_as_much_as_the_whole() {
    if tier::is_left_out() {
        return;
    }
    for (radices, ends) in [
        (&[5][..], Ends::Open),
        (&[4, 4], Ends::Open),
        (&[3, 5], Ends::Open),
        (&[2; 4], Ends::Open),
        (&[3, 2, 3], Ends::Open),
        (&[7], Ends::Ring),
        (&[5, 4], Ends::Ring),
        (&[4, 6], Ends::Ring),
        (&[3, 2, 4], Ends::Ring),
        (&[4, 3], Ends::DirectedRing),
        (&[2, 5], Ends::DirectedRing),
    ] {
        let network = grid(radices, ends);
        let torus = network.grid().unwrap();
        let least = Valiant::virtual_channels_min(torus);
        for (vcs, balance) in [(least, false), (least, true), (least + 1, true)] {
            let routing = Valiant::new(torus, vcs, balance).unwrap();
            let options = options(vcs, Extent::Full);
            let full = verify(&network, &routing, &options);
            let legs = verify_by_legs(&routing, &options).unwrap();
            let name = format!("{radices:?} {ends:?} {vcs} {balance}");
            assert!(full.is_free() && legs.is_free(), "{name}");
            assert_eq!(legs.method, Method::AcyclicCdg);
            assert!(matches!(legs.coverage, Coverage::ByLegs { .. }));
            assert_eq!(legs.vertices, full.vertices, "{name}");
            assert_eq!(legs.dependencies, passing(&network, vcs, balance), "{name}");
            // Too many only where a packet would turn back in the last dimension, or its destination
            // is its source.
            let surplus = legs.dependencies - full.dependencies;
            assert!(surplus <= u64::from(network.nodes() * vcs), "{name}");
            let longer = legs.longest_route_hops - full.longest_route_hops;
            assert!(longer <= 1, "{name}");
        }
    }
}

#[test]
fn landmarks_of_long_rings_prove_as_much_as_the_whole() {
    if tier::is_left_out() {
        return;
    }
    for radix in [257, 258, 259, 300] {
        for ends in [Ends::Open, Ends::Ring, Ends::DirectedRing] {
            let network = grid(&[radix], ends);
            for (vcs, tie, balance) in [
                (2, Tie::Random, false),
                (3, Tie::Random, true),
                (4, Tie::Positive, true),
            ] {
                let routing =
                    DimensionOrder::new(network.grid().unwrap(), vcs, tie, balance).unwrap();
                let name = format!("{radix} {ends:?} {vcs} {tie:?} {balance}");
                let full = verify_by_product(&routing, &options(vcs, Extent::Full)).unwrap();
                let some = verify_by_product(&routing, &options(vcs, Extent::Auto)).unwrap();
                assert!(full.is_free() && some.is_free());
                assert_eq!(counts(&some), counts(&full), "{name}");
                let Coverage::ByProduct { destinations, .. } = some.coverage else {
                    panic!("{:?}", some.coverage);
                };
                assert!(destinations < 50, "{destinations} {name}");
            }
        }
    }
}

/// Consecutive channels of a cycle meet, and so do the last and the first.
fn assert_is_closed(network: &Network, cycle: &[Vc]) {
    assert!(!cycle.is_empty());
    for (i, &(channel, _)) in cycle.iter().enumerate() {
        let (next, _) = cycle[(i + 1) % cycle.len()];
        assert_eq!(network.target(channel), network.source(next));
    }
}

#[test]
fn one_virtual_channel_on_rings_is_refused_with_a_shortest_cycle() {
    for (radices, ends, least) in [
        (&[6][..], Ends::Ring, 2),
        (&[5, 4], Ends::Ring, 2),
        (&[6, 2, 3], Ends::Ring, 2),
        (&[4, 3], Ends::DirectedRing, 2),
    ] {
        let network = grid(radices, ends);
        let torus = network.grid().unwrap();
        for order in [Order::LowestFirst, Order::HighestFirst] {
            let routing = DimensionOrder::new(torus, least, Tie::Random, true).unwrap();
            let routing = routing.with_order(order);
            let options = options(1, Extent::Full);
            let full = verify(&network, &Folded::new(&routing, 1), &options);
            let product = verify_by_product(&routing, &options).unwrap();
            assert_eq!(full.reason(), Some(&Reason::Cycle));
            assert_eq!(product.reason(), Some(&Reason::Cycle));
            assert_eq!(counts(&full), counts(&product), "{radices:?} {ends:?}");
            assert_eq!(full.cycle().len(), product.cycle().len());
            assert_is_closed(&network, product.cycle());
        }
    }
}

#[test]
fn a_leg_without_dateline_is_refused_with_a_cycle() {
    for (radices, ends) in [(&[5, 4][..], Ends::Ring), (&[4, 3], Ends::DirectedRing)] {
        let network = grid(radices, ends);
        let valiant = Valiant::new(network.grid().unwrap(), 4, true).unwrap();
        for vcs in [1, 2, 3] {
            let options = options(vcs, Extent::Full);
            let legs = verify_by_legs(&valiant, &options).unwrap();
            assert_eq!(legs.reason(), Some(&Reason::Cycle));
            assert_is_closed(&network, legs.cycle());
            let full = verify(&network, &Folded::new(&valiant, vcs), &options);
            assert_eq!(full.reason(), Some(&Reason::Cycle));
            assert!(full.cycle().len() <= legs.cycle().len());
        }
    }
    // Without rings either leg is free of cycles, and both together are not known to be.
    let network = grid(&[4, 4], Ends::Open);
    let valiant = Valiant::new(network.grid().unwrap(), 2, true).unwrap();
    assert_eq!(verify_by_legs(&valiant, &options(1, Extent::Full)), None);
}

#[test]
fn large_networks_are_proved_at_once() {
    for (radices, ends, vcs) in [
        (&[64, 64][..], Ends::Ring, 4),
        (&[96, 80], Ends::Open, 2),
        (&[2; 14], Ends::Open, 2),
        (&[700, 3], Ends::Ring, 5),
    ] {
        let network = grid(radices, ends);
        let torus = network.grid().unwrap();
        let routing = Valiant::new(torus, vcs, true).unwrap();
        let proof = verify_by_legs(&routing, &options(vcs, Extent::Auto)).unwrap();
        assert!(proof.is_free(), "{:?}", proof.verdict);
        assert_eq!(proof.longest_route_hops, 2 * torus.diameter());
        let Coverage::ByLegs {
            rings,
            destinations,
            nodes,
        } = proof.coverage
        else {
            panic!("{:?}", proof.coverage);
        };
        let of_each: BTreeSet<u32> = radices.iter().copied().collect();
        assert_eq!(rings as usize, 2 * of_each.len());
        assert_eq!(nodes, 2 * of_each.iter().sum::<u32>());
        // Of the ring of 700, landmarks and some more.
        let is_long = radices[0] > 256;
        assert!(destinations == nodes || is_long && (6..100).contains(&destinations));
        let order = DimensionOrder::new(torus, vcs, Tie::Random, true).unwrap();
        let one = verify_by_product(&order, &options(1, Extent::Auto)).unwrap();
        assert_eq!(one.is_free(), ends == Ends::Open);
        if ends == Ends::Ring {
            // A ring of three has none: no packet goes further than one hop.
            assert_eq!(one.cycle().len() as u32, radices[0]);
            assert_is_closed(&network, one.cycle());
        }
    }
}

/// Where packets have channels to themselves, parts prove nothing: legs and classes meet on all virtual channels.
#[test]
fn channels_of_one_packet_are_not_proved_by_parts() {
    let alone = |virtual_channels| VerifyOptions {
        interleaves: false,
        ..options(virtual_channels, Extent::Auto)
    };
    let ring = grid(&[6], Ends::DirectedRing);
    let order = DimensionOrder::new(ring.grid().unwrap(), 2, Tie::Random, false).unwrap();
    assert!(!verify(&ring, &order, &alone(2)).is_free());
    assert_eq!(verify_by_product(&order, &alone(2)), None);
    let mesh = grid(&[4, 4], Ends::Open);
    let valiant = Valiant::new(mesh.grid().unwrap(), 2, true).unwrap();
    assert!(!verify(&mesh, &valiant, &alone(2)).is_free());
    assert_eq!(verify_by_legs(&valiant, &alone(2)), None);
    let cube = HyperX::new(&[3, 3], &[]).unwrap().into_network();
    let relation = RoutingChoice::from(Algorithm::Valiant).relation(&cube, 2, &Tables::default());
    let Ok(Relation::Detour(detour)) = relation else {
        panic!("two legs");
    };
    let by_legs = verify_leg_by_leg(&cube, &detour, &options(2, Extent::Auto));
    let whole = verify(&cube, &detour, &options(2, Extent::Full));
    assert!(by_legs.is_free() && by_legs.reaches_every_pair);
    assert_eq!(by_legs.longest_route_hops, whole.longest_route_hops);
    assert_eq!(by_legs.vertices, whole.vertices);
    assert!(!verify_leg_by_leg(&cube, &detour, &alone(2)).is_free());
}

/// Between routers nodes and channels have other numbers than between terminals: whatever a proof names is the
/// network's own.
#[test]
fn what_is_wrong_between_routers_is_told_of_their_first_terminals() {
    let routers = grid(&[4], Ends::Ring);
    let network = routers.clone().concentrated(3).unwrap();
    let family = network.concentration().unwrap();
    let order = DimensionOrder::new(routers.grid().unwrap(), 2, Tie::Random, false).unwrap();
    let proof = verify(&routers, &Folded::new(&order, 1), &options(1, Extent::Full));
    let between = |between: &Network, (channel, vc): (ChannelId, u32)| {
        (between.source(channel), between.target(channel), vc)
    };
    let own: Vec<_> = proof
        .cycle()
        .iter()
        .map(|&of| between(&routers, of))
        .collect();
    let lifted = proof.clone().between_terminals(family);
    let theirs: Vec<_> = lifted
        .cycle()
        .iter()
        .map(|&of| between(&network, of))
        .collect();
    let nodes = own
        .iter()
        .map(|&(from, to, vc)| (family.node(from), family.node(to), vc));
    assert!(!own.is_empty() && theirs.iter().copied().eq(nodes));

    let (router, terminal) = (NodeId(2), NodeId(6));
    let (channel, arrived) = (proof.cycle()[0].0, proof.cycle()[1]);
    let [of_channel, of_arrived] = [lifted.cycle()[0].0, lifted.cycle()[1].0];
    let head = Head {
        node: NodeId(1),
        arrived: Some(arrived),
        destination: router,
        state: 7,
    };
    let of_head = Head {
        node: family.node(NodeId(1)),
        arrived: Some((of_arrived, arrived.1)),
        destination: terminal,
        state: 7,
    };
    let candidate = |channel| Candidate {
        channel,
        vcs: 1,
        priority: 3,
    };
    let dependency = |destination, channel| ExtendedDependency {
        kind: DependencyKind::Direct,
        destination,
        via: vec![(channel, 2)],
    };
    let (most, pairs) = (9, 4);
    let reasons = [
        (
            Reason::ExtendedCycle {
                dependencies: vec![dependency(router, channel)],
            },
            Reason::ExtendedCycle {
                dependencies: vec![dependency(terminal, of_channel)],
            },
        ),
        (
            Reason::EscapeNotConnected { head },
            Reason::EscapeNotConnected { head: of_head },
        ),
        (Reason::DeadEnd { head }, Reason::DeadEnd { head: of_head }),
        (
            Reason::Livelock { heads: vec![head] },
            Reason::Livelock {
                heads: vec![of_head],
            },
        ),
        (
            Reason::UnreachablePair {
                from: NodeId(1),
                to: router,
                pairs,
            },
            Reason::UnreachablePair {
                from: NodeId(3),
                to: terminal,
                pairs,
            },
        ),
        (
            Reason::BadCandidate {
                head,
                candidate: candidate(channel),
            },
            Reason::BadCandidate {
                head: of_head,
                candidate: candidate(of_channel),
            },
        ),
        (
            Reason::TooManyConfigurations {
                destination: router,
                most,
            },
            Reason::TooManyConfigurations {
                destination: terminal,
                most,
            },
        ),
        (
            Reason::TooManyHops {
                destination: router,
                most,
            },
            Reason::TooManyHops {
                destination: terminal,
                most,
            },
        ),
        (Reason::NonAtomicReallocation, Reason::NonAtomicReallocation),
    ];
    for (reason, wanted) in reasons {
        let verdict = Verdict::NotFree {
            reason,
            cycle: Vec::new(),
        };
        let lifted = Proof {
            verdict,
            ..proof.clone()
        }
        .between_terminals(family);
        assert_eq!(lifted.reason(), Some(&wanted));
    }
}
