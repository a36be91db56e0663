//! A pattern where nodes have failed: that of the whole network, among the terminals that live.
//!
//! A packet whose destination has failed is drawn again, so that a source keeps its load and the
//! proportions among the destinations that live. A source none of whose destinations lives, as many
//! a one under a permutation, is silent, and so is one that has failed.

use super::Destinations;
use crate::PatternError;
use flitsim_topology::{Damage, NodeId};
use rand::Rng;

/// The least share of a source's packets that must go to living destinations, unless none does:
/// it bounds how often a packet is drawn again.
const SHARE_LEAST: f64 = 1.0 / 64.0;

/// A pattern among the terminals that live.
#[derive(Clone, Debug)]
pub(super) struct Living {
    /// On the whole network.
    destinations: Destinations,
    /// By terminal.
    is_living: Box<[bool]>,
    /// By source: which share of its packets on the whole network has a destination that lives; 0
    /// where the source is silent.
    share: Box<[f64]>,
}

impl Living {
    pub(super) fn new(destinations: Destinations, damage: &Damage) -> Result<Self, PatternError> {
        let terminals = damage.whole().terminals();
        let is_living: Box<[bool]> = (0..terminals)
            .map(|node| damage.is_living(NodeId(node)))
            .collect();
        let share_of = |source: u32| {
            let mut share = 0.0;
            if is_living[source as usize] {
                destinations.demand(NodeId(source), &mut |to, probability| {
                    share += probability * f64::from(u8::from(is_living[to.index()]));
                });
            }
            share
        };
        let share: Box<[f64]> = (0..terminals).map(share_of).collect();
        let is_scarce = |share: &f64| *share > 0.0 && *share < SHARE_LEAST;
        if let Some(source) = share.iter().position(is_scarce) {
            return Err(PatternError::DestinationsFailed {
                source_node: source as u32,
                percent: 100.0 * (1.0 - share[source]),
            });
        }
        if share.iter().all(|&share| share == 0.0) {
            return Err(PatternError::NobodySends);
        }
        Ok(Self {
            destinations,
            is_living,
            share,
        })
    }

    #[inline]
    pub(super) fn sends(&self, source: NodeId) -> bool {
        self.share[source.index()] > 0.0
    }

    /// # Panics
    /// In debug builds, if `source` is silent: it would be drawn for ever.
    #[inline]
    pub(super) fn draw<R: Rng + ?Sized>(&self, source: NodeId, rng: &mut R) -> (NodeId, u32) {
        debug_assert!(self.sends(source), "{source} is silent");
        loop {
            let (to, part) = self.destinations.draw_with_part(source, rng);
            if self.is_living[to.index()] {
                return (to, part);
            }
        }
    }

