//! Networks of routers with many channels, trees of any shape, butterflies, and several terminals a router:
//! definitions, closed forms against breadth-first search, figures that the papers print.

use flitsim_topology::layout::Layout;
use flitsim_topology::properties::{DistanceProfile, Symmetry, degree_max, distances};
use flitsim_topology::{
    Arrangement, Butterfly, ChannelId, Dragonfly, Ends, Grid, HyperX, Network, NodeId,
    RandomRegular, SlimFly, Star, TopologyError, Xgft,
};

use crate::common::check_minimal_paths;
use crate::networks::high_radix;

fn sizes(network: &Network) -> (u32, u32, u32) {
    (
        network.terminals(),
        network.nodes() - network.terminals(),
        network.channels(),
    )
}

fn profile(network: &Network) -> DistanceProfile {
    DistanceProfile::of(network, &Symmetry::of(network), &|_, _| {}).unwrap()
}

#[test]
fn closed_forms_equal_breadth_first_search() {
    for (name, network) in high_radix() {
        let found = profile(&network);
        let searched = distances(&network).unwrap();
        let hops = f64::from(network.hops_at_terminals());
        let terminals = f64::from(network.terminals());
        let without = searched.mean_without_self - hops;
        assert!((found.mean_without_self() - without).abs() < 1e-9, "{name}");
        let with = without * (terminals - 1.0) / terminals;
        assert!((found.mean_with_self() - with).abs() < 1e-9, "{name}");
        assert_eq!(
            f64::from(found.diameter()),
            f64::from(searched.diameter) - hops,
            "{name}"
        );
        let along_routes = network.route_distances();
        assert!(
            along_routes.is_none_or(|closed| (closed.mean_without_self - without).abs() < 1e-9),
            "{name}"
        );
    }
}

#[test]
fn shortest_paths_in_closed_form() {
    for (_, network) in high_radix() {
        if let Some(hyperx) = network.hyperx() {
            check_minimal_paths(&network, hyperx);
        }
        if let Some(slim_fly) = network.slim_fly() {
            check_minimal_paths(&network, slim_fly);
        }
    }
}

#[test]
fn channels_lead_where_they_say() {
    for (name, network) in high_radix() {
        if let Some(dragonfly) = network.dragonfly() {
            for node in (0..network.nodes()).map(NodeId) {
                let own = dragonfly.group(node);
                for to in (0..network.nodes()).map(NodeId).filter(|&to| to != node) {
                    if dragonfly.group(to) == own {
                        assert_eq!(network.target(dragonfly.local(node, to)), to, "{name}");
                    }
                }
                for group in (0..dragonfly.groups()).filter(|&group| group != own) {
                    let links: Vec<_> = dragonfly.links(own, group).collect();
                    assert!(!links.is_empty(), "{name}: {own} to {group}");
                    for link in links {
                        let ends = (network.source(link.channel), network.target(link.channel));
                        assert_eq!((link.from, link.to), ends, "{name}");
                        assert_eq!(dragonfly.group(link.to), group, "{name}");
                    }
                }
            }
        }
        if let Some(tree) = network.xgft() {
            // How many ways lead down from a node to each terminal; nodes are numbered level by level.
            let mut over: Vec<Vec<u32>> = Vec::new();
            for node in (0..network.nodes()).map(NodeId) {
                let own = |terminal| u32::from(terminal == node.0);
                let mut ways: Vec<u32> = (0..network.terminals()).map(own).collect();
                for &target in network.targets(node) {
                    if tree.level(target) < tree.level(node) {
                        let more = over[target.index()].iter();
                        ways.iter_mut()
                            .zip(more)
                            .for_each(|(ways, more)| *ways += more);
                    }
                }
                over.push(ways);
            }
            for (node, to) in pairs(network.nodes(), network.terminals()) {
                let ways = over[node.index()][to.index()];
                let child = tree.down(node, to).map(|channel| {
                    assert_eq!(network.source(channel), node, "{name}");
                    network.target(channel)
                });
                let goes_on = child.map(|child| over[child.index()][to.index()]);
                let wanted = (ways > 0 && node != to).then_some(1);
                assert_eq!(goes_on, wanted, "{name}: from {node:?} to {to:?}");
            }
        }
        if let Some(butterfly) = network.butterfly() {
            for (mut node, to) in pairs(network.terminals(), network.terminals()) {
                for _ in 0..=butterfly.stages() {
                    let channel = butterfly.channel(node, to);
                    assert_eq!(network.source(channel), node, "{name}");
                    node = network.target(channel);
                }
                assert_eq!(node, to, "{name}");
            }
        }
        if let Some(network_of) = network.concentration() {
            for channel in (0..network_of.routers().channels()).map(ChannelId) {
                let router = network_of.routers().source(channel);
                let own = network_of.channel(router, channel);
                assert_eq!(network_of.between_routers(router, own), Some(channel));
                let target = network_of.routers().target(channel);
                assert_eq!(network.target(own), network_of.node(target), "{name}");
            }
            for terminal in (0..network.terminals()).map(NodeId) {
                let ejection = network_of.ejection(terminal);
                let router = network_of.router(terminal);
                assert_eq!(network.target(ejection), terminal, "{name}");
                assert_eq!(network.source(ejection), network_of.node(router), "{name}");
                assert_eq!(network_of.between_routers(router, ejection), None);
            }
        }
    }
}

