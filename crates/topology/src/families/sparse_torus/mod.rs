//! Tori with fewer channels: pruned, one-way (Manhattan street networks), and both (Parhami & Kwai,
//! "Comparing four classes of torus-based parallel architectures", section 2).
//!
//! n dimensions of k nodes each. *Pruned*, k a multiple of n − 1: a node has the links of dimension
//! 0, and of the one dimension i ≥ 1 with a_0 ≡ i − 1 mod (n − 1). *Manhattan*, k even: of each
//! dimension only the channel up where the sum of the other coordinates is even, only the one down
//! where it is odd. *Pruned Manhattan*: both rules, and the sign from the sum over all other
//! coordinates, dimension 0 included (the paper's last formula lost that, and its example 3 is
//! misprinted).
//!
//! A node's address is Σ a_i · k^i. Out of each node the channels are ordered by dimension, upward
//! before downward; the place in this order is the channel's *slot*. A ring of radix 2 has one link.
//!
//! Invariant: all nodes look alike, slots included (section 3 of the paper). The automorphism that
//! takes node 0 to node a is x ↦ a + M_a x, where M_a permutes the pruned dimensions and flips
//! signs. So shortest paths from u to v are those from node 0 to the *offset* M_u⁻¹(v − u), and one
//! search from node 0 knows them all.
//!
//! Layout: that of the full torus, in the plane and folded, as [`Plane`] says, so that lengths compare
//! with those of a [`Grid`](crate::Grid). (The paper's figure 6 folds three dimensions in space; for
//! that see [`parhami_kwai`](crate::layout::parhami_kwai).)

mod definition;
mod family;
pub mod parhami_kwai;
mod symmetry;
mod thinning;

pub use definition::SparseTorusDefinition;

pub use thinning::Thinning;

use super::common::coordinates::{Coordinates, uniform};
use super::common::plane::Plane;
use crate::graph::Columns;
use crate::search::Distances;
use crate::{ChannelId, Direction, Ends, Graph, MinimalPaths, NodeId, Step, TopologyError};

/// A pruned torus, a Manhattan torus, or a pruned Manhattan torus.
#[derive(Clone, Debug)]
pub struct SparseTorus {
    radix: u32,
    dimensions: u32,
    thinning: Thinning,
    nodes: u32,
    /// Channels out of each node.
    degree: u32,
    coordinates: Coordinates,
    /// `residues[a]` = a mod (n − 1): the dimension less 1 whose links a pruned node has.
    residues: Vec<u16>,
    /// What each channel does.
    steps: Vec<Step>,
    /// By offset: hops from node 0.
    hops: Vec<u16>,
    /// By offset: the slots that shortest paths from node 0 begin with, as bits.
    first_slots: Vec<u32>,
}

impl SparseTorus {
    /// The torus of `dimensions` dimensions of `radix` nodes each, thinned out as `thinning` says.
    ///
    /// # Errors
    /// [`TopologyError::Parameter`] below 2 dimensions, for a radix below 2 or above 65,535, and for
    /// one that is not the multiple that the kind asks for; [`TopologyError::TooLarge`] before any
    /// memory is touched.
    pub fn new(radix: u32, dimensions: u32, thinning: Thinning) -> Result<Self, TopologyError> {
        let degree = thinning.check(radix, dimensions)?;
        let nodes = radix.pow(dimensions);
        let mut torus = Self {
            radix,
            dimensions,
            thinning,
            nodes,
            degree,
            coordinates: Coordinates::new(uniform(radix, dimensions)),
            residues: (0..radix).map(|a| (a % (dimensions - 1)) as u16).collect(),
            steps: Vec::with_capacity(nodes as usize * degree as usize),
            hops: Vec::new(),
            first_slots: Vec::new(),
        };
        for node in (0..nodes).map(NodeId) {
            torus.number_channels(node);
        }
        assert_eq!(torus.steps.len(), nodes as usize * degree as usize);
        torus.search();
        torus.find_first_slots();
        Ok(torus)
    }

    fn number_channels(&mut self, node: NodeId) {
        for dimension in 0..self.dimensions {
            if !self.has_dimension(node, dimension) {
                continue;
            }
            let a = self.coordinate(node, dimension);
            for direction in Direction::BOTH {
                let wraps = match direction {
                    Direction::Up => a == self.radix - 1,
                    Direction::Down => a == 0,
                };
                let exists = if self.thinning.is_one_way() {
                    (direction == Direction::Down) == self.is_reversed(node, dimension)
                } else {
                    !wraps || self.radix > 2
                };
                if exists {
                    self.steps.push(Step {
                        dimension,
                        direction,
                        wraps,
                    });
                }
            }
        }
    }

