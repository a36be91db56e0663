//! Queues whose theory is exact, through the whole program: one channel as M/D/1, one switch with
//! queues at its inputs (Karol's table), at its outputs, and with a queue for each pair.
//!
//! Sources: M. J. Karol, M. G. Hluchyj, S. P. Morgan, "Input versus output queueing on a
//! space-division packet switch", IEEE Transactions on Communications COM-35(12), 1987 (table I and
//! the wait at output queues); T. E. Anderson, S. S. Owicki, J. B. Saxe, C. P. Thacker, "High-speed
//! switch scheduling for local-area networks", ACM Transactions on Computer Systems 11(4), 1993 (one
//! random matching); N. McKeown, "The iSLIP scheduling algorithm for input-queued switches",
//! IEEE/ACM Transactions on Networking 7(2), 1999 (full throughput under uniform traffic).

use crate::tier;
use flitsim::point::{LatencySummary, PointResult, Status};
use flitsim::proof::ProvedSeries;
use flitsim::scenario::plan::{Load, Plan};
use flitsim::scenario::{Overrides, SeriesPlan};
use flitsim::simulate::NoMonitor;
use flitsim::simulate_point;
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/queueing")
}

fn scenario(file: &str) -> Vec<SeriesPlan> {
    let plan = Plan::read(&folder().join(file), Overrides::default());
    plan.unwrap_or_else(|error| panic!("{error}")).series
}

fn simulate(series: &SeriesPlan, flits: f64, seed: u64) -> PointResult {
    let load = Load {
        in_unit: flits,
        flits,
    };
    let proved = ProvedSeries::prove(series, false).expect("free of deadlock");
    simulate_point(&proved, load, seed, &NoMonitor).expect("a resolved plan runs")
}

fn converged(point: &PointResult) -> LatencySummary {
    assert_eq!(point.status, Status::Converged, "{point:?}");
    point.latency.expect("a converged point has latencies")
}

const FLITS: f64 = 4.0;

/// Mean latency of packets of [`FLITS`] flits under Poisson arrivals at load `rho`:
/// `scenarios/queueing/channel.toml` derives it.
fn poisson_latency(rho: f64) -> f64 {
    FLITS + 1.0 + FLITS * rho / (2.0 * (1.0 - rho))
}

/// Runs under `seeds` seeds from 1,000 on at load `rho`, the wait known to `precision` in each: how
/// many intervals hold `latency`, how many the offered load, and the mean of all.
fn intervals(series: &SeriesPlan, rho: f64, seeds: u64, precision: f64) -> (u64, u64, f64) {
    let latency = poisson_latency(rho);
    let mut series = series.clone();
    series.measure.relative_error = precision * (latency - FLITS - 1.0) / latency;
    let (mut held, mut accepted, mut sum) = (0, 0, 0.0);
    for seed in 1_000..1_000 + seeds {
        let point = simulate(&series, rho, seed);
        let found = converged(&point);
        // Nothing waits but the source queue: its packets go one by one.
        assert_eq!(found.network_mean, FLITS + 1.0);
        held += u64::from((found.mean - latency).abs() <= found.ci95);
        accepted += u64::from((point.accepted_flits - rho).abs() <= point.accepted_ci95);
        sum += found.mean;
    }
    (held, accepted, sum / seeds as f64)
}

// The intervals must hold the truth in 92 to 98 % of all runs; the bounds allow for three standard
// deviations of this many runs below that band, and the mean of all lies within a few per cent of
// the wait of its theory (single runs know it to `precision`).
#[test]
fn a_channel_under_poisson_arrivals_waits_as_theory_says() {
    if tier::is_left_out() {
        return;
    }
    let [series] = &scenario("channel.toml")[..] else {
        panic!("one series");
    };
    for (rho, seeds, least) in [(0.3, 100, 84), (0.5, 100, 84), (0.8, 50, 40), (0.9, 24, 18)] {
        let (held, accepted, mean) = intervals(series, rho, seeds, 0.08);
        println!("{rho}: {held} and {accepted} of {seeds}, mean {mean:.3}");
        assert!(held >= least, "{rho}: latency held in {held} of {seeds}");
        assert!(
            accepted >= least,
            "{rho}: accepted held in {accepted} of {seeds}"
        );
        let waits = (mean - FLITS - 1.0) / (poisson_latency(rho) - FLITS - 1.0);
        assert!((waits - 1.0).abs() < 0.025, "{rho}: {waits} of the wait");
    }
}

// A packet in a cycle at most: the wait is less by 1/F. What tells the two apart is a real test.
#[test]
fn bernoulli_arrivals_wait_less() {
    let mut series = scenario("channel.toml").remove(0);
    series.traffic.process = flitsim_traffic::Bernoulli.into();
    series.measure.relative_error = 0.02;
    for seed in 0..3 {
        let found = converged(&simulate(&series, 0.8, seed));
        let latency = FLITS + 1.0 + (FLITS - 1.0) * 0.8 / (2.0 * 0.2);
        assert!((found.mean - latency).abs() < 0.03 * latency, "{found:?}");
        assert!(found.mean + found.ci95 < poisson_latency(0.8), "{found:?}");
    }
}

