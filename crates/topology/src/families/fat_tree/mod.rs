//! The two area-universal networks: the butterfly fat-tree (Greenberg & Leiserson 1989) and the
//! fat-pyramid (Greenberg 1994), as Greenberg & Guan define them ("An empirical comparison of
//! area-universal and other parallel computing networks", 1996, section 2).
//!
//! n = 4^m processors lie in a square, m levels of switches above them. The switch (h, c, x, y) of
//! level h < m is copy c < 2^h of the 2^h that stand over the square block x, y of 4^(h+1)
//! processors. It has four children, the switches (h − 1, ⌊c/2⌋, 2x + i, 2y + j), or the block's
//! processors where h = 0, and two parents, (h + 1, 2c, ⌊x/2⌋, ⌊y/2⌋) and
//! (h + 1, 2c + 1, ⌊x/2⌋, ⌊y/2⌋); those of the highest level have none. In the fat-pyramid, the
//! switches of a level and copy are a square mesh besides.
//!
//! Processors are nodes of their own, 0..n, with a terminal and one link, to their leaf switch:
//! hops between processors count the links at both ends. Processor X + √n·Y lies at (X, Y), as in a
//! mesh of as many nodes. Switches follow, ordered by level, copy, y and x. Out of a switch the
//! channels are ordered: the children, i fastest; the parents; in the mesh +x, −x, +y, −y.
//!
//! Layout: processors a pitch apart, a switch in the middle of its block, wires along the axes. So
//! a link between a processor and its switch is 1 pitch long, one from level h up to level h + 1
//! 2^(h+1), as is one in a mesh of level h.

mod cost;
mod definition;
mod distance;
mod family;
mod picture;
mod symmetry;

pub use definition::FatTreeDefinition;

use super::common::unit_cost::{levels_of, not_a_power_of_four};
use crate::error::{CHANNELS_LIMIT, check_size};
use crate::graph::Channel;
use crate::{ChannelId, Direction, Graph, NodeId, TopologyError};

/// Whether the switches of a level are joined among themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FatTreeKind {
    /// The butterfly fat-tree: they are not.
    Butterfly,
    /// The fat-pyramid: each copy of a level is a square mesh.
    Pyramid,
}

/// The address (h, c, x, y) of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// Level h: 0 next to the processors.
    pub level: u32,
    /// Copy c, below 2^h.
    pub copy: u32,
    /// The column of its block, below √(n/4) / 2^h.
    pub x: u32,
    /// The row of its block, below √(n/4) / 2^h.
    pub y: u32,
}

/// A way out of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To child i + 2j, 0 to 3, in quadrant (i, j) of the switch's block.
    Down(u32),
    /// To parent 0 or 1 of a switch, the copies 2c and 2c + 1; a processor has parent 0 alone.
    Up(u32),
    /// Within the mesh of a level and copy: dimension 0 is x, 1 is y.
    Along(usize, Direction),
}

impl Switch {
    /// The quadrant of this switch's block that holds the processor at `position`, as the number of
    /// the child there; `None` if its block does not hold it.
    #[inline]
    pub fn child_towards(&self, position: (u32, u32)) -> Option<u32> {
        let (x, y) = (position.0 >> self.level, position.1 >> self.level);
        (x >> 1 == self.x && y >> 1 == self.y).then_some(x & 1 | (y & 1) << 1)
    }
}

/// Addresses and channels of a butterfly fat-tree or fat-pyramid.
#[derive(Clone, Debug)]
pub struct FatTree {
    kind: FatTreeKind,
    /// Levels of switches, m = log4 of the processors.
    levels: u32,
    /// The first channel out of each switch, and after the last the number of all.
    first_channel: Vec<u32>,
}

/// The numbers of processors that fit, for either kind, with their levels.
fn legal_sizes(kind: FatTreeKind) -> impl Iterator<Item = u64> {
    (1..31)
        .map(|levels| 1u64 << (2 * levels))
        .take_while(move |&processors| channels_of(kind, u128::from(processors)) <= CHANNELS_LIMIT)
}

/// Unidirectional channels with `processors`, a power of four: twice 2n − 2√n links of the tree, and
/// n − √n − √n log4 n of the meshes.
fn channels_of(kind: FatTreeKind, processors: u128) -> u128 {
    let levels = processors.ilog2() / 2;
    let row = 1u128 << levels;
    let tree = 2 * (processors - row);
    match kind {
        FatTreeKind::Butterfly => 2 * tree,
        FatTreeKind::Pyramid => 2 * (tree + processors - row - row * u128::from(levels)),
    }
}

impl FatTree {
    /// The butterfly fat-tree of `processors` = 4^m processors.
    ///
    /// # Errors
    /// As [`FatTree::new`].
    pub fn butterfly(processors: u32) -> Result<Self, TopologyError> {
        Self::new(processors, FatTreeKind::Butterfly)
    }

