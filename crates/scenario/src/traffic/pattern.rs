//! `pattern` and its keys: read with their places, then made into a pattern on a network.

use crate::error::{Fault, Place};
use crate::reader::{Placed, Section, array, describe, integer};
use crate::text_file::TextFile;
use flitsim_topology::{Network, NodeId};
use flitsim_traffic::{Matrix, MixPart, Pattern, PatternError, Reach, Trace, parse_permutation};
use serde_json::{Value, json};
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;
use toml::de::DeValue;

/// The patterns' names, each with the keys that it adds.
pub const PATTERNS: [(&str, &[&str]); 14] = [
    ("uniform", &[]),
    ("transpose", &[]),
    ("bit-complement", &[]),
    ("bit-reverse", &[]),
    ("shuffle", &[]),
    ("tornado", &[]),
    ("neighbour", &[]),
    ("random-permutation", &[]),
    ("hotspot", &["nodes", "fraction"]),
    ("local", &["radius", "mean_distance"]),
    ("permutation", &["path"]),
    ("matrix", &["path"]),
    (TRACE, &["path"]),
    (MIX, &["mix"]),
];

/// Nodes and distances; which of them there are is seen on the network.
pub(super) const NODE_NUMBERS: RangeInclusive<u64> = 0..=u32::MAX as u64;
pub(super) const RADIUS_HOPS: RangeInclusive<u64> = 1..=1 << 20;

/// The pattern of several.
pub const MIX: &str = "mix";

/// The pattern that says when and how much, too.
pub const TRACE: &str = "trace";

/// The keys that a pattern of that name adds; `None` for an unknown name.
pub fn keys_of(pattern: &str) -> Option<&'static [&'static str]> {
    let (_, keys) = PATTERNS.iter().find(|(name, _)| *name == pattern)?;
    Some(keys)
}

/// The keys that some pattern has, each once.
pub fn all_keys() -> Vec<&'static str> {
    let mut keys: Vec<&str> = PATTERNS
        .iter()
        .flat_map(|(_, keys)| *keys)
        .copied()
        .collect();
    keys.dedup();
    keys
}

/// A pattern as the scenario says it.
#[derive(Clone, Debug)]
pub struct PatternTable {
    said: Said,
    name: &'static str,
    place: Option<Place>,
    /// Where the value stands that is at fault if the network is not to blame: the nodes, the path,
    /// the distance.
    value_place: Option<Place>,
}

/// A pattern, or what makes one on a network.
#[derive(Clone, Debug)]
enum Said {
    Whole(Pattern),
    Permutation(Arc<TextFile>),
    Matrix(Arc<TextFile>),
    Trace(Arc<TextFile>),
    Mix(Vec<(PatternTable, f64)>),
}

