//! What a network is as a graph: distances, connectivity, symmetry, bisection, tolerance of faults.
//!
//! By search on any network; by closed forms where a family has them; with checked automorphisms
//! ([`Symmetry`]) where all nodes look alike, so that one search speaks for all. Every figure says
//! whether it is exact ([`DistanceMethod`], [`BisectionMethod`], [`ConnectivityMethod`],
//! [`FaultMethod`]).

mod bisection;
mod distance;
mod faults;
mod symmetry;

pub use crate::families::grid::{grid_bisection_channels, grid_distances};
pub use crate::search::{
    Distances, UNREACHABLE, degree_max, distances, distances_from, distances_to,
    is_strongly_connected, two_colouring, unpaired_channel,
};
pub use bisection::{Bisection, BisectionMethod};
pub use distance::{DistanceMethod, DistanceProfile};
pub use faults::{
    Connectivity, ConnectivityMethod, FaultDiameter, FaultMethod, channel_connectivity,
    node_connectivity,
};
pub use symmetry::{Automorphisms, Orbit, Symmetry};

/// Told how much is done, of how much; from any thread, the figures in no strict order.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) + Sync);
