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
//! most: some channel is used by none of them, and from there on their hops ascend. With [drawn](RingClasses::Drawn) ones
//! (`dim_order_bal_torus`) it is, of two-way rings, the wrap channel in the first class, and in the second that over the
//! middle.

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
#[derive(Clone, Debug)]
pub struct DimensionOrder<'n> {
    grid: &'n Grid,
    tie: Tie,
    order: Order,
    rules: Rules,
    ways: Ways,
}

/// What the ways on depend on besides the grid.
#[derive(Clone, Copy, Debug)]
struct Rules {
    vc_balance: bool,
    ring_classes: RingClasses,
    /// The virtual channels, and of a ring's those of its classes.
    all: VcMask,
    first: VcMask,
    second: VcMask,
}

/// The ways on that there are in a dimension, by how far a head has to go there.
#[derive(Clone, Debug)]
struct Ways {
    /// Dimension by dimension, by hops ahead, from the radix less one down to as many up, and whether the dimension's bit of the
    /// state is set, which is what was drawn there: the [`Class`], and bit 0 where the way leads down.
    all: Box<[u8]>,
    /// By dimension: where no hops ahead stand in `all`, with the bit not set.
    middle: [u32; 32],
    /// Where every radix is a power of two: by bit of an address.
    fields: Option<[Field; 32]>,
    /// By [`Class`] and [`arrival`]: the virtual channels.
    vcs: [VcMask; 32],
}

/// Where every radix is a power of two, an address is its coordinates as fields of bits: what
/// differs is found without looking coordinates up.
#[derive(Clone, Copy, Debug, Default)]
struct Field {
    /// The bits of the dimension that a bit of the address belongs to.
    bits: u32,
    /// The lowest of the bits.
    first: u8,
    dimension: u8,
}

/// What the virtual channels of a way depend on besides how the head came in.
#[derive(Clone, Copy, Debug)]
enum Class {
    /// Nothing: it is no ring's.
    Open = 0,
    /// The packet will not wrap, and classes are balanced.
    Any = 1 << 3,
    /// It starts in a ring's first class.
    First = 2 << 3,
    /// It starts in the second.
    Second = 3 << 3,
}

/// How a head came in that goes on in a ring, as bits below those of [`Class`].
#[inline(always)]
const fn arrival([is_of_ring, wraps, is_second]: [bool; 3]) -> usize {
    (is_of_ring as usize) << 2 | (wraps as usize) << 1 | is_second as usize
}

impl Rules {
    /// What is to do `hops` from the destination in `dimension`, as [`Ways`] has it. Of two ways as short, down `is_drawn`;
    /// of drawn classes the second.
    fn way(self, grid: &Grid, dimension: usize, hops: i32, is_drawn: bool) -> u8 {
        let is_above = hops < 0;
        let radix = grid.radices()[dimension];
        let ahead = hops.rem_euclid(radix as i32) as u32;
        let (up, is_tie) = match grid.ends() {
            // Two nodes are no ring: one is above the other, and nothing is drawn.
            Ends::Ring if grid.is_ring(dimension) => {
                let is_tie = 2 * ahead == radix;
                (2 * ahead < radix || is_tie && !is_drawn, is_tie)
            }
            Ends::Open | Ends::Ring => (!is_above, false),
            Ends::DirectedRing => (true, false),
        };
        let will_wrap = is_above == up;
        let class = match self.ring_classes {
            _ if !grid.is_ring(dimension) => Class::Open,
            RingClasses::Fixed if is_above => Class::Second,
            RingClasses::Drawn if will_wrap || is_drawn && !is_tie => Class::Second,
            RingClasses::Dateline if self.vc_balance && !will_wrap => Class::Any,
            _ => Class::First,
        };
        class as u8 | u8::from(!up)
    }

