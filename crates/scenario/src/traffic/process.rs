//! `process`: one of those that `flitsim-traffic` lists, with its keys.

use crate::error::Fault;
use flitsim_keys::{Key, Values};
use flitsim_traffic::Process;
use serde_json::Value;

/// When a node creates packets.
pub(super) const PROCESS: Key<&str> = Key::one_of(
    "process",
    || {
        let variants = Process::variants();
        variants.iter().map(|variant| variant.word).collect()
    },
    "Open loops only: when a node creates packets.",
)
.or_choice("bernoulli");

/// The process that `values` of `[traffic]` say.
///
/// # Errors
/// Bursts that cannot be.
pub fn of(values: &Values) -> Result<Process, Fault> {
    Process::read(values.get(&PROCESS), values)
}

/// Everything that defines the process.
pub fn definition(values: &Values) -> Value {
    super::chosen(values, &PROCESS, &Process::variants())
}
