//! `flitsim model`: the papers' analytical models over a scenario's loads.

use super::{CommandError, Console};
use crate::analytic::{COLUMNS, Curve, MODELS, Row, curves};
use crate::args::{ModelArguments, ModelFormat};
use flitsim_scenario::Overrides;
use serde_json::Value;
use std::io::Write;

/// Evaluates and prints.
///
/// # Errors
/// A scenario that cannot be run, one that no model fits, an output that cannot be written.
pub fn run(arguments: &ModelArguments, console: &Console) -> Result<(), CommandError> {
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
    let mut out = anstream::stdout();
    match arguments.format {
        ModelFormat::Csv => out.write_all(&csv(&rows)?)?,
        ModelFormat::Json => {
            let objects = rows.iter().map(|row| Value::Object(row.to_json()));
            writeln!(out, "{:#}", Value::Array(objects.collect()))?;
        }
    }
    out.flush()?;
    Ok(())
}

fn csv(rows: &[&Row]) -> Result<Vec<u8>, CommandError> {
    let failed = |error: String| CommandError::Failed(format!("cannot write CSV: {error}"));
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut written = writer.write_record(COLUMNS);
    for row in rows {
        written = written.and_then(|()| writer.write_record(row.fields()));
    }
    written.map_err(|error| failed(error.to_string()))?;
    writer
        .into_inner()
        .map_err(|error| failed(error.to_string()))
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
