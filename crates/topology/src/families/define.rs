//! What every family tells of how scenarios say it.

use crate::TopologyError;
use flitsim_keys::{Description, Fault, Rule, Value, Values, Variant};

/// A kind of network, as `[topology] kind` names it.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its word, and the keys that it brings.
    pub variant: Variant,
    /// The keys of a small network of this kind: `radix=8,dimensions=2`.
    example: &'static str,
}

impl Kind {
    pub(crate) const fn new(
        word: &'static str,
        about: &'static str,
        keys: &'static [Description],
        rules: &'static [Rule],
        example: &'static str,
    ) -> Self {
        Self {
            variant: Variant::new(word, about, keys).rules(rules),
            example,
        }
    }

    /// A small network of this kind, in one word: `torus:radix=8,dimensions=2`.
    pub fn example(&self) -> String {
        format!("{}:{}", self.name(), self.example)
    }

    /// Its word.
    pub const fn name(&self) -> &'static str {
        self.variant.word
    }
}

/// Keys with their values.
pub(crate) type Entries = Vec<(&'static str, Option<Value>)>;

/// A network of a family as scenarios say it, before it is built.
///
/// Only the kind has a default, for families of one kind.
pub(crate) trait Define: Sized {
    /// What is built of it.
    type Built;

    /// The family's kinds, in the order of the documentation.
    const KINDS: &'static [Kind];

    /// What checked `values` of a kind say.
    fn of(kind: &'static str, values: &Values) -> Result<Self, Fault>;

    /// Its kind.
    fn kind(&self) -> &'static str {
        Self::KINDS[0].name()
    }

    /// What follows the kind in the topology's one word: it reads back as this.
    fn word(&self) -> String;

    /// Everything that defines the network, beside the kind.
    fn entries(&self) -> Entries;

    /// Builds it.
    fn build(&self) -> Result<Self::Built, TopologyError>;
}
