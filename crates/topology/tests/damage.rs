//! What is left of a network where something has failed: identifiers, lengths and widths stay, and
//! what is kept apart is named.

use flitsim_topology::damage::{random_links, random_nodes};
use flitsim_topology::draw::Drawing;
use flitsim_topology::file::{Source, parse_csv};
use flitsim_topology::properties::{UNREACHABLE, distances_from, unpaired_channel};
use flitsim_topology::{
    ChannelId, Ends, Grid, MinimalPaths, MinimalTable, Network, NodeId, PartedPairs, SparseTorus,
    Thinning,
};
use std::collections::BTreeSet;
use std::sync::Arc;

fn torus(radices: &[u32]) -> Arc<Network> {
    Arc::new(Grid::new(radices, Ends::Ring).unwrap().into_network())
}

fn manhattan(radix: u32) -> Arc<Network> {
    let torus = SparseTorus::new(radix, 2, Thinning::Manhattan).unwrap();
    Arc::new(torus.into_network())
}

/// Ordered pairs of living terminals without a way, by a search from each.
fn parted_by_search(network: &Network) -> Vec<(NodeId, NodeId)> {
    let mut pairs = Vec::new();
    for from in network.living_terminals() {
        let hops = distances_from(network, from);
        let apart = network.living_terminals();
        pairs.extend(
            apart
                .filter(|to| hops[to.index()] == UNREACHABLE)
                .map(|to| (from, to)),
        );
    }
    pairs
}

#[test]
fn what_is_left_is_what_was_there() {
    let whole = torus(&[5, 4]);
    let links = random_links(&whole, 4, 3).unwrap();
    assert_eq!(links.len(), 8);
    let dead = [NodeId(7), NodeId(7), NodeId(19)];
    let network = Network::without(&whole, &links, &dead);
    let damage = network.damage().unwrap();
    assert!(network.grid().is_none() && network.whole().grid().is_some());
    assert_eq!((network.nodes(), network.terminals()), (20, 20));
    assert_eq!(network.living_terminals_count(), 18);
    assert_eq!(
        damage.failed_nodes().collect::<Vec<_>>(),
        [NodeId(7), NodeId(19)]
    );
    let failed: BTreeSet<ChannelId> = damage.failed_channels().iter().copied().collect();
    for channel in (0..whole.channels()).map(ChannelId) {
        let ends = [whole.source(channel), whole.target(channel)];
        let fails = links.contains(&channel) || ends.iter().any(|end| dead.contains(end));
        assert_eq!(failed.contains(&channel), fails, "{channel}");
    }
    assert_eq!(network.channels() + failed.len() as u32, whole.channels());
    for channel in (0..network.channels()).map(ChannelId) {
        let original = damage.original(channel);
        assert!(!failed.contains(&original));
        assert_eq!(network.source(channel), whole.source(original));
        assert_eq!(network.target(channel), whole.target(original));
        assert_eq!(
            network.length_pitches(channel),
            whole.length_pitches(original)
        );
    }
    assert_eq!(unpaired_channel(&network), None);
}

#[test]
fn faults_add_up_whatever_the_order() {
    let whole = torus(&[4, 4]);
    let at_once = Network::without(&whole, &[ChannelId(3), ChannelId(40)], &[NodeId(9)]);
    let first = Arc::new(Network::without(&whole, &[ChannelId(3)], &[NodeId(9)]));
    let original = |c: &ChannelId| first.damage().unwrap().original(*c) == ChannelId(40);
    let second = (0..first.channels()).map(ChannelId).find(original).unwrap();
    let one_by_one = Network::without(&first, &[second], &[]);
    assert!(at_once.is_same_graph(&one_by_one));
    let failed = |network: &Network| network.damage().unwrap().failed_channels().to_vec();
    assert_eq!(failed(&at_once), failed(&one_by_one));
    assert!(Arc::ptr_eq(one_by_one.damage().unwrap().whole(), &whole));
    // One direction alone leaves a network that is not one of links.
    assert!(unpaired_channel(&at_once).is_some());
}

#[test]
fn more_random_faults_are_the_fewer_and_others() {
    let whole = torus(&[8, 8]);
    for seed in 0..5 {
        let ten = random_links(&whole, 10, seed).unwrap();
        for count in 0..10 {
            let fewer = random_links(&whole, count, seed).unwrap();
            assert_eq!(ten[..2 * count as usize], fewer, "{count} of seed {seed}");
        }
        let distinct: BTreeSet<_> = ten.iter().collect();
        assert_eq!(distinct.len(), 20);
        let nodes = random_nodes(&whole, 9, seed).unwrap();
        assert_eq!(nodes[..4], random_nodes(&whole, 4, seed).unwrap());
        assert_ne!(ten, random_links(&whole, 10, seed + 1).unwrap());
    }
    assert_eq!(random_links(&whole, 129, 1), Err(128));
    assert_eq!(random_links(&whole, 128, 1).unwrap().len(), 256);
    assert_eq!(random_nodes(&whole, 65, 1), Err(64));
    // One-way channels are links by themselves.
    let one_way = manhattan(4);
    assert_eq!(random_links(&one_way, 3, 1).unwrap().len(), 3);
    assert_eq!(random_links(&one_way, 40, 1), Err(one_way.channels()));
}

