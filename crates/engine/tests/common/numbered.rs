//! Random cases by their numbers, on all cores: from `FLITSIM_…_FIRST` on, `FLITSIM_…_CASES` of them.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

fn number_from_environment(name: &str, default: impl Fn() -> u64) -> u64 {
    match std::env::var(name) {
        Ok(value) => value.parse().expect("a number in the environment"),
        Err(_) => default(),
    }
}

/// Runs cases until one has a report, and panics with the report of the first.
pub fn run_numbered(
    what: &str,
    cases: impl Fn() -> u64,
    run: impl Fn(u64) -> Option<String> + Sync,
) {
    let first = number_from_environment(&format!("FLITSIM_{what}_FIRST"), || 0);
    let end = first + number_from_environment(&format!("FLITSIM_{what}_CASES"), cases);
    run_from_to(first, end, &run);
}

/// Runs so many cases, each with a report that is empty where nothing is wrong.
pub fn run_each(cases: u64, run: impl Fn(u64) -> String + Sync) {
    run_from_to(0, cases, &|number| {
        let report = run(number);
        (!report.is_empty()).then_some(report)
    });
}

fn run_from_to(first: u64, end: u64, run: &(dyn Fn(u64) -> Option<String> + Sync)) {
    let (next, failures) = (AtomicU64::new(first), Mutex::new(BTreeMap::new()));
    // In the pool, so that engines that work in it go on here, and wake nobody in every cycle.
    rayon_core::scope(|scope| {
        for _ in 0..rayon_core::current_num_threads() {
            scope.spawn(|_| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= end {
                        return;
                    }
                    if let Some(report) = run(number) {
                        failures.lock().expect("no poison").insert(number, report);
                        next.store(end, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no poison");
    let first = failures.values().next();
    assert!(first.is_none(), "\n{}", first.unwrap_or(&String::new()));
}
