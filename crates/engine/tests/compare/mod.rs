//! A case in the engine and in the oracle: their logs and counters side by side.

#![allow(dead_code, reason = "each test uses a part")]

mod energy;

use crate::common::any::Any;
use crate::common::loaded::Delivered;
use crate::oracle::case::{Case, DRAIN_LIMIT};
use crate::oracle::log::{Deliveries, Event, Recorder, What};
use crate::oracle::relation::Ordered;
use crate::oracle::{Oracle, Totals};
use flitsim_engine::routing::DimensionOrder;
use flitsim_engine::{
    Activity, ChannelDelay, Counters, DenseEngine, DenseTeam, Engine, EngineConfig, Fit, Member,
    NewPacket, NoProbe, Routing, SparseTeam, Team, Vectors,
};
use flitsim_topology::Network;
use flitsim_topology::archive::{Archive, Archived, is_whole};

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

impl Run {
    /// Of its events those that a packet as a whole has.
    fn of_packets(&self) -> Self {
        let is_of_packet =
            |event: &&Event| matches!(event.what, What::Entered | What::Delivered { .. });
        Self {
            log: self.log.iter().filter(is_of_packet).copied().collect(),
            ..*self
        }
    }
}

pub fn totals_of(counters: Counters) -> Totals {
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
    let mut oracle = Oracle::new(network, &routing, case.config.clone(), case.seed);
    for offered in offers {
        oracle.step(offered);
    }
    let mut after_offers = oracle.totals();
    while !oracle.is_idle() && oracle.cycle() < DRAIN_LIMIT {
        oracle.step(&[]);
    }
    // The engine counts a packet that follows a tail into its injection virtual channel as soon as
    // that tail has left, the cycle before it enters.
    let early = u64::from(!case.config.injection_buffers);
    let entered = |e: &&Event| e.what == What::Entered && e.cycle < case.cycles + early;
    after_offers.packets_entered = oracle.log().iter().filter(entered).count() as u64;
    Run {
        log: in_order(oracle.log().to_vec()),
        totals: [after_offers, oracle.totals()],
        end: oracle.cycle(),
        drained: oracle.is_idle(),
    }
}

/// `other`, built like `engine`, does from now on what `engine` did, of which it gets nothing but bytes. In
/// every few cycles, which ones depends on the case.
fn hand_over<E: Archived>(
    case: &Case,
    cycle: u64,
    engine: &mut E,
    other: impl FnOnce() -> E,
) -> Option<E> {
    if !(cycle * 7 + case.number).is_multiple_of(41) {
        return None;
    }
    let (mut bytes, mut other) = (Vec::new(), other());
    let mut archive = Archive::saving(&mut bytes);
    engine.archive(&mut archive);
    archive.finish().expect("room");
    assert!(is_whole(&mut &*bytes, bytes.len() as u64).expect("bytes"));
    let mut archive = Archive::loading(Box::new(&*bytes));
    other.archive(&mut archive);
    archive.finish().expect("what was saved");
    Some(other)
}

/// Every other case jumps over the cycles in which the network is empty.
fn run_engine<R: Routing + Clone>(
    case: &Case,
    network: &Network,
    routing: R,
    offers: &[Vec<NewPacket>],
) -> (Run, Activity) {
    let new = || {
        let (routing, config) = (routing.clone(), case.config.clone());
        let probe = Delivered::everything(network);
        Engine::new(network, routing, config, case.seed, probe).expect("an engine")
    };
    let mut engine = new();
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
        if let Some(mut other) = hand_over(case, engine.cycle(), &mut engine, new) {
            *other.probe_mut() = std::mem::take(engine.probe_mut());
            engine = other;
        }
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
    let run = Run {
        log: in_order(std::mem::take(&mut engine.probe_mut().recorder.log)),
        totals: [after_offers, totals_of(engine.counters())],
        end: engine.cycle(),
        drained: engine.is_idle(),
    };
    (run, std::mem::take(&mut engine.probe_mut().activity))
}

type RunDense<R> = fn(&Case, &Network, R, &[Vec<NewPacket>]) -> [Run; 3];

