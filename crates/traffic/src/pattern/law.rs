//! What the file of a pattern says of it.

use crate::PatternError;
use flitsim_keys::{Description, Fault, Rule, Values};
use flitsim_topology::{Network, NodeId};
use rand::Rng;

/// What a pattern is read for, besides its own keys.
#[derive(Clone, Copy, Debug)]
pub struct Context<'n> {
    /// The network, whose nodes files name.
    pub network: &'n Network,
    /// Whether a source is one of its own random destinations.
    pub include_self: bool,
    /// The seed of the scenario.
    pub seed: u64,
}

/// A kind of pattern: as a scenario says it.
pub(super) trait Kind: Sized {
    /// The keys of scenarios that it has.
    const KEYS: &'static [Description] = &[];

    /// What they ask of one another.
    const RULES: &'static [Rule] = &[];

    /// It on a network.
    type Law: Law;

    /// What `values` of a table with its keys say.
    ///
    /// # Errors
    /// What no key by itself shows to be wrong, such as what stands in a file.
    fn read(values: &Values, context: &Context<'_>) -> Result<Self, Fault>;

    /// The pattern on the terminals of `network`, where nothing has failed.
    ///
    /// # Errors
    /// [`PatternError`] where the pattern is not defined there.
    fn compile(&self, network: &Network) -> Result<Self::Law, PatternError>;

    /// What would be right where one of its keys is to blame for `error`.
    fn remedy(&self, _error: &PatternError) -> Option<String> {
        None
    }
}

/// A pattern on a network, ready to draw from.
pub(super) trait Law {
    /// The destination of the next packet of `source`.
    fn draw<R: Rng + ?Sized>(&self, source: NodeId, rng: &mut R) -> NodeId;

    /// The same, and which part of a mixture the packet follows.
    #[inline]
    fn draw_with_part<R: Rng + ?Sized>(&self, source: NodeId, rng: &mut R) -> (NodeId, u32) {
        (self.draw(source, rng), 0)
    }

    /// Every destination with its probability, in ascending order, each once, none with probability 0.
    fn demand(&self, source: NodeId, visit: &mut dyn FnMut(NodeId, f64));

    /// The most that a terminal receives where each offers 1, if that is known at once.
    fn received_most(&self) -> Option<f64> {
        None
    }

    /// The one destination of every source, where each has just one.
    fn permutation(&self) -> Option<&[NodeId]> {
        None
    }
}

/// A value of a key that the pattern's file says, with what is wrong in it and `help`.
pub(super) fn in_file(
    values: &Values,
    key: &'static str,
    error: &dyn std::error::Error,
    help: &str,
) -> Fault {
    let fault = Fault::new(values.place(key), error.to_string());
    fault.label("in this file").help(help)
}
