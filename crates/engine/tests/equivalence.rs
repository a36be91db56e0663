//! The engine equals the oracle: on random small cases the two logs of events are the same, cycle
//! for cycle and flit for flit, and so are the counters; and everything drains.
//!
//! A case depends on its number alone. The cases `FLITSIM_ORACLE_FIRST` (default 0) and on, in
//! all `FLITSIM_ORACLE_CASES` (default 1,000), are run; a failure names its case. One again, and
//! 20,000:
//!
//! ```sh
//! FLITSIM_ORACLE_FIRST=123 FLITSIM_ORACLE_CASES=1 cargo test -p flitsim-engine --test equivalence
//! FLITSIM_ORACLE_CASES=20000 cargo test --release -p flitsim-engine --test equivalence
//! ```

mod oracle;

use flitsim_engine::routing::{
    DimensionOrder, EnhancedNbc, FatPyramid, FewestDescents, Nbc, NearestCommonAncestor,
    NegativeHop,
};
use flitsim_engine::{
    ChannelDelay, Counters, Engine, EngineConfig, FlowControl, NewPacket, Routing, VcReallocation,
};
use flitsim_topology::{Ends, FatTree, Grid, Network, NodeId, Paths, SparseTorus, Star, Thinning};
use oracle::case::{Case, DRAIN_LIMIT, Relation};
use oracle::log::{Event, Recorder, What};
use oracle::relation::{Adaptive, Ordered, Round};
use oracle::{Oracle, Totals};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The engine's books are recounted once in this many cycles.
const CYCLES_PER_RECOUNT: u64 = 16;

/// Events before the first difference that a report shows.
const CONTEXT: usize = 6;

/// What one simulator did.
struct Run {
    log: Vec<Event>,
    /// When the last packet was offered, and at the end.
    totals: [Totals; 2],
    /// The first cycle that it did not simulate: that of the last delivery, or of the last offer.
    end: u64,
    drained: bool,
}

fn totals_of(counters: Counters) -> Totals {
    Totals {
        packets_offered: counters.packets_offered,
        packets_entered: counters.packets_entered,
        packets_delivered: counters.packets_delivered,
        flits_offered: counters.flits_offered,
        flits_ejected: counters.flits_ejected,
        flit_hops: counters.flit_hops,
    }
}

fn run_oracle<R: Routing>(
    case: &Case,
    network: &Network,
    routing: R,
    offers: &[Vec<NewPacket>],
) -> Run {
    let mut oracle = Oracle::new(network, routing, case.config.clone(), case.seed);
    for offered in offers {
        oracle.step(offered);
    }
    let mut after_offers = oracle.totals();
    while !oracle.is_idle() && oracle.cycle() < DRAIN_LIMIT {
        oracle.step(&[]);
    }
    // The engine counts a packet that follows a tail into its injection virtual channel as soon as
    // that tail has left, the cycle before it enters.
    let entered = |e: &&Event| e.what == What::Entered && e.cycle <= case.cycles;
    after_offers.packets_entered = oracle.log().iter().filter(entered).count() as u64;
    Run {
        log: oracle.log().to_vec(),
        totals: [after_offers, oracle.totals()],
        end: oracle.cycle(),
        drained: oracle.is_idle(),
    }
}

