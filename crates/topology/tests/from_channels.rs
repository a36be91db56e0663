//! Networks from lists of channels.

use flitsim_topology::{Channel, ChannelId, Network, NodeId};

fn channels(pairs: &[(u32, u32)]) -> Vec<Channel> {
    let channel = |&(source, target)| Channel {
        source: NodeId(source),
        target: NodeId(target),
        length_pitches: 1.0,
    };
    pairs.iter().map(channel).collect()
}

#[test]
fn channels_in_any_order_make_a_network() {
    let list = channels(&[(2, 0), (0, 2), (1, 2), (0, 1), (2, 1)]);
    let network = Network::from_channels(3, 2, &list).unwrap();
    assert_eq!(
        (network.nodes(), network.terminals(), network.channels()),
        (3, 2, 5)
    );
    // Those of node 0 in the order of the list.
    assert_eq!(network.targets(NodeId(0)), [NodeId(2), NodeId(1)]);
    assert_eq!(network.targets(NodeId(2)), [NodeId(0), NodeId(1)]);
}

#[test]
fn what_is_no_network_is_refused_with_its_place() {
    let ring = channels(&[(0, 1), (1, 0)]);
    let long = [
        ring[0],
        Channel {
            length_pitches: f32::NAN,
            ..ring[1]
        },
    ];
    let beyond = channels(&[(0, 2)]);
    let to_itself = channels(&[(1, 1)]);
    let one_way = channels(&[(0, 1)]);
    let twice = channels(&[(0, 1), (0, 1)]);
    let from_afar = channels(&[(0, 1), (1, 0), (2, 0)]);
    for (nodes, terminals, list, said) in [
        (2, 0, &ring[..], "0 of 2 nodes"),
        (2, 3, &ring, "3 of 2 nodes"),
        (0, 0, &[], "0 of 0 nodes"),
        (2, 2, &beyond, "0->2: the last of 2 nodes is 1"),
        (2, 2, &to_itself, "1->1 leads to where it comes from"),
        (2, 2, &long, "1->0 is NaN pitches long"),
        (2, 2, &one_way, "out of node 1"),
        (3, 2, &ring, "out of node 2"),
        // There is no memory for so many.
        (u32::MAX, 2, &ring, "out of node 2"),
        (2, 2, &twice, "from node 1 to node 0"),
        (3, 2, &from_afar, "from node 0 to node 2"),
    ] {
        let error = Network::from_channels(nodes, terminals, list).unwrap_err();
        let error = error.to_string();
        assert!(error.contains(said), "{error}");
    }
}

/// A one-way ring of wires of these lengths.
fn ring_of(lengths: &[f32]) -> Network {
    let nodes = lengths.len() as u32;
    let channel = |(node, &length_pitches)| Channel {
        source: NodeId(node),
        target: NodeId((node + 1) % nodes),
        length_pitches,
    };
    let list: Vec<Channel> = (0..).zip(lengths).map(channel).collect();
    Network::from_channels(nodes, nodes, &list).unwrap()
}

#[test]
fn lengths_are_kept_to_the_bit() {
    // More different ones than are kept once each.
    let many: Vec<f32> = (0..300u16).map(f32::from).collect();
    for lengths in [&[1.0, 2.5, 1.0, -0.0, 0.0][..], &many, &[3.0; 7]] {
        let network = ring_of(lengths);
        for (channel, length) in (0..).map(ChannelId).zip(lengths) {
            assert_eq!(network.length_pitches(channel).to_bits(), length.to_bits());
        }
    }
    let (one, two) = (ring_of(&[1.0; 3]), ring_of(&[1.0, 2.0, 1.0]));
    assert!(one.is_same_graph(&one.clone()) && two.is_same_graph(&two.clone()));
    assert!(!one.is_same_graph(&two));
}
