//! Patterns of other crates, by name: a function states the weights of destinations, and packets are drawn as
//! those of a matrix are.

use super::law::Kind;
use super::matrix::Matrix;
use crate::PatternError;
use flitsim_keys::{Description, NameRefused, Values};
use flitsim_topology::{Network, NodeId};
use std::sync::{Arc, RwLock};

/// A pattern of another crate.
#[derive(Clone, Copy, Debug)]
pub struct OwnPattern {
    /// The name in scenario files and results.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub about: &'static str,
    /// The keys of `[traffic]` that it has.
    pub keys: &'static [Description],
    /// The destinations of a source, a terminal, with their weights: none below 0, one above. Shares of the
    /// source's packets are weights over their sum.
    pub weights: fn(&Values, &Network, NodeId) -> Vec<(NodeId, f64)>,
}

static REGISTERED: RwLock<Vec<&'static OwnPattern>> = RwLock::new(Vec::new());

/// Keeps `own` for as long as the program runs.
pub(super) fn keep(own: OwnPattern, is_taken: bool) -> Result<(), NameRefused> {
    let mut registered = REGISTERED.write().unwrap_or_else(|held| held.into_inner());
    // Another thread may have been quicker.
    let is_taken = is_taken || registered.iter().any(|other| other.name == own.name);
    NameRefused::check("pattern", own.name, is_taken)?;
    registered.push(Box::leak(Box::new(own)));
    Ok(())
}

/// Those that are kept, in the order in which they came.
pub(super) fn kept() -> Vec<&'static OwnPattern> {
    let registered = REGISTERED.read();
    registered.unwrap_or_else(|held| held.into_inner()).clone()
}

/// A pattern of another crate with its values.
#[derive(Clone, Debug)]
pub struct Own {
    pub(super) pattern: &'static OwnPattern,
    values: Values,
}

impl PartialEq for Own {
    fn eq(&self, other: &Self) -> bool {
        self.pattern.name == other.pattern.name && self.values == other.values
    }
}

impl Own {
    /// The pattern called `word`, if one is kept.
    pub(super) fn named(word: &str, values: &Values) -> Option<Self> {
        let pattern = kept().into_iter().find(|own| own.name == word)?;
        let values = values.clone();
        Some(Self { pattern, values })
    }

    /// It on the terminals of `network`.
    ///
    /// # Errors
    /// Weights that are no law.
    pub(super) fn compile(
        &self,
        network: &Network,
    ) -> Result<<Arc<Matrix> as Kind>::Law, PatternError> {
        let rows = (0..network.terminals()).map(|source| {
            let mut row = (self.pattern.weights)(&self.values, network, NodeId(source));
            let sum: f64 = row.iter().map(|(_, weight)| weight).sum();
            row.iter_mut().for_each(|(_, weight)| *weight /= sum);
            row
        });
        let matrix = Matrix::of(self.pattern.name, rows.collect());
        matrix.map(Arc::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::register_pattern;
    use flitsim_keys::Table;
    use flitsim_topology::{Ends, Grid};

    static TO_NOBODY: OwnPattern = OwnPattern {
        name: "to-nobody",
        about: "",
        keys: &[],
        weights: |_, network, _| vec![(NodeId(network.terminals()), 1.0)],
    };

    #[test]
    fn errors_name_the_pattern() {
        let network = Grid::uniform(2, 2, Ends::Open).unwrap().into_network();
        static KEYS: Table = Table::new("traffic", "", &[]);
        let own = Own {
            pattern: &TO_NOBODY,
            values: KEYS.defaults(),
        };
        let error = own.compile(&network).err();
        let is_named = |error: &PatternError| error.to_string().contains("to-nobody");
        assert!(error.as_ref().is_some_and(is_named), "{error:?}");
    }

    #[test]
    fn names_that_are_no_words_or_are_taken_are_refused() {
        let what = "pattern";
        let named = |name| register_pattern(OwnPattern { name, ..TO_NOBODY });
        for name in ["", "a b", "a\"b", "Mine"] {
            assert_eq!(named(name), Err(NameRefused::NoName { what, name }));
        }
        let name = "uniform";
        assert_eq!(named(name), Err(NameRefused::Taken { what, name }));
    }
}
