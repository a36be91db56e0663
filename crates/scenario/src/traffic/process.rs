//! `process`, and the bursts of those that have any.

use crate::error::Fault;
use flitsim_keys::{Key, Values, Variant, Within};
use flitsim_traffic::{Process, TrafficError};
use serde_json::{Value, json};

/// When a node creates packets.
pub(super) const PROCESS: Key<&str> = Key::one_of(
    "process",
    || variants().iter().map(|variant| variant.word).collect(),
    "Open loops only: when a node creates packets.",
)
.or_choice("bernoulli");

const WHY: &str = "say how long bursts and the idle times between them are in the mean, such as \
                   `burst_cycles = 50` and `idle_cycles = 150`";

const fn cycles(name: &'static str, most: f64, meaning: &'static str) -> Key<f64> {
    Key::number(name, Within::closed(1.0, most), "cycles", meaning)
        .needed(WHY)
        .hint("a mean length of time, in cycles")
}

const fn burst_cycles(most: f64) -> Key<f64> {
    cycles(
        "burst_cycles",
        most,
        "on-off and pareto: the mean length of bursts.",
    )
}

const fn idle_cycles(most: f64) -> Key<f64> {
    cycles(
        "idle_cycles",
        most,
        "on-off and pareto: the mean length of the times between bursts.",
    )
}

const BURST_CYCLES: Key<f64> = burst_cycles(Process::CYCLES_MOST);
const IDLE_CYCLES: Key<f64> = idle_cycles(Process::CYCLES_MOST);

/// By default, a Hurst parameter of 0.75.
const SHAPE: Key<f64> = Key::number(
    "shape",
    Within::above(1.0).at_most(2.0),
    "",
    "pareto: how heavy the tail of both is; the smaller, the heavier.",
)
.or_number(1.5)
.hint(SHAPE_HELP);

const SHAPE_HELP: &str =
    "near 1 bursts vary most, at 2 least; `shape = 1.5` is a Hurst parameter of 0.75";

/// The processes, each with the keys that it adds.
pub(super) fn variants() -> Vec<Variant> {
    vec![
        Variant::new("bernoulli", "A packet in a cycle or none.", &[]),
        Variant::new("poisson", "Any number of packets in a cycle.", &[]),
        Variant::new("periodic", "A packet after as many cycles as before.", &[]),
        Variant::new(
            "on-off",
            "Bursts of geometric length.",
            &const { [BURST_CYCLES.described(), IDLE_CYCLES.described()] },
        ),
        Variant::new(
            "pareto",
            "Bursts of any length, self-similar in the sum.",
            &const {
                [
                    burst_cycles(Process::PARETO_CYCLES_MOST).described(),
                    idle_cycles(Process::PARETO_CYCLES_MOST).described(),
                    SHAPE.described(),
                ]
            },
        ),
    ]
}

/// The process that `values` of `[traffic]` say.
///
/// # Errors
/// Bursts that cannot be.
pub fn of(values: &Values) -> Result<Process, Fault> {
    let process = match values.get(&PROCESS) {
        "poisson" => Process::Poisson,
        "periodic" => Process::Periodic,
        "on-off" => Process::OnOff {
            burst_cycles: values.get(&BURST_CYCLES),
            idle_cycles: values.get(&IDLE_CYCLES),
        },
        "pareto" => Process::Pareto {
            burst_cycles: values.get(&BURST_CYCLES),
            idle_cycles: values.get(&IDLE_CYCLES),
            shape: values.get(&SHAPE),
        },
        _ => Process::Bernoulli,
    };
    process.validate().map_err(|error| match error {
        TrafficError::ParetoShape { .. } => {
            super::fault_of(&error, values.place(SHAPE.name()), "out of range").help(SHAPE_HELP)
        }
        _ => super::fault_of(&error, values.place(BURST_CYCLES.name()), "too short").help(
            "longer bursts or idle times; for packets without bursts, `process = \"bernoulli\"`",
        ),
    })?;
    Ok(process)
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
