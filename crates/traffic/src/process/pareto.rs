//! Self-similar traffic: on and off times of a heavy-tailed law (Willinger, Taqqu, Sherman & Wilson,
//! "Self-similarity through high-variability", IEEE/ACM Transactions on Networking 5(1), 1997).
//!
//! A node is on for L cycles, then off for L′ cycles, and so on; in each cycle of an on time it
//! creates a packet with probability r. L and L′ follow Pareto's law in discrete form, Waring's
//! distribution: P(L > l) = Π_{j<l} (c + j) / (c + a + j), which falls as l^-a, with the shape a and
//! a scale c that gives the mean (Johnson, Kemp & Kotz, "Univariate discrete distributions", section
//! 6.10.4). Unlike Pareto's own it needs no powers, whose last bits differ from platform to platform.
//! Times are cut off at [`CYCLES_MOST`] cycles, which only now makes their variance finite where a
//! is at most 2: counts are self-similar, with Hurst parameter (3 - a) / 2, up to scales of some
//! times that.
//!
//! Invariant: the times drawn have exactly the mean that the rate is worked out from. A node keeps
//! the end of its burst; it looks at no cycle, but draws every burst, those without packets too.

use super::bursts::{burst_cycles, check, idle_cycles};
use super::law::{Gaps, Law};
use crate::TrafficError;
use crate::geometric::Geometric;
use crate::stream::{Purpose, Streams};
use crate::thresholds::{Thresholds, fixed_point, threshold};
use flitsim_keys::{Description, Fault, Key, Values, Within};
use flitsim_random::{Draw, Ratio};
use flitsim_topology::archive::{Archive, Fixed};
use rand::Rng;
use rand::distr::Distribution;

/// The longest time on or off.
const CYCLES_MOST: usize = 1 << 16;

/// The most bursts for each packet, in the mean.
const BURSTS_PER_PACKET_MOST: f64 = 10_000.0;

/// Self-similar bursts: as [`OnOff`](super::OnOff), but bursts and idle times follow a discrete law of
/// Pareto's kind, P(L > l) ~ l^-shape, cut off at 65,536 cycles (Willinger, Taqqu, Sherman & Wilson
/// 1997). Counts of packets then vary on all scales up to that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pareto {
    /// Mean length of a burst, in cycles; 1 to [`Pareto::CYCLES_MOST`].
    pub burst_cycles: f64,
    /// Mean length of the idle time between bursts, in cycles; as the bursts.
    pub idle_cycles: f64,
    /// The shape, above 1 and at most 2: the smaller, the heavier the tail.
    pub shape: f64,
}

const BURST_CYCLES: Key<f64> = burst_cycles(Pareto::CYCLES_MOST);
const IDLE_CYCLES: Key<f64> = idle_cycles(Pareto::CYCLES_MOST);

/// By default, a Hurst parameter of 0.75.
const SHAPE: Key<f64> = Key::number(
    "shape",
    Within::above(1.0).at_most(2.0),
    "",
    "pareto: how heavy-tailed bursts and idle times are; smaller is heavier.",
)
.or_number(1.5)
.hint("near 1 bursts vary most, at 2 least; `shape = 1.5` is a Hurst parameter of 0.75");

impl Pareto {
    /// The longest mean burst and idle time, in cycles.
    pub const CYCLES_MOST: f64 = 4096.0;
}

impl Law for Pareto {
    const KEYS: &'static [Description] = &const {
        [
            BURST_CYCLES.described(),
            IDLE_CYCLES.described(),
            SHAPE.described(),
        ]
    };

    type Gaps = Bursts;

    fn read(values: &Values) -> Result<Self, Fault> {
        Ok(Self {
            burst_cycles: values.get(&BURST_CYCLES),
            idle_cycles: values.get(&IDLE_CYCLES),
            shape: values.get(&SHAPE),
        })
    }

    fn rate_most(&self) -> f64 {
        self.burst_cycles / (self.burst_cycles + self.idle_cycles)
    }

    /// One packet in 10,000 bursts, for each burst is drawn.
    fn rate_least(&self) -> f64 {
        1.0 / BURSTS_PER_PACKET_MOST / (self.burst_cycles + self.idle_cycles)
    }

    fn validate(&self) -> Result<(), TrafficError> {
        for cycles in [self.burst_cycles, self.idle_cycles] {
            check("pareto", cycles, Self::CYCLES_MOST)?;
        }
        if self.shape > 1.0 && self.shape <= 2.0 {
            return Ok(());
        }
        Err(TrafficError::ParetoShape { shape: self.shape })
    }

    fn at(&self, rate: f64, nodes: u32) -> Option<Bursts> {
        Bursts::new(
            [self.burst_cycles, self.idle_cycles],
            self.shape,
            rate,
            nodes,
        )
    }
}