fn pairs(from: u32, to: u32) -> impl Iterator<Item = (NodeId, NodeId)> {
    (0..from).flat_map(move |a| (0..to).map(move |b| (NodeId(a), NodeId(b))))
}

/// Ahn et al. 2009, section 2: N = Π S_i routers, Σ K_i (S_i − 1) channels each, diameter the dimensions.
#[test]
fn hyperx_sizes() {
    for (sizes, parallel, degree) in [
        (&[8, 8][..], &[][..], 14),
        (&[4, 4, 4], &[], 9),
        (&[16], &[], 15),
        (&[3, 5], &[2, 1], 8),
    ] {
        let network = HyperX::new(sizes, parallel).unwrap().into_network();
        assert_eq!(network.nodes(), sizes.iter().product::<u32>());
        assert_eq!(network.channels(), network.nodes() * degree);
        assert_eq!(profile(&network).diameter(), sizes.len() as u32);
    }
}

/// Kim et al. 2008, section 3: g = a·h + 1 groups, N = a·p·(a·h + 1) terminals; figure 5 has p = h = 2, a = 4
/// and N = 72; with p = h = 4, a = 8 there are 1,056, as in the paper's simulations.
#[test]
fn dragonfly_sizes() {
    for (p, a, h, terminals) in [(2, 4, 2, 72), (4, 8, 4, 1_056), (1, 2, 1, 6)] {
        for arrangement in [
            Arrangement::Absolute,
            Arrangement::Relative,
            Arrangement::Circulant,
        ] {
            let dragonfly = Dragonfly::new(a, h, a * h + 1, arrangement).unwrap();
            let routers = dragonfly.into_network();
            assert_eq!(routers.channels(), a * (a * h + 1) * (a - 1 + h));
            assert_eq!(profile(&routers).diameter(), 3);
            let network = routers.concentrated(p).unwrap();
            assert_eq!(network.terminals(), terminals);
            // A terminal of its own is no channel of a router.
            let own = if p > 1 { p } else { 0 };
            assert_eq!(degree_max(&network), own + a + h - 1);
            assert_eq!(profile(&network).diameter(), 3);
        }
    }
}

