//! One file a command, and what they share: where words go, and how a command fails.

mod desk;
pub mod model;
pub mod new;
pub mod plot;
pub mod report;
pub mod reproduce;
pub mod run;
pub mod saturate;
mod stage_bar;
pub mod sweep;
pub mod topology;
pub mod verify;
pub mod watch;

use crate::args::{Arguments, Command, ProgressForm};
use crate::diagnostic;
use crate::progress::Lines;
use crate::survey::Stages;
use flitsim_scenario::proof::{ProvedPlan, with_cycle};
use flitsim_scenario::{Overrides, Plan, ScenarioError};
use flitsim_sweep::results::folder::is_full;
use indicatif::ProgressDrawTarget;
use stage_bar::StageBar;
use std::fmt::Display;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// Does what the command line asks.
///
/// # Errors
/// [`CommandError`], which knows its exit code.
pub fn run(arguments: &Arguments) -> Result<(), CommandError> {
    let console = Console::new(arguments);
    match &arguments.command {
        Command::Run(run) => run::run(run, &console),
        Command::Sweep(sweep) => sweep::run(sweep, &console),
        Command::Saturate(saturate) => saturate::run(saturate, &console),
        Command::Model(model) => model::run(model, &console),
        Command::Topology(topology) => topology::run(topology, &console),
        Command::Verify(verify) => verify::run(verify, &console),
        Command::Plot(plot) => plot::run(plot, &console),
        Command::Report(report) => report::run(report, &console),
        Command::Reproduce(reproduce) => reproduce::run(reproduce, &console),
        Command::Watch(watch) => watch::run(watch, &console),
        Command::New(new) => new::run(new, &console),
        Command::Schema(_) => desk::schema(),
        Command::Completions(completions) => desk::completions(*completions),
        Command::Man(man) => desk::man(man),
    }
}

/// How a command fails.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// The scenario cannot be run: exit code 2.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The scenario is well-formed, and the routing of some series does not hold on its network:
    /// exit code 1.
    #[error("{failed}")]
    Unroutable {
        /// What is wrong with each of these series.
        errors: Vec<ScenarioError>,
        /// Which series fail, for whatever reason.
        failed: String,
    },
    /// Other input is at fault: exit code 2.
    #[error("{0}")]
    Input(String),
    /// The input is good and the run failed: exit code 1.
    #[error("{0}")]
    Failed(String),
    /// Standard output does not take what is printed: exit code 1, and 0 where whoever read it has
    /// seen enough.
    #[error("cannot write to standard output: {0}")]
    Output(#[from] io::Error),
}

impl CommandError {
    /// A file named with `-o` that cannot be written: where there is no room, no fault of the name.
    pub fn unwritable(path: &Path, error: &io::Error) -> Self {
        let path = path.display();
        match is_full(error) {
            true => Self::Failed(format!(
                "cannot write {path}: {error}; no part of it is left: make room and give the same \
                 command again, or choose another place with -o FILE"
            )),
            false => Self::Input(format!(
                "cannot write {path}: {error}; choose another place with -o FILE"
            )),
        }
    }

    /// 2 where the user's input is at fault, 1 where a run failed.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Scenario(_) | Self::Input(_) => ExitCode::from(2),
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Self::Unroutable { .. } | Self::Failed(_) | Self::Output(_) => ExitCode::from(1),
        }
    }

    /// Tells the user, on standard error.
    pub fn report(&self) {
        match self {
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            // The stream takes the colours out where they are not wanted.
            Self::Scenario(error) => say(diagnostic::render(error, true)),
            Self::Unroutable { errors, failed } => {
                errors
                    .iter()
                    .for_each(|error| say(diagnostic::render(error, true)));
                say(format_args!("{}: {failed}", styled("error", Style::Error)));
            }
            other => say(format_args!("{}: {other}", styled("error", Style::Error))),
        }
    }
}

/// Where words go: results to standard output, everything else to standard error.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    quiet: bool,
    verbose: bool,
    progress: ProgressForm,
    command: &'static str,
}

impl Console {
    /// The console that the global flags ask for. Sets the choice of colour of the whole program.
    pub fn new(arguments: &Arguments) -> Self {
        arguments.color.set();
        Self {
            quiet: arguments.quiet,
            verbose: arguments.verbose,
            progress: arguments.progress,
            command: arguments.command.name(),
        }
    }

    /// Something that the user should know; not under `--quiet`.
    pub fn warn(&self, message: impl Display) {
        if !self.quiet {
            say(format_args!(
                "{}: {message}",
                styled("warning", Style::Warning)
            ));
        }
    }

    /// Something that the user may like to know; not under `--quiet`.
    pub fn note(&self, message: impl Display) {
        if !self.quiet {
            say(message);
        }
    }

    /// Something that only `--verbose` asks for.
    pub fn detail(&self, message: impl Display) {
        if self.verbose {
            say(message);
        }
    }

    /// Where progress is drawn: standard error if it is a terminal, nowhere under `--quiet` and where
    /// the user wants it in another form.
    pub fn progress(&self) -> ProgressDrawTarget {
        match self.progress {
            ProgressForm::Auto if !self.quiet => ProgressDrawTarget::stderr(),
            _ => ProgressDrawTarget::hidden(),
        }
    }

    /// Lines of JSON on standard error, where the user wants them.
    pub fn lines(&self) -> Option<Lines> {
        (self.progress == ProgressForm::Json).then(|| Lines::new(self.command))
    }

    /// Reads a scenario and passes its warnings on.
    ///
    /// # Errors
    /// [`ScenarioError`], with a cycle in which packets can wait for ever where its routing has too
    /// few virtual channels.
    pub fn read_plan(&self, path: &Path, overrides: Overrides) -> Result<Plan, ScenarioError> {
        let plan = Plan::read(path, overrides).map_err(|error| with_cycle(error, overrides))?;
        self.pass_on(&plan);
        Ok(plan)
    }

    /// Tells the user what the plan warns of.
    fn pass_on(&self, plan: &Plan) {
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
        let bar = StageBar::new(self);
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
}

/// A line on standard error; a closed one is no reason to fail.
fn say(message: impl Display) {
    use std::io::Write;
    let _ = writeln!(anstream::stderr(), "{message}");
}

enum Style {
    Error,
    Warning,
}

/// `text` in bold red or bold yellow; the stream takes the colours out where they are not wanted.
fn styled(text: &str, style: Style) -> String {
    let colour = match style {
        Style::Error => 31,
        Style::Warning => 33,
    };
    format!("\u{1b}[1;{colour}m{text}\u{1b}[0m")
}
