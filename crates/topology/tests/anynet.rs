//! `anynet` files of BookSim2.

use flitsim_topology::file::{Source, parse_csv};
use flitsim_topology::{ChannelId, FileError, Network};

fn read(text: &str) -> Result<Network, FileError> {
    parse_csv(Source { file: "a", text }, None)
}

#[test]
fn links_go_both_ways_and_each_way_has_its_cycles() {
    let text = "router 0 node 0 node 1 router 1 4\nnode 2 router 1\n\nrouter 2 router 1 node 3\n";
    let network = read(text).unwrap();
    assert_eq!(
        (network.terminals(), network.nodes(), network.channels()),
        (4, 7, 12)
    );
    // One cycle is the router's.
    let delays = network.annotations().unwrap().delay_cycles.as_ref();
    for (channel, &delay) in (0..).map(ChannelId).zip(delays.unwrap()) {
        let ends = [network.source(channel), network.target(channel)];
        let is_slow = ends.map(|node| network.name(node)) == ["router 0", "router 1"];
        assert_eq!(delay, if is_slow { 3 } else { 0 }, "{channel}");
    }
}

#[test]
fn other_tables_are_none() {
    for header in ["from,to\n", "node,kind\n"] {
        let error = read(header).unwrap_err().to_string();
        assert!(!error.contains("router"), "{error}");
    }
}

#[test]
fn what_is_wrong_is_told_at_its_place() {
    for (text, wanted) in [
        ("router 0 node 0 wire 1", "a:1:17"),
        ("router 0 node", "a:1:10"),
        ("node 0 node 1", "no node is linked to another"),
        ("router 0 node 0 3", "behind two routers"),
        ("router 0 router 1 0", "from 1 on"),
        ("router 0 node 0\nrouter 1 node 0", "a:2:10"),
        ("router 0 node 1 router 1 node 2", "none left out"),
    ] {
        let said = read(text).unwrap_err().to_string();
        assert!(said.contains(wanted), "{text}: {said}");
    }
}
