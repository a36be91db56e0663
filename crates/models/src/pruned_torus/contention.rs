//! How many packets want the same outgoing channel: the Markov chain of section 5 (Parhami & Kwai).
//!
//! Invariant: r is found from sums of products of probabilities only, so that no digit is lost,
//! however far its tail goes.

use crate::ModelError;
use crate::error::within;

/// How little a state may add to the mean queue, over what is there, for the tail to be cut off.
const REST: f64 = 1e-20;

/// The most states kept.
const STATES_MOST: usize = 4_000_000;

/// The queue at a channel out of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Contention {
    utilization: f64,
    /// q(0), q(1), ..: arrivals in a cycle.
    arrivals: Vec<f64>,
    /// r(0), r(1), ..: packets that contend.
    contenders: Vec<f64>,
}

impl Contention {
    /// The chain for utilization ρ = `utilization`, 0 ≤ ρ < 1; `inputs` channels whose packets may
    /// want this one, d − 1 in networks of links, where none goes back, and d in one-way networks;
    /// and F Δ = `flit_hops`, the cycles that a packet uses channels in all, above 1.
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`].
    pub fn new(utilization: f64, inputs: u32, flit_hops: f64) -> Result<Self, ModelError> {
        let holds = (0.0..1.0).contains(&utilization);
        within(
            "the utilization",
            utilization,
            holds,
            "at least 0 and below 1",
        )?;
        let in_range = (1..=1_000).contains(&inputs);
        within(
            "channels that lead to one",
            f64::from(inputs),
            in_range,
            "1 to 1000",
        )?;
        within("F Delta", flit_hops, flit_hops > 1.0, "above 1")?;
        let arrivals = arrivals(utilization, inputs, flit_hops);
        let contenders = contenders(utilization, &arrivals);
        Ok(Self {
            utilization,
            arrivals,
            contenders,
        })
    }

    /// q(i): the probability that i packets come to want the channel in a cycle.
    pub fn arrivals(&self, packets: usize) -> f64 {
        self.arrivals.get(packets).copied().unwrap_or(0.0)
    }

    /// r(i): the probability that i packets contend for the channel.
    pub fn contenders(&self, packets: usize) -> f64 {
        self.contenders.get(packets).copied().unwrap_or(0.0)
    }

    /// 1 − p_w = r(0) + Σ r(i)/i: the probability to cut through, without waiting.
    pub fn cut_through(&self) -> f64 {
        let waiting = self.contenders.iter().enumerate().skip(1);
        self.contenders[0] + waiting.map(|(i, r)| r / i as f64).sum::<f64>()
    }

    /// Σ (i − 1) r(i), i ≥ 2: packets that wait, in the mean. Times F it is β, the queue in flits.
    pub fn waiting_packets(&self) -> f64 {
        let waiting = self.contenders.iter().enumerate().skip(2);
        waiting.map(|(i, r)| (i - 1) as f64 * r).sum()
    }

    /// T_c = β Δ / ρ: the cycles that a packet waits on its way by the chain, F Δ being `flit_hops`;
    /// 0 at ρ = 0.
    pub fn delay_cycles(&self, flit_hops: f64) -> f64 {
        if self.utilization == 0.0 {
            return 0.0;
        }
        self.waiting_packets() * flit_hops / self.utilization
    }
}

/// q(i) = (1 − ρ/FΔ) p(i) + ρ/FΔ p(i − 1): those on their way, binomial over the inputs with
/// λ = ρ (1 − 1/FΔ) / inputs, and one that enters.
fn arrivals(utilization: f64, inputs: u32, flit_hops: f64) -> Vec<f64> {
    let lambda = utilization * (1.0 - 1.0 / flit_hops) / f64::from(inputs);
    let enters = utilization / flit_hops;
    let mut on_the_way = Vec::with_capacity(inputs as usize + 2);
    let mut ways = 1.0;
    for i in 0..=inputs {
        let none = (1.0 - lambda).powi((inputs - i) as i32);
        on_the_way.push(ways * lambda.powi(i as i32) * none);
        ways = ways * f64::from(inputs - i) / f64::from(i + 1);
    }
    on_the_way.push(0.0);
    (0..on_the_way.len())
        .map(|i| {
            let before = if i == 0 { 0.0 } else { on_the_way[i - 1] };
            (1.0 - enters) * on_the_way[i] + enters * before
        })
        .collect()
}

/// r(0) = 1 − ρ, and on, until nothing is left.
///
/// The printed recurrence, r(i + 1) q(0) = r(i) − r(0) q(i) − Σ_{1 ≤ j ≤ i} r(j) q(i + 1 − j),
/// subtracts ever more nearly equal numbers. Summed over i it says that the chain goes up past a
/// state as often as down: r(i + 1) q(0) = r(0) P(A > i) + Σ_{1 ≤ j ≤ i} r(j) P(A > i + 1 − j), with A
/// the arrivals.
fn contenders(utilization: f64, arrivals: &[f64]) -> Vec<f64> {
    let mut above: Vec<f64> = vec![0.0; arrivals.len()];
    for i in (0..arrivals.len() - 1).rev() {
        above[i] = above[i + 1] + arrivals[i + 1];
    }
    let more_than = |packets: usize| above.get(packets).copied().unwrap_or(0.0);
    let mut found = vec![1.0 - utilization];
    let mut waiting = 0.0;
    while found.len() < STATES_MOST {
        let i = found.len() - 1;
        // Arrivals have no longer tail than this.
        let first = (i + 2).saturating_sub(above.len()).max(1);
        let up: f64 = (first..=i).map(|j| found[j] * more_than(i + 1 - j)).sum();
        let next = (found[0] * more_than(i) + up) / arrivals[0];
        found.push(next);
        let adds = i as f64 * next;
        waiting += adds;
        // The first states grow before the tail falls.
        if i > arrivals.len() && adds <= REST * waiting {
            break;
        }
    }
    found
}

/// The same by the printed recurrence, r(0) to r(`last`): for small utilizations and short tails.
///
/// # Errors
/// As [`Contention::new`].
pub fn contenders_printed(
    utilization: f64,
    inputs: u32,
    flit_hops: f64,
    last: usize,
) -> Result<Vec<f64>, ModelError> {
    let chain = Contention::new(utilization, inputs, flit_hops)?;
    let q = |packets: usize| chain.arrivals(packets);
    let mut r = vec![1.0 - utilization];
    for i in 0..last {
        let from_waiting: f64 = (1..=i).map(|j| r[j] * q(i + 1 - j)).sum();
        r.push((r[i] - r[0] * q(i) - from_waiting) / q(0));
    }
    Ok(r)
}

/// T_c in closed form: ρ/(2(1 − ρ)) · ((d − 2) FΔ + 2 − d/(FΔ)) / (d − 1) for networks of links, with
/// d − 1 = `inputs`; with d = `inputs` that is the form for one-way networks.
///
/// # Errors
/// As [`Contention::new`].
pub fn delay_cycles(utilization: f64, inputs: u32, flit_hops: f64) -> Result<f64, ModelError> {
    let holds = (0.0..1.0).contains(&utilization);
    within(
        "the utilization",
        utilization,
        holds,
        "at least 0 and below 1",
    )?;
    within("F Delta", flit_hops, flit_hops > 1.0, "above 1")?;
    let inputs = within(
        "channels that lead to one",
        f64::from(inputs),
        inputs >= 1,
        "at least 1",
    )?;
    let packets = (inputs - 1.0) * flit_hops + 2.0 - (inputs + 1.0) / flit_hops;
    Ok(utilization / (2.0 * (1.0 - utilization)) * packets / inputs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_chain_is_not_made_for_is_refused() {
        assert!(Contention::new(1.0, 3, 10.0).is_err());
        assert!(Contention::new(-0.1, 3, 10.0).is_err());
        assert!(Contention::new(0.5, 0, 10.0).is_err());
        assert!(Contention::new(0.5, 3, 1.0).is_err());
        assert!(delay_cycles(1.0, 3, 10.0).is_err());
        assert!(delay_cycles(0.5, 0, 10.0).is_err());
    }

    #[test]
    fn an_empty_network_has_no_contenders() {
        let chain = Contention::new(0.0, 5, 36.0).unwrap();
        assert_eq!((chain.contenders(0), chain.contenders(1)), (1.0, 0.0));
        assert_eq!((chain.cut_through(), chain.delay_cycles(36.0)), (1.0, 0.0));
    }

    #[test]
    fn probabilities_sum_to_one() {
        for rho in [0.1, 0.5, 0.9, 0.999] {
            let chain = Contention::new(rho, 3, 48.0).unwrap();
            let arrivals: f64 = chain.arrivals.iter().sum();
            let contenders: f64 = chain.contenders.iter().sum();
            assert!((arrivals - 1.0).abs() < 1e-14);
            assert!((contenders - 1.0).abs() < 1e-12, "{rho}: {contenders}");
            // The mean of the arrivals is the utilization.
            let mean: f64 = (0..)
                .zip(&chain.arrivals)
                .map(|(i, q)| f64::from(i) * q)
                .sum();
            assert!((mean - rho).abs() < 1e-14);
        }
    }
}
