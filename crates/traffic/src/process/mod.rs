//! When packets are created (Dally & Towles, section 24.2.2). Every node follows the process on its
//! own, at the same rate of packets a cycle.
//!
//! Invariant: a node's next packet depends on the seed, the node and the cycle of its last packet
//! only, so that a node keeps nothing but the cycle in which it is next due; under
//! [`Process::Pareto`], whose times have a memory, the end of its burst too.

mod on_off;
mod pareto;

use crate::TrafficError;
use crate::geometric::Geometric;
use crate::stream::{Purpose, Streams};
use crate::thresholds::{Thresholds, fixed_point, threshold};
use on_off::OnOff;
use pareto::Pareto;
use rand::Rng;
use rand::distr::Distribution;

/// A law of arrivals, whatever its rate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Process {
    /// In each cycle one packet with probability p, none otherwise; p is the rate, at most 1.
    Bernoulli,
    /// In each cycle a number of packets that follows Poisson's law; its mean is the rate.
    Poisson,
    /// A packet each 1/rate cycles: a node's n-th comes in the cycle in which n - φ of them are
    /// due, with a phase φ in \[0, 1) of its own. Gaps differ by at most a cycle. The rate is at
    /// most 1.
    Periodic,
    /// Bursts: a node is on or off, and changes its state in each cycle with a fixed probability
    /// (Dally & Towles, section 24.2.2). While it is on, each cycle has a packet with probability
    /// r, the burst rate, which gives the rate: r = rate · (burst + idle) / burst. It is at most 1,
    /// hence the rate at most burst / (burst + idle).
    OnOff {
        /// Mean length of a burst, in cycles; 1 to [`Process::CYCLES_MOST`].
        burst_cycles: f64,
        /// Mean length of the idle time between bursts, in cycles; as the bursts, and the two so
        /// long that 1 / burst + 1 / idle is at most 1.
        idle_cycles: f64,
    },
    /// Self-similar bursts: as [`Process::OnOff`], but bursts and idle times follow a discrete law
    /// of Pareto's kind, P(L > l) ~ l^-shape, cut off at 65,536 cycles (Willinger, Taqqu, Sherman &
    /// Wilson 1997). Counts of packets then vary on all scales up to that.
    Pareto {
        /// Mean length of a burst, in cycles; 1 to [`Process::PARETO_CYCLES_MOST`].
        burst_cycles: f64,
        /// Mean length of the idle time between bursts, in cycles; as the bursts.
        idle_cycles: f64,
        /// The shape, above 1 and at most 2: the smaller, the heavier the tail.
        shape: f64,
    },
}

impl Process {
    /// The longest mean burst and idle time of [`Process::OnOff`], in cycles.
    pub const CYCLES_MOST: f64 = 1e9;

    /// The longest mean burst and idle time of [`Process::Pareto`], in cycles.
    pub const PARETO_CYCLES_MOST: f64 = 4096.0;

