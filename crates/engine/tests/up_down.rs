//! Up*/down*: every pair is joined by the shortest path that the rule allows, whatever the network,
//! and the dependencies between channels have an order.

use crate::acyclic;
use crate::common::any::{self, Any, erased};
use crate::common::loaded::Delivered;

use acyclic::{is_acyclic, links};
use flitsim_engine::random::{Purpose, below, draw};
use flitsim_engine::routing::{AdaptiveUpDown, UpDown};
use flitsim_engine::{
    Candidates, ConfigError, Engine, EngineConfig, Head, NewPacket, Packet, Routing,
};
use flitsim_topology::file::{Source, parse_csv, parse_graphml, write_csv, write_graphml};
use flitsim_topology::properties::distances_from;
use flitsim_topology::{ChannelId, Ends, Grid, Network, NodeId};
use proptest::prelude::*;
use std::collections::{BTreeSet, VecDeque};

fn network(text: &str) -> Network {
    let file = "net.csv";
    parse_csv(Source { file, text }, None).unwrap()
}

/// The fewest hops from `source` to every node by legal paths, searched forward over (node, gone
/// down) with no table: the rule as the paper says it.
fn legal_distances(network: &Network, root: NodeId, source: NodeId) -> Vec<Option<u32>> {
    let level = distances_from(network, root);
    let place = |node: NodeId| (level[node.index()], node.0);
    let mut least = vec![[None; 2]; network.nodes() as usize];
    least[source.index()][0] = Some(0);
    let mut queue = VecDeque::from([(source, 0, 0u32)]);
    while let Some((node, phase, hops)) = queue.pop_front() {
        for channel in network.outgoing(node).map(ChannelId) {
            let target = network.target(channel);
            let down = usize::from(place(target) > place(node));
            if phase == 1 && down == 0 || least[target.index()][down].is_some() {
                continue;
            }
            least[target.index()][down] = Some(hops + 1);
            queue.push_back((target, down, hops + 1));
        }
    }
    let best = |[up, down]: [Option<u32>; 2]| up.into_iter().chain(down).min();
    least.into_iter().map(best).collect()
}

/// The numbers of hops of all ways that `routing` allows from `source` to `destination`.
fn hops(
    network: &Network,
    routing: &impl Routing,
    source: NodeId,
    destination: NodeId,
) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut here = BTreeSet::from([(source, None)]);
    let mut candidates = Candidates::default();
    for hops in 0..=2 * network.nodes() {
        for (node, arrived) in std::mem::take(&mut here) {
            if node == destination {
                found.insert(hops);
                continue;
            }
            let head = Head {
                node,
                arrived,
                destination,
                state: 0,
            };
            candidates.clear();
            routing.route(head, &mut candidates);
            let all = candidates.as_slice();
            assert!(!all.is_empty(), "no way on: {head:?}");
            here.extend(
                all.iter()
                    .map(|c| (network.target(c.channel), Some((c.channel, 0)))),
            );
        }
    }
    assert!(
        here.is_empty(),
        "no end in sight from {source} to {destination}"
    );
    found
}

fn check(network: &Network, root: Option<NodeId>) {
    let fixed = UpDown::new(network, 1, root).unwrap();
    let adaptive = AdaptiveUpDown::new(network, 2, root).unwrap();
    assert_eq!(adaptive.root(), fixed.root());
    for source in (0..network.terminals()).map(NodeId) {
        let legal = legal_distances(network, fixed.root(), source);
        for destination in (0..network.terminals()).map(NodeId) {
            let expected = BTreeSet::from([legal[destination.index()].unwrap()]);
            assert_eq!(hops(network, &fixed, source, destination), expected);
            assert_eq!(hops(network, &adaptive, source, destination), expected);
        }
    }
    assert!(is_acyclic(network, &fixed, 1));
    assert!(is_acyclic(network, &adaptive, 2));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 128,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_pair_is_joined_by_the_shortest_legal_path_and_no_cycle_closes(
        parents in proptest::collection::vec(0usize..64, 1..14),
        more in proptest::collection::vec((0usize..64, 0usize..64), 0..16),
        terminals in any::<u64>(),
        root in proptest::option::of(0u32..64),
    ) {
        let network = network(&links(&parents, &more, terminals));
        check(&network, root.map(|root| NodeId(root % network.nodes())));
    }
}

