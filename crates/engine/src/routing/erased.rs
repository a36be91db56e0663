//! A relation whose type is forgotten: code that is not in the cycle loop is compiled once for all of
//! them, and calls them through a pointer.

use super::{Candidate, Candidates, Head, Routing, Symmetry, VcMask};
use flitsim_topology::{ChannelId, NodeId};

/// [`Routing`] as a trait object. The names differ, or no call would be plain.
pub(super) trait AnyRouting: Sync {
    fn any_choices(&self, source: NodeId, destination: NodeId) -> u32;
    fn any_initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64;
    fn any_route(&self, head: Head, candidates: &mut Candidates);
    fn any_advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64;
    fn any_escape_vcs(&self, head: Head, candidate: Candidate) -> VcMask;
    fn any_symmetry(&self) -> Symmetry;
}

impl<R: Routing> AnyRouting for R {
    fn any_choices(&self, source: NodeId, destination: NodeId) -> u32 {
        self.choices(source, destination)
    }

    fn any_initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        self.initial(source, destination, choice)
    }

    fn any_route(&self, head: Head, candidates: &mut Candidates) {
        self.route(head, candidates);
    }

    fn any_advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64 {
        self.advance(head, channel, vc)
    }

    fn any_escape_vcs(&self, head: Head, candidate: Candidate) -> VcMask {
        self.escape_vcs(head, candidate)
    }

    fn any_symmetry(&self) -> Symmetry {
        self.symmetry()
    }
}

/// A relation lent, without its type. `ESCAPE` is the relation's own.
#[derive(Clone, Copy)]
pub struct Erased<'r, const ESCAPE: bool>(&'r (dyn AnyRouting + 'r));

impl<'r, const ESCAPE: bool> Erased<'r, ESCAPE> {
    /// `relation` without its type.
    ///
    /// # Panics
    /// If `ESCAPE` is not that of `relation`.
    pub fn new<R: Routing>(relation: &'r R) -> Self {
        assert_eq!(
            ESCAPE,
            R::ESCAPE,
            "the escape subrelation of another relation"
        );
        Self(relation)
    }
}

impl<const ESCAPE: bool> Routing for Erased<'_, ESCAPE> {
    const DETERMINISTIC: bool = false;
    const ESCAPE: bool = ESCAPE;

    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        self.0.any_choices(source, destination)
    }

    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        self.0.any_initial(source, destination, choice)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        self.0.any_route(head, candidates);
    }

    fn advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64 {
        self.0.any_advance(head, channel, vc)
    }

    fn escape_vcs(&self, head: Head, candidate: Candidate) -> VcMask {
        self.0.any_escape_vcs(head, candidate)
    }

    fn symmetry(&self) -> Symmetry {
        self.0.any_symmetry()
    }
}
