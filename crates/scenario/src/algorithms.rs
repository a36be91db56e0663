//! The routing algorithms by name: their keys, and which of them fit a network.

use super::escape::{ESCAPES, has_rings};
use super::key::{Key, Shape, words};
use super::routing::{ORDERS, TIES};
use super::topology::Topology;
use flitsim_engine::routing::{FewestDescents as FewestDescentsTable, TurnRule};
use flitsim_topology::properties::{two_colouring, unpaired_channel};
use flitsim_topology::{Ends, FatTreeKind, Network, Thinning};
use std::ops::RangeInclusive;

/// The algorithms that can be run.
pub(super) const ALGORITHMS: [(&str, Algorithm); 19] = [
    ("dimension-order", Algorithm::DimensionOrder),
    ("west-first", Algorithm::TurnModel(TurnRule::WestFirst)),
    ("north-last", Algorithm::TurnModel(TurnRule::NorthLast)),
    (
        "negative-first",
        Algorithm::TurnModel(TurnRule::NegativeFirst),
    ),
    ("odd-even", Algorithm::OddEven),
    ("duato", Algorithm::Duato),
    ("minimal-adaptive", Algorithm::MinimalAdaptive),
    ("valiant", Algorithm::Valiant),
    ("express", Algorithm::Express),
    ("nearest-common-ancestor", Algorithm::NearestCommonAncestor),
    ("fat-pyramid", Algorithm::FatPyramid),
    ("nhop", Algorithm::NegativeHop),
    ("nbc", Algorithm::Nbc),
    ("enhanced-nbc", Algorithm::EnhancedNbc),
    ("hop-class", Algorithm::HopClass),
    ("fewest-descents", Algorithm::FewestDescents),
    ("up-down", Algorithm::UpDown),
    ("table", Algorithm::Table),
    ("source", Algorithm::Source),
];

/// The keys of `[routing]`, whatever the algorithm.
pub const ROUTING_KEYS: [Key; 8] = [
    Key::new(
        "algorithm",
        Shape::Word(|| words(&ALGORITHMS)),
        "The algorithm. The default is the best deterministic one for the topology.",
    ),
    Key::new(
        "tie",
        Shape::Word(|| words(&TIES)),
        "dimension-order: the way round an even two-way ring to a destination half way round, drawn \
         for each packet and dimension, or always upward.",
    )
    .or("\"random\""),
    Key::new(
        "order",
        Shape::Word(|| words(&ORDERS)),
        "dimension-order on tori, meshes and hypercubes: the dimension that is corrected first.",
    )
    .or("\"lowest-first\""),
    Key::new(
        "vc_balance",
        Shape::Flag,
        "dimension-order and valiant on rings: a packet that does not wrap may use the virtual \
         channels of both classes.",
    )
    .or("true"),
    Key::new(
        "slack",
        Shape::integer(SLACK_HOPS, "hops"),
        "fat-pyramid: what a level may cost beyond the best.",
    )
    .or("1"),
    Key::new(
        "escape",
        Shape::Word(|| words(&ESCAPES)),
        "What a packet takes where none of the algorithm's own virtual channels is free.",
    ),
    Key::new(
        "escape_classes",
        Shape::integer(ESCAPE_CLASSES, "escape classes"),
        "enhanced-nbc: the virtual channels of its escape. The default is as few as suffice.",
    ),
    Key::new(
        "path",
        Shape::Text,
        "table and source: the file of the routes, relative to the folder of the scenario file.",
    ),
];

/// Hops that a level of a fat-pyramid may cost beyond the best.
pub(super) const SLACK_HOPS: RangeInclusive<u64> = 0..=1_000;
/// Virtual channels of the escape of `enhanced-nbc`.
pub(super) const ESCAPE_CLASSES: RangeInclusive<u64> = 1..=63;

/// A routing algorithm without its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    DimensionOrder,
    TurnModel(TurnRule),
    OddEven,
    Duato,
    MinimalAdaptive,
    Valiant,
    Express,
    NearestCommonAncestor,
    FatPyramid,
    NegativeHop,
    Nbc,
    EnhancedNbc,
    HopClass,
    FewestDescents,
    UpDown,
    Table,
    Source,
}

impl Algorithm {
    pub(super) fn name(self) -> &'static str {
        ALGORITHMS
            .iter()
            .find(|(_, algorithm)| *algorithm == self)
            .map_or("", |a| a.0)
    }

    pub(super) const fn keys(self) -> &'static [&'static str] {
        match self {
            Self::DimensionOrder => &["algorithm", "tie", "order", "vc_balance", "escape"],
            Self::Valiant => &["algorithm", "vc_balance", "escape"],
            Self::FatPyramid => &["algorithm", "slack", "escape"],
            Self::Table | Self::Source => &["algorithm", "path", "escape"],
            // These have an escape of their own.
            Self::EnhancedNbc => &["algorithm", "escape_classes"],
            Self::Duato => &["algorithm"],
            // It is what others escape over.
            Self::UpDown => &["algorithm"],
            _ => &["algorithm", "escape"],
        }
    }
}

