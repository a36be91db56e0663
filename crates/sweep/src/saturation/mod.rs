//! The saturation throughput of a series by search: the highest offered load that the network
//! accepts, its source queues not growing.
//!
//! A run at full overload gives the first guess. From there loads are tried, each in the shortest
//! run that tells whether it is stable (`measurement::stability_test`), in growing steps until one
//! stable and one unstable load are known, then by bisection. No load above the ideal bound of the
//! channel loads is tried where that bound is a theorem.
//!
//! Invariant: a search depends on its series, the tolerance and the seed, and on nothing else.
//! Loads are in flits per node per reference cycle.

pub mod auto;
pub mod bracket;

use crate::simulator::simulate_point;
use bracket::{Bracket, Verdict};
use flitsim_engine::analysis::Expected;
use flitsim_engine::{Port, Routing};
use flitsim_measure::measurement::MeasureSettings;
use flitsim_measure::measurement::details::Details;
use flitsim_measure::measurement::stability_test::StabilitySettings;
use flitsim_measure::point::{DeadlockReport, PointResult, Status};
use flitsim_measure::simulate::{Monitor, Progress, SimulateError, simulate_stability};
use flitsim_scenario::dispatch::{WithRouting, expected_of, with_routing};
use flitsim_scenario::plan::Load;
use flitsim_scenario::proof::ProvedSeries;
use flitsim_scenario::{RoutingChoice, SeriesPlan};
use flitsim_topology::{ChannelId, NodeId};
use std::num::NonZeroUsize;

/// The width of the interval wanted, over the ideal bound, where nobody says.
pub const TOLERANCE: f64 = 0.02;

/// How the tolerance is shared out: the resolution of the test of each load, and the rest for the
/// distance of the loads on both sides.
const SHARE_OF_RESOLUTION: f64 = 0.5;

/// Of the ideal bound, where the search begins at most: hardly any network comes nearer.
const GUESS_MOST: f64 = 0.98;

/// A channel or port is busy where its load is this near to that of the busiest.
const BUSY: f64 = 0.95;

/// The least share of the traffic that is taken to pass the busiest channels: below it a test
/// would take too long.
const BUSY_SHARE_LEAST: f64 = 0.05;

/// Watches a search.
pub trait Watch: Sync {
    /// A load is about to be tried, the saturation known to lie in `low..high`.
    fn trying(&self, load: f64, low: f64, high: f64) {
        let _ = (load, low, high);
    }

    /// How far the point under way is.
    fn cycles(&self, cycles: u64) {
        let _ = cycles;
    }

    /// Threads that a point may be simulated on; its result is the same on any number.
    fn threads(&self) -> NonZeroUsize {
        NonZeroUsize::MIN
    }

    /// A load was tried.
    fn tried(&self, point: &PointResult) {
        let _ = point;
    }
}

/// Watches the searches of several series.
pub trait Searches: Sync {
    /// The search in `series` begins; it is over when what is returned is dropped.
    fn started<'s>(&'s self, series: &'s SeriesPlan) -> Box<dyn Watch + 's>;
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoWatch;

impl Watch for NoWatch {}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With an interval as narrow as was wanted.
    Found,
    /// The network delivers the most that can be offered.
    NotSaturated,
    /// Some loads could not be decided within the limit of cycles: the interval is wider.
    Undecided,
}

impl Ending {
    /// The word in results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::NotSaturated => "not-saturated",
            Self::Undecided => "undecided",
        }
    }
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Saturation {
    /// The middle of the interval.
    pub load: f64,
    /// The interval that holds the saturation: below the highest load found stable by as much as
    /// the test of a load may not see.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// The load at which the first channel or port is always busy; `None` where none is, or where
    /// it cannot be found.
    pub ideal_bound: Option<f64>,
    /// The load of the run at full overload.
    pub overload: f64,
    /// What is accepted there.
    pub accepted_at_overload: f64,
    /// Cycles simulated in all.
    pub cycles: u64,
    /// Loads tried, the overload included.
    pub points: u32,
    /// How the search ended.
    pub ending: Ending,
    /// The lowest load at which packets came to wait on one another for ever, and how.
    pub deadlock: Option<(f64, DeadlockReport)>,
}

