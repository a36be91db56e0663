//! Networks of other crates, by name: registered before any scenario is read, they are kinds as the families of
//! this crate are.

use crate::families::define::{Entries, Kind};
use crate::{Network, TopologyError};
use flitsim_keys::{Description, NameRefused, Value, Values};
use std::sync::RwLock;

/// A kind of network of another crate.
#[derive(Clone, Copy, Debug)]
pub struct OwnNetwork {
    /// The name in scenario files and results.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub about: &'static str,
    /// The keys of `[topology]` that it has.
    pub keys: &'static [Description],
    /// The keys of a small one: `rings=4,nodes=8`.
    pub example: &'static str,
    /// Builds one from values of its keys, with [`Network::from_channels`] or a family of this crate.
    ///
    /// # Errors
    /// What keeps it from being a network; a [`Fault`](flitsim_keys::Fault) that names a key is shown there.
    pub build: fn(&Values) -> Result<Network, TopologyError>,
}

/// One that is kept, as a kind.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) kind: Kind,
    build: fn(&Values) -> Result<Network, TopologyError>,
}

static REGISTERED: RwLock<Vec<&'static Kept>> = RwLock::new(Vec::new());

/// Keeps `own` for as long as the program runs.
pub(crate) fn keep(own: OwnNetwork, is_taken: bool) -> Result<(), NameRefused> {
    let mut registered = REGISTERED.write().unwrap_or_else(|held| held.into_inner());
    // Another thread may have been quicker.
    let is_taken = is_taken || registered.iter().any(|other| other.kind.name() == own.name);
    NameRefused::check("network", own.name, is_taken)?;
    registered.push(Box::leak(Box::new(Kept {
        kind: Kind::new(own.name, own.about, own.keys, &[], own.example),
        build: own.build,
    })));
    Ok(())
}

/// Those that are kept, in the order in which they came.
pub(crate) fn kept() -> Vec<&'static Kept> {
    let registered = REGISTERED.read();
    registered.unwrap_or_else(|held| held.into_inner()).clone()
}

/// A network of another crate with its values.
#[derive(Clone, Debug)]
pub struct OwnDefinition {
    kept: &'static Kept,
    values: Values,
}

impl PartialEq for OwnDefinition {
    fn eq(&self, other: &Self) -> bool {
        self.kind() == other.kind() && self.entries() == other.entries()
    }
}

impl Eq for OwnDefinition {}

impl OwnDefinition {
    /// What checked `values` of the kind called `kind` say, if one is kept.
    pub(crate) fn named(kind: &str, values: &Values) -> Option<Self> {
        let kept = kept().into_iter().find(|kept| kept.kind.name() == kind)?;
        let values = values.clone();
        Some(Self { kept, values })
    }

    pub(crate) fn kind(&self) -> &'static str {
        self.kept.kind.name()
    }

    pub(crate) fn word(&self) -> String {
        let entries = self.entries().into_iter();
        let said = entries.filter_map(|(key, value)| Some(format!("{key}={}", text(&value?))));
        said.collect::<Vec<_>>().join(",")
    }

    pub(crate) fn entries(&self) -> Entries {
        let keys = self.kept.kind.variant.keys.iter();
        let value = |name: &str| self.values.entry(name)?.value.clone();
        keys.map(|key| (key.name, value(key.name))).collect()
    }

    pub(crate) fn build(&self) -> Result<Network, TopologyError> {
        (self.kept.build)(&self.values)
    }
}

/// A value as a topology's one word has it.
fn text(value: &Value) -> String {
    match value {
        Value::Integer(number) => number.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Flag(flag) => flag.to_string(),
        Value::Word(word) => (*word).to_owned(),
        Value::Text(text) => text.clone(),
        Value::File(file) => file.path.clone(),
        Value::List(values) => {
            let each = values.iter().map(|value| text(&value.value));
            each.collect::<Vec<_>>().join("x")
        }
        Value::Table(_) => "…".to_owned(),
    }
}
