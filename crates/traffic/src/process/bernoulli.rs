//! Bernoulli arrivals: in each cycle one packet with probability p, none otherwise; p is the rate.

use super::law::{Gaps, Law, after};
use crate::geometric::Geometric;
use crate::stream::{Purpose, Streams};
use crate::thresholds::fixed_point;
use flitsim_keys::{Fault, Values};
use rand::Rng;
use rand::distr::Distribution;

/// In each cycle one packet with probability p, none otherwise; p is the rate, at most 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bernoulli;

impl Law for Bernoulli {
    type Gaps = Geometric;

    fn read(_: &Values) -> Result<Self, Fault> {
        Ok(Self)
    }

    fn rate_most(&self) -> f64 {
        1.0
    }

    fn at(&self, rate: f64, _: u32) -> Option<Geometric> {
        let probability = fixed_point(rate);
        (probability > 0).then(|| Geometric::new(probability))
    }
}

impl Gaps for Geometric {
    fn first(&mut self, streams: &Streams, node: u32) -> u64 {
        self.sample(&mut streams.event(Purpose::Start, node, 0))
    }

    #[inline]
    fn next<R: Rng + ?Sized>(&mut self, _: &Streams, rng: &mut R, _: u32, cycle: u64) -> u64 {
        after(cycle, self.sample(rng))
    }
}
