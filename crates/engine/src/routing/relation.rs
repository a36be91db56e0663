//! What a routing relation is: a pure function from where a head is, where it goes and the state it carries
//! to the virtual channels that it may take next.

use super::options::Knowledge;
pub use super::queues::VcMask;
use super::queues::{Queues, Undecided};
use super::symmetry::Symmetry;
use crate::ConfigError;
use flitsim_topology::{ChannelId, Direction, NodeId};
use std::ops::Range;

/// The virtual channels `from..to` as a mask.
///
/// # Panics
/// In debug builds, unless `from <= to <= 64`.
#[inline]
pub const fn vc_range(from: u32, to: u32) -> VcMask {
    debug_assert!(from <= to && to <= 64);
    below(to) & !below(from)
}

/// The virtual channels of a mask, lowest first.
pub fn each_vc(mut mask: VcMask) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let vc = mask.trailing_zeros();
            mask &= mask - 1;
            vc
        })
    })
}

const fn below(vc: u32) -> VcMask {
    if vc >= 64 { VcMask::MAX } else { (1 << vc) - 1 }
}

/// All of `virtual_channels` virtual channels, for relations that one suffices for.
///
/// # Errors
/// [`ConfigError::OutOfRange`] unless there are 1 to 64.
pub(super) fn all_virtual_channels(virtual_channels: u32) -> Result<VcMask, ConfigError> {
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

/// A channel that a head may take, and those of its virtual channels that it may claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The channel, which leaves the router where the head waits.
    pub channel: ChannelId,
    /// The virtual channels that the head may claim; never empty.
    pub vcs: VcMask,
    /// The priority class; a lower one is preferred. A head looks at a class only where no channel of a lower
    /// one has a virtual channel to claim, unless it [asks for all](crate::VcRequests::AllChannels) of an allocator that
    /// knows no priorities.
    pub priority: u8,
}

impl Candidate {
    /// The same over the channel `channel`.
    #[inline(always)]
    pub const fn at(self, channel: ChannelId) -> Self {
        Self { channel, ..self }
    }
}

/// The channel that a head takes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By identifier.
    Channel(ChannelId),
    /// On a grid, by dimension and direction.
    Step(usize, Direction),
}

/// The answer of a relation, in a buffer that the caller reuses. Candidates come in ascending order of
/// priority, and each channel occurs at most once in a priority class.
///
/// [`Selection::Zigzag`](crate::Selection::Zigzag) takes the candidates of a class in order: adaptive
/// relations on grids list the dimension with the most hops left first.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    list: Vec<Candidate>,
    /// Where the part of the list begins that the relation at hand sees.
    start: usize,
}

impl Candidates {
    /// Room for the candidates of any head in a network whose routers have up to `degree`
    /// channels out, in two priority classes.
    pub fn with_degree(degree: usize) -> Self {
        Self {
            list: Vec::with_capacity(2 * degree),
            start: 0,
        }
    }

    /// Removes the candidates.
    #[inline]
    pub fn clear(&mut self) {
        self.list.truncate(self.start);
    }

    /// Adds a candidate.
    #[inline]
    pub fn push(&mut self, candidate: Candidate) {
        debug_assert!(candidate.vcs != 0, "a candidate without virtual channels");
        debug_assert!(
            self.as_slice()
                .last()
                .is_none_or(|last| last.priority <= candidate.priority)
        );
        self.list.push(candidate);
    }

    /// Adds the virtual channels `vcs` of `channel` in the first priority class.
    #[inline]
    pub fn add(&mut self, channel: ChannelId, vcs: VcMask) {
        self.push(Candidate {
            channel,
            vcs,
            priority: 0,
        });
    }

    /// What was added, in order.
    #[inline]
    pub fn as_slice(&self) -> &[Candidate] {
        &self.list[self.start..]
    }

    /// Gives every channel the number that `number` says.
    #[inline]
    pub(crate) fn renumber(&mut self, number: impl Fn(ChannelId) -> ChannelId) {
        for candidate in &mut self.list {
            candidate.channel = number(candidate.channel);
        }
    }

