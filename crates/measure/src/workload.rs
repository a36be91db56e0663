//! Traffic that ends or waits: traces, batches and closed loops, simulated and measured.
//!
//! The loop is that of [`crate::simulate`]; what differs is where packets come from, here told of
//! every delivery, and when a run is over. A closed loop without end is measured in its steady state
//! like an open one. All others run until everything has arrived.
//!
//! Invariant: a point's result depends on the network, the routing, the router, the workload, its
//! amount, the settings and the seed, and on nothing else.

use crate::measurement::MeasureSettings;
use crate::measurement::controller::{Controller, Outcome};
use crate::measurement::decide::Decide;
use crate::measurement::details::Detailed;
use crate::measurement::pace::Pace;
use crate::measurement::recorder::Recorder;
use crate::measurement::replicas::{Pool, pooled, relative_error_each};
use crate::measurement::rounds::Rounds;
use crate::measurement::statistics::Estimate;
use crate::measurement::to_the_end::{ToTheEnd, mean_of_replicas, with_intervals};
use crate::point::{Mean, PointResult, WorkloadSummary};
use crate::simulate::open_loop::{Point, traversal_cycles};
use crate::simulate::parts::{Machine, Observer, Source};
use crate::simulate::{Monitor, SimulateError, run, stream_seed};
use flitsim_engine::random::mix;
use flitsim_engine::{Engine, EngineConfig, Routing};
use flitsim_topology::{Network, NodeId};
use flitsim_traffic::{
    Batch, ClosedLoop, Exchange, PacketLength, Replay, Trace, TrafficError, TrafficPlan,
};
use std::sync::Arc;

/// Traffic that is no open loop. Times are in reference cycles.
#[derive(Clone, Debug, PartialEq)]
pub enum Workload {
    /// The packets of a file. The amount of a point is 1: the trace, once.
    Trace(Arc<Trace>),
    /// All packets at the start. The amount is the packets of a node.
    Batch,
    /// Requests and replies. The amount is the requests of a node that are outstanding.
    ClosedLoop {
        /// From the arrival of a request to the creation of its reply, in reference cycles.
        service_cycles: u64,
        /// The length of a reply; that of a request is the traffic's.
        reply: PacketLength,
        /// Requests that each node makes in all; `None` without end.
        requests: Option<u64>,
    },
}

impl Workload {
    /// The units of amounts.
    pub const UNITS: [&'static str; 3] = ["trace", "packets/node", "outstanding/node"];

    /// The unit of its amount: the column `load_unit`.
    pub const fn unit(&self) -> &'static str {
        let [trace, batch, closed_loop] = Self::UNITS;
        match self {
            Self::Trace(_) => trace,
            Self::Batch => batch,
            Self::ClosedLoop { .. } => closed_loop,
        }
    }

    /// What it is called in messages.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Trace(_) => "a trace",
            Self::Batch => "a batch",
            Self::ClosedLoop { .. } => "a closed loop",
        }
    }

    /// Whether everything has arrived at some time.
    pub const fn ends(&self) -> bool {
        !matches!(self, Self::ClosedLoop { requests: None, .. })
    }
}

/// One workload on one network: everything that its replicas share.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The network.
    pub network: &'a Network,
    /// The router.
    pub config: &'a EngineConfig,
    /// To whom, and how long packets are; of no account for a trace.
    pub traffic: &'a TrafficPlan,
    /// The workload.
    pub workload: &'a Workload,
    /// How much of it, in [its unit](Workload::unit).
    pub amount: u64,
    /// Reference cycles that a simulated cycle takes.
    pub cycle_time: f64,
    /// When to stop; the latency limit is of no account.
    pub settings: &'a MeasureSettings,
}

impl<'a> Job<'a> {
    /// Simulates it under `routing`, pooled over `replicas` independent runs (0 counts as 1) from
    /// streams addressed by `seed`. What is reported as offered is what was accepted.
    ///
    /// # Errors
    /// A router or traffic that cannot be built, or a monitor that gives up.
    pub fn simulate<R: Routing + Clone>(
        &self,
        routing: &R,
        seed: u64,
        replicas: u32,
        monitor: &dyn Monitor,
    ) -> Result<PointResult, SimulateError> {
        let terminals = self.network.terminals() as usize;
        let observer = || Recorder::of_terminals(terminals);
        self.observed(routing, observer, seed, replicas, monitor)
    }

