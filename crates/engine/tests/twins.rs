//! Negative twins of the algorithms that need one virtual channel only, and so cannot be short of
//! one: each with one of its rules removed. The proof refuses the twin with a cycle, every step of
//! which a packet of it makes, and traffic comes to a deadlock along such a cycle; the algorithm
//! itself is proved and keeps moving under the same traffic. (Algorithms with classes of virtual
//! channels have twins with one fewer, from the command line: `tests/verify.rs`, `tests/refused.rs`.
//! Tables and routes from a file that go round a ring are there too.)

mod common;

use common::dependencies::Dependencies;
use flitsim_engine::random::{Purpose, below, draw};
use flitsim_engine::routing::{
    DimensionOrder, Erased, Express, FatPyramid, NearestCommonAncestor, OddEven, Tie, TurnModel,
    TurnRule, UpDown,
};
use flitsim_engine::verify::{Reason, VerifyOptions, verify};
use flitsim_engine::{
    Candidate, Candidates, Deadlock, Engine, EngineConfig, Head, NewPacket, NoProbe, Routing, Selection,
    Watchdog,
};
use flitsim_topology::fat_tree::Way;
use flitsim_topology::{
    ChannelId, Ends, ExpressCube, ExpressParameters, FatTree, Grid, MinimalPaths, Network, NodeId,
    SparseTorus, Star, Thinning,
};

/// In the state of a packet that has broken the rule.
const BROKEN: u64 = 1 << 63;

/// A relation, and the ways on that a packet may take against one of its rules, once on its way, so
/// that it arrives all the same.
#[derive(Clone, Copy)]
struct Twin<'t> {
    routing: Erased<'t, false>,
    breaks: &'t (dyn Fn(Head) -> Vec<ChannelId> + Sync),
}

impl Twin<'_> {
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

impl Routing for Twin<'_> {
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

/// One virtual channel, two flits of buffer: packets of 16 flits hold several channels.
fn config() -> EngineConfig {
    EngineConfig {
        virtual_channels: 1,
        injection_vcs: 1,
        buffer_flits: 2,
        selection: Selection::Random,
        ..EngineConfig::default()
    }
}

