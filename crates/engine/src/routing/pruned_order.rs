//! Minimal deterministic routing X Z X′ Z′ on pruned tori of three dimensions (Parhami & Kwai 2004,
//! after "Incomplete k-ary n-cube and its derivatives", reference 18 there).
//!
//! A node has links in dimension 0 (Z) and in one of the two others: X where the packet starts, X′
//! one step of Z further. A packet corrects X; if X′ differs, takes one step in Z, towards its
//! destination where Z differs, and corrects X′; then it corrects Z. That is minimal: only where X′
//! differs and Z does not, a step and a step back must be added, and there X′ cannot be had for
//! less.
//!
//! Phase 0 is X and Z up to the step that leads to X′, phase 1 is X′ and the Z after it. Each phase
//! has a dateline as in dimension order on rings, so there are four classes of virtual channels;
//! rings of radix 2 have one link and no dateline: two classes.
//!
//! Why no cycle of dependencies can close: order virtual channels by phase, within a phase those of
//! the dimensions above 0 before those of dimension 0, and within a ring as
//! [`DimensionOrder`](super::DimensionOrder) does. A packet goes up in this order at every hop: it
//! takes each ring at most once in a phase, and never turns back in it.

use super::classes::Classes;
use super::description::{Site, of_family};
use super::options::Tie;
use super::relation::{Candidates, Head, Routing, VcMask};
use crate::ConfigError;
use flitsim_topology::{ChannelId, Direction, NodeId, SparseTorus, Thinning};

/// The relation that `site` asks for.
pub(super) fn build<'n>(site: &Site<'n, '_>) -> Result<PrunedOrder<'n>, ConfigError> {
    let torus = of_family(site.network.sparse_torus(), "dimension-order", "a torus")?;
    let (tie, vc_balance) = (site.options.tie, site.options.vc_balance);
    PrunedOrder::new(torus, site.virtual_channels, tie, vc_balance)
}

/// The bit of the state that says that the packet is in phase 1.
const PHASE: u64 = 1;

/// X Z X′ Z′ routing on a pruned torus of three dimensions.
#[derive(Clone, Copy, Debug)]
pub struct PrunedOrder<'n> {
    torus: &'n SparseTorus,
    tie: Tie,
    vc_balance: bool,
    classes: Classes,
}

impl<'n> PrunedOrder<'n> {
    /// The algorithm on `torus` with `virtual_channels` virtual channels a channel, spread evenly
    /// over the classes. `tie` decides the way round where both are as short: half way round a
    /// ring, and the step in Z where Z does not differ. With `vc_balance`, a packet that does not
    /// wrap in a ring may take both classes of its phase there.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels, and
    /// [`ConfigError::Routing`] on anything but a pruned torus of three dimensions, or with fewer
    /// than 4 virtual channels (2 where the radix is 2).
    pub fn new(
        torus: &'n SparseTorus,
        virtual_channels: u32,
        tie: Tie,
        vc_balance: bool,
    ) -> Result<Self, ConfigError> {
        let (thinning, dimensions) = (torus.thinning(), torus.dimensions());
        if thinning != Thinning::Pruned || dimensions != 3 {
            return Err(ConfigError::routing(format!(
                "dimension-order on thinned-out tori is for pruned tori of 3 dimensions, and \
                     this is a {} of {dimensions}: take nhop, or hop-class where the radix is odd",
                thinning.name()
            )));
        }
        let (count, why) = if torus.radix() > 2 {
            (4, "two phases and a dateline in each")
        } else {
            (2, "one for each phase")
        };
        let name = "dimension-order on a pruned torus";
        let classes = Classes::new(virtual_channels, count, name, why)?;
        Ok(Self {
            torus,
            tie,
            vc_balance,
            classes,
        })
    }

    /// Whether both ways to correct `dimension` are as short.
    #[inline]
    fn is_tie(&self, dimension: u32, from: NodeId, to: NodeId) -> bool {
        let (a, b) = (
            self.torus.coordinate(from, dimension),
            self.torus.coordinate(to, dimension),
        );
        let radix = self.torus.radix();
        radix > 2 && (2 * a.abs_diff(b) == radix || a == b && self.must_detour(dimension, from, to))
    }