    /// The name in scenario files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bernoulli => "bernoulli",
            Self::Poisson => "poisson",
            Self::Periodic => "periodic",
            Self::OnOff { .. } => "on-off",
            Self::Pareto { .. } => "pareto",
        }
    }

    /// The highest rate, in packets per node per cycle.
    pub const fn rate_most(self) -> f64 {
        match self {
            Self::Bernoulli | Self::Periodic => 1.0,
            Self::Poisson => 64.0,
            Self::OnOff {
                burst_cycles,
                idle_cycles,
            }
            | Self::Pareto {
                burst_cycles,
                idle_cycles,
                ..
            } => burst_cycles / (burst_cycles + idle_cycles),
        }
    }

    /// The lowest rate but none at all, in packets per node per cycle: under [`Process::Pareto`]
    /// one in 10,000 bursts, for each burst is drawn; 0 under the others.
    pub const fn rate_least(self) -> f64 {
        match self {
            Self::Pareto {
                burst_cycles,
                idle_cycles,
                ..
            } => 1.0 / pareto::BURSTS_PER_PACKET_MOST / (burst_cycles + idle_cycles),
            _ => 0.0,
        }
    }

    /// Checks the lengths of bursts.
    ///
    /// # Errors
    /// [`TrafficError::BurstCycles`], [`TrafficError::BurstsTooShort`] and
    /// [`TrafficError::ParetoShape`].
    pub fn validate(self) -> Result<(), TrafficError> {
        let process = self.name();
        let check = |cycles: f64, most: f64| match cycles >= 1.0 && cycles <= most {
            true => Ok(()),
            false => Err(TrafficError::BurstCycles {
                process,
                cycles,
                most,
            }),
        };
        match self {
            Self::Bernoulli | Self::Poisson | Self::Periodic => Ok(()),
            Self::OnOff {
                burst_cycles,
                idle_cycles,
            } => {
                check(burst_cycles, Self::CYCLES_MOST)?;
                check(idle_cycles, Self::CYCLES_MOST)?;
                // As 1.5 and 3 are both good, the sum of 2/3 and 1/3 may be rounded past 1.
                match 1.0 / burst_cycles + 1.0 / idle_cycles <= 1.0 + 1e-12 {
                    true => Ok(()),
                    false => Err(TrafficError::BurstsTooShort {
                        burst_cycles,
                        idle_cycles,
                    }),
                }
            }
            Self::Pareto {
                burst_cycles,
                idle_cycles,
                shape,
            } => {
                check(burst_cycles, Self::PARETO_CYCLES_MOST)?;
                check(idle_cycles, Self::PARETO_CYCLES_MOST)?;
                match shape > 1.0 && shape <= 2.0 {
                    true => Ok(()),
                    false => Err(TrafficError::ParetoShape { shape }),
                }
            }
        }
    }
}

/// A process at a rate, ready to draw from.
#[derive(Clone, Debug)]
pub(crate) enum Arrivals {
    /// No packets.
    Never,
    /// The gaps of a Bernoulli process.
    Bernoulli(Geometric),
    /// The gaps between cycles with packets, and the packets beyond the first of such a cycle.
    Poisson {
        gap: Geometric,
        more: Thresholds,
    },
    /// Packets a cycle, in units of 2^-64.
    Periodic(u128),
    OnOff(OnOff),
    Pareto(Box<Pareto>),
}

impl Arrivals {
    /// `process`, which is valid, at `rate` packets per node per cycle, from 0 to
    /// `process.rate_most()`, for the nodes `0..nodes`. A rate below 2^-64 is none.
    pub(crate) fn new(process: Process, rate: f64, nodes: u32) -> Self {
        assert!((0.0..=process.rate_most()).contains(&rate));
        let probability = fixed_point(rate.min(1.0));
        if probability == 0 {
            return Self::Never;
        }
        let arrivals = match process {
            Process::Bernoulli => Some(Self::Bernoulli(Geometric::new(probability))),
            Process::Periodic => Some(Self::Periodic(probability)),
            Process::Poisson => {
                let (busy, more) = poisson(rate);
                let busy = fixed_point(busy);
                (busy > 0).then(|| Self::Poisson {
                    gap: Geometric::new(busy),
                    more: Thresholds::new(more),
                })
            }
            Process::OnOff {
                burst_cycles,
                idle_cycles,
            } => OnOff::new(burst_cycles, idle_cycles, rate).map(Self::OnOff),
            Process::Pareto {
                burst_cycles,
                idle_cycles,
                shape,
            } => Pareto::new([burst_cycles, idle_cycles], shape, rate, nodes)
                .map(|pareto| Self::Pareto(Box::new(pareto))),
        };
        arrivals.unwrap_or(Self::Never)
    }

    /// The first cycle in which `node` creates packets; `u64::MAX` for never.
    pub(crate) fn first(&mut self, streams: &Streams, node: u32) -> u64 {
        let mut rng = streams.event(Purpose::Start, node, 0);
        match self {
            Self::Never => u64::MAX,
            Self::Bernoulli(gap) | Self::Poisson { gap, .. } => gap.sample(&mut rng),
            Self::Periodic(rate) => next_carry(*rate, streams, node, 0),
            Self::OnOff(bursts) => bursts.first(&mut rng),
            Self::Pareto(bursts) => bursts.first(&mut rng, node),
        }
    }

