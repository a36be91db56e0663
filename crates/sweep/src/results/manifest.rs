//! `manifest.json`: what was simulated, in enough detail to repeat it or to tell whether results
//! still belong to a scenario.
//!
//! Invariant: independent of machine and time: no paths, no clock, no number of jobs.

use super::points::points_of;
use flitsim_measure::point::Status;
use flitsim_scenario::hash::{NO_DIGEST, is_sealed, point_key, sealed};
use flitsim_scenario::plan::{KeptFile, Plan};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What is said of a file whose digest is another.
pub(crate) const DAMAGED: &str = "it is not as it was written";

/// How far a sweep is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SweepState {
    /// Points are being simulated, or the run was killed.
    Running,
    /// Every point has its row.
    Complete,
    /// Some point failed and has no row.
    Incomplete,
    /// One part of several: every point of it has its row.
    Part,
}

/// What became of a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointState {
    /// Not simulated yet.
    Pending,
    /// Not of this part of the sweep.
    Elsewhere,
    /// Simulated: the status in its row.
    Done(Status),
    /// Not simulated to an end, and why.
    Failed(String),
}

/// The manifest of a sweep.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of flitsim that simulates.
    pub flitsim: String,
    /// The name of the scenario.
    pub scenario: String,
    /// The name of its file.
    pub file: Option<String>,
    /// Its title.
    pub title: String,
    /// The seed of every random number.
    pub seed: u64,
    /// How far the sweep is.
    pub status: SweepState,
    /// The text of the scenario.
    pub text: String,
    /// The files that it names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<KeptFile>,
    /// Its curves.
    pub series: Vec<ManifestSeries>,
    /// Its points, in scenario order.
    pub points: Vec<ManifestPoint>,
    /// Whether it runs even where a routing can deadlock.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_deadlock: bool,
    /// By name: the [digests](flitsim_scenario::hash::digest) of the tables beside it; none before they are
    /// complete.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tables: BTreeMap<String, String>,
    /// The digest of the file itself; none in those of older versions.
    #[serde(default)]
    hash: Option<String>,
}

/// A curve in a manifest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ManifestSeries {
    /// Its name.
    pub name: String,
    topology: String,
    routing: String,
    load_unit: String,
    replicas: u32,
    definition: Value,
}

/// A point in a manifest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ManifestPoint {
    /// The name of its curve.
    pub series: String,
    /// Its load, in the unit of its curve.
    pub load: f64,
    /// Its [key](point_key).
    pub key: String,
    status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl ManifestPoint {
    /// Whether it was not simulated to an end.
    pub fn has_failed(&self) -> bool {
        self.status == FAILED
    }

    /// Why it was not.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }
}

const PENDING: &str = "pending";
const ELSEWHERE: &str = "elsewhere";
const FAILED: &str = "failed";

impl Manifest {
    /// That of a sweep of `plan`. `states` are what became of its points, in scenario order; points
    /// beyond their end are pending.
    pub fn new(
        plan: &Plan,
        allow_deadlock: bool,
        status: SweepState,
        states: &[PointState],
    ) -> Self {
        let series = plan.series.iter().map(|series| ManifestSeries {
            name: series.name.clone(),
            topology: series.topology.clone(),
            routing: series.routing.name().to_owned(),
            load_unit: series.load_unit.clone(),
            replicas: series.replicas,
            definition: series.definition.clone(),
        });
        let mut states = states.iter();
        let points = points_of(plan).map(|(series, load)| {
            let (status, error) = match states.next().unwrap_or(&PointState::Pending) {
                PointState::Pending => (PENDING, None),
                PointState::Elsewhere => (ELSEWHERE, None),
                PointState::Done(status) => (status.as_str(), None),
                PointState::Failed(error) => (FAILED, Some(error.clone())),
            };
            ManifestPoint {
                series: series.name.clone(),
                load: load.in_unit,
                key: point_key(series, load, plan.seed),
                status: status.to_owned(),
                error,
            }
        });
        let file = plan.path.file_name();
        Self {
            flitsim: env!("CARGO_PKG_VERSION").to_owned(),
            scenario: plan.scenario.clone(),
            file: file.map(|name| name.to_string_lossy().into_owned()),
            title: plan.title.clone(),
            seed: plan.seed,
            status,
            text: plan.text.clone(),
            files: plan.files.clone(),
            series: series.collect(),
            points: points.collect(),
            allow_deadlock,
            tables: BTreeMap::new(),
            hash: Some(NO_DIGEST.to_owned()),
        }
    }

    /// Whether the points are those of `other`, simulated by the same version, whatever the text of the scenarios.
    pub fn has_points_of(&self, other: &Self) -> bool {
        let [own, others] = [self, other].map(|sweep| {
            let keys = sweep.points.iter().map(|point| point.key.as_str());
            keys.collect::<BTreeSet<_>>()
        });
        self.flitsim == other.flitsim && !own.is_empty() && own == others
    }

    /// What tells the sweep of `other` from this one; nothing where they are the same.
    pub fn difference(&self, other: &Self) -> Option<&'static str> {
        let each = [
            ("the text of the scenario", self.text != other.text),
            ("a file that it names", self.files != other.files),
            ("the seed", self.seed != other.seed),
            ("the version of flitsim", self.flitsim != other.flitsim),
        ];
        let differs = each.into_iter().find(|(_, differs)| *differs);
        differs.map(|(what, _)| what)
    }

    /// Reads the file `path`.
    ///
    /// # Errors
    /// Why it cannot be read; that it is not as it was written.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let manifest: Self = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        match &manifest.hash {
            Some(hash) if !is_sealed(&text, hash) => Err(DAMAGED.to_owned()),
            _ => Ok(manifest),
        }
    }

    /// The text of `manifest.json`.
    pub fn to_json(&self) -> String {
        // As a value, its members are in the order of their names.
        let value = serde_json::to_value(self).unwrap_or_default();
        sealed(&format!("{value:#}\n"))
    }
}
