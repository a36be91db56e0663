//! `flitsim model`: the papers' analytical models over a scenario's loads.

use crate::analytic::{COLUMNS, Curve, MODELS, Row, curves};
use crate::console::Console;
use crate::error::CommandError;
use crate::output::{print, print_json};
use clap::{Args, ValueEnum};
use flitsim_scenario::Overrides;
use serde_json::Value;
use std::path::PathBuf;

/// Evaluate the analytical model that fits each series, at the loads of the scenario
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim model scenarios/model.toml
  flitsim model scenarios/model.toml --format json

Nothing is simulated. Prints a row for each load of each series, with the columns scenario, series,
model, load_unit, load, latency (empty from saturation on), saturation_load and uncounted_cycles (by how
many cycles a simulated latency is longer at zero load). A warning names each series that no model fits;
if no model fits any series, that is an error. The loads of `load = \"auto\"` are placed by the model's own
saturation. docs/models.md says which models there are, what they assume and what they leave out.")]
pub struct Model {
    /// The scenario file (TOML)
    pub scenario: PathBuf,
    /// How to print the curves
    #[arg(long, value_enum, default_value_t = Format::Csv)]
    pub format: Format,
}

/// How to print a model's curves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Columns with a header
    Csv,
    /// An array with an object for each row
    Json,
}

/// Evaluates and prints.
///
/// # Errors
/// A scenario that cannot be run, one that no model fits, an output that cannot be written.
pub fn run(arguments: &Model, console: &Console) -> Result<(), CommandError> {
    let plan = console.read_plan(&arguments.scenario, Overrides::default())?;
    let curves = curves(&plan);
    if curves.iter().all(|curve| curve.rows.is_err()) {
        return Err(CommandError::Input(no_model(&curves)));
    }
    let mut rows = Vec::new();
    for curve in &curves {
        let name = &curve.series.name;
        match &curve.rows {
            Ok((found, fit)) => {
                for remark in fit.remarks() {
                    console.warn(format_args!("series \"{name}\": {remark}"));
                }
                rows.extend(found);
            }
            Err(misfit) => {
                let left_out = "no model fits, so it is left out";
                console.warn(format_args!("series \"{name}\": {left_out}: {misfit}"));
            }
        }
    }
    match arguments.format {
        Format::Csv => print(&csv(&rows))?,
        Format::Json => {
            let objects = rows.iter().map(|row| Value::Object(row.to_json()));
            print_json(&Value::Array(objects.collect()))?;
        }
    }
    Ok(())
}

fn csv(rows: &[&Row]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let lines = rows.iter().map(|row| row.fields());
    std::iter::once(COLUMNS.map(str::to_owned))
        .chain(lines)
        .try_for_each(|line| writer.write_record(line))
        .expect("memory takes every write");
    writer.into_inner().expect("memory takes every write")
}

/// The reason of every series, and the models that there are.
fn no_model(curves: &[Curve<'_>]) -> String {
    let mut text = "no analytical model fits this scenario".to_owned();
    for curve in curves {
        if let Err(misfit) = &curve.rows {
            text += &format!("\n  series \"{}\": {misfit}", curve.series.name);
        }
    }
    text += "\nmodels there are:";
    for line in MODELS.lines() {
        text += &format!("\n  {line}");
    }
    text
}
