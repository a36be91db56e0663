//! The routing algorithms by name: their keys, and which of them fit a network.

use crate::escape::Escape;
use crate::topology::Topology;
use flitsim_engine::routing::{FewestDescents as FewestDescentsTable, Order, Tie, TurnRule};
use flitsim_keys::{Choice, Description, Key, Table, TextFile, Variant, Words};
use flitsim_topology::properties::{two_colouring, unpaired_channel};
use flitsim_topology::{Ends, FatTreeKind, Network, Thinning};
use std::sync::Arc;

/// The algorithms that can be run.
impl Words for Algorithm {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("dimension-order", Self::DimensionOrder),
        ("west-first", Self::TurnModel(TurnRule::WestFirst)),
        ("north-last", Self::TurnModel(TurnRule::NorthLast)),
        ("negative-first", Self::TurnModel(TurnRule::NegativeFirst)),
        ("odd-even", Self::OddEven),
        ("duato", Self::Duato),
        ("minimal-adaptive", Self::MinimalAdaptive),
        ("valiant", Self::Valiant),
        ("express", Self::Express),
        ("nearest-common-ancestor", Self::NearestCommonAncestor),
        ("fat-pyramid", Self::FatPyramid),
        ("nhop", Self::NegativeHop),
        ("nbc", Self::Nbc),
        ("enhanced-nbc", Self::EnhancedNbc),
        ("hop-class", Self::HopClass),
        ("fewest-descents", Self::FewestDescents),
        ("up-down", Self::UpDown),
        ("table", Self::Table),
        ("source", Self::Source),
    ];
}

pub(super) const ALGORITHM: Key<Option<Algorithm>> = Key::word(
    "algorithm",
    "The algorithm. The default is the best deterministic one for the topology.",
)
.optional_as("see `kind`");

pub(super) const TIE: Key<Tie> = Key::word(
    "tie",
    "dimension-order: the way round an even two-way ring to a destination half way round, drawn for each \
     packet and dimension, or always upward.",
)
.or_word("random");

pub(super) const ORDER: Key<Order> = Key::word(
    "order",
    "dimension-order on tori, meshes and hypercubes: the dimension that is corrected first.",
)
.or_word("lowest-first");

pub(super) const VC_BALANCE: Key<bool> = Key::flag(
    "vc_balance",
    "dimension-order and valiant on rings: a packet that does not wrap may use the virtual channels of \
     both classes.",
)
.or_flag(true);

pub(super) const SLACK: Key<u32> = Key::integer(
    "slack",
    0..=1_000,
    "hops",
    "fat-pyramid: what a level may cost beyond the best.",
)
.or(1);

pub(super) const ESCAPE: Key<Option<Escape>> = Key::word(
    "escape",
    "What a packet takes where none of the algorithm's own virtual channels is free.",
)
.optional_as("none");

pub(super) const ESCAPE_CLASSES: Key<Option<u32>> = Key::integer(
    "escape_classes",
    1..=63,
    "escape classes",
    "enhanced-nbc: the virtual channels of its escape. The default is as few as suffice.",
)
.optional_as("as few as suffice");

pub(super) const PATH: Key<Arc<TextFile>> = Key::file(
    "path",
    "table and source: the file of the routes, relative to the folder of the scenario file.",
)
.needed("name the file of the routes, such as `path = \"routes.csv\"`");

/// The table `[routing]`.
pub static ROUTING: Table = Table::new("routing", "How packets find their way.", &[]).choices(
    &const {
        [Choice {
            key: ALGORITHM.described(),
            variants,
        }]
    },
);

fn variants() -> Vec<Variant> {
    let all = Algorithm::WORDS.iter();
    all.map(|(word, algorithm)| Variant::new(word, "", algorithm.keys()))
        .collect()
}

/// A routing algorithm without its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
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
        self.word()
    }

    pub(super) const fn keys(self) -> &'static [Description] {
        match self {
            Self::DimensionOrder => {
                &const {
                    [
                        TIE.described(),
                        ORDER.described(),
                        VC_BALANCE.described(),
                        ESCAPE.described(),
                    ]
                }
            }
            Self::Valiant => &const { [VC_BALANCE.described(), ESCAPE.described()] },
            Self::FatPyramid => &const { [SLACK.described(), ESCAPE.described()] },
            Self::Table | Self::Source => &const { [PATH.described(), ESCAPE.described()] },
            // These have an escape of their own.
            Self::EnhancedNbc => &const { [ESCAPE_CLASSES.described()] },
            Self::Duato => &[],
            // It is what others escape over.
            Self::UpDown => &[],
            _ => &const { [ESCAPE.described()] },
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
            if !grid.has_rings() {
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
        Topology::FatTree(tree) => match tree.kind {
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
        Topology::Star(_) => [&BY_COLOURS[..], &[HopClass, MinimalAdaptive]].concat(),
        Topology::SparseTorus(torus) => {
            let (thinning, dimensions) = (torus.thinning, torus.dimensions);
            if thinning.is_one_way() {
                last.remove(0);
            }
            let mut fitting = Vec::new();
            if (thinning, dimensions) == (Thinning::Pruned, 3) {
                fitting.push(DimensionOrder);
            }
            if torus.radix.is_multiple_of(2) {
                fitting.extend(BY_COLOURS);
            }
            fitting.extend([HopClass, MinimalAdaptive]);
            // Beyond the limit of its table it is refused with the reason.
            let is_default = thinning.is_one_way()
                && FewestDescentsTable::fits(torus.radix, dimensions, thinning);
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
