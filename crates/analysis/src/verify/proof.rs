//! What a proof says, and what was counted for it.

use super::Reason;
use flitsim_topology::ChannelId;

/// What makes a relation free of deadlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The channel dependency graph has no cycle.
    AcyclicCdg,
    /// An escape subrelation is connected, and its extended dependency graph has no cycle.
    AcyclicExtendedCdg,
}

impl Method {
    /// Its name: `acyclic-cdg` or `acyclic-extended-cdg`.
    pub fn name(self) -> &'static str {
        match self {
            Self::AcyclicCdg => "acyclic-cdg",
            Self::AcyclicExtendedCdg => "acyclic-extended-cdg",
        }
    }
}

/// Free of deadlock or not proved so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No packets ever wait on one another for ever. How long one waits for its turn is the
    /// allocator's.
    Free {
        /// Why.
        method: Method,
    },
    /// Not proved.
    NotFree {
        /// What is wrong.
        reason: Reason,
        /// The virtual channels of a cycle, each waiting for the next and the last for the first:
        /// the shortest where the search for it is not too long. Empty where none is to blame.
        cycle: Vec<(ChannelId, u32)>,
    },
}

/// What was enumerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Every destination.
    Full,
    /// One destination of each class under automorphisms that the relation says to respect, which
    /// was tried on a sample; and of what those that keep it take to each other, one.
    BySymmetry {
        /// Destinations enumerated.
        destinations: u32,
        /// Automorphisms, the identity included.
        automorphisms: u64,
    },
    /// One destination of each orbit of automorphisms that were checked on the network, which the relation says
    /// to respect, as was tried on a sample. `dependencies` are then those between what they take to each other.
    ByOrbits {
        /// Destinations enumerated.
        destinations: u32,
        /// Automorphisms that make all others.
        generators: u32,
    },
    /// Two legs that share no virtual channel, the second behind the first, each proved by itself.
    LegByLeg {
        /// Destinations enumerated, of both legs.
        destinations: u32,
    },
    /// Ring by ring, and the order of the dimensions.
    ByProduct {
        /// Rings of different radices, one of each enumerated.
        rings: u32,
        /// Their destinations that were enumerated.
        destinations: u32,
        /// Their nodes.
        nodes: u32,
    },
    /// Two legs that share no virtual channel, the second behind the first, each as
    /// [`ByProduct`](Self::ByProduct).
    ByLegs {
        /// Rings of different radices, one of each and of each leg enumerated.
        rings: u32,
        /// Their destinations that were enumerated.
        destinations: u32,
        /// Their nodes.
        nodes: u32,
    },
}

/// The outcome, with what was counted. Counts are the network's, whatever the coverage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Free of deadlock or not.
    pub verdict: Verdict,
    /// The method of the proof, or the one that failed last.
    pub method: Method,
    /// Virtual channels of each channel.
    pub virtual_channels: u32,
    /// Virtual channels of channels that some packet may take.
    pub vertices: u64,
    /// Of these, those that some packet may take as an escape, in relations with an escape
    /// subrelation; else 0.
    pub escape_vertices: u64,
    /// Dependencies between virtual channels, direct ones of all packets.
    pub dependencies: u64,
    /// Channel, virtual channel, state and destination that a packet may come to.
    pub configurations: u64,
    /// Whether every packet arrives, whatever way it takes, if nothing blocks it for ever.
    pub reaches_every_pair: bool,
    /// The most hops of a packet; 0 where packets may fail to arrive.
    pub longest_route_hops: u32,
    /// What was enumerated.
    pub coverage: Coverage,
}

impl Proof {
    /// Whether the relation is proved free of deadlock.
    pub fn is_free(&self) -> bool {
        matches!(self.verdict, Verdict::Free { .. })
    }

    /// What is wrong, if anything.
    pub fn reason(&self) -> Option<&Reason> {
        match &self.verdict {
            Verdict::Free { .. } => None,
            Verdict::NotFree { reason, .. } => Some(reason),
        }
    }

    /// The virtual channels of the witness; empty where there is none.
    pub fn cycle(&self) -> &[(ChannelId, u32)] {
        match &self.verdict {
            Verdict::Free { .. } => &[],
            Verdict::NotFree { cycle, .. } => cycle,
        }
    }
}
