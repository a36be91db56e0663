//! What networks cost in wires, and the channel widths that make costs equal (Greenberg & Guan,
//! "An empirical comparison of area-universal and other parallel computing networks", 1996,
//! section 3 and tables 1 to 3).
//!
//! Costs are those of a network whose channels are one wire wide, and proportional to the width. A
//! link counts once, not once each way, as the paper counts; so a channel that has none the other way
//! is half a link. [`UnitCost::of`] prices any network; the paper's four families have closed forms
//! besides, and the star graph those of Kiasari & Sarbazi-Azad.
//!
//! ```
//! use flitsim_topology::cost::{Constraint, UnitCost};
//! use flitsim_topology::{FatTree, Grid, Ends, properties};
//!
//! let mesh = Grid::uniform(32, 2, Ends::Open)?;
//! let across = properties::grid_bisection_channels(&mesh).expect("an even radix");
//! let mesh = UnitCost::of(&mesh.into_network(), across);
//! let pyramid = FatTree::pyramid(1024)?;
//! let across = pyramid.bisection_channels();
//! let pyramid = UnitCost::of(&pyramid.into_network(), across);
//! // Table 1: 96 wires where the mesh has 32, so that 32 bits become 11.
//! assert_eq!((mesh.bisection, pyramid.bisection), (32.0, 96.0));
//! assert_eq!(pyramid.width_bits(Constraint::Bisection, &mesh, 32).round(), 11.0);
//! # Ok::<(), flitsim_topology::TopologyError>(())
//! ```

use crate::fat_tree::levels_of;
use crate::layout::{
    DensitySource, LayoutDensity, ThompsonArea, hypercube_density, layout_density,
};
use crate::{Ends, Network, Shape, Star, TopologyError};

/// The cost that is made equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// Wires cut when the network is divided into two equal halves.
    Bisection,
    /// Wires that end at processors and switches, over all of them.
    PinOut,
    /// The side of the Thompson model's layout.
    Area,
}

/// What a network with channels one wire wide costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitCost {
    /// Processors n: the network's terminals.
    pub processors: f64,
    /// Bisection width, in wires.
    pub bisection: f64,
    /// Total pin-out, in pins.
    pub pin_out: f64,
    /// Wire density d, in wires a row or column of processors: the side of the layout is
    /// √n · d · W wire pitches, as in [`LayoutDensity`].
    pub density: f64,
}

impl UnitCost {
    /// What `network` costs, whose two halves are joined by `bisection_channels` channels, both ways
    /// together.
    ///
    /// The bisection is half of those channels. Only for star graphs are they passed over: there it
    /// is equation 5 of Kiasari & Sarbazi-Azad, which their widths follow from, though smaller cuts
    /// exist where the number of symbols is odd. The pin-out is [`link_pins`]. The density is the
    /// paper's where [`layout_density`] gives one, else that of the layout, and for a network from a
    /// file the least that the bisection asks for, as [`density_of`] says.
    pub fn of(network: &Network, bisection_channels: u64) -> Self {
        let channels = match network.star() {
            Some(star) => star.bisection_channels(),
            None => bisection_channels,
        };
        Self {
            processors: f64::from(network.terminals()),
            bisection: channels as f64 / 2.0,
            pin_out: link_pins(network) as f64,
            density: density_of(network, bisection_channels).wires,
        }
    }

    /// The star graph S_n of `symbols` = n symbols: bisection N n / (4 (n − 1)) for even n,
    /// N (n² − 3) / (4 n (n − 2)) for odd n (Kiasari & Sarbazi-Azad, equation 5); pin-out N (n − 1);
    /// the density of the recursive layout.
    ///
    /// # Errors
    /// [`TopologyError::SymbolsOutOfRange`].
    pub fn star(symbols: u32) -> Result<Self, TopologyError> {
        let star = Star::new(symbols)?;
        let processors = f64::from(star.nodes());
        Ok(Self {
            processors,
            bisection: star.bisection_channels() as f64 / 2.0,
            pin_out: processors * f64::from(symbols - 1),
            density: ThompsonArea::of_star(&star).side() / processors.sqrt(),
        })
    }

    /// The √n × √n mesh: bisection √n, pin-out 4(n − √n), density 1.
    ///
    /// # Errors
    /// [`TopologyError::ProcessorsNotPowerOfFour`].
    pub fn mesh(processors: u32) -> Result<Self, TopologyError> {
        let (n, row, _) = sizes(processors)?;
        Ok(Self {
            processors: n,
            bisection: row,
            pin_out: 4.0 * (n - row),
            density: 1.0,
        })
    }

    /// The binary hypercube: bisection n/2, pin-out n log2 n, density
    /// (2^(k+2) − (−1)^k − 3) / 6 with k = log4 n.
    ///
    /// # Errors
    /// [`TopologyError::ProcessorsNotPowerOfFour`].
    pub fn hypercube(processors: u32) -> Result<Self, TopologyError> {
        let (n, _, levels) = sizes(processors)?;
        Ok(Self {
            processors: n,
            bisection: n / 2.0,
            pin_out: n * 2.0 * levels,
            density: hypercube_density(levels as u32),
        })
    }

    /// The butterfly fat-tree: bisection √n, pin-out n + 3(n − √n), density log4 n. The pin-out
    /// counts six pins at every switch, so two unconnected ones at each of the √n/2 switches of the
    /// highest level: √n more than the graph has.
    ///
    /// # Errors
    /// [`TopologyError::ProcessorsNotPowerOfFour`].
    pub fn butterfly_fat_tree(processors: u32) -> Result<Self, TopologyError> {
        let (n, row, levels) = sizes(processors)?;
        Ok(Self {
            processors: n,
            bisection: row,
            pin_out: n + 3.0 * (n - row),
            density: levels,
        })
    }

