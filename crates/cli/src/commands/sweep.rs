//! `flitsim sweep`: every point of every series, into a folder.

use super::run::tell_not_kept;
use crate::console::Console;
use crate::error::CommandError;
use crate::interrupt::{self, Haste};
use crate::progress::search::SearchBar;
use crate::progress::sweep::SweepBar;
use crate::workers::{in_pool, tell_capped, tell_short};
use clap::Args;
use flitsim_measure::simulate::{Monitor, NoMonitor};
use flitsim_report::chart;
use flitsim_report::figure::Figure;
use flitsim_report::frame::Size;
use flitsim_report::page::Page;
use flitsim_report::prospect::Prospect;
use flitsim_scenario::plan::{Load, Plan};
use flitsim_scenario::{Overrides, SeriesPlan};
use flitsim_sweep::checkpoint::Every;
use flitsim_sweep::results::details::{asked, file};
use flitsim_sweep::results::folder::{CURVES, FolderError, MANIFEST, OutputFolder, POINTS, REPORT};
use flitsim_sweep::results::number::brief;
use flitsim_sweep::results::{self, Existing, keys_of, points_of};
use flitsim_sweep::saturation::{Saturation, Searches, Watch};
use flitsim_sweep::threads::Workers;
use flitsim_sweep::{
    IntoFolderError, Options, Outcome, Shard, Share, SweepProgress, Swept, into_folder, summary,
};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Simulate every point of every series and write tables, curves and a report
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim sweep scenarios/first-curve.toml
  flitsim sweep scenarios/first-curve.toml --out out/mine --jobs 2 --overwrite
  flitsim sweep scenarios/first-curve.toml --resume
  flitsim sweep scenarios/grid.toml --quiet
  flitsim sweep scenarios/first-curve.toml --shard 1/4 --out out/quarter

Writes points.csv, curves.svg, report.html and manifest.json, and a file such as channels.csv for each of
`details` in the scenario's [measure]. As each point finishes, what is known of it is written to points/.
After Ctrl-C, a kill or an edit of the scenario, --resume simulates only what is missing: a point is
identified by a hash of all that defines it. The files have the same bytes whatever the number of jobs,
interrupted or not. With --checkpoint-every, points that take long continue from their last saved state.")]
pub struct Sweep {
    /// The scenario file (TOML)
    pub scenario: PathBuf,
    /// The folder for the results; the default is out/NAME for a scenario NAME.toml, and with --shard
    /// out/NAME-parts/I-of-N
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Points simulated at once; the default is one for each core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Seed of every random number, instead of the scenario's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub seed: Option<u64>,
    /// Continue with the results that the folder holds, and simulate only what is missing
    #[arg(long, conflicts_with = "overwrite")]
    pub resume: bool,
    /// Replace the results that the folder holds
    #[arg(long)]
    pub overwrite: bool,
    /// The most threads for a point. The default is one; for large networks, if there are fewer points
    /// than cores, the points share all cores. The results are the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// How often to save the state of running points, besides at Ctrl-C or SIGTERM: simulated cycles, or a
    /// time such as 10min
    #[arg(long, value_name = "PERIOD")]
    pub checkpoint_every: Option<Every>,
    /// Run even if the routing can deadlock; a deadlock ends its point and is reported
    #[arg(long)]
    pub allow_deadlock: bool,
    /// Simulate only part I of N, counted from 1; `flitsim merge` merges the parts. All parts have about the
    /// same work, and every machine finds the same parts
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Take and simulate only points that no other part has taken. The other parts are the folders beside
    /// DIR, on a shared file system. All parts are busy to the end, however they start
    #[arg(long, requires = "out", conflicts_with = "shard")]
    pub claim: bool,
}

/// Where results go.
fn folder(arguments: &Sweep, plan: &Plan) -> PathBuf {
    // A name such as `..` would lead elsewhere.
    let scenario = Path::new(&plan.scenario).file_name();
    let scenario = scenario.map_or("scenario".into(), |name| name.to_string_lossy());
    match (&arguments.out, arguments.shard) {
        (Some(path), _) => path.clone(),
        (None, None) => Path::new("out").join(&*scenario),
        (None, Some(shard)) => {
            let part = shard.to_string().replace('/', "-of-");
            Path::new("out")
                .join(format!("{scenario}-parts"))
                .join(part)
        }
    }
}

/// Which points are simulated.
fn share(arguments: &Sweep) -> Share {
    match arguments.shard {
        Some(shard) => Share::Part(shard),
        None if arguments.claim => Share::Claimed,
        None => Share::All,
    }
}

/// What a user is told who does not wait for the last files.
fn no_pictures(existing: Existing) -> String {
    format!(
        "stopped when all was simulated and kept, before curves.svg and report.html were written: {} writes them",
        existing.goes_on_with()
    )
}

