//! The fewest channels, both ways together, between two halves of the terminals.
//!
//! Halves are equal, or differ by one where the number of terminals is odd; switches are on either
//! side, wherever fewer channels cross. A channel counts whichever way it leads, as the papers count
//! a link of two channels as two (Parhami & Kwai, section 4.D).

mod cut;
mod descent;
mod exact;

use crate::Network;
use cut::Cut;

/// Nodes beyond which only straight cuts are tried.
const DESCENT_NODES_MAX: u32 = 20_000;

/// How a bisection width was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BisectionMethod {
    /// A formula that is proved, or that the family's paper gives and no search has contradicted.
    Formula,
    /// A search of all halvings: exact.
    Exact,
    /// The best halving known: an upper bound.
    Bound,
}

/// The bisection width of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bisection {
    /// Channels across, unidirectional, both ways together.
    pub channels: u64,
    /// Whether fewer are possible.
    pub method: BisectionMethod,
    /// Where the number comes from, in a phrase.
    pub how: String,
}

impl Bisection {
    /// The bisection width of `network`: by formula where there is one, by a search of all halvings
    /// where there are few, else the best of many descents, or of straight cuts if it is large.
    pub fn of(network: &Network) -> Self {
        if network.terminals() < 2 {
            return Self {
                channels: 0,
                method: BisectionMethod::Exact,
                how: "there is nothing to divide".to_owned(),
            };
        }
        match network.family().cut() {
            Some(cut) if cut.is_least => Self {
                channels: cut.channels,
                method: BisectionMethod::Formula,
                how: cut.how.to_owned(),
            },
            _ => Self::searched(network),
        }
    }

    /// As [`Bisection::of`], by search alone: for a family of your own, or to put a formula to the
    /// test.
    pub fn searched(network: &Network) -> Self {
        let mut straight = Vec::new();
        for order in cut::starts(network) {
            straight.push(Cut::of_order(network, &order));
        }
        let best_straight = straight.iter().map(|cut| cut.channels).min();
        let best_straight = best_straight.unwrap_or(u64::from(network.channels()));
        if network.nodes() > DESCENT_NODES_MAX {
            return Self::bound_of(network, best_straight);
        }
        let graph = cut::Links::new(network);
        let descents = descent::best(&graph, &straight);
        let best = descents.channels.min(best_straight);
        if let Some(channels) = exact::least(&graph, best) {
            return Self {
                channels,
                method: BisectionMethod::Exact,
                how: "branch and bound over all halvings".to_owned(),
            };
        }
        if best == best_straight {
            return Self::bound_of(network, best);
        }
        Self {
            channels: best,
            method: BisectionMethod::Bound,
            how: format!(
                "upper bound: the best of {} Fiduccia-Mattheyses descents from straight and random \
                 halvings",
                descents.descents
            ),
        }
    }

    /// The best of the straight cuts, or what the family's paper knows of a better one.
    fn bound_of(network: &Network, straight: u64) -> Self {
        let known = network.family().cut().filter(|cut| !cut.is_least);
        let known = known.filter(|cut| cut.channels <= straight);
        let (channels, how) = known.map_or((straight, "the best straight cut"), |cut| {
            (cut.channels, cut.how)
        });
        Self {
            channels,
            method: BisectionMethod::Bound,
            how: format!("upper bound: {how}"),
        }
    }
}