impl PatternTable {
    /// The name of the pattern; `mix` and `trace` only where `may_mix`.
    ///
    /// # Errors
    /// No word, or an unknown one.
    pub fn name(section: &Section<'_>, may_mix: bool) -> Result<Placed<&'static str>, Fault> {
        let names: Vec<(&str, &str)> = PATTERNS
            .iter()
            .map(|(name, _)| (*name, *name))
            .filter(|(name, _)| may_mix || ![MIX, TRACE].contains(name))
            .collect();
        let name = section.word("pattern", &names, &[])?;
        Ok(name.unwrap_or(Placed::default_of("uniform")))
    }

    /// Reads the pattern of that name.
    ///
    /// # Errors
    /// The first thing wrong with its keys.
    pub fn read(
        section: &Section<'_>,
        name: Placed<&'static str>,
        include_self: bool,
        seed: u64,
        folder: &Path,
    ) -> Result<Self, Fault> {
        let said = match name.value {
            MIX => Said::Mix(parts(section, include_self, seed, folder)?),
            _ => alone(section, name.value, include_self, seed, folder)?,
        };
        let keys = keys_of(name.value).unwrap_or_default();
        Ok(Self {
            said,
            name: name.value,
            place: name.place,
            value_place: keys.iter().find_map(|key| section.place_of(key)),
        })
    }

    /// The pattern on `network`.
    ///
    /// # Errors
    /// Why it is not defined there, with the pattern, its file or its other key underlined.
    pub fn on(&self, network: &Network) -> Result<Pattern, Fault> {
        if let Said::Mix(parts) = &self.said {
            // What has failed is the mixture's business: a part may lose all its destinations.
            let parts = parts.iter().map(|(part, weight)| {
                Ok(MixPart {
                    pattern: part.alone_on(network.whole())?,
                    weight: *weight,
                })
            });
            let pattern = Pattern::Mix(parts.collect::<Result<_, Fault>>()?);
            return match network.damage() {
                None => Ok(pattern),
                Some(_) => self.fits(pattern, network),
            };
        }
        self.alone_on(network)
    }

    /// A pattern that is no mixture.
    fn alone_on(&self, network: &Network) -> Result<Pattern, Fault> {
        let in_file = |error: &dyn std::error::Error, help: &str| {
            super::fault_of(error, self.value_place.clone(), "in this file").help(help)
        };
        let pattern = match &self.said {
            Said::Whole(pattern) => pattern.clone(),
            Said::Permutation(file) => {
                let destination = parse_permutation(network, file.source()).map_err(|error| {
                    in_file(
                        &error,
                        "a permutation has the header `source,destination`, and a row for each \
                         terminal: each is once a source and once a destination",
                    )
                })?;
                Pattern::Permutation(destination.into())
            }
            Said::Matrix(file) => {
                let matrix = Matrix::parse(network, file.source()).map_err(|error| {
                    in_file(
                        &error,
                        "a traffic matrix has the header `source,destination,weight`; the weights \
                         of each terminal's destinations are probabilities that sum to 1",
                    )
                })?;
                Pattern::Matrix(Arc::new(matrix))
            }
            // Of no account: a trace has its own destinations.
            Said::Trace(_) => return Ok(Pattern::Uniform { include_self: true }),
            // Parts are not mixtures.
            Said::Mix(_) => return Ok(Pattern::Mix(Vec::new())),
        };
        self.fits(pattern, network)
    }

    /// The trace on `network`, if this is one. Where whole packets move, none may be longer than
    /// `buffer_flits`.
    ///
    /// # Errors
    /// What is wrong with its file.
    pub fn trace(
        &self,
        network: &Network,
        buffer_flits: Option<u32>,
    ) -> Result<Option<Trace>, Fault> {
        let Said::Trace(file) = &self.said else {
            return Ok(None);
        };
        let trace = Trace::parse(network, file.source(), buffer_flits).map_err(|error| {
            super::fault_of(&error, self.value_place.clone(), "in this file").help(
                "a trace has the header `cycle,source,destination,flits`, and where packets wait \
                 for others `packet,depends_on,delay` too; a row for each packet, in ascending \
                 order of cycles",
            )
        })?;
        Ok(Some(trace))
    }

    /// `pattern`, if it is defined on `network`.
    fn fits(&self, pattern: Pattern, network: &Network) -> Result<Pattern, Fault> {
        match pattern.compile(network) {
            Ok(_) => Ok(pattern),
            Err(error) => Err(self.misfit(&error, network)),
        }
    }

    /// The fault of a pattern that is not defined on `network`.
    fn misfit(&self, error: &PatternError, network: &Network) -> Fault {
        let (place, help) = match error {
            PatternError::UnknownHotspot { terminals, .. } => (
                &self.value_place,
                format!("`nodes` names terminals from 0 to {}", terminals - 1),
            ),
            PatternError::RepeatedHotspot { .. } => {
                (&self.value_place, "name each node once".to_owned())
            }
            PatternError::NobodyNear { nearest, .. } => {
                (&self.value_place, format!("`radius = {nearest}` or more"))
            }
            PatternError::MeanDistance {
                mean_distance,
                low,
                high,
                ..
            } => (
                &self.value_place,
                format!(
                    "`mean_distance = {}`: every source has this mean, and from the middle of a mesh the \
                     farthest is nearer than from a corner",
                    mean_distance.clamp(*low, *high)
                ),
            ),
            PatternError::LocalTooLarge { .. } => {
                (&self.value_place, "a small `radius`, or `uniform`".to_owned())
            }
            PatternError::NobodySends | PatternError::DestinationsFailed { .. } => (
                match self.value_place {
                    Some(_) => &self.value_place,
                    None => &self.place,
                },
                "other destinations, or other nodes in `[faults]`: one that has failed receives nothing"
                    .to_owned(),
            ),
            _ => (&self.place, fitting(network).to_owned()),
        };
        super::fault_of(error, place.clone(), "does not fit the topology").help(help)
    }

    /// Everything that defines the pattern.
    pub fn definition(&self) -> Value {
        let mut definition = json!({ "pattern": self.name });
        match &self.said {
            Said::Whole(Pattern::Hotspot {
                nodes, fraction, ..
            }) => {
                definition["nodes"] = nodes.iter().map(|node| node.0).collect();
                definition["fraction"] = json!(fraction);
            }
            Said::Whole(Pattern::Local { reach, .. }) => match reach {
                Reach::Radius(radius) => definition["radius"] = json!(radius),
                Reach::MeanDistance(mean) => definition["mean_distance"] = json!(mean),
            },
            Said::Whole(_) => {}
            Said::Permutation(file) | Said::Matrix(file) | Said::Trace(file) => {
                definition["file"] = json!(file.digest());
            }
            Said::Mix(parts) => {
                let parts = parts.iter().map(|(part, weight)| {
                    let mut definition = part.definition();
                    definition["weight"] = json!(weight);
                    definition
                });
                definition["mix"] = parts.collect();
            }
        }
        definition
    }
}

/// Patterns that are defined on networks like this one.
fn fitting(network: &Network) -> &'static str {
    match network.whole().grid() {
        Some(_) => {
            "`uniform`, `bit-complement` and `neighbour` fit every torus, mesh and hypercube"
        }
        None => "`uniform`, `random-permutation` and `hotspot` fit every network",
    }
}

