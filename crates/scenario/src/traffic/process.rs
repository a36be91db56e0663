//! `process`, and the bursts of those that have any.

use crate::error::Fault;
use crate::key::Within;
use crate::reader::{Placed, Section};
use flitsim_traffic::{Process, TrafficError};
use serde_json::{Value, json};

/// The keys that some process has.
pub const PROCESS_KEYS: [&str; 3] = ["burst_cycles", "idle_cycles", "shape"];

/// The mean lengths of bursts, and the shapes of Pareto's law. Under `pareto` bursts are shorter.
pub(super) const CYCLES: Within = Within::closed(1.0, Process::CYCLES_MOST);
pub(super) const SHAPES: Within = Within::closed(1.0, 2.0).without_low();

/// The shape of Pareto's law where none is given: a Hurst parameter of 0.75.
const SHAPE: f64 = 1.5;

/// The processes' names, each with the keys that it adds.
pub const PROCESSES: [(&str, &[&str]); 5] = [
    ("bernoulli", &[]),
    ("poisson", &[]),
    ("periodic", &[]),
    ("on-off", &["burst_cycles", "idle_cycles"]),
    ("pareto", &PROCESS_KEYS),
];

/// The keys that a process of that name adds; `None` for an unknown name.
pub fn keys_of(process: &str) -> Option<&'static [&'static str]> {
    let (_, keys) = PROCESSES.iter().find(|(name, _)| *name == process)?;
    Some(keys)
}

/// The name of the process.
///
/// # Errors
/// No word, or an unknown one.
pub fn name(section: &Section<'_>) -> Result<&'static str, Fault> {
    let names = PROCESSES.map(|(name, _)| (name, name));
    let name = section.word("process", &names, &[])?;
    Ok(name.map_or("bernoulli", |name| name.value))
}

/// Reads the process of that name.
///
/// # Errors
/// Bursts that are missing or out of range.
pub fn read(section: &Section<'_>, name: &str) -> Result<Process, Fault> {
    let process = match name {
        "poisson" => Process::Poisson,
        "periodic" => Process::Periodic,
        "on-off" => Process::OnOff {
            burst_cycles: mean_cycles(section, "burst_cycles", Process::CYCLES_MOST)?,
            idle_cycles: mean_cycles(section, "idle_cycles", Process::CYCLES_MOST)?,
        },
        "pareto" => {
            let most = Process::PARETO_CYCLES_MOST;
            Process::Pareto {
                burst_cycles: mean_cycles(section, "burst_cycles", most)?,
                idle_cycles: mean_cycles(section, "idle_cycles", most)?,
                shape: section
                    .number("shape")?
                    .map_or(SHAPE, |shape: Placed<f64>| shape.value),
            }
        }
        _ => Process::Bernoulli,
    };
    process.validate().map_err(|error| match error {
        TrafficError::ParetoShape { .. } => {
            super::fault_of(&error, section.place_of("shape"), "out of range").help(
                "near 1 bursts vary most, at 2 least; `shape = 1.5` is a Hurst parameter of 0.75",
            )
        }
        _ => super::fault_of(&error, section.place_of("burst_cycles"), "too short").help(
            "longer bursts or idle times; for packets without bursts, `process = \"bernoulli\"`",
        ),
    })?;
    Ok(process)
}

/// A mean length of time, from 1 cycle to `most`.
fn mean_cycles(section: &Section<'_>, key: &str, most: f64) -> Result<f64, Fault> {
    let Some(cycles) = section.number(key)? else {
        let why = "say how long bursts and the idle times between them are in the mean, such as \
                   `burst_cycles = 50` and `idle_cycles = 150`";
        return Err(section.missing(key, why));
    };
    if (1.0..=most).contains(&cycles.value) {
        return Ok(cycles.value);
    }
    let message = format!("`{key}` is {}, out of its range", cycles.value);
    Err(Fault::new(cycles.place, message)
        .label("out of range")
        .help(format!("it is a mean of 1 to {most} cycles here")))
}

/// Everything that defines the process.
pub fn definition(process: Process) -> Value {
    let name = process.name();
    match process {
        Process::OnOff {
            burst_cycles,
            idle_cycles,
        } => json!({
            "process": name,
            "burst_cycles": burst_cycles,
            "idle_cycles": idle_cycles,
        }),
        Process::Pareto {
            burst_cycles,
            idle_cycles,
            shape,
        } => json!({
            "process": name,
            "burst_cycles": burst_cycles,
            "idle_cycles": idle_cycles,
            "shape": shape,
        }),
        _ => json!({ "process": name }),
    }
}