/// More uniform traffic than any network takes, until the watchdog finds a deadlock, or not within
/// `cycles`.
fn crowd<R: Routing>(network: &Network, routing: R, seed: u64, cycles: u64) -> Option<Deadlock> {
    let terminals = network.terminals();
    let mut engine = Engine::new(network, routing, config(), seed, NoProbe).unwrap();
    let mut watchdog = Watchdog::new();
    while engine.cycle() < cycles {
        for node in 0..terminals {
            let word = draw(seed, Purpose::Route, node, engine.cycle(), 0);
            if word.is_multiple_of(16) {
                engine.offer(NewPacket {
                    source: NodeId(node),
                    destination: NodeId((node + 1 + below(word, terminals - 1)) % terminals),
                    flits: 16,
                    entropy: draw(seed, Purpose::Route, node, engine.cycle(), 1),
                });
            }
        }
        engine.step();
        let found = watchdog.look(&engine);
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Whether each of `circle` is followed by what a packet that holds it may ask for.
fn is_cycle(circle: &[(ChannelId, u32)], dependencies: &Dependencies) -> bool {
    let next = circle.iter().cycle().skip(1);
    let mut steps = circle.iter().zip(next);
    !circle.is_empty() && steps.all(|(&from, &to)| dependencies.edges.contains(&(from, to)))
}

/// The algorithm is proved and flows; without the rule it is refused with a cycle and stands still.
fn check<R: Routing>(
    network: &Network,
    routing: &R,
    breaks: &(dyn Fn(Head) -> Vec<ChannelId> + Sync),
) -> Result<(), String> {
    let options = VerifyOptions::of(&config());
    let real = Erased::<false>::new(routing);
    let nothing = |_: Head| Vec::new();
    let kept = Twin {
        routing: real,
        breaks: &nothing,
    };
    let proof = verify(network, &kept, &options);
    assert!(proof.is_free() && proof.reaches_every_pair);
    assert_eq!(crowd(network, kept, 1, 3_000), None);

    let twin = Twin {
        routing: real,
        breaks,
    };
    let proof = verify(network, &twin, &options);
    if !proof.reaches_every_pair || proof.reason() != Some(&Reason::Cycle) {
        return Err(format!("not refused: {:?}", proof.verdict));
    }
    let dependencies = Dependencies::of(network, &twin);
    if !is_cycle(proof.cycle(), &dependencies) {
        return Err(format!("no dependencies: {:?}", proof.cycle()));
    }
    let deadlock = (1..=40).find_map(|seed| crowd(network, twin, seed, 4_096).inspect(|_| print!("seed {seed} ")));
    let circle = deadlock.ok_or("no deadlock")?.circle;
    if !is_cycle(&circle, &dependencies) {
        return Err(format!("no dependencies: {circle:?}"));
    }
    Ok(())
}

/// Every way closer.
fn closer(network: &Network, head: Head) -> Vec<ChannelId> {
    let grid = network.grid().unwrap();
    let mut ways = Vec::new();
    grid.for_each_minimal_channel(head.node, head.destination, |channel| ways.push(channel));
    ways
}

/// Every way but straight back.
fn onward(network: &Network, head: Head) -> impl Iterator<Item = ChannelId> {
    let before = head.arrived.map(|(channel, _)| network.source(channel));
    let ways = network.outgoing(head.node).map(ChannelId);
    ways.filter(move |&way| Some(network.target(way)) != before)
}

/// Dimensions in any order.
fn dimension_order(network: &Network) -> Result<(), String> {
    let grid = network.grid().unwrap();
    let routing = DimensionOrder::new(grid, 1, Tie::Positive, false).unwrap();
    check(network, &routing, &|head| closer(network, head))
}

/// Turns from the second part of the directions to the first.
fn turn_models(network: &Network) -> Result<(), String> {
    let grid = network.grid().unwrap();
    for rule in [
        TurnRule::WestFirst,
        TurnRule::NorthLast,
        TurnRule::NegativeFirst,
    ] {
        let routing = TurnModel::new(grid, 1, rule).unwrap();
        check(network, &routing, &|head| closer(network, head))
            .map_err(|error| format!("{rule:?}: {error}"))?;
    }
    Ok(())
}

/// Turns in any column.
fn odd_even(network: &Network) -> Result<(), String> {
    let routing = OddEven::new(network.grid().unwrap(), 1).unwrap();
    check(network, &routing, &|head| closer(network, head))
}

/// Down into a block that does not hold the destination, and up again.
fn wrong_descents(network: &Network, head: Head) -> Vec<ChannelId> {
    let tree = network.fat_tree().unwrap();
    let is_switch = |way: &ChannelId| tree.switch(network.target(*way)).is_some();
    let down = (0..4).filter_map(|child| tree.channel(head.node, Way::Down(child)));
    let down: Vec<_> = down.filter(is_switch).collect();
    let ways = onward(network, head);
    ways.filter(|way| down.contains(way)).collect()
}

fn nearest_common_ancestor(network: &Network) -> Result<(), String> {
    let routing = NearestCommonAncestor::new(network.fat_tree().unwrap(), 1).unwrap();
    check(network, &routing, &|head| wrong_descents(network, head))
}

fn fat_pyramid_down_and_up(network: &Network) -> Result<(), String> {
    let routing = FatPyramid::new(network.fat_tree().unwrap(), 1, 2).unwrap();
    check(network, &routing, &|head| wrong_descents(network, head))
}

/// In the meshes, y before x too.
fn fat_pyramid_any_order(network: &Network) -> Result<(), String> {
    let tree = network.fat_tree().unwrap();
    let routing = FatPyramid::new(tree, 1, 2).unwrap();
    check(network, &routing, &|head| {
        let there = tree.position(head.destination).1;
        let Some(switch) = tree.switch(head.node).filter(|s| u64::from(s.level) == head.state)
        else {
            return Vec::new();
        };
        let way = match (there >> (switch.level + 1)).cmp(&switch.y) {
            std::cmp::Ordering::Less => Way::Along(1, flitsim_topology::Direction::Down),
            std::cmp::Ordering::Equal => return Vec::new(),
            std::cmp::Ordering::Greater => Way::Along(1, flitsim_topology::Direction::Up),
        };
        tree.channel(head.node, way).into_iter().collect()
    })
}

/// Back within a line, or on to another dimension before this one is done.
fn express(network: &Network) -> Result<(), String> {
    let routing = Express::new(network.express_cube().unwrap(), 1).unwrap();
    check(network, &routing, &|head| onward(network, head).collect())
}

/// Up again after down.
fn up_down(network: &Network) -> Result<(), String> {
    let routing = UpDown::new(network, 1, None).unwrap();
    check(network, &routing, &|head| onward(network, head).collect())
}

/// A rule that is removed, where, and from which algorithm.
type Row = (&'static str, Vec<Network>, fn(&Network) -> Result<(), String>);

fn twins() -> Vec<Row> {
    let mesh = |radices: &[u32]| Grid::new(radices, Ends::Open).unwrap().into_network();
    let torus = |radices: &[u32]| Grid::new(radices, Ends::Ring).unwrap().into_network();
    let meshes = || vec![mesh(&[5, 4]), mesh(&[3, 3, 2]), mesh(&[2; 4])];
    let tree = |processors| FatTree::butterfly(processors).unwrap().into_network();
    let pyramid = |processors| FatTree::pyramid(processors).unwrap().into_network();
    let cube = |radix, dimensions, interval, levels| {
        let parameters = ExpressParameters::new(radix, dimensions, interval, levels);
        ExpressCube::new(parameters).unwrap().into_network()
    };
    let cubes = || vec![cube(16, 1, 4, 1), cube(9, 2, 3, 1), cube(8, 2, 2, 2)];
    let star = |symbols| Star::new(symbols).unwrap().into_network();
    let pruned = |dimensions| {
        let torus = SparseTorus::new(4, dimensions, Thinning::Pruned).unwrap();
        torus.into_network()
    };
    let mut linked = meshes();
    linked.extend([torus(&[6, 4]), torus(&[5, 3]), cube(16, 1, 4, 1)]);
    linked.extend([pyramid(64), star(3), star(4), pruned(2), pruned(3)]);
    vec![
        ("dimension-order, in any order", meshes(), dimension_order),
        ("turn models, every turn", meshes(), turn_models),
        ("odd-even, in any column", vec![mesh(&[5, 4])], odd_even),
        (
            "nearest-common-ancestor, up again",
            vec![tree(16), tree(64), pyramid(64)],
            nearest_common_ancestor,
        ),
        (
            "fat-pyramid, up again",
            vec![pyramid(16), pyramid(64)],
            fat_pyramid_down_and_up,
        ),
        (
            "fat-pyramid, y before x",
            vec![pyramid(16), pyramid(64)],
            fat_pyramid_any_order,
        ),
        ("express, back or out of order", cubes(), express),
        ("up-down, up again", linked, up_down),
        ("up-down, up again, tree", vec![tree(16), tree(64)], up_down),
    ]
}

#[test]
fn one_rule_removed_is_refused_with_a_cycle_that_traffic_comes_to() {
    for (name, networks, check) in twins() {
        for (place, network) in networks.iter().enumerate() {
            let start = std::time::Instant::now();
            println!("{name} {place}: {:?} {:?}", check(network), start.elapsed());
        }
    }
}
