//! `flitsim watch`: one series at one load, alive in the terminal.

use super::run::refuse_searched_loads;
use super::{CommandError, Console};
use crate::args::WatchArguments;
use crate::interrupt;
use crate::watch::{Control, Heading, Left, Stopped, Terminal, show, simulated};
use anstream::{AutoStream, ColorChoice};
use flitsim_scenario::error::nearest;
use flitsim_scenario::proof::ProvedPlan;
use flitsim_scenario::{Overrides, Plan};
use std::io;

/// Shows the scenario's series, until the user has seen enough.
///
/// # Errors
/// No terminal, a scenario that cannot be run, a terminal that fails, a deadlock.
pub fn run(arguments: &WatchArguments, console: &Console) -> Result<(), CommandError> {
    if !Terminal::is_there() {
        return Err(CommandError::Input(format!(
            "`flitsim watch` needs a terminal, and standard {} is none; `flitsim run {}` prints the \
             statistics instead",
            match std::io::IsTerminal::is_terminal(&io::stdout()) {
                true => "input",
                false => "output",
            },
            arguments.scenario.display()
        )));
    }
    let overrides = Overrides {
        seed: arguments.seed,
        load: arguments.load,
        allow_deadlock: arguments.allow_deadlock,
    };
    let plan = console.read_plan(&arguments.scenario, overrides)?;
    refuse_searched_loads(&plan, "watch")?;
    let first = first_of(&plan, arguments.series.as_deref())?;
    let plan = console.prove(plan, arguments.allow_deadlock)?;
    match watch(&plan, first)? {
        Some(Stopped::Deadlock(sentence)) => Err(CommandError::Failed(sentence)),
        Some(Stopped::AllArrived) | None => Ok(()),
    }
}

/// Which series comes first.
fn first_of(plan: &Plan, wanted: Option<&str>) -> Result<usize, CommandError> {
    let Some(wanted) = wanted else {
        return Ok(0);
    };
    let mut names = plan.series.iter().map(|series| series.name.as_str());
    names
        .clone()
        .position(|name| name == wanted)
        .ok_or_else(|| {
            let help = match nearest(wanted, names.clone()) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => format!("there is \"{}\"", names.next().unwrap_or_default()),
            };
            CommandError::Input(format!("no series \"{wanted}\" in the scenario: {help}"))
        })
}

/// Takes the terminal and shows one series after another. Returns what had stopped the last.
fn watch(plan: &ProvedPlan, first: usize) -> Result<Option<Stopped>, CommandError> {
    let in_colour = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
    if in_colour {
        // It has been decided: NO_COLOR does not hold against --color always.
        crossterm::style::force_color_output(true);
    }
    let failed = |error: io::Error| CommandError::Failed(format!("the terminal failed: {error}"));
    interrupt::listen();
    let _terminal = Terminal::enter().map_err(failed)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut control = Control::default();
    let all: Vec<_> = plan.proved_series().collect();
    for index in (0..all.len()).cycle().skip(first) {
        let series = &all[index];
        let load = series.loads[0];
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
        let left = simulated(series, load, plan.seed, |watched| {
            show(
                watched,
                series,
                load,
                &heading,
                &mut control,
                in_colour,
                &mut out,
            )
        });
        let left =
            left.map_err(|error| CommandError::Failed(format!("series {}: {error}", series.name)))?;
        if let Left::Quit(stopped) = left.map_err(failed)? {
            return Ok(stopped);
        }
    }
    Ok(None)
}
