//! `flitsim verify`: a proof that a routing cannot deadlock, or the cycle in which it can.

use crate::args::{Suggested, kinds};
use crate::console::Console;
use crate::error::CommandError;
use crate::output::{json_text, one_or_all, print};
use crate::progress::clock::{Shared, TIME_LIMIT, look, time};
use crate::progress::stages::StageBar;
use crate::survey::{Stages, Subject, choose};
use crate::verdict::{Answer, Verified};
use clap::{Args, ValueEnum};
use flitsim_scenario::topology::is_spec;
use flitsim_scenario::{Overrides, Plan, ScenarioError, Unroutable};
use std::path::Path;
use std::time::Duration;

/// Prove a routing free of deadlock, or show the cycle in which packets can wait for ever
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim verify torus:radix=8,dimensions=2
  flitsim verify scenarios/first-curve.toml
  flitsim verify scenarios/first-curve.toml --series torus --format json
  flitsim verify scenarios/first-curve.toml --series torus --format svg > torus.svg

Exit codes: 0 if every routing is proved free of deadlock, 1 if one is not, 2 if a file cannot be read
or a network cannot be built. A topology in one word is proved under its default
routing.")]
pub struct Verify {
    /// A topology in one word (see `flitsim topology --help`), or a scenario file (TOML)
    #[arg(required = true, value_name = "SPEC_OR_SCENARIO")]
    #[arg(value_parser = Suggested(kinds), hide_possible_values = true)]
    pub networks: Vec<String>,
    /// How to print the proof
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Verify only this series of a scenario: its name, its number, or a part of its name that no other has
    #[arg(long, value_name = "SERIES")]
    pub series: Option<String>,
    /// The longest that the command may take, such as 30s, 10min or 2h. After that it prints what is known
    /// and how far the rest is, and the exit code is 1
    #[arg(long, value_name = "TIME", value_parser = time, default_value = TIME_LIMIT)]
    pub time_limit: Duration,
}

/// How to print a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Table,
    /// For programs
    Json,
    /// A picture of the network, with the cycle on it
    Svg,
}

/// What is to be verified.
enum Asked {
    Network(Box<Subject>),
    /// A series whose routing cannot even be built: no proof, and no cycle to show.
    Unroutable(Unroutable),
}

/// Proves and prints.
///
/// # Errors
/// A scenario that cannot be read, an output that cannot be written; a routing that is not proved
/// free of deadlock, after everything is printed.
pub fn run(arguments: &Verify, console: &Console) -> Result<(), CommandError> {
    let bar = console.stages(Some(arguments.time_limit));
    bar.stage("building");
    let asked = asked(arguments, console)?;
    let answers = Shared::<Answer>::default();
    let (format, known) = (arguments.format, answers.clone());
    bar.keep(move || text(format, &look(&known)).unwrap_or_default());
    for one in asked {
        let answer = match one {
            Asked::Network(subject) => Answer::Verified(Box::new(verified(*subject, &bar))),
            Asked::Unroutable(series) => Answer::Unroutable(series),
        };
        look(&answers).push(answer);
    }
    bar.finish();
    let answers = look(&answers);
    print(text(format, &answers)?.as_bytes())?;
    let failed: Vec<&str> = answers
        .iter()
        .filter(|one| !one.is_free())
        .map(Answer::title)
        .collect();
    if failed.is_empty() {
        return Ok(());
    }
    let failed = format!("not proved free of deadlock: {}", failed.join(", "));
    let errors: Vec<ScenarioError> = answers
        .iter()
        .filter_map(|one| match one {
            Answer::Unroutable(series) => Some(series.error.clone()),
            Answer::Verified(_) => None,
        })
        .collect();
    Err(if errors.is_empty() {
        CommandError::Failed(failed)
    } else {
        CommandError::Unroutable { errors, failed }
    })
}

/// The networks that `arguments` name, each a topology in one word or a series of a scenario.
fn asked(arguments: &Verify, console: &Console) -> Result<Vec<Asked>, CommandError> {
    let overrides = Overrides::ALLOWING_DEADLOCK;
    let mut asked = Vec::new();
    for argument in &arguments.networks {
        if is_spec(argument) {
            asked.push(Asked::Network(Box::new(Subject::of_spec(argument)?)));
            continue;
        }
        let each = Plan::read_each(Path::new(argument), overrides)?;
        console.pass_on(&each.plan);
        asked.extend(each.in_order().into_iter().map(|one| match one {
            Ok(series) => Asked::Network(Box::new(Subject::of_series(series))),
            Err(series) => Asked::Unroutable(series.clone()),
        }));
    }
    choose(&mut asked, arguments.series.as_deref(), |one| match one {
        Asked::Network(subject) => subject.series.as_deref(),
        Asked::Unroutable(series) => Some(&series.name),
    })
    .map_err(CommandError::Input)?;
    Ok(asked)
}

fn verified(subject: Subject, bar: &StageBar) -> Verified {
    bar.title(subject.title());
    bar.stage("proof");
    Verified::of(subject, &|done, of| bar.done(done, of))
}

/// What is printed.
fn text(format: Format, answers: &[Answer]) -> Result<String, CommandError> {
    match (format, answers) {
        (Format::Table, _) => {
            let words: Vec<String> = answers.iter().map(Answer::to_words).collect();
            Ok(words.join("\n"))
        }
        (Format::Json, _) => Ok(json_text(&one_or_all(answers.iter().map(Answer::to_json)))),
        (Format::Svg, [Answer::Verified(one)]) => one
            .picture()
            .map_err(|error| CommandError::Input(format!("{}: {error}", one.subject.topology))),
        // What is wrong with it is said elsewhere.
        (Format::Svg, [Answer::Unroutable(_)]) => Ok(String::new()),
        (Format::Svg, _) => Err(CommandError::Input(
            "a picture shows one network: choose a scenario's series with --series".to_owned(),
        )),
    }
}
