//! Every decision on the queues of [`toy`](super::toy), as recorded: when each run is asked, what it
//! answers, and all that its recorder says then. Whoever changes the method sees here what else changes.
//!
//! Where they differ, the test prints what `toy_recorded.txt` would have to be, for review.

use super::backlog::growth;
use super::paired::{Spans, difference};
use super::recorder::Recorder;
use super::statistics::Estimate;
use super::stopping::{Controller, Decide, Decision, Outcome, Pace, StabilitySettings};
use super::stopping::{StabilityTest, Status, ToTheEnd, drift};
use super::toy::{Servers, pace, settings};
use super::{Controls, MeasureSettings, Warmup};
use flitsim_topology::archive::{Archive, Archived};
use std::fmt::Write;

/// `what` as read back from where it was kept.
fn kept<T: Archived>(mut what: T, mut fresh: T) -> T {
    let mut bytes = Vec::new();
    let mut archive = Archive::saving(&mut bytes);
    what.archive(&mut archive);
    archive.finish().unwrap();
    let mut archive = Archive::loading(Box::new(&bytes[..]));
    fresh.archive(&mut archive);
    archive.finish().unwrap();
    fresh
}

/// What `decide` says of the queues under `load`, or when it is stopped at cycle `stop`: a line for each
/// time that it is asked, then the outcome. It is kept and read back each time.
fn followed<D: Decide + Clone>(
    to: &mut String,
    (load, backlog): (f64, u64),
    fresh: &D,
    stop: (u64, Status),
) -> Spans {
    let mut recorder = Recorder::new();
    let mut servers = Servers::new(load, 1, backlog, &mut recorder);
    let mut decide = fresh.clone();
    let (mut now, mut until) = (0, decide.first_checkpoint());
    let outcome = loop {
        now = servers.run(now, until.min(stop.0), &mut recorder);
        if now >= stop.0 {
            break decide.stop(stop.1, now, &mut recorder);
        }
        let decision = decide.decide(now, &mut recorder);
        decide = kept(decide, fresh.clone());
        recorder.reach(now);
        recorder = kept(recorder, Recorder::new());
        write!(to, "  {now}: {}", seen(&recorder, now, load)).unwrap();
        match decision {
            Decision::Continue { until: next } => until = next,
            Decision::Done(outcome) => break outcome,
        }
        let error = decide.relative_half_width().unwrap_or(0.0);
        writeln!(to, "; {error:.6}; until {until}").unwrap();
    };
    writeln!(to, "\n  {}", end(&outcome)).unwrap();
    recorder.reach(now);
    Spans::of(&recorder, now)
}

fn estimate(of: Estimate) -> String {
    let Estimate {
        mean,
        sampled,
        half_width,
        batches,
        trusted,
    } = of;
    format!("{mean:.9e} ({sampled:.9e}) ± {half_width:.9e} of {batches}, {trusted}")
}

fn end(outcome: &Outcome) -> String {
    format!(
        "{} {} {}; accepted {}; latency {}",
        outcome.status.as_str(),
        outcome.warmup_cycles,
        outcome.cycles,
        estimate(outcome.accepted),
        outcome.latency.map_or("none".to_owned(), estimate),
    )
}

/// What `recorder` says at cycle `now`.
fn seen(recorder: &Recorder, now: u64, load: f64) -> String {
    let run = recorder.run();
    let mut text = format!("{} x {}", run.ended(now).len(), run.width());
    if let Some(growth) = growth(run, now, 0) {
        let (significant, linear) = (growth.significant, growth.linear);
        write!(
            text,
            "; {significant} {linear} {:.6}",
            growth.backlog_cycles
        )
        .unwrap();
    }
    if let Some(of) = drift(run, now, 16.0 * load) {
        let (rate, error, arrivals) = (of.rate_flits, of.error_flits, of.arrivals_error_flits);
        let (linear, backlog) = (of.is_linear, of.backlog_flits);
        write!(
            text,
            "; {rate:.6} {error:.6} {arrivals:.6} {linear} {backlog:.3}"
        )
        .unwrap();
    }
    if recorder.window_start() <= now {
        let latency = &recorder.tagged().latency;
        write!(
            text,
            "; {} of {}, at least {}, {:?} {:?}, {} buckets",
            latency.count(),
            latency.count() + recorder.tagged_outstanding(),
            recorder.latency_bound_cycles(now),
            latency.percentile(0.5),
            latency.percentile(0.99),
            latency.buckets().count(),
        )
        .unwrap();
    }
    text
}

const NEVER: (u64, Status) = (u64::MAX, Status::MaxCycles);

