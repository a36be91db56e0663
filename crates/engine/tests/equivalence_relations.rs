//! The engine equals the oracle under every routing relation, on small networks of every kind: see
//! `equivalence.rs`.

use crate::common::numbered::run_each;
use crate::compare;
use crate::oracle;
use crate::tier;

use compare::{compare, suit_channels};
use flitsim_engine::routing::{
    AdaptiveUpDown, Algorithm, Ascent, EnhancedNbc, FatPyramid, FewestDescents, HopClass, Levels,
    Nbc, NearestCommonAncestor, NegativeHop, PrunedOrder, RoutingChoice, SourceRoutes, Table,
    Tables, Tie, UpDown,
};
use flitsim_engine::{FlowControl, VcReallocation};
use flitsim_topology::file::{Source, parse_csv};
use flitsim_topology::{Ends, FatTree, Grid, Network, Paths, SparseTorus, Star, Thinning};
use oracle::case::Case;
use oracle::relation::Ordered;

/// The router and the traffic of case `number`, in a fat-tree or fat-pyramid: switches without a
/// terminal, and several candidates on the way up.
fn run_tree_case(number: u64) -> String {
    let mut case = Case::new(number);
    let pyramid = !number.is_multiple_of(3);
    let tree = match pyramid {
        true => FatTree::pyramid(16),
        false => FatTree::butterfly(16),
    };
    let network = tree.expect("a tree").into_network();
    case.permutation = None;
    suit_channels(&mut case.config, &network);
    let tree = network.fat_tree().expect("a tree");
    let vcs = case.config.virtual_channels;
    let report = if pyramid {
        let slack = (number % 4) as u32;
        let routing = FatPyramid::new(tree, vcs, slack).expect("enough VCs");
        compare(&case, &network, Ordered::<_, false>(routing))
    } else if number.is_multiple_of(2) {
        let mut choice = RoutingChoice::from(Algorithm::NearestCommonAncestor);
        choice.options.ascent = Ascent::Drawn;
        let routing = choice.relation(&network, vcs, &Tables::default());
        let routing = routing.expect("enough VCs");
        compare(&case, &network, Ordered::<_, true>(routing))
    } else {
        let routing = NearestCommonAncestor::new(tree, vcs).expect("enough VCs");
        compare(&case, &network, Ordered::<_, false>(routing))
    };
    match report.is_empty() {
        true => report,
        false => format!("tree case {number}: {report}{case:#?}\n"),
    }
}

#[test]
fn the_engine_equals_the_oracle_on_trees_of_switches() {
    run_each(tier::cases(150), run_tree_case);
}

/// The router and the traffic of case `number` under an adaptive relation, or under a deterministic
/// one over a random terminal. None of them can deadlock: those that rely on an escape have atomic
/// reallocation.
fn run_relation_case(number: u64) -> String {
    use flitsim_engine::routing::{
        AfterEscape, Duato, MinimalAdaptive, OddEven, TurnModel, TurnRule, UpDown, Valiant,
        WithEscape,
    };
    let mut case = Case::new(number);
    let network = match number % 9 {
        0..3 => Grid::new(&[3, 2, 4], Ends::Open),
        3 | 4 => Grid::new(&[5, 4], Ends::Open),
        5 | 6 => Grid::new(&[4, 2, 3], Ends::Ring),
        7 => Grid::new(&[4, 5], Ends::Ring),
        _ => Grid::new(&[4, 3], Ends::DirectedRing),
    };
    let network = network.expect("a grid").into_network();
    let grid = network.grid().expect("a grid");
    let config = &mut case.config;
    config.virtual_channels = config.virtual_channels.max(4);
    let vcs = config.virtual_channels;
    suit_channels(config, &network);
    if matches!(number % 9, 4..=8) && config.flow_control == FlowControl::Wormhole {
        config.vc_reallocation = VcReallocation::Atomic;
    }
    case.permutation = None;
    let adaptive = |vcs| MinimalAdaptive::new(grid, vcs);
    let report = match number % 9 {
        rule @ 0..3 => {
            let rules = [
                TurnRule::WestFirst,
                TurnRule::NorthLast,
                TurnRule::NegativeFirst,
            ];
            let routing = TurnModel::new(grid, vcs, rules[rule as usize]).expect("a mesh");
            compare(&case, &network, Ordered::<_, false>(routing))
        }
        3 => {
            let routing = OddEven::new(grid, vcs).expect("a mesh");
            compare(&case, &network, Ordered::<_, false>(routing))
        }
        4 => {
            let after = match number.is_multiple_of(2) {
                true => AfterEscape::Return,
                false => AfterEscape::Stay,
            };
            let escape = |vcs| TurnModel::new(grid, vcs, TurnRule::NorthLast);
            let routing = WithEscape::compose("turns", vcs, 2, after, adaptive, escape);
            compare(&case, &network, Ordered::<_, false>(routing.expect("VCs")))
        }
        5 => {
            let tree = UpDown::new(&network, 1, None).expect("links");
            let stay = AfterEscape::Stay;
            let routing = WithEscape::compose("tree", vcs, 1, stay, adaptive, |_| Ok(&tree));
            compare(&case, &network, Ordered::<_, false>(routing.expect("VCs")))
        }
        7 => {
            let routing = Valiant::new(grid, vcs, true).expect("enough VCs");
            compare(&case, &network, Ordered::<_, true>(routing))
        }
        _ => {
            let routing = Duato::new(grid, vcs).expect("enough VCs");
            compare(&case, &network, Ordered::<_, false>(routing))
        }
    };
    match report.is_empty() {
        true => report,
        false => format!("relation case {number}: {report}{case:#?}\n"),
    }
}

