//! What a sweep found, in a few lines for the terminal.

use super::Outcome;
use crate::results::number::brief;
use crate::results::{PointState, Row};
use flitsim_measure::point::Status;
use flitsim_scenario::SeriesPlan;
use flitsim_scenario::plan::Plan;

const STATUSES: [Status; 4] = [
    Status::Converged,
    Status::MaxCycles,
    Status::Saturated,
    Status::Deadlock,
];

/// A table with a line for each series: the zero-load latency where known, the last stable load or,
/// of a workload that ends, the makespan at the highest load that ended, or of another, the most that was accepted; and
/// how its points ended. Behind it, what series that are compared differ by. `zero_load_cycles` has one value for each series of `plan`.
///
/// # Panics
/// If there are not as many zero-load latencies as series.
pub fn table(plan: &Plan, outcome: &Outcome, zero_load_cycles: &[Option<f64>]) -> String {
    assert_eq!(zero_load_cycles.len(), plan.series.len());
    let (rows, mut states) = (&outcome.rows, outcome.points.iter());
    let mut results: Vec<&str> = plan.series.iter().map(result_of).collect();
    results.sort_unstable();
    results.dedup();
    let result = results.join(", ");
    let mut lines = vec![["series", "zero-load latency", &result, "points"].map(str::to_owned)];
    for (series, zero_load) in plan.series.iter().zip(zero_load_cycles) {
        let rows: Vec<&Row> = rows.iter().filter(|r| r.series == series.name).collect();
        let cycles = |cycles| format!("{} cycles", brief(cycles, 4));
        let found = match &series.workload {
            Some(workload) if workload.ends() => last_to_end(&rows).map(|row| {
                let cycles = row.makespan_cycles.map(cycles).unwrap_or_default();
                format!("{cycles} for {} {}", brief(row.load, 4), row.load_unit)
            }),
            Some(_) => most_accepted(&rows).map(|(row, accepted)| {
                let (accepted, load) = (brief(accepted, 4), brief(row.load, 4));
                format!("{accepted} flits/node/cycle at {load} {}", row.load_unit)
            }),
            None => last_stable_load(rows.iter().copied())
                .map(|load| format!("{} {}", brief(load, 4), series.load_unit)),
        };
        lines.push([
            series.name.clone(),
            zero_load.map_or_else(|| "–".to_owned(), cycles),
            found.unwrap_or_else(|| if rows.is_empty() { "–" } else { "none" }.to_owned()),
            statuses(states.by_ref().take(series.loads.len())),
        ]);
    }
    aligned(&lines) + &differences(rows)
}

/// What the table tells of a series.
fn result_of(series: &SeriesPlan) -> &'static str {
    match &series.workload {
        Some(workload) if workload.ends() => "makespan",
        // Nothing saturates a closed loop.
        Some(_) => "most accepted",
        None => "last stable load",
    }
}

/// The row with the highest accepted load, and that. A deadlock accepts what was accepted before it.
fn most_accepted<'r>(rows: &[&'r Row]) -> Option<(&'r Row, f64)> {
    let lasting = rows.iter().filter(|row| row.status != Status::Deadlock);
    let accepted = lasting.filter_map(|&row| Some((row, row.accepted_flits?)));
    accepted.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// A line for each series whose latency is compared with another's: what it differs by, at the highest load
/// of which that is known.
fn differences(rows: &[Row]) -> String {
    let mut text = String::new();
    for of_series in rows.chunk_by(|a, b| a.series == b.series) {
        let known = of_series
            .iter()
            .filter(|row| row.latency_difference.is_some());
        let Some(row) = known.max_by(|a, b| a.load.total_cmp(&b.load)) else {
            continue;
        };
        let (difference, half_width) = (row.latency_difference, row.latency_difference_ci95);
        let (difference, half_width) = (difference.unwrap_or(0.0), half_width.unwrap_or(0.0));
        let side = match difference {
            _ if difference.abs() <= half_width => "from",
            _ if difference < 0.0 => "below",
            _ => "above",
        };
        let with = row.compared_with.as_deref().unwrap_or_default();
        let (load, unit) = (brief(row.load, 4), &row.load_unit);
        let (by, half_width) = (brief(difference.abs(), 3), brief(half_width, 2));
        text += &format!(
            "{}: mean latency {by} ± {half_width} cycles {side} that of {with} at {load} {unit}\n",
            row.series
        );
    }
    text
}

/// The highest load that was delivered to its end.
fn last_to_end<'r>(rows: &[&'r Row]) -> Option<&'r Row> {
    let ended = rows
        .iter()
        .copied()
        .filter(|row| row.makespan_cycles.is_some());
    ended.max_by(|a, b| a.load.total_cmp(&b.load))
}

