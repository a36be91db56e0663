//! Control variates of the mean latency: what a batch holds by chance, beside what it is known to hold in
//! the mean.
//!
//! The controls of a batch of an open loop are the packets created in it, their flits and, where all take
//! shortest paths, the channels that they take. Their expectations follow from the load, the pattern and
//! the distances, whatever the network does. A batch with more packets, longer packets or longer ways has a
//! higher latency, and is known to have it by chance.
//!
//! Invariant: an expectation is exact, or its control is left out.

use super::recorder::Bin;
use flitsim_topology::{FatTreeKind, MinimalPaths, Network, NodeId, Paths, Shape};
use flitsim_traffic::{Pattern, PatternError, TrafficPlan};

/// The most pairs of a source and a destination whose distances are summed.
const PAIRS_MOST: u64 = 1 << 20;

/// What is known of the packets of an open loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Controls {
    /// Packets that all terminals create in a cycle, in the mean.
    pub packets_per_cycle: f64,
    /// Mean length of a packet in flits; `None` where all have the same length.
    pub flits_mean: Option<f64>,
    /// Mean of the router-to-router channels that a packet takes; `None` where it depends on what
    /// happens, or is not known.
    pub hops_mean: Option<f64>,
}

impl Controls {
    /// The controls of batches, each with how many cycles it takes: for each control, by batch, what
    /// there was beyond the expectation. None where a packet has not arrived.
    pub(super) fn of_batches(&self, batches: &[Bin], cycles: &[u64]) -> Vec<Vec<f64>> {
        if !batches.iter().all(Bin::is_complete) {
            return Vec::new();
        }
        let beyond = |each: f64, what: fn(&Bin) -> u64| -> Vec<f64> {
            let per_cycle = self.packets_per_cycle * each;
            let pairs = batches.iter().zip(cycles);
            pairs
                .map(|(batch, &cycles)| what(batch) as f64 - per_cycle * cycles as f64)
                .collect()
        };
        let mut controls = vec![beyond(1.0, |bin| bin.born_packets)];
        controls.extend(self.hops_mean.map(|hops| beyond(hops, |bin| bin.hops)));
        let flits = self.flits_mean;
        controls.extend(flits.map(|flits| beyond(flits, |bin| bin.created_flits)));
        controls
    }
}

/// The mean hops over the packets of `traffic` on `network` where all take shortest paths; `None` where
/// distances have no closed form, or there are too many pairs.
///
/// # Errors
/// [`PatternError`] where the pattern is not defined on the network.
pub(crate) fn hops_mean(
    network: &Network,
    traffic: &TrafficPlan,
) -> Result<Option<f64>, PatternError> {
    let distance: Box<dyn Fn(NodeId, NodeId) -> u32> = match network.shape() {
        // Those of a fat-pyramid are shorter than its routes.
        Shape::FatTree(tree) if tree.kind() == FatTreeKind::Butterfly => {
            Box::new(|from, to| tree.distance(from, to))
        }
        _ => match Paths::in_closed_form(network) {
            Some(paths) => Box::new(move |from, to| paths.distance(from, to)),
            None => return Ok(None),
        },
    };
    if let (Pattern::Uniform(uniform), Some(distances)) =
        (&traffic.pattern, network.route_distances())
    {
        return Ok(Some(match uniform.include_self {
            true => distances.mean_with_self,
            false => distances.mean_without_self,
        }));
    }
    let destinations = traffic.pattern.compile(network)?;
    let (mut hops, mut pairs) = (0.0, 0);
    for source in (0..network.terminals()).map(NodeId) {
        destinations.demand(source, &mut |destination, share| {
            hops += share * f64::from(distance(source, destination));
            pairs += 1;
        });
        if pairs > PAIRS_MOST {
            return Ok(None);
        }
    }
    Ok(Some(hops / f64::from(network.terminals())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_topology::{Ends, FatTree, Grid, SparseTorus, Star, Thinning};
    use flitsim_traffic::{MixPart, Transpose, Uniform};

    fn uniform(include_self: bool) -> Pattern {
        Pattern::Uniform(Uniform { include_self })
    }

    fn mean(network: &Network, pattern: Pattern) -> Option<f64> {
        let traffic = TrafficPlan {
            pattern,
            ..TrafficPlan::default()
        };
        hops_mean(network, &traffic).unwrap()
    }

    /// A mixture of one is not known to be uniform: every pair is looked at.
    #[test]
    fn closed_forms_are_the_mean_over_all_pairs() {
        let networks = [
            Grid::new(&[4, 5], Ends::Open).unwrap().into_network(),
            Grid::new(&[4, 5], Ends::Ring).unwrap().into_network(),
            Grid::new(&[4, 5], Ends::DirectedRing)
                .unwrap()
                .into_network(),
            Star::new(4).unwrap().into_network(),
            FatTree::butterfly(64).unwrap().into_network(),
            SparseTorus::new(4, 3, Thinning::Pruned)
                .unwrap()
                .into_network(),
            SparseTorus::new(4, 3, Thinning::Manhattan)
                .unwrap()
                .into_network(),
        ];
        for network in &networks {
            for include_self in [false, true] {
                let one = MixPart {
                    pattern: uniform(include_self),
                    weight: 1.0,
                };
                let closed = mean(network, uniform(include_self)).unwrap();
                let counted = mean(network, Pattern::Mix(vec![one])).unwrap();
                assert!((closed - counted).abs() < 1e-9, "{closed} {counted}");
            }
        }
        // (a, b) to (b, a): twice the mean difference of two coordinates.
        let mesh = Grid::uniform(4, 2, Ends::Open).unwrap().into_network();
        let transposed = mean(&mesh, Pattern::Transpose(Transpose)).unwrap();
        assert!((transposed - 2.0 * 1.25).abs() < 1e-12);
    }

    #[test]
    fn what_is_not_known_is_no_control() {
        let pyramid = FatTree::pyramid(16).unwrap().into_network();
        assert_eq!(mean(&pyramid, uniform(false)), None);
        // Of 1089 terminals, more pairs than are summed.
        let mesh = Grid::uniform(33, 2, Ends::Open).unwrap().into_network();
        let (pattern, weight) = (uniform(false), 1.0);
        assert_eq!(
            mean(&mesh, Pattern::Mix(vec![MixPart { pattern, weight }])),
            None
        );
        let known = Controls {
            packets_per_cycle: 0.5,
            flits_mean: None,
            hops_mean: Some(3.0),
        };
        let mut bin = Bin {
            born_packets: 7,
            delivered_packets: 7,
            hops: 20,
            ..Bin::default()
        };
        assert_eq!(known.of_batches(&[bin], &[10]), [[2.0], [5.0]]);
        bin.delivered_packets = 6;
        assert!(known.of_batches(&[bin], &[10]).is_empty());
    }
}