/// Besta & Hoefler 2014, section II-B: 2q² routers of degree (3q − δ)/2, diameter 2; q = 5 is the
/// Hoffman–Singleton graph, of 50 routers and degree 7, the largest there can be.
#[test]
fn slim_fly_sizes() {
    for (order, routers, degree) in [
        (3, 18, 5),
        (4, 32, 6),
        (5, 50, 7),
        (7, 98, 11),
        (8, 128, 12),
        (9, 162, 13),
        (11, 242, 17),
        (13, 338, 19),
        (16, 512, 24),
        (17, 578, 25),
        (19, 722, 29),
        (25, 1_250, 37),
        (27, 1_458, 41),
    ] {
        let network = SlimFly::new(order).unwrap().into_network();
        assert_eq!(sizes(&network), (routers, 0, routers * degree));
        let searched = distances(&network).unwrap();
        assert_eq!(searched.diameter, 2, "{order}");
        let mean = 2.0 - f64::from(degree) / f64::from(routers - 1);
        assert!((searched.mean_without_self - mean).abs() < 1e-12);
    }
    // The network of the paper's evaluation: q = 19, p = 15, N = 10,830, router radix 44.
    let network = SlimFly::new(19)
        .unwrap()
        .into_network()
        .concentrated(15)
        .unwrap();
    assert_eq!((network.terminals(), degree_max(&network)), (10_830, 44));
}

/// Petrini & Vanneschi 1997: kⁿ terminals, n·kⁿ⁻¹ switches; 2(n − 1) hops between the farthest switches.
#[test]
fn fat_tree_sizes() {
    for (arity, levels) in [(4, 1), (2, 3), (4, 3), (3, 4)] {
        let tree = Xgft::k_ary_n_tree(arity, levels).unwrap().into_network();
        let (terminals, switches) = (arity.pow(levels), levels * arity.pow(levels - 1));
        assert_eq!(sizes(&tree), (terminals, switches, 2 * levels * terminals));
        assert_eq!(profile(&tree).diameter(), 2 * (levels - 1));
    }
    // A tree with as many parents as the butterfly fat-tree has: 4 children, 2 parents.
    let tree = Xgft::new(&[4, 4, 4], &[1, 2, 2]).unwrap().into_network();
    assert_eq!(sizes(&tree), (64, 16 + 8 + 4, 2 * (64 + 32 + 16)));
}

/// Dally & Towles, section 4.1: kⁿ terminals, n stages of kⁿ⁻¹ switches.
#[test]
fn butterfly_sizes() {
    for (arity, stages) in [(2, 3), (4, 2), (8, 2), (3, 1)] {
        let network = Butterfly::new(arity, stages).unwrap().into_network();
        let terminals = arity.pow(stages);
        assert_eq!(
            sizes(&network),
            (
                terminals,
                stages * terminals / arity,
                terminals * (stages + 1)
            )
        );
        let found = profile(&network);
        assert_eq!(found.diameter(), stages - 1);
        assert!((found.mean_without_self() - f64::from(stages - 1)).abs() < 1e-12);
    }
}

#[test]
fn random_graphs_are_regular_and_follow_their_seed() {
    let build = |seed| RandomRegular::new(60, 5, seed).unwrap().into_network();
    let network = build(1);
    assert!(
        (0..60)
            .all(|n| network.outgoing(NodeId(n)).len() == 5 && network.in_degree(NodeId(n)) == 5)
    );
    assert!(network.is_same_graph(&build(1)));
    assert!(!network.is_same_graph(&build(2)));
    // No better than the bound of Cerf, Cowan, Mullin & Stanton 1974 on mean distances, and near it.
    let mean = profile(&network).mean_without_self();
    let bound = (5.0 + 2.0 * 20.0 + 3.0 * 34.0) / 59.0;
    assert!(mean >= bound && mean < 1.1 * bound, "{mean} of {bound}");
}

#[test]
fn routers_without_coordinates_fill_rectangles_that_are_nearly_square() {
    let random = |routers, degree| RandomRegular::new(routers, degree, 1).unwrap();
    // Groups of one router in a rectangle.
    let dragonfly = Dragonfly::new(1, 11, 12, Arrangement::Relative).unwrap();
    for (network, size) in [
        (random(12, 3).into_network(), (4, 3)),
        (random(16, 3).into_network(), (4, 4)),
        (random(7, 2).into_network(), (7, 1)),
        (dragonfly.into_network(), (4, 3)),
    ] {
        let layout = Layout::of(&network).unwrap();
        assert_eq!((layout.columns(), layout.rows()), size);
        if size.0 == 4 {
            assert_eq!(layout.places_pitches()[6], [2.0, 1.0]);
        }
    }
}

