//! One operating point: a network, a router, traffic and a load, and how they are measured.
//!
//! Invariant: a point's result depends on the fields of its [`OperatingPoint`] except `threads` and
//! `engine`, and on nothing else; the monitor only watches.

mod check;
mod dense;
mod pace;
mod registered;
mod rounds;

use crate::engine_choice::EngineChoice;
use crate::measurement::MeasureSettings;
use crate::measurement::details::Detailed;
use crate::measurement::recorder::Recorder;
use crate::measurement::stopping::{
    Controller, Decide, StabilitySettings, StabilityTest, ToTheEnd,
};
use crate::point::PointResult;
use crate::point::replicas::{Pool, relative_error_each, with_intervals};
use crate::simulate::begun::Begun;
use crate::simulate::crew::{Crew, Seen};
use crate::simulate::replica::Replica;
use crate::simulate::{Machine, Monitor, Observer, SimulateError, stream_seed};
use crate::threads::in_pool;
use crate::watching::Watching;
use crate::workload::{Work, Workload};
use flitsim_engine::{ConfigError, Engine, EngineConfig, Routing, SparseTeam};
use flitsim_random::mix;
use flitsim_topology::Network;
use flitsim_traffic::{Traffic, TrafficError, TrafficPlan};
use std::num::NonZeroUsize;
use std::thread::available_parallelism;

/// What is offered to the network.
#[derive(Clone, Copy, Debug)]
pub enum Offered<'a> {
    /// An open loop: flits per node per cycle, whatever becomes of them. Where nodes have failed, a node is
    /// one that lives; what is reported as offered is the load of those that [have somewhere to send
    /// it](TrafficPlan::sending_share).
    Flits(f64),
    /// An amount of a workload, until all of it has arrived or the network's steady state is measured. The
    /// load reported as offered is the load accepted.
    Work(Work<'a>),
}

/// Everything that the result of one point depends on, except its routing relation. Times are in cycles of
/// the simulation.
///
/// ```
/// use flitsim_engine::EngineConfig;
/// use flitsim_engine::routing::{DimensionOrder, Tie};
/// use flitsim_measure::measurement::MeasureSettings;
/// use flitsim_measure::simulate::NoMonitor;
/// use flitsim_measure::{Offered, OperatingPoint};
/// use flitsim_topology::{Ends, Grid};
/// use flitsim_traffic::TrafficPlan;
///
/// let network = Grid::uniform(4, 2, Ends::Open)?.into_network();
/// let grid = network.grid().expect("a mesh has coordinates");
/// let (router, traffic) = (EngineConfig::default(), TrafficPlan::default());
/// let routing = DimensionOrder::new(grid, router.virtual_channels, Tie::Random, true)?;
/// let point = OperatingPoint {
///     settings: MeasureSettings {
///         relative_error: 0.1,
///         ..MeasureSettings::default()
///     },
///     ..OperatingPoint::new(&network, &router, &traffic, Offered::Flits(0.2))
/// };
/// let result = point.simulate(&routing, &NoMonitor)?;
/// assert!((result.accepted_flits - 0.2).abs() < 4.0 * result.accepted_ci95);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct OperatingPoint<'a> {
    /// The network.
    pub network: &'a Network,
    /// The router.
    pub router: &'a EngineConfig,
    /// Who sends to whom, when, and how long packets are.
    pub traffic: &'a TrafficPlan,
    /// How much is offered. A load of 0 ends at once, as max-cycles, with nothing accepted and no latency.
    pub offered: Offered<'a>,
    /// When to stop; the latency limit does not apply to a workload.
    pub settings: MeasureSettings,
    /// Independent runs that are pooled; 0 counts as 1.
    pub replicas: u32,
    /// The seed that addresses the random streams.
    pub seed: u64,
    /// Whether every packet is known to take a shortest path: its hops then narrow the confidence interval
    /// of the latency.
    pub is_minimal: bool,
    /// Whether the routing is known to be free of deadlock, by `flitsim_analysis::verify`; this crate does
    /// not prove it. If false, the point is watched for a deadlock, which only the sparse engine can do.
    pub is_proved: bool,
    /// The most threads that an open loop without details is simulated on.
    pub threads: NonZeroUsize,
    /// Which engine simulates it. The result is the same with either.
    pub engine: EngineChoice,
}