    /// Removes the last one unless it `is_allowed`: adding all and taking some back leaves no branch on which ways a
    /// relation allows, which no predictor foresees.
    #[inline]
    pub(super) fn keep_last_if(&mut self, is_allowed: bool) {
        debug_assert!(self.list.len() > self.start, "none of this relation's");
        self.list
            .truncate(self.list.len() - usize::from(!is_allowed));
    }

    /// Adds a channel before those along which fewer `hops` are left; [its virtual channels](Self::set_vcs) follow.
    #[inline]
    pub(super) fn add_by_hops(&mut self, channel: ChannelId, hops: u32) {
        // Until then the hops stand in their place.
        let hops = VcMask::from(hops);
        self.add(channel, hops);
        let mut at = self.list.len() - 1;
        while at > self.start && self.list[at - 1].vcs < hops {
            self.list.swap(at - 1, at);
            at -= 1;
        }
    }

    /// Gives all the virtual channels `vcs`.
    #[inline]
    pub(super) fn set_vcs(&mut self, vcs: VcMask) {
        for candidate in &mut self.list[self.start..] {
            candidate.vcs = vcs;
        }
    }

    /// Adds what `relation` adds to an empty list, at later priorities than those that are there,
    /// with every virtual channel `shift` higher.
    #[inline]
    pub(super) fn append(&mut self, shift: u32, relation: impl FnOnce(&mut Self)) {
        self.append_from(0, shift, relation);
    }

    /// As [`append`](Self::append), at priorities from `first` on.
    #[inline]
    pub(super) fn append_from(&mut self, first: u8, shift: u32, relation: impl FnOnce(&mut Self)) {
        let behind = self.as_slice().last().map_or(0, |last| last.priority + 1);
        let later = behind.max(first);
        let start = std::mem::replace(&mut self.start, self.list.len());
        relation(self);
        for candidate in &mut self.list[self.start..] {
            candidate.vcs <<= shift;
            candidate.priority += later;
        }
        self.start = start;
    }
}

/// A routing algorithm on one network, with a given number of virtual channels.
///
/// An implementation must keep what is said here. `flitsim_analysis::verify` proves that it is free of
/// deadlock. It also finds candidates that do not exist: a channel that does not leave the router, or a
/// virtual channel beyond the router's. An engine does not check: under a relation for another network, or
/// for more virtual channels than the router has, it panics or deadlocks.
///
/// ```
/// use flitsim_engine::routing::vc_range;
/// use flitsim_analysis::verify::{VerifyOptions, verify};
/// use flitsim_engine::{Candidates, EngineConfig, Head, Routing};
/// use flitsim_topology::{Channel, ChannelId, Network, NodeId};
///
/// const NODES: u32 = 5;
///
/// /// Once round a one-way ring, whose channel `i` leaves node `i`, with a dateline (Dally & Seitz 1987) or without.
/// struct Round {
///     has_dateline: bool,
/// }
///
/// impl Routing for Round {
///     const DETERMINISTIC: bool = true;
///
///     fn route(&self, head: Head, candidates: &mut Candidates) {
///         // The state is the virtual channel.
///         let vc = head.state as u32;
///         candidates.add(ChannelId(head.node.0), vc_range(vc, vc + 1));
///     }
///
///     fn advance(&self, head: Head, channel: ChannelId, _vc: u32) -> u64 {
///         match self.has_dateline && channel.0 == NODES - 1 {
///             true => 1,
///             false => head.state,
///         }
///     }
/// }
///
/// let channels: Vec<Channel> = (0..NODES)
///     .map(|node| Channel {
///         source: NodeId(node),
///         target: NodeId((node + 1) % NODES),
///         length_pitches: 1.0,
///     })
///     .collect();
/// let ring = Network::from_channels(NODES, NODES, &channels)?;
/// let router = EngineConfig { virtual_channels: 2, ..EngineConfig::default() };
/// let proof = |has_dateline| verify(&ring, &Round { has_dateline }, &VerifyOptions::of(&router));
/// assert!(proof(true).is_free());
/// let refuted = proof(false);
/// assert_eq!(refuted.cycle().len(), 5);
/// let why = refuted.reason().expect("it is not free").describe(&ring);
/// assert!(why.starts_with("packets can wait for each other in a cycle of virtual channels"));
/// # Ok::<(), flitsim_topology::TopologyError>(())
/// ```
pub trait Routing: Send + Sync {
    /// True where every head has exactly one candidate, which never changes while it waits.
    const DETERMINISTIC: bool;

