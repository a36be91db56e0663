//! The turn models and odd-even: exactly the shortest paths without a forbidden turn, by brute
//! force; no cycle of dependencies, and one as soon as one forbidden turn is allowed.

use crate::common;
use crate::common::any::verify;

use common::dependencies::Dependencies;
use common::loaded::{freezes, run_uniform};
use common::routes::hops_of_all_routes;
use flitsim_analysis::verify::VerifyOptions;
use flitsim_engine::routing::{OddEven, TurnModel, TurnRule};
use flitsim_engine::{
    Candidate, Candidates, ConfigError, EngineConfig, FlowControl, Head, Routing,
};
use flitsim_topology::Direction::{Down, Up};
use flitsim_topology::{ChannelId, Direction, Ends, Grid, MinimalPaths, Network, NodeId};
use std::collections::BTreeSet;

const RULES: [TurnRule; 3] = [
    TurnRule::WestFirst,
    TurnRule::NorthLast,
    TurnRule::NegativeFirst,
];

const EAST: (u32, Direction) = (0, Up);
const WEST: (u32, Direction) = (0, Down);
const NORTH: (u32, Direction) = (1, Up);
const SOUTH: (u32, Direction) = (1, Down);

fn mesh(radices: &[u32]) -> Network {
    Grid::new(radices, Ends::Open).unwrap().into_network()
}

fn pairs(network: &Network) -> impl Iterator<Item = (NodeId, NodeId)> {
    let nodes = network.nodes();
    (0..nodes).flat_map(move |a| (0..nodes).map(move |b| (NodeId(a), NodeId(b))))
}

/// Ways of a channel, as dimension and direction.
fn way(grid: &Grid, channel: ChannelId) -> (u32, Direction) {
    let step = grid.step(channel);
    (step.dimension, step.direction)
}

/// How many routes there are whose every step `next` allows after the step before it.
fn count_routes(
    network: &Network,
    (node, destination): (NodeId, NodeId),
    arrived: Option<ChannelId>,
    next: &dyn Fn(NodeId, Option<ChannelId>) -> Vec<ChannelId>,
) -> u64 {
    if node == destination {
        return 1;
    }
    let following = next(node, arrived).into_iter().map(|channel| {
        let pair = (network.target(channel), destination);
        count_routes(network, pair, Some(channel), next)
    });
    following.sum()
}

/// Routes that a relation allows.
fn routes_of(network: &Network, routing: &impl Routing, pair: (NodeId, NodeId)) -> u64 {
    let state = routing.initial(pair.0, pair.1, 0);
    count_routes(network, pair, None, &|node, arrived| {
        let mut candidates = Candidates::default();
        let head = Head {
            node,
            arrived: arrived.map(|channel| (channel, 0)),
            destination: pair.1,
            state,
        };
        routing.route(head, &mut candidates);
        candidates.as_slice().iter().map(|c| c.channel).collect()
    })
}

/// Shortest paths without a turn that `is_forbidden` at its node.
fn routes_without(
    network: &Network,
    pair: (NodeId, NodeId),
    is_forbidden: impl Fn(NodeId, (u32, Direction), (u32, Direction)) -> bool,
) -> u64 {
    let grid = network.grid().unwrap();
    count_routes(network, pair, None, &|node, arrived| {
        let mut allowed = Vec::new();
        grid.for_each_minimal_channel(node, pair.1, |channel| {
            let to = way(grid, channel);
            if arrived.is_none_or(|from| !is_forbidden(node, way(grid, from), to)) {
                allowed.push(channel);
            }
        });
        allowed
    })
}

