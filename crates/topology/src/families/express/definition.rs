//! `express-cube`.

use super::{Decomposition, ExpressCube, ExpressParameters, Interchanges, ModuleWidths};
use crate::TopologyError;
use crate::families::common::sizes::{
    ANY, DIMENSIONS, EITHER, RADICES, RADIX, joined, radices, word,
};
use crate::families::define::{Define, Entries, Kind};
use flitsim_keys::{Fault, Form, Key, Rule, Shape, Values, Words, words};

words! {
    Decomposition: "module" Module, "level-one" LevelOne, "without-ascending" WithoutAscending,
        "top-only" TopOnly;
    Interchanges: "separate" Separate, "interleaved" Interleaved;
}

const NODES: std::ops::RangeInclusive<u64> = 1..=u16::MAX as u64;

const INTERVAL: Key<u32> = Key::integer(
    "interval",
    2..=u16::MAX as u64,
    "nodes",
    "Nodes between interchanges, below the largest radix.",
)
.needed("say how many nodes lie between interchanges, such as `interval = 4`");

const LEVELS: Key<u32> = Key::integer(
    "levels",
    1..=16,
    "levels",
    "Levels of interchanges, or of switches.",
)
.or(1);

const CHANNELS_PER_LEVEL: Key<Option<Vec<u32>>> = Key::list(
    "channels_per_level",
    &Shape::integer(1..=64, "channels"),
    0,
    "the number of channels of level {}",
    "Parallel channels, each way, of the local channels and of each level: `levels` + 1 numbers. The \
     default is 1 of each.",
)
.optional_as("all 1");

const INTERLEAVED: Key<u32> = Key::integer(
    "interleaved",
    NODES,
    "interchanges",
    "Simplex interchanges in a group, each linked to its own slot in the next group; divides `interval`.",
)
.or(1);

const INTERCHANGES: Key<Interchanges> = Key::word(
    "interchanges",
    "Each dimension has its own interchanges, or, where all coordinates are boundaries, those of all dimensions are \
     one.",
)
.or_word("separate");

const DECOMPOSITION: Key<Decomposition> = Key::word(
    "decomposition",
    "What an interchange of several levels is made of: one module, or level-one interchanges (all of them, all but the \
     ascending ones, or all but the ascending and descending ones).",
)
.or_word("module");

const RINGS: Key<bool> = Key::flag(
    "rings",
    "Whether the ends of every line are joined, through an interchange of the highest level.",
)
.or_flag(false);

const MODULE_NODES: Key<Option<u32>> = Key::integer(
    "module_nodes",
    NODES,
    "nodes",
    "Nodes of a module along each dimension, where channel widths change at module boundaries; with \
     `inside_width_bits` and `across_width_bits`.",
)
.optional();

const INSIDE: Key<Option<Vec<u32>>> = widths(
    "inside_width_bits",
    "Widths within modules, of the local channels and of each level: `levels` + 1 numbers.",
);

const ACROSS: Key<Option<Vec<u32>>> = widths(
    "across_width_bits",
    "Widths between modules, of the local channels and of each level: `levels` + 1 numbers.",
);

const fn widths(name: &'static str, meaning: &'static str) -> Key<Option<Vec<u32>>> {
    const BITS: Shape = Shape::integer(1..=1 << 20, "bits");
    Key::list(name, &BITS, 1, "the width of channels of level {}", meaning).optional()
}

const WIDTHS: &[&str] = &["module_nodes", "inside_width_bits", "across_width_bits"];

const KINDS: &[Kind] = &[Kind::new(
    "express-cube",
    "A mesh with interchanges and express channels.",
    &[
        RADIX.described(),
        DIMENSIONS.described(),
        RADICES.described(),
        INTERVAL.described(),
        LEVELS.described(),
        CHANNELS_PER_LEVEL.described(),
        INTERLEAVED.described(),
        INTERCHANGES.described(),
        DECOMPOSITION.described(),
        RINGS.described(),
        MODULE_NODES.described(),
        INSIDE.described(),
        ACROSS.described(),
    ],
    &[
        EITHER,
        ANY,
        Rule::Needs {
            keys: WIDTHS,
            others: WIDTHS,
            help: "channel widths that change at module boundaries take `module_nodes`, the nodes of a \
                   module along a dimension, and a width for the local channels and for each level \
                   within modules, `inside_width_bits`, and between them, `across_width_bits`",
        },
    ],
    "radix=8,dimensions=2,interval=2,levels=1",
)];

impl Define for ExpressParameters {
    type Built = ExpressCube;

    const KINDS: &'static [Kind] = KINDS;

    fn of(_: &'static str, values: &Values) -> Result<Self, Fault> {
        Ok(Self {
            radices: radices(values),
            interval: values.get(&INTERVAL),
            levels: values.get(&LEVELS),
            channels_per_level: values.get(&CHANNELS_PER_LEVEL).unwrap_or_default(),
            interleaved: values.get(&INTERLEAVED),
            decomposition: values.get(&DECOMPOSITION),
            interchanges: values.get(&INTERCHANGES),
            rings: values.get(&RINGS),
            widths: values.get(&MODULE_NODES).map(|nodes| ModuleWidths {
                nodes,
                inside_bits: values.get(&INSIDE).unwrap_or_default(),
                across_bits: values.get(&ACROSS).unwrap_or_default(),
            }),
        })
    }

    /// Interval and levels always, the rest where it is not as usual.
    fn word(&self) -> String {
        let mut said = vec![
            word(&self.radices),
            format!("interval={},levels={}", self.interval, self.levels),
        ];
        if self.channels_per_level.iter().any(|&m| m != 1) {
            let channels = joined(&self.channels_per_level);
            said.push(format!("channels_per_level={channels}"));
        }
        if self.interleaved > 1 {
            said.push(format!("interleaved={}", self.interleaved));
        }
        if self.decomposition != Decomposition::default() {
            said.push(format!("decomposition={}", self.decomposition.word()));
        }
        if self.interchanges != Interchanges::default() {
            said.push(format!("interchanges={}", self.interchanges.word()));
        }
        if self.rings {
            said.push("rings=true".to_owned());
        }
        if let Some(widths) = &self.widths {
            said.push(format!("module_nodes={}", widths.nodes));
            said.push(format!("inside_width_bits={}", joined(&widths.inside_bits)));
            said.push(format!("across_width_bits={}", joined(&widths.across_bits)));
        }
        said.join(",")
    }

    /// What came later is there only where it is not as usual: definitions of results stay what they
    /// were.
    fn entries(&self) -> Entries {
        let mut channels = self.channels_per_level.clone();
        if channels.is_empty() {
            channels = vec![1; self.levels as usize + 1];
        }
        let mut entries = vec![
            ("radices", self.radices.write()),
            INTERVAL.said(&self.interval),
            LEVELS.said(&self.levels),
            CHANNELS_PER_LEVEL.said(&Some(channels)),
            INTERLEAVED.said(&self.interleaved),
            DECOMPOSITION.said(&self.decomposition),
        ];
        if self.interchanges != Interchanges::default() {
            entries.push(INTERCHANGES.said(&self.interchanges));
        }
        if self.rings {
            entries.push(RINGS.said(&true));
        }
        if let Some(widths) = &self.widths {
            entries.push(MODULE_NODES.said(&Some(widths.nodes)));
            entries.push((INSIDE.name(), widths.inside_bits.write()));
            entries.push((ACROSS.name(), widths.across_bits.write()));
        }
        entries
    }

    fn build(&self) -> Result<ExpressCube, TopologyError> {
        ExpressCube::new(self.clone())
    }
}