    /// The next cycle in which `node` creates packets, after `cycle`, in which it did: the first
    /// that the generator of `cycle`'s packets, `rng`, is asked for.
    #[inline]
    pub(crate) fn next<R: Rng + ?Sized>(
        &mut self,
        streams: &Streams,
        rng: &mut R,
        node: u32,
        cycle: u64,
    ) -> u64 {
        let gap = match self {
            Self::Never => return u64::MAX,
            Self::Bernoulli(gap) | Self::Poisson { gap, .. } => gap.sample(rng),
            Self::Periodic(rate) => {
                return next_carry(*rate, streams, node, cycle.saturating_add(1));
            }
            Self::OnOff(bursts) => bursts.sample(rng),
            Self::Pareto(bursts) => return bursts.next(rng, node, cycle),
        };
        cycle.saturating_add(1).saturating_add(gap)
    }

    /// The packets that a node creates in a cycle in which it creates some.
    #[inline]
    pub(crate) fn packets<R: Rng + ?Sized>(&self, rng: &mut R) -> u32 {
        match self {
            Self::Poisson { more, .. } => 1 + more.sample(rng),
            Self::Never
            | Self::Bernoulli(_)
            | Self::Periodic(_)
            | Self::OnOff(_)
            | Self::Pareto(_) => 1,
        }
    }
}

/// The first cycle from `cycle` on in which the sum phase + (cycle + 1) · rate passes an integer.
#[inline]
fn next_carry(rate: u128, streams: &Streams, node: u32, cycle: u64) -> u64 {
    let phase = streams.address(Purpose::Start, node, 0).word();
    let sum = phase.wrapping_add(cycle.wrapping_mul(rate as u64));
    let steps = ((1u128 << 64) - u128::from(sum)).div_ceil(rate) - 1;
    cycle.saturating_add(u64::try_from(steps).unwrap_or(u64::MAX))
}

