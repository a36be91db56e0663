//! Latency under load (Parhami & Kwai, section 5), as printed.

use super::contention::{Contention, delay_cycles};
use super::parameters::Torus;
use crate::ModelError;
use crate::error::{not_negative, within};

/// The model of one network.
///
/// Latencies count neither the source's nor the destination's switch: F flits and s (Δ − 1) cycles.
/// flitsim counts both; with `delay` = s and no wire delay its zero-load latency is 2s − 1 more.
///
/// ```
/// use flitsim_models::pruned_torus::{latency::Model, parameters::Torus};
///
/// // Figure 8: 16-ary 3-cubes, 96 bits, s = 3.
/// let model = Model::of_torus(Torus::Pruned, 16, 96.0, 3.0)?;
/// assert!((model.zero_load_cycles() - 37.3516).abs() < 1e-3);
/// assert!((model.latency(0.0625)?.unwrap().cycles - 79.2085).abs() < 1e-3);
/// # Ok::<(), flitsim_models::ModelError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    degree: u32,
    is_one_way: bool,
    mean_distance: f64,
    flits: f64,
    switch_cycles: f64,
}

/// A latency and what it is made of, in cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latency {
    /// T = (F + s (Δ − 1)) (1 − p_w) + T_c.
    pub cycles: f64,
    /// ρ: the share of its time that a channel is used.
    pub utilization: f64,
    /// 1 − p_w.
    pub cut_through: f64,
    /// T_c.
    pub contention_cycles: f64,
}

