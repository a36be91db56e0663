//! The measurement of a run: a probe that the engine calls, and two series of bins.
//!
//! The series `run` covers all cycles since the start (or since [`Recorder::new`]); the series `window`
//! covers those of the measurement window, which begins in the cycle `start` and ends before the cycle
//! `end`. Packets created in the window are *tagged*. The window's end may be moved later, never
//! earlier, so packets created past it are counted apart until it moves beyond them.
//!
//! The flits of each source's packets that arrive in the window are counted in the same way: those that
//! arrive after its end are kept apart.
//!
//! Invariant: `tagged` holds exactly the delivered packets created in `start..end`; memory is
//! fixed, and no call allocates.

mod deliveries;
mod histogram;
mod series;

pub use deliveries::{Delivered, Deliveries};
pub use histogram::Histogram;
pub use series::{Bin, Series};

use flitsim_engine::{FlitKind, Packet, Probe};
use flitsim_topology::memory::Memory;
use flitsim_topology::{Network, NodeId, archived};

/// Sums over delivered packets.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Latencies, creation to the arrival of the last flit.
    pub latency: Histogram,
    /// Sum of the latencies from entering the network, in cycles.
    pub network_latency_cycles: u64,
    /// Sum of router-to-router channels.
    pub hops: u64,
}

archived! { Tally { latency, network_latency_cycles, hops } }

impl Tally {
    /// Packets counted.
    pub fn packets(&self) -> u64 {
        self.latency.count()
    }

    /// Adds what `other` has counted.
    pub fn merge(&mut self, other: &Self) {
        self.latency.merge(&other.latency);
        self.network_latency_cycles += other.network_latency_cycles;
        self.hops += other.hops;
    }

    fn clear(&mut self) {
        self.latency.clear();
        self.network_latency_cycles = 0;
        self.hops = 0;
    }
}

/// A packet at the end of its way.
#[derive(Clone, Copy, Debug)]
pub struct Delivery {
    /// The cycle in which it was created.
    pub created: u64,
    /// The cycle in which its head entered the network.
    pub entered: u64,
    /// The cycle at whose start its tail is consumed.
    pub arrived: u64,
    /// Router-to-router channels taken.
    pub hops: u32,
}

/// Packets created and not yet delivered.
#[derive(Clone, Copy, Debug, Default)]
struct Outstanding {
    packets: u64,
    /// Sum of the cycles of their creation, counted from the window's start.
    created_cycles: u64,
}

archived! { Outstanding { packets, created_cycles } }

/// The observer of one run.
#[derive(Clone, Debug)]
pub struct Recorder {
    run: Series,
    window: Series,
    start: u64,
    end: u64,
    tagged: Tally,
    later: Tally,
    tagged_outstanding: Outstanding,
    later_outstanding: Outstanding,
    /// By terminal: flits of its packets of which the last one arrived in the window, and after it.
    accepted_flits: Box<[[u64; 2]]>,
    deliveries: Deliveries,
    /// Hops of a route between terminals and routers, which do not count.
    hops_at_terminals: u32,
}

archived! { Recorder {
    run, window, start, end, tagged, later, tagged_outstanding, later_outstanding, deliveries; fixed
    accepted_flits; rebuilt hops_at_terminals
} }

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

impl Recorder {
    /// An observer from cycle 0 on, without a window, that does not tell sources apart, and counts all hops.
    pub fn new() -> Self {
        Self::of(0, 0)
    }

    /// An observer from cycle 0 on, without a window, of the packets between the terminals of `network`.
    pub fn of_network(network: &Network) -> Self {
        Self::of(network.terminals() as usize, network.hops_at_terminals())
    }

    fn of(terminals: usize, hops_at_terminals: u32) -> Self {
        Self {
            run: Series::new(0),
            window: Series::new(0),
            start: u64::MAX,
            end: u64::MAX,
            tagged: Tally::default(),
            later: Tally::default(),
            tagged_outstanding: Outstanding::default(),
            later_outstanding: Outstanding::default(),
            accepted_flits: vec![[0; 2]; terminals].into_boxed_slice(),
            deliveries: Deliveries::default(),
            hops_at_terminals,
        }
    }

