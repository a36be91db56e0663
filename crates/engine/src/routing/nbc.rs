//! Negative-hop routing with bonus cards on networks of two colours: any shortest path, and of the
//! virtual channels those that leave enough classes for the negative hops still to come (Boppana &
//! Chalasani 1996; Kiasari & Sarbazi-Azad, section 2.2).
//!
//! With V virtual channels there are V classes of one each. A packet of class b needs as many more
//! as it still makes negative hops (from colour 1 to colour 0) before its last hop: ⌊d / 2⌋ from
//! colour 1, ⌈d / 2⌉ − 1 from colour 0, d the hops to go. The rest, V − 1 − b − need, are its bonus
//! cards: it may take any class from b to b plus bonus. Then b is the class taken, and one more
//! after a negative hop.
//!
//! Invariant: while hops are to come, b plus need is at most V − 1, for a hop that adds one to b
//! takes one from the need. At the source need is at most ⌊D / 2⌋, hence ⌊D / 2⌋ + 1 classes; of
//! these, the packets of [`NegativeHop`](super::NegativeHop) take class b alone.
//!
//! Why no cycle of dependencies can close: order virtual channels by class, then those that leave
//! colour 0 before those that leave colour 1. A packet that holds one out of colour 0 asks for those
//! out of colour 1 of the same class or a higher one; one that holds one out of colour 1, for those
//! of a higher class.

use super::description::{Description, Needs, Site, Spread, fits_two_colours};
use super::options::OptionKey;
use super::relation::{Candidates, Head, Routing, VcMask, all_virtual_channels, vc_range};
use super::symmetry::Symmetry;
use crate::ConfigError;
use flitsim_topology::{ChannelId, MinimalPaths, NodeId, Paths};

/// What the registry knows of it.
pub(super) const ROUTING: Description = Description {
    name: "nbc",
    keys: &[OptionKey::Escape],
    fits: fits_two_colours,
    needs: Needs::TwoColours,
    virtual_channels_min: |site| site.diameter() / 2 + 1,
    is_minimal: true,
    spread: Spread::Adaptive,
    escape_vcs: None,
};

/// The relation that `site` asks for.
pub(super) fn build<'n>(site: &Site<'n, '_>) -> Result<Nbc<Paths<'n>>, ConfigError> {
    Nbc::new(site.paths(ROUTING.name)?, site.virtual_channels)
}

/// The rule of bonus cards: it is shared with [`EnhancedNbc`](super::EnhancedNbc), whose class-b
/// virtual channels it gives out.
///
/// The state of a packet: bit 0 is the colour of the node where it is, bits 1 to 8 the hops to go,
/// the rest b.
#[derive(Clone, Copy, Debug)]
pub(super) struct BonusCards<M> {
    pub(super) paths: M,
    classes: u32,
}

const DISTANCE_SHIFT: u32 = 1;
const CLASS_SHIFT: u32 = 9;

/// ⌊D / 2⌋ + 1.
pub(super) fn classes_min(paths: &impl MinimalPaths) -> u32 {
    paths.diameter() / 2 + 1
}

/// That channels lead from one colour of nodes to the other, as `name` needs.
pub(super) fn two_colours(paths: &impl MinimalPaths, name: &str) -> Result<(), ConfigError> {
    if paths.is_bipartite() {
        return Ok(());
    }
    Err(ConfigError::routing(format!(
        "{name} needs a network whose nodes have two colours with every channel between them; this one has a cycle of \
         odd length (such as a ring of odd radix): hop-class does without colours"
    )))
}

