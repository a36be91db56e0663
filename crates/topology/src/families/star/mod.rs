//! The star graph S_n: the n! permutations of n symbols, two of them joined where one becomes the
//! other by swapping the symbols in positions 1 and i, i = 2..n (Akers, Harel & Krishnamurthy 1987;
//! Kiasari & Sarbazi-Azad, section 2.1).
//!
//! A node is a rank: Σ d_p · (p − 1)! over positions p = 2..n, with d_p the symbols before position
//! p that are greater than the one there. So the identity is node 0, the nodes with symbol n in
//! position n are the first (n − 1)! and are numbered as in S_{n−1}, and the graph falls into
//! consecutive copies of S_{n−1}, one for each last symbol. Out of each node the channels are
//! ordered by i.
//!
//! What leads from u to v depends on r = v⁻¹u alone, the permutation that says for each position of
//! u where its symbol belongs: a channel swaps r(1) and r(i), and at the destination r is the
//! identity.
//!
//! Layout: recursive. The digits d_2, d_4, d_6, .. are a mixed-radix address in a row of nodes, d_3,
//! d_5, .. the one of the row: copies of S_{n−1} lie side by side for even n, one above the other
//! for odd n. A wire is as long as the columns and rows that it crosses.

mod cost;
mod definition;
mod family;
mod picture;
mod symmetry;

pub use definition::StarDefinition;

use crate::error::{check_size, refused};
use crate::graph::Columns;
use crate::search::Distances;
use crate::{ChannelId, Graph, MinimalPaths, NodeId, TopologyError};

/// The most symbols: 10! nodes have 32,659,200 channels, 11! would have 399,168,000.
const SYMBOLS_MAX: u32 = 10;

/// The most symbols whose permutations can be counted in 128 bits, with room for channels.
const SYMBOLS_COUNTED_MAX: u32 = 30;

/// 0!, 1!, .., 10!.
const FACTORIALS: [u32; SYMBOLS_MAX as usize + 1] =
    [1, 1, 2, 6, 24, 120, 720, 5_040, 40_320, 362_880, 3_628_800];

/// A permutation of up to 16 places, from 0, four bits each: bits 4p.. say what is in place p.
type Packed = u64;

const IDENTITY: Packed = 0xfedc_ba98_7654_3210;

#[inline]
const fn place(packed: Packed, p: u32) -> u32 {
    (packed >> (4 * p)) as u32 & 15
}

/// The star graph of a number of symbols.
#[derive(Clone, Debug)]
pub struct Star {
    symbols: u32,
    /// By rank. A table, for the router's loop must not divide.
    permutations: Vec<Packed>,
}

impl Star {
    /// S_n of `symbols` = n symbols: n! nodes of degree n − 1.
    ///
    /// # Errors
    /// [`TopologyError::TooLarge`] from 11 symbols on, and [`TopologyError::Parameter`] below 2 or
    /// where not even the nodes can be counted.
    pub fn new(symbols: u32) -> Result<Self, TopologyError> {
        if (2..=SYMBOLS_COUNTED_MAX).contains(&symbols) {
            let nodes: u128 = (1..=u128::from(symbols)).product();
            let remedy = "`symbols = 10` or fewer";
            check_size(nodes, nodes * u128::from(symbols - 1), remedy)?;
        }
        if !(2..=SYMBOLS_MAX).contains(&symbols) {
            let message = format!(
                "a star graph of {symbols} symbols cannot be built; it needs 2 to {SYMBOLS_MAX} \
                 symbols"
            );
            let remedy = format!("`symbols = {}`", symbols.clamp(2, SYMBOLS_MAX));
            return Err(refused("symbols", "out of range", remedy, message).into());
        }
        let permutations = crate::parallel::map(FACTORIALS[symbols as usize] as usize, |rank| {
            unrank(symbols, rank as u32)
        });
        Ok(Self {
            symbols,
            permutations,
        })
    }

    /// The graph of the network: every node has a terminal.
    pub(crate) fn graph(&self) -> Graph {
        let (nodes, ways) = (self.nodes(), self.symbols - 1);
        let channels = (nodes * ways) as usize;
        let places = crate::parallel::map(nodes as usize, |node| {
            self.place_pitches(NodeId(node as u32))
        });
        let source: Vec<NodeId> = (0..nodes * ways).map(|id| NodeId(id / ways)).collect();
        let target = crate::parallel::map(channels, |id| {
            self.neighbour(source[id], id as u32 % ways + 2)
        });
        let length = |(from, to): (&NodeId, &NodeId)| {
            let (a, b) = (places[from.index()], places[to.index()]);
            (a.0.abs_diff(b.0) + a.1.abs_diff(b.1)) as f32
        };
        let columns = Columns {
            length_pitches: source.iter().zip(&target).map(length).collect(),
            source,
            target,
        };
        Graph::from_columns(nodes, nodes, columns)
    }

