//! Latencies of packets by group: sums, and batches of equally many cycles for an interval of each
//! group's mean.
//!
//! Invariant: the sums hold exactly the tagged packets, as the recorder's do. All groups share one
//! width of batches, a power of two that doubles where a run outgrows them.

use crate::measurement::intervals::PACKETS_REPORTED_MIN;
use crate::measurement::statistics::{Correlation, ratio_by_batch_means};
use flitsim_topology::archived;

/// Batches of each group: a window takes between a half and all of them, a run that is still
/// waiting for its last packets at least a quarter.
const BATCHES: usize = 128;

/// Sums over packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    packets: u64,
    latency_cycles: u64,
    network_cycles: u64,
    hops: u64,
    latency_max: u64,
}

archived! { Sums { packets, latency_cycles, network_cycles, hops, latency_max } }

impl Sums {
    fn add(&mut self, other: &Self) {
        self.packets += other.packets;
        self.latency_cycles += other.latency_cycles;
        self.network_cycles += other.network_cycles;
        self.hops += other.hops;
        self.latency_max = self.latency_max.max(other.latency_max);
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Batch {
    packets: u64,
    latency_cycles: u64,
}

archived! { Batch { packets, latency_cycles } }

/// A delivered packet of the window, or one created after its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    /// The cycle of its creation.
    pub(super) created: u64,
    /// Whether that is after the window's end.
    pub(super) is_later: bool,
    /// Cycles from its creation.
    pub(super) latency: u64,
    /// Cycles from entering the network.
    pub(super) network: u64,
    /// Router-to-router channels taken.
    pub(super) hops: u32,
}

/// What a group's packets add up to, over one or several replicas.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GroupTotal {
    sums: Sums,
    /// The sum over replicas of (packets times half-width of their mean latency) squared.
    squared_error: f64,
    /// Whether a replica has too few packets for an interval.
    is_thin: bool,
}

archived! { GroupTotal { sums, squared_error, is_thin } }

impl GroupTotal {
    /// Packets measured.
    pub fn packets(&self) -> u64 {
        self.sums.packets
    }

    /// Mean latency, in cycles; `None` without packets.
    pub fn latency_mean(&self) -> Option<f64> {
        self.mean(self.sums.latency_cycles)
    }

    /// Half-width of its 95 % interval; `None` where a replica has fewer than [`PACKETS_REPORTED_MIN`]
    /// packets in the group.
    pub fn latency_ci95(&self) -> Option<f64> {
        let half = || self.squared_error.sqrt() / self.sums.packets as f64;
        (self.sums.packets > 0 && !self.is_thin).then(half)
    }

    /// Leaves out its interval.
    pub(super) fn drop_interval(&mut self) {
        self.is_thin = true;
    }

    /// The largest latency, in cycles; `None` without packets.
    pub fn latency_max(&self) -> Option<u64> {
        (self.sums.packets > 0).then_some(self.sums.latency_max)
    }

    /// Mean latency from entering the network, in cycles; `None` without packets.
    pub fn network_latency_mean(&self) -> Option<f64> {
        self.mean(self.sums.network_cycles)
    }

    /// Mean number of router-to-router channels taken; `None` without packets.
    pub fn hops_mean(&self) -> Option<f64> {
        self.mean(self.sums.hops)
    }

    fn mean(&self, sum: u64) -> Option<f64> {
        (self.sums.packets > 0).then(|| sum as f64 / self.sums.packets as f64)
    }

    /// Adds another replica's.
    pub fn merge(&mut self, other: &Self) {
        self.sums.add(&other.sums);
        self.squared_error += other.squared_error;
        self.is_thin |= other.is_thin;
    }
}

/// Groups under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// By group: tagged packets, and those created after the window's end.
    sums: Vec<[Sums; 2]>,
    /// By group, [`BATCHES`] each.
    batches: Vec<Batch>,
    start: u64,
    width_bits: u32,
}

archived! { Groups { sums, batches, start, width_bits } }

impl Groups {
    /// Memory of a group.
    pub(super) const BYTES_EACH: u64 =
        (size_of::<[Sums; 2]>() + BATCHES * size_of::<Batch>()) as u64;

    /// So many groups; more come as they are recorded.
    pub(super) fn new(groups: usize) -> Self {
        let mut this = Self::default();
        this.grow(groups);
        this
    }

    fn grow(&mut self, groups: usize) {
        self.sums.resize(groups, Default::default());
        self.batches.resize(groups * BATCHES, Batch::default());
    }

    /// The window begins in cycle `start`.
    pub(super) fn begin(&mut self, start: u64) {
        self.start = start;
    }

    /// The window's end has moved.
    pub(super) fn take_in(&mut self) {
        for [tagged, later] in &mut self.sums {
            tagged.add(&std::mem::take(later));
        }
    }

    /// Counts a packet, created in the window or after it.
    #[inline]
    pub(super) fn record(&mut self, group: usize, packet: Measured) {
        if group >= self.sums.len() {
            self.grow(group + 1);
        }
        self.sums[group][usize::from(packet.is_later)].add(&Sums {
            packets: 1,
            latency_cycles: packet.latency,
            network_cycles: packet.network,
            hops: u64::from(packet.hops),
            latency_max: packet.latency,
        });
        let mut batch = (packet.created - self.start) >> self.width_bits;
        while batch >= BATCHES as u64 {
            self.merge_batches();
            batch >>= 1;
        }
        let batch = &mut self.batches[group * BATCHES + batch as usize];
        batch.packets += 1;
        batch.latency_cycles += packet.latency;
    }