/// A law of times of at least one cycle.
#[derive(Clone, Debug)]
struct Times {
    /// The time less one.
    whole: Thresholds,
    /// What is left of the time, less one, in a cycle that falls into it.
    rest: Thresholds,
    mean_cycles: f64,
}

impl Times {
    fn new(mean_cycles: f64, shape: f64) -> Self {
        let scale = scale(mean_cycles, shape);
        let mut survival = 1.0;
        // P(L > l) for l from 1 to the longest less one, as it is drawn.
        let whole: Vec<u64> = (0..CYCLES_MOST - 1)
            .map(|j| {
                survival *= step(scale, shape, j);
                threshold(survival)
            })
            .collect();
        let real = |t: &u64| *t as f64 / (1u128 << 64) as f64;
        let mut beyond = 0.0;
        let mut rest: Vec<f64> = whole
            .iter()
            .rev()
            .map(|t| {
                beyond += real(t);
                beyond
            })
            .collect();
        rest.reverse();
        let mean_cycles = 1.0 + beyond;
        Self {
            rest: Thresholds::new(rest.iter().map(|r| threshold(r / mean_cycles)).collect()),
            whole: Thresholds::new(whole),
            mean_cycles,
        }
    }

    /// What is left of the time in a cycle that falls into it.
    fn sample_rest<R: Rng + ?Sized>(&self, rng: &mut R) -> u64 {
        1 + u64::from(self.rest.sample(rng))
    }
}

impl Distribution<u64> for Times {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> u64 {
        1 + u64::from(self.whole.sample(rng))
    }
}

/// P(L > j + 1) / P(L > j).
fn step(scale: f64, shape: f64, j: usize) -> f64 {
    let past = scale + j as f64;
    past / (past + shape)
}

