//! What the details of a point add up to, over one or several replicas.

use super::channels::ChannelTotals;
use super::groups::GroupTotal;
use super::own::OwnTotal;
use crate::measurement::recorder::Histogram;
use flitsim_engine::Activity;
use flitsim_topology::archived;

/// A class of traffic.
#[derive(Clone, Debug, Default)]
pub struct ClassTotal {
    /// What it is called.
    pub name: String,
    /// Latencies of its packets.
    pub group: GroupTotal,
    /// How often each of these latencies was seen.
    pub histogram: Histogram,
    /// Flits of the class that left the network in the window.
    pub accepted_flits: u64,
}

archived! { ClassTotal { name, group, histogram, accepted_flits } }

/// A node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SourceTotal {
    /// Latencies of the packets that it sent.
    pub group: GroupTotal,
    /// Flits that it created in the window.
    pub created_flits: u64,
    /// Flits of those of its packets whose last flit arrived in the window.
    pub accepted_flits: u64,
    /// Flits that its terminal consumed in the window.
    pub received_flits: u64,
}

archived! { SourceTotal { group, created_flits, accepted_flits, received_flits } }

/// The details of a point; `None` for what was not asked for. Latencies and cycles are those simulated.
#[derive(Clone, Debug, Default)]
pub struct PointDetails {
    /// Cycles of the window, summed over replicas.
    pub window_cycles: u64,
    /// Reference cycles that a simulated one takes.
    pub cycle_time: f64,
    /// By class.
    pub classes: Option<Vec<ClassTotal>>,
    /// By hops taken, from 0.
    pub distances: Option<Vec<GroupTotal>>,
    /// By terminal.
    pub sources: Option<Vec<SourceTotal>>,
    /// All latencies.
    pub histogram: Option<Histogram>,
    /// By channel.
    pub channels: Option<ChannelTotals>,
    /// How often what takes energy happened.
    pub energy: Option<Activity>,
    /// The statistics of other crates.
    pub own: Vec<OwnTotal>,
}

archived! { PointDetails {
    window_cycles, cycle_time, classes, distances, sources, histogram, channels, energy, own
} }

impl PointDetails {
    /// Leaves out the intervals: what comes to an end has no steady state to take samples of.
    pub(crate) fn drop_intervals(&mut self) {
        let classes = self.classes.iter_mut().flatten();
        let sources = self.sources.iter_mut().flatten();
        let groups = classes.map(|class| &mut class.group);
        let groups = groups.chain(sources.map(|source| &mut source.group));
        let groups = groups.chain(self.distances.iter_mut().flatten());
        groups.for_each(GroupTotal::drop_interval);
    }

    /// Adds another replica's.
    pub fn merge(&mut self, other: Self) {
        self.window_cycles += other.window_cycles;
        if let (Some(mine), Some(theirs)) = (&mut self.classes, &other.classes) {
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                mine.group.merge(&theirs.group);
                mine.histogram.merge(&theirs.histogram);
                mine.accepted_flits += theirs.accepted_flits;
            }
        }
        if let (Some(mine), Some(theirs)) = (&mut self.distances, &other.distances) {
            let farthest = mine.len().max(theirs.len());
            mine.resize(farthest, GroupTotal::default());
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                mine.merge(theirs);
            }
        }
        if let (Some(mine), Some(theirs)) = (&mut self.sources, &other.sources) {
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                mine.group.merge(&theirs.group);
                mine.created_flits += theirs.created_flits;
                mine.accepted_flits += theirs.accepted_flits;
                mine.received_flits += theirs.received_flits;
            }
        }
        if let (Some(mine), Some(theirs)) = (&mut self.histogram, &other.histogram) {
            mine.merge(theirs);
        }
        if let (Some(mine), Some(theirs)) = (&mut self.channels, &other.channels) {
            mine.merge(theirs);
        }
        if let (Some(mine), Some(theirs)) = (&mut self.energy, &other.energy) {
            mine.merge(theirs);
        }
        for (mine, theirs) in self.own.iter_mut().zip(&other.own) {
            mine.merge(theirs);
        }
    }
}
