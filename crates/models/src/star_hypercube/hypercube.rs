//! The hypercube under Duato's routing: V − 1 adaptive virtual channels and one e-cube escape
//! (Kiasari & Sarbazi-Azad, appendix (a), after Boura, Das & Jacob).

use super::channel::{Latency, Symmetric};
use crate::ModelError;
use crate::error::{not_negative, positive, within};

/// The most dimensions: 2^n − 1 is then exact in a double.
const DIMENSIONS_MOST: u32 = 50;

/// The most virtual channels: as many as routers have.
pub(super) const VIRTUAL_CHANNELS_MOST: u32 = 64;

/// The model of the hypercube H_n.
///
/// ```
/// use flitsim_models::star_hypercube::Hypercube;
///
/// let cube = Hypercube::new(7, 32.0, 12, 1.0)?;
/// // M + d̄, with d̄ = (n/2) 2^n / (2^n − 1).
/// assert!((cube.zero_load_cycles() - (32.0 + 3.5 * 128.0 / 127.0)).abs() < 1e-12);
/// # Ok::<(), flitsim_models::ModelError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Hypercube {
    dimensions: u32,
    network: Symmetric,
}

impl Hypercube {
    /// H_n of n = `dimensions`, 1 to 50; messages of M = `message_flits` flits, at least 1;
    /// V = `virtual_channels`, 2 to 64; a flit takes t_w = `cycle_time` cycles over a channel.
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`].
    pub fn new(
        dimensions: u32,
        message_flits: f64,
        virtual_channels: u32,
        cycle_time: f64,
    ) -> Result<Self, ModelError> {
        let in_range = (1..=DIMENSIONS_MOST).contains(&dimensions);
        let n = within(
            "the number of dimensions",
            f64::from(dimensions),
            in_range,
            "1 to 50",
        )?;
        within(
            "M, in flits",
            message_flits,
            message_flits >= 1.0,
            "at least 1",
        )?;
        let in_range = (2..=VIRTUAL_CHANNELS_MOST).contains(&virtual_channels);
        within(
            "V",
            f64::from(virtual_channels),
            in_range,
            "2 to 64: one for the escape, the rest adaptive",
        )?;
        positive("t_w, in cycles", cycle_time)?;
        Ok(Self {
            dimensions,
            network: Symmetric {
                message_cycles: message_flits * cycle_time,
                cycle_time,
                mean_distance: mean_distance(dimensions),
                degree: n,
                virtual_channels,
            },
        })
    }

    /// Latency of a lone message, (M + d̄) t_w cycles.
    pub fn zero_load_cycles(&self) -> f64 {
        self.network.zero_load_cycles()
    }

    /// Latency at `load` messages a node a cycle; `None` above saturation.
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`] for a load below 0.
    pub fn latency(&self, load: f64) -> Result<Option<Latency>, ModelError> {
        not_negative("the load, in messages/node/cycle", load)?;
        Ok(self.network.latency(load, |busy| self.blockings(busy)))
    }

    /// The highest load with a latency, in messages a node a cycle: above it the equations have no
    /// solution, or the source queues grow.
    pub fn saturation(&self) -> f64 {
        self.network.saturation(|busy| self.blockings(busy))
    }

    /// How often a message is blocked on its way: Σ p_i Σ_{j ≤ i} P_V (P_V + P_{V−1}/V)^{j−1}.
    ///
    /// With j dimensions to go, one of them is that of the escape, all of whose V virtual channels
    /// must be busy; in the others all, or all but the escape's.
    fn blockings(&self, busy: &[f64]) -> f64 {
        let full = busy[busy.len() - 1];
        let all_but_one = busy[busy.len() - 2];
        let adaptive = full + all_but_one / (busy.len() - 1) as f64;
        let shares = distance_shares(self.dimensions);
        let (mut on_the_way, mut blocking, mut mean) = (0.0, full, 0.0);
        for share in shares {
            on_the_way += blocking;
            blocking *= adaptive;
            mean += share * on_the_way;
        }
        mean
    }
}

/// d̄ = (n/2) 2^n / (2^n − 1): the mean distance from a node of H_n to the others.
pub fn mean_distance(dimensions: u32) -> f64 {
    let nodes = 2f64.powi(dimensions as i32);
    f64::from(dimensions) / 2.0 * nodes / (nodes - 1.0)
}

/// p_1 to p_n: the share of the other nodes of H_n at each distance, C(n, i) / (2^n − 1).
pub fn distance_shares(dimensions: u32) -> impl Iterator<Item = f64> {
    let others = 2f64.powi(dimensions as i32) - 1.0;
    let mut ways = 1.0;
    (1..=dimensions).map(move |i| {
        ways = ways * f64::from(dimensions - i + 1) / f64::from(i);
        ways / others
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_the_binomial() {
        let shares: Vec<f64> = distance_shares(4).collect();
        assert_eq!(shares, [4.0, 6.0, 4.0, 1.0].map(|ways| ways / 15.0));
        let mean: f64 = (1..)
            .zip(distance_shares(7))
            .map(|(i, p)| f64::from(i) * p)
            .sum();
        assert!((mean - mean_distance(7)).abs() < 1e-12);
    }

    #[test]
    fn what_the_model_is_not_made_for_is_refused() {
        for wrong in [
            Hypercube::new(0, 32.0, 4, 1.0),
            Hypercube::new(51, 32.0, 4, 1.0),
            Hypercube::new(7, 0.5, 4, 1.0),
            Hypercube::new(7, f64::NAN, 4, 1.0),
            Hypercube::new(7, 32.0, 1, 1.0),
            Hypercube::new(7, 32.0, 65, 1.0),
            Hypercube::new(7, 32.0, 4, 0.0),
        ] {
            assert!(
                matches!(wrong, Err(ModelError::OutOfDomain { .. })),
                "{wrong:?}"
            );
        }
        let cube = Hypercube::new(7, 32.0, 4, 1.0).unwrap();
        assert!(cube.latency(-0.1).is_err());
    }
}
