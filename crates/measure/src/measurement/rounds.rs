//! Round trips of a closed loop: from the creation of a request to the arrival of its reply.
//!
//! A round counts in the cycle in which its reply arrives. In the steady state the mean over the rounds
//! that end in a window is that over all rounds, and so is the mean over those that begin in it. So no
//! round needs to be waited for.

use super::intervals::batches;
use super::recorder::{Bin, Series};
use super::statistics::{Correlation, Estimate, ratio_by_batch_means};
use flitsim_topology::archived;

/// The round trips of one run.
#[derive(Clone, Debug)]
pub struct Rounds {
    by_end: Series,
    count: u64,
    cycles: u64,
}

archived! { Rounds { by_end, count, cycles } }

impl Default for Rounds {
    fn default() -> Self {
        Self {
            by_end: Series::new(0),
            count: 0,
            cycles: 0,
        }
    }
}

impl Rounds {
    /// A round of `cycles` cycles is over at the start of cycle `ended`.
    #[inline]
    pub fn add(&mut self, ended: u64, cycles: u64) {
        self.by_end.delivered(ended, cycles, 0);
        self.count += 1;
        self.cycles += cycles;
    }

    /// The number of rounds in the whole run.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The exact mean of all rounds; `None` where there are none.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.cycles as f64 / self.count as f64)
    }

    /// The mean of the rounds that end from cycle `start` on and before cycle `end`, and their number.
    /// `end` is the next cycle of the run. Both ends are exact to within a bin.
    pub fn steady(&mut self, start: u64, end: u64) -> Option<(Estimate, u64)> {
        self.by_end.reach(end);
        let first = start.div_ceil(self.by_end.width()) as usize;
        let bins = self.by_end.ended(end).get(first..)?;
        let batches = batches(bins);
        let cycles: Vec<f64> = batches.iter().map(|b| b.latency_cycles as f64).collect();
        let rounds: Vec<f64> = batches.iter().map(|b| b.delivered_packets as f64).collect();
        let estimate = ratio_by_batch_means(&cycles, &rounds, Correlation::Widens)?;
        Some((estimate, Bin::sum(bins).delivered_packets))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steady_part_is_what_ends_in_the_window() {
        let mut rounds = Rounds::default();
        for cycle in 0..4_000 {
            rounds.add(cycle, if cycle < 1_000 { 90 } else { 20 + cycle % 2 });
        }
        // Bins of 4 cycles: 1,003 lies within one.
        let (estimate, count) = rounds.steady(1_003, 4_000).unwrap();
        assert_eq!((estimate.mean, count), (20.5, 2_996));
        assert_eq!(rounds.count(), 4_000);
        assert_eq!(
            rounds.mean(),
            Some((90.0 * 1_000.0 + 20.5 * 3_000.0) / 4_000.0)
        );
        assert_eq!(rounds.steady(5_000, 5_000), None);
    }
}