    /// The fat-pyramid: bisection √n log16(4n), pin-out n + 5(n − √n) − √n log2 n, density
    /// (3/2) log4 n. The pin-out counts √n pins more than the graph has, as for the butterfly
    /// fat-tree.
    ///
    /// # Errors
    /// [`TopologyError::ProcessorsNotPowerOfFour`].
    pub fn fat_pyramid(processors: u32) -> Result<Self, TopologyError> {
        let (n, row, levels) = sizes(processors)?;
        Ok(Self {
            processors: n,
            bisection: row * (levels + 1.0) / 2.0,
            pin_out: n + 5.0 * (n - row) - row * 2.0 * levels,
            density: 1.5 * levels,
        })
    }

    /// The cost that `constraint` makes equal.
    pub fn under(&self, constraint: Constraint) -> f64 {
        match constraint {
            Constraint::Bisection => self.bisection,
            Constraint::PinOut => self.pin_out,
            Constraint::Area => self.density,
        }
    }

    /// The channel width, in bits, at which this network costs as much as `reference` does with
    /// channels `reference_width_bits` wide: not rounded.
    ///
    /// Between networks of different sizes the cost of a processor's share is made equal, as Kiasari
    /// & Sarbazi-Azad do between S_5 and H_7 (section 4.1). The density is that of a processor's row
    /// already.
    pub fn width_bits(
        &self,
        constraint: Constraint,
        reference: &Self,
        reference_width_bits: u32,
    ) -> f64 {
        let bits = f64::from(reference_width_bits);
        // Products first: they are exact, so that a quotient half way between integers is too.
        match constraint {
            Constraint::Area => bits * reference.density / self.density,
            Constraint::Bisection | Constraint::PinOut => {
                let dearer = bits * reference.under(constraint) * self.processors;
                dearer / (self.under(constraint) * reference.processors)
            }
        }
    }
}

/// The wire density of any network: the paper's where [`layout_density`] gives one; else the one at
/// which √n · d is the side of the square of [`ThompsonArea::of_layout`]; and where no layout is
/// known the bisection in links over √n, for that many wires must pass the middle of a square.
pub fn density_of(network: &Network, bisection_channels: u64) -> LayoutDensity {
    let row = f64::from(network.terminals()).sqrt();
    layout_density(network).unwrap_or_else(|| match ThompsonArea::of_layout(network) {
        Some(area) => LayoutDensity {
            wires: area.side() / row,
            source: DensitySource::Layout,
        },
        None => LayoutDensity {
            wires: bisection_channels as f64 / 2.0 / row,
            source: DensitySource::Bisection,
        },
    })
}

/// The pins of all processors and switches together, in units of channel width: as many as there are
/// one-way channels. A link has one at each of its ends, as Greenberg & Guan count; a channel that
/// has none the other way, half of one.
pub fn pin_out_of_graph(network: &Network) -> u64 {
    u64::from(network.channels())
}

/// The pins of all processors and switches together, in units of channel width, as the paper counts
/// them that a network is from:
///
/// - Fat-tree and fat-pyramid (Greenberg & Guan, section 3.2): six, or up to ten, at every switch,
///   two unconnected ones at each of the √n/2 roots among them: √n more than the graph has.
/// - One-way k-ary n-cubes (Dally, "Wire-efficient VLSI multiprocessor communication networks",
///   equation 9): 2n at a node, n for channels in and n for channels out.
/// - All others (Greenberg & Guan, section 3.2; Parhami & Kwai, section 5; Kiasari & Sarbazi-Azad,
///   section 4.1): the channels out of each node, [`pin_out_of_graph`].
pub fn pin_out(network: &Network) -> u64 {
    match network.shape() {
        Shape::Grid(grid) if grid.ends() == Ends::DirectedRing => 2 * pin_out_of_graph(network),
        _ => link_pins(network),
    }
}

/// The pins that [`UnitCost`] compares: [`pin_out`], but that one-way k-ary n-cubes count as all other
/// networks do. With the same number they have channels twice as wide as two-way ones, as Parhami &
/// Kwai give one-way tori (section 5).
pub fn link_pins(network: &Network) -> u64 {
    let unconnected = network.fat_tree().map_or(0, |tree| 1 << tree.levels());
    pin_out_of_graph(network) + unconnected
}

/// The channel width that is built for an exact one: the nearest integer, a half upward, 1 at the
/// least.
///
/// Three of the sixty widths that the paper prints are not the nearest: 10 for the hypercube of
/// 4,096 processors under equal pin-out (10.5), and 10 for the fat-tree of 64 and the fat-pyramid
/// of 16 under equal area (10.67 both).
pub fn nearest_width_bits(exact: f64) -> u32 {
    exact.round().max(1.0) as u32
}

/// n, √n and log4 n.
fn sizes(processors: u32) -> Result<(f64, f64, f64), TopologyError> {
    let Some(levels) = levels_of(processors) else {
        let wanted = u64::from(processors);
        let nearest = (1..=15)
            .map(|levels| 1u64 << (2 * levels))
            .min_by_key(|size| size.abs_diff(wanted))
            .unwrap_or(4);
        return Err(TopologyError::ProcessorsNotPowerOfFour {
            processors: wanted,
            nearest,
        });
    };
    let row = f64::from(1u32 << levels);
    Ok((row * row, row, f64::from(levels)))
}
