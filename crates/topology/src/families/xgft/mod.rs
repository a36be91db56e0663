//! Fat-trees: the extended generalized fat-trees XGFT(h; m_1, …, m_h; w_1, …, w_h) (Öhring, Ibel, Das &
//! Kumar, "On generalized fat trees", IPPS 1995), among them the k-ary n-trees, m = (k, …, k) and w = (1, k,
//! …, k) (Petrini & Vanneschi, "k-ary n-trees: high performance networks for massively parallel
//! architectures", IPPS 1997).
//!
//! Level 0 are the terminals, levels 1 to h switches. A node of level l has m_l children and w_(l+1)
//! parents. Its address has the digits a_1, …, a_h: a_i is below w_i for i ≤ l, below m_i else. It is joined
//! to the nodes of the next level whose digits are the same but for digit l + 1. So what stands over a
//! terminal has its upper digits, and the lower digits tell apart what stands over the same terminals.
//!
//! Nodes are numbered by level, and within it digit 1 counts fastest. Out of each lead the channels to its
//! children by their digit, then those to its parents by theirs.
//!
//! Layout: terminals in a rectangle, row by row; a switch half way between the first and the last of the
//! terminals that it stands over.

mod definition;
mod family;

pub use definition::XgftDefinition;

use super::common::raster;
use crate::error::{check_size, refused};
use crate::memory::bytes_of;
use crate::{ChannelId, Graph, NodeId, TopologyError};

/// A fat-tree.
#[derive(Clone, Debug)]
pub struct Xgft {
    children: Vec<u32>,
    parents: Vec<u32>,
    levels: Vec<Level>,
    /// By node.
    places: Vec<Place>,
}

/// Where a node stands.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The first of the terminals that it stands over, or is.
    first_terminal: u32,
    first_channel: u32,
    level: u8,
}

/// The nodes of a level.
#[derive(Clone, Copy, Debug)]
struct Level {
    first: u32,
    nodes: u32,
    /// The first channel out of the first of them.
    first_channel: u32,
    children: u32,
    parents: u32,
    /// How many terminals each stands over.
    span: u32,
}

impl Xgft {
    /// The fat-tree whose switches of level i + 1 have `children[i]` children each, and whose nodes of level i
    /// have `parents[i]` parents.
    ///
    /// # Errors
    /// [`TopologyError::Parameter`] unless both lists have as many positive numbers, 1 to 16 of them, and there
    /// are two terminals at least; [`TopologyError::TooLarge`] before any memory is touched.
    pub fn new(children: &[u32], parents: &[u32]) -> Result<Self, TopologyError> {
        let height = children.len();
        let numbers = || children.iter().chain(parents).copied();
        let fits = numbers().all(|number| (1..=u32::from(u16::MAX)).contains(&number));
        if parents.len() != height || !(1..=16).contains(&height) || !fits || children == [1] {
            let message = format!(
                "there is no fat-tree with {children:?} children and {parents:?} parents: both lists have a \
                 number of 1 to 65,535 for each level, and there are 1 to 16 levels and two terminals"
            );
            let remedy = "as many `children` as `parents`, such as `children = [4, 4]` and `parents = [1, 2]`";
            return Err(refused("children", "cannot be", remedy, message).into());
        }
        let nodes_of = |level: usize| {
            let digits = parents[..level].iter().chain(&children[level..]);
            digits.fold(1u128, |product, &digit| {
                product.saturating_mul(digit.into())
            })
        };
        let (mut levels, mut first, mut first_channel) = (Vec::new(), 0u128, 0u128);
        for level in 0..=height {
            let below = level.checked_sub(1).map_or(0, |below| children[below]);
            let above = parents.get(level).copied().unwrap_or(0);
            let nodes = nodes_of(level);
            levels.push(Level {
                first: first.min(u32::MAX.into()) as u32,
                nodes: nodes.min(u32::MAX.into()) as u32,
                first_channel: first_channel.min(u32::MAX.into()) as u32,
                children: below,
                parents: above,
                span: children[..level]
                    .iter()
                    .fold(1, |span, &each| span.saturating_mul(each)),
            });
            first = first.saturating_add(nodes);
            let degree = u128::from(below) + u128::from(above);
            first_channel = first_channel.saturating_add(nodes.saturating_mul(degree));
        }
        check_size(first, first_channel, "fewer levels, children or parents")?;
        let mut places = Vec::with_capacity(first as usize);
        for (level, at) in levels.iter().enumerate() {
            // It divides the nodes of the level, which fit.
            let ways: u32 = parents[..level].iter().product();
            places.extend((0..at.nodes).map(|number| Place {
                first_terminal: number / ways * at.span,
                first_channel: at.first_channel + number * (at.children + at.parents),
                level: level as u8,
            }));
        }
        Ok(Self {
            children: children.to_vec(),
            parents: parents.to_vec(),
            levels,
            places,
        })
    }

