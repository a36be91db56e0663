//! The papers' analytical models in place of a simulation: which one fits a series, and its curve.
//!
//! [`Fit::of`] chooses; a series that none fits gets the reason. A model is evaluated as its paper has
//! it, not as the simulator counts: its mean distance is the paper's, and what it does not count is
//! said beside it.
//!
//! Invariant: loads are in flits per node per reference cycle and latencies in reference cycles, as in
//! plans and results; a model works in the network's own cycles.

mod choose;
mod curve;

pub use choose::Misfit;
pub use curve::{COLUMNS, Curve, Row, curves};

use flitsim_models::ModelError;
use flitsim_models::pruned_torus::latency::Model as Torus;
use flitsim_models::star_hypercube::{Hypercube, Star};

/// What a user reads where no model fits.
pub const MODELS: &str = "\
kiasari-sarbazi-azad-star: star graphs under `enhanced-nbc`, wormhole
kiasari-sarbazi-azad-hypercube: hypercubes under `duato`, wormhole
parhami-kwai: two-way tori, pruned, Manhattan and pruned Manhattan tori under minimal routing, \
virtual-cut-through
dally-wormhole: tori, meshes and hypercubes under minimal routing, without contention
dally-store-and-forward: the same, store-and-forward
dally-express-cube: express cubes under `express`, without contention
All are for uniform traffic, whole networks and channels that are alike.";

/// A model that fits a series.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The equations.
    model: Model,
    /// Reference cycles that one of the network's own takes.
    cycle_time: f64,
    /// Cycles that a simulated latency has more, without load; in the network's own cycles.
    uncounted_cycles: f64,
    /// What a reader should know where model and simulation differ, one sentence each.
    remarks: Vec<String>,
}

/// The equations, in the network's own cycles.
#[derive(Clone, Debug)]
enum Model {
    /// The star graph; flits of a message.
    Star(Star, f64),
    /// The hypercube; flits of a message.
    Hypercube(Hypercube, f64),
    /// Full and thinned-out tori.
    Torus(Torus),
    /// The same latency at every load below the most that channels carry.
    ZeroLoad {
        name: &'static str,
        cycles: f64,
        saturation_flits: f64,
    },
}

impl Fit {
    /// The name in results.
    pub fn name(&self) -> &'static str {
        match &self.model {
            Model::Star(..) => "kiasari-sarbazi-azad-star",
            Model::Hypercube(..) => "kiasari-sarbazi-azad-hypercube",
            Model::Torus(_) => "parhami-kwai",
            Model::ZeroLoad { name, .. } => name,
        }
    }

    /// What a reader should know, one sentence each.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Reference cycles that a simulated latency has more than the model's, without load.
    pub fn uncounted_cycles(&self) -> f64 {
        self.uncounted_cycles * self.cycle_time
    }

    /// The mean latency at `load` flits per node per reference cycle, in reference cycles; `None` from
    /// saturation on.
    ///
    /// # Errors
    /// None for a load of a plan, which is above 0.
    pub fn latency_cycles(&self, load: f64) -> Result<Option<f64>, ModelError> {
        let flits = load * self.cycle_time;
        let cycles = match &self.model {
            Model::Star(star, length) => star.latency(flits / length)?.map(|l| l.cycles),
            Model::Hypercube(cube, length) => cube.latency(flits / length)?.map(|l| l.cycles),
            Model::Torus(torus) => torus.latency(flits / torus.flits())?.map(|l| l.cycles),
            Model::ZeroLoad {
                cycles,
                saturation_flits,
                ..
            } => (flits < *saturation_flits).then_some(*cycles),
        };
        Ok(cycles.map(|cycles| cycles * self.cycle_time))
    }

    /// The load at which the latencies end, in flits per node per reference cycle.
    pub fn saturation_flits(&self) -> f64 {
        let flits = match &self.model {
            Model::Star(star, length) => star.saturation() * length,
            Model::Hypercube(cube, length) => cube.saturation() * length,
            Model::Torus(torus) => torus.saturation() * torus.flits(),
            Model::ZeroLoad {
                saturation_flits, ..
            } => *saturation_flits,
        };
        flits / self.cycle_time
    }
}
