//! A whole sweep, into a folder: what earlier runs finished is taken from there, loads that are left to
//! a search are found, and every point is in its file as soon as it is simulated.

use crate::checkpoint::{Checkpoints, Every};
use crate::claims::Claims;
use crate::progress::SweepProgress;
use crate::results::{
    Existing, Finished, FolderError, Manifest, OutputFolder, PointState, SweepState, details,
    file::{Outlasts, digest_of},
    folder::{MANIFEST, POINTS, points_csv},
    keys_of, points_of,
    read::damaged,
};
use crate::run::{Outcome, Simulated, SweepError, Todo, run};
use crate::saturation::{Saturation, Searches, Watch, auto};
use crate::shard::Share;
use crate::simulator::Kernel;
use crate::threads::Workers;
use flitsim_measure::EngineChoice;
use flitsim_measure::simulate::SimulateError;
use flitsim_measure::threads::in_pool;
use flitsim_scenario::SeriesPlan;
use flitsim_scenario::hash::digest;
use flitsim_scenario::plan::Plan;
use flitsim_scenario::proof::ProvedPlan;
use std::num::NonZeroUsize;
use std::path::Path;

/// How to sweep.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What to do with results that the folder holds.
    pub existing: Existing,
    /// Which points to simulate.
    pub share: Share,
    /// How many points at once, and on how many threads each. The results do not depend on it.
    pub workers: Workers,
    /// How often points under way are kept, to go on from after a kill; never where `None`.
    pub checkpoint_every: Option<Every>,
    /// Whether the plan was proved with leave to deadlock, as the manifest tells.
    pub allows_deadlock: bool,
}

impl Default for Options {
    /// A point on each core, in a folder that has no results yet.
    fn default() -> Self {
        Self {
            existing: Existing::Refuse,
            share: Share::All,
            workers: Workers::new(None, None, false),
            checkpoint_every: None,
            allows_deadlock: false,
        }
    }
}

/// A sweep that did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum IntoFolderError {
    /// The folder cannot be used, or not written to.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The threads could not be started.
    #[error("cannot start the worker threads: {0}")]
    Threads(#[from] rayon_core::ThreadPoolBuildError),
    /// The search for loads failed.
    #[error(transparent)]
    Search(#[from] SimulateError),
}

impl From<SweepError<FolderError>> for IntoFolderError {
    fn from(error: SweepError<FolderError>) -> Self {
        match error {
            SweepError::Threads(error) => Self::Threads(error),
            SweepError::Sink(error) => Self::Folder(error),
        }
    }
}

/// A sweep in its folder.
#[derive(Debug)]
pub struct Swept {
    /// What was simulated, all loads known.
    pub plan: ProvedPlan,
    /// What became of it.
    pub outcome: Outcome,
    /// Where it is, for files beside its own.
    pub folder: OutputFolder,
}

/// Simulates every point of `plan` that the folder `path` does not hold yet, and leaves `points.csv`,
/// `manifest.json` and the details asked for in it, the points kept beside them; charts and pages are for
/// others to add. A sweep that is stopped, by `progress` or by force, goes on with [`Existing::Resume`].
///
/// ```
/// use flitsim_scenario::proof::ProvedPlan;
/// use flitsim_scenario::{Overrides, Plan};
/// use flitsim_sweep::{Options, Silent, into_folder};
/// use std::path::Path;
///
/// let text = "[topology]\nkind = \"mesh\"\nradix = 4\ndimensions = 2\n\
///     [measure]\nrelative_error = 0.1\n[sweep]\nload = [0.1, 0.2]\n";
/// let plan = Plan::parse(Path::new("mine.toml"), text.to_owned(), Overrides::default())?;
/// let plan = ProvedPlan::prove(plan, false, &|_, _| {}, |warning| eprintln!("{warning}"))?;
/// let folder = tempfile::tempdir()?;
/// let swept = into_folder(plan, &folder.path().join("out"), Options::default(), &Silent)?;
/// assert_eq!(swept.outcome.rows.len(), 2);
/// assert!(folder.path().join("out/points.csv").is_file());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A folder that holds results or cannot be written to, threads that cannot be started, a search that
/// fails. Points that fail or deadlock are in the [`Outcome`].
pub fn into_folder(
    plan: ProvedPlan,
    path: &Path,
    options: Options,
    progress: &dyn SweepProgress,
) -> Result<Swept, IntoFolderError> {
    let folder = OutputFolder::create(path, options.existing)?;
    into_open_folder(plan, folder, options, progress)
}

/// The same into `folder`, which was made for `options.existing`.
///
/// # Errors
/// The same.
pub fn into_open_folder(
    mut plan: ProvedPlan,
    mut folder: OutputFolder,
    options: Options,
    progress: &dyn SweepProgress,
) -> Result<Swept, IntoFolderError> {
    let points = points_of(&plan).count();
    let short = |most, bytes| progress.short_of_memory(most, bytes);
    let workers = options.workers.within_memory(&plan, points, short);
    place_loads(&mut plan, workers, progress)?;
    let outcome = simulate(&plan, &mut folder, workers, options, progress)?;
    finish(&plan, &folder, &outcome, options)?;
    Ok(Swept {
        plan,
        outcome,
        folder,
    })
}

/// Searches for the loads of the series that leave them to flitsim.
fn place_loads(
    plan: &mut ProvedPlan,
    workers: Workers,
    progress: &dyn SweepProgress,
) -> Result<(), IntoFolderError> {
    struct Searching<'p>(&'p dyn SweepProgress);
    impl Searches for Searching<'_> {
        fn started<'s>(&'s self, series: &'s SeriesPlan) -> Box<dyn Watch + 's> {
            self.0.searching(series)
        }
    }
    let auto = plan.series.iter().filter(|s| s.loads_auto.is_some());
    let threads = match auto.count() {
        0 => return Ok(()),
        searches => workers.among(searches),
    };
    let jobs = workers.jobs().map_or(0, NonZeroUsize::get);
    let found: Vec<Option<Saturation>> =
        in_pool(jobs, || auto::place(plan, threads, &Searching(progress)))??;
    for (series, found) in plan.series.iter().zip(&found) {
        if let Some(found) = found {
            progress.searched(series, found);
        }
    }
    Ok(())
}