impl<'a> OperatingPoint<'a> {
    /// A point with the default settings of scenarios: one replica from seed 1, on one thread. Nothing is
    /// taken as known of the routing: `is_minimal` and `is_proved` are false. `flitsim run` sets both.
    /// Where `is_minimal` is true, it gives another estimate of the mean latency, from the same packets.
    pub fn new(
        network: &'a Network,
        router: &'a EngineConfig,
        traffic: &'a TrafficPlan,
        offered: Offered<'a>,
    ) -> Self {
        Self {
            network,
            router,
            traffic,
            offered,
            settings: MeasureSettings::default(),
            replicas: 1,
            seed: 1,
            is_minimal: false,
            is_proved: false,
            threads: NonZeroUsize::MIN,
            engine: EngineChoice::Auto,
        }
    }

    /// Simulates the point under `routing`. With details, the same point runs in a slower loop.
    ///
    /// # Panics
    /// Possibly, under a relation that `flitsim_analysis::verify` refuses because it offers channels or
    /// virtual channels that do not exist: one for another network, or for more virtual channels than the
    /// router has.
    ///
    /// # Errors
    /// A router or traffic that cannot be built, packets that never move because only whole packets do and
    /// no buffer holds one, [settings](MeasureSettings) out of their range, or a monitor that gives up.
    pub fn simulate<R: Routing + Clone>(
        &self,
        routing: &R,
        monitor: &dyn Monitor,
    ) -> Result<PointResult, SimulateError> {
        self.check()?;
        if !self.settings.details.is_empty() {
            return self.watched(monitor).in_detail(routing);
        }
        match self.in_parts(routing) {
            Some(point) => point.watched(monitor).in_parts(routing),
            None => self.watched(monitor).alone(routing),
        }
    }

    fn watched(&'a self, monitor: &'a dyn Monitor) -> Watched<'a> {
        Watched {
            point: self,
            monitor,
        }
    }

    /// Whether the network delivers the load offered, by a run that ends as soon as `settings` let it tell.
    /// It ends as converged where the network delivers the load, as saturated where it does not, and as
    /// max-cycles where the limit came first. The accepted load is that of the run's second half; there are
    /// no latencies.
    ///
    /// The packets offered are those of the first replica of [`OperatingPoint::simulate`].
    ///
    /// # Errors
    /// As [`OperatingPoint::simulate`], and where a workload is offered instead of a load.
    pub fn is_delivered<R: Routing + Clone>(
        &self,
        routing: &R,
        settings: StabilitySettings,
        monitor: &dyn Monitor,
    ) -> Result<PointResult, SimulateError> {
        self.check_packets()?;
        match self.in_parts(routing) {
            Some(point) => point.stability(settings, monitor)?.in_parts(routing),
            None => self.stability(settings, monitor)?.alone(routing),
        }
    }

    fn stability(
        &'a self,
        settings: StabilitySettings,
        monitor: &'a dyn Monitor,
    ) -> Result<Stability<'a>, SimulateError> {
        let Offered::Flits(flits) = self.offered else {
            return Err(SimulateError::NotAnOpenLoop);
        };
        Ok(Stability {
            watched: self.watched(monitor),
            flits,
            settings,
        })
    }

    /// The seed of the random streams of the replica `index`.
    pub fn stream(&self, index: u32) -> u64 {
        let flits = match self.offered {
            Offered::Flits(flits) => flits,
            Offered::Work(_) => 0.0,
        };
        stream_seed(self.seed, flits, index)
    }

    /// Engines under `routing`, each for the seed of its replica's streams.
    fn engine<R: Routing + Clone, O: Observer>(
        &self,
        routing: &R,
        observer: impl Fn() -> O,
    ) -> impl Fn(u64) -> Result<Engine<'a, R, O>, ConfigError> {
        let (network, router) = (self.network, self.router);
        move |stream| {
            let (routing, router) = (routing.clone(), router.clone());
            Engine::new(network, routing, router, mix(stream), observer())
        }
    }

    /// Crews of sparse engines under `routing`, likewise.
    fn crew<R: Routing + Clone>(
        &self,
        routing: &R,
        recorder: impl Fn() -> Recorder,
    ) -> impl Fn(u64) -> Result<Crew<SparseTeam<'a, R, Seen>>, ConfigError> {
        let (network, router, parts) = (self.network, self.router, self.parts());
        move |stream| {
            let probe = Seen::default;
            let team = SparseTeam::new(network, routing, router, mix(stream), parts, probe)?;
            Ok(Crew::new(0, team, recorder()))
        }
    }

    /// Parts of a crew: one a thread.
    fn parts(&self) -> u32 {
        u32::try_from(self.threads.get()).unwrap_or(u32::MAX)
    }

    /// The point on as many threads as a crew of sparse engines can have; `None` for one.
    fn in_parts<R: Routing + Clone>(&self, routing: &R) -> Option<Self> {
        let most = SparseTeam::<R, Seen>::parts_most(self.network, routing, self.router);
        self.on_at_most(most)
    }

    /// The point on its threads, but no more than `most`; `None` for one, as for a closed loop.
    fn on_at_most(&self, most: u32) -> Option<Self> {
        if let Offered::Work(_) = self.offered {
            return None;
        }
        let most = NonZeroUsize::new(most as usize)?;
        let threads = self.threads.min(most);
        (threads > NonZeroUsize::MIN).then_some(Self { threads, ..*self })
    }

    /// Does `work` on the threads of the point.
    fn on_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, SimulateError> {
        // A state to go on from may be of more parts than there are processors here.
        let here = available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let threads = self.threads.min(here).get();
        in_pool(threads, work).map_err(|error| SimulateError::Threads {
            threads,
            reason: error.to_string(),
        })
    }

    fn traffic(&self, flits: f64, stream: u64) -> Result<Traffic, TrafficError> {
        Traffic::new(self.traffic, self.network, flits, stream)
    }
}

