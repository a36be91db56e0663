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
    let (next, failures) = (AtomicU64::new(first), Mutex::new(BTreeMap::new()));
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
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
