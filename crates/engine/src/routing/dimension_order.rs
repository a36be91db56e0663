//! Dimension-order (e-cube) routing: correct the lowest differing dimension first, or the highest
//! (Dally & Seitz 1987; Dally & Towles, sections 8.4 and 14.2).
//!
//! On rings the virtual channels split into two classes at a dateline, the wrap channel. A packet
//! starts a ring in class 0, crosses the wrap channel in class 0, and is in class 1 from there on.
//! With `vc_balance`, a packet that will not wrap in this ring may take class 1 from the start, or
//! move up to it on the way.
//!
//! Why no cycle of dependencies can close: number the virtual channels of a ring, in one direction,
//! from the node after the wrap channel on: class 0 of the channels that do not wrap, along the
//! ring; class 0 of the wrap channel; class 1 of the channels that do not wrap, along the ring.
//! Class 1 of the wrap channel is never used: those in class 1 have wrapped, and a minimal route
//! wraps once, or will not wrap at all. A hop from class 0 to class 0 ascends, for only the wrap
//! channel leads back to the ring's start, and it is left in class 1; a hop from class 0 to class 1
//! ascends whatever the place; class 1 is never left within the ring, and ascends along it. A
//! packet never turns back within a dimension (half way round, the direction is kept by the
//! distances from the first hop on), and goes through dimensions in order, all packets in the same:
//! so order virtual channels by dimension, then, in either direction, by this number.
//!
//! With [fixed classes](RingClasses::Fixed) (BookSim2's `dim_order_torus`: `dor_next_torus`, `routefunc.cpp`) those
//! in one class of a two-way ring, in one direction, all wrap or none does, and those that wrap go half round at
//! most: some channel is used by none of them, and from there on their hops ascend.

use super::description::{Description, Fit, Needs, Site, Spread, has_rings, of_grid};
use super::duato::ECube;
use super::options::{OptionKey, Order, RingClasses, Tie};
use super::relation::{
    Candidate, Candidates, Head, Routing, VcMask, Way, all_virtual_channels, vc_range,
};
use super::symmetry::Symmetry;
use crate::ConfigError;
use flitsim_topology::{
    ChannelId, Direction, Ends, Grid, Network, NodeId, Shape, SparseTorus, Thinning,
};
use std::hint::select_unpredictable;

/// What the registry knows of it.
pub(super) const ROUTING: Description = Description {
    name: "dimension-order",
    keys: &[
        OptionKey::Tie,
        OptionKey::Order,
        OptionKey::VcBalance,
        OptionKey::RingClasses,
        OptionKey::Escape,
    ],
    fits,
    virtual_channels_min,
    needs: Needs::Whole,
    is_minimal: true,
    spread: Spread::Fixed,
    escape_vcs: Some(|network| match network.shape() {
        Shape::HyperX(_) => Some(1),
        _ => network.grid().map(ECube::virtual_channels_min),
    }),
};

fn fits(network: &Network) -> Fit {
    let pruned =
        |torus: &SparseTorus| (torus.thinning(), torus.dimensions()) == (Thinning::Pruned, 3);
    let is_lattice = network.grid().is_some() || network.hyperx().is_some();
    Fit::yes_if(is_lattice || network.sparse_torus().is_some_and(pruned))
}

fn virtual_channels_min(site: &Site<'_, '_>) -> u32 {
    match site.network.shape() {
        Shape::Grid(grid) => 1 + u32::from(has_rings(grid)),
        Shape::HyperX(_) => 1,
        Shape::SparseTorus(torus) if torus.radix() > 2 => 4,
        _ => 2,
    }
}

/// The relation that `site` asks for.
pub(super) fn build<'n>(site: &Site<'n, '_>) -> Result<DimensionOrder<'n>, ConfigError> {
    let grid = of_grid(site, ROUTING.name)?;
    let (vcs, options) = (site.virtual_channels, site.options);
    let routing = DimensionOrder::new(grid, vcs, options.tie, options.vc_balance)?;
    Ok(routing
        .with_order(options.order)
        .with_ring_classes(options.ring_classes))
}

/// Dimension-order routing on a torus, mesh or hypercube.
#[derive(Clone, Copy, Debug)]
pub struct DimensionOrder<'n> {
    grid: &'n Grid,
    tie: Tie,
    order: Order,
    vc_balance: bool,
    ring_classes: RingClasses,
    all: VcMask,
    before_dateline: VcMask,
    after_dateline: VcMask,
    fields: Option<Fields>,
}

/// The dimension in which a packet goes on: where it is and where it has to be there, and the radix, all in
/// one unit.
#[derive(Clone, Copy, Debug)]
struct Apart {
    dimension: usize,
    from: u32,
    to: u32,
    radix: u32,
}

/// Where every radix is a power of two, an address is its coordinates as fields of bits: what
/// differs is found without looking coordinates up. By bit of the address: the dimension whose field
/// it is in, and the field.
#[derive(Clone, Copy, Debug)]
struct Fields {
    dimension: [u8; 32],
    field: [u32; 32],
}

