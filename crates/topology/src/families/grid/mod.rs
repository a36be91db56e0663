//! The k-ary n-cubes and their kin: tori (of two-way or one-way rings), meshes and hypercubes, of
//! equal or mixed radices (Dally, "Wire-efficient VLSI multiprocessor communication networks",
//! section 2; Dally & Towles, chapter 5).
//!
//! A node's address is Σ a_i · Π_{j<i} k_j: dimension 0 is the fastest. Out of each node the
//! channels are ordered by dimension, upward before downward.
//!
//! A ring of radix 2 has one link between its two nodes, not two: a 2-ary n-cube is the binary
//! hypercube, and a torus and a mesh of radix 2 are one network.
//!
//! Layout: half of the dimensions along each axis of the plane, rings folded, as
//! [`Plane`] says; channels are as long as there.

mod cost;
mod definition;
mod family;
mod formula;
mod layout;
mod paths;
mod symmetry;

pub use definition::GridDefinition;

pub use formula::{grid_bisection_channels, grid_distances};
pub use layout::{column_density, row_density};

use super::common::coordinates::{Coordinates, check_radices, nodes_of, uniform};
use super::common::plane::Plane;
use crate::error::check_size;
use crate::graph::Columns;
use crate::{ChannelId, Direction, Ends, Graph, NodeId, Step, TopologyError};

const NONE: u32 = u32::MAX;

/// Radices, ends and coordinates of a torus, mesh or hypercube.
#[derive(Clone, Debug)]
pub struct Grid {
    coordinates: Coordinates,
    ends: Ends,
    channel_at: ChannelAt,
    /// `steps[channel]` packed as dimension << 2 | wraps << 1 | down.
    steps: Vec<u8>,
}

/// Which channel leaves a node in a dimension and direction: the slot
/// `node * 2 * dimensions + 2 * i + (down as usize)`.
#[derive(Clone, Debug)]
enum ChannelAt {
    /// One in every slot: the slots are the channels.
    EverySlot,
    /// One upward in every dimension.
    EveryUpward,
    /// One in every dimension, upward from coordinate 0 and downward from 1.
    EveryDimension,
    /// By slot; `NONE` where none leaves.
    Listed(Vec<u32>),
}

impl ChannelAt {
    fn new(radices: &[u32], ends: Ends) -> Self {
        match ends {
            Ends::DirectedRing => Self::EveryUpward,
            Ends::Ring if radices.iter().all(|&k| k > 2) => Self::EverySlot,
            Ends::Ring | Ends::Open if radices.iter().all(|&k| k == 2) => Self::EveryDimension,
            Ends::Ring | Ends::Open => Self::Listed(Vec::new()),
        }
    }
}

impl Grid {
    /// A grid of `dimensions` dimensions of `radix` nodes each.
    ///
    /// # Errors
    /// As [`Grid::new`].
    pub fn uniform(radix: u32, dimensions: u32, ends: Ends) -> Result<Self, TopologyError> {
        Self::new(&uniform(radix, dimensions), ends)
    }

    /// The binary hypercube of 2^`dimensions` nodes.
    ///
    /// # Errors
    /// As [`Grid::new`].
    pub fn hypercube(dimensions: u32) -> Result<Self, TopologyError> {
        Self::uniform(2, dimensions, Ends::Open)
    }

    /// A grid with the given radices, dimension 0 first.
    ///
    /// # Errors
    /// [`TopologyError::Parameter`] without dimensions, for a radix below 2 and for one above 65,535,
    /// and [`TopologyError::TooLarge`] before any memory is touched.
    pub fn new(radices: &[u32], ends: Ends) -> Result<Self, TopologyError> {
        check_radices(radices)?;
        let remedy = "fewer dimensions or smaller radices";
        let channels = channels_of(radices, ends);
        check_size(nodes_of(radices), channels, remedy)?;
        let mut grid = Self {
            coordinates: Coordinates::new(radices.to_vec()),
            ends,
            channel_at: ChannelAt::new(radices, ends),
            steps: Vec::with_capacity(channels as usize),
        };
        grid.number_channels();
        Ok(grid)
    }

