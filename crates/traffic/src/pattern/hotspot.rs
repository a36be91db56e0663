//! Hotspot traffic: a share of the packets to a few nodes, the rest uniform (Pfister & Norton,
//! "Hot spot contention and combining in multistage interconnection networks", IEEE Trans.
//! Computers C-34(10), 1985; Dally & Towles, section 3.2).

use super::law::{Context, Kind, Law};
use super::uniform::Alike;
use crate::PatternError;
use flitsim_keys::{Description, Fault, Key, Shape, Values, Within};
use flitsim_random::{Draw, Ratio};
use flitsim_topology::{Network, NodeId};
use rand::Rng;
use std::ops::Range;

/// A share of the packets goes to a few nodes, by their rates (Pfister & Norton 1985, with several
/// hotspots); the rest is uniform. Without `include_self`, a hotspot spreads its share over the other
/// hotspots; if there is no other, all its packets are uniform.
#[derive(Clone, Debug, PartialEq)]
pub struct Hotspot {
    /// The hotspots, in any order, each once.
    pub nodes: Vec<NodeId>,
    /// How often each is meant, beside the others, 1 at least; of none, all are alike.
    pub rates: Vec<u32>,
    /// The share of packets that goes to them, from 0 to 1.
    pub fraction: f64,
    /// Whether the source is one of its own destinations.
    pub include_self: bool,
}

const NODES: Key<Vec<u32>> = Key::list(
    "nodes",
    &Shape::integer(0..=u32::MAX as u64, "node numbers"),
    1,
    "a hot node",
    "hotspot: the hot nodes, as numbers of terminals, each once.",
)
.needed("name the hot nodes by number, such as `nodes = [0, 27]`")
.hint("name at least one, such as `nodes = [27]`");

const RATES: Key<Option<Vec<u32>>> = Key::list(
    "rates",
    &Shape::integer(1..=u32::MAX as u64, "shares"),
    1,
    "the rate of hot node {}",
    "hotspot: how often each hot node is chosen, relative to the others, in the order of `nodes`.",
)
.hint("one for each hot node, such as `rates = [1, 3]` for the second three times as often as the first")
.optional_as("all alike");

const FRACTION: Key<f64> = Key::number(
    "fraction",
    Within::closed(0.0, 1.0),
    "",
    "hotspot: the share of all packets that goes to the hot nodes.",
)
.needed("say which share of the packets goes to the hot nodes, such as `fraction = 0.1`")
.hint("the share of all packets that goes to the hot nodes");

impl Kind for Hotspot {
    const KEYS: &'static [Description] =
        &const { [NODES.described(), RATES.described(), FRACTION.described()] };

    type Law = Hot;

    fn read(values: &Values, context: &Context<'_>) -> Result<Self, Fault> {
        Ok(Self {
            nodes: values.get(&NODES).into_iter().map(NodeId).collect(),
            rates: values.get(&RATES).unwrap_or_default(),
            fraction: values.get(&FRACTION),
            include_self: context.include_self,
        })
    }

    fn compile(&self, network: &Network) -> Result<Hot, PatternError> {
        Hot::new(self, network.terminals())
    }

    fn remedy(&self, error: &PatternError) -> Option<String> {
        match error {
            PatternError::UnknownHotspot { terminals, .. } => Some(format!(
                "`nodes` names terminals from 0 to {}",
                terminals - 1
            )),
            PatternError::RepeatedHotspot { .. } => Some("name each node once".to_owned()),
            PatternError::HotspotRates { .. } => Some("a rate for each of `nodes`".to_owned()),
            PatternError::HotspotRatesSum => {
                Some("smaller numbers in the same proportion".to_owned())
            }
            _ => None,
        }
    }
}

/// A share to the hotspots, the rest uniform.
#[derive(Clone, Debug)]
pub(super) struct Hot {
    /// In ascending order.
    nodes: Box<[NodeId]>,
    /// The sum of the rates of the nodes up to this one.
    ends: Box<[u32]>,
    fraction: f64,
    hot: Ratio,
    rest: Alike,
    terminals: u32,
    include_self: bool,
}

impl Hot {
    pub(super) fn new(pattern: &Hotspot, terminals: u32) -> Result<Self, PatternError> {
        let (fraction, include_self) = (pattern.fraction, pattern.include_self);
        let rest = Alike::new("hotspot", terminals, include_self)?;
        let hot = Ratio::new(fraction).ok_or(PatternError::HotspotFraction { fraction })?;
        let (nodes, rates) = (&pattern.nodes, &pattern.rates);
        let above_zero = rates.iter().filter(|&&rate| rate > 0).count();
        if !rates.is_empty() && [rates.len(), above_zero] != [nodes.len(); 2] {
            return Err(PatternError::HotspotRates {
                nodes: nodes.len(),
                rates: above_zero,
            });
        }
        let rates = rates.iter().copied().chain(std::iter::repeat(1));
        let mut nodes: Vec<_> = std::iter::zip(nodes.iter().copied(), rates).collect();
        nodes.sort_unstable();
        let Some(&(last, _)) = nodes.last() else {
            return Err(PatternError::NoHotspots);
        };
        if last.0 >= terminals {
            return Err(PatternError::UnknownHotspot {
                node: last.0,
                terminals,
            });
        }
        if let Some(pair) = nodes.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(PatternError::RepeatedHotspot { node: pair[0].0.0 });
        }
        let mut sum = 0u32;
        let ends = nodes.iter().map(|&(_, rate)| {
            sum = sum.checked_add(rate)?;
            Some(sum)
        });
        let ends: Option<Box<[u32]>> = ends.collect();
        Ok(Self {
            ends: ends.ok_or(PatternError::HotspotRatesSum)?,
            nodes: nodes.into_iter().map(|(node, _)| node).collect(),
            fraction,
            hot,
            rest,
            terminals,
            include_self,
        })
    }

    /// The sum of all rates.
    fn sum(&self) -> u32 {
        self.ends[self.ends.len() - 1]
    }

    /// The rates of the hotspot at `index`, as a part of [`sum`](Self::sum).
    #[inline]
    fn rates_of(&self, index: usize) -> Range<u32> {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[index]
    }

    /// The rates of `source`, if it is a hotspot and must leave itself out; else none.
    #[inline]
    fn left_out(&self, source: NodeId) -> Range<u32> {
        let own = match self.include_self {
            true => None,
            false => self.nodes.binary_search(&source).ok(),
        };
        own.map_or(self.sum()..self.sum(), |own| self.rates_of(own))
    }
}

