//! Periodic arrivals: a packet each 1/rate cycles, each node at its own phase.

use super::law::{Gaps, Law};
use crate::stream::{Purpose, Streams};
use crate::thresholds::fixed_point;
use flitsim_keys::{Fault, Values};
use rand::Rng;

/// A packet each 1/rate cycles: a node's n-th comes in the cycle in which n - φ of them are due, with
/// a phase φ in \[0, 1) of its own. Gaps differ by at most a cycle. The rate is at most 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Periodic;

impl Law for Periodic {
    const KEEPS_PHASES: bool = true;

    type Gaps = Period;

    fn read(_: &Values) -> Result<Self, Fault> {
        Ok(Self)
    }

    fn rate_most(&self) -> f64 {
        1.0
    }

    fn at(&self, rate: f64, _: u32) -> Option<Period> {
        let rate = fixed_point(rate);
        (rate > 0).then_some(Period { rate })
    }
}

/// Packets a cycle, in units of 2^-64.
#[derive(Clone, Debug)]
pub(crate) struct Period {
    rate: u128,
}

impl Period {
    /// The first cycle from `cycle` on in which the sum phase + (cycle + 1) · rate passes an integer.
    #[inline]
    fn next_carry(&self, streams: &Streams, node: u32, cycle: u64) -> u64 {
        let phase = streams.address(Purpose::Start, node, 0).word();
        let sum = phase.wrapping_add(cycle.wrapping_mul(self.rate as u64));
        let steps = ((1u128 << 64) - u128::from(sum)).div_ceil(self.rate) - 1;
        cycle.saturating_add(u64::try_from(steps).unwrap_or(u64::MAX))
    }
}

impl Gaps for Period {
    fn first(&mut self, streams: &Streams, node: u32) -> u64 {
        self.next_carry(streams, node, 0)
    }

    #[inline]
    fn next<R: Rng + ?Sized>(
        &mut self,
        streams: &Streams,
        _: &mut R,
        node: u32,
        cycle: u64,
    ) -> u64 {
        self.next_carry(streams, node, cycle.saturating_add(1))
    }
}
