//! HyperX: routers in a lattice, each joined to every router that differs from it in one coordinate
//! (Ahn, Binkert, Davis, McLaren & Schreiber, "HyperX: topology, routing, and packaging of efficient
//! large-scale networks", SC 2009, section 2). With radices equal it is the flattened butterfly (Kim, Dally
//! & Abts, "Flattened butterfly: a cost-efficient topology for high-radix networks", ISCA 2007); with one
//! dimension all routers are joined to all.
//!
//! A router's number is Σ a_i · Π_{j<i} S_j. Out of each the channels are ordered by dimension, then by how
//! much is added to the coordinate, 1 to S_i − 1 modulo S_i, then the parallel ones: so that translations
//! keep the order.
//!
//! Layout: half of the dimensions along each axis of the plane, as in a mesh.

mod definition;
mod family;

pub use definition::HyperXDefinition;

use super::common::coordinates::{Coordinates, check_radices, nodes_of};
use super::common::raster;
use crate::error::{check_size, refused};
use crate::{ChannelId, Graph, MinimalPaths, NodeId, TopologyError};

/// A HyperX, by its routers.
#[derive(Clone, Debug)]
pub struct HyperX {
    coordinates: Coordinates,
    /// By dimension: channels side by side.
    parallel: Vec<u32>,
    /// By dimension: how many channels of a router come before its own.
    first: Vec<u32>,
    degree: u32,
}

impl HyperX {
    /// A HyperX of `sizes`, dimension 0 first, with as many `parallel` channels between two routers of a
    /// dimension as there are for it: 1 where the list is empty.
    ///
    /// # Errors
    /// [`TopologyError::Parameter`] without dimensions, for a size below 2 and for one above 65,535, and
    /// where `parallel` has not one positive number for each dimension; [`TopologyError::TooLarge`] before
    /// any memory is touched.
    pub fn new(sizes: &[u32], parallel: &[u32]) -> Result<Self, TopologyError> {
        check_radices(sizes)?;
        let parallel = match parallel {
            [] => vec![1; sizes.len()],
            _ => parallel.to_vec(),
        };
        if parallel.len() != sizes.len() || parallel.contains(&0) {
            let message = format!(
                "{parallel:?} are no numbers of parallel channels of {} dimensions",
                sizes.len()
            );
            let remedy = "one number of 1 or more for each of the `sizes`";
            return Err(refused("parallel", "not one for each", remedy, message).into());
        }
        let mut first = Vec::with_capacity(sizes.len());
        let mut degree = 0u64;
        for (&size, &parallel) in sizes.iter().zip(&parallel) {
            first.push(degree.min(u64::from(u32::MAX)) as u32);
            degree += u64::from(size - 1) * u64::from(parallel);
        }
        let nodes = nodes_of(sizes);
        let remedy = "fewer or smaller `sizes`";
        check_size(nodes, nodes.saturating_mul(u128::from(degree)), remedy)?;
        Ok(Self {
            coordinates: Coordinates::new(sizes.to_vec()),
            parallel,
            first,
            degree: degree as u32,
        })
    }

    /// The graph: every router has a terminal.
    pub(crate) fn graph(&self) -> Graph {
        let nodes = (0..self.coordinates.nodes()).map(NodeId);
        let channels = nodes.flat_map(|node| self.targets(node).map(move |target| (node, target)));
        raster::graph(&self.places(), self.coordinates.nodes(), channels)
    }

    /// Where the channels out of `node` lead, in order.
    fn targets(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let dimensions = self.sizes().iter().zip(&self.parallel).enumerate();
        dimensions.flat_map(move |(dimension, (&size, &parallel))| {
            let a = self.coordinates.at(node, dimension);
            let others = (1..size).map(move |more| (a + more) % size);
            others.flat_map(move |to| {
                let target = self.coordinates.moved(node, dimension, to);
                (0..parallel).map(move |_| target)
            })
        })
    }

    /// Routers of each dimension, dimension 0 first.
    #[inline]
    pub fn sizes(&self) -> &[u32] {
        self.coordinates.radices()
    }

    /// All coordinates of `node`, dimension 0 first.
    #[inline]
    pub fn coordinates(&self, node: NodeId) -> &[u16] {
        self.coordinates.of(node)
    }

    /// Whether two routers have at most one channel between them each way.
    pub fn has_single_channels(&self) -> bool {
        self.parallel.iter().all(|&parallel| parallel == 1)
    }

    /// The channels from `node` to the router whose coordinate in `dimension` is `to` and which is like
    /// it otherwise: none where that is `node` itself.
    #[inline]
    pub fn channels_to(
        &self,
        node: NodeId,
        dimension: usize,
        to: u32,
    ) -> impl Iterator<Item = ChannelId> + use<> {
        let a = self.coordinates.at(node, dimension);
        let size = self.sizes()[dimension];
        let more = if to >= a { to - a } else { to + size - a };
        let parallel = if more == 0 {
            0
        } else {
            self.parallel[dimension]
        };
        let before = more.saturating_sub(1) * self.parallel[dimension];
        let first = node.0 * self.degree + self.first[dimension] + before;
        (first..first + parallel).map(ChannelId)
    }

    /// The dimension of `channel`, which leaves `node`.
    #[inline]
    pub fn dimension(&self, node: NodeId, channel: ChannelId) -> usize {
        let place = channel.0 - node.0 * self.degree;
        self.first.partition_point(|&first| first <= place) - 1
    }

    /// The dimensions in which two routers differ, in ascending order.
    #[inline]
    pub fn differing(&self, from: NodeId, to: NodeId) -> impl Iterator<Item = usize> {
        let (here, there) = (self.coordinates(from), self.coordinates(to));
        (0..here.len()).filter(move |&i| here[i] != there[i])
    }
}

impl MinimalPaths for HyperX {
    fn distance(&self, from: NodeId, to: NodeId) -> u32 {
        self.differing(from, to).count() as u32
    }

    fn diameter(&self) -> u32 {
        self.sizes().len() as u32
    }

    /// Where it is a hypercube.
    fn is_bipartite(&self) -> bool {
        self.sizes().iter().all(|&size| size == 2)
    }

    #[inline]
    fn colour(&self, node: NodeId) -> bool {
        self.coordinates(node).iter().fold(0, |sum, a| sum ^ a) & 1 == 1
    }

    #[inline]
    fn for_each_minimal_channel(&self, from: NodeId, to: NodeId, mut visit: impl FnMut(ChannelId)) {
        for dimension in self.differing(from, to) {
            let there = self.coordinates.at(to, dimension);
            self.channels_to(from, dimension, there)
                .for_each(&mut visit);
        }
    }
}
