//! Source routing by a list of routes from a file: what it means, and what is refused and where.

use crate::acyclic;
use crate::common::any::Any;
use crate::common::loaded::Delivered;

use acyclic::{is_acyclic, links};
use flitsim_engine::Routing;
use flitsim_engine::routing::{SourceRoutes, TableError};
use flitsim_engine::{Candidates, ConfigError, Engine, EngineConfig, Head, NewPacket};
use flitsim_topology::file::{Source, parse_csv};
use flitsim_topology::properties::distances_to;
use flitsim_topology::{ChannelId, Ends, Grid, Network, NodeId};
use proptest::prelude::*;

fn network(text: &str) -> Network {
    let file = "net.csv";
    parse_csv(Source { file, text }, None).unwrap()
}

fn routes(network: &Network, text: &str, vcs: u32) -> Result<SourceRoutes, TableError> {
    let file = "routes.csv";
    SourceRoutes::parse(network, Source { file, text }, vcs)
}

/// The channels and virtual channels of a route, as the engine would go.
fn walk(network: &Network, routing: &SourceRoutes, ends: (NodeId, NodeId)) -> Vec<(u32, u64)> {
    let (mut node, destination) = ends;
    let mut state = routing.initial(node, destination, 0);
    let mut arrived = None;
    let mut found = Vec::new();
    let mut candidates = Candidates::default();
    while node != destination {
        let head = Head {
            node,
            arrived,
            destination,
            state,
        };
        candidates.clear();
        routing.route(head, &mut candidates);
        let [candidate] = *candidates.as_slice() else {
            panic!("not one way on");
        };
        assert_eq!(network.source(candidate.channel), node);
        let vc = candidate.vcs.trailing_zeros();
        state = routing.advance(head, candidate.channel, vc);
        node = network.target(candidate.channel);
        arrived = Some((candidate.channel, vc));
        found.push((candidate.channel.0, candidate.vcs));
    }
    found
}

/// One route a pair, over the lowest channel that leads closer, or the highest where `odd` says so:
/// routes that no table by destination has. Hop by hop over all pairs, so that routes are mixed.
fn shortest(network: &Network, odd: impl Fn(NodeId, NodeId) -> bool) -> (String, Vec<Vec<u32>>) {
    let terminals = || (0..network.terminals()).map(NodeId);
    let mut paths = Vec::new();
    for source in terminals() {
        for destination in terminals() {
            let distance = distances_to(network, destination);
            let (mut at, mut path) = (source, Vec::new());
            while at != destination {
                let closer = |&channel: &ChannelId| {
                    distance[network.target(channel).index()] < distance[at.index()]
                };
                let mut closer = network.outgoing(at).map(ChannelId).filter(closer);
                let channel = match odd(source, destination) {
                    true => closer.next_back(),
                    false => closer.next(),
                };
                path.push(channel.unwrap());
                at = network.target(channel.unwrap());
            }
            paths.push((source, destination, path));
        }
    }
    let longest = paths.iter().map(|(.., path)| path.len()).max().unwrap_or(0);
    let mut text = String::from("source,destination,next,parallel\n");
    for hop in 0..longest {
        for (source, destination, path) in &paths {
            let Some(&channel) = path.get(hop) else {
                continue;
            };
            let (from, to) = (network.source(channel), network.target(channel));
            let before = network.outgoing(from).start..channel.0;
            let parallel = before.filter(|&c| network.target(ChannelId(c)) == to);
            let [source, destination, next] = [*source, *destination, to].map(|n| network.name(n));
            text += &format!("{source},{destination},{next},{}\n", parallel.count());
        }
    }
    let paths = paths.into_iter().map(|(.., path)| path);
    let paths = paths.map(|path| path.into_iter().map(|c| c.0).collect());
    (text, paths.collect())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn packets_take_the_routes_of_the_file(
        parents in proptest::collection::vec(0usize..64, 1..12),
        more in proptest::collection::vec((0usize..64, 0usize..64), 0..12),
        terminals in any::<u64>(),
        odd in any::<u64>(),
    ) {
        let network = network(&links(&parents, &more, terminals));
        let is_odd = |a: NodeId, b: NodeId| odd >> ((a.0 * 7 + b.0) % 64) & 1 == 1;
        let (text, expected) = shortest(&network, is_odd);
        let routing = routes(&network, &text, 2).unwrap();
        let terminals = || (0..network.terminals()).map(NodeId);
        let pairs = terminals().flat_map(|a| terminals().map(move |b| (a, b)));
        for (ends, expected) in pairs.zip(expected) {
            let found = walk(&network, &routing, ends);
            prop_assert!(found.iter().all(|&(_, vcs)| vcs == 0b11));
            let channels: Vec<u32> = found.into_iter().map(|(channel, _)| channel).collect();
            prop_assert_eq!(channels, expected);
        }
    }
}

