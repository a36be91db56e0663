//! A demand, known by source, turned round to be read by destination: the walk of a relation then
//! visits a head that many sources share only once.
//!
//! Invariant: whatever the number of pairs, at most `PAIRS_AT_ONCE` of them are held, or those of
//! one destination; the demand is asked again for each batch of destinations.

use super::AnalysisError;
use flitsim_topology::{Network, NodeId};
use std::ops::Range;

/// Pairs held in memory at once: 64 MiB.
const PAIRS_AT_ONCE: u64 = 1 << 22;

/// What one source sends to the destination at hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// The terminal that sends.
    pub source: NodeId,
    /// Flits a cycle, above 0.
    pub load: f64,
}

/// Tells a source's destinations and what it sends to each. A trait object, since every caller's closure
/// is a type of its own.
pub(super) type Pairs<'a> = &'a dyn Fn(NodeId, &mut dyn FnMut(NodeId, f64));

/// Who sends how much to whom.
pub(super) struct Demand<'a> {
    sources: &'a [NodeId],
    pairs: Pairs<'a>,
    counts: Vec<u64>,
    injection: Vec<f64>,
    ejection: Vec<f64>,
    total: f64,
    to_self: f64,
    even: Option<f64>,
}

impl<'a> Demand<'a> {
    /// Asks every source once.
    ///
    /// # Errors
    /// [`AnalysisError::NotATerminal`], [`AnalysisError::Probability`], [`AnalysisError::NoTraffic`].
    pub(super) fn new(
        network: &Network,
        sources: &'a [NodeId],
        pairs: Pairs<'a>,
    ) -> Result<Self, AnalysisError> {
        let terminals = network.terminals();
        let mut demand = Self {
            sources,
            pairs,
            counts: vec![0; terminals as usize],
            injection: vec![0.0; terminals as usize],
            ejection: vec![0.0; terminals as usize],
            total: 0.0,
            to_self: 0.0,
            even: None,
        };
        let mut is_even = sources.iter().copied().eq((0..terminals).map(NodeId));
        for &origin in sources {
            let mut next = 0;
            if origin.0 >= terminals {
                return Err(AnalysisError::NotATerminal {
                    node: origin,
                    terminals,
                });
            }
            let mut fault = None;
            (demand.pairs)(origin, &mut |destination, probability| {
                if destination.0 >= terminals {
                    fault.get_or_insert(AnalysisError::NotATerminal {
                        node: destination,
                        terminals,
                    });
                } else if !(probability.is_finite() && probability >= 0.0) {
                    fault.get_or_insert(AnalysisError::Probability {
                        origin,
                        destination,
                        probability,
                    });
                } else if probability > 0.0 {
                    demand.counts[destination.index()] += 1;
                    demand.injection[origin.index()] += probability;
                    demand.ejection[destination.index()] += probability;
                    next += u32::from(next == origin.0 && destination != origin);
                    is_even &= destination.0 == next;
                    next += 1;
                    if origin == destination {
                        demand.to_self += probability;
                    } else {
                        is_even &= *demand.even.get_or_insert(probability) == probability;
                    }
                }
            });
            if let Some(fault) = fault {
                return Err(fault);
            }
            is_even &= next + u32::from(next == origin.0) == terminals;
        }
        demand.even = demand.even.filter(|_| is_even);
        demand.total = demand.injection.iter().sum();
        if demand.total > 0.0 {
            Ok(demand)
        } else {
            Err(AnalysisError::NoTraffic)
        }
    }

    /// Flits a cycle that all sources send.
    pub(super) fn total(&self) -> f64 {
        self.total
    }

    /// Flits a cycle that terminals send to themselves.
    pub(super) fn to_self(&self) -> f64 {
        self.to_self
    }

    /// Flits a cycle that every terminal sends to each other, where that is the same for all.
    pub(super) fn even(&self) -> Option<f64> {
        self.even
    }

    /// Flits a cycle that each terminal sends.
    pub(super) fn injection_loads(&self) -> &[f64] {
        &self.injection
    }

    /// Flits a cycle that each terminal receives.
    pub(super) fn ejection_loads(&self) -> &[f64] {
        &self.ejection
    }

    /// Calls `visit` with all destinations that receive something, ascending, many at once, each with what it
    /// receives from each source, in the order of the sources.
    ///
    /// # Errors
    /// The first that `visit` returns.
    pub(super) fn for_each_batch<E>(
        &self,
        mut visit: impl FnMut(&[(NodeId, &[Share])]) -> Result<(), E>,
    ) -> Result<(), E> {
        let terminals = self.counts.len();
        let mut first = 0;
        while first < terminals {
            let mut pairs = self.counts[first];
            let mut end = first + 1;
            while end < terminals && pairs + self.counts[end] <= PAIRS_AT_ONCE {
                pairs += self.counts[end];
                end += 1;
            }
            let (shares, ends) = self.gather(first..end, pairs as usize);
            let mut start = 0;
            let of_each = (first as u32..).map(NodeId).zip(&ends);
            let batch = of_each.map(|(destination, &end)| {
                let from = std::mem::replace(&mut start, end);
                (destination, &shares[from..end])
            });
            let batch: Vec<_> = batch.filter(|(_, shares)| !shares.is_empty()).collect();
            visit(&batch)?;
            first = end;
        }
        Ok(())
    }

    /// The shares of `pairs` pairs for the given destinations, sorted by destination, and where
    /// each destination's end.
    fn gather(&self, destinations: Range<usize>, pairs: usize) -> (Vec<Share>, Vec<usize>) {
        let nothing = Share {
            source: NodeId(0),
            load: 0.0,
        };
        let mut shares = vec![nothing; pairs];
        let mut fill = Vec::with_capacity(destinations.len());
        let mut start = 0;
        for &count in &self.counts[destinations.clone()] {
            fill.push(start);
            start += count as usize;
        }
        for &source in self.sources {
            (self.pairs)(source, &mut |destination, load| {
                if destinations.contains(&destination.index()) && load > 0.0 {
                    let slot = &mut fill[destination.index() - destinations.start];
                    shares[*slot] = Share { source, load };
                    *slot += 1;
                }
            });
        }
        (shares, fill)
    }
}
