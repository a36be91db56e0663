//! What can be asked for.

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
}
