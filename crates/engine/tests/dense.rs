//! The dense engine equals the oracle, and so the sparse one: `equivalence.rs` tells how cases are
//! numbered and run again.

use crate::common::any::Any;
use crate::common::loaded::Delivered;
use crate::common::numbered::run_numbered;
use crate::compare::{compare, dense_fit};
use crate::oracle::case::{Case, Dice, Relation};
use crate::oracle::log::Deliveries;
use crate::oracle::relation::Ordered;
use crate::tier;
use flitsim_engine::random::{Purpose, below, draw};
use flitsim_engine::routing::{Algorithm, DimensionOrder, RoutingChoice, Tables, Tie, Valiant};
use flitsim_engine::{
    Arbiter, Candidates, ChannelDelay, DenseEngine, Engine, EngineConfig, Head, InputArbiter,
    Matching, NewPacket, NoProbe, Pipeline, Routing, VcReallocation, Vectors,
};
use flitsim_topology::{Ends, Grid, Network, NodeId};
use std::sync::atomic::{AtomicU64, Ordering};

/// Larger grids than cases have: of several blocks, the last of them not full.
const SHAPES: [&[u32]; 9] = [
    &[9, 9],
    &[16, 5],
    &[10, 10],
    &[33, 2],
    &[5, 5, 5],
    &[2, 2, 2, 2, 2, 2],
    &[70],
    &[4, 17],
    // Of more ports than eight, which routers in stages do not have.
    &[2, 2, 2, 2, 2, 2, 2, 2],
];

/// The traffic of case `number` through a router that the dense engine offers.
pub fn dense_case(number: u64) -> Case {
    let mut case = Case::new(number);
    let mut dice = Dice::new(number ^ 0x6465_6e73_6500);
    if dice.from(0, 9) == 0 {
        case.radices = dice.pick(&SHAPES).to_vec();
        case.permutation = None;
        case.cycles = case.cycles.min(100);
    }
    let vcs_least = if case.ends == Ends::Open { 1 } else { 2 };
    case.config = EngineConfig {
        virtual_channels: dice.from(vcs_least, 8),
        injection_vcs: dice.from(1, 8),
        buffer_flits: case.config.buffer_flits,
        vc_reallocation: case.config.vc_reallocation,
        selection: case.config.selection,
        ..EngineConfig::default()
    };
    fill_counts(&mut case, &mut dice);
    case
}

/// Counts that fill their bits, now and then: 5, 6 or 8.
fn fill_counts(case: &mut Case, dice: &mut Dice) {
    if dice.from(0, 7) == 0 {
        let flits = dice.pick(&[31, 63, 127, 128, 255]);
        case.config.buffer_flits = dice.pick(&[case.config.buffer_flits, flits]);
        case.lengths.push(flits);
        end_in_time(case);
    }
}

/// Long packets through small buffers of many routers take more cycles than are waited for.
fn end_in_time(case: &mut Case) {
    let routers = case.radices.iter().product::<u32>();
    if routers > 64 {
        let most = (4 * case.config.buffer_flits).max(30);
        case.lengths.retain(|&flits| flits <= most);
    }
    // Round the ring of 70 a packet takes 35 hops.
    if routers > 64 && case.radices.len() == 1 {
        case.load_per_mille = case.load_per_mille.min(500);
    }
}

fn run_case(number: u64) -> String {
    run_of(&dense_case(number))
}

/// `case` under dimension order, or Valiant's algorithm.
fn run_of(case: &Case) -> String {
    let number = case.number;
    let network = case.network();
    let grid = network.grid().expect("a grid");
    let vcs = case.config.virtual_channels;
    let (tie, balance) = match case.relation {
        Relation::DimensionOrder {
            tie, vc_balance, ..
        } => (tie, vc_balance),
        Relation::Adaptive => (Tie::Random, number.is_multiple_of(2)),
    };
    let report = if number.is_multiple_of(16) && vcs >= 4 {
        let routing = Valiant::new(grid, vcs, balance).expect("enough VCs");
        compare(case, &network, Ordered::<_, true>(routing))
    } else {
        let routing = DimensionOrder::new(grid, vcs, tie, balance).expect("enough VCs");
        let routing = routing.with_ring_classes(case.ring_classes());
        compare(case, &network, Ordered::<_, true>(routing))
    };
    told(case, report)
}