#[test]
fn every_link_is_as_likely_to_fail() {
    let whole = torus(&[4, 4]);
    let mut count = vec![0u32; whole.channels() as usize];
    for seed in 0..4_000 {
        for channel in random_links(&whole, 4, seed).unwrap() {
            count[channel.index()] += 1;
        }
    }
    // 4 of 32 links: 500 times each, with a standard deviation of 21.
    assert!(count.iter().all(|n| n.abs_diff(500) < 105), "{count:?}");
}

#[test]
fn parted_pairs_are_those_that_a_search_does_not_find() {
    let mut seen = [0; 2];
    for (whole, most) in [
        (torus(&[4, 4]), 24),
        (manhattan(4), 10),
        (torus(&[3, 5]), 20),
    ] {
        for seed in 0..40 {
            let count = 1 + seed as u32 % most;
            let nodes = random_nodes(&whole, (seed % 3) as u32, seed).unwrap();
            let left = Arc::new(Network::without(&whole, &[], &nodes));
            let count = count.min(random_links(&left, u32::MAX, 0).unwrap_err());
            let links = random_links(&left, count, seed).unwrap();
            let network = Network::without(&left, &links, &[]);
            let expected = parted_by_search(&network);
            let found = PartedPairs::of(&network, 5);
            seen[usize::from(found.is_some())] += 1;
            match found {
                None => assert_eq!(expected, []),
                Some(parted) => {
                    assert_eq!(parted.count, expected.len() as u64);
                    assert_eq!(parted.first, expected[..expected.len().min(5)]);
                }
            }
            assert_eq!(MinimalTable::new(&network).is_ok(), expected.is_empty());
        }
    }
    assert!(seen.iter().all(|&n| n > 10), "{seen:?}");
}

#[test]
fn the_living_are_a_network_of_their_own() {
    let whole = torus(&[4, 4]);
    let network = Network::without(&whole, &[], &[NodeId(5)]);
    let living = network.living();
    assert_eq!((living.nodes(), living.channels()), (15, 64 - 8));
    assert_eq!(living.name(NodeId(5)), "6");
    let names = living.node_names();
    assert_eq!(names.find("5"), None);
    let table = MinimalTable::new(&network).unwrap();
    for from in network.living_terminals() {
        let new = |node: NodeId| names.find(&network.name(node)).unwrap();
        let hops = distances_from(&living, new(from));
        for to in network.living_terminals() {
            assert_eq!(table.distance(from, to), hops[new(to).index()]);
        }
    }
    let whole_again = Network::without(&whole, &[], &[]).living();
    assert!(whole_again.is_same_graph(&whole));
}

#[test]
fn widths_delays_and_names_stay_with_their_channels() {
    let text = "from,to,width,delay\na,b,8,1\nb,a,16,2\nb,c,32,3\nc,b,64,4\nc,a,128,5\na,c,256,6\n";
    let file = "network.csv";
    let whole = Arc::new(parse_csv(Source { file, text }, None).unwrap());
    let node = |name| whole.node_names().find(name).unwrap();
    let lost = (0..whole.channels())
        .map(ChannelId)
        .find(|&c| (whole.source(c), whole.target(c)) == (node("b"), node("c")));
    let network = Network::without(&whole, &[lost.unwrap()], &[]);
    assert_eq!(network.name(node("c")), "c");
    let known = network.annotations().unwrap();
    let widths = known.width_bits.as_ref().unwrap();
    let delays = known.delay_cycles.as_ref().unwrap();
    assert!(!widths.contains(&32) && !delays.contains(&3));
    for (&width, &delay) in widths.iter().zip(delays) {
        assert_eq!(width, 4 << delay);
    }
}

#[test]
fn a_picture_leaves_out_what_has_failed() {
    let whole = torus(&[4, 4]);
    let network = Network::without(&whole, &[ChannelId(0)], &[NodeId(10)]);
    let drawing = Drawing::of(&network).unwrap();
    assert_eq!(drawing.channels.len() as u32, network.channels());
    assert_eq!(drawing.nodes.len(), 16);
    for (channel, line) in (0..).map(ChannelId).zip(&drawing.channels) {
        assert_eq!(line.source, network.source(channel));
        assert_eq!(line.target, network.target(channel));
        if let Some(opposite) = line.opposite {
            assert_eq!(drawing.channels[opposite.index()].opposite, Some(channel));
        }
    }
    // The channel back of the failed one has its line to itself.
    let alone = drawing
        .channels
        .iter()
        .filter(|line| line.opposite.is_none());
    assert_eq!(alone.count(), 1);
    assert!(drawing.nodes[10].detail.contains("failed"));
    assert!(drawing.note.contains("9 channels"), "{}", drawing.note);
}