/// Every other case jumps over the cycles in which the network is empty.
fn run_engine<R: Routing>(
    case: &Case,
    network: &Network,
    routing: R,
    offers: &[Vec<NewPacket>],
) -> Run {
    let (config, probe) = (case.config.clone(), Recorder::default());
    let mut engine = Engine::new(network, routing, config, case.seed, probe).expect("an engine");
    let jumps = case.number % 2 == 1;
    while engine.cycle() < case.cycles {
        let now = engine.cycle() as usize;
        let quiet = offers[now..].iter().take_while(|o| o.is_empty()).count();
        if jumps && engine.is_idle() && quiet > 0 {
            engine.skip_to((now + quiet) as u64);
            continue;
        }
        for &offer in &offers[now] {
            engine.offer(offer);
        }
        engine.step();
        assert!(!engine.is_frozen(), "frozen in cycle {now}");
        if engine.cycle() % CYCLES_PER_RECOUNT == 0 {
            engine.check_invariants();
        }
    }
    let after_offers = totals_of(engine.counters());
    while !engine.is_idle() && engine.cycle() < DRAIN_LIMIT {
        engine.step();
        assert!(!engine.is_frozen(), "frozen before {}", engine.cycle());
    }
    engine.check_invariants();
    Run {
        log: std::mem::take(&mut engine.probe_mut().log),
        totals: [after_offers, totals_of(engine.counters())],
        end: engine.cycle(),
        drained: engine.is_idle(),
    }
}

/// The first event in which two logs differ, with some of those before it; empty where none does.
fn first_difference(mut oracle: Vec<Event>, mut engine: Vec<Event>) -> String {
    oracle.sort_unstable();
    engine.sort_unstable();
    let same = oracle.iter().zip(&engine).take_while(|(o, e)| o == e);
    let at = same.count();
    if at == oracle.len() && at == engine.len() {
        return String::new();
    }
    let before: Vec<String> = oracle[at.saturating_sub(CONTEXT)..at]
        .iter()
        .map(|event| format!("  both:   {event:?}\n"))
        .collect();
    format!(
        "event {at} of {} (oracle) and {} (engine) differs\n{}  oracle: {:?}\n  engine: {:?}\n",
        oracle.len(),
        engine.len(),
        before.concat(),
        oracle.get(at),
        engine.get(at)
    )
}

/// Empty where the two agree.
fn compare<R: Routing + Copy, const D: bool>(
    case: &Case,
    network: &Network,
    routing: Ordered<R, D>,
) -> String {
    let offers = case.offers(network, &routing);
    let oracle = run_oracle(case, network, routing, &offers);
    let engine = run_engine(case, network, routing, &offers);
    let mut report = first_difference(oracle.log, engine.log);
    for (when, (o, e)) in oracle.totals.iter().zip(&engine.totals).enumerate() {
        if o != e {
            let when = ["after the last offer", "at the end"][when];
            report += &format!("counters {when}\n  oracle: {o:?}\n  engine: {e:?}\n");
        }
    }
    if (oracle.end, oracle.drained) != (engine.end, engine.drained) || !oracle.drained {
        report += &format!(
            "ends in cycle {} (oracle, drained: {}), {} (engine, drained: {})\n",
            oracle.end, oracle.drained, engine.end, engine.drained
        );
    }
    report
}

fn run_case(number: u64) -> String {
    let case = Case::new(number);
    let network = case.network();
    let grid = network.grid().expect("a grid");
    let vcs = case.config.virtual_channels;
    let compared = catch_unwind(AssertUnwindSafe(|| match case.relation {
        Relation::Adaptive => {
            let routing = Adaptive::new(grid, vcs);
            compare(&case, &network, Ordered::<_, false>(routing))
        }
        Relation::DimensionOrder {
            tie,
            vc_balance,
            declared,
        } => {
            let routing = DimensionOrder::new(grid, vcs, tie, vc_balance).expect("enough VCs");
            if declared {
                compare(&case, &network, Ordered::<_, true>(routing))
            } else {
                compare(&case, &network, Ordered::<_, false>(routing))
            }
        }
    }));
    let report = compared.unwrap_or_else(|_| "a panic, printed above\n".into());
    if report.is_empty() {
        report
    } else {
        format!("case {number}: {report}{case:#?}\n")
    }
}

fn number_from_environment(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(value) => value.parse().expect("a number in the environment"),
        Err(_) => default,
    }
}