fn told(case: &Case, report: String) -> String {
    match report.is_empty() {
        true => report,
        false => format!("dense case {}: {report}{case:#?}\n", case.number),
    }
}

/// Those that choose among several channels.
const ADAPTIVE: [Algorithm; 11] = [
    Algorithm::Duato,
    Algorithm::Duato,
    Algorithm::WestFirst,
    Algorithm::NorthLast,
    Algorithm::NegativeFirst,
    Algorithm::OddEven,
    Algorithm::PlanarAdaptive,
    Algorithm::NegativeHop,
    Algorithm::Nbc,
    Algorithm::EnhancedNbc,
    Algorithm::HopClass,
];

/// `case` under one of [`ADAPTIVE`]; `None` where none has enough virtual channels.
fn run_adaptive(mut case: Case) -> Option<String> {
    let number = case.number;
    let network = case.network();
    let (vcs, tables) = (case.config.virtual_channels, Tables::default());
    let relation = |algorithm: Algorithm| {
        let choice = RoutingChoice::from(algorithm);
        choice.relation(&network, vcs, &tables).ok()
    };
    // Planar-adaptive packets go either way along a dimension.
    let fits = |&algorithm: &Algorithm| {
        let is_planar = algorithm == Algorithm::PlanarAdaptive;
        !(is_planar && case.ends == Ends::DirectedRing) && relation(algorithm).is_some()
    };
    let fitting: Vec<Algorithm> = ADAPTIVE.into_iter().filter(fits).collect();
    if fitting.is_empty() {
        return None;
    }
    let mut dice = Dice::new(number ^ 0x6164_6170_7400);
    let routing = relation(dice.pick(&fitting))?;
    if routing.has_escape() {
        case.config.vc_reallocation = VcReallocation::Atomic;
    }
    let report = compare(&case, &network, Ordered::<_, false>(routing));
    Some(told(&case, report))
}

#[test]
fn adaptive_relations_do_the_same_on_the_dense_engine() {
    let tried = AtomicU64::new(0);
    let all = AtomicU64::new(0);
    run_numbered(
        "ORACLE",
        || tier::cases(600),
        |number| {
            all.fetch_add(1, Ordering::Relaxed);
            let report = run_adaptive(dense_case(number))?;
            tried.fetch_add(1, Ordering::Relaxed);
            (!report.is_empty()).then_some(report)
        },
    );
    let (tried, all) = (tried.into_inner(), all.into_inner());
    assert!(2 * tried > all, "{tried} of {all}");
}

#[test]
fn the_dense_engine_equals_the_oracle_flit_for_flit() {
    run_numbered(
        "ORACLE",
        || tier::cases(600),
        |number| {
            let report = run_case(number);
            (!report.is_empty()).then_some(report)
        },
    );
}