    /// Breadth first from node 0, whose offsets are the nodes themselves.
    fn search(&mut self) {
        const UNKNOWN: u16 = u16::MAX;
        let mut hops = vec![UNKNOWN; self.nodes as usize];
        hops[0] = 0;
        let mut queue = Vec::with_capacity(self.nodes as usize);
        queue.push(NodeId(0));
        let mut next = 0;
        while next < queue.len() {
            let node = queue[next];
            next += 1;
            for slot in 0..self.degree {
                let neighbour = self.neighbour(node, slot);
                if hops[neighbour.index()] == UNKNOWN {
                    // A path is shorter than (n + 1) · k, and no network in reach has more hops.
                    hops[neighbour.index()] = hops[node.index()] + 1;
                    queue.push(neighbour);
                }
            }
        }
        assert_eq!(queue.len(), self.nodes as usize, "the torus is connected");
        self.hops = hops;
    }

    fn find_first_slots(&mut self) {
        let mut first_slots = vec![0u32; self.nodes as usize];
        for slot in 0..self.degree {
            let neighbour = self.neighbour(NodeId(0), slot);
            for (slots, to) in first_slots.iter_mut().zip(0..) {
                let from_neighbour = self.hops[self.offset(neighbour, NodeId(to))];
                *slots |= u32::from(from_neighbour < self.hops[to as usize]) << slot;
            }
        }
        self.first_slots = first_slots;
    }

    /// The graph of this torus: every node has a terminal.
    pub(crate) fn graph(&self) -> Graph {
        let plane = self.plane();
        let dimensions = 0..self.dimensions as usize;
        let pitches: Vec<_> = dimensions.map(|i| plane.step_pitches(i)).collect();
        let mut columns = Columns::with_capacity(self.steps.len());
        for source in (0..self.nodes).map(NodeId) {
            for slot in 0..self.degree {
                let target = self.neighbour(source, slot);
                let step = self.step(ChannelId(source.0 * self.degree + slot));
                let lower = match step.direction {
                    Direction::Up => source,
                    Direction::Down => target,
                };
                let a = self.coordinate(lower, step.dimension);
                columns.push(source, target, pitches[step.dimension as usize][a as usize]);
            }
        }
        Graph::from_columns(self.nodes, self.nodes, columns)
    }

    /// The layout of the torus that this one is thinned out of.
    pub fn plane(&self) -> Plane {
        Plane::new(self.coordinates.radices(), Ends::Ring)
    }

    fn neighbour(&self, node: NodeId, slot: u32) -> NodeId {
        let step = self.step(ChannelId(node.0 * self.degree + slot));
        let stride = self.radix.pow(step.dimension);
        let last = (self.radix - 1) * stride;
        NodeId(match (step.direction, step.wraps) {
            (Direction::Up, false) => node.0 + stride,
            (Direction::Up, true) => node.0 - last,
            (Direction::Down, false) => node.0 - stride,
            (Direction::Down, true) => node.0 + last,
        })
    }

    /// Nodes along each dimension.
    #[inline]
    pub fn radix(&self) -> u32 {
        self.radix
    }

    /// Number of dimensions.
    #[inline]
    pub fn dimensions(&self) -> u32 {
        self.dimensions
    }

    /// Which channels of the torus it lacks.
    #[inline]
    pub fn thinning(&self) -> Thinning {
        self.thinning
    }

    /// Number of nodes.
    #[inline]
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Channels out of, and into, every node.
    #[inline]
    pub fn degree(&self) -> u32 {
        self.degree
    }

    /// Coordinate a_i of `node` in dimension `dimension`.
    #[inline]
    pub fn coordinate(&self, node: NodeId, dimension: u32) -> u32 {
        self.coordinates.at(node, dimension as usize)
    }

    /// All coordinates of `node`, dimension 0 first.
    #[inline]
    pub fn coordinates(&self, node: NodeId) -> &[u16] {
        self.coordinates.of(node)
    }

    /// The node with the given coordinates, dimension 0 first.
    ///
    /// # Panics
    /// If there are not as many coordinates as dimensions, or one is not below the radix.
    pub fn node_at(&self, coordinates: &[u32]) -> NodeId {
        self.coordinates.node_at(coordinates)
    }

    /// Whether `node` has channels in dimension `dimension`.
    #[inline]
    pub fn has_dimension(&self, node: NodeId, dimension: u32) -> bool {
        dimension == 0
            || !self.thinning.is_pruned()
            || self.residue(self.coordinate(node, 0)) == dimension - 1
    }

    /// The dimension other than 0 in which a pruned node has channels.
    #[inline]
    pub fn usable_dimension(&self, node: NodeId) -> u32 {
        1 + self.residue(self.coordinate(node, 0))
    }

    /// The channel that leaves `node` in the given dimension and direction, if there is one.
    #[inline]
    pub fn channel(&self, node: NodeId, dimension: u32, direction: Direction) -> Option<ChannelId> {
        let first = node.0 * self.degree;
        (first..first + self.degree).map(ChannelId).find(|&id| {
            let step = self.step(id);
            step.dimension == dimension && step.direction == direction
        })
    }

    /// What `channel` does to the coordinates.
    #[inline]
    pub fn step(&self, channel: ChannelId) -> Step {
        self.steps[channel.index()]
    }