/// A point and who watches it.
#[derive(Clone, Copy)]
struct Watched<'a> {
    point: &'a OperatingPoint<'a>,
    monitor: &'a dyn Monitor,
}

impl Watched<'_> {
    fn alone<R: Routing + Clone>(self, routing: &R) -> Result<PointResult, SimulateError> {
        let engine = self.point.engine(routing, self.recorder());
        match self.point.offered {
            Offered::Flits(flits) => self.open_loop(flits, engine),
            Offered::Work(work) => self.work(work, engine),
        }
    }

    fn in_parts<R: Routing + Clone>(self, routing: &R) -> Result<PointResult, SimulateError> {
        let Offered::Flits(flits) = self.point.offered else {
            return Err(SimulateError::NotAnOpenLoop);
        };
        let crew = self.point.crew(routing, self.recorder());
        self.point.on_threads(|| self.open_loop(flits, crew))?
    }

    fn in_detail<R: Routing + Clone>(self, routing: &R) -> Result<PointResult, SimulateError> {
        let OperatingPoint {
            network,
            router,
            traffic,
            ..
        } = *self.point;
        let details = self.point.settings.details;
        let observer = || {
            let detailed = Detailed::new(details, &traffic.pattern, network, router);
            Watching::Detailed(Box::new(detailed))
        };
        let engine = self.point.engine(routing, observer);
        match self.point.offered {
            Offered::Flits(flits) => self.open_loop(flits, engine),
            Offered::Work(work) => self.work(work, engine),
        }
    }

    /// What each replica is to meet for all of them to meet the settings.
    fn settings_each(&self) -> MeasureSettings {
        let settings = self.point.settings;
        MeasureSettings {
            relative_error: relative_error_each(settings.relative_error, self.point.replicas),
            ..settings
        }
    }

    /// Recorders that tell the sources apart.
    fn recorder(&self) -> impl Fn() -> Recorder + use<> {
        let recorder = Recorder::of_network(self.point.network);
        move || recorder.clone()
    }

    fn replica(&self, index: u32, relative_error: f64) -> Replica<'_> {
        Replica {
            network: self.point.network,
            index,
            relative_error,
            monitor: self.monitor,
        }
    }

    /// The replicas of an open loop at `flits`, each on what `machine` makes for its stream.
    fn open_loop<M: Machine>(
        &self,
        flits: f64,
        machine: impl Fn(u64) -> Result<M, ConfigError>,
    ) -> Result<PointResult, SimulateError> {
        let pace = self.point.pace_of_open_loop(flits)?;
        let controls = self.point.controls(&pace)?;
        let settings = self.settings_each();
        let mut pool = Pool::default();
        let mut begun = Begun::read(self.monitor, &mut pool)?;
        for index in begun.index..self.point.replicas.max(1) {
            let stream = self.point.stream(index);
            let mut controller = Controller::new(settings, pace).with_controls(controls);
            let mut source = self.point.traffic(flits, stream)?;
            let replica = self.replica(index, settings.relative_error);
            let machine = machine(stream)?;
            replica.run(machine, &mut source, &mut controller, &mut pool, &mut begun)?;
        }
        let outcomes = pool.outcomes().to_vec();
        let mut result = pool.result(pace.offered_flits);
        // Within a replica phases are always the same, and its batches say nothing of others.
        let is_known = outcomes.iter().all(|outcome| outcome.latency.is_some());
        if self.point.traffic.process.keeps_phases() && outcomes.len() > 1 && is_known {
            with_intervals(&mut result, &outcomes);
        }
        Ok(result)
    }

    /// The replicas of `work`, likewise.
    fn work<M: Machine>(
        &self,
        work: Work<'_>,
        machine: impl Fn(u64) -> Result<M, ConfigError>,
    ) -> Result<PointResult, SimulateError> {
        let (pace, round_cycles) = self.point.pace_of_work(work)?;
        let (settings, ends) = (self.settings_each(), work.workload.ends());
        let mut pool = Pool::default();
        let mut begun = Begun::read(self.monitor, &mut pool)?;
        for index in begun.index..self.point.replicas.max(1) {
            let stream = self.point.stream(index);
            let mut source = work.packets(self.point.network, self.point.traffic, stream)?;
            let mut to_the_end = ToTheEnd::new(settings.max_cycles, pace.terminals);
            let mut steady = Controller::new(settings, pace).of_closed_loop(round_cycles);
            let controller: &mut dyn Decide = if ends { &mut to_the_end } else { &mut steady };
            let replica = self.replica(index, settings.relative_error);
            let machine = machine(stream)?;
            replica.run(machine, &mut source, controller, &mut pool, &mut begun)?;
            pool.add_rounds(source.into_rounds());
        }
        let (outcomes, mut rounds) = (pool.outcomes().to_vec(), pool.take_rounds());
        let mut result = pool.result(0.0);
        result.workload = Some(if ends {
            rounds::ended(&mut result, &outcomes, &rounds)
        } else {
            rounds::steady(&outcomes, &mut rounds)
        });
        result.offered_flits = result.accepted_flits;
        if let Some(details) = result.details.as_mut().filter(|_| ends) {
            details.drop_intervals();
            let is_trace = matches!(work.workload, Workload::Trace(_));
            // It has no pattern that would name its one class.
            for class in details.classes.iter_mut().flatten().filter(|_| is_trace) {
                "trace".clone_into(&mut class.name);
            }
        }
        Ok(result)
    }
}