#[test]
fn the_engine_equals_the_oracle_under_adaptive_relations() {
    run_each(tier::cases(198), run_relation_case);
}

/// The router and the traffic of case `number` in a small express cube: switches without a
/// terminal, channels side by side, modules of interchanges, and rings; every third case over an escape, as
/// relations without their types.
fn run_express_case(number: u64) -> String {
    use flitsim_engine::routing::{AfterEscape, Express, WithEscape};
    use flitsim_topology::express::{Decomposition, Interchanges};
    use flitsim_topology::{ExpressCube, ExpressParameters};
    let mut case = Case::new(number);
    let (plain, square) = (
        ExpressParameters::new(17, 1, 2, 3),
        ExpressParameters::new(5, 2, 2, 2),
    );
    let parameters = match number % 5 {
        _ if number % 7 == 6 => ExpressParameters {
            rings: true,
            ..ExpressParameters::new(6, 2, 2, 1)
        },
        0 if number % 2 == 1 => ExpressParameters {
            interchanges: Interchanges::Interleaved,
            ..square
        },
        0 => square,
        1 => ExpressParameters {
            channels_per_level: vec![1, 2, 3],
            ..square
        },
        2 => ExpressParameters {
            interleaved: 2,
            ..ExpressParameters::new(14, 1, 4, 1)
        },
        3 => ExpressParameters {
            decomposition: Decomposition::LevelOne,
            ..plain
        },
        _ => ExpressParameters {
            decomposition: Decomposition::WithoutAscending,
            ..plain
        },
    };
    let network = ExpressCube::new(parameters).expect("a cube").into_network();
    case.permutation = None;
    suit_channels(&mut case.config, &network);
    let cube = network.express_cube().expect("a cube");
    let config = &mut case.config;
    if cube.parameters().rings {
        config.virtual_channels = config.virtual_channels.max(3);
    }
    let vcs = config.virtual_channels;
    // Modules of an interchange are not all linked both ways.
    let tree = UpDown::new(&network, 1, None).ok();
    let report = if let (2, 2.., Some(tree)) = (number % 3, vcs, &tree) {
        let express = Express::new(cube, vcs - 1).expect("enough VCs");
        let routing = WithEscape::compose(
            "tree",
            vcs,
            1,
            AfterEscape::Stay,
            |_| Ok(&express),
            |_| Ok(tree),
        );
        compare(&case, &network, Ordered::<_, false>(routing.expect("VCs")))
    } else if number.is_multiple_of(2) {
        let mut choice = RoutingChoice::from(Algorithm::Express);
        choice.options.levels = Levels::Any;
        let routing = choice.relation(&network, vcs, &Tables::default());
        compare(
            &case,
            &network,
            Ordered::<_, false>(routing.expect("enough VCs")),
        )
    } else {
        let routing = Express::new(cube, vcs).expect("enough VCs");
        compare(&case, &network, Ordered::<_, false>(routing))
    };
    match report.is_empty() {
        true => report,
        false => format!("express case {number}: {report}{case:#?}\n"),
    }
}

