//! One series at one load, cycle by cycle, and what is happening in it.
//!
//! The packets are those of `flitsim run` at the same load and seed, in its first replica. Where the
//! load is changed on the way, new traffic begins in that cycle.

use super::gauge::{Gauge, Slot};
use super::moment::{Moment, Stopped, Watched};
use flitsim_engine::{Engine, Routing, Watchdog};
use flitsim_measure::measurement::recorder::Recorder;
use flitsim_measure::point::DeadlockReport;
use flitsim_measure::simulate::{Machine, Observer, SimulateError, Source, cycle};
use flitsim_measure::workload::Feedback;
use flitsim_measure::{Offered, OperatingPoint};
use flitsim_random::mix;
use flitsim_scenario::proof::ProvedSeries;
use flitsim_scenario::{Load, SeriesPlan};
use flitsim_sweep::operating_point;
use flitsim_topology::{ChannelId, NodeId};
use flitsim_traffic::{Destinations, Traffic, TrafficError};

/// Hands the simulation of `series` at `load`, from streams addressed by `seed`, to `then`.
///
/// # Errors
/// A router or traffic that cannot be built.
pub fn simulated<T>(
    series: &ProvedSeries<'_>,
    load: Load,
    seed: u64,
    then: impl FnOnce(&mut dyn Watched) -> T,
) -> Result<T, SimulateError> {
    Ok(then(&mut Simulation::new(
        series,
        series.relation()?,
        load,
        seed,
    )?))
}

/// A simulation under way.
pub struct Simulation<'a, R> {
    series: &'a SeriesPlan,
    seed: u64,
    engine: Engine<'a, R, Gauge>,
    packets: Packets<'a>,
    watchdog: Watchdog,
    stopped: Option<Stopped>,
}

impl<'a, R: Routing> Simulation<'a, R> {
    /// `series` at `load` before its first cycle.
    ///
    /// # Errors
    /// A router or traffic that cannot be built.
    pub fn new(
        series: &'a SeriesPlan,
        routing: R,
        load: Load,
        seed: u64,
    ) -> Result<Self, SimulateError> {
        let network = &*series.network;
        let point = operating_point(series, load, seed);
        let stream = point.stream(0);
        let packets = match point.offered {
            Offered::Flits(flits) => Packets::Open(Box::new(OpenLoop::new(&point, flits, 0)?)),
            Offered::Work(work) => {
                let source = work.packets(network, &series.traffic, stream)?;
                Packets::Workload(Box::new(source))
            }
        };
        let (config, gauge) = (series.engine.clone(), Gauge::new(network));
        let mut engine = Engine::new(network, routing, config, mix(stream), gauge)?;
        if packets.listens() {
            engine.probe_mut().recorder_mut().deliveries_mut().listen();
        }
        Ok(Self {
            series,
            seed,
            engine,
            packets,
            watchdog: Watchdog::new(),
            stopped: None,
        })
    }

    /// What `slot` is in reference cycles: accepted load and latency.
    fn measured(&self, slot: Slot) -> (f64, Option<f64>) {
        let cycle_time = self.series.cycle_time;
        let nodes = self.series.network.living_terminals_count();
        let accepted = slot.rate(slot.ejected_flits, nodes) / cycle_time;
        (accepted, slot.latency_mean().map(|mean| mean * cycle_time))
    }
}

