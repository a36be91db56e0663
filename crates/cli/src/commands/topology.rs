//! `flitsim topology`: what a network is, its graph, or its picture.

use crate::args::{Suggested, kinds};
use crate::console::Console;
use crate::error::CommandError;
use crate::output::{json_text, one_or_all, print};
use crate::progress::clock::{Shared, TIME_LIMIT, look, time};
use crate::survey::{Depth, Stages, Subject, Survey, choose, table};
use clap::{Args, ValueEnum};
use flitsim_scenario::Overrides;
use flitsim_scenario::topology::{is_spec, write_csv, write_graphml};
use flitsim_topology::draw::{self, Drawing, Style};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Build networks and print their properties, their graph or their picture
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim topology torus:radix=8,dimensions=2
  flitsim topology star:symbols=5 hypercube:dimensions=7
  flitsim topology express-cube:radix=16,dimensions=1,interval=4,levels=2 --format svg > cube.svg
  flitsim topology butterfly-fat-tree:processors=64 --format csv > tree.csv
  flitsim topology scenarios/first-curve.toml --series torus --format json

A topology in one word is kind:key=value,key=value with the keys of a scenario's [topology]; a list
has x between its numbers, as in radices=8x4x2. A scenario stands for the networks of its series.

One network is printed as a listing or as a JSON object; several as a line each or as an array. A
scenario with `kind = \"file\"` reads the output of csv and graphml back as the same network.")]
pub struct Topology {
    /// A topology in one word, or a scenario file (TOML); several are compared
    #[arg(required = true, value_name = "SPEC_OR_SCENARIO")]
    #[arg(value_parser = Suggested(kinds), hide_possible_values = true)]
    pub networks: Vec<String>,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Print only the network of this series of a scenario: its name, its number, or a part of its name
    /// that no other has
    #[arg(long, value_name = "SERIES")]
    pub series: Option<String>,
    /// The longest that the command may take, such as 30s, 10min or 2h. After that it prints what is known
    /// and how far the rest is, and the exit code is 1
    #[arg(long, value_name = "TIME", value_parser = time, default_value = TIME_LIMIT)]
    pub time_limit: Duration,
}

/// How to print a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// The properties, for people
    Table,
    /// The properties, for programs
    Json,
    /// The channels, and the nodes if there is more to say of them than their numbers
    Csv,
    /// The graph as a GraphML document
    Graphml,
    /// The graph in Graphviz's language
    Dot,
    /// A picture
    Svg,
}

/// Builds, measures and prints.
///
/// # Errors
/// A network that cannot be built or drawn, several where one is wanted, an output that cannot be
/// written.
pub fn run(arguments: &Topology, console: &Console) -> Result<(), CommandError> {
    let bar = console.stages(Some(arguments.time_limit));
    bar.stage("building");
    let series = arguments.series.as_deref();
    // A network is what it is, whether or not a routing can deadlock on it.
    let overrides = Overrides::ALLOWING_DEADLOCK;
    let subjects = subjects(&arguments.networks, series, overrides, console)?;
    if let Format::Table | Format::Json = arguments.format {
        let depth = match subjects.len() {
            1 => Depth::Whole,
            _ => Depth::Brief,
        };
        let surveys = Shared::<Survey>::default();
        let (format, known) = (arguments.format, surveys.clone());
        bar.keep(move || text(format, &look(&known)));
        // Faults and channel loads of one network hold up nothing else of another.
        let begun: Vec<_> = (subjects.iter())
            .map(|subject| {
                bar.title(subject.title());
                let (survey, symmetry) = Survey::begin(subject, &bar);
                look(&surveys).push(survey.clone());
                (survey, symmetry)
            })
            .collect();
        for (index, (mut survey, symmetry)) in begun.into_iter().enumerate() {
            bar.title(survey.subject.title());
            survey.end(depth, &symmetry, &bar, |known| {
                look(&surveys)[index] = known.clone();
            });
        }
        bar.finish();
        return Ok(print(text(format, &look(&surveys)).as_bytes())?);
    }
    let subject = only(&subjects)?;
    bar.finish();
    let network = &*subject.living();
    let mut text = Vec::new();
    match arguments.format {
        Format::Csv => write_csv(network, &subject.topology, &mut text)?,
        Format::Graphml => write_graphml(network, &subject.topology, &mut text)?,
        Format::Dot => text = draw::dot(network).into_bytes(),
        _ => text = picture(subject)?.into_bytes(),
    }
    Ok(print(&text)?)
}

fn text(format: Format, surveys: &[Survey]) -> String {
    match format {
        _ if surveys.is_empty() => String::new(),
        Format::Json => json_text(&one_or_all(surveys.iter().map(Survey::to_json))),
        _ => table::table(surveys),
    }
}

fn picture(subject: &Subject) -> Result<String, CommandError> {
    let drawing = Drawing::of(&subject.network)
        .map_err(|error| CommandError::Input(format!("{}: {error}", subject.topology)))?;
    let style = Style {
        title: &subject.topology,
        ..Style::default()
    };
    Ok(draw::svg(&drawing, &style))
}

/// The networks that `arguments` name, each a topology in one word or a scenario; only that of the
/// series `wanted`, if one is named.
fn subjects(
    arguments: &[String],
    wanted: Option<&str>,
    overrides: Overrides,
    console: &Console,
) -> Result<Vec<Subject>, CommandError> {
    let mut subjects = Vec::new();
    for argument in arguments {
        if is_spec(argument) {
            subjects.push(Subject::of_spec(argument)?);
        } else {
            let plan = console.read_plan(Path::new(argument), overrides)?;
            subjects.extend(plan.series.iter().map(Subject::of_series));
        }
    }
    choose(&mut subjects, wanted, |subject| subject.series.as_deref())
        .map_err(CommandError::Input)?;
    Ok(subjects)
}

fn is_same(one: &Subject, other: &Subject) -> bool {
    let is_whole = |subject: &Subject| subject.network.damage().is_none();
    one.topology == other.topology
        && (Arc::ptr_eq(&one.network, &other.network) || is_whole(one) && is_whole(other))
}

/// The one network, where only one can be printed; series may share it.
fn only(subjects: &[Subject]) -> Result<&Subject, CommandError> {
    let (first, rest) = subjects
        .split_first()
        .ok_or_else(|| CommandError::Input("no network is given".to_owned()))?;
    if let Some(other) = rest.iter().find(|other| !is_same(other, first)) {
        return Err(CommandError::Input(format!(
            "this format prints one network, and {} and {} are given: name one, or choose a \
             scenario's series with --series",
            first.title(),
            other.title()
        )));
    }
    Ok(first)
}
