//! Relations behind a pointer: what tests do with every one of them, such as a simulation or a proof, is
//! compiled for whether they are deterministic, and not for each.

use flitsim_engine::routing::Symmetry;
use flitsim_engine::verify::{self, Proof, VerifyOptions};
use flitsim_engine::{Candidate, Candidates, Head, Routing, VcMask};
use flitsim_topology::{ChannelId, Network, NodeId};

/// What a [`Routing`] does, whatever its type.
trait Relation: Send + Sync {
    fn has_escape(&self) -> bool;
    fn choices(&self, source: NodeId, destination: NodeId) -> u32;
    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64;
    fn route(&self, head: Head, candidates: &mut Candidates);
    fn only(&self, head: Head, candidates: &mut Candidates) -> Option<Candidate>;
    fn advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64;
    fn escape_vcs(&self, head: Head, candidate: Candidate) -> VcMask;
    fn symmetry(&self) -> Symmetry;
}

/// Hands every question on to `$inner`, a `$of`.
macro_rules! asks {
    ($self:ident, $of:ident => $inner:expr) => {
        fn has_escape(&$self) -> bool {
            $of::has_escape($inner)
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
        fn advance(&$self, head: Head, channel: ChannelId, vc: u32) -> u64 {
            $of::advance($inner, head, channel, vc)
        }
        fn escape_vcs(&$self, head: Head, candidate: Candidate) -> VcMask {
            $of::escape_vcs($inner, head, candidate)
        }
        fn symmetry(&$self) -> Symmetry {
            $of::symmetry($inner)
        }
    };
}

impl<R: Routing> Relation for R {
    asks!(self, Routing => self);
}

/// A relation of any type.
#[derive(Clone, Copy)]
pub struct Any<'r, const DETERMINISTIC: bool>(&'r dyn Relation);

impl<'r, const DETERMINISTIC: bool> Any<'r, DETERMINISTIC> {
    pub fn new(routing: &'r impl Routing) -> Self {
        Self(routing)
    }
}

impl<const DETERMINISTIC: bool> Routing for Any<'_, DETERMINISTIC> {
    const DETERMINISTIC: bool = DETERMINISTIC;

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
