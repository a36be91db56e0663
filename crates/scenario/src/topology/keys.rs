//! The keys of `[topology]`, and which kind has which.

use super::kind::Kind;
use flitsim_keys::{Choice, Key, Rule, Shape, Table, TextFile, Variant};
use flitsim_topology::express::{Decomposition, Interchanges};
use std::sync::Arc;

pub(super) const KIND: Key<&str> = Key::one_of("kind", kinds, "The family of networks.");

pub(super) const RADIX: Key<Option<u32>> = Key::integer(
    "radix",
    2..=u16::MAX as u64,
    "nodes a dimension",
    "Nodes of each dimension; with `dimensions`.",
)
.optional();

pub(super) const DIMENSIONS: Key<Option<u32>> =
    Key::integer("dimensions", 1..=63, "dimensions", "Number of dimensions.").optional();

pub(super) const RADICES: Key<Option<Vec<u32>>> = Key::shaped(
    "radices",
    Shape::List {
        of: &Shape::integer(2..=u16::MAX as u64, "nodes"),
        least: 1,
        most: Some(63),
        element: "the radix of dimension {}",
    },
    "Nodes of each dimension, dimension 0 first; instead of `radix` and `dimensions`.",
)
.hint("give the nodes of each dimension, such as `radices = [8, 4, 2]`")
.optional();

pub(super) const DIRECTED: Key<bool> =
    Key::flag("directed", "Rings lead one way only, upward.").or_flag(false);

pub(super) const INTERVAL: Key<u32> = Key::integer(
    "interval",
    2..=u16::MAX as u64,
    "nodes",
    "Nodes between interchanges, below the largest radix.",
)
.needed("say how many nodes lie between interchanges, such as `interval = 4`");

pub(super) const LEVELS: Key<u32> =
    Key::integer("levels", 1..=16, "levels", "Levels of interchanges.").or(1);

pub(super) const CHANNELS_PER_LEVEL: Key<Option<Vec<u32>>> = Key::list(
    "channels_per_level",
    &Shape::integer(1..=64, "channels"),
    0,
    "the number of channels of level {}",
    "Parallel channels, each way, of the local channels and of each level: `levels` + 1 numbers. The \
     default is 1 of each.",
)
.optional_as("all 1");

pub(super) const INTERLEAVED: Key<u32> = Key::integer(
    "interleaved",
    1..=u16::MAX as u64,
    "interchanges",
    "Simplex interchanges a group, each linked to its own slot in the next; divides `interval`.",
)
.or(1);

pub(super) const INTERCHANGES: Key<Interchanges> = Key::word(
    "interchanges",
    "Each dimension has its own interchanges, or those of all dimensions are one where all coordinates \
     are boundaries.",
)
.or_word("separate");

pub(super) const DECOMPOSITION: Key<Decomposition> = Key::word(
    "decomposition",
    "What an interchange of several levels is made of: one module, or level-one interchanges, all of \
     them, without the ascending ones, or without the ascending and descending ones.",
)
.or_word("module");

pub(super) const MODULE_NODES: Key<Option<u32>> = Key::integer(
    "module_nodes",
    1..=u16::MAX as u64,
    "nodes",
    "Nodes of a module along each dimension, where channel widths change at module boundaries; with \
     `inside_width_bits` and `across_width_bits`.",
)
.optional();

const WIDTHS: Shape = Shape::integer(1..=1 << 20, "bits");

pub(super) const INSIDE: Key<Option<Vec<u32>>> = Key::list(
    "inside_width_bits",
    &WIDTHS,
    1,
    "the width of channels of level {}",
    "Widths of the local channels and of each level within modules: `levels` + 1 numbers.",
)
.optional();

pub(super) const ACROSS: Key<Option<Vec<u32>>> = Key::list(
    "across_width_bits",
    &WIDTHS,
    1,
    "the width of channels of level {}",
    "Widths of the local channels and of each level from one module to another: `levels` + 1 numbers.",
)
.optional();

pub(super) const PROCESSORS: Key<u32> = Key::integer(
    "processors",
    1..=u32::MAX as u64,
    "processors",
    "Processors, a power of four.",
)
.needed("add it, such as `processors = 64`");

pub(super) const SYMBOLS: Key<u32> = Key::integer(
    "symbols",
    1..=u32::MAX as u64,
    "symbols",
    "Symbols of each permutation, from 2 to 10.",
)
.needed("add it, such as `symbols = 5`");