    /// The virtual channels of a way of `class` for a head that came in over a channel of the same ring, over one that wraps,
    /// on a virtual channel of the second class.
    fn vcs(self, class: Class, [is_of_ring, wraps, is_second]: [bool; 3]) -> VcMask {
        let passes = wraps && self.ring_classes == RingClasses::Dateline;
        match class {
            Class::Open => self.all,
            _ if is_of_ring && (passes || is_second) => self.second,
            Class::Any => self.all,
            Class::Second if !is_of_ring => self.second,
            Class::First | Class::Second => self.first,
        }
    }
}

impl Ways {
    fn of(grid: &Grid, rules: Rules) -> Self {
        let (mut all, mut middle) = (Vec::new(), [0; 32]);
        for (dimension, &radix) in grid.radices().iter().enumerate() {
            let most = radix as i32 - 1;
            middle[dimension] = all.len() as u32 + 2 * most as u32;
            let hops = (-most..=most).flat_map(|hops| [(hops, false), (hops, true)]);
            all.extend(hops.map(|(hops, is_drawn)| rules.way(grid, dimension, hops, is_drawn)));
        }
        let mut vcs = [0; 32];
        for class in [Class::Open, Class::Any, Class::First, Class::Second] {
            for bits in 0..8 {
                let came = [4, 2, 1].map(|bit| bits & bit != 0);
                vcs[class as usize | arrival(came)] = rules.vcs(class, came);
            }
        }
        Self {
            fields: Self::fields(grid),
            all: all.into(),
            middle,
            vcs,
        }
    }

