//! What traffic is, its rate apart.

use crate::{Bernoulli, ENUMERATED_MOST, PacketLength, Pattern, Process, TrafficError, Uniform};
use flitsim_topology::{Network, NodeId};

/// Everything about the traffic but its rate and its seed.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficPlan {
    /// Who sends to whom.
    pub pattern: Pattern,
    /// When.
    pub process: Process,
    /// How much at once.
    pub length: PacketLength,
}

impl TrafficPlan {
    /// Checks everything that does not depend on the rate.
    ///
    /// # Errors
    /// As [`PacketLength::validate`] and [`Process::validate`], or [`TrafficError::Pattern`] where
    /// the pattern is not defined on `network`.
    pub fn validate(&self, network: &Network) -> Result<(), TrafficError> {
        self.length.validate()?;
        self.process.validate()?;
        self.pattern.compile(network)?;
        Ok(())
    }

    /// The share of the terminals that have not failed whose packets have a terminal to go to that
    /// has not failed either: the load that is created is the load asked for times this. 1 where
    /// nothing has failed.
    ///
    /// # Errors
    /// [`TrafficError::Pattern`] where the pattern is not defined on `network`.
    pub fn sending_share(&self, network: &Network) -> Result<f64, TrafficError> {
        if network.damage().is_none() {
            return Ok(1.0);
        }
        let destinations = self.pattern.compile(network)?;
        let senders = network.living_terminals();
        let senders = senders.filter(|&node| destinations.sends(node)).count();
        Ok(senders as f64 / f64::from(network.living_terminals_count()))
    }

    /// The most that a terminal receives where every terminal that sends offers 1; 1 where it would
    /// take too long to tell (see [`Destinations::received_most`](crate::Destinations::received_most)).
    ///
    /// # Errors
    /// [`TrafficError::Pattern`] where the pattern is not defined on `network`.
    pub fn received_most(&self, network: &Network) -> Result<f64, TrafficError> {
        // Not worth compiling for nothing.
        let is_large = network.terminals() > ENUMERATED_MOST;
        if is_large && !matches!(self.pattern, Pattern::Hotspot(_)) {
            return Ok(1.0);
        }
        let destinations = self.pattern.compile(network)?;
        Ok(destinations.received_most(network).unwrap_or(1.0))
    }

    /// The largest share of its packets that a terminal of `network` sends to itself; 0 where that takes too long to tell.
    ///
    /// # Errors
    /// As [`TrafficPlan::received_most`].
    pub fn to_self_most(&self, network: &Network) -> Result<f64, TrafficError> {
        let terminals = network.terminals();
        let mut most = 0.0f64;
        if terminals <= ENUMERATED_MOST {
            let destinations = self.pattern.compile(network)?;
            for source in (0..terminals).map(NodeId) {
                destinations.demand(source, &mut |to, share| {
                    most = most.max(if to == source { share } else { 0.0 });
                });
            }
        }
        Ok(most)
    }

    /// The highest load that the process can create, in flits per node per cycle: as many packets
    /// as [`Process::rate_most`] says, of mean length. What the terminals' channels then carry is
    /// another question.
    pub fn load_most(&self) -> f64 {
        self.process.rate_most() * self.length.mean_flits()
    }

    /// The rate, in packets per node per cycle, of `load` flits per node per cycle.
    ///
    /// # Errors
    /// [`TrafficError::InvalidLoad`], [`TrafficError::LoadTooHigh`] and
    /// [`TrafficError::LoadTooLow`].
    pub fn packet_rate(&self, load: f64) -> Result<f64, TrafficError> {
        if !(load >= 0.0 && load.is_finite()) {
            return Err(TrafficError::InvalidLoad { load });
        }
        let load_most = self.load_most();
        if load > load_most {
            return Err(TrafficError::LoadTooHigh {
                load,
                process: self.process.name(),
                mean_flits: self.length.mean_flits(),
                load_most,
                rate_most: self.process.rate_most(),
            });
        }
        let load_least = self.process.rate_least() * self.length.mean_flits();
        if load > 0.0 && load < load_least {
            return Err(TrafficError::LoadTooLow {
                load,
                process: self.process.name(),
                load_least,
            });
        }
        // The quotient may round past the limit by its last bit.
        Ok((load / self.length.mean_flits()).min(self.process.rate_most()))
    }
}

impl Default for TrafficPlan {
    /// The scenario file's default: uniform, Bernoulli, 16 flits.
    fn default() -> Self {
        Self {
            pattern: Pattern::Uniform(Uniform {
                include_self: false,
            }),
            process: Process::Bernoulli(Bernoulli),
            length: PacketLength::Fixed(16),
        }
    }
}