impl<M: MinimalPaths> BonusCards<M> {
    /// The rule for `classes` classes, at most 64, in the algorithm called `name`; `count` says of
    /// what the message counts.
    ///
    /// # Errors
    /// [`ConfigError::Routing`] where the network is not bipartite, or the classes do not suffice.
    pub(super) fn new(
        paths: M,
        classes: u32,
        name: &str,
        count: &str,
    ) -> Result<Self, ConfigError> {
        two_colours(&paths, name)?;
        let needed = classes_min(&paths);
        if classes < needed {
            let verb = if classes == 1 { "is" } else { "are" };
            return Err(ConfigError::routing(format!(
                "{name} needs at least {needed} {count} here, one class for each negative hop \
                     before the last hop of the diameter, and one more; there {verb} {classes}"
            )));
        }
        // Classes are at most 64, so distances fit their bits.
        debug_assert!(classes <= 64 && paths.diameter() < 1 << (CLASS_SHIFT - DISTANCE_SHIFT));
        Ok(Self { paths, classes })
    }

    /// The state at the source; of a packet to itself that at the router of its port.
    pub(super) fn initial(&self, source: NodeId, destination: NodeId) -> u64 {
        let colour = self.paths.colour(source);
        let (distance, colour) = match source == destination {
            true => (1, !colour),
            false => (u64::from(self.paths.distance(source, destination)), colour),
        };
        distance << DISTANCE_SHIFT | u64::from(colour)
    }

    /// The classes that a packet of this state may take: one bit each.
    #[inline]
    pub(super) fn classes(&self, state: u64) -> VcMask {
        let distance = (state >> DISTANCE_SHIFT & 0xff) as u32;
        let class = (state >> CLASS_SHIFT) as u32;
        debug_assert!(distance > 0, "a packet that has arrived asks for a class");
        let colour = (state & 1) as u32;
        let need = (distance + colour - 1) / 2;
        debug_assert!(class + need < self.classes, "too few classes are left");
        vc_range(class, self.classes - need)
    }

    /// The state after a hop, over virtual channel `taken` of the classes; `None` for a hop that
    /// took none of them.
    #[inline]
    pub(super) fn advance(&self, state: u64, taken: Option<u32>) -> u64 {
        let class = taken.map_or(state >> CLASS_SHIFT, u64::from);
        let colour = state & 1;
        let distance = (state >> DISTANCE_SHIFT & 0xff).wrapping_sub(1) & 0xff;
        (class + colour) << CLASS_SHIFT | distance << DISTANCE_SHIFT | (colour ^ 1)
    }
}

/// Minimal adaptive routing with one class of virtual channels for each negative hop, and bonus
/// cards for those that a packet will not need.
#[derive(Clone, Copy, Debug)]
pub struct Nbc<M> {
    cards: BonusCards<M>,
}

impl<M: MinimalPaths> Nbc<M> {
    /// The algorithm on the network that `paths` knows, with `virtual_channels` virtual channels a
    /// channel, each a class of its own: more of them are more bonus cards.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels, and
    /// [`ConfigError::Routing`] on a network that is not bipartite, or with fewer than
    /// [`Nbc::virtual_channels_min`].
    pub fn new(paths: M, virtual_channels: u32) -> Result<Self, ConfigError> {
        all_virtual_channels(virtual_channels)?;
        let cards = BonusCards::new(paths, virtual_channels, "nbc", "virtual channels")?;
        Ok(Self { cards })
    }

    /// The virtual channels that it needs: ⌊diameter / 2⌋ + 1.
    pub fn virtual_channels_min(paths: &M) -> u32 {
        classes_min(paths)
    }
}

impl<M: MinimalPaths> Routing for Nbc<M> {
    const DETERMINISTIC: bool = false;

    /// The source's colour, the distance, class 0.
    #[inline]
    fn initial(&self, source: NodeId, destination: NodeId, _: u32) -> u64 {
        self.cards.initial(source, destination)
    }

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let vcs = self.cards.classes(head.state);
        self.cards
            .paths
            .for_each_minimal_channel(head.node, head.destination, |channel| {
                candidates.add(channel, vcs);
            });
    }

    #[inline]
    fn advance(&self, head: Head, _: ChannelId, vc: u32) -> u64 {
        self.cards.advance(head.state, Some(vc))
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::ColourPreservingAutomorphisms
    }
}
