//! The keys of `[topology]`, whatever the kind; [`Kind::keys`](super::Kind::keys) says which has which.

use super::NUMBERS;
use super::express::{
    CHANNELS, DECOMPOSITIONS, INTERCHANGES, INTERLEAVED, INTERVAL_NODES, LEVELS,
    MODULE_NODES_RANGE, WIDTHS,
};
use super::grid::{DIMENSIONS, RADIX_RANGE};
use super::kind::KINDS;
use crate::key::{Key, Shape, names, words};

/// The keys, in the order of the documentation.
pub const TOPOLOGY_KEYS: [Key; 18] = [
    Key::new(
        "kind",
        Shape::Word(|| words(&KINDS)),
        "The family of networks.",
    ),
    Key::new(
        "radix",
        Shape::integer(RADIX_RANGE, "nodes a dimension"),
        "Nodes of each dimension; with `dimensions`.",
    ),
    Key::new(
        "dimensions",
        Shape::integer(DIMENSIONS, "dimensions"),
        "Number of dimensions.",
    ),
    Key::new(
        "radices",
        Shape::Array {
            of: &Shape::integer(RADIX_RANGE, "nodes"),
            least: 1,
            most: Some(*DIMENSIONS.end() as usize),
        },
        "Nodes of each dimension, dimension 0 first; instead of `radix` and `dimensions`.",
    ),
    Key::new(
        "directed",
        Shape::Flag,
        "Rings lead one way only, upward.",
    )
    .or("false"),
    Key::new(
        "interval",
        Shape::integer(INTERVAL_NODES, "nodes"),
        "Nodes between interchanges, below the largest radix.",
    ),
    Key::new(
        "levels",
        Shape::integer(LEVELS, "levels"),
        "Levels of interchanges.",
    )
    .or("1"),
    Key::new(
        "channels_per_level",
        Shape::array(&Shape::integer(CHANNELS, "channels"), 0),
        "Parallel channels, each way, of the local channels and of each level: `levels` + 1 numbers. \
         The default is 1 of each.",
    ),
    Key::new(
        "interleaved",
        Shape::integer(INTERLEAVED, "interchanges"),
        "Simplex interchanges a group, each linked to its own slot in the next; divides `interval`.",
    )
    .or("1"),
    Key::new(
        "interchanges",
        Shape::Word(|| words(&INTERCHANGES)),
        "Each dimension has its own interchanges, or those of all dimensions are one where all \
         coordinates are boundaries.",
    )
    .or("\"separate\""),
    Key::new(
        "decomposition",
        Shape::Word(|| words(&DECOMPOSITIONS)),
        "What an interchange of several levels is made of: one module, or level-one interchanges, all \
         of them, without the ascending ones, or without the ascending and descending ones.",
    )
    .or("\"module\""),
    Key::new(
        "module_nodes",
        Shape::integer(MODULE_NODES_RANGE, "nodes"),
        "Nodes of a module along each dimension, where channel widths change at module boundaries; \
         with `inside_width_bits` and `across_width_bits`.",
    ),
    Key::new(
        "inside_width_bits",
        Shape::array(&Shape::integer(WIDTHS, "bits"), 1),
        "Widths of the local channels and of each level within modules: `levels` + 1 numbers.",
    ),
    Key::new(
        "across_width_bits",
        Shape::array(&Shape::integer(WIDTHS, "bits"), 1),
        "Widths of the local channels and of each level from one module to another: `levels` + 1 \
         numbers.",
    ),
    Key::new(
        "processors",
        Shape::integer(NUMBERS, "processors"),
        "Processors, a power of four.",
    ),
    Key::new(
        "symbols",
        Shape::integer(NUMBERS, "symbols"),
        "Symbols of each permutation, from 2 to 10.",
    ),
    Key::new(
        "path",
        Shape::Text,
        "A channel list (CSV) or GraphML document, relative to the folder of the scenario file.",
    ),
    Key::new(
        "nodes",
        Shape::Text,
        "A list of nodes, where it is in a file of its own, relative to the folder of the scenario \
         file.",
    ),
];

/// The names of the keys of `[topology]`, whatever the kind.
pub fn topology_keys() -> Vec<&'static str> {
    names(&TOPOLOGY_KEYS)
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::*;

    #[test]
    fn every_key_of_a_kind_is_described_and_belongs_to_some_kind() {
        let of_kinds: Vec<&str> = Kind::all().flat_map(|kind| kind.keys().to_vec()).collect();
        let all = topology_keys();
        for key in &of_kinds {
            assert!(all.contains(key), "{key} is not described");
        }
        for key in &all {
            assert!(of_kinds.contains(key), "no kind has {key}");
        }
    }
}
