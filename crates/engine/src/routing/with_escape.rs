//! Two relations as one: an adaptive relation on the upper virtual channels, and another, the
//! escape, on the lower (Duato, "A new theory of deadlock-free adaptive routing in wormhole
//! networks", IEEE Transactions on Parallel and Distributed Systems 4 (12), 1993; "A necessary and
//! sufficient condition for deadlock-free adaptive routing in wormhole networks", 6 (10), 1995).
//!
//! A head may claim an adaptive virtual channel or, where none is to be had, one of the escape's.
//! The escape starts afresh wherever a head enters it: at that node it takes the packet's first
//! initial state, as if the packet had been created there. So it must lead on from every node.
//!
//! What keeps packets from waiting on one another for ever depends on what they do after an escape
//! hop:
//!
//! - [`AfterEscape::Return`]: they may go back to adaptive virtual channels. That is Duato's
//!   design. One that holds an escape virtual channel may go on adaptively and ask for another much
//!   later, so the escape's dependencies must have an order with these *indirect* ones too: any hops
//!   of the adaptive relation between two of its own must leave them in order. Dimension order with
//!   a dateline decided by position ([`ECube`](super::ECube)) does. Most do not: a dateline decided
//!   by what the packet did, north-last and negative-first, up-down. The escape must be minimal
//!   too, or a packet might go round for ever.
//! - [`AfterEscape::Stay`]: they stay on the escape to the end. No packet holds an escape virtual
//!   channel and goes on adaptively, so there are no indirect dependencies, and any escape will do
//!   whose own dependencies have an order: up-down, for one (Silla & Duato, "High-performance
//!   routing in networks of workstations with irregular topology", IEEE Transactions on Parallel and
//!   Distributed Systems 11 (7), 2000). Nor does it matter what the adaptive relation is: tables that
//!   go round, or classes that a packet would lose count of on its way back.
//!
//! Either needs atomic reallocation of virtual channels, or that a head claims one only where its
//! whole packet fits: a buffer that holds the end of one packet and the head of another makes the
//! second wait for the first, wherever that goes.

use super::classes::enough;
use super::options::AfterEscape;
use super::relation::{
    Candidate, Candidates, Head, Routing, VcMask, all_virtual_channels, vc_range,
};
use super::symmetry::Symmetry;
use crate::ConfigError;
use flitsim_topology::{ChannelId, NodeId};

/// The adaptive relation `A` on the upper virtual channels, the escape `E` on the lower.
///
/// A packet's state is that of the relation whose virtual channel it came over; the other starts
/// from its first initial state at the node.
#[derive(Clone, Copy, Debug)]
pub struct WithEscape<A, E> {
    adaptive: A,
    escape: E,
    /// Virtual channels of the escape: the lowest.
    lower: u32,
    after: AfterEscape,
}

impl<A: Routing, E: Routing> WithEscape<A, E> {
    /// `adaptive` and `escape`, each built for the number of virtual channels that it is handed: of
    /// `virtual_channels` in all, the escape has `escape_vcs`. `name` is for messages.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels,
    /// [`ConfigError::Routing`] where none is left for the adaptive relation, and what the two say.
    pub fn compose(
        name: &str,
        virtual_channels: u32,
        escape_vcs: u32,
        after: AfterEscape,
        adaptive: impl FnOnce(u32) -> Result<A, ConfigError>,
        escape: impl FnOnce(u32) -> Result<E, ConfigError>,
    ) -> Result<Self, ConfigError> {
        all_virtual_channels(virtual_channels)?;
        let why = format_args!("{escape_vcs} for the escape and 1 to be adaptive");
        enough(name, escape_vcs + 1, why, virtual_channels)?;
        let joined = Self {
            adaptive: adaptive(virtual_channels - escape_vcs)?,
            escape: escape(escape_vcs)?,
            lower: escape_vcs,
            after,
        };
        if joined.adaptive.has_escape() || joined.escape.has_escape() {
            return Err(ConfigError::routing(
                "this algorithm has an escape of its own",
            ));
        }
        Ok(joined)
    }

    #[inline]
    fn is_on_escape(&self, head: Head) -> bool {
        head.arrived.is_some_and(|(_, vc)| vc < self.lower)
    }

    /// The head as the adaptive relation sees it.
    #[inline]
    fn adaptive_head(&self, head: Head) -> Head {
        if self.is_on_escape(head) {
            let state = self.adaptive.initial(head.node, head.destination, 0);
            return Head {
                arrived: None,
                state,
                ..head
            };
        }
        let arrived = head.arrived.map(|(channel, vc)| (channel, vc - self.lower));
        Head { arrived, ..head }
    }

    /// The head as the escape sees it.
    #[inline]
    fn escape_head(&self, head: Head) -> Head {
        if self.is_on_escape(head) {
            return head;
        }
        Head {
            arrived: None,
            state: self.escape.initial(head.node, head.destination, 0),
            ..head
        }
    }
}

impl<A: Routing, E: Routing> Routing for WithEscape<A, E> {
    const DETERMINISTIC: bool = false;

    fn has_escape(&self) -> bool {
        true
    }

    #[inline]
    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        self.adaptive.choices(source, destination)
    }

    #[inline]
    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        self.adaptive.initial(source, destination, choice)
    }

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        if self.after == AfterEscape::Return || !self.is_on_escape(head) {
            let adaptive = self.adaptive_head(head);
            candidates.append(self.lower, |own| self.adaptive.route(adaptive, own));
        }
        let escape = self.escape_head(head);
        // Heads that stay on the escape ask for it no earlier than those that enter it: allocators may compare the two.
        candidates.append_from(1, 0, |own| self.escape.route(escape, own));
    }

    #[inline]
    fn advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64 {
        match vc.checked_sub(self.lower) {
            Some(vc) => self.adaptive.advance(self.adaptive_head(head), channel, vc),
            None => self.escape.advance(self.escape_head(head), channel, vc),
        }
    }

    #[inline]
    fn escape_vcs(&self, _: Head, candidate: Candidate) -> VcMask {
        candidate.vcs & vc_range(0, self.lower)
    }

    fn symmetry(&self) -> Symmetry {
        self.adaptive.symmetry().and(self.escape.symmetry())
    }

    /// Packets that meet no other need no escape.
    fn symmetry_of_ways(&self) -> Symmetry {
        self.adaptive.symmetry_of_ways()
    }
}
