//! Bursts: the two-state Markov-modulated Bernoulli process (Dally & Towles, section 24.2.2).
//!
//! A node is on or off. In each cycle it first changes its state, from on to off with probability β
//! and from off to on with probability α; then, if on, it creates a packet with probability r.
//! Bursts last 1/β cycles in the mean and the idle times between them 1/α, both geometric.
//!
//! A packet says that its node is on, so the gaps between packets are independent. Theirs is the
//! law of an absorbing chain of two states: with T = α + β + r - βr and s₁ <= s₂ the roots of
//! s² - T·s + α·r, the next packet comes after a geometric time of success probability s₁ or s₂.
//! This is the interrupted Bernoulli process as a mixture of two geometric laws, as the interrupted
//! Poisson process is one of two exponential laws (Kuczura, Bell System Technical Journal 52(3),
//! 1973). Both weights are probabilities where α + β <= 1; beyond, bursts would be more even than
//! no bursts at all.
//!
//! Invariant: a gap costs one choice and one geometric draw, whatever the lengths and the load.

use super::bursts::{burst_cycles, check, idle_cycles, too_short};
use super::law::{Gaps, Law, after};
use crate::TrafficError;
use crate::geometric::Geometric;
use crate::stream::{Purpose, Streams};
use crate::thresholds::fixed_point;
use flitsim_keys::{Description, Fault, Key, Values};
use flitsim_random::{Draw, Ratio};
use rand::Rng;
use rand::distr::Distribution;

/// Bursts: a node is on or off, and changes its state in each cycle with a fixed probability (Dally &
/// Towles, section 24.2.2). While it is on, each cycle has a packet with probability r, the burst rate,
/// which gives the rate: r = rate · (burst + idle) / burst. It is at most 1, hence the rate at most
/// burst / (burst + idle).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnOff {
    /// Mean length of a burst, in cycles; 1 to [`OnOff::CYCLES_MOST`].
    pub burst_cycles: f64,
    /// Mean length of the idle time between bursts, in cycles; as the bursts, and the two so long that
    /// 1 / burst + 1 / idle is at most 1.
    pub idle_cycles: f64,
}

const BURST_CYCLES: Key<f64> = burst_cycles(OnOff::CYCLES_MOST);
const IDLE_CYCLES: Key<f64> = idle_cycles(OnOff::CYCLES_MOST);

impl OnOff {
    /// The longest mean burst and idle time, in cycles.
    pub const CYCLES_MOST: f64 = 1e9;
}

impl Law for OnOff {
    const KEYS: &'static [Description] =
        &const { [BURST_CYCLES.described(), IDLE_CYCLES.described()] };

    type Gaps = Mixed;

    fn read(values: &Values) -> Result<Self, Fault> {
        let bursts = Self {
            burst_cycles: values.get(&BURST_CYCLES),
            idle_cycles: values.get(&IDLE_CYCLES),
        };
        let valid = bursts.validate();
        valid.map_err(|error| too_short(&error, values))?;
        Ok(bursts)
    }

    fn rate_most(&self) -> f64 {
        self.burst_cycles / (self.burst_cycles + self.idle_cycles)
    }

    /// 1 / (α + β), but for bursts of single cycles.
    fn correlation_cycles(&self) -> f64 {
        self.burst_cycles * self.idle_cycles / (self.burst_cycles + self.idle_cycles)
    }

    fn validate(&self) -> Result<(), TrafficError> {
        let Self {
            burst_cycles,
            idle_cycles,
        } = *self;
        for cycles in [burst_cycles, idle_cycles] {
            check("on-off", cycles, Self::CYCLES_MOST)?;
        }
        // As 1.5 and 3 are both good, the sum of 2/3 and 1/3 may be rounded past 1.
        if 1.0 / burst_cycles + 1.0 / idle_cycles > 1.0 + 1e-12 {
            return Err(TrafficError::BurstsTooShort {
                burst_cycles,
                idle_cycles,
            });
        }
        Ok(())
    }

    fn at(&self, rate: f64, _: u32) -> Option<Mixed> {
        Mixed::new(Chain::new(self.burst_cycles, self.idle_cycles, rate))
    }
}

/// The gaps of the process.
#[derive(Clone, Debug)]
pub(crate) struct Mixed {
    /// Cycles before the next packet, but for a burst that ends: most gaps within bursts.
    within: Geometric,
    /// Cycles before the next packet: gaps that span idle times.
    across: Geometric,
    /// How often a gap follows the latter after a packet, and from cycle 0.
    across_after_packet: Ratio,
    across_at_start: Ratio,
}

/// The law in real numbers: success probabilities, and the shares of the rarer success.
#[derive(Clone, Copy, Debug)]
struct Chain {
    within: f64,
    across: f64,
    across_after_packet: f64,
    across_at_start: f64,
}