    /// As [`Job::simulate`], with the details of its settings: the same point, in a slower loop.
    ///
    /// # Errors
    /// As [`Job::simulate`].
    pub fn simulate_in_detail<R: Routing + Clone>(
        &self,
        routing: &R,
        seed: u64,
        replicas: u32,
        monitor: &dyn Monitor,
    ) -> Result<PointResult, SimulateError> {
        let (details, pattern) = (self.settings.details, &self.traffic.pattern);
        let observer = || Detailed::new(details, pattern, self.network, self.config);
        self.observed(routing, observer, seed, replicas, monitor)
    }

    fn observed<R: Routing + Clone, O: Observer>(
        &self,
        routing: &R,
        observer: impl Fn() -> O,
        seed: u64,
        replicas: u32,
        monitor: &dyn Monitor,
    ) -> Result<PointResult, SimulateError> {
        let replicas = replicas.max(1);
        let settings = MeasureSettings {
            relative_error: relative_error_each(self.settings.relative_error, replicas),
            ..*self.settings
        };
        let point = Point {
            network: self.network,
            relative_error: settings.relative_error,
            pace: self.pace(),
        };
        let mut pool = Pool::default();
        let mut rounds = Vec::new();
        for replica in 0..replicas {
            let seed = stream_seed(seed, 0.0, replica);
            let mut source = self.source(seed)?;
            let (config, routing) = (self.config.clone(), routing.clone());
            let engine = Engine::new(self.network, routing, config, mix(seed), observer())?;
            let mut to_the_end = ToTheEnd::new(settings.max_cycles, point.pace.terminals);
            let mut steady = Controller::new(settings, point.pace).of_closed_loop();
            let controller: &mut dyn Decide = match self.workload.ends() {
                true => &mut to_the_end,
                false => &mut steady,
            };
            let source = &mut source;
            run(
                &point, engine, controller, source, replica, monitor, &mut pool,
            )?;
            rounds.push(std::mem::take(&mut source.rounds));
        }
        let outcomes = pool.outcomes().to_vec();
        let mut result = pool.result(0.0);
        result.workload = Some(match self.workload.ends() {
            true => ended(&mut result, &outcomes, &rounds),
            false => steady(&outcomes, &mut rounds),
        });
        result.offered_flits = result.accepted_flits;
        Ok(result)
    }

    /// What is known of a run before it starts: of a closed loop, a load that it cannot pass.
    fn pace(&self) -> Pace {
        let mut packet_flits = self.traffic.length.mean_flits();
        let mut offered_flits = 1.0;
        let crossing = |flits| traversal_cycles(self.network, self.config, flits);
        if let Workload::ClosedLoop { reply, .. } = self.workload {
            let flits = packet_flits + reply.mean_flits();
            packet_flits = flits / 2.0;
            let service = self.cycles(self.workload_service()) as f64;
            // The shortest way takes a router at each end.
            let round = (4.0 + flits + service).max(1.0);
            offered_flits = (self.amount as f64 * flits / round).min(1.0);
        }
        Pace {
            terminals: self.network.living_terminals_count().max(1),
            offered_flits,
            // No load is asked for, so none is too high.
            hottest_flits: 0.0,
            packet_flits,
            traversal_cycles: crossing(packet_flits),
        }
    }

    fn workload_service(&self) -> u64 {
        match self.workload {
            Workload::ClosedLoop { service_cycles, .. } => *service_cycles,
            _ => 0,
        }
    }

    /// Simulated cycles in which `cycles` reference cycles are over.
    fn cycles(&self, cycles: u64) -> u64 {
        match self.cycle_time == 1.0 {
            true => cycles,
            false => (cycles as f64 / self.cycle_time).ceil() as u64,
        }
    }

    /// Its packets, from streams addressed by `seed`.
    pub fn source(&self, seed: u64) -> Result<Feedback<'a>, TrafficError> {
        let packets = match self.workload {
            Workload::Trace(trace) => Packets::Trace(Replay::new(trace, self.cycle_time, seed)),
            Workload::Batch => {
                Packets::Batch(Batch::new(self.traffic, self.amount, self.network, seed)?)
            }
            Workload::ClosedLoop {
                service_cycles,
                reply,
                requests,
            } => {
                let plan = ClosedLoop {
                    // The scenario's reader keeps it within 32 bits.
                    outstanding: self.amount as u32,
                    service_cycles: self.cycles(*service_cycles),
                    request: self.traffic.length.clone(),
                    reply: reply.clone(),
                    requests: *requests,
                };
                let pattern = &self.traffic.pattern;
                let exchange = Exchange::new(plan, pattern, self.network, seed)?;
                Packets::ClosedLoop(Box::new(exchange))
            }
        };
        let senders = match self.workload {
            Workload::Trace(trace) => {
                let mut senders = vec![false; self.network.terminals() as usize];
                trace
                    .sources()
                    .for_each(|node| senders[node.index()] = true);
                senders
            }
            _ => {
                let destinations = self.traffic.pattern.compile(self.network)?;
                let nodes = (0..self.network.terminals()).map(NodeId);
                nodes.map(|node| destinations.sends(node)).collect()
            }
        };
        Ok(Feedback {
            packets,
            senders,
            tags: Vec::new(),
            rounds: Rounds::default(),
        })
    }
}

