//! When packets are created (Dally & Towles, section 24.2.2). Every node follows the process on its
//! own, at the same rate of packets a cycle.
//!
//! A process is a file here and a line of the registry below: the file has its parameters with their
//! keys, and its law.
//!
//! Invariant: a node's next packet depends on the seed, the node and the cycle of its last packet
//! only, so that a node keeps nothing but the cycle in which it is next due; under [`Pareto`], whose
//! times have a memory, the end of its burst too.

mod bernoulli;
mod bursts;
mod law;
mod on_off;
mod pareto;
mod periodic;
mod poisson;

use crate::TrafficError;
use crate::stream::Streams;
pub use bernoulli::Bernoulli;
use flitsim_keys::{Fault, Values, Variant};
use flitsim_topology::archive::{Archive, Archived};
use law::{Gaps, Law};
pub use on_off::OnOff;
pub use pareto::Pareto;
pub use periodic::Periodic;
pub use poisson::Poisson;
use rand::Rng;

macro_rules! registry {
    ($($word:literal $law:ident: $about:literal,)+) => {
        /// A law of arrivals, whatever its rate.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Process {
            $(#[doc = $about] $law($law),)+
        }

        $(impl From<$law> for Process {
            fn from(law: $law) -> Self {
                Self::$law(law)
            }
        })+

        /// A process at a rate, ready to draw from.
        #[derive(Clone, Debug)]
        pub(crate) enum Arrivals {
            /// No packets.
            Never,
            $($law(<$law as Law>::Gaps),)+
        }

        impl Archived for Arrivals {
            fn archive(&mut self, archive: &mut Archive<'_>) {
                match self {
                    Self::Never => {}
                    $(Self::$law(gaps) => gaps.archive(archive),)+
                }
            }
        }

        impl Process {
            /// Every process: its word in scenario files, what it is, and its keys.
            pub fn variants() -> Vec<Variant> {
                vec![$(Variant::new($word, $about, $law::KEYS),)+]
            }

            /// The process called `word`, with the `values` of a table that has its keys.
            ///
            /// # Errors
            /// A word that names no process, and values that do not go together.
            pub fn read(word: &str, values: &Values) -> Result<Self, Fault> {
                match word {
                    $($word => $law::read(values).map(Self::$law),)+
                    _ => Err(values.fault("process", format!("there is no process `{word}`"))),
                }
            }

            /// The name in scenario files.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$law(_) => $word,)+
                }
            }

            /// The highest rate, in packets per node per cycle.
            pub fn rate_most(self) -> f64 {
                match self {
                    $(Self::$law(law) => law.rate_most(),)+
                }
            }

            /// The lowest rate but none at all, in packets per node per cycle: under [`Pareto`] one in
            /// 10,000 bursts, for each burst is drawn; 0 under the others.
            pub fn rate_least(self) -> f64 {
                match self {
                    $(Self::$law(law) => law.rate_least(),)+
                }
            }

            /// Checks the lengths of bursts.
            ///
            /// # Errors
            /// [`TrafficError::BurstCycles`], [`TrafficError::BurstsTooShort`] and
            /// [`TrafficError::ParetoShape`].
            pub fn validate(self) -> Result<(), TrafficError> {
                match self {
                    $(Self::$law(law) => law.validate(),)+
                }
            }

            /// The correlation time of arrivals, in cycles; 0 where they are independent, and where, as under `pareto`, no
            /// time is long enough.
            pub fn correlation_cycles(&self) -> f64 {
                match self {
                    $(Self::$law(law) => law.correlation_cycles(),)+
                }
            }

            /// Whether a run keeps the phases that its nodes draw, so that it says nothing of what others would give.
            pub const fn keeps_phases(&self) -> bool {
                match self {
                    $(Self::$law(_) => $law::KEEPS_PHASES,)+
                }
            }
        }

        impl Arrivals {
            /// `process`, which is valid, at `rate` packets per node per cycle, from 0 to
            /// `process.rate_most()`, for the nodes `0..nodes`. A rate below 2^-64 is none.
            pub(crate) fn new(process: Process, rate: f64, nodes: u32) -> Self {
                assert!((0.0..=process.rate_most()).contains(&rate));
                if rate * 2.0f64.powi(64) < 1.0 {
                    return Self::Never;
                }
                match process {
                    $(Process::$law(law) => law.at(rate, nodes).map_or(Self::Never, Self::$law),)+
                }
            }

            /// The first cycle in which `node` creates packets; `u64::MAX` for never.
            pub(crate) fn first(&mut self, streams: &Streams, node: u32) -> u64 {
                match self {
                    Self::Never => u64::MAX,
                    $(Self::$law(gaps) => gaps.first(streams, node),)+
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
                match self {
                    Self::Never => u64::MAX,
                    $(Self::$law(gaps) => gaps.next(streams, rng, node, cycle),)+
                }
            }

            /// The packets that a node creates in a cycle in which it creates some.
            #[inline]
            pub(crate) fn packets<R: Rng + ?Sized>(&self, rng: &mut R) -> u32 {
                match self {
                    Self::Never => 1,
                    $(Self::$law(gaps) => gaps.packets(rng),)+
                }
            }
        }
    };
}

registry! {
    "bernoulli" Bernoulli: "A packet in a cycle or none.",
    "poisson" Poisson: "Any number of packets in a cycle.",
    "periodic" Periodic: "A packet after as many cycles as before.",
    "on-off" OnOff: "Bursts of geometric length.",
    "pareto" Pareto: "Bursts of any length, self-similar in the sum.",
}

#[cfg(test)]
mod tests {
    use super::poisson::poisson;
    use super::*;
    use crate::statistics::{chi_square_deviates, two_sample_deviates};
    use crate::stream::Purpose;
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
        for process in [Process::Bernoulli(Bernoulli), Process::Periodic(Periodic)] {
            assert!(counts(process, 1.0, 3, 1000).iter().all(|&c| c == 1));
        }
    }

    #[test]
    fn no_rate_no_packets() {
        let streams = Streams::new(5);
        for process in [
            Process::Bernoulli(Bernoulli),
            Process::Poisson(Poisson),
            Process::Periodic(Periodic),
        ] {
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
            for pair in counts(Process::Bernoulli(Bernoulli), p, 1, 400_000).chunks(2) {
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
            let drawn = counts(Process::Poisson(Poisson), rate, 2, cycles);
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
            let ours = counts(Process::Poisson(Poisson), rate, 2, 50_000);
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
            let process = Process::OnOff(OnOff {
                burst_cycles,
                idle_cycles,
            });
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
            let drawn = counts(Process::Periodic(Periodic), rate, 9, cycles);
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
        let mut arrivals = Arrivals::new(Process::Periodic(Periodic), 0.1, 10_000);
        let streams = Streams::new(5);
        for node in 0..10_000 {
            firsts[arrivals.first(&streams, node) as usize] += 1;
        }
        assert!(chi_square_deviates(&firsts, &[0.1; 10]).abs() < 4.0);
    }
}
