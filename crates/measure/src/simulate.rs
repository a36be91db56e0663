//! One operating point: the loop in which traffic and engine meet, measured.
//!
//! Invariant: a point's result depends on the network, the routing, the router, the traffic, the
//! load, the settings and the seed, and on nothing else; the monitor only watches.

pub(crate) mod crew;
pub(crate) mod open_loop;
pub mod parts;

use crate::measurement::MeasureSettings;
use crate::measurement::controller::{Controller, Decision, Outcome};
use crate::measurement::decide::Decide;
use crate::measurement::details::Detailed;
use crate::measurement::recorder::Recorder;
use crate::measurement::replicas::{Pool, relative_error_each};
use crate::measurement::stability_test::{StabilitySettings, StabilityTest};
use crate::point::{DeadlockReport, PointResult, Status};
use crew::{Crew, for_crew};
use flitsim_engine::random::mix;
use flitsim_engine::routing::WithRouting;
use flitsim_engine::{ConfigError, Engine, EngineConfig, Routing, Watchdog};
use flitsim_topology::memory::Memory;
use flitsim_topology::{Network, NodeId};
use flitsim_traffic::{TrafficError, TrafficPlan};
use open_loop::{OpenLoop, Point};
use parts::{Machine, Source};
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::thread;

/// Cycles between two looks at the monitor and for a deadlock.
const CYCLES_BETWEEN_LOOKS: u64 = 512;

/// How far a point is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// The replica under way, from 0.
    pub replica: u32,
    /// Cycles simulated in it.
    pub cycles: u64,
    /// Half-width over mean of its latency as last estimated, and the value at which it is done;
    /// `None` before the first estimate and past saturation.
    pub relative_half_width: Option<(f64, f64)>,
}

/// Watches a point while it is simulated, from any thread.
pub trait Monitor: Sync {
    /// Called every few hundred cycles.
    fn progress(&self, progress: Progress) {
        let _ = progress;
    }

    /// Whether to give the point up.
    fn is_cancelled(&self) -> bool {
        false
    }

    /// The bytes that a replica kept, part by part, at its end: the engine, its traffic and what
    /// observed it. The network is shared and not among them.
    fn memory(&self, memory: &Memory) {
        let _ = memory;
    }