#[test]
fn all_look_alike_where_they_do() {
    let is_symmetric = |network: Network| Symmetry::of(&network).is_node_symmetric();
    let concentrated = |network: Network| network.concentrated(3).unwrap();
    assert_eq!(
        is_symmetric(concentrated(Star::new(4).unwrap().into_network())),
        Some(true)
    );
    let mesh = Grid::uniform(3, 2, Ends::Open).unwrap().into_network();
    assert_eq!(is_symmetric(concentrated(mesh)), Some(false));
    for (sizes, parallel) in [(&[3, 4][..], &[2, 1][..]), (&[4, 4, 4], &[])] {
        let network = HyperX::new(sizes, parallel).unwrap().into_network();
        assert_eq!(is_symmetric(network.clone()), Some(true));
        assert_eq!(is_symmetric(concentrated(network)), Some(true));
    }
    let tree = Xgft::new(&[2, 3, 4], &[2, 2, 3]).unwrap().into_network();
    let symmetry = Symmetry::of(&tree);
    assert_eq!(
        (symmetry.is_node_symmetric(), symmetry.node_orbits()),
        (Some(true), 4)
    );
    assert_eq!(symmetry.channel_orbits().len(), 6);
    assert_eq!(
        is_symmetric(Butterfly::new(3, 3).unwrap().into_network()),
        Some(true)
    );
    // The routers of one group of a dragonfly, mirrored; both halves of a Slim Fly, or all of it.
    let dragonfly = Dragonfly::new(4, 2, 9, Arrangement::Relative)
        .unwrap()
        .into_network();
    assert_eq!(Symmetry::of(&dragonfly).node_orbits(), 2);
    for (order, orbits) in [(5, 1), (13, 1), (7, 2), (4, 2), (9, 1)] {
        let network = SlimFly::new(order).unwrap().into_network();
        assert_eq!(Symmetry::of(&network).node_orbits(), orbits, "{order}");
    }
}

#[test]
fn what_cannot_be_is_refused_with_what_would_be_right() {
    let keys = |error: TopologyError| match error {
        TopologyError::Parameter(fault) => fault.key().unwrap_or("").to_owned(),
        other => other.to_string(),
    };
    assert_eq!(keys(SlimFly::new(6).unwrap_err()), "order");
    assert_eq!(keys(SlimFly::new(10).unwrap_err()), "order");
    // A power of a prime all the same.
    match SlimFly::new(2).unwrap_err() {
        TopologyError::Parameter(fault) => assert_eq!(fault.beside(), "less than 3"),
        other => panic!("{other}"),
    }
    assert_eq!(
        keys(Dragonfly::new(4, 2, 10, Arrangement::Absolute).unwrap_err()),
        "groups"
    );
    assert_eq!(keys(HyperX::new(&[4, 4], &[1]).unwrap_err()), "parallel");
    assert_eq!(keys(RandomRegular::new(5, 3, 1).unwrap_err()), "degree");
    assert_eq!(keys(RandomRegular::new(5, 5, 1).unwrap_err()), "degree");
    assert_eq!(keys(Xgft::new(&[4, 4], &[1]).unwrap_err()), "children");
    assert_eq!(keys(Butterfly::new(1, 3).unwrap_err()), "arity");
    for huge in [
        HyperX::new(&[60_000, 60_000], &[]).map(|_| ()),
        Butterfly::new(60_000, 25).map(|_| ()),
        Xgft::k_ary_n_tree(60_000, 16).map(|_| ()),
        Dragonfly::new(60_000, 60_000, 60_000, Arrangement::Relative).map(|_| ()),
    ] {
        assert!(
            matches!(huge, Err(TopologyError::TooLarge { .. })),
            "{huge:?}"
        );
    }
    let tree = Xgft::k_ary_n_tree(2, 2).unwrap().into_network();
    assert!(matches!(
        tree.concentrated(2),
        Err(TopologyError::NotANetwork { .. })
    ));
}
