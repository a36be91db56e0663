//! Bursty and self-similar processes: the rate asked comes out, and counts vary as theory says.

use flitsim_topology::{Ends, Grid, Network};
use flitsim_traffic::{OnOff, PacketLength, Pareto, Process, Traffic, TrafficError, TrafficPlan};

fn network(nodes: u32) -> Network {
    Grid::uniform(nodes, 1, Ends::Ring).unwrap().into_network()
}

fn plan(process: Process) -> TrafficPlan {
    TrafficPlan {
        process,
        length: PacketLength::Fixed(1),
        ..TrafficPlan::default()
    }
}

fn on_off(burst_cycles: f64, idle_cycles: f64) -> Process {
    Process::OnOff(OnOff {
        burst_cycles,
        idle_cycles,
    })
}

fn pareto(burst_cycles: f64, idle_cycles: f64, shape: f64) -> Process {
    Process::Pareto(Pareto {
        burst_cycles,
        idle_cycles,
        shape,
    })
}

/// Packets of each node in each window of `window` cycles, node after node.
fn counts(process: Process, rate: f64, nodes: u32, window: u64, windows: u64) -> Vec<Vec<f64>> {
    let mut traffic = Traffic::new(&plan(process), &network(nodes), rate, 17).unwrap();
    let mut counts = vec![vec![0.0; windows as usize]; nodes as usize];
    loop {
        let cycle = traffic.next_arrival();
        if cycle >= window * windows {
            return counts;
        }
        let at = (cycle / window) as usize;
        traffic.arrivals(cycle, |p| counts[p.source.index()][at] += 1.0);
    }
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count() as f64
}

/// Mean and standard error over nodes, which are independent.
fn over_nodes(counts: &[Vec<f64>]) -> (f64, f64) {
    let totals = counts.iter().map(|node| node.iter().sum::<f64>());
    let centre = mean(totals.clone());
    let variance = mean(totals.map(|total| (total - centre).powi(2)));
    let nodes = counts.len() as f64;
    (centre, (variance / (nodes - 1.0)).sqrt())
}

/// Variance over mean of the counts of windows, whose mean is `expected`.
fn dispersion(counts: &[Vec<f64>], expected: f64) -> f64 {
    let all = counts.iter().flatten();
    mean(all.map(|count| (count - expected).powi(2))) / expected
}

#[test]
fn realised_rate_is_the_rate_asked() {
    for (process, rate, cycles) in [
        (on_off(10.0, 90.0), 0.1, 100_000),
        (on_off(10.0, 90.0), 0.02, 100_000),
        (on_off(2.0, 2.0), 0.4, 20_000),
        (on_off(1.5, 3.0), 0.2, 20_000),
        (on_off(500.0, 1500.0), 0.05, 400_000),
        (on_off(10.0, 90.0), 1e-7, 2_000_000_000),
        (pareto(10.0, 30.0, 1.5), 0.25, 200_000),
        (pareto(10.0, 30.0, 1.5), 0.01, 1_000_000),
        (pareto(1.0, 9.0, 1.9), 0.1, 100_000),
        (pareto(20.0, 20.0, 1.2), 0.1, 400_000),
    ] {
        let counts = counts(process, rate, 128, cycles, 1);
        let (found, error) = over_nodes(&counts);
        let off = (found - rate * cycles as f64) / error;
        assert!(
            off.abs() < 4.0,
            "{process:?} at {rate}: {off} standard errors"
        );
        // A test that can fail: the error must be small beside the mean.
        assert!(
            error < 0.1 * found,
            "{process:?} at {rate}: {error} of {found}"
        );
    }
}

/// The index of dispersion of on-off counts over n cycles. The state's autocovariance at lag k is
/// π(1 - π)(1 - α - β)^k, so counts have the variance
/// n p (1 - p) + 2 r² π (1 - π) Σ_{k<n} (n - k)(1 - α - β)^k, with p = rπ.
#[test]
fn on_off_counts_vary_as_theory_says() {
    for (burst, idle, rate) in [(10.0, 30.0, 0.2), (5.0, 5.0, 0.1), (2.0, 2.0, 0.5)] {
        let on: f64 = burst / (burst + idle);
        let r = rate / on;
        let memory = 1.0 - 1.0 / burst - 1.0 / idle;
        for window in [1u64, 4, 50, 400] {
            let n = window as f64;
            let covariance: f64 = (1..window)
                .map(|k| (n - k as f64) * f64::powi(memory, k as i32))
                .sum();
            let variance = n * rate * (1.0 - rate) + 2.0 * r * r * on * (1.0 - on) * covariance;
            let expected = variance / (n * rate);
            let windows = 200_000 / window;
            let found = dispersion(
                &counts(on_off(burst, idle), rate, 16, window, windows),
                n * rate,
            );
            let error = found / expected - 1.0;
            assert!(
                error.abs() < 0.05,
                "{burst}/{idle}, {window} cycles: {found}, not {expected}"
            );
        }
    }
}

/// Two nodes' first packets and the gaps after them must come from one stationary process: counts
/// of early windows are as high as those of late ones.
#[test]
fn bursts_start_in_equilibrium() {
    for process in [on_off(20.0, 60.0), pareto(20.0, 60.0, 1.5)] {
        let counts = counts(process, 0.1, 4096, 8, 64);
        let early: Vec<Vec<f64>> = counts.iter().map(|node| vec![node[0]]).collect();
        let (found, error) = over_nodes(&early);
        let off = (found - 0.8) / error;
        assert!(off.abs() < 4.0, "{process:?}: {found} in the first window");
    }
}