    /// The number n of symbols.
    #[inline]
    pub fn symbols(&self) -> u32 {
        self.symbols
    }

    /// The number n! of nodes.
    #[inline]
    pub fn nodes(&self) -> u32 {
        self.permutations.len() as u32
    }

    /// The symbols of `node`, 1 to n, from position 1 on.
    pub fn permutation(&self, node: NodeId) -> impl Iterator<Item = u32> {
        let packed = self.permutations[node.index()];
        (0..self.symbols).map(move |p| place(packed, p) + 1)
    }

    /// The node with the given symbols, from position 1 on.
    ///
    /// # Panics
    /// If they are not a permutation of 1 to n.
    pub fn node_at(&self, symbols: &[u32]) -> NodeId {
        assert_eq!(symbols.len(), self.symbols as usize);
        let mut packed = 0;
        let mut seen = 0u32;
        for (&symbol, p) in symbols.iter().zip(0u32..) {
            assert!(
                (1..=self.symbols).contains(&symbol) && seen >> symbol & 1 == 0,
                "{symbols:?} is not a permutation of 1 to {}",
                self.symbols
            );
            seen |= 1 << symbol;
            packed |= u64::from(symbol - 1) << (4 * p);
        }
        NodeId(rank(self.symbols, packed))
    }

    /// The channel out of `node` that swaps the symbols in positions 1 and `i`.
    ///
    /// # Panics
    /// In debug builds, unless `i` is 2 to n.
    #[inline]
    pub fn channel(&self, node: NodeId, i: u32) -> ChannelId {
        debug_assert!((2..=self.symbols).contains(&i));
        ChannelId(node.0 * (self.symbols - 1) + i - 2)
    }

    /// The node that `node` becomes where the symbols in positions 1 and `i` are swapped.
    pub fn neighbour(&self, node: NodeId, i: u32) -> NodeId {
        let packed = self.permutations[node.index()];
        let difference = u64::from(place(packed, 0) ^ place(packed, i - 1));
        let swapped = packed ^ difference ^ difference << (4 * (i - 1));
        NodeId(rank(self.symbols, swapped))
    }

    /// Column and row of `node` in the layout, from 0, in pitches.
    pub fn place_pitches(&self, node: NodeId) -> (u32, u32) {
        let (mut column, mut columns) = (0, 1);
        let (mut row, mut rows) = (0, 1);
        let mut rest = node.0;
        for radix in 2..=self.symbols {
            let digit = rest % radix;
            rest /= radix;
            if radix % 2 == 0 {
                column += digit * columns;
                columns *= radix;
            } else {
                row += digit * rows;
                rows *= radix;
            }
        }
        (column, row)
    }

    /// `node` under the automorphism that takes node 0 to `by`: it renames the symbols as `by`
    /// does, which leaves alone what swaps of positions do. The channel i out of `node` becomes the
    /// channel i out of its image, so all nodes look alike.
    pub fn translate(&self, by: NodeId, node: NodeId) -> NodeId {
        let (by, node) = (
            self.permutations[by.index()],
            self.permutations[node.index()],
        );
        let renamed = (0..self.symbols).fold(0, |packed, p| {
            packed | u64::from(place(by, place(node, p))) << (4 * p)
        });
        NodeId(rank(self.symbols, renamed))
    }

    /// `node` under the automorphism that moves the symbol in position p to position `order[p - 1]`:
    /// it takes the channel i out of a node to the channel `order[i - 1]` out of its image.
    ///
    /// # Panics
    /// If `order` is not a permutation of 1 to n that leaves 1 where it is.
    pub fn move_positions(&self, order: &[u32], node: NodeId) -> NodeId {
        assert_eq!((order.len(), order[0]), (self.symbols as usize, 1));
        let packed = self.permutations[node.index()];
        let moved = (0..self.symbols).zip(order).fold(0, |moved, (p, to)| {
            moved | u64::from(place(packed, p)) << (4 * (to - 1))
        });
        NodeId(rank(self.symbols, moved))
    }

    /// The distances between all nodes. The mean with self is
    /// n − 4 + 2/n + 1 + 1/2 + .. + 1/n.
    pub fn distances(&self) -> Distances {
        let n = f64::from(self.symbols);
        let nodes = f64::from(self.nodes());
        let harmonic: f64 = (1..=self.symbols).map(|i| 1.0 / f64::from(i)).sum();
        let mean = n - 4.0 + 2.0 / n + harmonic;
        Distances {
            diameter: self.diameter(),
            mean_with_self: mean,
            mean_without_self: mean * nodes / (nodes - 1.0),
        }
    }