/// Case `number` with routers in stages that the dense engine offers.
fn staged_case(number: u64) -> Case {
    let mut case = dense_case(number);
    let mut dice = Dice::new(number ^ 0x7374_6167_6500);
    let allocators = [
        Matching::SeparableInputFirst,
        Matching::SeparableOutputFirst,
        Matching::Islip { iterations: 1 },
    ];
    let several = Matching::Islip {
        iterations: dice.from(2, 4),
    };
    let vcs_least = if case.ends == Ends::Open { 1 } else { 2 };
    let network = case.network();
    let nodes = (0..network.nodes()).map(NodeId);
    let links_most = nodes.map(|node| network.in_degree(node)).max();
    let vcs_most = if links_most <= Some(7) { 8 } else { vcs_least };
    case.config = EngineConfig {
        virtual_channels: dice.from(vcs_least, vcs_most),
        injection_vcs: dice.from(1, vcs_most),
        ejection_vcs: dice.from(1, vcs_most),
        injection_buffers: true,
        pipeline: Some(Pipeline {
            routing: dice.from(0, 3),
            vc_allocation: dice.from(1, 3),
            switch_allocation: 1,
            traversal: dice.from(0, 3),
        }),
        speculative: dice.pick(&[false, true]),
        credit_delay: dice.from(1, 4),
        channel_delay: ChannelDelay::Uniform(dice.pick(&[0, 0, 1, 5])),
        vc_allocator: Some(match dice.from(0, 3) {
            0 => several,
            _ => dice.pick(&allocators),
        }),
        arbiter: dice.pick(&[None, Some(Arbiter::RoundRobin)]),
        switch_allocator: dice.pick(&[
            None,
            Some(allocators[0]),
            Some(allocators[1]),
            Some(allocators[2]),
        ]),
        input_arbiter: dice.pick(&[InputArbiter::LeastRecentlyServed, InputArbiter::RoundRobin]),
        input_speedup: dice.pick(&[1, 2]),
        ..case.config
    };
    // More ways than virtual channels are not used.
    let vcs = [case.config.injection_vcs, case.config.ejection_vcs];
    if vcs
        .into_iter()
        .all(|vcs| vcs.max(case.config.virtual_channels) <= 2)
    {
        case.config.input_speedup = dice.pick(&[1, 2, 64]);
    }
    end_in_time(&mut case);
    fill_counts(&mut case, &mut dice);
    case
}

#[test]
fn routers_in_stages_do_the_same_on_the_dense_engine() {
    let fits = AtomicU64::new(0);
    let all = AtomicU64::new(0);
    run_numbered(
        "ORACLE",
        || tier::cases(300),
        |number| {
            let case = staged_case(number);
            let network = case.network();
            type Dense<'n> = DenseEngine<'n, DimensionOrder<'n>, NoProbe>;
            let flits = case.lengths.iter().copied().max().unwrap_or(1);
            let is_fit = Dense::fits(&network, &case.config, flits).is_ok();
            all.fetch_add(1, Ordering::Relaxed);
            fits.fetch_add(u64::from(is_fit), Ordering::Relaxed);
            let report = run_of(&case);
            (!report.is_empty()).then_some(report)
        },
    );
    let (fits, all) = (fits.into_inner(), all.into_inner());
    assert!(10 * fits > 9 * all, "{fits} of {all}");
}

/// Case `number` on a grid of several parts; with routers in stages, under an adaptive relation, or neither.
fn parted_case(number: u64) -> Option<String> {
    let large = |mut case: Case, shapes: &[&[u32]]| {
        let mut dice = Dice::new(number ^ 0x7061_7274_6564);
        case.radices = dice.pick(shapes).to_vec();
        case.permutation = None;
        case.cycles = case.cycles.min(100);
        end_in_time(&mut case);
        case
    };
    match number % 3 {
        0 => Some(run_of(&large(dense_case(number), &SHAPES))),
        1 => run_adaptive(large(dense_case(number), &SHAPES)),
        _ => Some(run_of(&large(staged_case(number), &SHAPES[..8]))),
    }
}

#[test]
fn grids_in_parts_do_the_same_on_the_dense_engine() {
    run_numbered(
        "ORACLE",
        || tier::cases(150),
        |number| parted_case(number).filter(|report| !report.is_empty()),
    );
}

/// Another relation, whose candidates name virtual channels that there are not.
pub struct Beyond<R>(pub R);

impl<R: Routing> Routing for Beyond<R> {
    const DETERMINISTIC: bool = false;

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let mut all = Candidates::default();
        self.0.route(head, &mut all);
        for way in all.as_slice() {
            candidates.add(way.channel, way.vcs | !0 << 3);
        }
    }
}

