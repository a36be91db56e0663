//! A batch: every node has as many packets to send, and all are there in cycle 0.

use crate::length::Lengths;
use crate::stream::{Purpose, Streams};
use crate::{Arrival, TrafficError, TrafficPlan};
use flitsim_topology::archive::{Archive, Archived};
use flitsim_topology::{Network, NodeId};
use rand::Rng;
use rand::distr::Distribution;

/// The packets of a batch.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Everything of it, once.
    arrivals: Vec<Arrival>,
    is_over: bool,
}

impl Archived for Batch {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        self.is_over.archive(archive);
        if self.is_over {
            self.arrivals = Vec::new();
        }
    }
}

impl Batch {
    /// `packets` packets from every node of `network` that sends anything, to the destinations and
    /// of the lengths of `plan`, from streams addressed by `seed`.
    ///
    /// # Errors
    /// As [`PacketLength::validate`](crate::PacketLength::validate) and
    /// [`Pattern::compile`](crate::Pattern::compile).
    ///
    /// # Panics
    /// If there are more than [`PACKETS_AT_ONCE_MOST`](super::PACKETS_AT_ONCE_MOST) in all.
    pub fn new(
        plan: &TrafficPlan,
        packets: u64,
        network: &Network,
        seed: u64,
    ) -> Result<Self, TrafficError> {
        plan.length.validate()?;
        let all = packets.saturating_mul(u64::from(network.terminals()));
        assert!(all <= super::PACKETS_AT_ONCE_MOST, "too large a batch");
        let destinations = plan.pattern.compile(network)?;
        let lengths = Lengths::new(&plan.length);
        let streams = Streams::new(seed);
        let senders = (0..network.terminals()).map(NodeId);
        let senders = senders.filter(|&node| destinations.sends(node));
        let arrivals = senders.flat_map(|source| (0..packets).map(move |number| (source, number)));
        let arrivals = arrivals.map(|(source, number)| {
            let mut rng = streams.event(Purpose::Request, source.0, number);
            let flits = lengths.sample(&mut rng);
            let entropy = rng.next_u64();
            let (destination, part) = destinations.draw_with_part(source, &mut rng);
            Arrival {
                source,
                destination,
                flits,
                entropy,
                part,
            }
        });
        Ok(Self {
            arrivals: arrivals.collect(),
            is_over: false,
        })
    }

    /// Hands every packet to `offer` in the first cycle asked for, in ascending order of sources.
    pub fn arrivals(&mut self, offer: impl FnMut(Arrival)) {
        self.is_over = true;
        std::mem::take(&mut self.arrivals)
            .into_iter()
            .for_each(offer);
    }

    /// 0, and `u64::MAX` once all have been handed out.
    pub fn next_arrival(&self) -> u64 {
        if self.is_over { u64::MAX } else { 0 }
    }
}
