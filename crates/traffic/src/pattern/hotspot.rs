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

/// A share of the packets goes to a few nodes, each of them alike (Pfister & Norton 1985, with several
/// hotspots); the rest is uniform. Without `include_self`, a hotspot spreads its share over the other
/// hotspots; if there is no other, all its packets are uniform.
#[derive(Clone, Debug, PartialEq)]
pub struct Hotspot {
    /// The hotspots, in any order, each once.
    pub nodes: Vec<NodeId>,
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
    "hotspot: the hot nodes, by the numbers of terminals, each once.",
)
.needed("name the hot nodes by number, such as `nodes = [0, 27]`")
.hint("name at least one, such as `nodes = [27]`");

const FRACTION: Key<f64> = Key::number(
    "fraction",
    Within::closed(0.0, 1.0),
    "",
    "hotspot: the share of all packets that goes to the hot nodes.",
)
.needed("say which share of the packets goes to the hot nodes, such as `fraction = 0.1`")
.hint("the share of all packets that goes to the hot nodes");

impl Kind for Hotspot {
    const KEYS: &'static [Description] = &const { [NODES.described(), FRACTION.described()] };

    type Law = Hot;

    fn read(values: &Values, context: &Context<'_>) -> Result<Self, Fault> {
        Ok(Self {
            nodes: values.get(&NODES).into_iter().map(NodeId).collect(),
            fraction: values.get(&FRACTION),
            include_self: context.include_self,
        })
    }

    fn compile(&self, network: &Network) -> Result<Hot, PatternError> {
        let terminals = network.terminals();
        Hot::new(&self.nodes, self.fraction, terminals, self.include_self)
    }

    fn remedy(&self, error: &PatternError) -> Option<String> {
        match error {
            PatternError::UnknownHotspot { terminals, .. } => Some(format!(
                "`nodes` names terminals from 0 to {}",
                terminals - 1
            )),
            PatternError::RepeatedHotspot { .. } => Some("name each node once".to_owned()),
            _ => None,
        }
    }
}

/// A share to the hotspots, the rest uniform.
#[derive(Clone, Debug)]
pub(super) struct Hot {
    /// In ascending order.
    nodes: Box<[NodeId]>,
    fraction: f64,
    hot: Ratio,
    rest: Alike,
    terminals: u32,
    include_self: bool,
}

impl Hot {
    pub(super) fn new(
        nodes: &[NodeId],
        fraction: f64,
        terminals: u32,
        include_self: bool,
    ) -> Result<Self, PatternError> {
        let rest = Alike::new("hotspot", terminals, include_self)?;
        let hot = Ratio::new(fraction).ok_or(PatternError::HotspotFraction { fraction })?;
        let mut nodes = nodes.to_vec();
        nodes.sort_unstable();
        let Some(&last) = nodes.last() else {
            return Err(PatternError::NoHotspots);
        };
        if last.0 >= terminals {
            return Err(PatternError::UnknownHotspot {
                node: last.0,
                terminals,
            });
        }
        if let Some(pair) = nodes.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(PatternError::RepeatedHotspot { node: pair[0].0 });
        }
        Ok(Self {
            nodes: nodes.into_boxed_slice(),
            fraction,
            hot,
            rest,
            terminals,
            include_self,
        })
    }

    /// Where `source` stands among the hotspots, if it is one and must leave itself out.
    #[inline]
    fn left_out(&self, source: NodeId) -> Option<usize> {
        if self.include_self {
            None
        } else {
            self.nodes.binary_search(&source).ok()
        }
    }
}

impl Law for Hot {
    #[inline]
    fn draw<R: Rng + ?Sized>(&self, source: NodeId, rng: &mut R) -> NodeId {
        let hot = rng.chance(self.hot);
        let left_out = self.left_out(source);
        let count = self.nodes.len() - usize::from(left_out.is_some());
        if !hot || count == 0 {
            return self.rest.draw(source, rng);
        }
        let choice = rng.below(count as u32) as usize;
        let skip = left_out.is_some_and(|own| choice >= own);
        self.nodes[choice + usize::from(skip)]
    }

    /// What a hotspot receives where every terminal offers 1, all hotspots alike.
    fn received_most(&self) -> Option<f64> {
        let (n, k) = (f64::from(self.terminals), self.nodes.len() as f64);
        if self.include_self {
            return Some(1.0 - self.fraction + self.fraction * n / k);
        }
        // The uniform share comes from the n - 1 others. A hotspot alone has nowhere to send its own
        // hot packets; several spread them over the other k - 1.
        let others = (n - k) * self.fraction / k;
        if self.nodes.len() == 1 {
            return Some(1.0 - self.fraction + others);
        }
        Some(1.0 - self.fraction + others + self.fraction)
    }

    fn demand(&self, source: NodeId, visit: &mut dyn FnMut(NodeId, f64)) {
        let left_out = self.left_out(source);
        let count = self.nodes.len() - usize::from(left_out.is_some());
        let fraction = if count == 0 { 0.0 } else { self.fraction };
        for destination in (0..self.terminals).map(NodeId) {
            let mut probability = (1.0 - fraction) * self.rest.probability(source, destination);
            let own = left_out.is_some() && destination == source;
            if !own && count > 0 && self.nodes.binary_search(&destination).is_ok() {
                probability += fraction / count as f64;
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

    fn demand(hotspot: &Hot, source: u32) -> Vec<(u32, f64)> {
        let mut demand = Vec::new();
        hotspot.demand(NodeId(source), &mut |node, p| demand.push((node.0, p)));
        demand
    }

    #[test]
    fn a_quarter_to_one_node() {
        let hotspot = Hot::new(&[NodeId(1)], 0.25, 5, false).unwrap();
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
        let hotspot = Hot::new(&[2, 0, 3].map(NodeId), 1.0, 5, false).unwrap();
        assert_eq!(demand(&hotspot, 2), [(0, 0.5), (3, 0.5)]);
        let third = 1.0 / 3.0;
        assert_eq!(demand(&hotspot, 1), [(0, third), (2, third), (3, third)]);
    }
}
