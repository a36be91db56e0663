//! The keys of `[traffic]`, whatever the pattern, the mode and the process; each of these says which
//! it adds.

use super::length::{BIMODAL_BITS_KEYS, BIMODAL_FLITS_KEYS, BITS, FILE_KEYS, FLITS};
use super::mode::{AMOUNTS, AMOUNTS_MOST, MODES, REQUESTS, SERVICE_CYCLES};
use super::pattern::{NODE_NUMBERS, PATTERNS, RADIUS_HOPS};
use super::process::{CYCLES, PROCESSES, SHAPES};
use crate::key::{Key, Shape, Within, names, words};

/// The keys, in the order of the documentation.
pub const TRAFFIC_KEYS: [Key; 19] = [
    Key::new(
        "pattern",
        Shape::Word(|| words(&PATTERNS)),
        "Who sends to whom.",
    )
    .or("\"uniform\""),
    Key::new(
        "mode",
        Shape::Word(|| words(&MODES)),
        "Whether nodes send at a load, or wait for their answers, or have all of it at the start.",
    )
    .or("\"open-loop\""),
    Key::new(
        "process",
        Shape::Word(|| words(&PROCESSES)),
        "Open loops only: when a node creates packets.",
    )
    .or("\"bernoulli\""),
    Key::new(
        "packet_flits",
        Shape::OneOf(&[
            Shape::integer(FLITS, "flits"),
            Shape::Table {
                keys: &BIMODAL_FLITS_KEYS,
                required: &["short", "long", "long_share"],
            },
            Shape::Table {
                keys: &FILE_KEYS,
                required: &["path"],
            },
        ]),
        "The length of every packet, or of packets of two lengths, or a file of lengths and weights.",
    )
    .or("16"),
    Key::new(
        "packet_bits",
        Shape::OneOf(&[
            Shape::integer(BITS, "bits"),
            Shape::Table {
                keys: &BIMODAL_BITS_KEYS,
                required: &["short", "long", "long_share"],
            },
        ]),
        "The same in bits over channels of `[channel] width_bits`; not beside `packet_flits`.",
    ),
    Key::new(
        "self",
        Shape::Flag,
        "Whether random destinations include the source itself.",
    )
    .or("false"),
    Key::new(
        "nodes",
        Shape::array(&Shape::integer(NODE_NUMBERS, "node numbers"), 1),
        "hotspot: the hot nodes, by the numbers of terminals, each once.",
    ),
    Key::new(
        "fraction",
        Shape::number(Within::closed(0.0, 1.0), ""),
        "hotspot: the share of all packets that goes to the hot nodes.",
    ),
    Key::new(
        "radius",
        Shape::integer(RADIUS_HOPS, "hops"),
        "local: how far the destinations are at most; not beside `mean_distance`.",
    ),
    Key::new(
        "mean_distance",
        Shape::number(Within::at_least(0.0), "hops"),
        "local: how far the destinations are in the mean; not beside `radius`.",
    ),
    Key::new(
        "path",
        Shape::Text,
        "permutation, matrix and trace: the file, relative to the folder of the scenario file.",
    ),
    Key::new(
        "mix",
        Shape::array(&Shape::MixPart, 1),
        "mix: patterns with their weights.",
    ),
    Key::new(
        "burst_cycles",
        Shape::number(CYCLES, "cycles"),
        "on-off and pareto: the mean length of bursts.",
    ),
    Key::new(
        "idle_cycles",
        Shape::number(CYCLES, "cycles"),
        "on-off and pareto: the mean length of the times between bursts.",
    ),
    Key::new(
        "shape",
        Shape::number(SHAPES, ""),
        "pareto: how heavy the tail of both is; the smaller, the heavier.",
    )
    .or("1.5"),
    Key::new(
        "outstanding",
        AMOUNT_OR_SEVERAL,
        "closed-loop: requests of a node on the way or in service at once; of an array, a point for \
         each.",
    )
    .or("1"),
    Key::new(
        "service_cycles",
        Shape::integer(SERVICE_CYCLES, "cycles"),
        "closed-loop: from the arrival of a request to the creation of its reply, in reference cycles.",
    )
    .or("0"),
    Key::new(
        "reply_flits",
        Shape::integer(FLITS, "flits"),
        "closed-loop: the length of replies. The default is that of requests, `packet_flits`.",
    ),
    Key::new(
        "packets",
        Shape::OneOf(&[
            Shape::integer(REQUESTS, "requests"),
            Shape::Array {
                of: &Shape::integer(AMOUNTS, "packets"),
                least: 1,
                most: Some(AMOUNTS_MOST),
            },
        ]),
        "batch: packets of each node, at most 16777216 over the nodes; of an array, a point for each. \
         closed-loop: requests of each node in all, a number alone; without it no end.",
    ),
];

/// What each node has at once: a number, or several for a point each.
const AMOUNT_OR_SEVERAL: Shape = Shape::OneOf(&[
    Shape::integer(AMOUNTS, "requests"),
    Shape::Array {
        of: &Shape::integer(AMOUNTS, "requests"),
        least: 1,
        most: Some(AMOUNTS_MOST),
    },
]);

/// The key of a part of a mixture that patterns do not have.
pub const WEIGHT: Key = Key::new(
    "weight",
    Shape::number(Within::above(0.0), ""),
    "How often the pattern is followed: its share of the sum of all weights.",
);

/// The names of the keys of `[traffic]`.
pub fn traffic_keys() -> Vec<&'static str> {
    names(&TRAFFIC_KEYS)
}

#[cfg(test)]
mod tests {
    use super::super::{KEYS, mode::MODE_KEYS, pattern, process::PROCESS_KEYS};
    use super::*;

    #[test]
    fn every_key_of_a_pattern_mode_or_process_is_described() {
        let mut listed = KEYS.to_vec();
        listed.extend(pattern::all_keys());
        listed.extend(PROCESS_KEYS);
        listed.extend(MODE_KEYS);
        assert_eq!(listed, traffic_keys());
    }
}