    /// Threads that an open loop without details may be simulated on. Its result is the same on any
    /// number.
    fn threads(&self) -> NonZeroUsize {
        NonZeroUsize::MIN
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMonitor;

impl Monitor for NoMonitor {}

/// A point that could not be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SimulateError {
    /// The router cannot be built.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The traffic cannot be made at this load.
    #[error(transparent)]
    Traffic(#[from] TrafficError),
    /// The monitor gave the point up.
    #[error("the point was cancelled")]
    Cancelled,
    /// The threads could not be started.
    #[error("cannot start {threads} threads for one point: {reason}")]
    Threads {
        /// How many.
        threads: usize,
        /// Why not.
        reason: String,
    },
}

/// Simulates one point: `offered_flits` flits per node per cycle of `traffic` on `network`, pooled
/// over `replicas` independent runs (0 counts as 1). Of the details of `settings` there are none: for
/// these, [`simulate_in_detail`].
///
/// Where nodes have failed, a node is one that lives, and what is reported as offered is what those
/// create that [have somewhere to send it](TrafficPlan::sending_share).
///
/// A load of 0 ends at once: converged, nothing accepted, no latency.
///
/// ```
/// use flitsim_measure::measurement::MeasureSettings;
/// use flitsim_measure::simulate::{NoMonitor, simulate};
/// use flitsim_engine::EngineConfig;
/// use flitsim_engine::routing::{DimensionOrder, Tie};
/// use flitsim_topology::{Ends, Grid};
/// use flitsim_traffic::TrafficPlan;
///
/// let network = Grid::uniform(4, 2, Ends::Open)?.into_network();
/// let grid = network.grid().expect("a mesh has coordinates");
/// let config = EngineConfig::default();
/// let routing = DimensionOrder::new(grid, config.virtual_channels, Tie::Random, true)?;
/// let settings = MeasureSettings {
///     relative_error: 0.1,
///     ..MeasureSettings::default()
/// };
/// let (traffic, load, seed, replicas) = (TrafficPlan::default(), 0.2, 1, 1);
/// let point = simulate(
///     &network, routing, &config, &traffic, load, &settings, seed, replicas, &NoMonitor,
/// )?;
/// assert!((point.accepted_flits - load).abs() < 4.0 * point.accepted_ci95);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A router or traffic that cannot be built, or a monitor that gives up.
#[expect(
    clippy::too_many_arguments,
    reason = "a point has this many independent parts"
)]
pub fn simulate<R: Routing + Clone>(
    network: &Network,
    routing: R,
    config: &EngineConfig,
    traffic: &TrafficPlan,
    offered_flits: f64,
    settings: &MeasureSettings,
    seed: u64,
    replicas: u32,
    monitor: &dyn Monitor,
) -> Result<PointResult, SimulateError> {
    let error = relative_error_each(settings.relative_error, replicas.max(1));
    let open_loop = OpenLoop::new(network, config, traffic, offered_flits, error)?;
    let recorder = || Recorder::of_terminals(network.terminals() as usize);
    let threads = monitor.threads();
    if threads > NonZeroUsize::MIN {
        return in_pool(threads, || {
            let replicas = Replicas {
                open_loop: &open_loop,
                config,
                threads,
                settings,
                seed,
                replicas,
                monitor,
            };
            for_crew(&routing, replicas)
        })?;
    }
    let engine = |seed| Engine::new(network, routing.clone(), config.clone(), seed, recorder());
    simulate_replicas(&open_loop, engine, settings, seed, replicas, monitor)
}

/// Does `work` on a pool of `threads` threads of its own. The caller, who may be a thread of another
/// pool, waits outside of any: a thread of a pool that waits begins other work of its pool meanwhile,
/// and would pile up one point on another.
fn in_pool<T: Send>(
    threads: NonZeroUsize,
    work: impl FnOnce() -> T + Send,
) -> Result<T, SimulateError> {
    let threads = threads.get();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let pool = pool.build().map_err(|error| SimulateError::Threads {
        threads,
        reason: error.to_string(),
    })?;
    let outcome = thread::scope(|scope| scope.spawn(|| pool.install(work)).join());
    Ok(outcome.unwrap_or_else(|panic| resume_unwind(panic)))
}

/// As [`simulate`], with the details of `settings`: the same point, in a slower loop.
///
/// # Errors
/// As [`simulate`].
#[expect(
    clippy::too_many_arguments,
    reason = "a point has this many independent parts"
)]
pub fn simulate_in_detail<R: Routing + Clone>(
    network: &Network,
    routing: R,
    config: &EngineConfig,
    traffic: &TrafficPlan,
    offered_flits: f64,
    settings: &MeasureSettings,
    seed: u64,
    replicas: u32,
    monitor: &dyn Monitor,
) -> Result<PointResult, SimulateError> {
    let error = relative_error_each(settings.relative_error, replicas.max(1));
    let open_loop = OpenLoop::new(network, config, traffic, offered_flits, error)?;
    let observer = || Detailed::new(settings.details, &traffic.pattern, network, config);
    let engine = |seed| Engine::new(network, routing.clone(), config.clone(), seed, observer());
    simulate_replicas(&open_loop, engine, settings, seed, replicas, monitor)
}

