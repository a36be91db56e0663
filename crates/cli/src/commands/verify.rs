//! `flitsim verify`: a proof that a routing cannot deadlock, or the cycle in which it can.

use super::stage_bar::StageBar;
use super::topology::choose;
use super::{CommandError, Console};
use crate::args::{VerifyArguments, VerifyFormat};
use crate::survey::{Stages, Subject};
use flitsim_engine::verify::{Coverage, Proof};
use flitsim_scenario::proof::{self, prove, virtual_channel_name};
use flitsim_scenario::topology::is_spec;
use flitsim_scenario::{Overrides, Plan, ScenarioError, Unroutable};
use flitsim_topology::draw::{self, ChannelStyle, Colour, Drawing, Style};
use serde_json::{Value, json};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

/// A network and its routing, proved or not.
struct Verified {
    subject: Subject,
    proof: Result<Proof, String>,
    /// What is wrong, if anything.
    reason: Option<String>,
    seconds: f64,
}

/// What there is to say something of.
enum Asked {
    Network(Box<Subject>),
    /// A series whose routing cannot even be built: no proof, and no cycle to show.
    Unroutable(Unroutable),
}

/// What is said of it.
enum Answer {
    Verified(Box<Verified>),
    Unroutable(Unroutable),
}

/// Proves and prints.
///
/// # Errors
/// A scenario that cannot be read, an output that cannot be written; a routing that is not proved
/// free of deadlock, after everything is printed.
pub fn run(arguments: &VerifyArguments, console: &Console) -> Result<(), CommandError> {
    let bar = StageBar::new(console);
    bar.stage("building");
    let asked = asked(arguments, console)?;
    let answers: Vec<Answer> = asked
        .into_iter()
        .map(|one| match one {
            Asked::Network(subject) => Answer::Verified(Box::new(verified(*subject, &bar))),
            Asked::Unroutable(series) => Answer::Unroutable(series),
        })
        .collect();
    bar.finish();
    print(arguments.format, &answers)?;
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
    Err(match errors.is_empty() {
        true => CommandError::Failed(failed),
        false => CommandError::Unroutable { errors, failed },
    })
}

/// The networks that `arguments` name, each a topology in one word or a series of a scenario.
fn asked(arguments: &VerifyArguments, console: &Console) -> Result<Vec<Asked>, CommandError> {
    let overrides = Overrides {
        allow_deadlock: true,
        ..Overrides::default()
    };
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
    })?;
    Ok(asked)
}

fn verified(subject: Subject, bar: &StageBar) -> Verified {
    bar.title(subject.title());
    bar.stage("proof");
    let start = Instant::now();
    let on_progress = |done, of| bar.done(done, of);
    let proof = prove(
        &subject.routing,
        &subject.network,
        &subject.engine,
        &on_progress,
    );
    let seconds = start.elapsed().as_secs_f64();
    let proof = proof.map_err(|error| error.to_string());
    let reason = match &proof {
        Ok(proof) => proof::reason(&subject.routing, &subject.network, &subject.engine, proof),
        Err(reason) => Some(reason.clone()),
    };
    Verified {
        subject,
        proof,
        reason,
        seconds,
    }
}

fn print(format: VerifyFormat, answers: &[Answer]) -> Result<(), CommandError> {
    let mut out = BufWriter::new(anstream::stdout());
    match format {
        VerifyFormat::Table => {
            let words: Vec<String> = answers.iter().map(Answer::to_words).collect();
            out.write_all(words.join("\n").as_bytes())?;
        }
        VerifyFormat::Json => {
            let mut values: Vec<Value> = answers.iter().map(Answer::to_json).collect();
            let value = match values.len() {
                1 => values.remove(0),
                _ => Value::Array(values),
            };
            writeln!(out, "{value:#}")?;
        }
        VerifyFormat::Svg => match answers {
            [Answer::Verified(one)] => out.write_all(one.picture()?.as_bytes())?,
            // What is wrong with it is said elsewhere.
            [Answer::Unroutable(_)] => {}
            _ => {
                return Err(CommandError::Input(
                    "a picture shows one network: choose a scenario's series with --series"
                        .to_owned(),
                ));
            }
        },
    }
    Ok(out.flush()?)
}

impl Answer {
    fn is_free(&self) -> bool {
        match self {
            Self::Verified(one) => one.is_free(),
            Self::Unroutable(_) => false,
        }
    }

    fn title(&self) -> &str {
        match self {
            Self::Verified(one) => one.subject.title(),
            Self::Unroutable(series) => &series.name,
        }
    }

    fn to_json(&self) -> Value {
        match self {
            Self::Verified(one) => one.to_json(),
            Self::Unroutable(series) => json!({
                "series": series.name,
                "topology": series.topology,
                "routing": series.algorithm,
                "deadlock_free": false,
                "method": null,
                "virtual_channels": series.virtual_channels,
                "dependencies": 0,
                "reaches_every_pair": false,
                "reason": series.error.message(),
                "cycle": [],
            }),
        }
    }

    fn to_words(&self) -> String {
        let series = match self {
            Self::Verified(one) => return one.to_words(),
            Self::Unroutable(series) => series,
        };
        table(&[
            (
                "routing",
                format!("{} on {}", series.algorithm, series.topology),
            ),
            ("verdict", verdict(false).to_owned()),
            ("reason", series.error.message().to_owned()),
        ])
    }
}

/// The verdict in words.
fn verdict(is_free: bool) -> &'static str {
    match is_free {
        true => "free of deadlock",
        false => "not proved free of deadlock",
    }
}

