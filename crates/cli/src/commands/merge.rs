//! `flitsim merge`: the folder of a whole sweep from its parts.

use crate::commands::sweep::write_pictures;
use crate::console::Console;
use crate::error::CommandError;
use clap::Args;
use flitsim_report::words::shell_quoted;
use flitsim_scenario::Overrides;
use flitsim_sweep::merge::{MergeError, check, gather, parts_in};
use flitsim_sweep::results::folder::MANIFEST;
use flitsim_sweep::results::{Existing, PointState, points_of};
use flitsim_sweep::threads::Workers;
use flitsim_sweep::{Options, Share, SweepProgress, Swept, into_folder};
use std::path::{Path, PathBuf};

/// Put the parts of a sweep together: the folder that one sweep of all points writes
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim sweep scenarios/quick.toml --shard 1/2 --out out/parts/1
  flitsim sweep scenarios/quick.toml --shard 2/2 --out out/parts/2
  flitsim merge out/whole out/parts/1 out/parts/2
  flitsim merge out/parts

Without PART, the parts are the folders in DIR. Nothing is simulated: DIR gets points.csv, curves.svg,
report.html and manifest.json with the bytes of one sweep. Where points are missing they are named, the
others are there, and the exit code is 1.")]
pub struct Merge {
    /// The folder of the whole sweep
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The folders of its parts
    #[arg(value_name = "PART")]
    pub parts: Vec<PathBuf>,
    /// The scenario file of the sweep: files that it names are found from there, not in manifest.json
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
}

/// Missing points that are named one by one.
const NAMED_MOST: usize = 100;

/// Puts them together.
///
/// # Errors
/// Folders that are no parts of one sweep, or cannot be read or written; points that are missing.
pub fn run(arguments: &Merge, console: &Console) -> Result<(), CommandError> {
    let folder = &arguments.folder;
    let parts = match &arguments.parts[..] {
        [] => parts_in(folder)?,
        parts => parts.to_vec(),
    };
    let manifest = check(&parts)?;
    let allow_deadlock = manifest.allow_deadlock;
    let overrides = Overrides {
        seed: Some(manifest.seed),
        allow_deadlock,
        ..Overrides::default()
    };
    let path = match &arguments.scenario {
        Some(path) => path.clone(),
        None => parts[0].join(MANIFEST),
    };
    let plan = console.read_plan(&path, overrides)?;
    let plan = console.prove(plan, allow_deadlock)?;
    gather(folder, &parts)?;
    let options = Options {
        existing: Existing::Resume,
        share: Share::Nothing,
        workers: Workers::new(None, None, allow_deadlock),
        checkpoint_every: None,
        allows_deadlock: allow_deadlock,
    };
    let swept = into_folder(plan, folder, options, &Merging(console))?;
    let Swept { plan, outcome, .. } = &swept;
    let prospects = console.prospects(plan);
    write_pictures(&swept.folder, plan, outcome, &prospects, options)?;
    let states = points_of(plan).zip(&outcome.points);
    let missing = states.filter(|(_, state)| **state == PointState::Elsewhere);
    let missing: Vec<String> = missing
        .map(|((series, load), _)| format!("series {}, load {}", series.name, load.in_unit))
        .collect();
    let (rows, points) = (outcome.rows.len(), outcome.points.len());
    let parts = match parts.len() {
        1 => "1 part".to_owned(),
        parts => format!("{parts} parts"),
    };
    console.note(format_args!(
        "{rows} of {points} points from {parts} are in {}",
        folder.display()
    ));
    if missing.is_empty() {
        return Ok(());
    }
    let mut lines = missing[..missing.len().min(NAMED_MOST)].join("\n");
    if missing.len() > NAMED_MOST {
        lines += &format!("\nand {} more", missing.len() - NAMED_MOST);
    }
    Err(CommandError::Failed(format!(
        "{} of {points} points are missing; `flitsim sweep {} --resume --out {}` simulates them:\n{lines}",
        missing.len(),
        shell_quoted(&path.to_string_lossy()),
        shell_quoted(&folder.to_string_lossy())
    )))
}

/// Tells of files that are left out.
struct Merging<'c>(&'c Console);

impl SweepProgress for Merging<'_> {
    fn damaged(&self, file: &Path) {
        self.0.warn(format_args!(
            "{} is not as it was written: it is left out",
            file.display()
        ));
    }
}

impl From<MergeError> for CommandError {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::Copy { .. } => Self::Failed(error.to_string()),
            error => Self::Input(error.to_string()),
        }
    }
}