    /// The k-ary n-tree of `arity` k and `levels` n.
    ///
    /// # Errors
    /// As [`Xgft::new`].
    pub fn k_ary_n_tree(arity: u32, levels: u32) -> Result<Self, TopologyError> {
        let levels = levels.min(17) as usize;
        let mut parents = vec![arity; levels];
        parents.iter_mut().take(1).for_each(|first| *first = 1);
        Self::new(&vec![arity; levels], &parents)
    }

    fn radix(&self, level: usize, digit: usize) -> u32 {
        match digit < level {
            true => self.parents[digit],
            false => self.children[digit],
        }
    }

    /// Levels of switches: h.
    pub fn height(&self) -> u32 {
        self.children.len() as u32
    }

    /// Terminals.
    pub fn terminals(&self) -> u32 {
        self.levels[0].nodes
    }

    fn nodes(&self) -> u32 {
        self.places.len() as u32
    }

    /// The level of `node`: 0 for terminals.
    #[inline]
    pub fn level(&self, node: NodeId) -> u32 {
        u32::from(self.places[node.index()].level)
    }

    /// The address of `node`.
    fn digits(&self, node: NodeId) -> Vec<u16> {
        let level = self.level(node) as usize;
        let mut rest = node.0 - self.levels[level].first;
        let digit = |at| {
            let radix = self.radix(level, at);
            let digit = (rest % radix) as u16;
            rest /= radix;
            digit
        };
        (0..self.children.len()).map(digit).collect()
    }

    /// The node of `level` with these digits.
    fn node_at(&self, level: usize, digits: &[u16]) -> NodeId {
        let number = digits
            .iter()
            .enumerate()
            .rev()
            .fold(0, |number, (at, &digit)| {
                number * self.radix(level, at) + u32::from(digit)
            });
        NodeId(self.levels[level].first + number)
    }

    /// The channel from a switch to the child that stands over `terminal`, or is it; `None` where it does not
    /// stand over it itself.
    #[inline]
    pub fn down(&self, node: NodeId, terminal: NodeId) -> Option<ChannelId> {
        debug_assert!(terminal.0 < self.terminals());
        let place = self.places[node.index()];
        let below = usize::from(place.level).checked_sub(1)?;
        let among = terminal.0.wrapping_sub(place.first_terminal);
        let child = among / self.levels[below].span;
        (among < self.levels[below + 1].span).then(|| ChannelId(place.first_channel + child))
    }

    /// The channels from `node` to its parents.
    #[inline]
    pub fn up(&self, node: NodeId) -> impl Iterator<Item = ChannelId> + use<> {
        let place = self.places[node.index()];
        let level = &self.levels[usize::from(place.level)];
        let first = place.first_channel + level.children;
        (first..first + level.parents).map(ChannelId)
    }

    /// Where the channels out of `node` lead, in order.
    fn targets(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let level = self.level(node) as usize;
        let at = self.levels[level];
        let mut digits = self.digits(node);
        let down = (0..at.children).map(move |digit| (level - 1, level - 1, digit));
        let up = (0..at.parents).map(move |digit| (level + 1, level, digit));
        down.chain(up).map(move |(to, place, digit)| {
            let own = std::mem::replace(&mut digits[place], digit as u16);
            let node = self.node_at(to, &digits);
            digits[place] = own;
            node
        })
    }

    /// The graph: the nodes of level 0 are the terminals.
    pub(crate) fn graph(&self) -> Graph {
        let nodes = (0..self.nodes()).map(NodeId);
        let channels = nodes.flat_map(|node| self.targets(node).map(move |to| (node, to)));
        raster::graph(&self.laid_out(), self.terminals(), channels)
    }

    fn bytes(&self) -> u64 {
        bytes_of(&self.places)
    }
}
