//! Relations behind a pointer: what tests do with every one of them, such as a simulation or a proof, is
//! compiled for whether they are deterministic, and not for each.

use flitsim_analysis::verify::{self, Proof, VerifyOptions};
use flitsim_analysis::{AnalysisError, Expected};
use flitsim_engine::routing::{Knowledge, Queues, Symmetry, Undecided, Way};
use flitsim_engine::{Candidate, Candidates, EngineConfig, Head, Routing, VcMask};
use flitsim_topology::{ChannelId, Network, NodeId};
use std::ops::Range;

/// What a [`Routing`] does, whatever its type.
trait Relation: Send + Sync {
    fn has_escape(&self) -> bool;
    fn looks(&self) -> Option<Knowledge>;
    fn decide(&self, packet: Undecided, queues: &dyn Queues, any: &mut Candidates) -> Option<u32>;
    fn at_rest(&self, source: NodeId, destination: NodeId) -> Range<u32>;
    fn choices(&self, source: NodeId, destination: NodeId) -> u32;
    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64;
    fn route(&self, head: Head, candidates: &mut Candidates);
    fn only(&self, head: Head, candidates: &mut Candidates) -> Option<Candidate>;
    fn way(&self, head: Head, candidates: &mut Candidates) -> Option<(Way, VcMask)>;
    fn advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64;
    fn escape_vcs(&self, head: Head, candidate: Candidate) -> VcMask;
    fn symmetry(&self) -> Symmetry;
    fn symmetry_of_ways(&self) -> Symmetry;
}

/// Hands every question on to `$inner`, a `$of`.
macro_rules! asks {
    ($self:ident, $of:ident => $inner:expr) => {
        fn has_escape(&$self) -> bool {
            $of::has_escape($inner)
        }
        fn looks(&$self) -> Option<Knowledge> {
            $of::looks($inner)
        }
        fn decide(
            &$self,
            packet: Undecided,
            queues: &dyn Queues,
            any: &mut Candidates,
        ) -> Option<u32> {
            $of::decide($inner, packet, queues, any)
        }
        fn at_rest(&$self, source: NodeId, destination: NodeId) -> Range<u32> {
            $of::at_rest($inner, source, destination)
        }
        fn choices(&$self, source: NodeId, destination: NodeId) -> u32 {
            $of::choices($inner, source, destination)
        }
        fn initial(&$self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
            $of::initial($inner, source, destination, choice)
        }
        fn route(&$self, head: Head, candidates: &mut Candidates) {
            $of::route($inner, head, candidates)
        }
        fn only(&$self, head: Head, candidates: &mut Candidates) -> Option<Candidate> {
            $of::only($inner, head, candidates)
        }
        fn way(&$self, head: Head, candidates: &mut Candidates) -> Option<(Way, VcMask)> {
            $of::way($inner, head, candidates)
        }
        fn advance(&$self, head: Head, channel: ChannelId, vc: u32) -> u64 {
            $of::advance($inner, head, channel, vc)
        }
        fn escape_vcs(&$self, head: Head, candidate: Candidate) -> VcMask {
            $of::escape_vcs($inner, head, candidate)
        }
        fn symmetry(&$self) -> Symmetry {
            $of::symmetry($inner)
        }
        fn symmetry_of_ways(&$self) -> Symmetry {
            $of::symmetry_of_ways($inner)
        }
    };
}

impl<R: Routing> Relation for R {
    asks!(self, Routing => self);
}

/// A relation of any type.
#[derive(Clone, Copy)]
pub struct Any<'r, const DETERMINISTIC: bool, const LOOKS: bool = false>(&'r dyn Relation);

impl<'r, const DETERMINISTIC: bool, const LOOKS: bool> Any<'r, DETERMINISTIC, LOOKS> {
    pub fn new(routing: &'r impl Routing) -> Self {
        Self(routing)
    }
}

impl<const DETERMINISTIC: bool, const LOOKS: bool> Routing for Any<'_, DETERMINISTIC, LOOKS> {
    const DETERMINISTIC: bool = DETERMINISTIC;
    const LOOKS: bool = LOOKS;

    asks!(self, Relation => self.0);
}

/// `$then` with `$routing`, of the type `$R`, as [`Any`], which is in scope.
macro_rules! erased {
    ($routing:ident: $R:ty => $then:expr) => {
        if <$R as flitsim_engine::Routing>::DETERMINISTIC {
            let $routing = Any::<true>::new(&$routing);
            $then
        } else {
            let $routing = Any::<false>::new(&$routing);
            $then
        }
    };
}
pub(crate) use erased;

/// The proof that the engine makes.
pub fn verify<R: Routing>(network: &Network, routing: &R, options: &VerifyOptions<'_>) -> Proof {
    erased!(routing: R => verify::verify(network, &routing, options))
}

/// The expectation that the engine computes.
pub fn expected<R: Routing>(
    network: &Network,
    routing: &R,
    config: &EngineConfig,
    demand: impl Fn(NodeId, &mut dyn FnMut(NodeId, f64)),
) -> Result<Expected, AnalysisError> {
    erased!(routing: R => flitsim_analysis::expected(network, &routing, config, &demand))
}

/// The same where only `sources` send.
pub fn expected_sampled<R: Routing>(
    network: &Network,
    routing: &R,
    config: &EngineConfig,
    sources: &[NodeId],
    demand: impl Fn(NodeId, &mut dyn FnMut(NodeId, f64)),
) -> Result<Expected, AnalysisError> {
    erased!(routing: R => flitsim_analysis::expected_sampled(network, &routing, config, sources, &demand))
}
