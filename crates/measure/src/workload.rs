//! Traffic that ends or waits: traces, batches and closed loops.
//!
//! The loop is that of [`crate::simulate`]. Two things differ: the source of packets may be told of
//! every delivery, and when a run is over. A closed loop without end is measured in its steady state,
//! like an open one. All others run until everything has arrived.

use crate::measurement::recorder::Recorder;
use crate::measurement::rounds::Rounds;
use crate::simulate::{Machine, Source};
use flitsim_topology::archive::{Archive, Archived};
use flitsim_topology::{Network, NodeId, archived};
use flitsim_traffic::{
    Batch, ClosedLoop, Exchange, PacketLength, Replay, Trace, TrafficError, TrafficPlan,
};
use std::sync::Arc;

/// Traffic that is not an open loop. Times are in reference cycles.
#[derive(Clone, Debug, PartialEq)]
pub enum Workload {
    /// The packets of a file. The amount of a point is 1, for the trace once.
    Trace(Arc<Trace>),
    /// All packets are created at the start. The amount is the number of packets per node.
    Batch,
    /// Requests and replies. The amount is the number of requests that a node has outstanding.
    ClosedLoop {
        /// Reference cycles from the arrival of a request to the creation of its reply.
        service_cycles: u64,
        /// The length of a reply; that of a request is the traffic's.
        reply: PacketLength,
        /// Requests that each node makes in all; `None` for no end.
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

    /// Its longest packet, in flits, for traffic whose packets have `length`.
    pub fn longest_flits(&self, length: &PacketLength) -> u32 {
        match self {
            Self::Trace(trace) => trace.longest_flits(),
            Self::Batch => length.longest_flits(),
            Self::ClosedLoop { reply, .. } => reply.longest_flits().max(length.longest_flits()),
        }
    }

    /// Whether it ends, because everything has arrived at some time.
    pub const fn ends(&self) -> bool {
        !matches!(self, Self::ClosedLoop { requests: None, .. })
    }
}

/// An amount of a workload.
#[derive(Clone, Copy, Debug)]
pub struct Work<'a> {
    /// The workload.
    pub workload: &'a Workload,
    /// How much of it, in [its unit](Workload::unit).
    pub amount: u64,
    /// Reference cycles that a simulated cycle takes.
    pub cycle_time: f64,
}

impl<'a> Work<'a> {
    /// Simulated cycles from the arrival of a request to the creation of its reply.
    pub(crate) fn service_cycles(&self) -> u64 {
        match *self.workload {
            Workload::ClosedLoop { service_cycles, .. } if self.cycle_time == 1.0 => service_cycles,
            Workload::ClosedLoop { service_cycles, .. } => {
                (service_cycles as f64 / self.cycle_time).ceil() as u64
            }
            _ => 0,
        }
    }

    /// Its packets on `network`, from random streams addressed by `seed`. `traffic` says where they go
    /// and how long they are; a trace does not use it.
    ///
    /// # Errors
    /// Traffic that the network cannot have.
    pub fn packets(
        &self,
        network: &Network,
        traffic: &TrafficPlan,
        seed: u64,
    ) -> Result<Feedback<'a>, TrafficError> {
        let packets = match self.workload {
            Workload::Trace(trace) => Packets::Trace(Replay::new(trace, self.cycle_time, seed)),
            Workload::Batch => Packets::Batch(Batch::new(traffic, self.amount, network, seed)?),
            Workload::ClosedLoop {
                reply, requests, ..
            } => {
                let plan = ClosedLoop {
                    // The scenario's reader keeps it within 32 bits.
                    outstanding: self.amount as u32,
                    service_cycles: self.service_cycles(),
                    request: traffic.length.clone(),
                    reply: reply.clone(),
                    requests: *requests,
                };
                let pattern = &traffic.pattern;
                let exchange = Exchange::new(plan, pattern, network, seed)?;
                Packets::ClosedLoop(Box::new(exchange))
            }
        };
        let senders = match self.workload {
            Workload::Trace(trace) => {
                let mut senders = vec![false; network.terminals() as usize];
                trace
                    .sources()
                    .for_each(|node| senders[node.index()] = true);
                senders
            }
            _ => {
                let destinations = traffic.pattern.compile(network)?;
                let nodes = (0..network.terminals()).map(NodeId);
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

/// Packets that come of a workload.
#[derive(Debug)]
enum Packets<'a> {
    Trace(Replay<'a>),
    Batch(Batch),
    ClosedLoop(Box<Exchange>),
}

impl Archived for Packets<'_> {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        match self {
            Self::Trace(replay) => replay.archive(archive),
            Self::Batch(batch) => batch.archive(archive),
            Self::ClosedLoop(exchange) => exchange.archive(archive),
        }
    }
}

/// A workload as a source of packets, which it recognises when they arrive.
#[derive(Debug)]
pub struct Feedback<'a> {
    packets: Packets<'a>,
    /// By terminal: whether it sends anything.
    senders: Vec<bool>,
    /// By the engine's number of a packet: the workload's own tag.
    tags: Vec<u64>,
    rounds: Rounds,
}

archived! { Feedback<'_> { packets, tags, rounds; rebuilt senders } }

impl Feedback<'_> {
    /// The round trips of the run.
    pub(crate) fn into_rounds(self) -> Rounds {
        self.rounds
    }
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

    fn keep(&mut self, archive: &mut Archive<'_>) {
        self.archive(archive);
    }
}
