//! `pattern` and its keys: read with their places, then made into a pattern on a network.

use crate::error::{Fault, Place};
use crate::text_file::{TextFile, digest, source};
use flitsim_keys::{Choice, Key, Rule, Shape, Table, Values, Variant, Within};
use flitsim_topology::{Network, NodeId};
use flitsim_traffic::{Matrix, MixPart, Pattern, PatternError, Reach, Trace, parse_permutation};
use serde_json::json;
use std::sync::Arc;

/// Who sends to whom.
pub(super) const PATTERN: Key<&str> = Key::one_of(
    "pattern",
    || variants().iter().map(|variant| variant.word).collect(),
    "Who sends to whom.",
)
.or_choice("uniform");

const HOT_NODES: Key<Vec<u32>> = Key::list(
    "nodes",
    &Shape::integer(0..=u32::MAX as u64, "node numbers"),
    1,
    "a hot node",
    "hotspot: the hot nodes, by the numbers of terminals, each once.",
)
.needed("name the hot nodes by number, such as `nodes = [0, 27]`")
.hint("name at least one, such as `nodes = [27]`");

const FRACTION: Key<f64> = Key::number(
    "fraction",
    Within::closed(0.0, 1.0),
    "",
    "hotspot: the share of all packets that goes to the hot nodes.",
)
.needed("say which share of the packets goes to the hot nodes, such as `fraction = 0.1`")
.hint("the share of all packets that goes to the hot nodes");

const RADIUS: Key<Option<u32>> = Key::integer(
    "radius",
    1..=1 << 20,
    "hops",
    "local: how far the destinations are at most; not beside `mean_distance`.",
)
.optional();

const MEAN_DISTANCE: Key<Option<f64>> = Key::number(
    "mean_distance",
    Within::at_least(0.0),
    "hops",
    "local: how far the destinations are in the mean; not beside `radius`.",
)
.optional();

const PATH: Key<Arc<TextFile>> = Key::file(
    "path",
    "permutation, matrix and trace: the file, relative to the folder of the scenario file.",
)
.needed("name the file that says who sends to whom, such as `path = \"traffic.csv\"`");

const MIX_EXAMPLE: &str = "write `mix = [{ pattern = \"uniform\", weight = 4 }, { pattern = \
                           \"transpose\", weight = 1 }]`";

const PARTS: Key<Vec<Values>> = Key::list(
    "mix",
    &const { Shape::Table(&PART) },
    1,
    "a part of `mix`",
    "mix: patterns with their weights.",
)
.needed(MIX_EXAMPLE)
.hint(MIX_EXAMPLE);

const WEIGHT: Key<f64> = Key::number(
    "weight",
    Within::above(0.0),
    "",
    "How often the pattern is followed: its share of the sum of all weights.",
)
.needed("say how often it is followed, such as `weight = 1`")
.hint("a part's share of the sum of all weights");

/// A part of a mixture: a pattern that is neither a mixture nor a trace, with its keys and a weight.
pub static PART: Table = Table::new(
    "part",
    "A pattern of a mixture.",
    &const { [WEIGHT.described()] },
)
.choices(
    &const {
        [Choice {
            key: PART_PATTERN.described(),
            variants: parts,
        }]
    },
);

const PART_PATTERN: Key<&str> = Key::one_of(
    "pattern",
    || parts().iter().map(|variant| variant.word).collect(),
    "Who sends to whom.",
)
.or_choice("uniform");

fn parts() -> Vec<Variant> {
    let mut parts = variants();
    parts.retain(|variant| ![MIX, TRACE].contains(&variant.word));
    parts
}

