//! Nodes with coordinates: what the families have in common whose nodes stand in lines.
//!
//! A node's address is Σ a_i · Π_{j<i} k_j: dimension 0 is the fastest.

use crate::NodeId;
use crate::error::refused;
use crate::memory::bytes_of;
use flitsim_keys::Fault;

/// The most nodes along a dimension: coordinates are 16 bits wide.
const RADIX_LIMIT: u32 = u16::MAX as u32;

/// More dimensions than any network in reach has: beyond 128, even two nodes in each are more than
/// 128 bits can count.
const DIMENSIONS_MOST: u32 = 129;

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

impl Direction {
    /// Both, in the order of the channels out of a node.
    pub(crate) const BOTH: [Self; 2] = [Self::Up, Self::Down];

    /// [`Up`](Self::Up) where `up`, else [`Down`](Self::Down).
    #[inline]
    pub const fn up_if(up: bool) -> Self {
        if up { Self::Up } else { Self::Down }
    }
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

/// Where a channel leads within its family, as far as that has such.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// The dimension that it moves in.
    pub dimension: Option<u32>,
    /// Towards the higher coordinate or level, or towards the lower.
    pub direction: Option<Direction>,
    /// Its level: of express channels, of links between switches.
    pub level: Option<u32>,
}

impl From<Step> for Course {
    fn from(step: Step) -> Self {
        Self {
            dimension: Some(step.dimension),
            direction: Some(step.direction),
            level: None,
        }
    }
}

/// `dimensions` times `radix`; a list of bounded length where the size is refused anyway.
pub(crate) fn uniform(radix: u32, dimensions: u32) -> Vec<u32> {
    vec![radix; dimensions.min(DIMENSIONS_MOST) as usize]
}

/// The number of nodes; of more than 128 bits count 2^120, which is as good: too many, and safe to
/// multiply.
pub(crate) fn nodes_of(radices: &[u32]) -> u128 {
    radices
        .iter()
        .try_fold(1u128, |product, &k| product.checked_mul(u128::from(k)))
        .map_or(1 << 120, |nodes| nodes.min(1 << 120))
}

/// Refuses dimensions without channels, and such that coordinates do not fit.
pub(crate) fn check_radices(radices: &[u32]) -> Result<(), Fault> {
    let wrong = |message: String| {
        Err(refused(
            "radix",
            "cannot be built",
            "choose another radix",
            message,
        ))
    };
    if radices.is_empty() {
        return wrong("a grid needs at least one dimension".to_owned());
    }
    for (dimension, &radix) in radices.iter().enumerate() {
        let subject = format!("the radix of dimension {dimension} is {radix}");
        if radix < 2 {
            return wrong(format!("{subject}; it must be at least 2"));
        }
        if radix > RADIX_LIMIT {
            return wrong(format!("{subject}; it must be at most {RADIX_LIMIT}"));
        }
    }
    Ok(())
}

/// Radices, and the coordinates of every node.
#[derive(Clone, Debug)]
pub(crate) struct Coordinates {
    radices: Vec<u32>,
    nodes: u32,
    /// `table[node * dimensions + i]` = a_i. A table, for the router's loop must not divide.
    table: Vec<u16>,
}

impl Coordinates {
    /// The coordinates of all nodes, which were found to be few enough.
    pub(crate) fn new(radices: Vec<u32>) -> Self {
        let nodes: u32 = radices.iter().product();
        let mut table = Vec::with_capacity(nodes as usize * radices.len());
        let mut address = vec![0u16; radices.len()];
        for _ in 0..nodes {
            table.extend_from_slice(&address);
            for (a, &k) in address.iter_mut().zip(&radices) {
                *a += 1;
                if u32::from(*a) < k {
                    break;
                }
                *a = 0;
            }
        }
        Self {
            radices,
            nodes,
            table,
        }
    }

    #[inline]
    pub(crate) fn radices(&self) -> &[u32] {
        &self.radices
    }

    #[inline]
    pub(crate) fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Coordinate a_i of `node`.
    #[inline]
    pub(crate) fn at(&self, node: NodeId, dimension: usize) -> u32 {
        u32::from(self.table[node.index() * self.radices.len() + dimension])
    }

    /// All coordinates of `node`, dimension 0 first.
    #[inline]
    pub(crate) fn of(&self, node: NodeId) -> &[u16] {
        let n = self.radices.len();
        &self.table[node.index() * n..][..n]
    }

    /// The node with the given coordinates, dimension 0 first.
    ///
    /// # Panics
    /// If there are not as many coordinates as dimensions, or one is not below its radix.
    pub(crate) fn node_at(&self, coordinates: &[u32]) -> NodeId {
        assert_eq!(coordinates.len(), self.radices.len());
        let mut node = 0;
        for (&a, &k) in coordinates.iter().zip(&self.radices).rev() {
            assert!(a < k, "coordinate {a} is not below the radix {k}");
            node = node * k + a;
        }
        NodeId(node)
    }

    /// What a step in `dimension` adds to an address.
    pub(crate) fn stride(&self, dimension: usize) -> u32 {
        self.radices[..dimension].iter().product()
    }

    /// `node` with another coordinate in one dimension.
    pub(crate) fn moved(&self, node: NodeId, dimension: usize, to: u32) -> NodeId {
        let stride = self.stride(dimension);
        NodeId(node.0 - self.at(node, dimension) * stride + to * stride)
    }

    /// How many coordinates there are, of all nodes together.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    /// Bytes of the table.
    pub(crate) fn bytes(&self) -> u64 {
        bytes_of(&self.table)
    }
}
