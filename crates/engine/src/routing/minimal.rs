//! Minimal routing with as few classes of virtual channels as are known to do, a class for each hop at the
//! most.
//!
//! On a dragonfly (Kim, Dally, Scott & Abts 2008, section 4.1): to a router with a channel to the
//! destination's group, over it, and to the destination, two classes: the first for channels within the
//! source's group, the second within the destination's. Why no cycle of dependencies can close: local
//! channels of the first class come before global ones, and these before local channels of the second. A
//! router with such a channel takes its own; of several, those whose far end is the destination are
//! preferred. So at most three hops, and at most one between groups: two of those, through a third
//! group, are sometimes fewer, and are not taken.
//!
//! On HyperX networks, Slim Flies and random graphs: [`HopClass`](super::HopClass).

use super::classes::Classes;
use super::description::{Description, Fit, Needs, Spread};
use super::options::OptionKey;
use super::relation::{Candidates, Head, Routing, VcMask, all_virtual_channels};
use super::symmetry::Symmetry;
use crate::ConfigError;
use flitsim_topology::{Dragonfly, NodeId, Shape};

/// What the registry knows of it.
pub(super) const ROUTING: Description = Description {
    name: "minimal",
    keys: &[OptionKey::Escape],
    fits: |network| match network.shape() {
        Shape::Dragonfly(_) | Shape::SlimFly(_) | Shape::RandomRegular(_) => Fit::Default,
        Shape::HyperX(_) => Fit::Yes,
        _ => Fit::No,
    },
    needs: Needs::Whole,
    virtual_channels_min: |site| match site.network.dragonfly() {
        Some(_) => 2,
        None => site.diameter(),
    },
    is_minimal: true,
    spread: Spread::Adaptive,
    escape_vcs: None,
};

/// Minimal routing on a dragonfly.
#[derive(Clone, Copy, Debug)]
pub struct LocalGlobalLocal<'n> {
    dragonfly: &'n Dragonfly,
    locals: Classes,
    all: VcMask,
}

impl<'n> LocalGlobalLocal<'n> {
    /// The algorithm on `dragonfly` with `virtual_channels` virtual channels a channel.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels, and [`ConfigError::Routing`]
    /// with fewer than 2.
    pub fn new(dragonfly: &'n Dragonfly, virtual_channels: u32) -> Result<Self, ConfigError> {
        let why = "one before the channel between groups and one behind it";
        Ok(Self {
            dragonfly,
            locals: Classes::new(virtual_channels, 2, ROUTING.name, why)?,
            all: all_virtual_channels(virtual_channels)?,
        })
    }
}

impl Routing for LocalGlobalLocal<'_> {
    const DETERMINISTIC: bool = false;

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let (dragonfly, destination) = (self.dragonfly, head.destination);
        let groups = [head.node, destination].map(|node| dragonfly.group(node));
        if groups[0] == groups[1] {
            return candidates.add(dragonfly.local(head.node, destination), self.locals.vcs(1));
        }
        let links = || dragonfly.links(groups[0], groups[1]);
        // The best there is: its own, before those of others; the destination's, before others'.
        let merit = |from: NodeId, to: NodeId| (from == head.node, to == destination);
        let best = links().map(|link| merit(link.from, link.to)).max();
        for link in links().filter(|link| Some(merit(link.from, link.to)) == best) {
            if link.from == head.node {
                candidates.add(link.channel, self.all);
                continue;
            }
            let local = dragonfly.local(head.node, link.from);
            // One router may have several.
            if candidates
                .as_slice()
                .last()
                .is_none_or(|last| last.channel != local)
            {
                candidates.add(local, self.locals.vcs(0));
            }
        }
    }

    /// What takes groups to groups.
    fn symmetry(&self) -> Symmetry {
        Symmetry::Automorphisms
    }
}