const SQUARE: &str = "from,to,parallel\na,b,0\na,b,1\nb,a,0\nb,c,0\nc,b,0\nc,a,0\na,c,0\n";

/// A detour that comes by its source again, on a virtual channel of its own at each hop: no table by
/// node and destination has it.
#[test]
fn a_route_may_come_by_a_node_twice() {
    let network = network(SQUARE);
    let text = "source,destination,next,vc,parallel\n\
                a,b,c,2,\na,c,c,,\na,b,a,1,\nb,a,a,,\nb,c,c,,\na,b,b,0,1\nc,a,a,,\nc,b,b,1,\n";
    let routing = routes(&network, text, 3).unwrap();
    let [a, b, c] = ["a", "b", "c"].map(|name| network.node_names().find(name).unwrap());
    let channel = |from, to, parallel| {
        let outgoing = network.outgoing(from);
        let mut found = outgoing.filter(|&id| network.target(ChannelId(id)) == to);
        found.nth(parallel).unwrap()
    };
    let detour = [
        (channel(a, c, 0), 0b100),
        (channel(c, a, 0), 0b010),
        (channel(a, b, 1), 0b001),
    ];
    assert_eq!(walk(&network, &routing, (a, b)), detour);
    assert_eq!(
        walk(&network, &routing, (c, b)),
        [(channel(c, b, 0), 0b010)]
    );
    assert_eq!(walk(&network, &routing, (b, b)), []);

    let config = EngineConfig {
        virtual_channels: 3,
        ..EngineConfig::default()
    };
    let relation = Any::<true>::new(&routing);
    let mut engine = Engine::new(&network, relation, config, 1, Delivered::default()).unwrap();
    engine.offer(NewPacket {
        source: a,
        destination: b,
        flits: 5,
        entropy: 0,
    });
    while !engine.is_idle() {
        engine.step();
        engine.check_invariants();
    }
    assert_eq!((engine.cycle(), engine.probe().hops), (3 + 5, 3));
}

#[test]
fn dependencies_are_those_of_the_routes() {
    let ring = Grid::uniform(4, 1, Ends::Ring).unwrap().into_network();
    // Two hops: upward from 0 and 1, downward from 2 and 3; no packet turns.
    let up = |from: NodeId, to: NodeId| (from.0 + 1) % 4 == to.0 || from.0 + 2 == to.0;
    let mut text = String::from("source,destination,next,vc\n");
    for from in 0..4u32 {
        for to in (0..4).filter(|&to| to != from) {
            let step = if up(NodeId(from), NodeId(to)) { 1 } else { 3 };
            let mut at = from;
            while at != to {
                at = (at + step) % 4;
                text += &format!("{from},{to},{at},0\n");
            }
        }
    }
    let routing = routes(&ring, &text, 1).unwrap();
    assert!(is_acyclic(&ring, &routing, 1));
    // All of them upward: a cycle for the verifier to refuse.
    let one_way = Grid::uniform(4, 1, Ends::DirectedRing)
        .unwrap()
        .into_network();
    let (text, _) = shortest(&one_way, |_, _| false);
    let routing = routes(&one_way, &text, 1).unwrap();
    assert!(!is_acyclic(&one_way, &routing, 1));
}