/// The patterns, each with the keys that it adds.
pub(super) fn variants() -> Vec<Variant> {
    const LOCAL: [Rule; 2] = [
        Rule::Either {
            one: &["radius"],
            other: &["mean_distance"],
            help: "`radius` reaches all terminals within so many hops alike, `mean_distance` prefers the \
                   nearer ones",
        },
        Rule::OneOf {
            groups: &[&["radius"], &["mean_distance"]],
            help: "write `radius = 2` or `mean_distance = 2.5`, in hops",
        },
    ];
    let file = || &const { [PATH.described()] };
    vec![
        Variant::new("uniform", "Everybody to everybody alike.", &[]),
        Variant::new("transpose", "Coordinates are reversed.", &[]),
        Variant::new("bit-complement", "Every coordinate is mirrored.", &[]),
        Variant::new("bit-reverse", "The bits of the number are reversed.", &[]),
        Variant::new("shuffle", "The bits of the number are rotated.", &[]),
        Variant::new("tornado", "Almost half way round each ring.", &[]),
        Variant::new("neighbour", "One further in each dimension.", &[]),
        Variant::new("random-permutation", "A permutation drawn at random.", &[]),
        Variant::new(
            "hotspot",
            "Some nodes get more than others.",
            &const { [HOT_NODES.described(), FRACTION.described()] },
        ),
        Variant::new(
            "local",
            "The nearer, the more.",
            &const { [RADIUS.described(), MEAN_DISTANCE.described()] },
        )
        .rules(&LOCAL),
        Variant::new("permutation", "A permutation from a file.", file()),
        Variant::new("matrix", "Probabilities from a file.", file()),
        Variant::new(TRACE, "Packets from a file.", file()).without(&[
            "mode",
            "process",
            "packet_flits",
            "packet_bits",
            "self",
        ]),
        Variant::new(
            MIX,
            "Several patterns, each with a weight.",
            &const { [PARTS.described()] },
        ),
    ]
}

/// The pattern of several.
pub const MIX: &str = "mix";

/// The pattern that says when and how much, too.
pub const TRACE: &str = "trace";

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
    /// The pattern that `values` of `[traffic]`, or of a part of a mixture, say.
    pub fn of(values: &Values, include_self: bool, seed: u64) -> Self {
        let name = values.get(&PATTERN);
        let file = || values.get(&PATH);
        let said = match name {
            MIX => Said::Mix(
                values
                    .get(&PARTS)
                    .iter()
                    .map(|part| (Self::of(part, include_self, seed), part.get(&WEIGHT)))
                    .collect(),
            ),
            "permutation" => Said::Permutation(file()),
            "matrix" => Said::Matrix(file()),
            TRACE => Said::Trace(file()),
            name => Said::Whole(alone(values, name, include_self, seed)),
        };
        let of = variants().into_iter().find(|variant| variant.word == name);
        let keys = of.map_or(&[][..], |variant| variant.keys);
        Self {
            said,
            name,
            place: values.place(PATTERN.name()),
            value_place: keys.iter().find_map(|key| values.place(key.name)),
        }
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
                let destination = parse_permutation(network, source(file)).map_err(|error| {
                    in_file(
                        &error,
                        "a permutation has the header `source,destination`, and a row for each \
                         terminal: each is once a source and once a destination",
                    )
                })?;
                Pattern::Permutation(destination.into())
            }
            Said::Matrix(file) => {
                let matrix = Matrix::parse(network, source(file)).map_err(|error| {
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
        let trace = Trace::parse(network, source(file), buffer_flits).map_err(|error| {
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
    pub fn definition(&self) -> serde_json::Value {
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
                definition["file"] = json!(digest(file));
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

/// A pattern that is no mixture and in no file.
fn alone(values: &Values, name: &str, include_self: bool, seed: u64) -> Pattern {
    match name {
        "transpose" => Pattern::Transpose,
        "bit-complement" => Pattern::BitComplement,
        "bit-reverse" => Pattern::BitReverse,
        "shuffle" => Pattern::Shuffle,
        "tornado" => Pattern::Tornado,
        "neighbour" => Pattern::Neighbour,
        "random-permutation" => Pattern::RandomPermutation { seed },
        "hotspot" => Pattern::Hotspot {
            nodes: values.get(&HOT_NODES).into_iter().map(NodeId).collect(),
            fraction: values.get(&FRACTION),
            include_self,
        },
        "local" => Pattern::Local {
            reach: match values.get(&MEAN_DISTANCE) {
                // Whether a network has it is seen there.
                Some(mean) => Reach::MeanDistance(mean),
                None => Reach::Radius(values.get(&RADIUS).unwrap_or(1)),
            },
            include_self,
        },
        _ => Pattern::Uniform { include_self },
    }
}