/// The scale c of times that, cut off, have the mean `mean_cycles`. By halving: sums, products and
/// quotients only.
fn scale(mean_cycles: f64, shape: f64) -> f64 {
    let mean = |scale: f64| {
        let survival = (0..CYCLES_MOST).fold(1.0, |s, j| s * step(scale, shape, j));
        // The mean without a cut-off less what lies beyond it.
        let most = CYCLES_MOST as f64;
        ((scale + shape - 1.0) - survival * (scale + most + shape - 1.0)) / (shape - 1.0)
    };
    if mean_cycles <= 1.0 {
        return 0.0;
    }
    // Without a cut-off this would be it; with one, it is more.
    let mut low = (mean_cycles - 1.0) * (shape - 1.0);
    let mut high = 2.0 * low + 1.0;
    while mean(high) < mean_cycles && high < 1e12 {
        (low, high) = (high, 4.0 * high);
    }
    while high - low > 1e-9 * high {
        let middle = low + (high - low) / 2.0;
        match mean(middle) < mean_cycles {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

/// The process of all nodes.
#[derive(Clone, Debug)]
pub(crate) struct Bursts {
    burst: Times,
    idle: Times,
    /// Cycles before the next packet of an endless burst.
    gap: Geometric,
    /// How often a node is on in cycle 0.
    on: Ratio,
    /// The first cycle after each node's burst.
    burst_end: Box<[u64]>,
}

impl Bursts {
    /// The process, if its rate is above 2^-64.
    fn new(cycles: [f64; 2], shape: f64, rate: f64, nodes: u32) -> Option<Self> {
        let [burst, idle] = cycles.map(|mean| Times::new(mean, shape));
        let on = burst.mean_cycles / (burst.mean_cycles + idle.mean_cycles);
        let packet = fixed_point((rate / on).min(1.0));
        (packet > 0).then_some(())?;
        Some(Self {
            gap: Geometric::new(packet),
            on: Ratio::new(on)?,
            burst,
            idle,
            burst_end: vec![0; nodes as usize].into_boxed_slice(),
        })
    }

    /// The first packet from `cycle` on, in a burst that ends at `end`.
    #[inline]
    fn packet_from<R: Rng + ?Sized>(
        &mut self,
        node: u32,
        mut cycle: u64,
        mut end: u64,
        rng: &mut R,
    ) -> u64 {
        loop {
            let packet = cycle.saturating_add(self.gap.sample(rng));
            if packet < end || packet == u64::MAX && end > u64::MAX / 2 {
                self.burst_end[node as usize] = end;
                return packet;
            }
            cycle = end.saturating_add(self.idle.sample(rng));
            end = cycle.saturating_add(self.burst.sample(rng));
        }
    }
}

impl Gaps for Bursts {
    fn first(&mut self, streams: &Streams, node: u32) -> u64 {
        let mut rng = streams.event(Purpose::Start, node, 0);
        let (start, end) = if rng.chance(self.on) {
            (0, self.burst.sample_rest(&mut rng))
        } else {
            let start = self.idle.sample_rest(&mut rng);
            (start, start + self.burst.sample(&mut rng))
        };
        self.packet_from(node, start, end, &mut rng)
    }

    #[inline]
    fn next<R: Rng + ?Sized>(&mut self, _: &Streams, rng: &mut R, node: u32, cycle: u64) -> u64 {
        let end = self.burst_end[node as usize];
        self.packet_from(node, cycle.saturating_add(1), end, rng)
    }

    fn archive(&mut self, archive: &mut Archive<'_>) {
        self.burst_end.archive_fixed(archive);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{chi_square_deviates, two_sample_deviates};
    use flitsim_random::Pcg64Mcg;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn times_have_the_mean_asked_and_a_tail_of_the_shape() {
        for (mean, shape) in [
            (1.0, 1.5),
            (10.0, 1.4),
            (30.0, 1.2),
            (100.0, 1.9),
            (4096.0, 1.1),
        ] {
            let times = Times::new(mean, shape);
            assert!(
                (times.mean_cycles / mean - 1.0).abs() < 1e-6,
                "{mean}: {}",
                times.mean_cycles
            );
        }
        let (mean, shape) = (10.0, 1.5);
        let scale = scale(mean, shape);
        let beyond = |l: usize| (0..l).fold(1.0, |s, j| s * step(scale, shape, j));
        let slope = (beyond(32_000) / beyond(8_000)).log2() / 2.0;
        assert!((slope + shape).abs() < 1e-3, "{slope}");
    }

    /// Waring's law is a geometric one whose probability follows a beta law (Johnson, Kemp & Kotz,
    /// section 6.10.4): so made of `rand_distr`'s.
    #[test]
    fn times_are_those_of_rand_distr() {
        let mut rng = Pcg64Mcg::seed_from_u64(8);
        for (mean, shape) in [(5.0, 1.5), (30.0, 1.2), (100.0, 1.9)] {
            let times = Times::new(mean, shape);
            let beta = rand_distr::Beta::new(shape, scale(mean, shape)).unwrap();
            let theirs: Vec<u64> = (0..50_000)
                .map(|_| {
                    let law = rand_distr::Geometric::new(rng.sample(beta)).unwrap();
                    rng.sample(law).saturating_add(1).min(CYCLES_MOST as u64)
                })
                .collect();
            let ours: Vec<u64> = (&mut rng).sample_iter(&times).take(theirs.len()).collect();
            let z = two_sample_deviates(&ours, &theirs);
            assert!(z.abs() < 4.0, "{mean}, {shape}: {z} standard deviates");
        }
    }

    #[test]
    fn times_drawn_follow_the_law() {
        let times = Times::new(5.0, 1.5);
        let scale = scale(5.0, 1.5);
        let beyond = |l: usize| (0..l).fold(1.0, |s, j| s * step(scale, 1.5, j));
        let edges = [0, 1, 2, 3, 5, 10, 30, 100, 1000];
        let mut expected: Vec<f64> = edges
            .windows(2)
            .map(|w| beyond(w[0]) - beyond(w[1]))
            .collect();
        expected.push(beyond(1000));
        let streams = Streams::new(6);
        let mut counts = vec![0; edges.len()];
        let mut rests = vec![0; edges.len()];
        for cycle in 0..50_000 {
            let mut rng = streams.event(Purpose::Packets, 0, cycle);
            let class = |l: u64| edges.iter().filter(|&&e| e < l as usize).count() - 1;
            counts[class(times.sample(&mut rng))] += 1;
            rests[class(times.sample_rest(&mut rng))] += 1;
        }
        assert!(chi_square_deviates(&counts, &expected).abs() < 4.0);
        // What is left is l with probability P(L >= l) / E[L].
        let rest = |l: usize| (0..l).map(beyond).sum::<f64>() / times.mean_cycles;
        let mut expected: Vec<f64> = edges.windows(2).map(|w| rest(w[1]) - rest(w[0])).collect();
        expected.push(1.0 - rest(1000));
        assert!(chi_square_deviates(&rests, &expected).abs() < 4.0);
    }
}