    pub(super) fn demand(&self, source: NodeId, visit: &mut dyn FnMut(NodeId, f64)) {
        if !self.sends(source) {
            return;
        }
        let share = self.share[source.index()];
        self.destinations.demand(source, &mut |to, probability| {
            if self.is_living[to.index()] {
                visit(to, probability / share);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::statistics::chi_square_deviates;
    use crate::stream::{Purpose, Streams};
    use crate::{Hotspot, Local, MixPart, Neighbour, Pattern, PatternError, Reach, Uniform};
    use flitsim_topology::{Ends, Grid, Network, NodeId};
    use std::sync::Arc;

    fn torus_without(nodes: &[u32]) -> Network {
        let whole = Grid::new(&[5, 4], Ends::Ring).unwrap().into_network();
        let nodes: Vec<NodeId> = nodes.iter().copied().map(NodeId).collect();
        Network::without(&Arc::new(whole), &[], &nodes)
    }

    #[test]
    fn uniform_traffic_is_uniform_over_the_living() {
        let network = torus_without(&[0, 7, 19]);
        let include_self = false;
        let uniform = Pattern::Uniform(Uniform { include_self })
            .compile(&network)
            .unwrap();
        let mut expected = Vec::new();
        uniform.demand(NodeId(3), &mut |to, p| expected.push((to, p)));
        assert_eq!(expected.len(), 16);
        assert!(expected.iter().all(|(_, p)| (p - 1.0 / 16.0).abs() < 1e-12));
        let streams = Streams::new(5);
        let mut counts = vec![0u64; 16];
        for cycle in 0..20_000 {
            let mut rng = streams.event(Purpose::Packets, 3, cycle);
            let to = uniform.draw(NodeId(3), &mut rng);
            let place = expected.binary_search_by_key(&to, |&(node, _)| node);
            counts[place.expect("a living destination")] += 1;
        }
        let z = chi_square_deviates(&counts, &[1.0 / 16.0; 16]);
        assert!(z.abs() < 4.0, "{z} deviates");
        for node in (0..20).map(NodeId) {
            assert_eq!(uniform.sends(node), network.is_living(node), "{node}");
        }
    }

    /// Addresses stay those of the whole torus: (x, y) sends to (x + 1, y + 1).
    #[test]
    fn under_a_permutation_the_source_of_a_failed_node_is_silent() {
        let network = torus_without(&[7]);
        let neighbour = Pattern::Neighbour(Neighbour).compile(&network).unwrap();
        let silent: Vec<u32> = (0..20).filter(|&n| !neighbour.sends(NodeId(n))).collect();
        // Node 7 is (2, 1), which receives from (1, 0).
        assert_eq!(silent, [1, 7]);
        let mut visited = 0;
        neighbour.demand(NodeId(1), &mut |_, _| visited += 1);
        assert_eq!(visited, 0);
        neighbour.demand(NodeId(2), &mut |to, p| assert_eq!((to.0, p), (8, 1.0)));
    }

    /// Node 2 is (2, 0): its neighbours are 1, 3, (2, 1), which has failed, and (2, 3). Around the
    /// failed one it is 3 hops to (2, 2), which the whole torus has at 2.
    #[test]
    fn local_traffic_keeps_the_distances_of_the_whole_network() {
        let demand = |radius| {
            let reach = Reach::Radius(radius);
            let include_self = false;
            let local = Pattern::Local(Local {
                reach,
                include_self,
            });
            let local = local.compile(&torus_without(&[7])).unwrap();
            let mut demand = Vec::new();
            local.demand(NodeId(2), &mut |to, p| demand.push((to.0, p)));
            demand
        };
        let third = 1.0 / 3.0;
        let near = demand(1);
        let nodes: Vec<u32> = near.iter().map(|(node, _)| *node).collect();
        assert_eq!(nodes, [1, 3, 17]);
        assert!(near.iter().all(|(_, p)| (p - third).abs() < 1e-12));
        assert!(demand(2).iter().any(|(node, _)| *node == 12));
    }

    /// A part that has lost all its destinations leaves the packets to the others.
    #[test]
    fn a_mixture_is_what_is_left_of_its_parts_together() {
        let hot = Pattern::Hotspot(Hotspot {
            nodes: vec![NodeId(7)],
            rates: Vec::new(),
            fraction: 1.0,
            include_self: false,
        });
        let part = |pattern, weight| MixPart { pattern, weight };
        let mix = Pattern::Mix(vec![
            part(hot, 3.0),
            part(Pattern::Neighbour(Neighbour), 1.0),
        ]);
        let mix = mix.compile(&torus_without(&[7])).unwrap();
        mix.demand(NodeId(2), &mut |to, p| assert_eq!((to.0, p), (8, 1.0)));
        let streams = Streams::new(5);
        for cycle in 0..100 {
            let mut rng = streams.event(Purpose::Packets, 2, cycle);
            assert_eq!(mix.draw(NodeId(2), &mut rng), NodeId(8));
        }
        // What was neighbour traffic to 7 is gone as well.
        assert!(!mix.sends(NodeId(1)));
    }

    #[test]
    fn what_is_left_of_a_pattern_must_be_worth_the_name() {
        let hotspot = |fraction| {
            Pattern::Hotspot(Hotspot {
                nodes: vec![NodeId(7)],
                rates: Vec::new(),
                fraction,
                include_self: false,
            })
        };
        let network = torus_without(&[7]);
        assert!(hotspot(0.9).compile(&network).is_ok());
        let scarce = hotspot(0.999).compile(&network).unwrap_err();
        assert!(matches!(scarce, PatternError::DestinationsFailed { .. }));
        let nobody = hotspot(1.0).compile(&network).unwrap_err();
        assert_eq!(nobody, PatternError::NobodySends);
    }
}