    /// The hops of `packet` that count: not those between terminals and routers. A packet to its own
    /// terminal may have none of these.
    #[inline]
    pub fn hops(&self, packet: &Packet) -> u32 {
        packet.hops.saturating_sub(self.hops_at_terminals)
    }

    /// The bytes that it keeps, part by part; the tallies and series, of fixed size, included.
    pub fn memory(&self) -> Memory {
        let mut memory = Memory::default();
        memory.add("flits by source", size_of_val(&*self.accepted_flits) as u64);
        memory
    }

    /// The packets delivered since last taken, for a source that waits for them.
    pub fn deliveries_mut(&mut self) -> &mut Deliveries {
        &mut self.deliveries
    }

    /// All cycles, bin by bin.
    pub fn run(&self) -> &Series {
        &self.run
    }

    /// The cycles from the window's start on, bin by bin.
    pub fn window(&self) -> &Series {
        &self.window
    }

    /// The first cycle of the window; `u64::MAX` where there is none yet.
    pub fn window_start(&self) -> u64 {
        self.start
    }

    /// The cycle before which the window ends.
    pub fn window_end(&self) -> u64 {
        self.end
    }

    /// Delivered packets of the window.
    pub fn tagged(&self) -> &Tally {
        &self.tagged
    }

    /// By terminal: flits of those of its packets whose last flit arrived in the window.
    pub fn accepted_by_source(&self) -> impl Iterator<Item = u64> {
        self.accepted_flits.iter().map(|[inside, _]| *inside)
    }

    /// Packets created in the window and not yet delivered.
    pub fn tagged_outstanding(&self) -> u64 {
        self.tagged_outstanding.packets
    }

    /// Whether the window has ended by the start of cycle `now` and all its packets are delivered.
    #[inline]
    pub fn is_settled(&self, now: u64) -> bool {
        now >= self.end && self.tagged_outstanding.packets == 0
    }

    /// Sum of the latencies of the window's packets so far, in cycles. A packet that is still under way
    /// counts with its age at the start of cycle `now`, below which its latency cannot be.
    pub fn latency_bound_cycles(&self, now: u64) -> u64 {
        let Outstanding {
            packets,
            created_cycles,
        } = self.tagged_outstanding;
        let ages = packets * now.saturating_sub(self.start) - created_cycles;
        let end = self.end.min(now).saturating_sub(self.start) / self.window.width();
        let bins = self.window.ended(now);
        let delivered = &bins[..bins.len().min(end as usize)];
        delivered.iter().map(|bin| bin.latency_cycles).sum::<u64>() + ages
    }

    /// Begins the window in cycle `start`, which has not been simulated yet, to end before `end`.
    ///
    /// # Panics
    /// If the window is empty or has begun before.
    pub fn begin_window(&mut self, start: u64, end: u64) {
        assert!(start < end && self.start == u64::MAX);
        self.window.restart(start);
        self.start = start;
        self.end = end;
    }

    /// Moves the window's end to `end`, at or after the cycle `now` that comes next: whatever was
    /// created until now is then inside.
    ///
    /// # Panics
    /// If the end would move back, or before `now`.
    pub fn extend_window(&mut self, now: u64, end: u64) {
        assert!(end >= self.end && end >= now);
        self.end = end;
        self.tagged.merge(&self.later);
        self.later.clear();
        self.tagged_outstanding.packets += self.later_outstanding.packets;
        self.tagged_outstanding.created_cycles += self.later_outstanding.created_cycles;
        self.later_outstanding = Outstanding::default();
        for [inside, later] in &mut self.accepted_flits {
            *inside += std::mem::take(later);
        }
    }

    /// Brings the series up to the start of cycle `now`.
    pub fn reach(&mut self, now: u64) {
        self.run.reach(now);
        if self.start <= now {
            self.window.reach(now);
        }
    }

    /// A packet of `flits` flits was created in cycle `cycle`.
    #[inline]
    pub fn created(&mut self, cycle: u64, flits: u32) {
        self.run.created(cycle, flits);
        if cycle >= self.start {
            self.window.created(cycle, flits);
            let outstanding = if cycle < self.end {
                &mut self.tagged_outstanding
            } else {
                &mut self.later_outstanding
            };
            outstanding.packets += 1;
            outstanding.created_cycles += cycle - self.start;
        }
    }