#[test]
fn the_engine_equals_the_oracle_flit_for_flit() {
    let first = number_from_environment("FLITSIM_ORACLE_FIRST", 0);
    let end = first + number_from_environment("FLITSIM_ORACLE_CASES", 1_000);
    let (next, failures) = (AtomicU64::new(first), Mutex::new(BTreeMap::new()));
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= end {
                        return;
                    }
                    let report = run_case(number);
                    if !report.is_empty() {
                        failures.lock().expect("no poison").insert(number, report);
                        next.store(end, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no poison");
    let first = failures.values().next();
    assert!(first.is_none(), "\n{}", first.unwrap_or(&String::new()));
}

/// Delays and periods of a case's own grid, made anew for the channels of `network`.
fn suit_channels(config: &mut EngineConfig, network: &Network) {
    if let ChannelDelay::PerChannel(delays) = &mut config.channel_delay {
        *delays = (0..network.channels()).map(|c| c * 7 % 5).collect();
    }
    if !config.channel_periods.is_empty() {
        config.channel_periods = (0..network.channels()).map(|c| 1 + c * 5 % 4).collect();
    }
}

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
    for number in 0..150 {
        let report = run_tree_case(number);
        assert!(report.is_empty(), "\n{report}");
    }
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
    for number in 0..198 {
        let report = run_relation_case(number);
        assert!(report.is_empty(), "\n{report}");
    }
}

#[test]
fn a_deadlocked_ring_stops_as_the_oracles_does() {
    let grid = Grid::new(&[4], Ends::DirectedRing).expect("a grid");
    let network = grid.clone().into_network();
    let routing = Ordered::<_, true>(Round(&grid));
    let config = EngineConfig {
        virtual_channels: 1,
        buffer_flits: 2,
        ..EngineConfig::default()
    };
    let mut oracle = Oracle::new(&network, routing, config.clone(), 1);
    let recorder = Recorder::default();
    let mut engine = Engine::new(&network, routing, config, 1, recorder).expect("an engine");
    // Every packet holds the channel out of its source, and waits for the next one's.
    let offers: Vec<NewPacket> = (0..4)
        .map(|source| NewPacket {
            source: NodeId(source),
            destination: NodeId((source + 2) % 4),
            flits: 8,
            entropy: 0,
        })
        .collect();
    offers.iter().for_each(|&offer| engine.offer(offer));
    oracle.step(&offers);
    engine.step();
    assert!(!engine.is_frozen());
    for _ in 0..50 {
        oracle.step(&[]);
        engine.step();
    }
    assert!(engine.is_frozen() && !engine.is_idle() && !oracle.is_idle());
    assert_eq!(oracle.totals().flit_hops, 8);
    assert_eq!(oracle.totals(), totals_of(engine.counters()));
    let log = std::mem::take(&mut engine.probe_mut().log);
    let difference = first_difference(oracle.log().to_vec(), log);
    assert!(difference.is_empty(), "{difference}");
}

/// The router and the traffic of case `number` in a small express cube: switches without a
/// terminal, channels side by side, and modules of interchanges.
fn run_express_case(number: u64) -> String {
    use flitsim_engine::routing::Express;
    use flitsim_topology::express::{Decomposition, Interchanges};
    use flitsim_topology::{ExpressCube, ExpressParameters};
    let mut case = Case::new(number);
    let (plain, square) = (
        ExpressParameters::new(17, 1, 2, 3),
        ExpressParameters::new(5, 2, 2, 2),
    );
    let parameters = match number % 5 {
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
    let routing = Express::new(cube, case.config.virtual_channels).expect("enough VCs");
    let report = compare(&case, &network, Ordered::<_, false>(routing));
    match report.is_empty() {
        true => report,
        false => format!("express case {number}: {report}{case:#?}\n"),
    }
}

#[test]
fn the_engine_equals_the_oracle_on_express_cubes() {
    for number in 0..150 {
        let report = run_express_case(number);
        assert!(report.is_empty(), "\n{report}");
    }
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
    for number in 0..75 {
        let report = run_manhattan_case(number);
        assert!(report.is_empty(), "\n{report}");
    }
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
    for number in 0..150 {
        let report = run_negative_hop_case(number);
        assert!(report.is_empty(), "\n{report}");
    }
}
