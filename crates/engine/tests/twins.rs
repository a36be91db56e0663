//! Negative twins of the algorithms that need one virtual channel only, and so cannot be short of
//! one: each with one of its rules removed. The proof refuses the twin with a cycle, every step of
//! which a packet of it makes, and traffic comes to a deadlock along such a cycle; the algorithm
//! itself is proved and keeps moving under the same traffic. (Algorithms with classes of virtual
//! channels have twins with one fewer: `tests/driven.rs` of the program. Tables and routes from a file
//! that go round a ring: `tests/refused.rs` and `tests/deadlock.rs` there.)

use crate::common;
use crate::common::any::verify;
use crate::tier;

use crate::common::loaded::Delivered;
use common::crowd::crowd;
use common::dependencies::Dependencies;
use flitsim_analysis::verify::{Reason, VerifyOptions};
use flitsim_engine::routing::{
    AdaptiveUpDown, DimensionOrder, Express, FatPyramid, NearestCommonAncestor, OddEven, Tie,
    TurnModel, TurnRule, UpDown,
};
use flitsim_engine::{Candidate, Candidates, EngineConfig, Head, Routing};
use flitsim_topology::fat_tree::Way;
use flitsim_topology::{
    ChannelId, Direction, Ends, ExpressCube, ExpressParameters, FatTree, Grid, MinimalPaths,
    Network, NodeId, SparseTorus, Star, Thinning,
};
use std::cmp::Ordering;

/// Cycles that a deadlock has to come within.
const CYCLES: u64 = 3_072;

/// Seeds that are tried for one.
const SEEDS: u64 = 12;

/// In the state of a packet that has broken the rule.
const BROKEN: u64 = 1 << 63;

/// A relation, and the ways on that a packet may take against one of its rules: once on its way, so
/// that it arrives all the same, and from then on as if it had come from nowhere.
struct Twin<'t, R> {
    routing: &'t R,
    breaks: &'t (dyn Fn(Head) -> Vec<ChannelId> + Sync),
}

impl<R: Routing> Twin<'_, R> {
    fn real(&self, head: Head) -> Candidates {
        let is_broken = head.state & BROKEN != 0;
        let head = Head {
            state: head.state & !BROKEN,
            arrived: head.arrived.filter(|_| !is_broken),
            ..head
        };
        let mut candidates = Candidates::default();
        self.routing.route(head, &mut candidates);
        candidates
    }
}

impl<R: Routing> Routing for Twin<'_, R> {
    const DETERMINISTIC: bool = false;

    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        self.routing.choices(source, destination)
    }

    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        self.routing.initial(source, destination, choice)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let real = self.real(head);
        real.as_slice().iter().for_each(|&way| candidates.push(way));
        if head.state & BROKEN != 0 {
            return;
        }
        for channel in (self.breaks)(head) {
            if real.as_slice().iter().all(|way| way.channel != channel) {
                candidates.push(Candidate {
                    channel,
                    vcs: 1,
                    priority: 0,
                });
            }
        }
    }

    fn advance(&self, head: Head, channel: ChannelId, _: u32) -> u64 {
        let is_real = |way: &Candidate| way.channel == channel;
        match self.real(head).as_slice().iter().any(is_real) {
            true => head.state,
            false => head.state | BROKEN,
        }
    }
}

/// The algorithm is proved and flows; without the rule it is refused with a cycle and stands still.
fn check<R: Routing>(
    name: &str,
    network: &Network,
    routing: &R,
    breaks: &(dyn Fn(Head) -> Vec<ChannelId> + Sync),
) {
    let config = EngineConfig {
        virtual_channels: 1,
        injection_vcs: 1,
        ..EngineConfig::default()
    };
    let options = VerifyOptions::of(&config);
    let drive = |twin: &Twin<R>, seed| {
        crowd::<Delivered, _>(network, twin, config.clone(), seed, CYCLES, &[])
    };

    let never = |_: Head| Vec::new();
    let breaks_nothing = Twin {
        routing,
        breaks: &never,
    };
    let proof = verify(network, &breaks_nothing, &options);
    assert!(proof.is_free() && proof.reaches_every_pair, "{name}");
    for seed in [1, 2] {
        assert_eq!(drive(&breaks_nothing, seed), None, "{name}");
    }

    let twin = Twin { routing, breaks };
    let proof = verify(network, &twin, &options);
    assert!(proof.reaches_every_pair, "{name}: {:?}", proof.verdict);
    assert_eq!(proof.reason(), Some(&Reason::Cycle), "{name}");
    let dependencies = Dependencies::of(network, &twin);
    assert!(dependencies.closes(proof.cycle()), "{name}: {proof:?}");
    let deadlock = (1..=SEEDS).find_map(|seed| drive(&twin, seed));
    let circle = deadlock
        .unwrap_or_else(|| panic!("{name}: no deadlock"))
        .circle;
    assert!(dependencies.closes(&circle), "{name}: {circle:?}");
}

/// Every way closer.
fn closer(network: &Network, head: Head) -> Vec<ChannelId> {
    let grid = network.grid().unwrap();
    let mut ways = Vec::new();
    grid.for_each_minimal_channel(head.node, head.destination, |channel| ways.push(channel));
    ways
}

/// Every way but straight back.
fn onward(network: &Network, head: Head) -> Vec<ChannelId> {
    let before = head.arrived.map(|(channel, _)| network.source(channel));
    let ways = network.outgoing(head.node).map(ChannelId);
    ways.filter(|&way| Some(network.target(way)) != before)
        .collect()
}