    /// The fat-pyramid of `processors` = 4^m processors.
    ///
    /// # Errors
    /// As [`FatTree::new`].
    pub fn pyramid(processors: u32) -> Result<Self, TopologyError> {
        Self::new(processors, FatTreeKind::Pyramid)
    }

    /// The network of the given kind with `processors` = 4^m processors, m ≥ 1.
    ///
    /// # Errors
    /// [`TopologyError::Parameter`] unless that is a power of four, and [`TopologyError::TooLarge`]
    /// before any memory is touched.
    pub fn new(processors: u32, kind: FatTreeKind) -> Result<Self, TopologyError> {
        let levels = levels_of(processors)
            .ok_or_else(|| not_a_power_of_four(processors, legal_sizes(kind)))?;
        let n = u128::from(processors);
        let channels = channels_of(kind, n);
        check_size(n + (n - (1 << levels)) / 2, channels, "fewer processors")?;
        let mut tree = Self {
            kind,
            levels,
            first_channel: Vec::new(),
        };
        tree.number_channels();
        assert_eq!(u128::from(tree.channels()), channels);
        Ok(tree)
    }

    fn number_channels(&mut self) {
        let processors = self.processors();
        let mut next = processors;
        let mut first_channel = Vec::with_capacity(self.switches() as usize);
        for node in (processors..self.nodes()).map(NodeId) {
            first_channel.push(next);
            next += self.ways(node).count() as u32;
        }
        first_channel.push(next);
        self.first_channel = first_channel;
    }

    /// The graph of this tree: its processors have the terminals.
    pub(crate) fn graph(&self) -> Graph {
        let mut channels = Vec::with_capacity(self.channels() as usize);
        for node in (0..self.nodes()).map(NodeId) {
            for way in self.ways(node) {
                channels.push(Channel {
                    source: node,
                    target: self.neighbour(node, way),
                    length_pitches: self.length_pitches(node, way),
                });
            }
        }
        Graph::new(self.nodes(), self.processors(), &channels)
    }

    /// Whether the switches of a level are joined.
    #[inline]
    pub fn kind(&self) -> FatTreeKind {
        self.kind
    }

    /// Number of processors, n.
    #[inline]
    pub fn processors(&self) -> u32 {
        1 << (2 * self.levels)
    }

    /// Levels of switches, log4 n.
    #[inline]
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// Number of switches, (n − √n) / 2.
    #[inline]
    pub fn switches(&self) -> u32 {
        (self.processors() - (1 << self.levels)) / 2
    }

    /// Processors and switches.
    #[inline]
    pub fn nodes(&self) -> u32 {
        self.processors() + self.switches()
    }

    /// Unidirectional channels, those of the processors included.
    #[inline]
    pub fn channels(&self) -> u32 {
        self.first_channel.last().copied().unwrap_or(0)
    }

    /// Blocks of `level` in a row: √(n/4) / 2^level.
    ///
    /// # Panics
    /// In debug builds, unless `level` is below [`FatTree::levels`].
    #[inline]
    pub fn side(&self, level: u32) -> u32 {
        debug_assert!(level < self.levels);
        1 << (self.levels - 1 - level)
    }

    /// Where `processor` lies: X, Y, each below √n.
    #[inline]
    pub fn position(&self, processor: NodeId) -> (u32, u32) {
        debug_assert!(processor.0 < self.processors());
        let row = (1 << self.levels) - 1;
        (processor.0 & row, processor.0 >> self.levels)
    }

    /// The address of a switch; `None` for a processor.
    #[inline]
    pub fn switch(&self, node: NodeId) -> Option<Switch> {
        let index = node.0.checked_sub(self.processors())?;
        debug_assert!(index < self.switches());
        // Level h has 4^(m−1) / 2^h switches, so counted from the far end of 2·4^(m−1) places its
        // places have the logarithm 2(m−1) − h.
        let leaves = 2 * (self.levels - 1);
        let level = leaves - ((2 << leaves) - 1 - index).ilog2();
        let within = index - self.first_switch(level);
        let side = self.levels - 1 - level;
        Some(Switch {
            level,
            copy: within >> (2 * side),
            x: within & ((1 << side) - 1),
            y: within >> side & ((1 << side) - 1),
        })
    }

    /// Switches below `level`.
    #[inline]
    fn first_switch(&self, level: u32) -> u32 {
        let places = 2u32 << (2 * (self.levels - 1));
        places - (places >> level)
    }

    /// The node of a switch.
    ///
    /// # Panics
    /// In debug builds, if there is no such switch.
    #[inline]
    pub fn node_at(&self, switch: Switch) -> NodeId {
        let Switch { level, copy, x, y } = switch;
        let side = self.side(level);
        debug_assert!(copy >> level == 0 && x < side && y < side);
        let within = (copy * side + y) * side + x;
        NodeId(self.processors() + self.first_switch(level) + within)
    }