/// The replicas of a point, each on what `machine` makes for its seed.
fn simulate_replicas<M: Machine>(
    open_loop: &OpenLoop,
    machine: impl Fn(u64) -> Result<M, ConfigError>,
    settings: &MeasureSettings,
    seed: u64,
    replicas: u32,
    monitor: &dyn Monitor,
) -> Result<PointResult, SimulateError> {
    let point = &open_loop.point;
    let settings = MeasureSettings {
        relative_error: point.relative_error,
        ..*settings
    };
    let mut pool = Pool::default();
    for replica in 0..replicas.max(1) {
        let seed = stream_seed(seed, open_loop.offered_flits, replica);
        let mut controller = Controller::new(settings, point.pace);
        let mut source = open_loop.packets(seed)?;
        let machine = machine(mix(seed))?;
        let (controller, source) = (&mut controller, &mut source);
        run(
            point, machine, controller, source, replica, monitor, &mut pool,
        )?;
    }
    Ok(pool.result(point.pace.offered_flits))
}

/// Whether the network delivers `offered_flits` flits per node per cycle of `traffic`: a run that
/// ends as soon as `settings` let it tell. Converged where it does, saturated where it does not,
/// max-cycles where the limit came first; the accepted load is that of the run's second half, and
/// there are no latencies.
///
/// The packets offered are those of the first replica of [`simulate`] at the same load and seed.
///
/// # Errors
/// As [`simulate`].
#[expect(
    clippy::too_many_arguments,
    reason = "a point has this many independent parts"
)]
pub fn simulate_stability<R: Routing + Clone>(
    network: &Network,
    routing: R,
    config: &EngineConfig,
    traffic: &TrafficPlan,
    offered_flits: f64,
    settings: StabilitySettings,
    seed: u64,
    monitor: &dyn Monitor,
) -> Result<PointResult, SimulateError> {
    let open_loop = OpenLoop::new(network, config, traffic, offered_flits, 1.0)?;
    let stream = stream_seed(seed, offered_flits, 0);
    let (seed, recorder) = (mix(stream), Recorder::new());
    let threads = monitor.threads();
    if threads > NonZeroUsize::MIN {
        return in_pool(threads, || {
            let stability = Stability {
                open_loop: &open_loop,
                config,
                threads,
                settings,
                stream,
                monitor,
            };
            for_crew(&routing, stability)
        })?;
    }
    let engine = Engine::new(network, routing, config.clone(), seed, recorder)?;
    run_stability(&open_loop, engine, settings, stream, monitor)
}

/// The replicas of a point, each on a crew.
struct Replicas<'a> {
    open_loop: &'a OpenLoop<'a>,
    config: &'a EngineConfig,
    threads: NonZeroUsize,
    settings: &'a MeasureSettings,
    seed: u64,
    replicas: u32,
    monitor: &'a dyn Monitor,
}

impl WithRouting for Replicas<'_> {
    type Output = Result<PointResult, SimulateError>;

    fn call<R: Routing + Clone>(self, routing: R) -> Self::Output {
        let network = self.open_loop.point.network;
        let crew = |seed| {
            let recorder = Recorder::of_terminals(network.terminals() as usize);
            Crew::new(network, &routing, self.config, seed, self.threads, recorder)
        };
        let (settings, seed) = (self.settings, self.seed);
        simulate_replicas(
            self.open_loop,
            crew,
            settings,
            seed,
            self.replicas,
            self.monitor,
        )
    }
}

/// A run on a crew that ends as soon as it can tell whether the load is delivered.
struct Stability<'a> {
    open_loop: &'a OpenLoop<'a>,
    config: &'a EngineConfig,
    threads: NonZeroUsize,
    settings: StabilitySettings,
    stream: u64,
    monitor: &'a dyn Monitor,
}

impl WithRouting for Stability<'_> {
    type Output = Result<PointResult, SimulateError>;

    fn call<R: Routing + Clone>(self, routing: R) -> Self::Output {
        let (network, seed) = (self.open_loop.point.network, mix(self.stream));
        let (threads, recorder) = (self.threads, Recorder::new());
        let crew = Crew::new(network, &routing, self.config, seed, threads, recorder)?;
        run_stability(
            self.open_loop,
            crew,
            self.settings,
            self.stream,
            self.monitor,
        )
    }
}