#[test]
fn the_engine_equals_the_oracle_on_express_cubes() {
    run_each(tier::cases(150), run_express_case);
}

/// The router and the traffic of case `number` in a small Manhattan torus: one-way channels, several
/// shortest paths, and classes that follow from the channel before.
fn run_manhattan_case(number: u64) -> String {
    let mut case = Case::new(number);
    let torus = match number % 3 {
        0 => SparseTorus::new(4, 2, Thinning::Manhattan),
        1 => SparseTorus::new(6, 2, Thinning::Manhattan),
        _ => SparseTorus::new(2, 3, Thinning::PrunedManhattan),
    };
    let network = torus.expect("a torus").into_network();
    case.permutation = None;
    suit_channels(&mut case.config, &network);
    let least = FewestDescents::virtual_channels_min(&network).expect("it applies");
    let vcs = case.config.virtual_channels.max(least);
    case.config.virtual_channels = vcs;
    let routing = FewestDescents::new(&network, vcs).expect("enough VCs");
    let report = compare(&case, &network, Ordered::<_, false>(&routing));
    match report.is_empty() {
        true => report,
        false => format!("Manhattan case {number}: {report}{case:#?}\n"),
    }
}

#[test]
fn the_engine_equals_the_oracle_on_manhattan_tori() {
    run_each(tier::cases(75), run_manhattan_case);
}

/// The router and the traffic of case `number`, by negative hops: on networks with shortest paths
/// in closed form, and on a tree, where they come from a table.
fn run_negative_hop_case(number: u64) -> String {
    let mut case = Case::new(number);
    let network = match number % 5 {
        0 => Star::new(4).expect("a star").into_network(),
        1 => Grid::new(&[4, 4], Ends::Ring)
            .expect("a torus")
            .into_network(),
        2 => Grid::hypercube(4).expect("a hypercube").into_network(),
        3 => SparseTorus::new(4, 2, Thinning::Manhattan)
            .expect("a Manhattan torus")
            .into_network(),
        _ => FatTree::butterfly(16).expect("a tree").into_network(),
    };
    case.permutation = None;
    suit_channels(&mut case.config, &network);
    let paths = Paths::of(&network).expect("a small network");
    let least = EnhancedNbc::virtual_channels_min(&paths);
    let vcs = case.config.virtual_channels.max(least);
    case.config.virtual_channels = vcs;
    let report = match number / 5 % 3 {
        0 => {
            let routing = NegativeHop::new(&paths, vcs).expect("enough VCs");
            compare(&case, &network, Ordered::<_, false>(routing))
        }
        1 => {
            let routing = Nbc::new(&paths, vcs).expect("enough VCs");
            compare(&case, &network, Ordered::<_, false>(routing))
        }
        _ => {
            if case.config.flow_control == FlowControl::Wormhole {
                case.config.vc_reallocation = VcReallocation::Atomic;
            }
            let routing = EnhancedNbc::new(&paths, vcs, None).expect("enough VCs");
            compare(&case, &network, Ordered::<_, false>(routing))
        }
    };
    match report.is_empty() {
        true => report,
        false => format!("negative-hop case {number}: {report}{case:#?}\n"),
    }
}

#[test]
fn the_engine_equals_the_oracle_by_negative_hops() {
    run_each(tier::cases(150), run_negative_hop_case);
}