/// The turns that Glass & Ni forbid: in two dimensions those of their figures, in more those from
/// the second part of each rule to the first.
fn is_forbidden(
    rule: TurnRule,
    dimensions: u32,
    from: (u32, Direction),
    to: (u32, Direction),
) -> bool {
    if dimensions == 2 {
        let forbidden = match rule {
            TurnRule::WestFirst => [(NORTH, WEST), (SOUTH, WEST)],
            TurnRule::NorthLast => [(NORTH, WEST), (NORTH, EAST)],
            TurnRule::NegativeFirst => [(NORTH, WEST), (EAST, SOUTH)],
        };
        return forbidden.contains(&(from, to));
    }
    let is_first = |(dimension, direction)| match rule {
        TurnRule::WestFirst => direction == Down && dimension != dimensions - 1,
        TurnRule::NorthLast => direction == Down || dimension == 0,
        TurnRule::NegativeFirst => direction == Down,
    };
    is_first(to) && !is_first(from)
}

#[test]
fn turn_models_open_every_shortest_path_without_a_forbidden_turn_and_no_other() {
    for radices in [&[5, 4][..], &[3, 3, 3], &[2; 4], &[6]] {
        let network = mesh(radices);
        let grid = network.grid().unwrap();
        let n = radices.len() as u32;
        for rule in RULES {
            let routing = TurnModel::new(grid, 2, rule).unwrap();
            for pair in pairs(&network) {
                let distance = grid.distance(pair.0, pair.1);
                let hops = hops_of_all_routes(&network, &routing, pair, 0);
                assert_eq!(hops, BTreeSet::from([distance]));
                let wanted = routes_without(&network, pair, |_, from, to| {
                    is_forbidden(rule, n, from, to)
                });
                assert_eq!(
                    routes_of(&network, &routing, pair),
                    wanted,
                    "{rule:?} {pair:?}"
                );
            }
        }
    }
}

#[test]
fn odd_even_opens_every_shortest_path_without_a_forbidden_turn_and_no_other() {
    for radices in [[6, 4], [5, 5], [2, 3], [3, 2]] {
        let network = mesh(&radices);
        let grid = network.grid().unwrap();
        let routing = OddEven::new(grid, 2).unwrap();
        for pair in pairs(&network) {
            let distance = grid.distance(pair.0, pair.1);
            let hops = hops_of_all_routes(&network, &routing, pair, 0);
            assert_eq!(hops, BTreeSet::from([distance]));
            // Chiu's rules 1 and 2.
            let wanted = routes_without(&network, pair, |node, from, to| {
                match grid.coordinate(node, 0).is_multiple_of(2) {
                    true => from == EAST && to.0 == 1,
                    false => from.0 == 1 && to == WEST,
                }
            });
            assert_eq!(routes_of(&network, &routing, pair), wanted, "{pair:?}");
        }
    }
}

#[test]
fn routes_are_as_many_as_counted_by_hand() {
    let network = mesh(&[6, 6]);
    let grid = network.grid().unwrap();
    let pair = |from: [u32; 2], to: [u32; 2]| (grid.node_at(&from), grid.node_at(&to));
    // 2 hops in x and 3 in y, 10 shortest paths: to the north-east, south-east, north-west and
    // south-west. Glass & Ni, section 5: all of them in some quadrants, one in the others.
    let from = [2, 2];
    let quadrants = [
        pair(from, [4, 5]),
        pair([2, 3], [4, 0]),
        pair(from, [0, 5]),
        pair([2, 3], [0, 0]),
    ];
    for (rule, wanted) in [
        (TurnRule::WestFirst, [10, 10, 1, 1]),
        (TurnRule::NorthLast, [1, 10, 1, 10]),
        (TurnRule::NegativeFirst, [10, 1, 1, 10]),
    ] {
        let routing = TurnModel::new(grid, 1, rule).unwrap();
        let found = quadrants.map(|pair| routes_of(&network, &routing, pair));
        assert_eq!(found, wanted, "{rule:?}");
    }
    let routing = OddEven::new(grid, 1).unwrap();
    for (from, to, wanted) in [
        // North by 0, 1 or 2 in column 0, by the rest in column 1, none in column 2.
        ([0, 0], [2, 2], 3),
        // South by 0, 1 or 2 in column 2, by the rest in column 0, none in column 1.
        ([2, 2], [0, 0], 3),
        // One hop north, in column 0, 1 or 3.
        ([0, 0], [3, 1], 3),
        // One hop north, in column 1 or 3: in no even column that it came to from the west.
        ([1, 0], [4, 1], 2),
        ([0, 0], [3, 0], 1),
    ] {
        assert_eq!(routes_of(&network, &routing, pair(from, to)), wanted);
    }
}

