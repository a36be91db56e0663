//! The keys of `[routing]`, and which routing takes which.

use flitsim_engine::routing::{
    AfterEscape, Algorithm, Ascent, GroupClasses, Knowledge, Levels, OptionKey, Order, RingClasses,
    Tie,
};
use flitsim_keys::{Choice, Description, Key, Table, TextFile, Variant, Words};
use std::sync::{Arc, LazyLock};

/// A routing that another may fall back on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Escape(pub Algorithm);

impl Words for Escape {
    const WORDS: &'static [(&'static str, Self)] = &[
        word(Algorithm::DimensionOrder),
        word(Algorithm::WestFirst),
        word(Algorithm::NorthLast),
        word(Algorithm::NegativeFirst),
        word(Algorithm::UpDown),
    ];
}

const fn word(algorithm: Algorithm) -> (&'static str, Escape) {
    assert!(algorithm.is_escape());
    (algorithm.name(), Escape(algorithm))
}

pub(super) const ALGORITHM: Key<Option<Algorithm>> = Key::word(
    "algorithm",
    "The algorithm. The default is the best deterministic one for the topology.",
)
.optional_as("see `kind`");

pub(super) const TIE: Key<Tie> = Key::word(
    "tie",
    "dimension-order and o1turn: the way round an even two-way ring if the destination is half way round: drawn for \
     each packet and dimension, or always upward.",
)
.or_word("random");

pub(super) const ORDER: Key<Order> = Key::word(
    "order",
    "dimension-order on tori, meshes and hypercubes: the dimension that is corrected first.",
)
.or_word("lowest-first");

pub(super) const VC_BALANCE: Key<bool> = Key::flag(
    "vc_balance",
    "dimension-order, o1turn, valiant and ugal on rings: a packet that does not wrap may use the virtual channels of \
     both classes.",
)
.or_flag(true);

pub(super) const RING_CLASSES: Key<RingClasses> = Key::word(
    "ring_classes",
    "dimension-order on tori: a packet uses the second half of the virtual channels from the dateline on, or (fixed) \
     one half for all of its way round a ring: the second where it enters the ring above its destination; or (drawn) the \
     second where it wraps, the first where it passes the middle, and else one that is drawn. With fixed and drawn, \
     `vc_balance` has no effect.",
)
.or_word("dateline");

pub(super) const GROUP_CLASSES: Key<GroupClasses> = Key::word(
    "group_classes",
    "minimal on dragonflies: channels within groups have two classes of virtual channels, or (dateline) a packet has \
     one virtual channel a hop: 0 up to the channel between groups, and 1 from that on, to one of several terminals too.",
)
.or_word("local");

pub(super) const ASCENT: Key<Ascent> = Key::word(
    "ascent",
    "nearest-common-ancestor: up to any free parent, or to the one drawn for the packet, even if others wait there.",
)
.or_word("free");

pub(super) const SLACK: Key<u32> = Key::integer(
    "slack",
    0..=1_000,
    "hops",
    "fat-pyramid: hops that a level may cost beyond the best.",
)
.or(1);

pub(super) const ESCAPE: Key<Option<Escape>> = Key::word(
    "escape",
    "The routing of a packet that finds none of the algorithm's own virtual channels free.",
)
.optional_as("none");

pub(super) const ESCAPE_CLASSES: Key<Option<u32>> = Key::integer(
    "escape_classes",
    1..=63,
    "escape classes",
    "enhanced-nbc: the virtual channels of its escape. The default is as few as suffice.",
)
.optional_as("as few as suffice");

pub(super) const AFTER_ESCAPE: Key<AfterEscape> = Key::word(
    "after_escape",
    "duato: after a hop over the escape, a packet may take adaptive virtual channels again, or stays on the escape up \
     to its destination.",
)
.or_word("return");

pub(super) const KNOWLEDGE: Key<Knowledge> = Key::word(
    "knowledge",
    "ugal: the queues that it knows: those of the source's router or, as the ideal, of all routers.",
)
.or_word("local");

pub(super) const LEVELS: Key<Levels> = Key::word(
    "levels",
    "express: the level to take at an interchange: the highest that does not pass the destination, or any that does \
     not.",
)
.or_word("highest");

pub(super) const ADAPTIVE: Key<bool> = Key::flag(
    "adaptive",
    "up-down: of equally good channels, a packet takes whichever is free, not the lowest.",
)
.or_flag(false);

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
    let all = Algorithm::every().into_iter();
    all.map(|algorithm| Variant::new(algorithm.name(), "", keys(algorithm)))
        .collect()
}

/// The keys of every algorithm that is known when the first scenario is read.
static KEYS: LazyLock<Vec<(Algorithm, Vec<Description>)>> = LazyLock::new(|| {
    let described = |key: &OptionKey| match key {
        OptionKey::Tie => TIE.described(),
        OptionKey::Order => ORDER.described(),
        OptionKey::VcBalance => VC_BALANCE.described(),
        OptionKey::RingClasses => RING_CLASSES.described(),
        OptionKey::GroupClasses => GROUP_CLASSES.described(),
        OptionKey::Ascent => ASCENT.described(),
        OptionKey::Slack => SLACK.described(),
        OptionKey::EscapeClasses => ESCAPE_CLASSES.described(),
        OptionKey::AfterEscape => AFTER_ESCAPE.described(),
        OptionKey::Knowledge => KNOWLEDGE.described(),
        OptionKey::Levels => LEVELS.described(),
        OptionKey::Adaptive => ADAPTIVE.described(),
        OptionKey::Path => PATH.described(),
        OptionKey::Escape => ESCAPE.described(),
    };
    let all = Algorithm::every().into_iter();
    all.map(|algorithm| {
        let keys = algorithm.description().keys.iter();
        (algorithm, keys.map(described).collect())
    })
    .collect()
});

/// The keys that `algorithm` takes.
pub(super) fn keys(algorithm: Algorithm) -> &'static [Description] {
    let known = KEYS.iter().find(|(known, _)| *known == algorithm);
    known.map_or(&[], |(_, keys)| keys)
}
