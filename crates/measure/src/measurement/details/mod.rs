//! What a point can tell beyond its row: latencies by class, by distance and by source, the
//! histogram, and what each channel and virtual channel carried. Off unless asked for.
//!
//! Invariant: [`Detailed`] watches the same packets and cycles as the [`Recorder`] inside it, which
//! alone decides anything: a point is the same with details and without.
//!
//! [`Recorder`]: super::recorder::Recorder

mod channels;
mod classes;
mod detailed;
mod groups;
mod totals;

pub use channels::{BufferTotal, ChannelTotals};
pub use classes::Classes;
pub use detailed::Detailed;
pub use groups::GroupTotal;
pub use totals::{ClassTotal, PointDetails, SourceTotal};

use channels::Channels;
use flitsim_engine::EngineConfig;
use flitsim_topology::Network;
use groups::Groups;

/// One kind of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Latency and accepted load by class of traffic.
    Classes,
    /// Latency by hops taken.
    Distances,
    /// Latency, accepted load and what was received, by node.
    Sources,
    /// How often each latency was seen.
    Histogram,
    /// Utilisation and buffer occupancy of every channel and virtual channel.
    Channels,
}

impl Detail {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 5] = [
        Self::Classes,
        Self::Distances,
        Self::Sources,
        Self::Histogram,
        Self::Channels,
    ];

    /// The word in scenario files; with `.csv`, the file of a sweep.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Classes => "classes",
            Self::Distances => "distances",
            Self::Sources => "sources",
            Self::Histogram => "histogram",
            Self::Channels => "channels",
        }
    }
}

/// A set of details.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Details(u8);

impl Details {
    /// Every detail.
    pub fn all() -> Self {
        Detail::ALL.into_iter().collect()
    }

    /// Whether nothing is asked for.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether `detail` is asked for.
    pub const fn contains(self, detail: Detail) -> bool {
        self.0 & (1 << detail as u8) != 0
    }

    /// Those that this or `other` asks for.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// About how much memory they take for a run on `network`, in bytes.
    pub fn bytes(self, network: &Network, config: &EngineConfig) -> u64 {
        let sources = u64::from(network.terminals()) * Groups::BYTES_EACH;
        let buffers = u64::from(network.channels()) * (u64::from(config.virtual_channels) + 1);
        let asked = |detail, bytes| if self.contains(detail) { bytes } else { 0 };
        asked(Detail::Sources, sources) + asked(Detail::Channels, buffers * Channels::BYTES_EACH)
    }

    /// What is asked for, in the order of [`Detail::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Detail> {
        Detail::ALL.into_iter().filter(move |&d| self.contains(d))
    }
}

impl From<Detail> for Details {
    fn from(detail: Detail) -> Self {
        [detail].into_iter().collect()
    }
}

impl FromIterator<Detail> for Details {
    fn from_iter<I: IntoIterator<Item = Detail>>(details: I) -> Self {
        Self(details.into_iter().fold(0, |set, d| set | 1 << d as u8))
    }
}

/// A measurement window: the cycles from `start` on and before `end`. The end may be moved later, at
/// or after the cycle at hand, so what comes after it is counted apart, and taken in when it moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) start: u64,
    pub(super) end: u64,
}

/// Something counted in a window, and after its end.
pub(super) type Counted = [u64; 2];

impl Window {
    /// A window that has not begun.
    pub(super) const NONE: Self = Self {
        start: u64::MAX,
        end: u64::MAX,
    };

    /// Where in a [`Counted`] what happens in cycle `cycle` belongs; `None` before the window.
    #[inline]
    pub(super) const fn side(self, cycle: u64) -> Option<usize> {
        if cycle < self.start {
            None
        } else {
            Some((cycle >= self.end) as usize)
        }
    }

    /// Cycles of the window before the start of cycle `now`.
    pub(super) fn cycles(self, now: u64) -> u64 {
        self.end.min(now).saturating_sub(self.start)
    }
}

/// The end has moved: what was counted after it is inside.
pub(super) fn take_in(counted: &mut [Counted]) {
    for [inside, later] in counted {
        *inside += std::mem::take(later);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in() {
        let some: Details = [Detail::Channels, Detail::Classes].into_iter().collect();
        let names: Vec<_> = some.iter().map(Detail::name).collect();
        assert_eq!(names, ["classes", "channels"]);
        assert!(Details::default().is_empty() && !some.contains(Detail::Sources));
        assert_eq!(Details::all().iter().count(), 5);
        assert_eq!(some.union(Details::default()), some);
    }

    #[test]
    fn what_comes_after_the_end_waits_until_it_moves() {
        let mut window = Window { start: 10, end: 20 };
        let mut counted: [Counted; 1] = [[0; 2]];
        for cycle in 0..25 {
            if let Some(side) = window.side(cycle) {
                counted[0][side] += 1;
            }
        }
        assert_eq!((counted[0], window.cycles(25)), ([10, 5], 10));
        window.end = 25;
        take_in(&mut counted);
        assert_eq!((counted[0], window.cycles(25)), ([15, 0], 15));
        assert_eq!(Window::NONE.side(1 << 60), None);
        assert_eq!(Window::NONE.cycles(100), 0);
    }
}