impl Model {
    /// A network of d = `degree` channels out of a node, at least 2, one-way where `is_one_way`;
    /// Δ = `mean_distance` over all destinations, above 1; F = `flits` a packet, at least 1; s =
    /// `switch_cycles` a hop, above 0.
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`].
    pub fn new(
        degree: u32,
        is_one_way: bool,
        mean_distance: f64,
        flits: f64,
        switch_cycles: f64,
    ) -> Result<Self, ModelError> {
        within(
            "d, the degree",
            f64::from(degree),
            (2..=1_000).contains(&degree),
            "2 to 1000",
        )?;
        within("Delta", mean_distance, mean_distance > 1.0, "above 1")?;
        within("F, in flits", flits, flits >= 1.0, "at least 1")?;
        within(
            "s, in cycles",
            switch_cycles,
            switch_cycles > 0.0,
            "above 0",
        )?;
        Ok(Self {
            degree,
            is_one_way,
            mean_distance,
            flits,
            switch_cycles,
        })
    }

    /// The 3-D torus of class `torus` and k = `radix`, with 96 pins a node, F = L d/96 for messages of
    /// L = `message_bits`, and s = `switch_cycles`. Δ is counted on the network.
    ///
    /// # Errors
    /// [`ModelError`] for radices that the class does not have, and as [`Model::new`].
    pub fn of_torus(
        torus: Torus,
        radix: u32,
        message_bits: f64,
        switch_cycles: f64,
    ) -> Result<Self, ModelError> {
        let mean_distance = torus.mean_distance(radix, 3)?;
        let flits = torus.flits(message_bits);
        let degree = torus.degree(3);
        Self::new(
            degree,
            torus.is_one_way(),
            mean_distance,
            flits,
            switch_cycles,
        )
    }

    /// Δ.
    pub fn mean_distance(&self) -> f64 {
        self.mean_distance
    }

    /// F.
    pub fn flits(&self) -> f64 {
        self.flits
    }

    fn flit_hops(&self) -> f64 {
        self.flits * self.mean_distance
    }

    /// Channels whose packets may want a given one.
    fn inputs(&self) -> u32 {
        self.degree - u32::from(!self.is_one_way)
    }

    /// s Δ F: the latency under store-and-forward, without contention.
    pub fn store_and_forward_cycles(&self) -> f64 {
        self.switch_cycles * self.flit_hops()
    }

    /// F + s (Δ − 1): the latency under virtual cut-through, without contention.
    pub fn zero_load_cycles(&self) -> f64 {
        self.flits + self.switch_cycles * (self.mean_distance - 1.0)
    }

    /// ρ = (m/d) F Δ at m = `load` packets a node a cycle.
    pub fn utilization(&self, load: f64) -> f64 {
        load / f64::from(self.degree) * self.flit_hops()
    }

    /// d/(F Δ): the load, in packets a node a cycle, at which ρ is 1.
    pub fn saturation(&self) -> f64 {
        f64::from(self.degree) / self.flit_hops()
    }

    /// T at m = `load` packets a node a cycle; `None` from saturation on.
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`] for a load below 0.
    pub fn latency(&self, load: f64) -> Result<Option<Latency>, ModelError> {
        not_negative("m, in packets/node/cycle", load)?;
        let utilization = self.utilization(load);
        if utilization >= 1.0 || load >= self.saturation() {
            return Ok(None);
        }
        let (inputs, flit_hops) = (self.inputs(), self.flit_hops());
        let cut_through = Contention::new(utilization, inputs, flit_hops)?.cut_through();
        let contention_cycles = delay_cycles(utilization, inputs, flit_hops)?;
        Ok(Some(Latency {
            cycles: self.zero_load_cycles() * cut_through + contention_cycles,
            utilization,
            cut_through,
            contention_cycles,
        }))
    }

    /// The chain at m = `load`; `None` from saturation on.
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`] for a load below 0.
    pub fn contention(&self, load: f64) -> Result<Option<Contention>, ModelError> {
        not_negative("m, in packets/node/cycle", load)?;
        let utilization = self.utilization(load);
        if utilization >= 1.0 {
            return Ok(None);
        }
        Contention::new(utilization, self.inputs(), self.flit_hops()).map(Some)
    }

    /// (d − 2)/(2d − 2), which section 6 derives for networks of links; for one-way ones the same
    /// with d + 1 for d.
    fn growth(&self) -> f64 {
        let inputs = f64::from(self.inputs());
        (inputs - 1.0) / (2.0 * inputs)
    }

    /// T with p_w = ρ and F Δ ≫ 1 (section 6): (F + s (Δ − 1)) (1 − ρ) + ρ/(1 − ρ) · (d − 2)/(2d − 2) F Δ.
    /// `None` from saturation on.
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`] for a load below 0.
    pub fn latency_simplified(&self, load: f64) -> Result<Option<f64>, ModelError> {
        not_negative("m, in packets/node/cycle", load)?;
        let rho = self.utilization(load);
        let cycles = self.zero_load_cycles() * (1.0 - rho)
            + rho / (1.0 - rho) * self.growth() * self.flit_hops();
        Ok((rho < 1.0).then_some(cycles))
    }

    /// The first two terms of its series: F + s (Δ − 1) + (m/d) F Δ ((d − 2)/(2d − 2) F Δ − s Δ − F + s).
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`] for a load below 0.
    pub fn latency_series(&self, load: f64) -> Result<f64, ModelError> {
        not_negative("m, in packets/node/cycle", load)?;
        let slope = self.growth() * self.flit_hops() - self.zero_load_cycles();
        Ok(self.zero_load_cycles() + self.utilization(load) * slope)
    }

    /// The same as printed, with − s in place of + s.
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`] for a load below 0.
    pub fn latency_series_printed(&self, load: f64) -> Result<f64, ModelError> {
        let lost = 2.0 * self.switch_cycles * self.utilization(load);
        Ok(self.latency_series(load)? - lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_model_is_not_made_for_is_refused() {
        for wrong in [
            Model::new(1, false, 12.0, 4.0, 3.0),
            Model::new(4, false, 1.0, 4.0, 3.0),
            Model::new(4, false, 12.0, 0.5, 3.0),
            Model::new(4, false, 12.0, 4.0, 0.0),
            Model::of_torus(Torus::Pruned, 5, 96.0, 3.0),
        ] {
            assert!(wrong.is_err(), "{wrong:?}");
        }
        let model = Model::new(4, false, 12.0, 4.0, 3.0).unwrap();
        assert!(model.latency(-1.0).is_err());
        assert_eq!(model.latency(model.saturation()).unwrap(), None);
        assert!(
            model
                .latency(0.999_999 * model.saturation())
                .unwrap()
                .is_some()
        );
    }

    /// The series is the slope of the simplified model at zero load; the printed one is not.
    #[test]
    fn the_series_is_the_slope_at_zero_load() {
        let model = Model::of_torus(Torus::Pruned, 8, 96.0, 3.0).unwrap();
        let load = 1e-7;
        let simplified = model.latency_simplified(load).unwrap().unwrap();
        let error = |series: f64| (series - simplified).abs() / load;
        assert!(error(model.latency_series(load).unwrap()) < 1e-2);
        assert!(error(model.latency_series_printed(load).unwrap()) > 10.0);
    }
}