    /// `flits` flits left the network in cycle `cycle`.
    #[inline]
    pub fn ejected(&mut self, cycle: u64, flits: u32) {
        self.run.ejected(cycle, flits);
        if cycle >= self.start {
            self.window.ejected(cycle, flits);
        }
    }

    /// A packet arrived.
    #[inline]
    pub fn delivered(&mut self, packet: Delivery) {
        let latency = packet.arrived - packet.created;
        self.run.delivered(packet.created, latency, packet.hops);
        if packet.created < self.start {
            return;
        }
        self.window.delivered(packet.created, latency, packet.hops);
        let (tally, outstanding) = if packet.created < self.end {
            (&mut self.tagged, &mut self.tagged_outstanding)
        } else {
            (&mut self.later, &mut self.later_outstanding)
        };
        tally.latency.record(latency);
        tally.network_latency_cycles += packet.arrived - packet.entered;
        tally.hops += u64::from(packet.hops);
        outstanding.packets -= 1;
        outstanding.created_cycles -= packet.created - self.start;
    }
}

impl Probe for Recorder {
    const EACH_FLIT: bool = false;

    #[inline]
    fn flits_ejected(&mut self, cycle: u64, flits: u32) {
        self.ejected(cycle, flits);
    }

    #[inline]
    fn flit_ejected(&mut self, cycle: u64, _: NodeId, _: FlitKind, _: &Packet) {
        self.ejected(cycle, 1);
    }

    #[inline]
    fn packet_delivered(&mut self, arrived: u64, packet: &Packet) {
        self.delivered(Delivery {
            created: packet.created,
            entered: packet.entered,
            arrived,
            hops: self.hops(packet),
        });
        // The tail left the network in the cycle before.
        if arrived > self.start
            && let Some(accepted) = self.accepted_flits.get_mut(packet.source.index())
        {
            accepted[usize::from(arrived > self.end)] += u64::from(packet.flits);
        }
    }

    #[inline]
    fn packet_retired(&mut self, arrived: u64, _: &Packet, number: u32) {
        self.deliveries.add(number, arrived);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrive(recorder: &mut Recorder, created: u64, arrived: u64) {
        recorder.delivered(Delivery {
            created,
            entered: created + 1,
            arrived,
            hops: 2,
        });
    }

    #[test]
    fn only_packets_born_in_the_window_count() {
        let mut recorder = Recorder::new();
        recorder.created(5, 4);
        recorder.begin_window(10, 20);
        recorder.created(10, 4);
        recorder.created(19, 4);
        recorder.created(20, 4);
        assert_eq!(recorder.tagged_outstanding(), 2);
        arrive(&mut recorder, 5, 22);
        arrive(&mut recorder, 10, 23);
        arrive(&mut recorder, 20, 24);
        assert!(!recorder.is_settled(24));
        recorder.reach(24);
        // 13 cycles of the packet that came, an age of 24 - 19 of the one that did not.
        assert_eq!(recorder.latency_bound_cycles(24), 13 + 5);
        arrive(&mut recorder, 19, 25);
        assert!(recorder.is_settled(25) && !recorder.is_settled(19));
        let tagged = recorder.tagged();
        assert_eq!((tagged.packets(), tagged.latency.max()), (2, 13));
        assert_eq!((tagged.network_latency_cycles, tagged.hops), (12 + 5, 4));
        recorder.reach(25);
        assert_eq!(
            Bin::sum(recorder.run().ended(25)).latency_cycles,
            17 + 13 + 6 + 4
        );
    }

    #[test]
    fn moving_the_end_takes_in_what_came_meanwhile() {
        let mut recorder = Recorder::new();
        recorder.begin_window(0, 8);
        for cycle in 0..16 {
            recorder.created(cycle, 1);
            if cycle % 2 == 0 {
                arrive(&mut recorder, cycle, cycle + 3);
            }
        }
        assert_eq!(
            (recorder.tagged().packets(), recorder.tagged_outstanding()),
            (4, 4)
        );
        recorder.extend_window(16, 32);
        assert_eq!(
            (recorder.tagged().packets(), recorder.tagged_outstanding()),
            (8, 8)
        );
        for cycle in (1..16).step_by(2) {
            arrive(&mut recorder, cycle, cycle + 20);
        }
        assert!(recorder.is_settled(40) && recorder.tagged().packets() == 16);
    }
}