/// A pattern that is no mixture.
fn alone(
    section: &Section<'_>,
    name: &str,
    include_self: bool,
    seed: u64,
    folder: &Path,
) -> Result<Said, Fault> {
    Ok(Said::Whole(match name {
        "transpose" => Pattern::Transpose,
        "bit-complement" => Pattern::BitComplement,
        "bit-reverse" => Pattern::BitReverse,
        "shuffle" => Pattern::Shuffle,
        "tornado" => Pattern::Tornado,
        "neighbour" => Pattern::Neighbour,
        "random-permutation" => Pattern::RandomPermutation { seed },
        "hotspot" => hotspot(section, include_self)?,
        "local" => Pattern::Local {
            reach: reach(section)?,
            include_self,
        },
        "permutation" => return Ok(Said::Permutation(file(section, folder)?)),
        "matrix" => return Ok(Said::Matrix(file(section, folder)?)),
        TRACE => return Ok(Said::Trace(file(section, folder)?)),
        _ => Pattern::Uniform { include_self },
    }))
}

fn file(section: &Section<'_>, folder: &Path) -> Result<Arc<TextFile>, Fault> {
    TextFile::read(section, "path", folder)?.ok_or_else(|| {
        let why = "name the file that says who sends to whom, such as `path = \"traffic.csv\"`";
        section.missing("path", why)
    })
}

fn reach(section: &Section<'_>) -> Result<Reach, Fault> {
    let help = "`radius` reaches all terminals within so many hops alike, `mean_distance` prefers \
                the nearer ones";
    section.not_both("radius", "mean_distance", help)?;
    if let Some(mean) = section.number("mean_distance")? {
        // Whether a network has it is seen there.
        return Ok(Reach::MeanDistance(mean.value));
    }
    match section.integer("radius", RADIUS_HOPS, "hops")? {
        Some(radius) => Ok(Reach::Radius(radius.value as u32)),
        None => Err(section.missing(
            "radius",
            "write `radius = 2` or `mean_distance = 2.5`, in hops",
        )),
    }
}

/// The parts of a mixture, each with its weight.
fn parts(
    section: &Section<'_>,
    include_self: bool,
    seed: u64,
    folder: &Path,
) -> Result<Vec<(PatternTable, f64)>, Fault> {
    let example = "write `mix = [{ pattern = \"uniform\", weight = 4 }, { pattern = \"transpose\", \
                   weight = 1 }]`";
    let Some(mix) = section.value("mix") else {
        return Err(section.missing("mix", example));
    };
    let values = array(mix, "`mix`")?;
    if values.is_empty() {
        return Err(Fault::new(Some(mix.span()), "`mix` is empty")
            .label("no pattern")
            .help(example));
    }
    let part = |value: &&toml::Spanned<DeValue<'_>>| {
        let DeValue::Table(table) = value.get_ref() else {
            let wrong = describe(value.get_ref());
            let message = format!("a part of `mix` must be a table, not {wrong}");
            return Err(Fault::new(Some(value.span()), message)
                .label(wrong)
                .help(example));
        };
        let part = Section::inline("mix", table, value.span());
        let name = PatternTable::name(&part, false)?;
        let mut known = vec!["pattern", "weight"];
        known.extend(keys_of(name.value).unwrap_or_default());
        part.only(&known, &[])?;
        let Some(weight) = part.number("weight")? else {
            return Err(part.missing(
                "weight",
                "say how often it is followed, such as `weight = 1`",
            ));
        };
        if !(weight.value > 0.0 && weight.value.is_finite()) {
            let message = format!("`weight` is {}, out of its range", weight.value);
            return Err(Fault::new(weight.place, message)
                .label("out of range")
                .help("a weight is a number above 0: a part's share of the sum of all weights"));
        }
        let table = PatternTable::read(&part, name, include_self, seed, folder)?;
        Ok((table, weight.value))
    };
    values.iter().map(part).collect()
}

fn hotspot(section: &Section<'_>, include_self: bool) -> Result<Pattern, Fault> {
    let Some(nodes) = section.value("nodes") else {
        let why = "name the hot nodes by number, such as `nodes = [0, 27]`";
        return Err(section.missing("nodes", why));
    };
    let values = array(nodes, "`nodes`")?;
    if values.is_empty() {
        return Err(Fault::new(Some(nodes.span()), "`nodes` is empty")
            .label("no hot node")
            .help("name at least one, such as `nodes = [27]`"));
    }
    let nodes = values
        .iter()
        .map(|value| {
            let node = integer(value, "a hot node", NODE_NUMBERS, "node numbers")?;
            Ok(NodeId(node.value as u32))
        })
        .collect::<Result<Vec<_>, Fault>>()?;
    let Some(fraction) = section.number("fraction")? else {
        let why = "say which share of the packets goes to the hot nodes, such as `fraction = 0.1`";
        return Err(section.missing("fraction", why));
    };
    if !(0.0..=1.0).contains(&fraction.value) {
        let message = format!("`fraction` is {}, out of its range", fraction.value);
        return Err(Fault::new(fraction.place, message)
            .label("out of range")
            .help("it is the share of all packets that goes to the hot nodes, from 0 to 1"));
    }
    Ok(Pattern::Hotspot {
        nodes,
        fraction: fraction.value,
        include_self,
    })
}
