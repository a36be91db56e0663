//! Tests of the whole method on queues whose mean is known: the decisions see a [`Recorder`] fed by
//! independent servers instead of a network.
//!
//! A server takes a packet of F flits every F cycles; packets come in a cycle with probability
//! rho / F. Its mean sojourn is F + (rho / F) F (F - 1) / (2 (1 - rho)) (Geo/D/1, by the discrete
//! Pollaczek-Khinchine formula; a packet that finds the server free starts in its cycle).

use super::recorder::{Delivery, Recorder};
use super::stopping::{Controller, Decide, Decision, Outcome, Pace, Status};
use super::{MeasureSettings, Warmup};
use flitsim_random::Pcg64Mcg;
use rand::{RngExt, SeedableRng};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

#[path = "../../../../tests/tier.rs"]
mod tier;

const SERVERS: u64 = 16;
const FLITS: u32 = 4;

/// Marks an arrival, so that deliveries of the same cycle come first.
const ARRIVAL: u64 = 1 << 63;

/// An event as one number, which is quick to compare: its cycle, then the cycle in which the delivered packet was
/// created, or [`ARRIVAL`] and the server.
fn event(cycle: u64, what: u64) -> u128 {
    u128::from(cycle) << 64 | u128::from(what)
}

pub struct Servers {
    load: f64,
    rng: Pcg64Mcg,
    free_at: [u64; SERVERS as usize],
    events: BinaryHeap<Reverse<u128>>,
}

impl Servers {
    /// Servers under `load`, each with `backlog` packets created in cycle 0.
    pub fn new(load: f64, seed: u64, backlog: u64, recorder: &mut Recorder) -> Self {
        let mut servers = Self {
            load,
            rng: Pcg64Mcg::seed_from_u64(seed),
            free_at: [0; SERVERS as usize],
            events: BinaryHeap::new(),
        };
        for server in 0..SERVERS {
            (0..backlog).for_each(|_| servers.create(0, server, recorder));
            servers.schedule(0, server);
        }
        servers
    }

    fn schedule(&mut self, after: u64, server: u64) {
        let uniform = 1.0 - self.rng.random::<f64>();
        let rate = self.load / f64::from(FLITS);
        let gap = 1 + (uniform.ln() / (1.0 - rate).ln()) as u64;
        let arrival = event(after + gap, ARRIVAL | server);
        self.events.push(Reverse(arrival));
    }

    fn create(&mut self, cycle: u64, server: u64, recorder: &mut Recorder) {
        recorder.created(cycle, FLITS);
        let free_at = &mut self.free_at[server as usize];
        *free_at = cycle.max(*free_at) + u64::from(FLITS);
        self.events.push(Reverse(event(*free_at, cycle)));
    }

    /// What happens up to the start of cycle `until`, or until the window is settled.
    pub fn run(&mut self, mut now: u64, until: u64, recorder: &mut Recorder) -> u64 {
        // Deliveries of the last cycle are due, arrivals are not.
        let end = event(until, ARRIVAL);
        while let Some(&Reverse(first)) = self.events.peek()
            && first < end
        {
            self.events.pop();
            let (cycle, what) = ((first >> 64) as u64, first as u64);
            if what & ARRIVAL == 0 {
                recorder.ejected(cycle - 1, FLITS);
                recorder.delivered(Delivery {
                    created: what,
                    entered: what,
                    arrived: cycle,
                    hops: 1,
                });
            } else {
                let server = what & !ARRIVAL;
                self.create(cycle, server, recorder);
                self.schedule(cycle, server);
            }
            now = now.max(cycle);
            if recorder.is_settled(now) {
                return now;
            }
        }
        until
    }
}

fn sojourn(load: f64) -> f64 {
    let flits = f64::from(FLITS);
    flits + load * (flits - 1.0) / (2.0 * (1.0 - load))
}

pub fn pace(load: f64) -> Pace {
    Pace {
        terminals: SERVERS as u32,
        offered_flits: load,
        packet_flits: f64::from(FLITS),
        hottest_flits: 0.0,
        traversal_cycles: 8,
        correlation_cycles: 0,
    }
}

fn measure(load: f64, seed: u64, backlog: u64, settings: MeasureSettings) -> (Outcome, Recorder) {
    let mut recorder = Recorder::new();
    let mut servers = Servers::new(load, seed, backlog, &mut recorder);
    let mut controller = Controller::new(settings, pace(load));
    let (mut now, mut until) = (0, controller.first_checkpoint());
    loop {
        now = servers.run(now, until, &mut recorder);
        match controller.decide(now, &mut recorder) {
            Decision::Continue { until: next } => until = next,
            Decision::Done(outcome) => return (outcome, recorder),
        }
    }
}

pub fn settings() -> MeasureSettings {
    MeasureSettings {
        relative_error: 0.03,
        ..MeasureSettings::default()
    }
}

