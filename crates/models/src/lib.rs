//! Analytical models of interconnection networks: the equations of five papers as functions.
//!
//! One module a paper. Every function names its equation, the units of what goes in and comes out,
//! and its domain; outside it is a [`ModelError`]. Where the print breaks its own rule, or a scan has
//! lost a formula, the printed form and the corrected one stand side by side.
//!
//! | module | paper |
//! | --- | --- |
//! | [`k_ary_n_cube`] | Dally, "Wire-efficient VLSI multiprocessor communication networks" |
//! | [`express_cube`] | Dally, "Express cubes" |
//! | [`area_universal`] | Greenberg & Guan, "An empirical comparison of area-universal and other parallel computing networks" |
//! | [`star_hypercube`] | Kiasari & Sarbazi-Azad, "A comparative performance analysis of n-cubes and star graphs" |
//! | [`pruned_torus`] | Parhami & Kwai, "Comparing four classes of torus-based parallel architectures" |
//!
//! [`fixed_point`] solves the equations of the fourth, and says when they have no solution: that is
//! saturation.
//!
//! ```
//! use flitsim_models::star_hypercube::Star;
//!
//! // Figure 2 (a): S_5, 32 flits a message, 12 virtual channels.
//! let star = Star::new(5, 32.0, 12, 1.0)?;
//! let latency = star.latency(0.01)?.expect("below saturation");
//! assert!((latency.cycles - 72.258).abs() < 1e-3);
//! assert!(star.latency(1.01 * star.saturation())?.is_none());
//! # Ok::<(), flitsim_models::ModelError>(())
//! ```

pub mod area_universal;
mod error;
pub mod express_cube;
pub mod fixed_point;
pub mod k_ary_n_cube;
pub mod pruned_torus;
pub mod star_hypercube;

pub use error::ModelError;
