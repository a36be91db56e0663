//! What the file of a process says of it.

use crate::TrafficError;
use crate::stream::Streams;
use flitsim_keys::{Description, Fault, Values};
use flitsim_topology::archive::Archive;
use rand::Rng;

/// A law of arrivals, whatever its rate.
pub(crate) trait Law: Copy {
    /// The keys of scenarios that it has.
    const KEYS: &'static [Description] = &[];
    /// Whether a run keeps what each node draws first, so that it says nothing of what other draws would give.
    const KEEPS_PHASES: bool = false;

    /// It at a rate.
    type Gaps: Gaps;

    /// What `values` of a table with its keys say.
    ///
    /// # Errors
    /// What no key by itself shows to be wrong.
    fn read(values: &Values) -> Result<Self, Fault>;

    /// The highest rate, in packets per node per cycle.
    fn rate_most(&self) -> f64;

    /// The lowest rate but none at all, in packets per node per cycle.
    fn rate_least(&self) -> f64 {
        0.0
    }

    /// The correlation time of arrivals: after so many cycles their correlation has fallen to 1/e. 0 where they are
    /// independent, and where no time is long enough.
    fn correlation_cycles(&self) -> f64 {
        0.0
    }

    /// Checks its parameters.
    fn validate(&self) -> Result<(), TrafficError> {
        Ok(())
    }

    /// The valid law at `rate` packets per node per cycle, from above 0 to the highest, for the nodes
    /// `0..nodes`; none where so low a rate gives no packets.
    fn at(&self, rate: f64, nodes: u32) -> Option<Self::Gaps>;
}

/// A law at a rate, ready to draw from.
pub(crate) trait Gaps {
    /// The first cycle in which `node` creates packets; `u64::MAX` for never.
    fn first(&mut self, streams: &Streams, node: u32) -> u64;

    /// The next cycle in which `node` creates packets, after `cycle`, in which it did.
    fn next<R: Rng + ?Sized>(
        &mut self,
        streams: &Streams,
        rng: &mut R,
        node: u32,
        cycle: u64,
    ) -> u64;

    /// Writes or reads what it keeps of its nodes: as the cycles of their next packets are elsewhere,
    /// nothing.
    fn archive(&mut self, _archive: &mut Archive<'_>) {}

    /// The packets that a node creates in a cycle in which it creates some.
    #[inline]
    fn packets<R: Rng + ?Sized>(&self, _rng: &mut R) -> u32 {
        1
    }
}

/// The cycle `gap` cycles without packets after `cycle`.
#[inline]
pub(super) fn after(cycle: u64, gap: u64) -> u64 {
    cycle.saturating_add(1).saturating_add(gap)
}
