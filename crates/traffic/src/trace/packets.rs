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

    /// The longest of them, in flits.
    pub fn longest_flits(&self) -> u32 {
        self.flits.iter().copied().max().unwrap_or(0)
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

    /// The latest cycle in which a packet is created, by the cycles that rows name and the delays behind what they
    /// wait for: the trace is not over before.
    pub fn cycle_last(&self) -> u64 {
        let mut earliest = self.cycle.to_vec();
        if let Some(waits) = &self.waits {
            let mut needs = waits.needs.to_vec();
            let mut ready: Vec<usize> = (0..needs.len()).filter(|&row| needs[row] == 0).collect();
            while let Some(row) = ready.pop() {
                let [first, end] = [row, row + 1].map(|at| waits.first_dependent[at] as usize);
                for &dependent in &waits.dependents[first..end] {
                    let dependent = dependent as usize;
                    let after = earliest[row].saturating_add(u64::from(waits.delay[dependent]));
                    earliest[dependent] = earliest[dependent].max(after);
                    needs[dependent] -= 1;
                    if needs[dependent] == 0 {
                        ready.push(dependent);
                    }
                }
            }
        }
        earliest.into_iter().max().unwrap_or(0)
    }

    /// How many deliveries the packet of a row waits for.
    pub(super) fn needs(&self, row: usize) -> u32 {
        self.waits.as_ref().map_or(0, |waits| waits.needs[row])
    }
}