/// The router and the traffic of case `number`, under what was left: classes by hops, X Z X' Z',
/// up-down, and what files say.
fn run_file_case(number: u64) -> String {
    let mut case = Case::new(number);
    let network = match number % 5 {
        1 => SparseTorus::new(4, 3, Thinning::Pruned)
            .expect("a pruned torus")
            .into_network(),
        2 => FatTree::pyramid(16).expect("a tree").into_network(),
        _ => Grid::new(&[4, 3], Ends::Open)
            .expect("a mesh")
            .into_network(),
    };
    case.permutation = None;
    suit_channels(&mut case.config, &network);
    let vcs = case.config.virtual_channels.max(5);
    case.config.virtual_channels = vcs;
    let report = match number % 5 {
        0 => {
            let paths = Paths::of(&network).expect("a small network");
            let routing = HopClass::new(&paths, vcs).expect("enough VCs");
            compare(&case, &network, Ordered::<_, false>(routing))
        }
        1 => {
            let torus = network.sparse_torus().expect("a pruned torus");
            let routing = PrunedOrder::new(torus, vcs, Tie::Random, true).expect("enough VCs");
            compare(&case, &network, Ordered::<_, true>(routing))
        }
        2 if number.is_multiple_of(2) => {
            let routing = AdaptiveUpDown::new(&network, vcs, None).expect("links");
            compare(&case, &network, Ordered::<_, false>(routing))
        }
        2 => {
            let routing = UpDown::new(&network, vcs, None).expect("links");
            compare(&case, &network, Ordered::<_, true>(&routing))
        }
        3 => {
            let text = lines(&network, |at, to, next| format!("{at},{to},{next}\n"));
            let text = format!("at,destination,next\n{text}");
            let source = Source {
                file: "table.csv",
                text: &text,
            };
            let routing = Table::parse(&network, source, vcs).expect("a table");
            compare(&case, &network, Ordered::<_, true>(&routing))
        }
        _ => {
            let mut text = String::from("source,destination,next\n");
            for from in 0..network.terminals() {
                for to in (0..network.terminals()).filter(|&to| to != from) {
                    let mut at = from;
                    while at != to {
                        at = towards(&network, at, to);
                        text += &format!("{from},{to},{at}\n");
                    }
                }
            }
            let source = Source {
                file: "routes.csv",
                text: &text,
            };
            let routing = SourceRoutes::parse(&network, source, vcs).expect("routes");
            compare(&case, &network, Ordered::<_, true>(&routing))
        }
    };
    match report.is_empty() {
        true => report,
        false => format!("file case {number}: {report}{case:#?}\n"),
    }
}

/// A line for each node and each terminal that it is not.
fn lines(network: &Network, line: impl Fn(u32, u32, u32) -> String) -> String {
    let nodes = 0..network.nodes();
    let pairs = nodes.flat_map(|at| (0..network.terminals()).map(move |to| (at, to)));
    let apart = pairs.filter(|(at, to)| at != to);
    apart
        .map(|(at, to)| line(at, to, towards(network, at, to)))
        .collect()
}

/// The next node in the order of dimensions of a mesh, which no file can make a cycle of.
fn towards(network: &Network, at: u32, to: u32) -> u32 {
    let grid = network.grid().expect("a mesh");
    let k = grid.radices()[0];
    match (at % k).cmp(&(to % k)) {
        std::cmp::Ordering::Less => at + 1,
        std::cmp::Ordering::Greater => at - 1,
        std::cmp::Ordering::Equal if at < to => at + k,
        std::cmp::Ordering::Equal => at - k,
    }
}

/// The router and the traffic of case `number` round a hub with more outputs than a word has bits, or
/// as many.
fn run_hub_case(number: u64) -> String {
    let leaves = [62, 63, 64, 130][(number % 4) as usize];
    let mut text = String::from("from,to\n");
    for leaf in 1..=leaves {
        text += &format!("0,{leaf}\n{leaf},0\n");
    }
    let source = Source {
        file: "hub.csv",
        text: &text,
    };
    let network = parse_csv(source, None).expect("a hub");
    let mut case = Case::new(number);
    case.permutation = None;
    // Where heads are matched, as long as it is: turns that are declined move on late.
    if case.config.vc_allocator.is_none() {
        case.cycles = case.cycles.min(60);
    }
    suit_channels(&mut case.config, &network);
    let vcs = case.config.virtual_channels;
    let routing = UpDown::new(&network, vcs, None).expect("links");
    let report = compare(&case, &network, Ordered::<_, true>(&routing));
    match report.is_empty() {
        true => report,
        false => format!("hub case {number}: {report}{case:#?}\n"),
    }
}

#[test]
fn the_engine_equals_the_oracle_round_hubs() {
    run_each(tier::cases(24), run_hub_case);
}

#[test]
fn the_engine_equals_the_oracle_by_hops_by_levels_and_by_files() {
    run_each(tier::cases(100), run_file_case);
}
