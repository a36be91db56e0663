//! Plans whose routing is proved free of deadlock, or whose user insists: the only ones that can be
//! simulated.
//!
//! Invariant: a [`ProvedPlan`] and a [`ProvedSeries`] come from a proof, and what the proof speaks of
//! does not change behind it: they are read, and only loads and measurement can be set.

use super::{OnProgress, prove, reason, shown, too_few};
use crate::error::{Fault, Told};
use crate::{Load, Plan, ScenarioError, SeriesPlan};
use flitsim_analysis::verify::{Proof, Reason};
use flitsim_measure::measurement::MeasureSettings;
use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

/// A plan of which every series may be simulated.
#[derive(Clone, Debug)]
pub struct ProvedPlan(Plan);

impl ProvedPlan {
    /// Proves every series of `plan` free of deadlock. Where one is not, and the user does not
    /// insist, the plan is refused; where the user does, `warn` is told.
    ///
    /// # Errors
    /// The first series that can deadlock, what is at fault underlined.
    pub fn prove(
        mut plan: Plan,
        allow_deadlock: bool,
        on_progress: OnProgress<'_>,
        mut warn: impl FnMut(String),
    ) -> Result<Self, ScenarioError> {
        let mut tried: Vec<(&SeriesPlan, bool)> = Vec::new();
        let mut are_proved = Vec::with_capacity(plan.series.len());
        for (index, series) in plan.series.iter().enumerate() {
            let same = |(other, _): &&(&SeriesPlan, bool)| is_same_relation(other, series);
            if let Some(&(_, is_proved)) = tried.iter().find(same) {
                are_proved.push(is_proved);
                continue;
            }
            let refusal = Refusal::of(series, on_progress);
            tried.push((series, refusal.is_none()));
            are_proved.push(refusal.is_none());
            let Some(refusal) = refusal else {
                continue;
            };
            if allow_deadlock {
                warn(format!("series \"{}\": {}", series.name, refusal.message));
                continue;
            }
            let mut fault = refusal.fault(series);
            if plan.series.len() > 1 {
                fault = fault.note(format!("in the series \"{}\"", series.name));
            }
            let series = vec![index];
            let told = vec![Told { fault, series }];
            return Err(ScenarioError::of_all(&plan.path, &plan.text, told));
        }
        for (series, is_proved) in plan.series.iter_mut().zip(are_proved) {
            series.is_proved = is_proved;
        }
        Ok(Self(plan))
    }

    /// The curves, in the scenario's order.
    pub fn proved_series(&self) -> impl Iterator<Item = ProvedSeries<'_>> {
        let series = self.0.series.iter();
        series.map(|series| ProvedSeries(Cow::Borrowed(series)))
    }

    /// Sets the loads of the series `index`, if there is one.
    pub fn set_loads(&mut self, index: usize, loads: Vec<Load>) {
        if let Some(series) = self.0.series.get_mut(index) {
            series.loads = loads;
        }
    }
}

impl Deref for ProvedPlan {
    type Target = Plan;

    fn deref(&self) -> &Plan {
        &self.0
    }
}

/// A series that may be simulated.
#[derive(Clone, Debug)]
pub struct ProvedSeries<'p>(Cow<'p, SeriesPlan>);

impl<'p> ProvedSeries<'p> {
    /// Proves `series` free of deadlock; whatever it is where `allow_deadlock`.
    ///
    /// # Errors
    /// Why it is not.
    pub fn prove(series: &'p SeriesPlan, allow_deadlock: bool) -> Result<Self, String> {
        if !allow_deadlock && let Some(refusal) = Refusal::of(series, &|_, _| {}) {
            return Err(refusal.message);
        }
        // What it says of itself may be of the series that it was made from.
        Ok(Self(Cow::Owned(SeriesPlan {
            is_proved: !allow_deadlock,
            ..series.clone()
        })))
    }

    /// The same series, measured otherwise.
    pub fn measured(&self, measure: MeasureSettings, replicas: u32) -> ProvedSeries<'static> {
        ProvedSeries(Cow::Owned(SeriesPlan {
            measure,
            replicas,
            ..SeriesPlan::clone(self)
        }))
    }
}

impl Deref for ProvedSeries<'_> {
    type Target = SeriesPlan;

    fn deref(&self) -> &SeriesPlan {
        &self.0
    }
}

/// Why a series is not proved free of deadlock.
struct Refusal {
    message: String,
    /// `None` where there is nothing to prove.
    proof: Option<Proof>,
    /// The routing would do with another reallocation.
    shares_buffers: bool,
}

impl Refusal {
    fn of(series: &SeriesPlan, on_progress: OnProgress<'_>) -> Option<Self> {
        let (routing, network, engine) = (&series.routing, &series.network, &series.engine);
        let tables = &*series.routing_tables;
        let proof = match prove(routing, network, engine, tables, on_progress) {
            Ok(proof) => proof,
            Err(error) => {
                return Some(Self {
                    message: error.to_string(),
                    proof: None,
                    shares_buffers: false,
                });
            }
        };
        let reason = reason(routing, network, engine, tables, &proof)?;
        let shares_buffers = proof.reason() == Some(&Reason::NonAtomicReallocation)
            && too_few(routing, network, engine, tables).is_none();
        let name = routing.name();
        let message = match shares_buffers {
            true => format!(
                "{name} can deadlock under wormhole flow control with non-atomic reallocation"
            ),
            false => format!(
                "{name} on {} is not proved free of deadlock: {reason}",
                series.topology
            ),
        };
        Some(Self {
            message,
            proof: Some(proof),
            shares_buffers,
        })
    }

    /// What the user reads.
    fn fault(self, series: &SeriesPlan) -> Fault {
        let Some(proof) = self.proof else {
            return Fault::new(series.routing_place.clone(), self.message)
                .about_routing()
                .label("cannot be proved")
                .help(
                    "another `algorithm` or a smaller network; `--allow-deadlock` runs it all the same",
                );
        };
        let place = match self.shares_buffers {
            true => series.vc_reallocation_place.as_ref(),
            false => None,
        };
        let place = place.or(series.routing_place.as_ref()).cloned();
        let mut fault = Fault::new(place, self.message).about_routing();
        if self.shares_buffers {
            fault = fault.label("two packets may share a buffer").note(
                "the escape leads a head out that waits at the front of a buffer; one behind the \
                 end of another packet waits for that one, wherever it goes",
            );
        } else {
            fault = fault.label("may deadlock");
        }
        if !proof.cycle().is_empty() {
            fault = fault.note(format!(
                "a cycle: {}",
                shown(&series.network, proof.cycle())
            ));
        }
        fault.help(match self.shares_buffers {
            true => {
                "`vc_reallocation = \"atomic\"`, the default with this algorithm, or \
                 `flow_control = \"virtual-cut-through\"`; `--allow-deadlock` runs it all the same"
            }
            false => {
                "`flitsim verify` with the same file says more; `--allow-deadlock` runs it all the \
                 same"
            }
        })
    }
}

/// Whether a proof for one series holds for the other.
fn is_same_relation(one: &SeriesPlan, other: &SeriesPlan) -> bool {
    Arc::ptr_eq(&one.network, &other.network)
        && one.routing == other.routing
        && one.engine.virtual_channels == other.engine.virtual_channels
        && one.engine.vc_reallocation == other.engine.vc_reallocation
        && one.engine.flow_control == other.engine.flow_control
        && one.engine.interleave_flits == other.engine.interleave_flits
}
