//! Hotspot traffic: a share of the packets to a few nodes, the rest uniform (Pfister & Norton,
//! "Hot spot contention and combining in multistage interconnection networks", IEEE Trans.
//! Computers C-34(10), 1985; Dally & Towles, section 3.2).

use super::uniform::Uniform;
use crate::PatternError;
use flitsim_random::{Draw, Ratio};
use flitsim_topology::NodeId;
use rand::Rng;

/// A share to the hotspots, the rest uniform.
#[derive(Clone, Debug)]
pub(super) struct Hotspot {
    /// In ascending order.
    nodes: Box<[NodeId]>,
    fraction: f64,
    hot: Ratio,
    rest: Uniform,
    terminals: u32,
    include_self: bool,
}

impl Hotspot {
    pub(super) fn new(
        nodes: &[NodeId],
        fraction: f64,
        terminals: u32,
        include_self: bool,
    ) -> Result<Self, PatternError> {
        let rest = Uniform::new("hotspot", terminals, include_self)?;
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

    #[inline]
    pub(super) fn draw<R: Rng + ?Sized>(&self, source: NodeId, rng: &mut R) -> NodeId {
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
    pub(super) fn received_most(&self) -> f64 {
        let (n, k) = (f64::from(self.terminals), self.nodes.len() as f64);
        if self.include_self {
            return 1.0 - self.fraction + self.fraction * n / k;
        }
        // The uniform share comes from the n - 1 others. A hotspot alone has nowhere to send its own
        // hot packets; several spread them over the other k - 1.
        let others = (n - k) * self.fraction / k;
        if self.nodes.len() == 1 {
            return 1.0 - self.fraction + others;
        }
        1.0 - self.fraction + others + self.fraction
    }

    pub(super) fn demand(&self, source: NodeId, visit: &mut dyn FnMut(NodeId, f64)) {
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

    fn demand(hotspot: &Hotspot, source: u32) -> Vec<(u32, f64)> {
        let mut demand = Vec::new();
        hotspot.demand(NodeId(source), &mut |node, p| demand.push((node.0, p)));
        demand
    }

    #[test]
    fn a_quarter_to_one_node() {
        let hotspot = Hotspot::new(&[NodeId(1)], 0.25, 5, false).unwrap();
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
        let hotspot = Hotspot::new(&[2, 0, 3].map(NodeId), 1.0, 5, false).unwrap();
        assert_eq!(demand(&hotspot, 2), [(0, 0.5), (3, 0.5)]);
        let third = 1.0 / 3.0;
        assert_eq!(demand(&hotspot, 1), [(0, third), (2, third), (3, third)]);
    }
}
