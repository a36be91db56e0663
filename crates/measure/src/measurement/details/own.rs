//! Statistics of other crates, by name. Once registered, before any scenario is read, they are details like
//! those of this crate.
//!
//! A statistic keeps nothing but counters, to which events add. So the counters of replicas, and of parts
//! of the window, can be added up here, and a checkpoint can hold them.

use flitsim_engine::{FlitKind, Packet};
use flitsim_topology::{ChannelId, Network, NodeId, archived};
use std::sync::RwLock;

/// Something that happened in the measurement window.
#[derive(Clone, Copy, Debug)]
pub enum Happened<'a> {
    /// A flit of `packet` left its router in cycle `cycle`.
    Sent {
        /// When.
        cycle: u64,
        /// On which channel.
        channel: ChannelId,
        /// On which virtual channel of it.
        vc: u32,
        /// Which flit of its packet.
        kind: FlitKind,
        /// Its packet.
        packet: &'a Packet,
    },
    /// A flit of `packet` left the router `node` for its terminal in cycle `cycle`.
    Ejected {
        /// When.
        cycle: u64,
        /// Where.
        node: NodeId,
        /// Which flit of its packet.
        kind: FlitKind,
        /// Its packet.
        packet: &'a Packet,
    },
    /// `packet`, which was created in the window, was delivered at the start of cycle `arrived`.
    Delivered {
        /// When.
        arrived: u64,
        /// The packet.
        packet: &'a Packet,
    },
}

/// A statistic of another crate.
#[derive(Clone, Copy, Debug)]
pub struct OwnStatistic {
    /// Its word in `details`; with `.csv` added, its file in a sweep's folder.
    pub name: &'static str,
    /// How many counters it has on a network; all are 0 at first.
    pub counters: fn(&Network) -> usize,
    /// What an event adds to them. It must look at nothing but the event.
    pub count: fn(&Network, Happened<'_>, &mut [u64]),
    /// What the columns of its file are called.
    pub columns: &'static [&'static str],
    /// The rows of its file, from the counters and the cycles of a window. A number that is not finite is
    /// left empty.
    pub rows: fn(&Network, &[u64], u64) -> Vec<Vec<f64>>,
}

/// Why a name cannot be a statistic's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StatisticRefused {
    /// Another detail has it.
    #[error("there is a detail named \"{0}\" already")]
    Taken(&'static str),
    /// It cannot be the name of a file too: small letters, digits and hyphens.
    #[error("\"{0}\" cannot be the name of a file")]
    NoFile(&'static str),
    /// There are as many statistics as there can be.
    #[error("there is no room for \"{0}\": 16 statistics are registered")]
    TooMany(&'static str),
}

/// One that is kept.
#[derive(Debug)]
struct Kept {
    statistic: OwnStatistic,
    file: String,
}

static REGISTERED: RwLock<Vec<&'static Kept>> = RwLock::new(Vec::new());

/// The most that are kept.
const MOST: usize = 16;

/// Keeps `own` for as long as the program runs. Names in `taken` are others'.
pub(super) fn keep(own: OwnStatistic, taken: &[&str]) -> Result<(), StatisticRefused> {
    let name = own.name;
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || !name.chars().all(is_plain) {
        return Err(StatisticRefused::NoFile(name));
    }
    let mut registered = REGISTERED.write().unwrap_or_else(|held| held.into_inner());
    let is_kept = registered.iter().any(|kept| kept.statistic.name == name);
    if is_kept || taken.contains(&name) {
        return Err(StatisticRefused::Taken(name));
    }
    if registered.len() == MOST {
        return Err(StatisticRefused::TooMany(name));
    }
    let file = format!("{name}.csv");
    registered.push(Box::leak(Box::new(Kept {
        statistic: own,
        file,
    })));
    Ok(())
}

/// One of the statistics that are registered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Registered(pub(super) u8);

impl Registered {
    /// All, in the order in which they came.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let registered = REGISTERED.read().unwrap_or_else(|held| held.into_inner());
        (0..registered.len() as u8).map(Self)
    }

    fn kept(self) -> &'static Kept {
        let registered = REGISTERED.read().unwrap_or_else(|held| held.into_inner());
        registered[usize::from(self.0)]
    }

    /// What was registered.
    pub fn statistic(self) -> &'static OwnStatistic {
        &self.kept().statistic
    }

    /// Its file in a sweep's folder.
    pub fn file(self) -> &'static str {
        &self.kept().file
    }
}

