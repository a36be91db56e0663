//! `flitsim merge`: the folder of a whole sweep from its parts.

use crate::commands::sweep::write_pictures;
use crate::console::Console;
use crate::error::CommandError;
use clap::Args;
use flitsim_report::words::shell_quoted;
use flitsim_scenario::Overrides;
use flitsim_scenario::proof::ProvedPlan;
use flitsim_sweep::claims::is_claims;
use flitsim_sweep::merge::{
    Manifests, MergeError, check, check_holds, gather, manifest_of, manifests_of, parts_in,
};
use flitsim_sweep::results::folder::{MANIFEST, OutputFolder};
use flitsim_sweep::results::{Existing, Manifest, PointState, SweepState, points_of};
use flitsim_sweep::threads::Workers;
use flitsim_sweep::{Options, Share, SweepProgress, Swept, into_open_folder};
use std::path::{Path, PathBuf};

/// Merge the parts of a sweep into the folder that one sweep of all points writes
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim sweep scenarios/quick.toml --shard 1/2 --out out/parts/1
  flitsim sweep scenarios/quick.toml --shard 2/2 --out out/parts/2
  flitsim merge out/whole out/parts/1 out/parts/2
  flitsim merge out/parts

Without PART, the parts are the folders in DIR. Nothing is simulated: DIR gets points.csv, curves.svg,
report.html and manifest.json, with the same bytes as from one sweep. If points are missing, they are named,
the others are still merged, and the exit code is 1.")]
pub struct Merge {
    /// The folder of the whole sweep
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The folders of its parts
    #[arg(value_name = "PART")]
    pub parts: Vec<PathBuf>,
    /// The scenario file of the sweep; the files that it names are found relative to it, not in
    /// manifest.json
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
    // Of a folder that cannot be written to, a sweep's words are those of its options.
    let ours = |text: String| {
        let text = text.replace("another folder with --out DIR", "another DIR");
        text.replace(
            "the same command with --resume simulates",
            "the same command adds",
        )
    };
    merge(arguments, console).map_err(|error| match error {
        CommandError::Input(text) => CommandError::Input(ours(text)),
        CommandError::Failed(text) => CommandError::Failed(ours(text)),
        other => other,
    })
}

fn merge(arguments: &Merge, console: &Console) -> Result<(), CommandError> {
    let folder = &arguments.folder;
    let parts = match &arguments.parts[..] {
        [] => parts_in(folder)?,
        // `DIR/*` has the claims of parts that share out their points.
        parts => parts
            .iter()
            .filter(|part| !is_claims(part))
            .cloned()
            .collect(),
    };
    if parts.is_empty() {
        let folder = arguments.parts[0].clone();
        return Err(MergeError::NoParts { folder }.into());
    }
    let Manifests { read, damaged } = manifests_of(&parts)?;
    console.warn_of_manifests(&damaged);
    let (first, manifest) = check(&read)?;
    let allow_deadlock = manifest.allow_deadlock;
    let overrides = Overrides {
        seed: Some(manifest.seed),
        allow_deadlock,
        ..Overrides::default()
    };
    let path = match &arguments.scenario {
        Some(path) => path.clone(),
        None => first.join(MANIFEST),
    };
    let plan = console.read_plan(&path, overrides)?;
    let plan = console.prove(plan, allow_deadlock)?;
    let options = Options {
        existing: Existing::Resume,
        share: Share::Nothing,
        workers: Workers::new(None, None, allow_deadlock),
        checkpoint_every: None,
        allows_deadlock: allow_deadlock,
    };
    let swept = merged(plan, folder, (&parts, manifest), options, console)?;
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
    let command = again(arguments, manifest, &path);
    Err(CommandError::Failed(incomplete(&missing, points, &command)))
}

/// Puts the points of `parts`, which have the manifest `manifest`, into `folder`, which no other sweep writes to
/// or has written to.
fn merged(
    plan: ProvedPlan,
    folder: &Path,
    (parts, manifest): (&[PathBuf], &Manifest),
    options: Options,
    console: &Console,
) -> Result<Swept, CommandError> {
    let open = OutputFolder::create(folder, options.existing)?;
    // One that does not read is written again; the scenario may have been edited, and its points be the same.
    if let Ok(kept) = manifest_of(folder)
        && kept.difference(manifest).is_some()
    {
        let state = SweepState::Running;
        let wanted = Manifest::new(&plan, options.allows_deadlock, state, &[]);
        if !kept.has_points_of(&wanted) {
            check_holds(folder, &kept, &wanted)?;
        }
    }
    let progress = Merging(console);
    gather(&open, parts, |file| progress.damaged(file))?;
    Ok(into_open_folder(plan, open, options, &progress)?)
}

/// The command that simulates what is missing of the sweep of `manifest`, whose scenario was read from `path`.
fn again(arguments: &Merge, manifest: &Manifest, path: &Path) -> String {
    let mut command = format!("flitsim sweep {}", shell_quoted(&path.to_string_lossy()));
    // A manifest brings its seed.
    if arguments.scenario.is_some() {
        command += &format!(" --seed {}", manifest.seed);
    }
    if manifest.allow_deadlock {
        command += " --allow-deadlock";
    }
    let folder = arguments.folder.to_string_lossy();
    format!("{command} --resume --out {}", shell_quoted(&folder))
}

