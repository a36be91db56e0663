//! The data of a figure: rows of results, one curve a series.
//!
//! Invariant: the points of a curve ascend in load; a point without a latency is one at which the
//! network was not stable, or no packet was measured.

use crate::prospect::Prospect;
use flitsim_measure::point::Status;
use flitsim_measure::workload::Workload;
use flitsim_scenario::Plan;
use flitsim_sweep::results::Row;

/// The unit in which every load can be told.
pub const FLITS: &str = "flits/node/cycle";

/// The time that a figure shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// Of a packet, from its creation to the arrival of its last flit.
    Latency,
    /// Of a closed loop's request and reply.
    RoundTrip,
    /// Of a batch or a trace, from cycle 0 until all has arrived.
    Makespan,
}

impl Time {
    /// That which points with loads in `unit` are about.
    pub fn of(unit: &str) -> Self {
        let [trace, batch, closed_loop] = Workload::UNITS;
        if unit == closed_loop {
            Self::RoundTrip
        } else if unit == trace || unit == batch {
            Self::Makespan
        } else {
            Self::Latency
        }
    }

    /// What to call it, without its unit.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Latency => "mean packet latency",
            Self::RoundTrip => "mean round trip",
            Self::Makespan => "makespan",
        }
    }

    /// It and the half-width of its 95 % confidence interval, in cycles, at the point of `row`; nothing
    /// where the network was not stable.
    pub fn at(self, row: &Row) -> (Option<f64>, Option<f64>) {
        let (value, ci95) = match self {
            Self::Latency => (row.latency_mean, row.latency_ci95),
            Self::RoundTrip => (row.round_trip_mean, row.round_trip_ci95),
            Self::Makespan => (row.makespan_cycles, row.makespan_ci95),
        };
        (value.filter(|_| row.is_stable()), ci95)
    }
}

/// One simulated point of a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct CurvePoint {
    /// Offered load, in the figure's unit.
    pub load: f64,
    /// Offered load, flits per node per cycle.
    pub offered_flits: f64,
    /// Accepted load, flits per node per cycle.
    pub accepted_flits: Option<f64>,
    /// Half-width of the accepted load's 95 % confidence interval.
    pub accepted_ci95: f64,
    /// The time that the figure shows, in cycles.
    pub latency: Option<f64>,
    /// Half-width of its 95 % confidence interval, in cycles.
    pub latency_ci95: f64,
    /// How the point ended.
    pub status: Status,
}

/// The points of one series.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The name in the key.
    pub name: String,
    /// Latency without any other packet in the network, in cycles, where known.
    pub zero_load_cycles: Option<f64>,
    /// The points, in ascending order of load.
    pub points: Vec<CurvePoint>,
}

impl Curve {
    /// The first point at which the network was not stable.
    pub fn first_unstable(&self) -> Option<&CurvePoint> {
        self.points
            .iter()
            .find(|point| matches!(point.status, Status::Saturated | Status::Deadlock))
    }

    /// The last point before the first unstable one that converged: one that the limit of cycles
    /// stopped may be past saturation.
    pub fn last_stable(&self) -> Option<&CurvePoint> {
        self.points
            .iter()
            .take_while(|p| matches!(p.status, Status::Converged | Status::MaxCycles))
            .filter(|p| p.status == Status::Converged)
            .last()
    }
}

/// Curves that share axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The title.
    pub title: String,
    /// The unit of the points' `load`.
    pub load_unit: String,
    /// Mean latency, in cycles, above which points count as saturated; no axis goes beyond it.
    pub latency_limit_cycles: f64,
    /// The curves, in the order of the key.
    pub curves: Vec<Curve>,
}

impl Figure {
    /// Whether loads are what was asked for: not where they are amounts of a closed loop, a batch or a
    /// trace, which the network then delivers as fast as it can.
    pub fn is_open_loop(&self) -> bool {
        !Workload::UNITS.contains(&self.load_unit.as_str())
    }

    /// The time that it shows.
    pub fn time(&self) -> Time {
        Time::of(&self.load_unit)
    }

    /// The curves of the rows of `plan`, of whose series `prospects` are known.
    pub fn of(plan: &Plan, rows: &[Row], prospects: &[Option<Prospect>]) -> Self {
        let series = plan.series.iter().zip(Prospect::zero_loads(prospects));
        let series: Vec<_> = series.map(|(s, z)| (s.name.as_str(), z)).collect();
        let limits = plan.series.iter().map(|s| s.measure.latency_limit);
        Self::new(&plan.title, &series, rows, limits.fold(0.0, f64::max))
    }

    /// A figure of `rows`, one curve for each of `series` (its name, and its zero-load latency in
    /// cycles where known), rows of other series left out. Loads are in the rows' unit where all
    /// have the same, in flits per node per cycle otherwise.
    pub fn new(
        title: &str,
        series: &[(&str, Option<f64>)],
        rows: &[Row],
        latency_limit_cycles: f64,
    ) -> Self {
        let unit = match rows.first() {
            Some(first) if rows.iter().all(|row| row.load_unit == first.load_unit) => {
                first.load_unit.as_str()
            }
            _ => FLITS,
        };
        let curves = series
            .iter()
            .map(|&(name, zero_load_cycles)| Curve {
                name: name.to_owned(),
                zero_load_cycles: zero_load_cycles.filter(|_| Time::of(unit) == Time::Latency),
                points: points(rows.iter().filter(|row| row.series == name), unit),
            })
            .collect();
        Self {
            title: title.to_owned(),
            load_unit: unit.to_owned(),
            latency_limit_cycles,
            curves,
        }
    }
}

fn points<'r>(rows: impl Iterator<Item = &'r Row>, unit: &str) -> Vec<CurvePoint> {
    let mut points: Vec<CurvePoint> = rows
        .filter_map(|row| {
            let offered_flits = row.offered_flits?;
            let (latency, ci95) = Time::of(unit).at(row);
            Some(CurvePoint {
                load: if row.load_unit == unit {
                    row.load
                } else {
                    offered_flits
                },
                offered_flits,
                accepted_flits: row.accepted_flits,
                accepted_ci95: row.accepted_ci95.unwrap_or(0.0),
                latency,
                latency_ci95: ci95.unwrap_or(0.0),
                status: row.status,
            })
        })
        .collect();
    points.sort_by(|a, b| a.load.total_cmp(&b.load));
    points
}
