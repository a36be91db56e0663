//! Scenario files: they are read with their spans and resolved into a plan that needs no further checks.
//!
//! - `file` parses the text, `overlay` merges each series over the top level, `grid` makes series of lists of values.
//! - There is one file for each table: `topology`, `faults`, `router`, `channel`, `cost`, `routing`, `traffic`,
//!   `measure` and `load`. It reads and checks the keys of the table by their description (`flitsim-keys`).
//! - `resolve` checks the tables of a series against each other, and `read` builds the [`Plan`].
//!
//! What is wrong is reported as a [`ScenarioError`] that underlines the place.

mod algorithms;
pub mod booksim;
pub mod channel;
pub mod cost;
pub mod definition;
pub mod dispatch;
pub mod energy;
pub mod error;
pub mod faults;
pub mod file;
pub mod foreign;
mod grid;
pub mod hash;
pub mod load;
pub mod measure;
pub mod networks;
mod overlay;
mod parameters;
pub mod plan;
pub mod proof;
mod read;
pub mod resolve;
mod room;
pub mod router;
pub mod routing;
pub mod schema;
pub mod starter;
pub mod tables;
mod text;
pub mod text_file;
pub mod topology;
pub mod traffic;

pub use error::ScenarioError;
pub use flitsim_engine::routing::RoutingChoice;
pub use plan::{EachSeries, KeptFile, Load, Plan, SeriesPlan, Unroutable};
pub use resolve::Overrides;
pub use room::at_once_most;