/// What replicas yield that ran until everything had arrived, or were cut off.
fn ended(result: &mut PointResult, outcomes: &[Outcome], rounds: &[Rounds]) -> WorkloadSummary {
    let makespan = with_intervals(result, outcomes);
    let means: Option<Vec<f64>> = rounds.iter().map(Rounds::mean).collect();
    WorkloadSummary {
        makespan,
        // Cut off, the longest rounds are missing.
        round_trip: means
            .filter(|_| makespan.is_some())
            .and_then(|means| mean_of_replicas(&means)),
        rounds: rounds.iter().map(Rounds::count).sum(),
    }
}

/// What replicas yield that were measured in their steady state.
fn steady(outcomes: &[Outcome], rounds: &mut [Rounds]) -> WorkloadSummary {
    let each = outcomes.iter().zip(rounds);
    let each = each.map(|(outcome, rounds)| {
        outcome.latency?;
        rounds.steady(outcome.warmup_cycles, outcome.cycles)
    });
    let known: Option<Vec<(Estimate, u64)>> = each.collect();
    let Some(known) = known else {
        return WorkloadSummary::default();
    };
    let (mean, ci95) = pooled(known.iter().map(|(estimate, _)| estimate));
    WorkloadSummary {
        makespan: None,
        round_trip: Some(Mean { mean, ci95 }),
        rounds: known.iter().map(|(_, rounds)| rounds).sum(),
    }
}

/// Packets that come of a workload.
#[derive(Debug)]
enum Packets<'a> {
    Trace(Replay<'a>),
    Batch(Batch),
    ClosedLoop(Box<Exchange>),
}

/// A workload as a source: it knows its packets again when they arrive.
#[derive(Debug)]
pub struct Feedback<'a> {
    packets: Packets<'a>,
    /// By terminal: whether it sends anything.
    senders: Vec<bool>,
    /// By the engine's number of a packet: the workload's own tag.
    tags: Vec<u64>,
    rounds: Rounds,
}

impl Source for Feedback<'_> {
    fn listens(&self) -> bool {
        !matches!(self.packets, Packets::Batch(_))
    }

    fn sends(&self, node: NodeId) -> bool {
        self.senders[node.index()]
    }

    #[inline]
    fn next_arrival(&self) -> u64 {
        match &self.packets {
            Packets::Trace(replay) => replay.next_arrival(),
            Packets::Batch(batch) => batch.next_arrival(),
            Packets::ClosedLoop(exchange) => exchange.next_arrival(),
        }
    }

    #[inline]
    fn offer<M: Machine>(&mut self, machine: &mut M) {
        let cycle = machine.cycle();
        let tags = &mut self.tags;
        let mut offer = |packet, tag| {
            // A workload is never given to a crew, which has no numbers.
            let Some(number) = machine.create(packet, cycle) else {
                return;
            };
            let number = number as usize;
            if number >= tags.len() {
                tags.resize(number + 1, 0);
            }
            tags[number] = tag;
        };
        match &mut self.packets {
            Packets::Trace(replay) => replay.arrivals(cycle, offer),
            Packets::Batch(batch) => batch.arrivals(|packet| offer(packet, 0)),
            Packets::ClosedLoop(exchange) => exchange.arrivals(cycle, offer),
        }
    }

    #[inline]
    fn observe(&mut self, recorder: &mut Recorder) {
        for delivered in recorder.deliveries_mut().drain() {
            let tag = self.tags[delivered.number as usize];
            match &mut self.packets {
                Packets::Trace(replay) => replay.delivered(tag, delivered.arrived),
                Packets::Batch(_) => {}
                Packets::ClosedLoop(exchange) => {
                    if let Some(cycles) = exchange.delivered(tag, delivered.arrived) {
                        self.rounds.add(delivered.arrived, cycles);
                    }
                }
            }
        }
    }
}