#[test]
fn families_with_links_take_it_too() {
    let lists: [&[u32]; 4] = [&[6], &[4, 4], &[3, 2, 4], &[2, 2, 2, 2]];
    for radices in lists {
        for ends in [Ends::Open, Ends::Ring] {
            let network = Grid::new(radices, ends).unwrap().into_network();
            check(&network, None);
            check(&network, Some(NodeId(network.nodes() - 1)));
        }
    }
}

#[test]
fn the_root_is_the_centre_unless_it_is_named() {
    let line = network("from,to\na,b\nb,a\nb,c\nc,b\nc,d\nd,c\nd,e\ne,d\n");
    let routing = UpDown::new(&line, 1, None).unwrap();
    assert_eq!(line.name(routing.root()), "c");
    assert_eq!(routing.level(NodeId(0)), 2);
    let down = |channel| routing.is_down(ChannelId(channel));
    assert!(!down(0), "a to b, towards the centre");
    assert!(down(1), "b to a");
    let named = UpDown::new(&line, 1, line.node_names().find("e")).unwrap();
    assert_eq!(named.level(NodeId(0)), 4);
    // Of equal centres the one with the least sum of distances, then the lowest identifier.
    let square = Grid::uniform(2, 2, Ends::Open).unwrap().into_network();
    assert_eq!(UpDown::new(&square, 1, None).unwrap().root(), NodeId(0));
}

#[test]
fn networks_and_roots_that_do_not_suit_are_refused() {
    let ring = network("from,to\na,b\nb,c\nc,b\nc,a\nb,a\n");
    let error = UpDown::new(&ring, 1, None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "up-down needs links, a channel each way: there is a channel from `c` to `a`, and none back"
    );
    assert_eq!(AdaptiveUpDown::new(&ring, 1, None).unwrap_err(), error);
    let directed = Grid::uniform(3, 2, Ends::DirectedRing)
        .unwrap()
        .into_network();
    let error = UpDown::new(&directed, 1, None).unwrap_err();
    assert!(matches!(error, ConfigError::Unpaired { .. }));

    let mesh = Grid::uniform(3, 2, Ends::Open).unwrap().into_network();
    for vcs in [0, 65] {
        let error = UpDown::new(&mesh, vcs, None).unwrap_err();
        assert!(matches!(error, ConfigError::OutOfRange { .. }));
    }
    let error = UpDown::new(&mesh, 1, Some(NodeId(9))).unwrap_err();
    assert_eq!(error.to_string(), "root is 9; it must be from 0 to 8");

    let large = Grid::hypercube(14).unwrap().into_network();
    let error = UpDown::new(&large, 1, None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "up-down would need tables of 1024 MiB for 16384 terminals and 16384 nodes; the limit is \
         512 MiB"
    );
}

/// Uniform traffic of packets of four flits at `load` flits a terminal a cycle, then a drain.
fn simulate<R: Routing>(network: &Network, routing: R, vcs: u32, load: f64) -> Vec<(u64, Packet)> {
    erased!(routing: R => simulate_any(network, routing, vcs, load))
}

