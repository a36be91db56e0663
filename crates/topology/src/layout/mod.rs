//! Where nodes and wires lie, how long the wires are, how densely they run, and the area they take.
//!
//! - [`Plane`]: grids folded into the plane, from radices alone, however large (Dally).
//! - [`Layout`]: the places of the nodes of any family, and the wires across every cut.
//! - [`WireLengths`]: the lengths of a network's channels together.
//! - [`layout_density`], [`ThompsonArea`]: wire density and area in the Thompson model (Greenberg &
//!   Guan).
//! - [`WireModel`]: the delay of a wire from its length.
//! - [`dally`], [`parhami_kwai`]: the papers' own arithmetic.
//!
//! A *pitch* is the distance between two neighbouring processors. A *wire pitch* is that between two
//! neighbouring wires: the unit of area, where only wires take room.
//!
//! ```
//! use flitsim_topology::{Ends, Grid, layout::{Layout, WireLengths}};
//!
//! // Rings 0 1 2 3 stand as 0 3 1 2: neighbours are at most two pitches apart.
//! let network = Grid::uniform(4, 2, Ends::Ring)?.into_network();
//! let lengths = WireLengths::of(&network);
//! assert_eq!(lengths.counts, [(1.0, 32), (2.0, 32)]);
//! let layout = Layout::of(&network).expect("a torus has a layout");
//! assert_eq!(layout.places_pitches()[1], [2.0, 0.0]);
//! // Every cut of a row is crossed by two links, whatever its position.
//! assert_eq!(layout.row_density(&network).per_line(1), 4.0);
//! # Ok::<(), flitsim_topology::TopologyError>(())
//! ```

mod area;
pub mod dally;
mod lengths;
mod wire_model;

pub use crate::families::common::density::{DensitySource, LayoutDensity, ThompsonArea};
pub use crate::families::common::places::Layout;
pub use crate::families::common::plane::Plane;
pub use crate::families::common::profile::DensityProfile;
pub use crate::families::grid::{column_density, row_density};
pub use crate::families::sparse_torus::parhami_kwai;
pub use area::layout_density;
pub use lengths::WireLengths;
pub use wire_model::WireModel;
