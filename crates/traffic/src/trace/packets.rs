//! The packets of a trace.

use flitsim_topology::NodeId;

/// The packets of a trace, in the order of its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    pub(super) cycle: Box<[u64]>,
    pub(super) source: Box<[NodeId]>,
    pub(super) destination: Box<[NodeId]>,
    pub(super) flits: Box<[u32]>,
    /// Who waits for whom; `None` where nobody does.
    pub(super) waits: Option<Waits>,
}

/// The dependencies of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Waits {
    /// By packet: cycles from its last dependency's delivery to its creation.
    pub(super) delay: Box<[u32]>,
    /// By packet: how many deliveries it waits for.
    pub(super) needs: Box<[u32]>,
    /// By packet: where the packets that wait for it begin in `dependents`; one more for the end.
    pub(super) first_dependent: Box<[u32]>,
    pub(super) dependents: Box<[u32]>,
}

impl Trace {
    /// The latest cycle that a trace may name.
    pub const CYCLE_MOST: u64 = 1 << 53;

    /// How many packets there are, at least 1.
    pub fn packets(&self) -> u64 {
        self.cycle.len() as u64
    }

    /// The sum of their lengths.
    pub fn flits(&self) -> u64 {
        self.flits.iter().map(|&flits| u64::from(flits)).sum()
    }

    /// How many dependencies there are.
    pub fn dependencies(&self) -> u64 {
        let waits = self.waits.as_ref();
        waits.map_or(0, |waits| waits.dependents.len() as u64)
    }

    /// The terminals that send, in the order of the rows, as often as they do.
    pub fn sources(&self) -> impl Iterator<Item = NodeId> {
        self.source.iter().copied()
    }

    /// The latest cycle that a row names: the trace is not over before.
    pub fn cycle_last(&self) -> u64 {
        // In ascending order but for those that name none, which hold 0.
        self.cycle.iter().copied().max().unwrap_or(0)
    }

    /// How many deliveries the packet of a row waits for.
    pub(super) fn needs(&self, row: usize) -> u32 {
        self.waits.as_ref().map_or(0, |waits| waits.needs[row])
    }
}
