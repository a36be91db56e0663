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
//! With a [dateline](GroupClasses::Dateline) between groups (BookSim2's `min_dragonflynew`, `dragonfly.cpp`) a packet has
//! one virtual channel a hop, the first until it leaves its group, and the second from the channel that it leaves by on.
//! The order of channels is the same: packets within their group, on the first, go nowhere from there.
//!
//! On HyperX networks, Slim Flies and random graphs: [`HopClass`](super::HopClass).

use super::classes::Classes;
use super::description::{Description, Fit, Needs, Spread};
use super::options::{GroupClasses, OptionKey};
use super::relation::{Candidates, Head, Routing, VcMask, all_virtual_channels, vc_range};
use super::symmetry::Symmetry;
use crate::ConfigError;
use flitsim_topology::{Dragonfly, NodeId, Shape};

/// What the registry knows of it.
pub(super) const ROUTING: Description = Description {
    name: "minimal",
    keys: &[OptionKey::GroupClasses, OptionKey::Escape],
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
    /// Of channels within the source's group, and elsewhere.
    locals: [VcMask; 2],
    /// Of channels between groups.
    globals: VcMask,
    group_classes: GroupClasses,
}

impl<'n> LocalGlobalLocal<'n> {
    /// The algorithm on `dragonfly` with `virtual_channels` virtual channels a channel.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels, and [`ConfigError::Routing`]
    /// with fewer than 2.
    pub fn new(
        dragonfly: &'n Dragonfly,
        virtual_channels: u32,
        group_classes: GroupClasses,
    ) -> Result<Self, ConfigError> {
        let why = "one before the channel between groups and one behind it";
        let classes = Classes::new(virtual_channels, 2, ROUTING.name, why)?;
        let (locals, globals) = match group_classes {
            GroupClasses::Local => (
                [0, 1].map(|class| classes.vcs(class)),
                all_virtual_channels(virtual_channels)?,
            ),
            GroupClasses::Dateline => ([0, 1].map(|vc| vc_range(vc, vc + 1)), vc_range(1, 2)),
        };
        Ok(Self {
            dragonfly,
            locals,
            globals,
            group_classes,
        })
    }

    /// The virtual channels of the channel on which `head` goes to its destination within the group.
    #[inline]
    fn last(&self, head: Head) -> VcMask {
        // Within a group there is one hop: what came over a channel came from another group.
        let is_second = self.group_classes == GroupClasses::Local || head.arrived.is_some();
        self.locals[usize::from(is_second)]
    }
}

impl Routing for LocalGlobalLocal<'_> {
    const DETERMINISTIC: bool = false;

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let (dragonfly, destination) = (self.dragonfly, head.destination);
        let groups = [head.node, destination].map(|node| dragonfly.group(node));
        if groups[0] == groups[1] {
            return candidates.add(dragonfly.local(head.node, destination), self.last(head));
        }
        let links = || dragonfly.links(groups[0], groups[1]);
        // The best there is: its own, before those of others; the destination's, before others'.
        let merit = |from: NodeId, to: NodeId| (from == head.node, to == destination);
        let best = links().map(|link| merit(link.from, link.to)).max();
        for link in links().filter(|link| Some(merit(link.from, link.to)) == best) {
            if link.from == head.node {
                candidates.add(link.channel, self.globals);
                continue;
            }
            let local = dragonfly.local(head.node, link.from);
            // One router may have several.
            if candidates
                .as_slice()
                .last()
                .is_none_or(|last| last.channel != local)
            {
                candidates.add(local, self.locals[0]);
            }
        }
    }

    /// What takes groups to groups.
    fn symmetry(&self) -> Symmetry {
        Symmetry::Automorphisms
    }
}