archived! { newtype Registered }

/// The counters of one statistic, over one or several replicas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnTotal {
    /// The statistic.
    pub statistic: Registered,
    /// What events have added up to.
    pub counters: Vec<u64>,
}

archived! { OwnTotal { statistic, counters } }

impl OwnTotal {
    /// Adds another replica's.
    pub(super) fn merge(&mut self, other: &Self) {
        let each = self.counters.iter_mut().zip(&other.counters);
        each.for_each(|(mine, theirs)| *mine += theirs);
    }
}

/// One under way.
#[derive(Clone, Debug)]
pub(super) struct Counting<'n> {
    which: Registered,
    statistic: &'static OwnStatistic,
    network: &'n Network,
    inside: Vec<u64>,
    /// After the window.
    later: Vec<u64>,
}

archived! { Counting<'_> { ; fixed inside, later; rebuilt which, statistic, network } }

impl<'n> Counting<'n> {
    pub(super) fn new(which: Registered, network: &'n Network) -> Self {
        let statistic = which.statistic();
        let counters = vec![0; (statistic.counters)(network)];
        Self {
            which,
            statistic,
            network,
            inside: counters.clone(),
            later: counters,
        }
    }

    /// Counts what happened in the window, or after it.
    pub(super) fn count(&mut self, is_later: bool, happened: Happened<'_>) {
        let counters = if is_later {
            &mut self.later
        } else {
            &mut self.inside
        };
        (self.statistic.count)(self.network, happened, counters);
    }

    /// The window's end has moved.
    pub(super) fn take_in(&mut self) {
        for (inside, later) in self.inside.iter_mut().zip(&mut self.later) {
            *inside += std::mem::take(later);
        }
    }

    pub(super) fn total(&self) -> OwnTotal {
        OwnTotal {
            statistic: self.which,
            counters: self.inside.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::details::{Detail, Details, register_statistic};
    use flitsim_topology::{Ends, Grid};

    const ENDED: OwnStatistic = OwnStatistic {
        name: "ended-where",
        counters: |network| network.nodes() as usize,
        count: |_, happened, counters| {
            if let Happened::Ejected { node, .. } = happened {
                counters[node.index()] += 1;
            }
        },
        columns: &[],
        rows: |_, _, _| Vec::new(),
    };

    #[test]
    fn names_are_those_of_files_and_of_one_statistic_and_sixteen_are_the_most() {
        let named = |name| register_statistic(OwnStatistic { name, ..ENDED });
        for name in ["", "Where", "a b", "../a"] {
            assert_eq!(named(name), Err(StatisticRefused::NoFile(name)));
        }
        for name in ["all", "points", "energy"] {
            assert_eq!(named(name), Err(StatisticRefused::Taken(name)));
        }
        assert_eq!(named("ended-where"), Ok(()));
        assert_eq!(
            named("ended-where"),
            Err(StatisticRefused::Taken("ended-where"))
        );
        let which = Registered::all().next().unwrap();
        assert_eq!(which.file(), "ended-where.csv");

        let network = Grid::uniform(2, 1, Ends::Open).unwrap().into_network();
        let mut counting = Counting::new(which, &network);
        let packet = Packet::default();
        let ejected = |node| Happened::Ejected {
            cycle: 1,
            node: NodeId(node),
            kind: FlitKind::default(),
            packet: &packet,
        };
        for (is_later, node) in [(false, 0), (false, 1), (false, 0), (true, 1), (true, 1)] {
            counting.count(is_later, ejected(node));
        }
        assert_eq!(counting.total().counters, [2, 1]);
        counting.take_in();
        counting.take_in();
        let mut total = counting.total();
        assert_eq!(total.counters, [2, 3]);
        total.merge(&counting.total());
        assert_eq!(total.counters, [4, 6]);

        let more = [
            "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p",
        ];
        assert!(more.iter().all(|&name| named(name).is_ok()));
        assert_eq!(named("q"), Err(StatisticRefused::TooMany("q")));
        let alone = |detail| Details::from(detail).iter().eq([detail]);
        assert!(Detail::each().count() == 22 && Detail::each().all(alone));
    }
}
