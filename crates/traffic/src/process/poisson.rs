//! Poisson arrivals: the gaps between cycles with packets, and the packets beyond the first of one.

use super::law::{Gaps, Law, after};
use crate::geometric::Geometric;
use crate::stream::{Purpose, Streams};
use crate::thresholds::{Thresholds, fixed_point, threshold};
use flitsim_keys::{Fault, Values};
use rand::Rng;
use rand::distr::Distribution;

/// In each cycle a number of packets that follows Poisson's law; its mean is the rate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Poisson;

impl Law for Poisson {
    type Gaps = Busy;

    fn read(_: &Values) -> Result<Self, Fault> {
        Ok(Self)
    }

    fn rate_most(&self) -> f64 {
        64.0
    }

    fn at(&self, rate: f64, _: u32) -> Option<Busy> {
        let (busy, more) = poisson(rate);
        let busy = fixed_point(busy);
        (busy > 0).then(|| Busy {
            gap: Geometric::new(busy),
            more: Thresholds::new(more),
        })
    }
}

/// Cycles with packets.
#[derive(Clone, Debug)]
pub(crate) struct Busy {
    /// The cycles between two of them.
    gap: Geometric,
    /// Packets beyond the first.
    more: Thresholds,
}

impl Gaps for Busy {
    fn first(&mut self, streams: &Streams, node: u32) -> u64 {
        self.gap.sample(&mut streams.event(Purpose::Start, node, 0))
    }

    #[inline]
    fn next<R: Rng + ?Sized>(&mut self, _: &Streams, rng: &mut R, _: u32, cycle: u64) -> u64 {
        after(cycle, self.gap.sample(rng))
    }

    #[inline]
    fn packets<R: Rng + ?Sized>(&self, rng: &mut R) -> u32 {
        1 + self.more.sample(rng)
    }
}

/// Of a number N of packets that follows Poisson's law of mean `rate`: P(N > 0), and the
/// thresholds P(N - 1 > v | N > 0).
///
/// The terms w_n = rate^n / n! are summed as they are: P(N > 0) = S / (1 + S) with S = Σ w_n over
/// n >= 1 cancels nothing, so small rates keep their precision. Only sums, products and quotients,
/// which IEEE 754 rounds alike everywhere.
pub(super) fn poisson(rate: f64) -> (f64, Vec<u64>) {
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
