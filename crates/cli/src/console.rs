//! Where a command's words and progress go, and scenarios read and proved with their warnings told.

use crate::args::{Globals, ProgressForm};
use crate::progress::clock::Clock;
use crate::progress::stages::StageBar;
use crate::progress::{Lines, Shown};
use crate::stderr::{Style, say, shown, styled};
use crate::survey::Stages;
use flitsim_report::prospect::Prospect;
use flitsim_scenario::error::{Fault, Told};
use flitsim_scenario::proof::{ProvedPlan, with_cycle};
use flitsim_scenario::{Overrides, Plan, ScenarioError};
use indicatif::ProgressDrawTarget;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// How long something is done before it is shown.
const SHOWN_AFTER: Duration = Duration::from_secs(1);

/// Where words go: results to standard output, everything else to standard error.
#[derive(Clone)]
pub struct Console {
    globals: Globals,
    clock: Clock,
    command: &'static str,
}

impl Console {
    /// The console that the global flags ask for. Sets the choice of colour of the whole program.
    pub fn new(globals: Globals, command: &'static str) -> Self {
        globals.color.set();
        let is_told = are_words_wanted(globals) && ProgressDrawTarget::stderr().is_hidden();
        let clock = Clock::start(is_told);
        Self {
            globals,
            clock,
            command,
        }
    }

    /// Something that the user should know; not under `--quiet`.
    pub fn warn(&self, message: impl Display) {
        if !self.globals.quiet {
            say(format_args!(
                "{}: {}",
                styled("warning", Style::Warning),
                shown(message)
            ));
        }
    }

    /// Tells of manifests of parts that do not read.
    pub fn warn_of_manifests(&self, damaged: &[(PathBuf, String)]) {
        for (path, reason) in damaged {
            self.warn(format_args!(
                "{} does not read: {reason}; the points beside it are used all the same",
                path.display()
            ));
        }
    }

    /// Something that the user may want to know; not under `--quiet`.
    pub fn note(&self, message: impl Display) {
        if !self.globals.quiet {
            say(message);
        }
    }

    /// Something that only `--verbose` asks for.
    pub fn detail(&self, message: impl Display) {
        if self.globals.verbose {
            say(message);
        }
    }

    /// Where progress is shown, on standard error: a bar if it is a terminal, words now and then if not;
    /// nothing under `--quiet`; lines of JSON where the user wants them.
    pub fn shown(&self) -> Shown {
        let is_json = self.globals.progress == ProgressForm::Json;
        Shown {
            target: match are_words_wanted(self.globals) {
                true => ProgressDrawTarget::stderr(),
                false => ProgressDrawTarget::hidden(),
            },
            lines: Lines::new(is_json.then_some(self.command)),
            clock: self.clock.clone(),
        }
    }

    /// The progress of a survey or a proof, which ends with the program after `limit`.
    pub fn stages(&self, limit: Option<Duration>) -> StageBar {
        if let Some(limit) = limit {
            self.clock.set_limit(limit);
        }
        StageBar::new(self.shown())
    }

    /// Does `work`, which is shown as `name` from its first second on.
    fn shown_where_long<T>(&self, name: &str, work: impl FnOnce() -> T) -> T {
        thread::scope(|scope| {
            let ((ends, over), shown) = (mpsc::channel::<()>(), self.shown());
            let show = move || {
                if over.recv_timeout(SHOWN_AFTER) == Err(RecvTimeoutError::Timeout) {
                    let bar = StageBar::new(shown);
                    bar.stage(name);
                    let _ = over.recv();
                }
            };
            // Where there is no room for a thread, it is done without.
            let _ = thread::Builder::new().spawn_scoped(scope, show);
            let done = work();
            drop(ends);
            done
        })
    }

    /// Reads a scenario and passes its warnings on.
    ///
    /// # Errors
    /// [`ScenarioError`], with a cycle in which packets can wait for ever where its routing has too
    /// few virtual channels.
    pub fn read_plan(&self, path: &Path, overrides: Overrides) -> Result<Plan, ScenarioError> {
        let read = || Plan::read(path, overrides).map_err(|error| with_cycle(error, overrides));
        let plan = self.shown_where_long("building", read)?;
        self.pass_on(&plan);
        Ok(plan)
    }

    /// Checks that each series of `plan`, or the one `only`, has a load to be simulated at: none may leave
    /// its loads to a search.
    ///
    /// # Errors
    /// A load that cannot be offered, and a series without one.
    pub fn check_loads(&self, plan: &Plan, only: Option<usize>) -> Result<(), ScenarioError> {
        let chosen = match only {
            Some(only) => &plan.series[only..=only],
            None => &plan.series[..],
        };
        let refused = chosen.iter().flat_map(|series| &series.loads_refused);
        let refused: Vec<Told> = refused.cloned().map(Told::of_file).collect();
        if !refused.is_empty() {
            return Err(ScenarioError::of_all(&plan.path, &plan.text, refused));
        }
        let Some(auto) = chosen.iter().find_map(|series| series.loads_auto.as_ref()) else {
            return Ok(());
        };
        let message = format!(
            "`flitsim {}` simulates one load, and `load = \"auto\"` names none",
            self.command
        );
        let fault = Fault::new(auto.place.clone(), message)
            .label("placed by a search, in a sweep")
            .help("give the load, such as `--load 0.1`; or `flitsim sweep`, or `flitsim saturate`");
        Err(ScenarioError::new(&plan.path, &plan.text, fault))
    }

    /// Tells the user what the plan warns of.
    pub fn pass_on(&self, plan: &Plan) {
        for warning in &plan.warnings {
            self.warn(warning);
        }
    }

    /// Proves the routing of every series free of deadlock before anything runs; where
    /// `allow_deadlock`, warns instead. On the threads of the pool that it is called in.
    ///
    /// # Errors
    /// [`ScenarioError`], with a cycle in which packets can wait for ever.
    pub fn prove(&self, plan: Plan, allow_deadlock: bool) -> Result<ProvedPlan, ScenarioError> {
        let bar = self.stages(None);
        bar.stage("proof that the routing cannot deadlock");
        let on_progress = |done, of| bar.done(done, of);
        let mut warnings = Vec::new();
        let proved = ProvedPlan::prove(plan, allow_deadlock, &on_progress, |w| warnings.push(w));
        bar.finish();
        for warning in warnings {
            self.warn(warning);
        }
        proved
    }

    /// What is known of each series of `plan` before any cycle. On the threads of the pool that it is called in.
    pub fn prospects(&self, plan: &Plan) -> Vec<Option<Prospect>> {
        // Lines of JSON end with the end of the points.
        let bar = StageBar::new(Shown {
            lines: Lines::new(None),
            ..self.shown()
        });
        bar.stage("latency without load and saturation of the channels, for the page");
        let prospects = Prospect::of_each(plan, &|done, of| bar.done(done, of));
        bar.finish();
        prospects
    }
}

/// Whether progress is shown to people.
fn are_words_wanted(globals: Globals) -> bool {
    globals.progress == ProgressForm::Auto && !globals.quiet
}
