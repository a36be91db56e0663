//! One search.
//!
//! Invariant: a search depends on its series, the tolerance and the seed, and on nothing else.
//! Loads are in flits per node per reference cycle.

use super::bracket::{Bracket, Verdict};
use super::found::{Ending, Saturation};
use super::watch::Watch;
use crate::simulator::{operating_point, simulate};
use flitsim_analysis::Expected;
use flitsim_engine::Port;
use flitsim_engine::routing::Spread;
use flitsim_measure::measurement::MeasureSettings;
use flitsim_measure::measurement::backlog::judged_from;
use flitsim_measure::measurement::details::Details;
use flitsim_measure::measurement::stopping::StabilitySettings;
use flitsim_measure::point::{DeadlockReport, PointResult, Status};
use flitsim_measure::simulate::{Monitor, Progress, SimulateError};
use flitsim_measure::{EngineChoice, OperatingPoint};
use flitsim_scenario::SeriesPlan;
use flitsim_scenario::dispatch::expected_of;
use flitsim_scenario::plan::Load;
use flitsim_scenario::proof::ProvedSeries;
use flitsim_topology::{ChannelId, NodeId};
use std::num::NonZeroUsize;

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

/// A share is corrected where it comes down to less than this of what it was.
const FINER: f64 = 0.8;

/// What a search is to find, and on what.
#[derive(Clone, Copy, Debug)]
pub struct SearchSettings {
    /// The width of the interval wanted, over the ideal bound.
    pub tolerance: f64,
    /// Addresses the random streams.
    pub seed: u64,
    /// Threads that each load is simulated on; what is found is the same on any number.
    pub threads: NonZeroUsize,
}

impl SearchSettings {
    /// A search to within `tolerance` from streams addressed by `seed`, on one thread.
    pub const fn new(tolerance: f64, seed: u64) -> Self {
        Self {
            tolerance,
            seed,
            threads: NonZeroUsize::MIN,
        }
    }
}

/// Searches the saturation of `series`.
///
/// # Errors
/// A router or traffic that cannot be built, which a series of a resolved plan has not; a search that `watch` gives up.
pub fn find(
    series: &ProvedSeries<'_>,
    settings: SearchSettings,
    watch: &dyn Watch,
) -> Result<Saturation, SimulateError> {
    let SearchSettings {
        tolerance,
        seed,
        threads,
    } = settings;
    if watch.is_cancelled() {
        return Err(SimulateError::Cancelled);
    }
    let mut search = Search::new(series, settings, watch);
    let overload = search.overload;
    watch.trying(overload, 0.0, overload);
    let at_overload = simulate(
        &coarse(series, tolerance),
        search.load(overload),
        seed,
        threads,
        EngineChoice::Auto,
        &Cycles(watch),
    )?;
    search.note(&at_overload);
    let accepted = at_overload.accepted_flits;
    let ideal = search.ideal_bound.unwrap_or(f64::INFINITY);
    let high = match is_bound(series) {
        true => overload.min(ideal),
        false => overload,
    };
    if cycles_least(series) > series.measure.max_cycles {
        return Ok(search.result(0.0, high, accepted, Ending::Undecided));
    }
    if !at_overload.is_unstable() {
        match search.verdict(overload, 0.0, overload)? {
            Verdict::Stable => {
                return Ok(search.result(overload, overload, accepted, Ending::NotSaturated));
            }
            Verdict::Undecided => {
                return Ok(search.result(0.0, high, accepted, Ending::Undecided));
            }
            Verdict::Unstable => {}
        }
    }
    let guess = accepted.min(GUESS_MOST * high);
    let width = search.scale * tolerance - search.unseen;
    let mut bracket = Bracket::new(high, guess, width);
    let grows = overload - accepted;
    loop {
        let above = overload - bracket.high();
        let is_finer = above > 0.0 && search.sees_share(grows / above);
        if is_finer && bracket.low() > 0.0 {
            // What was called stable by a coarser test is tried again.
            bracket = Bracket::new(bracket.high(), bracket.low(), width);
        }
        let Some(load) = bracket.next_load() else {
            break;
        };
        let verdict = search.verdict(load, bracket.low(), bracket.high())?;
        bracket.learn(load, verdict);
    }
    let ending = match bracket.is_narrow() {
        true => Ending::Found,
        false => Ending::Undecided,
    };
    Ok(search.result(bracket.low(), bracket.high(), accepted, ending))
}

/// Cycles before which no load of `series` is judged, because of the bursts of its sources; 0 where there are none.
pub fn cycles_least(series: &SeriesPlan) -> u64 {
    judged_from(series.traffic.process.correlation_cycles() as u64)
}

/// A search under way.
struct Search<'a> {
    series: &'a ProvedSeries<'a>,
    settings: SearchSettings,
    watch: &'a dyn Watch,
    ideal_bound: Option<f64>,
    /// The load that the tolerance is a part of.
    scale: f64,
    /// The load of the run at full overload.
    overload: f64,
    /// How far above saturation a load may lie and still be called stable.
    unseen: f64,
    /// The share of the traffic that piles up there.
    share: f64,
    cycles: u64,
    points: u32,
    deadlock: Option<(f64, DeadlockReport)>,
}

impl<'a> Search<'a> {
    fn new(series: &'a ProvedSeries<'a>, settings: SearchSettings, watch: &'a dyn Watch) -> Self {
        let tolerance = settings.tolerance;
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
            settings,
            watch,
            ideal_bound,
            scale,
            overload,
            unseen,
            share: busy_share,
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

    /// Takes note that no more than `share` of what is offered above saturation piles up. True if tests were markedly coarser.
    fn sees_share(&mut self, share: f64) -> bool {
        let share = share.max(BUSY_SHARE_LEAST);
        let is_finer = share < FINER * self.share;
        if is_finer {
            self.share = share;
        }
        is_finer
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
        let point = stability(
            self.series,
            load,
            (self.unseen, self.share),
            self.settings,
            self.watch,
        )?;
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
fn is_bound(series: &SeriesPlan) -> bool {
    series.routing.spread(&series.network) == Spread::Fixed
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

    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

/// Whether `series` delivers `load`, to within `unseen`, both in flits per node per reference cycle, where
/// `share` of what is too much piles up.
fn stability(
    series: &ProvedSeries<'_>,
    load: f64,
    (unseen, share): (f64, f64),
    search: SearchSettings,
    watch: &dyn Watch,
) -> Result<PointResult, SimulateError> {
    let settings = StabilitySettings {
        resolution_flits: unseen * share * series.cycle_time,
        share,
        max_cycles: series.measure.max_cycles,
    };
    let offered = Load {
        in_unit: load / series.load_scale.flits_per_unit,
        flits: load,
    };
    let point = OperatingPoint {
        threads: search.threads,
        ..operating_point(series, offered, search.seed)
    };
    let result = point.is_delivered_under(series.relation()?, settings, &Cycles(watch))?;
    Ok(PointResult {
        offered_flits: load,
        ..result.in_cycles_of(series.cycle_time)
    })
}