pub(super) const PATH: Key<Arc<TextFile>> = Key::file(
    "path",
    "A channel list (CSV) or GraphML document, relative to the folder of the scenario file.",
)
.needed("name a channel list (CSV) or a GraphML file, such as `path = \"network.csv\"`");

pub(super) const NODES: Key<Option<Arc<TextFile>>> = Key::file(
    "nodes",
    "A list of nodes, where it is in a file of its own, relative to the folder of the scenario file.",
)
.optional();

/// The table `[topology]`.
pub static TOPOLOGY: Table = Table::new("topology", "The network.", &[]).choices(
    &const {
        [Choice {
            key: KIND.described(),
            variants,
        }]
    },
);

const ONE_SIZE: &[&str] = &["radix", "dimensions"];

const SIZES: [Rule; 2] = [
    Rule::Either {
        one: &["radices"],
        other: ONE_SIZE,
        help: "either `radix` and `dimensions`, or `radices` alone",
    },
    Rule::OneOf {
        groups: &[ONE_SIZE, &["radices"]],
        help: "add `radix` and `dimensions`, such as `radix = 8` and `dimensions = 2`, or `radices = [8, \
               4, 2]`",
    },
];

const SIZE: Rule = Rule::OneOf {
    groups: &[ONE_SIZE],
    help: "add `radix` and `dimensions`, such as `radix = 8` and `dimensions = 2`",
};

const WIDTH_KEYS: &[&str] = &["module_nodes", "inside_width_bits", "across_width_bits"];

fn kinds() -> Vec<&'static str> {
    Kind::all().map(Kind::name).collect()
}

fn variants() -> Vec<Variant> {
    Kind::all().map(variant).collect()
}

fn variant(kind: Kind) -> Variant {
    let name = kind.name();
    match kind {
        Kind::Torus => Variant::new(
            name,
            "Every dimension is a ring.",
            &const {
                [
                    RADIX.described(),
                    DIMENSIONS.described(),
                    RADICES.described(),
                    DIRECTED.described(),
                ]
            },
        )
        .rules(&SIZES),
        Kind::Mesh => Variant::new(
            name,
            "Every dimension is a line.",
            &const {
                [
                    RADIX.described(),
                    DIMENSIONS.described(),
                    RADICES.described(),
                ]
            },
        )
        .rules(&SIZES),
        Kind::Hypercube => Variant::new(
            name,
            "Two nodes a dimension.",
            &const { [DIMENSIONS.described()] },
        )
        .rules(&[Rule::OneOf {
            groups: &[&["dimensions"]],
            help: "add it, such as `dimensions = 2`",
        }]),
        Kind::ExpressCube => express(name),
        Kind::ButterflyFatTree => Variant::new(
            name,
            "Four processors on each leaf switch, two parents a switch.",
            &const { [PROCESSORS.described()] },
        ),
        Kind::FatPyramid => Variant::new(
            name,
            "The same, each copy of a level a mesh.",
            &const { [PROCESSORS.described()] },
        ),
        Kind::Star => Variant::new(
            name,
            "Permutations; a channel swaps the symbol in the first place with another.",
            &const { [SYMBOLS.described()] },
        ),
        Kind::PrunedTorus | Kind::ManhattanTorus | Kind::PrunedManhattanTorus => Variant::new(
            name,
            "A torus without some of its channels.",
            &const { [RADIX.described(), DIMENSIONS.described()] },
        )
        .rules(&[SIZE]),
        Kind::File => Variant::new(
            name,
            "The user's own.",
            &const { [PATH.described(), NODES.described()] },
        ),
    }
}

fn express(name: &'static str) -> Variant {
    Variant::new(
        name,
        "A mesh with interchanges and express channels.",
        &const {
            [
                RADIX.described(),
                DIMENSIONS.described(),
                RADICES.described(),
                INTERVAL.described(),
                LEVELS.described(),
                CHANNELS_PER_LEVEL.described(),
                INTERLEAVED.described(),
                INTERCHANGES.described(),
                DECOMPOSITION.described(),
                MODULE_NODES.described(),
                INSIDE.described(),
                ACROSS.described(),
            ]
        },
    )
    .rules(&[
        SIZES[0],
        SIZES[1],
        Rule::Needs {
            keys: WIDTH_KEYS,
            others: WIDTH_KEYS,
            help: "channel widths that change at module boundaries take `module_nodes`, the nodes of a \
                   module along a dimension, and a width for the local channels and for each level \
                   within modules, `inside_width_bits`, and between them, `across_width_bits`",
        },
    ])
}
