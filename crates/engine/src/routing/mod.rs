//! Routing as a pure relation: where a head is, where it goes and the state it carries, to the
//! virtual channels that it may take next. The engine calls it, and a verifier enumerates it: what
//! is proved is what runs.

use crate::ConfigError;
use flitsim_topology::{ChannelId, NodeId};

mod classes;
mod dimension_order;
mod enhanced_nbc;
mod express;
mod fat_pyramid;
mod folded;
mod hop_class;
mod nbc;
mod nearest_common_ancestor;
mod nhop;
mod pruned_order;
mod table;
mod up_down;

pub use dimension_order::{DimensionOrder, Tie};
pub use enhanced_nbc::EnhancedNbc;
pub use express::Express;
pub use fat_pyramid::FatPyramid;
pub use folded::Folded;
pub use hop_class::HopClass;
pub use nbc::Nbc;
pub use nearest_common_ancestor::NearestCommonAncestor;
pub use nhop::NegativeHop;
pub use pruned_order::PrunedOrder;
pub use table::{SourceRoutes, Table, TableError, TableProblem};
pub use up_down::{AdaptiveUpDown, UpDown};

/// A set of virtual channels of one physical channel: bit v is virtual channel v.
pub type VcMask = u64;

/// The virtual channels `from..to` as a mask.
///
/// # Panics
/// In debug builds, unless `from <= to <= 64`.
#[inline]
pub const fn vc_range(from: u32, to: u32) -> VcMask {
    debug_assert!(from <= to && to <= 64);
    below(to) & !below(from)
}

const fn below(vc: u32) -> VcMask {
    if vc >= 64 { VcMask::MAX } else { (1 << vc) - 1 }
}

/// All of `virtual_channels` virtual channels, for relations that one suffices for.
///
/// # Errors
/// [`ConfigError::OutOfRange`] unless there are 1 to 64.
fn all_virtual_channels(virtual_channels: u32) -> Result<VcMask, ConfigError> {
    if !(1..=64).contains(&virtual_channels) {
        return Err(ConfigError::OutOfRange {
            name: "virtual_channels",
            value: u64::from(virtual_channels),
            low: 1,
            high: 64,
        });
    }
    Ok(vc_range(0, virtual_channels))
}

/// A head flit that asks for its next channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The router where it waits. Never its destination.
    pub node: NodeId,
    /// The channel and virtual channel over which it came; `None` at its source.
    pub arrived: Option<(ChannelId, u32)>,
    /// The terminal that it goes to.
    pub destination: NodeId,
    /// The state that its packet carries.
    pub state: u64,
}

/// One way on: a channel, and those of its virtual channels that may be claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The channel, which leaves the router where the head waits.
    pub channel: ChannelId,
    /// The virtual channels of it that may be claimed; never empty.
    pub vcs: VcMask,
    /// Lower is preferred: a head looks at a later class only where no channel of an earlier one
    /// has a virtual channel to claim.
    pub priority: u8,
}

/// The answer of a relation, in a buffer that the caller reuses. Candidates come in ascending
/// order of priority, and a channel at most once in a priority class.
#[derive(Clone, Debug, Default)]
pub struct Candidates(Vec<Candidate>);

impl Candidates {
    /// Room for the candidates of any head in a network whose routers have up to `degree`
    /// channels out, in two priority classes.
    pub fn with_degree(degree: usize) -> Self {
        Self(Vec::with_capacity(2 * degree))
    }

    /// Forgets what was there.
    #[inline]
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds a candidate.
    #[inline]
    pub fn push(&mut self, candidate: Candidate) {
        debug_assert!(candidate.vcs != 0, "a candidate without virtual channels");
        debug_assert!(
            self.0
                .last()
                .is_none_or(|last| last.priority <= candidate.priority)
        );
        self.0.push(candidate);
    }

    /// What was added, in order.
    #[inline]
    pub fn as_slice(&self) -> &[Candidate] {
        &self.0
    }
}

/// A routing algorithm on one network, with a given number of virtual channels.
pub trait Routing: Sync {
    /// True where every head has exactly one candidate, which never changes while it waits.
    const DETERMINISTIC: bool;

    /// True where only a part of the relation, the escape subrelation of
    /// [`escape_vcs`](Self::escape_vcs), is free of cyclic dependencies (Duato 1993): a blocked head
    /// always has a way out over it. Such a relation needs atomic reallocation of virtual channels,
    /// or that a head claims one only where its whole packet fits.
    const ESCAPE: bool = false;

    /// The initial states, equally likely, of a packet from `source` to `destination`: at least 1.
    fn choices(&self, source: NodeId, destination: NodeId) -> u32;

    /// The `choice`-th initial state, `choice < choices(source, destination)`.
    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64;

    /// The ways on for `head`, appended to `candidates`, which is empty.
    fn route(&self, head: Head, candidates: &mut Candidates);

    /// The packet's state once `head` has claimed virtual channel `vc` of `channel`.
    #[inline]
    fn advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64 {
        let _ = (channel, vc);
        head.state
    }

    /// Those virtual channels of `candidate`, one of the ways on for `head`, that belong to the
    /// escape subrelation: all of them unless [`ESCAPE`](Self::ESCAPE).
    #[inline]
    fn escape_vcs(&self, head: Head, candidate: Candidate) -> VcMask {
        let _ = head;
        candidate.vcs
    }
}

/// A relation lent: for those whose tables are too large to copy.
impl<R: Routing> Routing for &R {
    const DETERMINISTIC: bool = R::DETERMINISTIC;
    const ESCAPE: bool = R::ESCAPE;

    #[inline]
    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        (**self).choices(source, destination)
    }

    #[inline]
    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        (**self).initial(source, destination, choice)
    }

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        (**self).route(head, candidates);
    }

    #[inline]
    fn advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64 {
        (**self).advance(head, channel, vc)
    }

    #[inline]
    fn escape_vcs(&self, head: Head, candidate: Candidate) -> VcMask {
        (**self).escape_vcs(head, candidate)
    }
}