    /// True where packets may [decide](Self::decide) on their initial state by what is queued. States are
    /// then below 2^63.
    const LOOKS: bool = false;

    /// The same for this value: true wherever [`DETERMINISTIC`](Self::DETERMINISTIC) is, and where the type
    /// alone does not tell.
    fn is_deterministic(&self) -> bool {
        Self::DETERMINISTIC
    }

    /// Which queues packets look at; `None` if they look at none.
    fn looks(&self) -> Option<Knowledge> {
        Self::LOOKS.then_some(Knowledge::Local)
    }

    /// True where only a part of the relation, the escape subrelation of [`escape_vcs`](Self::escape_vcs), is
    /// free of cyclic dependencies (Duato 1993): a blocked head always has a way out over it. Such a relation
    /// needs atomic reallocation of virtual channels, or flow control under which a head claims one only
    /// where its whole packet fits.
    fn has_escape(&self) -> bool {
        false
    }

    /// The number of initial states, at least 1 and all equally likely, of a packet from `source` to
    /// `destination`.
    #[inline]
    fn choices(&self, _source: NodeId, _destination: NodeId) -> u32 {
        1
    }

    /// The `choice`-th initial state, with `choice < choices(source, destination)`. For a packet to its own
    /// terminal, which only routers with [ports](crate::EngineConfig::terminal_ports) ask about, it is the
    /// state at the port's router.
    #[inline]
    fn initial(&self, _source: NodeId, _destination: NodeId, _choice: u32) -> u64 {
        0
    }

    /// For a relation that [looks](Self::LOOKS) at queues: the number of the initial state that `packet`
    /// takes, below [`choices`](Self::choices). It is asked at the router where the packet's head asks for a
    /// virtual channel for the first time. `None`, for as long as the head is at this router, leaves the
    /// decision to a later one.
    ///
    /// A proof holds whatever is decided, because it covers all initial states. A number that is not below
    /// [`choices`](Self::choices) counts as the one that was drawn. `candidates` is any buffer; it may be
    /// left with anything in it.
    fn decide(
        &self,
        packet: Undecided,
        _queues: &dyn Queues,
        _candidates: &mut Candidates,
    ) -> Option<u32> {
        Some(packet.choice)
    }

    /// The numbers of the initial states that packets take, equally likely, where nothing is queued.
    fn at_rest(&self, source: NodeId, destination: NodeId) -> Range<u32> {
        0..self.choices(source, destination)
    }

    /// Appends the candidates for `head` to `candidates`, which is empty. They must be the same whenever the
    /// head asks, because a head that waits asks again only when one of them has become free.
    fn route(&self, head: Head, candidates: &mut Candidates);

    /// The only candidate for `head` of a [deterministic](Self::is_deterministic) relation; `None` where
    /// there is none. `candidates` is any buffer; it may be left with anything in it.
    #[inline]
    fn only(&self, head: Head, candidates: &mut Candidates) -> Option<Candidate> {
        candidates.clear();
        self.route(head, candidates);
        candidates.as_slice().first().copied()
    }

    /// As [`only`](Self::only), but the channel is a step on a grid if that is how the relation finds it.
    #[inline(always)]
    fn way(&self, head: Head, candidates: &mut Candidates) -> Option<(Way, VcMask)> {
        let only = self.only(head, candidates)?;
        Some((Way::Channel(only.channel), only.vcs))
    }

    /// The packet's state once `head` has claimed virtual channel `vc` of `channel`.
    #[inline]
    fn advance(&self, head: Head, _channel: ChannelId, _vc: u32) -> u64 {
        head.state
    }

    /// The virtual channels of `candidate`, one of the candidates for `head`, that belong to the escape
    /// subrelation; all of them where there is [none](Self::has_escape).
    #[inline]
    fn escape_vcs(&self, _head: Head, candidate: Candidate) -> VcMask {
        candidate.vcs
    }

