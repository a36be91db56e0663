//! Slim Fly: the graphs of diameter 2 of McKay, Miller & Širáň, nearly as large as graphs of their degree can
//! be (Besta & Hoefler, "Slim Fly: a cost effective low-diameter network topology", SC 2014, section II-B;
//! Hafner, "Geometric realisation of the graphs of McKay–Miller–Širáň", 2004).
//!
//! q = 4w + δ, δ ∈ {−1, 0, 1}, is a power of a prime, and x, y, m, c are elements of the field of q elements.
//! Routers (0, x, y) and (0, x, y′) are joined where y − y′ ∈ X; (1, m, c) and (1, m, c′) where c − c′ ∈ X′;
//! (0, x, y) and (1, m, c) where y = mx + c. With ξ a primitive element, X are its powers 0, 2, … and X′
//! 1, 3, …; for δ = −1 the exponents of either change parity half way, at 2w − 1 and 2w, so that −1
//! times an element is in the same set.
//!
//! Router (s, x, y) has the number (s·q + x)·q + y. Out of it lead the channels within its column, in the
//! order of the set, then those to the other half, by column.
//!
//! Layout: the columns of the two halves in turn.

mod definition;
mod family;
mod field;

pub use definition::SlimFlyDefinition;

use super::common::raster;
use crate::error::{check_size, refused};
use crate::{ChannelId, Graph, MinimalPaths, NodeId, TopologyError};
use field::Field;

/// The largest order that the limit of channels allows for.
const ORDER_MOST: u32 = 281;

/// A Slim Fly, by its routers.
#[derive(Clone, Debug)]
pub struct SlimFly {
    field: Field,
    /// X and X′.
    sets: [Vec<u32>; 2],
    /// By half and element: its place in the set, [`NONE`] where it is not in it.
    place: [Vec<u32>; 2],
    /// By router: half, x and y.
    address: Vec<[u16; 3]>,
}

const NONE: u32 = u32::MAX;

impl SlimFly {
    /// The Slim Fly of `order` q: 2q² routers of degree (3q − δ)/2.
    ///
    /// # Errors
    /// [`TopologyError::Parameter`] unless q is a power of a prime, at least 3, and 4w − 1, 4w or 4w + 1;
    /// [`TopologyError::TooLarge`] before any memory is touched.
    pub fn new(order: u32) -> Result<Self, TopologyError> {
        let q = u128::from(order);
        check_size(2 * q * q, 3 * q * q * q, "a smaller `order`")?;
        let is_known = |order: u32| order >= 3 && order % 4 != 2 && Field::new(order).is_some();
        if order > ORDER_MOST || !is_known(order) {
            let nearest = (3..=ORDER_MOST).filter(|&other| is_known(other));
            let nearest = nearest
                .min_by_key(|other| other.abs_diff(order))
                .unwrap_or(5);
            let message = format!(
                "a Slim Fly of order {order} cannot be built: the order is a power of a prime, 3 to \
                 {ORDER_MOST}; the nearest is {nearest}"
            );
            let remedy = format!("`order = {nearest}`");
            let label = match order {
                0..3 => "less than 3",
                _ => "not a power of a prime",
            };
            return Err(refused("order", label, remedy, message).into());
        }
        let field = Field::new(order).expect("a power of a prime");
        // Where the exponents change parity; beyond the last for δ ≥ 0.
        let half = if order % 4 == 3 {
            order.div_ceil(2) - 1
        } else {
            order
        };
        let set = |first: u32| -> Vec<u32> {
            let exponents = (0..order - 1).map(|e| (e, (e % 2) ^ u32::from(e >= half + first)));
            let own = exponents.filter(|&(_, parity)| parity == first);
            own.map(|(e, _)| field.powers[e as usize]).collect()
        };
        // Unless δ = 1 the exponents of X′ end with q − 1: its power is 1, which X holds as that of 0.
        let mut sets = [set(0), set(1)];
        if order % 4 != 1 {
            sets[1].push(1);
        }
        let place = [0, 1].map(|half: usize| {
            let mut place = vec![NONE; order as usize];
            for (element, at) in sets[half].iter().zip(0..) {
                place[*element as usize] = at;
            }
            place
        });
        let each = order as u16;
        let address =
            (0..2).flat_map(|s| (0..each).flat_map(move |x| (0..each).map(move |y| [s, x, y])));
        Ok(Self {
            address: address.collect(),
            field,
            sets,
            place,
        })
    }