/// The same on the dense engine, with vectors of any width, and on a team of them.
fn run_dense<R: Routing + Clone + Send>(
    case: &Case,
    network: &Network,
    routing: R,
    offers: &[Vec<NewPacket>],
) -> [Run; 3] {
    let widths = [Vectors::Widest, Vectors::Avx2, Vectors::Baseline];
    let vectors = widths[(case.number % 3) as usize];
    let (config, seed, parts) = (&case.config, case.seed, parts_of(case));
    let fit = dense_fit(network, config, longest(case)).with(vectors);
    macro_rules! team {
        ($probe:expr) => {{
            let new = || {
                let team = DenseTeam::new(network, &routing, config, seed, parts, fit, $probe);
                team.expect("a team")
            };
            run_team(case, offers, new, |_| {})
        }};
    }
    let (team, of_packets) = (team!(Recorder::default), team!(Deliveries::default));
    let engine = run_dense_engine(case, network, routing, offers, fit);
    [engine, team, of_packets]
}

fn run_dense_engine<R: Routing + Clone>(
    case: &Case,
    network: &Network,
    routing: R,
    offers: &[Vec<NewPacket>],
    fit: Fit,
) -> Run {
    let new = || {
        let (config, probe) = (&case.config, Recorder::default());
        let seed = case.seed;
        let engine = DenseEngine::new(network, routing.clone(), config, seed, fit, probe);
        engine.expect("an engine")
    };
    let mut engine = new();
    let jumps = case.number % 2 == 1;
    while engine.cycle() < case.cycles {
        let now = engine.cycle() as usize;
        let quiet = offers[now..].iter().take_while(|o| o.is_empty()).count();
        if jumps && engine.is_idle() && quiet > 0 {
            engine.skip_to((now + quiet) as u64);
            continue;
        }
        for &offer in &offers[now] {
            engine.offer_tagged(offer, 0);
        }
        engine.step();
        if let Some(mut other) = hand_over(case, engine.cycle(), &mut engine, new) {
            *other.probe_mut() = std::mem::take(engine.probe_mut());
            engine = other;
        }
    }
    let after_offers = totals_of(engine.counters());
    while !engine.is_idle() && engine.cycle() < DRAIN_LIMIT {
        engine.step();
    }
    Run {
        log: in_order(std::mem::take(&mut engine.probe_mut().log)),
        totals: [after_offers, totals_of(engine.counters())],
        end: engine.cycle(),
        drained: engine.is_idle(),
    }
}

/// How many threads `case` is simulated on: one to five.
fn parts_of(case: &Case) -> u32 {
    1 + (case.number % 5) as u32
}

/// The same on several threads.
fn run_team<M: Member<Probe: AsMut<Recorder> + Default>>(
    case: &Case,
    offers: &[Vec<NewPacket>],
    new: impl Fn() -> Team<M>,
    check: impl Fn(&Team<M>),
) -> Run {
    let mut team = new();
    let jumps = case.number % 3 == 1;
    while team.cycle() < case.cycles {
        let now = team.cycle() as usize;
        let quiet = offers[now..].iter().take_while(|o| o.is_empty()).count();
        if jumps && team.is_idle() && quiet > 0 {
            team.skip_to((now + quiet) as u64);
            continue;
        }
        for &offer in &offers[now] {
            team.offer_tagged(offer, 0);
        }
        team.step();
        if let Some(mut other) = hand_over(case, team.cycle(), &mut team, &new) {
            for (new, old) in other.probes_mut().zip(team.probes_mut()) {
                *new = std::mem::take(old);
            }
            team = other;
        }
        if team.cycle().is_multiple_of(CYCLES_PER_RECOUNT) {
            check(&team);
        }
    }
    let after_offers = totals_of(team.counters());
    while !team.is_idle() && team.cycle() < DRAIN_LIMIT {
        team.step();
    }
    check(&team);
    Run {
        log: in_order(
            team.probes_mut()
                .flat_map(|probe| std::mem::take(&mut probe.as_mut().log))
                .collect(),
        ),
        totals: [after_offers, totals_of(team.counters())],
        end: team.cycle(),
        drained: team.is_idle(),
    }
}

/// In an order that does not depend on who was simulated first in a cycle.
pub fn in_order(log: Vec<Event>) -> Vec<Event> {
    let cycles = log.iter().map(|event| event.cycle as usize + 1).max();
    let mut of_cycle = vec![Vec::new(); cycles.unwrap_or(0)];
    for event in log {
        of_cycle[event.cycle as usize].push(event);
    }
    of_cycle
        .iter_mut()
        .for_each(|events| events.sort_unstable());
    of_cycle.concat()
}

