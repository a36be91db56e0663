//! Routing by a table from a file: what it means, and what is refused and where.

use crate::acyclic;
use crate::common::any::Any;

use crate::common::loaded::Delivered;
use acyclic::{is_acyclic, links};
use flitsim_engine::routing::{Table, TableError};
use flitsim_engine::{Candidate, Candidates, Engine, EngineConfig, Head, NewPacket};
use flitsim_engine::{ConfigError, Routing};
use flitsim_topology::file::{Source, parse_csv};
use flitsim_topology::properties::distances_to;
use flitsim_topology::{ChannelId, Ends, Grid, Network, NodeId};
use proptest::prelude::*;

fn network(text: &str) -> Network {
    let file = "net.csv";
    parse_csv(Source { file, text }, None).unwrap()
}

fn table<'n>(network: &'n Network, text: &str, vcs: u32) -> Result<Table<'n>, TableError> {
    let file = "routes.csv";
    Table::parse(network, Source { file, text }, vcs)
}

/// Shortest paths: at each node the lowest channel that leads closer.
fn shortest(network: &Network) -> String {
    let mut text = String::from("at,destination,next\n");
    for destination in (0..network.terminals()).map(NodeId) {
        let distance = distances_to(network, destination);
        for at in (0..network.nodes())
            .map(NodeId)
            .filter(|&at| at != destination)
        {
            let closer = |&channel: &ChannelId| {
                distance[network.target(channel).index()] < distance[at.index()]
            };
            let channel = network.outgoing(at).map(ChannelId).find(closer).unwrap();
            let next = network.name(network.target(channel));
            let (at, destination) = (network.name(at), network.name(destination));
            text += &format!("{at},{destination},{next}\n");
        }
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_network_takes_its_shortest_paths_and_a_tree_has_no_cycle(
        parents in proptest::collection::vec(0usize..64, 1..12),
        more in proptest::collection::vec((0usize..64, 0usize..64), 0..12),
        terminals in any::<u64>(),
    ) {
        let tree = network(&links(&parents, &[], terminals));
        let text = shortest(&tree);
        let routing = table(&tree, &text, 1).unwrap();
        prop_assert!(is_acyclic(&tree, &routing, 1));
        let network = network(&links(&parents, &more, terminals));
        let text = shortest(&network);
        let routing = table(&network, &text, 1).unwrap();
        let mut candidates = Candidates::default();
        for destination in (0..network.terminals()).map(NodeId) {
            let distance = distances_to(&network, destination);
            for mut node in (0..network.terminals()).map(NodeId) {
                let mut hops = 0;
                let expected = distance[node.index()];
                while node != destination {
                    candidates.clear();
                    let head = Head { node, arrived: None, destination, state: 0 };
                    routing.route(head, &mut candidates);
                    let [candidate] = candidates.as_slice() else { panic!("not one way on") };
                    node = network.target(candidate.channel);
                    hops += 1;
                }
                prop_assert_eq!(hops, expected);
            }
        }
    }
}

#[test]
fn a_ring_taken_one_way_round_has_a_cycle_and_is_for_the_verifier_to_refuse() {
    let ring = Grid::uniform(4, 1, Ends::DirectedRing)
        .unwrap()
        .into_network();
    let text = shortest(&ring);
    let routing = table(&ring, &text, 1).unwrap();
    assert!(!is_acyclic(&ring, &routing, 1));
}

const PAIR: &str = "from,to,parallel\na,s,0\ns,a,0\nb,s,0\ns,b,0\ns,b,1\n\nnode,kind\na,terminal\n\
                    b,terminal\ns,switch\n";

#[test]
fn virtual_channels_and_parallel_channels_are_those_of_the_row() {
    let network = network(PAIR);
    let text =
        "# a comment\nat,destination,next,parallel,vc\na,b,s,,1\ns,b,b,1,\nb,a,s,0,0\ns,a,a,,";
    let routing = table(&network, text, 3).unwrap();
    let route = |node, destination| {
        let mut candidates = Candidates::default();
        let head = Head {
            node: NodeId(node),
            arrived: None,
            destination: NodeId(destination),
            state: 0,
        };
        routing.route(head, &mut candidates);
        let [Candidate { channel, vcs, .. }] = *candidates.as_slice() else {
            panic!("not one candidate");
        };
        (channel.0, vcs)
    };
    // Channels: a→s; b→s; s→a, s→b, s→b.
    assert_eq!(route(0, 1), (0, 0b010));
    assert_eq!(route(2, 1), (4, 0b111));
    assert_eq!(route(1, 0), (1, 0b001));
    assert_eq!(route(2, 0), (2, 0b111));

    let config = EngineConfig {
        virtual_channels: 3,
        ..EngineConfig::default()
    };
    let relation = Any::<true>::new(&routing);
    let mut engine = Engine::new(&network, relation, config, 1, Delivered::default()).unwrap();
    engine.offer(NewPacket {
        source: NodeId(0),
        destination: NodeId(1),
        flits: 5,
        entropy: 0,
    });
    while !engine.is_idle() {
        engine.step();
    }
    assert_eq!(engine.cycle(), 2 + 5);
}

#[test]
fn tables_that_do_not_hold_are_refused_with_the_place() {
    let cases = [
        (
            "",
            "routes.csv: the file is empty; expected the header `at,destination,next[,vc,parallel]`",
        ),
        (
            "at,destination,nxt\n",
            "routes.csv:1:16: the routing table has no column `nxt` (did you \
          mean `next`?); its columns are at, destination, next, vc, parallel",
        ),
        (
            "at,destination,next\na,c,s\n",
            "routes.csv:2:3: there is no node `c`",
        ),
        (
            "at,destination,next\na,s,s\n",
            "routes.csv:2:3: `s` is a switch: a destination has a \
          terminal",
        ),
        (
            "at,destination,next\na,a,s\n",
            "routes.csv:2:1: a packet for `a` ends there: it needs no \
          row",
        ),
        (
            "at,destination,next\na,b,b\n",
            "routes.csv:2:5: no channel leads from `a` to `b`; channels from there lead to `s`",
        ),
        (
            "at,destination,next,parallel\ns,b,b,2\n",
            "routes.csv:2:7: channel 2 from `s` to `b`: there are 2, counted from 0",
        ),
        (
            "at,destination,next,vc\na,b,s,4\n",
            "routes.csv:2:7: virtual channel 4: there are 4, \
          counted from 0",
        ),
        (
            "at,destination,next,vc\na,b,s,x\n",
            "routes.csv:2:7: `x` is no vc: expected a whole \
          number, counted from 0",
        ),
        (
            "at,destination,next\na,b,s\ns,b,b\n\na,b,s\n",
            "routes.csv:5:1: a second way on at `a` \
          for `b`; the first is in line 2",
        ),
        (
            "at,destination,next\na,b,s\nb,a,s\ns,b,b\n",
            "routes.csv: no row for packets at `s` for \
          `a`, and those from `b` come there",
        ),
        (
            "at,destination,next\na,b,s\nb,a,s\ns,b,a\ns,a,a\n",
            "routes.csv: packets for `b` come \
          back to `a` and never arrive",
        ),
    ];
    let network = network(PAIR);
    for (text, message) in cases {
        assert_eq!(table(&network, text, 4).unwrap_err().to_string(), message);
    }
    let range = |vcs| {
        let error = table(&network, "", vcs).unwrap_err();
        matches!(error, TableError::Config(ConfigError::OutOfRange { .. }))
    };
    assert!(range(0) && range(65));
    let large = Grid::hypercube(15).unwrap().into_network();
    let error = table(&large, "", 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "table would need tables of 2048 MiB for 32768 terminals and 32768 nodes; the limit is 512 \
         MiB"
    );
}
