//! Enhanced negative-hop routing with bonus cards (Kiasari, Sarbazi-Azad & Rezazad 2005; Kiasari &
//! Sarbazi-Azad, section 2.2): V₁ virtual channels of class a on every shortest path, and where none
//! of them is to be had on any, V₂ of class b by the rule of bonus cards ([`Nbc`](super::Nbc)).
//!
//! Negative hops count wherever they are made, over class a too. So whatever class-a hops lie
//! between two class-b hops of a packet, the second comes later than the first in the order of
//! [`Nbc`](super::Nbc)'s virtual channels (by class, then by colour of the node that they leave): no
//! cycle of direct or indirect dependencies can close among those of class b, and every head has
//! some of them among its candidates. By Duato's theorem (1993) that is enough, where virtual
//! channels are reallocated atomically, or a head claims one only where its whole packet fits.
//!
//! Class b is the lowest V₂ virtual channels of a channel.

use super::classes::enough;
use super::description::{Description, Needs, Site, Spread, fits_two_colours};
use super::nbc::{BonusCards, classes_min};
use super::options::OptionKey;
use super::relation::{
    Candidate, Candidates, Head, Routing, VcMask, all_virtual_channels, vc_range,
};
use super::symmetry::Symmetry;
use crate::ConfigError;
use flitsim_topology::{ChannelId, MinimalPaths, NodeId, Paths};

/// What the registry knows of it.
pub(super) const ROUTING: Description = Description {
    name: "enhanced-nbc",
    keys: &[OptionKey::EscapeClasses],
    fits: fits_two_colours,
    needs: Needs::TwoColours,
    virtual_channels_min: |site| {
        let least = site.diameter() / 2 + 1;
        site.options
            .escape_classes
            .map_or(least, |classes| classes.max(least))
            + 1
    },
    is_minimal: true,
    spread: Spread::Adaptive,
    escape_vcs: None,
};

/// The relation that `site` asks for.
pub(super) fn build<'n>(site: &Site<'n, '_>) -> Result<EnhancedNbc<Paths<'n>>, ConfigError> {
    let classes = site.options.escape_classes;
    EnhancedNbc::new(site.paths(ROUTING.name)?, site.virtual_channels, classes)
}

/// Fully adaptive minimal routing with an escape of negative-hop classes and bonus cards.
#[derive(Clone, Copy, Debug)]
pub struct EnhancedNbc<M> {
    cards: BonusCards<M>,
    /// The virtual channels of class b, V₂.
    escape: u32,
    class_a: VcMask,
}

impl<M: MinimalPaths> EnhancedNbc<M> {
    /// The algorithm on the network that `paths` knows, with `virtual_channels` virtual channels a
    /// channel, of which `escape_classes` are class b: as few as suffice where `None`, which is best
    /// (the paper, section 2.2).
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels, and
    /// [`ConfigError::Routing`] on a network that is not bipartite, with fewer than
    /// [`EnhancedNbc::virtual_channels_min`], with fewer escape classes than
    /// [`EnhancedNbc::escape_classes_min`], or with so many that none is left for class a.
    pub fn new(
        paths: M,
        virtual_channels: u32,
        escape_classes: Option<u32>,
    ) -> Result<Self, ConfigError> {
        all_virtual_channels(virtual_channels)?;
        let escape = escape_classes.unwrap_or_else(|| Self::escape_classes_min(&paths));
        let cards = BonusCards::new(paths, escape, "enhanced-nbc", "escape classes")?;
        let why = format_args!(
            "{escape} for the escape classes and one of class a, which every packet may take"
        );
        enough("enhanced-nbc", escape + 1, why, virtual_channels)?;
        Ok(Self {
            cards,
            escape,
            class_a: vc_range(escape, virtual_channels),
        })
    }

    /// The fewest escape classes, V₂: ⌊diameter / 2⌋ + 1.
    pub fn escape_classes_min(paths: &M) -> u32 {
        classes_min(paths)
    }

    /// The virtual channels that it needs: one more than the fewest escape classes.
    pub fn virtual_channels_min(paths: &M) -> u32 {
        classes_min(paths) + 1
    }
}

impl<M: MinimalPaths> Routing for EnhancedNbc<M> {
    const DETERMINISTIC: bool = false;

    fn has_escape(&self) -> bool {
        true
    }

    /// The source's colour, the distance, class 0.
    #[inline]
    fn initial(&self, source: NodeId, destination: NodeId, _: u32) -> u64 {
        self.cards.initial(source, destination)
    }

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let class_b = self.cards.classes(head.state);
        for (priority, vcs) in [(0, self.class_a), (1, class_b)] {
            self.cards
                .paths
                .for_each_minimal_channel(head.node, head.destination, |channel| {
                    candidates.push(Candidate {
                        channel,
                        vcs,
                        priority,
                    });
                });
        }
    }

    #[inline]
    fn advance(&self, head: Head, _: ChannelId, vc: u32) -> u64 {
        let taken = (vc < self.escape).then_some(vc);
        self.cards.advance(head.state, taken)
    }

    #[inline]
    fn escape_vcs(&self, _: Head, candidate: Candidate) -> VcMask {
        candidate.vcs & vc_range(0, self.escape)
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::ColourPreservingAutomorphisms
    }
}
