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
//! [`Plane`](crate::layout::Plane) says; channels are as long as there.

use crate::error::check_size;
use crate::layout::Plane;
use crate::memory::bytes_of;
use crate::network::Columns;
use crate::{ChannelId, Network, NodeId, Shape, TopologyError};

/// The most nodes along a dimension: coordinates are 16 bits wide.
const RADIX_LIMIT: u32 = u16::MAX as u32;

const NONE: u32 = u32::MAX;

/// What the two ends of a dimension do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// The ends are open: a line of nodes, as in a mesh.
    Open,
    /// The ends are joined: a ring with channels both ways, as in a torus.
    Ring,
    /// The ends are joined and channels lead upward only (Dally's k-ary n-cubes).
    DirectedRing,
}

/// A way along a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards the higher coordinate.
    Up,
    /// Towards the lower coordinate.
    Down,
}

/// What a channel of a grid does to the coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The dimension that it moves in.
    pub dimension: u32,
    /// The way it moves.
    pub direction: Direction,
    /// Whether it joins the two ends of a ring: from the last coordinate to 0, or back.
    pub wraps: bool,
}

/// Radices, ends and coordinates of a torus, mesh or hypercube.
#[derive(Clone, Debug)]
pub struct Grid {
    radices: Vec<u32>,
    ends: Ends,
    nodes: u32,
    /// `coordinates[node * dimensions + i]` = a_i. A table, for the router's loop must not divide.
    coordinates: Vec<u16>,
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
        // Beyond 128 dimensions even two nodes in each are more than 128 bits can count: the check
        // of the size refuses them whatever their number, and the list of radices stays short.
        Self::new(&vec![radix; dimensions.min(129) as usize], ends)
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
    /// [`TopologyError::NoDimensions`], [`TopologyError::RadixTooSmall`] for a radix below 2,
    /// [`TopologyError::RadixTooLarge`] for one above 65,535, and [`TopologyError::TooLarge`]
    /// before any memory is touched.
    pub fn new(radices: &[u32], ends: Ends) -> Result<Self, TopologyError> {
        if radices.is_empty() {
            return Err(TopologyError::NoDimensions);
        }
        for (dimension, &radix) in radices.iter().enumerate() {
            if radix < 2 {
                return Err(TopologyError::RadixTooSmall { dimension, radix });
            }
            if radix > RADIX_LIMIT {
                return Err(TopologyError::RadixTooLarge {
                    dimension,
                    radix,
                    limit: RADIX_LIMIT,
                });
            }
        }
        Self::check_size(radices, ends)?;
        let nodes: u32 = radices.iter().product();
        let n = radices.len();
        let mut grid = Self {
            radices: radices.to_vec(),
            ends,
            nodes,
            coordinates: Vec::with_capacity(nodes as usize * n),
            channel_at: ChannelAt::new(radices, ends),
            steps: Vec::new(),
        };
        let mut address = vec![0u16; n];
        for _ in 0..nodes {
            grid.coordinates.extend_from_slice(&address);
            for (a, &k) in address.iter_mut().zip(radices) {
                *a += 1;
                if u32::from(*a) < k {
                    break;
                }
                *a = 0;
            }
        }
        grid.number_channels();
        Ok(grid)
    }

    fn check_size(radices: &[u32], ends: Ends) -> Result<(), TopologyError> {
        // More nodes than 128 bits count are as good as 2^120: too many, and safe to multiply.
        let nodes = radices
            .iter()
            .try_fold(1u128, |product, &k| product.checked_mul(u128::from(k)))
            .map_or(1 << 120, |nodes| nodes.min(1 << 120));
        let of_dimension = |&k: &u32| match ends {
            Ends::DirectedRing => nodes,
            Ends::Ring if k > 2 => 2 * nodes,
            Ends::Ring | Ends::Open => nodes / u128::from(k) * 2 * u128::from(k - 1),
        };
        let channels = radices
            .iter()
            .map(of_dimension)
            .fold(0, u128::saturating_add);
        check_size(nodes, channels)
    }

    /// The channels that there are.
    fn channels_count(&self) -> usize {
        let nodes = self.nodes as usize;
        let of_dimension = |&k: &u32| match self.ends {
            Ends::DirectedRing => nodes,
            Ends::Ring if k > 2 => 2 * nodes,
            Ends::Ring | Ends::Open => nodes / k as usize * 2 * (k as usize - 1),
        };
        self.radices.iter().map(of_dimension).sum()
    }

