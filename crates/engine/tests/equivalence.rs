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

use flitsim_engine::routing::{DimensionOrder, FatPyramid, NearestCommonAncestor};
use flitsim_engine::{ChannelDelay, Counters, Engine, EngineConfig, NewPacket, Routing};
use flitsim_topology::{Ends, FatTree, Grid, Network, NodeId};
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
    if let ChannelDelay::PerChannel(delays) = &mut case.config.channel_delay {
        *delays = (0..network.channels()).map(|c| c * 7 % 5).collect();
    }
    if !case.config.channel_periods.is_empty() {
        case.config.channel_periods = (0..network.channels()).map(|c| 1 + c * 5 % 4).collect();
    }
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
    use flitsim_engine::{ChannelDelay, routing::Express};
    use flitsim_topology::{ExpressCube, ExpressParameters, express::Decomposition};
    let mut case = Case::new(number);
    let (plain, square) = (
        ExpressParameters::new(17, 1, 2, 3),
        ExpressParameters::new(5, 2, 2, 2),
    );
    let parameters = match number % 5 {
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
    if let ChannelDelay::PerChannel(delays) = &mut case.config.channel_delay {
        *delays = (0..network.channels()).map(|c| c * 7 % 5).collect();
    }
    if !case.config.channel_periods.is_empty() {
        case.config.channel_periods = (0..network.channels()).map(|c| 1 + c * 5 % 4).collect();
    }
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