/// Cycles until `packets` packets are through a mesh of 3 virtual channels, by the sparse and the dense engine.
fn cycles_beyond(routing: impl Routing + Clone, network: &Network, packets: u32) -> [u64; 2] {
    let config = EngineConfig {
        virtual_channels: 3,
        injection_vcs: 3,
        ..EngineConfig::default()
    };
    let offered = (0..packets).map(|number| {
        let word = draw(5, Purpose::Route, number, 0, 0);
        let ends = [word, word.rotate_left(32)].map(|word| below(word, network.terminals()));
        let [source, destination] = ends.map(NodeId);
        NewPacket {
            source,
            destination,
            flits: 5,
            entropy: word,
        }
    });
    let mut sparse = Engine::new(
        network,
        routing.clone(),
        config.clone(),
        1,
        Delivered::nothing(),
    )
    .expect("sparse");
    for packet in offered.clone() {
        sparse.offer(packet);
    }
    let mut dense = DenseEngine::new(
        network,
        routing.clone(),
        &config,
        1,
        dense_fit(network, &config, 5).with(Vectors::Baseline),
        Deliveries::nothing(),
    )
    .expect("dense");
    for packet in offered {
        dense.offer_tagged(packet, 0);
    }
    while !sparse.is_idle() && sparse.cycle() < 5_000 {
        sparse.step();
    }
    while !dense.is_idle() && dense.cycle() < 5_000 {
        dense.step();
    }
    [sparse.cycle(), dense.cycle()]
}

#[test]
fn virtual_channels_that_there_are_not_are_not_taken() {
    let network = Grid::uniform(4, 2, Ends::Open)
        .expect("a mesh")
        .into_network();
    let grid = network.grid().expect("a grid");
    let order = DimensionOrder::new(grid, 3, Tie::Random, true).expect("enough VCs");
    let only_these = cycles_beyond(Any::<true>::new(&order), &network, 240);
    assert!(only_these[0] < 5_000, "{only_these:?}");
    assert_eq!(
        only_these,
        cycles_beyond(Any::<true>::new(&Beyond(order.clone())), &network, 240)
    );
    assert_eq!(
        only_these,
        cycles_beyond(Any::<false>::new(&Beyond(order)), &network, 240)
    );
}

/// `plain` in stages, as BookSim2's router is by default.
pub fn in_stages(plain: EngineConfig) -> EngineConfig {
    EngineConfig {
        pipeline: Some(Pipeline {
            routing: 1,
            vc_allocation: 1,
            switch_allocation: 1,
            traversal: 1,
        }),
        vc_allocator: Some(Matching::Islip { iterations: 1 }),
        switch_allocator: Some(Matching::Islip { iterations: 1 }),
        ejection_vcs: plain.virtual_channels,
        injection_buffers: true,
        ..plain
    }
}

#[test]
fn a_dense_cycle_allocates_nothing() {
    let plain = EngineConfig::default();
    for config in [in_stages(plain.clone()), plain] {
        allocates_nothing(&config);
    }
}

fn allocates_nothing(config: &EngineConfig) {
    let network = Grid::uniform(8, 2, Ends::Ring)
        .expect("a torus")
        .into_network();
    let grid = network.grid().expect("a grid");
    let routing = DimensionOrder::new(grid, 4, Tie::Random, true).expect("enough VCs");
    let routing = Any::<true>::new(&routing);
    let probe = Deliveries::nothing();
    let fit = dense_fit(&network, config, 4);
    let engine = DenseEngine::new(&network, routing, config, 1, fit, probe);
    let mut engine = engine.expect("an engine");
    let mut run = |cycles: u64| {
        let end = engine.cycle() + cycles;
        while engine.cycle() < end {
            for node in 0..network.terminals() {
                let word = draw(7, Purpose::Route, node, engine.cycle(), 0);
                if word.is_multiple_of(16) {
                    let packet = NewPacket {
                        source: NodeId(node),
                        destination: NodeId(below(word, network.terminals())),
                        flits: 4,
                        entropy: word.rotate_left(32),
                    };
                    engine.offer_tagged(packet, 0);
                }
            }
            engine.step();
        }
        engine.counters().flit_hops
    };
    let before = run(2_000);
    let mut after = 0;
    let allocations = allocation_counter::measure(|| after = run(5_000));
    assert!(after > before + 100_000, "{before} to {after}");
    assert_eq!(allocations.count_total, 0);
}
