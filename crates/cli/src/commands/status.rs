//! `flitsim status`: how far a sweep is that others work on.

use crate::args::Format;
use crate::console::Console;
use crate::error::CommandError;
use crate::output::{print, print_json};
use crate::slurm;
use crate::stderr::shown;
use clap::Args;
use flitsim_sweep::results::manifest::ManifestPoint;
use flitsim_sweep::status as sweep;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

/// Show how far a sweep is: points done, running, failed and missing, and the time left
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim submit scenarios/quick.toml --out out/cluster
  flitsim status out/cluster
  flitsim status out/cluster --format json

DIR is the folder of `flitsim submit`, a folder with the parts of a sweep, or that of a single `flitsim
sweep`. A point is running if a part has taken it and Slurm says that the part's task runs. If Slurm cannot be
asked, every unfinished point that a part has taken is running. A single `flitsim sweep` does not record which
points it is simulating; they count as missing.")]
pub struct Status {
    /// The folder of the sweep
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// How to print the status
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// Points that are named one by one.
const NAMED_MOST: usize = 20;

/// Looks and tells.
///
/// # Errors
/// A folder that is not that of a sweep.
pub fn run(arguments: &Status, console: &Console) -> Result<(), CommandError> {
    let mut status = sweep::status(&arguments.folder)?;
    console.warn_of_manifests(&status.damaged);
    if let Some(alive) = slurm::alive(&arguments.folder) {
        let taken = std::mem::take(&mut status.taken);
        let (running, left) = taken
            .into_iter()
            .partition(|(_, part)| alive.contains(part));
        status.taken = running;
        status
            .missing
            .extend(left.into_iter().map(|(point, _)| point));
    }
    match arguments.format {
        Format::Json => print_json(&to_json(&status))?,
        Format::Table => print(to_table(&status).as_bytes())?,
    }
    Ok(())
}

fn to_json(status: &sweep::Status) -> Value {
    let named = |point: &ManifestPoint| json!({ "series": point.series, "load": point.load });
    let failed = status.failed.iter().map(
        |(point, error)| json!({ "series": point.series, "load": point.load, "error": error }),
    );
    json!({
        "scenario": status.scenario,
        "points": status.points,
        "series_unplaced": status.series_unplaced,
        "done": status.done,
        "running": status.taken.len(),
        "failed": status.failed.len(),
        "missing": status.missing.len(),
        "in_use": status.is_in_use,
        "seconds_left": status.left.map(|left| left.as_secs_f64().round()),
        "failed_points": failed.collect::<Vec<_>>(),
        "missing_points": status.missing.iter().map(named).collect::<Vec<_>>(),
    })
}

fn to_table(status: &sweep::Status) -> String {
    let mut text = format!(
        "{}: {} of {} points done, {} running, {} failed, {} missing",
        status.scenario,
        status.done,
        status.points,
        status.taken.len(),
        status.failed.len(),
        status.missing.len(),
    );
    let is_here = status.is_in_use && !status.missing.is_empty();
    let goes_on = is_here || !status.taken.is_empty();
    if is_here {
        text.push_str(", of which some are being simulated here");
    }
    if let Some(left) = status.left.filter(|_| goes_on) {
        let _ = write!(text, "; about {} s left at the pace so far", left.as_secs());
    }
    if status.series_unplaced > 0 {
        let series = status.series_unplaced;
        let _ = write!(
            text,
            "; the loads of {series} series have yet to be placed by a search"
        );
    }
    text.push('\n');
    let name =
        |point: &ManifestPoint| shown(format_args!("series {}, load {}", point.series, point.load));
    for (point, error) in status.failed.iter().take(NAMED_MOST) {
        let _ = writeln!(text, "failed: {}: {error}", name(point));
    }
    // While others work, what is missing is what they have not come to.
    if !goes_on {
        for point in status.missing.iter().take(NAMED_MOST) {
            let _ = writeln!(text, "missing: {}", name(point));
        }
        if status.missing.len() > NAMED_MOST {
            let _ = writeln!(text, "and {} more", status.missing.len() - NAMED_MOST);
        }
    }
    text
}
