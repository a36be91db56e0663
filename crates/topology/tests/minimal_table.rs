//! Shortest paths of any network by a table: as breadth-first search finds them, and as the closed
//! forms say where there are any.

use crate::common;

use flitsim_topology::file::{Source, parse_csv};
use flitsim_topology::properties::distances;
use flitsim_topology::{
    Ends, ExpressCube, ExpressParameters, FatTree, Grid, MinimalPaths, MinimalTable,
    MinimalTableError, Network, NodeId, Paths, SparseTorus, Star, Thinning,
};

fn network(text: &str) -> Network {
    let file = "net.csv";
    parse_csv(Source { file, text }, None).unwrap()
}

fn with_closed_forms() -> Vec<Network> {
    let manhattan = SparseTorus::new(4, 2, Thinning::Manhattan).unwrap();
    vec![
        Star::new(4).unwrap().into_network(),
        Grid::hypercube(4).unwrap().into_network(),
        Grid::new(&[3, 4], Ends::Ring).unwrap().into_network(),
        Grid::new(&[4, 3], Ends::DirectedRing)
            .unwrap()
            .into_network(),
        manhattan.into_network(),
    ]
}

#[test]
fn the_table_is_the_closed_form_where_there_is_one() {
    for network in with_closed_forms() {
        let table = MinimalTable::new(&network).unwrap();
        common::check_minimal_paths(&network, &table);
        let closed = Paths::of(&network).unwrap();
        assert!(!matches!(closed, Paths::Table(_)));
        common::check_minimal_paths(&network, &closed);
        assert_eq!(table.diameter(), closed.diameter());
        assert_eq!(table.is_bipartite(), closed.is_bipartite());
        if table.is_bipartite() {
            let nodes = || (0..network.nodes()).map(NodeId);
            let differing = nodes().filter(|&n| table.colour(n) != closed.colour(n));
            let differing = differing.count() as u32;
            assert!(differing == 0 || differing == network.nodes());
        }
    }
}

#[test]
fn switches_are_on_the_way_and_never_the_end_of_it() {
    let cube = ExpressCube::new(ExpressParameters::new(9, 1, 2, 2)).unwrap();
    let butterfly = FatTree::butterfly(16).unwrap().into_network();
    let pyramid = FatTree::pyramid(16).unwrap().into_network();
    for network in [&butterfly, &pyramid, &cube.into_network()] {
        let paths = Paths::of(network).unwrap();
        assert!(matches!(paths, Paths::Table(_)));
        let expected = distances(network).unwrap();
        assert_eq!(paths.diameter(), expected.diameter);
        for to in (0..network.terminals()).map(NodeId) {
            let distances = flitsim_topology::properties::distances_to(network, to);
            for from in (0..network.nodes()).map(NodeId) {
                assert_eq!(paths.distance(from, to), distances[from.index()]);
                let mut found = Vec::new();
                paths.for_each_minimal_channel(from, to, |c| found.push(c));
                let closer: Vec<_> = network
                    .outgoing(from)
                    .map(flitsim_topology::ChannelId)
                    .filter(|&c| {
                        distances[network.target(c).index()] + 1 == distances[from.index()]
                    })
                    .collect();
                assert_eq!(found, closer);
            }
        }
    }
    // Levels alternate in colour; in the pyramid two neighbours have one parent.
    assert!(MinimalTable::new(&butterfly).unwrap().is_bipartite());
    assert!(!MinimalTable::new(&pyramid).unwrap().is_bipartite());
}

#[test]
fn channels_side_by_side_are_all_on_the_way() {
    let network = network("from,to,parallel\na,b,0\na,b,1\nb,c,0\nc,a,0\n");
    let table = MinimalTable::new(&network).unwrap();
    let mut found = Vec::new();
    table.for_each_minimal_channel(NodeId(0), NodeId(2), |c| found.push(c.0));
    assert_eq!(found, [0, 1]);
    assert_eq!((table.diameter(), table.is_bipartite()), (2, false));
    table.for_each_minimal_channel(NodeId(1), NodeId(1), |_| panic!("it has arrived"));
}

#[test]
fn tables_beyond_the_limit_are_refused_before_they_are_made() {
    let large = Grid::hypercube(14).unwrap().into_network();
    let error = MinimalTable::new(&large).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a table of distances would take 512 MiB for 16384 terminals and 16384 nodes; the limit \
         is 256 MiB"
    );
    assert!(matches!(error, MinimalTableError::TooLarge { .. }));
}

#[test]
fn distances_beyond_two_bytes_are_refused() {
    let mut text = String::from("from,to\n");
    let last = 65_536;
    for node in 0..last {
        text += &format!("{node},{}\n{},{node}\n", node + 1, node + 1);
    }
    text += "\nnode,kind\n";
    for node in 0..=last {
        let kind = if node % last == 0 {
            "terminal"
        } else {
            "switch"
        };
        text += &format!("{node},{kind}\n");
    }
    let network = network(&text);
    assert_eq!(network.terminals(), 2);
    let error = MinimalTable::new(&network).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a node is 65535 hops or more from `0`: a table of distances holds fewer"
    );
}