/// A run that ends as soon as it can tell whether the load is delivered.
struct Stability<'a> {
    watched: Watched<'a>,
    flits: f64,
    settings: StabilitySettings,
}

impl Stability<'_> {
    fn alone<R: Routing + Clone>(&self, routing: &R) -> Result<PointResult, SimulateError> {
        let point = self.watched.point;
        self.over(point.engine(routing, Recorder::new)(point.stream(0))?)
    }

    fn in_parts<R: Routing + Clone>(&self, routing: &R) -> Result<PointResult, SimulateError> {
        let point = self.watched.point;
        let crew = point.crew(routing, Recorder::new)(point.stream(0))?;
        point.on_threads(|| self.over(crew))?
    }

    fn over<M: Machine>(&self, machine: M) -> Result<PointResult, SimulateError> {
        let point = self.watched.point;
        let pace = point.pace_of_open_loop(self.flits)?;
        let mut pool = Pool::default();
        let mut test = StabilityTest::new(self.settings, pace);
        let mut source = point.traffic(self.flits, point.stream(0))?;
        let replica = self.watched.replica(0, 1.0);
        let mut begun = Begun::read(self.watched.monitor, &mut pool)?;
        replica.run(machine, &mut source, &mut test, &mut pool, &mut begun)?;
        Ok(pool.result(pace.offered_flits))
    }
}
