//! The numbers of figures 4, 5 and 7 to 16 (Parhami & Kwai, sections 4.B, 5 and 6).
//!
//! Not stated in the paper: d and F of figure 7, the second length of figure 13, the axes of 14 to 16.
//! Callers choose, and say so on the figure. Figure 11's caption says s = 3 and means 7.

use super::latency::{Latency, Model};
use super::parameters::Torus;
use crate::ModelError;

/// A load of figures 8 to 12 and the latencies of the four networks, in the order of [`Torus::ALL`];
/// `None` from saturation on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadRow {
    /// m, in packets a node a cycle.
    pub load: f64,
    /// The latencies.
    pub networks: [Option<Latency>; 4],
}

/// The four 3-D tori of one radix, with as many pins a node, in the order of [`Torus::ALL`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison(pub [Model; 4]);

impl Comparison {
    /// Those of k = `radix`, messages of L = `message_bits` and s = `switch_cycles`. Figures 8 to 11:
    /// k = 16, (L, s) = (96, 3), (96, 7), (384, 3), (384, 7); figure 12: the first again.
    ///
    /// # Errors
    /// As [`Model::of_torus`].
    pub fn new(radix: u32, message_bits: f64, switch_cycles: f64) -> Result<Self, ModelError> {
        let of = |torus| Model::of_torus(torus, radix, message_bits, switch_cycles);
        let [full, pruned, manhattan, both] = Torus::ALL;
        Ok(Self([of(full)?, of(pruned)?, of(manhattan)?, of(both)?]))
    }

    /// What the networks have at m = `load`.
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`] for a load below 0.
    pub fn row(&self, load: f64) -> Result<LoadRow, ModelError> {
        let mut networks = [None; 4];
        for (found, model) in networks.iter_mut().zip(&self.0) {
            *found = model.latency(load)?;
        }
        Ok(LoadRow { load, networks })
    }

    /// `steps` + 1 rows from 0 to where the last network saturates, at even steps.
    ///
    /// # Errors
    /// None.
    pub fn rows(&self, steps: u32) -> Result<Vec<LoadRow>, ModelError> {
        let end = self.0.iter().map(Model::saturation).fold(0.0, f64::max);
        (0..=steps)
            .map(|i| self.row(end * (f64::from(i) / f64::from(steps.max(1)))))
            .collect()
    }
}

/// Figures 4 and 5: Δ of `torus` at each of `radices` in n = `dimensions`.
///
/// # Errors
/// [`ModelError::Network`] for radices that the class does not have.
pub fn mean_distances(
    torus: Torus,
    dimensions: u32,
    radices: &[u32],
) -> Result<Vec<(u32, f64)>, ModelError> {
    let of = |&radix: &u32| Ok((radix, torus.mean_distance(radix, dimensions)?));
    radices.iter().map(of).collect()
}

/// Figures 14 to 16: the latency of `first` over that of `second` at m = `load`; `None` where either
/// is saturated.
///
/// # Errors
/// [`ModelError::OutOfDomain`] for a load below 0.
pub fn relative_latency(
    first: &Model,
    second: &Model,
    load: f64,
) -> Result<Option<f64>, ModelError> {
    let (first, second) = (first.latency(load)?, second.latency(load)?);
    Ok(first.zip(second).map(|(a, b)| a.cycles / b.cycles))
}
