//! Networks of routers with many channels, trees of any shape and butterflies, and several terminals a
//! router: each routing is proved with the virtual channels that it asks for and, folded onto one fewer,
//! refused with a cycle; lengths of routes; and the engine equals the oracle.

use crate::common::any::expected;
use crate::common::numbered::run_each;
use crate::compare::{compare, suit_channels};
use crate::oracle::case::Case;
use crate::oracle::relation::Ordered;
use crate::tier;
use crate::verify_large::options;

use flitsim_analysis::verify::{Extent, Proof, verify};
use flitsim_engine::routing::{
    Algorithm, Dal, GroupClasses, Relation, RoutingChoice, Tables, each_vc, vc_range,
};
use flitsim_engine::{Candidates, Head, Routing};
use flitsim_engine::{EngineConfig, FlowControl, VcReallocation};
use flitsim_keys::Words;
use flitsim_topology::{
    Arrangement, Butterfly, Dragonfly, Ends, Grid, HyperX, Network, NodeId, RandomRegular, SlimFly,
    Star, Xgft, properties,
};

fn hyperx(sizes: &[u32], parallel: &[u32]) -> Network {
    HyperX::new(sizes, parallel).unwrap().into_network()
}

fn dragonfly(routers: u32, global: u32, groups: u32, arrangement: Arrangement) -> Network {
    let dragonfly = Dragonfly::new(routers, global, groups, arrangement);
    dragonfly.unwrap().into_network()
}

/// Networks with their routings and the fewest virtual channels of each. A routing of one virtual channel
/// cannot be folded; on trees and butterflies nothing closes a cycle, nor between routers that are all one
/// hop apart.
fn table() -> Vec<(Network, &'static [(&'static str, u32)])> {
    let concentrated = |network: Network| network.concentrated(3).unwrap();
    let [absolute, relative, circulant] = [
        Arrangement::Absolute,
        Arrangement::Relative,
        Arrangement::Circulant,
    ];
    const LATTICE: &[(&str, u32)] = &[
        ("dimension-order", 1),
        ("minimal", 2),
        ("hop-class", 2),
        ("valiant", 2),
        ("ugal", 2),
        ("o1turn", 2),
        ("dal", 2),
        ("up-down", 1),
    ];
    const THREE: &[(&str, u32)] = &[
        ("dimension-order", 1),
        ("minimal", 3),
        ("valiant", 2),
        ("ugal", 2),
        ("dal", 2),
    ];
    const GROUPS: &[(&str, u32)] = &[
        ("minimal", 2),
        ("hop-class", 3),
        ("valiant", 4),
        ("ugal", 4),
        ("up-down", 1),
    ];
    const TWO_HOPS: &[(&str, u32)] = &[
        ("minimal", 2),
        ("hop-class", 2),
        ("valiant", 4),
        ("ugal", 4),
        ("up-down", 1),
    ];
    const TREE: &[(&str, u32)] = &[
        ("nearest-common-ancestor", 1),
        ("valiant", 2),
        ("ugal", 2),
        ("up-down", 1),
    ];
    let fly = |order| SlimFly::new(order).unwrap().into_network();
    let tree =
        |children: &[u32], parents: &[u32]| Xgft::new(children, parents).unwrap().into_network();
    let random = RandomRegular::new(8, 4, 1).unwrap().into_network();
    let farthest = properties::distances(&random).unwrap().diameter;
    assert_eq!(farthest, 2);
    vec![
        (hyperx(&[3, 4], &[]), LATTICE),
        (hyperx(&[3, 3], &[2, 1]), LATTICE),
        (hyperx(&[2, 3, 3], &[]), THREE),
        (concentrated(hyperx(&[3, 3], &[])), LATTICE),
        (
            hyperx(&[6], &[]),
            &[
                ("dimension-order", 1),
                ("minimal", 1),
                ("dal", 2),
                ("valiant", 2),
                ("ugal", 2),
            ],
        ),
        (dragonfly(4, 1, 5, absolute), GROUPS),
        (dragonfly(4, 1, 5, relative), GROUPS),
        (dragonfly(3, 2, 7, circulant), GROUPS),
        (dragonfly(4, 2, 4, relative), GROUPS),
        (concentrated(dragonfly(4, 1, 5, relative)), GROUPS),
        (fly(3), TWO_HOPS),
        (fly(4), TWO_HOPS),
        (concentrated(fly(3)), TWO_HOPS),
        (
            random,
            &[("minimal", 2), ("valiant", 4), ("ugal", 4), ("up-down", 1)],
        ),
        (tree(&[2, 2, 2], &[1, 2, 2]), TREE),
        (tree(&[3, 2], &[2, 2]), TREE),
        (
            Butterfly::new(2, 3).unwrap().into_network(),
            &[("destination-tag", 1), ("valiant", 2), ("ugal", 2)],
        ),
        (
            concentrated(Grid::uniform(4, 2, Ends::Ring).unwrap().into_network()),
            &[
                ("dimension-order", 2),
                ("duato", 3),
                ("valiant", 4),
                ("ugal", 4),
                ("nhop", 3),
                ("enhanced-nbc", 4),
            ],
        ),
        (
            Grid::uniform(4, 2, Ends::Open).unwrap().into_network(),
            &[("o1turn", 2), ("romm", 2), ("planar-adaptive", 2)],
        ),
        (
            Grid::new(&[3, 3, 3], Ends::Open).unwrap().into_network(),
            &[("romm", 2), ("planar-adaptive", 3)],
        ),
        (
            Grid::new(&[4, 3], Ends::Ring).unwrap().into_network(),
            &[("o1turn", 4), ("romm", 4)],
        ),
        (
            concentrated(Star::new(4).unwrap().into_network()),
            &[("nhop", 3), ("enhanced-nbc", 4), ("hop-class", 4)],
        ),
        (
            Star::new(3).unwrap().into_network(),
            &[("valiant", 4), ("ugal", 4)],
        ),
    ]
}