    fn number_channels(&mut self) {
        let n = self.radices.len();
        if let ChannelAt::Listed(channel_at) = &mut self.channel_at {
            *channel_at = vec![NONE; self.nodes as usize * 2 * n];
        }
        self.steps.reserve_exact(self.channels_count());
        for node in 0..self.nodes {
            for dimension in 0..n {
                let a = self.coordinate(NodeId(node), dimension);
                let last = self.radices[dimension] - 1;
                for direction in [Direction::Up, Direction::Down] {
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

    /// The network of this grid: every node has a terminal.
    pub fn into_network(self) -> Network {
        let plane = Plane::of(&self);
        let dimensions = 0..self.radices.len();
        let pitches: Vec<_> = dimensions.map(|i| plane.step_pitches(i)).collect();
        let room = self.steps.len();
        let mut columns = Columns {
            source: Vec::with_capacity(room),
            target: Vec::with_capacity(room),
            length_pitches: Vec::with_capacity(room),
        };
        for node in (0..self.nodes).map(NodeId) {
            for (dimension, pitches) in pitches.iter().enumerate() {
                let a = self.coordinate(node, dimension);
                for direction in [Direction::Up, Direction::Down] {
                    if self.channel(node, dimension, direction).is_some() {
                        let target = self.neighbour(node, dimension, direction);
                        let lower = match direction {
                            Direction::Up => a,
                            Direction::Down => self.coordinate(target, dimension),
                        };
                        columns.source.push(node);
                        columns.target.push(target);
                        columns.length_pitches.push(pitches[lower as usize]);
                    }
                }
            }
        }
        Network::from_columns(self.nodes, self.nodes, columns, Shape::Grid(self))
    }

    fn neighbour(&self, node: NodeId, dimension: usize, direction: Direction) -> NodeId {
        let stride: u32 = self.radices[..dimension].iter().product();
        let k = self.radices[dimension];
        let a = self.coordinate(node, dimension);
        let to = match direction {
            Direction::Up => (a + 1) % k,
            Direction::Down => (a + k - 1) % k,
        };
        NodeId(node.0 - a * stride + to * stride)
    }

    /// Nodes of each dimension, dimension 0 first.
    #[inline]
    pub fn radices(&self) -> &[u32] {
        &self.radices
    }

    /// Number of dimensions.
    #[inline]
    pub fn dimensions(&self) -> usize {
        self.radices.len()
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
            Ends::Ring => self.radices[dimension] > 2,
            Ends::DirectedRing => true,
        }
    }

    /// Coordinate a_i of `node` in dimension `dimension`.
    #[inline]
    pub fn coordinate(&self, node: NodeId, dimension: usize) -> u32 {
        u32::from(self.coordinates[node.index() * self.radices.len() + dimension])
    }

    /// All coordinates of `node`, dimension 0 first.
    #[inline]
    pub fn coordinates(&self, node: NodeId) -> &[u16] {
        let n = self.radices.len();
        &self.coordinates[node.index() * n..][..n]
    }

    /// The node with the given coordinates, dimension 0 first.
    ///
    /// # Panics
    /// If there are not as many coordinates as dimensions, or one is not below its radix.
    pub fn node_at(&self, coordinates: &[u32]) -> NodeId {
        assert_eq!(coordinates.len(), self.radices.len());
        let mut node = 0;
        for (&a, &k) in coordinates.iter().zip(&self.radices).rev() {
            assert!(a < k, "coordinate {a} is not below the radix {k}");
            node = node * k + a;
        }
        NodeId(node)
    }

    /// The channel that leaves `node` in the given dimension and direction, if there is one.
    #[inline]
    pub fn channel(
        &self,
        node: NodeId,
        dimension: usize,
        direction: Direction,
    ) -> Option<ChannelId> {
        let at = node.index() * self.radices.len() + dimension;
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

    /// Bytes of its tables.
    pub(crate) fn bytes(&self) -> u64 {
        let listed = match &self.channel_at {
            ChannelAt::Listed(channel_at) => bytes_of(channel_at),
            _ => 0,
        };
        bytes_of(&self.coordinates) + bytes_of(&self.steps) + listed
    }

    /// What `channel` does to the coordinates.
    #[inline]
    pub fn step(&self, channel: ChannelId) -> Step {
        let packed = self.steps[channel.index()];
        Step {
            dimension: u32::from(packed >> 2),
            direction: if packed & 1 == 0 {
                Direction::Up
            } else {
                Direction::Down
            },
            wraps: packed & 2 != 0,
        }
    }

    /// Hops between two nodes along shortest paths.
    pub fn distance(&self, from: NodeId, to: NodeId) -> u32 {
        (0..self.radices.len())
            .map(|i| {
                let k = self.radices[i];
                let (a, b) = (self.coordinate(from, i), self.coordinate(to, i));
                match self.ends {
                    Ends::Open => a.abs_diff(b),
                    Ends::Ring => a.abs_diff(b).min(k - a.abs_diff(b)),
                    Ends::DirectedRing => (b + k - a) % k,
                }
            })
            .sum()
    }
}
