//! `flitsim topology`: what a network is, its graph, or its picture.

use super::stage_bar::StageBar;
use super::{CommandError, Console};
use crate::args::{TopologyArguments, TopologyFormat};
use crate::survey::{Depth, Stages, Subject, Survey, table};
use flitsim_scenario::Overrides;
use flitsim_scenario::topology::{is_spec, write_csv, write_graphml};
use flitsim_topology::draw::{self, Drawing, Style};
use serde_json::Value;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

/// Builds, measures and prints.
///
/// # Errors
/// A network that cannot be built or drawn, several where one is wanted, an output that cannot be
/// written.
pub fn run(arguments: &TopologyArguments, console: &Console) -> Result<(), CommandError> {
    let bar = StageBar::new(console);
    bar.stage("building");
    let series = arguments.series.as_deref();
    // A network is what it is, whether or not a routing can deadlock on it.
    let overrides = Overrides {
        allow_deadlock: true,
        ..Overrides::default()
    };
    let subjects = subjects(&arguments.networks, series, overrides, console)?;
    let mut out = BufWriter::new(anstream::stdout());
    match arguments.format {
        TopologyFormat::Table | TopologyFormat::Json => {
            let depth = match subjects.len() {
                1 => Depth::Whole,
                _ => Depth::Brief,
            };
            let surveys: Vec<Survey> = subjects
                .iter()
                .map(|subject| {
                    bar.title(subject.title());
                    Survey::of(subject, depth, &bar)
                })
                .collect();
            bar.finish();
            match arguments.format {
                TopologyFormat::Json => {
                    let mut values: Vec<Value> = surveys.iter().map(Survey::to_json).collect();
                    let value = match values.len() {
                        1 => values.remove(0),
                        _ => Value::Array(values),
                    };
                    writeln!(out, "{value:#}")?;
                }
                _ => out.write_all(table::table(&surveys).as_bytes())?,
            }
        }
        format => {
            let subject = only(&subjects)?;
            bar.finish();
            let network = &*subject.living();
            match format {
                TopologyFormat::Csv => write_csv(network, &subject.topology, &mut out)?,
                TopologyFormat::Graphml => write_graphml(network, &subject.topology, &mut out)?,
                TopologyFormat::Dot => out.write_all(draw::dot(network).as_bytes())?,
                _ => out.write_all(picture(subject)?.as_bytes())?,
            }
        }
    }
    Ok(out.flush()?)
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
    choose(&mut subjects, wanted, |subject| subject.series.as_deref())?;
    Ok(subjects)
}

/// Keeps what belongs to the series `wanted`, if one is named.
pub(super) fn choose<T>(
    all: &mut Vec<T>,
    wanted: Option<&str>,
    series_of: impl Fn(&T) -> Option<&str>,
) -> Result<(), CommandError> {
    let Some(wanted) = wanted else {
        return Ok(());
    };
    let names: Vec<String> = all
        .iter()
        .filter_map(&series_of)
        .map(str::to_owned)
        .collect();
    all.retain(|one| series_of(one) == Some(wanted));
    if !all.is_empty() {
        return Ok(());
    }
    Err(CommandError::Input(match names.is_empty() {
        true => "--series chooses among the series of a scenario, and none is given".to_owned(),
        false => format!(
            "no series is named \"{wanted}\": there are {}",
            names.join(", ")
        ),
    }))
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