const PAIR: &str = "from,to,parallel\na,s,0\ns,a,0\nb,s,0\ns,b,0\ns,b,1\n\nnode,kind\na,terminal\n\
                    b,terminal\ns,switch\n";

#[test]
fn lists_that_do_not_hold_are_refused_with_the_place() {
    const HEADER: &str = "source,destination,next\n";
    let cases = [
        (
            "",
            "routes.csv: the file is empty; expected the header \
             `source,destination,next[,vc,parallel]`",
        ),
        (
            "source,destination,via\n",
            "routes.csv:1:20: the list of routes has no column `via`; its columns are source, \
             destination, next, vc, parallel",
        ),
        ("a,c,s\n", "routes.csv:2:3: there is no node `c`"),
        (
            "s,b,b\n",
            "routes.csv:2:1: `s` is a switch: a source has a terminal",
        ),
        (
            "a,s,s\n",
            "routes.csv:2:3: `s` is a switch: a destination has a terminal",
        ),
        (
            "a,a,s\n",
            "routes.csv:2:1: a packet for `a` ends there: it needs no row",
        ),
        (
            "a,b,b\n",
            "routes.csv:2:5: no channel leads from `a` to `b`; channels from there lead to `s`",
        ),
        (
            "a,b,s\na,b,s\n",
            "routes.csv:3:5: no channel leads from `s` to `s`; channels from there lead to `a`, `b`",
        ),
        (
            "source,destination,next,parallel\na,b,s,\na,b,b,2\n",
            "routes.csv:3:7: channel 2 from `s` to `b`: there are 2, counted from 0",
        ),
        (
            "source,destination,next,vc\na,b,s,4\n",
            "routes.csv:2:7: virtual channel 4: there are 4, counted from 0",
        ),
        (
            "source,destination,next,vc\na,b,s,x\n",
            "routes.csv:2:7: `x` is no vc: expected a whole number, counted from 0",
        ),
        (
            "a,b,s\na,b,b\nb,a,s\na,b,s\n",
            "routes.csv:5:5: the route from `a` to `b` has arrived in line 3: it ends there",
        ),
        (
            "a,b,s\nb,a,s\na,b,b\n",
            "routes.csv:3:1: the route from `b` to `a` ends at `s`",
        ),
        ("a,b,s\na,b,b\n", "routes.csv: no route from `b` to `a`"),
    ];
    let network = network(PAIR);
    for (text, message) in cases {
        let header = if text.is_empty() || text.starts_with("source") {
            ""
        } else {
            HEADER
        };
        let error = routes(&network, &format!("{header}{text}"), 4).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    let range = |vcs| {
        let error = routes(&network, "", vcs).unwrap_err();
        matches!(error, TableError::Config(ConfigError::OutOfRange { .. }))
    };
    assert!(range(0) && range(65));
    let large = Grid::hypercube(14).unwrap().into_network();
    let error = routes(&large, "", 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "source would need tables of 1024 MiB for 16384 terminals and 16384 nodes; the limit is 256 \
         MiB"
    );
}

#[test]
fn the_engine_runs_what_the_list_says_under_load() {
    let network = Grid::uniform(4, 2, Ends::Open).unwrap().into_network();
    let (text, _) = shortest(&network, |_, _| false);
    let routing = routes(&network, &text, 2).unwrap();
    assert!(is_acyclic(&network, &routing, 2));
    let config = EngineConfig {
        virtual_channels: 2,
        ..EngineConfig::default()
    };
    let relation = Any::<true>::new(&routing);
    let mut engine = Engine::new(&network, relation, config, 1, Delivered::default()).unwrap();
    for round in 0..40 {
        for source in 0..16 {
            engine.offer(NewPacket {
                source: NodeId(source),
                destination: NodeId((source * 5 + round * 3 + 1) % 16),
                flits: 1 + round % 7,
                entropy: 0,
            });
        }
        engine.step();
    }
    while !engine.is_idle() {
        engine.step();
        assert!(!engine.is_frozen());
    }
    engine.check_invariants();
}