    /// The channels, both ways together, between two halves of the nodes by the formula of Kiasari
    /// & Sarbazi-Azad, equation 5. For an odd number of symbols it is an upper bound: S_5 has a cut
    /// of 80 channels where the formula says 88.
    pub fn bisection_channels(&self) -> u64 {
        let n = u64::from(self.symbols);
        let nodes = u64::from(self.nodes());
        if n.is_multiple_of(2) {
            nodes * n / (2 * (n - 1))
        } else {
            nodes * (n * n - 3) / (2 * n * (n - 2))
        }
    }

    /// Where the symbol in each position of `from` belongs in `to`.
    #[inline]
    fn relative(&self, from: NodeId, to: NodeId) -> Packed {
        let (from, to) = (
            self.permutations[from.index()],
            self.permutations[to.index()],
        );
        let mut home: Packed = 0;
        for p in 0..self.symbols {
            home |= u64::from(p) << (4 * place(to, p));
        }
        let mut relative: Packed = 0;
        for p in 0..self.symbols {
            relative |= u64::from(place(home, place(from, p))) << (4 * p);
        }
        relative
    }

    /// The places, as bits, whose symbols are not at home.
    #[inline]
    fn misplaced(&self, relative: Packed) -> u32 {
        (0..self.symbols).fold(0, |mask, p| mask | u32::from(place(relative, p) != p) << p)
    }
}

/// The places of the cycle that `p` is on, as bits.
#[inline]
fn cycle_of(relative: Packed, p: u32) -> u32 {
    let mut cycle = 1 << p;
    let mut next = place(relative, p);
    while next != p {
        cycle |= 1 << next;
        next = place(relative, next);
    }
    cycle
}

impl MinimalPaths for Star {
    /// m + c for m misplaced symbols on c cycles, two less where position 1 is on one of them:
    /// a cycle without position 1 is opened by one swap, and every swap but those brings a symbol
    /// home (the last one two).
    fn distance(&self, from: NodeId, to: NodeId) -> u32 {
        let relative = self.relative(from, to);
        let misplaced = self.misplaced(relative);
        let mut rest = misplaced;
        let mut cycles = 0;
        while rest != 0 {
            rest &= !cycle_of(relative, rest.trailing_zeros());
            cycles += 1;
        }
        misplaced.count_ones() + cycles - 2 * (misplaced & 1)
    }

    fn diameter(&self) -> u32 {
        3 * (self.symbols - 1) / 2
    }

    fn is_bipartite(&self) -> bool {
        true
    }

    /// Whether the permutation is odd: every channel is one swap.
    #[inline]
    fn colour(&self, node: NodeId) -> bool {
        let packed = self.permutations[node.index()];
        let mut rest = (1u32 << self.symbols) - 1;
        let mut odd = false;
        while rest != 0 {
            let cycle = cycle_of(packed, rest.trailing_zeros());
            rest &= !cycle;
            odd ^= cycle.count_ones().is_multiple_of(2);
        }
        odd
    }

    /// The symbol in position 1 goes home, or one of another cycle comes to position 1.
    #[inline]
    fn for_each_minimal_channel(&self, from: NodeId, to: NodeId, mut visit: impl FnMut(ChannelId)) {
        let relative = self.relative(from, to);
        let misplaced = self.misplaced(relative);
        let home = place(relative, 0);
        let mut useful = if home == 0 {
            misplaced
        } else {
            misplaced & !cycle_of(relative, 0) | 1 << home
        };
        while useful != 0 {
            visit(self.channel(from, useful.trailing_zeros() + 1));
            useful &= useful - 1;
        }
    }
}

/// The permutation of `symbols` symbols with the given rank.
fn unrank(symbols: u32, mut rank: u32) -> Packed {
    // Symbols not placed yet, ascending; the one in position p leaves d_p greater ones.
    let mut left = IDENTITY;
    let mut packed = 0;
    for position in (0..symbols).rev() {
        let digit = rank / FACTORIALS[position as usize];
        rank %= FACTORIALS[position as usize];
        let at = 4 * (position - digit);
        packed |= (left >> at & 15) << (4 * position);
        let below = (1 << at) - 1;
        left = left & below | left >> 4 & !below;
    }
    packed
}

/// The rank of a permutation of `symbols` symbols.
fn rank(symbols: u32, packed: Packed) -> u32 {
    let mut left = (1u32 << symbols) - 1;
    let mut rank = 0;
    for position in (0..symbols).rev() {
        let symbol = place(packed, position);
        left &= !(1 << symbol);
        rank += (left >> symbol).count_ones() * FACTORIALS[position as usize];
    }
    rank
}