impl Law for Hot {
    #[inline]
    fn draw<R: Rng + ?Sized>(&self, source: NodeId, rng: &mut R) -> NodeId {
        let hot = rng.chance(self.hot);
        let left_out = self.left_out(source);
        let count = self.sum() - left_out.len() as u32;
        if !hot || count == 0 {
            return self.rest.draw(source, rng);
        }
        let mut choice = rng.below(count);
        if choice >= left_out.start {
            choice += left_out.len() as u32;
        }
        self.nodes[self.ends.partition_point(|&end| end <= choice)]
    }

    /// What the hottest receives where every terminal offers 1.
    fn received_most(&self) -> Option<f64> {
        let (n, k) = (f64::from(self.terminals), self.nodes.len() as f64);
        let rates = (0..self.nodes.len()).map(|index| self.rates_of(index).len());
        let most = rates.max().unwrap_or_default() as f64;
        let sum = f64::from(self.sum());
        if self.include_self {
            return Some(1.0 - self.fraction + self.fraction * n * most / sum);
        }
        // The uniform share comes from the n - 1 others. A hotspot alone has nowhere to send its own
        // hot packets; several, all alike, spread them over the other k - 1.
        let others = (n - k) * self.fraction / k;
        match self.nodes.len() {
            1 => Some(1.0 - self.fraction + others),
            _ if most * k > sum => None,
            _ => Some(1.0 - self.fraction + others + self.fraction),
        }
    }

    fn demand(&self, source: NodeId, visit: &mut dyn FnMut(NodeId, f64)) {
        let left_out = self.left_out(source);
        let count = self.sum() - left_out.len() as u32;
        let fraction = if count == 0 { 0.0 } else { self.fraction };
        for destination in (0..self.terminals).map(NodeId) {
            let mut probability = (1.0 - fraction) * self.rest.probability(source, destination);
            if let Ok(index) = self.nodes.binary_search(&destination)
                && count > 0
                && self.rates_of(index) != left_out
            {
                probability += fraction * self.rates_of(index).len() as f64 / f64::from(count);
            }
            if probability > 0.0 {
                visit(destination, probability);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of five terminals.
    fn hot(nodes: &[u32], rates: &[u32], fraction: f64, include_self: bool) -> Hot {
        let pattern = Hotspot {
            nodes: nodes.iter().copied().map(NodeId).collect(),
            rates: rates.to_vec(),
            fraction,
            include_self,
        };
        Hot::new(&pattern, 5).unwrap()
    }

    fn demand(hotspot: &Hot, source: u32) -> Vec<(u32, f64)> {
        let mut demand = Vec::new();
        hotspot.demand(NodeId(source), &mut |node, p| demand.push((node.0, p)));
        demand
    }

    #[test]
    fn a_quarter_to_one_node() {
        let hotspot = hot(&[1], &[], 0.25, false);
        let others = 0.75 / 4.0;
        assert_eq!(
            demand(&hotspot, 0),
            [(1, others + 0.25), (2, others), (3, others), (4, others)]
        );
        // The hotspot itself has no hotspot to send to.
        assert_eq!(
            demand(&hotspot, 1),
            [(0, 0.25), (2, 0.25), (3, 0.25), (4, 0.25)]
        );
    }

    #[test]
    fn everything_to_the_other_hotspots() {
        let hotspot = hot(&[2, 0, 3], &[], 1.0, false);
        assert_eq!(demand(&hotspot, 2), [(0, 0.5), (3, 0.5)]);
        let third = 1.0 / 3.0;
        assert_eq!(demand(&hotspot, 1), [(0, third), (2, third), (3, third)]);
    }

    /// Node 3 is meant five times as often as node 0, and node 2 twice; who is one of them leaves itself out.
    #[test]
    fn hotspots_are_as_hot_as_their_rates_say() {
        let hotspot = hot(&[3, 0, 2], &[5, 1, 2], 1.0, true);
        let eighths = [(0, 0.125), (2, 0.25), (3, 0.625)];
        assert_eq!(demand(&hotspot, 2), eighths);
        assert_eq!(hotspot.received_most(), Some(5.0 * 0.625));
        let hotspot = hot(&[3, 0, 2], &[5, 1, 2], 1.0, false);
        assert_eq!(demand(&hotspot, 4), eighths);
        assert_eq!(demand(&hotspot, 2), [(0, 1.0 / 6.0), (3, 5.0 / 6.0)]);
        assert_eq!(demand(&hotspot, 0), [(2, 2.0 / 7.0), (3, 5.0 / 7.0)]);
        assert_eq!(hotspot.received_most(), None);
    }
}