fn prove(network: &Network, relation: &Relation<'_>, vcs: u32) -> Proof {
    verify(network, relation, &options(vcs, Extent::Full))
}

#[test]
fn each_is_proved_with_its_virtual_channels_and_refused_with_one_fewer() {
    // In the first tier every fifth row, with one of its three counts.
    let (some, step) = (tier::cases(3) as usize, tier::step());
    let mut rows = 0..;
    for (network, routings) in table() {
        for (row, &(name, least)) in routings.iter().enumerate() {
            if rows
                .next()
                .is_none_or(|row: usize| !row.is_multiple_of(step))
            {
                continue;
            }
            let tables = Tables::default();
            let choice = RoutingChoice::from(Algorithm::named(name).unwrap());
            let what = format!("{name} on {:?} of {}", network.shape(), network.nodes());
            assert_eq!(
                choice.virtual_channels_min(&network, &tables),
                least,
                "{what}"
            );
            let counts = [least, least + 1, 2 * least + 1];
            for &vcs in counts.iter().cycle().skip(row).take(some) {
                let relation = choice.relation(&network, vcs, &tables).unwrap();
                let proof = prove(&network, &relation, vcs);
                assert!(
                    proof.is_free() && proof.reaches_every_pair,
                    "{what}: {proof:?}"
                );
                let alike = verify(&network, &relation, &options(vcs, Extent::Symmetric));
                let counted = |proof: &Proof| {
                    let taken = (proof.vertices, proof.escape_vertices, proof.configurations);
                    (proof.is_free(), taken, proof.longest_route_hops)
                };
                assert_eq!(counted(&alike), counted(&proof), "{what}");
            }
            if least > 1 {
                // Class 2 of planar-adaptive may fall on class 1: no packet of a plane waits for one of
                // those before it. All in one have a cycle.
                let fewer = if name == "planar-adaptive" {
                    1
                } else {
                    least - 1
                };
                assert!(
                    choice.relation(&network, least - 1, &tables).is_err(),
                    "{what}"
                );
                let folded = choice.relation_merged(&network, fewer, &tables).unwrap();
                let proof = prove(&network, &folded, fewer);
                assert!(!proof.is_free(), "{what}: {proof:?}");
                let alike = verify(&network, &folded, &options(fewer, Extent::Symmetric));
                assert!(!alike.is_free(), "{what}: {alike:?}");
                assert!(!proof.cycle().is_empty(), "{what}: {proof:?}");
            }
        }
    }
}

