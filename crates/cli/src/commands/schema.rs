//! `flitsim schema`: what editors want.

use crate::console::Console;
use crate::error::CommandError;
use crate::output::print;
use clap::Args;
use flitsim_scenario::schema;

/// Print the JSON Schema of scenario files, for editors
#[derive(Clone, Copy, Debug, Args)]
#[command(after_help = "Examples:
  flitsim schema
  flitsim schema > scenario.schema.json

Save the schema in a file, and begin a scenario with the line `#:schema scenario.schema.json`. Editors
that know TOML (Taplo, Even Better TOML, Tombi) then complete keys, show what they mean, and underline
what is wrong. The schema has every key with its meaning, unit, default, words and range, and says which
keys go together. `flitsim run` and `flitsim verify` check what depends on the network at hand.")]
pub struct Schema {}

/// Prints the JSON Schema of scenario files.
///
/// # Errors
/// An output that cannot be written.
pub fn run(_: &Schema, _: &Console) -> Result<(), CommandError> {
    Ok(print(schema::text().as_bytes())?)
}
