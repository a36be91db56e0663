//! The dense engine: passes over all routers of a busy network, many routers at once. The README beside
//! this file has the layout.

mod around;
mod block;
pub(crate) mod border;
mod compiled;
mod counts;
mod cycle;
mod dispatch;
mod engine;
mod fit;
mod links;
mod packed;
mod packed_slot;
mod pass;
mod routers;
mod row;
mod site;
mod slot;
mod slots;
mod stages;
mod wiring;

pub use engine::DenseEngine;
pub use fit::{Fit, Unfit, Vectors};