/// Of a number N of packets that follows Poisson's law of mean `rate`: P(N > 0), and the
/// thresholds P(N - 1 > v | N > 0).
///
/// The terms w_n = rate^n / n! are summed as they are: P(N > 0) = S / (1 + S) with S = Σ w_n over
/// n >= 1 cancels nothing, so small rates keep their precision. Only sums, products and quotients,
/// which IEEE 754 rounds alike everywhere.
fn poisson(rate: f64) -> (f64, Vec<u64>) {
    let mut terms = vec![rate];
    // Past twice the mean each term is at most half of the one before it.
    while let Some(&last) = terms.last()
        && last > 0.0
        && ((terms.len() as f64) < 2.0 * rate || last > terms[0] * 1e-30)
    {
        terms.push(last * rate / (terms.len() as f64 + 1.0));
    }
    let mut tail = 0.0;
    let mut tails: Vec<f64> = terms
        .iter()
        .rev()
        .map(|term| {
            tail += term;
            tail
        })
        .collect();
    tails.reverse();
    let sum = tails[0];
    if sum == 0.0 {
        return (0.0, Vec::new());
    }
    let more = tails[1..].iter().map(|tail| threshold(tail / sum));
    (sum / (1.0 + sum), more.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{chi_square_deviates, two_sample_deviates};
    use flitsim_random::Pcg64Mcg;
    use rand::{RngExt, SeedableRng};

    /// The packets of each cycle of one node.
    fn counts(process: Process, rate: f64, node: u32, cycles: u64) -> Vec<u32> {
        let mut arrivals = Arrivals::new(process, rate, node + 1);
        let streams = Streams::new(5);
        let mut counts = vec![0; cycles as usize];
        let mut cycle = arrivals.first(&streams, node);
        while cycle < cycles {
            let mut rng = streams.event(Purpose::Packets, node, cycle);
            let next = arrivals.next(&streams, &mut rng, node, cycle);
            counts[cycle as usize] = arrivals.packets(&mut rng);
            assert!(next > cycle);
            cycle = next;
        }
        counts
    }

    /// e^-rate · rate^n / n!
    fn poisson_probability(rate: f64, n: u32) -> f64 {
        (1..=n).fold((-rate).exp(), |p, i| p * rate / f64::from(i))
    }

    #[test]
    fn certain_packets_come_every_cycle() {
        for process in [Process::Bernoulli, Process::Periodic] {
            assert!(counts(process, 1.0, 3, 1000).iter().all(|&c| c == 1));
        }
    }

    #[test]
    fn no_rate_no_packets() {
        let streams = Streams::new(5);
        for process in [Process::Bernoulli, Process::Poisson, Process::Periodic] {
            for rate in [0.0, 1e-300, f64::MIN_POSITIVE] {
                let mut arrivals = Arrivals::new(process, rate, 1);
                assert_eq!(arrivals.first(&streams, 0), u64::MAX);
                let mut rng = streams.event(Purpose::Packets, 0, 4);
                assert_eq!(arrivals.next(&streams, &mut rng, 0, 4), u64::MAX);
            }
        }
    }

    #[test]
    fn bernoulli_cycles_are_independent() {
        // Pairs of successive cycles: (1-p)^2, p(1-p) twice, p^2.
        for p in [0.01, 0.2, 0.5, 0.97] {
            let mut pairs = vec![0u64; 4];
            for pair in counts(Process::Bernoulli, p, 1, 400_000).chunks(2) {
                pairs[(pair[0] * 2 + pair[1]) as usize] += 1;
            }
            let q = 1.0 - p;
            let z = chi_square_deviates(&pairs, &[q * q, q * p, p * q, p * p]);
            assert!(z.abs() < 4.0, "p = {p}: {z} standard deviates");
        }
    }

    #[test]
    fn poisson_counts_follow_the_law() {
        for rate in [0.01, 0.1, 0.5, 1.0, 3.0, 16.0, 64.0] {
            let cycles = 200_000u64;
            let drawn = counts(Process::Poisson, rate, 2, cycles);
            let n = cycles as f64;
            let mean = drawn.iter().map(|&c| f64::from(c)).sum::<f64>() / n;
            assert!((mean - rate).abs() < 4.0 * (rate / n).sqrt(), "{rate}");
            let squares = drawn.iter().map(|&c| (f64::from(c) - rate).powi(2));
            let spread = ((rate + 2.0 * rate * rate) / n).sqrt();
            assert!((squares.sum::<f64>() / n - rate).abs() < 4.0 * spread);
            let enough = |k: &u32| poisson_probability(rate, *k) * n >= 10.0;
            let classes: Vec<u32> = (0..300).filter(enough).collect();
            let mut expected: Vec<f64> = classes
                .iter()
                .map(|&k| poisson_probability(rate, k))
                .collect();
            let mut found = vec![0u64; classes.len()];
            let (first, last) = (classes[0], classes[classes.len() - 1]);
            for count in drawn {
                found[(count.clamp(first, last) - first) as usize] += 1;
            }
            let below: f64 = (0..first).map(|k| poisson_probability(rate, k)).sum();
            expected[0] += below;
            *expected.last_mut().unwrap() += 1.0 - expected.iter().sum::<f64>();
            let z = chi_square_deviates(&found, &expected);
            assert!(z.abs() < 4.0, "rate {rate}: {z} standard deviates");
        }
    }

    /// An independent sampler of the same law, in floating point.
    #[test]
    fn poisson_counts_are_those_of_rand_distr() {
        let mut rng = Pcg64Mcg::seed_from_u64(8);
        for rate in [0.1, 1.0, 3.0, 16.0, 64.0] {
            let ours = counts(Process::Poisson, rate, 2, 50_000);
            let ours: Vec<u64> = ours.into_iter().map(u64::from).collect();
            let theirs = rand_distr::Poisson::new(rate).unwrap();
            let theirs = (&mut rng).sample_iter(theirs).take(ours.len());
            let theirs: Vec<u64> = theirs.map(|count: f64| count as u64).collect();
            let z = two_sample_deviates(&ours, &theirs);
            assert!(z.abs() < 4.0, "rate {rate}: {z} standard deviates");
        }
    }

    /// The gaps of bursts made burst by burst of `rand_distr`'s geometric times.
    #[test]
    fn bursts_are_those_of_a_chain_of_geometric_times() {
        let mut rng = Pcg64Mcg::seed_from_u64(8);
        for (burst_cycles, idle_cycles, rate) in [(10.0, 90.0, 0.05), (3.0, 4.0, 0.4)] {
            let process = Process::OnOff {
                burst_cycles,
                idle_cycles,
            };
            let gaps =
                |packets: &[u64]| packets.windows(2).map(|w| w[1] - w[0]).collect::<Vec<_>>();
            let cycles = (20_000.0 / rate) as u64;
            let ours = counts(process, rate, 2, cycles);
            let ours: Vec<u64> = (0..cycles).filter(|&c| ours[c as usize] > 0).collect();
            let [on, off] = [burst_cycles, idle_cycles]
                .map(|mean| rand_distr::Geometric::new(1.0 / mean).unwrap());
            let burst_rate = rate * (burst_cycles + idle_cycles) / burst_cycles;
            let (mut theirs, mut cycle) = (Vec::new(), 0);
            while cycle < cycles {
                let end = cycle + 1 + rng.sample(on);
                theirs.extend((cycle..end).filter(|_| rng.random_bool(burst_rate)));
                cycle = end + 1 + rng.sample(off);
            }
            let (mut ours, mut theirs) = (gaps(&ours), gaps(&theirs));
            let both = ours.len().min(theirs.len());
            ours.truncate(both);
            theirs.truncate(both);
            let z = two_sample_deviates(&ours, &theirs);
            assert!(z.abs() < 4.0, "{process:?}: {z} standard deviates");
        }
    }

    #[test]
    fn poisson_is_precise_at_small_rates() {
        for rate in [1e-12, 1e-6, 1e-3, 0.5, 5.0, 64.0] {
            let (busy, more) = poisson(rate);
            assert!((busy / -f64::exp_m1(-rate) - 1.0).abs() < 1e-14, "{rate}");
            let second = more[0] as f64 / (1u128 << 64) as f64;
            // P(N > 1 | N > 0), by its series where the closed form cancels.
            let exact = if rate < 1e-2 {
                rate / 2.0 - rate * rate / 12.0
            } else {
                1.0 - rate * (-rate).exp() / busy
            };
            let error = (second - exact).abs();
            assert!(error < 1e-9 * exact + 1e-18, "{rate}: {second} {exact}");
        }
        assert!(poisson(64.0).1.len() < 300);
    }

    #[test]
    fn periodic_gaps_differ_by_at_most_one_cycle() {
        for rate in [0.003, 0.1, 0.25, 0.3, 0.7, 0.999] {
            let cycles = 20_000;
            let drawn = counts(Process::Periodic, rate, 9, cycles);
            let total = f64::from(drawn.iter().sum::<u32>());
            assert!((total - rate * cycles as f64).abs() <= 1.0, "{rate}");
            let at: Vec<usize> = (0..drawn.len()).filter(|&i| drawn[i] > 0).collect();
            let gaps: Vec<usize> = at.windows(2).map(|w| w[1] - w[0]).collect();
            let (least, most) = (gaps.iter().min().unwrap(), gaps.iter().max().unwrap());
            assert!(most - least <= 1, "{rate}: {least} to {most}");
        }
    }

    #[test]
    fn periodic_nodes_are_out_of_step() {
        let mut firsts = vec![0u64; 10];
        let mut arrivals = Arrivals::new(Process::Periodic, 0.1, 10_000);
        let streams = Streams::new(5);
        for node in 0..10_000 {
            firsts[arrivals.first(&streams, node) as usize] += 1;
        }
        assert!(chi_square_deviates(&firsts, &[0.1; 10]).abs() < 4.0);
    }
}
