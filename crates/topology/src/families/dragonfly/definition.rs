//! `dragonfly`.

use super::{Arrangement, Dragonfly};
use crate::TopologyError;
use crate::families::common::sizes::TERMINALS;
use crate::families::define::{Define, Entries, Kind};
use flitsim_keys::{Fault, Key, Values, Words, words};

words! {
    Arrangement: "absolute" Absolute, "relative" Relative, "circulant" Circulant;
}

const ROUTERS: Key<u32> = Key::integer(
    "routers",
    1..=u16::MAX as u64,
    "routers",
    "Routers; in a dragonfly, those of a group (a).",
)
.needed("add the routers of a group, such as `routers = 4`");

const GLOBAL_CHANNELS: Key<u32> = Key::integer(
    "global_channels",
    1..=u16::MAX as u64,
    "channels",
    "Channels of each router to other groups, h.",
)
.needed("add the global channels of each router, such as `global_channels = 2`");

const GROUPS: Key<Option<u32>> = Key::integer(
    "groups",
    2..=u16::MAX as u64,
    "groups",
    "Groups; at most, and by default, a·h + 1: one channel between any two.",
)
.optional_as("a·h + 1");

const ARRANGEMENT: Key<Arrangement> = Key::word(
    "arrangement",
    "Which group each global channel of a group leads to.",
)
.or_word("relative");

const KINDS: &[Kind] = &[Kind::new(
    "dragonfly",
    "Groups of routers, each joined to all of its group, and groups to all groups.",
    &[
        ROUTERS.described(),
        GLOBAL_CHANNELS.described(),
        GROUPS.described(),
        ARRANGEMENT.described(),
        TERMINALS.described(),
    ],
    &[],
    "routers=4,global_channels=2",
)];

/// A dragonfly as a scenario says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DragonflyDefinition {
    /// Routers of a group.
    pub routers: u32,
    /// Global channels of a router.
    pub global_channels: u32,
    /// Groups; as many as can be where `None`.
    pub groups: Option<u32>,
    /// Which group each global channel leads to.
    pub arrangement: Arrangement,
}

impl Define for DragonflyDefinition {
    type Built = Dragonfly;

    const KINDS: &'static [Kind] = KINDS;

    fn of(_: &'static str, values: &Values) -> Result<Self, Fault> {
        Ok(Self {
            routers: values.get(&ROUTERS),
            global_channels: values.get(&GLOBAL_CHANNELS),
            groups: values.get(&GROUPS),
            arrangement: values.get(&ARRANGEMENT),
        })
    }

    fn word(&self) -> String {
        let mut word = format!(
            "routers={},global_channels={}",
            self.routers, self.global_channels
        );
        if let Some(groups) = self.groups {
            word += &format!(",groups={groups}");
        }
        if self.arrangement != Arrangement::Relative {
            word += &format!(",arrangement={}", self.arrangement.word());
        }
        word
    }

    fn entries(&self) -> Entries {
        vec![
            ROUTERS.said(&self.routers),
            GLOBAL_CHANNELS.said(&self.global_channels),
            GROUPS.said(&self.groups),
            ARRANGEMENT.said(&self.arrangement),
        ]
    }

    fn build(&self) -> Result<Dragonfly, TopologyError> {
        let most = u64::from(self.routers) * u64::from(self.global_channels) + 1;
        let groups = self
            .groups
            .unwrap_or(u32::try_from(most).unwrap_or(u32::MAX));
        Dragonfly::new(self.routers, self.global_channels, groups, self.arrangement)
    }
}