/// A channel that ends in the packet's own group is taken on the first virtual channel, any other on the second, also
/// those to terminals; a source may take all. So it is free of deadlock with two, however many there are.
#[test]
fn a_dateline_between_groups_is_passed_on_the_channel_that_leaves_the_group() {
    let mut choice = RoutingChoice::from(Algorithm::named("minimal").unwrap());
    choice.options.group_classes = GroupClasses::Dateline;
    let tables = Tables::default();
    for whole in [
        dragonfly(4, 2, 9, Arrangement::Absolute),
        dragonfly(4, 2, 4, Arrangement::Relative),
    ] {
        for (network, vcs) in [(whole.clone(), 2), (whole.concentrated(2).unwrap(), 5)] {
            let relation = choice.relation(&network, vcs, &tables).unwrap();
            for extent in [Extent::Full, Extent::Symmetric] {
                let proof = verify(&network, &relation, &options(vcs, extent));
                assert!(proof.is_free() && proof.reaches_every_pair, "{proof:?}");
                let folded = choice.relation_merged(&network, 1, &tables).unwrap();
                assert!(!verify(&network, &folded, &options(1, extent)).is_free());
            }
            let terminals = || (0..network.terminals()).map(NodeId);
            for source in terminals() {
                for destination in terminals().filter(|&to| to != source) {
                    let hops = walk(&network, &relation, source, destination);
                    assert!(hops <= 3 + 2 * u32::from(network.concentration().is_some()));
                }
            }
        }
    }
    let other = hyperx(&[3, 3], &[]);
    let refused = choice.relation(&other, 2, &tables).unwrap_err();
    assert!(refused.to_string().contains("is for dragonflies"));
}

/// Goes each way from `source` to `destination`, and looks at the virtual channels. The most hops.
fn walk(network: &Network, relation: &Relation<'_>, source: NodeId, destination: NodeId) -> u32 {
    let family = network.concentration();
    let router = |node| family.map_or(node, |family| family.router(node));
    let group = |node| network.routers().dragonfly().unwrap().group(router(node));
    let mut heads = vec![(
        Head {
            node: source,
            arrived: None,
            destination,
            state: relation.initial(source, destination, 0),
        },
        0,
    )];
    let mut most = 0;
    while let Some((head, hops)) = heads.pop() {
        most = most.max(hops);
        if head.node == destination {
            continue;
        }
        let mut candidates = Candidates::default();
        relation.route(head, &mut candidates);
        for candidate in candidates.as_slice() {
            let to = network.target(candidate.channel);
            let is_left = group(to) != group(source);
            match family.is_some() && head.node == source {
                true => assert_eq!(candidate.vcs, vc_range(0, 5)),
                false => assert_eq!(candidate.vcs, 1 << u32::from(is_left), "{head:?}"),
            }
            for vc in each_vc(candidate.vcs) {
                let next = Head {
                    node: to,
                    arrived: Some((candidate.channel, vc)),
                    state: relation.advance(head, candidate.channel, vc),
                    ..head
                };
                heads.push((next, hops + 1));
            }
        }
    }
    most
}

/// Astray once in each dimension, whatever escapes lie between.
#[test]
fn dal_takes_two_hops_in_a_dimension_at_most() {
    for sizes in [&[3][..], &[2, 2], &[3, 3], &[4, 3, 3]] {
        let network = hyperx(sizes, &[]);
        let routing = Dal::new(network.hyperx().unwrap(), 2).unwrap();
        let proof = verify(&network, &routing, &options(2, Extent::Full));
        assert!(proof.is_free(), "{sizes:?}: {proof:?}");
        let wide = sizes.iter().filter(|&&size| size > 2).count();
        let longest = sizes.len() + wide;
        assert_eq!(proof.longest_route_hops as usize, longest, "{sizes:?}");
    }
}

