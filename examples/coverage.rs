//! How often the printed 95 % intervals hold the truth.
//!
//! One operating point is simulated under many seeds; the mean latency's truth comes from runs
//! under seeds of their own, together a hundred times as long as the average run, of a length set
//! beforehand; the accepted load's truth is the offered load. A sound method covers both in 95 % of
//! the runs; 92 to 98 % is what this experiment must show (`docs/method.md` holds its table).
//!
//! ```sh
//! cargo run --release --locked --example coverage -- --first-seed 10000 --seeds 1000 --loads 0.0674,0.2022,0.55,0.607
//! ```
//!
//! Options: `--first-seed S` (0), `--seeds N` (200), `--loads X,Y,..` in flits/node/cycle
//! (0.1,0.4,0.55), `--radix K` of the two-dimensional mesh (4), `--ring` for a torus,
//! `--packet-flits F` (16), `--relative-error E` (0.02), `--replicas R` (1), `--warmup CYCLES`
//! (automatic).

use flitsim::measurement::{MeasureSettings, Warmup};
use flitsim::point::{PointResult, Status};
use flitsim::simulate::{NoMonitor, SimulateError};
use flitsim::{Offered, OperatingPoint};
use flitsim_engine::EngineConfig;
use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_topology::{Ends, Grid, Network};
use flitsim_traffic::{PacketLength, TrafficPlan};
use std::error::Error;
use std::ops::Range;

/// How many times as long as the average run the truth's runs are together, how many they are, and
/// the seed from which their seeds go on.
const TRUTH_LENGTH: f64 = 100.0;
const TRUTH_PARTS: u32 = 16;
const TRUTH_SEED: u64 = 1 << 32;
/// Their warm-up in cycles, many times what the longest of the runs judged needs.
const TRUTH_WARMUP_CYCLES: u64 = 20_000;
/// Student's t for the 95 % interval of the mean of that many runs.
const TRUTH_T: f64 = 2.131;

struct Experiment {
    network: Network,
    traffic: TrafficPlan,
    settings: MeasureSettings,
    seeds: Range<u64>,
    loads: Vec<f64>,
    replicas: u32,
}

fn main() -> Result<(), Box<dyn Error>> {
    let experiment = Experiment::from_arguments(std::env::args().skip(1))?;
    println!(
        "{:>6} {:>9} {:>8} {:>9} {:>9} {:>8} {:>8} {:>9} {:>9}  status",
        "load", "truth", "+-", "latency", "accepted", "rel. err", "bias", "warm-up", "cycles"
    );
    for &load in &experiment.loads {
        experiment.row(load)?;
    }
    Ok(())
}

impl Experiment {
    fn from_arguments(mut arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let (mut radix, mut ends, mut flits) = (4, Ends::Open, 16);
        let mut settings = MeasureSettings {
            max_cycles: 20_000_000,
            ..MeasureSettings::default()
        };
        let (mut first, mut seeds, mut replicas) = (0, 200, 1);
        let mut loads = vec![0.1, 0.4, 0.55];
        while let Some(name) = arguments.next() {
            if name == "--ring" {
                ends = Ends::Ring;
                continue;
            }
            let value = arguments.next().ok_or(format!("{name} needs a value"))?;
            match name.as_str() {
                "--first-seed" => first = value.parse()?,
                "--seeds" => seeds = value.parse()?,
                "--radix" => radix = value.parse()?,
                "--packet-flits" => flits = value.parse()?,
                "--relative-error" => settings.relative_error = value.parse()?,
                "--replicas" => replicas = value.parse()?,
                "--warmup" => settings.warmup = Warmup::Cycles(value.parse()?),
                "--loads" => {
                    loads = value.split(',').map(str::parse).collect::<Result<_, _>>()?;
                }
                _ => return Err(format!("unknown option {name}").into()),
            }
        }
        Ok(Self {
            network: Grid::uniform(radix, 2, ends)?.into_network(),
            traffic: TrafficPlan {
                length: PacketLength::Fixed(flits),
                ..TrafficPlan::default()
            },
            settings,
            seeds: first..first + seeds,
            loads,
            replicas,
        })
    }