    fn merge_batches(&mut self) {
        self.width_bits += 1;
        for batches in self.batches.chunks_exact_mut(BATCHES) {
            for i in 0..BATCHES / 2 {
                let (one, other) = (batches[2 * i], batches[2 * i + 1]);
                batches[i] = Batch {
                    packets: one.packets + other.packets,
                    latency_cycles: one.latency_cycles + other.latency_cycles,
                };
            }
            batches[BATCHES / 2..].fill(Batch::default());
        }
    }

    /// The totals of all groups, of a window that ends before cycle `end`.
    pub(super) fn totals(&self, end: u64) -> Vec<GroupTotal> {
        let whole = end.saturating_sub(self.start) >> self.width_bits;
        let whole = (whole as usize).min(BATCHES);
        let groups = self.sums.iter().zip(self.batches.chunks_exact(BATCHES));
        let total = |(sums, batches): (&[Sums; 2], &[Batch])| {
            let [sums, _] = *sums;
            let batches = &batches[..whole];
            let latencies: Vec<f64> = batches.iter().map(|b| b.latency_cycles as f64).collect();
            let packets: Vec<f64> = batches.iter().map(|b| b.packets as f64).collect();
            let estimate = ratio_by_batch_means(&latencies, &packets, Correlation::Tested);
            let error = estimate.map(|e| e.half_width * sums.packets as f64);
            GroupTotal {
                sums,
                squared_error: error.map_or(0.0, |error| error * error),
                is_thin: sums.packets > 0
                    && (error.is_none() || sums.packets < PACKETS_REPORTED_MIN),
            }
        };
        groups.map(total).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_random::Pcg64Mcg;
    use rand::{RngExt, SeedableRng};

    fn packet(created: u64, latency: u64, is_later: bool) -> Measured {
        Measured {
            created,
            is_later,
            latency,
            network: latency - 1,
            hops: 3,
        }
    }

    #[test]
    fn sums_are_those_of_the_window_and_grow_with_it() {
        let mut groups = Groups::new(1);
        groups.begin(100);
        for i in 0..1_000 {
            groups.record(i as usize % 3, packet(100 + i, 10 + i % 3, i >= 900));
        }
        let totals = groups.totals(1_000);
        let counts: Vec<_> = totals.iter().map(GroupTotal::packets).collect();
        assert_eq!(counts, [300, 300, 300]);
        assert_eq!(totals[2].latency_mean(), Some(12.0));
        assert_eq!(totals[2].latency_ci95(), Some(0.0));
        assert_eq!(totals[2].latency_max(), Some(12));
        assert_eq!(totals[2].network_latency_mean(), Some(11.0));
        assert_eq!(totals[2].hops_mean(), Some(3.0));
        groups.take_in();
        let all: u64 = groups.totals(1_100).iter().map(GroupTotal::packets).sum();
        assert_eq!(all, 1_000);
    }

    #[test]
    fn few_packets_have_no_interval() {
        let mut groups = Groups::new(2);
        groups.begin(0);
        (0..9).for_each(|i| groups.record(0, packet(i, 5 + i, false)));
        let [mut few, none] = groups.totals(64)[..] else {
            unreachable!("two groups")
        };
        assert_eq!((few.latency_mean(), few.latency_ci95()), (Some(9.0), None));
        assert_eq!((none.latency_mean(), none.latency_max()), (None, None));
        few.merge(&none);
        assert_eq!((few.packets(), few.latency_ci95()), (9, None));
    }

    #[test]
    fn replicas_add_up_and_their_errors_as_squares() {
        let replica = |packets: u64, seed| {
            let mut groups = Groups::new(1);
            groups.begin(0);
            let mut rng = Pcg64Mcg::seed_from_u64(seed);
            (0..packets).for_each(|i| groups.record(0, packet(i, rng.random_range(2..=90), false)));
            groups.totals(packets)[0]
        };
        let (one, other) = (replica(6_400, 1), replica(12_800, 2));
        let mut both = one;
        both.merge(&other);
        assert_eq!(both.packets(), 19_200);
        let weighted = |of: fn(&GroupTotal) -> Option<f64>, power| {
            let each = [one, other].map(|t| (of(&t).unwrap() * t.packets() as f64).powi(power));
            each.iter().sum::<f64>().powf(1.0 / f64::from(power)) / 19_200.0
        };
        let close = |a: Option<f64>, b: f64| (a.unwrap() - b).abs() < 1e-9;
        assert!(close(
            both.latency_mean(),
            weighted(GroupTotal::latency_mean, 1)
        ));
        assert!(close(
            both.latency_ci95(),
            weighted(GroupTotal::latency_ci95, 2)
        ));
        assert!(close(
            both.network_latency_mean(),
            both.latency_mean().unwrap() - 1.0
        ));
        assert_eq!(
            (both.latency_max(), both.hops_mean()),
            (Some(90), Some(3.0))
        );
        // One without packets says nothing.
        let before = both;
        both.merge(&replica(0, 3));
        assert_eq!(both, before);
    }

    #[test]
    fn the_interval_is_that_of_independent_batches() {
        let mut groups = Groups::new(1);
        groups.begin(5_000);
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        for i in 0..12_800 {
            groups.record(0, packet(5_000 + i, rng.random_range(1..=128), false));
        }
        let width = 1 << groups.width_bits;
        let whole = &groups.batches[..12_800 / width as usize];
        assert!(whole.iter().all(|batch| batch.packets == width));
        let total = groups.totals(17_800)[0];
        // Uniform on 1..=128, 12,800 times: a standard deviation of 36.95, and t of 1.96 to 2.05.
        let expected = 36.95 / 12_800f64.sqrt() * 1.96;
        let ratio = total.latency_ci95().unwrap() / expected;
        assert!((0.85..1.5).contains(&ratio), "{ratio}");
        assert!((total.latency_mean().unwrap() - 64.5).abs() < 3.0 * expected);
    }
}