impl Chain {
    /// Bursts of `burst_cycles`, idle times of `idle_cycles`, and `rate` packets a cycle in the
    /// mean over both.
    fn new(burst_cycles: f64, idle_cycles: f64, rate: f64) -> Self {
        let (alpha, beta) = (1.0 / idle_cycles, 1.0 / burst_cycles);
        let r = (rate * ((burst_cycles + idle_cycles) / burst_cycles)).min(1.0);
        let trace = alpha + beta + r * (1.0 - beta);
        let root = (trace * trace - 4.0 * alpha * r).max(0.0).sqrt();
        // The smaller root from the product of both: the difference would cancel.
        let within = ((trace + root) / 2.0).min(1.0);
        let across = alpha * r / within;
        // The chance of a packet in the next cycle, r(1 - β), lies between the two.
        let next = r * (1.0 - beta);
        let below = (next - across).max(0.0);
        let above = match below > within - next {
            // (next - s₁)(s₂ - next) = rβ(1 - α - β)
            true => r * beta * (1.0 - alpha - beta).max(0.0) / below,
            false => within - next,
        };
        let across_after_packet = above / (above + below);
        // In equilibrium a cycle falls into a gap with a probability in proportion to its length.
        let long = across_after_packet * within;
        let short = (1.0 - across_after_packet) * across;
        Self {
            within,
            across,
            across_after_packet,
            across_at_start: long / (long + short),
        }
    }
}

impl Mixed {
    /// The process, if its rate is above 2^-64.
    fn new(law: Chain) -> Option<Self> {
        let across = fixed_point(law.across);
        if across == 0 {
            return None;
        }
        Some(Self {
            within: Geometric::new(fixed_point(law.within)),
            across: Geometric::new(across),
            across_after_packet: Ratio::new(law.across_after_packet)?,
            across_at_start: Ratio::new(law.across_at_start)?,
        })
    }

    #[inline]
    fn gap<R: Rng + ?Sized>(&self, across: Ratio, rng: &mut R) -> u64 {
        if rng.chance(across) {
            self.across.sample(rng)
        } else {
            self.within.sample(rng)
        }
    }
}

impl Gaps for Mixed {
    fn first(&mut self, streams: &Streams, node: u32) -> u64 {
        let mut rng = streams.event(Purpose::Start, node, 0);
        self.gap(self.across_at_start, &mut rng)
    }

    #[inline]
    fn next<R: Rng + ?Sized>(&mut self, _: &Streams, rng: &mut R, _: u32, cycle: u64) -> u64 {
        after(cycle, self.gap(self.across_after_packet, rng))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: [(f64, f64, f64); 8] = [
        (10.0, 90.0, 0.05),
        (10.0, 90.0, 0.1),
        (2.0, 2.0, 0.3),
        (1.5, 4.0, 0.1),
        (100.0, 1.25, 0.5),
        (1e6, 1e6, 0.5),
        (1000.0, 9000.0, 1e-9),
        (50.0, 1e9, 1e-8),
    ];

    #[test]
    fn the_mean_gap_is_the_rate_turned_over() {
        for (burst, idle, rate) in CASES {
            let law = Chain::new(burst, idle, rate);
            let share = law.across_after_packet;
            assert!((0.0..=1.0).contains(&share), "{law:?}");
            let mean = share / law.across + (1.0 - share) / law.within;
            assert!((mean * rate - 1.0).abs() < 1e-9, "{law:?}: {}", mean * rate);
        }
    }

    /// The chain itself, cycle by cycle: P(gap > n) after a packet and from cycle 0.
    #[test]
    fn gaps_are_those_of_the_chain() {
        for (burst, idle, rate) in CASES {
            let (alpha, beta) = (1.0 / idle, 1.0 / burst);
            let share_on = burst / (burst + idle);
            let r: f64 = rate / share_on;
            let law = Chain::new(burst, idle, rate);
            let mixed = |across: f64, n: i32| {
                across * (1.0 - law.across).powi(n) + (1.0 - across) * (1.0 - law.within).powi(n)
            };
            // Cycle 0 may have a packet too: the state before it is the stationary one.
            let starts = [
                (1.0, 0.0, law.across_after_packet),
                (share_on, 1.0 - share_on, law.across_at_start),
            ];
            for (mut on, mut off, across) in starts {
                for n in 1..200 {
                    let to_on = on * (1.0 - beta) + off * alpha;
                    off = on * beta + off * (1.0 - alpha);
                    on = to_on * (1.0 - r);
                    let error = (on + off - mixed(across, n)).abs();
                    assert!(error < 1e-9, "{burst}, {idle}, {rate}: {error} at {n}");
                }
            }
        }
    }

    #[test]
    fn the_shortest_bursts_are_those_of_a_coin() {
        // α + β = 1: the state of a cycle says nothing of the next, and packets are Bernoulli's.
        let law = Chain::new(4.0, 4.0 / 3.0, 0.3);
        assert!((law.across - 0.3).abs() < 1e-12);
        assert!((law.across_after_packet - 1.0).abs() < 1e-12, "{law:?}");
    }
}
