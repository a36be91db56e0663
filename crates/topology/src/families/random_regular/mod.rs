//! Random regular graphs: every router joined to as many others, drawn at random (Singla, Hong, Popa &
//! Godfrey, "Jellyfish: networking data centers randomly", NSDI 2012).
//!
//! Routers in a ring, each joined to the nearest, exchange the ends of their links two by two, at random, as
//! long as no link becomes one of a router with itself or a second one between two routers: degrees stay,
//! and what comes of many exchanges is as likely as anything else (Cooper, Dyer & Greenhill, "Sampling
//! regular graphs and a peer-to-peer network", 2007). It goes on until the graph is connected.
//!
//! Out of each router the channels are ordered by target. Layout: row by row, in the order of the numbers.

mod definition;
mod family;

pub use definition::RandomRegularDefinition;

use super::common::raster;
use crate::error::{check_size, refused};
use crate::memory::bytes_of;
use crate::search::is_strongly_connected;
use crate::{Graph, NodeId, TopologyError};
use flitsim_random::Address;
use rand::RngExt;
use std::collections::HashSet;

/// Exchanges tried for each link.
const EXCHANGES_A_LINK: usize = 20;

/// Names the draws among all else of a seed.
const LINKS: u64 = u64::from_be_bytes(*b"regular\0");

/// A random regular graph, by its routers.
#[derive(Clone, Debug)]
pub struct RandomRegular {
    routers: u32,
    degree: u32,
    /// By router, `degree` each: where its channels lead, in ascending order.
    targets: Vec<NodeId>,
}

impl RandomRegular {
    /// `routers` routers of `degree` links each, drawn by `seed`.
    ///
    /// # Errors
    /// [`TopologyError::Parameter`] with a degree below 2 or not below the number of routers, and where both
    /// are odd; [`TopologyError::TooLarge`] before any memory is touched.
    pub fn new(routers: u32, degree: u32, seed: u64) -> Result<Self, TopologyError> {
        let channels = u128::from(routers) * u128::from(degree);
        check_size(
            u128::from(routers),
            channels,
            "fewer `routers`, or a smaller `degree`",
        )?;
        if degree < 2 || degree >= routers || channels % 2 == 1 {
            let message = format!(
                "{routers} routers cannot have {degree} links each: the degree is 2 or more, below the \
                 number of routers, and one of the two is even"
            );
            let nearest = degree.clamp(2, routers.saturating_sub(1).max(2));
            let even = nearest - nearest % 2 * (routers % 2);
            let remedy = format!("`degree = {even}`");
            return Err(refused("degree", "cannot be", remedy, message).into());
        }
        let mut links = ring(routers, degree);
        let mut joined: HashSet<(u32, u32)> = links.iter().copied().collect();
        let mut random = Address::new(seed).with(LINKS).generator();
        let count = links.len();
        loop {
            for _ in 0..EXCHANGES_A_LINK * count {
                let (one, other) = (random.random_range(..count), random.random_range(..count));
                let ((a, b), (mut c, mut d)) = (links[one], links[other]);
                if random.random() {
                    (c, d) = (d, c);
                }
                let new = [ordered(a, d), ordered(c, b)];
                let is_fit = a != d && c != b && new[0] != new[1];
                if is_fit && !new.iter().any(|link| joined.contains(link)) {
                    for (place, link) in [one, other].into_iter().zip(new) {
                        joined.remove(&links[place]);
                        joined.insert(link);
                        links[place] = link;
                    }
                }
            }
            let built = Self::of_links(routers, degree, &links);
            if is_strongly_connected(&built.graph()) {
                return Ok(built);
            }
        }
    }

    fn of_links(routers: u32, degree: u32, links: &[(u32, u32)]) -> Self {
        let both_ways = links.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
        let mut channels: Vec<(u32, u32)> = both_ways.collect();
        channels.sort_unstable();
        Self {
            routers,
            degree,
            targets: channels.into_iter().map(|(_, to)| NodeId(to)).collect(),
        }
    }

    fn targets(&self, node: NodeId) -> &[NodeId] {
        let degree = self.degree as usize;
        &self.targets[node.index() * degree..][..degree]
    }

    /// The graph: every router has a terminal.
    pub(crate) fn graph(&self) -> Graph {
        let nodes = (0..self.routers).map(NodeId);
        let channels = nodes.flat_map(|node| self.targets(node).iter().map(move |&to| (node, to)));
        raster::graph(&self.places(), self.routers, channels)
    }

    fn bytes(&self) -> u64 {
        bytes_of(&self.targets)
    }
}

/// The links of routers in a ring, each joined to the nearest on both sides and, if the degree is odd, to
/// the one across.
fn ring(routers: u32, degree: u32) -> Vec<(u32, u32)> {
    let around = (1..=degree / 2)
        .flat_map(|step| (0..routers).map(move |a| ordered(a, (a + step) % routers)));
    let across = (0..routers / 2).map(|a| (a, a + routers / 2));
    let across = across.filter(|_| degree % 2 == 1);
    around.chain(across).collect()
}

fn ordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}