#[test]
fn queues_at_the_inputs_pass_what_karol_says() {
    if tier::is_left_out() {
        return;
    }
    let table = [0.75, 0.6553, 0.6184];
    for (series, throughput) in scenario("input-queues.toml").iter().zip(table) {
        let point = simulate(series, 1.0, 1);
        assert_eq!(point.status, Status::Saturated);
        let off = point.accepted_flits / throughput - 1.0;
        println!("{}: {:.4}, {off:+.4}", series.name, point.accepted_flits);
        assert!(off.abs() < 0.005, "{}: {point:?}", series.name);
    }
}

#[test]
fn queues_at_the_outputs_wait_as_theory_says() {
    if tier::is_left_out() {
        return;
    }
    for (series, n) in scenario("output-queues.toml").iter().zip([4.0, 8.0]) {
        for load in &series.loads {
            let p = load.flits;
            let found = converged(&simulate(series, p, 1));
            let wait = (n - 1.0) / n * p / (2.0 * (1.0 - p));
            println!("{n} at {p}: {:.4} ± {:.4}", found.mean - 3.0, found.ci95);
            assert!((found.mean - 3.0 - wait).abs() <= found.ci95, "{found:?}");
        }
    }
}

/// An N × N switch whose inputs have a queue for each output: virtual channel j of an input, by a
/// table, is the queue for output j of the other side.
fn queues_for_each_pair(n: u32, router: &str) -> SeriesPlan {
    let folder = tempfile::tempdir().unwrap();
    let mut table = "at,destination,next,vc\n".to_owned();
    let names: Vec<(String, u32)> = ["w", "e"]
        .iter()
        .flat_map(|side| (0..n).map(move |i| (format!("{side}{i}"), i)))
        .collect();
    for (destination, i) in &names {
        writeln!(table, "x,{destination},{destination},").unwrap();
        for (at, _) in names.iter().filter(|(at, _)| at != destination) {
            writeln!(table, "{at},{destination},x,{i}").unwrap();
        }
    }
    std::fs::write(folder.path().join("table.csv"), table).unwrap();
    for file in [format!("switch-{n}.csv"), format!("switch-{n}-matrix.csv")] {
        std::fs::copy(self::folder().join(&file), folder.path().join(&file)).unwrap();
    }
    let text = format!(
        "[topology]\nkind = \"file\"\npath = \"switch-{n}.csv\"\n\
         [router]\nvirtual_channels = {n}\nbuffer_flits = 256\ninjection_vcs = 64\n{router}\n\
         [routing]\nalgorithm = \"table\"\npath = \"table.csv\"\n\
         [traffic]\npattern = \"matrix\"\npath = \"switch-{n}-matrix.csv\"\npacket_flits = 1\n\
         [measure]\nwarmup = 10_000\nrelative_error = 0.002\n[sweep]\nload = 1.0\n"
    );
    let plan = Plan::parse(
        &folder.path().join("pairs.toml"),
        text,
        Overrides::default(),
    );
    let mut plan = plan.unwrap_or_else(|error| panic!("{error}"));
    plan.series.remove(0)
}

// One random match: each input picks one of its N outputs, none of its queues ever empty, and each
// output one of those that picked it, so that an output is used unless nobody picked it. (Anderson et
// al. have outputs pick first: the same by symmetry.)
#[test]
fn one_random_matching_uses_what_chance_leaves() {
    if tier::is_left_out() {
        return;
    }
    for n in [2, 4, 8] {
        let series = queues_for_each_pair(n, "allocator = \"random\"");
        let point = simulate(&series, 1.0, 1);
        let found = point.accepted_flits;
        let expected = 1.0 - (1.0 - 1.0 / f64::from(n)).powi(n as i32);
        println!("{n}: {found:.4} for {expected:.4}");
        assert!((found / expected - 1.0).abs() < 0.005, "{n}: {point:?}");
    }
}

// One iteration of iSLIP, whose pointers come to rotate out of step, and a crossbar without conflicts
// deliver whatever load below 1: here 0.9, a third more than one random matching.
#[test]
fn rotating_pointers_and_crossbars_without_conflicts_leave_nothing_behind() {
    if tier::is_left_out() {
        return;
    }
    for router in ["allocator = \"islip\"", "crossbar = \"vc\""] {
        let mut series = queues_for_each_pair(4, router);
        series.measure.relative_error = 0.1;
        let point = simulate(&series, 0.9, 1);
        let latency = converged(&point);
        println!("{router}: {:.2} ± {:.2}", latency.mean, latency.ci95);
        assert!((point.accepted_flits - 0.9).abs() < 0.01, "{point:?}");
    }
}
