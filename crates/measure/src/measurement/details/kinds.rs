//! The details that can be asked for.

use super::own::{OwnStatistic, Registered, StatisticRefused, keep};

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
    /// How often every channel and terminal did what takes energy.
    Energy,
    /// A statistic that another crate has registered.
    Own(Registered),
}

impl Detail {
    /// The details of this crate, in the order of the documentation.
    pub const ALL: [Self; 6] = [
        Self::Classes,
        Self::Distances,
        Self::Sources,
        Self::Histogram,
        Self::Channels,
        Self::Energy,
    ];

    /// All details, those of other crates last.
    pub fn each() -> impl Iterator<Item = Self> {
        Self::ALL
            .into_iter()
            .chain(Registered::all().map(Self::Own))
    }

    const fn bit(self) -> u32 {
        1 << match self {
            Self::Classes => 0,
            Self::Distances => 1,
            Self::Sources => 2,
            Self::Histogram => 3,
            Self::Channels => 4,
            Self::Energy => 5,
            Self::Own(registered) => 6 + registered.0,
        }
    }

    /// Its word in scenario files; with `.csv` added, its file in a sweep's folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Classes => "classes",
            Self::Distances => "distances",
            Self::Sources => "sources",
            Self::Histogram => "histogram",
            Self::Channels => "channels",
            Self::Energy => "energy",
            Self::Own(registered) => registered.statistic().name,
        }
    }
}

/// Makes `own` known by its name, for as long as the program runs. It must be done before the first scenario is read.
///
/// # Errors
/// A name that another detail has or that cannot be a file's, or a seventeenth statistic.
pub fn register_statistic(own: OwnStatistic) -> Result<(), StatisticRefused> {
    // Files of a sweep's folder that are none of its details.
    let mut taken = vec!["all", "points"];
    taken.extend(Detail::ALL.map(Detail::name));
    keep(own, &taken)
}

/// A set of details.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Details(u32);

impl Details {
    /// Every detail.
    pub fn all() -> Self {
        Detail::each().collect()
    }

    /// Whether nothing is asked for.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether `detail` is asked for.
    pub const fn contains(self, detail: Detail) -> bool {
        self.0 & detail.bit() != 0
    }

    /// The details that this set or `other` asks for.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is asked for, in the order of [`Detail::each`].
    pub fn iter(self) -> impl Iterator<Item = Detail> {
        Detail::each().filter(move |&d| self.contains(d))
    }
}

impl From<Detail> for Details {
    fn from(detail: Detail) -> Self {
        [detail].into_iter().collect()
    }
}

impl FromIterator<Detail> for Details {
    fn from_iter<I: IntoIterator<Item = Detail>>(details: I) -> Self {
        Self(details.into_iter().fold(0, |set, d| set | d.bit()))
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
        assert!(Detail::ALL.iter().all(|&d| Details::all().contains(d)));
        assert_eq!(some.union(Details::default()), some);
    }
}