/// The algorithms that fit a topology, the default first: the best that is deterministic, or else
/// the one that needs the fewest virtual channels.
pub(super) fn fitting(topology: &Topology) -> Vec<Algorithm> {
    use Algorithm::{
        DimensionOrder, Duato, Express, FatPyramid, FewestDescents, HopClass, MinimalAdaptive,
        NearestCommonAncestor, OddEven, Source, Table, TurnModel, UpDown, Valiant,
    };
    // Links, not one-way channels.
    let mut last = vec![UpDown, Table, Source];
    let mut fitting = match topology {
        Topology::Grid(grid) => {
            if grid.directed {
                last.remove(0);
            }
            let is_even = grid.ends() == Ends::Open || grid.radices.iter().all(|k| k % 2 == 0);
            let mut fitting = vec![DimensionOrder];
            if !has_rings(topology) {
                let rules = [
                    TurnRule::WestFirst,
                    TurnRule::NorthLast,
                    TurnRule::NegativeFirst,
                ];
                fitting.extend(rules.map(TurnModel));
                if grid.radices.len() == 2 {
                    fitting.push(OddEven);
                }
            }
            fitting.extend([Duato, Valiant]);
            if is_even {
                fitting.extend(BY_COLOURS);
            }
            fitting.extend([HopClass, MinimalAdaptive]);
            fitting
        }
        // Whether there are colours is seen once it is built.
        Topology::ExpressCube(_) => {
            [&[Express][..], &BY_COLOURS, &[HopClass, MinimalAdaptive]].concat()
        }
        Topology::FatTree { kind, .. } => match kind {
            FatTreeKind::Butterfly => [
                &[NearestCommonAncestor][..],
                &BY_COLOURS,
                &[HopClass, MinimalAdaptive],
            ]
            .concat(),
            FatTreeKind::Pyramid => {
                vec![FatPyramid, NearestCommonAncestor, HopClass, MinimalAdaptive]
            }
        },
        Topology::Star { .. } => [&BY_COLOURS[..], &[HopClass, MinimalAdaptive]].concat(),
        Topology::SparseTorus {
            thinning,
            radix,
            dimensions,
        } => {
            if thinning.is_one_way() {
                last.remove(0);
            }
            let mut fitting = Vec::new();
            if (*thinning, *dimensions) == (Thinning::Pruned, 3) {
                fitting.push(DimensionOrder);
            }
            if radix.is_multiple_of(2) {
                fitting.extend(BY_COLOURS);
            }
            fitting.extend([HopClass, MinimalAdaptive]);
            // Beyond the limit of its table it is refused with the reason.
            let is_default =
                thinning.is_one_way() && FewestDescentsTable::fits(*radix, *dimensions, *thinning);
            let place = if is_default { 0 } else { fitting.len() };
            fitting.insert(place, FewestDescents);
            fitting
        }
        Topology::File(_) => {
            last.extend(BY_COLOURS);
            last.extend([HopClass, MinimalAdaptive]);
            Vec::new()
        }
    };
    fitting.append(&mut last);
    fitting
}

/// The algorithms that go round what has failed of `network`, the default first: those that know
/// nothing of it but its graph.
pub(super) fn adapting(network: &Network) -> Vec<Algorithm> {
    use Algorithm::{HopClass, MinimalAdaptive, Source, Table, UpDown};
    let mut adapting = match unpaired_channel(network) {
        None => vec![UpDown, MinimalAdaptive, HopClass],
        Some(_) => vec![HopClass, MinimalAdaptive],
    };
    if two_colouring(network).is_some() {
        adapting.extend(BY_COLOURS);
    }
    adapting.extend([Table, Source]);
    adapting
}

/// Those that need two colours of nodes.
pub(super) const BY_COLOURS: [Algorithm; 3] = [
    Algorithm::NegativeHop,
    Algorithm::Nbc,
    Algorithm::EnhancedNbc,
];

/// Every algorithm with the keys that it takes.
pub fn choices_of_keys() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    let algorithms = ALGORITHMS.iter();
    algorithms.map(|(name, algorithm)| (*name, algorithm.keys()))
}

/// The keys that an algorithm of that name takes; `None` for an unknown name.
pub fn keys_of(algorithm: &str) -> Option<Vec<&'static str>> {
    let (_, found) = ALGORITHMS.iter().find(|(name, _)| *name == algorithm)?;
    Some(found.keys().to_vec())
}
