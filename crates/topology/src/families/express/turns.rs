//! Hops in several dimensions, where interchanges of several dimensions spare packets the way down
//! to a node and up again to turn.
//!
//! A packet comes to such an interchange from below, right in one dimension, and goes on in the next
//! from there. It has saved the hop to the node, and what the node's way on would have taken beyond
//! the interchange's: two hops downward, for the node is above the interchange; upward two, and the
//! way up to the next interchange less the express channels that it takes already.

use super::line::Line;
use super::{ExpressParameters, Interchanges};
use crate::search::Distances;

/// Channels from the node at `here` to the node at `there`, under the paper's rule.
pub(super) fn hops(
    parameters: &ExpressParameters,
    lines: &[Line],
    here: &[u16],
    there: &[u16],
) -> u32 {
    let boundaries = |address: &[u16]| {
        parameters.interchanges == Interchanges::Interleaved
            && address.iter().all(|&a| parameters.is_boundary(a.into()))
    };
    let mut hops = 0;
    // Whether the packet is right in the dimensions so far at the interchange below the node.
    let mut waits = false;
    for (i, line) in lines.iter().enumerate() {
        let (a, b) = (u32::from(here[i]), u32::from(there[i]));
        if a == b {
            continue;
        }
        let start = if waits {
            line.interchange_at(a, parameters.spacing())
        } else {
            a
        };
        // The hop before, from the interchange to the node, is not taken.
        hops += line.hops(start, b) - u32::from(waits);
        waits = b > a && boundaries(&there[..=i]) && boundaries(&here[i + 1..]);
    }
    hops
}

/// Pairs of addresses in the dimensions so far, by what decides on turns to come.
#[derive(Clone, Copy, Default)]
struct Pairs {
    /// The most hops of a pair; `None` if there is none.
    most: Option<u32>,
    /// Their share of all pairs, and the sum of their hops times it.
    share: f64,
    hops: f64,
}

impl Pairs {
    fn add(&mut self, other: Self) {
        self.most = self.most.max(other.most);
        self.share += other.share;
        self.hops += other.hops;
    }

    /// Each of these with each of `others`.
    fn and(&self, others: &Self) -> Self {
        Self {
            most: self.most.zip(others.most).map(|(a, b)| a + b),
            share: self.share * others.share,
            hops: self.hops * others.share + self.share * others.hops,
        }
    }
}

/// The ways of a packet in one dimension.
const STAYS: usize = 0;
const UP: usize = 1;
const DOWN: usize = 2;

/// The pairs of one dimension: `[source is a boundary][target is][way][from an interchange]`. From an
/// interchange, they have a hop less, that from the interchange to the node before.
type OfLine = [[[[Pairs; 2]; 3]; 2]; 2];

fn pairs_of(parameters: &ExpressParameters, line: &Line) -> OfLine {
    let mut of_line = OfLine::default();
    let k = line.radix();
    let share = 1.0 / (f64::from(k) * f64::from(k));
    line.for_each_hops(0..line.elements(), |element, to, hops| {
        let from = line.coordinate(element);
        let way = match from.cmp(&to) {
            std::cmp::Ordering::Less => UP,
            std::cmp::Ordering::Equal => STAYS,
            std::cmp::Ordering::Greater => DOWN,
        };
        let is_interchange = element >= k;
        let hops = hops - u32::from(is_interchange);
        let [source, target] = [from, to].map(|a| usize::from(parameters.is_boundary(a)));
        of_line[source][target][way][usize::from(is_interchange)].add(Pairs {
            most: Some(hops),
            share,
            hops: share * f64::from(hops),
        });
    });
    of_line
}

/// The distances between nodes where interchanges are interleaved, as [`hops`] counts them.
///
/// By states, dimension after dimension: whether all targets so far are boundaries, whether all
/// sources from here on are, and whether the last way was up.
pub(super) fn distances(parameters: &ExpressParameters, lines: &[Line]) -> Distances {
    let mut states = [[[Pairs::default(); 2]; 2]; 2];
    let none = Pairs {
        most: Some(0),
        share: 1.0,
        hops: 0.0,
    };
    states[1] = [[none, Pairs::default()]; 2];
    for line in lines {
        let of_line = pairs_of(parameters, line);
        let mut next = [[[Pairs::default(); 2]; 2]; 2];
        for state in 0..8 {
            let [targets, sources, up] = [state >> 2 & 1, state >> 1 & 1, state & 1];
            let before = states[targets][sources][up];
            for case in 0..12 {
                let [source, target, way] = [case & 1, case >> 1 & 1, case >> 2];
                let waits = targets & sources & up & usize::from(way != STAYS);
                let pairs = before.and(&of_line[source][target][way][waits]);
                let up = match way {
                    STAYS => up,
                    _ => usize::from(way == UP),
                };
                // All sources from here on are boundaries, or not, as was foreseen.
                for rest in (0..2).filter(|&rest| sources == source & rest) {
                    next[targets & target][rest][up].add(pairs);
                }
            }
        }
        states = next;
    }
    let mut all = Pairs::default();
    for states in &states {
        // There are no sources behind the last dimension.
        states[1].iter().for_each(|pairs| all.add(*pairs));
    }
    let nodes: f64 = lines.iter().map(|line| f64::from(line.radix())).product();
    Distances {
        diameter: all.most.unwrap_or(0),
        mean_with_self: all.hops,
        mean_without_self: all.hops * nodes / (nodes - 1.0),
    }
}