/// What a user is told who does not wait for points that do not end when they are asked to.
fn no_points(folder: &Path, existing: Existing) -> String {
    format!(
        "stopped while points were under way; those finished are kept in {}, and {} simulates the rest",
        folder.display(),
        existing.goes_on_with()
    )
}

/// What a user is told of a sweep of which `pending` points were not simulated to their end.
fn stopped(outcome: &Outcome, pending: usize, folder: &Path, existing: Existing) -> CommandError {
    let all = outcome.points.len() - outcome.elsewhere();
    let again = existing.goes_on_with();
    let others = match all - pending {
        0 => format!("none is done, and {again} simulates them"),
        _ => format!(
            "the others are kept in {}, and {again} simulates the rest",
            folder.display()
        ),
    };
    CommandError::Failed(format!(
        "stopped before {pending} of {all} points; {others}"
    ))
}

/// Simulates and writes.
///
/// # Errors
/// A scenario that cannot be run, a folder that holds results or cannot be written to; points that
/// failed or ran into a deadlock, after all others are done.
pub fn run(arguments: &Sweep, console: &Console) -> Result<(), CommandError> {
    let overrides = Overrides {
        seed: arguments.seed,
        allow_deadlock: arguments.allow_deadlock,
        ..Overrides::default()
    };
    let workers = Workers::new(arguments.jobs, arguments.threads, arguments.allow_deadlock);
    let jobs = tell_capped(console, workers).jobs_asked();
    let plan = in_pool(jobs, || {
        let plan = console.read_plan(&arguments.scenario, overrides)?;
        Ok::<_, CommandError>(console.prove(plan, arguments.allow_deadlock)?)
    })??;
    let path = folder(arguments, &plan);
    let existing = match (arguments.resume, arguments.overwrite) {
        (true, _) => Existing::Resume,
        (false, true) => Existing::Replace,
        (false, false) => Existing::Refuse,
    };
    let options = Options {
        existing,
        share: share(arguments),
        workers,
        checkpoint_every: arguments.checkpoint_every,
        allows_deadlock: arguments.allow_deadlock,
    };
    let mut bars = Bars::new(console, &plan);
    // A state that is kept is waited for.
    let keeps_states = options.checkpoint_every.is_some();
    bars.last_words = (!keeps_states).then(|| no_points(&path, existing));
    let swept = into_folder(plan, &path, options, &bars);
    bars.end_searches();
    let Swept {
        plan,
        outcome,
        folder,
    } = swept?;

    // A user who waits for the end does not wait for these: `--resume` and `report` find them.
    let prospects = match interrupt::end(Haste::Now(no_pictures(existing))) {
        true => vec![None; plan.series.len()],
        false => in_pool(jobs, || console.prospects(&plan))?,
    };
    write_pictures(&folder, &plan, &outcome, &prospects, options)?;
    let files = [POINTS, CURVES, REPORT, MANIFEST].into_iter();
    let files: Vec<&str> = files.chain(asked(&plan).iter().map(file)).collect();
    console.note(format_args!(
        "{}\nResults are in {}: {}",
        summary::table(&plan, &outcome, &Prospect::zero_loads(&prospects)),
        folder.path().display(),
        files.join(", "),
    ));
    match outcome.pending() {
        0 => {
            if let Some(shard) = arguments.shard {
                console.note(format_args!(
                    "Part {shard}: {} points are for other parts; `flitsim merge` puts them together",
                    outcome.elsewhere()
                ));
            }
            verdict(&plan, &outcome)
        }
        pending => Err(stopped(&outcome, pending, folder.path(), existing)),
    }
}

/// The progress of a sweep on the console: a bar for the searches, and one for the points.
struct Bars<'c> {
    console: &'c Console,
    searches: OnceLock<SearchBar>,
    searches_are_over: AtomicBool,
    points: OnceLock<SweepBar>,
    searched: usize,
    /// Of a program that ends before its points do, where it may.
    last_words: Option<String>,
}

impl<'c> Bars<'c> {
    fn new(console: &'c Console, plan: &Plan) -> Self {
        let searched = plan.series.iter().filter(|s| s.loads_auto.is_some());
        Self {
            console,
            searches: OnceLock::new(),
            searches_are_over: AtomicBool::new(false),
            points: OnceLock::new(),
            searched: searched.count(),
            last_words: None,
        }
    }

    /// Removes the bar of the searches, if there is one.
    fn end_searches(&self) {
        if let Some(bar) = self.searches.get()
            && !self.searches_are_over.swap(true, Ordering::Relaxed)
        {
            bar.finish();
        }
    }
}