/// Dimensions in any order.
fn dimension_order(network: &Network) {
    let grid = network.grid().unwrap();
    let routing = DimensionOrder::new(grid, 1, Tie::Positive, false).unwrap();
    let breaks = |head| closer(network, head);
    check("dimension-order", network, &routing, &breaks);
}

/// Turns from the second part of the directions to the first.
fn turn_models(network: &Network) {
    for rule in [
        TurnRule::WestFirst,
        TurnRule::NorthLast,
        TurnRule::NegativeFirst,
    ] {
        let routing = TurnModel::new(network.grid().unwrap(), 1, rule).unwrap();
        let breaks = |head| closer(network, head);
        check(rule.name(), network, &routing, &breaks);
    }
}

/// Turns in any column.
fn odd_even(network: &Network) {
    let routing = OddEven::new(network.grid().unwrap(), 1).unwrap();
    check("odd-even", network, &routing, &|head| closer(network, head));
}

/// Back within a line, or on to another dimension before this one is done.
fn express(network: &Network) {
    let routing = Express::new(network.express_cube().unwrap(), 1).unwrap();
    let breaks = |head| onward(network, head);
    check("express", network, &routing, &breaks);
}

/// Anywhere, and up from there although it has gone down.
fn up_down(network: &Network) {
    let breaks = |head| onward(network, head);
    let routing = UpDown::new(network, 1, None).unwrap();
    check("up-down", network, &routing, &breaks);
    let routing = AdaptiveUpDown::new(network, 1, None).unwrap();
    check("adaptive up-down", network, &routing, &breaks);
}

/// Down to a switch over other processors, and up again.
fn wrong_descents(network: &Network, head: Head) -> Vec<ChannelId> {
    let tree = network.fat_tree().unwrap();
    let is_down = |way: &ChannelId| {
        (0..4).any(|child| tree.channel(head.node, Way::Down(child)) == Some(*way))
    };
    let mut ways = onward(network, head);
    ways.retain(|way| is_down(way) && tree.switch(network.target(*way)).is_some());
    ways
}

fn nearest_common_ancestor(network: &Network) {
    let routing = NearestCommonAncestor::new(network.fat_tree().unwrap(), 1).unwrap();
    let breaks = |head| wrong_descents(network, head);
    check("nearest-common-ancestor", network, &routing, &breaks);
}

fn fat_pyramid(network: &Network) {
    let tree = network.fat_tree().unwrap();
    let routing = FatPyramid::new(tree, 1, 2).unwrap();
    let breaks = |head| wrong_descents(network, head);
    check("fat-pyramid, up again", network, &routing, &breaks);
    // In the mesh of its level, y before x too.
    let breaks = |head: Head| {
        let switch = tree.switch(head.node);
        let Some(switch) = switch.filter(|s| u64::from(s.level) == head.state) else {
            return Vec::new();
        };
        let block = tree.position(head.destination).1 >> (switch.level + 1);
        let direction = match block.cmp(&switch.y) {
            Ordering::Less => Direction::Down,
            Ordering::Equal => return Vec::new(),
            Ordering::Greater => Direction::Up,
        };
        let way = tree.channel(head.node, Way::Along(1, direction));
        way.into_iter().collect()
    };
    check("fat-pyramid, y before x", network, &routing, &breaks);
}

/// Networks, and the twins that are tried on each.
type Row = (Vec<Network>, &'static [fn(&Network)]);

fn twins() -> [Row; 7] {
    let grid = |radices: &[u32], ends| Grid::new(radices, ends).unwrap().into_network();
    let cube = |radix, dimensions, interval, levels| {
        let parameters = ExpressParameters::new(radix, dimensions, interval, levels);
        ExpressCube::new(parameters).unwrap().into_network()
    };
    let tree = |processors| FatTree::butterfly(processors).unwrap().into_network();
    let pyramid = |processors| FatTree::pyramid(processors).unwrap().into_network();
    let star = |symbols| Star::new(symbols).unwrap().into_network();
    let pruned = |dimensions| {
        let torus = SparseTorus::new(4, dimensions, Thinning::Pruned).unwrap();
        torus.into_network()
    };
    [
        (
            vec![grid(&[5, 4], Ends::Open)],
            &[dimension_order, turn_models, odd_even, up_down],
        ),
        (
            vec![grid(&[3, 3, 2], Ends::Open), grid(&[2; 4], Ends::Open)],
            &[dimension_order, turn_models, up_down],
        ),
        (
            vec![grid(&[6, 4], Ends::Ring), grid(&[5, 3], Ends::Ring)],
            &[up_down],
        ),
        (
            vec![cube(16, 1, 4, 1), cube(9, 2, 3, 1), cube(8, 2, 2, 2)],
            &[express, up_down],
        ),
        (
            vec![tree(16), tree(64)],
            &[nearest_common_ancestor, up_down],
        ),
        (
            vec![pyramid(16), pyramid(64)],
            &[nearest_common_ancestor, fat_pyramid, up_down],
        ),
        (vec![star(3), star(4), pruned(2), pruned(3)], &[up_down]),
    ]
}

#[test]
fn one_rule_removed_is_refused_with_a_cycle_that_traffic_comes_to() {
    if tier::is_left_out() {
        return;
    }
    for (networks, checks) in twins() {
        for network in &networks {
            checks.iter().for_each(|check| check(network));
        }
    }
}
