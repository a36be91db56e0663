//! A run cut into bins of equally many cycles, in bounded memory: when the bins are used up,
//! neighbours merge and each bin spans twice as many cycles.
//!
//! Invariant: bin i covers the cycles from `start + i * width` on, `width` of them, a power of two;
//! no bin is lost and no sum changes when bins merge. Flits leave the network in every cycle, so those
//! of the bin at hand are counted apart, and put into it when it is over.

use flitsim_topology::archived;

/// Bins of a series. Even, so that they merge in pairs.
pub const BINS: usize = 1024;

/// What happened in one span of cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bin {
    /// Packets created in the span.
    pub born_packets: u64,
    /// Of these, packets delivered since, in whatever cycle.
    pub delivered_packets: u64,
    /// Sum of the latencies of those delivered, in cycles.
    pub latency_cycles: u64,
    /// Sum of the router-to-router channels that those delivered took.
    pub hops: u64,
    /// Flits of the packets created in the span.
    pub created_flits: u64,
    /// Flits that left the network for their terminal in the span.
    pub ejected_flits: u64,
}

archived! { Bin { born_packets, delivered_packets, latency_cycles, hops, created_flits, ejected_flits } }

impl Bin {
    fn add(&mut self, other: &Self) {
        self.born_packets += other.born_packets;
        self.delivered_packets += other.delivered_packets;
        self.latency_cycles += other.latency_cycles;
        self.hops += other.hops;
        self.created_flits += other.created_flits;
        self.ejected_flits += other.ejected_flits;
    }

    /// The sum of `bins`.
    pub fn sum(bins: &[Self]) -> Self {
        bins.iter().fold(Self::default(), |mut sum, bin| {
            sum.add(bin);
            sum
        })
    }

    /// Whether every packet created in the span has been delivered.
    pub fn is_complete(&self) -> bool {
        self.born_packets == self.delivered_packets
    }

    /// Flits by which source queues and network grew over the span; negative where they shrank.
    pub fn growth_flits(&self) -> f64 {
        self.created_flits as f64 - self.ejected_flits as f64
    }
}

/// A run, bin by bin, from the cycle `start` on.
#[derive(Clone, Debug)]
pub struct Series {
    start: u64,
    width_bits: u32,
    bins: Box<[Bin]>,
    /// Flits that left the network in the bin `leaving`, beyond those in it, and where that bin ends.
    left: u64,
    leaving: usize,
    leaving_until: u64,
}

archived! { Series { start, width_bits, left, leaving, leaving_until; fixed bins } }

impl Series {
    /// A series whose first bin begins at cycle `start`.
    pub fn new(start: u64) -> Self {
        Self {
            start,
            width_bits: 0,
            bins: vec![Bin::default(); BINS].into_boxed_slice(),
            left: 0,
            leaving: 0,
            leaving_until: start + 1,
        }
    }

    /// Begins anew at cycle `start`, keeping the memory.
    pub fn restart(&mut self, start: u64) {
        self.start = start;
        self.width_bits = 0;
        self.bins.fill(Bin::default());
        (self.left, self.leaving, self.leaving_until) = (0, 0, start + 1);
    }

    /// The cycle at which the first bin begins.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Cycles that each bin spans.
    pub fn width(&self) -> u64 {
        1 << self.width_bits
    }

    /// The bins whose span has ended by the start of cycle `now`.
    ///
    /// # Panics
    /// In debug builds, if the series has not been brought up to `now` (see [`Series::reach`]).
    pub fn ended(&self, now: u64) -> &[Bin] {
        let count = (now.saturating_sub(self.start) >> self.width_bits) as usize;
        debug_assert!(count <= BINS, "reach({now}) comes first");
        debug_assert!(
            self.left == 0 || count <= self.leaving,
            "reach({now}) comes first"
        );
        &self.bins[..count.min(BINS)]
    }

    /// The sum of all bins, the one at hand included.
    pub fn total(&self) -> Bin {
        let sum = Bin::sum(&self.bins);
        Bin {
            ejected_flits: sum.ejected_flits + self.left,
            ..sum
        }
    }

    /// Puts the flits that have left into their bin.
    fn settle(&mut self) {
        self.bins[self.leaving].ejected_flits += std::mem::take(&mut self.left);
    }

