//! Routing algorithms of other crates, by name. Once registered, before any scenario is read, they are used in
//! scenarios, proofs, sweeps and reports like those of this crate.
//!
//! Each call goes through a pointer: the price of not being compiled with the engine.

use super::description::{Description, Site};
use super::options::Knowledge;
use super::queues::{Queues, Undecided};
use super::relation::{Candidate, Candidates, Head, Routing, VcMask, forward, it};
use super::symmetry::Symmetry;
use crate::ConfigError;
use flitsim_keys::NameRefused;
use flitsim_topology::{ChannelId, NodeId};
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, RwLock};

/// A routing algorithm of another crate.
#[derive(Debug)]
pub struct Own {
    /// What is known of it, such as its name and what it fits.
    pub description: Description,
    /// Builds its relation at a site.
    ///
    /// # Errors
    /// Why it cannot route there.
    pub build: for<'n> fn(&Site<'n, '_>) -> Result<OwnRelation<'n>, ConfigError>,
}

/// Two are equal if their names are: no name is registered twice.
impl PartialEq for Own {
    fn eq(&self, other: &Self) -> bool {
        self.description.name == other.description.name
    }
}

impl Eq for Own {}

static REGISTERED: RwLock<Vec<&'static Own>> = RwLock::new(Vec::new());

/// Keeps `own` for as long as the program runs.
///
/// # Errors
/// A name that another of them has, or that is no plain word.
pub(super) fn keep(own: Own, is_taken: bool) -> Result<&'static Own, NameRefused> {
    let name = own.description.name;
    let mut registered = REGISTERED.write().unwrap_or_else(|held| held.into_inner());
    let mut others = registered.iter();
    let is_taken = is_taken || others.any(|other| other.description.name == name);
    NameRefused::check("routing", name, is_taken)?;
    let own: &'static Own = Box::leak(Box::new(own));
    registered.push(own);
    Ok(own)
}

/// Those that are kept, in the order in which they came.
pub(super) fn kept() -> Vec<&'static Own> {
    let registered = REGISTERED.read();
    registered.unwrap_or_else(|held| held.into_inner()).clone()
}

/// A relation whose type the engine does not know.
#[derive(Clone)]
pub struct OwnRelation<'n>(Arc<dyn Behind + 'n>);

impl<'n> OwnRelation<'n> {
    /// Puts `relation` behind a pointer.
    pub fn new(relation: impl Routing + 'n) -> Self {
        Self(Arc::new(Held(relation)))
    }
}

impl fmt::Debug for OwnRelation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnRelation")
    }
}

/// A relation by what is called of it.
trait Behind: Send + Sync {
    fn is_deterministic(&self) -> bool;
    fn has_escape(&self) -> bool;
    fn looks(&self) -> Option<Knowledge>;
    fn choices(&self, source: NodeId, destination: NodeId) -> u32;
    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64;
    fn decide(
        &self,
        packet: Undecided,
        queues: &dyn Queues,
        candidates: &mut Candidates,
    ) -> Option<u32>;
    fn at_rest(&self, source: NodeId, destination: NodeId) -> Range<u32>;
    fn route(&self, head: Head, candidates: &mut Candidates);
    fn only(&self, head: Head, candidates: &mut Candidates) -> Option<Candidate>;
    fn advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64;
    fn escape_vcs(&self, head: Head, candidate: Candidate) -> VcMask;
    fn symmetry(&self) -> Symmetry;
    fn symmetry_of_ways(&self) -> Symmetry;
}

/// One of which nothing but its methods is known, since `R` has them twice otherwise.
struct Held<R>(R);

impl<R: Routing> Behind for Held<R> {
    forward! { self => self.0 }
}

impl Routing for OwnRelation<'_> {
    const DETERMINISTIC: bool = false;
    const LOOKS: bool = true;

    forward! { self => (*self.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::{Fit, Needs, Spread, register};

    #[test]
    fn names_that_are_no_words_or_are_taken_are_refused() {
        let named = |name| {
            let description = Description {
                name,
                keys: &[],
                fits: |_| Fit::No,
                needs: Needs::Whole,
                virtual_channels_min: |_| 1,
                is_minimal: true,
                spread: Spread::Fixed,
                escape_vcs: None,
            };
            let build = |_: &Site<'_, '_>| unreachable!("never asked for");
            register(Own { description, build }).err()
        };
        let what = "routing";
        for name in ["", "a b", "a\"b", "Mine"] {
            assert_eq!(named(name), Some(NameRefused::NoName { what, name }));
        }
        let name = "valiant";
        assert_eq!(named(name), Some(NameRefused::Taken { what, name }));
    }
}