    /// Whether a packet takes a step in `dimension`, which does not differ, only to find links.
    #[inline]
    fn must_detour(&self, dimension: u32, from: NodeId, to: NodeId) -> bool {
        dimension == 0 && self.differs(other_dimension(self.torus, from), from, to)
    }

    #[inline]
    fn differs(&self, dimension: u32, from: NodeId, to: NodeId) -> bool {
        self.torus.coordinate(from, dimension) != self.torus.coordinate(to, dimension)
    }

    /// The way from coordinate `from` to `to`, or the way of a step where they are equal.
    #[inline]
    fn direction(&self, dimension: u32, from: u32, to: u32, state: u64) -> Direction {
        let radix = self.torus.radix();
        let ahead = if to >= from {
            to - from
        } else {
            to + radix - from
        };
        let up = if radix == 2 {
            from == 0
        } else if ahead == 0 || 2 * ahead == radix {
            state >> (1 + dimension) & 1 == 0
        } else {
            2 * ahead < radix
        };
        Direction::up_if(up)
    }

    /// The virtual channels of a hop in `dimension`; `wraps_ahead` where the packet crosses the
    /// wrap channel in this ring, at this hop or later in the phase.
    #[inline]
    fn vcs(&self, head: Head, dimension: u32, wraps_ahead: bool) -> VcMask {
        let phase = (head.state & PHASE) as u32;
        if self.torus.radix() == 2 {
            return self.classes.vcs(phase);
        }
        let (before, after) = (2 * phase, 2 * phase + 1);
        // A packet comes over a channel of the ring that it goes on in only in the same phase.
        let is_after = |(channel, vc): (_, u32)| {
            let step = self.torus.step(channel);
            step.dimension == dimension && (step.wraps || self.classes.vcs(after) >> vc & 1 == 1)
        };
        if head.arrived.is_some_and(is_after) {
            self.classes.vcs(after)
        } else if self.vc_balance && !wraps_ahead {
            self.classes.vcs_of(before, after + 1)
        } else {
            self.classes.vcs(before)
        }
    }
}

/// The dimension above 0 in which `node` has no links.
#[inline]
fn other_dimension(torus: &SparseTorus, node: NodeId) -> u32 {
    3 - torus.usable_dimension(node)
}

impl Routing for PrunedOrder<'_> {
    const DETERMINISTIC: bool = true;

    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        if self.tie == Tie::Positive {
            return 1;
        }
        let is_tie = |&i: &u32| self.is_tie(i, source, destination);
        1 << (0..3).filter(is_tie).count()
    }

    /// Bit 0 is the phase, bit 1 + i the way in dimension i where both are as short.
    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        let mut state = 0;
        let mut rest = choice;
        for i in (0..3).filter(|&i| self.is_tie(i, source, destination)) {
            state |= u64::from(rest & 1) << (1 + i);
            rest >>= 1;
        }
        state
    }

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let usable = self.torus.usable_dimension(head.node);
        let step_to_find_links = self.must_detour(0, head.node, head.destination);
        let dimension = if self.differs(usable, head.node, head.destination) {
            usable
        } else {
            0
        };
        let (from, to) = (
            self.torus.coordinate(head.node, dimension),
            self.torus.coordinate(head.destination, dimension),
        );
        let way = self.direction(dimension, from, to, head.state);
        let Some(channel) = self.torus.channel(head.node, dimension, way) else {
            return;
        };
        let wraps_ahead = if dimension == 0 && step_to_find_links {
            self.torus.step(channel).wraps
        } else {
            match way {
                Direction::Up => to < from,
                Direction::Down => to > from,
            }
        };
        candidates.add(channel, self.vcs(head, dimension, wraps_ahead));
    }

    /// The step in Z after which X′ can be corrected ends phase 0.
    #[inline]
    fn advance(&self, head: Head, channel: ChannelId, _: u32) -> u64 {
        let in_z = self.torus.step(channel).dimension == 0;
        if in_z && self.must_detour(0, head.node, head.destination) {
            head.state | PHASE
        } else {
            head.state
        }
    }
}