fn simulate_any(
    network: &Network,
    routing: impl Routing,
    vcs: u32,
    load: f64,
) -> Vec<(u64, Packet)> {
    let config = EngineConfig {
        virtual_channels: vcs,
        injection_vcs: vcs,
        ..EngineConfig::default()
    };
    let mut engine = Engine::new(network, routing, config, 7, Delivered::default()).unwrap();
    let threshold = (load / 4.0 * 2f64.powi(64)) as u64;
    while engine.cycle() < 3_000 {
        for node in 0..network.terminals() {
            let word = draw(3, Purpose::Route, node, engine.cycle(), 0);
            if word < threshold {
                let other = draw(4, Purpose::Route, node, engine.cycle(), 0);
                engine.offer(NewPacket {
                    source: NodeId(node),
                    destination: NodeId(below(other, network.terminals())),
                    flits: 4,
                    entropy: other.rotate_left(32),
                });
            }
        }
        engine.step();
        if engine.cycle().is_multiple_of(100) {
            engine.check_invariants();
        }
    }
    for _ in 0..200_000 {
        assert!(!engine.is_frozen(), "a deadlock");
        if engine.is_idle() {
            break;
        }
        engine.step();
    }
    assert!(engine.is_idle(), "it does not drain");
    engine.check_invariants();
    let each = engine.probe().each.iter();
    each.map(|&(arrived, packet, _)| (arrived, packet))
        .collect()
}

/// Twelve nodes, of which eight are terminals, in two meshed clusters with three links between.
fn clusters() -> Network {
    let parents = [0, 1, 2, 0, 4, 5, 0, 7, 8, 9, 10];
    let more = [
        (1, 4),
        (2, 6),
        (3, 5),
        (7, 10),
        (8, 11),
        (3, 9),
        (6, 11),
        (1, 4),
    ];
    network(&links(&parents, &more, 0b1101_1010_1101))
}

#[test]
fn it_runs_with_one_virtual_channel_also_beyond_saturation() {
    let network = clusters();
    let fixed = |vcs| UpDown::new(&network, vcs, None).unwrap();
    let adaptive = |vcs| AdaptiveUpDown::new(&network, vcs, None).unwrap();
    let share = |_: NodeId, add: &mut dyn FnMut(NodeId, f64)| {
        let terminals = network.terminals();
        (0..terminals).for_each(|to| add(NodeId(to), 1.0 / f64::from(terminals)));
    };
    let config = EngineConfig::default();
    let expected = any::expected(&network, &fixed(4), &config, share).unwrap();
    let mean_legal: f64 = (0..network.terminals())
        .flat_map(|source| {
            let legal = legal_distances(&network, fixed(1).root(), NodeId(source));
            (0..network.terminals() as usize).map(move |to| f64::from(legal[to].unwrap()))
        })
        .sum::<f64>()
        / f64::from(network.terminals()).powi(2);
    assert!((expected.hops_mean - mean_legal).abs() < 1e-9);
    assert!(expected.ideal_throughput > 0.0 && expected.ideal_throughput <= 1.0);
    let adapted = any::expected(&network, &adaptive(4), &config, share).unwrap();
    assert!((adapted.hops_mean - mean_legal).abs() < 1e-9);

    for (vcs, load) in [(1, 0.1), (4, 0.1), (1, 1.0), (2, 1.0)] {
        for log in [
            simulate(&network, fixed(vcs), vcs, load),
            simulate(&network, adaptive(vcs), vcs, load),
        ] {
            let hops: f64 = log.iter().map(|(_, packet)| f64::from(packet.hops)).sum();
            let mean = hops / log.len() as f64;
            assert!((mean / mean_legal - 1.0).abs() < 0.1, "{mean} {mean_legal}");
        }
    }
}

#[test]
fn a_network_that_went_through_a_file_gives_the_same_simulation() {
    let mesh = Grid::new(&[4, 3], Ends::Open).unwrap().into_network();
    for network in [mesh, clusters()] {
        let mut list = Vec::new();
        write_csv(&network, &mut list).unwrap();
        let list = String::from_utf8(list).unwrap();
        let mut document = Vec::new();
        write_graphml(&network, &mut document).unwrap();
        let document = String::from_utf8(document).unwrap();
        let file = "net";
        let again = parse_csv(Source { file, text: &list }, None).unwrap();
        let once_more = parse_graphml(Source {
            file,
            text: &document,
        });
        let run = |n: &Network| simulate(n, AdaptiveUpDown::new(n, 2, None).unwrap(), 2, 0.3);
        let log = run(&network);
        assert!(log.len() > 100);
        assert_eq!(run(&again), log);
        assert_eq!(run(&once_more.unwrap()), log);
    }
}