    fn fields(grid: &Grid) -> Option<[Field; 32]> {
        let mut fields = [Field::default(); 32];
        let mut first = 0;
        for (dimension, radix) in grid.radices().iter().enumerate() {
            let width = radix.is_power_of_two().then(|| radix.trailing_zeros())?;
            fields[first as usize..][..width as usize].fill(Field {
                bits: (radix - 1) << first,
                first: first as u8,
                dimension: dimension as u8,
            });
            first += width;
        }
        Some(fields)
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
        let rules = Rules {
            vc_balance,
            ring_classes: RingClasses::Dateline,
            all,
            first: vc_range(0, half),
            second: vc_range(half, virtual_channels),
        };
        Ok(Self {
            grid,
            tie,
            order: Order::LowestFirst,
            rules,
            ways: Ways::of(grid, rules),
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
    pub fn virtual_channels(&self) -> u32 {
        self.rules.all.count_ones()
    }

    /// The same rules on another grid whose ends do the same.
    #[must_use]
    pub fn on<'m>(&self, grid: &'m Grid) -> DimensionOrder<'m> {
        DimensionOrder {
            grid,
            ways: Ways::of(grid, self.rules),
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
        let rules = Rules {
            ring_classes,
            ..self.rules
        };
        Self {
            rules,
            ways: Ways::of(self.grid, rules),
            ..self
        }
    }

    /// Whether `from` and `to` are exactly half a two-way ring apart in `dimension`, and the way is drawn.
    #[inline]
    fn is_tie(&self, dimension: usize, from: u32, to: u32) -> bool {
        let k = self.grid.radices()[dimension];
        let is_drawn = self.tie == Tie::Random && self.grid.ends() == Ends::Ring;
        is_drawn & (k > 2) & (2 * from.abs_diff(to) == k)
    }

    /// Whether `from` and `to` are apart in `dimension`, on one side of the middle of a ring, so that drawn classes are free.
    /// Where two are half a ring apart, each is on a side of its own.
    #[inline]
    fn is_free(&self, dimension: usize, from: u32, to: u32) -> bool {
        let middle = (self.grid.radices()[dimension] - 1) / 2;
        self.grid.is_ring(dimension) && from != to && (from <= middle) == (to <= middle)
    }

    /// Whether something is drawn for a packet in `dimension`: the way round, or the class.
    #[inline]
    fn is_drawn(&self, dimension: usize, from: NodeId, to: NodeId) -> bool {
        let coordinate = |node| self.grid.coordinate(node, dimension);
        let (from, to) = (coordinate(from), coordinate(to));
        let draws_classes = self.rules.ring_classes == RingClasses::Drawn;
        self.is_tie(dimension, from, to) | (draws_classes && self.is_free(dimension, from, to))
    }

    /// The dimensions in which something is drawn for a packet.
    fn drawn(&self, from: NodeId, to: NodeId) -> impl Iterator<Item = usize> {
        let dimensions = 0..self.grid.dimensions();
        dimensions.filter(move |&dimension| self.is_drawn(dimension, from, to))
    }

    /// As [`Routing::choices`]. Apart, so that where there are no rings nothing is left of it.
    #[inline(never)]
    fn choices_on_rings(&self, from: NodeId, to: NodeId) -> u32 {
        // No branch: no predictor foresees which are drawn.
        let dimensions = 0..self.grid.dimensions();
        let drawn = dimensions.map(|dimension| u32::from(self.is_drawn(dimension, from, to)));
        1 << drawn.sum::<u32>()
    }

    /// The state with the bits of `choice` in the dimensions in which something is drawn.
    fn of_choice(&self, from: NodeId, to: NodeId, choice: u32) -> u64 {
        let drawn = self.drawn(from, to).enumerate();
        drawn.fold(0, |state, (index, dimension)| {
            state | u64::from(choice >> index & 1) << dimension
        })
    }

    /// The first dimension in which two nodes differ, and how many hops up the second one is there.
    #[inline(always)]
    fn apart(&self, from: NodeId, to: NodeId) -> (usize, i32) {
        let Some(fields) = &self.ways.fields else {
            return self.apart_by_coordinates(from, to);
        };
        let differing = from.0 ^ to.0;
        let bit = match self.order {
            Order::LowestFirst => differing.trailing_zeros(),
            Order::HighestFirst => 31 - differing.leading_zeros(),
        };
        let field = fields[bit as usize & 31];
        let hops = (to.0 & field.bits) as i32 - (from.0 & field.bits) as i32;
        (usize::from(field.dimension), hops >> field.first)
    }

    /// As `apart`, where radices are any. Not inlined, so that others do not pay for it.
    #[inline(never)]
    fn apart_by_coordinates(&self, from: NodeId, to: NodeId) -> (usize, i32) {
        let pairs = self.grid.coordinates(from).iter();
        let hops = pairs.zip(self.grid.coordinates(to));
        let hops = hops.map(|(&a, &b)| i32::from(b) - i32::from(a));
        let mut differing = hops.enumerate().filter(|&(_, hops)| hops != 0);
        let first = match self.order {
            Order::LowestFirst => differing.next(),
            Order::HighestFirst => differing.next_back(),
        };
        first.expect("two nodes")
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
        let (dimension, hops) = self.apart(head.node, head.destination);
        if self.grid.ends() == Ends::Open {
            return Some((dimension, Direction::up_if(hops > 0), self.rules.all));
        }
        let is_drawn = (head.state >> dimension & 1) as i32;
        let middle = self.ways.middle[dimension & 31] as i32;
        let way = self.ways.all[(middle + 2 * hops + is_drawn) as usize];
        let (channel, vc) = head.arrived.unwrap_or((ChannelId(0), 0));
        let step = self.grid.step(channel);
        // No branch: no predictor foresees which.
        let is_of_ring = head.arrived.is_some() & (step.dimension == dimension as u32);
        let is_second = self.rules.second >> vc & 1 == 1;
        let vcs = usize::from(way & !1) | arrival([is_of_ring, step.wraps, is_second]);
        Some((
            dimension,
            Direction::up_if(way & 1 == 0),
            self.ways.vcs[vcs & 31],
        ))
    }
}

impl Routing for DimensionOrder<'_> {
    const DETERMINISTIC: bool = true;

    #[inline]
    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        if self.grid.ends() == Ends::Open {
            return 1;
        }
        self.choices_on_rings(source, destination)
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
