//! Packets as they are created, cycle by cycle.
//!
//! Invariant: what a node creates in a cycle depends on the seed, the node and the cycle only: not
//! on which other cycles were asked for, nor on the wheel's size. No allocation, hashing of keys or
//! dynamic dispatch after set-up.

use crate::calendar::Calendar;
use crate::length::Lengths;
use crate::pattern::Destinations;
use crate::process::Arrivals;
use crate::stream::{Purpose, Streams};
use crate::{TrafficError, TrafficPlan};
use flitsim_topology::memory::Memory;
use flitsim_topology::{Network, NodeId, archived};
use rand::Rng;
use rand::distr::Distribution;

/// A packet that a terminal creates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The terminal that sends it.
    pub source: NodeId,
    /// The terminal that receives it; it may be the source.
    pub destination: NodeId,
    /// Its length in flits, at least 1.
    pub flits: u32,
    /// A random word from the source's own stream, for choices made at the source.
    pub entropy: u64,
    /// Which part of a mixture it follows, from 0 in the mixture's order; 0 under any other pattern.
    pub part: u32,
}

/// The packets of a [`TrafficPlan`] at a rate, in cycle order.
#[derive(Clone, Debug)]
pub struct Traffic {
    streams: Streams,
    arrivals: Arrivals,
    destinations: Destinations,
    lengths: Lengths,
    calendar: Calendar,
}

archived! { Traffic { arrivals, calendar; rebuilt streams, destinations, lengths } }

impl Traffic {
    /// The traffic of `plan` at `load` flits per node per cycle, from streams addressed by
    /// (`seed`, purpose, node, cycle). No load, no packets.
    ///
    /// # Errors
    /// Any [`TrafficError`]: as [`TrafficPlan::validate`] and [`TrafficPlan::packet_rate`].
    pub fn new(
        plan: &TrafficPlan,
        network: &Network,
        load: f64,
        seed: u64,
    ) -> Result<Self, TrafficError> {
        plan.length.validate()?;
        plan.process.validate()?;
        let rate = plan.packet_rate(load)?;
        let destinations = plan.pattern.compile(network)?;
        let streams = Streams::new(seed);
        let mut arrivals = Arrivals::new(plan.process, rate, network.terminals());
        let mut calendar = Calendar::new(network.terminals(), 1.0 / rate);
        let senders = (0..network.terminals()).filter(|&node| destinations.sends(NodeId(node)));
        for node in senders {
            calendar.schedule(node, arrivals.first(&streams, node));
        }
        Ok(Self {
            streams,
            arrivals,
            destinations,
            lengths: Lengths::new(&plan.length),
            calendar,
        })
    }

    /// Hands every packet created in cycle `cycle` to `offer`, in ascending order of sources.
    /// Cycles are asked for in ascending order, each at most once; none that has an arrival may be
    /// skipped.
    ///
    /// # Panics
    /// In debug builds, if a cycle is asked for twice or one with an arrival is skipped.
    #[inline]
    pub fn arrivals(&mut self, cycle: u64, mut offer: impl FnMut(Arrival)) {
        self.calendar.take(cycle);
        for i in 0..self.calendar.taken().len() {
            let node = self.calendar.taken()[i];
            // In this order, so that patterns share what is not theirs: who sends when, and how much.
            let mut rng = self.streams.event(Purpose::Packets, node, cycle);
            let next = self.arrivals.next(&self.streams, &mut rng, node, cycle);
            self.calendar.schedule(node, next);
            for _ in 0..self.arrivals.packets(&mut rng) {
                let flits = self.lengths.sample(&mut rng);
                let entropy = rng.next_u64();
                let (destination, part) =
                    (self.destinations).draw_with_part(NodeId(node), &mut rng);
                offer(Arrival {
                    source: NodeId(node),
                    destination,
                    flits,
                    entropy,
                    part,
                });
            }
        }
    }

    /// The next cycle that has an arrival, of those not asked for yet; `u64::MAX` where there is
    /// none any more.
    pub fn next_arrival(&self) -> u64 {
        self.calendar.earliest()
    }

    /// The bytes that it keeps for its sources: which are due when. What patterns of lists and bursts
    /// with a state of their own keep is not counted.
    pub fn memory(&self) -> Memory {
        let mut memory = Memory::default();
        memory.add("calendar of arrivals", self.calendar.bytes());
        memory
    }

    /// Who sends to whom, as the arrivals draw it.
    pub fn destinations(&self) -> &Destinations {
        &self.destinations
    }
}