fn controlled(to: &mut String) {
    let limited = |max_cycles| MeasureSettings {
        max_cycles,
        ..settings()
    };
    let below = |latency_limit| MeasureSettings {
        latency_limit,
        ..settings()
    };
    let from = |cycles, max_cycles| MeasureSettings {
        warmup: Warmup::Cycles(cycles),
        ..limited(max_cycles)
    };
    let hot = |load, hottest_flits| Pace {
        hottest_flits,
        ..pace(load)
    };
    let far = Pace {
        traversal_cycles: 300,
        correlation_cycles: 0,
        ..pace(0.5)
    };
    let fine = |max_cycles| MeasureSettings {
        relative_error: 0.001,
        ..limited(max_cycles)
    };
    let runs = [
        (0.02, 0, settings(), pace(0.02), NEVER),
        (0.5, 0, settings(), pace(0.5), NEVER),
        (0.8, 0, settings(), pace(0.8), NEVER),
        (0.95, 0, limited(200_000), pace(0.95), NEVER),
        (0.99, 0, limited(40_000), pace(0.99), NEVER),
        (1.1, 0, settings(), pace(1.1), NEVER),
        (1.1, 0, below(f64::INFINITY), pace(1.1), NEVER),
        (1.1, 0, limited(2_500), pace(1.1), NEVER),
        (1.1, 0, from(100, 1_500), pace(1.1), NEVER),
        (1.02, 0, from(100, 60_000), pace(1.02), NEVER),
        (0.5, 200, settings(), pace(0.5), NEVER),
        (0.5, 0, from(777, 1_000_000), pace(0.5), NEVER),
        (0.5, 0, from(5_000, 3_000), pace(0.5), NEVER),
        (0.5, 0, below(4.5), pace(0.5), NEVER),
        (0.8, 0, below(9.9), pace(0.8), NEVER),
        (
            0.9,
            400,
            MeasureSettings {
                latency_limit: 40.0,
                ..from(20, 100_000)
            },
            pace(0.9),
            NEVER,
        ),
        (0.5, 0, fine(1), pace(0.5), NEVER),
        (0.5, 0, fine(300), pace(0.5), NEVER),
        (0.5, 0, fine(2_000), pace(0.5), NEVER),
        (0.8, 0, fine(5_000), pace(0.8), NEVER),
        (0.8, 0, fine(60_000), pace(0.8), NEVER),
        (1e-5, 0, fine(50_000), pace(1e-5), NEVER),
        (0.0003, 0, fine(50_000), pace(0.0003), NEVER),
        (0.5, 0, limited(100_000), hot(0.5, 0.9), NEVER),
        (0.5, 0, limited(20_000), hot(0.5, 1.2), NEVER),
        (0.5, 0, fine(3_000), hot(0.5, 1.2), NEVER),
        (0.5, 0, settings(), far, NEVER),
        (0.5, 0, settings(), pace(0.5), (500, Status::MaxCycles)),
        (0.5, 0, settings(), pace(0.5), (2_500, Status::Deadlock)),
        (
            0.5,
            0,
            from(100, 9_000),
            pace(0.5),
            (101, Status::MaxCycles),
        ),
        (
            0.5,
            0,
            from(100, 9_000),
            pace(0.5),
            (450, Status::Converged),
        ),
    ];
    for (load, backlog, settings, pace, stop) in runs {
        writeln!(
            to,
            "controller: {load}, {backlog}; {settings:?}; {pace:?}; {stop:?}"
        )
        .unwrap();
        followed(to, (load, backlog), &Controller::new(settings, pace), stop);
    }
    for load in [0.5, 1.1, 1.5] {
        writeln!(to, "closed loop: {load}").unwrap();
        let closed = Controller::new(limited(30_000), pace(load)).of_closed_loop(0);
        followed(to, (load, 0), &closed, NEVER);
    }
    for flits_mean in [None, Some(4.0)] {
        writeln!(to, "controls: {flits_mean:?}").unwrap();
        let packets_per_cycle = pace(0.8).packets_per_cycle();
        let controls = Controls {
            packets_per_cycle,
            flits_mean,
            hops_mean: Some(1.0),
        };
        let controller = Controller::new(settings(), pace(0.8)).with_controls(controls);
        followed(to, (0.8, 0), &controller, NEVER);
    }
}

fn tested(to: &mut String) {
    for (load, hottest_flits, max_cycles) in [
        (0.3, 0.0, 1 << 20),
        (0.9, 0.0, 1 << 20),
        (1.02, 0.0, 1 << 20),
        (1.2, 0.0, 1 << 20),
        (1.0, 0.0, 3_000),
        (0.5, 1.2, 20_000),
    ] {
        writeln!(to, "stability: {load}, {hottest_flits}, {max_cycles}").unwrap();
        let settings = StabilitySettings {
            resolution_flits: 0.02,
            share: 1.0,
            max_cycles,
        };
        let pace = Pace {
            hottest_flits,
            ..pace(load)
        };
        followed(to, (load, 0), &StabilityTest::new(settings, pace), NEVER);
    }
    for (load, stop) in [
        (0.5, NEVER),
        (0.5, (700, Status::Converged)),
        (0.5, (700, Status::Deadlock)),
        (1e-9, (700, Status::Converged)),
        (0.5, (0, Status::Converged)),
    ] {
        writeln!(to, "to the end: {load}, {stop:?}").unwrap();
        followed(to, (load, 0), &ToTheEnd::new(2_000, 16), stop);
    }
}

fn compared(to: &mut String) {
    let spans = |backlog, warmup| {
        let settings = MeasureSettings {
            warmup: Warmup::Cycles(warmup),
            ..settings()
        };
        let controller = Controller::new(settings, pace(0.5));
        followed(&mut String::new(), (0.5, backlog), &controller, NEVER)
    };
    let spans = [
        spans(0, 500),
        spans(0, 900),
        spans(1, 300),
        spans(20, 2_000),
    ];
    for one in &spans {
        for other in &spans {
            let text = difference(one, other).map_or("none".to_owned(), estimate);
            writeln!(to, "difference: {text}").unwrap();
        }
    }
}

#[test]
fn decisions_are_those_recorded() {
    let mut text = String::new();
    controlled(&mut text);
    tested(&mut text);
    compared(&mut text);
    let recorded = include_str!("toy_recorded.txt");
    assert!(text == recorded, "not as recorded, but:\n{text}");
}