    fn number_channels(&mut self) {
        let (nodes, n) = (self.coordinates.nodes(), self.dimensions());
        if let ChannelAt::Listed(channel_at) = &mut self.channel_at {
            *channel_at = vec![NONE; nodes as usize * 2 * n];
        }
        for node in 0..nodes {
            for dimension in 0..n {
                let a = self.coordinate(NodeId(node), dimension);
                let last = self.radices()[dimension] - 1;
                for direction in Direction::BOTH {
                    let wraps = match direction {
                        Direction::Up => a == last,
                        Direction::Down => a == 0,
                    };
                    let exists = match (self.ends, direction) {
                        (Ends::Open, _) => !wraps,
                        (Ends::Ring, _) => !wraps || last > 1,
                        (Ends::DirectedRing, direction) => direction == Direction::Up,
                    };
                    if exists {
                        let down = (direction == Direction::Down) as usize;
                        let slot = (node as usize * n + dimension) * 2 + down;
                        if let ChannelAt::Listed(channel_at) = &mut self.channel_at {
                            channel_at[slot] = self.steps.len() as u32;
                        }
                        self.steps
                            .push((dimension << 2) as u8 | (wraps as u8) << 1 | down as u8);
                    }
                }
            }
        }
    }

    /// The graph of this grid: every node has a terminal.
    pub(crate) fn graph(&self) -> Graph {
        let plane = Plane::of(self);
        let dimensions = 0..self.dimensions();
        let pitches: Vec<_> = dimensions.map(|i| plane.step_pitches(i)).collect();
        let nodes = self.coordinates.nodes();
        let mut columns = Columns::with_capacity(self.steps.len());
        for node in (0..nodes).map(NodeId) {
            for (dimension, pitches) in pitches.iter().enumerate() {
                let a = self.coordinate(node, dimension);
                for direction in Direction::BOTH {
                    if self.channel(node, dimension, direction).is_some() {
                        let target = self.neighbour(node, dimension, direction);
                        let lower = match direction {
                            Direction::Up => a,
                            Direction::Down => self.coordinate(target, dimension),
                        };
                        columns.push(node, target, pitches[lower as usize]);
                    }
                }
            }
        }
        Graph::from_columns(nodes, nodes, columns)
    }

    fn neighbour(&self, node: NodeId, dimension: usize, direction: Direction) -> NodeId {
        let k = self.radices()[dimension];
        let a = self.coordinate(node, dimension);
        let to = match direction {
            Direction::Up => (a + 1) % k,
            Direction::Down => (a + k - 1) % k,
        };
        self.coordinates.moved(node, dimension, to)
    }

    /// Nodes of each dimension, dimension 0 first.
    #[inline]
    pub fn radices(&self) -> &[u32] {
        self.coordinates.radices()
    }

    /// Number of dimensions.
    #[inline]
    pub fn dimensions(&self) -> usize {
        self.coordinates.radices().len()
    }

    /// What the ends of every dimension do.
    #[inline]
    pub fn ends(&self) -> Ends {
        self.ends
    }

    /// Whether dimension `dimension` is a ring, with a channel that wraps: false for open ends, and
    /// for two-way rings of radix 2, which have one link and nothing to wrap round.
    #[inline]
    pub fn is_ring(&self, dimension: usize) -> bool {
        match self.ends {
            Ends::Open => false,
            Ends::Ring => self.radices()[dimension] > 2,
            Ends::DirectedRing => true,
        }
    }

    /// Coordinate a_i of `node` in dimension `dimension`.
    #[inline]
    pub fn coordinate(&self, node: NodeId, dimension: usize) -> u32 {
        self.coordinates.at(node, dimension)
    }