/// Straight on: 4 k (k − 2). Each of the 8 turns: at (k − 1)² nodes; two are forbidden, under
/// odd-even four in half the columns each.
#[test]
fn dependencies_are_as_many_as_counted_and_acyclic() {
    for k in 2..=6u32 {
        let network = mesh(&[k, k]);
        let grid = network.grid().unwrap();
        let k = k as usize;
        let wanted = (4 * k * (k - 1), 4 * k * (k - 2) + 6 * (k - 1) * (k - 1));
        for vcs in [1, 2] {
            let mut all: Vec<Dependencies> = RULES
                .iter()
                .map(|&rule| TurnModel::new(grid, vcs, rule).unwrap())
                .map(|routing| Dependencies::of(&network, &routing))
                .collect();
            all.push(Dependencies::of(
                &network,
                &OddEven::new(grid, vcs).unwrap(),
            ));
            let v = vcs as usize;
            for found in all {
                assert_eq!(found.counts(), (v * wanted.0, v * v * wanted.1));
                assert!(found.is_acyclic());
            }
        }
    }
    for radices in [&[3, 3, 3][..], &[2; 5], &[4, 2, 3], &[7]] {
        let network = mesh(radices);
        for rule in RULES {
            let routing = TurnModel::new(network.grid().unwrap(), 1, rule).unwrap();
            let found = Dependencies::of(&network, &routing);
            assert_eq!(found.vertices.len(), network.channels() as usize);
            assert!(found.is_acyclic(), "{rule:?} {radices:?}");
        }
    }
}

/// A relation and one way on more, where `more` says so.
#[derive(Clone, Copy)]
struct With<R, F> {
    routing: R,
    more: F,
}

impl<R: Routing, F: Fn(Head) -> Option<ChannelId> + Send + Sync> Routing for With<R, F> {
    const DETERMINISTIC: bool = false;

    fn initial(&self, source: NodeId, destination: NodeId, _: u32) -> u64 {
        self.routing.initial(source, destination, 0)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        self.routing.route(head, candidates);
        let known = |channel| candidates.as_slice().iter().any(|c| c.channel == channel);
        if let Some(channel) = (self.more)(head).filter(|&channel| !known(channel)) {
            candidates.push(Candidate {
                channel,
                vcs: 1,
                priority: 0,
            });
        }
    }
}

#[test]
fn one_forbidden_turn_allowed_closes_a_cycle() {
    let network = mesh(&[4, 4]);
    let grid = network.grid().unwrap();
    // Hops that are wanted in a direction.
    let wants = |head: Head, (dimension, direction): (u32, Direction)| {
        let dimension = dimension as usize;
        let here = grid.coordinate(head.node, dimension);
        let there = grid.coordinate(head.destination, dimension);
        match direction {
            Up => there > here,
            Down => there < here,
        }
    };
    // The first hop may be made although the second, after a turn that is forbidden, is wanted.
    for (rule, first, second) in [
        (TurnRule::WestFirst, NORTH, WEST),
        (TurnRule::WestFirst, SOUTH, WEST),
        (TurnRule::NorthLast, NORTH, WEST),
        (TurnRule::NorthLast, NORTH, EAST),
        (TurnRule::NegativeFirst, NORTH, WEST),
        (TurnRule::NegativeFirst, EAST, SOUTH),
    ] {
        let more = |head: Head| {
            let both = wants(head, first) && wants(head, second);
            let (dimension, direction) = first;
            grid.channel(head.node, dimension as usize, direction)
                .filter(|_| both)
        };
        let routing = TurnModel::new(grid, 1, rule).unwrap();
        assert!(Dependencies::of(&network, &routing).is_acyclic());
        let config = || EngineConfig {
            virtual_channels: 1,
            injection_vcs: 1,
            buffer_flits: 2,
            ..EngineConfig::default()
        };
        assert!(!freezes(&network, routing, config()), "{rule:?}");
        let allowed = With { routing, more };
        assert!(
            !Dependencies::of(&network, &allowed).is_acyclic(),
            "{rule:?}"
        );
        // The proof sees it, and packets come to it.
        let refused = verify(&network, &allowed, &VerifyOptions::of(&config()));
        assert!(refused.cycle().len() >= 4, "{rule:?}");
        assert!(freezes(&network, allowed, config()), "{rule:?}");
    }
    // Odd-even, where a packet may turn from east to north in even columns too.
    let more = |head: Head| {
        let both = wants(head, EAST) && wants(head, NORTH);
        grid.channel(head.node, 1, Up).filter(|_| both)
    };
    let routing = OddEven::new(grid, 1).unwrap();
    let found = Dependencies::of(&network, &With { routing, more });
    assert!(!found.is_acyclic());
}

