//! The keys of `[topology]`: the kind, and what each family brings.

use flitsim_keys::{Choice, Key, Table};
use flitsim_topology::{Definition, Kind};

pub(super) const KIND: Key<&str> = Key::one_of(
    "kind",
    || Definition::kinds().map(Kind::name).collect(),
    "The family of networks.",
);

/// The table `[topology]`.
pub static TOPOLOGY: Table = Table::new("topology", "The network.", &[]).choices(
    &const {
        [Choice {
            key: KIND.described(),
            variants: || Definition::kinds().map(|kind| kind.variant).collect(),
        }]
    },
);
