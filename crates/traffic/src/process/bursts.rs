//! The keys of processes with bursts.

use crate::TrafficError;
use flitsim_keys::{Fault, Key, Values, Within};

const WHY: &str = "say how long bursts and the idle times between them are in the mean, such as \
                   `burst_cycles = 50` and `idle_cycles = 150`";

const fn cycles(name: &'static str, most: f64, meaning: &'static str) -> Key<f64> {
    Key::number(name, Within::closed(1.0, most), "cycles", meaning)
        .needed(WHY)
        .hint("a mean length of time, in cycles")
}

/// The mean length of bursts, `most` at most.
pub(super) const fn burst_cycles(most: f64) -> Key<f64> {
    cycles(
        "burst_cycles",
        most,
        "on-off and pareto: the mean length of bursts.",
    )
}

/// The mean length of idle times, `most` at most.
pub(super) const fn idle_cycles(most: f64) -> Key<f64> {
    cycles(
        "idle_cycles",
        most,
        "on-off and pareto: the mean length of the times between bursts.",
    )
}

/// The fault of bursts that `error` refuses.
pub(super) fn too_short(error: &TrafficError, values: &Values) -> Fault {
    let fault = Fault::new(values.place("burst_cycles"), error.to_string());
    fault
        .label("too short")
        .help("longer bursts or idle times; for packets without bursts, `process = \"bernoulli\"`")
}

/// Checks a mean length of bursts or idle times of `process`.
pub(super) fn check(process: &'static str, cycles: f64, most: f64) -> Result<(), TrafficError> {
    if cycles >= 1.0 && cycles <= most {
        return Ok(());
    }
    Err(TrafficError::BurstCycles {
        process,
        cycles,
        most,
    })
}