impl Fields {
    fn of(grid: &Grid) -> Option<Self> {
        let mut fields = Self {
            dimension: [0; 32],
            field: [0; 32],
        };
        let mut first = 0;
        for (dimension, radix) in grid.radices().iter().enumerate() {
            let width = radix.is_power_of_two().then(|| radix.trailing_zeros())?;
            for bit in first..first + width {
                fields.dimension[bit as usize] = dimension as u8;
                fields.field[bit as usize] = (radix - 1) << first;
            }
            first += width;
        }
        Some(fields)
    }

    /// The first differing dimension of `from` and `to`, which differ, in `order`, in units of its lowest
    /// bit.
    #[inline(always)]
    fn apart(&self, from: u32, to: u32, order: Order) -> Apart {
        let differing = from ^ to;
        let bit = match order {
            Order::LowestFirst => differing.trailing_zeros(),
            Order::HighestFirst => differing.ilog2(),
        };
        let bit = bit as usize & 31;
        let field = self.field[bit];
        Apart {
            dimension: usize::from(self.dimension[bit]),
            from: from & field,
            to: to & field,
            // One beyond the field; below 2^32, as there are fewer nodes.
            radix: field.wrapping_add(field & field.wrapping_neg()),
        }
    }
}

impl<'n> DimensionOrder<'n> {
    /// The algorithm on `grid` with `virtual_channels` virtual channels a channel.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels, and
    /// [`ConfigError::Routing`] on rings with fewer than two.
    pub fn new(
        grid: &'n Grid,
        virtual_channels: u32,
        tie: Tie,
        vc_balance: bool,
    ) -> Result<Self, ConfigError> {
        let all = all_virtual_channels(virtual_channels)?;
        if has_rings(grid) && virtual_channels < 2 {
            return Err(ConfigError::routing(format!(
                "dimension-order on rings needs at least 2 virtual channels, for the dateline \
                     that keeps a ring from waiting on itself; there is {virtual_channels}"
            )));
        }
        let half = virtual_channels.div_ceil(2);
        Ok(Self {
            grid,
            tie,
            order: Order::LowestFirst,
            vc_balance,
            ring_classes: RingClasses::Dateline,
            all,
            before_dateline: vc_range(0, half),
            after_dateline: vc_range(half, virtual_channels),
            fields: Fields::of(grid),
        })
    }