#[test]
fn the_dimension_with_the_most_hops_left_comes_first() {
    let network = mesh(&[6, 6, 6]);
    let grid = network.grid().unwrap();
    let routing = TurnModel::new(grid, 1, TurnRule::NegativeFirst).unwrap();
    let head = Head {
        node: grid.node_at(&[5, 5, 5]),
        arrived: None,
        destination: grid.node_at(&[3, 0, 3]),
        state: 0,
    };
    let mut candidates = Candidates::default();
    routing.route(head, &mut candidates);
    let dimension = |c: &Candidate| grid.step(c.channel).dimension;
    let order: Vec<u32> = candidates.as_slice().iter().map(dimension).collect();
    assert_eq!(order, [1, 0, 2]);
}

#[test]
fn networks_that_do_not_fit_are_refused() {
    let new = |grid: &Grid, vcs| {
        let turns = TurnModel::new(grid, vcs, TurnRule::WestFirst).map(|_| ());
        let odd_even = OddEven::new(grid, vcs).map(|_| ());
        (turns, odd_even)
    };
    let refused = |result| matches!(result, Err(ConfigError::Routing { .. }));
    let torus = Grid::uniform(4, 2, Ends::Ring).unwrap();
    let (turns, odd_even) = new(&torus, 4);
    assert!(refused(turns) && refused(odd_even));
    let cube = Grid::hypercube(3).unwrap();
    let (turns, odd_even) = new(&cube, 1);
    assert!(turns.is_ok() && refused(odd_even));
    // Rings of two nodes are lines.
    let square = Grid::uniform(2, 2, Ends::Ring).unwrap();
    assert_eq!(new(&square, 1), (Ok(()), Ok(())));
    for vcs in [0, 65] {
        let (turns, odd_even) = new(&square, vcs);
        for result in [turns, odd_even] {
            assert!(matches!(result, Err(ConfigError::OutOfRange { .. })));
        }
    }
}

#[test]
fn uniform_traffic_flows_below_saturation_and_drains_above() {
    let network = mesh(&[6, 6]);
    let grid = network.grid().unwrap();
    for (vcs, flow_control) in [
        (1, FlowControl::Wormhole),
        (3, FlowControl::VirtualCutThrough),
    ] {
        let config = EngineConfig {
            virtual_channels: vcs,
            flow_control,
            ..EngineConfig::default()
        };
        for load in [0.1, 1.0] {
            for rule in RULES {
                let routing = TurnModel::new(grid, vcs, rule).unwrap();
                run_uniform(&network, routing, config.clone(), 6, load, 600);
            }
            let routing = OddEven::new(grid, vcs).unwrap();
            let (counters, delivered) =
                run_uniform(&network, routing, config.clone(), 6, load, 600);
            assert_eq!(delivered.packets, counters.packets_offered);
        }
    }
}