/// A line each, values below one another.
fn table(lines: &[(&str, String)]) -> String {
    let widths = lines.iter().map(|(label, _)| label.len());
    let width = widths.max().unwrap_or(0);
    lines
        .iter()
        .map(|(label, value)| format!("{label:width$}  {value}\n"))
        .collect()
}

impl Verified {
    fn is_free(&self) -> bool {
        self.reason.is_none()
    }

    fn cycle(&self) -> Vec<String> {
        let network = &self.subject.network;
        let cycle = self.proof.as_ref().map_or(&[][..], |proof| proof.cycle());
        cycle
            .iter()
            .map(|&vc| virtual_channel_name(network, vc))
            .collect()
    }

    fn to_json(&self) -> Value {
        let proof = self.proof.as_ref().ok();
        let mut object = json!({
            "topology": self.subject.topology,
            "routing": self.subject.routing.name(),
            "deadlock_free": self.is_free(),
            "method": proof.map(|p| p.method.name()),
            "virtual_channels": self.subject.engine.virtual_channels,
            "dependencies": proof.map_or(0, |p| p.dependencies),
            "vertices": proof.map_or(0, |p| p.vertices),
            "escape_vertices": proof.map_or(0, |p| p.escape_vertices),
            "configurations": proof.map_or(0, |p| p.configurations),
            "longest_route_hops": proof.map_or(0, |p| p.longest_route_hops),
            "reaches_every_pair": proof.is_some_and(|p| p.reaches_every_pair),
            "coverage": proof.map(|p| coverage(p.coverage)),
            "reason": self.reason,
            "cycle": self.cycle(),
            "seconds": self.seconds,
        });
        if let Some(series) = &self.subject.series {
            object["series"] = json!(series);
        }
        object
    }

    fn to_words(&self) -> String {
        let subject = &self.subject;
        let verdict = verdict(self.is_free());
        let mut lines = vec![
            (
                "routing",
                format!("{} on {}", subject.routing.name(), subject.topology),
            ),
            ("verdict", verdict.to_owned()),
        ];
        if let Some(reason) = &self.reason {
            lines.push(("reason", reason.clone()));
        }
        if let Ok(proof) = &self.proof {
            lines.push(("method", proof.method.name().to_owned()));
            lines.push(("enumerated", coverage(proof.coverage)));
            lines.push((
                "virtual channels",
                format!(
                    "{} a channel; {} that packets may take",
                    proof.virtual_channels, proof.vertices
                ),
            ));
            lines.push(("dependencies", proof.dependencies.to_string()));
            lines.push(("states of packets", proof.configurations.to_string()));
            if proof.longest_route_hops > 0 {
                lines.push((
                    "longest route",
                    format!("{} hops", proof.longest_route_hops),
                ));
            }
        }
        lines.push(("time", format!("{:.3} s", self.seconds)));
        let mut words = table(&lines);
        let cycle = self.cycle();
        if !cycle.is_empty() {
            words.push_str("cycle, each waiting for the next and the last for the first:\n");
            words.extend(cycle.iter().map(|vc| format!("  {vc}\n")));
        }
        words
    }

    fn picture(&self) -> Result<String, CommandError> {
        let subject = &self.subject;
        let drawing = Drawing::of(&subject.network)
            .map_err(|error| CommandError::Input(format!("{}: {error}", subject.topology)))?;
        let cycle = self.proof.as_ref().map_or(&[][..], |proof| proof.cycle());
        let verdict = verdict(self.is_free());
        let title = format!(
            "{} on {}: {verdict}",
            subject.routing.name(),
            subject.topology
        );
        let style = Style {
            title: &title,
            note: self.reason.as_deref().unwrap_or_default(),
            channel: &|channel| {
                let waits: Vec<String> = cycle
                    .iter()
                    .filter(|(of_cycle, _)| *of_cycle == channel)
                    .map(|&vc| virtual_channel_name(&subject.network, vc))
                    .collect();
                match waits.is_empty() {
                    true if cycle.is_empty() => ChannelStyle::default(),
                    true => ChannelStyle {
                        colour: Some(Colour::GREY.lighter(0.35)),
                        ..ChannelStyle::default()
                    },
                    false => ChannelStyle {
                        colour: Some(Colour::VERMILION),
                        emphasised: true,
                        tooltip: Some(waits.join(", ")),
                        ..ChannelStyle::default()
                    },
                }
            },
            key: match cycle {
                [] => &[],
                _ => &[(
                    Colour::VERMILION,
                    "cycle: each waits for the next, the last for the first",
                )],
            },
        };
        Ok(draw::svg(&drawing, &style))
    }
}

fn coverage(coverage: Coverage) -> String {
    match coverage {
        Coverage::Full => "every destination".to_owned(),
        Coverage::BySymmetry {
            destinations,
            automorphisms,
        } => format!(
            "{destinations} destination{}, for all others by {automorphisms} automorphisms that \
             the routing respects",
            if destinations == 1 { "" } else { "s" }
        ),
        Coverage::ByProduct {
            rings,
            destinations,
            nodes,
        } => format!(
            "{} and the order of the dimensions",
            ring_list(rings, destinations, nodes)
        ),
        Coverage::ByLegs {
            rings,
            destinations,
            nodes,
        } => format!(
            "two legs on virtual channels of their own, each by its rings and the order of the \
             dimensions: {}",
            ring_list(rings, destinations, nodes)
        ),
    }
}

/// Rings, and how many of their destinations were enumerated where not all.
fn ring_list(rings: u32, destinations: u32, nodes: u32) -> String {
    let plural = if rings == 1 { "" } else { "s" };
    match destinations == nodes {
        true => format!("{rings} ring{plural}"),
        false => format!("{rings} ring{plural} ({destinations} of {nodes} destinations)"),
    }
}
