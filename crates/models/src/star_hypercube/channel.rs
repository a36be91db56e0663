//! What both models share: a channel whose virtual channels fill up, and the queue at the source
//! (Kiasari & Sarbazi-Azad, appendix; what it leaves out is marked).
//!
//! Invariant: with ρ = λ_c S̄ the number of busy virtual channels is at least v with probability ρ^v,
//! so that every probability of blocking is increasing and convex in ρ, as [`fixed_point`] needs.
//!
//! [`fixed_point`]: crate::fixed_point

use crate::fixed_point::{boundary, least};

/// A latency and what it is made of, in cycles. Latency = (S̄ + W̄_s) V̄ (equation 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latency {
    /// The mean latency of a message.
    pub cycles: f64,
    /// S̄: the mean network latency, blocking included.
    pub network_cycles: f64,
    /// W̄_s: the mean wait at the source.
    pub source_wait_cycles: f64,
    /// V̄: messages that share a physical channel, in the mean over the times when there are any.
    pub multiplexing: f64,
}

/// P_0 to P_V: the probability that v of the V virtual channels of a channel are busy, at the
/// utilization `utilization` = λ_c S̄: (1 − ρ) ρ^v below V, ρ^V at V.
pub fn busy_probabilities(utilization: f64, virtual_channels: u32) -> Vec<f64> {
    let mut power = 1.0;
    let mut found = Vec::with_capacity(virtual_channels as usize + 1);
    for _ in 0..virtual_channels {
        found.push((1.0 - utilization) * power);
        power *= utilization;
    }
    found.push(power);
    found
}

/// The mean wait in an M/G/1 queue with arrivals at `rate` messages a cycle, mean service `service`
/// cycles and least service `shortest`: λ S² (1 + (1 − M/S)²) / (2 (1 − λ S)), the variance of the
/// service being taken as (S − M)². `None` where the queue grows.
pub fn wait_cycles(rate: f64, service: f64, shortest: f64) -> Option<f64> {
    let load = rate * service;
    let spread = 1.0 - shortest / service;
    (load < 1.0).then(|| load * service * (1.0 + spread * spread) / (2.0 * (1.0 - load)))
}

/// V̄ = Σ v² P_v / Σ v P_v (not in the appendix), 1 where nothing is busy.
pub fn multiplexing(busy: &[f64]) -> f64 {
    let weighted = |power: i32| -> f64 {
        let weigh = |(v, p): (usize, &f64)| (v as f64).powi(power) * p;
        busy.iter().enumerate().map(weigh).sum()
    };
    let mean = weighted(1);
    if mean > 0.0 { weighted(2) / mean } else { 1.0 }
}

/// A symmetric network under uniform traffic, all but the way it blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Symmetric {
    /// M t_w: the cycles that a message passes a channel.
    pub message_cycles: f64,
    /// t_w.
    pub cycle_time: f64,
    /// d̄: channels that a message crosses, in the mean over all other nodes.
    pub mean_distance: f64,
    /// Channels out of a node.
    pub degree: f64,
    /// V.
    pub virtual_channels: u32,
}

impl Symmetric {
    /// S̄ without blocking: (M + d̄) t_w.
    pub fn zero_load_cycles(&self) -> f64 {
        self.message_cycles + self.mean_distance * self.cycle_time
    }

    /// λ_c = λ d̄ / degree (not in the appendix): messages that a channel sees a cycle.
    pub fn channel_rate(&self, load: f64) -> f64 {
        load * self.mean_distance / self.degree
    }

    /// The latency at `load` messages a node a cycle, where `blockings` gives, from P_0 to P_V, how
    /// often a message is blocked on its way in the mean. `None` above saturation.
    pub fn latency(&self, load: f64, blockings: impl Fn(&[f64]) -> f64) -> Option<Latency> {
        let channel_rate = self.channel_rate(load);
        let shortest = self.message_cycles;
        let zero_load = self.zero_load_cycles();
        let busy = |service: f64| busy_probabilities(channel_rate * service, self.virtual_channels);
        let network = least(zero_load, |service| {
            let wait = wait_cycles(channel_rate, service, shortest)?;
            Some(zero_load + wait * blockings(&busy(service)))
        });
        let network_cycles = network.value()?;
        let source_rate = load / f64::from(self.virtual_channels);
        let source_wait_cycles = wait_cycles(source_rate, network_cycles, shortest)?;
        let multiplexing = multiplexing(&busy(network_cycles));
        Some(Latency {
            cycles: (network_cycles + source_wait_cycles) * multiplexing,
            network_cycles,
            source_wait_cycles,
            multiplexing,
        })
    }

    /// The highest load with a latency, in messages a node a cycle.
    pub fn saturation(&self, blockings: impl Fn(&[f64]) -> f64) -> f64 {
        // Beyond, channels or sources would be busy all the time even without blocking.
        let full = 1.0 / self.zero_load_cycles();
        let of_channels = full * self.degree / self.mean_distance;
        let of_sources = full * f64::from(self.virtual_channels);
        boundary(of_channels.min(of_sources), |load| {
            self.latency(load, &blockings).is_some()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_sum_to_one_and_their_tails_are_powers() {
        for rho in [0.0, 0.1, 0.5, 0.999] {
            let busy = busy_probabilities(rho, 5);
            assert_eq!(busy.len(), 6);
            assert!((busy.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            let at_least_3: f64 = busy[3..].iter().sum();
            assert!((at_least_3 - rho.powi(3)).abs() < 1e-14);
        }
    }

    #[test]
    fn a_lone_message_shares_with_nobody() {
        assert_eq!(multiplexing(&busy_probabilities(0.0, 4)), 1.0);
        // Without a limit on v this is (1 + ρ) / (1 − ρ).
        let many = multiplexing(&busy_probabilities(0.25, 60));
        assert!((many - 1.25 / 0.75).abs() < 1e-12, "{many}");
    }

    #[test]
    fn a_constant_service_is_an_m_d_1_queue() {
        assert_eq!(wait_cycles(0.05, 10.0, 10.0), Some(5.0));
        assert_eq!(wait_cycles(0.0, 10.0, 10.0), Some(0.0));
        assert_eq!(wait_cycles(0.1, 10.0, 10.0), None);
    }
}
