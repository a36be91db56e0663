//! The difference of two mean latencies under the same arrivals.
//!
//! Two runs whose packets are created in the same cycles go through the same crowds. Most of what is chance
//! in one is then the same in the other, and cancels in the difference (common random numbers: Law &
//! Kelton, section 11.2). Latencies are kept by spans of equally many cycles, counted from cycle 0,
//! whenever the windows begin and however long they are. The difference is taken over the spans that both
//! windows hold.
//!
//! Invariant: spans are compared only where both runs created as many packets in each.

use super::recorder::Recorder;
use super::statistics::{BATCHES_TESTED_MIN, Correlation, Estimate, ratio_by_batch_means};
use flitsim_topology::archived;
use serde::{Deserialize, Serialize};

/// The most spans that are kept of a window.
const SPANS_MOST: usize = 512;

/// What was measured in the window of a run, by spans of equally many cycles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spans {
    /// Cycles of a span, a power of two.
    cycles: u64,
    /// Spans from cycle 0 to the first.
    first: u64,
    /// By span: packets created.
    #[serde(with = "in_a_line")]
    packets: Vec<u64>,
    /// By span: the sum of their latencies, in cycles.
    #[serde(with = "in_a_line")]
    latency_cycles: Vec<u64>,
}

archived! { Spans { cycles, first, packets, latency_cycles } }

/// Numbers as one text: a file with a line for each would be five times as long.
mod in_a_line {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(values: &[u64], to: S) -> Result<S::Ok, S::Error> {
        let words: Vec<String> = values.iter().map(u64::to_string).collect();
        to.serialize_str(&words.join(" "))
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<u64>, D::Error> {
        let text = String::deserialize(from)?;
        let values: Result<_, _> = text.split_whitespace().map(str::parse).collect();
        values.map_err(D::Error::custom)
    }
}

impl Spans {
    /// Those that lie in the window of `recorder` before cycle `now`, up to the first of which a packet is
    /// under way.
    pub(crate) fn of(recorder: &Recorder, now: u64) -> Self {
        let run = recorder.run();
        let first = recorder.window_start().div_ceil(run.width());
        let ended = run.ended(recorder.window_end().min(now));
        let bins = ended.get(first as usize..).unwrap_or_default();
        let bins = || bins.iter().take_while(|bin| bin.is_complete());
        let mut spans = Self {
            cycles: run.width(),
            first,
            packets: bins().map(|bin| bin.born_packets).collect(),
            latency_cycles: bins().map(|bin| bin.latency_cycles).collect(),
        };
        while spans.packets.len() > SPANS_MOST {
            spans.merge_pairs();
        }
        spans
    }

    fn end(&self) -> u64 {
        self.first + self.packets.len() as u64
    }

    /// Spans of twice as many cycles; a half at either end is left out.
    fn merge_pairs(&mut self) {
        let half = (self.first % 2) as usize;
        let merged = |values: &[u64]| -> Vec<u64> {
            let pairs = values.get(half..).unwrap_or_default().chunks_exact(2);
            pairs.map(|pair| pair[0] + pair[1]).collect()
        };
        self.packets = merged(&self.packets);
        self.latency_cycles = merged(&self.latency_cycles);
        self.first = self.first.div_ceil(2);
        self.cycles *= 2;
    }

    /// Packets and latencies of the spans from `first` to before `end`.
    fn within(&self, first: u64, end: u64) -> (&[u64], &[u64]) {
        let range = (first - self.first) as usize..(end - self.first) as usize;
        (&self.packets[range.clone()], &self.latency_cycles[range])
    }
}

/// The mean latency of `one` less that of `other` over the spans that both hold; `None` where these are too
/// few or correlated, or the arrivals are not the same.
pub fn difference(one: &Spans, other: &Spans) -> Option<Estimate> {
    let (mut one, mut other) = (one.clone(), other.clone());
    while one.cycles < other.cycles {
        one.merge_pairs();
    }
    while other.cycles < one.cycles {
        other.merge_pairs();
    }
    let first = one.first.max(other.first);
    let end = one.end().min(other.end());
    if end < first + BATCHES_TESTED_MIN as u64 {
        return None;
    }
    let (packets, latencies) = one.within(first, end);
    let (same_packets, others) = other.within(first, end);
    if packets != same_packets {
        return None;
    }
    let pairs = latencies.iter().zip(others);
    let differences: Vec<f64> = pairs.map(|(&a, &b)| a as f64 - b as f64).collect();
    let packets: Vec<f64> = packets.iter().map(|&packets| packets as f64).collect();
    ratio_by_batch_means(&differences, &packets, Correlation::Widens)
        .filter(|estimate| estimate.trusted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::recorder::Delivery;
    use flitsim_random::Pcg64Mcg;
    use rand::{RngExt, SeedableRng};

    /// A run that measures from `start` to `end`; the latency of a packet is chance, the same
    /// under every seed, `more`, and chance of its own.
    fn run(start: u64, end: u64, more: u64, seed: u64) -> Spans {
        let mut recorder = Recorder::new();
        let mut common = Pcg64Mcg::seed_from_u64(1);
        let mut own = Pcg64Mcg::seed_from_u64(seed);
        for cycle in 0..end {
            if cycle == start {
                recorder.begin_window(start, end);
            }
            if !common.random_bool(0.4) {
                continue;
            }
            recorder.created(cycle, 4);
            let latency = common.random_range(20..400) + more + own.random_range(0..10);
            recorder.delivered(Delivery {
                created: cycle,
                entered: cycle,
                arrived: cycle + latency,
                hops: 3,
            });
        }
        recorder.reach(end);
        Spans::of(&recorder, end)
    }

    #[test]
    fn what_two_runs_share_is_not_in_their_difference() {
        let (one, other) = (run(700, 20_000, 7, 1), run(2_345, 70_000, 2, 2));
        assert!(one.packets.len() <= SPANS_MOST && one.packets.len() > SPANS_MOST / 2);
        assert!(one.cycles < other.cycles);
        let found = difference(&one, &other).unwrap();
        assert!((found.mean - 5.0).abs() <= found.half_width, "{found:?}");
        // Alone, each is known to within 110 · 2 / sqrt(7000) cycles.
        assert!(found.half_width < 0.2, "{found:?}");
        let turned = difference(&other, &one).unwrap();
        assert_eq!(
            (turned.mean, turned.half_width),
            (-found.mean, found.half_width)
        );
    }

    #[test]
    fn other_arrivals_or_windows_are_not_compared() {
        let one = run(0, 20_000, 7, 1);
        assert!(difference(&one, &one).is_some());
        let first = |spans: usize| {
            let (mut short, spans) = (one.clone(), ..spans);
            short.packets = short.packets[spans].to_vec();
            short.latency_cycles = short.latency_cycles[spans].to_vec();
            difference(&short, &one)
        };
        assert!(first(BATCHES_TESTED_MIN).is_some());
        assert_eq!(first(BATCHES_TESTED_MIN - 1), None);
        assert_eq!(difference(&one, &run(19_000, 60_000, 7, 1)), None);
        assert_eq!(difference(&run(30_000, 60_000, 7, 1), &one), None);
        let mut others = one.clone();
        others.packets[9] += 1;
        assert_eq!(difference(&one, &others), None);
        assert_eq!(difference(&Spans::default(), &Spans::default()), None);
    }
}
