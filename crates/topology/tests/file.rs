//! Files of networks: what they mean, and that any network comes back from the file it was written
//! to.

use flitsim_topology::file::{
    Problem, Source, parse_csv, parse_graphml, read, write_channels, write_csv, write_graphml,
    write_nodes,
};
use flitsim_topology::{ChannelId, Ends, FileError, Graph, Grid, Network, NodeId};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn csv(text: &str) -> Result<Network, FileError> {
    let file = "net.csv";
    parse_csv(Source { file, text }, None)
}

fn graphml(text: &str) -> Result<Network, FileError> {
    let file = "net.graphml";
    parse_graphml(Source { file, text })
}

fn written(write: impl Fn(&Graph, &mut Vec<u8>) -> std::io::Result<()>, n: &Network) -> String {
    let mut bytes = Vec::new();
    write(n, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn assert_equal(a: &Network, b: &Network) {
    assert_eq!((a.nodes(), a.terminals()), (b.nodes(), b.terminals()));
    assert_eq!(a.channels(), b.channels());
    for id in (0..a.channels()).map(ChannelId) {
        assert_eq!(a.source(id), b.source(id));
        assert_eq!(a.target(id), b.target(id));
        assert_eq!(a.length_pitches(id), b.length_pitches(id));
    }
    for node in (0..a.nodes()).map(NodeId) {
        assert_eq!(*a.incoming(node), *b.incoming(node));
        assert_eq!(a.name(node), b.name(node));
    }
    assert_eq!(a.annotations(), b.annotations());
}

/// Writes in every form and reads again.
fn assert_comes_back(network: &Network) {
    let list = written(write_csv, network);
    assert_equal(&csv(&list).unwrap(), network);
    let (channels, nodes) = (
        written(write_channels, network),
        written(write_nodes, network),
    );
    let [channels, nodes] =
        [("c.csv", &channels), ("n.csv", &nodes)].map(|(file, text)| Source { file, text });
    assert_equal(&parse_csv(channels, Some(nodes)).unwrap(), network);
    let document = written(write_graphml, network);
    assert_equal(&graphml(&document).unwrap(), network);
    // Once more gives the same bytes.
    assert_eq!(written(write_csv, &csv(&list).unwrap()), list);
    assert_eq!(
        written(write_graphml, &graphml(&document).unwrap()),
        document
    );
}

const HOSTS: &str = "\
# Two hosts on a ring of three switches, one of its links slow.
from,to,delay,width,length
bob,s2,0,8,0.5
s2,bob,0,8,0.5

s1,s2,0,32,1
alice,s1,0,8,0.5
\"s3, the far\",s1,4,16,3.25
s1,alice,0,8,0.5
s2,\"s3, the far\",0,32,1

node,x,kind,y
s1,0,switch,1
alice,0,terminal,0
s2,2,switch,1
\"s3, the far\",-1e0,switch,2
bob,2,terminal,0
";

#[test]
fn terminals_come_first_and_channels_by_source() {
    let network = csv(HOSTS).unwrap();
    assert_eq!((network.nodes(), network.terminals()), (5, 2));
    let names: Vec<_> = (0..5).map(|n| network.name(NodeId(n))).collect();
    assert_eq!(names, ["alice", "bob", "s1", "s2", "s3, the far"]);
    let ends: Vec<_> = (0..network.channels())
        .map(ChannelId)
        .map(|c| (network.source(c).0, network.target(c).0))
        .collect();
    assert_eq!(
        ends,
        [(0, 2), (1, 3), (2, 3), (2, 0), (3, 1), (3, 4), (4, 2)]
    );
    let known = network.annotations().unwrap();
    assert_eq!(
        known.delay_cycles.as_deref(),
        Some(&[0, 0, 0, 0, 0, 0, 4][..])
    );
    assert_eq!(
        known.width_bits.as_deref(),
        Some(&[8, 8, 32, 8, 8, 32, 16][..])
    );
    assert_eq!(known.positions.as_ref().unwrap()[4], [-1.0, 2.0]);
    assert_eq!(network.length_pitches(ChannelId(6)), 3.25);
    assert_comes_back(&network);
    let names = network.node_names();
    assert_eq!(names.find("s2"), Some(NodeId(3)));
    assert_eq!(names.find("s4"), None);
    assert_eq!(names.nearest("alcie").as_deref(), Some("alice"));
}

#[test]
fn a_bare_list_has_terminals_alone_numbered_as_they_appear_or_by_their_numbers() {
    let network = csv("from,to\r\nb,a\r\na,b\r\n").unwrap();
    assert_eq!(network.terminals(), 2);
    assert_eq!(network.name(NodeId(0)), "b");
    let network = csv("\u{feff}from,to\n2,0\n0,1\n1,2\n").unwrap();
    assert!(network.annotations().is_none());
    assert_eq!(network.target(ChannelId(0)), NodeId(1));
    assert_eq!(network.node_names().find("2"), Some(NodeId(2)));
    assert_eq!(network.node_names().find("02"), None);
    assert_eq!(network.node_names().find("3"), None);
    // Not the numbers from 0 on: names.
    let network = csv("from,to\n2,1\n1,2\n").unwrap();
    assert_eq!(network.name(NodeId(0)), "2");
}

#[test]
fn every_grid_comes_back() {
    let lists: [&[u32]; 5] = [&[2], &[5], &[4, 4], &[4, 3, 2], &[2, 2, 2, 2]];
    for radices in lists {
        for ends in [Ends::Open, Ends::Ring, Ends::DirectedRing] {
            let network = Grid::new(radices, ends).unwrap().into_network();
            assert_comes_back(&network);
            // Their channel list says all.
            let list = written(write_channels, &network);
            assert_eq!(list, written(write_csv, &network));
        }
    }
}

#[test]
fn names_that_look_like_headers_comments_or_markup_come_back() {
    let text = "from,to\n\"from\",\"a \"\"b\"\"\"\n\"a \"\"b\"\"\",\"#c\"\n\"#c\",\" d, <e> & 'f'\"\n\
                \" d, <e> & 'f'\",node\nnode,\"from\"\n";
    let network = csv(text).unwrap();
    let names: Vec<_> = (0..5).map(|n| network.name(NodeId(n))).collect();
    assert_eq!(names, ["from", "a \"b\"", "#c", " d, <e> & 'f'", "node"]);
    assert_comes_back(&network);
}

#[test]
fn parallel_channels_need_numbers() {
    let network = csv("from,to,parallel\na,b,7\na,b,3\nb,a,0\n").unwrap();
    assert_eq!(network.channels(), 3);
    assert_comes_back(&network);
    let error = csv("from,to,parallel\na,b,7\na,b,7\nb,a,0\n").unwrap_err();
    assert!(matches!(error.problem, Problem::RepeatedChannel { .. }));
    let list = written(write_channels, &network);
    assert_eq!(list, "from,to,parallel\na,b,0\na,b,1\nb,a,0\n");
}

#[test]
fn graphml_of_other_tools_is_understood() {
    let network = graphml(
        r#"<?xml version="1.0"?>
<!-- as a graph library writes it -->
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="label" attr.type="string"/>
  <key id="d1" for="node" attr.name="kind" attr.type="string"><default>terminal</default></key>
  <key id="d2" for="edge" attr.name="delay" attr.type="long"><default> 2 </default></key>
  <key id="d3" for="node" yfiles.type="nodegraphics"/>
  <graph edgedefault="undirected">
    <edge source="a" target="m" id="e1"><data key="d2">5</data></edge>
    <node id="m"><data key="d1">switch</data><data key="d0">the middle</data></node>
    <node id="a"/>
    <node id="b"/>
    <edge source="m" target="b"/>
    <edge source="b" target="a" directed="true"/>
  </graph>
</graphml>"#,
    )
    .unwrap();
    assert_eq!((network.nodes(), network.terminals()), (3, 2));
    assert_eq!(network.channels(), 5);
    let delays = network.annotations().unwrap().delay_cycles.clone();
    // a→m; b→m, b→a; m→a, m→b.
    assert_eq!(delays, Some(vec![5, 2, 2, 5, 2]));
    assert_comes_back(&network);
}

#[test]
fn files_are_read_by_their_ending_or_how_they_begin() {
    let folder = std::env::temp_dir().join(format!("flitsim-files-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let network = csv(HOSTS).unwrap();
    let path = |name: &str| folder.join(name);
    std::fs::write(path("net.csv"), HOSTS).unwrap();
    std::fs::write(path("net.graphml"), written(write_graphml, &network)).unwrap();
    std::fs::write(path("net.out"), written(write_graphml, &network)).unwrap();
    std::fs::write(path("channels.csv"), written(write_channels, &network)).unwrap();
    std::fs::write(path("nodes.csv"), written(write_nodes, &network)).unwrap();
    std::fs::write(path("bad.csv"), b"from,to\na,\xff\n").unwrap();
    assert_equal(&read(&path("net.csv"), None).unwrap(), &network);
    for document in ["net.graphml", "net.out"] {
        assert_equal(&read(&path(document), None).unwrap(), &network);
    }
    let two = read(&path("channels.csv"), Some(&path("nodes.csv"))).unwrap();
    assert_equal(&two, &network);
    let bad = read(&path("bad.csv"), None).unwrap_err();
    assert_eq!((bad.place.line, bad.place.column), (2, 3));
    assert_eq!(bad.problem, Problem::NotText);
    let missing = read(&path("none.csv"), None).unwrap_err();
    assert!(matches!(missing.problem, Problem::Unreadable { .. }));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A strongly connected network in random words: a ring through all nodes, and more channels.
fn any_channel_list() -> impl Strategy<Value = String> {
    let name = "[a-c0-2\"#,<&' é-]{1,3}";
    let names = proptest::collection::btree_set(name, 2..9);
    let nodes = names.prop_map(Vec::from_iter).prop_shuffle();
    let more = proptest::collection::vec((0usize..64, 0usize..64), 0..24);
    let columns = any::<[bool; 4]>();
    (nodes, more, columns, any::<u64>())
        .prop_map(|(names, more, columns, seed)| channel_list(&names, &more, columns, seed))
}

fn channel_list(
    names: &[String],
    more: &[(usize, usize)],
    [listed, width, length, parallel]: [bool; 4],
    seed: u64,
) -> String {
    let n = names.len();
    let quoted = |i: usize| format!("\"{}\"", names[i % n].replace('"', "\"\""));
    let ring = (0..n).map(|i| (i, (i + 1) % n));
    let more = more
        .iter()
        .map(|&(a, b)| (a % n, b % n))
        .filter(|(a, b)| a != b);
    let mut seen = BTreeSet::new();
    let mut word = seed;
    let mut next = || {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        word >> 33
    };
    let header = [
        (width, ",delay,width"),
        (length, ",length"),
        (parallel, ",parallel"),
    ];
    let mut text = String::from("from,to");
    text.extend(
        header
            .iter()
            .filter(|&&(has, _)| has)
            .map(|&(_, word)| word),
    );
    for (number, (a, b)) in more.chain(ring).enumerate() {
        if !seen.insert((a, b)) && !parallel {
            continue;
        }
        text += &format!("\n{},{}", quoted(a), quoted(b));
        if width {
            text += &format!(",{},{}", next() % 100, next() % 64 + 1);
        }
        if length {
            text += &format!(",{}", next() as f32 / 1e6);
        }
        if parallel {
            text += &format!(",{number}");
        }
    }
    if listed {
        text += "\n\nnode,kind,x,y\n";
        for i in 0..n {
            let kind = if i > 0 && next() % 2 == 0 {
                "switch"
            } else {
                "terminal"
            };
            text += &format!("{},{kind},{},{}\n", quoted(i), next() as f32, next() as i32);
        }
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_network_comes_back(list in any_channel_list()) {
        assert_comes_back(&csv(&list).unwrap());
    }

    #[test]
    fn no_text_is_too_strange(text in "(from,to|node,kind|[ab,\"#0-9. <>/=\n\r]){0,24}") {
        let _ = csv(&text);
        let _ = graphml(&text);
        let _ = csv(&format!("from,to,length\n{text}"));
        let _ = graphml(&format!("<graphml><graph>{text}</graph></graphml>"));
    }
}