/// Searches the saturation of `series` to within `tolerance` of its ideal bound.
///
/// # Errors
/// A router or traffic that cannot be built; none for a series of a resolved plan.
pub fn find(
    series: &ProvedSeries<'_>,
    tolerance: f64,
    seed: u64,
    watch: &dyn Watch,
) -> Result<Saturation, SimulateError> {
    let mut search = Search::new(series, tolerance, seed, watch);
    let overload = search.overload;
    watch.trying(overload, 0.0, overload);
    let at_overload = simulate_point(
        &coarse(series, tolerance),
        search.load(overload),
        seed,
        &Cycles(watch),
    )?;
    search.note(&at_overload);
    if !at_overload.is_unstable() && search.verdict(overload, 0.0, overload)? != Verdict::Unstable {
        let ending = Ending::NotSaturated;
        return Ok(search.result(overload, overload, at_overload.accepted_flits, ending));
    }
    let ideal = search.ideal_bound.unwrap_or(f64::INFINITY);
    let high = match is_bound(&series.routing) {
        true => overload.min(ideal),
        false => overload,
    };
    let guess = at_overload.accepted_flits.min(GUESS_MOST * high);
    let mut bracket = Bracket::new(high, guess, search.scale * tolerance - search.unseen);
    while let Some(load) = bracket.next_load() {
        let verdict = search.verdict(load, bracket.low(), bracket.high())?;
        bracket.learn(load, verdict);
    }
    let ending = match bracket.is_narrow() {
        true => Ending::Found,
        false => Ending::Undecided,
    };
    Ok(search.result(
        bracket.low(),
        bracket.high(),
        at_overload.accepted_flits,
        ending,
    ))
}

/// A search under way.
struct Search<'a> {
    series: &'a ProvedSeries<'a>,
    seed: u64,
    watch: &'a dyn Watch,
    ideal_bound: Option<f64>,
    /// The load that the tolerance is a part of.
    scale: f64,
    /// The load of the run at full overload.
    overload: f64,
    /// How far above saturation a load may lie and still be called stable.
    unseen: f64,
    /// The drift there, flits per node per reference cycle, where only what passes the busiest
    /// channels piles up.
    resolution: f64,
    cycles: u64,
    points: u32,
    deadlock: Option<(f64, DeadlockReport)>,
}

impl<'a> Search<'a> {
    fn new(series: &'a ProvedSeries<'a>, tolerance: f64, seed: u64, watch: &'a dyn Watch) -> Self {
        let expected = expected_of(series).ok();
        let ideal = expected.as_ref().map(|e| e.ideal_throughput);
        let ideal_bound = ideal
            .filter(|bound| bound.is_finite())
            .map(|bound| bound / series.cycle_time);
        // One flit a node a cycle is the most that a port takes; where that is no limit, twice what
        // the channels take.
        let wanted = (1.0 / series.cycle_time).max(2.0 * ideal_bound.unwrap_or(0.0));
        let overload = wanted.min(series.load_scale.flits_most);
        let scale = ideal_bound.unwrap_or(overload).min(overload);
        let busy_share = expected.as_ref().map_or(1.0, |e| busy_share(series, e));
        let unseen = SHARE_OF_RESOLUTION * tolerance * scale;
        Self {
            series,
            seed,
            watch,
            ideal_bound,
            scale,
            overload,
            unseen,
            resolution: unseen * busy_share,
            cycles: 0,
            points: 0,
            deadlock: None,
        }
    }

    fn load(&self, flits: f64) -> Load {
        Load {
            in_unit: flits / self.series.load_scale.flits_per_unit,
            flits,
        }
    }

    fn note(&mut self, point: &PointResult) {
        self.cycles += point.cycles;
        self.points += 1;
        if let Some(report) = &point.deadlock {
            let load = point.offered_flits;
            let lowest = self.deadlock.as_ref().map_or(f64::INFINITY, |(at, _)| *at);
            if load < lowest {
                self.deadlock = Some((load, report.clone()));
            }
        }
        self.watch.tried(point);
    }

    /// Whether the network delivers `load`.
    fn verdict(&mut self, load: f64, low: f64, high: f64) -> Result<Verdict, SimulateError> {
        self.watch.trying(load, low, high);
        let point = stability(self.series, load, self.resolution, self.seed, self.watch)?;
        self.note(&point);
        Ok(match point.status {
            Status::Converged => Verdict::Stable,
            Status::Saturated | Status::Deadlock => Verdict::Unstable,
            Status::MaxCycles => Verdict::Undecided,
        })
    }

