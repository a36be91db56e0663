//! Large networks, of which is kept only what does not follow from the rest: it follows as it would stand in
//! lists. And what does not fit the memory is refused.

use flitsim_topology::{Channel, ChannelId, Ends, Grid, HyperX, Network, NodeId, TopologyError};

use crate::networks::{grid, star};

/// Which node a channel leaves is a quotient there, by a multiplication.
#[test]
fn channels_of_regular_networks_leave_the_node_that_their_number_says() {
    let circulant = |degree: u32| {
        let nodes = 2 * degree + 1;
        let channel = |number: u32| Channel {
            source: NodeId(number / degree),
            target: NodeId((number / degree + 1 + number % degree) % nodes),
            length_pitches: 1.0,
        };
        let list: Vec<Channel> = (0..nodes * degree).map(channel).collect();
        Network::from_channels(nodes, nodes, &list).unwrap()
    };
    let degrees = (1..=20).chain([63, 64, 255, 510, 511]);
    let networks = degrees.map(|degree| (degree, circulant(degree)));
    let largest = HyperX::new(&[16, 497], &[]).unwrap().into_network();
    for (degree, network) in networks.chain([(511, largest)]) {
        for channel in 0..network.channels() {
            assert_eq!(network.source(ChannelId(channel)).0, channel / degree);
        }
    }
}

/// Bytes of the lists of channels into nodes.
fn listed_bytes(network: &Network) -> u64 {
    let memory = network.memory();
    let parts = memory.parts().iter();
    let part = parts.filter(|(part, _)| *part == "channels in");
    part.map(|(_, bytes)| bytes).sum()
}

/// Checks that the channels into each node are all that lead there, in ascending order.
fn check_incoming(network: &Network) {
    let mut found = 0;
    for node in (0..network.nodes()).map(NodeId) {
        let incoming = network.incoming(node);
        assert!(incoming.iter().all(|&c| network.target(c) == node));
        assert!(incoming.is_sorted_by(|a, b| a < b));
        assert_eq!(network.in_degree(node), incoming.len());
        found += incoming.len();
    }
    assert_eq!(found, network.channels() as usize);
}

#[test]
fn channels_into_a_node_are_found_where_each_has_one_back() {
    for network in [
        star(9),
        grid(&[103, 103, 17], Ends::Ring),
        grid(&[64, 2, 2048], Ends::Open),
    ] {
        assert_eq!(listed_bytes(&network), 0);
        check_incoming(&network);
    }
}

#[test]
fn one_way_channels_have_none_back_and_are_listed() {
    let network = grid(&[1024, 513], Ends::DirectedRing);
    assert!(listed_bytes(&network) > 0);
    check_incoming(&network);
}

#[test]
fn one_channel_beyond_the_limit_is_too_large_whatever_the_memory() {
    let gibibytes = |radices| match Grid::new(radices, Ends::Ring) {
        Err(TopologyError::TooLarge { gibibytes, .. }) => gibibytes,
        other => panic!("{other:?}"),
    };
    assert_eq!(gibibytes(&[4096, 4097]), 2);
    assert_eq!(gibibytes(&[4096, 8192]), 5);
}

/// The test runs itself again, with few addresses.
#[cfg(target_os = "linux")]
#[test]
fn what_does_not_fit_the_memory_is_refused_and_of_small_ones_nobody_asks() {
    use flitsim_topology::memory::available_bytes;
    if !crate::limited::is_limited(
        "large::what_does_not_fit_the_memory_is_refused_and_of_small_ones_nobody_asks",
    ) {
        return;
    }
    // The limit of channels, 40 bytes each.
    match Grid::new(&[4096, 4096], Ends::Ring) {
        Err(TopologyError::NoMemory {
            nodes,
            channels,
            bytes,
            available,
        }) => {
            assert_eq!((nodes, channels, bytes), (1 << 24, 1 << 26, 40 << 26));
            assert!(available < 2_000_000 << 10, "{available}");
        }
        other => panic!("{other:?}"),
    }
    assert!(Grid::hypercube(17).is_ok());
    // 64 MB are small, though no more than 59 MB are left.
    let left = 56 << 20;
    let rest = available_bytes().unwrap() - left;
    let taken = std::hint::black_box(Vec::<u8>::with_capacity(rest as usize));
    assert!(available_bytes().unwrap() <= left);
    assert!(Grid::new(&[400, 1000], Ends::Ring).is_ok());
    let refused = Grid::hypercube(17);
    assert!(matches!(refused, Err(TopologyError::NoMemory { .. })));
    drop(taken);
}