    /// The channel that leaves `node` in the given way, if there is one.
    #[inline]
    pub fn channel(&self, node: NodeId, way: Way) -> Option<ChannelId> {
        let Some(switch) = self.switch(node) else {
            return (way == Way::Up(0)).then_some(ChannelId(node.0));
        };
        let first = self.first_channel[(node.0 - self.processors()) as usize];
        let parents = 2 * u32::from(switch.level + 1 < self.levels);
        let offset = match way {
            Way::Down(child) => (child < 4).then_some(child),
            Way::Up(parent) => (parent < parents).then_some(4 + parent),
            Way::Along(dimension, direction) => self
                .place_in_mesh(switch, dimension, direction)
                .map(|place| 4 + parents + place),
        };
        offset.map(|offset| ChannelId(first + offset))
    }

    /// The place of a mesh channel among those that its switch has.
    #[inline]
    fn place_in_mesh(&self, switch: Switch, dimension: usize, direction: Direction) -> Option<u32> {
        if self.kind == FatTreeKind::Butterfly {
            return None;
        }
        let last = self.side(switch.level) - 1;
        let (x, y) = (switch.x, switch.y);
        let exists = [x < last, x > 0, y < last, y > 0];
        let wanted = 2 * dimension + (direction == Direction::Down) as usize;
        exists[wanted].then(|| exists[..wanted].iter().map(|&e| u32::from(e)).sum())
    }

    /// The ways out of `node`, in the order of its channels.
    pub fn ways(&self, node: NodeId) -> impl Iterator<Item = Way> {
        const MESH: [Way; 4] = [
            Way::Along(0, Direction::Up),
            Way::Along(0, Direction::Down),
            Way::Along(1, Direction::Up),
            Way::Along(1, Direction::Down),
        ];
        let switch = self.switch(node);
        let (children, parents) = match switch {
            None => (0, 1),
            Some(switch) => (4, 2 * u32::from(switch.level + 1 < self.levels)),
        };
        let joined = MESH.into_iter().filter(move |&way| match (switch, way) {
            (Some(switch), Way::Along(dimension, direction)) => {
                self.place_in_mesh(switch, dimension, direction).is_some()
            }
            _ => false,
        });
        let tree = (0..children)
            .map(Way::Down)
            .chain((0..parents).map(Way::Up));
        tree.chain(joined)
    }

    /// Where an existing way leads.
    fn neighbour(&self, node: NodeId, way: Way) -> NodeId {
        let Some(switch) = self.switch(node) else {
            let (x, y) = self.position(node);
            return self.node_at(Switch {
                level: 0,
                copy: 0,
                x: x / 2,
                y: y / 2,
            });
        };
        let Switch { level, copy, x, y } = switch;
        match way {
            Way::Down(child) => {
                let (x, y) = (2 * x + (child & 1), 2 * y + (child >> 1));
                if level == 0 {
                    return NodeId(x + (y << self.levels));
                }
                self.node_at(Switch {
                    level: level - 1,
                    copy: copy / 2,
                    x,
                    y,
                })
            }
            Way::Up(parent) => self.node_at(Switch {
                level: level + 1,
                copy: 2 * copy + parent,
                x: x / 2,
                y: y / 2,
            }),
            Way::Along(dimension, direction) => {
                let step = |a: u32| match direction {
                    Direction::Up => a + 1,
                    Direction::Down => a - 1,
                };
                let (x, y) = match dimension {
                    0 => (step(x), y),
                    _ => (x, step(y)),
                };
                self.node_at(Switch { x, y, ..switch })
            }
        }
    }

    fn length_pitches(&self, node: NodeId, way: Way) -> f32 {
        let size = match (self.switch(node), way) {
            (None, _) => 1,
            (Some(switch), Way::Down(_)) => 1u32 << switch.level,
            (Some(switch), Way::Up(_) | Way::Along(..)) => 2 << switch.level,
        };
        size as f32
    }

    /// Where a node lies in the layout, in pitches from processor 0: the copies of a switch lie in
    /// one place.
    pub fn place_pitches(&self, node: NodeId) -> (f32, f32) {
        match self.switch(node) {
            None => {
                let (x, y) = self.position(node);
                (x as f32, y as f32)
            }
            Some(switch) => {
                let block = (2u32 << switch.level) as f32;
                let middle = |a: u32| (a as f32 + 0.5) * block - 0.5;
                (middle(switch.x), middle(switch.y))
            }
        }
    }

    /// The channels, both ways together, between the left and the right half: twice √n links of
    /// the tree, and √n log16(4n) with the meshes (Greenberg & Guan, section 3.1).
    pub fn bisection_channels(&self) -> u64 {
        let row = 1u64 << self.levels;
        match self.kind {
            FatTreeKind::Butterfly => 2 * row,
            FatTreeKind::Pyramid => row * u64::from(self.levels + 1),
        }
    }
}