/// Simulates the points that `folder` does not hold yet.
fn simulate(
    plan: &ProvedPlan,
    folder: &mut OutputFolder,
    workers: Workers,
    options: Options,
    progress: &dyn SweepProgress,
) -> Result<Outcome, IntoFolderError> {
    let (keys, points) = (keys_of(plan), points_of(plan).collect::<Vec<_>>());
    if options.existing == Existing::Replace {
        folder.clear()?;
    }
    if options.existing == Existing::Resume
        && let Some(file) = damaged(folder.path())
    {
        progress.damaged(&file);
    }
    let restored = restored(plan, folder, &keys, progress);
    let manifest = Manifest::new(plan, options.allows_deadlock, SweepState::Running, &[]);
    folder.begin(
        plan,
        manifest.to_json().as_bytes(),
        restored.iter().flatten(),
    )?;
    let kept = restored.iter().flatten().count();
    progress.begins(plan, kept);
    let takes = options.share.takes(&points);
    let todo = takes
        .iter()
        .zip(&restored)
        .filter(|(takes, kept)| **takes && kept.is_none());
    let kernel = Kernel {
        threads: workers.among(todo.count()),
        engine: EngineChoice::Auto,
    };
    let claims = match options.share {
        Share::Claimed => Some(claims_of(folder, keys.clone())?),
        _ => None,
    };
    // Of shared points, where whoever takes them next finds them.
    let under_way = match &claims {
        Some(claims) => claims.folder().to_owned(),
        None => folder.store().path().to_owned(),
    };
    let checkpoints = Checkpoints::in_folder(&under_way, options.checkpoint_every);
    // A kill may come between a point and the end of its state.
    let kept = keys
        .iter()
        .zip(&restored)
        .filter(|(_, kept)| kept.is_some());
    kept.for_each(|(key, _)| checkpoints.remove(key));
    let sink = |index: usize, point: &Finished, simulated: &Simulated| {
        let (key, outlasts) = (&keys[index], Outlasts::after(simulated.took));
        folder.append_details(key, points[index].0, &simulated.result, outlasts)?;
        folder.append(key, point, outlasts)
    };
    let sweep = Todo {
        restored,
        takes,
        claims,
        checkpoints: Some(checkpoints),
        jobs: workers.jobs(),
    };
    let outcome = run(plan, &kernel, sweep, progress, sink);
    progress.ended();
    Ok(outcome?)
}

/// The points that earlier runs finished; `progress` is told of those that are damaged.
fn restored(
    plan: &ProvedPlan,
    folder: &OutputFolder,
    keys: &[String],
    progress: &dyn SweepProgress,
) -> Vec<Option<Finished>> {
    let points = points_of(plan).zip(keys).map(|((series, load), key)| {
        let point = folder.store().get(key, plan, series, load);
        if point.is_none()
            && let Some(file) = folder.store().damaged(key)
        {
            progress.damaged(&file);
        }
        point
    });
    points.collect()
}

fn claims_of(folder: &OutputFolder, keys: Vec<String>) -> Result<Claims, FolderError> {
    Claims::beside(folder.path(), keys).map_err(|source| FolderError::Unwritable {
        path: folder.path().to_owned(),
        source,
    })
}

/// Writes the files that are complete only now, in scenario order.
fn finish(
    plan: &Plan,
    folder: &OutputFolder,
    outcome: &Outcome,
    options: Options,
) -> Result<(), FolderError> {
    let keys = keys_of(plan);
    let points = points_of(plan).zip(&keys).zip(&outcome.points);
    let done = points.filter(|(_, state)| matches!(state, PointState::Done(_)));
    let done: Vec<_> = done
        .zip(&outcome.rows)
        .map(|((((series, _), key), _), row)| (row, key.as_str(), series))
        .collect();
    let (state, points) = (outcome.state(), &outcome.points);
    let mut manifest = Manifest::new(plan, options.allows_deadlock, state, points);
    for detail in details::asked(plan).iter() {
        folder.write_details(detail, done.iter().copied())?;
        let name = details::file(detail);
        let digest = digest_of(&folder.path().join(name)).unwrap_or_default();
        manifest.tables.insert(name.to_owned(), digest);
    }
    let rows = points_csv(plan, &outcome.rows);
    folder.replace(POINTS, &rows)?;
    manifest.tables.insert(POINTS.to_owned(), digest(&rows));
    folder.replace(MANIFEST, manifest.to_json().as_bytes())
}
