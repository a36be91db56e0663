//! What the replicas of a workload yield together.

use crate::measurement::rounds::Rounds;
use crate::measurement::statistics::Estimate;
use crate::measurement::stopping::Outcome;
use crate::point::replicas::{mean_of_replicas, pooled, with_intervals};
use crate::point::{Mean, PointResult, WorkloadSummary};

/// What replicas yield that ran until everything had arrived, or were cut off.
pub(super) fn ended(
    result: &mut PointResult,
    outcomes: &[Outcome],
    rounds: &[Rounds],
) -> WorkloadSummary {
    let makespan = with_intervals(result, outcomes);
    let means: Option<Vec<f64>> = rounds.iter().map(Rounds::mean).collect();
    WorkloadSummary {
        makespan,
        // Cut off, the longest rounds are missing.
        round_trip: means
            .filter(|_| makespan.is_some())
            .and_then(|means| mean_of_replicas(&means)),
        rounds: rounds.iter().map(Rounds::count).sum(),
    }
}

/// What replicas yield that were measured in their steady state.
pub(super) fn steady(outcomes: &[Outcome], rounds: &mut [Rounds]) -> WorkloadSummary {
    let each = outcomes.iter().zip(rounds);
    let each = each.map(|(outcome, rounds)| {
        outcome.latency?;
        rounds.steady(outcome.warmup_cycles, outcome.cycles)
    });
    let known: Option<Vec<(Estimate, u64)>> = each.collect();
    let Some(known) = known else {
        return WorkloadSummary::default();
    };
    let (mean, ci95) = pooled(known.iter().map(|(estimate, _)| estimate));
    WorkloadSummary {
        makespan: None,
        round_trip: Some(Mean { mean, ci95 }),
        rounds: known.iter().map(|(_, rounds)| rounds).sum(),
    }
}