    /// The grid that it routes on.
    pub fn grid(&self) -> &'n Grid {
        self.grid
    }

    /// Which dimension is corrected first.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The virtual channels that it was made for.
    pub(crate) fn virtual_channels(&self) -> u32 {
        self.all.count_ones()
    }

    /// The same rules on another grid whose ends do the same.
    pub(crate) fn on<'m>(&self, grid: &'m Grid) -> DimensionOrder<'m> {
        DimensionOrder {
            grid,
            fields: Fields::of(grid),
            ..*self
        }
    }

    /// The same, in the order of dimensions given.
    #[must_use]
    pub fn with_order(self, order: Order) -> Self {
        Self { order, ..self }
    }

    /// The same, with the classes of rings given.
    #[must_use]
    pub fn with_ring_classes(self, ring_classes: RingClasses) -> Self {
        Self {
            ring_classes,
            ..self
        }
    }

    /// Whether `from` and `to` are exactly half a two-way ring apart in `dimension`.
    #[inline]
    fn is_tie(&self, dimension: usize, from: u32, to: u32) -> bool {
        let k = self.grid.radices()[dimension];
        self.grid.ends() == Ends::Ring && k > 2 && 2 * from.abs_diff(to) == k
    }

    /// The dimensions in which two nodes are half a ring apart.
    fn ties(&self, from: NodeId, to: NodeId) -> impl Iterator<Item = usize> {
        (0..self.grid.dimensions()).filter(move |&dimension| {
            let coordinate = |node| self.grid.coordinate(node, dimension);
            let (from, to) = (coordinate(from), coordinate(to));
            self.is_tie(dimension, from, to)
        })
    }

    /// The state with the bits of `choice` in the dimensions of ties.
    fn of_choice(&self, from: NodeId, to: NodeId, choice: u32) -> u64 {
        let ties = self.ties(from, to).enumerate();
        ties.fold(0, |state, (index, dimension)| {
            state | u64::from(choice >> index & 1) << dimension
        })
    }

    #[inline(always)]
    fn direction(&self, apart: Apart, state: u64) -> Direction {
        let Apart { from, to, .. } = apart;
        let up = match self.grid.ends() {
            Ends::Open => to > from,
            Ends::DirectedRing => true,
            Ends::Ring => {
                let k = apart.radix;
                let ahead = if to > from { to - from } else { to + k - from };
                // Two nodes are no ring: one is above the other, and nothing is drawn.
                let is_ring = self.grid.is_ring(apart.dimension);
                let is_drawn_up = state >> apart.dimension & 1 == 0;
                let is_up_at_tie = (is_ring & is_drawn_up) | (!is_ring & (to > from));
                (2 * ahead < k) | (2 * ahead == k) & is_up_at_tie
            }
        };
        // No branch, here and in what follows: no predictor foresees which.
        select_unpredictable(up, Direction::Up, Direction::Down)
    }

    /// The first differing dimension of two nodes.
    fn apart(&self, from: NodeId, to: NodeId) -> Option<Apart> {
        let pairs = self.grid.coordinates(from).iter();
        let pairs = pairs.zip(self.grid.coordinates(to)).enumerate();
        let differs = |(dimension, (&a, &b))| {
            (a != b).then(|| Apart {
                dimension,
                from: u32::from(a),
                to: u32::from(b),
                radix: self.grid.radices()[dimension],
            })
        };
        match self.order {
            Order::LowestFirst => pairs.filter_map(differs).next(),
            Order::HighestFirst => pairs.rev().filter_map(differs).next(),
        }
    }

    /// The way on; `None` at the destination.
    #[inline(always)]
    fn next(&self, head: Head) -> Option<Candidate> {
        let (dimension, way, vcs) = self.step(head)?;
        let channel = self.grid.channel(head.node, dimension, way)?;
        Some(Candidate {
            channel,
            vcs,
            priority: 0,
        })
    }

    /// The same as a dimension and a direction.
    #[inline(always)]
    fn step(&self, head: Head) -> Option<(usize, Direction, VcMask)> {
        if head.node == head.destination {
            return None;
        }
        let apart = match &self.fields {
            Some(fields) => fields.apart(head.node.0, head.destination.0, self.order),
            None => self.apart(head.node, head.destination)?,
        };
        let way = self.direction(apart, head.state);
        let vcs = if self.grid.is_ring(apart.dimension) {
            self.ring_vcs(head, apart, way)
        } else {
            self.all
        };
        Some((apart.dimension, way, vcs))
    }

    /// The virtual channels of a ring's channel on that keep the dateline's order.
    #[inline(always)]
    fn ring_vcs(&self, head: Head, apart: Apart, way: Direction) -> VcMask {
        let Apart { from, to, .. } = apart;
        if self.ring_classes == RingClasses::Fixed {
            let arrived = head
                .arrived
                .map_or((u32::MAX, 0), |(channel, vc)| (channel.0, vc));
            return self.fixed_vcs(arrived, apart.dimension as u32, from > to);
        }
        let (channel, vc) = head.arrived.unwrap_or((ChannelId(0), 0));
        let step = self.grid.step(channel);
        let is_beyond = head.arrived.is_some()
            & (step.dimension == apart.dimension as u32)
            & (step.wraps | (self.after_dateline >> vc & 1 == 1));
        let will_wrap = (to < from) == (way == Direction::Up);
        let is_any = self.vc_balance & !will_wrap;
        let before = select_unpredictable(is_any, self.all, self.before_dateline);
        select_unpredictable(is_beyond, self.after_dateline, before)
    }

    /// The virtual channels of the class that a packet keeps round the ring of `dimension`, which it enters there if
    /// `arrived`, the channel and virtual channel that it came over, is none of that ring's. Apart, and told numbers
    /// alone, so that others do not pay for it.
    #[cold]
    #[inline(never)]
    fn fixed_vcs(&self, arrived: (u32, u32), dimension: u32, is_above: bool) -> VcMask {
        let (channel, vc) = arrived;
        let is_of_ring =
            channel != u32::MAX && self.grid.step(ChannelId(channel)).dimension == dimension;
        let is_second = match is_of_ring {
            true => self.after_dateline >> vc & 1 == 1,
            false => is_above,
        };
        [self.before_dateline, self.after_dateline][usize::from(is_second)]
    }
}

impl Routing for DimensionOrder<'_> {
    const DETERMINISTIC: bool = true;

    #[inline]
    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        if self.tie == Tie::Positive || self.grid.ends() != Ends::Ring {
            return 1;
        }
        1 << self.ties(source, destination).count()
    }

    #[inline]
    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        if choice == 0 {
            return 0;
        }
        self.of_choice(source, destination, choice)
    }

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        if let Some(candidate) = self.next(head) {
            candidates.push(candidate);
        }
    }

    #[inline(always)]
    fn only(&self, head: Head, _: &mut Candidates) -> Option<Candidate> {
        self.next(head)
    }

    #[inline(always)]
    fn way(&self, head: Head, _: &mut Candidates) -> Option<(Way, VcMask)> {
        let (dimension, way, vcs) = self.step(head)?;
        Some((Way::Step(dimension, way), vcs))
    }

    /// On the hypercube only whether coordinates differ matters; a dateline or an end of a line
    /// tells nodes apart.
    fn symmetry(&self) -> Symmetry {
        let dimensions = 0..self.grid.dimensions();
        let is_binary = |i: usize| self.grid.radices()[i] == 2 && !self.grid.is_ring(i);
        if dimensions.into_iter().all(is_binary) {
            Symmetry::Translations
        } else {
            Symmetry::None
        }
    }

    /// A dateline moves no packet to another channel.
    fn symmetry_of_ways(&self) -> Symmetry {
        match self.grid.ends() {
            Ends::Open => self.symmetry(),
            _ => Symmetry::Translations,
        }
    }
}
