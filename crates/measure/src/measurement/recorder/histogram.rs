//! A histogram of latencies in fixed memory.
//!
//! Values below 512 have a bucket each; beyond, every power of two is split into 256 equal buckets,
//! so that a bucket is at most 1/256 of the values in it (the log-linear layout of G. Tene's
//! HdrHistogram). Invariant: `count` is the sum of the buckets, and `max` is exact.

use flitsim_topology::archived;

/// Buckets that each power of two is split into, as a power of two.
const SPLIT_BITS: u32 = 8;
const SPLIT: usize = 1 << SPLIT_BITS;

/// Values from 2^40 on, beyond any run's length, share the last bucket.
const VALUE_BITS: u32 = 40;
const BUCKETS: usize = (VALUE_BITS - SPLIT_BITS + 1) as usize * SPLIT;

/// How often each latency, in cycles, was seen.
#[derive(Clone, Debug)]
pub struct Histogram {
    buckets: Box<[u64]>,
    count: u64,
    max: u64,
}

archived! { Histogram { count, max; fixed buckets } }

impl Default for Histogram {
    fn default() -> Self {
        Self {
            buckets: vec![0; BUCKETS].into_boxed_slice(),
            count: 0,
            max: 0,
        }
    }
}

/// The bucket of `value`.
#[inline]
fn bucket_of(value: u64) -> usize {
    let value = value.min((1 << VALUE_BITS) - 1);
    if value < SPLIT as u64 {
        return value as usize;
    }
    let octave = value.ilog2() - SPLIT_BITS;
    ((octave as usize) << SPLIT_BITS) + (value >> octave) as usize
}

/// The least value of a bucket, and how many values share it.
fn range_of(bucket: usize) -> (u64, u64) {
    if bucket < SPLIT {
        return (bucket as u64, 1);
    }
    let octave = (bucket >> SPLIT_BITS) - 1;
    let lowest = ((bucket & (SPLIT - 1)) + SPLIT) as u64;
    (lowest << octave, 1 << octave)
}

impl Histogram {
    /// Counts one packet of latency `cycles`.
    #[inline]
    pub fn record(&mut self, cycles: u64) {
        self.buckets[bucket_of(cycles)] += 1;
        self.count += 1;
        self.max = self.max.max(cycles);
    }

    /// Packets counted.
    #[inline]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The largest latency, exact; 0 where nothing was counted.
    #[inline]
    pub fn max(&self) -> u64 {
        self.max
    }

    /// The latency that at least the fraction `quantile` of the packets does not exceed (the
    /// nearest rank), in cycles: exact below 512, within 1/512 of the value beyond. `None` where
    /// nothing was counted.
    ///
    /// # Panics
    /// If `quantile` is not from 0 to 1.
    pub fn percentile(&self, quantile: f64) -> Option<f64> {
        assert!(
            (0.0..=1.0).contains(&quantile),
            "not a quantile: {quantile}"
        );
        let rank = ((quantile * self.count as f64).ceil() as u64).clamp(1, self.count.max(1));
        let mut seen = 0;
        for (bucket, &count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen >= rank {
                let (lowest, width) = range_of(bucket);
                let middle = lowest as f64 + (width - 1) as f64 / 2.0;
                return Some(middle.min(self.max as f64));
            }
        }
        None
    }

    /// The buckets with packets in them, in ascending order: the least latency of each, the largest,
    /// and how many packets.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        let seen = self.buckets.iter().enumerate().filter(|&(_, &n)| n > 0);
        seen.map(|(bucket, &count)| {
            let (lowest, width) = range_of(bucket);
            (lowest, lowest + width - 1, count)
        })
    }

    /// Adds what `other` has counted.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.buckets.iter_mut().zip(&other.buckets) {
            *mine += theirs;
        }
        self.count += other.count;
        self.max = self.max.max(other.max);
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.buckets.fill(0);
        self.count = 0;
        self.max = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_tile_the_numbers() {
        let mut next = 0;
        for bucket in 0..BUCKETS {
            let (lowest, width) = range_of(bucket);
            assert_eq!(lowest, next);
            assert_eq!(bucket_of(lowest), bucket);
            assert_eq!(bucket_of(lowest + width - 1), bucket);
            assert!(width == 1 || width * 256 <= lowest);
            next = lowest + width;
        }
        assert_eq!(next, 1 << VALUE_BITS);
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn small_values_are_exact() {
        let mut histogram = Histogram::default();
        (1..=100).for_each(|v| histogram.record(v));
        assert_eq!(histogram.percentile(0.5), Some(50.0));
        assert_eq!(histogram.percentile(0.95), Some(95.0));
        assert_eq!(histogram.percentile(0.99), Some(99.0));
        assert_eq!(histogram.percentile(0.0), Some(1.0));
        assert_eq!(histogram.percentile(1.0), Some(100.0));
    }

    #[test]
    fn large_values_are_close_and_the_largest_exact() {
        let mut histogram = Histogram::default();
        (0..10_000u64).for_each(|v| histogram.record(v * 37));
        let median = histogram.percentile(0.5).unwrap();
        let exact = 4_999.0 * 37.0;
        assert!((median / exact - 1.0).abs() < 1.0 / 512.0, "{median}");
        assert_eq!(histogram.max(), 9_999 * 37);
        assert_eq!(histogram.percentile(1.0), Some(9_999.0 * 37.0));
    }

    #[test]
    fn merging_equals_recording_together() {
        let (mut a, mut b, mut both) = <(Histogram, Histogram, Histogram)>::default();
        for v in 0..3_000u64 {
            let value = v * v % 7_919;
            if v % 3 == 0 { &mut a } else { &mut b }.record(value);
            both.record(value);
        }
        a.merge(&b);
        assert_eq!(a.buckets, both.buckets);
        assert_eq!((a.count(), a.max()), (both.count(), both.max()));
        a.clear();
        assert_eq!((a.count(), a.max(), a.percentile(0.5)), (0, 0, None));
    }

    #[test]
    fn buckets_that_are_told_tile_the_numbers_and_add_up() {
        let [mut all, mut even] = [(); 2].map(|()| Histogram::default());
        (0..5000).for_each(|v| {
            if v % 2 == 0 {
                even.record(v)
            } else {
                all.record(v)
            }
        });
        all.merge(&even);
        let mut next = 0;
        for (lowest, largest, packets) in all.buckets() {
            assert_eq!(lowest, next);
            next = largest + 1;
            assert_eq!(packets, next.min(5000) - lowest);
        }
        assert!(next >= 5000);
        assert_eq!((all.count(), all.max()), (5000, 4999));
    }
}