/// Counts of heavy-tailed bursts vary more and more with the window: Var/mean ~ n^(2H - 1) with
/// H = (3 - a)/2, that is n^(2 - a); counts of geometric bursts stop.
#[test]
fn pareto_counts_vary_on_all_scales() {
    let growth = |process| {
        let small = dispersion(&counts(process, 0.2, 64, 200, 1000), 40.0);
        let large = dispersion(&counts(process, 0.2, 64, 3200, 62), 640.0);
        (large / small).log2() / 4.0
    };
    let heavy = growth(pareto(5.0, 10.0, 1.3));
    assert!((0.5..0.85).contains(&heavy), "{heavy}, not about 0.7");
    let light = growth(on_off(5.0, 10.0));
    assert!(light.abs() < 0.1, "{light}");
}

#[test]
fn a_burst_at_its_highest_rate_has_a_packet_each_cycle() {
    let process = on_off(50.0, 150.0);
    let mut traffic = Traffic::new(&plan(process), &network(8), 0.25, 3).unwrap();
    let mut last = [None; 8];
    let (mut gaps, mut breaks) = (0, 0);
    for cycle in 0..200_000u64 {
        traffic.arrivals(cycle, |p| {
            if let Some(before) = last[p.source.index()].replace(cycle) {
                gaps += 1;
                breaks += u32::from(cycle - before > 1);
            }
        });
    }
    let share = f64::from(breaks) / f64::from(gaps);
    assert!(
        (share / 0.02 - 1.0).abs() < 0.1,
        "a burst ends after {} packets",
        1.0 / share
    );
}

/// Cycle, source and destination of each packet.
type Packets = Vec<(u64, u32, u32)>;

fn packets(process: Process, load: f64, cycles: u64, skip: bool) -> Packets {
    let mut traffic = Traffic::new(&plan(process), &network(6), load, 9).unwrap();
    let mut packets = Vec::new();
    let mut cycle = 0;
    while cycle < cycles {
        traffic.arrivals(cycle, |p| {
            packets.push((cycle, p.source.0, p.destination.0))
        });
        cycle = if skip {
            traffic.next_arrival()
        } else {
            cycle + 1
        };
    }
    packets
}

#[test]
fn skipping_empty_cycles_changes_nothing() {
    for process in [on_off(5.0, 45.0), pareto(5.0, 45.0, 1.3)] {
        for load in [1e-4, 0.01, 0.1] {
            let all = packets(process, load, 30_000, false);
            assert_eq!(all, packets(process, load, 30_000, true));
            assert!(all.is_sorted_by(|a, b| (a.0, a.1) < (b.0, b.1)));
        }
    }
}

/// A change here changes every result of bursty traffic that users have: it belongs under "Results
/// change" in the changelog. Those of `on-off` were found twice: here and by an independent program
/// that inverts the mixture in decimal arithmetic of 60 digits.
#[test]
fn first_packets_are_golden() {
    let first = |process| {
        let packets = packets(process, 0.1, 200, false).into_iter();
        packets.take(6).collect::<Vec<_>>()
    };
    assert_eq!(first(on_off(5.0, 45.0)), GOLDEN_ON_OFF);
    assert_eq!(first(pareto(5.0, 45.0, 1.3)), GOLDEN_PARETO);
}

const GOLDEN_ON_OFF: [(u64, u32, u32); 6] = [
    (4, 2, 0),
    (5, 2, 5),
    (6, 2, 1),
    (7, 2, 5),
    (8, 2, 1),
    (9, 2, 4),
];

const GOLDEN_PARETO: [(u64, u32, u32); 6] = [
    (0, 0, 5),
    (0, 2, 5),
    (1, 0, 3),
    (2, 0, 1),
    (8, 0, 5),
    (14, 4, 5),
];

#[test]
fn refusals() {
    let network = network(4);
    let error = |process, load| Traffic::new(&plan(process), &network, load, 1).unwrap_err();
    assert_eq!(
        error(on_off(10.0, 90.0), 0.11).to_string(),
        "a load of 0.11 flits/node/cycle is more than the process `on-off` can offer: with \
         packets of 1 flits, at most 0.1 flits/node/cycle (0.1 packets a node a cycle)"
    );
    assert!(matches!(
        error(on_off(1.0, 9.0), 0.1),
        TrafficError::BurstsTooShort { .. }
    ));
    for process in [
        on_off(0.5, 9.0),
        on_off(9.0, f64::NAN),
        on_off(2e9, 9.0),
        pareto(0.5, 9.0, 1.5),
        pareto(10.0, 1e5, 1.5),
    ] {
        assert!(matches!(
            error(process, 0.01),
            TrafficError::BurstCycles { .. }
        ));
    }
    for shape in [1.0, 2.5, f64::NAN] {
        assert!(matches!(
            error(pareto(10.0, 10.0, shape), 0.1),
            TrafficError::ParetoShape { .. }
        ));
    }
    assert!(matches!(
        error(pareto(10.0, 90.0, 1.5), 9e-7),
        TrafficError::LoadTooLow { .. }
    ));
    assert!(Traffic::new(&plan(pareto(10.0, 90.0, 1.5)), &network, 0.0, 1).is_ok());
}
