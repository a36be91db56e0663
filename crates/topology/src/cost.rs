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

pub use crate::families::common::unit_cost::{Constraint, UnitCost, nearest_width_bits};

use crate::Network;
use crate::layout::{DensitySource, LayoutDensity, ThompsonArea, layout_density};
use crate::properties::Bisection;

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
        let of_paper = network.family().pricing().bisection_channels;
        let channels = of_paper.unwrap_or(bisection_channels);
        Self {
            processors: f64::from(network.terminals()),
            bisection: channels as f64 / 2.0,
            pin_out: link_pins(network) as f64,
            density: density_of(network, bisection_channels).wires,
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

/// The channels, both ways together, between the halves of `network`, as its cost counts them: by the
/// formula that the family's paper prices it by, else the fewest that are known.
pub fn bisection_channels(network: &Network) -> u64 {
    let of_paper = network.family().pricing().bisection_channels;
    of_paper.unwrap_or_else(|| Bisection::of(network).channels)
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
    let pricing = network.family().pricing();
    pricing.pins_of_channel * pin_out_of_graph(network) + pricing.pins_unconnected
}

/// The pins that [`UnitCost`] compares: [`pin_out`], but that one-way k-ary n-cubes count as all other
/// networks do. With the same number they have channels twice as wide as two-way ones, as Parhami &
/// Kwai give one-way tori (section 5).
pub fn link_pins(network: &Network) -> u64 {
    pin_out_of_graph(network) + network.family().pricing().pins_unconnected
}