impl<R: Routing> Watched for Simulation<'_, R> {
    fn advance(&mut self, cycles: u64) {
        for _ in 0..cycles {
            if self.stopped.is_some() {
                return;
            }
            if self.packets.may_end()
                && self.engine.is_idle()
                && self.packets.next_arrival() == u64::MAX
            {
                self.stopped = Some(Stopped::AllArrived);
                return;
            }
            cycle(&mut self.engine, &mut self.packets);
            self.engine.probe_mut().pass();
            // The watchdog decides itself when a look is worth its while.
            if self.engine.cycle() % 64 == 0
                && let Some(deadlock) = self.watchdog.look(&self.engine)
            {
                let report = DeadlockReport::new(&deadlock, &self.series.network);
                self.stopped = Some(Stopped::Deadlock(report.sentence(usize::MAX)));
            }
        }
    }

    fn set_load(&mut self, load: Load) -> Result<(), SimulateError> {
        let point = operating_point(self.series, load, self.seed);
        if let (Packets::Open(open), Offered::Flits(flits)) = (&mut self.packets, point.offered) {
            **open = OpenLoop::new(&point, flits, self.engine.cycle())?;
        }
        Ok(())
    }

    fn moment(&self) -> Moment {
        let (network, gauge) = (&*self.series.network, self.engine.probe());
        let recent = gauge.recent();
        let (accepted, latency) = self.measured(recent);
        let history = gauge.history().map(|slot| self.measured(slot));
        let (accepted_history, latency_history) = history.unzip();
        let mut buffered = vec![0; network.nodes() as usize];
        let mut used = Vec::with_capacity(network.channels() as usize);
        for channel in (0..network.channels()).map(ChannelId) {
            buffered[network.target(channel).index()] += gauge.held(channel);
            let period = self.series.engine.channel_period_of(channel);
            let busy = f64::from(gauge.sent(channel)) * f64::from(period);
            used.push((busy / recent.cycles.max(1) as f64).min(1.0) as f32);
        }
        let mut queued = gauge.queued().to_vec();
        queued.resize(network.nodes() as usize, 0);
        let counters = self.engine.counters();
        let nodes = network.living_terminals_count();
        Moment {
            cycle: self.engine.cycle(),
            cycles: recent.cycles,
            offered: recent.rate(recent.created_flits, nodes) / self.series.cycle_time,
            accepted,
            latency,
            accepted_history,
            latency_history,
            under_way: counters.packets_entered - counters.packets_delivered,
            used,
            buffered,
            queued,
            stopped: self.stopped.clone(),
        }
    }

    fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }
}

/// Where packets come from.
enum Packets<'a> {
    Open(Box<OpenLoop>),
    Workload(Box<Feedback<'a>>),
}

impl Packets<'_> {
    /// Whether there may be none any more: an open loop without load may get one.
    fn may_end(&self) -> bool {
        matches!(self, Self::Workload(_))
    }
}

/// Traffic that began in cycle `since`.
struct OpenLoop {
    traffic: Traffic,
    since: u64,
}

impl OpenLoop {
    fn new(point: &OperatingPoint<'_>, flits: f64, since: u64) -> Result<Self, TrafficError> {
        Ok(Self {
            traffic: Traffic::new(point.traffic, point.network, flits, point.stream(0))?,
            since,
        })
    }

    fn destinations(&self) -> &Destinations {
        self.traffic.destinations()
    }
}

impl Source for Packets<'_> {
    fn listens(&self) -> bool {
        match self {
            Self::Open(_) => false,
            Self::Workload(source) => source.listens(),
        }
    }

    fn sends(&self, node: NodeId) -> bool {
        match self {
            Self::Open(open) => open.destinations().sends(node),
            Self::Workload(source) => source.sends(node),
        }
    }

    fn next_arrival(&self) -> u64 {
        match self {
            Self::Open(open) => open.since.saturating_add(open.traffic.next_arrival()),
            Self::Workload(source) => source.next_arrival(),
        }
    }

    fn offer<M: Machine>(&mut self, machine: &mut M) {
        match self {
            Self::Open(open) => {
                let cycle = machine.cycle();
                open.traffic.arrivals(cycle - open.since, |packet| {
                    machine.create(packet, cycle);
                });
            }
            Self::Workload(source) => source.offer(machine),
        }
    }

    fn observe(&mut self, recorder: &mut Recorder) {
        if let Self::Workload(source) = self {
            source.observe(recorder);
        }
    }
}