    /// The automorphisms of the network that change nothing for this relation: they take candidates, escapes,
    /// initial states and the states that follow to those of the images. A proof may then enumerate one
    /// destination for all of its images.
    fn symmetry(&self) -> Symmetry {
        Symmetry::None
    }

    /// The automorphisms under which the image of a packet takes the images of channels with the same
    /// probability, on whatever virtual channels, where packets meet no other. Channel loads may then be
    /// found from one destination for all of its images.
    fn symmetry_of_ways(&self) -> Symmetry {
        self.symmetry()
    }
}

/// Something to do with a relation, whatever its type.
pub trait WithRouting {
    /// The result.
    type Output;

    /// Does it with `routing`.
    fn call<R: Routing + Clone>(self, routing: R) -> Self::Output;
}

/// Every method of a relation by that of another, which `$inner` is, or as which `$with` hands it over.
macro_rules! forward {
    ($self:ident => $inner:expr) => {
        forward! { #[inline] $self => $inner, it }
    };
    ($(#[$inline:meta])? $self:ident => $inner:expr, $with:ident) => {
        fn is_deterministic(&$self) -> bool {
            $with!($inner, relation => relation.is_deterministic())
        }

        $(#[$inline])?
        fn has_escape(&$self) -> bool {
            $with!($inner, relation => relation.has_escape())
        }

        $(#[$inline])?
        fn choices(&$self, source: NodeId, destination: NodeId) -> u32 {
            $with!($inner, relation => relation.choices(source, destination))
        }

        $(#[$inline])?
        fn initial(&$self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
            $with!($inner, relation => relation.initial(source, destination, choice))
        }

        fn looks(&$self) -> Option<Knowledge> {
            $with!($inner, relation => relation.looks())
        }

        fn decide(
            &$self,
            packet: Undecided,
            queues: &dyn Queues,
            candidates: &mut Candidates,
        ) -> Option<u32> {
            $with!($inner, relation => relation.decide(packet, queues, candidates))
        }

        fn at_rest(&$self, source: NodeId, destination: NodeId) -> Range<u32> {
            $with!($inner, relation => relation.at_rest(source, destination))
        }

        $(#[$inline])?
        fn route(&$self, head: Head, candidates: &mut Candidates) {
            $with!($inner, relation => relation.route(head, candidates));
        }

        $(#[$inline])?
        fn only(&$self, head: Head, candidates: &mut Candidates) -> Option<Candidate> {
            $with!($inner, relation => relation.only(head, candidates))
        }

        $(#[$inline])?
        fn advance(&$self, head: Head, channel: ChannelId, vc: u32) -> u64 {
            $with!($inner, relation => relation.advance(head, channel, vc))
        }

        $(#[$inline])?
        fn escape_vcs(&$self, head: Head, candidate: Candidate) -> VcMask {
            $with!($inner, relation => relation.escape_vcs(head, candidate))
        }

        fn symmetry(&$self) -> Symmetry {
            $with!($inner, relation => relation.symmetry())
        }

        fn symmetry_of_ways(&$self) -> Symmetry {
            $with!($inner, relation => relation.symmetry_of_ways())
        }
    };
}

/// Hands a relation of a known type to an expression.
macro_rules! it {
    ($inner:expr, $it:ident => $then:expr) => {{
        let $it = &$inner;
        $then
    }};
}

pub(super) use {forward, it};

/// A borrowed relation.
impl<R: Routing> Routing for &R {
    const DETERMINISTIC: bool = R::DETERMINISTIC;
    const LOOKS: bool = R::LOOKS;

    forward! { self => (**self) }
}

/// A relation that does not look at queues. This, and whether every head has one candidate, is known only at
/// run time; the code is compiled for such relations.
#[derive(Clone, Debug)]
pub struct Plain<R, const DETERMINISTIC: bool>(pub(super) R);

impl<R: Routing, const DETERMINISTIC: bool> Routing for Plain<R, DETERMINISTIC> {
    const DETERMINISTIC: bool = DETERMINISTIC;

    forward! { self => self.0 }
}
