//! What a proof says of a routing on a network: as words, as JSON, as a picture of the cycle.

use crate::aligned::listing;
use crate::survey::Subject;
use flitsim_analysis::verify::{Coverage, Proof};
use flitsim_report::words::count;
use flitsim_scenario::Unroutable;
use flitsim_scenario::proof::{self, OnProgress, prove, virtual_channel_name};
use flitsim_topology::draw::{self, ChannelStyle, Colour, DrawError, Drawing, Style};
use serde_json::{Value, json};
use std::time::Instant;

/// What is said of a network and its routing.
pub enum Answer {
    /// A proof, or a cycle.
    Verified(Box<Verified>),
    /// No routing.
    Unroutable(Unroutable),
}

/// A network and its routing, proved or not.
pub struct Verified {
    /// Both.
    pub subject: Subject,
    /// The proof, or why there is none.
    pub proof: Result<Proof, String>,
    /// What is wrong, if anything.
    pub reason: Option<String>,
    /// How long it took.
    pub seconds: f64,
}

impl Answer {
    /// Whether the routing is proved free of deadlock.
    pub fn is_free(&self) -> bool {
        match self {
            Self::Verified(one) => one.is_free(),
            Self::Unroutable(_) => false,
        }
    }

    /// What to call it: its series, or else its topology.
    pub fn title(&self) -> &str {
        match self {
            Self::Verified(one) => one.subject.title(),
            Self::Unroutable(series) => &series.name,
        }
    }

    /// As JSON: the object that `flitsim verify --format json` prints.
    pub fn to_json(&self) -> Value {
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

    /// As lines for people.
    pub fn to_words(&self) -> String {
        let series = match self {
            Self::Verified(one) => return one.to_words(),
            Self::Unroutable(series) => series,
        };
        listing(&[
            (
                "routing",
                format!("{} on {}", series.algorithm, series.topology),
            ),
            ("verdict", verdict(false).to_owned()),
            ("reason", series.error.message()),
        ])
    }
}

/// The verdict in words.
fn verdict(is_free: bool) -> &'static str {
    if is_free {
        "free of deadlock"
    } else {
        "not proved free of deadlock"
    }
}

impl Verified {
    /// Proves the routing of `subject` free of deadlock, or finds why it is not.
    pub fn of(subject: Subject, on_progress: OnProgress<'_>) -> Self {
        let start = Instant::now();
        let (routing, network) = (&subject.routing, &*subject.network);
        let (engine, tables) = (&subject.engine, &*subject.routing_tables);
        let proof = prove(routing, network, engine, tables, on_progress);
        let seconds = start.elapsed().as_secs_f64();
        let proof = proof.map_err(|error| error.to_string());
        let reason = match &proof {
            Ok(proof) => proof::reason(routing, network, engine, tables, proof),
            Err(reason) => Some(reason.clone()),
        };
        Self {
            subject,
            proof,
            reason,
            seconds,
        }
    }

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
        let mut words = listing(&lines);
        let cycle = self.cycle();
        if !cycle.is_empty() {
            words.push_str("cycle, each waiting for the next and the last for the first:\n");
            words.extend(cycle.iter().map(|vc| format!("  {vc}\n")));
        }
        words
    }

    /// The network with the cycle on it, as SVG.
    ///
    /// # Errors
    /// A network that cannot be drawn.
    pub fn picture(&self) -> Result<String, DrawError> {
        let subject = &self.subject;
        let drawing = Drawing::of(&subject.network)?;
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
                if !waits.is_empty() {
                    ChannelStyle {
                        colour: Some(Colour::VERMILION),
                        emphasised: true,
                        tooltip: Some(waits.join(", ")),
                        ..ChannelStyle::default()
                    }
                } else if cycle.is_empty() {
                    ChannelStyle::default()
                } else {
                    ChannelStyle {
                        colour: Some(Colour::GREY.lighter(0.35)),
                        ..ChannelStyle::default()
                    }
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
            "{}, for all others by {automorphisms} automorphisms that the routing respects",
            count(destinations.into(), "destination")
        ),
        Coverage::ByOrbits {
            destinations,
            generators,
        } => format!(
            "{}, for all others by {generators} checked automorphisms and all that they make",
            count(destinations.into(), "destination")
        ),
        Coverage::LegByLeg { destinations } => format!(
            "two legs on virtual channels of their own, each by itself: {}",
            count(destinations.into(), "destination")
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
    let words = count(rings.into(), "ring");
    if destinations == nodes {
        words
    } else {
        format!("{words} ({destinations} of {nodes} destinations)")
    }
}