    /// `node` under the automorphism that takes node 0 to `by`: the channel in a slot of `node`
    /// becomes the channel in the same slot of its image.
    pub fn translate(&self, by: NodeId, node: NodeId) -> NodeId {
        let mut image = vec![0; self.dimensions as usize];
        for (i, &x) in (0..).zip(self.coordinates(node)) {
            let to = self.image_of_dimension(by, i);
            let x = u32::from(x);
            let moved = if self.is_flipped(by, to) {
                self.radix - x
            } else {
                x
            };
            image[to as usize] = (self.coordinate(by, to) + moved) % self.radix;
        }
        self.node_at(&image)
    }

    /// The distances between all nodes, exactly: all nodes see the same.
    pub fn distances(&self) -> Distances {
        let sum: u64 = self.hops.iter().map(|&hops| u64::from(hops)).sum();
        let nodes = f64::from(self.nodes);
        Distances {
            diameter: self.diameter(),
            mean_with_self: sum as f64 / nodes,
            mean_without_self: sum as f64 / (nodes - 1.0),
        }
    }

    /// The channels, both ways together, between two halves of the nodes, by theorem 4 and table 1
    /// of the paper: of the torus's 4 k^(n−1), one in n − 1 where it is pruned, half where it is
    /// one-way. `None` for radices that are odd, for then no straight cut leaves halves, or 2.
    pub fn bisection_channels(&self) -> Option<u64> {
        if !self.radix.is_multiple_of(2) || self.radix == 2 {
            return None;
        }
        let lines = u64::from(self.radix.pow(self.dimensions - 1));
        let kept = if self.thinning.is_pruned() {
            lines / u64::from(self.dimensions - 1)
        } else {
            lines
        };
        Some(if self.thinning.is_one_way() { 2 } else { 4 } * kept)
    }

    #[inline]
    fn residue(&self, a: u32) -> u32 {
        u32::from(self.residues[a as usize])
    }

    /// Whether the sum of the coordinates other than a_`dimension` is odd: one-way channels lead
    /// down there.
    #[inline]
    fn is_reversed(&self, node: NodeId, dimension: u32) -> bool {
        let own = self.coordinate(node, dimension) & 1 == 1;
        self.colour(node) != own
    }

    /// Whether M_`by` flips the sign of dimension `dimension` of its image.
    #[inline]
    fn is_flipped(&self, by: NodeId, dimension: u32) -> bool {
        self.thinning.is_one_way() && self.is_reversed(by, dimension)
    }

    /// The dimension that M_`by` takes dimension `dimension` to: the pruned dimensions turn with
    /// a_0, and change places where the sign of dimension 0 flips.
    #[inline]
    fn image_of_dimension(&self, by: NodeId, dimension: u32) -> u32 {
        if dimension == 0 || !self.thinning.is_pruned() {
            return dimension;
        }
        let pruned = self.dimensions - 1;
        let turn = self.residue(self.coordinate(by, 0));
        let image = if self.is_flipped(by, 0) {
            turn + pruned - (dimension - 1)
        } else {
            turn + dimension - 1
        };
        1 + if image >= pruned {
            image - pruned
        } else {
            image
        }
    }

    /// Where `to` is as seen from `from`: the node that `translate(from, ..)` takes to `to`.
    #[inline]
    fn offset(&self, from: NodeId, to: NodeId) -> usize {
        let (here, there) = (self.coordinates(from), self.coordinates(to));
        let k = self.radix;
        let mut offset = 0;
        for i in (0..self.dimensions).rev() {
            let image = self.image_of_dimension(from, i);
            let (mut a, mut b) = (
                u32::from(here[image as usize]),
                u32::from(there[image as usize]),
            );
            if self.is_flipped(from, image) {
                (a, b) = (b, a);
            }
            offset = offset * k + if b >= a { b - a } else { b + k - a };
        }
        offset as usize
    }
}

impl MinimalPaths for SparseTorus {
    fn distance(&self, from: NodeId, to: NodeId) -> u32 {
        u32::from(self.hops[self.offset(from, to)])
    }

    fn diameter(&self) -> u32 {
        self.hops.iter().copied().max().map_or(0, u32::from)
    }

    /// Where the radix is even: every channel changes the sum of the coordinates by an odd number.
    fn is_bipartite(&self) -> bool {
        self.radix.is_multiple_of(2)
    }

    /// Whether the sum of the coordinates is odd.
    #[inline]
    fn colour(&self, node: NodeId) -> bool {
        self.coordinates(node).iter().fold(0, |sum, a| sum ^ a) & 1 == 1
    }

    #[inline]
    fn for_each_minimal_channel(&self, from: NodeId, to: NodeId, mut visit: impl FnMut(ChannelId)) {
        let mut slots = self.first_slots[self.offset(from, to)];
        while slots != 0 {
            visit(ChannelId(from.0 * self.degree + slots.trailing_zeros()));
            slots &= slots - 1;
        }
    }
}
