//! Why a proof fails, in words that name nodes as the network does.

use flitsim_engine::{Candidate, Head};
use flitsim_topology::{ChannelId, Network, NodeId};

/// How a packet comes to wait for an escape while it holds a virtual channel (Duato 1995).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DependencyKind {
    /// It holds an escape of its own, and asks for the next.
    Direct,
    /// It holds what is an escape for other packets, but not for it, and asks for an escape.
    DirectCross,
    /// It holds an escape of its own, and others after it that are not escapes for it.
    Indirect,
    /// It holds what is an escape for other packets only, and others after it that are not escapes
    /// for it.
    IndirectCross,
}

impl DependencyKind {
    /// Its name: `direct`, `direct-cross`, `indirect`, `indirect-cross`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::DirectCross => "direct-cross",
            Self::Indirect => "indirect",
            Self::IndirectCross => "indirect-cross",
        }
    }
}

/// One edge of the extended dependency graph, with a packet that makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtendedDependency {
    /// How the packet comes to wait.
    pub kind: DependencyKind,
    /// Where the packet goes.
    pub destination: NodeId,
    /// What it holds between the two, in the order in which it was taken.
    pub via: Vec<(ChannelId, u32)>,
}

/// Why a relation is not proved free of deadlock.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The channel dependency graph has a cycle, and there is no escape subrelation.
    Cycle,
    /// The extended dependency graph of the escape subrelation has a cycle.
    ExtendedCycle {
        /// One for each virtual channel of the cycle: how a packet that holds it waits for the next.
        dependencies: Vec<ExtendedDependency>,
    },
    /// Under wormhole flow control an escape holds only where a virtual channel is claimed when it
    /// is empty: a packet in the same buffer behind one that is blocked does not see its escape.
    NonAtomicReallocation,
    /// A packet that may come here has no way on in the escape subrelation.
    EscapeNotConnected {
        /// The packet's head.
        head: Head,
    },
    /// A packet that may come here has no way on.
    DeadEnd {
        /// The packet's head.
        head: Head,
    },
    /// A packet may go round for ever, never blocked and never there.
    Livelock {
        /// The head after each hop of the round.
        heads: Vec<Head>,
    },
    /// The relation leads no packet out of its source.
    UnreachablePair {
        /// The source.
        from: NodeId,
        /// The destination.
        to: NodeId,
        /// How many such pairs there are.
        pairs: u64,
    },
    /// The relation offers what is not there: a channel that does not leave the node, or virtual
    /// channels beyond the count, or none.
    BadCandidate {
        /// The packet's head.
        head: Head,
        /// What was offered.
        candidate: Candidate,
    },
    /// Packets to one destination may be in more different states than the proof may keep.
    TooManyConfigurations {
        /// The destination.
        destination: NodeId,
        /// The most that are kept.
        most: u64,
    },
    /// Packets to one destination have more ways from state to state than the proof may keep.
    TooManyHops {
        /// The destination.
        destination: NodeId,
        /// The most that are kept.
        most: u64,
    },
    /// The dependency graph takes more memory than the proof may use.
    TooManyDependencies {
        /// What it would take, in units of 2^20 bytes.
        mebibytes: u64,
    },
}

fn place(network: &Network, head: &Head) -> String {
    let destination = network.name(head.destination);
    let at = network.name(head.node);
    let arrived = match head.arrived {
        Some((channel, vc)) => {
            let from = network.name(network.source(channel));
            format!("that came from `{from}` on virtual channel {vc}")
        }
        None => "that starts there".to_owned(),
    };
    format!("a packet to `{destination}` at `{at}` {arrived}")
}

impl Reason {
    /// A short name, for programs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Cycle => "cycle",
            Self::ExtendedCycle { .. } => "extended-cycle",
            Self::NonAtomicReallocation => "non-atomic-reallocation",
            Self::EscapeNotConnected { .. } => "escape-not-connected",
            Self::DeadEnd { .. } => "dead-end",
            Self::Livelock { .. } => "livelock",
            Self::UnreachablePair { .. } => "unreachable-pair",
            Self::BadCandidate { .. } => "bad-candidate",
            Self::TooManyConfigurations { .. } => "too-many-configurations",
            Self::TooManyHops { .. } => "too-many-hops",
            Self::TooManyDependencies { .. } => "too-many-dependencies",
        }
    }

    /// Whether packets may fail to arrive though nothing blocks them, or that is not known.
    pub fn is_of_connection(&self) -> bool {
        !matches!(
            self,
            Self::Cycle
                | Self::ExtendedCycle { .. }
                | Self::NonAtomicReallocation
                | Self::EscapeNotConnected { .. }
        )
    }

    /// One sentence.
    pub fn describe(&self, network: &Network) -> String {
        match self {
            Self::Cycle => "packets can wait for each other in a cycle of virtual channels, and \
                 have no escape from it"
                .to_owned(),
            Self::ExtendedCycle { dependencies } => {
                let mut kinds: Vec<_> = dependencies.iter().map(|d| d.kind).collect();
                kinds.sort_unstable();
                kinds.dedup();
                let names: Vec<_> = kinds.into_iter().map(DependencyKind::name).collect();
                let kinds = match &names[..] {
                    [] => String::new(),
                    names => format!(" ({} dependencies)", names.join(", ")),
                };
                format!("packets can wait for each other's escapes in a cycle{kinds}")
            }
            Self::NonAtomicReallocation => {
                "the escape virtual channels keep wormhole packets from deadlock only where a \
                 virtual channel is claimed empty: set vc_reallocation = \"atomic\", or a flow \
                 control that claims room for whole packets"
                    .to_owned()
            }
            Self::EscapeNotConnected { head } => {
                format!("{} has no escape", place(network, head))
            }
            Self::DeadEnd { head } => format!("{} has no way on", place(network, head)),
            Self::Livelock { heads } => {
                let round: Vec<_> = heads.iter().map(|head| network.name(head.node)).collect();
                let destination = heads.first().map(|head| network.name(head.destination));
                format!(
                    "a packet to `{}` can go round for ever: {}",
                    destination.unwrap_or_default(),
                    round.join(" -> ")
                )
            }
            Self::UnreachablePair { from, to, pairs } => {
                let (from, to) = (network.name(*from), network.name(*to));
                format!("no way from `{from}` to `{to}` ({pairs} such pairs)")
            }
            Self::BadCandidate { head, candidate } => {
                let channel = candidate.channel;
                format!(
                    "{} is offered virtual channels {:#b} of channel {channel}, which are not all \
                     there",
                    place(network, head),
                    candidate.vcs
                )
            }
            Self::TooManyConfigurations { destination, most } => {
                let destination = network.name(*destination);
                format!(
                    "packets to `{destination}` can be in more than {most} different states: no \
                     proof within bounds"
                )
            }
            Self::TooManyHops { destination, most } => {
                let destination = network.name(*destination);
                format!(
                    "packets to `{destination}` have more than {most} ways from one state to the \
                     next: no proof within bounds"
                )
            }
            Self::TooManyDependencies { mebibytes } => {
                format!("the dependency graph would take {mebibytes} MiB: no proof within bounds")
            }
        }
    }
}
