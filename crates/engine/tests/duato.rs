//! Escapes: Duato's adaptive routing on grids, and adaptive relations composed with other escapes.
//! All routes minimal, escapes connected and free of cycles even with adaptive hops between, and
//! relations that are not.

use crate::common;

use common::dependencies::Dependencies;
use common::extended::extended;
use common::loaded::{freezes, run_uniform};
use common::routes::hops_of_all_routes;
use flitsim_engine::routing::{
    AfterEscape, DimensionOrder, Duato, ECube, MinimalAdaptive, OddEven, Tie, TurnModel, TurnRule,
    UpDown, WithEscape, vc_range,
};
use flitsim_engine::{
    Candidate, Candidates, ConfigError, EngineConfig, FlowControl, Head, Routing, VcReallocation,
};
use flitsim_topology::{ChannelId, Ends, Grid, MinimalPaths, Network, NodeId, Star};
use std::collections::BTreeSet;

fn grid(radices: &[u32], ends: Ends) -> Network {
    Grid::new(radices, ends).unwrap().into_network()
}

fn grids() -> Vec<Network> {
    vec![
        grid(&[2; 4], Ends::Open),
        grid(&[2; 3], Ends::Ring),
        grid(&[4, 3], Ends::Open),
        grid(&[3, 2, 3], Ends::Open),
        grid(&[4, 4], Ends::Ring),
        grid(&[5, 3], Ends::Ring),
        grid(&[6, 2], Ends::Ring),
        grid(&[7], Ends::Ring),
        grid(&[3, 2, 4], Ends::Ring),
        grid(&[4, 3], Ends::DirectedRing),
        grid(&[2, 2, 2], Ends::DirectedRing),
    ]
}

fn pairs(network: &Network) -> impl Iterator<Item = (NodeId, NodeId)> {
    let nodes = network.nodes();
    (0..nodes).flat_map(move |a| (0..nodes).map(move |b| (NodeId(a), NodeId(b))))
}

fn head(node: NodeId, destination: NodeId) -> Head {
    Head {
        node,
        arrived: None,
        destination,
        state: 0,
    }
}

#[test]
fn the_escape_on_a_hypercube_corrects_the_lowest_dimension() {
    for ends in [Ends::Open, Ends::Ring] {
        let network = grid(&[2; 4], ends);
        let grid = network.grid().unwrap();
        let escape = ECube::new(grid, 1).unwrap();
        for (a, b) in pairs(&network).filter(|(a, b)| a != b) {
            let only = escape.only(head(a, b), &mut Candidates::default());
            let channel = only.expect("a way").channel;
            let bit = (a.0 ^ b.0).trailing_zeros();
            assert_eq!(network.source(channel), a);
            assert_eq!(network.target(channel), NodeId(a.0 ^ 1 << bit));
        }
    }
}

#[test]
fn duato_opens_every_shortest_path_and_always_its_escape() {
    for network in grids() {
        let grid = network.grid().unwrap();
        let lower = ECube::virtual_channels_min(grid);
        let routing = Duato::new(grid, lower + 2).unwrap();
        let escape = ECube::new(grid, lower).unwrap();
        let mut candidates = Candidates::default();
        let mut alone = Candidates::default();
        for pair in pairs(&network) {
            let hops = hops_of_all_routes(&network, &routing, pair, 0);
            assert_eq!(hops, BTreeSet::from([grid.distance(pair.0, pair.1)]));
            let mut minimal = Vec::new();
            grid.for_each_minimal_channel(pair.0, pair.1, |channel| minimal.push(channel));
            candidates.clear();
            routing.route(head(pair.0, pair.1), &mut candidates);
            let (adaptive, last): (Vec<&Candidate>, Vec<&Candidate>) =
                candidates.as_slice().iter().partition(|c| c.priority == 0);
            let mut channels: Vec<ChannelId> = adaptive.iter().map(|c| c.channel).collect();
            channels.sort();
            assert_eq!(channels, minimal);
            assert!(adaptive.iter().all(|c| c.vcs == vc_range(lower, lower + 2)));
            alone.clear();
            escape.route(head(pair.0, pair.1), &mut alone);
            let as_last: Vec<_> = last.iter().map(|c| (c.channel, c.vcs)).collect();
            let wanted = alone.as_slice().iter().map(|c| (c.channel, c.vcs));
            assert_eq!(as_last, wanted.collect::<Vec<_>>());
            for &candidate in candidates.as_slice() {
                let is_last = candidate.priority == 1;
                let named = routing.escape_vcs(head(pair.0, pair.1), candidate);
                assert_eq!(named, if is_last { candidate.vcs } else { 0 });
            }
        }
    }
}