impl SweepProgress for Bars<'_> {
    fn short_of_memory(&self, points: usize, bytes: u128) {
        tell_short(self.console, points, bytes);
    }

    fn searching<'s>(&'s self, series: &'s SeriesPlan) -> Box<dyn Watch + 's> {
        let console = self.console;
        let bar = || SearchBar::new(console.shown(), self.searched);
        self.searches.get_or_init(bar).started(series)
    }

    fn searched(&self, series: &SeriesPlan, found: &Saturation) {
        self.end_searches();
        let in_unit = |flits: f64| brief(flits / series.load_scale.flits_per_unit, 3);
        self.console.detail(format_args!(
            "series {}: saturation at {} – {} {}, found in {} cycles",
            series.name,
            in_unit(found.low),
            in_unit(found.high),
            series.load_unit,
            found.cycles,
        ));
    }

    fn damaged(&self, file: &Path) {
        self.console.warn(format_args!(
            "{} is not as it was written: what it held is made again",
            file.display()
        ));
    }

    fn goes_on(&self, series: &SeriesPlan, load: Load) {
        self.console.detail(format_args!(
            "series {}, load {}: going on from where it was kept",
            series.name, load.in_unit
        ));
    }

    fn not_kept(&self, file: &Path, error: &io::Error) {
        tell_not_kept(self.console, file, error);
    }

    fn begins(&self, plan: &Plan, kept: usize) {
        if kept > 0 {
            let all = points_of(plan).count();
            self.console.note(format_args!(
                "{kept} of {all} points are kept from earlier runs"
            ));
        }
        let console = self.console;
        let bar = || SweepBar::new(plan, console.shown());
        self.points.get_or_init(bar);
        let haste = self.last_words.clone().map_or(Haste::Never, Haste::Soon);
        interrupt::end(haste);
        interrupt::listen();
    }

    fn restored(&self, series: &SeriesPlan, load: Load) {
        if let Some(bar) = self.points.get() {
            bar.restored(series, load);
        }
    }

    fn started<'s>(&'s self, series: &SeriesPlan, load: Load) -> Box<dyn Monitor + 's> {
        match self.points.get() {
            Some(bar) => bar.started(series, load),
            None => Box::new(NoMonitor),
        }
    }

    fn ended(&self) {
        interrupt::end(Haste::Never);
        if let Some(bar) = self.points.get() {
            bar.finish();
        }
    }

    fn is_cancelled(&self) -> bool {
        interrupt::is_asked_for()
    }
}

/// Adds the chart and the page to `folder`.
///
/// # Errors
/// A folder that cannot be written to.
pub fn write_pictures(
    folder: &OutputFolder,
    plan: &Plan,
    outcome: &Outcome,
    prospects: &[Option<Prospect>],
    options: Options,
) -> Result<(), FolderError> {
    let figure = Figure::of(plan, &outcome.rows, prospects);
    let curves = chart::latency(&figure, Size::WIDE, "plot");
    folder.replace(CURVES, curves.as_bytes())?;
    let extras = results::read::extras(folder.path(), plan, &keys_of(plan), &outcome.rows);
    let page = Page {
        plan,
        rows: &outcome.rows,
        extras: &extras,
        prospects,
        figure: &figure,
        failed: outcome.failures().count(),
        pending: outcome.pending(),
        allows_deadlock: options.allows_deadlock,
        version: env!("CARGO_PKG_VERSION"),
    };
    folder.replace(REPORT, page.to_html().as_bytes())
}

/// Channels of a deadlock that a line names.
const CHANNELS_NAMED_MOST: usize = 32;

/// Whether every point ran, and none into a deadlock.
fn verdict(plan: &Plan, outcome: &Outcome) -> Result<(), CommandError> {
    let points: Vec<_> = points_of(plan).collect();
    let mut faults: Vec<(usize, String)> = outcome
        .failures()
        .map(|(index, error)| (index, error.to_owned()))
        .collect();
    let deadlocks = outcome.deadlocks.iter();
    faults.extend(deadlocks.map(|(index, report)| (*index, report.sentence(CHANNELS_NAMED_MOST))));
    if faults.is_empty() {
        return Ok(());
    }
    faults.sort();
    let lines: Vec<String> = faults
        .iter()
        .map(|(index, fault)| {
            let (series, load) = points[*index];
            format!("series {}, load {}: {fault}", series.name, load.in_unit)
        })
        .collect();
    Err(CommandError::Failed(lines.join("\n")))
}

impl From<FolderError> for CommandError {
    fn from(error: FolderError) -> Self {
        match error.exit_code() {
            2 => Self::Input(error.to_string()),
            _ => Self::Failed(error.to_string()),
        }
    }
}

impl From<IntoFolderError> for CommandError {
    fn from(error: IntoFolderError) -> Self {
        match error {
            IntoFolderError::Folder(error) => error.into(),
            error => Self::Failed(error.to_string()),
        }
    }
}