    fn result(self, stable: f64, high: f64, accepted: f64, ending: Ending) -> Saturation {
        // A load called stable may exceed the saturation by as little as the test does not see.
        let low = match ending {
            Ending::NotSaturated => stable,
            _ => (stable - self.unseen).max(0.0),
        };
        Saturation {
            load: 0.5 * (low + high),
            low,
            high,
            ideal_bound: self.ideal_bound,
            overload: self.overload,
            accepted_at_overload: accepted,
            cycles: self.cycles,
            points: self.points,
            ending,
            deadlock: self.deadlock,
        }
    }
}

/// `series` with one replica a point, and no more precision than a search to `tolerance` needs.
fn coarse(series: &ProvedSeries<'_>, tolerance: f64) -> ProvedSeries<'static> {
    let measure = MeasureSettings {
        relative_error: series.measure.relative_error.max(tolerance),
        details: Details::default(),
        ..series.measure
    };
    series.measured(measure, 1)
}

/// Whether the ideal bound is one: packets cannot choose, so the loads of the channels are what
/// the analysis says. Adaptive packets may spread better than evenly.
fn is_bound(routing: &RoutingChoice) -> bool {
    matches!(
        routing,
        RoutingChoice::DimensionOrder { .. }
            | RoutingChoice::Valiant { .. }
            | RoutingChoice::Source { .. }
    )
}

/// The share of the traffic that passes a channel or port about as busy as the busiest: where the
/// network is overloaded by little, at least the backlog of that share grows.
fn busy_share(series: &SeriesPlan, expected: &Expected) -> f64 {
    let (config, network) = (&series.engine, &series.network);
    let limit = BUSY / expected.ideal_throughput;
    let loads = (0..).map(ChannelId).zip(&expected.channel_loads);
    let busy = loads.filter(|&(id, load)| load * f64::from(config.channel_period_of(id)) >= limit);
    let channels: f64 = busy.map(|(_, load)| load).sum();
    let ports: f64 = port_loads(series)
        .iter()
        .filter(|&&load| load >= limit)
        .sum();
    let share = (channels + ports) / f64::from(network.living_terminals_count());
    share.clamp(BUSY_SHARE_LEAST, 1.0)
}

/// What each port that limits passes, where each node sends one flit a cycle: of every terminal what
/// it sends, and what it receives.
fn port_loads(series: &SeriesPlan) -> Vec<f64> {
    let network = &series.network;
    let terminals = network.terminals() as usize;
    let Ok(destinations) = series.traffic.pattern.compile(network) else {
        return Vec::new();
    };
    let sends = f64::from(u8::from(series.engine.is_injection_limited()));
    let receives = f64::from(u8::from(series.engine.ejection == Port::Channel));
    let mut loads = vec![0.0; 2 * terminals];
    for source in network.living_terminals() {
        destinations.demand(source, &mut |destination: NodeId, probability| {
            loads[source.index()] += sends * probability;
            loads[terminals + destination.index()] += receives * probability;
        });
    }
    loads
}

/// A point of a search seen as the monitor of a simulation.
struct Cycles<'a>(&'a dyn Watch);

impl Monitor for Cycles<'_> {
    fn progress(&self, progress: Progress) {
        self.0.cycles(progress.cycles);
    }

    fn threads(&self) -> NonZeroUsize {
        self.0.threads()
    }
}

/// Whether `series` delivers `load`, to within `resolution`, both in flits per node per reference
/// cycle.
fn stability(
    series: &ProvedSeries<'_>,
    load: f64,
    resolution: f64,
    seed: u64,
    watch: &dyn Watch,
) -> Result<PointResult, SimulateError> {
    struct Test<'a> {
        series: &'a SeriesPlan,
        load: f64,
        resolution: f64,
        seed: u64,
        watch: &'a dyn Watch,
    }
    impl WithRouting for Test<'_> {
        type Output = Result<PointResult, SimulateError>;
        fn call<R: Routing + Clone>(self, routing: R) -> Self::Output {
            let series = self.series;
            let settings = StabilitySettings {
                resolution_flits: self.resolution * series.cycle_time,
                max_cycles: series.measure.max_cycles,
            };
            let flits = self.load * series.cycle_time;
            let result = simulate_stability(
                &series.network,
                routing,
                &series.engine,
                &series.traffic,
                flits.min(series.traffic.load_most()),
                settings,
                self.seed,
                &Cycles(self.watch),
            )?;
            Ok(PointResult {
                offered_flits: self.load,
                ..result.in_cycles_of(series.cycle_time)
            })
        }
    }
    let test = Test {
        series,
        load,
        resolution,
        seed,
        watch,
    };
    let vcs = series.engine.virtual_channels;
    with_routing(&series.routing, &series.network, vcs, test)?
}
