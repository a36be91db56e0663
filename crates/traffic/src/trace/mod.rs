//! Traces: packets that a file lists, some of which wait for the delivery of others.
//!
//! # Format
//! A table of comma-separated values in the form of channel lists (`flitsim_topology::file`). Its
//! header begins with `cycle`; the other columns may stand in any order.
//!
//! ```csv
//! cycle,source,destination,flits,packet,depends_on,delay
//! 0,0,5,1,ask,,
//! ,5,0,16,answer,ask,20
//! 100,3,4,8,,,
//! ```
//!
//! | column | what it holds |
//! | --- | --- |
//! | `cycle` | the cycle in which the packet is created, or with `depends_on` the earliest; empty there: none |
//! | `source`, `destination` | terminals, by the names of the network |
//! | `flits` | the packet's length |
//! | `packet` | its name, for others to depend on: any text without spaces, semicolons and quotes |
//! | `depends_on` | names of packets that must be delivered before it is created, spaces or semicolons between them |
//! | `delay` | cycles from the last of these deliveries to its creation; 0 where empty |
//!
//! Rows are in ascending order of `cycle`. A packet may depend on one that stands below it, but
//! packets that wait for each other are refused.
//!
//! Invariant: a [`Trace`] can be replayed to its end: every dependency is delivered before what
//! depends on it. It takes 20 bytes a packet, or with dependencies 32 and 4 for each of them.

mod circle;
mod error;
mod parse;
mod replay;

pub use error::TraceProblem;
pub use replay::Replay;

use flitsim_topology::NodeId;

/// The packets of a trace, in the order of its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    cycle: Box<[u64]>,
    source: Box<[NodeId]>,
    destination: Box<[NodeId]>,
    flits: Box<[u32]>,
    /// Who waits for whom; `None` where nobody does.
    waits: Option<Waits>,
}

/// The dependencies of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Waits {
    /// By packet: cycles from its last dependency's delivery to its creation.
    delay: Box<[u32]>,
    /// By packet: how many deliveries it waits for.
    needs: Box<[u32]>,
    /// By packet: where the packets that wait for it begin in `dependents`; one more for the end.
    first_dependent: Box<[u32]>,
    dependents: Box<[u32]>,
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
    fn needs(&self, row: usize) -> u32 {
        self.waits.as_ref().map_or(0, |waits| waits.needs[row])
    }
}
