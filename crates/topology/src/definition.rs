//! A network as it is defined, before it is built.

use crate::families::common::sizes::TERMINALS;
use crate::families::define::{Define, Entries, Kind};
use crate::families::*;
use crate::own::{OwnDefinition, OwnNetwork, keep, kept};
use crate::{Network, TopologyError};
use flitsim_keys::{Fault, NameRefused, Value, Values};

macro_rules! definition {
    ($($(#[$doc:meta])* $family:ident, $name:ident, $definition:ident;)*) => {
        /// A network as a scenario says it: its family, by what defines it.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Definition {
            $($(#[$doc])* $family($definition),)*
            /// Any of them with several terminals at every router.
            Concentrated {
                /// The network of the routers.
                routers: Box<Definition>,
                /// Terminals of each: 2 or more.
                terminals: u32,
            },
            /// The user's own, from files.
            File(FileDefinition),
            /// One of another crate, which has been [registered](register_network).
            Own(OwnDefinition),
        }

        impl Definition {
            /// Every kind of network, in the order of the documentation; last those of other crates.
            pub fn kinds() -> impl Iterator<Item = &'static Kind> {
                let families = [$($definition::KINDS,)* FileDefinition::KINDS];
                let own = kept().into_iter().map(|kept| &kept.kind);
                families.into_iter().flatten().chain(own)
            }

            /// The network of the kind called `kind` that checked `values` say.
            ///
            /// # Errors
            /// What only the family can tell.
            ///
            /// # Panics
            /// If there is no such kind, or the values are not those of its keys: mistakes of a
            /// program.
            pub fn of(kind: &str, values: &Values) -> Result<Self, Fault> {
                let of = |kinds: &'static [Kind]| {
                    kinds.iter().map(Kind::name).find(|name| *name == kind)
                };
                $(if let Some(kind) = of($definition::KINDS) {
                    let routers = $definition::of(kind, values).map(Self::$family)?;
                    return Ok(routers.with_terminals(values));
                })*
                if let Some(own) = OwnDefinition::named(kind, values) {
                    return Ok(Self::Own(own));
                }
                let kind = of(FileDefinition::KINDS).expect("a kind that is known");
                FileDefinition::of(kind, values).map(Self::File)
            }

            /// The kind in scenario files.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Self::$family(definition) => definition.kind(),)*
                    Self::Concentrated { routers, .. } => routers.kind(),
                    Self::File(files) => files.kind(),
                    Self::Own(own) => own.kind(),
                }
            }

            fn keys_in_one_word(&self) -> String {
                match self {
                    $(Self::$family(definition) => definition.word(),)*
                    Self::Concentrated { routers, terminals } => {
                        format!("{},terminals={terminals}", routers.keys_in_one_word())
                    }
                    Self::File(files) => files.word(),
                    Self::Own(own) => own.word(),
                }
            }

            fn entries_of_family(&self) -> Entries {
                match self {
                    $(Self::$family(definition) => definition.entries(),)*
                    Self::Concentrated { routers, terminals } => {
                        let mut entries = routers.entries_of_family();
                        entries.push(TERMINALS.said(terminals));
                        entries
                    }
                    Self::File(files) => files.entries(),
                    Self::Own(own) => own.entries(),
                }
            }

            /// Builds the network.
            ///
            /// # Errors
            /// A condition of its family that does not hold, a file that is no network, or what does
            /// not fit.
            pub fn build(&self) -> Result<Network, TopologyError> {
                match self {
                    $(Self::$family(definition) => definition.build().map(Network::from),)*
                    Self::Concentrated { routers, terminals } => {
                        routers.build()?.concentrated(*terminals)
                    }
                    Self::File(files) => files.build().map(Network::from),
                    Self::Own(own) => own.build(),
                }
            }
        }
    };
}
families!(definition);

/// Makes `own` known by its name, for as long as the program runs. It must be done before the first scenario
/// is read.
///
/// # Errors
/// A name that another kind of network has, or that is no plain word.
pub fn register_network(own: OwnNetwork) -> Result<(), NameRefused> {
    let is_taken = Definition::kind_named(own.name).is_some();
    keep(own, is_taken)
}

impl Definition {
    /// The same with as many terminals at every router as `values` say, if they do.
    fn with_terminals(self, values: &Values) -> Self {
        let has_key = values.entry(TERMINALS.name()).is_some();
        match has_key.then(|| values.get(&TERMINALS)) {
            None | Some(1) => self,
            Some(terminals) => Self::Concentrated {
                routers: Box::new(self),
                terminals,
            },
        }
    }

    /// The network of the routers: itself, unless there are several terminals at each.
    pub fn routers(&self) -> &Self {
        match self {
            Self::Concentrated { routers, .. } => routers,
            definition => definition,
        }
    }

    /// The kind called `name`.
    pub fn kind_named(name: &str) -> Option<&'static Kind> {
        Self::kinds().find(|kind| kind.name() == name)
    }

    /// The network in one word, as `torus:radix=8,dimensions=2`.
    pub fn word(&self) -> String {
        format!("{}:{}", self.kind(), self.keys_in_one_word())
    }

    /// Everything that defines the network, key by key, the kind first.
    pub fn entries(&self) -> Vec<(&'static str, Option<Value>)> {
        let mut entries = vec![("kind", Some(Value::Word(self.kind())))];
        entries.extend(self.entries_of_family());
        entries
    }
}
