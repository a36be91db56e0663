//! The nearest common ancestor along a drawn way up: some way of the free ascent, every way as likely, proved.

use crate::common::any::verify;

use flitsim_analysis::verify::VerifyOptions;
use flitsim_engine::routing::{Algorithm, Ascent, Relation, RoutingChoice, Tables};
use flitsim_engine::{Candidates, EngineConfig, Head, Routing};
use flitsim_topology::{ChannelId, FatTree, Network, NodeId, Xgft};
use std::collections::BTreeMap;

const VCS: u32 = 2;

fn networks() -> Vec<Network> {
    let xgft = |children: &[u32], parents: &[u32]| Xgft::new(children, parents).unwrap();
    vec![
        Xgft::k_ary_n_tree(4, 3).unwrap().into_network(),
        xgft(&[3, 2, 4], &[1, 3, 2]).into_network(),
        xgft(&[2, 2], &[2, 3]).into_network(),
        FatTree::butterfly(64).unwrap().into_network(),
        FatTree::pyramid(16).unwrap().into_network(),
    ]
}

fn relation(network: &Network, ascent: Ascent) -> Relation<'_> {
    let mut choice = RoutingChoice::from(Algorithm::NearestCommonAncestor);
    choice.options.ascent = ascent;
    choice.relation(network, VCS, &Tables::default()).unwrap()
}

/// The channels that a packet takes, each one that the free ascent offers too.
fn way(
    network: &Network,
    [drawn, free]: [&Relation<'_>; 2],
    (from, to): (NodeId, NodeId),
    choice: u32,
) -> Vec<ChannelId> {
    let (mut offered, mut candidates) = (Candidates::default(), Candidates::default());
    let mut head = Head {
        node: from,
        arrived: None,
        destination: to,
        state: drawn.initial(from, to, choice),
    };
    let mut way = Vec::new();
    while head.node != to {
        candidates.clear();
        drawn.route(head, &mut candidates);
        let [only] = candidates.as_slice() else {
            panic!("one way, not {candidates:?}");
        };
        offered.clear();
        free.route(head, &mut offered);
        assert!(offered.as_slice().contains(only));
        way.push(only.channel);
        head.state = drawn.advance(head, only.channel, 1);
        head.arrived = Some((only.channel, 1));
        head.node = network.target(only.channel);
        assert!(way.len() < 20);
    }
    way
}

#[test]
fn a_drawn_ascent_is_a_free_one_and_each_is_drawn_as_often() {
    for network in networks() {
        let (drawn, free) = (
            relation(&network, Ascent::Drawn),
            relation(&network, Ascent::Free),
        );
        assert!(drawn.is_deterministic() && !free.is_deterministic());
        let last = NodeId(network.terminals() - 1);
        for (from, to) in [(NodeId(0), last), (NodeId(0), NodeId(1)), (last, NodeId(0))] {
            let mut ways: BTreeMap<Vec<ChannelId>, u32> = BTreeMap::new();
            let choices = drawn.choices(from, to);
            for choice in 0..choices {
                let way = way(&network, [&drawn, &free], (from, to), choice);
                *ways.entry(way).or_default() += 1;
            }
            // As many ways as the free ascent has, each as likely.
            let ascents: usize = {
                let (mut node, mut product, mut candidates) = (from, 1, Candidates::default());
                for channel in ways.keys().next().unwrap() {
                    let head = Head {
                        node,
                        arrived: None,
                        destination: to,
                        state: 0,
                    };
                    candidates.clear();
                    free.route(head, &mut candidates);
                    product *= candidates.as_slice().len();
                    node = network.target(*channel);
                }
                product
            };
            assert_eq!(ways.len(), ascents);
            let each = choices / ascents as u32;
            assert!(ways.values().all(|&count| count == each), "{ways:?}");
        }
    }
}

#[test]
fn a_drawn_ascent_is_proved() {
    for network in networks() {
        let routing = relation(&network, Ascent::Drawn);
        let config = EngineConfig {
            virtual_channels: VCS,
            ..EngineConfig::default()
        };
        let proof = verify(&network, &routing, &VerifyOptions::of(&config));
        assert!(proof.is_free() && proof.reaches_every_pair);
    }
}
