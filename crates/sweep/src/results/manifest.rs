//! `manifest.json`: what was simulated, in enough detail to repeat it or to tell whether results
//! still belong to a scenario.
//!
//! Invariant: independent of machine and time: no paths, no clock, no number of jobs.

use super::hash;
use flitsim_scenario::plan::Plan;
use serde_json::{Value, json};

/// How far a sweep is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepState {
    /// Points are being simulated, or the run was killed.
    Running,
    /// Every point has its row.
    Complete,
    /// Some point failed and has no row.
    Incomplete,
}

impl SweepState {
    /// The word in the manifest.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Complete => "complete",
            Self::Incomplete => "incomplete",
        }
    }
}

/// What became of a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointState {
    /// Not simulated yet.
    Pending,
    /// Simulated: the status in its row.
    Done(flitsim_measure::point::Status),
    /// Not simulated to an end, and why.
    Failed(String),
}

/// The manifest of a sweep.
#[derive(Debug)]
pub struct Manifest<'p> {
    /// What is simulated.
    pub plan: &'p Plan,
    /// Whether it runs even where a routing can deadlock.
    pub allows_deadlock: bool,
    /// How far it is.
    pub state: SweepState,
    /// What became of every point, in scenario order; points beyond its end are pending.
    pub points: &'p [PointState],
}

impl Manifest<'_> {
    /// The text of `manifest.json`.
    pub fn to_json(&self) -> String {
        let plan = self.plan;
        let series: Vec<Value> = plan
            .series
            .iter()
            .map(|series| {
                json!({
                    "name": series.name,
                    "topology": series.topology,
                    "routing": series.routing.name(),
                    "load_unit": series.load_unit,
                    "replicas": series.replicas,
                    "definition": series.definition,
                })
            })
            .collect();
        let mut states = self.points.iter();
        let points: Vec<Value> = super::points_of(plan)
            .map(|(series, load)| {
                let mut point = json!({
                    "series": series.name,
                    "load": load.in_unit,
                    "key": hash::point_key(series, load, plan.seed),
                });
                match states.next().unwrap_or(&PointState::Pending) {
                    PointState::Pending => point["status"] = "pending".into(),
                    PointState::Done(status) => point["status"] = status.as_str().into(),
                    PointState::Failed(error) => {
                        point["status"] = "failed".into();
                        point["error"] = error.as_str().into();
                    }
                }
                point
            })
            .collect();
        let mut manifest = json!({
            "flitsim": env!("CARGO_PKG_VERSION"),
            "scenario": plan.scenario,
            "file": plan.path.file_name().map(|name| name.to_string_lossy()),
            "title": plan.title,
            "seed": plan.seed,
            "status": self.state.as_str(),
            "text": plan.text,
            "series": series,
            "points": points,
        });
        if self.allows_deadlock {
            manifest["allow_deadlock"] = true.into();
        }
        format!("{manifest:#}\n")
    }
}