    fn point(
        &self,
        load: f64,
        settings: &MeasureSettings,
        seed: u64,
        replicas: u32,
    ) -> Result<PointResult, SimulateError> {
        let config = EngineConfig::default();
        let grid = self.network.grid().expect("a mesh has coordinates");
        let routing = DimensionOrder::new(grid, config.virtual_channels, Tie::Random, true)?;
        let offered = Offered::Flits(load);
        let point = OperatingPoint {
            settings: *settings,
            seed,
            replicas,
            is_minimal: true,
            ..OperatingPoint::new(&self.network, &config, &self.traffic, offered)
        };
        point.simulate(&routing, &NoMonitor)
    }

    /// The mean latency of independent runs of `cycles` cycles in all, and the half-width of its
    /// interval. Their length depends on nothing that happens in them, so no stopping rule biases
    /// them.
    fn truth(&self, load: f64, cycles: f64) -> Result<(f64, f64), Box<dyn Error>> {
        let settings = MeasureSettings {
            relative_error: 0.0,
            max_cycles: TRUTH_WARMUP_CYCLES + (cycles / f64::from(TRUTH_PARTS)) as u64,
            warmup: Warmup::Cycles(TRUTH_WARMUP_CYCLES),
            latency_limit: f64::MAX,
            ..self.settings
        };
        let parts = flitsim_topology::parallel::try_map(TRUTH_PARTS as usize, |part| {
            let point = self
                .point(load, &settings, TRUTH_SEED + part as u64, 1)
                .map_err(|error| error.to_string())?;
            let latency = point.latency.ok_or("a long run saturates")?;
            Ok::<_, String>((latency.mean, point.packets_measured))
        })?;
        let packets: u64 = parts.iter().map(|&(_, packets)| packets).sum();
        let mean = parts.iter().map(|&(m, n)| m * n as f64).sum::<f64>() / packets as f64;
        let squares: f64 = parts.iter().map(|&(m, _)| (m - mean) * (m - mean)).sum();
        let count = f64::from(TRUTH_PARTS);
        let half_width = TRUTH_T * (squares / (count - 1.0) / count).sqrt();
        Ok((mean, half_width))
    }

    fn row(&self, load: f64) -> Result<(), Box<dyn Error>> {
        let seeds: Vec<u64> = self.seeds.clone().collect();
        let points = flitsim_topology::parallel::try_map(seeds.len(), |index| {
            self.point(load, &self.settings, seeds[index], self.replicas)
        })?;
        let cycles: f64 = points.iter().map(|p| p.cycles as f64).sum();
        let average_cycles = cycles / points.len().max(1) as f64;
        let (truth, truth_half_width) = self.truth(load, TRUTH_LENGTH * average_cycles)?;
        let known: Vec<_> = points.iter().filter_map(|p| p.latency).collect();
        let share = |count: usize, of: usize| 100.0 * count as f64 / of.max(1) as f64;
        let mean = |sum: f64, of: usize| sum / of.max(1) as f64;
        let held = known
            .iter()
            .filter(|l| (l.mean - truth).abs() <= l.ci95)
            .count();
        let accepted = |p: &&PointResult| (p.accepted_flits - load).abs() <= p.accepted_ci95;
        let error: f64 = known.iter().map(|l| l.ci95 / l.mean).sum();
        let bias: f64 = known.iter().map(|l| l.mean / truth - 1.0).sum();
        let warmup: f64 = points.iter().map(|p| p.warmup_cycles as f64).sum();
        let ended = |status| points.iter().filter(|p| p.status == status).count();
        println!(
            "{load:>6} {truth:>9.3} {truth_half_width:>8.3} {:>7.1} % {:>7.1} % {:>6.2} % {:>6.2} % {:>9.0} {:>9.0}  \
             {} converged, {} max-cycles, {} saturated",
            share(held, known.len()),
            share(points.iter().filter(accepted).count(), points.len()),
            100.0 * mean(error, known.len()),
            100.0 * mean(bias, known.len()),
            mean(warmup, points.len()),
            average_cycles,
            ended(Status::Converged),
            ended(Status::MaxCycles),
            ended(Status::Saturated),
        );
        Ok(())
    }
}