/// The highest load of a series that converged, below the first at which it was not stable; `None`
/// where there is none. Rows may come in any order.
pub fn last_stable_load<'r>(rows: impl Iterator<Item = &'r Row> + Clone) -> Option<f64> {
    let unstable = rows
        .clone()
        .filter(|row| !row.is_stable())
        .map(|row| row.load)
        .fold(f64::INFINITY, f64::min);
    rows.filter(|row| row.status == Status::Converged && row.load < unstable)
        .map(|row| row.load)
        .reduce(f64::max)
}

fn statuses<'s>(states: impl Iterator<Item = &'s PointState>) -> String {
    let states: Vec<&str> = states.map(word).collect();
    let words = STATUSES.map(Status::as_str).into_iter();
    let words = words.chain(["failed", "pending", "left to other parts"]);
    let counts = words.filter_map(|word| {
        let count = states.iter().filter(|state| **state == word).count();
        (count > 0).then(|| format!("{count} {word}"))
    });
    counts.collect::<Vec<_>>().join(", ")
}

fn word(state: &PointState) -> &'static str {
    match state {
        PointState::Done(status) => status.as_str(),
        PointState::Failed(_) => "failed",
        PointState::Pending => "pending",
        PointState::Elsewhere => "left to other parts",
    }
}

/// Lines with columns padded to the widest cell, two spaces apart.
pub fn aligned<const N: usize>(lines: &[[String; N]]) -> String {
    let width = |column: usize| lines.iter().map(|l| l[column].chars().count()).max();
    let widths: [usize; N] = std::array::from_fn(|column| width(column).unwrap_or(0));
    let mut text = String::new();
    for line in lines {
        let cells: Vec<String> = line
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{plan, row, saturated_row};
    use flitsim_measure::point::Mean;

    #[test]
    fn the_table_is_aligned_and_counts() {
        let plan = plan(&[("a", &[0.1, 0.2, 0.3]), ("a longer name", &[0.4])]);
        let rows = [
            row("a", 0.1, 9.0),
            row("a", 0.2, 10.0),
            saturated_row("a", 0.3),
        ];
        let mut points: Vec<_> = rows
            .iter()
            .map(|row| PointState::Done(row.status))
            .collect();
        points.push(PointState::Pending);
        let mut outcome = Outcome {
            rows: rows.to_vec(),
            points,
            deadlocks: Vec::new(),
        };
        let mut told = |last| {
            outcome.points[3] = last;
            table(&plan, &outcome, &[Some(8.5), None])
        };
        assert_eq!(
            told(PointState::Failed("why".to_owned())),
            "series         zero-load latency  last stable load      points\n\
             a              8.5 cycles         0.2 flits/node/cycle  2 converged, 1 saturated\n\
             a longer name  –                  –                     1 failed\n"
        );
        assert!(told(PointState::Pending).ends_with("  1 pending\n"));
        assert!(told(PointState::Elsewhere).ends_with("  1 left to other parts\n"));
    }

    #[test]
    fn differences_are_told_at_the_highest_load() {
        let mut rows = [
            row("a", 0.1, 9.0),
            row("b", 0.1, 8.0),
            row("b", 0.2, 9.0),
            row("c", 0.1, 9.0),
        ];
        let by = |mean, ci95| Mean { mean, ci95 };
        rows[1].compare("a", by(-1.0, 0.2));
        rows[2].compare("a", by(-3.123, 0.412));
        rows[3].compare("a", by(0.01, 0.2));
        assert_eq!(
            differences(&rows),
            "b: mean latency 3.12 ± 0.41 cycles below that of a at 0.2 flits/node/cycle\n\
             c: mean latency 0.01 ± 0.2 cycles from that of a at 0.1 flits/node/cycle\n"
        );
    }

    #[test]
    fn a_stable_point_past_a_saturated_one_does_not_count() {
        let rows = [
            row("a", 0.1, 9.0),
            saturated_row("a", 0.2),
            row("a", 0.3, 9.0),
        ];
        assert_eq!(last_stable_load(rows.iter()), Some(0.1));
    }
}
