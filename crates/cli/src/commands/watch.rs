//! `flitsim watch`: one series at one load, alive in the terminal.

use crate::console::Console;
use crate::error::CommandError;
use crate::interrupt;
use crate::series;
use crate::watch::{Control, Heading, Left, Simulation, Stopped, Terminal, leave, show};
use anstream::{AutoStream, ColorChoice};
use clap::Args;
use flitsim_scenario::Overrides;
use flitsim_scenario::proof::ProvedPlan;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

/// Watch a network at work in the terminal: channels, buffers, load and latency as they change
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim watch scenarios/first-curve.toml
  flitsim watch scenarios/first-curve.toml --load 0.4 --series mesh

Networks of one or two dimensions are drawn as a heat map of channel use and queue lengths. For others,
a histogram shows how many channels are how busy. The simulation is that of `flitsim run`.

Keys: q, Esc or Ctrl-C leaves, space pauses, s steps one cycle and S 256 cycles, + and - change the speed, the
up and down arrows change the load, v switches between buffers and source queues, tab goes to the next series.")]
pub struct Watch {
    /// The scenario file (TOML)
    pub scenario: PathBuf,
    /// Offered load at the start, in the scenario's `load_unit`; the default is the scenario's first load.
    /// For a closed loop its `outstanding`, for a batch its `packets`
    #[arg(long, value_name = "X")]
    pub load: Option<f64>,
    /// The series to begin with: its name, its number, or a part of its name that no other has. The default
    /// is the first
    #[arg(long, value_name = "SERIES")]
    pub series: Option<String>,
    /// Seed of every random number, instead of the scenario's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub seed: Option<u64>,
    /// Run even if the routing can deadlock; a deadlock is shown when it occurs
    #[arg(long)]
    pub allow_deadlock: bool,
}

/// Shows the scenario's series, until the user has seen enough.
///
/// # Errors
/// No terminal, a scenario that cannot be run, a terminal that fails, a deadlock.
pub fn run(arguments: &Watch, console: &Console) -> Result<(), CommandError> {
    if !Terminal::is_there() {
        return Err(CommandError::Input(format!(
            "`flitsim watch` needs a terminal, and standard {} is none; `flitsim run {}` prints the \
             statistics instead",
            if io::stdout().is_terminal() {
                "input"
            } else {
                "output"
            },
            arguments.scenario.display()
        )));
    }
    let overrides = Overrides {
        seed: arguments.seed,
        load: arguments.load,
        allow_deadlock: arguments.allow_deadlock,
        are_loads_optional: arguments.series.is_some(),
    };
    let plan = console.read_plan(&arguments.scenario, overrides)?;
    let only = series::wanted_of(&plan, arguments.series.as_deref())?;
    console.check_loads(&plan, only)?;
    let first = only.unwrap_or(0);
    let plan = console.prove(plan, arguments.allow_deadlock)?;
    match watch(&plan, first)? {
        Some(Stopped::Deadlock(sentence)) => Err(CommandError::Failed(sentence)),
        Some(Stopped::AllArrived) | None => Ok(()),
    }
}

/// Ends the program when its terminal is gone: reading keys from none spins for ever.
fn end_without_terminal() {
    while crossterm::terminal::window_size().is_ok() {
        std::thread::sleep(Duration::from_millis(250));
    }
    leave();
    std::process::exit(1);
}

/// Takes the terminal and shows one series after another. Returns what had stopped the last.
fn watch(plan: &ProvedPlan, first: usize) -> Result<Option<Stopped>, CommandError> {
    let in_colour = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
    if in_colour {
        // It has been decided: NO_COLOR does not hold against --color always.
        crossterm::style::force_color_output(true);
    }
    let failed = |error: io::Error| CommandError::Failed(format!("the terminal failed: {error}"));
    interrupt::listen_and(leave);
    let _terminal = Terminal::enter().map_err(failed)?;
    std::thread::spawn(end_without_terminal);
    // Not locked: whoever leaves the terminal from another thread writes, too.
    let mut out = io::BufWriter::new(io::stdout());
    let mut control = Control::default();
    let all: Vec<_> = plan.proved_series().collect();
    for index in (0..all.len()).cycle().skip(first) {
        let series = &all[index];
        // One beside the chosen one may have none.
        let Some(&load) = series.loads.first() else {
            continue;
        };
        let heading = Heading {
            title: format!(
                "{}: {} ({} of {})  {}  {}  {}",
                plan.scenario,
                series.name,
                index + 1,
                all.len(),
                series.topology,
                series.routing.name(),
                series.pattern_name()
            ),
            load_unit: series.load_unit.clone(),
        };
        let mut simulation = Simulation::new(series, load, plan.seed)
            .map_err(|error| CommandError::Failed(format!("series {}: {error}", series.name)))?;
        let left = show(
            &mut simulation,
            series,
            load,
            &heading,
            &mut control,
            in_colour,
            &mut out,
        );
        if let Left::Quit(stopped) = left.map_err(failed)? {
            return Ok(stopped);
        }
    }
    Ok(None)
}