    /// Merges bins until cycle `cycle` has one.
    pub fn reach(&mut self, cycle: u64) {
        self.settle();
        while (cycle.saturating_sub(self.start) >> self.width_bits) as usize >= BINS {
            for i in 0..BINS / 2 {
                let mut merged = self.bins[2 * i];
                merged.add(&self.bins[2 * i + 1]);
                self.bins[i] = merged;
            }
            self.bins[BINS / 2..].fill(Bin::default());
            self.width_bits += 1;
            self.leaving /= 2;
            self.leaving_until = self.end(self.leaving);
        }
    }

    /// The cycle before which bin `index` ends.
    fn end(&self, index: usize) -> u64 {
        self.start + ((index as u64 + 1) << self.width_bits)
    }

    /// Where the bin of `cycle` is, which is not before the start; beyond the last, where it has none yet.
    #[inline]
    fn index_of(&self, cycle: u64) -> usize {
        debug_assert!(cycle >= self.start);
        ((cycle - self.start) >> self.width_bits) as usize
    }

    /// The bin of `cycle`.
    #[inline]
    fn bin(&mut self, cycle: u64) -> &mut Bin {
        if self.index_of(cycle) >= BINS {
            self.merge_to_reach(cycle);
        }
        &mut self.bins[self.index_of(cycle)]
    }

    /// [`Series::reach`], apart from the calls that hardly ever need it.
    #[cold]
    fn merge_to_reach(&mut self, cycle: u64) {
        self.reach(cycle);
    }

    /// A packet of `flits` flits was created in cycle `cycle`.
    #[inline]
    pub fn created(&mut self, cycle: u64, flits: u32) {
        let bin = self.bin(cycle);
        bin.born_packets += 1;
        bin.created_flits += u64::from(flits);
    }

    /// `flits` flits left the network in cycle `cycle`, at or after that of the last call.
    #[inline]
    pub fn ejected(&mut self, cycle: u64, flits: u32) {
        if cycle >= self.leaving_until {
            self.leave_bin(cycle);
        }
        self.left += u64::from(flits);
    }

    /// Flits leave in the bin of `cycle` from now on.
    #[inline(never)]
    fn leave_bin(&mut self, cycle: u64) {
        self.reach(cycle);
        self.leaving = ((cycle - self.start) >> self.width_bits) as usize;
        self.leaving_until = self.end(self.leaving);
    }

    /// The packet created in cycle `created` was delivered after `latency` cycles and `hops` hops.
    #[inline]
    pub fn delivered(&mut self, created: u64, latency: u64, hops: u32) {
        let bin = self.bin(created);
        bin.delivered_packets += 1;
        bin.latency_cycles += latency;
        bin.hops += u64::from(hops);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_keeps_every_sum() {
        let mut series = Series::new(100);
        for cycle in 100..100 + 5_000 {
            series.created(cycle, 4);
            series.ejected(cycle, 3);
            series.delivered(cycle, 7, 2);
        }
        assert_eq!(series.width(), 8);
        let ended = series.ended(100 + 4_804);
        assert_eq!(ended.len(), 600);
        for bin in ended {
            assert_eq!((bin.born_packets, bin.latency_cycles), (8, 56));
            assert_eq!(bin.hops, 16);
            assert_eq!(bin.growth_flits(), 8.0);
            assert!(bin.is_complete());
        }
        assert_eq!(Bin::sum(ended).created_flits, 4_800 * 4);
        assert_eq!(Bin::sum(ended).ejected_flits, 4_800 * 3);
        assert_eq!(series.total().ejected_flits, 5_000 * 3);
    }

    #[test]
    fn flits_leave_in_their_bin_whoever_looks_between() {
        let mut series = Series::new(10);
        for cycle in 10..10 + 3_000 {
            series.ejected(cycle, 1);
            series.ejected(cycle, (cycle % 2) as u32);
            if cycle % 7 == 0 {
                series.reach(cycle);
            }
        }
        series.reach(3_010);
        assert_eq!(series.width(), 4);
        assert!(series.ended(3_010).iter().all(|bin| bin.ejected_flits == 6));
        assert_eq!(series.total().ejected_flits, 4_500);
    }

    #[test]
    fn silence_reaches_far() {
        let mut series = Series::new(0);
        series.created(3, 1);
        series.reach(1_000_000);
        assert_eq!(series.ended(1_000_000).len(), 976);
        assert!(!series.ended(1_000_000)[0].is_complete());
        series.restart(9);
        assert_eq!((series.start(), series.width()), (9, 1));
        assert_eq!(Bin::sum(series.ended(900)), Bin::default());
    }
}