#[test]
fn the_order_of_candidates_is_that_of_the_hops_left() {
    let network = grid(&[8, 8, 5], Ends::Ring);
    let grid = network.grid().unwrap();
    let routing = MinimalAdaptive::new(grid, 1).unwrap();
    let dimensions = |from: [u32; 3], to: [u32; 3]| -> Vec<u32> {
        let mut candidates = Candidates::default();
        routing.route(
            head(grid.node_at(&from), grid.node_at(&to)),
            &mut candidates,
        );
        let dimension = |c: &Candidate| grid.step(c.channel).dimension;
        candidates.as_slice().iter().map(dimension).collect()
    };
    assert_eq!(dimensions([0, 0, 0], [1, 5, 2]), [1, 2, 0]);
    assert_eq!(dimensions([7, 0, 0], [1, 2, 2]), [0, 1, 2]);
    // Half way round dimension 1, both ways are open.
    assert_eq!(dimensions([0, 0, 0], [2, 4, 4]), [1, 1, 0, 2]);
}

#[test]
fn the_escape_of_duato_is_connected_and_free_of_cycles_with_indirect_dependencies() {
    for network in grids() {
        let grid = network.grid().unwrap();
        let lower = ECube::virtual_channels_min(grid);
        let escape = ECube::new(grid, lower).unwrap();
        for pair in pairs(&network) {
            let hops = hops_of_all_routes(&network, &escape, pair, 0);
            assert_eq!(hops, BTreeSet::from([grid.distance(pair.0, pair.1)]));
        }
        let direct = Dependencies::of(&network, &escape);
        assert!(direct.is_acyclic());
        let routing = Duato::new(grid, lower + 1).unwrap();
        let all = extended(&network, &routing);
        assert!(all.is_acyclic(), "{:?} {:?}", grid.radices(), grid.ends());
        assert_eq!(all.vertices, direct.vertices);
        assert!(all.edges.is_superset(&direct.edges));
        // The whole relation has cycles, but on a line and on squares of one-way rings of two.
        if grid.dimensions() > 1 {
            assert!(!Dependencies::of(&network, &routing).is_acyclic());
        }
    }
}

#[test]
fn indirect_dependencies_are_found() {
    // From (0, 0) to (2, 1) of a mesh: the escape goes x, x, y. A packet may take x over the
    // escape, y adaptively, then x over the escape in the next row.
    let network = grid(&[3, 2], Ends::Open);
    let grid = network.grid().unwrap();
    let routing = Duato::new(grid, 2).unwrap();
    let up = |at: [u32; 2]| {
        let node = grid.node_at(&at);
        (
            grid.channel(node, 0, flitsim_topology::Direction::Up)
                .unwrap(),
            0,
        )
    };
    let indirect = (up([0, 0]), up([1, 1]));
    assert!(extended(&network, &routing).edges.contains(&indirect));
    let escape = ECube::new(grid, 1).unwrap();
    assert!(
        !Dependencies::of(&network, &escape)
            .edges
            .contains(&indirect)
    );
}

/// Minimal adaptive on the upper virtual channels, `escape` on the `lower` lower ones.
fn over<E: Routing>(
    network: &Network,
    lower: u32,
    after: AfterEscape,
    escape: impl FnOnce(u32) -> Result<E, ConfigError>,
) -> WithEscape<MinimalAdaptive<&Grid>, E> {
    let adaptive = |vcs| MinimalAdaptive::new(network.grid().unwrap(), vcs);
    WithEscape::compose("this", lower + 1, lower, after, adaptive, escape).unwrap()
}

