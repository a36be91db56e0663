//! A scenario resolved: networks built, names turned into values, loads expanded and converted.

use super::energy::Energy;
use super::error::{Fault, Place, ScenarioError};
use super::room::bytes_estimate;
use flitsim_engine::routing::{Relation, RoutingChoice, Tables};
use flitsim_engine::{ConfigError, EngineConfig};
use flitsim_measure::measurement::MeasureSettings;
use flitsim_measure::measurement::details::Detailed;
use flitsim_measure::workload::Workload;
use flitsim_topology::{FatTree, FatTreeKind, Network};
use flitsim_traffic::TrafficPlan;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

/// A key of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its dotted name, such as `router.virtual_channels`.
    pub name: String,
    /// Its value, the default where nothing is said; null where the series has no such key. A file is its
    /// path.
    pub value: Value,
    /// Whether the scenario says it.
    pub is_said: bool,
}

/// The most bytes of a file of which a manifest keeps the text: of a larger one it has the hash alone.
pub const KEPT_BYTES_MOST: usize = 4 << 20;

/// A file of a scenario, as a manifest keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptFile {
    /// The path as the scenario says it.
    pub path: String,
    /// A hash of the text: 32 hexadecimal digits.
    pub hash: String,
    /// The text; `None` where it has more than [`KEPT_BYTES_MOST`] bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// One offered load of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// As the scenario says it, in the series' unit.
    pub in_unit: f64,
    /// Flits per node per reference cycle.
    pub flits: f64,
}

/// What a load is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadScale {
    /// Flits per node per reference cycle that a load of 1 in the series' unit is.
    pub flits_per_unit: f64,
    /// The most that can be offered, in flits per node per reference cycle.
    pub flits_most: f64,
}

/// Loads that a first search places: `load = "auto"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutoLoads {
    /// How many.
    pub steps: u64,
    /// Where the file asks for them.
    pub place: Option<Place>,
}

/// One curve: everything that its points share.
#[derive(Clone, Debug)]
pub struct SeriesPlan {
    /// The name of the curve.
    pub name: String,
    /// The topology in one word, as `torus:radix=8,dimensions=2`.
    pub topology: String,
    /// The network, shared by series of the same topology.
    pub network: Arc<Network>,
    /// The routing algorithm, known to fit the network and the virtual channels.
    pub routing: RoutingChoice,
    /// Whether the routing has been proved free of deadlock; see [`ProvedPlan`](crate::proof::ProvedPlan).
    pub is_proved: bool,
    /// What relations of the routing on the network share: built once.
    pub routing_tables: Arc<Tables>,
    /// Where the file names the algorithm, or else the topology, which chose it.
    pub routing_place: Option<Place>,
    /// Where the file says how virtual channels are reallocated.
    pub vc_reallocation_place: Option<Place>,
    /// The router, validated.
    pub engine: EngineConfig,
    /// Who sends what to whom, validated; the load comes with each point.
    pub traffic: TrafficPlan,
    /// What there is in place of an open loop: each load is then an amount of it.
    pub workload: Option<Workload>,
    /// Where the file names it.
    pub workload_place: Option<Place>,
    /// When to stop.
    pub measure: MeasureSettings,
    /// What each action takes, where the scenario asks for energy.
    pub energy: Option<Energy>,
    /// The name of the load's unit.
    pub load_unit: String,
    /// The unit in flits, and what can be offered.
    pub load_scale: LoadScale,
    /// The offered loads, in the scenario's order. Empty where `loads_auto` is there, until the
    /// search has placed them.
    pub loads: Vec<Load>,
    /// Why the load given in place of the file's, or some of those, cannot be offered; only where
    /// [`are_loads_optional`](super::Overrides::are_loads_optional).
    pub loads_refused: Vec<Fault>,
    /// Where loads are placed by a search: how many.
    pub loads_auto: Option<AutoLoads>,
    /// Independent simulations pooled into each point.
    pub replicas: u32,
    /// Reference cycles that a simulated cycle takes: loads and latencies of plans and results are
    /// in reference cycles, what counts cycles of a run in simulated ones.
    pub cycle_time: f64,
    /// Bits of a flit.
    pub width_bits: u32,
    /// The keys in which the plan's series differ, the same ones for each.
    pub parameters: Vec<Parameter>,
    /// Everything that defines a point but its load and seed, in a canonical form that later
    /// versions and other machines can compare: the key of a point is a hash of this, the load,
    /// the seed and the replica.
    pub definition: Value,
}

impl SeriesPlan {
    /// The name of the traffic pattern.
    pub fn pattern_name(&self) -> &'static str {
        match self.workload {
            Some(Workload::Trace(_)) => "trace",
            _ => self.traffic.pattern.name(),
        }
    }

    /// The routing as a relation on the network. Where the user insists on too few virtual channels,
    /// as [`RoutingChoice::relation_merged`] has it.
    ///
    /// # Errors
    /// None for a series of a resolved plan.
    pub fn relation(&self) -> Result<Relation<'_>, ConfigError> {
        let vcs = self.engine.virtual_channels;
        self.routing
            .relation_merged(&self.network, vcs, &self.routing_tables)
    }

    /// Whether every packet is known to take a shortest path.
    pub fn takes_shortest_paths(&self) -> bool {
        // On a fat-pyramid there are shorter ones over its meshes.
        let by_ancestor = self.routing.name() == "nearest-common-ancestor"
            && self.network.fat_tree().map(FatTree::kind) == Some(FatTreeKind::Butterfly);
        self.workload.is_none() && (self.routing.is_minimal() || by_ancestor)
    }

    /// Bytes that a simulation of one of its points takes, beside the network and the tables of its
    /// routing, which the proof has built and all points share.
    pub fn bytes_estimate(&self) -> u128 {
        let details = self.measure.details;
        bytes_estimate(&self.network, &self.engine)
            + u128::from(Detailed::bytes_estimate(
                details,
                &self.network,
                &self.engine,
            ))
    }

    /// Measures the points in another way.
    pub fn set_measure(&mut self, measure: MeasureSettings) {
        self.measure = measure;
        self.definition["measure"] = super::measure::definition(&measure);
    }
}

/// A series whose routing does not hold on its network: there is nothing to run.
#[derive(Clone, Debug)]
pub struct Unroutable {
    /// Which of the file's series it is, from 0.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// The topology in one word.
    pub topology: String,
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// Virtual channels of each channel.
    pub virtual_channels: u32,
    /// What is wrong.
    pub error: ScenarioError,
}

/// A scenario of which every series is known that can be: what [`Plan::read_each`] gives.
#[derive(Clone, Debug)]
pub struct EachSeries {
    /// The series that can be run.
    pub plan: Plan,
    /// The others.
    pub unroutable: Vec<Unroutable>,
}

impl EachSeries {
    /// All series, in the file's order.
    pub fn in_order(&self) -> Vec<Result<&SeriesPlan, &Unroutable>> {
        let mut all: Vec<_> = self.plan.series.iter().map(Ok).collect();
        for unroutable in &self.unroutable {
            all.insert(unroutable.index, Err(unroutable));
        }
        all
    }
}

/// A scenario, ready to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The file's stem: the column `scenario` of the results.
    pub scenario: String,
    /// The file.
    pub path: PathBuf,
    /// The file's text.
    pub text: String,
    /// The files that it names.
    pub files: Vec<KeptFile>,
    /// The title for charts and reports.
    pub title: String,
    /// The seed of every random number.
    pub seed: u64,
    /// The curves, in the scenario's order.
    pub series: Vec<SeriesPlan>,
    /// What a user should know before the run, one sentence each.
    pub warnings: Vec<String>,
}