fn run_stability<M: Machine>(
    open_loop: &OpenLoop,
    machine: M,
    settings: StabilitySettings,
    stream: u64,
    monitor: &dyn Monitor,
) -> Result<PointResult, SimulateError> {
    let point = &open_loop.point;
    let mut pool = Pool::default();
    let mut test = StabilityTest::new(settings, point.pace);
    let mut source = open_loop.packets(stream)?;
    let (test, source) = (&mut test, &mut source);
    run(point, machine, test, source, 0, monitor, &mut pool)?;
    Ok(pool.result(point.pace.offered_flits))
}

/// The seed of a replica's random streams: a hash of the scenario's seed, the load and the replica,
/// so that a point is the same whether it is run alone or in a sweep, and the series of a sweep
/// share their arrivals.
pub fn stream_seed(seed: u64, offered_flits: f64, replica: u32) -> u64 {
    let word = mix(seed.wrapping_add(0x9e37_79b9_7f4a_7c15));
    mix(mix(word ^ offered_flits.to_bits()).wrapping_add(u64::from(replica)))
}

/// One replica from cycle 0 to its end, added to `pool`. Compiled once for each algorithm, observer and
/// kind of source, hence `dyn`: who decides and who watches is called every few hundred cycles.
pub(crate) fn run<M: Machine, S: Source>(
    point: &Point,
    mut machine: M,
    controller: &mut dyn Decide,
    source: &mut S,
    replica: u32,
    monitor: &dyn Monitor,
    pool: &mut Pool,
) -> Result<(), SimulateError> {
    if source.listens() {
        machine.recorder_mut().deliveries_mut().listen();
    }
    let mut until = controller.first_checkpoint();
    let mut watchdog = Watchdog::new();
    let mut deadlock = None;
    let mut look = 0;
    let outcome: Outcome = loop {
        let cycle = machine.cycle();
        if cycle >= until || machine.recorder().is_settled(cycle) {
            let decision = controller.decide(cycle, machine.recorder_mut());
            machine.follow();
            match decision {
                Decision::Continue { until: next } => until = next,
                Decision::Done(outcome) => {
                    // Some packets may be stuck while the others give a result.
                    deadlock = machine.find_deadlock();
                    if deadlock.is_none() {
                        break outcome;
                    }
                }
            }
        }
        if deadlock.is_none() && cycle >= look {
            look = cycle + CYCLES_BETWEEN_LOOKS;
            if monitor.is_cancelled() {
                return Err(SimulateError::Cancelled);
            }
            monitor.progress(Progress {
                replica,
                cycles: cycle,
                relative_half_width: controller
                    .relative_half_width()
                    .map(|now| (now, point.relative_error)),
            });
            deadlock = machine.look(&mut watchdog);
        }
        if deadlock.is_some() {
            break controller.stop(Status::Deadlock, cycle, machine.recorder_mut());
        }
        if machine.is_idle() {
            let next = source.next_arrival();
            if next == u64::MAX {
                break controller.stop(Status::Converged, cycle, machine.recorder_mut());
            }
            if next > cycle {
                machine.skip_to(next.min(until));
                continue;
            }
        }
        source.offer(&mut machine);
        machine.step();
        source.observe(machine.recorder_mut());
    };
    if let Some(deadlock) = deadlock {
        pool.add_deadlock(DeadlockReport::new(&deadlock, point.network));
    }
    let mut memory = machine.memory();
    memory.extend(&source.memory());
    monitor.memory(&memory);
    let (flit_hops, now) = (machine.flit_hops(), machine.cycle());
    let recorder = machine.recorder();
    pool.add(outcome, recorder.tagged(), flit_hops);
    let accepted = (0..).map(NodeId).zip(recorder.accepted_by_source());
    let accepted = accepted.filter(|&(node, _)| source.sends(node));
    let end = recorder.window_end().min(now);
    let window = end.saturating_sub(recorder.window_start());
    pool.add_sources(accepted.map(|(_, flits)| flits), window);
    if let Some(details) = machine.details(now) {
        pool.add_details(details);
    }
    Ok(())
}