/// Kim et al. 2008, section 3, counted: of routes with at most a local hop, a global and a local one lead a − 1 + h
/// to routers one hop away, 2h(a − 1) to others two and h(a − 1)² to others three away.
#[test]
fn minimal_routes_of_dragonflies_have_their_mean_length() {
    for (a, h) in [(2, 1), (4, 1), (4, 2), (6, 3)] {
        for arrangement in [
            Arrangement::Absolute,
            Arrangement::Relative,
            Arrangement::Circulant,
        ] {
            let network = dragonfly(a, h, a * h + 1, arrangement);
            let choice = RoutingChoice::from(Algorithm::named("minimal").unwrap());
            let relation = choice.relation(&network, 2, &Tables::default()).unwrap();
            let config = EngineConfig {
                virtual_channels: 2,
                ..EngineConfig::default()
            };
            let others = f64::from(network.nodes() - 1);
            let uniform = |source, send: &mut dyn FnMut(NodeId, f64)| {
                let all = (0..network.nodes()).map(NodeId);
                all.filter(|&to| to != source)
                    .for_each(|to| send(to, 1.0 / others));
            };
            let found = expected(&network, &relation, &config, uniform).unwrap();
            let hops = (a - 1 + h) + 2 * 2 * h * (a - 1) + 3 * h * (a - 1).pow(2);
            assert!((found.hops_mean - f64::from(hops) / others).abs() < 1e-9);
        }
    }
}

/// The router and the traffic of case `number` on one of the networks of the table under one of its routings.
fn run_case(table: &[(Network, &[(&str, u32)])], number: u64) -> String {
    let (network, routings) = &table[number as usize % table.len()];
    let (name, least) = routings[number as usize / table.len() % routings.len()];
    let mut case = Case::new(number);
    case.permutation = None;
    suit_channels(&mut case.config, network);
    case.config.virtual_channels = case.config.virtual_channels.max(least);
    let choice = RoutingChoice::from(Algorithm::named(name).unwrap());
    let vcs = case.config.virtual_channels;
    let relation = choice.relation(network, vcs, &Tables::default()).unwrap();
    if relation.has_escape() && case.config.flow_control == FlowControl::Wormhole {
        case.config.vc_reallocation = VcReallocation::Atomic;
    }
    let report = compare(&case, network, Ordered::<_, false>(relation));
    match report.is_empty() {
        true => report,
        false => format!("case {number}, {name}: {report}{case:#?}\n"),
    }
}

#[test]
fn the_engine_equals_the_oracle() {
    let table = table();
    run_each(tier::cases(600), |number| run_case(&table, number));
}

/// Kim et al. 2008: p = h = 23 and a = 46 make 1,120,422 terminals at 48,714 routers. Besta & Hoefler 2014:
/// q = 89 and p = 66 make 1,045,572 at 15,842. A HyperX of 32³ routers with 32 terminals each has 1,048,576.
#[test]
fn a_million_terminals_are_proved_by_the_symmetry_of_their_routers() {
    if tier::is_left_out() {
        return;
    }
    let relative = Arrangement::Relative;
    for (network, name, least, each, terminals) in [
        (
            dragonfly(46, 23, 46 * 23 + 1, relative),
            "minimal",
            2,
            23,
            1_120_422,
        ),
        (
            SlimFly::new(89).unwrap().into_network(),
            "minimal",
            2,
            66,
            1_045_572,
        ),
        (hyperx(&[32; 3], &[]), "dimension-order", 1, 32, 1_048_576),
    ] {
        assert_eq!(network.terminals() * each, terminals);
        let choice = RoutingChoice::from(Algorithm::named(name).unwrap());
        let tables = Tables::default();
        let relation = choice.relation(&network, least, &tables).unwrap();
        let proof = verify(&network, &relation, &options(least, Extent::Auto));
        assert!(proof.is_free() && proof.reaches_every_pair, "{proof:?}");
        if least > 1 {
            let folded = choice.relation_merged(&network, 1, &tables).unwrap();
            assert!(!verify(&network, &folded, &options(1, Extent::Auto)).is_free());
        }
    }
}