/// What a user is told of a sweep of `points` points, some of which are `missing`.
fn incomplete(missing: &[String], points: usize, command: &str) -> String {
    let mut lines = missing[..missing.len().min(NAMED_MOST)].join("\n");
    if missing.len() > NAMED_MOST {
        lines += &format!("\nand {} more", missing.len() - NAMED_MOST);
    }
    format!(
        "{} of {points} points are missing; `{command}` simulates them:\n{lines}",
        missing.len()
    )
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::testing::{TWO_POINTS, failed, tried};
    use std::fs;

    /// A folder with the scenario `s.toml`, whose two points are swept into `sd/1` and `sd/2`, a part each.
    fn parts(more: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("s.toml"), TWO_POINTS).unwrap();
        for part in [1, 2] {
            let line = format!("sweep {{}}/s.toml --shard {part}/2 --out {{}}/sd/{part}{more}");
            tried(folder.path(), &line).unwrap();
        }
        folder
    }

    /// The file of the only point in the part `part`.
    fn point(part: &Path) -> PathBuf {
        let entries = fs::read_dir(part.join("points")).unwrap();
        let mut paths = entries.map(|entry| entry.unwrap().path());
        paths
            .find(|path| path.extension().is_some_and(|ending| ending == "json"))
            .unwrap()
    }

    #[test]
    #[cfg(unix)]
    fn the_command_that_is_advised_simulates_the_same_sweep() {
        let folder = parts(" --seed 7 --allow-deadlock");
        let here = folder.path();
        fs::remove_file(point(&here.join("sd/2"))).unwrap();
        for (scenario, more) in [
            ("s.toml", " --seed 7 --allow-deadlock --resume --out "),
            ("sd/1/manifest.json", " --allow-deadlock --resume --out "),
        ] {
            let option = match scenario {
                "s.toml" => " --scenario {}/s.toml",
                _ => "",
            };
            let merge = format!("merge {{}}/whole {{}}/sd/1 {{}}/sd/2{option}");
            let (code, said) = failed(here, &merge);
            let here = here.display();
            let wanted = format!("`flitsim sweep {here}/{scenario}{more}{here}/whole`");
            assert!(code == 1 && said.contains(&wanted), "{said}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_folder_that_is_another_sweeps_stays_as_it_is() {
        let folder = parts("");
        let here = folder.path();
        let merge = "merge {}/whole {}/sd/1 {}/sd/2";
        let open = OutputFolder::create(&here.join("whole"), Existing::Resume).unwrap();
        let (code, said) = failed(here, merge);
        assert!(
            code == 2 && said.contains("another flitsim writes to"),
            "{said}"
        );
        assert!(open.store().is_empty());
        drop(open);
        tried(here, "sweep {}/s.toml --seed 9 --out {}/whole").unwrap();
        let rows = fs::read(here.join("whole/points.csv")).unwrap();
        let (code, said) = failed(here, merge);
        let told = "whole holds another sweep: the seed differs";
        assert!(code == 2 && said.contains(told), "{said}");
        assert_eq!(fs::read(here.join("whole/points.csv")).unwrap(), rows);
        // A comment is another text, and the sweep the same.
        tried(here, "merge {}/again {}/sd/1 {}/sd/2").unwrap();
        fs::write(here.join("s.toml"), format!("{TWO_POINTS}# Mine.\n")).unwrap();
        let edited = "merge {}/again {}/sd/1 {}/sd/2 --scenario {}/s.toml";
        tried(here, edited).unwrap();
        tried(here, edited).unwrap();
        tried(here, "merge {}/again {}/sd/1 {}/sd/2").unwrap();
        // A place that cannot be written to is bad input, as for a sweep.
        let (code, said) = failed(here, "merge {}/s.toml/whole {}/sd/1 {}/sd/2");
        assert!(code == 2 && said.contains("cannot write results"), "{said}");
        assert!(said.ends_with("; choose another DIR"), "{said}");
    }

    #[test]
    fn a_manifest_that_does_not_read_leaves_the_points_beside_it() {
        let folder = parts("");
        let here = folder.path();
        fs::create_dir(here.join("sd/claims")).unwrap();
        let merge = "merge {}/whole {}/sd/1 {}/sd/2 {}/sd/claims";
        let spoil = |part: &str| fs::write(here.join(part).join(MANIFEST), "").unwrap();
        spoil("sd/1");
        let status = flitsim_sweep::status::status(&here.join("sd")).unwrap();
        let named = [here.join("sd/1/manifest.json")];
        assert!(status.damaged.iter().map(|(path, _)| path).eq(&named));
        assert_eq!((status.points, status.done), (2, 2));
        tried(here, merge).unwrap();
        spoil("sd/2");
        let (code, said) = failed(here, merge);
        assert!(
            code == 2 && said.contains("cannot read") && said.contains("sd/1/manifest.json"),
            "{said}"
        );
        let (code, said) = failed(here, "merge {}/whole {}/sd/claims");
        assert!(code == 2 && said.contains("sd/claims"), "{said}");
        // Of another program.
        fs::create_dir(here.join("page")).unwrap();
        spoil("page");
        let (code, said) = failed(here, "merge {}/whole {}/whole {}/page");
        assert!(code == 2 && said.contains("page/manifest.json"), "{said}");
    }
}