/// How many of `seeds` runs converge to intervals that hold latency and accepted load.
fn covered(load: f64, seeds: u64, backlog: u64) -> (u64, u64) {
    let (mut latencies, mut accepted) = (0, 0);
    for seed in 0..seeds {
        let (outcome, recorder) = measure(load, seed, backlog, settings());
        assert_eq!(
            outcome.status,
            Status::Converged,
            "load {load}, seed {seed}"
        );
        assert_eq!(recorder.tagged_outstanding(), 0);
        let latency = outcome.latency.unwrap();
        assert!(latency.relative_half_width() <= 0.03);
        latencies += u64::from((latency.mean - sojourn(load)).abs() <= latency.half_width);
        accepted += u64::from((outcome.accepted.mean - load).abs() <= outcome.accepted.half_width);
    }
    (latencies, accepted)
}

// At least 93 %, less three standard deviations of so many runs at 95 %: of all 300 four percent, of a third of them seven.
#[test]
fn intervals_cover_the_exact_mean() {
    let runs = tier::one_in(3, 300);
    let least = 0.93 * runs as f64 - 3.0 * (0.95 * 0.05 * runs as f64).sqrt();
    let check = |load| {
        let (latencies, accepted) = covered(load, runs, 0);
        assert!(
            latencies as f64 >= least,
            "load {load}: latency in {latencies} of {runs}"
        );
        assert!(
            accepted as f64 >= least,
            "load {load}: accepted in {accepted} of {runs}"
        );
    };
    std::thread::scope(|scope| {
        for load in [0.2, 0.5, 0.8] {
            scope.spawn(move || check(load));
        }
    });
}

#[test]
fn a_congested_start_leaves_no_bias() {
    // 200 packets wait at each server: at load 0.5 the first have latencies near 800 cycles.
    let (latencies, accepted) = covered(0.5, 200, 200);
    assert!(
        latencies >= 177 && accepted >= 177,
        "{latencies}, {accepted} of 200"
    );
    let fixed = MeasureSettings {
        warmup: Warmup::Cycles(1),
        latency_limit: 1e6,
        ..settings()
    };
    let biased = measure(0.5, 1, 200, fixed).0;
    let without = measure(0.5, 1, 200, settings()).0;
    assert!(without.warmup_cycles > 800, "{without:?}");
    assert!(
        biased.latency.is_none_or(|l| l.mean > sojourn(0.5)),
        "{biased:?}"
    );
}

#[test]
fn overload_is_found_soon() {
    for seed in 0..50 {
        let (outcome, _) = measure(1.1, seed, 0, settings());
        assert_eq!(outcome.status, Status::Saturated, "{outcome:?}");
        assert_eq!(outcome.latency, None);
        assert!(outcome.cycles < 100_000, "{outcome:?}");
        assert!((outcome.accepted.mean - 1.0).abs() < 0.01, "{outcome:?}");
    }
}

#[test]
fn overload_needs_no_latency_limit() {
    let unlimited = MeasureSettings {
        latency_limit: f64::INFINITY,
        ..settings()
    };
    for seed in 0..20 {
        let (outcome, _) = measure(1.1, seed, 0, unlimited);
        assert_eq!(outcome.status, Status::Saturated, "{outcome:?}");
    }
}

#[test]
fn a_stable_queue_is_not_called_saturated() {
    let rough = MeasureSettings {
        relative_error: 0.1,
        ..settings()
    };
    for seed in 0..20 {
        let (outcome, _) = measure(0.9, seed, 0, rough);
        assert_eq!(outcome.status, Status::Converged, "{outcome:?}");
    }
}

#[test]
fn a_mean_above_the_limit_is_saturated() {
    let low = MeasureSettings {
        latency_limit: 4.5,
        ..settings()
    };
    assert_eq!(measure(0.5, 1, 0, low).0.status, Status::Saturated);
}

#[test]
fn the_cycle_limit_ends_the_run_with_finite_numbers() {
    for (load, max_cycles) in [
        (0.5, 300),
        (0.5, 2_000),
        (1e-5, 50_000),
        (0.5, 1),
        (0.8, 5_000),
    ] {
        let short = MeasureSettings {
            relative_error: 0.001,
            max_cycles,
            ..settings()
        };
        for seed in 0..20 {
            let (outcome, _) = measure(load, seed, 0, short);
            assert_eq!(outcome.status, Status::MaxCycles, "{outcome:?}");
            assert!(outcome.cycles <= max_cycles, "{outcome:?}");
            assert!(outcome.accepted.mean.is_finite() && outcome.accepted.half_width.is_finite());
            let latency = outcome.latency.map_or(0.0, |l| l.mean + l.half_width);
            assert!(latency.is_finite(), "{outcome:?}");
        }
    }
}

#[test]
fn a_fixed_warmup_is_taken_as_given() {
    let fixed = MeasureSettings {
        warmup: Warmup::Cycles(777),
        ..settings()
    };
    let (outcome, recorder) = measure(0.3, 1, 0, fixed);
    assert_eq!((outcome.warmup_cycles, recorder.window_start()), (777, 777));
    assert_eq!(outcome.status, Status::Converged);
}