#[test]
fn a_dateline_decided_by_history_does_not_survive_adaptive_hops() {
    // Dimension order is free of cycles by itself; a packet that crossed the wrap channel
    // adaptively starts in its class 0 again.
    for radices in [&[8][..], &[6, 3]] {
        let network = grid(radices, Ends::Ring);
        let escape = |vcs| DimensionOrder::new(network.grid().unwrap(), vcs, Tie::Positive, false);
        assert!(Dependencies::of(&network, &escape(2).unwrap()).is_acyclic());
        let back = over(&network, 2, AfterEscape::Return, escape);
        assert!(!extended(&network, &back).is_acyclic());
        // Where packets stay on the escape, they enter it once, as if they were created there.
        let stay = over(&network, 2, AfterEscape::Stay, escape);
        assert!(extended(&network, &stay).is_acyclic());
        for pair in pairs(&network) {
            let distance = network.grid().unwrap().distance(pair.0, pair.1);
            let hops = hops_of_all_routes(&network, &stay, pair, 0);
            assert_eq!(hops, BTreeSet::from([distance]));
        }
    }
}

#[test]
fn turn_models_and_odd_even_are_escapes_to_stay_on() {
    use AfterEscape::{Return, Stay};
    let network = grid(&[4, 4], Ends::Open);
    let grid = network.grid().unwrap();
    for rule in [
        TurnRule::WestFirst,
        TurnRule::NorthLast,
        TurnRule::NegativeFirst,
    ] {
        let stay = over(&network, 1, Stay, |vcs| TurnModel::new(grid, vcs, rule));
        assert!(extended(&network, &stay).is_acyclic());
        // A packet to the north-west may hold a channel to the west, go north adaptively, and ask
        // for one to the west in another row: out of order where the first part has south too.
        let back = over(&network, 1, Return, |vcs| TurnModel::new(grid, vcs, rule));
        let is_acyclic = extended(&network, &back).is_acyclic();
        assert_eq!(is_acyclic, rule == TurnRule::WestFirst, "{rule:?}");
    }
    let stay = over(&network, 1, Stay, |vcs| OddEven::new(grid, vcs));
    assert!(extended(&network, &stay).is_acyclic());
    let back = over(&network, 1, Return, |vcs| OddEven::new(grid, vcs));
    assert!(!extended(&network, &back).is_acyclic());
}

#[test]
fn up_down_is_an_escape_to_stay_on() {
    use AfterEscape::{Return, Stay};
    for radices in [&[8][..], &[6, 6]] {
        let network = grid(radices, Ends::Ring);
        let tree = UpDown::new(&network, 1, None).unwrap();
        let stay = over(&network, 1, Stay, |_| Ok(&tree));
        let found = extended(&network, &stay);
        assert_eq!(found.edges, Dependencies::of(&network, &tree).edges);
        assert!(found.is_acyclic());
        let back = over(&network, 1, Return, |_| Ok(&tree));
        assert!(!extended(&network, &back).is_acyclic());
        // Every route ends: hops_of_all_routes asserts that, and the shortest is minimal.
        for pair in pairs(&network) {
            let distance = network.grid().unwrap().distance(pair.0, pair.1);
            let hops = hops_of_all_routes(&network, &stay, pair, 0);
            assert_eq!(hops.first(), Some(&distance));
        }
    }
}

#[test]
fn a_star_is_routed_adaptively_over_a_tree() {
    let network = Star::new(4).unwrap().into_network();
    let star = network.star().unwrap();
    let tree = UpDown::new(&network, 1, None).unwrap();
    let adaptive = |vcs| MinimalAdaptive::new(star, vcs);
    let stay = AfterEscape::Stay;
    let routing = WithEscape::compose("this", 3, 1, stay, adaptive, |_| Ok(&tree)).unwrap();
    assert!(extended(&network, &routing).is_acyclic());
    let back = AfterEscape::Return;
    let back = WithEscape::compose("this", 3, 1, back, adaptive, |_| Ok(&tree)).unwrap();
    assert!(!extended(&network, &back).is_acyclic());
    let config = EngineConfig {
        virtual_channels: 3,
        vc_reallocation: VcReallocation::Atomic,
        ..EngineConfig::default()
    };
    for load in [0.1, 1.0] {
        run_uniform(&network, routing, config.clone(), 8, load, 1_000);
    }
}

