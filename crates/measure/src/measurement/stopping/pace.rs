//! What is known of a run before it starts.
//!
//! Sources: J. W. Cohen, "The Single Server Queue" (relaxation time of M/M/1); J. Abate, W. Whitt,
//! "Transient behavior of regulated Brownian motion", Advances in Applied Probability 19, 1987 (that of
//! any queue in heavy traffic).

/// What is known of a run before it starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Terminals of the network.
    pub terminals: u32,
    /// Offered load, flits per node per cycle.
    pub offered_flits: f64,
    /// Flits offered to the hottest terminal for each flit that it can take; 0 where no terminal is offered
    /// more than others.
    pub hottest_flits: f64,
    /// Mean length of a packet, flits.
    pub packet_flits: f64,
    /// Latency of a packet across the whole empty network, cycles.
    pub traversal_cycles: u64,
    /// The correlation time of arrivals, in cycles: that of bursts, or 0 where arrivals are independent.
    pub correlation_cycles: u64,
}

/// Relaxation times of a hot terminal's queue before a run is judged: while it fills, it looks as steady as any.
const RELAXATIONS_MIN: u64 = 8;

/// Correlation times of arrivals in the same: five in each of 32 batches.
const CORRELATION_TIMES_MIN: u64 = 5 * 32;

impl Pace {
    /// Packets that all terminals create in a cycle, in the mean.
    pub fn packets_per_cycle(&self) -> f64 {
        f64::from(self.terminals) * self.offered_flits / self.packet_flits
    }

    /// Cycles in which `packets` packets are created in the mean; `u64::MAX` at load 0.
    pub fn cycles_for(&self, packets: f64) -> u64 {
        // The cast saturates.
        (packets / self.packets_per_cycle()).ceil() as u64
    }

    /// Whether some terminal is offered more than it takes: no network delivers that, however little of the
    /// backlog shows.
    pub fn is_excessive(&self) -> bool {
        self.hottest_flits > 1.0 + 1e-9
    }

    /// Cycles that hot terminals and bursts need before the warm-up is first judged, and in the shortest
    /// window.
    pub fn settling_cycles(&self) -> u64 {
        let relaxations = self.relaxation_cycles().saturating_mul(RELAXATIONS_MIN);
        relaxations.max(
            self.correlation_cycles
                .saturating_mul(CORRELATION_TIMES_MIN),
        )
    }

    /// The relaxation time of the hottest terminal's queue, in cycles: about so long it remembers,
    /// and takes to fill; `u64::MAX` where it never rests. 0 where no terminal is hot, and where one is
    /// offered more than it takes: that queue never settles.
    ///
    /// For packets of S flits that come at random, rho flits a cycle, S / (2 (1 - sqrt rho)^2): half
    /// that of exponential lengths, as near rho = 1, where it is 2 rho S (1 + c^2) / (1 - rho)^2 for
    /// lengths of the squared coefficient of variation c^2.
    fn relaxation_cycles(&self) -> u64 {
        if self.hottest_flits == 0.0 || self.is_excessive() {
            return 0;
        }
        let idle = 1.0 - self.hottest_flits.clamp(0.0, 1.0).sqrt();
        // The cast saturates where it is never idle.
        (0.5 * self.packet_flits / (idle * idle)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(hottest_flits: f64) -> Pace {
        Pace {
            terminals: 16,
            offered_flits: 0.1,
            hottest_flits,
            packet_flits: 8.0,
            traversal_cycles: 20,
            correlation_cycles: 0,
        }
    }

    #[test]
    fn a_hot_queue_remembers_longer_the_hotter_it_is() {
        assert_eq!(pace(0.0).relaxation_cycles(), 0);
        // 4 / (1 - 0.9)^2, and in heavy traffic about 2 · 8 / (1 - rho)^2.
        assert_eq!(pace(0.81).relaxation_cycles(), 400);
        let near = pace(0.99).relaxation_cycles() as f64;
        assert!((near / (2.0 * 8.0 / 1e-4) - 1.0).abs() < 0.01, "{near}");
        assert_eq!(pace(1.0).relaxation_cycles(), u64::MAX);
        assert!(!pace(1.0).is_excessive() && pace(1.001).is_excessive());
        assert_eq!(pace(1.001).relaxation_cycles(), 0);
    }

    #[test]
    fn runs_outlast_hot_queues_and_bursts() {
        assert_eq!(pace(0.0).settling_cycles(), 0);
        assert_eq!(pace(0.81).settling_cycles(), 8 * 400);
        let bursts = |correlation_cycles, hottest_flits| Pace {
            correlation_cycles,
            ..pace(hottest_flits)
        };
        assert_eq!(bursts(10, 0.81).settling_cycles(), 8 * 400);
        assert_eq!(bursts(30, 0.81).settling_cycles(), 160 * 30);
        assert_eq!(bursts(u64::MAX, 0.0).settling_cycles(), u64::MAX);
    }

    #[test]
    fn packets_come_at_the_load_over_their_length() {
        // 16 terminals, 0.1 flits a cycle each, 8 flits a packet.
        assert_eq!(pace(0.0).packets_per_cycle(), 16.0 * 0.1 / 8.0);
        assert_eq!(pace(0.0).cycles_for(10.0), 50);
        let idle = Pace {
            offered_flits: 0.0,
            ..pace(0.0)
        };
        assert_eq!(idle.cycles_for(1.0), u64::MAX);
    }
}