    /// The order q.
    pub fn order(&self) -> u32 {
        self.field.order
    }

    /// Channels out of a router: (3q − δ)/2.
    #[inline]
    pub fn degree(&self) -> u32 {
        self.sets[0].len() as u32 + self.field.order
    }

    #[inline]
    fn node(&self, [half, x, y]: [u32; 3]) -> NodeId {
        NodeId((half * self.field.order + x) * self.field.order + y)
    }

    #[inline]
    fn address(&self, node: NodeId) -> [u32; 3] {
        self.address[node.index()].map(u32::from)
    }

    /// Where the channel in place `place` out of `node` leads.
    #[inline]
    fn target(&self, node: NodeId, place: u32) -> NodeId {
        let [half, x, y] = self.address(node);
        let set = &self.sets[half as usize];
        match set.get(place as usize) {
            Some(&element) => self.node([half, x, self.field.sum(y, element)]),
            None => {
                let column = place - set.len() as u32;
                self.node([1 - half, column, self.across(half, x, y, column)])
            }
        }
    }

    /// The row, in column `column` of the other half, of the router that (`half`, x, y) is joined to there:
    /// c = y − mx, or y = mx + c.
    #[inline]
    fn across(&self, half: u32, x: u32, y: u32, column: u32) -> u32 {
        let product = self.field.product(x, column);
        match half {
            0 => self.field.sum(y, self.field.negative(product)),
            _ => self.field.sum(y, product),
        }
    }

    /// The channel from one router to another, if there is one.
    #[inline]
    pub fn channel(&self, from: NodeId, to: NodeId) -> Option<ChannelId> {
        let [half, x, y] = self.address(from);
        let [other, column, row] = self.address(to);
        let place = if half != other {
            let is_joined = self.across(half, x, y, column) == row;
            is_joined.then_some(self.sets[0].len() as u32 + column)?
        } else if x == column {
            let difference = self.field.sum(row, self.field.negative(y));
            Some(self.place[half as usize][difference as usize]).filter(|&at| at != NONE)?
        } else {
            return None;
        };
        Some(ChannelId(from.0 * self.degree() + place))
    }

    /// The graph: every router has a terminal.
    pub(crate) fn graph(&self) -> Graph {
        let nodes = (0..self.address.len() as u32).map(NodeId);
        let channels = nodes
            .flat_map(|node| (0..self.degree()).map(move |place| (node, self.target(node, place))));
        raster::graph(&self.places(), self.address.len() as u32, channels)
    }
}

impl MinimalPaths for SlimFly {
    #[inline]
    fn distance(&self, from: NodeId, to: NodeId) -> u32 {
        match self.channel(from, to) {
            _ if from == to => 0,
            Some(_) => 1,
            None => 2,
        }
    }

    fn diameter(&self) -> u32 {
        2
    }

    fn is_bipartite(&self) -> bool {
        false
    }

    fn colour(&self, _: NodeId) -> bool {
        false
    }

    #[inline]
    fn for_each_minimal_channel(&self, from: NodeId, to: NodeId, mut visit: impl FnMut(ChannelId)) {
        if from == to {
            return;
        }
        if let Some(channel) = self.channel(from, to) {
            return visit(channel);
        }
        let degree = self.degree();
        for place in 0..degree {
            if self.channel(self.target(from, place), to).is_some() {
                visit(ChannelId(from.0 * degree + place));
            }
        }
    }
}