#[test]
fn minimal_adaptive_is_free_of_cycles_on_lines_alone() {
    let of = |network: &Network| {
        let routing = MinimalAdaptive::new(network.grid().unwrap(), 2).unwrap();
        Dependencies::of(network, &routing)
    };
    assert!(of(&grid(&[6], Ends::Open)).is_acyclic());
    for network in [
        grid(&[2, 2], Ends::Open),
        grid(&[2; 3], Ends::Open),
        grid(&[5], Ends::Ring),
    ] {
        assert!(!of(&network).is_acyclic());
    }
}

#[test]
fn without_an_escape_packets_come_to_wait_on_one_another() {
    for network in [grid(&[4, 4], Ends::Open), grid(&[4, 4], Ends::Ring)] {
        let config = EngineConfig {
            virtual_channels: 3,
            buffer_flits: 2,
            vc_reallocation: VcReallocation::Atomic,
            ..EngineConfig::default()
        };
        let grid = network.grid().unwrap();
        let alone = MinimalAdaptive::new(grid, 1).unwrap();
        assert!(freezes(&network, alone, config.clone()));
        let routing = Duato::new(grid, 3).unwrap();
        assert!(!freezes(&network, routing, config));
    }
}

#[test]
fn virtual_channels_that_do_not_suffice_are_refused() {
    for network in grids() {
        let grid = network.grid().unwrap();
        let wanted = 1 + ECube::virtual_channels_min(grid);
        assert!(Duato::new(grid, wanted).is_ok());
        let refused = Duato::new(grid, wanted - 1).unwrap_err();
        assert!(matches!(refused, ConfigError::Routing { .. }));
        assert!(refused.to_string().contains(&format!("at least {wanted}")));
        for vcs in [0, 65] {
            let refused = Duato::new(grid, vcs).unwrap_err();
            assert!(matches!(refused, ConfigError::OutOfRange { .. }));
        }
    }
    let ring = Grid::uniform(3, 1, Ends::Ring).unwrap();
    assert!(ECube::new(&ring, 1).is_err());
    assert!(Duato::new(&ring, 3).unwrap().has_escape());
    assert!(!ECube::new(&ring, 2).unwrap().has_escape());
    const {
        assert!(!Duato::DETERMINISTIC);
    }
}

#[test]
fn uniform_traffic_flows_below_saturation_and_drains_above() {
    for network in [
        grid(&[6, 6], Ends::Open),
        grid(&[6, 6], Ends::Ring),
        grid(&[2; 6], Ends::Open),
    ] {
        let grid = network.grid().unwrap();
        for (flow_control, vc_reallocation) in [
            (FlowControl::Wormhole, VcReallocation::Atomic),
            (FlowControl::VirtualCutThrough, VcReallocation::NonAtomic),
        ] {
            let config = EngineConfig {
                virtual_channels: 3,
                flow_control,
                vc_reallocation,
                ..EngineConfig::default()
            };
            for load in [0.1, 1.0] {
                let routing = Duato::new(grid, 3).unwrap();
                let (counters, delivered) =
                    run_uniform(&network, routing, config.clone(), 6, load, 600);
                assert_eq!(delivered.packets, counters.packets_offered);
            }
        }
    }
}

/// Who came over the escape may take any channel again, or the escape's alone.
#[test]
fn after_the_escape_a_packet_returns_or_stays() {
    let network = grid(&[4, 4], Ends::Open);
    let grid = network.grid().unwrap();
    let into = (0..network.channels()).map(ChannelId);
    let into = into.filter(|&channel| network.target(channel) == NodeId(5));
    for channel in into {
        for (after, vc, vcs) in [
            (AfterEscape::Return, 0, &[0b1110, 0b1110, 1][..]),
            (AfterEscape::Return, 1, &[0b1110, 0b1110, 1]),
            (AfterEscape::Stay, 0, &[1]),
            (AfterEscape::Stay, 1, &[0b1110, 0b1110, 1]),
        ] {
            let routing = Duato::going_on(grid, 4, after).unwrap();
            let mut candidates = Candidates::default();
            let head = Head {
                node: NodeId(5),
                arrived: Some((channel, vc)),
                destination: NodeId(15),
                state: 0,
            };
            routing.route(head, &mut candidates);
            let found: Vec<u64> = candidates.as_slice().iter().map(|c| c.vcs).collect();
            assert_eq!(found, vcs, "{after:?}, {vc}");
            // Behind what is adaptive, whether there is any or not.
            assert_eq!(candidates.as_slice().last().unwrap().priority, 1);
        }
    }
}