    /// All coordinates of `node`, dimension 0 first.
    #[inline]
    pub fn coordinates(&self, node: NodeId) -> &[u16] {
        self.coordinates.of(node)
    }

    /// The node with the given coordinates, dimension 0 first.
    ///
    /// # Panics
    /// If there are not as many coordinates as dimensions, or one is not below its radix.
    pub fn node_at(&self, coordinates: &[u32]) -> NodeId {
        self.coordinates.node_at(coordinates)
    }

    /// The channel that leaves `node` in the given dimension and direction, if there is one.
    #[inline]
    pub fn channel(
        &self,
        node: NodeId,
        dimension: usize,
        direction: Direction,
    ) -> Option<ChannelId> {
        let at = node.index() * self.dimensions() + dimension;
        let down = (direction == Direction::Down) as usize;
        let id = match &self.channel_at {
            ChannelAt::EverySlot => (at * 2 + down) as u32,
            ChannelAt::Listed(channel_at) => channel_at[at * 2 + down],
            ChannelAt::EveryUpward if down == 0 => at as u32,
            ChannelAt::EveryDimension if down as u32 == self.coordinate(node, dimension) => {
                at as u32
            }
            ChannelAt::EveryUpward | ChannelAt::EveryDimension => NONE,
        };
        (id != NONE).then_some(ChannelId(id))
    }

    /// On a hypercube: the channels out of `from` that lead closer to `to`, dimension 0 first. They are found by the bits that
    /// differ: of a loop over the dimensions no predictor foresees which it skips. `None` on other grids.
    #[inline]
    pub fn closer_on_hypercube(
        &self,
        from: NodeId,
        to: NodeId,
    ) -> Option<impl Iterator<Item = ChannelId> + use<>> {
        debug_assert!(from.0.max(to.0) < self.coordinates.nodes());
        let first = from.0 * self.dimensions() as u32;
        let mut differing = from.0 ^ to.0;
        let channels = std::iter::from_fn(move || {
            let dimension = differing.trailing_zeros();
            (differing != 0).then(|| {
                differing &= differing - 1;
                ChannelId(first + dimension)
            })
        });
        matches!(self.channel_at, ChannelAt::EveryDimension).then_some(channels)
    }

    /// What `channel` does to the coordinates.
    #[inline]
    pub fn step(&self, channel: ChannelId) -> Step {
        let packed = self.steps[channel.index()];
        Step {
            dimension: u32::from(packed >> 2),
            direction: Direction::up_if(packed & 1 == 0),
            wraps: packed & 2 != 0,
        }
    }

    /// Hops between two nodes along shortest paths.
    pub fn distance(&self, from: NodeId, to: NodeId) -> u32 {
        (0..self.dimensions())
            .map(|i| self.hops_in(i, from, to))
            .sum()
    }

    /// The part of those hops that is in `dimension`.
    #[inline]
    fn hops_in(&self, dimension: usize, from: NodeId, to: NodeId) -> u32 {
        let (a, b) = (
            self.coordinate(from, dimension),
            self.coordinate(to, dimension),
        );
        let k = self.radices()[dimension];
        match self.ends {
            Ends::Open => a.abs_diff(b),
            Ends::Ring => a.abs_diff(b).min(k - a.abs_diff(b)),
            Ends::DirectedRing if b < a => b + k - a,
            Ends::DirectedRing => b - a,
        }
    }
}

/// Channels of a grid of these radices.
fn channels_of(radices: &[u32], ends: Ends) -> u128 {
    let nodes = nodes_of(radices);
    let of_dimension = |&k: &u32| match ends {
        Ends::DirectedRing => nodes,
        Ends::Ring if k > 2 => 2 * nodes,
        Ends::Ring | Ends::Open => nodes / u128::from(k) * 2 * u128::from(k - 1),
    };
    let channels = radices.iter().map(of_dimension);
    channels.fold(0, u128::saturating_add)
}