/// The first event in which two logs, in order, differ, with some of those before it; empty where none does.
pub fn first_difference(oracle: &[Event], engine: &[Event]) -> String {
    let same = oracle.iter().zip(engine).take_while(|(o, e)| o == e);
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
pub fn compare<R: Routing, const D: bool>(
    case: &Case,
    network: &Network,
    routing: Ordered<R, D>,
) -> String {
    // What the relation is, `Ordered` says, which is compiled once; the engine too, for these tests and the others.
    let routing = Ordered::<_, D>(Any::<false>::new(&routing.0));
    let offers = case.offers(network, &routing);
    let routing = Any::<D>::new(&routing);
    side_by_side(case, network, &offers, routing, routing, Some(run_dense))
}

/// What an engine does, in order.
pub fn log_of<R: Routing, const D: bool>(
    case: &Case,
    network: &Network,
    routing: Ordered<R, D>,
) -> Vec<Event> {
    let routing = Ordered::<_, D>(Any::<false>::new(&routing.0));
    let offers = case.offers(network, &routing);
    run_engine(case, network, Any::<D>::new(&routing), &offers)
        .0
        .log
}

/// The same under a relation that looks at queues; the oracle has one that decides by sentences of its own.
pub fn compare_looking(
    case: &Case,
    network: &Network,
    routing: &impl Routing,
    sentences: &impl Routing,
) -> String {
    let [routing, sentences] = [Any::<false, true>::new(routing), Any::new(sentences)];
    let [routing, sentences] = [routing, sentences].map(Ordered::<_, false>);
    let offers = case.offers(network, &routing);
    let [routing, sentences] = [&routing, &sentences].map(Any::<false, true>::new);
    side_by_side(case, network, &offers, routing, sentences, None)
}

fn side_by_side<'r, const D: bool, const LOOKS: bool>(
    case: &Case,
    network: &Network,
    offers: &[Vec<NewPacket>],
    routing: Any<'r, D, LOOKS>,
    sentences: Any<'r, D, LOOKS>,
    // Not compiled for relations that look at queues, which it does not do.
    run_dense: Option<RunDense<Any<'r, D, LOOKS>>>,
) -> String {
    let oracle = run_oracle(case, network, sentences, offers);
    let (engine, activity) = run_engine(case, network, routing, offers);
    let new = || {
        let (config, seed, parts) = (&case.config, case.seed, parts_of(case));
        let team = SparseTeam::new(network, &routing, config, seed, parts, Recorder::default);
        team.expect("a team")
    };
    let team = run_team(case, offers, new, SparseTeam::check_invariants);
    let mut report = differences(&oracle, &engine) + &differences(&oracle, &team);
    report += &energy::difference(&oracle.log, &activity, network, &case.config);
    type Dense<'n, 'r, const D: bool, const LOOKS: bool> =
        DenseEngine<'n, Any<'r, D, LOOKS>, Recorder>;
    let fits = Dense::<D, LOOKS>::takes(&routing, &case.config)
        .and_then(|()| Dense::<D, LOOKS>::fits(network, &case.config, longest(case)))
        .is_ok();
    if let Some(run_dense) = run_dense.filter(|_| fits) {
        let [engine, team, of_packets] = run_dense(case, network, routing, offers);
        report += &differences(&oracle, &engine);
        report += &differences(&oracle, &team);
        report += &differences(&oracle.of_packets(), &of_packets);
    }
    report
}

/// The longest packet of `case`, in flits.
pub fn longest(case: &Case) -> u32 {
    case.lengths.iter().copied().max().unwrap_or(1)
}

/// How a dense engine simulates `network`, whatever the relation.
pub fn dense_fit(network: &Network, config: &EngineConfig, packet_flits: u32) -> Fit {
    type Dense<'n> = DenseEngine<'n, DimensionOrder<'n>, NoProbe>;
    Dense::fits(network, config, packet_flits).expect("routers that fit")
}

/// Empty where an engine, or a team, does what the oracle does.
fn differences(oracle: &Run, engine: &Run) -> String {
    let mut report = first_difference(&oracle.log, &engine.log);
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

/// Delays and periods of a case's own grid, made anew for the channels of `network`.
pub fn suit_channels(config: &mut EngineConfig, network: &Network) {
    if let ChannelDelay::PerChannel(delays) = &mut config.channel_delay {
        *delays = (0..network.channels()).map(|c| c * 7 % 5).collect();
    }
    if !config.channel_periods.is_empty() {
        config.channel_periods = (0..network.channels()).map(|c| 1 + c * 5 % 4).collect();
    }
}
